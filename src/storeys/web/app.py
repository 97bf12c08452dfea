"""The server: pages, the JSON API, the stream, and what looks after it all."""

import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    generate_latest,
)
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

import storeys
from storeys.kernel.errors import IllegalMove, StoreysError
from storeys.kernel.messages import Message
from storeys.web import api, pages
from storeys.web.compiling import Compiling
from storeys.web.database import PATIENCE, Unavailable
from storeys.web.errors import NoTable, NotYours, message_of
from storeys.web.language import language_of
from storeys.web.live import Live
from storeys.web.news import News
from storeys.web.presence import Presence
from storeys.web.readiness import Readiness
from storeys.web.services import Services
from storeys.web.states import AreaCache
from storeys.web.store import Late, Store
from storeys.web.tables import Tables
from storeys.web.workers import PACE, Workers
from storeys.web.writers import Writers

COOKIE = "storeys"
TRY_AGAIN = 2
"""After how many seconds something may be tried again that could not be done."""
PLAIN_TEXT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
YEAR = 365 * 24 * 3600
STATIC = Path(__file__).parent / "static"
MOST_BYTES = 2_000_000
"""How large a request may be: a record with a component set of its own has tens of thousands."""
LEAST_BYTES, EFFORT = 1000, 6
"""From which size on answers are compressed, and how hard: harder takes longer for little."""
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
log = structlog.get_logger("storeys.web")


def create_app(
    database: str = "sqlite://",
    workers: int | None = None,
    pace: float = PACE,
    compiles: bool = False,
    patience: float = PATIENCE,
    up_to_date: bool = False,
) -> FastAPI:
    """The server on a database; ``workers`` processes for bots, ``pace`` seconds a bot's move.

    One that ``compiles`` does that in processes beside it, as long as something is to be compiled.
    What cannot be written within the ``patience``, in seconds, is refused.  A database that is
    ``up_to_date`` has been looked at by somebody else.
    """
    store, registry = Store(database, patience, up_to_date), CollectorRegistry()
    presence = Presence()
    tables, live = Tables(store, presence), Live(presence)
    bots = Workers(tables, storeys.game_names(), workers, pace, registry)
    services = Services(
        store, tables, live, bots, Compiling(), AreaCache(), registry,
        Writers(store), Readiness(store), News(store, tables, live, presence),
    )  # fmt: skip

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as ending:  # Each is ended, whatever happens to another.
            ending.callback(store.close)
            ending.callback(services.writers.stop)
            ending.callback(services.workers.stop)
            ending.callback(services.news.stop)
            ending.callback(services.compiling.stop)
            ending.callback(live.stop)
            live.start()
            services.workers.start()
            tables.listeners += [live.tell, services.workers.consider]
            services.news.start()
            services.workers.resume()
            if compiles:
                tables.listeners.append(services.note_played)
                services.compiling.start(storeys.game_names())
            yield

    app = FastAPI(
        title="storeys", version=storeys.__version__, lifespan=lifespan,
        description="Play skyscraper board games: everything the pages can do.",
        generate_unique_id_function=_operation_id,
    )  # fmt: skip
    app.state.services = services
    # Inside what looks after requests.  It leaves pictures alone, and streams, which must not wait.
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_BYTES, compresslevel=EFFORT)
    _add_errors(app)
    _add_watching(app, services)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


def _operation_id(route: APIRoute) -> str:
    """What an endpoint is called in clients that are made from its description."""
    return route.name


# --- errors, logs, figures


def _status_of(error: StoreysError) -> int:
    if isinstance(error, NoTable):
        return 404
    if isinstance(error, NotYours):
        return 403
    if isinstance(error, Unavailable):
        return 503
    return 409 if isinstance(error, Late) else 422


def _refusal(
    request: Request, message: Message | StoreysError, status: int, rule: str | None = None
) -> Response:
    """One sentence, in the language of the page: as JSON for programs, as a page for people."""
    sentence = message.text(language_of(request))
    if request.url.path.startswith("/api/"):
        about = {} if (seat := getattr(message, "seat", None)) is None else {"seat": seat}
        return JSONResponse({"error": sentence, "rule": rule} | about, status)
    return pages.error_page(request, sentence, status)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(StoreysError)
    def refuse(request: Request, error: StoreysError) -> Response:
        rule = error.rule if isinstance(error, IllegalMove) else None
        answer = _refusal(request, error, _status_of(error), rule)
        if isinstance(error, Unavailable):
            answer.headers["Retry-After"] = str(TRY_AGAIN)
            if request.method == "GET" and not request.url.path.startswith("/api/"):
                answer.headers["Refresh"] = str(TRY_AGAIN)  # A page does so by itself.
        return answer

    @app.exception_handler(RequestValidationError)
    def cannot_read(request: Request, error: RequestValidationError) -> Response:
        return _refusal(request, message_of(error.errors()[0], api.KINDS), 422)

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


def _add_watching(app: FastAPI, services: Services) -> None:
    asked = Counter(
        "storeys_requests", "Requests by method and status", ["method", "status"],
        registry=services.registry,
    )  # fmt: skip
    events = Counter("storeys_events", "Events at tables", registry=services.registry)
    Gauge("storeys_streams", "Open streams", registry=services.registry).set_function(
        lambda: services.live.watching
    )
    services.tables.listeners.append(lambda table, seq: events.inc())

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

    @app.get(
        "/healthz",
        response_class=PlainTextResponse,
        tags=["server"],
        responses={503: {"description": "The database takes nothing now", "content": PLAIN_TEXT}},
    )
    async def healthz(request: Request) -> PlainTextResponse:
        """Whether the server can do its work: its database takes what is written."""
        problem = await services.readiness.problem()
        if problem is None:
            return PlainTextResponse("ok")
        headers = {"Retry-After": str(TRY_AGAIN)}
        return PlainTextResponse(problem.text(language_of(request)), 503, headers)

    @app.get("/metrics", tags=["server"])
    def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(generate_latest(services.registry), media_type=CONTENT_TYPE_LATEST)
