"""Manhattan: build towers in six cities, own them from the top."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from storeys.games.manhattan import board, moves, picture, refusals, rules, scoring, state
from storeys.games.manhattan.observation import OBSERVATION
from storeys.games.manhattan.positions import check, read_towers, towers
from storeys.games.manhattan.state import OVER
from storeys.kernel.components import ComponentSet
from storeys.kernel.declared import DeclaredGame
from storeys.kernel.errors import BadOption
from storeys.kernel.levels import Levels
from storeys.kernel.messages import Message
from storeys.kernel.options import Choice
from storeys.kernel.reading import Node
from storeys.kernel.record import Records, fast_record
from storeys.kernel.setup import Setup
from storeys.kernel.verbs import Rules
from storeys.kernel.zones import OwnZones, zones_of

SCORED = ("points", "built", "tallest", "tallest_owner", "majority", "towers")
"""What the rules note when a round is scored."""


class Manhattan(DeclaredGame):
    """Manhattan for 2, 3 and 4 players."""

    name = "manhattan"
    rules_version = 1
    seats = (2, 3, 4)
    default_players = 4
    options = (Choice("tiebreak", ("shared", "towers")), Choice("rounds", ("auto", "4x6")))
    evaluates_chance = False
    phases = state.PHASES
    rules: ClassVar[Rules] = rules
    notation = moves.NOTATION
    state_dtype = state.STATE
    actions = state.ACTIONS
    zones = zones_of(state.State)
    observation = OBSERVATION
    levels = Levels(blurs=(1.7, 1.4, 0.95), simulations=8)
    box = state.BOX
    tables_dtype = state.TABLES
    end_rule = "M-19"
    own_zones: ClassVar[OwnZones] = {"towers": (towers, read_towers)}

    components_text = staticmethod(board.components_text)
    explain = staticmethod(refusals.explain)
    check_position = staticmethod(check)
    score_parts = staticmethod(scoring.score_parts)
    board_text = staticmethod(board.board_text)
    scene = staticmethod(picture.scene)
    counted_picks = tuple(f"n{size}" for size in range(1, state.SIZES + 1))
    picks = staticmethod(picture.picks)
    put = staticmethod(picture.put)
    previewed_moves = ("build",)
    preview = staticmethod(scoring.preview)
    changing_moves = ("build",)
    changes = staticmethod(scoring.changes)
    lit = staticmethod(picture.lit)
    badges = staticmethod(picture.badges)

    def check_together(self, players: int, options: dict[str, Any]) -> dict[str, Any]:
        """M-R2: two players always play six rounds of four blocks a colour."""
        if players == 2 and options["rounds"] == "4x6":
            usual = Message("manhattan.option.rounds.auto")
            raise BadOption(Message("manhattan.refused.rounds", choice=usual), "M-R2")
        return options

    def write_options(self, state: Any, setup: Setup) -> None:
        """M-11, M-21, M-22, M-R2: four rounds of six blocks, or six of four."""
        six_blocks = setup.players == 4 or setup.options["rounds"] == "4x6"
        state.rounds, state.pick_size = (4, 6) if six_blocks else (6, 4)
        state.by_towers = setup.options["tiebreak"] == "towers"

    def most_moves(self, setup: Setup) -> int:
        """M-8, M-9, M-R1: a pick a colour and round; a turn a block, at most with a redraw."""
        colours = 3 if setup.players == 3 else 4
        rounds = int(self.blank_state(setup)[0].rounds)
        return colours * (rounds + 2 * state.BLOCKS_OF_A_COLOUR)

    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """M-16 … M-18: in a scoring at most 3, 2 for each city and 1 for each site."""
        rounds = int(self.blank_state(setup)[0].rounds)
        return 0, rounds * (3 + 2 * len(state.CITIES) + state.SITES)

    def score_key(self, state: Any, seat: int) -> Hashable | None:
        """M-16 … M-18: what was noted when rounds were scored; who owned what then, from blocks."""
        noted = (getattr(state, name).tobytes() for name in SCORED)
        when = state.round_no, state.scored, state.phase == OVER
        return *when, *noted, state.laid[: int(state.built.max())].tobytes()

    def may_gain(self, states: Records, kind: str) -> bool:
        """M-10, M-16: points are given when the last picked block of a round has gone."""
        return kind in ("build", "forfeit") and int(states["picked"][0].sum()) == 1

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state; with 4 players `auto` and `4x6` are the same game."""
        record = state[0]
        long_picks = record.pick_size == 6 and record.players != 4
        return {
            "tiebreak": "towers" if record.by_towers else "shared",
            "rounds": "4x6" if long_picks else "auto",
        }

    def from_position(self, position: Node, setup: Setup, states: Records) -> None:
        """Build everything again, from an empty board on."""
        rules.clear(fast_record(states))
        super().from_position(position, setup, states)

    def said(self, code: int, components: ComponentSet) -> dict[str, Any]:
        """What a move says, with the storeys of its block and its card as numbers."""
        said, move = super().said(code, components), self.notation.json(code, components)
        return said | {"n": move.get("size"), "card": move.get("card")}

    def prompt(self, state: Records) -> Message:
        """What to do now."""
        record = fast_record(state)
        if self.phases[record.phase] == "pick":
            colour = moves.colour_label(int(rules.colour_to_pick(record)))
            return Message("manhattan.prompt.pick", n=int(record.pick_size), colour=colour)
        way_out = "forfeit" if record.redrawn else "redraw"
        return Message(f"manhattan.prompt.{'build' if rules.can_build(record) else way_out}")

    def check_conserved(
        self,
        position: Mapping[str, Any],
        components: ComponentSet,
        moves: Sequence[Mapping[str, Any]],
    ) -> None:
        """45 cards; every block in stock, picked, built or given up (M-R1)."""
        super().check_conserved(position, components, moves)
        built = [block for city in position["towers"] for tower in city for block in tower]
        given_up = [(move["colour"], move["size"]) for move in moves if move["kind"] == "forfeit"]
        blocks = np.add(position["stock"], position["picked"])
        for colour, size in [*built, *given_up]:
            blocks[colour, size - 1] += 1
        for colour in board.colours_in(position):
            right = (blocks[colour] == components.tables[0].blocks).all()
            assert right, f"colour {colour}: {blocks[colour]} blocks by size"


GAME = Manhattan()
