"""Who asks: signed cookies, cookies of earlier releases, and other websites that play a browser."""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from fastapi import FastAPI
from sqlalchemy import insert, select
from starlette.testclient import TestClient

from storeys.web import identity, knowing, people, watching
from storeys.web.app import create_app
from storeys.web.database import unavailable
from storeys.web.identity import COOKIE, Identities, is_same_host
from storeys.web.store import SETTINGS, SeatFacts, Store
from storeys.web.workers import Workers
from tests.make_snapshots import played

OLD = "a-random-text-of-an-earlier-release"
OLD_OWNER = hashlib.sha256(OLD.encode()).hexdigest()
TABLE = {"game": "neoville", "seats": [{"kind": "me", "name": "Ada"}, {"kind": "friend"}]}
EVIL = "https://evil.example"
FORM = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
FRAME = FORM | {"sec-fetch-dest": "iframe"}
PICTURE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    for method in ("start", "consider", "resume"):
        monkeypatch.setattr(Workers, method, lambda *_: None)
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=1, pace=0)
    with TestClient(made):
        yield made


def sits_by(app: FastAPI, owner: str) -> str:
    """A table at which somebody sits since an earlier release."""
    seats = [SeatFacts(0, "human", "Ada", owner=owner), SeatFacts(1, "bot", "bo", bot="random")]
    app.state.services.store.create(
        "old", "match", played("neoville", {"players": 2}, 0).record(), seats
    )
    return "old"


def mine_at(browser: TestClient, table: str) -> list[int]:
    return list(browser.get(f"/api/tables/{table}").json()["mine"])


# --- cookies


def test_a_visitor_is_known_by_a_signed_cookie(app: FastAPI) -> None:
    browser = TestClient(app)
    made = browser.post("/api/tables", json=TABLE)
    assert made.headers["set-cookie"].endswith("; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax")
    version, owner, _ = browser.cookies[COOKIE].split(".")
    table = app.state.services.tables.get(made.json()["table"])
    assert (version, table.host) == ("1", owner)
    assert "set-cookie" not in browser.get("/").headers
    assert mine_at(browser, table.id) == [0]


def assert_forged_cookies_are_nobody(app: FastAPI) -> None:
    browser = TestClient(app)
    table = browser.post("/api/tables", json=TABLE).json()["table"]
    version, owner, signature = browser.cookies[COOKIE].split(".")
    other = Identities(Store("sqlite://")).cookie_of(owner)
    forged = [
        f"{version}.{owner}.{'0' * 64}", f"{version}.{owner}.", f"{version}.{owner}", owner,
        f"2.{owner}.{signature}", f"{version}.{'0' * 64}.{signature}", other, OLD,
    ]  # fmt: skip
    for cookie in forged:
        thief = TestClient(app, cookies={COOKIE: cookie})
        assert mine_at(thief, table) == [], cookie
        assert thief.get("/api/tables").json() == []


def test_a_forged_cookie_is_nobody(app: FastAPI) -> None:
    assert_forged_cookies_are_nobody(app)


def test_without_the_signature_forged_cookies_are_somebody(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hmac, "compare_digest", lambda *_: True)
    with pytest.raises(AssertionError):
        assert_forged_cookies_are_nobody(app)


def test_a_cookie_of_an_earlier_release_is_good_for_who_sits_by_it(app: FastAPI) -> None:
    table = sits_by(app, OLD_OWNER)
    browser = TestClient(app, cookies={COOKIE: OLD})
    answer = browser.get(f"/api/tables/{table}")
    assert answer.json()["mine"] == [0]
    assert "set-cookie" not in answer.headers


def test_a_cookie_by_which_nobody_sits_is_replaced_by_our_own_pages_alone(app: FastAPI) -> None:
    sits_by(app, "f" * 64)
    for headers, is_replaced in (({}, True), (FORM, False), (PICTURE, False)):
        browser = TestClient(app, cookies={COOKIE: "1.forged.cookie"})
        answer = browser.get("/", headers=headers)
        assert answer.status_code == 200
        assert ("set-cookie" in answer.headers) == is_replaced
    assert TestClient(app, cookies={COOKIE: OLD}).post("/api/tables", json=TABLE).cookies[COOKIE]


def test_it_is_looked_up_once_who_sits_by_an_old_cookie(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def is_known(_: Store, owner: str) -> bool:
        asked.append(owner)
        return True

    monkeypatch.setattr(people, "is_known", is_known)
    browser = TestClient(app, cookies={COOKIE: OLD})
    for _ in range(3):
        browser.get("/healthz")
    assert asked == [OLD_OWNER]


def test_while_the_database_is_away_no_old_cookie_is_replaced(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> bool:
        raise unavailable()

    monkeypatch.setattr(people, "is_known", fail)
    answer = TestClient(app, cookies={COOKIE: OLD}).get("/replay")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


def test_what_caches_may_keep_has_no_cookie(app: FastAPI) -> None:
    for path in ("/static/style.css", "/pictures/neoville/light.svg"):
        answer = TestClient(app).get(path)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers


def test_the_secret_is_made_once(tmp_path: Path) -> None:
    """Also where several processes start at once on a new database."""
    url = f"sqlite:///{tmp_path / 'web.db'}"
    stores = [Store(url) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        cookies = list(threads.map(lambda store: Identities(store).cookie_of("x"), stores))
    assert len(set(cookies)) == 1
    with stores[0].reading() as connection:
        assert len(connection.execute(select(SETTINGS)).all()) == 1
    for store in stores:
        store.close()


def test_who_comes_second_takes_the_secret_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, write = Store("sqlite://"), Store.writing

    def come_second(self: Store) -> Any:
        with write(self) as connection:
            connection.execute(insert(SETTINGS).values(name="secret", value="of the first"))
        return write(self)

    monkeypatch.setattr(Store, "writing", come_second)
    assert people.setting(store, "secret", "of the second") == "of the first"


# --- other websites


def assert_no_form_from_elsewhere_takes_a_seat_or_an_identity(app: FastAPI) -> None:
    """A browser that plays here is sent to post a form by another website, without its cookie."""
    browser = TestClient(app)
    table = browser.post("/api/tables", json=TABLE).json()["table"]
    kept, link = dict(browser.cookies), app.state.services.tables.get(table).seats[1].token
    for headers in (FORM, {"origin": EVIL}, FORM | {"origin": EVIL}, {"origin": "null"}):
        # A browser takes what the answer sets, though the request came without its cookie.
        answer = TestClient(app).post(f"/join/{link}", data={"name": "x"}, headers=headers)
        browser.cookies.update(answer.cookies)
        assert "set-cookie" not in answer.headers
        assert answer.status_code == 403
        assert "another website" in answer.text
    assert dict(browser.cookies) == kept
    assert mine_at(browser, table) == [0]
    assert app.state.services.tables.get(table).seats[1].kind == "open"


def test_no_form_from_elsewhere_takes_an_identity_away(app: FastAPI) -> None:
    assert_no_form_from_elsewhere_takes_a_seat_or_an_identity(app)


def let_everybody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowing, "is_foreign", lambda _: False)


def give_everybody_a_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_may_be_given_a_cookie", lambda _: True)


@pytest.mark.parametrize("remove_guard", [let_everybody_in, give_everybody_a_cookie])
def test_without_its_guard_a_form_from_elsewhere_is_found(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, remove_guard: Callable[..., None]
) -> None:
    remove_guard(monkeypatch)
    if remove_guard is give_everybody_a_cookie:  # what is refused sets none either
        let_everybody_in(monkeypatch)
    with pytest.raises(AssertionError):
        assert_no_form_from_elsewhere_takes_a_seat_or_an_identity(app)


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
def test_everything_that_changes_something_is_refused_from_elsewhere(
    app: FastAPI, method: str
) -> None:
    for headers in ({"sec-fetch-site": "same-site"}, {"origin": "http://testserver:81"}):
        answer = TestClient(app).request(method, "/api/tables/x", headers=headers)
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("this was asked for by a page of another website")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://testserver"},
        {"origin": "https://testserver", "host": "testserver:443"},
        {"sec-fetch-site": "same-origin", "origin": "http://testserver"},
        {"sec-fetch-site": "same-origin", "origin": EVIL, "host": "behind-a-proxy:8000"},
        {"sec-fetch-site": "none"},
    ],
)
def test_our_own_pages_and_programs_are_let_in(app: FastAPI, headers: dict[str, str]) -> None:
    answer = TestClient(app).post("/api/tables", json=TABLE, headers=headers)
    assert answer.status_code == 201
    assert "set-cookie" in answer.headers


@pytest.mark.parametrize(
    ("headers", "is_given"),
    [
        ({}, True),
        ({"sec-fetch-site": "none"}, True),
        (FORM, True),  # a link in a mail: a cookie would have come along
        (FORM | {"sec-fetch-site": "same-site"}, True),
        (FORM | {"sec-purpose": "prefetch"}, False),
        (FRAME, False),
        (PICTURE, False),
        ({"origin": EVIL}, False),
    ],
)
def test_who_is_given_a_cookie_with_a_page(
    app: FastAPI, headers: dict[str, str], is_given: bool
) -> None:
    answer = TestClient(app).get("/", headers=headers)
    assert answer.status_code == 200
    assert ("set-cookie" in answer.headers) == is_given


@pytest.mark.parametrize(
    ("origin", "host", "is_same"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("https://PLAY.example", "play.example", True),
        ("https://play.example", "play.example:443", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://localhost:8001", "localhost:8000", False),
        ("http://127.0.0.1:8000", "localhost:8000", False),
        ("https://play.example.evil.example", "play.example", False),
        ("null", "play.example", False),
        ("", "", False),
        ("http://play.example:x", "play.example", False),
        ("http://[", "play.example", False),
    ],
)
def test_whether_an_origin_is_at_a_host(origin: str, host: str, is_same: bool) -> None:
    assert is_same_host(origin, host) == is_same


@pytest.mark.parametrize("path", ["/join/{}", "/move/{}", "/api/join/{}", "/carry/{}"])
def test_links_that_give_something_are_not_logged(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    log = Mock()
    monkeypatch.setattr(watching, "log", log)
    TestClient(app).get(path.format("a-secret-of-somebody"))
    assert log.info.call_args.kwargs["path"] == path.format("…")
    assert "secret" not in str(log.mock_calls)
