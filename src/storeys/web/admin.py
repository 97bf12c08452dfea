"""A page for who hosts the server: what is played, what it costs, and which versions run.

It is there only if the host has set a token.  Of matches it shows who sits where and what has
been written, never what lies on a table: nothing is read that is hidden from players.
"""

import hashlib
import hmac
import os
import platform
import re
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from sqlalchemy import Text, cast, func, select

import storeys
from storeys.kernel.errors import StoreysError
from storeys.registry import get_game
from storeys.web.contents import CheckedRoute
from storeys.web.database import REVISIONS
from storeys.web.language import language_of
from storeys.web.pages import page
from storeys.web.services import Services, ServicesDep
from storeys.web.store import EVENTS, SEATS, TABLES, Store
from storeys.web.writers import writes

TOKEN = "STOREYS_ADMIN_TOKEN"
SHORTEST = 16
"""How many signs a token has at least."""
COOKIE = "storeys-admin"
HOURS = 8
MOST_LISTED = 200
BEGINNING = 80
LIBRARIES = (
    "alembic", "fastapi", "jinja2", "numba", "numpy", "psycopg", "pydantic", "sqlalchemy",
    "starlette", "uvicorn",
)  # fmt: skip

router = APIRouter(include_in_schema=False, route_class=CheckedRoute)


# --- who may


async def admin_token() -> str:
    """The token that the host has set; without one there is no such page."""
    token = os.environ.get(TOKEN, "")
    if len(token) < SHORTEST:
        raise HTTPException(404)
    return token


TokenDep = Annotated[str, Depends(admin_token)]


def make_pass(services: Services, token: str, until: float) -> str:
    """A cookie that opens the page until a time, or until the host sets another token."""
    return f"{until:.0f}.{services.identities.sign('admin', f'{until:.0f}.{token}')}"


def is_let_in(services: Services, token: str, cookie: str) -> bool:
    """Whether a cookie opens the page now."""
    until, _, _ = cookie.partition(".")
    if not (until.isascii() and until.isdigit() and time.time() < int(until)):
        return False
    return _is_same(cookie, make_pass(services, token, int(until)))


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same, in a time that tells nothing of where they differ."""
    first, second = (hashlib.sha256(text.encode("utf-8", "replace")) for text in (one, other))
    return hmac.compare_digest(first.digest(), second.digest())


def check_let_in(request: Request, token: TokenDep, services: ServicesDep) -> None:
    """Send away who has not given the token."""
    if not is_let_in(services, token, request.cookies.get(COOKIE, "")):
        raise HTTPException(404)


# --- what is shown


@dataclass(frozen=True)
class Running:
    """A table as the host sees it."""

    id: str
    title: str
    names: list[str]
    created: float
    touched: float
    events: int


def running_tables(store: Store, lang: str) -> tuple[int, list[Running]]:
    """How many matches are not over, and those of them at which something happened last."""
    is_open = (TABLES.c.kind == "match") & TABLES.c.ended.is_(None)
    events = (
        select(func.count()).where(EVENTS.c.table_id == TABLES.c.id).correlate(TABLES)
    ).scalar_subquery()
    # A record begins with its game; more of it is not read, and it may be one that cannot be.
    beginning = func.substr(cast(TABLES.c.record, Text), 1, BEGINNING).label("beginning")
    last = func.coalesce(TABLES.c.touched, TABLES.c.created).label("last")
    listed = (
        select(TABLES.c.id, TABLES.c.created, beginning, last, events.label("events"))
        .where(is_open)
        .order_by(last.desc())
        .limit(MOST_LISTED)
    )
    with store.reading() as connection:
        count = connection.scalar(select(func.count()).select_from(TABLES).where(is_open)) or 0
        rows = connection.execute(listed).all()
        names = _names_at(connection, [row.id for row in rows])
    found = [
        Running(row.id, _title(row.beginning, lang), names.get(row.id, []), row.created, row.last,
                row.events)
        for row in rows
    ]  # fmt: skip
    return count, found


def _names_at(connection: Any, tables: list[str]) -> dict[str, list[str]]:
    seats = select(SEATS.c.table_id, SEATS.c.name).where(SEATS.c.table_id.in_(tables))
    names: dict[str, list[str]] = {}
    for row in connection.execute(seats.order_by(SEATS.c.table_id, SEATS.c.seat)):
        names.setdefault(row.table_id, []).append(row.name)
    return names


def _title(beginning: str, lang: str) -> str:
    """The game at the beginning of a record; a question mark where none is."""
    found = re.match(r'\{"game": ?"([^"]+)"', beginning)
    if found is None:
        return "?"
    try:
        return get_game(found[1]).title.text(lang)
    except StoreysError:
        return found[1]


def load_of(services: Services) -> dict[str, int]:
    """What the server has to do now."""
    processes = services.workers.processes
    return {
        "streams": services.live.watching,
        "processes": len(processes.running),
        "most": processes.most,
        "waiting": services.workers.in_line,
    }


def versions_of(store: Store) -> dict[str, str]:
    """What runs, in which version."""
    found = {"storeys": storeys.__version__, "Python": platform.python_version()}
    with store.reading() as connection:
        dialect = connection.dialect
        number = ".".join(map(str, dialect.server_version_info or ()))
    found[dialect.name] = f"{number} ({REVISIONS[-1]})"
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:  # not needed with this database
            continue
    return found


# --- the page


@router.get("/admin", response_class=HTMLResponse)
def admin_page(request: Request, token: TokenDep, services: ServicesDep) -> Response:
    """Ask for the token, or show what runs."""
    if not is_let_in(services, token, request.cookies.get(COOKIE, "")):
        return page(request, "admin.html", let_in=False, wrong=False)
    count, running = running_tables(services.store, language_of(request))
    response = page(
        request, "admin.html", let_in=True, count=count, running=running,
        load=load_of(services), versions=versions_of(services.store),
    )  # fmt: skip
    response.headers["Cache-Control"] = "no-store"
    return response


@router.post("/admin", response_class=HTMLResponse)
def let_in(
    request: Request, token: TokenDep, services: ServicesDep, given: Annotated[str, Form()] = ""
) -> Response:
    """Open the page for some hours to who gives the token."""
    if not _is_same(given, token):
        return page(request, "admin.html", 403, let_in=False, wrong=True)
    response = RedirectResponse("/admin", status_code=303)
    seconds = HOURS * 3600
    response.set_cookie(
        COOKIE, make_pass(services, token, time.time() + seconds), max_age=seconds, path="/admin",
        httponly=True, samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


@router.post("/admin/delete/{table}", dependencies=[Depends(check_let_in)])
@writes
def delete_table(table: str, services: ServicesDep) -> RedirectResponse:
    """Remove a table, whoever plays there."""
    services.tables.remove(table)
    return RedirectResponse("/admin", status_code=303)


@router.post("/admin/leave", dependencies=[Depends(check_let_in)])
def leave() -> RedirectResponse:
    """Close the page again."""
    response = RedirectResponse("/admin", status_code=303)
    response.delete_cookie(COOKIE, path="/admin", httponly=True, samesite="strict")
    return response
