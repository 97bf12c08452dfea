"""A small face for each person and each bot: houses that look at you, and robots.

A face has a name, from which it is drawn: ``dome-teal`` is a person's, a roof and a colour that
were chosen; ``bot-builder`` a bot's.  Who has chosen none is given one by the table and the seat,
so that a face tells nothing of who somebody is elsewhere.
"""

import hashlib
import re
from functools import lru_cache
from urllib.parse import quote, unquote

from fastapi import APIRouter, HTTPException, Response

from storeys.web.contents import LateRoute

COLOURS = {
    "red": "#cf4a33", "amber": "#d99a1c", "green": "#4b9455", "teal": "#278f88",
    "blue": "#3a76bb", "violet": "#8058b5", "pink": "#c75a8d", "slate": "#5b6b7d",
}  # fmt: skip
ROOFS = {
    "flat": "M11 19V15h26v4z",
    "gable": "M9 20 24 8l15 12z",
    "dome": "M11 19a13 11 0 0 1 26 0z",
    "spire": "M13 19 24 11l11 8zM23 12V4h2v8z",
    "steps": "M11 19v-4h5v-4h5V7h6v4h5v4h5v4z",
    "slant": "M11 19V8l26 11z",
    "crown": "M11 19V9l6.500 5L24 7l6.500 7L37 9v10z",
    "tank": "M14 19v-3h20v3zM19 16V7h10v9zM19 7l5-3 5 3z",
}
MOUTHS = ("M19 35q5 5 10 0", "M19 34h10q-1 5-5 5t-5-5z", "M20 36h8", "M22 35a2 2.500 0 1 0 4 0z")
HATS = {
    "random": "M17 12h6v-6h-6zM25 10h6v-6h-6z",
    "novice": "M21 6h6l-1 6h-4zM18 12h12",
    "apprentice": "M15 13a9 7 0 0 1 18 0zM29 11h10v2H29z",
    "journeyman": "M17 11V4h14v7zM10 11h28v2H10z",
    "foreman": "M14 13a10 9 0 0 1 20 0zM11 11h26v2H11z",
    "builder": "M13 13a11 9 0 0 1 22 0zM10 13h28v2H10zM22 4h4v5h-4z",
    "engineer": "M18 13v-3h-3V7h3V4h12v3h3v3h-3v3z",
    "architect": "M24 3 33 13h-18zM24 7l-3.500 4h7z",
}
"""What our own bots wear; others have an antenna."""
EYES = (
    "M17 21h5v5h-5zM26 21h5v5h-5z",
    "M16 23.500a3 3 0 1 0 6 0a3 3 0 1 0-6 0M26 23.500a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
    "M15 21h18v5H15z",
    "M16 26l3-5 3 5zM26 26l3-5 3 5z",
)
GRILLES = ("M17 32h14", "M17 30.500h14M17 33.500h14", "M18 32h2M23 32h2M28 32h2", "M17 33q7-4 14 0")
INK, LIGHT = "#22303f", "#fffdf8"
FACES = tuple(f"{roof}-{colour}" for roof in ROOFS for colour in COLOURS)
"""The faces that people choose from."""
BOT = re.compile(r"bot-.{1,64}")
WEEK = 7 * 24 * 3600

router = APIRouter(include_in_schema=False, route_class=LateRoute)


def face_of(table: str, seat: int, chosen: str | None, bot: str | None) -> str:
    """The name of the face at a seat.

    >>> from storeys.web.faces import face_of
    >>> face_of("Xa3kP0qZ", 0, "dome-teal", None), face_of("Xa3kP0qZ", 1, None, "builder")
    ('dome-teal', 'bot-builder')
    """
    if bot is not None:
        return f"bot-{bot}"
    return chosen if chosen in FACES else FACES[_drawn_by(f"{table} {seat}") % len(FACES)]


def face_url(name: str) -> str:
    """Where a face is found."""
    return f"/faces/{quote(name, safe='')}.svg"


@router.get("/faces/{name}.svg")
async def face_picture(name: str) -> Response:
    """A face; the same for everybody, and for good."""
    known = unquote(name)
    if known not in FACES and not BOT.fullmatch(known):
        raise HTTPException(404)
    kept = {"Cache-Control": f"public, max-age={WEEK}"}
    return Response(face_svg(known), media_type="image/svg+xml", headers=kept)


@lru_cache(256)
def face_svg(name: str) -> str:
    """A face as a picture."""
    inside = _robot(name.removeprefix("bot-")) if BOT.fullmatch(name) else _house(name)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">{inside}</svg>'


def _house(name: str) -> str:
    roof, colour = name.split("-")
    fill = COLOURS[colour]
    mouth = MOUTHS[list(ROOFS).index(roof) % len(MOUTHS)]
    return (
        f'<circle cx="24" cy="24" r="24" fill="{fill}" fill-opacity=".22"/>'
        f'<path d="{ROOFS[roof]}" fill="{INK}"/>'
        f'<path d="M12 19h24v24.500H12z" fill="{fill}"/>'
        f'<path d="M16 23h6v7h-6zM26 23h6v7h-6z" fill="{LIGHT}"/>'
        f'<path d="M18 26h3v3.500h-3zM28 26h3v3.500h-3z" fill="{INK}"/>'
        f'<path d="{mouth}" fill="{LIGHT}" stroke="{LIGHT}" stroke-width="1.8" '
        'stroke-linecap="round"/>'
    )


def _robot(bot: str) -> str:
    number = _drawn_by(bot)
    fill = list(COLOURS.values())[number % len(COLOURS)]
    eyes = EYES[number // 8 % len(EYES)]
    grille = GRILLES[number // 32 % len(GRILLES)]
    hat = HATS.get(bot, "M23 13V6h2v7zM24 3a2.500 2.500 0 1 0 .1 0z")
    return (
        f'<circle cx="24" cy="24" r="24" fill="{fill}" fill-opacity=".22"/>'
        f'<path d="{hat}" fill="{INK}" stroke="{INK}" stroke-linejoin="round"/>'
        f'<path d="M6 21h4v9H6zM38 21h4v9h-4z" fill="{INK}"/>'
        f'<rect x="10" y="14" width="28" height="25" rx="5" fill="{fill}"/>'
        f'<path d="{eyes}" fill="{LIGHT}"/>'
        f'<path d="{grille}" fill="none" stroke="{LIGHT}" stroke-width="2" stroke-linecap="round"/>'
        f'<path d="M18 39h12v4H18z" fill="{INK}"/>'
    )


def _drawn_by(text: str) -> int:
    """A number that is always the same for a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
