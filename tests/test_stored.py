"""Matches of earlier releases: their databases open, and every table plays on to its end."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import storeys
from storeys.web.app import create_app
from storeys.web.handlers import play_for_bot
from storeys.web.identity import COOKIE as COOKIE_NAME
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.workers import Workers
from tests.make_stored import COOKIE, OWNER
from tests.posting import event_request, post

STORED = sorted((Path(__file__).parent / "stored").glob("*.sqlite"))
PER_FILE = [
    (file, label)
    for file in STORED
    for label in json.loads(file.with_suffix(".json").read_text("utf-8"))["tables"]
]


def name_of(value: Any) -> str:
    return value.stem if isinstance(value, Path) else str(value)


def expected(file: Path, label: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.with_suffix(".json").read_text("utf-8"))
    entry: dict[str, Any] = found["tables"][label]
    return entry


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Tables:
    """A copy of a stored database, as a new server finds it."""
    copy = tmp_path / "stored.sqlite"
    shutil.copy(request.param, copy)
    return Tables(Store(f"sqlite:///{copy}"))


@pytest.mark.parametrize(("opened", "label"), PER_FILE, indirect=["opened"], ids=name_of)
def test_a_stored_table_is_as_it_was_and_plays_to_its_end(
    opened: Tables, label: str, request: pytest.FixtureRequest
) -> None:
    wanted = expected(request.node.callspec.params["opened"], label)
    table = opened.get(wanted["table"])
    assert_as_it_was(table, wanted)
    if table.kind == "match":
        play_on(opened, table)
        assert table.status == "over"
        again = Tables(opened.store).get(table.id)
        assert again.match.position() == table.match.position()
        replayed = storeys.load(table.match.record())
        assert replayed.record() == table.match.record()


def assert_as_it_was(table: Table, wanted: dict[str, Any]) -> None:
    found = table.match.position()
    assert {key: found[key] for key in wanted["position"]} == wanted["position"]
    assert sorted(map(str, table.match.legal_moves)) == wanted["legal"]
    assert [str(move) for move in table.match.moves] == wanted["moves"]
    assert [table.seq, table.match.totals, table.match.winners, sorted(table.resigned)] == [
        wanted["seq"],
        wanted["totals"],
        wanted["winners"],
        wanted["resigned"],
    ]
    assert [[seat.kind, seat.name, seat.bot] for seat in table.seats] == wanted["seats"]


def play_on(tables: Tables, table: Table) -> None:
    """Everybody who is awaited comes, then people move at random and bots as they do."""
    for awaited in list(table.seats):
        if awaited.kind == "open":
            tables.join(str(awaited.token), OWNER, "Ben")
    dice, bot = random.Random(table.id), storeys.bot("novice", seed=1)
    while (seat := table.match.to_move) is not None:
        if table.seats[seat].kind == "bot":
            move = str(bot.choose(table.match.view(seat)))
            assert play_for_bot(tables, table.id, table.seq, seat, move)
        else:
            chosen = str(dice.choice(table.match.legal_moves))
            event = {"seq": table.seq, "id": f"later-{table.seq:04}", "kind": "move", "seat": seat}
            post(tables, table.id, OWNER, event_request(**event, move=chosen))


@pytest.mark.parametrize("file", STORED, ids=name_of)
def test_the_pages_show_every_stored_table(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(file, tmp_path / "stored.sqlite")
    monkeypatch.setattr(Workers, "resume", lambda self: None)
    app = create_app(f"sqlite:///{tmp_path / 'stored.sqlite'}", workers=0, pace=0)
    with TestClient(app, cookies={COOKIE_NAME: COOKIE}) as browser:
        listed, home = browser.get("/api/tables").json(), browser.get("/").text
        assert listed
        assert not [one for one in listed if one.get("problem")]
        assert all(f"/t/{one['id']}" in home for one in listed)
        for table in json.loads(file.with_suffix(".json").read_text("utf-8"))["tables"].values():
            answer = browser.get(f"/api/tables/{table['table']}")
            assert (answer.status_code, answer.json()["seq"]) == (200, table["seq"])


def test_a_database_of_every_release_is_kept() -> None:
    assert [file.stem for file in STORED] == ["2026-11"]
