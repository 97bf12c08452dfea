"""A short way for what is asked most: a table's state, and an event that is posted to it.

FastAPI describes these endpoints and reads their requests, which takes it longer than most answers
take, and so does the way there through everything that may look at a request.  Here a request that
looks as pages write them is read by hand, and the same function answers it.  Whatever looks
otherwise, or cannot be read, goes the long way, which says what is wrong.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import Request, Response
from pydantic import ConfigDict, TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storeys.kernel.errors import StoreysError
from storeys.web import api, models
from storeys.web.contents import read_json
from storeys.web.errors import Refused
from storeys.web.identity import is_foreign
from storeys.web.intake import Body
from storeys.web.language import known_language, language_of
from storeys.web.rates import Allowance
from storeys.web.services import Services
from storeys.web.states import MOST_KNOWN, StateQuery

ADDRESS = re.compile(r"/api/tables/([A-Za-z0-9_-]{1,64})(/events)?")
NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
NUMBERS, TEXTS = frozenset(("seat", "turn")), frozenset(("view", "theme", "lang", "known"))
JSON = "application/json"
Refuse = Callable[[Request, Exception], Response]
"""What is answered to who is refused."""
EVENT: TypeAdapter[models.TableEvent] = TypeAdapter(
    models.TableEvent, config=ConfigDict(defer_build=True)
)


class Quick:
    """In front of everything but what watches over answers; takes what it can read.

    What is asked for here has passed the same guards as elsewhere: who asks is known by a cookie of
    ours, no other website asks for it, and it is not one too many.  Where one of them has anything
    to say, it is said by the long way.
    """

    def __init__(
        self, app: ASGIApp, services: Services, allowance: Allowance, refuse: Refuse
    ) -> None:
        self.app, self.services, self.allowance, self.refuse = app, services, allowance, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the endpoints do."""
        found = read_request(scope)
        if found is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        owner = self.services.identities.owner_at_once(request)
        if owner is None or is_foreign(request):
            await self.app(scope, receive, send)
            return
        answer: Response | None = None
        try:
            event: models.TableEvent | None = None
            if found.posts:
                body = await _body(
                    Request(scope, Body(receive, send, self.services.limits).receive)
                )
                event = read_event(request.headers.get("content-type"), body)
                receive = _once_more(body, receive)
            is_read = event is not None or not found.posts
            if is_read and not self.allowance.wait_for(scope, owner):
                answer = await self._answer(request, found, event, owner)
        except (StoreysError, HTTPException) as error:
            answer = self.refuse(request, error)
        await (answer or self.app)(scope, receive, send)

    async def _answer(
        self, request: Request, found: "Asked", event: models.TableEvent | None, owner: str
    ) -> Response:
        look = look_of(found.words, request)
        if event is None:
            return await api.get_state(request, found.table, look, owner, self.services)
        return await api.post_event(request, found.table, event, look, owner, self.services)


@dataclass(frozen=True)
class Asked:
    """What is asked for: a table's state, or to post an event to it."""

    table: str
    posts: bool
    words: dict[str, str]


def read_request(scope: Scope) -> Asked | None:
    """What a request asks for, if that is asked so often, and written so plainly."""
    if scope["type"] != "http" or scope.get("root_path"):
        return None
    address = ADDRESS.fullmatch(scope["path"])
    if address is None or scope["method"] != ("POST" if address[2] else "GET"):
        return None
    headers = dict(scope["headers"])
    if len(headers) < len(scope["headers"]):  # Who reads which of them differs.
        return None
    if address[2] and not _is_short(headers.get(b"content-length", b"")):
        return None
    words = read_query(scope.get("query_string", b"").decode("latin-1"))
    return None if words is None else Asked(address[1], bool(address[2]), words)


def _is_short(length: bytes) -> bool:
    return length.isdigit() and len(length) <= 4


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
