"""Neoville: lay a city of terrains, and build skyscrapers and utilities that keep their promise."""

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import Any, ClassVar

from storeys.games.neoville import board, box, moves, parts, picture, positions, refusals, rules
from storeys.games.neoville import state as layout
from storeys.games.neoville.observation import OBSERVATION
from storeys.games.neoville.scoring import FOR_THE_MOST, seat_points
from storeys.games.neoville.state import KINDS, ROUNDS, TERRAINS, VALUES, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.errors import BadOption
from storeys.kernel.levels import Levels
from storeys.kernel.messages import Message
from storeys.kernel.options import Draw, Several
from storeys.kernel.reading import listing, short
from storeys.kernel.record import Records
from storeys.kernel.searching import SearchSettings
from storeys.kernel.setup import Setup
from storeys.kernel.tiles.cities import OVER
from storeys.kernel.tiles.game import TileGame
from storeys.kernel.verbs import Rules

IN_PLAY = 2  # kinds of utilities
CITY = ("terrain", "content", "piece", "piece_count", "district", "district_size", "box")
"""What a city is to those who count it."""


class Utilities:
    """N-9: two of the three kinds by name, or None for two at random."""

    name = "utilities"
    default = None
    values: tuple[Any, ...] = tuple(map(list, combinations(KINDS, IN_PLAY)))
    several = Several(KINDS, IN_PLAY, (None,), "neoville.kind")
    form = "random | KIND,KIND"

    def draw(self, value: Any, players: int) -> Draw | None:
        """Two of the kinds."""
        return Draw(KINDS, IN_PLAY) if value is None else None

    def settle(self, value: Any, players: int, seed: int) -> list[str]:
        """The two kinds, in the order of the rules page."""
        if drawn := self.draw(value, players):
            return drawn.from_seed(seed)
        chosen = list(value) if isinstance(value, list | tuple) else [value]
        kinds = [kind for kind in KINDS if kind in chosen]
        if len(chosen) != IN_PLAY or len(kinds) != IN_PLAY:
            facts = {"found": short(value), "known": listing(KINDS)}
            raise BadOption(Message("neoville.option.two", **facts), "N-9")
        return kinds


class Neoville(TileGame):
    """Neoville for 1 to 4 players."""

    name = "neoville"
    rules_version = 2
    options = (Utilities(),)
    phases = layout.PHASES
    final_rule = "N-R1"
    search = SearchSettings(endings=2, twins=False, rounds=5, own=True, scale=10.0)
    numbered = box.EQUITY
    rules: ClassVar[Rules] = rules
    notation = moves.NOTATION
    state_dtype = layout.STATE
    actions = layout.ACTIONS
    observation = OBSERVATION
    levels = Levels(blurs=(0.9, 0.67, 0.4), simulations=64)

    read_components = staticmethod(box.read_components)
    components_text = staticmethod(board.TERMINAL.components_text)
    refusal = staticmethod(refusals.explain)
    move_label = staticmethod(moves.label)
    to_position = staticmethod(positions.to_position)
    from_position = staticmethod(positions.from_position)
    score_parts = staticmethod(parts.score_parts)
    seat_points = staticmethod(seat_points)
    board_text = staticmethod(board.TERMINAL.board_text)
    scene = staticmethod(picture.scene)
    picks = staticmethod(picture.picks)
    put = staticmethod(picture.put)
    previewed_moves = ("skyscraper", "utility")
    preview = staticmethod(parts.preview)
    changing_moves = ("place",)
    changes = staticmethod(parts.changes)
    promises = True

    def write_options(self, state: State, setup: Setup) -> None:
        """N-9: the two kinds of utilities."""
        state.rounds = ROUNDS
        state.kinds[:] = [kind in setup.options["utilities"] for kind in KINDS]

    def score_key(self, state: State, seat: int) -> Hashable | None:
        """N-17 … N-22: a seat's own city, and everybody's grounds; N-23, once over, all."""
        if state.phase == OVER:
            return None
        counts = zip(*state.grounds[: state.players].tolist(), strict=True)
        grounds = tuple((one[seat], max(one), *map(max(one).__eq__, one)) for one in counts)
        return grounds, *(getattr(state, name)[seat].tobytes() for name in CITY)

    def most_moves(self, setup: Setup) -> int:
        """N-11, N-13, N-16: a tile, at most a piece, and a draw a turn."""
        return 3 * ROUNDS * setup.players

    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """N-13, N-17 … N-22: a piece a turn brings or costs its points; and both majorities."""
        utilities = setup.components.content["utilities"]
        dearest = max([*VALUES, *(utility["points"] for utility in utilities)])
        return -ROUNDS * dearest, ROUNDS * dearest + 2 * FOR_THE_MOST

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state."""
        in_play = state["kinds"][0]
        return {"utilities": [kind for kind, used in zip(KINDS, in_play, strict=True) if used]}

    def check_pieces(self, position: Mapping[str, Any], components: ComponentSet) -> None:
        """N-8, N-9: every skyscraper and utility is in the supply or in one city."""
        for city in position["cities"]:
            assert len(city["pieces"]) <= len(city["tiles"])
        pieces = [piece for city in position["cities"] for piece in city["pieces"]]
        left_out, due = {1: ((5, 7), 5), 2: ((5, 7), 5), 3: ((7,), 6), 4: ((), 7)}[
            position["players"]
        ]
        for terrain in TERRAINS:
            built = [p["value"] for p in pieces if p.get("terrain") == terrain]
            found = sorted(built + position["skyscrapers"][terrain])
            assert found == [v for v in VALUES if v not in left_out], f"{terrain}: {found}"
        built_utilities = [piece["utility"] for piece in pieces if "utility" in piece]
        utilities = [*position["utilities"], *built_utilities]
        assert len(set(utilities)) == len(utilities), "a utility is in two places"
        kinds = Counter(moves.utility_named(u, components)["kind"] for u in utilities)
        assert kinds == dict.fromkeys(position["options"]["utilities"], due)


GAME = Neoville()
