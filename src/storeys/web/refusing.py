"""What is said to who is refused: one sentence, as JSON for programs, as a page for people."""

from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Mount

from storeys.kernel.errors import IllegalMove, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.quoting import clipped
from storeys.web import api, pages
from storeys.web.database import Unavailable
from storeys.web.errors import LONG, NoTable, NotYours, Refused, message_of
from storeys.web.language import language_of
from storeys.web.store import Late

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""The methods that have a name here; clients may make up any number of others."""
TRY_AGAIN = 2
"""After how many seconds something may be tried again that the database did not take."""
log = structlog.get_logger("storeys.web")


def refusal(
    request: Request, message: Message | StoreysError, status: int, rule: str | None = None
) -> Response:
    """One sentence, in the language of the page: as JSON for programs, as a page for people."""
    sentence = message.text(language_of(request))
    if request.url.path.startswith("/api/"):
        about = {} if (seat := getattr(message, "seat", None)) is None else {"seat": seat}
        return JSONResponse({"error": sentence, "rule": rule} | about, status)
    return pages.error_page(request, sentence, status)


def broken(request: Request, error: Exception) -> Response:
    """What is said when the fault is the server's own."""
    log.error("broken", path=clipped(request.url.path, LONG), error=repr(error))
    return refusal(request, Message("storeys.web.broken"), 500)


def add_errors(app: FastAPI) -> None:
    """Answer everything that is raised for a reason that the asker can know."""

    @app.exception_handler(RequestValidationError)
    def cannot_read(request: Request, error: RequestValidationError) -> Response:
        return refusal(request, message_of(error.errors()[0], api.KINDS), 422)

    for kind in (StoreysError, HTTPException):
        app.add_exception_handler(kind, refused)


def refused(request: Request, error: Exception) -> Response:
    """What is answered where something is refused, or is not there."""
    if isinstance(error, HTTPException):
        response = refusal(request, _message_of_status(request, error), _known_status(error))
        for name, value in _headers_of(request, error).items():
            response.headers[name] = value
        return response
    if not isinstance(error, StoreysError):
        raise error
    rule = error.rule if isinstance(error, IllegalMove) else None
    response = refusal(request, error, _status_of(error), rule)
    if isinstance(error, Unavailable):
        response.headers["Retry-After"] = str(TRY_AGAIN)
        if request.method == "GET" and not request.url.path.startswith("/api/"):
            response.headers["Refresh"] = str(TRY_AGAIN)  # A page does so by itself.
    return response


def _status_of(error: StoreysError) -> int:
    if isinstance(error, NoTable):
        return 404
    if isinstance(error, NotYours):
        return 403
    if isinstance(error, Unavailable):
        return 503
    return 409 if isinstance(error, Late) else 422


def _known_status(error: HTTPException) -> int:
    """The status of an answer: what a library calls a bad request cannot be read (422)."""
    return 422 if error.status_code == 400 else error.status_code


def _message_of_status(request: Request, error: HTTPException) -> Message:
    if isinstance(error, Refused):
        return error.message
    where = clipped(request.url.path, LONG)
    if error.status_code == 404:
        return Message("storeys.web.no-page", where=where)
    if error.status_code == 405:
        return Message("storeys.web.no-method", where=where)
    return Message("storeys.web.unreadable", where=where, why=clipped(str(error.detail), LONG))


def _headers_of(request: Request, error: HTTPException) -> dict[str, Any]:
    if error.status_code == 405:
        return {"Allow": ", ".join(methods_at(request))}
    return dict(error.headers or {})


def methods_at(request: Request) -> list[str]:
    """All methods that an address takes: a router names those of the first route there only."""
    routes: list[BaseRoute] = request.app.router.routes
    # Not the request's own: routers note in it what they have found.
    asked = {"type": "http", "path": request.scope["path"], "root_path": "", "headers": []}
    return sorted(
        {
            method
            for method in METHODS
            for route in routes
            if not isinstance(route, Mount) or method in ("GET", "HEAD")
            if route.matches(asked | {"method": method})[0] is Match.FULL
        }
    )
