"""A bot that sits down at a table over HTTP: give it an invite link, and it plays until the end.

    python examples/http_bot.py http://localhost:8000/join/TOKEN [BOT]

Everything it does is in the server's API description, /docs.  It waits by asking every second; a
program with more tables would listen to /api/stream.
"""

import json
import sys
import time
import urllib.request
import uuid
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlsplit

import storeys


class Server:
    """A server, which knows us by its cookie."""

    def __init__(self, url: str) -> None:
        self.url = url
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self.opener = urllib.request.build_opener(jar)

    def ask(self, path: str, content: Any = None) -> Any:
        """GET, or POST with a content."""
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}
        )
        with self.opener.open(request) as answer:
            return json.load(answer)


def play(link: str, name: str = "random") -> None:
    """Take the seat of an invite link and play."""
    parts = urlsplit(link)
    server, bot = Server(f"{parts.scheme}://{parts.netloc}"), storeys.bot(name)
    joined = server.ask(f"/api/join/{parts.path.rsplit('/', 1)[-1]}", {"name": f"{name} (http)"})
    table, seat = joined["table"], joined["seats"][0]
    while (now := server.ask(f"/api/tables/{table}/view?seat={seat}"))["status"] != "over":
        if now["status"] == "playing" and now["view"]["to_move"] == seat:
            move = str(bot.choose(now["view"]))
            event = {"kind": "move", "seat": seat, "move": move}
            server.ask(
                f"/api/tables/{table}/events", event | {"seq": now["seq"], "id": str(uuid.uuid4())}
            )
        else:
            time.sleep(1)


if __name__ == "__main__" and len(sys.argv) > 1:
    play(*sys.argv[1:])
