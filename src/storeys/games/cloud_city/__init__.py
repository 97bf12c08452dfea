"""Cloud City: lay tiles with two buildings each, and join what is of one colour by walkways."""

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any, ClassVar

from storeys.games.cloud_city import board, box, moves, parts, picture, positions, refusals, rules
from storeys.games.cloud_city import state as layout
from storeys.games.cloud_city.analysis import BestWalkways, best_walkways
from storeys.games.cloud_city.observation import OBSERVATION
from storeys.games.cloud_city.options import Requests, request_title
from storeys.games.cloud_city.state import COMPARING, EDITIONS, MOST_REQUESTS, NONE, REQUESTS, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Card
from storeys.kernel.levels import Levels
from storeys.kernel.messages import Message
from storeys.kernel.options import Choice
from storeys.kernel.record import Records
from storeys.kernel.searching import SearchSettings
from storeys.kernel.setup import Setup
from storeys.kernel.tiles.game import TileGame
from storeys.kernel.verbs import Rules

FIRST_REQUEST_RULE = 30
"""The rules of the requests are numbered in their order from here."""
__all__ = ["GAME", "BestWalkways", "CloudCity", "best_walkways"]


class CloudCity(TileGame):
    """Cloud City for 1 to 4 players."""

    name = "cloud-city"
    rules_version = 1
    options = (Choice("city", ("3x3", "3x4")), Requests(), Choice("edition", EDITIONS))
    phases = layout.PHASES
    final_rule = "C-R1"
    search = SearchSettings(endings=2, twins=False, rounds=4, own=True, scale=6.0)
    numbered = box.START
    rules: ClassVar[Rules] = rules
    notation = moves.NOTATION
    state_dtype = layout.STATE
    actions = layout.ACTIONS
    observation = OBSERVATION
    levels = Levels(blurs=(1.05, 0.85, 0.5), simulations=24)

    read_components = staticmethod(box.read_components)
    components_text = staticmethod(board.TERMINAL.components_text)
    refusal = staticmethod(refusals.explain)
    move_label = staticmethod(moves.label)
    to_position = staticmethod(positions.to_position)
    from_position = staticmethod(positions.from_position)
    score_parts = staticmethod(parts.score_parts)
    board_text = staticmethod(board.TERMINAL.board_text)
    scene = staticmethod(picture.scene)
    picks = staticmethod(picture.picks)
    put = staticmethod(picture.put)
    lit = staticmethod(picture.lit)

    def cards(self, options: Mapping[str, Any]) -> list[Card]:
        """C-23: the request cards of a match, or all of them, in the edition that is played."""
        edition = options.get("edition", EDITIONS[0])
        chosen = options.get("requests", REQUESTS)
        return [
            Card(
                request_title(name, {"edition": edition}),
                Message(f"cloud-city.card.{name}.{edition}"),
                f"C-{FIRST_REQUEST_RULE + nth}",
            )
            for nth, name in enumerate(REQUESTS)
            if name in chosen
        ]

    def check_together(self, players: int, options: dict[str, Any]) -> dict[str, Any]:
        """C-22: four players have too few tiles for the rectangle city; C-R2: requests alone."""
        Requests.check_alone(players, options)
        if players == 4 and options["city"] == "3x4":
            large, small = (Message(f"cloud-city.option.city.{city}") for city in ("3x4", "3x3"))
            raise BadOption(Message("cloud-city.option.too-few", city=large, other=small), "C-22")
        return options

    def variants(self) -> list[dict[str, Any]]:
        """Every number of players, city and edition, with two requests in turn."""
        alone = [name for card, name in enumerate(REQUESTS) if card not in COMPARING]
        others = zip(REQUESTS[2:7], REQUESTS[7:] + REQUESTS[:2], strict=True)
        pairs = [alone[:2], alone[2:4], *others]
        sizes = [*product(self.seats, ("3x3", "3x4"))][:-1]  # C-22: four have no rectangle
        found: list[dict[str, Any]] = [
            {"players": players, "city": city, "requests": list(requests), "edition": edition}
            for (players, city), requests in zip(sizes, pairs, strict=True)
            for edition in EDITIONS
        ]
        return [*found, *({"players": players} for players in self.seats)]

    def write_options(self, state: State, setup: Setup) -> None:
        """C-8, C-22, C-23: the size of the city, the edition and the request cards."""
        state.long_side = int(setup.options["city"].removeprefix("3x"))
        state.rounds = 3 * state.long_side - 1
        state.edition = EDITIONS.index(setup.options["edition"])
        cards = [REQUESTS.index(name) for name in setup.options["requests"]]
        state.requests[:] = [*cards, NONE, NONE][:MOST_REQUESTS]

    def score_key(self, state: Any, seat: int) -> Hashable | None:
        """C-21: a seat's own walkways; C-23: a request looks at whole cities, and compares them."""
        if (state.requests != NONE).any():
            return None
        return state.walkway_count[seat].tobytes(), state.walkway[seat].tobytes()

    def may_gain(self, states: Records, kind: str) -> bool:
        """C-21: walkways bring votes, buildings only where a request counts them."""
        return kind != "place" or bool((states["requests"][0] != NONE).any())

    def most_moves(self, setup: Setup) -> int:
        """C-7, C-10, C-11, C-18: two moves a turn, and at most a walkway for each building."""
        rounds = int(self.blank_state(setup)[0].rounds)
        return setup.players * (2 * rounds + 2 * (rounds + 1))

    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """C-18, C-21: a walkway for each building; C-36, C-37: two for each building or crossing.

        No request brings more than 2 votes for each building, and none costs more than 2 for each
        crossing (of half of the walkways with the other half) and 2 for each building.
        """
        walkways = buildings = 2 * (int(self.blank_state(setup)[0].rounds) + 1)
        requests = len(setup.options["requests"])
        votes = walkways * max(setup.components.content["votes"])
        lowest = 2 * (walkways // 2) ** 2 + 2 * buildings
        return -requests * lowest, votes + requests * 2 * buildings

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state."""
        record = state[0]
        return {
            "city": f"3x{int(record.long_side)}",
            "requests": [REQUESTS[card] for card in record.requests.tolist() if card != NONE],
            "edition": EDITIONS[int(record.edition)],
        }

    def check_pieces(self, position: Mapping[str, Any], components: ComponentSet) -> None:
        """Two buildings on each tile, all walkways laid or in the supply."""
        for city in position["cities"]:
            assert len(city["buildings"]) == 2 * len(city["tiles"])
        walkways = [walkway for city in position["cities"] for walkway in city["walkways"]]
        built = Counter((walkway["colour"], picture.length_of(walkway)) for walkway in walkways)
        for entry in components.content["walkways"]:
            colour = entry["colour"]
            for length, due in enumerate(entry["counts"], 1):
                found = position["supply"][colour][length - 1] + built[colour, length]
                assert found == due, f"{found} {colour} walkways of length {length}"


GAME = CloudCity()
