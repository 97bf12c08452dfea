"""Reminders by mail, through a real mail server on a loopback port; no test waits for time."""

import json
import re
import secrets
import socket
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage, Message
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from sqlalchemy import func, select
from starlette.testclient import TestClient

from storeys.kernel.errors import BadOption
from storeys.web import reminders
from storeys.web.app import create_app
from storeys.web.buckets import Buckets
from storeys.web.identity import logged_path
from storeys.web.mailing import AFTER, FIRST_PAUSE, MOST_A_DAY, MOST_TRIES, MailSettings
from storeys.web.presence import AWAY
from storeys.web.store import ADDRESSES, MAILS

ME, HERE = {"kind": "me", "name": "Ada"}, {"kind": "here", "name": "Ben"}
ADDRESS = "ada@mail.example"


class Inbox(MessageHandler):
    """What a mail server was given."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Message] = []

    def handle_message(self, message: Message) -> None:
        self.mails.append(message)

    def links(self) -> list[str]:
        """The addresses in the last mail, without the host."""
        body = self.mails[-1].get_payload(decode=True)
        assert isinstance(body, bytes)
        return re.findall(r"http://play\.example(/\S+)", body.decode())


class Time:
    """A clock that a test holds."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def server(inbox: Inbox) -> Iterator[Controller]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    yield controller
    controller.stop()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def app(
    tmp_path: Path, server: Controller, time: Time, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    monkeypatch.setenv("STOREYS_SMTP", f"smtp://127.0.0.1:{server.port}")
    monkeypatch.setenv("STOREYS_MAIL_FROM", "games@play.example")
    monkeypatch.setenv("STOREYS_PUBLIC_URL", "http://play.example/")
    monkeypatch.setattr(reminders, "_given", Buckets(reminders.RATE))
    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=0)
    services = made.state.services
    services.store.clock = time
    services.tables.presence.clock = time
    services.tables.presence._start = time.now
    monkeypatch.setattr(services.mailing, "start", lambda: None)  # looks only when it is told to
    with TestClient(made):
        yield made


@pytest.fixture
def browser(app: Any) -> TestClient:
    return TestClient(app)


def look(app: Any) -> int:
    sent: int = app.state.services.mailing.look()
    return sent


def confirmed(app: Any, browser: TestClient, inbox: Inbox, address: str = ADDRESS) -> None:
    """Give an address and confirm it."""
    assert browser.post("/mail", data={"address": address}).status_code == 200
    assert look(app) == 1
    link = inbox.links()[0]
    assert "/mail/confirm/" in link
    assert TestClient(app).post(link).status_code == 200


def set_up(browser: TestClient, clock: str = "none") -> str:
    asked = {"game": "neoville", "seats": [ME, HERE], "clock": clock}
    return str(browser.post("/api/tables", json=asked).json()["table"])


def move(browser: TestClient, table: str) -> None:
    state = browser.get(f"/api/tables/{table}").json()
    seat = state["to_move"]
    legal = browser.get(f"/api/tables/{table}?seat={seat}").json()["choices"][0]["move"]
    event = {"kind": "move", "seq": state["seq"], "seat": seat, "move": legal}
    event["id"] = secrets.token_hex(8)
    assert browser.post(f"/api/tables/{table}/events", json=event).status_code == 200


def count(app: Any, rows: Any) -> int:
    with app.state.services.store.reading() as connection:
        return int(connection.scalar(select(func.count()).select_from(rows)))


def test_one_mail_for_a_turn_to_who_is_away(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    confirmed(app, browser, inbox)
    table = set_up(browser)
    time.now += AFTER - 1
    assert look(app) == 0
    time.now += AWAY
    assert (look(app), look(app)) == (1, 0)
    mail = inbox.mails[-1]
    assert (mail["subject"], mail["to"], mail["from"]) == (
        "Your turn: Neoville", ADDRESS, "games@play.example",
    )  # fmt: skip
    page, stop = inbox.links()
    assert page == f"/t/{table}"
    assert mail["list-unsubscribe"].strip() == f"<http://play.example{stop}>"
    time.now += 10 * AWAY
    assert look(app) == 0  # of this turn there was one
    while browser.get(f"/api/tables/{table}").json()["to_move"] == 0:
        move(browser, table)  # the next turn is of the same person at this screen
    time.now += AWAY + AFTER
    assert look(app) == 1


def test_no_mail_to_who_is_there(app: Any, browser: TestClient, inbox: Inbox, time: Time) -> None:
    confirmed(app, browser, inbox)
    table = set_up(browser)
    time.now += 2 * AWAY
    browser.get(f"/api/tables/{table}")
    time.now += AWAY - 1
    assert look(app) == 0
    time.now += 1
    assert look(app) == 1


@pytest.mark.parametrize(("clock", "mails"), [("2-minutes", 0), ("day", 1)])
def test_only_matches_that_last_long_are_mailed_of(
    app: Any, browser: TestClient, inbox: Inbox, time: Time, clock: str, mails: int
) -> None:
    confirmed(app, browser, inbox)
    set_up(browser, clock)
    time.now += 2 * AWAY
    assert look(app) == mails


def test_an_address_that_is_not_confirmed_is_sent_nothing(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    browser.post("/mail", data={"address": ADDRESS})
    set_up(browser)
    assert look(app) == 1  # the question
    browser.get(inbox.links()[0])  # looking at the link does nothing
    time.now += 2 * AWAY
    assert look(app) == 0
    time.now += 3 * 24 * 3600
    look(app)
    assert count(app, ADDRESSES) == 0


def test_a_mail_server_that_fails_is_tried_again(
    app: Any, browser: TestClient, inbox: Inbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed(app, browser, inbox)
    set_up(browser)
    time.now += 2 * AWAY
    mailing, sends = app.state.services.mailing, app.state.services.mailing.send

    def refuse(mail: EmailMessage) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(mailing, "send", refuse)
    pauses = []
    for _ in range(3):
        assert look(app) == 0
        with app.state.services.store.reading() as connection:
            due = connection.scalar(select(MAILS.c.due))
        pauses.append(due - time.now)
        time.now = due - 1
        assert look(app) == 0
        time.now = due
    assert pauses == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    monkeypatch.setattr(mailing, "send", sends)
    assert look(app) == 1
    assert count(app, MAILS) == 0


def test_a_mail_that_is_never_taken_is_given_up(
    app: Any, browser: TestClient, inbox: Inbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.post("/mail", data={"address": ADDRESS})

    def refuse(mail: EmailMessage) -> None:
        raise TimeoutError

    monkeypatch.setattr(app.state.services.mailing, "send", refuse)
    monkeypatch.setattr("storeys.web.mailing.UNCONFIRMED", 1e12)
    for _ in range(MOST_TRIES):
        assert count(app, MAILS) == 1
        look(app)
        time.now += 24 * 3600
    assert count(app, MAILS) == 0


def test_a_mail_that_another_process_has_taken_is_not_sent(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    browser.post("/mail", data={"address": ADDRESS})
    mailing, store = app.state.services.mailing, app.state.services.store
    with store.reading() as connection:
        row = connection.execute(select(MAILS)).one()
    assert mailing._send(row, time.now)
    assert not mailing._send(row, time.now)  # as it was read before
    assert len(inbox.mails) == 1


def test_a_mail_of_a_turn_that_is_over_is_not_sent(
    app: Any, browser: TestClient, inbox: Inbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed(app, browser, inbox)
    table = set_up(browser)
    time.now += 2 * AWAY
    mailing = app.state.services.mailing
    with monkeypatch.context() as patched:
        patched.setattr(mailing, "_send_due", lambda now: 0)
        mailing.look()
    assert count(app, MAILS) == 1
    browser.delete(f"/api/tables/{table}")
    assert (look(app), count(app, MAILS)) == (0, 0)


# --- what people can do with it


def test_a_link_in_every_mail_ends_them(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    confirmed(app, browser, inbox)
    stop = inbox.links()[1]
    assert TestClient(app).get(stop).status_code == 200
    assert count(app, ADDRESSES) == 1  # a button does it
    one_click = {"List-Unsubscribe": "One-Click"}
    assert TestClient(app).post(stop, data=one_click).status_code == 200
    assert count(app, ADDRESSES) == 0


def test_an_address_is_never_shown(app: Any, browser: TestClient, inbox: Inbox) -> None:
    confirmed(app, browser, inbox)
    table = set_up(browser)
    for address in ("/mail", "/", "/matches", f"/t/{table}", f"/api/tables/{table}", "/api/tables"):
        text = browser.get(address).text
        assert ADDRESS not in text
        assert "mail.example" not in text
    assert "a…@m…" in browser.get("/mail").text
    assert "@" not in TestClient(app).get("/mail").text.split("</head>")[1].replace("@media", "")


def test_it_can_be_taken_away_and_goes_with_ones_data(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    confirmed(app, browser, inbox)
    archive = zipfile.ZipFile(BytesIO(browser.get("/api/identity/export").content))
    assert json.loads(archive.read("reminders.json"))["address"] == ADDRESS
    browser.post("/mail/remove")
    assert count(app, ADDRESSES) == 0
    time.now += 120
    confirmed(app, browser, inbox)
    browser.delete("/api/identity")
    assert (count(app, ADDRESSES), count(app, MAILS)) == (0, 0)


def test_it_is_carried_to_another_device(
    app: Any, browser: TestClient, inbox: Inbox, time: Time
) -> None:
    other = TestClient(app)
    set_up(other)
    confirmed(app, other, inbox)
    phrase = browser.post("/api/identity/phrase").json()["phrase"]
    other.post("/api/identity/carry", json={"phrase": phrase, "merge": True})
    assert "a…@m…" in browser.get("/mail").text
    time.now += 2 * AWAY
    assert look(app) == 1


@pytest.mark.parametrize(
    "address",
    ["", "ada", "ada@", "a b@c.d", "ada@mail.example\nBcc: eve@x.y", "ä@b.c", "a@" + "b" * 300],
)
def test_what_is_no_address_is_refused(app: Any, browser: TestClient, address: str) -> None:
    assert browser.post("/mail", data={"address": address}).status_code == 422
    assert count(app, ADDRESSES) == 0


def test_nobody_is_flooded_with_questions(app: Any, time: Time) -> None:
    for nth in range(MOST_A_DAY + 1):
        answer = TestClient(app).post("/mail", data={"address": "Ada@mail.example"})
        assert answer.status_code == (200 if nth < MOST_A_DAY else 422)
    assert count(app, MAILS) == MOST_A_DAY


def test_addresses_cannot_be_given_without_end(app: Any, browser: TestClient, time: Time) -> None:
    statuses = set()
    for nth in range(reminders.RATE.at_once + 1):
        time.now += 120
        statuses.add(browser.post("/mail", data={"address": f"a{nth}@b.c"}).status_code)
    assert statuses == {200, 429}


def test_no_other_website_gives_an_address(app: Any, browser: TestClient) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    answer = browser.post("/mail", data={"address": ADDRESS}, headers=elsewhere)
    assert (answer.status_code, count(app, ADDRESSES)) == (403, 0)


def test_a_link_that_is_none(browser: TestClient) -> None:
    assert browser.post("/mail/confirm/nothing").status_code == 404
    assert browser.post("/mail/stop/nothing").status_code == 200  # it says nothing of who is known
    assert logged_path("/mail/stop/secret") == "/mail/stop/…"
    assert logged_path("/mail/confirm/secret") == "/mail/confirm/…"


# --- settings

GIVEN = {
    "STOREYS_SMTP": "smtps://ada:s%40cret@mail.example",
    "STOREYS_MAIL_FROM": "games@play.example",
    "STOREYS_PUBLIC_URL": "https://play.example",
}


def test_settings_are_read_and_keep_their_secret() -> None:
    found = MailSettings.from_settings(GIVEN)
    assert found is not None
    assert (found.port, found.user, found.password) == (465, "ada", "s@cret")
    assert "s@cret" not in repr(found)
    assert MailSettings.from_settings({}) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "") for name in GIVEN),
        ("STOREYS_SMTP", "https://mail.example"),
        ("STOREYS_SMTP", "smtp://"),
        ("STOREYS_SMTP", "smtp://host:port"),
        ("STOREYS_MAIL_FROM", "games"),
        ("STOREYS_PUBLIC_URL", "play.example"),
    ],
)
def test_a_setting_that_is_missing_is_named(name: str, value: str) -> None:
    with pytest.raises(BadOption, match=f"the setting {name} is missing or cannot be read"):
        MailSettings.from_settings(GIVEN | {name: value})


def test_without_a_mail_server_there_is_no_such_page(tmp_path: Path) -> None:
    with TestClient(create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=0)) as client:
        assert client.get("/mail").status_code == 404
        assert "/mail" not in client.get("/").text
