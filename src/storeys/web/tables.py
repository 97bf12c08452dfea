"""Tables: matches played over the store, by people and bots, one event after the other."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import structlog

import storeys
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.match import Match, make_match
from storeys.web.checkpoints import Checkpoints
from storeys.web.database import Unavailable, time_left, unavailable
from storeys.web.errors import BadPost, NoTable, NotYours, Unreadable, not_yours
from storeys.web.lessons import lesson_match, lesson_seats
from storeys.web.models import Clock, TableRequest
from storeys.web.presence import Presence
from storeys.web.seating import checked_face, checked_name, seats_for
from storeys.web.store import (
    BadRow,
    EventFacts,
    Late,
    NewTable,
    Outline,
    SeatChange,
    SeatFacts,
    Store,
    Timing,
)
from storeys.web.table import Table, Turn, current_turn, digest_of, played

CLOCKS: dict[Clock, int | None] = {"none": None, "2-minutes": 120, "day": 24 * 3600}
"""Seconds for a turn, by what a table's clock is called."""
KEPT_AT_HAND = 500
"""How many tables are kept in memory; the others are read again when they are asked for."""
KEPT_TOLD = 20_000
"""Of how many tables is known what has been told of them."""
ASKED_AT_ONCE = 500
"""Of how many tables the newest events are asked for at once."""
A_MOMENT = 0.1
"""For how many seconds a reader waits where somebody writes on top of something old."""
A_WHILE = 1.0
"""For how many seconds readers are shown what is in memory when the database has not answered."""
log = structlog.get_logger("storeys.web.tables")


def clock_called(seconds: int | None) -> Clock:
    """The name of a clock that gives so many seconds for a turn."""
    [name] = [name for name, given in CLOCKS.items() if given == seconds]
    return name


@dataclass(frozen=True)
class Lost:
    """A table of one's own that cannot be read, and why."""

    outline: Outline
    why: Unreadable


REWRITING = ("carry", "erase")
"""Events that change what earlier ones say: of whom they are, and by which name."""

Listener = Callable[[str, int], None]
"""Told of a table and its new event number."""


class Tables:
    """All tables of a server.

    A table is in memory once: whoever holds one is found again, however long ago others used it.
    """

    def __init__(self, store: Store, presence: Presence | None = None) -> None:
        self.store = store
        self.presence = presence or Presence()
        self.checkpoints = Checkpoints(store)
        self.listeners: list[Listener] = []
        self._at_hand: OrderedDict[str, Table] = OrderedDict()  # the last used last
        self._in_memory: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._reading: dict[str, Future[Table]] = {}
        self._unsure: set[str] = set()  # tables at which a write has failed
        self._behind: set[str] = set()  # tables of which something old was shown
        self._told: OrderedDict[str, int] = OrderedDict()
        self._ask_again = 0.0
        self._lock = threading.Lock()

    # --- finding

    def get(self, table: str) -> Table:
        """A table, from memory or from the store; ``Unreadable`` if it cannot be shown.

        Whoever asks for a table while it is read waits for that; nobody else does.
        """
        with self._lock:
            found = self._in_memory.get(table)
            if found is not None:
                self._keep_at_hand(found)
            others, mine = self._reading.get(table), Future[Table]()
            if found is None and others is None:
                self._reading[table] = mine
        if found is None and others is None:
            return self._read_for_all(table, mine)
        found = found or (others or mine).result()
        if self.store.is_shared or table in self._unsure:
            self._look_again(found)
        return found

    def _keep_at_hand(self, found: Table) -> None:
        self._in_memory[found.id] = self._at_hand[found.id] = found
        self._at_hand.move_to_end(found.id)
        while len(self._at_hand) > KEPT_AT_HAND:
            self.checkpoints.let_go(self._at_hand.popitem(last=False)[1].snapshot)

    def at_hand(self, table: str) -> Table | None:
        """A table that is in memory and surely as written, or None: nobody waits for the store."""
        if self.store.is_shared or table in self._unsure:
            return None
        with self._lock:
            found = self._at_hand.get(table)
            if found is not None:
                self._at_hand.move_to_end(table)
            return found

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
        """Keep what was read at hand, unless it has been deleted meanwhile."""
        with self._lock:
            if self._reading.get(table) is not reading:
                return
            del self._reading[table]
            if found is not None:
                self._keep_at_hand(found)

    def _read(self, table: str) -> Table:
        with _as_unreadable(table, BadRow):
            facts = self.store.load(table)
        if facts is None:
            raise _no_table(table)
        with _as_unreadable(table):
            return played(facts)

    def keep_checkpoints(self) -> None:
        """Keep where all matches in memory stand: the server ends."""
        with self._lock:
            at_hand = [table.snapshot for table in self._at_hand.values()]
        self.checkpoints.stop(at_hand)

    def _forget(self, table: str) -> None:
        """A table has been deleted, or cannot be played on."""
        with self._lock:
            self._at_hand.pop(table, None)
            self._in_memory.pop(table, None)
            self._reading.pop(table, None)
            self._unsure.discard(table)

    # --- what others have written

    def _look_again(self, table: Table) -> None:
        """Take in what other processes have written; where that is not possible now, go on without.

        Nobody who reads waits for a writer: whoever writes on top of something old is refused, and
        takes it in then.
        """
        if time.monotonic() < self._ask_again:
            return
        try:
            newest = self.store.newest(table.id)
            if newest == table.seq and table.id not in self._unsure:
                return
            if not table.lock.acquire(timeout=A_MOMENT):
                self._behind.add(table.id)
                return
            try:
                self._catch_up(table)
            finally:
                table.lock.release()
        except Unavailable:
            self._ask_again = time.monotonic() + A_WHILE

    def _catch_up(self, table: Table) -> None:
        """Play what others have written, in place; the lock of the table is held."""
        with _as_unreadable(table.id, BadRow):
            since = self.store.since(table.id, table.seq)
        if since is None:
            self._forget(table.id)
            raise _no_table(table.id)
        events, seats = since
        try:
            with _as_unreadable(table.id):
                if any(event.kind in REWRITING for event in events):
                    self._become_anew(table)
                else:
                    table.take_in(events, seats)
        except Unreadable:
            self._forget(table.id)
            raise
        self._unsure.discard(table.id)
        table.publish()
        if events or table.id in self._behind:
            self._tell(table.id, table.seq, again=table.id in self._behind)
            self._behind.discard(table.id)

    def _become_anew(self, table: Table) -> None:
        """What was written before has changed too: let the table be as it is read now."""
        facts = self.store.load(table.id)
        if facts is None:
            raise _no_table(table.id)
        table.become(played(facts))

    def hear(self, table: str, seq: int) -> None:
        """Another process has written an event; whoever asks for the table is shown it."""
        self._tell(table, seq)

    def hear_all(self, watched: Iterable[str]) -> None:
        """Something may have been missed: look what is new at all tables that anybody knows."""
        self._ask_again = 0.0
        with self._lock:
            known = [*{*self._told, *watched}]
        for start in range(0, len(known), ASKED_AT_ONCE):
            for table, seq in self.store.newest_of(known[start : start + ASKED_AT_ONCE]).items():
                self._tell(table, seq)

    def forget(self, table: str) -> None:
        """A table has been removed from the store."""
        self._forget(table)

    def of_owner(self, owner: str, most: int = 30, skip: int = 0) -> list[Table | Lost]:
        """The tables at which a browser sits or that it set up; each is read for itself."""
        return self._found(self.store.tables_of(owner, most, skip))

    def turns_of(self, owner: str) -> list[Table | Lost]:
        """All tables at which a browser is to move."""
        return self._found(self.store.turns_of(owner))

    def _found(self, tables: Iterable[str]) -> list[Table | Lost]:
        found = [self._get_or_lost(table) for table in tables]
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
        clock = CLOCKS[request.clock]
        if request.lesson:
            return self._create_lesson(request, owner)
        options = dict(request.options)
        if options.pop("components", None) is not None:
            raise BadPost(Message("storeys.web.no-components"))
        seats = seats_for(request.seats, owner)
        players = len(seats) if request.players is None else request.players
        names = [seat.name for seat in seats]
        match = make_match(request.game, players, None, names, options)
        return self.keep(match, seats, "match", owner, clock)

    def _create_lesson(self, request: TableRequest, owner: str) -> Table:
        """A table for the first steps of a game, whose deal and options are the game's own."""
        seats = seats_for(lesson_seats(request.game, request.seats), owner)
        match = lesson_match(request.game, [seat.name for seat in seats])
        return self.keep(match, seats, "match", host=owner)

    def replay(self, record: dict[str, Any]) -> Table:
        """A table that only shows an uploaded record."""
        match = storeys.load(record)
        if match.to_move is not None:
            raise BadPost(Message("storeys.web.not-over"))
        names = [checked_name(name) for name in match.names]
        seats = [SeatFacts(n, "human", name) for n, name in enumerate(names)]
        return self.keep(match, seats, "replay")

    def keep(
        self,
        match: Match,
        seats: list[SeatFacts],
        kind: str,
        host: str | None = None,
        clock: int | None = None,
    ) -> Table:
        """A table for a match, kept from now on."""
        new = new_table(match, seats, kind, None, host, clock)
        self.store.add(new)
        self._tell(new.id, 0)
        return self.get(new.id)

    # --- clearing away

    def delete(self, table: str, owner: str) -> None:
        """Remove a table of one's own; a guest leaves one that cannot be read to its host."""
        outline = self.store.outline(table)
        if outline is None:
            raise _no_table(table)
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
        with self.writing(found):
            if not found.may_delete(owner):
                raise BadPost(Message("storeys.web.others-play"))
            self.store.delete(table, found.seq)
            self._forget(table)
        self._tell(table, found.seq + 1)

    def remove(self, table: str) -> None:
        """Remove a table, whoever plays there: the host of the server may."""
        try:
            seq = self.get(table).seq
        except Unreadable:
            seq = 0
        self.store.delete(table)
        self._forget(table)
        self._tell(table, seq + 1)

    def renew(self, changed: Iterable[tuple[str, int]]) -> None:
        """Read tables anew that were changed in the store alone, and let everybody know."""
        for table, seq in changed:
            self._unsure.add(table)
            self._tell(table, seq)

    # --- writing

    @contextmanager
    def writing(self, table: Table) -> Iterator[None]:
        """Write at a table, alone; ``Unavailable`` if one cannot within the store's patience.

        Where others write too, it is as they have left it, at the beginning and after ``Late``.
        """
        if not table.lock.acquire(timeout=time_left(self.store.patience)):
            raise unavailable()
        try:
            if self.store.is_shared or table.id in self._unsure:
                self._catch_up(table)
            yield
        except Late:
            self._unsure.add(table.id)
            with suppress(Unavailable):
                self._catch_up(table)
            raise
        except Unavailable:
            self._unsure.add(table.id)  # Nobody knows whether it was written.
            raise
        finally:
            table.lock.release()

    def commit(
        self,
        table: Table,
        kind: str,
        seat: int | None,
        data: Mapping[str, Any],
        client: str,
        changed: SeatFacts | None = None,
        rematch: NewTable | None = None,
        before: Sequence[EventFacts] = (),
    ) -> None:
        """Write an event, then let it count and be known, with those that come before it."""
        data = dict(data)
        if kind == "move" and seat is not None and table.is_handed_back(seat):
            changed = replace(table.seats[seat], kind="human", bot=None)
            data["back"] = True
        seats = [*table.seats]
        if changed is not None:
            seats[changed.seat] = changed
        turn = current_turn(table.match, seats)
        if table.clock and turn not in (None, table.turn) and kind != "take-back":
            data["turn"] = True
        seq = table.seq + len(before) + 1
        event = EventFacts(seq, kind, seat, data, client, self.store.clock())
        ends = kind == "move" and table.status == "over"
        change = None if changed is None else SeatChange(table.seats[changed.seat], changed)
        timing = _timing(table, event, turn, seats)
        to_move = table.match.to_move
        self.store.append(table.id, event, change, to_move, ends, rematch, timing, before)
        if changed is not None:
            table.seats[changed.seat] = changed
            table.name_seats()
        table.pass_over(before, table.match.moves_made - len(before) - 1)
        table.note(event)
        table.publish()
        if rematch is not None:
            self._tell(rematch.id, 0)
        for one in (*before, event):
            self._tell(table.id, one.seq)

    def commit_moves(self, table: Table, seat: int, moves: Sequence[str]) -> None:
        """Write moves that a bot has made in one turn, all at once, then let them be known."""
        *earlier, last = [{"move": move} for move in moves]
        now = self.store.clock()
        before = [
            EventFacts(seq, "move", seat, data, secrets.token_hex(16), now)
            for seq, data in enumerate(earlier, start=table.seq + 1)
        ]
        self.commit(table, "move", seat, last, secrets.token_hex(16), before=before)

    def _tell(self, table: str, seq: int, again: bool = False) -> None:
        """Let everybody know of an event, once: also of one's own the database tells."""
        with self._lock:
            if seq <= self._told.get(table, -1) and not again:
                return
            self._told[table] = seq
            self._told.move_to_end(table)
            while len(self._told) > KEPT_TOLD:
                self._told.popitem(last=False)
        for listener in self.listeners:
            listener(table, seq)

    # --- links

    def of_link(self, token: str) -> tuple[Table, int]:
        """The table and the seat that a link gives or gave."""
        found = self.store.seat_of_token(token)
        if found is None:
            raise _used_link()
        table, seat = self.get(found[0]), found[1]
        if token not in (table.seats[seat].token, table.seats[seat].used):
            with self.writing(table):  # Another process has made it, which is no event.
                self._catch_up(table)
        return table, seat

    def join(self, token: str, owner: str, name: str, face: str | None = None) -> Table:
        """Give the seat of a link to a browser, once."""
        chosen = checked_face(face)
        table, number = self.of_link(token)
        with self.writing(table):
            seat = table.seats[number]
            if seat.used == token and seat.owner == owner:
                return table  # The same link once more, from the browser that it was for.
            if seat.token != token:
                raise _used_link()
            by_host = table.host_links.get(seat.seat) == digest_of(token)
            if by_host and seat.owner != owner:
                self._check_away(table, seat)  # The guest may have come back since it was made.
            now = replace(
                seat, kind="human", bot=None, owner=owner, token=None, used=token,
                name=checked_name(name) if name.strip() else seat.name,
                face=chosen or (seat.face if seat.owner == owner else None),
            )  # fmt: skip
            data = {"name": now.name} | ({"host": True} if by_host else {})
            self.commit(table, "join", seat.seat, data, secrets.token_hex(16), now)
            self.presence.seen(table.id, owner)
        return table

    def make_link(self, table: str, seat: int, owner: str) -> str:
        """A link that moves one's seat to another device, or lets a guest in again who is away."""
        found = self.get(table)
        with self.writing(found):
            if not 0 <= seat < found.match.players or not found.may_invite(seat, owner):
                raise not_yours(seat)
            token = secrets.token_urlsafe(18)
            before = found.seats[seat]
            now = replace(before, token=token)
            if now.owner == owner:
                self.store.change_seat(table, SeatChange(before, now))
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


def new_table(
    match: Match,
    seats: list[SeatFacts],
    kind: str,
    previous: str | None,
    host: str | None,
    clock: int | None = None,
) -> NewTable:
    """A table for a match, with an id of its own."""
    table = secrets.token_urlsafe(6).replace("_", "a").replace("-", "b")
    begins = kind == "match" and _is_persons(current_turn(match, seats), seats)
    whose = (previous, host, match.to_move)
    return NewTable(table, kind, match.record(), seats, *whose, clock, begins)


def _is_persons(turn: Turn | None, seats: Sequence[SeatFacts]) -> bool:
    return turn is not None and seats[turn[0]].kind == "human"


def _timing(
    table: Table, event: EventFacts, turn: Turn | None, seats: Sequence[SeatFacts]
) -> Timing | None:
    """Since when and until when it is a person's turn after an event, where that changes."""
    goes_on = turn == table.turn and table.turn is not None
    before = table.snapshot.waits_for_person
    waits = _is_persons(turn, seats)
    if goes_on and waits == before:
        return None
    if not waits:
        return Timing(None, None, None)
    if not table.clock:
        return Timing(event.seq, event.created, None)
    began = table.began_after(event)
    return Timing(event.seq, began, began + table.clock)


@contextmanager
def _as_unreadable(table: str, kind: type[Exception] = Exception) -> Iterator[None]:
    """Whatever is wrong with what is kept of a table is a sentence, and touches no other table."""
    try:
        yield
    except kind as error:
        why = (
            error if isinstance(error, StoreysError) else BadRow(Message("storeys.web.broken-row"))
        )
        if isinstance(why, BadRow):
            log.warning("table cannot be read", table=table, error=repr(error.__cause__ or error))
        raise _unreadable(table, why) from None


def _unreadable(table: str, why: StoreysError) -> Unreadable:
    return Unreadable(Message("storeys.web.unreadable-table", table=short(table), why=why))


def _no_table(table: str) -> NoTable:
    return NoTable(Message("storeys.web.no-table", table=short(table)))


def _used_link() -> NoTable:
    return NoTable(Message("storeys.web.used-link"))
