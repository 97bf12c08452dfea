"""Pictures: sound SVG, everything pickable, nothing hidden in them, the same for the same view."""

import io
import itertools
import json
import random
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import storeys
from storeys import BadOption
from storeys.arena import playouts
from storeys.games.manhattan.art import CELL
from storeys.games.manhattan.board import played_by_cell
from storeys.games.neoville import picture
from storeys.kernel.drawing.scene import VIEWS, make_look
from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.messages import Message, figure
from storeys.kernel.tiles.ground import Ground
from storeys.kernel.tiles.picture import plan, window_of
from storeys.registry import get_game
from storeys.terminal import show_board, show_scores
from storeys.web.states import when_scored
from tests.manhattan_positions import position

SVG = "{http://www.w3.org/2000/svg}"
KNOWN_TAGS = {
    "svg", "g", "defs", "use", "rect", "circle", "ellipse", "polygon", "path", "text", "line",
    "linearGradient", "stop", "title", "tspan",
}  # fmt: skip
GAMES = storeys.game_names()
CROWN = "l4 5l4-7l4 7l4-5v11h-16z"


def halfway(game: str, players: int, seed: int = 3, **options: Any) -> storeys.Match:
    match = playouts(game, 1, players=players, seed=seed, **options).match(0)
    return match.at(match.moves_made * 2 // 3)


def parsed(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_sound_svg_for_a_strict_policy(game: str, theme: str, view: str) -> None:
    for players in get_game(game).seats:
        for seat in (None, 0):
            svg = halfway(game, players).svg(seat, view=view, theme=theme, turn=1, prefix="pic")
            elements = parsed(svg)
            assert {element.tag.removeprefix(SVG) for element in elements} <= KNOWN_TAGS
            names = {name for element in elements for name in element.attrib}
            assert "style" not in names
            assert not [name for name in names if name.startswith("on")]
            assert "url(" not in svg or "url(#pic-" in svg


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("game", GAMES)
def test_ids_are_the_pictures_own(game: str, view: str) -> None:
    match = halfway(game, 2)
    elements = parsed(match.svg(0, view=view, prefix="pic"))
    ids = [element.attrib["id"] for element in elements if "id" in element.attrib]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith("pic-") for name in ids)
    used = {element.attrib["href"] for element in elements if "href" in element.attrib}
    assert used <= {f"#{name}" for name in ids}
    one, two = match.svg(0, view=view), match.svg(0, view=view)
    found = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (one, two)]
    assert not found[0] & found[1]


@pytest.mark.parametrize("game", GAMES)
def test_areas_have_stable_names(game: str) -> None:
    for view in VIEWS:
        svg = halfway(game, 2).svg(0, view=view, prefix="pic")
        names = set(re.findall(r' id="pic-([^"]+)"', svg))
        assert {"city-0", "city-1", "hand", "scores"} <= names


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_everything_that_a_move_needs_can_be_picked(game: str, players: int) -> None:
    rng = random.Random(f"{game}{players}")
    match = storeys.new(game, players=players, seed=rng.getrandbits(60))
    while match.to_move is not None:
        if rng.random() < 0.25:
            svg = match.svg(match.to_move)
            for choice in match.choices():
                for key, value in choice["picks"].items():
                    # A turn is not picked in the picture: who lays a tile turns it.
                    assert key == "turn" or f'data-pick-{key}="{value}"' in svg, choice
        match.push(rng.choice(match.legal_moves))


@pytest.mark.parametrize("game", GAMES)
def test_choices_tell_the_moves_apart(game: str) -> None:
    match = halfway(game, 3)
    choices = match.choices("de")
    assert [choice["move"] for choice in choices] == [str(move) for move in match.legal_moves]
    assert len({str(sorted(choice["picks"].items())) for choice in choices}) == len(choices)
    assert all(choice["label"] for choice in choices)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("game", GAMES)
def test_what_can_be_picked_is_spoken_and_reached(game: str, view: str) -> None:
    for lang in ("en", "de", "nl"):
        for element in parsed(halfway(game, 3).svg(0, view=view, lang=lang)):
            if any(name.startswith("data-pick-") for name in element.attrib):
                assert element.attrib["role"] == "button"
                assert element.attrib["tabindex"] == "0"
                assert element.attrib["aria-label"].strip()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("game", GAMES)
def test_only_what_the_seat_may_see_is_drawn(game: str, view: str) -> None:
    """Worlds that differ in what is hidden from a seat give it the same bytes."""
    match = halfway(game, 3)
    for seat in (0, 1, 2, None):
        seen = match.svg(seat, view=view, prefix="pic")
        positions = set()
        for seed in range(3):
            world = storeys.from_position(match.view(seat), seed=seed, names=match.names)
            positions.add(str(world.position()["hands"]))
            assert world.svg(seat, view=view, prefix="pic") == seen
        assert len(positions) > 1, "nothing was hidden, so nothing was tested"


@pytest.mark.parametrize("game", GAMES)
def test_names_are_escaped(game: str) -> None:
    names = ["<b>&\"'", "Zoë"]
    svg = storeys.new(game, players=2, seed=1, names=names).svg(0, prefix="pic")
    texts = [element.text for element in parsed(svg) if element.text]
    assert any(names[0] in found for found in texts)
    assert any(names[1] in found for found in texts)


@pytest.mark.parametrize("game", GAMES)
def test_an_earlier_position_and_the_notebook(game: str) -> None:
    match = halfway(game, 2)
    assert match.svg(1, ply=3, prefix="pic") == match.at(3).svg(1, prefix="pic")
    assert match._repr_svg_().startswith("<svg ")
    assert match.moves_made > 3


@pytest.mark.parametrize("game", GAMES)
def test_four_directions_and_three_languages(game: str) -> None:
    match = halfway(game, 2)
    turned = {match.svg(None, view="skyline", turn=turn, prefix="pic") for turn in range(4)}
    assert len(turned) == 4
    assert match.svg(None, view="skyline", turn=4, prefix="p") == match.svg(
        None, view="skyline", prefix="p"
    )
    assert len({match.svg(0, lang=lang, prefix="pic") for lang in ("en", "de", "nl")}) == 3


@pytest.mark.parametrize("game", GAMES)
def test_a_highlight_is_lit(game: str) -> None:
    match = halfway(game, 2)
    lit = THEMES["light"].lit
    where = (0, 4) if game == "manhattan" else (0, 0, 0)
    for view in VIEWS:
        plain, marked = (match.svg(None, view=view, highlight=h, prefix="p") for h in ((), [where]))
        assert marked.count(lit) > plain.count(lit)


@pytest.mark.parametrize("game", GAMES)
def test_a_cache_draws_only_what_has_changed(game: str) -> None:
    match = halfway(game, 2)
    cache: dict[Any, Any] = {}
    assert match.svg(0, prefix="p", cache=cache) == match.svg(0, prefix="p")
    areas = len(cache)
    match.svg(0, prefix="q", cache=cache)
    assert len(cache) == areas
    match.push(match.legal_moves[0])
    assert match.svg(0, prefix="p", cache=cache) == match.svg(0, prefix="p")
    assert areas < len(cache) < 2 * areas


def with_other_names(game: str) -> dict[str, Any]:
    """A set of one's own with the tiles of ours, most of which have each other's names."""
    box: dict[str, Any] = json.loads(json.dumps(storeys.components(game)))
    plain = [tile for tile in box["tiles"] if not {"start", "equity"} & set(tile)]
    squares = [tile["squares"] for tile in plain]
    for tile in plain:
        tile["squares"] = squares.pop()
    return box


def test_one_cache_serves_all_games_sets_editions_and_looks() -> None:
    """Whatever was drawn before, a picture is the one that is drawn without a cache."""
    setups: list[tuple[str, dict[str, Any]]] = [(game, {}) for game in GAMES]
    for game in ("cloud-city", "neoville"):
        setups.append((game, {"components": with_other_names(game)}))
    setups += [
        ("cloud-city", {"edition": edition, "requests": ["valuable-route"], "city": city})
        for edition in ("en", "de", "nl")
        for city in ("3x3", "3x4")
    ]
    cache: dict[Any, Any] = {}
    for game, options in setups:
        match = storeys.new(game, players=2, seed=5, **options)
        for _ in range(7):
            for seat, view in ((None, "plan"), (0, "plan"), (1, "skyline")):
                how: Any = {"view": view, "prefix": "p", "lang": "nl" if seat else "en"}
                assert match.svg(seat, cache=cache, **how) == match.svg(seat, **how)
            match.push(match.legal_moves[0])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"view": "side"}, "the option view cannot be “side”; choose one of plan, skyline"),
        ({"theme": "pink"}, "the option theme cannot be “pink”; choose one of light, dark"),
        ({"turn": 0.5}, "a picture is turned by whole quarter turns, not 0.5"),
        ({"ply": 999}, "the record has 0 moves; there is no move 999"),
        ({"seat": 7}, "there is no seat 7; seats go from 0 to 1"),
    ],
)
def test_what_cannot_be_drawn(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises((BadOption, storeys.StoreysError)) as caught:
        storeys.new("neoville", players=2, seed=1).svg(**wrong)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("game", GAMES)
def test_only_winners_wear_a_crown(game: str) -> None:
    """Also where a tie was broken: the picture asks the rules who has won."""
    over = playouts(game, 400, players=2, seed=9)
    tied = [n for n in range(400) if over.scores[n, 0] == over.scores[n, 1]]
    for nth in [*tied[:4], 0, 1]:
        match = over.match(nth)
        crowned = match.svg(None).count(CROWN) - match.at(match.moves_made - 1).svg(None).count(
            CROWN
        )
        assert crowned == len(match.winners)


# --- numbers that people read


@pytest.mark.parametrize("view", VIEWS)
def test_neovilles_pieces_say_what_they_promise_and_what_a_bus_counts(view: str) -> None:
    match, rng = (
        storeys.new("neoville", players=2, seed=3, utilities=["bus", "windmill"]),
        random.Random(3),
    )
    counted = set[int]()
    while match.to_move is not None:
        buses = [move for move in match.legal_moves if str(move).startswith("utility bus")]
        match.push(rng.choice(buses or match.legal_moves))
    drawn = match.svg(0, view=view)
    for part in (part for score in match.score() for part in score["parts"] if "kind" in part):
        name = part["label"].split(" on ")[0]
        tips = re.findall(
            rf'data-tip="[a-p]\d+: {re.escape(name)}(?: in its row[^:]*)?:[^"]*"', drawn
        )
        assert tips, name
        worth = abs(part["points"]) or part.get("value")
        assert worth is None or all(f": {worth} points if" in one for one in tips)
        if "bus" in part.get("utility", ""):
            assert any(one.endswith(f'; there now: {part["count"]}"') for one in tips), part
            counted.add(part["count"])
    assert len(counted) > 1


@pytest.mark.parametrize("lang", ["en", "de", "nl"])
def test_negative_numbers_have_a_minus_sign_wherever_people_read_them(lang: str) -> None:
    match = halfway("neoville", 2)
    assert min(match.totals) < 0
    console = Console(record=True, width=200, file=io.StringIO())
    show_board(console, match, 0, lang)
    show_scores(console, match, lang)
    read = [element.text or "" for element in parsed(match.svg(0, lang=lang))]
    read += [part["label"] for score in match.score(lang) for part in score["parts"]]
    read += console.export_text().splitlines()
    assert any(f"−{-min(match.totals)}" in words for words in read)
    assert [words for words in read if re.search(r"(?<!\w)-\d", words)] == []


def test_a_figure_is_a_number_as_people_read_it() -> None:
    assert [figure(5), figure(-5), figure(0, "+"), figure(-3, ">+5")] == ["5", "−5", "+0", "   −3"]
    assert figure(-1.25, ".1f") == "−1.2"
    assert Message("storeys.page.n-points", n=-12).text() == "points: −12"


def test_what_programs_read_keeps_its_hyphen() -> None:
    match = halfway("neoville", 2)
    assert f'"scores": [{match.totals[0]}, {match.totals[1]}]' in json.dumps(match.position())
    assert "−" not in json.dumps([match.totals, match.record()], ensure_ascii=False)


# --- Manhattan's cards, and what its scores counted


def test_a_card_is_marked_where_the_cities_light_up() -> None:
    """M-6: whoever looks, the mark on a card lies as the site lies in a city."""
    match = storeys.new("manhattan", players=4, seed=5)
    while match.phase == "pick":
        match.push(match.legal_moves[0])
    for _ in range(4):
        elements = parsed(match.svg(match.to_move, prefix="pic"))
        cards = {
            one.attrib["data-pick-card"]: place_in(one, "card-mark", 18)
            for one in elements
            if "data-pick-card" in one.attrib
        }
        for choice in match.choices():
            site = choice["picks"]["site"]
            there = next(one for one in elements if one.attrib.get("data-pick-site") == site)
            x, y = map(float, there.attrib["transform"][len("translate(") : -1].split())
            lies = (round(x / CELL), round(y / CELL))
            assert cards[choice["picks"]["card"]] == lies, (match.to_move, choice["label"])
        match.push(match.legal_moves[0])


def place_in(card: ElementTree.Element, shape: str, side: float) -> tuple[int, int]:
    """The column and the row of a square in which a card has a shape."""
    mark = next(one for one in card.iter() if one.attrib.get("href", "").endswith(f"-{shape}"))
    return int(float(mark.attrib["x"]) // side), int(float(mark.attrib["y"]) // side)


@pytest.mark.parametrize(("seat", "cell"), [(None, 0), (0, 0), (1, 2), (2, 8), (3, 6)])
def test_played_cards_lie_as_who_looks_would_play_them(seat: int | None, cell: int) -> None:
    """M-6: card 1 means a1 to seat 0, c1 to seat 1, c3 to seat 2 and a3 to seat 3."""
    played = played_by_cell({"seat": seat, "discard": [4, 0, 0, 0, 0, 0, 0, 0, 0]})
    assert [where for where, count in enumerate(played) if count] == [cell]


def two_rounds() -> storeys.Match:
    """Red owned Sydney a1 and b1 and Cairo a1 after round 1; blue has built over b1 since."""
    towers: dict[str, list[tuple[str, int]]] = {
        "sydney a1": [("red", 4)],
        "sydney b1": [("red", 1)],
        "cairo a1": [("red", 1)],
    }
    hands = {1: (6, 6, 6, 6), 3: (7, 7, 7, 7)}  # M-6: card 6 of seat 1 is b3, card 7 of seat 3 c3
    start = position(towers=towers, picked={"yellow": [1]}, to_move=3, hands=hands)
    start["towers"][3][6] = []  # where all other blocks would stand: as if they were given up
    match = storeys.from_position(start)
    match.push("build yellow 1 cairo c3")  # round 1 is scored; seat 1 begins round 2
    while match.phase == "pick":
        match.push(match.legal_moves[-1])
    return match


def test_parts_of_a_score_name_the_towers_that_counted() -> None:
    match = two_rounds()
    sites = {part["rule"]: part["sites"] for part in match.score()[0]["parts"]}
    assert sites == {
        "M-16": [[0, 1]],
        "M-17": [[0, 1], [0, 2]],
        "M-18": [[0, 1], [0, 2], [5, 1]],
    }
    for part in match.score()[0]["parts"]:
        assert get_game("manhattan").lit(part, 0) == [(c, n - 1) for c, n in part["sites"]]


def test_a_part_is_shown_on_the_board_that_was_scored() -> None:
    match = two_rounds()
    scored = match.at(1)
    parts = match.score()[0]["parts"]
    while match.position()["round"] == 2 and match.moves_made < 30:
        match.push(match.legal_moves[-1])
    assert match.position()["towers"] != scored.position()["towers"]
    assert match.score()[0]["parts"][: len(parts)] == parts
    for part in parts:
        assert when_scored(match, part).position() == scored.position()
    assert when_scored(match, None) is match


# --- nothing is rescaled as a city grows


def ground(*tiles: tuple[int, int], free: tuple[tuple[int, int], ...] = ()) -> Ground:
    return Ground({}, list(tiles), [str(nth) for nth in range(len(tiles))], list(free))


def test_the_window_of_a_plan_stays_where_it_is_while_a_city_fits() -> None:
    small, large = ground((0, 0)), ground((-1, 0), (0, 0), (1, 0), (1, 1), free=((2, 2), (-2, 0)))
    assert window_of(small) == window_of(large) == ((-2, -2), 5)


def test_the_window_of_a_plan_moves_no_further_than_it_must() -> None:
    assert window_of(ground((0, 0), free=((0, 3),))) == ((-2, -1), 5)
    assert window_of(ground((0, 0), free=((-3, 0), (0, 1)))) == ((-3, -2), 5)
    assert window_of(ground((-3, 0), (3, 0))) == ((-3, -3), 7)


def test_a_city_shown_small_is_cropped_to_its_tiles_with_room_for_a_few() -> None:
    look = make_look("plan", 0, "light", (), "en")
    one, three = (plan(ground(*tiles), "", look).crop for tiles in (((0, 0),), ((0, -1), (0, 0))))
    assert one[2:] == three[2:]  # as large before another tile is laid as after
    four = plan(ground((0, -1), (0, 0), (0, 1), (0, 2)), "", look).crop
    assert four[2] > one[2]
    assert four[3] == one[3]


# --- plates that none covers


@pytest.mark.parametrize("seed", range(3))
def test_the_plates_of_a_skyline_do_not_cover_each_other(seed: int) -> None:
    picture = halfway("manhattan", 4, seed).svg(view="skyline")
    for city in re.split(r'<g id="[^"]*city-', picture)[1:]:
        plates = re.findall(r'class="plate" transform="translate\(([-\d.]+) ([-\d.]+)\)"', city)
        spots = [(float(x), float(y)) for x, y in plates]
        for (x, y), (u, v) in itertools.combinations(spots, 2):
            assert abs(x - u) >= 34 or abs(y - v) >= 20, (city[:20], spots)


# --- what is kept of a box's pieces


def with_swapped_windmills() -> dict[str, Any]:
    """Neoville's box, in which windmills want to stand where others of their kind do."""
    box: dict[str, Any] = json.loads(json.dumps(storeys.components("neoville")))
    mills = [one for one in box["utilities"] if one["kind"] == "windmill"]
    wants = [{"where": one["where"], "points": one["points"]} for one in mills]
    for mill, other in zip(mills, reversed(wants), strict=True):
        mill.update(other)
    return box


def check_boxes_apart() -> None:
    """Draw a match beside one of another box, and again when nothing is kept."""
    options: dict[str, Any] = {"players": 2, "seed": 3, "utilities": ["bus", "windmill"]}
    ours = storeys.new("neoville", **options)
    other = storeys.new("neoville", **options, components=with_swapped_windmills())
    beside = [match.svg(0, prefix="pic") for match in (ours, other)]
    for kept in (picture._token_in_city, picture._skyscraper_offered, picture._utility_offered):
        kept.cache_clear()
    alone = other.svg(0, prefix="pic")
    assert beside[0] != alone, "the windmills look alike"
    assert beside[1] == alone, "a piece of another box"


def test_what_is_kept_of_a_piece_belongs_to_its_box() -> None:
    check_boxes_apart()


def test_a_piece_that_is_kept_for_all_boxes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = picture._kept
    monkeypatch.setattr(picture, "_kept", lambda *known: replace(whole(*known), box=""))
    with pytest.raises(AssertionError, match="a piece of another box"):
        check_boxes_apart()
