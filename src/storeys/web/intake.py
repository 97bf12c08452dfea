"""What comes in: how large a request may be, and how slowly it may be sent.

A body is counted while it is read, so that nobody has to be believed about its length, and has to
be there in time.
"""

import asyncio

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Part

from storeys.kernel.messages import Message
from storeys.web.contents import is_text
from storeys.web.errors import Refused
from storeys.web.limits import Limits
from storeys.web.refusing import refusal

BODY_HEADERS = (b"content-length", b"transfer-encoding")


class Intake:
    """Refuses addresses with texts that cannot be, and bodies that are too large or too slow."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, unless its address or the length that it states is refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if not (is_text(scope["path"]) and b"%00" not in scope["query_string"]):
            answer = refusal(Request(scope), Message("storeys.web.bad-text"), 422)
            await answer(scope, receive, send)
            return
        stated = [value for name, value in scope["headers"] if name in BODY_HEADERS]
        if not stated:  # It has no body, and nothing needs to be counted.
            await self.app(scope, receive, send)
            return
        body = Body(receive, send, self.limits)
        if any(value.isdigit() and int(value[:18]) > self.limits.request_bytes for value in stated):
            await refusal(Request(scope), body.too_large(), 413)(scope, receive, send)
            return
        await self.app(scope, body.receive, body.send)


class Body:
    """The body of a request while it is read."""

    def __init__(self, receive: Receive, send: Send, limits: Limits) -> None:
        self._receive, self._send, self._limits = receive, send, limits
        self._size, self._until = 0, 0.0
        self._whole, self._answered = False, False

    async def receive(self) -> Part:
        """The next part; an error if there have been too many, or it takes too long."""
        if self._whole:
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._until = self._until or loop.time() + self._limits.request_seconds
        try:
            async with asyncio.timeout_at(self._until):
                part = await self._receive()
        except TimeoutError:
            if self._answered:
                return {"type": "http.disconnect"}
            seconds = self._limits.request_seconds
            raise Refused(408, Message("storeys.web.too-slow", n=seconds)) from None
        self._whole = not part.get("more_body", False)
        self._size += len(part.get("body", b""))
        if self._size > self._limits.request_bytes:
            raise Refused(413, self.too_large())
        return part

    async def send(self, message: Part) -> None:
        """Note that the request is answered, which need not wait for its end."""
        self._answered = True
        await self._send(message)

    def too_large(self) -> Message:
        """What is said of a body that is too large."""
        return Message("storeys.web.too-large", most=self._limits.request_kilobytes)
