"""The server: pages, the JSON API, the stream, and what looks after it all."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    generate_latest,
)
from starlette.middleware.gzip import GZipMiddleware

import storeys
from storeys.web import admin, api, describing, faces, installing, own_data, pages, qr, reminders
from storeys.web.clocks import Clocks
from storeys.web.compiling import Compiling
from storeys.web.contents import operation_id
from storeys.web.database import PATIENCE
from storeys.web.identity import Identities
from storeys.web.intake import Intake
from storeys.web.knowing import Knowing
from storeys.web.language import language_of
from storeys.web.limits import Limits
from storeys.web.live import Live
from storeys.web.mailing import Mailing, MailSettings
from storeys.web.news import News
from storeys.web.presence import Presence
from storeys.web.quick import Quick
from storeys.web.rates import Allowance, Rates
from storeys.web.reactions import Reactions
from storeys.web.readiness import Readiness
from storeys.web.refusing import TRY_AGAIN, add_errors, refused
from storeys.web.services import Services
from storeys.web.states import AreaCache
from storeys.web.store import Store
from storeys.web.sweeping import Sweeping
from storeys.web.tables import Tables
from storeys.web.versions import STATIC
from storeys.web.watching import Watching
from storeys.web.workers import PACE, Workers
from storeys.web.writers import Writers

PLAIN_TEXT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
LEAST_BYTES, EFFORT = 1000, 6
"""From which size on answers are compressed, and how hard: harder takes longer for little."""


def create_app(
    database: str = "sqlite://",
    workers: int | None = None,
    pace: float = PACE,
    compiles: bool = False,
    limits: Limits | None = None,
    patience: float = PATIENCE,
    up_to_date: bool = False,
) -> FastAPI:
    """The server on a database; ``workers`` processes for bots, ``pace`` seconds a bot's move.

    One that ``compiles`` does that in processes beside it, as long as something is to be compiled.
    ``limits`` are those of the settings unless others are given.  What cannot be written within the
    ``patience``, in seconds, is refused.  A database that is ``up_to_date`` has been looked at by
    somebody else.
    """
    limits = Limits.from_settings() if limits is None else limits
    store, registry = Store(database, patience, up_to_date), CollectorRegistry()
    presence = Presence()
    tables, live = Tables(store, presence), Live(presence)
    reactions = Reactions(store, live)
    bots = Workers(tables, storeys.game_names(), workers, pace, registry)
    services = Services(
        store, tables, live, bots, Compiling(), AreaCache(clock=store.now), registry,
        Identities(store), limits, Sweeping(store, tables, limits), Writers(store),
        Readiness(store), News(store, tables, live, presence, reactions),
        Clocks(tables), reactions, Mailing(tables, MailSettings.from_settings()),
    )  # fmt: skip

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as ending:  # Each is ended, whatever happens to another.
            ending.callback(store.close)
            ending.callback(tables.keep_checkpoints)
            ending.callback(services.sweeping.stop)
            ending.callback(services.clocks.stop)
            ending.callback(services.mailing.stop)
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
            services.sweeping.start()
            services.clocks.start()
            services.mailing.start()
            if compiles:
                tables.listeners.append(services.note_played)
                services.compiling.start(storeys.game_names())
            yield

    app = FastAPI(
        title="storeys", version=storeys.__version__, lifespan=lifespan,
        description="Play skyscraper board games: everything the pages can do.",
        generate_unique_id_function=operation_id,
        redirect_slashes=False,  # Such a redirect would repeat any host that it was asked by.
        docs_url=None, redoc_url=None,  # They load scripts from elsewhere; we serve our own.
        # We have figures of our own; every request would look whether somebody collects others.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )  # fmt: skip
    app.state.services = services
    # From the inside out.  What compresses leaves pictures alone, and streams, which must not wait.
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_BYTES, compresslevel=EFFORT)
    allowance = Allowance(limits)
    app.add_middleware(Rates, allowance=allowance)
    app.add_middleware(Knowing, identities=services.identities)
    app.add_middleware(Intake, limits=limits)
    app.add_middleware(Quick, services=services, allowance=allowance, refuse=refused)
    app.add_middleware(Watching, registry=registry)
    add_errors(app)
    _add_figures(app, services)
    for router in (
        api.router, own_data.api, own_data.pages, admin.router, pages.router, describing.router,
        qr.router, faces.router, reminders.router, installing.router,
    ):  # fmt: skip
        # As they are: what FastAPI includes it builds once more, while the first page waits.
        app.router.routes.extend(router.routes)
    app.mount(describing.FILES, StaticFiles(directory=describing.folder()), name="swagger")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


# --- figures


def _add_figures(app: FastAPI, services: Services) -> None:
    events = Counter("storeys_events", "Events at tables", registry=services.registry)
    Gauge("storeys_streams", "Open streams", registry=services.registry).set_function(
        lambda: services.live.watching
    )
    services.tables.listeners.append(lambda table, seq: events.inc())

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

    @app.get("/metrics", response_class=PlainTextResponse, tags=["server"])
    def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(generate_latest(services.registry), media_type=CONTENT_TYPE_LATEST)
