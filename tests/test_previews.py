"""What a page says of a move beside its points is what making it shows."""

import random
from collections import Counter
from typing import Any

import pytest

import storeys
from storeys.match import Match

MATCHES = [
    ("manhattan", {"players": 2}),
    ("manhattan", {"players": 4}),
    ("neoville", {"players": 2}),
]
EVERY = 5
"""In every so manieth position all moves are made."""


def leader(towers: list[list[list[int]]]) -> int | None:
    """The colour with the most towers of a city, by the towers alone."""
    counts = Counter(tower[-1][0] for tower in towers if tower).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def manhattan_says(match: Match, after: Match, move: dict[str, Any]) -> list[str]:
    """What a badge has to say of a move of Manhattan."""
    if move["kind"] != "build":
        return []
    before, then = (one.position()["towers"][move["city"]] for one in (match, after))
    tower, found = before[move["cell"] - 1], []
    if tower and tower[-1][0] != move["colour"]:
        found.append("takeover")
    if leader(before) != leader(then):
        found.append("tie" if leader(then) is None else "majority")
    return found


BROKEN = "cannot end up", "should be", "too large", "mirror image", "another shape"
"""What is said of promises that nothing can keep any more."""


def neoville_says(match: Match, after: Match, move: dict[str, Any]) -> list[str]:
    """What a badge has to say of a move of Neoville: the piece's part of the score says it too."""
    if move["kind"] not in ("skyscraper", "utility"):
        return []
    assert match.to_move is not None
    parts = after.score()[match.to_move]["parts"]
    part = [one for one in parts if one.get("kind")][-1]
    utilities = match.setup.components.content["utilities"]
    worth = move.get("value") or next(
        one["points"] for one in utilities if one["id"] == move["utility"]
    )
    if part["points"] == worth:
        return []
    if any(words in part["label"] for words in BROKEN):
        return [f"−{worth}"]
    missing, of = part.get("missing", 0), f" {part['terrain']}" if "terrain" in part else ""
    return [str(worth), *([f"needs {missing} more{of}"] if missing else [])]


SAYS = {"manhattan": manhattan_says, "neoville": neoville_says}


@pytest.mark.parametrize(("name", "options"), MATCHES, ids=str)
def test_a_preview_is_what_making_the_move_shows(name: str, options: dict[str, Any]) -> None:
    match, rng, seen = storeys.new(name, seed=3, **options), random.Random(3), Counter[str]()
    while match.to_move is not None:
        if match.moves_made % EVERY == 0:
            previews = match.previews()
            for move in match.legal_moves:
                after = match.clone()
                after.push(move)
                preview = previews.get(str(move))
                told = [line.text() for line in preview.badge] if preview else []
                assert told == SAYS[name](match, after, move.to_json()), str(move)
                seen.update(told)
        match.push(rng.choice(match.legal_moves))
    assert len(seen) > 2, "too little was said"


def test_a_ghost_says_whose_tower_it_is_then_and_how_high() -> None:
    """M-12: the colour on top owns the tower, which is as high as all its blocks."""
    match, rng, heights = storeys.new("manhattan", players=2, seed=4), random.Random(4), set[int]()
    while match.to_move is not None:
        for notation, preview in match.previews().items():
            after = match.clone()
            after.push(notation)
            move = next(one for one in match.legal_moves if str(one) == notation).to_json()
            tower = after.position()["towers"][move["city"]][move["cell"] - 1]
            height = sum(size for _, size in tower)
            assert preview.becomes is not None
            assert preview.becomes.text() == f"{'RBGY'[tower[-1][0]]} {height}"
            heights.add(height)
            break
        match.push(rng.choice(match.legal_moves))
    assert max(heights) > 4


def test_a_skyscraper_on_an_empty_city_says_what_it_needs() -> None:
    match = storeys.new("neoville", players=2, seed=1)
    match.push(match.legal_moves[0])
    said = {words.text() for one in match.previews().values() for words in one.words}
    assert any(one.startswith("12, needs 1") for one in said), said
    badges = {tuple(line.text() for line in one.badge) for one in match.previews().values()}
    assert ("12", "needs 11 more earth") in badges, badges


@pytest.mark.rule("N-20")
@pytest.mark.parametrize(
    ("turn", "said"), [(0, "must end up"), (6, "cannot end up"), (12, "should be")]
)
def test_a_windmill_says_what_it_costs_once_it_cannot_stand_there(turn: int, said: str) -> None:
    """Nothing is settled at first, much is later, and all once the city is as wide as it gets."""
    found = windmills_after(turn)
    signs = {badge[0] == "−" for badge, words in found if said in words}
    assert signs == {said != "must end up"}


def windmills_after(turn: int) -> list[tuple[str, str]]:
    """What is said of windmills that can be built after some turns, over several matches."""
    found = []
    for seed in range(8):
        match = storeys.new("neoville", players=1, utilities=["bus", "windmill"], seed=seed)
        rng = random.Random(seed)
        while match.round <= turn or match.phase == "place":
            match.push(rng.choice([m for m in match.legal_moves if m.kind != "utility"]))
        names = {str(move) for move in match.legal_moves if move.kind == "utility"}
        found += [
            (preview.badge[0].text(), preview.words[0].text())
            for name, preview in match.previews().items()
            if name in names
        ]
    return found
