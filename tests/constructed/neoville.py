"""Positions of Neoville: cities around holes, of which one terrain has more than its share.

A city grows tile by tile around a courtyard, a place that is left free.  A plan says where around
it the terrain shall lie, in how many arcs, and which of them shall be guarded by a skyscraper; each
tile is the one of a few that suits it best without joining guarded districts (N-12).  Then a piece
may be built on it.  The seat to move gets its city first, while there is a choice of everything.
"""

import random
from dataclasses import dataclass
from typing import Any

import storeys
from tests import referee_neoville as referee
from tests.constructed.comparing import Trial
from tests.constructed.tiles import (
    Draft,
    Place,
    Progress,
    before_last_places,
    deal_rest,
    growth,
    near_city,
    some_draw,
    some_holes,
    some_progress,
    some_window,
)

COMPONENTS = storeys.components("neoville")
BOX = referee.Box(COMPONENTS)
EQUITY = {number: str(tile) for tile, number in BOX.equity_numbers.items()}
ORDINARY = [str(tile) for tile in BOX.looks if tile not in BOX.equity_numbers]
TERRAINS = sorted(BOX.skyscrapers)
SPARSE, DENSE, FULL = 0.05, 0.7, 1.0
MOST_TAKEN_BACK = 12
"""How often pieces are taken back for a tie."""


@dataclass
class Table:
    """What all seats take from: tiles and pieces; and what this position is rich in."""

    rng: random.Random
    progress: Progress
    draft: Draft
    skyscrapers: dict[str, list[int]]
    utilities: list[str]
    building: float
    """How often a piece is built on a new tile."""
    guarding: float
    """How often it is a skyscraper, if one may stand there; always where the plan wants one."""


class Plan:
    """A terrain in arcs around a courtyard: which squares of its ring have it, and which guards.

    In a closed courtyard it lies on all sides but at no corner, guarded everywhere, so that any
    tile that has it joins two districts (N-12); else one arc may be bare of skyscrapers.
    """

    def __init__(self, rng: random.Random, courtyard: Place) -> None:
        self.terrain = rng.choice(TERRAINS)
        self.closed = rng.random() < 0.25
        ring = _ring(courtyard)
        corners = rng.sample(range(4), 0 if self.closed else rng.choice((0, 1, 1, 2, 3)))
        # A corner, then the two squares of a side, four times.
        has = [nth // 3 in corners if nth % 3 == 0 else self._covers(rng) for nth in range(12)]
        self.wanted = dict(zip(ring, has, strict=True))
        arcs = _arcs(ring, has)
        bare = max(arcs, key=len) if arcs and not self.closed and rng.random() < 0.8 else []
        self.bare = set(bare)

    def _covers(self, rng: random.Random) -> bool:
        return self.closed or rng.random() < 0.9

    def suits(self, grounds: referee.Landscape) -> float:
        """How well a tile keeps to the plan; elsewhere the terrain only gets in the way."""
        return sum(
            (1.0 if square in self.wanted else 0.2)
            * ((ground.terrain == self.terrain) == self.wanted.get(square, False))
            - 0.1 * (ground.symbol is not None)
            for square, ground in grounds.items()
        )


def _ring(place: Place) -> list[referee.Square]:
    """The squares around a place, clockwise from the top left corner."""
    top, left = 2 * place[0] - 1, 2 * place[1] - 1
    along = [(top, left), (top, left + 1), (top, left + 2)]
    down = [(top, left + 3), (top + 1, left + 3), (top + 2, left + 3)]
    back = [(top + 3, left + 3), (top + 3, left + 2), (top + 3, left + 1)]
    return [*along, *down, *back, (top + 3, left), (top + 2, left), (top + 1, left)]


def _arcs(ring: list[referee.Square], has: list[bool]) -> list[list[referee.Square]]:
    """The runs of squares that have the terrain, the ring being closed."""
    start = has.index(False) if False in has else 0
    arcs: list[list[referee.Square]] = [[]]
    for at in (*range(start, len(ring)), *range(start)):
        if has[at]:
            arcs[-1].append(ring[at])
        elif arcs[-1]:
            arcs.append([])
    return [arc for arc in arcs if arc]


class City:
    """A city under construction, with what its squares show and where skyscrapers stand."""

    def __init__(self, table: Table, seat: int) -> None:
        self.table, self.rng = table, table.rng
        self.tiles: list[dict[str, Any]] = []
        self.pieces: list[dict[str, Any]] = []
        self.covered: referee.Landscape = {}
        self.guards: set[referee.Square] = set()
        self.is_movers = seat == table.progress.to_move
        turns = table.progress.turns_begun(seat)
        window = some_window(self.rng, referee.SIDE, referee.SIDE)
        holes = some_holes(self.rng, window, len(window) - turns)
        self.plan = Plan(self.rng, holes[0] if holes else (0, 0))
        self.order = growth(self.rng, window, holes, turns)

    def as_json(self) -> dict[str, Any]:
        """The city as positions have it."""
        return {"tiles": list(self.tiles), "pieces": list(self.pieces)}

    def grow(self, equity: str | None) -> None:
        """All tiles, the equity tile somewhere among them, each with its piece but the newest."""
        at = self.rng.randrange(len(self.order)) if equity else -1
        for nth, place in enumerate(self.order):
            self._lay(self._harmless(place, [equity] if nth == at and equity else self._some()))
            if self.plan.closed or self.rng.random() < self.table.building:
                self._build()

    def _some(self) -> list[str]:
        pool = self.table.draft.pool
        return self.rng.sample(pool, min(len(pool), 24 if self.is_movers else 4))

    def _harmless(self, place: Place, tiles: list[str]) -> dict[str, Any]:
        """The tile that suits the plan best and joins no guarded districts."""
        ways = [
            {"tile": tile, "row": place[0], "col": place[1], "turn": turn}
            for tile in tiles
            for turn in referee.turns_that_differ(tile, BOX)
        ]
        self.rng.shuffle(ways)
        ways.sort(key=lambda way: self.plan.suits(referee.grounds_of_tile(way, BOX)), reverse=True)
        # Now and then the hand of that turn left no other way.
        forced = self.rng.random() < 0.02
        return next((way for way in ways if self._joins(way) == forced), ways[0])

    def _joins(self, way: dict[str, Any]) -> bool:
        """N-12: two guards that stand in different districts would stand in one."""
        if len(self.guards) < 2:
            return False
        new = referee.grounds_of_tile(way, BOX)
        after = self.covered | new
        for square in new:
            met = list(referee.district_around(square, after) & self.guards)
            if met and not set(met) <= referee.district_around(met[0], self.covered):
                return True
        return False

    def _lay(self, way: dict[str, Any]) -> None:
        if way["tile"] in self.table.draft.pool:
            self.table.draft.take(way["tile"])
        self.tiles.append(way)
        self.covered |= referee.grounds_of_tile(way, BOX)

    def _build(self) -> None:
        """N-13 … N-15: a skyscraper where one may stand, or a utility."""
        grounds = referee.grounds_of_tile(self.tiles[-1], BOX)
        free = [square for square, ground in grounds.items() if ground.symbol is None]
        unguarded = [
            square
            for square in free
            if self.table.skyscrapers[grounds[square].terrain]
            and not referee.district_around(square, self.covered) & (self.guards | self.plan.bare)
        ]
        planned = [square for square in unguarded if self.plan.wanted.get(square)]
        if planned or (unguarded and self.rng.random() < self.table.guarding):
            self._put_skyscraper(self.rng.choice(planned or unguarded))
        elif free and self.table.utilities and self.rng.random() < 0.7:
            beside_others = [square for square in free if self._has_utility_near(square)]
            self._put_utility(self.rng.choice(beside_others or free))

    def _has_utility_near(self, square: referee.Square) -> bool:
        """N-21: two biospheres of one district are worth looking at."""
        district = referee.district_around(square, self.covered)
        built = {(p["row"], p["col"]) for p in self.pieces if p["kind"] == "utility"}
        return bool(district & built)

    def _put_skyscraper(self, square: referee.Square) -> None:
        terrain = self.covered[square].terrain
        value = self.rng.choice(self.table.skyscrapers[terrain])
        self.table.skyscrapers[terrain].remove(value)
        self._put({"kind": "skyscraper", "terrain": terrain, "value": value}, square)
        self.guards.add(square)

    def _put_utility(self, square: referee.Square) -> None:
        utility = self.rng.choice(self.table.utilities)
        self.table.utilities.remove(utility)
        self._put({"kind": "utility", "utility": utility}, square)

    def _put(self, piece: dict[str, Any], square: referee.Square) -> None:
        self.pieces.append(piece | {"row": square[0], "col": square[1]})

    def take_back_new_piece(self) -> None:
        """The turn has not come to building yet."""
        place = (self.tiles[-1]["row"], self.tiles[-1]["col"])
        if self.pieces and (self.pieces[-1]["row"] // 2, self.pieces[-1]["col"] // 2) == place:
            self.take_back(len(self.pieces) - 1)

    def take_back(self, nth: int) -> None:
        """A piece was never built; nothing that was built after it needs it."""
        piece = self.pieces.pop(nth)
        if piece["kind"] == "utility":
            self.table.utilities.append(piece["utility"])
        else:
            self.table.skyscrapers[piece["terrain"]].append(piece["value"])


def make(rng: random.Random) -> dict[str, Any]:
    """A position of Neoville."""
    players = rng.choice((1, 2, 2, 2, 3, 3, 4))
    some = rng.choice((before_last_places, some_progress))
    progress = some(rng, players, referee.ROUNDS)
    kinds = rng.choice(referee.PAIRS_OF_KINDS)
    table = _some_table(rng, progress, kinds)
    cities = [City(table, seat) for seat in range(players)]
    holders = [progress.turns_begun(seat) == 0 or rng.random() < 0.15 for seat in range(players)]
    if progress.to_move is None:
        holders = [rng.random() < 0.1 for _ in cities]
    mover = progress.to_move or 0
    for seat in sorted(range(players), key=lambda seat: seat != mover):
        cities[seat].grow(None if holders[seat] else EQUITY[seat + 1])
    if progress.to_move is not None and progress.laid and rng.random() < 0.7:
        cities[mover].take_back_new_piece()
    if progress.to_move is None and players > 1 and rng.random() < 0.7:
        _tie(cities, in_pieces=rng.random() < 0.5)
    hands = [[EQUITY[seat + 1]] if holders[seat] else [] for seat in range(players)]
    if not progress.laid:
        hands[mover] += _hand_for(table, cities[mover].plan, 3 - len(hands[mover]))
    position = {
        "game": "neoville",
        "players": players,
        **progress.as_json(),
        "seed": str(rng.getrandbits(32)),
        "options": {"utilities": kinds},
        "cities": [city.as_json() for city in cities],
        **deal_rest(rng, progress, table.draft, hands, set(EQUITY.values())),
        "skyscrapers": {terrain: sorted(left) for terrain, left in table.skyscrapers.items()},
        "utilities": [name for name in BOX.utilities if name in table.utilities],
    }
    if progress.to_move is not None and progress.laid:
        position["phase"] = referee.phase_after_laying(position, BOX)
    return position | {"scores": referee.totals(position, BOX)}


def _some_table(rng: random.Random, progress: Progress, kinds: list[str]) -> Table:
    """N-8 … N-10: the supply of so many players, and the tiles shuffled."""
    players = progress.players
    number = referee.UTILITIES_OF_A_KIND[players]
    left_out = referee.VALUES_LEFT_OUT[players]
    return Table(
        rng,
        progress,
        Draft(rng.sample(ORDINARY, len(ORDINARY)), 4, len(ORDINARY) - 4 - 2 * players),
        {
            terrain: [value for value in values if value not in left_out]
            for terrain, values in BOX.skyscrapers.items()
        },
        [name for kind in kinds for name in rng.sample(_utilities(kind), number)],
        building=rng.choice(
            (SPARSE, DENSE, DENSE, FULL, FULL)
            if progress.to_move is not None
            else (0, SPARSE, 0.3, DENSE, FULL)
        ),
        guarding=rng.choice((0.3, DENSE, DENSE, FULL)),
    )


def _utilities(kind: str) -> list[str]:
    return [str(name) for name, utility in BOX.utilities.items() if utility["kind"] == kind]


def _tie(cities: list[City], in_pieces: bool) -> None:
    """N-23: take pieces of the two best cities back until these are equal, or nearly so.

    Those that are equal in points may have to be equal in pieces too: then they share the win.
    """
    rng = cities[0].rng
    for _ in range(MOST_TAKEN_BACK):
        position = {"players": len(cities), "cities": [city.as_json() for city in cities]}
        totals = referee.totals(position, BOX)
        best, second = sorted(range(len(cities)), key=lambda seat: -totals[seat])[:2]
        ones, others = (_totals_without(position, seat, totals[seat]) for seat in (best, second))
        ways = [(one, other) for one in ones for other in others if (one, other) != (None, None)]
        more = len(cities[best].pieces) - len(cities[second].pieces)
        if not ways or (totals[best] == totals[second] and not (in_pieces and more)):
            return
        rng.shuffle(ways)
        nearest = min(
            ways,
            key=lambda way: (
                in_pieces and abs(more - (way[0] is not None) + (way[1] is not None)),
                abs(ones[way[0]] - others[way[1]]),
            ),
        )
        for seat, nth in zip((best, second), nearest, strict=True):
            if nth is not None:
                cities[seat].take_back(nth)


def _totals_without(position: dict[str, Any], seat: int, total: int) -> dict[int | None, int]:
    """What a city counts, and without each of its pieces; what others count is the same then."""
    found: dict[int | None, int] = {None: total}
    city = position["cities"][seat]
    for nth in range(len(city["pieces"])):
        fewer = city | {"pieces": [*city["pieces"][:nth], *city["pieces"][nth + 1 :]]}
        cities = [*position["cities"][:seat], fewer, *position["cities"][seat + 1 :]]
        found[nth] = sum(referee.parts(position | {"cities": cities}, seat, BOX).values())
    return found


def _hand_for(table: Table, plan: Plan, most: int) -> list[str]:
    """Tiles with the terrain on two squares that do not touch, or only tiles that have it."""
    rng, pool, terrain = table.rng, table.draft.pool, plan.terrain
    if not plan.closed:
        found = [tile for tile in pool if _is_diagonal(tile, terrain)]
        chosen = rng.sample(found, min(len(found), most, rng.randint(0, 2)))
    else:
        found = [t for t in pool if any(g.terrain == terrain for row in BOX.looks[t] for g in row)]
        chosen = rng.sample(found, min(len(found), most))
    return [table.draft.take(tile) for tile in chosen]


def _is_diagonal(tile: str, terrain: str) -> bool:
    (a, b), (c, d) = BOX.looks[tile]
    here = [ground.terrain == terrain for ground in (a, b, c, d)]
    return here in ([True, False, False, True], [False, True, True, False])


# Moves


def some_move(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A placement of a hand tile, a piece of the box on the new tile, a draw; or worse."""
    seat = position["to_move"] or 0
    city = position["cities"][seat]
    usual = {"place": "place", "build": "piece", "draw": "draw", "over": "place"}
    kind = rng.choice(["place", "piece", "draw", *6 * [usual[position["phase"]]]])
    if kind == "draw":
        return some_draw(rng, 4)
    if kind == "place":
        hand = position["hands"][seat]
        free = referee.places_to_grow(city)
        row, col = rng.choice(free) if free and rng.random() < 0.6 else near_city(rng, city)
        tile = rng.choice(hand if rng.random() < 0.9 else list(BOX.looks))
        return {"kind": "place", "tile": tile, "row": row, "col": col, "turn": rng.randrange(4)}
    return _some_piece(position, city, rng)


def _some_piece(
    position: dict[str, Any], city: dict[str, Any], rng: random.Random
) -> dict[str, Any]:
    """On the new tile, or on another square near the city."""
    if city["tiles"] and rng.random() < 0.8:
        place = city["tiles"][-1]["row"], city["tiles"][-1]["col"]
    else:
        place = near_city(rng, city)
    square = {"row": 2 * place[0] + rng.randrange(2), "col": 2 * place[1] + rng.randrange(2)}
    if rng.random() < 0.3:
        left = position["utilities"]
        utility = rng.choice(left if left and rng.random() < 0.7 else list(BOX.utilities))
        return {"kind": "utility", "utility": utility} | square
    terrain = rng.choice(TERRAINS)
    left = position["skyscrapers"][terrain]
    value = rng.choice(left if left and rng.random() < 0.7 else BOX.skyscrapers[terrain])
    return {"kind": "skyscraper", "terrain": terrain, "value": value} | square


def prefer_skyscrapers(legal: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Cities with many skyscrapers meet the rule of joined districts more often."""
    skyscrapers = [move for move in legal if move["kind"] == "skyscraper"]
    return skyscrapers if skyscrapers and rng.random() < 0.8 else legal


# Scores


def score_differences(match: storeys.Match) -> list[str]:
    """What a score explains is what the referee counts, rule by rule."""
    position, found = match.position(), []
    for seat, score in enumerate(match.score()):
        wanted = referee.parts(position, seat, BOX)
        explained = dict.fromkeys(wanted, 0)
        for part in score["parts"]:
            # N-18 is about skyscrapers, N-23 breaks a tie without points.
            rule = {"N-18": "N-17", "N-23": "N-22"}.get(part["rule"], part["rule"])
            explained[rule] += part["points"]
        if explained != wanted or score["total"] != sum(wanted.values()):
            found.append(
                f"score of seat {seat}: {wanted} for the referee, {score['total']} {explained}"
            )
    return found


NEOVILLE = Trial(
    name="neoville",
    make=make,
    legal_moves=lambda position: referee.legal_moves(position, BOX),
    broken_rules=lambda position, move: referee.broken_rules(position, move, BOX),
    expected_after=lambda position, move: referee.expected_after(position, move, BOX),
    agrees=referee.agrees,
    box_is_whole=lambda position: referee.box_is_whole(position, BOX),
    winners=lambda position: referee.winners(position, BOX),
    score_differences=score_differences,
    some_move=some_move,
    preferred=prefer_skyscrapers,
)
