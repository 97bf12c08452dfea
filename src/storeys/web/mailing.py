"""Reminders by mail, where the host has set up a mail server: for matches that last days.

Who wants them gives an address, and confirms it by a link in a first mail.  A mail is written when
it has been somebody's turn for a while, they are away, and none was written of this turn; it waits
in the database until it is sent, by one thread of whichever server process takes it.  So no request
waits for a mail server, and what fails is tried again after longer and longer pauses.
"""

import os
import re
import secrets
import smtplib
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from sqlalchemy import Connection, Row, and_, delete, exists, func, insert, or_, select, update

from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.web.errors import BadPost
from storeys.web.store import ADDRESSES, IS_OPEN, MAILS, SEATS, TABLES, Store
from storeys.web.tables import Tables

SETTINGS = ("STOREYS_SMTP", "STOREYS_MAIL_FROM", "STOREYS_PUBLIC_URL")
PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
LONGEST_ADDRESS = 254
AFTER = 600.0
"""For how many seconds it is somebody's turn before a mail is written."""
LONG_CLOCK = 3600
"""From which clock on a match lasts long enough for mails; without one it may last for ever."""
A_MINUTE, A_DAY = 60.0, 24 * 3600.0
MOST_A_DAY = 3
"""How many mails that ask for confirmation an address is sent in a day, whoever asks."""
UNCONFIRMED = 2 * A_DAY
"""After how many seconds an address that nobody confirms is forgotten."""
HOLDS = 120.0
"""Seconds after which another process may take a mail that one has not been done with."""
FIRST_PAUSE, LONGEST_PAUSE, MOST_TRIES = 60.0, 6 * 3600.0, 10
LOOKS_EVERY, PATIENCE, AT_ONCE = 15.0, 10.0, 20
log = structlog.get_logger("storeys.web.mailing")


@dataclass(frozen=True)
class MailSettings:
    """How a host lets mails be sent.

    >>> from storeys.web.mailing import MailSettings
    >>> given = {
    ...     "STOREYS_SMTP": "smtp+starttls://ada:secret@mail.example",
    ...     "STOREYS_MAIL_FROM": "games@play.example",
    ...     "STOREYS_PUBLIC_URL": "https://play.example/",
    ... }
    >>> MailSettings.from_settings(given)
    MailSettings(kind='smtp+starttls', host='mail.example', port=587, sender='games@play.example',\
 base='https://play.example')
    """

    kind: str
    host: str
    port: int
    sender: str
    base: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def from_settings(cls, settings: Mapping[str, str] = os.environ) -> "MailSettings | None":
        """What settings ask for, none if there are none; ``BadOption`` if one is missing."""
        server, sender, base = (settings.get(name, "") for name in SETTINGS)
        if not (server or sender or base):
            return None
        for name in SETTINGS:
            if not settings.get(name):
                raise BadOption(Message("storeys.web.mail-setting", name=name))
        try:
            parts = urlsplit(server)
            port = parts.port or PORTS[parts.scheme]
        except (ValueError, KeyError):
            raise BadOption(Message("storeys.web.mail-setting", name=SETTINGS[0])) from None
        if not parts.hostname or not ADDRESS.fullmatch(sender):
            which = SETTINGS[0] if not parts.hostname else SETTINGS[1]
            raise BadOption(Message("storeys.web.mail-setting", name=which))
        if urlsplit(base).scheme not in ("http", "https"):
            raise BadOption(Message("storeys.web.mail-setting", name=SETTINGS[2]))
        return cls(
            parts.scheme, parts.hostname, port, sender, base.rstrip("/"),
            unquote(parts.username or ""), unquote(parts.password or ""),
        )  # fmt: skip

    def send(self, mail: EmailMessage) -> None:
        """Hand a mail over to the mail server."""
        secure = ssl.create_default_context()
        if self.kind == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=PATIENCE, context=secure
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=PATIENCE)
        with server:
            if self.kind == "smtp+starttls":
                server.starttls(context=secure)
            if self.user:
                server.login(self.user, self.password)
            server.send_message(mail)


@dataclass(frozen=True)
class Reminded:
    """What is known of somebody's address, as it may be shown: nobody can read it off a screen."""

    hint: str
    is_confirmed: bool


class Mailing:
    """The addresses of people, and the mails to them."""

    def __init__(self, tables: Tables, settings: MailSettings | None) -> None:
        self._tables, self._store, self.settings = tables, tables.store, settings
        self.send: Callable[[EmailMessage], None] = lambda mail: (
            settings.send(mail) if settings else None
        )
        self._stopped, self._wake = threading.Event(), threading.Event()

    @property
    def is_on(self) -> bool:
        """Whether the host lets mails be sent."""
        return self.settings is not None

    def start(self) -> None:
        """Write and send mails now and then, beside everything else."""
        if self.is_on:
            threading.Thread(target=self._look_often, name="mailing", daemon=True).start()

    def stop(self) -> None:
        """Send no more."""
        self._stopped.set()
        self._wake.set()

    # --- addresses

    def ask(self, owner: str, address: str, lang: str) -> None:
        """Note where somebody wants to be reminded, and ask there whether that is right."""
        if len(address) > LONGEST_ADDRESS or not ADDRESS.fullmatch(address):
            raise BadPost(Message("storeys.web.bad-address"))
        now, token = self._store.now(), secrets.token_urlsafe(24)
        row = {"owner": owner, "address": address, "token": token, "lang": lang, "asked": now}
        with self._store.writing() as connection:
            _check_not_too_often(connection, owner, address, now)
            forget(connection, owner)
            connection.execute(insert(ADDRESSES).values(row))
            _write(connection, owner, None, None, now)
        self._wake.set()

    def confirm(self, token: str) -> bool:
        """Whoever has the link has the mail; False if there is no such address any more."""
        known = update(ADDRESSES).where(ADDRESSES.c.token == token)
        now = func.coalesce(ADDRESSES.c.confirmed, self._store.now())
        with self._store.writing() as connection:
            return bool(connection.execute(known.values(confirmed=now)).rowcount)

    def stop_by(self, token: str) -> None:
        """Forget the address of a link, whoever follows it."""
        with self._store.writing() as connection:
            owner = connection.scalar(select(ADDRESSES.c.owner).where(ADDRESSES.c.token == token))
            if owner is not None:
                forget(connection, owner)

    def remove(self, owner: str) -> None:
        """Forget somebody's address."""
        with self._store.writing() as connection:
            forget(connection, owner)

    def known(self, owner: str) -> Reminded | None:
        """What may be shown of somebody's address."""
        found = address_of(self._store, owner)
        if found is None:
            return None
        local, _, domain = found.address.partition("@")
        return Reminded(f"{local[0]}…@{domain[0]}…", found.confirmed is not None)

    # --- writing

    def look(self) -> int:
        """Write what is due, and send it; how many mails were sent."""
        now = self._store.now()
        with self._store.writing() as connection:
            old = and_(ADDRESSES.c.confirmed.is_(None), ADDRESSES.c.asked < now - UNCONFIRMED)
            connection.execute(delete(ADDRESSES).where(old))
        for row in self._waiting(now):
            if not self._tables.presence.wait_for(row.id, row.owner):
                self._remind(row, now)
        return self._send_due(now)

    def _waiting(self, now: float) -> list[Row[Any]]:
        """Turns that have lasted for a while, of people who want to know, and do not yet."""
        here = SEATS.alias()
        sits = and_(SEATS.c.table_id == TABLES.c.id, SEATS.c.seat == TABLES.c.to_move)
        asked = (
            select(TABLES.c.id, TABLES.c.turn, SEATS.c.owner)
            .join(SEATS, and_(sits, SEATS.c.kind == "human"))
            .join(ADDRESSES, ADDRESSES.c.owner == SEATS.c.owner)
            .where(
                IS_OPEN,
                ~exists().where(here.c.table_id == TABLES.c.id, here.c.kind == "open"),
                ADDRESSES.c.confirmed.is_not(None),
                TABLES.c.began <= now - AFTER,
                or_(TABLES.c.clock.is_(None), TABLES.c.clock >= LONG_CLOCK),
                or_(TABLES.c.mailed.is_(None), TABLES.c.mailed != TABLES.c.turn),
            )
            .limit(10 * AT_ONCE)
        )
        with self._store.reading() as connection:
            return [*connection.execute(asked)]

    def _remind(self, row: Row[Any], now: float) -> None:
        """Write a mail, once for a turn: whoever notes the turn first writes it."""
        unwritten = or_(TABLES.c.mailed.is_(None), TABLES.c.mailed != row.turn)
        this = and_(TABLES.c.id == row.id, TABLES.c.turn == row.turn, unwritten)
        with self._store.writing() as connection:
            if connection.execute(update(TABLES).where(this).values(mailed=row.turn)).rowcount:
                _write(connection, row.owner, row.id, row.turn, now)

    # --- sending

    def _send_due(self, now: float) -> int:
        due = select(MAILS).where(MAILS.c.due <= now).order_by(MAILS.c.due).limit(AT_ONCE)
        with self._store.reading() as connection:
            found = connection.execute(due).all()
        return sum(self._send(row, now) for row in found if not self._stopped.is_set())

    def _send(self, row: Row[Any], now: float) -> bool:
        """Send a mail that no other process has taken; one that fails is tried again later."""
        this = and_(MAILS.c.id == row.id, MAILS.c.due == row.due)
        taken = {"due": now + HOLDS, "tries": row.tries + 1}
        with self._store.writing() as connection:
            if not connection.execute(update(MAILS).where(this).values(taken)).rowcount:
                return False
        mail = self._mail(row)
        again = MAILS.c.id == row.id
        try:
            if mail is not None:
                self.send(mail)
        except (OSError, smtplib.SMTPException) as error:
            log.warning("a mail is not sent", error=type(error).__name__, tries=row.tries + 1)
            if row.tries + 1 < MOST_TRIES:
                pause = min(FIRST_PAUSE * 2.0**row.tries, LONGEST_PAUSE)
                with self._store.writing() as connection:
                    connection.execute(update(MAILS).where(again).values(due=now + pause))
                return False
            mail = None
        with self._store.writing() as connection:
            connection.execute(delete(MAILS).where(again))
        return mail is not None

    def _mail(self, row: Row[Any]) -> EmailMessage | None:
        """What is to be sent; nothing if it is not to be sent any more."""
        to = address_of(self._store, row.owner)
        if to is None or self.settings is None:
            return None
        if row.table_id is None:
            return None if to.confirmed else self._asking(to, row.id)
        return self._reminding(to, row) if to.confirmed and self._is_turn(row) else None

    def _is_turn(self, row: Row[Any]) -> bool:
        still = and_(TABLES.c.id == row.table_id, TABLES.c.turn == row.turn, IS_OPEN)
        sits = and_(
            SEATS.c.table_id == row.table_id, SEATS.c.seat == TABLES.c.to_move,
            SEATS.c.owner == row.owner, SEATS.c.kind == "human",
        )  # fmt: skip
        with self._store.reading() as connection:
            return bool(connection.scalar(select(exists().where(still, sits))))

    def _asking(self, to: Row[Any], mail: str) -> EmailMessage:
        assert self.settings is not None
        link = f"{self.settings.base}/mail/confirm/{to.token}"
        subject = Message("storeys.mail.confirm-subject")
        return self._message(to, mail, subject, Message("storeys.mail.confirm-body", link=link))

    def _reminding(self, to: Row[Any], row: Row[Any]) -> EmailMessage | None:
        assert self.settings is not None
        try:
            game = self._tables.get(row.table_id).match.game.title.text(to.lang)
        except StoreysError:  # deleted, or it cannot be read
            return None
        link = f"{self.settings.base}/t/{row.table_id}"
        subject = Message("storeys.mail.turn-subject", game=game)
        body = Message("storeys.mail.turn-body", game=game, link=link)
        return self._message(to, row.id, subject, body)

    def _message(self, to: Row[Any], mail: str, subject: Message, body: Message) -> EmailMessage:
        """A mail in plain text, with a link that ends all mails."""
        assert self.settings is not None
        base, sender = self.settings.base, self.settings.sender
        stop = f"{base}/mail/stop/{to.token}"
        made = EmailMessage()
        made["Subject"] = subject.text(to.lang)
        made["From"], made["To"], made["Date"] = sender, to.address, formatdate()
        made["Message-ID"] = f"<{mail}@{sender.rpartition('@')[2]}>"
        made["Auto-Submitted"] = "auto-generated"
        made["List-Unsubscribe"] = f"<{stop}>"
        made["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        end = Message("storeys.mail.stop", link=stop).text(to.lang)
        made.set_content(f"{body.text(to.lang)}\n\n-- \n{end}\n")
        return made

    def _look_often(self) -> None:
        while not self._stopped.is_set():
            try:
                self.look()
            except Exception as error:  # The database may be away; it is tried again.
                log.warning("mails cannot be written", error=type(error).__name__)
            self._wake.wait(LOOKS_EVERY)
            self._wake.clear()


# --- what is kept


def address_of(store: Store, owner: str) -> Row[Any] | None:
    """Where somebody wants to be reminded."""
    with store.reading() as connection:
        found = connection.execute(select(ADDRESSES).where(ADDRESSES.c.owner == owner))
        return found.one_or_none()


def forget(connection: Connection, owner: str) -> None:
    """Forget somebody's address, and the mails that wait."""
    for rows in (ADDRESSES, MAILS):
        connection.execute(delete(rows).where(rows.c.owner == owner))


def carry_address(connection: Connection, old: str, new: str) -> None:
    """Somebody has become somebody else, whose address counts if there is one."""
    theirs = select(exists().where(ADDRESSES.c.owner == new))
    if connection.scalar(theirs):
        forget(connection, old)
        return
    for rows in (ADDRESSES, MAILS):
        connection.execute(update(rows).where(rows.c.owner == old).values(owner=new))


def _write(
    connection: Connection, owner: str, table: str | None, turn: int | None, now: float
) -> None:
    row = {"id": secrets.token_hex(16), "owner": owner, "table_id": table, "turn": turn}
    connection.execute(insert(MAILS).values(row | {"due": now, "tries": 0}))


def _check_not_too_often(connection: Connection, owner: str, address: str, now: float) -> None:
    """Nobody is sent many mails that they have not asked for."""
    just_now = and_(ADDRESSES.c.owner == owner, ADDRESSES.c.asked > now - A_MINUTE)
    today = and_(
        func.lower(ADDRESSES.c.address) == address.lower(), ADDRESSES.c.asked > now - A_DAY
    )
    count = connection.scalar(select(func.count()).select_from(ADDRESSES).where(today)) or 0
    if count >= MOST_A_DAY or connection.scalar(select(exists().where(just_now))):
        raise BadPost(Message("storeys.web.mail-often"))
