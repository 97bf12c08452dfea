"""Cloud City: lay tiles with two buildings each, and join what is of one colour by walkways."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from storeys.games.cloud_city import board, box, moves, parts, positions, refusals, rules
from storeys.games.cloud_city.analysis import BestWalkways, best_walkways
from storeys.games.cloud_city.observation import PLANES
from storeys.games.cloud_city.options import Requests
from storeys.games.cloud_city.state import (
    ACTIONS,
    COLOURS,
    EDITIONS,
    NONE,
    PHASES,
    PLACE,
    REQUESTS,
    STATE,
    TILES,
    WALKWAYS,
)
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.game import Game, Setup
from storeys.kernel.messages import Message
from storeys.kernel.options import Choice
from storeys.kernel.reading import Place
from storeys.kernel.record import Records, lens

__all__ = ["GAME", "BestWalkways", "CloudCity", "best_walkways"]


class CloudCity(Game):
    """Cloud City for 1 to 4 players."""

    name = "cloud-city"
    rules_version = 1
    seats = (1, 2, 3, 4)
    default_players = 4
    options = (Choice("city", ("3x3", "3x4")), Requests(), Choice("edition", EDITIONS))
    phases = PHASES
    final_moves = ("draw", "end")
    final_rule = "C-R1"
    folder = Path(__file__).parent
    rules: ClassVar[ModuleType] = rules
    state_dtype = STATE
    actions = ACTIONS
    planes = PLANES

    def check_together(self, players: int, options: dict[str, Any]) -> dict[str, Any]:
        """C-22: four players have too few tiles for the rectangle city."""
        if players == 4 and options["city"] == "3x4":
            raise BadOption(Message("cloud-city.option.too-few"), "C-22")
        return options

    def variants(self) -> list[dict[str, Any]]:
        """Every number of players, city and edition, with two requests in turn."""
        cards = [card for pair in zip(REQUESTS, REQUESTS[5:] + REQUESTS[:5], strict=True)
                 for card in pair]  # fmt: skip
        alone = [card for card in REQUESTS if REQUESTS.index(card) not in (0, 1, 4, 5)]
        found = []
        for nth, (players, city, edition) in enumerate(
            product(self.seats, ("3x3", "3x4"), EDITIONS)
        ):
            if (players, city) == (4, "3x4"):
                continue
            pool = cards if players > 1 else alone
            first = 2 * (nth // 3) % len(pool)
            requests = [pool[first], pool[(first + 1) % len(pool)]]
            found.append(
                {"players": players, "city": city, "requests": requests, "edition": edition}
            )
        return [*found, *({"players": players} for players in self.seats)]

    def blank_state(self, setup: Setup) -> Records:
        """C-8, C-22, C-23: the size of the city, the edition and the request cards."""
        states = np.zeros(1, STATE)
        state = states[0]
        long_side = 4 if setup.options["city"] == "3x4" else 3
        state.players = setup.players
        state.long_side = long_side
        state.rounds = 3 * long_side - 1
        state.edition = EDITIONS.index(setup.options["edition"])
        state.requests[:] = NONE
        for nth, name in enumerate(setup.options["requests"]):
            state.requests[nth] = REQUESTS.index(name)
        return states

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state."""
        record = state[0]
        return {
            "city": f"3x{int(record.long_side)}",
            "requests": [REQUESTS[card] for card in record.requests.tolist() if card != NONE],
            "edition": EDITIONS[int(record.edition)],
        }

    def read_components(
        self, document: Place, problems: list[StoreysError]
    ) -> tuple[dict[str, Any], Records]:
        """C-1 … C-4."""
        return box.read_components(document, problems)

    def components_text(self, components: ComponentSet, lang: str) -> str:
        """Tiles and walkways."""
        return box.components_text(components.content, lang)

    def move_json(self, code: int, components: ComponentSet) -> dict[str, Any]:
        """The dict of a move code."""
        return moves.move_json(code, components)

    def move_text(self, code: int, components: ComponentSet) -> str:
        """The notation of a move code."""
        return moves.move_text(code, components)

    def read_move(self, move: str | Place, state: Records, components: ComponentSet) -> int:
        """The move code of a notation or a dict."""
        if isinstance(move, str):
            return moves.read_text(move, components)
        return moves.read_json(move, components)

    def refusal(
        self, state: Records, code: int, reason: int, components: ComponentSet
    ) -> tuple[str, Message]:
        """Why a move is not legal."""
        return refusals.explain(lens(state), code, reason, components)

    def move_label(self, code: int, seat: int, components: ComponentSet) -> Message:
        """A move as a person reads it."""
        return moves.move_label(code, seat, components)

    def prompt(self, state: Records) -> Message:
        """What to do now."""
        phase = state[0].phase
        if phase == PLACE:
            return Message("cloud-city.prompt.place")
        if phase == WALKWAYS:
            return Message("cloud-city.prompt.walkways")
        return Message("cloud-city.prompt.draw")

    def to_position(self, state: Records, components: ComponentSet) -> dict[str, Any]:
        """The game's own part of a position."""
        return positions.to_position(state, components)

    def from_position(self, position: Place, setup: Setup) -> Records:
        """The state of a position or a view."""
        states = self.blank_state(setup)
        positions.from_position(position, setup, states)
        return states

    def score_parts(
        self, state: Records, seat: int, components: ComponentSet
    ) -> list[dict[str, Any]]:
        """Every walkway and every request."""
        return parts.score_parts(state[0], components.tables[0], seat)

    def board_text(
        self, view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
    ) -> str:
        """The cities in the terminal."""
        return board.board_text(view, components, names, lang)

    def unseen(self, view: Mapping[str, Any], components: ComponentSet) -> list[Any]:
        """The tiles that are neither laid nor in the row nor in a hand one sees."""
        seen = {tile["tile"] for city in view["cities"] for tile in city["tiles"]}
        seen |= {*view["row"], *(tile for hand in view["hands"] for tile in hand)}
        tiles = components.content["tiles"]
        return [t["id"] for t in tiles if "start" not in t and t["id"] not in seen]

    def check_conserved(
        self,
        position: Mapping[str, Any],
        components: ComponentSet,
        moves: Sequence[Mapping[str, Any]],
    ) -> None:
        """48 tiles, two buildings on each, all walkways laid or in the supply."""
        laid = [tile["tile"] for city in position["cities"] for tile in city["tiles"]]
        loose = [*position["row"], *(tile for hand in position["hands"] for tile in hand)]
        assert len({*laid, *loose}) == len(laid) + len(loose), "a tile is in two places"
        unused_starts = 4 - position["players"]
        total = len(laid) + len(loose) + position["pile"] + unused_starts
        assert total == TILES, f"{total} tiles"
        for city in position["cities"]:
            assert len(city["buildings"]) == 2 * len(city["tiles"])
        built = Counter(
            (walkway["colour"], abs(walkway["to"][0] - walkway["from"][0])
             + abs(walkway["to"][1] - walkway["from"][1]))
            for city in position["cities"]
            for walkway in city["walkways"]
        )  # fmt: skip
        pieces = {entry["colour"]: entry["counts"] for entry in components.content["walkways"]}
        for colour in COLOURS:
            for length in range(1, 6):
                left = position["supply"][colour][length - 1]
                found = left + built[colour, length]
                expected = pieces[colour][length - 1]
                assert found == expected, f"{found} {colour} walkways of length {length}"


GAME = CloudCity()
