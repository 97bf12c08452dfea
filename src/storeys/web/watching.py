"""What is done with every answer, whatever its status: headers that guard it, a count, a log."""

import time
from functools import cache

import structlog
from fastapi import Request
from prometheus_client import CollectorRegistry, Counter
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storeys.kernel.quoting import clipped
from storeys.web.errors import LONG
from storeys.web.identity import logged_path
from storeys.web.refusing import METHODS, broken
from storeys.web.versions import HEADER, version_of_files

POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
GUARDS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
]
log = structlog.get_logger("storeys.web")


class Watching:
    """Outside everything else, so that no answer passes it by; a fault inside is answered here."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self.app = app
        self.files = (HEADER, version_of_files().encode())
        self.asked = Counter(
            "storeys_requests", "Requests by method and status", ["method", "status"],
            registry=registry,
        )  # fmt: skip
        self._counter = cache(self.asked.labels)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be answered, and see to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *GUARDS, self.files]
            await send(message)

        try:
            await self.app(scope, receive, send_guarded)
        except Exception as error:  # told to the client here, and to the server by raising it
            answer = broken(Request(scope), error)
            if not status:
                await answer(scope, receive, send_guarded)
            raise
        finally:
            self._note(scope, status, 1000 * (time.perf_counter() - start))

    def _note(self, scope: Scope, status: int, ms: float) -> None:
        """Count and log a request; status 0: whoever asked has gone before there was an answer."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._counter(method, str(status)).inc()
        log.info(
            "request", method=method, path=clipped(logged_path(scope["path"]), LONG), status=status,
            ms=round(ms, 1),
        )  # fmt: skip
