"""People and what is kept of them: carried to another browser, taken home, erased."""

import io
import json
import re
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Text, cast, select, update
from sqlalchemy.exc import IntegrityError
from starlette.testclient import TestClient

import storeys
from storeys.match import Match
from storeys.web import exporting, people
from storeys.web.app import create_app
from storeys.web.handlers import play_for_bot
from storeys.web.identity import COOKIE
from storeys.web.phrases import SHAPE, WORDS, new_phrase
from storeys.web.store import METADATA, PHRASES, TABLES, Late, Store
from storeys.web.workers import Workers

ADA, BEN = {"kind": "me", "name": "Ada Byron"}, {"kind": "friend"}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    for method in ("start", "consider", "resume"):
        monkeypatch.setattr(Workers, method, lambda *_: None)
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    with TestClient(made):
        yield made


def browser_with_table(app: FastAPI, *seats: dict[str, str]) -> tuple[TestClient, str]:
    browser = TestClient(app)
    content = {"game": "neoville", "seats": [*(seats or (ADA, BEN))]}
    return browser, str(browser.post("/api/tables", json=content).json()["table"])


def sits_down(app: FastAPI, table: str, name: str) -> TestClient:
    """A guest takes the open seat of a table."""
    token = app.state.services.tables.get(table).seats[1].token
    guest = TestClient(app)
    assert guest.post(f"/api/join/{token}", json={"name": name}).status_code == 200
    return guest


def play(app: FastAPI, table: str, moves: int | None = None) -> None:
    """Make moves at a table, or play it to its end."""
    tables = app.state.services.tables
    while (seat := tables.get(table).match.to_move) is not None and moves != 0:
        now = tables.get(table)
        play_for_bot(tables, table, now.seq, seat, str(now.match.legal_moves[-1]))
        moves = None if moves is None else moves - 1


def mine_at(browser: TestClient, table: str) -> list[int]:
    return list(browser.get(f"/api/tables/{table}").json()["mine"])


def phrase_of(browser: TestClient) -> str:
    made = browser.post("/api/identity/phrase")
    assert made.status_code == 201
    return str(made.json()["phrase"])


# --- phrases


def test_a_phrase_is_made_of_words_that_can_be_said() -> None:
    found = {new_phrase() for _ in range(200)}
    assert len(found) == 200
    assert all(re.fullmatch(r"([b-z][aiou][b-z][aiou][b-z]-?){5}", phrase) for phrase in found)
    bits = WORDS * sum(len(letters).bit_length() - 1 for letters in SHAPE)
    assert bits == 80


def test_a_phrase_carries_everything_to_another_browser(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    made = browser.post("/api/identity/phrase").json()
    other = TestClient(app)
    asked = other.get(made["url"])
    assert (asked.status_code, mine_at(other, table)) == (200, [])
    done = other.post(made["url"], follow_redirects=False)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert len(done.headers.get_list("set-cookie")) == 1
    assert other.cookies[COOKIE] == browser.cookies[COOKIE]
    assert mine_at(other, table) == mine_at(browser, table) == [0]
    assert "/t/" + table in other.get("/").text


def test_a_phrase_is_read_however_it_is_typed(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    typed = f"  {phrase_of(browser).upper().replace('-', ' ')} "
    other = TestClient(app)
    assert other.post("/api/identity/carry", json={"phrase": typed}).json() == {"tables": 1}
    assert mine_at(other, table) == [0]
    page = TestClient(app).post("/carry", data={"phrase": typed}, follow_redirects=False)
    assert page.headers["location"] == f"/carry/{typed.strip().lower().replace(' ', '-')}"


def test_the_page_shows_a_phrase_and_its_link(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    assert "/carry" in browser.get("/").text
    assert browser.get("/carry").status_code == 200
    shown = browser.post("/carry").text
    (link,) = re.findall(r'value="(/carry/[a-z-]+)"', shown)
    other = TestClient(app)
    other.post(link)
    assert mine_at(other, table) == [0]


def test_only_its_hash_is_kept_of_a_phrase(app: FastAPI) -> None:
    phrase = phrase_of(TestClient(app))
    with app.state.services.store.reading() as connection:
        assert phrase.replace("-", "") not in str(connection.execute(select(PHRASES)).all())


@pytest.mark.parametrize("how", ["wrong", "ended", "used long ago", "replaced"])
def test_a_phrase_that_is_not_good_any_more(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    browser, table = browser_with_table(app)
    phrase = phrase_of(browser)
    if how == "wrong":
        phrase = new_phrase()
    elif how == "replaced":
        phrase_of(browser)
    else:
        if how == "used long ago":
            TestClient(app).post(f"/carry/{phrase}")
        later = time.time() + (people.AGAIN if how == "used long ago" else people.LASTS)
        monkeypatch.setattr(time, "time", lambda: later + 1)
    other = TestClient(app)
    refused = other.post("/api/identity/carry", json={"phrase": phrase})
    assert refused.status_code == 404
    assert refused.json()["error"].startswith("this phrase is wrong")
    assert other.get(f"/carry/{phrase}").status_code == 404
    assert mine_at(other, table) == []


def test_a_phrase_can_be_sent_again_when_the_answer_was_lost(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    phrase = phrase_of(browser)
    for other in (TestClient(app), TestClient(app)):
        other.post("/api/identity/carry", json={"phrase": phrase})
        assert mine_at(other, table) == [0]


# --- two identities become one


def test_what_a_browser_had_goes_over_to_who_it_becomes(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    other, second = browser_with_table(app)
    phrase = phrase_of(browser)
    warned = other.get(f"/carry/{phrase}").text
    assert "whoever made this phrase can then play them too" in warned
    refused = other.post("/api/identity/carry", json={"phrase": phrase})
    assert (refused.status_code, "merge" in refused.json()["error"]) == (422, True)
    assert mine_at(other, table) == []
    before = app.state.services.tables.get(second).seq
    done = other.post("/api/identity/carry", json={"phrase": phrase, "merge": True})
    assert done.json() == {"tables": 2}
    for one in (browser, other):
        assert (mine_at(one, table), mine_at(one, second)) == ([0], [0])
        assert {entry["id"] for entry in one.get("/api/tables").json()} == {table, second}
    after = app.state.services.tables.get(second)
    assert (after.seq, after.host) == (before + 1, app.state.services.tables.get(table).host)


def test_a_phrase_of_ones_own_changes_nothing(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    phrase, seq = phrase_of(browser), app.state.services.tables.get(table).seq
    assert "already" in browser.get(f"/carry/{phrase}").text
    assert browser.post("/api/identity/carry", json={"phrase": phrase}).json() == {"tables": 1}
    assert app.state.services.tables.get(table).seq == seq


def test_all_tables_go_over_or_none(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails in the middle has changed nothing."""
    browser, table = browser_with_table(app)
    second = browser.post("/api/tables", json={"game": "neoville", "seats": [ADA, BEN]}).json()
    store, owner = app.state.services.store, app.state.services.tables.get(table).host
    append, done = people._append, list[str]()

    def fail_later(connection: Any, at: str, *more: Any) -> int:
        assert not done, "the disk is full"
        done.append(at)
        return append(connection, at, *more)

    monkeypatch.setattr(people, "_append", fail_later)
    with pytest.raises(AssertionError, match="the disk is full"):
        people.merge(store, owner, "f" * 64)
    assert people.tables_of(store, owner) == sorted([table, second["table"]])
    assert people.tables_of(store, "f" * 64) == []


def test_who_writes_at_a_table_that_goes_over_is_told_to_look_again(app: FastAPI) -> None:
    _, table = browser_with_table(app)
    sits_down(app, table, "Ben")
    tables = app.state.services.tables
    stale = tables.get(table)
    people.merge(app.state.services.store, stale.host, "f" * 64)
    with pytest.raises(Late), tables.writing(stale):
        tables.commit(stale, "rename", 0, {"name": "x"}, "an id of mine", stale.seats[0])
    assert tables.get(table).host == "f" * 64


def test_a_change_is_tried_again_while_others_write(app: FastAPI) -> None:
    """Somebody else's event took the number that a change wanted."""
    _, table = browser_with_table(app)
    store, tries = app.state.services.store, list[int]()

    def change(connection: Any, fails: int) -> people.Changed:
        tries.append(people._append(connection, table, "carry", None, {}))
        if len(tries) <= fails:
            raise IntegrityError("", {}, Exception("the number is taken"))
        return [(table, tries[-1])]

    assert people._in_one_go(store, lambda connection: change(connection, 2)) == [(table, 1)]
    assert tries == [1, 1, 1]
    with pytest.raises(Late):
        people._in_one_go(store, lambda connection: change(connection, 999))


# --- erasing


def everything_kept(store: Store) -> str:
    """All rows as text."""
    with store.reading() as connection:
        return json.dumps(
            [[list(map(str, row)) for row in connection.execute(select(rows))]
             for rows in METADATA.sorted_tables]
        )  # fmt: skip


def assert_nothing_is_left_of_who_is_erased(app: FastAPI) -> None:
    """A host and a guest, one match over and one running; the host is erased."""
    store, tables = app.state.services.store, app.state.services.tables
    browser, over = browser_with_table(app)
    guest = sits_down(app, over, "Ben")
    owner = tables.get(over).host
    play(app, over)
    running = browser.post("/api/tables", json={"game": "neoville", "seats": [ADA, BEN]}).json()
    running = running["table"]
    sits_down(app, running, "Bea")
    for name in ("Countess Ada Byron", "Ada Byron again"):
        seq = tables.get(running).seq
        event = {"kind": "rename", "seat": 0, "seq": seq, "id": f"name-{seq:04}", "name": name}
        assert browser.post(f"/api/tables/{running}/events", json=event).status_code == 200
    resigned = browser.post("/api/tables", json={"game": "neoville", "seats": [ADA, BEN]}).json()
    resigned = resigned["table"]
    stays = sits_down(app, resigned, "Bob")
    event = {"kind": "resign", "seat": 0, "seq": 1, "id": "resigned-1"}
    assert browser.post(f"/api/tables/{resigned}/events", json=event).status_code == 200
    with store.writing() as connection:  # Now nothing but the resignation tells whose it was.
        connection.execute(update(TABLES).where(TABLES.c.id == resigned).values(host=None))
    phrase_of(browser)
    moves = [list(map(str, tables.get(table).match.moves)) for table in (over, running)]
    play(app, running, 2)

    erased = browser.delete("/api/identity")
    assert erased.json() == {"tables": 3}
    assert stays.get(f"/api/tables/{resigned}").json()["seats"][0]["resigned"]
    assert "Max-Age=0" in erased.headers["set-cookie"]
    left = everything_kept(store)
    assert "Ada Byron" not in left
    assert owner not in left
    assert "Ben" in left
    assert "Ada Byron" not in guest.get(f"/api/tables/{over}/record").text
    assert mine_at(guest, over) == [1]
    again = [list(map(str, tables.get(table).match.moves)) for table in (over, running)]
    assert [again[0], again[1][: len(moves[1])]] == moves
    seats = guest.get(f"/api/tables/{running}").json()["seats"]
    assert [seats[0][key] for key in ("kind", "name", "resigned")] == ["bot", "Player 1", True]
    assert tables.get(over).seats[0].kind == "human"
    assert browser.get("/api/tables").json() == []
    play(app, running)
    assert tables.get(running).status == "over"


def test_nothing_is_left_of_who_is_erased(app: FastAPI) -> None:
    assert_nothing_is_left_of_who_is_erased(app)


@pytest.mark.parametrize("guard", ["_erase_record", "_erase_events", "_resignations"])
def test_names_that_are_left_are_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    monkeypatch.setattr(people, guard, lambda *_: [])
    with pytest.raises(AssertionError, match=r"Ada Byron|'tables': 2"):
        assert_nothing_is_left_of_who_is_erased(app)


def test_who_was_merged_can_erase_what_they_resigned_from_before(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    sits_down(app, table, "Ben")
    event = {"kind": "resign", "seat": 0, "seq": 1, "id": "resigned-1"}
    browser.post(f"/api/tables/{table}/events", json=event)
    other, _ = browser_with_table(app, {"kind": "me", "name": "Ada elsewhere"}, BEN)
    content = {"phrase": phrase_of(other), "merge": True}
    assert browser.post("/api/identity/carry", json=content).json() == {"tables": 2}
    assert browser.delete("/api/identity").json() == {"tables": 2}
    assert "Ada" not in everything_kept(app.state.services.store)


def test_who_is_erased_confirms_it_on_the_page(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    assert "/erase" in browser.get("/").text
    assert 'name="sure"' in browser.get("/erase").text
    assert 'name="sure"' in browser.post("/erase").text
    assert mine_at(browser, table) == [0]
    assert 'id="erased"' in browser.post("/erase", data={"sure": "yes"}).text
    assert mine_at(browser, table) == []


def test_who_is_erased_may_have_a_table_that_cannot_be_read(app: FastAPI) -> None:
    browser, _ = browser_with_table(app)
    store = app.state.services.store
    with store.writing() as connection:
        broken = update(TABLES).values(record=cast('{"seats": ["Ada Byron"', Text))
        connection.execute(broken)
    assert browser.delete("/api/identity").json() == {"tables": 1}
    assert "Ada Byron" not in everything_kept(store)


# --- taking everything home


def exported(browser: TestClient) -> dict[str, Any]:
    answer = browser.get("/api/identity/export")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def assert_exports_hold_what_may_be_known(app: FastAPI) -> None:
    browser, over = browser_with_table(app)
    sits_down(app, over, "Ben")
    play(app, over)
    running = browser.post("/api/tables", json={"game": "neoville", "seats": [ADA, BEN]}).json()
    running = running["table"]
    guest = sits_down(app, running, "Bea")
    play(app, running, 3)
    files, match = exported(browser), app.state.services.tables.get(running).match
    record, view = f"records/neoville-{over}.json", f"views/neoville-{running}-seat-0.json"
    assert set(files) == {"tables.json", record, view}
    assert storeys.load(files[record]).to_move is None
    assert files[view] == json.loads(json.dumps(match.view(0)))
    assert str(match.seed) not in json.dumps(files[view])
    assert set(exported(guest)) == {"tables.json", view.replace("seat-0", "seat-1")}
    assert exported(TestClient(app)) == {"tables.json": []}


def test_an_export_holds_what_may_be_known(app: FastAPI) -> None:
    assert_exports_hold_what_may_be_known(app)


def give_away_records(monkeypatch: pytest.MonkeyPatch) -> None:
    files = exporting.files_of

    def too_many(table: Any, owner: str) -> dict[str, Any]:
        return files(table, owner) | {f"records/{table.id}.json": table.match.record()}

    monkeypatch.setattr(exporting, "files_of", too_many)


def show_every_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Match, "view", lambda self, _: self.position())


@pytest.mark.parametrize("remove_guard", [give_away_records, show_every_hand])
def test_an_export_that_tells_too_much_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Any
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError):
        assert_exports_hold_what_may_be_known(app)


def test_a_table_that_cannot_be_read_is_listed_in_the_export(app: FastAPI) -> None:
    browser, table = browser_with_table(app)
    with app.state.services.store.writing() as connection:
        connection.execute(update(TABLES).values(record={"game": "go"}))
    app.state.services.tables.forget(table)
    (listed,) = exported(browser)["tables.json"]
    assert (listed["id"], "cannot be read" in listed["problem"]) == (table, True)


def test_one_who_looks_while_somebody_is_erased_waits_for_nothing(app: FastAPI) -> None:
    """Nothing is locked but the database: a table in use by others does not hold it up."""
    browser, table = browser_with_table(app)
    found, done = app.state.services.tables.get(table), threading.Event()

    def erase() -> None:
        browser.delete("/api/identity")
        done.set()

    with found.lock:
        thread = threading.Thread(target=erase)
        thread.start()
        assert done.wait(600)
    thread.join()
    assert app.state.services.tables.get(table).seats[0].owner is None
