"""The pages: what the templates are given, and in which language."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from markdown_it import MarkdownIt

import storeys
from storeys.bots import SUBSTITUTE, bot_facts, bot_names
from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import DEFAULT_LANGUAGE, Message, languages, said, sentences
from storeys.kernel.options import Option
from storeys.match import default_name
from storeys.registry import get_game
from storeys.web.house import Owner, Shared
from storeys.web.names import called
from storeys.web.states import Wish, state_of
from storeys.web.store import SeatFacts
from storeys.web.tables import Lost, NoTable, Table

TEMPLATES = Jinja2Templates(Path(__file__).parent / "templates")
LANGUAGE_COOKIE = "storeys-lang"
THEME_COOKIE = "theme"
DEFAULT_THEME = "light"
TEXTS = "storeys.page."
FEW = 2
"""How many play when friends are asked, until somebody says otherwise."""
YEAR = 365 * 24 * 3600


# --- language


def known_language(lang: str | None) -> str | None:
    """A language that there is, or None."""
    return lang if lang in languages("storeys") else None


def language_of(request: Request) -> str:
    """The language of a browser: chosen, or the one there is that it likes best."""
    chosen = known_language(request.cookies.get(LANGUAGE_COOKIE))
    return chosen or best_language(request.headers.get("accept-language", ""))


def best_language(accepted: str) -> str:
    """The language there is that an Accept-Language header gives the most weight."""
    weights = [_weighed(part) for part in accepted.split(",") if part.strip()]
    refused = {tag for tag, weight in weights if weight == 0}
    for tag, weight in sorted(weights, key=lambda entry: -entry[1]):  # the first among equals
        if weight <= 0:
            break
        if tag == "*":
            named = {other.partition("-")[0] for other, _ in weights}
            there = [DEFAULT_LANGUAGE, *languages("storeys")]
            return next((lang for lang in there if lang not in named), DEFAULT_LANGUAGE)
        found = known_language(tag.partition("-")[0])
        if found and found not in refused:
            return found
    return DEFAULT_LANGUAGE


def _weighed(part: str) -> tuple[str, float]:
    """A language range and its weight; below 0 where that cannot be read."""
    tag, _, weight = part.partition(";")
    key, equals, value = weight.strip().partition("=")
    if not weight.strip():
        return tag.strip().lower(), 1.0
    try:
        number = float(value) if key.strip().lower() == "q" and equals else -1.0
    except ValueError:
        number = -1.0
    return tag.strip().lower(), number if 0 <= number <= 1 else -1.0


def theme_of(request: Request) -> str:
    """The colours that a browser chose, so that its first picture has them already."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else DEFAULT_THEME


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
    }
    return TEMPLATES.TemplateResponse(request, template, shared | context, status_code=status)


def error_page(request: Request, sentence: str, status: int) -> Response:
    """What went wrong, as a page."""
    return page(request, "error.html", status, sentence=sentence)


def _data(content: Any) -> str:
    """JSON as it may stand in a page's data block."""
    return json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")


# --- what pages show


def game_facts(game: Game, lang: str) -> dict[str, Any]:
    """A game as pages introduce it."""
    return {
        "name": game.name,
        "title": game.title.text(lang),
        "summary": game.summary.text(lang),
        "seats": list(game.seats),
        "default_players": game.default_players,
        "pictures": {
            theme: f"/pictures/{game.name}/{theme}.svg"
            for theme in THEMES
            if showpiece(game, theme).exists()
        },
        "options": [option_facts(game, option, lang) for option in game.options],
    }


def showpiece(game: Game, theme: str) -> Path:
    """Where a game's picture for the home page is, in the colours of a theme."""
    return game.folder / f"showpiece.{theme}.svg"


def option_facts(game: Game, option: Option, lang: str) -> dict[str, Any]:
    """An option as the page of a new table asks for it."""
    words = f"{game.name}.option.{option.name}"
    facts = {
        "name": option.name,
        "label": said(f"{words}.label", option.name, lang),
        "help": said(f"{words}.help", said(words, "", lang), lang),
        "default": option.default,
    }
    several = option.several
    if several is None:
        values = [
            {
                "value": value,
                "label": said(f"{words}.{value}", str(value), lang),
                "barred": barred(game, option, value, lang),
            }
            for value in option.values
        ]
        return facts | {"kind": "choice", "values": values, "at_random": [], "most": None}
    values = [
        {
            "value": name,
            "label": _capital(said(f"{several.called}.{name}", name, lang)),
            "barred": barred(game, option, [name], lang),
            "otherwise": [
                {"option": other, "value": value, "label": _capital(said(ids[name], name, lang))}
                for (other, value), ids in several.otherwise.items()
                if name in ids
            ],
        }
        for name in several.names
    ]
    at_random = [
        {"value": value, "label": random_words(value, lang)} for value in several.at_random
    ]
    return facts | {
        "kind": "some", "values": values, "at_random": at_random, "most": several.most
    }  # fmt: skip


def random_words(value: int | None, lang: str) -> str:
    """A value that leaves a choice to chance: so many, or as many as there must be."""
    if value is None:
        return Message("storeys.page.at-random").text(lang)
    return Message("storeys.page.some-at-random", n=value).text(lang)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def barred(game: Game, option: Option, value: Any, lang: str) -> dict[int, str]:
    """With how many players a value cannot be played that can be with others, and why not."""
    found = {}
    for players in game.seats:
        try:
            game.settle(players, {option.name: value})
        except BadOption as error:
            found[players] = _capital(error.message.text(lang)) + "."
    return found if len(found) < len(game.seats) else {}


def bots_facts(lang: str, failing: Collection[str] = ()) -> list[dict[str, str]]:
    """The bots that can sit down, as pages introduce them; those that fail are left out."""
    return [
        {
            "name": name,
            "label": facts.label,
            "help": facts.help,
        }
        for name in bot_names()
        if name not in failing and (facts := bot_facts(name, lang)).fault is None
    ]


def table_facts(table: Table | Lost, owner: str, lang: str) -> dict[str, Any]:
    """A table in the list of one's own; one that cannot be read says why."""
    if isinstance(table, Lost):
        return _lost_facts(table, lang)
    mine = table.seats_of(owner)
    return {
        "id": table.id,
        "title": table.match.game.title.text(lang),
        "names": table.names_in(lang),
        "state": table.status,
        "your_turn": table.status == "playing" and table.match.to_move in mine,
        "when": table.created,
        "problem": None,
    }


def _lost_facts(table: Lost, lang: str) -> dict[str, Any]:
    return {
        "id": table.outline.id,
        "title": table.outline.id,
        "names": [seat.name for seat in table.outline.seats],
        "state": "unreadable",
        "your_turn": False,
        "when": table.outline.created,
        "problem": _capital(table.why.text(lang)) + ".",
    }


def _own_name(seat: SeatFacts) -> str:
    """The name that somebody chose, to be kept or changed; nothing if nobody did."""
    return "" if seat.name == default_name(seat.seat) else seat.name


def add_to(app: FastAPI) -> None:
    """The routes of all pages."""

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def home(request: Request, owner: Owner, house: Shared) -> HTMLResponse:
        lang = language_of(request)
        mine = [table_facts(table, owner, lang) for table in house.tables.of_owner(owner)]
        games = [game_facts(get_game(name), lang) for name in storeys.game_names()]
        return page(request, "home.html", games=games, mine=mine, bot=SUBSTITUTE)

    @app.post("/delete/{table}", include_in_schema=False)
    def delete(table: str, owner: Owner, house: Shared) -> RedirectResponse:
        house.tables.delete(table, owner)
        return RedirectResponse("/", status_code=303)

    @app.get("/new/{game}", response_class=HTMLResponse, include_in_schema=False)
    def set_up(request: Request, house: Shared, game: str, how: str = "bots") -> HTMLResponse:
        lang = language_of(request)
        facts = game_facts(get_game(game), lang)
        players = facts["default_players"]
        if how in ("friends", "here") and FEW in facts["seats"]:
            players = FEW
        return page(
            request, "new.html", game=facts, bots=bots_facts(lang, house.workers.failing),
            usual=SUBSTITUTE, how=how, players=players,
        )  # fmt: skip

    @app.get("/t/{table}", response_class=HTMLResponse, include_in_schema=False)
    def match_page(request: Request, table: str, owner: Owner, house: Shared) -> HTMLResponse:
        found = house.table_for(table, owner)
        wish = Wish(lang=language_of(request), theme=theme_of(request))
        state = state_of(found, owner, wish, house.areas)
        return page(
            request, "match.html", table=table, title=state["title"], state_json=_data(state),
            defs=state["defs"]["body"],
        )  # fmt: skip

    @app.get("/join/{token}", response_class=HTMLResponse, include_in_schema=False)
    @app.get("/move/{token}", response_class=HTMLResponse, include_in_schema=False)
    def invitation(request: Request, token: str, owner: Owner, house: Shared) -> Response:
        found = house.store.seat_of_token(token)
        if found is None:
            raise NoTable(Message("storeys.web.used-link"))
        table = house.tables.get(found[0])
        if found[1] in table.seats_of(owner):
            return RedirectResponse(f"/t/{table.id}", status_code=303)
        if table.seats[found[1]].token != token:
            raise NoTable(Message("storeys.web.used-link"))
        lang = language_of(request)
        return page(
            request, "join.html", token=token, seat=found[1] + 1,
            name=_own_name(table.seats[found[1]]), title=table.match.game.title.text(lang),
            names=[called(seat, lang) for seat in table.seats if seat.seat != found[1]],
        )  # fmt: skip

    @app.post("/join/{token}", include_in_schema=False)
    @app.post("/move/{token}", include_in_schema=False)
    def sit_down(
        token: str, owner: Owner, house: Shared, name: Annotated[str, Form()] = ""
    ) -> RedirectResponse:
        table = house.tables.join(token, owner, name)
        return RedirectResponse(f"/t/{table.id}", status_code=303)

    @app.get("/replay", response_class=HTMLResponse, include_in_schema=False)
    def replay(request: Request) -> HTMLResponse:
        return page(request, "replay.html")

    @app.get("/rules/{game}", response_class=HTMLResponse, include_in_schema=False)
    def rules(request: Request, game: str) -> HTMLResponse:
        found, lang = get_game(game), language_of(request)
        body = MarkdownIt().render(found.help_text(lang))
        return page(request, "rules.html", title=found.title.text(lang), body=body)

    @app.get("/pictures/{game}/{theme}.svg", include_in_schema=False)
    def picture(game: str, theme: str) -> FileResponse:
        found = showpiece(get_game(game), theme)
        if theme not in THEMES or not found.exists():
            raise HTTPException(404)
        return FileResponse(found, headers={"Cache-Control": "max-age=3600"})

    @app.get("/lang/{code}", include_in_schema=False)
    def choose_language(code: str, to: str = "/") -> RedirectResponse:
        local = to if to.startswith("/") and not to.startswith("//") else "/"
        response = RedirectResponse(local, status_code=303)
        if known_language(code):
            response.set_cookie(LANGUAGE_COOKIE, code, max_age=YEAR, samesite="lax")
        return response
