"""A table in memory: what the store keeps of it, played."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

import storeys
from storeys.kernel.messages import Message
from storeys.match import Match
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


class Seated:
    """What can be said of a match and its seats, whether they change or stand still."""

    kind: str
    host: str | None
    match: Match
    seats: Sequence[SeatFacts]

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

    def can_take_back(self, seat: int) -> bool:
        """Whether the last move is this seat's own and has shown nothing hidden."""
        return self.kind == "match" and self.match.can_take_back(seat)


_stamps = count()


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
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.publish()

    def publish(self) -> None:
        """Let everybody see the table as it is now: everything that counts has been written."""
        self.match.rest()  # Thousands are kept at hand.
        self.snapshot = snapshot_of(self)

    def note(self, event: EventFacts) -> None:
        """Take note of an event that was written; its move has been made already."""
        self.seq = event.seq
        self.answers[event.client] = event.seq
        if event.seat is None:
            return
        if event.kind == "link":
            self.host_links[event.seat] = str(event.data["link"])
        elif event.kind == "resign":
            self.resigned.add(event.seat)
        elif event.kind == "rematch":
            self.rematch = str(event.data["table"])
        message = _notice_of(event, event.seat + 1)
        if message is not None:
            self.notices.append(Notice(event.seq, self.match.moves_made, event.seat, message))

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
    )  # fmt: skip


def played(facts: TableFacts) -> Table:
    """A table with all its events played again."""
    match, seats = storeys.load(facts.record), list(facts.seats)
    if [seat.seat for seat in seats] != list(range(match.players)):
        raise BadRow(Message("storeys.web.seats-missing", n=match.players, found=len(seats)))
    table = Table(facts.id, facts.kind, facts.previous, facts.created, facts.host, match, seats)
    table.take_in(facts.events, facts.seats)
    table.publish()
    return table


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
    if event.kind == "substitute":
        return Message("storeys.web.bot-failed", seat=number, bot=data["failed"], now=data["bot"])
    return None
