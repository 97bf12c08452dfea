"""The pages: what the templates are given, and in which language."""

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates

import storeys
from storeys.bots import SUBSTITUTE
from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.game import Game
from storeys.kernel.messages import Message, languages, sentences
from storeys.match import default_name
from storeys.registry import get_game
from storeys.web.contents import CheckedRoute
from storeys.web.errors import NoTable
from storeys.web.faces import FACES
from storeys.web.first import first_sight
from storeys.web.helping import cards_html, help_html, help_picture
from storeys.web.language import LANGUAGE_COOKIE, known_language, language_of, theme_of
from storeys.web.lessons import GENTLE
from storeys.web.limits import Limits
from storeys.web.listing import (
    MOST_SKIPPED,
    bots_facts,
    game_facts,
    game_outline,
    showpiece,
    table_facts,
)
from storeys.web.models import TableFacts
from storeys.web.seating import called
from storeys.web.services import OwnerDep, ServicesDep, services_of
from storeys.web.states import StateQuery, state_of
from storeys.web.store import SeatFacts
from storeys.web.tables import CLOCKS, clock_called
from storeys.web.versions import STATIC, version_of_files
from storeys.web.writers import writes

TEMPLATES = Jinja2Templates(Path(__file__).parent / "templates")
IMPORTED = re.compile(
    r'^import .* from "\./([\w-]+\.js)";$|\bimport\("\./([\w-]+\.js)"\)', re.MULTILINE
)
TEXTS = "storeys.page."
PER_PAGE = 30
FEW = 2
"""How many play when friends are asked, until somebody says otherwise."""
LEVELS = {"first": GENTLE, "easy": GENTLE, "hard": "architect"}
"""Whom one plays with who says how well they know the games."""
YEAR = 365 * 24 * 3600

router = APIRouter(include_in_schema=False, route_class=CheckedRoute)
"""The endpoints of all pages."""


def texts(lang: str) -> dict[str, str]:
    """All sentences of the pages."""
    return sentences(TEXTS, lang)


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page from its template, with what all pages have."""
    lang = language_of(request)
    shared = {
        "here": request.url.path,
        "lang": lang,
        "langs": languages("storeys"),
        "t": texts(lang),
        "texts_json": _data(texts(lang)),
        "compiling": services_of(request).compiling.is_busy,
        "mails": services_of(request).mailing.is_on,
        "files_version": version_of_files(),
    }
    return TEMPLATES.TemplateResponse(request, template, shared | context, status_code=status)


@functools.cache
def modules_of(script: str) -> list[str]:
    """A script and all that it imports: a browser that is told of them fetches them at once."""
    found = [script]
    for module in found:  # which grows meanwhile
        named = map("".join, IMPORTED.findall((STATIC / module).read_text("utf-8")))
        found += [name for name in named if name not in found]
    return found


def error_page(request: Request, sentence: str, status: int) -> Response:
    """What went wrong, as a page."""
    return page(request, "error.html", status, sentence=sentence)


def _data(content: Any) -> str:
    """JSON as it may stand in a page's data block."""
    return json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")


def how_long(request: Request, what: str) -> str:
    """For how long something is kept that nobody uses, in sentences; nothing if for ever."""
    said = _uploads_kept if what == "uploads" else _matches_kept
    lang = language_of(request)
    return " ".join(message.text(lang) for message in said(services_of(request).limits))


def _uploads_kept(limits: Limits) -> list[Message]:
    days = limits.keep_uploads_days
    return [Message("storeys.web.keep-uploads", n=days)] if days else []


def _matches_kept(limits: Limits) -> list[Message]:
    unfinished, finished = limits.keep_unfinished_days, limits.keep_finished_days
    said = [Message("storeys.web.keep-unfinished", n=unfinished)] if unfinished else []
    if finished:
        return [*said, Message("storeys.web.keep-finished", n=finished)]
    return [*said, Message("storeys.web.keep-all-finished")] if said else []


def _own_name(seat: SeatFacts) -> str:
    """The name that somebody chose, to be kept or changed; nothing if nobody did."""
    return "" if seat.name == default_name(seat.seat) else seat.name


@router.get("/", response_class=HTMLResponse)
def home(request: Request, owner: OwnerDep, services: ServicesDep) -> HTMLResponse:
    """The games, and the tables of this browser."""
    lang = language_of(request)
    mine = [table_facts(table, owner, lang) for table in services.tables.of_owner(owner)]
    games = [game_outline(get_game(name), lang) for name in storeys.game_names()]
    return page(
        request, "home.html", games=games, mine=mine, levels=LEVELS,
        how_long=how_long(request, "matches"),
    )  # fmt: skip


@router.get("/matches", response_class=HTMLResponse)
def matches(
    request: Request,
    owner: OwnerDep,
    services: ServicesDep,
    skip: Annotated[int, Query(ge=0, le=MOST_SKIPPED)] = 0,
) -> HTMLResponse:
    """All tables of this browser, page by page, and first of all where it is to move."""
    lang = language_of(request)
    turns = [] if skip else services.tables.turns_of(owner)
    found = services.tables.of_owner(owner, PER_PAGE + 1, skip)
    more, found = found[PER_PAGE:], found[:PER_PAGE]
    facts = [table_facts(table, owner, lang) for table in [*turns, *found]]
    listed = {one["id"]: one for one in facts}.values()  # once, though found twice
    return page(
        request, "matches.html", sections=_sections(listed),
        back=f"/matches?skip={skip}" if skip else "/matches",
        how_long=how_long(request, "matches"),
        newer=max(0, skip - PER_PAGE) if skip else None, older=skip + PER_PAGE if more else None,
    )  # fmt: skip


def _sections(listed: Iterable[TableFacts]) -> list[tuple[str, list[TableFacts]]]:
    """Tables by what is to be done there."""
    of_state = {"playing": "running", "waiting": "waiting"}
    sections: dict[str, list[TableFacts]] = {
        name: [] for name in ("turn", "running", "waiting", "over")
    }
    for one in listed:
        where = "turn" if one["your_turn"] else of_state.get(one["state"], "over")
        sections[where].append(one)
    return list(sections.items())


@router.post("/delete/{table}")
@writes
def delete(table: str, owner: OwnerDep, services: ServicesDep, to: str = "/") -> RedirectResponse:
    """Remove a table, then go back to the list in which it was."""
    services.tables.delete(table, owner)
    return RedirectResponse(_here(to), status_code=303)


def _here(to: str) -> str:
    """An address of this site; home in the place of one elsewhere, as browsers read it."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"


@router.get("/new/{game}", response_class=HTMLResponse)
def set_up(request: Request, services: ServicesDep, game: str, how: str = "bots") -> HTMLResponse:
    """Set up a new table."""
    lang = language_of(request)
    facts = game_facts(get_game(game), lang)
    players = facts["default_players"]
    if how in ("friends", "here") and FEW in facts["seats"]:
        players = FEW
    bots = bots_facts(lang, services.workers.failing)
    levels = [bot for bot in bots if bot["level"] is not None]
    usual = next((n for n, bot in enumerate(levels, 1) if bot["name"] == SUBSTITUTE), len(levels))
    return page(
        request, "new.html", game=facts, bots=bots, levels=levels, usual=usual,
        cards=_cards_by_option(get_game(game), lang),
        how=how, players=players, clocks=list(CLOCKS),
        how_long=how_long(request, "matches"),
    )  # fmt: skip


def _cards_by_option(game: Game, lang: str) -> list[tuple[str, str, str]]:
    """Cards that may be played with, for each value of an option that changes what they say."""
    usual = cards_html(game, lang, {})
    found = [
        (option.name, str(value), cards_html(game, lang, {option.name: value}))
        for option in game.options
        if option.several is None
        for value in option.values
    ]
    changing = {name for name, _, text in found if text != usual}
    return [one for one in found if one[0] in changing] or ([("", "", usual)] if usual else [])


@router.get("/t/{table}", response_class=HTMLResponse)
def match_page(
    request: Request, table: str, owner: OwnerDep, services: ServicesDep
) -> HTMLResponse:
    """A table, played."""
    found = services.tables.get(table).snapshot
    services.note_asked(found, owner)
    query = StateQuery(lang=language_of(request), theme=theme_of(request))
    state = state_of(found, owner, query, services.areas)
    defs, sight = state["defs"]["body"], first_sight(state, texts(query.lang))
    return page(
        request, "match.html", table=table, title=state["title"], state_json=_data(state),
        defs=defs, first=sight, modules=modules_of("start.js"),
    )  # fmt: skip


@router.get("/join/{token}", response_class=HTMLResponse)
@router.get("/move/{token}", response_class=HTMLResponse)
def invitation(request: Request, token: str, owner: OwnerDep, services: ServicesDep) -> Response:
    """Who sits at the table that a link leads to."""
    table, seat = services.tables.of_link(token)
    if seat in table.seats_of(owner):
        return RedirectResponse(f"/t/{table.id}", status_code=303)
    if table.seats[seat].token != token:
        raise NoTable(Message("storeys.web.used-link"))
    lang = language_of(request)
    return page(
        request, "join.html", token=token, seat=seat + 1,
        name=_own_name(table.seats[seat]), title=table.match.game.title.text(lang),
        game=table.match.game.name, goal=table.match.game.goal(lang),
        cards=cards_html(table.match.game, lang, table.match.setup.options),
        names=[called(other, lang) for other in table.seats if other.seat != seat],
        clock=clock_called(table.clock),
    )  # fmt: skip


@router.post("/join/{token}")
@router.post("/move/{token}")
@writes
def sit_down(
    token: str,
    owner: OwnerDep,
    services: ServicesDep,
    name: Annotated[str, Form()] = "",
    face: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Take the seat of a link."""
    table = services.tables.join(token, owner, name, face if face in FACES else None)
    return RedirectResponse(f"/t/{table.id}", status_code=303)


@router.get("/replay", response_class=HTMLResponse)
def replay(request: Request) -> HTMLResponse:
    """Upload a record."""
    return page(request, "replay.html", how_long=how_long(request, "uploads"))


@router.get("/rules/{game}", response_class=HTMLResponse)
def rules(request: Request, game: str) -> HTMLResponse:
    """How a game is played."""
    found, lang = get_game(game), language_of(request)
    body = help_html(found, lang, theme_of(request), {})
    return page(request, "rules.html", title=found.title.text(lang), body=body)


@router.get("/help/{game}", response_class=HTMLResponse)
def help_fragment(
    request: Request, services: ServicesDep, game: str, theme: str = "light", table: str = ""
) -> HTMLResponse:
    """How a game is played, for the drawer beside a board; with a table, as it is played there."""
    found = get_game(game)
    options = dict(services.tables.get(table).snapshot.match.setup.options) if table else {}
    return HTMLResponse(help_html(found, language_of(request), _known_theme(theme), options))


@router.get("/help/{game}/{section}.svg")
def help_drawing(game: str, section: str, theme: str = "light", lang: str = "en") -> Response:
    """The picture of a section of the help."""
    drawn = help_picture(
        get_game(game).name, section, _known_theme(theme), known_language(lang) or "en"
    )
    if drawn is None:
        raise HTTPException(404)
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


def _known_theme(theme: str) -> str:
    return theme if theme in THEMES else "light"


@router.get("/pictures/{game}/{theme}.svg")
def picture(game: str, theme: str) -> FileResponse:
    """The picture of a game."""
    found = showpiece(get_game(game), theme)
    if theme not in THEMES or not found.exists():
        raise HTTPException(404)
    return FileResponse(found, headers={"Cache-Control": "max-age=3600"})


@router.get("/lang/{code}")
def choose_language(code: str, to: str = "/") -> RedirectResponse:
    """Keep the language that somebody chose."""
    response = RedirectResponse(_here(to), status_code=303)
    if known_language(code):
        response.set_cookie(LANGUAGE_COOKIE, code, max_age=YEAR, samesite="lax")
    return response
