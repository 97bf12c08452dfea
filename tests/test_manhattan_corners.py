"""Corners of Manhattan's rules that play seldom reaches: each of these tests was missing once."""

import numpy as np
import pytest

import storeys
from storeys.kernel import entry_points
from tests.manhattan_positions import CITIES, position
from tests.mutants_jury import golden_record
from tests.test_manhattan_rules import JAMMED, Json, end_of_round, jammed, points, refusal

SIX_OF_EACH = {
    "game": "manhattan",
    "cards": [{"cell": cell, "copies": 5} for cell in range(1, 10)],
    "blocks": [{"storeys": size, "count": 6} for size in range(1, 5)],
}


@pytest.mark.rule("M-8")
@pytest.mark.parametrize(("players", "ways"), [(4, 84), (3, 35)])
def test_a_set_with_six_blocks_of_each_size_allows_every_pick(players: int, ways: int) -> None:
    """Six (or four) blocks of four sizes: nine over three ways, or seven over three."""
    match = storeys.new("manhattan", players=players, seed=1, components=SIX_OF_EACH)
    assert len(match.legal_moves) == ways
    sizes = 6 if players == 4 else 4
    match.push({"kind": "pick", "colour": match.to_move, "blocks": [0, 0, 0, sizes]})


@pytest.mark.rule("M-R1")
def test_a_block_of_four_storeys_that_fits_forbids_to_redraw() -> None:
    """Blue has five storeys on every b2 but cairo's, where it has four: red's four goes there."""
    towers = JAMMED | {"cairo b2": [("blue", 2), ("blue", 2)]}
    facts: Json = {"hands": {0: (5, 5, 5, 5)}, "picked": {"red": [1, 4]}}
    match = storeys.from_position(position(towers=towers, round=3, **facts))
    assert [str(move) for move in match.legal_moves] == ["build red 4 cairo b2"]
    assert refusal(match, "redraw").startswith("M-R1: you can build")


@pytest.mark.rule("M-R1")
def test_the_last_city_that_is_open_forbids_to_redraw() -> None:
    towers = {site: tower for site, tower in JAMMED.items() if not site.startswith("cairo")}
    facts: Json = {"hands": {0: (5, 5, 5, 5)}, "picked": {"red": [1, 4]}}
    match = storeys.from_position(position(towers=towers, round=3, **facts))
    assert {str(move) for move in match.legal_moves} == {
        "build red 1 cairo b2", "build red 4 cairo b2",
    }  # fmt: skip
    assert refusal(match, "redraw").startswith("M-R1: you can build")
    assert CITIES[-1] == "cairo"


@pytest.mark.rule("M-R1")
def test_the_fourth_card_alone_may_allow_to_build() -> None:
    match = storeys.from_position(jammed(hands={0: (5, 5, 5, 9)}))
    assert refusal(match, "forfeit red 4").startswith("M-R1: you can build")


@pytest.mark.rule("M-R1")
def test_a_redraw_is_noted_as_a_position_notes_it() -> None:
    match = storeys.from_position(jammed())
    match.push("redraw")
    again = storeys.from_position(match.position())
    assert (again.observe(0) == match.observe(0)).all()


@pytest.mark.rule("M-R1", "M-22")
def test_a_block_of_the_second_colour_is_given_up() -> None:
    start = position(
        players=2, towers=JAMMED, round=4, picked={"red": [1, 3], "green": [2, 4]},
        hands={0: (5, 5, 5, 5)}, discard=(0,) * 9, redrawn=True,
    )  # fmt: skip
    match = storeys.from_position(start)
    assert [str(move) for move in match.legal_moves] == [
        "forfeit red 1", "forfeit red 3", "forfeit green 2", "forfeit green 4",
    ]  # fmt: skip
    match.push("forfeit green 4")
    assert match.position()["picked"][0] == [1, 0, 1, 0]
    assert match.position()["picked"][2] == [0, 1, 0, 0]


# --- scoring


GREEN_HAS_THE_TALLEST = "hong-kong a1"


@pytest.mark.rule("M-20")
def test_the_last_seat_loses_a_tie_too() -> None:
    """Red has two cities with a tower each, yellow has Cairo: 10 + 6 and 13 + 3."""
    towers = {
        "sydney a1": [("red", 1)], "manhattan a1": [("red", 1)], "hong-kong a1": [("green", 4)],
    }  # fmt: skip
    facts = {"tiebreak": "towers", "round": 4, "scores": (10, 0, 0, 13)}
    match = end_of_round(towers, GREEN_HAS_THE_TALLEST, **facts)
    assert points(match) == [16, 0, 6, 16]
    assert match.winners == [0]


@pytest.mark.rule("M-20")
def test_the_last_city_breaks_a_tie_too() -> None:
    """Red has one city, yellow Frankfurt and Cairo: 13 + 3 and 10 + 6."""
    towers = {
        "sydney a1": [("red", 1)], "frankfurt a1": [("yellow", 1)],
        "hong-kong a1": [("green", 4)],
    }  # fmt: skip
    facts = {"tiebreak": "towers", "round": 4, "scores": (13, 0, 0, 10)}
    match = end_of_round(towers, GREEN_HAS_THE_TALLEST, **facts)
    assert points(match) == [16, 0, 6, 16]
    assert match.winners == [3]


@pytest.mark.rule("M-4", "M-17", "M-18")
def test_earlier_points_are_told_first_and_every_city_is_named() -> None:
    towers = {"frankfurt a1": [("yellow", 1)], "hong-kong a1": [("green", 4)]}
    match = end_of_round(towers, GREEN_HAS_THE_TALLEST, round=4, scores=(3, 0, 0, 20))
    parts = match.score()[3]["parts"]
    assert [(part["rule"], part.get("city")) for part in parts] == [
        ("M-4", None), ("M-17", 2), ("M-17", 5), ("M-18", None),
    ]  # fmt: skip


@pytest.mark.rule("M-16", "M-17", "M-18")
def test_the_towers_that_counted_are_told_by_city_and_cell() -> None:
    """Yellow has Frankfurt by its first site and Cairo by its last; green has the tallest."""
    towers = {"frankfurt a1": [("yellow", 1)], "hong-kong a1": [("green", 4)]}
    match = end_of_round(towers, GREEN_HAS_THE_TALLEST, round=4)
    told = [
        (part["rule"], part["sites"])
        for seat in (2, 3)
        for part in match.score()[seat]["parts"]
        if part["rule"] != "M-4"
    ]
    assert told == [
        ("M-16", [[3, 1]]), ("M-17", [[3, 1]]), ("M-18", [[3, 1]]),
        ("M-17", [[2, 1]]), ("M-17", [[5, 9]]), ("M-18", [[2, 1], [5, 9]]),
    ]  # fmt: skip


@pytest.mark.rule("M-18")
def test_every_round_is_told_once() -> None:
    match = storeys.load(golden_record("manhattan 4-shared-auto"))
    for seat in match.score():
        rounds = [part["round"] for part in seat["parts"] if part["rule"] == "M-18"]
        assert rounds == [1, 2, 3, 4]
        assert "M-4" not in {part["rule"] for part in seat["parts"]}


@pytest.mark.rule("M-22")
def test_the_points_of_two_colours_are_told_apart() -> None:
    match = storeys.load(golden_record("manhattan 2-shared-auto"))
    colours = [{part["colour"] for part in seat["parts"]} for seat in match.score()]
    assert colours == [{0, 2}, {1, 3}]


def test_totals_are_written_over_what_an_array_held() -> None:
    match = storeys.load(golden_record("manhattan 3-shared-auto"))
    totals, won = np.full(4, 7, np.int32), np.ones(4, np.bool_)
    entry_points.results(match.state(), match._tables, totals, won)
    # The fourth seat, which nobody has, has nothing.
    assert totals.tolist() == [*(seat["total"] for seat in match.score()), 0]
    assert np.flatnonzero(won[:3]).tolist() == match.winners


# --- what a move changes


@pytest.mark.rule("M-12", "M-17")
def test_a_preview_says_whose_tower_is_taken_over_and_who_leads_then() -> None:
    """Red builds a two on the first or the last site of a city; Frankfurt is empty."""
    towers = {
        "sydney a1": [("blue", 1)],
        "manhattan b1": [("yellow", 1)], "manhattan b2": [("yellow", 1)],
        "sao-paulo b2": [("red", 1)], "sao-paulo c3": [("blue", 1)],
        "cairo a1": [("red", 3)], "cairo c3": [("yellow", 2)],
    }  # fmt: skip
    facts: Json = {"picked": {"red": [2]}, "hands": {0: (1, 1, 9, 9)}}
    match = storeys.from_position(position(towers=towers, round=2, **facts))
    said = {
        site.removeprefix("build red 2 "): [
            *(badge.text() for badge in preview.badge),
            *(words.text() for words in preview.words),
            preview.becomes.text() if preview.becomes else "",
        ]
        for site, preview in match.previews().items()
        if "hong-kong" not in site
    }
    blues, yellows = (f"takes the tower over from {colour}" for colour in ("blue", "yellow"))
    assert said == {
        "sydney a1": ["takeover", "majority", blues, "majority in Sydney for red", "R 3"],
        "manhattan a1": ["R 2"],
        "frankfurt a1": ["majority", "majority in Frankfurt for red", "R 2"],
        "sao-paulo a1": ["majority", "majority in São Paulo for red", "R 2"],
        "cairo a1": ["R 5"],
        "sydney c3": ["tie", "nobody leads in Sydney any more", "R 2"],
        "manhattan c3": ["R 2"],
        "frankfurt c3": ["majority", "majority in Frankfurt for red", "R 2"],
        "sao-paulo c3": ["takeover", "majority", blues, "majority in São Paulo for red", "R 3"],
        "cairo c3": ["takeover", "majority", yellows, "majority in Cairo for red", "R 4"],
    }
