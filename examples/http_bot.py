"""A bot that sits down at a table over HTTP: give it an invite link, and it plays until the end.

    python examples/http_bot.py http://localhost:8000/join/TOKEN [BOT]

Everything it does is in the server's API description, /docs.  It waits by asking every second; a
program with more tables would listen to /api/stream.
"""

import json
import sys
import time
import uuid
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

import storeys


class Server:
    """A server, which knows us by its cookie."""

    def __init__(self, url: str) -> None:
        self.url, self.opener = url, build_opener(HTTPCookieProcessor(CookieJar()))

    def ask(self, path: str, content: Any = None) -> Any:
        """GET, or POST with a content."""
        data = None if content is None else json.dumps(content).encode()
        request = Request(self.url + path, data, {"Content-Type": "application/json"})
        with self.opener.open(request) as answer:
            return json.load(answer)


def play(link: str, name: str = "random") -> None:
    """Take the seat of an invite link and play."""
    parts, bot = urlsplit(link), storeys.bot(name)
    if parts.scheme not in ("http", "https") or not parts.path.startswith("/join/"):
        raise ValueError("not an invite link like http://localhost:8000/join/TOKEN")
    server, token = Server(f"{parts.scheme}://{parts.netloc}"), parts.path.rsplit("/", 1)[-1]
    joined = server.ask(f"/api/join/{token}", {"name": f"{name} (http)"})
    table, seat = joined["table"], joined["seats"][0]
    while (now := server.ask(f"/api/tables/{table}/view?seat={seat}"))["status"] != "over":
        if now["status"] == "playing" and now["view"]["to_move"] == seat:
            event = {"kind": "move", "seat": seat, "move": str(bot.choose(now["view"]))}
            event |= {"seq": now["seq"], "id": str(uuid.uuid4())}
            server.ask(f"/api/tables/{table}/events", event)
        else:
            time.sleep(1)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        play(*sys.argv[1:])
    except HTTPError as error:
        said = error.read().decode()
        sys.exit(f"{sys.argv[1]}: {json.loads(said)['error'] if said[:1] == '{' else error}")
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {getattr(error, 'reason', error)}")
