"""One bad thing takes no other down: tables that cannot be read, bots that fail, full queues."""

import asyncio
import secrets
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from storeys.web import language, processes, thinking, workers
from storeys.web.app import create_app
from storeys.web.live import MOST_WAITING, Live
from storeys.web.presence import AWAY

ME, BOT, FRIEND = (
    {"kind": "me", "name": "Ada"},
    {"kind": "bot", "bot": "random"},
    {"kind": "friend"},
)


class AtOnce:
    """In the place of a worker process: every bot plays at random, without a process."""

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled

    def think(self, name: str, view: Any, seed: int, seconds: float) -> list[str]:
        return thinking.think("random", view, seed)

    def stop(self) -> None:
        """Nothing to end."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "web.db"


@pytest.fixture
def app(file: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """A server whose bots answer at once, without processes of their own."""
    monkeypatch.setattr(processes, "Process", AtOnce)
    return create_app(f"sqlite:///{file}", workers=1, pace=0)


@pytest.fixture
def browser(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


def new_table(browser: TestClient, *seats: dict[str, str], game: str = "neoville") -> str:
    answer = browser.post("/api/tables", json={"game": game, "seats": list(seats)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


def move(browser: TestClient, table: str) -> None:
    seen = browser.get(f"/api/tables/{table}").json()
    content = {"seq": seen["seq"], "id": secrets.token_hex(8), "seat": 0, "kind": "move"}
    content["move"] = seen["choices"][0]["move"]
    assert browser.post(f"/api/tables/{table}/events", json=content).status_code == 200


# --- tables that cannot be read

BREAKS = {
    "rules of a version that is not known": (
        "UPDATE tables SET record = json_set(record, '$.rules_version', 99) WHERE id = ?",
        "version 99 of the rules of Neoville is not known here",
    ),
    "a record that is no JSON": ("UPDATE tables SET record = '{' WHERE id = ?", "is broken"),
    "a record that is a list": ("UPDATE tables SET record = '[1]' WHERE id = ?", "expected a tabl"),
    "a record that is nothing": ("UPDATE tables SET record = 'null' WHERE id = ?", "expected a ta"),
    "a move that is not legal": (
        "UPDATE events SET data = '{\"move\": \"draw pile\"}' WHERE table_id = ?",
        "N-11",
    ),
    "a move that is none": (
        "UPDATE events SET data = '{\"move\": 7}' WHERE table_id = ?", "7"),
    "an event without a move": ("UPDATE events SET data = '{}' WHERE table_id = ?", "is broken"),
    "an event that is no JSON": ("UPDATE events SET data = 'x' WHERE table_id = ?", "is broken"),
    "a move taken back that nobody made": (
        "UPDATE events SET kind = 'take-back' WHERE table_id = ?", "take back"),
    "a seat that is gone": ("DELETE FROM seats WHERE seat = 1 AND table_id = ?", "2 seats are exp"),
}  # fmt: skip


def break_table(app: FastAPI, file: Path, table: str, statement: str) -> None:
    """Change what is kept of a table, and let the server read it anew."""
    with sqlite3.connect(file) as connection:
        connection.execute(statement, (table,))
    connection.close()
    app.state.services.tables._at_hand.clear()


@pytest.mark.parametrize(("statement", "why"), BREAKS.values(), ids=BREAKS)
def test_a_table_that_cannot_be_read_fails_alone(
    app: FastAPI, file: Path, browser: TestClient, statement: str, why: str
) -> None:
    first, bad, last = (new_table(browser, ME, FRIEND, game="neoville") for _ in range(3))
    for table in (first, bad):
        friend = TestClient(app)
        invite = browser.get(f"/api/tables/{table}").json()["seats"][1]["invite"]
        friend.post(f"/api{invite}", json={})
        move(browser, table)
    break_table(app, file, bad, statement)

    listed = {one["id"]: one for one in browser.get("/api/tables").json()}
    assert list(listed) == [last, bad, first]
    assert [listed[table]["problem"] for table in (first, last)] == [None, None]
    problem = listed[bad]["problem"]
    assert problem.startswith(f"The table “{bad}” cannot be read: ")
    assert why in problem
    assert "\n" not in problem
    assert (listed[bad]["state"], listed[bad]["your_turn"]) == ("unreadable", False)

    home = browser.get("/", headers={"accept-language": "de"})
    assert home.status_code == 200
    assert f"Der Tisch „{bad}“ ist nicht lesbar: " in home.text
    assert f'action="/delete/{bad}"' in home.text
    assert f'href="/t/{first}"' in home.text
    assert f'href="/t/{bad}"' not in home.text

    page, answer = browser.get(f"/t/{bad}"), browser.get(f"/api/tables/{bad}")
    assert (page.status_code, answer.status_code) == (422, 422)
    assert "cannot be read" in page.text
    assert answer.json()["error"] + "." == problem[0].lower() + problem[1:]

    gone = browser.post(f"/delete/{bad}", follow_redirects=False)
    assert (gone.status_code, gone.headers["location"]) == (303, "/")
    assert [one["id"] for one in browser.get("/api/tables").json()] == [last, first]
    assert browser.get(f"/api/tables/{bad}").status_code == 404


ELSEWHERE = ["//elsewhere.example", "/\\elsewhere.example", "https://elsewhere.example", ""]


@pytest.mark.parametrize("to", ELSEWHERE)
def test_nobody_is_led_elsewhere(browser: TestClient, to: str) -> None:
    table = browser.post("/api/tables", json={"game": "neoville", "seats": [{"kind": "me"}]})
    delete = f"/delete/{table.json()['table']}"
    gone = browser.post(delete, params={"to": to}, follow_redirects=False)
    spoken = browser.get("/lang/de", params={"to": to}, follow_redirects=False)
    assert [answer.headers["location"] for answer in (gone, spoken)] == ["/", "/"]


@pytest.mark.parametrize("noted", ["0", "NULL"], ids=["as noted", "of an earlier release"])
def test_bots_go_on_at_all_other_tables_after_a_restart(
    file: Path, app: FastAPI, monkeypatch: pytest.MonkeyPatch, noted: str
) -> None:
    with TestClient(app) as client:
        made = [new_table(client, BOT, ME, game="cloud-city") for _ in range(3)]
        cookies = dict(client.cookies)
        for table in made:
            wait_until(client, table, "your_turn")
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM events")  # The bots have all to move again.
        connection.execute(f"UPDATE tables SET to_move = {noted}")
        connection.execute("UPDATE tables SET record = '{' WHERE id = ?", (made[0],))
    connection.close()
    again = create_app(f"sqlite:///{file}", workers=1, pace=0)
    get = again.state.services.tables.get

    def get_but_one(table: str) -> Any:
        if table == made[1]:
            raise OSError("a fault that nobody thought of")
        return get(table)

    monkeypatch.setattr(again.state.services.tables, "get", get_but_one)
    with TestClient(again, cookies=cookies) as client:
        wait_until(client, made[2], "your_turn")


def wait_until(client: TestClient, table: str, what: str) -> dict[str, Any]:
    patience = time.monotonic() + 120
    while not (state := client.get(f"/api/tables/{table}").json())[what]:
        assert time.monotonic() < patience
        time.sleep(0.02)
    return dict(state)


def test_a_stream_goes_on_beside_a_table_that_cannot_be_read(
    app: FastAPI, file: Path, browser: TestClient
) -> None:
    good, bad = new_table(browser, ME, BOT), new_table(browser, ME, BOT)
    break_table(app, file, bad, "UPDATE tables SET record = '{' WHERE id = ?")

    async def first_news() -> list[str]:
        live: Live = app.state.services.live
        live.start()
        stream = live.stream(frozenset({good, bad}))
        hello = await anext(stream)
        live.tell(bad, 7)
        live.tell(good, 8)
        found = [hello, await anext(stream), await anext(stream)]
        await stream.aclose()
        return found

    _, one, other = asyncio.run(first_news())
    assert f'"{bad}", "seq": 7' in one
    assert f'"{good}", "seq": 8' in other


# --- deleting


def test_who_may_delete_a_table(app: FastAPI, file: Path, browser: TestClient) -> None:
    table, guest, eve = new_table(browser, ME, FRIEND), TestClient(app), TestClient(app)
    invite = browser.get(f"/api/tables/{table}").json()["seats"][1]["invite"]
    guest.post(f"/api{invite}", json={"name": "Ben"})
    for who, status, sentence in (
        (eve, 403, "this table is not yours"),
        (guest, 403, "only who has set this table up"),
        (browser, 422, "others are playing at this table"),
    ):
        answer = who.delete(f"/api/tables/{table}")
        assert (answer.status_code, answer.json()["error"][: len(sentence)]) == (status, sentence)
    assert browser.delete("/api/tables/nothing").status_code == 404
    break_table(app, file, table, "UPDATE tables SET record = '{' WHERE id = ?")
    assert eve.delete(f"/api/tables/{table}").status_code == 403
    assert guest.delete(f"/api/tables/{table}").json() == {"deleted": table}
    assert guest.get("/api/tables").json() == [], "a guest is rid of it"
    assert [one["id"] for one in browser.get("/api/tables").json()] == [table], "its host is not"
    assert browser.delete(f"/api/tables/{table}").status_code == 200
    assert browser.get("/api/tables").json() == []


def test_a_table_without_guests_can_be_deleted_at_any_time(
    app: FastAPI, browser: TestClient
) -> None:
    table = new_table(browser, ME, BOT)
    heard: list[str] = []
    app.state.services.tables.listeners.append(lambda name, seq: heard.append(name))
    assert browser.delete(f"/api/tables/{table}").json() == {"deleted": table}
    assert table in heard
    for answer in (browser.get(f"/t/{table}"), browser.get(f"/api/tables/{table}")):
        assert answer.status_code == 404


# --- links for those who sit nowhere, seats by number


def test_the_answer_to_a_new_table_has_the_links(app: FastAPI, browser: TestClient) -> None:
    content = {"game": "neoville", "seats": [BOT, FRIEND, FRIEND]}
    made = browser.post("/api/tables", json=content).json()
    assert [link["seat"] for link in made["links"]] == [1, 2]
    for link in made["links"]:
        joined = TestClient(app).post(f"/api{link['url']}", json={"name": "Ben"})
        assert joined.json() == {"table": made["table"], "seats": [link["seat"]]}
    assert browser.get(f"/api/tables/{made['table']}").json()["status"] == "playing"


def test_fields_count_seats_from_0_and_sentences_from_1(app: FastAPI, browser: TestClient) -> None:
    table, eve = new_table(browser, ME, BOT), TestClient(app)
    state = browser.get(f"/api/tables/{table}").json()
    assert [seat["seat"] for seat in state["seats"]] == [0, 1]
    assert (state["mine"], state["viewer"], state["to_move"]) == ([0], 0, 0)
    content = {"seq": 0, "id": "12345678", "seat": 0, "kind": "resign"}
    refusals = [
        eve.post(f"/api/tables/{table}/events", json=content),
        eve.get(f"/api/tables/{table}/view", params={"seat": 0}),
        eve.post(f"/api/tables/{table}/seats/0/link"),
        eve.get(f"/api/tables/{table}", params={"seat": 0}),
    ]
    for refusal in refusals:
        assert refusal.json()["error"] == "seat 1 is not yours"
        assert refusal.json()["seat"] == 0


# --- what a guest's stream is worth


def test_a_stream_tells_that_a_guest_is_there(app: FastAPI, browser: TestClient) -> None:
    class Clock:
        now = 0.0

    presence = app.state.services.tables.presence
    presence.clock = lambda: Clock.now
    presence._start = 0.0
    table, guest = new_table(browser, ME, FRIEND), TestClient(app)
    invite = browser.get(f"/api/tables/{table}").json()["seats"][1]["invite"]
    guest.post(f"/api{invite}", json={"name": "Ben"})
    owner = app.state.services.tables.get(table).seats[1].owner

    def link() -> int:
        return browser.post(f"/api/tables/{table}/seats/1/link").status_code

    async def watch_for_an_hour() -> list[int]:
        stream = app.state.services.live.stream(frozenset({table}), owner)
        await anext(stream)
        Clock.now += 3600
        found = [await asyncio.to_thread(link)]
        await stream.aclose()
        found.append(await asyncio.to_thread(link))
        Clock.now += AWAY
        guest.get(f"/api/tables/{table}")
        found.append(await asyncio.to_thread(link))
        Clock.now += AWAY
        return [*found, await asyncio.to_thread(link)]

    assert asyncio.run(watch_for_an_hour()) == [422, 422, 422, 200]


# --- bots that fail


class Failing(AtOnce):
    """A worker process in which every bot but ours fails."""

    asked: ClassVar[list[str]] = []

    def think(self, name: str, *turn: Any) -> list[str]:
        self.asked.append(name)
        if name != "builder":
            raise thinking.ThinkingFailed("out of ideas")
        return super().think(name, *turn)


@pytest.mark.parametrize("known", [False, True], ids=["found out at the table", "at the start"])
def test_a_bot_that_raises_is_replaced_for_good_and_people_are_told(
    app: FastAPI, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = app.state.services.workers
    if known:
        bots.failing.add("novice")
    monkeypatch.setattr(processes, "Process", Failing)
    Failing.asked.clear()
    with TestClient(app) as client:
        seats = [{"kind": "bot", "bot": "novice"}, {"kind": "bot", "bot": "builder", "name": "B"}]
        table = new_table(client, *seats, ME, game="cloud-city")
        state = wait_until(client, table, "your_turn")
        assert [seat["bot"] for seat in state["seats"]] == ["builder", "builder", None]
        assert [seat["name"] for seat in state["seats"]] == ["Builder", "B", "Ada"]
        [told] = state["notices"]
        assert (told["seat"], told["ply"]) == (0, 0)
        assert told["text"] == "The bot novice at seat 1 failed; builder plays on in its place."
        names = [bot["name"] for bot in client.get("/api/games").json()["bots"]]
        assert ("novice" in names) is not known
        offered = '"name": "novice"' in client.get("/new/neoville").text
        assert offered is not known
    assert Failing.asked.count("novice") == (0 if known else 1)


class Unwieldy(AtOnce):
    """A worker process in which compiled code takes too long to load."""

    kinds: ClassVar[list[bool]] = []

    def think(self, name: str, *turn: Any) -> list[str]:
        self.kinds.append(self.compiled)
        if self.compiled:
            raise TimeoutError
        return super().think(name, *turn)


def test_a_game_whose_compiled_code_takes_too_long_is_interpreted_from_then_on(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "Process", Unwieldy)
    monkeypatch.setattr(workers, "is_compiled", lambda game: True)
    Unwieldy.kinds.clear()
    with TestClient(app) as client:
        bot = {"kind": "bot", "bot": "builder"}
        table = new_table(client, bot, bot, bot, ME, game="cloud-city")
        wait_until(client, table, "your_turn")
    assert Unwieldy.kinds[:2] == [True, False]
    assert not any(Unwieldy.kinds[1:])


def test_a_bot_that_says_what_cannot_be_done_is_replaced_for_good(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(self: workers.Workers, turn: workers.Turn) -> list[str] | None:
        return ["jump"] if turn.bot == "novice" else None

    monkeypatch.setattr(workers.Workers, "_thought", say)
    with TestClient(app) as client:
        table = new_table(client, {"kind": "bot", "bot": "novice"}, ME, game="cloud-city")
        state = wait_until(client, table, "your_turn")
        assert state["seats"][0]["bot"] == "builder"
        assert len(state["notices"]) == 1


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), ValueError("no")])
def test_whatever_a_bot_raises_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """A bot that asks its process to exit does not end the thread that waits for it."""

    def broken(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(thinking, "bot", broken)
    with pytest.raises(thinking.ThinkingFailed, match=type(error).__name__):
        thinking.think("novice", {}, 1)


# --- the end


def test_streams_end_though_somebody_does_not_read() -> None:
    async def end() -> int:
        live = Live()
        stream = live.stream(frozenset({"some"}))
        await anext(stream)
        for seq in range(MOST_WAITING):
            live._spread("some", seq)
        live.stop()
        return len([news async for news in stream])

    assert asyncio.run(end()) <= 1


def test_what_fails_at_the_end_keeps_nothing_else_from_ending(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    services = app.state.services

    def fail() -> None:
        raise RuntimeError("a stream that will not end")

    monkeypatch.setattr(services.live, "stop", fail)
    monkeypatch.setattr(services.workers, "stop", lambda: ended.append("workers"))
    monkeypatch.setattr(services.store, "close", lambda: ended.append("store"))
    with pytest.raises(RuntimeError, match="will not end"), TestClient(app):
        pass
    assert ended == ["workers", "store"]


# --- languages


@pytest.mark.parametrize(
    ("accepted", "lang"),
    [
        ("", "en"),
        ("fr", "en"),
        ("de", "de"),
        ("nl-BE", "nl"),
        ("DE-at", "de"),
        ("den", "en"),
        ("en;q=0.5, de;q=0.9", "de"),
        ("en;q=0.5,nl;q=0.8,de;q=0.8", "nl"),
        ("de;q=0", "en"),
        ("de;q=0, nl;q=0.1", "nl"),
        ("de-AT, de;q=0", "en"),
        ("de;q=0.000, nl ; q=0.2 , en;q=0.1", "nl"),
        ("*", "en"),
        ("fr, *;q=0.5", "en"),
        ("en;q=0, *", "de"),
        ("de, *;q=0.1", "de"),
        ("nl;q=x, de;q=0.1", "de"),
        ("nl;q=7, de;q=0.1", "de"),
        ("nl;q=nan, de;q=0.1", "de"),
        (";;;,,=,q", "en"),
    ],
)
def test_the_language_a_browser_likes_best(accepted: str, lang: str) -> None:
    assert language.best_language(accepted) == lang


def test_weights_are_heeded_by_every_answer(browser: TestClient) -> None:
    headers = {"accept-language": "en;q=0.2, nl-BE"}
    assert browser.get("/api/tables/nope", headers=headers).json()["error"].startswith("er is geen")
    assert '<html lang="nl"' in browser.get("/", headers=headers).text
