"""Tables: matches played over the store, by people and bots, one event after the other."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

import structlog

import storeys
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.match import Match, make_match
from storeys.web.errors import BadPost, NoTable, NotYours, Unreadable, not_yours
from storeys.web.models import TableRequest
from storeys.web.presence import Presence
from storeys.web.seating import checked_name, seats_for
from storeys.web.store import BadRow, EventFacts, Late, Outline, SeatFacts, Store
from storeys.web.table import Table, digest_of, played

KEPT_AT_HAND = 500
"""How many tables are kept in memory; the others are read again when they are asked for."""
log = structlog.get_logger("storeys.web.tables")


@dataclass(frozen=True)
class Lost:
    """A table of one's own that cannot be read, and why."""

    outline: Outline
    why: Unreadable


Listener = Callable[[str, int], None]
"""Told of a table and its new event number."""


class Tables:
    """All tables of a server."""

    def __init__(self, store: Store, presence: Presence | None = None) -> None:
        self.store = store
        self.presence = presence or Presence()
        self.listeners: list[Listener] = []
        self._at_hand: OrderedDict[str, Table] = OrderedDict()
        self._reading: dict[str, Future[Table]] = {}
        self._lock = threading.Lock()

    # --- finding

    def get(self, table: str) -> Table:
        """A table, from memory or from the store; ``Unreadable`` if it cannot be shown.

        Whoever asks for a table while it is read waits for that; nobody else does.
        """
        with self._lock:
            found = self._at_hand.get(table)
            if found is not None:
                self._at_hand.move_to_end(table)
                return found
            others, mine = self._reading.get(table), Future[Table]()
            if others is None:
                self._reading[table] = mine
        return others.result() if others is not None else self._read_for_all(table, mine)

    def at_hand(self, table: str) -> Table | None:
        """A table that is in memory, or None: whoever asks never waits for the store."""
        with self._lock:
            return self._at_hand.get(table)

    def _read_for_all(self, table: str, reading: "Future[Table]") -> Table:
        """Read a table, and tell those who wait for it too."""
        try:
            found = self._read(table)
        except BaseException as error:
            self._end_reading(table, reading)
            reading.set_exception(error)
            raise
        self._end_reading(table, reading, found)
        reading.set_result(found)
        return found

    def _end_reading(
        self, table: str, reading: "Future[Table]", found: Table | None = None
    ) -> None:
        """Keep what was read at hand, unless it has been written or deleted meanwhile."""
        with self._lock:
            if self._reading.get(table) is not reading:
                return
            del self._reading[table]
            if found is not None:
                self._at_hand[table] = found
                while len(self._at_hand) > KEPT_AT_HAND:
                    self._at_hand.popitem(last=False)

    def _read(self, table: str) -> Table:
        try:
            facts = self.store.load(table)
        except BadRow as error:
            log.warning("table cannot be read", table=table, error=repr(error.__cause__))
            raise _unreadable(table, error) from None
        if facts is None:
            raise NoTable(Message("storeys.web.no-table", table=short(table)))
        try:
            return played(facts)
        except StoreysError as error:
            raise _unreadable(table, error) from None
        except Exception as error:  # Whatever is wrong with it must not touch other tables.
            log.warning("table cannot be read", table=table, error=repr(error))
            why = BadRow(Message("storeys.web.broken-row"))
            raise _unreadable(table, why) from error

    def _forget(self, table: str) -> None:
        with self._lock:
            self._at_hand.pop(table, None)
            self._reading.pop(table, None)

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

    def create(self, request: TableRequest, owner: str) -> Table:
        """A new table from what a page or a program asks for."""
        options = dict(request.options)
        if options.pop("components", None) is not None:
            raise BadPost(Message("storeys.web.no-components"))
        seats = seats_for(request.seats, owner)
        players = len(seats) if request.players is None else request.players
        names = [seat.name for seat in seats]
        match = make_match(request.game, players, None, names, options)
        return self.keep(match, seats, "match", host=owner)

    def replay(self, record: dict[str, Any]) -> Table:
        """A table that only shows an uploaded record."""
        match = storeys.load(record)
        if match.to_move is not None:
            raise BadPost(Message("storeys.web.not-over"))
        seats = [SeatFacts(n, "human", name) for n, name in enumerate(match.names)]
        return self.keep(match, seats, "replay")

    def keep(
        self,
        match: Match,
        seats: list[SeatFacts],
        kind: str,
        previous: str | None = None,
        host: str | None = None,
    ) -> Table:
        """A table for a match, kept from now on."""
        table = secrets.token_urlsafe(6).replace("_", "a").replace("-", "b")
        self.store.create(table, kind, match.record(), seats, previous, host, match.to_move)
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

    # --- writing

    def commit(
        self,
        table: Table,
        kind: str,
        seat: int | None,
        data: Mapping[str, Any],
        client: str,
        changed: SeatFacts | None = None,
    ) -> None:
        """Write an event, then let it count and be known."""
        event = EventFacts(table.seq + 1, kind, seat, data, client)
        try:
            ends = kind == "move" and table.status == "over"
            self.store.append(table.id, event, changed, table.match.to_move, ends)
        except Late:
            self._forget(table.id)  # Another process has written; read it all again.
            raise
        if changed is not None:
            table.seats[changed.seat] = changed
            table.name_seats()
        table.note(event)
        table.publish()
        self._tell(table.id, table.seq)

    def _tell(self, table: str, seq: int) -> None:
        for listener in self.listeners:
            listener(table, seq)

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
            by_host = table.host_links.get(seat.seat) == digest_of(token)
            if by_host and seat.owner != owner:
                self._check_away(table, seat)  # The guest may have come back since it was made.
            now = replace(
                seat, kind="human", bot=None, owner=owner, token=None, used=token,
                name=checked_name(name) if name.strip() else seat.name,
            )  # fmt: skip
            data = {"name": now.name} | ({"host": True} if by_host else {})
            self.commit(table, "join", seat.seat, data, secrets.token_hex(16), now)
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
                found.publish()
                return token
            self._check_away(found, now)
            data = {"name": now.name, "link": digest_of(token)}
            self.commit(found, "link", seat, data, secrets.token_hex(16), now)
            return token

    def _check_away(self, table: Table, seat: SeatFacts) -> None:
        """A host gives a guest's seat away only when the guest has been away for long."""
        if seat.owner is None:
            return
        minutes = self.presence.minutes_for(table.id, seat.owner)
        if minutes:
            raise BadPost(Message("storeys.web.guest-here", name=seat.name, n=minutes))


def _unreadable(table: str, why: StoreysError) -> Unreadable:
    return Unreadable(Message("storeys.web.unreadable-table", table=short(table), why=why))


def _has_guests(table: Table, owner: str) -> bool:
    return any(seat.owner not in (None, owner) for seat in table.seats)
