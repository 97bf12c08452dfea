"""Who asks: a browser is known by a cookie, which it is given with the first answer."""

import secrets

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "storeys"
YEAR = 365 * 24 * 3600


class Knowing:
    """Notes who asks: ``state.cookie``, and in ``state.person`` those who have come with one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be answered, and give a browser a cookie that has none."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        person = request.cookies.get(COOKIE) or None
        cookie = person or secrets.token_urlsafe(24)
        request.state.cookie, request.state.person = cookie, person
        if person or scope["path"].startswith("/static/"):
            await self.app(scope, receive, send)
            return

        async def send_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                secure = "; Secure" if scope["scheme"] == "https" else ""
                value = f"{COOKIE}={cookie}; HttpOnly; Max-Age={YEAR}; Path=/; SameSite=lax{secure}"
                MutableHeaders(scope=message).append("Set-Cookie", value)
            await send(message)

        await self.app(scope, receive, send_cookie)
