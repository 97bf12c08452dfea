"""Tables: matches played over the store, by people and bots, one event after the other."""

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

import storeys
from storeys.bots import SUBSTITUTE, bot_names
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import Place, short
from storeys.match import Match, default_name, make_match
from storeys.web.names import called, name_of_bot
from storeys.web.presence import Presence
from storeys.web.store import (
    BadRow,
    EventFacts,
    Late,
    Outline,
    SeatFacts,
    Store,
    TableFacts,
)

KEPT_AT_HAND = 500
"""How many tables are kept in memory; the others are read again when they are asked for."""
MOST_LETTERS = 40
log = structlog.get_logger("storeys.web.tables")


class AtSeat(StoreysError):  # noqa: N818
    """Something that is refused, maybe for one seat: fields count from 0, sentences from 1."""

    seat: int | None = None


class NotYours(AtSeat):
    """Something was asked for a seat or a table that belongs to somebody else."""


class NoTable(StoreysError):  # noqa: N818
    """There is no such table or link."""


class BadPost(AtSeat):
    """A request that cannot be read or is not possible now."""


class Unreadable(StoreysError):  # noqa: N818
    """A table that is kept and cannot be shown: broken, or of other rules."""


@dataclass(frozen=True)
class Notice:
    """Something that everybody at a table is told."""

    seq: int
    ply: int
    seat: int | None
    message: Message


@dataclass(frozen=True)
class Lost:
    """A table of one's own that cannot be read, and why."""

    outline: Outline
    why: Unreadable


@dataclass
class Table:
    """A table in memory: what the store keeps of it, played."""

    id: str
    kind: str
    previous: str | None
    created: float
    host: str | None
    match: Match
    seats: list[SeatFacts]
    seq: int = 0
    answers: dict[str, int] = field(default_factory=dict)  # by the poster's own ids
    resigned: set[int] = field(default_factory=set)
    notices: list[Notice] = field(default_factory=list)
    host_links: dict[int, str] = field(default_factory=dict)  # digests, by the guest's seat
    rematch: str | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def status(self) -> str:
        """Waiting for people, being played, or over."""
        if self.match.to_move is None:
            return "over"
        return "waiting" if any(seat.kind == "open" for seat in self.seats) else "playing"

    def names_in(self, lang: str) -> list[str]:
        """What the seats are called in a language."""
        return [called(seat, lang) for seat in self.seats]

    def seats_of(self, owner: str) -> list[int]:
        """The seats that belong to a browser."""
        return [seat.seat for seat in self.seats if seat.owner == owner]

    def may_invite(self, seat: int, owner: str) -> bool:
        """Whether a browser may make a link for a seat: its own, or as host one of its guests'."""
        mine = self.seats[seat].owner == owner
        guest = self.seats[seat].kind == "human" and self.host == owner
        return self.kind == "match" and (mine or guest)

    def may_seat(self, owner: str) -> bool:
        """Whether a browser fills the open seats: of who sits here, and of who set the table up."""
        return self.kind == "match" and (self.host == owner or bool(self.seats_of(owner)))

    def can_take_back(self, seat: int) -> bool:
        """Whether the last move is this seat's own and has shown nothing hidden."""
        return self.kind == "match" and self.match.can_take_back(seat)


Listener = Callable[[str, int], None]
"""Told of a table and its new event number."""


class Tables:
    """All tables of a server."""

    def __init__(self, store: Store, presence: Presence | None = None) -> None:
        self.store = store
        self.presence = presence or Presence()
        self.listeners: list[Listener] = []
        self._at_hand: OrderedDict[str, Table] = OrderedDict()
        self._lock = threading.Lock()

    # --- finding

    def get(self, table: str) -> Table:
        """A table, from memory or from the store; ``Unreadable`` if it cannot be shown."""
        with self._lock:
            found = self._at_hand.get(table)
            if found is None:
                found = self._at_hand[table] = self._read(table)
            self._at_hand.move_to_end(table)
            while len(self._at_hand) > KEPT_AT_HAND:
                self._at_hand.popitem(last=False)
            return found

    def _read(self, table: str) -> Table:
        try:
            facts = self.store.load(table)
        except BadRow as error:
            log.warning("table cannot be read", table=table, error=repr(error.__cause__))
            raise _unreadable(table, error) from None
        if facts is None:
            raise NoTable(Message("storeys.web.no-table", table=short(table)))
        try:
            return _played(facts)
        except StoreysError as error:
            raise _unreadable(table, error) from None
        except Exception as error:  # Whatever is wrong with it must not touch other tables.
            log.warning("table cannot be read", table=table, error=repr(error))
            why = BadRow(Message("storeys.web.broken-row"))
            raise _unreadable(table, why) from error

    def _forget(self, table: str) -> None:
        with self._lock:
            self._at_hand.pop(table, None)

    def of_owner(self, owner: str) -> list[Table | Lost]:
        """The tables at which a browser sits or that it set up; each is read for itself."""
        found = [self._get_or_lost(table) for table in self.store.tables_of(owner)]
        return [table for table in found if table is not None]

    def _get_or_lost(self, table: str) -> Table | Lost | None:
        try:
            return self.get(table)
        except Unreadable as error:
            outline = self.store.outline(table)
            return None if outline is None else Lost(outline, error)
        except NoTable:  # deleted between two looks
            return None

    # --- setting up

    def create(self, wanted: Place, owner: str) -> Table:
        """A new table from what a page or a program asks for."""
        wanted.only("game", "players", "options", "seats")
        options = dict(wanted["options"].table()) if wanted.get("options") else {}
        if options.pop("components", None) is not None:
            raise BadPost(Message("storeys.web.no-components"))
        players = wanted.get("players")
        asked = [_seat_asked_for(entry) for entry in wanted["seats"].items()]
        _name_the_nameless(asked)
        match = make_match(
            wanted["game"].text(),
            len(asked) if players is None else players.value,
            None,
            [seat["name"] for seat in asked],
            options,
        )
        seats = [_seated(nth, seat, owner) for nth, seat in enumerate(asked)]
        return self._keep(match, seats, "match", host=owner)

    def replay(self, record: dict[str, Any]) -> Table:
        """A table that only shows an uploaded record."""
        match = storeys.load(record)
        if match.to_move is not None:
            raise BadPost(Message("storeys.web.not-over"))
        seats = [SeatFacts(n, "human", name) for n, name in enumerate(match.names)]
        return self._keep(match, seats, "replay")

    def _keep(
        self,
        match: Match,
        seats: list[SeatFacts],
        kind: str,
        previous: str | None = None,
        host: str | None = None,
    ) -> Table:
        table = secrets.token_urlsafe(6).replace("_", "a").replace("-", "b")
        self.store.create(table, kind, match.record(), seats, previous, host)
        self._tell(table, 0)
        return self.get(table)

    # --- clearing away

    def delete(self, table: str, owner: str) -> None:
        """Remove a table of one's own; a guest leaves one that cannot be read to its host."""
        outline = self.store.outline(table)
        if outline is None:
            raise NoTable(Message("storeys.web.no-table", table=short(table)))
        sits_here = any(seat.owner == owner for seat in outline.seats)
        if not sits_here and outline.host != owner:
            raise NotYours(Message("storeys.web.not-your-table"))
        is_host = outline.host in (None, owner)
        try:
            found = self.get(table)
        except Unreadable:
            if is_host:
                self.store.delete(table)
            else:
                self.store.leave(table, owner)
            return
        if not is_host:
            raise NotYours(Message("storeys.web.host-deletes"))
        with found.lock:
            if found.status != "over" and _has_guests(found, owner):
                raise BadPost(Message("storeys.web.others-play"))
            self.store.delete(table)
            self._forget(table)
        self._tell(table, found.seq + 1)

    # --- what happens at a table

    def post(self, table: str, owner: str, wanted: Place) -> dict[str, Any]:
        """Do what a browser or a program asks for, once; the number of the event it became."""
        found = self.get(table)
        kind = wanted["kind"].one_of(tuple(DEEDS))
        client = wanted["id"].text()
        if not 8 <= len(client) <= 64:
            raise BadPost(Message("storeys.web.client-id"))
        with found.lock:
            if client in found.answers:
                return {"seq": found.answers[client]} | _rematch_of(found, kind)
            if wanted["seq"].whole(0, 1 << 40) != found.seq:
                raise Late(Message("storeys.web.late"))
            seat = wanted["seat"].whole(0, found.match.players - 1)
            fills = kind == "take-over" and found.seats[seat].kind == "open"
            if found.seats[seat].owner != owner and not (fills and found.may_seat(owner)):
                raise not_yours(seat)
            self.presence.seen(table, owner)
            DEEDS[kind](self, found, seat, client, wanted)
            return {"seq": found.seq} | _rematch_of(found, kind)

    def play(self, table: str, seq: int, seat: int, move: str) -> bool:
        """Let a bot make a move, unless something has happened since it was asked."""
        found = self.get(table)
        with found.lock:
            if found.seq != seq or found.match.to_move != seat or found.status != "playing":
                return False
            self._move(found, seat, secrets.token_hex(16), move)
            return True

    def substitute(self, table: str, seq: int, seat: int) -> bool:
        """Give the seat of a bot that fails to one of ours, and tell everybody at the table."""
        found = self.get(table)
        with found.lock:
            failed = found.seats[seat]
            if found.seq != seq or failed.kind != "bot" or failed.bot == SUBSTITUTE:
                return False
            name = SUBSTITUTE if failed.name == failed.bot else failed.name
            now = replace(failed, bot=SUBSTITUTE, name=name)
            data = {"bot": SUBSTITUTE, "failed": failed.bot}
            self._commit(found, "substitute", seat, data, secrets.token_hex(16), now)
            return True

    def _move(self, table: Table, seat: int, client: str, move: Any) -> None:
        if table.status == "waiting":
            raise BadPost(Message("storeys.web.waiting"))
        if table.match.to_move != seat:
            raise BadPost(Message("storeys.web.not-your-turn"))
        table.match.push(move)
        try:
            self._commit(table, "move", seat, {"move": str(table.match.moves[-1])}, client)
        except Exception:
            table.match.pop()
            raise

    def _commit(
        self,
        table: Table,
        kind: str,
        seat: int | None,
        data: Mapping[str, Any],
        client: str,
        changed: SeatFacts | None = None,
    ) -> None:
        """Write an event, then let it count and be known."""
        entry = EventFacts(table.seq + 1, kind, seat, data, client)
        try:
            ends = kind == "move" and table.status == "over"
            self.store.append(table.id, entry, changed, ends)
        except Late:
            self._forget(table.id)  # Another process has written; read it all again.
            raise
        table.seq = entry.seq
        table.answers[client] = entry.seq
        if changed is not None:
            table.seats[changed.seat] = changed
            _rename(table)
        _take_note(table, entry)
        self._tell(table.id, table.seq)

    def _tell(self, table: str, seq: int) -> None:
        for listener in self.listeners:
            listener(table, seq)

    # --- the deeds that can be posted

    def _post_move(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if table.seats[seat].kind != "human":
            raise BadPost(Message("storeys.web.bot-plays"))
        self._move(table, seat, client, wanted["move"].value)

    def _post_take_back(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if not table.can_take_back(seat):
            raise BadPost(Message("storeys.web.cannot-take-back"))
        move = table.match.pop()
        try:
            self._commit(table, "take-back", seat, {}, client)
        except Exception:
            table.match.push(move)
            raise

    def _post_resign(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if table.status == "over":
            raise BadPost(Message("storeys.web.over"))
        left = replace(table.seats[seat], kind="bot", bot=SUBSTITUTE, owner=None, token=None)
        self._commit(table, "resign", seat, {"bot": SUBSTITUTE}, client, left)
        table.resigned.add(seat)

    def _post_take_over(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if table.status == "over":
            raise BadPost(Message("storeys.web.over"))
        bot = wanted.get("bot")
        chosen = SUBSTITUTE if bot is None else bot.one_of(bot_names())
        now = replace(table.seats[seat], kind="bot", bot=chosen, token=None)
        self._commit(table, "take-over", seat, {"bot": chosen}, client, now)

    def _post_return(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if table.status == "over":
            raise BadPost(Message("storeys.web.over"))
        now = replace(table.seats[seat], kind="human", bot=None)
        self._commit(table, "return", seat, {}, client, now)

    def _post_rename(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        name = checked_name(wanted["name"].text())
        now = replace(table.seats[seat], name=name)
        self._commit(table, "rename", seat, {"name": name}, client, now)

    def _post_rematch(self, table: Table, seat: int, client: str, wanted: Place) -> None:
        if table.status != "over":
            raise BadPost(Message("storeys.web.not-over"))
        if table.rematch is None:
            old = table.match
            match = make_match(
                old.game.name, old.players, None, list(old.names), dict(old.setup.options)
            )
            seats = [_seated_again(seat) for seat in table.seats]
            table.rematch = self._keep(match, seats, "match", table.id, table.host).id
            self._commit(table, "rematch", seat, {"table": table.rematch}, client)

    # --- links

    def join(self, token: str, owner: str, name: str) -> Table:
        """Give the seat of a link to a browser, once."""
        found = self.store.seat_of_token(token)
        if found is None:
            raise NoTable(Message("storeys.web.used-link"))
        table = self.get(found[0])
        with table.lock:
            seat = table.seats[found[1]]
            if seat.used == token and seat.owner == owner:
                return table  # The same link once more, from the browser that it was for.
            if seat.token != token:
                raise NoTable(Message("storeys.web.used-link"))
            by_host = table.host_links.get(seat.seat) == _digest(token)
            if by_host and seat.owner != owner:
                self._check_away(table, seat)  # The guest may have come back since it was made.
            now = replace(
                seat, kind="human", bot=None, owner=owner, token=None, used=token,
                name=checked_name(name) if name.strip() else seat.name,
            )  # fmt: skip
            data = {"name": now.name} | ({"host": True} if by_host else {})
            self._commit(table, "join", seat.seat, data, secrets.token_hex(16), now)
            self.presence.seen(table.id, owner)
        return table

    def make_link(self, table: str, seat: int, owner: str) -> str:
        """A link that moves one's seat to another device, or lets a guest in again who is away."""
        found = self.get(table)
        with found.lock:
            if not 0 <= seat < found.match.players or not found.may_invite(seat, owner):
                raise not_yours(seat)
            token = secrets.token_urlsafe(18)
            now = replace(found.seats[seat], token=token)
            if now.owner == owner:
                self.store.change_seat(table, now)
                found.seats[seat] = now
                return token
            self._check_away(found, now)
            data = {"name": now.name, "link": _digest(token)}
            self._commit(found, "link", seat, data, secrets.token_hex(16), now)
            return token

    def _check_away(self, table: Table, seat: SeatFacts) -> None:
        """A host gives a guest's seat away only when the guest has been away for long."""
        if seat.owner is None:
            return
        minutes = self.presence.minutes_for(table.id, seat.owner)
        if minutes:
            raise BadPost(Message("storeys.web.guest-here", name=seat.name, n=minutes))


DEEDS: dict[str, Callable[[Tables, Table, int, str, Place], None]] = {
    "move": Tables._post_move,
    "take-back": Tables._post_take_back,
    "resign": Tables._post_resign,
    "take-over": Tables._post_take_over,
    "return": Tables._post_return,
    "rename": Tables._post_rename,
    "rematch": Tables._post_rematch,
}


def not_yours(seat: int, kind: type[AtSeat] = NotYours) -> AtSeat:
    """A seat of somebody else."""
    error = kind(Message("storeys.web.not-yours", seat=seat + 1))
    error.seat = seat
    return error


def _unreadable(table: str, why: StoreysError) -> Unreadable:
    return Unreadable(Message("storeys.web.unreadable-table", table=short(table), why=why))


def _has_guests(table: Table, owner: str) -> bool:
    return any(seat.owner not in (None, owner) for seat in table.seats)


def _digest(token: str) -> str:
    """What is kept of a link for good."""
    return hashlib.sha256(token.encode()).hexdigest()


def _rematch_of(table: Table, kind: str) -> dict[str, Any]:
    return {"table": table.rematch} if kind == "rematch" else {}


def checked_name(name: str) -> str:
    """A name as it may stand on a page."""
    text = " ".join("".join(sign for sign in name if sign.isprintable()).split())
    if not text or len(text) > MOST_LETTERS:
        raise BadOption(Message("storeys.web.name", n=MOST_LETTERS))
    return text


def _seat_asked_for(entry: Place) -> dict[str, Any]:
    entry.only("kind", "name", "bot")
    kind = entry["kind"].one_of(("me", "here", "friend", "bot"))
    name = entry.get("name")
    given = checked_name(name.text()) if name is not None and name.value else None
    bot = entry.get("bot")
    chosen = None
    if kind == "bot":
        chosen = SUBSTITUTE if bot is None else bot.one_of(bot_names())
    return {"kind": kind, "bot": chosen, "name": given}


def _name_the_nameless(asked: list[dict[str, Any]]) -> None:
    """A name for each seat that has none, the same in every language: pages translate it."""
    sitting: dict[str, int] = {}
    for nth, seat in enumerate(asked):
        bot = seat["bot"]
        if bot is not None:
            sitting[bot] = sitting.get(bot, 0) + 1
        if seat["name"] is None:
            seat["name"] = default_name(nth) if bot is None else name_of_bot(bot, sitting[bot])


def _seated(nth: int, seat: dict[str, Any], owner: str) -> SeatFacts:
    if seat["kind"] == "bot":
        return SeatFacts(nth, "bot", seat["name"], seat["bot"])
    if seat["kind"] == "friend":
        return SeatFacts(nth, "open", seat["name"], token=secrets.token_urlsafe(18))
    return SeatFacts(nth, "human", seat["name"], owner=owner)


def _seated_again(seat: SeatFacts) -> SeatFacts:
    """A seat for a rematch: whoever let a bot take over plays again."""
    again = replace(seat, token=None, used=None)
    return again if seat.owner is None else replace(again, kind="human", bot=None)


def _played(facts: TableFacts) -> Table:
    """A table with all its events played again."""
    match, seats = storeys.load(facts.record), list(facts.seats)
    if [seat.seat for seat in seats] != list(range(match.players)):
        raise BadRow(Message("storeys.web.seats-missing", n=match.players, found=len(seats)))
    table = Table(facts.id, facts.kind, facts.previous, facts.created, facts.host, match, seats)
    for entry in facts.events:
        if entry.kind == "move":
            match.push(entry.data["move"])
        elif entry.kind == "take-back":
            match.pop()
        elif entry.kind == "resign" and entry.seat is not None:
            table.resigned.add(entry.seat)
        elif entry.kind == "rematch":
            table.rematch = str(entry.data["table"])
        table.seq = entry.seq
        table.answers[entry.client] = entry.seq
        _take_note(table, entry)
    _rename(table)
    return table


def _take_note(table: Table, entry: EventFacts) -> None:
    """Keep what everybody at a table is told of an event."""
    message = _notice_of(entry)
    if entry.kind == "link" and entry.seat is not None:
        table.host_links[entry.seat] = str(entry.data["link"])
    if message is not None:
        notice = Notice(entry.seq, table.match.moves_made, entry.seat, message)
        table.notices.append(notice)


def _notice_of(entry: EventFacts) -> Message | None:
    if entry.seat is None:
        return None
    data, number = entry.data, entry.seat + 1
    if entry.kind == "link":
        return Message("storeys.web.link-made", seat=number, name=data["name"])
    if entry.kind == "join" and data.get("host"):
        return Message("storeys.web.link-used", seat=number, name=data["name"])
    if entry.kind == "substitute":
        return Message("storeys.web.bot-failed", seat=number, bot=data["failed"], now=data["bot"])
    return None


def _rename(table: Table) -> None:
    table.match.names = tuple(seat.name for seat in table.seats)
