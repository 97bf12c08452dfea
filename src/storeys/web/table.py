"""A table in memory: what the store keeps of it, played."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

import storeys
from storeys.kernel.messages import Message
from storeys.match import Match, resumed
from storeys.web.models import Status
from storeys.web.seating import called
from storeys.web.store import BadRow, EventFacts, SeatFacts, TableFacts


@dataclass(frozen=True)
class Notice:
    """Something that everybody at a table is told."""

    seq: int
    ply: int
    seat: int | None
    message: Message


Turn = tuple[int, int]
"""Whose turn it is, in which round: somebody may have two turns in a row."""


def current_turn(match: Match, seats: Sequence[SeatFacts]) -> Turn | None:
    """The turn that is being played, if one is."""
    if match.to_move is None or any(seat.kind == "open" for seat in seats):
        return None
    return match.to_move, match.round


class Seated:
    """What can be said of a match and its seats, whether they change or stand still."""

    kind: str
    host: str | None
    match: Match
    seats: Sequence[SeatFacts]
    clock: int | None
    began: float
    stood_in: int | None

    @property
    def status(self) -> Status:
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
        """Whether a browser fills the open seats, by their links or with bots.

        That is who set the table up.  A table of an earlier release may not know who that was:
        there it is whoever sits.
        """
        fills = self.host == owner if self.host else bool(self.seats_of(owner))
        return self.kind == "match" and fills

    def may_delete(self, owner: str) -> bool:
        """Whether a browser may remove the table: as its host, unless others still play there."""
        guests = any(seat.owner not in (None, owner) for seat in self.seats)
        return self.host in (None, owner) and (self.status == "over" or not guests)

    def can_take_back(self, seat: int) -> bool:
        """Whether the last move is this seat's own and has shown nothing hidden."""
        by_stand_in = self.stood_in == self.match.moves_made
        return self.kind == "match" and not by_stand_in and self.match.can_take_back(seat)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to move."""
        seat = self.match.to_move
        return self.status == "playing" and seat is not None and self.seats[seat].kind == "human"

    @property
    def waits_for_bot(self) -> bool:
        """Whether a bot is to move in a match."""
        seat = self.match.to_move
        plays = self.kind == "match" and self.status == "playing"
        return plays and seat is not None and self.seats[seat].kind == "bot"

    @property
    def deadline(self) -> float | None:
        """When a bot plays for who is to move, if there is a clock and it is a person."""
        return self.began + self.clock if self.clock and self.waits_for_person else None


_stamps = count()
TAKES_SEAT = ("join", "take-over", "return", "resign")
"""Events that say who plays for a seat from now on."""
CHANGES_PLY = {"move": 1, "take-back": -1}
"""How events change the number of moves that were made."""


@dataclass(frozen=True)
class Snapshot(Seated):
    """A table as it was after an event that has been written: what is read, by any thread.

    Nothing in it changes: its match is a copy that nobody plays on, and it rests, so that even
    looking at it leaves it as it is.
    """

    id: str
    kind: str
    created: float
    host: str | None
    match: Match
    seats: tuple[SeatFacts, ...]
    seq: int
    resigned: frozenset[int]
    notices: tuple[Notice, ...]
    rematch: str | None
    kept: int | None
    """The event of its checkpoint, if it was read from one."""
    clock: int | None
    began: float
    stand_in: int | None
    stood_in: int | None
    last: float
    """When something happened there last."""
    previous: str | None
    moved_on: int
    stamp: int = field(default_factory=_stamps.__next__)
    """What tells it from any other one in this process."""


@dataclass
class Table(Seated):
    """A table: its match, its seats, and what was said of it.

    It changes under its lock.  Readers look at the snapshot of what was written last, and never
    wait for a writer.
    """

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
    moved_on: int = 0
    """By how many seats everybody has moved on in the rematch."""
    kept: int | None = None
    clock: int | None = None
    """Seconds that a person has for a turn."""
    began: float = 0.0
    """When the turn began; known where there is a clock."""
    spent: list[tuple[float, float, bool]] = field(default_factory=list)
    """Of each move, when its turn began, when it was made, and whether it ended that turn; known
    where there is a clock."""
    stand_in: int | None = None
    """The seat for which a bot plays this turn, since its time was up."""
    stood_in: int | None = None
    """After which move it was that a bot did so last."""
    turn: Turn | None = None
    """The turn after the last event that was written."""
    last: float = 0.0
    lock: threading.RLock = field(default_factory=threading.RLock)
    is_whole: bool = True
    """Whether it is as it is to be seen, and not still being read."""

    def __post_init__(self) -> None:
        if self.is_whole:
            self.publish()

    def publish(self) -> None:
        """Let everybody see the table as it is now: everything that counts has been written."""
        self.match.rest()  # Thousands are kept at hand.
        self.turn = current_turn(self.match, self.seats)
        self.snapshot = snapshot_of(self)

    def note(self, event: EventFacts) -> None:
        """Take note of an event that was written; its move has been made already."""
        self._note(event, self.match.moves_made)

    def _note(self, event: EventFacts, ply: int) -> None:
        self.seq = event.seq
        self.last = event.created
        self.answers[event.client] = event.seq
        if event.seat is None:
            return
        if self.clock:
            self._note_time(event, ply)
        if event.kind == "link":
            self.host_links[event.seat] = str(event.data["link"])
        elif event.kind == "resign":
            self.resigned.add(event.seat)
        elif event.kind == "rematch":
            self.rematch = str(event.data["table"])
            self.moved_on = int(event.data.get("moved", 0))
        message = _notice_of(event, event.seat + 1)
        if message is not None:
            self.notices.append(Notice(event.seq, ply, event.seat, message))

    def is_handed_back(self, seat: int) -> bool:
        """Whether a bot has just ended the turn that it played for somebody: the next is theirs."""
        return seat == self.stand_in and current_turn(self.match, self.seats) != self.turn

    def began_after(self, event: EventFacts) -> float:
        """When the turn began that somebody has after an event.

        Who takes a move back that ended a turn has as much time left as before it.
        """
        if event.kind == "take-back" and self.spent:
            began, moved, ended = self.spent[-1]
            return event.created - (moved - began) if ended else self.began
        return event.created if event.data.get("turn") else self.began

    def _note_time(self, event: EventFacts, ply: int) -> None:
        began, self.began = self.began, self.began_after(event)
        if event.kind == "time-up":
            self.stand_in = event.seat
        elif event.kind == "move":
            self.spent.append((began, event.created, bool(event.data.get("turn"))))
            if self.stand_in == event.seat:
                self.stood_in = ply
        elif event.kind == "take-back" and self.spent:
            self.spent.pop()
        elif event.seat == self.stand_in and event.kind in TAKES_SEAT:
            self.stand_in = None
        if event.data.get("back"):
            self.stand_in = None

    def take_in(self, events: Iterable[EventFacts], seats: Iterable[SeatFacts]) -> None:
        """Play events that were written elsewhere or earlier; who sits where after them."""
        for event in events:
            if event.kind == "move":
                self.match.push(event.data["move"])
            elif event.kind == "take-back":
                self.match.pop()
            self.note(event)
        self.seats[:] = seats
        self.name_seats()

    def pass_over(self, events: Iterable[EventFacts], ply: int) -> None:
        """Take note of events whose moves have been made already, from the ply they began at."""
        for event in events:
            ply += CHANGES_PLY.get(event.kind, 0)
            self._note(event, ply)

    def become(self, other: "Table") -> None:
        """Be what another one is that was read just now; the lock stays one's own."""
        mine = {"lock": self.lock}
        vars(self).update(vars(other) | mine)

    def name_seats(self) -> None:
        """Let the match call its seats as the table does."""
        self.match.names = tuple(seat.name for seat in self.seats)


def snapshot_of(table: Table) -> Snapshot:
    """A table as it is now."""
    return Snapshot(
        table.id, table.kind, table.created, table.host, table.match.clone(), tuple(table.seats),
        table.seq, frozenset(table.resigned), tuple(table.notices), table.rematch,
        table.kept, table.clock, table.began, table.stand_in, table.stood_in, table.last,
        table.previous, table.moved_on,
    )  # fmt: skip


def played(facts: TableFacts) -> Table:
    """A table with all its events played again, from its checkpoint on where it has a good one."""
    known = _resumed(facts)
    match, seats = storeys.load(facts.record) if known is None else known, list(facts.seats)
    if [seat.seat for seat in seats] != list(range(match.players)):
        raise BadRow(Message("storeys.web.seats-missing", n=match.players, found=len(seats)))
    kept = None if known is None or facts.checkpoint is None else facts.checkpoint.seq
    whose = (facts.previous, facts.created, facts.host)
    table = Table(
        facts.id, facts.kind, *whose, match, seats, kept=kept, clock=facts.clock,
        began=facts.created, last=facts.created, is_whole=False,
    )  # fmt: skip
    table.pass_over(facts.events[: kept or 0], len(facts.record["moves"]))
    table.take_in(facts.events[kept or 0 :], facts.seats)
    table.is_whole = True
    table.publish()
    return table


def _resumed(facts: TableFacts) -> Match | None:
    """The match at its checkpoint, if that is of these events and this version; None otherwise."""
    kept = facts.checkpoint
    if kept is None:
        return None
    with suppress(Exception):  # Whatever is wrong, the long way says it better.
        return resumed(facts.record, _moves_until(facts, kept.seq), kept.content)
    return None


def _moves_until(facts: TableFacts, seq: int) -> list[str]:
    """The moves that counted after an event."""
    moves = list(facts.record["moves"])
    for event in facts.events[:seq]:
        if event.kind == "move":
            moves.append(event.data["move"])
        elif event.kind == "take-back":
            moves.pop()
    return moves


def digest_of(token: str) -> str:
    """What is kept of a link for good."""
    return hashlib.sha256(token.encode()).hexdigest()


def _notice_of(event: EventFacts, number: int) -> Message | None:
    """What everybody at a table is told of an event at a seat, which people count from 1."""
    data = event.data
    if event.kind == "link":
        return Message("storeys.web.link-made", seat=number, name=data["name"])
    if event.kind == "join" and data.get("host"):
        return Message("storeys.web.link-used", seat=number, name=data["name"])
    if event.kind == "time-up":
        return Message("storeys.web.time-up", seat=number, name=data["name"])
    if event.kind == "substitute":
        return Message("storeys.web.bot-failed", seat=number, bot=data["failed"], now=data["bot"])
    return None
