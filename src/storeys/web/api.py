"""The JSON API: everything the pages can do, and what programs play through."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, StreamingResponse

import storeys
from storeys.kernel.messages import Message
from storeys.registry import get_game
from storeys.web import models
from storeys.web.contents import CheckedRoute, operation_id
from storeys.web.errors import BadPost, not_yours
from storeys.web.evening import evening_of
from storeys.web.handlers import HANDLERS, handle_event
from storeys.web.language import known_language
from storeys.web.listing import MOST_SKIPPED, bots_facts, game_facts, table_facts
from storeys.web.pieces import Piece, gzipped, members, plain
from storeys.web.services import LangDep, OwnerDep, Services, ServicesDep
from storeys.web.states import MOST_KNOWN, Browser, StateQuery, browser_at, pieces_of, tag_of
from storeys.web.table import Snapshot
from storeys.web.uploads import check_record
from storeys.web.writers import writes

REFUSALS: dict[int, str] = {
    403: "It belongs to somebody else, or a page of another website asked for it",
    404: "There is no such table or link",
    408: "The request was not there in time",
    409: "Something else has happened meanwhile: ask for the state and decide anew",
    413: "The request is too large",
    422: "The request cannot be read, or is not possible now",
    429: "That was too much at once: try again after `Retry-After` seconds",
    500: "The server is broken",
    503: "The database cannot be asked or written now: nothing was done, try again",
}


SENT = (403, 408, 413)
"""How whatever is sent to change something can be refused, beside what may be wrong in it."""


def refused(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an endpoint, as OpenAPI describes them.

    They name the model of a refusal, which one endpoint declares: FastAPI would build it anew for
    each of them, as many models as all others together.
    """
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    return {status: {"description": REFUSALS[status], "content": content} for status in statuses}


router = APIRouter(
    prefix="/api", responses=refused(422, 429, 500, 503), route_class=CheckedRoute,
    generate_unique_id_function=operation_id,
)  # fmt: skip
"""The endpoints of the API."""

ViewParam = Annotated[
    str, Query(json_schema_extra={"enum": [*get_args(models.View.__value__)]})
]  # A wrong one is refused where pictures are drawn, by a better sentence.
ThemeParam = Annotated[str, Query(json_schema_extra={"enum": [*get_args(models.Theme.__value__)]})]
Lang = Annotated[str | None, Query(description="a language; without one that of the browser")]
Known = Annotated[
    str, Query(max_length=MOST_KNOWN, description="hashes of drawings that need not be sent again")
]


SeatParam = Annotated[int | None, Query(ge=0, description="whose view: a seat of one's own")]


async def look_query(
    lang_of_browser: LangDep,
    seat: SeatParam = None,
    view: ViewParam = "plan",
    turn: Annotated[int, Query(description="quarter turns of the skyline")] = 0,
    theme: ThemeParam = "light",
    lang: Lang = None,
    known: Known = "",
) -> StateQuery:
    """How a browser wants to see the state that comes back."""
    chosen = known_language(lang) or lang_of_browser
    hashes = frozenset(known.split(","))
    return StateQuery(seat, None, view, turn, theme, chosen, None, hashes)


LookDep = Annotated[StateQuery, Depends(look_query)]


async def state_query(
    look: LookDep,
    ply: Annotated[int | None, Query(description="the position after so many moves")] = None,
    part: Annotated[
        str | None, Query(max_length=400, description="parts of scores to light up: 0.3 or 0.3,1.2")
    ] = None,
    place: Annotated[
        int | None, Query(description="of those parts, only what lies in this city")
    ] = None,
) -> StateQuery:
    """How a browser wants to see a table, now or earlier."""
    return replace(look, ply=ply, part=part, place=place)


def _examples_of_tables() -> dict[str, Any]:
    me, bot, friend = {"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "builder"}, "friend"
    first, *_, last = storeys.game_names()
    return {
        "against a bot": {"value": {"game": first, "seats": [me, bot], "options": {}}},
        "with a friend": {"value": {"game": last, "seats": [me, {"kind": friend}]}},
    }


def _examples_of_events() -> dict[str, Any]:
    shared = {"seq": 12, "id": "an id of your own", "seat": 0}
    more = {"move": {"move": "draw pile"}, "take-over": {"bot": "builder"}}
    more["rename"] = {"name": "Ada"}
    return {kind: {"value": shared | {"kind": kind} | more.get(kind, {})} for kind in KINDS}


def _kind_of(model: type[models.EventRequest]) -> str:
    return str(get_args(model.model_fields["kind"].annotation)[0])


KINDS = tuple(_kind_of(model) for model in HANDLERS)
"""The kinds of events that can be posted."""


@router.get(
    "/games",
    tags=["games"],
    response_model=models.Games,
    responses={500: {"model": models.Refusal, "description": REFUSALS[500]}},
)
def list_games(lang: LangDep, services: ServicesDep) -> Response:
    """The games with their options, and the bots that can sit down."""
    games = [game_facts(get_game(name), lang) for name in storeys.game_names()]
    answer: models.Games = {"games": games, "bots": bots_facts(lang, services.workers.failing)}
    return JSONResponse(answer)


@router.get("/compiled", tags=["games"])
def get_compiled(services: ServicesDep) -> models.Compiled:
    """How far the games are compiled: until they are, bots think more slowly."""
    games: list[models.GameCompiled] = [
        {"game": one.game, "done": one.done, "steps": one.steps}
        for one in services.compiling.progress()
    ]
    return {"busy": services.compiling.is_busy, "games": games}


@router.get("/tables", tags=["tables"])
def list_tables(
    lang: LangDep,
    owner: OwnerDep,
    services: ServicesDep,
    turn: Annotated[bool, Query(description="only, but all, where one is to move")] = False,
    skip: Annotated[int, Query(ge=0, le=MOST_SKIPPED, description="without the newest")] = 0,
) -> list[models.TableFacts]:
    """The tables at which this browser sits or that it set up, the 30 newest first."""
    tables = services.tables
    found = tables.turns_of(owner) if turn else tables.of_owner(owner, skip=skip)
    return [table_facts(table, owner, lang) for table in found]


@router.post("/tables", status_code=201, tags=["tables"], responses=refused(*SENT))
@writes
def create_table(
    content: Annotated[models.TableRequest, Body(openapi_examples=_examples_of_tables())],
    owner: OwnerDep,
    services: ServicesDep,
) -> models.TableMade:
    """Set up a table: `game`, `players`, `options`, and `seats` (me, here, friend, bot)."""
    table = services.tables.create(content, owner)
    links: list[models.SeatLink] = [
        {"seat": seat.seat, "url": f"/join/{seat.token}"}
        for seat in table.seats
        if seat.kind == "open"
    ]
    return {"table": table.id, "url": f"/t/{table.id}", "links": links}


@router.get(
    "/tables/{table}",
    tags=["tables"],
    response_model=models.State,
    responses=refused(404) | {304: {"description": "Nothing is new since `If-None-Match`"}},
)
async def get_state(
    request: Request,
    table: str,
    query: Annotated[StateQuery, Depends(state_query)],
    owner: OwnerDep,
    services: ServicesDep,
) -> Response:
    """What this browser may see of a table now, or after `ply` moves."""
    found = services.tables.at_hand(table)
    if found is None:
        found = await run_in_threadpool(services.tables.get, table)
    now = found.snapshot
    services.note_asked(now, owner)
    browser = browser_at(now, owner, query.seat)
    kept = {"ETag": tag_of(now, browser, query), "Cache-Control": "private, no-cache"}
    # Where there is a clock, what the time is now is always new.
    if now.clock is None and kept["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=kept)
    return _answer(request, await _pieces(services, now, browser, query), kept)


async def _pieces(
    services: Services, now: Snapshot, browser: Browser, query: StateQuery
) -> list[Piece]:
    """A state: drawn on the spot as it is now, since that is quick, and elsewhere as it was."""
    if query.ply is None and query.part is None:
        return pieces_of(now, browser, query, services.areas)
    return await run_in_threadpool(pieces_of, now, browser, query, services.areas)


def _answer(request: Request, pieces: Sequence[Piece], headers: dict[str, str]) -> Response:
    """Pieces of JSON as an answer, compressed for those who accept it."""
    headers |= {"Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(plain(pieces), headers=headers, media_type="application/json")
    headers |= {"Content-Encoding": "gzip"}
    return Response(gzipped(pieces), headers=headers, media_type="application/json")


@router.delete("/tables/{table}", tags=["tables"], responses=refused(404, *SENT))
@writes
def delete_table(table: str, owner: OwnerDep, services: ServicesDep) -> models.TableDeleted:
    """Remove a table that this browser set up, unless others are still playing there."""
    services.tables.delete(table, owner)
    return {"deleted": table}


@router.get("/tables/{table}/view", tags=["tables"], responses=refused(403, 404))
def get_view(
    table: str, owner: OwnerDep, services: ServicesDep, seat: SeatParam = None
) -> models.TableView:
    """The view of a seat of this browser, as bots take it (without one: a spectator's)."""
    now = services.tables.get(table).snapshot
    services.note_asked(now, owner)
    if seat is not None and seat not in now.seats_of(owner):
        raise not_yours(seat)
    return {"seq": now.seq, "status": now.status, "view": now.match.view(seat)}


@router.post(
    "/tables/{table}/events",
    tags=["tables"],
    response_model=models.Posted,
    responses=refused(404, 409, *SENT),
)
async def post_event(
    request: Request,
    table: str,
    content: Annotated[models.TableEvent, Body(openapi_examples=_examples_of_events())],
    look: LookDep,
    owner: OwnerDep,
    services: ServicesDep,
) -> Response:
    """Do something at a table: `kind`, `seat`, the `seq` it builds on, an `id` of your own.

    The answer carries the state since, as `GET` shows it for the same query; without a query, as
    the seat sees it that has posted.
    """
    seq, now = await services.writers.run(partial(_do, services, table, content, look, owner))
    seat = look.seat if request.scope["query_string"] else content.seat
    still_mine = seat if seat in now.seats_of(owner) else None
    state = await _pieces(services, now, browser_at(now, owner, still_mine), look)
    answer: dict[str, Any] = {"seq": seq}
    if isinstance(content, models.RematchEvent) and now.rematch:
        answer["table"] = now.rematch
    head = Piece(b"{" + members(answer) + b',"state":')
    return _answer(request, [head, *state, Piece(b"}")], {})


def _do(
    services: Services, table: str, event: models.TableEvent, look: StateQuery, owner: str
) -> tuple[int, Snapshot]:
    """Let an event happen, unless its answer could not be shown; its number, and the table then."""
    found = services.tables.get(table)
    _check(look, found.snapshot.seats_of(owner))
    seq = handle_event(services.tables, found, owner, event)
    return seq, found.snapshot


def _check(look: StateQuery, mine: list[int]) -> None:
    """Refuse what cannot be shown before anything is done."""
    look.look()
    if look.seat is not None and look.seat not in mine:
        raise not_yours(look.seat)


@router.post(
    "/tables/{table}/seats/{seat}/link", tags=["tables"], responses=refused(404, 409, *SENT)
)
@writes
def create_seat_link(
    table: str, seat: Annotated[int, Path(ge=0)], owner: OwnerDep, services: ServicesDep
) -> models.LinkMade:
    """A link that moves a seat to another device, once: one's own, or as host a guest's."""
    return {"url": f"/move/{services.tables.make_link(table, seat, owner)}"}


@router.post("/tables/{table}/reactions", tags=["tables"], responses=refused(404, *SENT))
@writes
def react(
    table: str,
    content: Annotated[models.ReactionRequest, Body(examples=[{"seat": 0, "reaction": "bravo"}])],
    owner: OwnerDep,
    services: ServicesDep,
) -> models.Reacted:
    """Let everybody at a table see how a seat of this browser takes it; it is kept nowhere."""
    now = services.tables.get(table).snapshot
    services.note_asked(now, owner)
    services.reactions.react(now, owner, content.seat, content.reaction)
    return {"seat": content.seat, "reaction": content.reaction}


@router.post("/join/{token}", tags=["tables"], responses=refused(404, 409, *SENT))
@writes
def join_table(
    token: str,
    content: Annotated[models.JoinRequest, Body(examples=[{"name": "Ben"}])],
    owner: OwnerDep,
    services: ServicesDep,
) -> models.Joined:
    """Take the seat of an invite link."""
    table = services.tables.join(token, owner, content.name or "", content.face)
    return {"table": table.id, "seats": table.seats_of(owner)}


@router.get(
    "/tables/{table}/record",
    tags=["tables"],
    response_model=models.Record,
    responses=refused(404),
)
def get_record(table: str, services: ServicesDep) -> Response:
    """The record, once the match is over."""
    now = services.tables.get(table).snapshot
    if now.status != "over":
        raise BadPost(Message("storeys.web.not-over"))
    return JSONResponse(now.match.record())


@router.get(
    "/tables/{table}/picture.png",
    tags=["tables"],
    response_class=Response,
    responses={
        200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
        **refused(404),
    },
)
def get_picture(
    lang_of_browser: LangDep,
    table: str,
    services: ServicesDep,
    view: ViewParam = "skyline",
    theme: ThemeParam = "light",
    lang: Lang = None,
) -> Response:
    """A picture of the table as a spectator sees it, to be shared."""
    from storeys.raster import to_png

    now = services.tables.get(table).snapshot
    chosen = known_language(lang) or lang_of_browser
    named = now.match.renamed(now.names_in(chosen))
    svg = named.svg(None, view=view, theme=theme, lang=chosen)
    return Response(to_png(svg), media_type="image/png")


@router.get("/tables/{table}/evening", tags=["tables"], responses=refused(404))
def get_evening(lang: LangDep, table: str, services: ServicesDep) -> models.Evening:
    """Who has won what in the matches that were played in a row at a table, up to this one."""
    return evening_of(services.tables, table, lang)


@router.post("/replays", status_code=201, tags=["tables"], responses=refused(*SENT))
@writes
def upload_record(
    content: Annotated[models.RecordRequest, Body()], services: ServicesDep
) -> models.ReplayMade:
    """Keep the record of a match that is over, to replay it."""
    check_record(content, services.limits)
    table = services.tables.replay(content)
    return {"table": table.id, "url": f"/t/{table.id}"}


@router.get(
    "/stream",
    tags=["tables"],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events: `table` with JSON `{table, seq}`, and `reaction` "
            "with `{table, seat, reaction}`",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def stream_news(
    services: ServicesDep,
    owner: OwnerDep,
    tables: Annotated[str, Query(description="ids of tables, with commas between them")] = "",
) -> StreamingResponse:
    """Server-sent events: which of these tables has something new."""
    watched = frozenset(table for table in tables.split(",")[:50] if table)
    return StreamingResponse(
        services.live.stream(watched, owner), media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )  # fmt: skip
