"""Who asks is found out before anything is done, and what other websites ask for is refused."""

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storeys.kernel import messages
from storeys.web.identity import Identities, cookie_header, is_foreign
from storeys.web.refusing import refusal


class Knowing:
    """Notes who asks: ``state.visitor``, and in ``state.person`` those who are known already."""

    def __init__(self, app: ASGIApp, identities: Identities) -> None:
        self.app, self.identities = app, identities

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be answered, and give a browser a cookie where it needs one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        visitor = await self.identities.visitor_of(request)
        request.state.visitor = visitor
        request.state.person = visitor.owner if visitor.is_known else None
        if is_foreign(request):
            answer = refusal(request, messages.Message("storeys.web.foreign"), 403)
            await answer(scope, receive, send)
            return

        async def send_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and (
                cookie := cookie_header(request, visitor)
            ):
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_cookie)
