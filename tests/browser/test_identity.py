"""Identities in a real browser: other websites, another device, and somebody who wants to go."""

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect

from storeys.web import identity, knowing
from storeys.web.app import create_app
from tests.browser.helpers import (
    BOT,
    ME,
    PHONE,
    Server,
    eventually,
    new_table,
    no_errors,
    open_page,
    state,
)

ELSEWHERE = "http://localhost:9/"
"""A page of another website: to browsers localhost and 127.0.0.1 are two of them."""


class Served:
    """A server in this process, whose guards a test can take away."""

    def __init__(self, database: str) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        app = create_app(database, workers=1, pace=0)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))

    def __enter__(self) -> "Served":
        self._thread.start()
        eventually(lambda: self._server.started)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(f"sqlite:///{tmp_path / 'web.db'}") as server:
        yield server


def post_from_elsewhere(page: Page, target: str) -> None:
    """Let another website post a form to us, as it may without asking anybody."""
    form = f'<form method="post" action="{target}"><button>win a prize</button></form>'
    page.context.route(ELSEWHERE, lambda route: route.fulfill(body=form, content_type="text/html"))
    page.goto(ELSEWHERE)
    with page.expect_response(target):
        page.get_by_role("button").click()
    page.wait_for_load_state()


def identity_of(page: Page, served: Served) -> str:
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies(served.url)}
    return str(cookies[identity.COOKIE])


def assert_an_identity_survives_other_websites(served: Served, browser: Browser) -> None:
    page = open_page(browser, served.url)
    content = {"game": "neoville", "seats": [ME, BOT]}
    table = page.request.post(f"{served.url}/api/tables", data=content).json()["table"]
    before = identity_of(page, served)
    post_from_elsewhere(page, f"{served.url}/join/nothing")
    assert identity_of(page, served) == before, "the cookie has been replaced"
    seen = page.request.get(f"{served.url}/api/tables/{table}").json()
    assert seen["mine"] == [0]


def test_no_website_takes_an_identity_away(served: Served, browser: Browser) -> None:
    assert_an_identity_survives_other_websites(served, browser)


def test_without_its_guards_an_identity_is_taken_away(
    served: Served, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowing, "is_foreign", lambda _: False)
    monkeypatch.setattr(identity, "_may_be_given_a_cookie", lambda _: True)
    with pytest.raises(AssertionError, match="the cookie has been replaced"):
        assert_an_identity_survives_other_websites(served, browser)


def test_matches_are_carried_to_a_phone_and_erased_there(server: Server, browser: Browser) -> None:
    page, phone = open_page(browser, server.url), open_page(browser, server.url, PHONE)
    table = new_table(page, server, "neoville", [ME, BOT])
    own = new_table(phone, server, "neoville", [ME, BOT])
    page.goto(server.url)
    page.get_by_role("link", name="Use my matches on another device").click()
    page.get_by_role("button", name="Make a phrase").click()
    field = page.get_by_label("Link", exact=True)
    expect(field).to_have_value(re.compile(re.escape(f"{server.url}/carry/")))
    link = field.input_value()
    phone.goto(link)
    expect(phone.get_by_text("This browser already has matches of its own.")).to_be_visible()
    phone.get_by_label("I made this phrase myself.").check()
    phone.get_by_role("button", name="Bring them here").click()
    for one in (table, own):
        expect(phone.locator(f'a[href="/t/{one}"]')).to_be_visible()
        assert state(phone, server, one)["mine"] == state(page, server, one)["mine"] == [0]
    phone.evaluate("localStorage.setItem('storeys.name', 'Ada')")
    phone.get_by_role("link", name="Delete my data").click()
    phone.get_by_label("Yes, delete my data for good.").check()
    phone.get_by_role("button", name="Delete").click()
    expect(phone.get_by_role("heading", name="Deleted")).to_be_visible()
    phone.wait_for_function("() => localStorage.getItem('storeys.name') === null")
    assert state(page, server, table)["mine"] == []
    no_errors(page)
    no_errors(phone)
