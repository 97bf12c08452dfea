"""What stands in a request: texts, numbers and nesting that nobody should send are refused.

Texts that cannot be written down (half a sign of UTF-16, NUL, which PostgreSQL does not take) are
refused wherever they stand, as are numbers that are none, and content that is nested so deeply
that whatever reads it would fail.
"""

import json
import math
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.routing import compile_path, get_name

from storeys.kernel.messages import Message
from storeys.web.errors import Refused

MOST_DEPTH = 30
"""How deeply lists and tables in a request may be nested; a record has ten levels at most."""


class CheckedRequest(Request):
    """A request whose content has been looked through before anybody else reads it."""

    async def json(self) -> Any:
        """The content; what is no JSON at all is told by whoever asks for it."""
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body())
        return self._json

    async def form(self, **limits: Any) -> FormData:  # type: ignore[override]  # Starlette names each limit
        """The content of a form."""
        content = await super().form(**limits)
        check_content([*content.keys(), *content.values()])
        return content


def operation_id(route: APIRoute) -> str:
    """What an endpoint is called in clients that are made from its description."""
    return route.name


class LateRoute(APIRoute):
    """An endpoint that FastAPI builds when it is first asked, or described.

    What an endpoint takes and answers becomes models, which takes longer than most answers: nobody
    waits at the start for those of endpoints that nobody has asked yet.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.path, self.endpoint, self.name = path, endpoint, options["name"] or get_name(endpoint)
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self.methods = set(options["methods"])
        self._building = threading.RLock()
        self._options: dict[str, Any] | None = options

    def __getattr__(self, name: str) -> Any:
        """Asked for whatever is not there yet: the endpoint is built then."""
        with self._building:
            options, self._options = self._options, None
            if options is not None:
                super().__init__(self.path, self.endpoint, **options)
        return object.__getattribute__(self, name)


class CheckedRoute(LateRoute):
    """An endpoint that is given checked requests."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The endpoint's own handler, for a request that looks its content through."""
        handle = super().get_route_handler()

        async def handle_checked(request: Request) -> Response:
            return await handle(CheckedRequest(request.scope, request.receive))

        return handle_checked


def read_json(body: bytes) -> Any:
    """The content of a body; ``Refused`` for what JSON can say and nobody should."""
    try:
        content = json.loads(body.decode("utf-8"))
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # no UTF-8, or a number of thousands of digits
        why = str(error).partition(";")[0].partition(":")[0]
        raise Refused(422, Message("storeys.web.unreadable", where="body", why=why)) from None
    except RecursionError:
        raise Refused(422, Message("storeys.web.too-deep", n=MOST_DEPTH)) from None
    check_content(content)
    return content


def check_content(content: Any) -> None:
    """Refuse texts that cannot be written down, numbers that are none, and deep nesting."""
    level = [content]
    for _ in range(MOST_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                if not is_text(value):
                    raise Refused(422, Message("storeys.web.bad-text"))
            elif isinstance(value, dict):
                below += value.keys()
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, float) and not math.isfinite(value):
                raise Refused(422, Message("storeys.web.bad-number"))
        if not below:
            return
        level = below
    raise Refused(422, Message("storeys.web.too-deep", n=MOST_DEPTH))


def is_text(text: str) -> bool:
    """Whether a text can be written down and kept."""
    if text.isascii():
        return "\0" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
