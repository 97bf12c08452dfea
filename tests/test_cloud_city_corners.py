"""Corners of Cloud City's rules that few matches come to, on cities that a person can check by eye.

Squares are named as in test_cloud_city_rules: the top left square of the start tile is g7.
"""

import copy
import itertools

import numpy as np
import pytest

import storeys
from storeys.games.cloud_city import rules
from storeys.games.cloud_city.state import TO_ABOVE, TO_BELOW, TO_LEFT, TO_RIGHT
from storeys.kernel import chance, entry_points
from storeys.kernel.tiles.grid import square_at
from tests.cloud_cities import BOX, COLOURS, points_of, position
from tests.test_cloud_city_rules import (
    BLUE_1,
    BLUE_2,
    GREEN_2,
    RING,
    RING_WALKWAYS,
    ROW_OF_BLUE,
    SAND_2,
    SAND_3,
    alone,
    finished,
    refusal,
    walkways_of,
)

# --- set-up


@pytest.mark.rule("C-6")
def test_a_set_may_name_its_start_tiles_first() -> None:
    box = copy.deepcopy(BOX)
    box["tiles"].sort(key=lambda tile: tile.get("start", 5))
    last = box["tiles"][-1]["id"]
    start = storeys.new("cloud-city", players=4, seed=1, components=box).position()
    assert [city["tiles"][0]["tile"] for city in start["cities"]] == ["bb8", "bg8", "bs8", "gs8"]
    assert start["pile"] == 44 - 12 - 3
    dealt = {
        tile
        for seed in range(20)
        for tile in storeys.new("cloud-city", 1, seed, components=box).position()["row"]
    }
    assert last in dealt


@pytest.mark.rule("C-6", "C-R3")
def test_nobody_knows_a_hand_that_was_just_dealt() -> None:
    state = storeys.new("cloud-city", players=3, seed=1).state()[0]
    assert not state["shown"].any()


# --- walkways


@pytest.mark.rule("C-13", "C-22")
@pytest.mark.parametrize(
    ("drawing", "goal", "distance"),
    [("S.B...S.\n.G.BGG.G", "k7", 6), ("S.B....S\n.G.BGGG.", "l7", 7)],
    ids=["six", "seven"],
)
def test_nothing_joins_two_buildings_with_only_lower_ones_between_too_far_apart(
    drawing: str, goal: str, distance: int
) -> None:
    match = alone(drawing, city="3x4")
    assert {move.split()[1] for move in walkways_of(match)} == {"green"}
    assert refusal(match, f"walkway sand e7 {goal}") == (
        f"C-13: the distance is {distance}; the longest walkway has 5"
    )


@pytest.mark.rule("C-16")
def test_a_building_of_its_colour_right_beside_either_end_is_between() -> None:
    first = alone("BBGB\n....\nB.  \n.B  ")
    assert refusal(first, "walkway blue g5 j5") == (
        "C-16: the blue building at h5 stands between them"
    )
    last = alone("B.BB\n.B..")
    assert refusal(last, "walkway blue g7 j7") == (
        "C-16: the blue building at i7 stands between them"
    )
    assert walkways_of(last) >= {"walkway blue g7 i7", "walkway blue i7 j7"}


@pytest.mark.rule("C-18")
def test_a_record_tells_from_where_walkways_come_to_a_building() -> None:
    # Two blue walkways leave i7, to the right and down.
    city = "B.B.BG\n.B.G..\n  B.  \n  .S  "
    match = alone(city, "blue 0,2 0,4", "blue 0,2 2,2", phase="draw")
    links = match.state()[0]["links"][0]
    assert links[square_at(0, 2)] == TO_RIGHT | TO_BELOW
    assert links[square_at(0, 4)] == TO_LEFT
    assert links[square_at(2, 2)] == TO_ABOVE


@pytest.mark.rule("C-13")
@pytest.mark.parametrize("city", ["3x3", "3x4"])
def test_no_walkway_is_looked_at_that_is_ruled_out(city: str) -> None:
    """By what a look at every building in both directions finds after each tile."""
    rng, kinds = chance.generator(3), set()
    match = storeys.new("cloud-city", players=3, seed=2, city=city)
    while match.to_move is not None:
        seat, was_placing = match.to_move, match.phase == "place"
        match.push(match.random_move(rng))
        if was_placing:
            state = match.state()[0]
            lengths = {
                2 * nth + direction: int(rules.walkway_length(state, seat, square, direction))
                for nth, square in enumerate(state.building[seat, : 2 * state.laid_count[seat]])
                for direction in range(2)
            }
            assert state.open_walkways[seat] == sum(1 << bit for bit in lengths if lengths[bit] > 0)
            bits = int(np.bitwise_or.reduce(state.waiting[seat], axis=None))
            waiting = {bit for bit in lengths if bits >> bit & 1}
            gaps = {bit for bit in lengths if lengths[bit] == -rules.GAP}
            assert gaps <= waiting
            # The building of one that waited may have got two others since.
            assert {lengths[bit] for bit in waiting - gaps} <= {-rules.TWO_ALREADY}
            kinds |= set(lengths.values())
    assert len(kinds) >= 8


# --- draw


@pytest.mark.rule("C-11")
def test_a_turn_without_anything_to_draw_just_ends() -> None:
    # No set of 48 tiles gets there, so row and pile are taken away in the record.
    match = storeys.from_position(position(["B.BB\n.B..", "B.\n.G"]))
    match.push("walkway blue g7 i7")
    state = match.state()
    state["row_size"], state["pile_size"] = 0, 0
    match._bytes[:] = state.tobytes()
    assert [str(move) for move in match.legal_moves] == ["walkway blue i7 j7", "end"]
    assert str(match.move_of(match.action_of("end"))) == "end"
    match.push("end")
    assert (match.to_move, match.phase) == (1, "place")
    assert [len(hand) for hand in match.position()["hands"]] == [2, 3]


@pytest.mark.rule("C-11")
def test_no_walkway_is_kept_open_after_the_draw() -> None:
    match = alone(ROW_OF_BLUE)
    assert [move.kind for move in match.legal_moves].count("walkway") == 2
    match.push("draw pile")
    assert {move.kind for move in match.legal_moves} == {"place"}


@pytest.mark.rule("C-R3")
def test_worlds_that_a_seat_may_be_in_differ_in_what_it_cannot_see() -> None:
    view = storeys.new("cloud-city", players=2, seed=1).view(0)
    worlds = [storeys.from_position(view, seed=seed).position() for seed in range(5)]
    assert all(world["hands"][0] == view["hands"][0] for world in worlds)
    others = {tuple(world["hands"][1]) for world in worlds}
    assert len(others) == 5
    assert all(tile for hand in others for tile in hand)


# --- scoring


@pytest.mark.rule("C-41")
@pytest.mark.parametrize("edition", ["en", "de", "nl"])
def test_what_starts_below_a_walkway_does_not_cross_it(edition: str) -> None:
    # Sand passes over the green building from which a green walkway goes down.
    match = alone(
        "B.BS\n.B..\nS.GS\n.G..\nBBG.\n...G", "sand 2,0 2,3", "green 2,2 4,2",
        requests=["crossed-walkways"], edition=edition,
    )  # fmt: skip
    assert points_of(match)["C-37"] == 0


@pytest.mark.rule("C-21", "C-23")
def test_sand_decides_when_requests_have_made_up_for_it() -> None:
    # Six for the most blue buildings against six on sand walkways; neither has river or forest.
    match = finished((), (SAND_2, SAND_3, "sand 2,4 2,5"), requests=["blue-buildings"])
    assert [seat["total"] for seat in match.score()] == [6, 6]
    assert match.winners == [1]


@pytest.mark.rule("C-21", "C-38")
def test_who_loses_least_wins() -> None:
    match = finished((BLUE_2,), (), requests=["solo-buildings"])
    assert [seat["total"] for seat in match.score()] == [2 - 2 * 16, -2 * 18]
    assert match.winners == [0]


@pytest.mark.rule("C-31")
def test_routes_are_told_in_the_order_of_their_first_walkways() -> None:
    match = finished((BLUE_2, GREEN_2, BLUE_1), (), requests=["separate-routes"])
    routes = match.score()[0]["parts"][-1]["routes"]
    assert [[walkway["colour"] for walkway in route] for route in routes] == [
        ["blue", "blue"], ["green"],
    ]  # fmt: skip
    assert match.score()[0]["parts"][-1]["count"] == 2


@pytest.mark.rule("C-30")
def test_what_the_most_valuable_route_is_worth() -> None:
    match = finished((BLUE_2, BLUE_1), (GREEN_2, SAND_3), requests=["valuable-route"])
    assert [seat["parts"][-1]["count"] for seat in match.score()] == [3, 2]


@pytest.mark.rule("C-30", "C-40")
def test_without_any_walkway_nobody_has_the_most_valuable_route() -> None:
    match = finished((), (), requests=["valuable-route"])
    assert [points_of(match, seat)["C-30"] for seat in range(2)] == [0, 0]


@pytest.mark.rule("C-39")
def test_a_city_is_balanced_once() -> None:
    drawing = "S..SB.G.\nS..S.B.G\nS..S.G.B\nS..S.G.B\nS..SB..G\n.SS..BG."
    walkways = [*(f"sand {row},0 {row},3" for row in range(5)), "blue 0,4 4,4", "green 0,6 5,6"]
    match = alone(drawing, *walkways, city="3x4", requests=["balanced"])
    assert match.score()[0]["parts"][-1]["count"] == 1


@pytest.mark.rule("C-21")
def test_a_score_does_not_build_on_what_was_written_before() -> None:
    match = finished((BLUE_2,), (SAND_3,))
    totals, won = np.full(2, 7, np.int32), np.zeros(2, bool)
    entry_points.results(match.state(), match._tables, totals, won)
    assert totals.tolist() == [2, 3]


@pytest.mark.rule("C-33")
@pytest.mark.parametrize("gap", range(4))
def test_a_ring_with_a_gap_anywhere_is_no_circuit(gap: int) -> None:
    walkways = RING_WALKWAYS[:gap] + RING_WALKWAYS[gap + 1 :]
    assert points_of(alone(RING, *walkways, requests=["circuits"]))["C-33"] == 0


@pytest.mark.rule("C-37", "C-41")
@pytest.mark.parametrize(("edition", "points"), [("en", -4), ("de", -2), ("nl", -2)])
@pytest.mark.parametrize(("row", "column"), list(itertools.permutations("BGS", 2)))
def test_walkways_of_any_two_colours_cross(
    row: str, column: str, edition: str, points: int
) -> None:
    # One along the second row, one along the second column, with nothing where they meet.
    drawing = f".{column}S.\n{row}..{row}\nS.SS\n.{column}..\nB.  \n.B  "
    walkways = (f"{COLOURS[row]} 1,0 1,3", f"{COLOURS[column]} 0,1 3,1")
    match = alone(drawing, *walkways, requests=["crossed-walkways"], edition=edition)
    assert points_of(match)["C-37"] == points


# --- random moves


def check_all_are_found(match: storeys.Match) -> None:
    rng = chance.generator(1)
    state, tables = match.state()[0], match._tables[0]
    legal = set(np.flatnonzero(match.action_mask()).tolist())
    assert {int(rules.sample(state, tables, rng)) for _ in range(10 * len(legal))} == legal


@pytest.mark.rule("C-7")
def test_random_moves_lay_every_tile_in_every_turn() -> None:
    # The tile in the middle looks the same after half a turn.
    check_all_are_found(alone("B.\n.B", phase="place", hands={0: ["bg1", "bb5", "gs1"]}))


@pytest.mark.rule("C-10", "C-11")
def test_random_moves_build_every_walkway_and_draw_every_tile() -> None:
    check_all_are_found(alone(ROW_OF_BLUE))
