"""Pictures: sound SVG, everything pickable, nothing hidden in them, the same for the same view."""

import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest

import storeys
from storeys import BadOption
from storeys.arena import playouts
from storeys.kernel.drawing.scene import VIEWS
from storeys.kernel.drawing.themes import THEMES
from storeys.registry import get_game

SVG = "{http://www.w3.org/2000/svg}"
KNOWN_TAGS = {
    "svg", "g", "defs", "use", "rect", "circle", "ellipse", "polygon", "path", "text", "line",
    "linearGradient", "stop",
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
