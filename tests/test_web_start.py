"""What a server does before its first page: nothing that this page does not need."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from storeys.web import database
from storeys.web.store import Store
from tests.commands import said_by

STARTED = """
import json, sys
from storeys.cli import load_commands

load_commands("serve")
from storeys.cli.serving import Serving, _server
from starlette.testclient import TestClient
from storeys.web.contents import LateRoute

server = _server(Serving("sqlite:///" + sys.argv[1], 1, 0, None, "warning", "en"))
ours = [route for route in server.router.routes if isinstance(route, LateRoute)]

def built():
    return sorted({route.path for route in ours if "dependant" in vars(route)})

with TestClient(server) as client:
    told = {"before": built()}
    assert client.get("/").status_code == 200
    told |= {"page": built(), "loaded": [name for name in sys.argv[2:] if name in sys.modules]}
    assert client.post("/api/tables", content="no JSON").status_code == 422
    told["post"] = built()
    assert "/api/games" in client.get("/openapi.json").json()["paths"]
    told["described"] = built()
print(json.dumps(told))
"""
NEEDED = "storeys.games.neoville"
UNNEEDED = (
    "alembic", "babel", "llvmlite", "markdown_it", "numba", "PIL", "pydantic.v1", "resvg_py",
    "rich.progress", "segno", "storeys.arena", "storeys.cli.playing", "storeys.envs",
    "storeys.search", "storeys.terminal", "storeys.warming",
)  # fmt: skip


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is told of a server in a process of its own: routes are shared by all of a process."""
    file = tmp_path_factory.mktemp("start") / "web.db"
    told: dict[str, Any] = said_by(STARTED, str(file), NEEDED, *UNNEEDED)
    return told


def test_the_first_page_comes_before_all_that_it_does_not_need(started: dict[str, Any]) -> None:
    assert started["loaded"] == [NEEDED]


def test_an_endpoint_is_built_when_it_is_first_asked(started: dict[str, Any]) -> None:
    assert started["before"] == []
    assert started["page"] == ["/"]
    assert started["post"] == ["/", "/api/tables"]
    assert "/api/games" in started["described"]


def test_a_new_database_is_made_at_once_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    file = tmp_path / "web.db"
    with monkeypatch.context() as failing:
        failing.setattr(database.VERSION, "create", fail)  # comes after all other tables
        with pytest.raises(RuntimeError):
            Store(f"sqlite:///{file}")
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    Store(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall()
