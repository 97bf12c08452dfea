"""A bot for the arena behind an address: any installed bot, answering over HTTP.

    python examples/arena_http_bot.py [PORT] [BOT]
    storeys arena neoville builder http:url=http://localhost:8001/move

It is sent a view and answers with the moves of the rest of the turn; see docs/arena.md.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import storeys


def answer(question: dict[str, Any], name: str) -> dict[str, Any]:
    """What a bot plans for the view that it is shown."""
    bot = storeys.bot(name, seconds=question["seconds"], seed=question["seed"])
    return {"moves": [str(move) for move in bot.plan(question["view"])]}


def server(port: int = 8001, name: str = "builder") -> ThreadingHTTPServer:
    """A server on this machine alone; ``serve_forever`` starts it."""

    class Handler(BaseHTTPRequestHandler):
        """Answers questions of the arena."""

        def do_POST(self) -> None:
            """One turn."""
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = json.dumps(answer(question, name)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Nothing is logged."""

    storeys.bot(name)  # A bot that is not there is found out now.
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    chosen = sys.argv[2] if len(sys.argv) > 2 else "builder"
    with server(int(sys.argv[1]) if len(sys.argv) > 1 else 8001, chosen) as served:
        served.serve_forever()
