"""Manhattan's scoring: M-16 … M-20, as compiled functions and as parts that explain themselves."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from storeys.games.manhattan.moves import (
    city_label,
    colour_label,
    seat_of_colour,
    sign_label,
    site_label,
    towers_label,
)
from storeys.games.manhattan.state import CELLS, CITIES, NONE, OVER, SITES, State
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.gaining import Preview
from storeys.kernel.messages import Message
from storeys.kernel.record import IntArray, int64

TALLEST_POINTS, CITY_POINTS, TOWER_POINTS = 3, 2, 1
PREVIEWS_KEPT = 4096


@jitable
def tallest_tower(state: State) -> int:
    """M-16: the site of the single tallest tower, or NONE if several share the height."""
    best, site_of_best = 0, NONE
    for site in range(SITES):
        if state.height[site] > best:
            best, site_of_best = state.height[site], site
        elif state.height[site] == best:
            site_of_best = NONE
    return site_of_best


@jitable
def towers_in_city(state: State, city: int, colour: int) -> int:
    """How many towers of a city belong to a colour."""
    count = 0
    for site in range(city * CELLS, (city + 1) * CELLS):
        count += state.owner[site] == colour
    return count


@jitable
def city_majority(state: State, city: int) -> int:
    """M-17: the colour with more towers in the city than every other, or NONE."""
    best, leader = 0, NONE
    for colour in range(4):
        count = towers_in_city(state, city, colour)
        if count > best:
            best, leader = count, colour
        elif count == best:
            leader = NONE
    return leader


@jitable
def score_round(state: State) -> None:
    """M-16 to M-18: give the points of a round and note where they came from."""
    nth = state.round_no - 1
    site = tallest_tower(state)
    state.built[nth] = state.laid_count
    state.tallest[nth] = site
    if site != NONE:
        state.tallest_owner[nth] = state.owner[site]
        state.points[state.owner[site]] += TALLEST_POINTS
    for city in range(len(CITIES)):
        leader = city_majority(state, city)
        state.majority[nth, city] = leader
        if leader != NONE:
            state.points[leader] += CITY_POINTS
        for colour in range(4):
            count = towers_in_city(state, city, colour)
            state.towers[nth, colour] += count
            state.points[colour] += count * TOWER_POINTS
    state.scored += 1


@jitable
def score(state: State, tables: Any, out: IntArray) -> None:
    """M-22: a seat's result is the sum over its colours."""
    out[:] = 0
    for seat in range(state.players):
        out[seat] = seat_points(state, seat)


@jitable
def winners(state: State, tables: Any, out: IntArray) -> None:
    """M-19, and M-20 where the tie-break is by towers."""
    best = -1
    for seat in range(state.players):
        best = max(best, seat_points(state, seat))
    for seat in range(state.players):
        out[seat] = seat_points(state, seat) == best
    if state.by_towers == 1:
        break_tie(state, out)


@jitable
def seat_points(state: State, seat: int) -> int:
    """The points of a seat's colours."""
    points = int64(state.points[seat])
    if state.players == 2:
        points += int64(state.points[seat + 2])
    return points


@jitable
def break_tie(state: State, out: IntArray) -> None:
    """M-20: the tallest tower decides, then the most city majorities, on the board as it stands."""
    site = tallest_tower(state)
    if site != NONE:
        seat = seat_of_colour(state.players, state.owner[site])
        if out[seat]:
            out[:] = False
            out[seat] = True
            return
    most = 0
    for seat in range(state.players):
        if out[seat]:
            most = max(most, majorities_of_seat(state, seat))
    for seat in range(state.players):
        if majorities_of_seat(state, seat) < most:
            out[seat] = False


@jitable
def majorities_of_seat(state: State, seat: int) -> int:
    """In how many cities a colour of this seat leads."""
    count = 0
    for city in range(len(CITIES)):
        leader = city_majority(state, city)
        if leader != NONE and seat_of_colour(state.players, leader) == seat:
            count += 1
    return count


# --- what a move changes


def preview(
    before: State, after: Callable[[], State], move: Mapping[str, Any], components: ComponentSet
) -> Preview | None:
    """M-12, M-17: whose tower is taken over, how high it is, and who leads in the city then.

    The block on top owns the tower, so that nothing needs to be built to know.
    """
    city, cell = move["city"], move["cell"] - 1
    height = int(before.height[city * CELLS + cell]) + move["size"]
    return _preview_of(city, cell, _owners_in(before, city), move["colour"], height)


@functools.lru_cache(PREVIEWS_KEPT)
def _preview_of(city: int, cell: int, before: tuple[int, ...], colour: int, height: int) -> Preview:
    """What it changes that a colour's block is on top, where towers had these owners."""
    words = [message for message, _ in _effects(city, cell, before, colour)]
    badge = [Message(f"{one.id}.badge") for one in words]
    sign = sign_label(colour)
    return Preview(badge, words, Message("manhattan.preview.becomes", sign=sign, n=height))


def changes(
    before: State, move: Mapping[str, Any], components: ComponentSet
) -> tuple[Message, ...]:
    """M-12, M-17: what a block has taken from somebody: a tower, or the lead in the city."""
    city, cell = move["city"], move["cell"] - 1
    effects = _effects(city, cell, _owners_in(before, city), move["colour"])
    return tuple(message for message, takes in effects if takes)


def _owners_in(state: State, city: int) -> tuple[int, ...]:
    return tuple(state.owner[city * CELLS : (city + 1) * CELLS].tolist())


def _effects(
    city: int, cell: int, before: tuple[int, ...], colour: int
) -> Iterator[tuple[Message, bool]]:
    """What a block changes beside the tower's height, and whether that was somebody's."""
    owners = [*before]
    owner = owners[cell]
    if owner not in (NONE, colour):
        yield Message("manhattan.preview.takeover", colour=colour_label(owner)), True
    was = leader_of(owners)
    owners[cell] = colour
    leader = leader_of(owners)
    if leader != was:
        what = "tie" if leader == NONE else "majority"
        who = None if leader == NONE else colour_label(leader)
        words = Message(f"manhattan.preview.{what}", city=city_label(city), colour=who)
        yield words, was != NONE


def leader_of(owners: Sequence[int]) -> int:
    """M-17: the colour with more towers of a city than every other, by whose they are, or NONE."""
    counts = [owners.count(colour) for colour in range(4)]
    most = max(counts)
    return counts.index(most) if most and counts.count(most) == 1 else NONE


# --- explanations


def score_parts(state: State, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
    """Where a seat's points came from: round by round, with the sites and cities."""
    colours = [seat, seat + 2] if state.players == 2 else [seat]
    return [part for colour in colours for part in _parts_of_colour(state, colour)]


def _parts_of_colour(state: State, colour: int) -> list[dict[str, Any]]:
    end = int(state.round_no) + (int(state.phase) == OVER)
    rounds = range(end - int(state.scored), end)
    parts = [part for nth in rounds for part in _parts_of_round(state, colour, nth)]
    # A match that starts from a position does not know how its first points were made.
    earlier = int(state.points[colour]) - sum(part["points"] for part in parts)
    if earlier:
        parts.insert(0, _part("M-4", Message("manhattan.part.earlier"), earlier, colour))
    return parts


def _parts_of_round(state: State, colour: int, round_no: int) -> Iterator[dict[str, Any]]:
    """M-16 to M-18 of a round, each with the sites of the towers that counted then."""
    nth = round_no - 1
    laid = state.laid[: int(state.built[nth])].tolist()
    owners = {block >> 4: block >> 2 & 3 for block in laid}  # M-12: whose block came last
    own = [_city_and_cell(site) for site, owner in sorted(owners.items()) if owner == colour]
    if state.tallest_owner[nth] == colour:
        city, cell = site = _city_and_cell(int(state.tallest[nth]))
        label = Message("manhattan.part.tallest", site=site_label(city, cell - 1))
        yield _part("M-16", label, TALLEST_POINTS, colour, site=site, sites=[site], round=round_no)
    for city in range(len(CITIES)):
        if state.majority[nth, city] == colour:
            label = Message("manhattan.part.city", city=city_label(city))
            there = [site for site in own if site[0] == city]
            yield _part("M-17", label, CITY_POINTS, colour, city=city, sites=there, round=round_no)
    count = int(state.towers[nth, colour])
    if count:
        label, points = towers_label(colour, count), count * TOWER_POINTS
        yield _part("M-18", label, points, colour, towers=count, sites=own, round=round_no)


def _city_and_cell(site: int) -> list[int]:
    """A site as its city and its cell, the cells from 1."""
    return [site // CELLS, site % CELLS + 1]


def _part(rule: str, label: Message, points: int, colour: int, **facts: Any) -> dict[str, Any]:
    return {"rule": rule, "label": label, "points": points, "colour": colour, **facts}
