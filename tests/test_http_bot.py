"""The example bot sits down at a real server and plays a match to its end."""

import runpy
import socket
import subprocess
import sys
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
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 65
    host = example["Server"](served)
    seats = [{"kind": "friend"}, {"kind": "bot", "bot": "random"}, {"kind": "me"}]
    table = host.ask("/api/tables", {"game": "cloud-city", "seats": seats})["table"]
    event = {"kind": "take-over", "seat": 2, "seq": 0, "id": "a bot for me", "bot": "random"}
    host.ask(f"/api/tables/{table}/events", event)
    link = served + host.ask(f"/api/tables/{table}")["seats"][0]["invite"]
    example["play"](link, "novice")
    assert host.ask(f"/api/tables/{table}")["status"] == "over"
    assert host.ask(f"/api/tables/{table}/record")["seats"][0] == "novice (http)"
    with urllib.request.urlopen(f"{served}/metrics") as answer:
        assert b"storeys_bot_seconds_count" in answer.read()


def said(*words: str) -> str:
    """What the example says on its way out; it has no output of its own."""
    child = subprocess.run(
        [sys.executable, str(EXAMPLE), *words], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout) == (1, "")
    return child.stderr


def test_it_says_how_it_is_called() -> None:
    assert "python examples/http_bot.py http://localhost:8000/join/TOKEN [BOT]" in said()


def test_a_bad_link_is_one_sentence(served: str) -> None:
    expected = {
        "hello": "hello: not an invite link like http://localhost:8000/join/TOKEN\n",
        served: f"{served}: not an invite link like http://localhost:8000/join/TOKEN\n",
        f"{served}/join/x": f"{served}/join/x: this link has been used already or is wrong; ask ",
        "http://127.0.0.1:1/join/x": "http://127.0.0.1:1/join/x: ",  # as the system says it
    }
    for link, sentence in expected.items():
        found = said(link)
        assert found.startswith(sentence)
        assert found.count("\n") == 1
    assert said(f"{served}/join/x", "nobody").startswith(
        f"{served}/join/x: there is no bot “nobody”; known are random"
    )
