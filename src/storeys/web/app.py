"""The server: pages, the JSON API, the stream, and what looks after it all."""

import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import structlog
from fastapi import Body, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    generate_latest,
)
from starlette.exceptions import HTTPException

import storeys
from storeys.kernel.errors import IllegalMove, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place
from storeys.registry import get_game
from storeys.web import pages
from storeys.web.house import AreaCache, House, Owner, Shared
from storeys.web.live import Live
from storeys.web.presence import Presence
from storeys.web.states import Wish, state_of
from storeys.web.store import Late, Store
from storeys.web.tables import DEEDS, BadPost, NoTable, NotYours, Tables, not_yours
from storeys.web.workers import PACE, Workers

COOKIE = "storeys"
YEAR = 365 * 24 * 3600
STATIC = Path(__file__).parent / "static"
MOST_BYTES = 2_000_000
"""How large a request may be: a record with a component set of its own has tens of thousands."""
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
log = structlog.get_logger("storeys.web")


def create_app(
    database: str = "sqlite://", workers: int | None = None, pace: float = PACE
) -> FastAPI:
    """The server on a database; ``workers`` processes for bots, ``pace`` seconds a bot's move."""
    store, registry = Store(database), CollectorRegistry()
    presence = Presence()
    tables, live = Tables(store, presence), Live(presence)
    bots = Workers(tables, storeys.game_names(), workers, pace, registry)
    house = House(store, tables, live, bots, AreaCache(), registry)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as ending:  # Each is ended, whatever happens to another.
            ending.callback(store.close)
            ending.callback(house.workers.stop)
            ending.callback(live.stop)
            live.start()
            house.workers.start()
            tables.listeners += [live.tell, house.workers.consider]
            house.workers.resume(store.open_tables())
            yield

    app = FastAPI(
        title="storeys", version=storeys.__version__, lifespan=lifespan,
        description="Play skyscraper board games: everything the pages can do.",
    )  # fmt: skip
    app.state.house = house
    _add_errors(app)
    _add_watching(app, house)
    _add_api(app)
    pages.add_to(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


# --- errors, logs, figures


def _status_of(error: StoreysError) -> int:
    if isinstance(error, NoTable):
        return 404
    if isinstance(error, NotYours):
        return 403
    return 409 if isinstance(error, Late) else 422


def _refusal(
    request: Request, message: Message | StoreysError, status: int, rule: str | None = None
) -> Response:
    """One sentence, in the language of the page: as JSON for programs, as a page for people."""
    sentence = message.text(pages.language_of(request))
    if request.url.path.startswith("/api/"):
        about = {} if (seat := getattr(message, "seat", None)) is None else {"seat": seat}
        return JSONResponse({"error": sentence, "rule": rule} | about, status)
    return pages.error_page(request, sentence, status)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(StoreysError)
    def refuse(request: Request, error: StoreysError) -> Response:
        rule = error.rule if isinstance(error, IllegalMove) else None
        return _refusal(request, error, _status_of(error), rule)

    @app.exception_handler(RequestValidationError)
    def cannot_read(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return _refusal(
            request, Message("storeys.web.unreadable", where=where, why=first["msg"]), 422
        )

    @app.exception_handler(HTTPException)
    def not_there(request: Request, error: HTTPException) -> Response:
        known = {404: "storeys.web.no-page", 405: "storeys.web.no-method"}
        message = known.get(error.status_code, "storeys.web.unreadable")
        why = str(error.detail)
        return _refusal(
            request, Message(message, where=request.url.path, why=why), error.status_code
        )

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        log.error("broken", path=request.url.path, error=repr(error))
        return _refusal(request, Message("storeys.web.broken"), 500)


def _add_watching(app: FastAPI, house: House) -> None:
    asked = Counter(
        "storeys_requests", "Requests by method and status", ["method", "status"],
        registry=house.registry,
    )  # fmt: skip
    events = Counter("storeys_events", "Events at tables", registry=house.registry)
    Gauge("storeys_streams", "Open streams", registry=house.registry).set_function(
        lambda: house.live.watching
    )
    house.tables.listeners.append(lambda table, seq: events.inc())

    @app.middleware("http")
    async def look_after(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Know the browser by its cookie, guard the page, count and log the request."""
        start = time.perf_counter()
        if int(request.headers.get("content-length") or 0) > MOST_BYTES:
            return _refusal(request, Message("storeys.web.too-large", most=MOST_BYTES // 1000), 413)
        cookie = request.cookies.get(COOKIE) or secrets.token_urlsafe(24)
        request.state.cookie = cookie
        response = await call_next(request)
        if COOKIE not in request.cookies and not request.url.path.startswith("/static/"):
            response.set_cookie(
                COOKIE, cookie, max_age=YEAR, httponly=True, samesite="lax",
                secure=request.url.scheme == "https",
            )  # fmt: skip
        if not request.url.path.startswith("/docs"):
            response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        asked.labels(request.method, str(response.status_code)).inc()
        log.info(
            "request", method=request.method, path=request.url.path, status=response.status_code,
            ms=round(1000 * (time.perf_counter() - start), 1),
        )  # fmt: skip
        return response

    @app.get("/healthz", response_class=PlainTextResponse, tags=["server"])
    def healthz() -> PlainTextResponse:
        """Whether the server and its database answer."""
        well = house.store.answers()
        return PlainTextResponse("ok" if well else "no database", 200 if well else 503)

    @app.get("/metrics", tags=["server"])
    def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(generate_latest(house.registry), media_type=CONTENT_TYPE_LATEST)


# --- the API


def wish_of(
    request: Request,
    seat: int | None = None,
    ply: int | None = None,
    view: str = "plan",
    turn: int = 0,
    theme: str = "light",
    lang: str | None = None,
    part: str | None = None,
    known: Annotated[str, Query(max_length=2000)] = "",
) -> Wish:
    """How the browser wants to look."""
    chosen = pages.known_language(lang) or pages.language_of(request)
    return Wish(seat, ply, view, turn, theme, chosen, part, frozenset(known.split(",")))


Look = Annotated[Wish, Depends(wish_of)]


def _new_tables() -> dict[str, Any]:
    """What a request for a table may look like."""
    me, bot, friend = {"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "builder"}, "friend"
    first, *_, last = storeys.game_names()
    return {
        "against a bot": {"value": {"game": first, "seats": [me, bot], "options": {}}},
        "with a friend": {"value": {"game": last, "seats": [me, {"kind": friend}]}},
    }


def _new_events() -> dict[str, Any]:
    """What a request for every kind of event may look like."""
    shared = {"seq": 12, "id": "an id of your own", "seat": 0}
    more = {"move": {"move": "draw pile"}, "take-over": {"bot": "builder"}}
    more["rename"] = {"name": "Ada"}
    return {kind: {"value": shared | {"kind": kind} | more.get(kind, {})} for kind in DEEDS}


def _posted(content: dict[str, Any]) -> Place:
    return Place(content, "post", BadPost)


def _add_api(app: FastAPI) -> None:
    @app.get("/api/games", tags=["games"])
    def all_games(request: Request, house: Shared) -> dict[str, Any]:
        """The games with their options, and the bots that can sit down."""
        lang = pages.language_of(request)
        games = [pages.game_facts(get_game(name), lang) for name in storeys.game_names()]
        return {"games": games, "bots": pages.bots_facts(lang, house.workers.failing)}

    @app.get("/api/tables", tags=["tables"])
    def my_tables(request: Request, owner: Owner, house: Shared) -> list[dict[str, Any]]:
        """The tables at which this browser sits or that it set up, the newest first."""
        lang = pages.language_of(request)
        return [pages.table_facts(table, owner, lang) for table in house.tables.of_owner(owner)]

    @app.post("/api/tables", status_code=201, tags=["tables"])
    def create_table(
        content: Annotated[dict[str, Any], Body(openapi_examples=_new_tables())],
        owner: Owner,
        house: Shared,
    ) -> dict[str, Any]:
        """Set up a table: `game`, `players`, `options`, and `seats` (me, here, friend, bot)."""
        table = house.tables.create(_posted(content), owner)
        links = [
            {"seat": seat.seat, "url": f"/join/{seat.token}"}
            for seat in table.seats
            if seat.kind == "open"
        ]
        return {"table": table.id, "url": f"/t/{table.id}", "links": links}

    @app.get("/api/tables/{table}", tags=["tables"])
    def table_state(table: str, wish: Look, owner: Owner, house: Shared) -> dict[str, Any]:
        """What this browser may see of a table now, or after `ply` moves."""
        return state_of(house.table_for(table, owner), owner, wish, house.areas)

    @app.delete("/api/tables/{table}", tags=["tables"])
    def delete_table(table: str, owner: Owner, house: Shared) -> dict[str, Any]:
        """Remove a table that this browser set up, unless others are still playing there."""
        house.tables.delete(table, owner)
        return {"deleted": table}

    @app.get("/api/tables/{table}/view", tags=["tables"])
    def table_view(
        table: str, owner: Owner, house: Shared, seat: int | None = None
    ) -> dict[str, Any]:
        """The view of a seat of this browser, as bots take it (without one: a spectator's)."""
        found = house.table_for(table, owner)
        with found.lock:
            if seat is not None and seat not in found.seats_of(owner):
                raise not_yours(seat)
            return {"seq": found.seq, "status": found.status, "view": found.match.view(seat)}

    @app.post("/api/tables/{table}/events", tags=["tables"])
    def post_event(
        table: str,
        content: Annotated[dict[str, Any], Body(openapi_examples=_new_events())],
        owner: Owner,
        house: Shared,
    ) -> dict[str, Any]:
        """Do something at a table: `kind`, `seat`, the `seq` it builds on, an `id` of your own."""
        return house.tables.post(table, owner, _posted(content))

    @app.post("/api/tables/{table}/seats/{seat}/link", tags=["tables"])
    def make_link(table: str, seat: int, owner: Owner, house: Shared) -> dict[str, str]:
        """A link that moves a seat to another device, once: one's own, or as host a guest's."""
        return {"url": f"/move/{house.tables.make_link(table, seat, owner)}"}

    @app.post("/api/join/{token}", tags=["tables"])
    def join_by_api(
        token: str,
        content: Annotated[dict[str, Any], Body(examples=[{"name": "Ben"}])],
        owner: Owner,
        house: Shared,
    ) -> dict[str, Any]:
        """Take the seat of an invite link."""
        table = house.tables.join(token, owner, str(content.get("name", "")))
        return {"table": table.id, "seats": table.seats_of(owner)}

    @app.get("/api/tables/{table}/record", tags=["tables"])
    def table_record(table: str, house: Shared) -> dict[str, Any]:
        """The record, once the match is over."""
        found = house.tables.get(table)
        with found.lock:
            if found.status != "over":
                raise BadPost(Message("storeys.web.not-over"))
            return found.match.record()

    @app.get("/api/tables/{table}/picture.png", tags=["tables"])
    def table_picture(
        request: Request,
        table: str,
        house: Shared,
        view: str = "skyline",
        theme: str = "light",
        lang: str | None = None,
    ) -> Response:
        """A picture of the table as a spectator sees it, to be shared."""
        from storeys.raster import to_png

        found = house.tables.get(table)
        with found.lock:
            chosen = pages.known_language(lang) or pages.language_of(request)
            named = found.match.renamed(found.names_in(chosen))
            svg = named.svg(None, view=view, theme=theme, lang=chosen)
        return Response(to_png(svg), media_type="image/png")

    @app.post("/api/replays", status_code=201, tags=["tables"])
    def upload_record(content: Annotated[dict[str, Any], Body()], house: Shared) -> dict[str, Any]:
        """Keep the record of a match that is over, to replay it."""
        table = house.tables.replay(content)
        return {"table": table.id, "url": f"/t/{table.id}"}

    @app.get("/api/stream", tags=["tables"])
    async def stream(house: Shared, owner: Owner, tables: str = "") -> StreamingResponse:
        """Server-sent events: which of these tables has something new."""
        watched = frozenset(table for table in tables.split(",")[:50] if table)
        return StreamingResponse(
            house.live.stream(watched, owner), media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )  # fmt: skip
