"""The example bot sits down at a real server and plays a match to its end."""

import runpy
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from storeys.web.app import create_app

EXAMPLE = Path(__file__).parent.parent / "examples" / "http_bot.py"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = create_app(f"sqlite:///{tmp_path / 'bot.db'}", workers=1, pace=0)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def test_the_example_bot_plays_a_match(served: str) -> None:
    example = runpy.run_path(str(EXAMPLE))
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 60
    host = example["Server"](served)
    seats = [{"kind": "friend"}, {"kind": "bot", "bot": "random"}, {"kind": "me"}]
    table = host.ask("/api/tables", {"game": "neoville", "seats": seats})["table"]
    event = {"kind": "take-over", "seat": 2, "seq": 0, "id": "a bot for me", "bot": "random"}
    host.ask(f"/api/tables/{table}/events", event)
    link = served + host.ask(f"/api/tables/{table}")["seats"][0]["invite"]
    example["play"](link, "novice")
    assert host.ask(f"/api/tables/{table}")["status"] == "over"
    assert host.ask(f"/api/tables/{table}/record")["seats"][0] == "novice (http)"
    with urllib.request.urlopen(f"{served}/metrics") as answer:
        assert b"storeys_bot_seconds_count" in answer.read()
