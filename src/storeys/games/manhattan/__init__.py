"""Manhattan: build towers in six cities, own them from the top."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from storeys.games.manhattan import (
    board,
    box,
    gains,
    moves,
    picture,
    positions,
    refusals,
    rules,
    scoring,
)
from storeys.games.manhattan.observation import OBSERVATION
from storeys.games.manhattan.state import (
    ACTIONS,
    BLOCKS_OF_A_COLOUR,
    CITIES,
    PHASES,
    PICK,
    SITES,
    SIZES,
    STATE,
    State,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import Message
from storeys.kernel.options import Choice
from storeys.kernel.record import Records
from storeys.kernel.setup import Setup
from storeys.kernel.verbs import Rules
from storeys.kernel.zones import zones_of


class Manhattan(Game):
    """Manhattan for 2, 3 and 4 players."""

    name = "manhattan"
    rules_version = 1
    seats = (2, 3, 4)
    default_players = 4
    options = (Choice("tiebreak", ("shared", "towers")), Choice("rounds", ("auto", "4x6")))
    phases = PHASES
    folder = Path(__file__).parent
    rules: ClassVar[Rules] = rules
    notation = moves.NOTATION
    state_dtype = STATE
    actions = ACTIONS
    zones = zones_of(State)
    observation = OBSERVATION

    read_components = staticmethod(box.read_components)
    components_text = staticmethod(box.components_text)
    refusal = staticmethod(refusals.explain)
    move_label = staticmethod(moves.label)
    to_position = staticmethod(positions.to_position)
    from_position = staticmethod(positions.from_position)
    score_parts = staticmethod(scoring.score_parts)
    board_text = staticmethod(board.board_text)
    scene = staticmethod(picture.scene)
    picks = staticmethod(picture.picks)
    lit = staticmethod(picture.lit)
    gains = staticmethod(gains.gains)
    badges = staticmethod(picture.badges)

    def check_together(self, players: int, options: dict[str, Any]) -> dict[str, Any]:
        """M-R2: two players always play six rounds of four blocks a colour."""
        if players == 2 and options["rounds"] == "4x6":
            usual = Message("manhattan.option.rounds.auto")
            raise BadOption(Message("manhattan.refused.rounds", choice=usual), "M-R2")
        return options

    def write_options(self, state: State, setup: Setup) -> None:
        """M-11, M-21, M-22, M-R2: four rounds of six blocks, or six of four."""
        six_blocks = setup.players == 4 or setup.options["rounds"] == "4x6"
        state.pick_size = 6 if six_blocks else 4
        state.rounds = BLOCKS_OF_A_COLOUR // state.pick_size
        state.by_towers = setup.options["tiebreak"] == "towers"

    def most_moves(self, setup: Setup) -> int:
        """M-8, M-9, M-R1: a pick a colour and round; a turn a block, at most with a redraw."""
        colours = 3 if setup.players == 3 else 4
        rounds = int(self.blank_state(setup)[0].rounds)
        return colours * (rounds + 2 * BLOCKS_OF_A_COLOUR)

    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """M-16 … M-18: in a scoring at most 3, 2 for each city and 1 for each site."""
        rounds = int(self.blank_state(setup)[0].rounds)
        return 0, rounds * (3 + 2 * len(CITIES) + SITES)

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state; with 4 players `auto` and `4x6` are the same game."""
        record = state[0]
        long_picks = record.pick_size == 6 and record.players != 4
        return {
            "tiebreak": "towers" if record.by_towers else "shared",
            "rounds": "4x6" if long_picks else "auto",
        }

    def prompt(self, state: Records) -> Message:
        """What to do now."""
        record = state[0]
        if record.phase == PICK:
            colour = moves.colour_label(int(rules.colour_to_pick(record)))
            return Message("manhattan.prompt.pick", n=int(record.pick_size), colour=colour)
        if rules.can_build(record):
            return Message("manhattan.prompt.build")
        return Message("manhattan.prompt.forfeit" if record.redrawn else "manhattan.prompt.redraw")

    def check_conserved(
        self,
        position: Mapping[str, Any],
        components: ComponentSet,
        moves: Sequence[Mapping[str, Any]],
    ) -> None:
        """45 cards; every block in stock, picked, built or given up (M-R1)."""
        super().check_conserved(position, components, moves)
        gone = Counter((m["colour"], m["size"]) for m in moves if m["kind"] == "forfeit")
        built = Counter(
            (colour, size)
            for city in position["towers"]
            for tower in city
            for colour, size in tower
        )
        for colour in range(3 if position["players"] == 3 else 4):
            for size in range(1, SIZES + 1):
                kept = position["stock"][colour][size - 1] + position["picked"][colour][size - 1]
                found = kept + built[colour, size] + gone[colour, size]
                expected = components.content["blocks"][size - 1]["count"]
                assert found == expected, f"colour {colour}: {found} blocks of size {size}"


GAME = Manhattan()
