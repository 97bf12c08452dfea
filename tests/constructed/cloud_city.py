"""Positions of Cloud City: cities around holes, with so many walkways that they block each other.

A city grows tile by tile around its holes.  Then its walkways are built in a random order, those of
some lengths first, and a few are left out.  Tiles laid later never come between two buildings, so
it does not matter in which turn each was built.
"""

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import storeys
from tests import referee_cloud_city as referee
from tests.constructed.comparing import Trial
from tests.constructed.tiles import (
    Draft,
    Progress,
    deal_rest,
    growth,
    near_city,
    some_draw,
    some_holes,
    some_progress,
    some_window,
)

BOX = referee.Box(storeys.components("cloud-city"))
STARTS = {number: tile for tile, number in BOX.start_numbers.items()}
ORDINARY = [str(tile) for tile in BOX.squares if tile not in BOX.start_numbers]
COLOURS = list(BOX.pieces)
COMPARING = ("valuable-route", "separate-routes", "blue-buildings", "green-buildings")


@dataclass
class Table:
    """What all seats take from, and what the cities of this position are like."""

    rng: random.Random
    progress: Progress
    draft: Draft
    supply: dict[str, list[int]]
    size: tuple[int, int]
    colour: str
    """The colour that most tiles shall have."""
    density: float
    """How many of the walkways that may be built are."""
    rich: int | None
    """The seat whose tiles are laid for long walkways."""
    lengths: list[int]
    """Walkways of which length are built first, which next; of those not named as they come."""


def make(rng: random.Random) -> dict[str, Any]:
    """A position of Cloud City."""
    options = _some_options(rng)
    players = rng.choice((1, 2, 2, 3, 3, 4) if options["city"] == "3x3" else (1, 2, 3))
    options["requests"] = _some_requests(rng, players)
    progress = some_progress(rng, players, referee.ROUNDS[options["city"]])
    table = _some_table(rng, progress, options)
    cities = [_tiles_of(table, seat) for seat in range(players)]
    # Who builds last finds little left in the supply.
    for seat in rng.sample(range(players), players):
        _build_walkways(table, cities[seat])
    position = {
        "game": "cloud-city",
        "players": players,
        **progress.as_json(),
        "seed": str(rng.getrandbits(32)),
        "options": options,
        "cities": cities,
        **deal_rest(rng, progress, table.draft, [[] for _ in cities], set()),
        "supply": table.supply,
        "requests": options["requests"],
    }
    if progress.to_move is None and rng.random() < 0.5:
        _tie(rng, position)
    if progress.to_move is not None and progress.laid:
        position["phase"] = referee.phase_after_laying(position, BOX)
    return position | {"scores": referee.totals(position, BOX)}


def _some_options(rng: random.Random) -> dict[str, Any]:
    city, edition = rng.choice(("3x3", "3x3", "3x4")), rng.choice(("en", "de", "nl"))
    return {"city": city, "requests": [], "edition": edition}


def _some_requests(rng: random.Random, players: int) -> list[str]:
    """C-23, C-R2: none, one or two, in the order of the cards."""
    names = [n for n in referee.REQUEST_RULES if players > 1 or n not in COMPARING]
    chosen = rng.sample(names, rng.choice((0, 1, 2, 2, 2)))
    return sorted(chosen, key=names.index)


def _some_table(rng: random.Random, progress: Progress, options: dict[str, Any]) -> Table:
    table = Table(
        rng,
        progress,
        Draft(rng.sample(ORDINARY, len(ORDINARY)), 3, len(ORDINARY) - 3 - 3 * progress.players),
        {colour: list(counts) for colour, counts in BOX.pieces.items()},
        size=rng.choice(referee.TARGETS[options["city"]]),
        colour=rng.choice(COLOURS),
        density=rng.choice((0.1, 0.6, 0.9, 0.95, 1.0)),
        rich=None,
        lengths=rng.choice(([5, 4, 3, 2, 1], [1, 2, 3, 4, 5], [3, 5, 4], [5, 3, 4], [])),
    )
    if "balanced" in options["requests"] or rng.random() < 0.3:
        table.rich = rng.randrange(progress.players)
        table.density = rng.choice((0.8, 0.9, 1.0))
        table.lengths = rng.choice(([5, 4, 3], [4, 5, 3], [3, 5, 4]))
    return table


def _tiles_of(table: Table, seat: int) -> dict[str, Any]:
    """C-6, C-7, C-9: the start tile, then the others with their buildings."""
    rng, turns = table.rng, table.progress.turns_begun(seat)
    window = some_window(rng, *table.size)
    holes = some_holes(rng, window, len(window) - turns - 1)
    city: dict[str, Any] = {"tiles": [], "buildings": [], "walkways": []}
    order = growth(rng, window, holes, turns + 1)
    _lay(city, {"tile": STARTS[seat + 1], "row": 0, "col": 0, "turn": 0})
    for row, col in order[1:]:
        ways: list[dict[str, Any]] = [
            {"tile": tile, "row": row, "col": col, "turn": turn}
            for tile, turn in _some_looks(table)
        ]
        way = max(ways, key=lambda way: _promise(city, way)) if seat == table.rich else ways[0]
        _lay(city, way)
        table.draft.take(way["tile"])
    return city


def _lay(city: dict[str, Any], way: dict[str, Any]) -> None:
    """C-9: a tile with its buildings."""
    city["tiles"].append(way)
    squares = referee.turned(BOX.squares[way["tile"]], way["turn"])
    city["buildings"] += referee.buildings_of_tile(squares, (way["row"], way["col"]))


def _some_looks(table: Table) -> list[tuple[str, int]]:
    """A few tiles with their turns, first those with most buildings of the colour."""
    few = table.rng.sample(table.draft.pool, min(6, len(table.draft.pool)))
    few.sort(key=lambda tile: -sum(line.count(table.colour) for line in BOX.squares[tile]))
    turns = table.rng.sample(range(4), 4)
    looks = [
        (tile, referee.smallest_turn(BOX.squares[tile], turn)) for tile in few for turn in turns
    ]
    return list(dict.fromkeys(looks))


def _promise(city: dict[str, Any], way: dict[str, Any]) -> int:
    """C-39: how much a tile does for a balanced city, with lines of all lengths above 2."""
    grown = {"tiles": list(city["tiles"]), "buildings": list(city["buildings"])}
    _lay(grown, way)
    nearest: dict[tuple[referee.Square, bool], int] = {}
    for line in referee.straight_lines(grown):
        key, length = (line.start, line.start[0] == line.end[0]), referee.length(line)
        nearest[key] = min(length, nearest.get(key, length))
    lengths = Counter(nearest.values())
    return lengths[3] + 2 * min(lengths[4], 2) + 2 * min(lengths[5], 2)


def _build_walkways(table: Table, city: dict[str, Any]) -> None:
    """C-13 … C-19: every line that may be built in its turn, but for a few."""
    lines = referee.straight_lines(city)
    table.rng.shuffle(lines)
    lines.sort(key=lambda line: [referee.length(line) != length for length in table.lengths])
    for line in lines:
        against = referee.rules_against_walkway(line, city, table.supply, BOX)
        if not against and table.rng.random() < table.density:
            table.supply[line.colour][referee.length(line) - 1] -= 1
            city["walkways"].append(referee.as_dict(line))


def _tie(rng: random.Random, position: dict[str, Any]) -> None:
    """C-21: the leader builds fewer walkways until somebody else is as good, or better."""
    totals = referee.totals(position, BOX)
    while totals.count(max(totals)) == 1:
        leader = position["cities"][totals.index(max(totals))]
        if not leader["walkways"]:
            return
        gone = leader["walkways"].pop(rng.randrange(len(leader["walkways"])))
        (row, col), (to_row, to_col) = gone["from"], gone["to"]
        position["supply"][gone["colour"]][to_row - row + to_col - col - 1] += 1
        totals = referee.totals(position, BOX)


# Moves


def some_move(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A placement of a hand tile, a walkway from building to building, a draw; or worse."""
    seat = position["to_move"] or 0
    city = position["cities"][seat]
    usual = {"place": "place", "walkways": "walkway", "draw": "walkway", "over": "place"}
    kind = rng.choice(["place", "walkway", "draw", *6 * [usual[position["phase"]]]])
    if kind == "draw":
        return some_draw(rng, 3)
    if kind == "walkway":
        return _some_walkway(city, rng)
    free = referee.places_to_grow(city, position["options"]["city"])
    row, col = rng.choice(free) if free and rng.random() < 0.3 else near_city(rng, city)
    tile = rng.choice(position["hands"][seat] if rng.random() < 0.9 else list(BOX.squares))
    return {"kind": "place", "tile": tile, "row": row, "col": col, "turn": rng.randrange(4)}


def _some_walkway(city: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Mostly between two buildings of a colour in one line, named from either end."""
    lines = referee.straight_lines(city)
    one, other = rng.choices(city["buildings"], k=2)
    ends = [[one["row"], one["col"]], [other["row"], other["col"]]]
    walkway = {"colour": one["colour"], "from": ends[0], "to": ends[1]}
    if lines and rng.random() < 0.85:
        walkway = referee.as_dict(rng.choice(lines))
    if rng.random() < 0.05:
        walkway["colour"] = rng.choice(COLOURS)
    if rng.random() < 0.05:
        row, col = walkway["to"]
        walkway["to"] = [row, min(max(col + rng.choice((-1, 1)), -6), 7)]  # what a move can name
    if rng.random() < 0.3:
        walkway["from"], walkway["to"] = walkway["to"], walkway["from"]
    return {"kind": "walkway", **walkway}


def prefer_walkways(legal: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Cities with many walkways meet more rules than random ones."""
    walkways = [move for move in legal if move["kind"] == "walkway"]
    return walkways if walkways and rng.random() < 0.8 else legal


# Scores


def score_differences(match: storeys.Match) -> list[str]:
    """What a score explains is what the referee counts, rule by rule."""
    position, found = match.position(), []
    for seat, score in enumerate(match.score()):
        wanted = referee.parts(position, seat, BOX)
        explained = dict.fromkeys(wanted, 0)
        for part in score["parts"]:
            explained[part["rule"]] += part["points"]
        if explained != wanted or score["total"] != sum(wanted.values()):
            found.append(f"seat {seat} has {score['total']}, {explained}, not {wanted}")
    return found


CLOUD_CITY = Trial(
    name="cloud-city",
    make=make,
    legal_moves=lambda position: referee.legal_moves(position, BOX),
    broken_rules=lambda position, move: referee.broken_rules(position, move, BOX),
    expected_after=lambda position, move: referee.expected_after(position, move, BOX),
    agrees=referee.agrees,
    box_is_whole=lambda position: referee.box_is_whole(position, BOX),
    winners=lambda position: referee.winners(position, BOX),
    score_differences=score_differences,
    some_move=some_move,
    preferred=prefer_walkways,
)
