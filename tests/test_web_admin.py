"""The host's page: there with a token alone, for some hours, and without anything hidden."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Text, cast, update
from starlette.testclient import TestClient

import storeys
from storeys.web import admin
from storeys.web.admin import COOKIE, TOKEN, is_let_in, make_pass, running_tables
from storeys.web.app import create_app
from storeys.web.database import REVISIONS
from storeys.web.store import TABLES
from storeys.web.tables import Tables
from storeys.web.workers import Workers
from tests.commands import run

SECRET = "a token of the host"
TABLE = {"game": "neoville", "seats": [{"kind": "me", "name": "Ada"}, {"kind": "friend"}]}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    for method in ("start", "consider", "resume"):
        monkeypatch.setattr(Workers, method, lambda *_: None)
    monkeypatch.setenv(TOKEN, SECRET)
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    with TestClient(made):
        yield made


def host_of(app: FastAPI) -> TestClient:
    host = TestClient(app)
    opened = host.post("/admin", data={"given": SECRET}, follow_redirects=False)
    assert opened.status_code == 303
    cookie = opened.headers.get_list("set-cookie")[0]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/admin"))
    return host


@pytest.mark.parametrize("token", [None, "", "short"])
def test_without_a_token_there_is_no_such_page(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.delenv(TOKEN) if token is None else monkeypatch.setenv(TOKEN, token)
    for method, path in (("GET", ""), ("POST", ""), ("POST", "/delete/x"), ("POST", "/leave")):
        answer = TestClient(app).request(method, f"/admin{path}", data={"given": token or ""})
        assert answer.status_code == 404


def assert_nobody_gets_in(app: FastAPI) -> None:
    table = TestClient(app).post("/api/tables", json=TABLE).json()["table"]
    for given in ("", "a token of the hos", SECRET.upper(), SECRET + " "):
        stranger = TestClient(app)
        answer = stranger.post("/admin", data={"given": given}, follow_redirects=False)
        assert answer.status_code == 403
        assert COOKIE not in stranger.cookies
    for cookie in ("", "x", "9999999999.x", f"9999999999.{SECRET}"):
        stranger = TestClient(app, headers={"cookie": f"{COOKIE}={cookie}"})
        assert table not in stranger.get("/admin").text
        assert stranger.post(f"/admin/delete/{table}").status_code == 404
    assert app.state.services.tables.get(table).id == table


def test_nobody_gets_in_without_the_token(app: FastAPI) -> None:
    assert_nobody_gets_in(app)


@pytest.mark.parametrize("guard", ["is_let_in", "_is_same"])
def test_without_its_guard_the_page_is_open(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    monkeypatch.setattr(admin, guard, lambda *_: True)
    with pytest.raises(AssertionError):
        assert_nobody_gets_in(app)


def test_a_pass_ends_with_its_time_and_with_the_token(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = app.state.services
    until = time.time() + 60
    cookie = make_pass(services, SECRET, until)
    assert is_let_in(services, SECRET, cookie)
    assert not is_let_in(services, SECRET + "!", cookie)
    assert not is_let_in(services, SECRET, "².x")
    longer = f"{until + 9999:.0f}.{cookie.partition('.')[2]}"
    assert not is_let_in(services, SECRET, longer)
    monkeypatch.setattr(time, "time", lambda: until + 1)
    assert not is_let_in(services, SECRET, cookie)


def test_the_host_sees_what_runs(app: FastAPI) -> None:
    table = TestClient(app).post("/api/tables", json=TABLE).json()["table"]
    page = host_of(app).get("/admin").text
    for shown in (table, "Neoville", "Ada", storeys.__version__, REVISIONS[-1], "0 / 1"):
        assert shown in page


def test_the_host_sees_nothing_hidden(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """No match is even read for the page."""
    TestClient(app).post("/api/tables", json=TABLE)
    host = host_of(app)

    def look(*_: Any) -> None:
        raise AssertionError("a match was looked at")

    monkeypatch.setattr(Tables, "get", look)
    assert host.get("/admin").status_code == 200
    _, (running,) = running_tables(app.state.services.store, "de")
    assert set(vars(running)) == {"id", "title", "names", "created", "touched", "events"}


def test_the_host_sees_tables_that_cannot_be_read(app: FastAPI) -> None:
    player, host = TestClient(app), host_of(app)
    tables = [player.post("/api/tables", json=TABLE).json()["table"] for _ in range(2)]
    for table, record in zip(tables, ('{"game": "go", "pl', "{broken"), strict=True):
        with app.state.services.store.writing() as connection:
            this = update(TABLES).where(TABLES.c.id == table)
            connection.execute(this.values(record=cast(record, Text)))
        app.state.services.tables.renew([(table, 1)])
    assert all(table in host.get("/admin").text for table in tables)
    _, running = running_tables(app.state.services.store, "en")
    assert sorted(one.title for one in running) == ["?", "go"]
    for table in tables:
        assert host.post(f"/admin/delete/{table}").status_code == 200
    assert running_tables(app.state.services.store, "en") == (0, [])


def test_the_host_deletes_a_table(app: FastAPI) -> None:
    player, host = TestClient(app), host_of(app)
    table = player.post("/api/tables", json=TABLE).json()["table"]
    assert host.post(f"/admin/delete/{table}", follow_redirects=False).status_code == 303
    assert player.get(f"/api/tables/{table}").status_code == 404
    assert host.post(f"/admin/delete/{table}").status_code == 404


def test_a_token_that_could_be_guessed_is_refused_at_the_start() -> None:
    refused = run("serve", "--port", "1", "--host", "127.0.0.1", STOREYS_ADMIN_TOKEN="short")
    assert refused.returncode == 2
    assert refused.stderr == f"storeys: {TOKEN} is too short to be safe; take at least 16 signs\n"


def test_the_host_signs_out(app: FastAPI) -> None:
    host = host_of(app)
    host.post("/admin/leave")
    assert 'type="password"' in host.get("/admin").text
