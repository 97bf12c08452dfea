"""A short way for what is asked most: a table's state, and an event that is posted to it.

FastAPI describes these endpoints and reads their requests, which takes it longer than most answers
take.  Here a request that looks as pages write them is read by hand, and the same function answers
it.  Whatever looks otherwise, or cannot be read, goes FastAPI's way, which says what is wrong.
"""

import json
import re
from typing import Any

from fastapi import HTTPException, Request
from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Message, Receive, Scope, Send

from storeys.web import api, models
from storeys.web.contents import read_json
from storeys.web.errors import Refused
from storeys.web.language import known_language, language_of
from storeys.web.services import owner_of, services_of
from storeys.web.states import MOST_KNOWN, StateQuery

ADDRESS = re.compile(r"/api/tables/([A-Za-z0-9_-]{1,64})(/events)?")
NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
NUMBERS, TEXTS = frozenset(("seat", "turn")), frozenset(("view", "theme", "lang", "known"))
JSON = "application/json"
LONG_WAY = "storeys.long_way"
FOUND = "storeys.quick"
EVENT: TypeAdapter[models.TableEvent] = TypeAdapter(models.TableEvent)


class Quick(BaseRoute):
    """A route in front of all others, which takes what it can read."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is asked for so often, and written so plainly."""
        if scope["type"] != "http" or LONG_WAY in scope or scope.get("root_path"):
            return Match.NONE, {}
        address = ADDRESS.fullmatch(scope["path"])
        if address is None or scope["method"] != ("POST" if address[2] else "GET"):
            return Match.NONE, {}
        words = read_query(scope.get("query_string", b"").decode("latin-1"))
        return (Match.NONE, {}) if words is None else (Match.FULL, {FOUND: (address[1], words)})

    def url_path_for(self, name: str, /, **path_params: Any) -> Any:
        """No address is made up by this route."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the endpoints do."""
        table, words = scope[FOUND]
        request = Request(scope, receive)
        owner, services, look = owner_of(request), services_of(request), look_of(words, request)
        if scope["method"] == "GET":
            answer = await api.get_state(request, table, look, owner, services)
        else:
            body = await _body(request)
            event = read_event(request.headers.get("content-type"), body)
            if event is None:
                scope[LONG_WAY] = True
                await scope["router"].app(scope, _once_more(body, receive), send)
                return
            answer = await api.post_event(request, table, event, look, owner, services)
        await answer(scope, receive, send)


def read_query(text: str) -> dict[str, str] | None:
    """The words of a query, each known, once, and plain; None if it has others.

    >>> from storeys.web.quick import read_query
    >>> read_query("view=plan&turn=1&known=0a%2C0b")
    {'view': 'plan', 'turn': '1', 'known': '0a,0b'}
    >>> read_query("turn=one"), read_query("turn=1&turn=2"), read_query("lang=%C3%A4")
    (None, None, None)
    """
    found: dict[str, str] = {}
    for part in text.split("&") if text else ():
        name, _, value = part.partition("=")
        value = value.replace("%2C", ",")
        if name in found or "%" in value or "+" in value or not value.isascii():
            return None
        if not (NUMBER.fullmatch(value) if name in NUMBERS else name in TEXTS):
            return None
        found[name] = value
    return found if len(found.get("known", "")) <= MOST_KNOWN else None


def look_of(words: dict[str, str], request: Request) -> StateQuery:
    """How a browser wants to see the state, by the words of its query."""
    seat = words.get("seat")
    return StateQuery(
        None if seat is None else int(seat),
        None,
        words.get("view", StateQuery.view),
        int(words.get("turn", StateQuery.turn)),
        words.get("theme", StateQuery.theme),
        known_language(words.get("lang")) or language_of(request),
        None,
        frozenset(words.get("known", "").split(",")),
    )


def read_event(kind: str | None, body: bytes) -> models.TableEvent | None:
    """The event in a body; None if it is none."""
    if kind != JSON:
        return None
    try:
        return EVENT.validate_python(read_json(body))
    except (json.JSONDecodeError, ValidationError, Refused):
        return None


async def _body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect as error:
        raise HTTPException(400) from error


def _once_more(body: bytes, receive: Receive) -> Receive:
    """A request whose body was read already, from the beginning."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return parts.pop() if parts else await receive()

    return receive_again
