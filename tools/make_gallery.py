"""Draw the gallery: pictures of matches of every game and variant, and a page that shows them.

Run it as ``make gallery``, or ``python tools/make_gallery.py FOLDER``.  The matches are played by
players who take the move that brings the most at once, so that there is something to see.
"""

import random
import re
import sys
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import storeys
from storeys.kernel.drawing.scene import assemble, make_look
from storeys.kernel.drawing.themes import THEMES
from storeys.registry import get_game


class Picture(NamedTuple):
    """One picture: a variant, how far its match has come, and how it is drawn."""

    game: str
    options: dict[str, Any]
    share: float
    look: dict[str, Any]


PLAN, SKYLINE = {"view": "plan"}, {"view": "skyline"}
PICTURES = [
    Picture("manhattan", {"players": 4}, 1.0, SKYLINE),
    Picture("manhattan", {"players": 4}, 0.55, PLAN),
    Picture("manhattan", {"players": 3, "rounds": "4x6"}, 0.8, SKYLINE | {"theme": "dark"}),
    Picture("manhattan", {"players": 2, "tiebreak": "towers"}, 0.7, PLAN | {"lang": "de"}),
    Picture("manhattan", {"players": 3}, 0.02, PLAN | {"theme": "colour-blind"}),
    Picture("cloud-city", {"players": 3, "city": "3x4"}, 1.0, SKYLINE),
    Picture("cloud-city", {"players": 4, "requests": ["circuits", "balanced"]}, 0.7, PLAN),
    Picture("cloud-city", {"players": 2, "requests": ["varied-route"], "edition": "de"}, 1.0,
            PLAN | {"lang": "de", "theme": "dark"}),
    Picture("cloud-city", {"players": 1, "city": "3x4"}, 1.0,
            SKYLINE | {"turn": 1, "theme": "colour-blind"}),
    Picture("cloud-city", {"players": 2, "city": "3x4"}, 0.5, SKYLINE | {"lang": "nl"}),
    Picture("neoville", {"players": 4, "utilities": ["bus", "windmill"]}, 1.0, SKYLINE),
    Picture("neoville", {"players": 3, "utilities": ["bus", "biosphere"]}, 0.7, PLAN),
    Picture("neoville", {"players": 2, "utilities": ["windmill", "biosphere"]}, 1.0,
            SKYLINE | {"theme": "dark", "turn": 2}),
    Picture("neoville", {"players": 1, "utilities": ["bus", "windmill"]}, 0.9,
            PLAN | {"theme": "colour-blind", "lang": "nl"}),
    Picture("neoville", {"players": 2, "utilities": ["bus", "biosphere"]}, 0.4, PLAN),
]  # fmt: skip


MARGIN, TOP = 46, 60
"""What a picture of one city has around it, and above with its name and its points."""


def main() -> None:
    """Draw everything into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files = [draw(number, picture, folder) for number, picture in enumerate(PICTURES, start=1)]
    (folder / "index.html").write_text(page(files), "utf-8")
    for game in storeys.game_names():
        match = played(game, 7, {"players": 2})
        for theme in THEMES:
            file = match.game.folder / f"showpiece.{theme}.svg"
            file.write_text(showpiece(match, theme) + "\n", "utf-8")


def showpiece(match: storeys.Match, theme: str) -> str:
    """One city from the air without its frame, for the home page of every language."""
    look = make_look("skyline", 0, theme, (), "en")
    scene = match.game.scene(match.view(None), match.setup.components, match.names, look)
    only = replace(scene, cities=scene.cities[:1], panels=[])
    svg = assemble(only, look, f"home-{match.game.name}-{theme}")
    without_words = re.sub(r">(\d+) [a-z]+</text>", r">\1</text>", svg)  # of the points
    return re.sub(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"', cropped, without_words)


def cropped(whole: re.Match[str]) -> str:
    """The view of a picture without its margins and its head, so that it fills its place."""
    width, height = int(whole[1]) - 2 * MARGIN, int(whole[2]) - MARGIN - TOP
    return f'viewBox="{MARGIN} {TOP} {width} {height}" width="{width}" height="{height}"'


def draw(number: int, picture: Picture, folder: Path) -> str:
    """Write one picture; says the name of its file."""
    match = played(picture.game, number, picture.options)
    ply = round(match.moves_made * picture.share)
    name = f"{number:02}-{picture.game}-{picture.look['view']}.svg"
    svg = match.svg(0, ply=ply, prefix=f"g{number}", **picture.look)
    (folder / name).write_text(svg + "\n", "utf-8")
    return name


def played(game: str, seed: int, options: dict[str, Any]) -> storeys.Match:
    """A match between players who look one move ahead."""
    rng = random.Random(seed)
    names = ["Ada", "Ben", "Cleo", "Dov"][: options["players"]]
    match = storeys.new(game, seed=seed, names=names, **options)
    while match.to_move is not None:
        match.push(best_move(match, match.to_move, rng))
    return match


def best_move(match: storeys.Match, seat: int, rng: random.Random) -> storeys.Move:
    """The move after which the seat has the most; any of those that are equal.

    Every other time it builds if it can: who never takes a risk builds no city worth a picture.
    """
    worth = {}
    moves = list(match.legal_moves)
    daring = [move for move in moves if move.to_json()["kind"] in ("skyscraper", "utility")]
    for move in daring if daring and rng.random() < 0.5 else moves:
        match.push(move)
        worth[move] = (sum(match.position()["scores"][seat : seat + 1]), rng.random())
        match.pop()
    return max(worth, key=lambda move: worth[move])


def page(files: list[str]) -> str:
    """All pictures under each other, with what they show."""
    figures = "\n".join(
        f'<figure><img src="{name}" alt="{escape(caption(picture))}">'
        f"<figcaption>{escape(caption(picture))}</figcaption></figure>"
        for name, picture in zip(files, PICTURES, strict=True)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>storeys: gallery</title>\n'
        "<style>body{font-family:sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}"
        "img{width:100%;height:auto;border:1px solid #ccc;border-radius:8px}"
        "figure{margin:0 0 3rem}figcaption{margin-top:.5rem;color:#555}</style></head>\n"
        f"<body><h1>Gallery</h1>\n{figures}\n</body></html>\n"
    )


def caption(picture: Picture) -> str:
    """What a picture shows."""
    title = get_game(picture.game).title.text()
    facts = [f"{key}: {value}" for key, value in (picture.options | picture.look).items()]
    return f"{title} — {', '.join(facts)}"


if __name__ == "__main__":
    main()
