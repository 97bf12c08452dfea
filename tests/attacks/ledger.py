"""What people were told, kept beside what the database holds, and what must be so between them."""

import hashlib
import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import storeys
from storeys.web.store import Store, TableFacts


@dataclass(frozen=True)
class Told:
    """A post that was acknowledged or refused."""

    table: str
    id: str
    kind: str
    seat: int
    seq: int
    """The number that it was acknowledged with; of one that was refused, what it built on."""
    move: str | None = None


@dataclass(frozen=True)
class Shown:
    """What a table looked like to somebody: its number and a digest of its log."""

    table: str
    seq: int
    log: str


@dataclass
class Ledger:
    """What all people together have been told and shown."""

    acknowledged: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)
    shown: set[Shown] = field(default_factory=set)
    heard: set[tuple[str, int]] = field(default_factory=set)
    """Tables and numbers of which streams have told."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> "Ledger":
        """All of it so far; this one is empty then."""
        with self.lock:
            so_far = Ledger(self.acknowledged, self.refused, self.shown, self.heard)
            self.acknowledged, self.refused, self.shown, self.heard = [], [], set(), set()
            return so_far

    def add(self, other: "Ledger") -> None:
        """What another has noted too."""
        with self.lock:
            self.acknowledged += other.acknowledged
            self.refused += other.refused
            self.shown |= other.shown
            self.heard |= other.heard

    def see(self, state: dict[str, Any]) -> None:
        """Note a state that somebody was sent."""
        texts = [entry["text"] for entry in state["log"]]
        assert len(texts) == state["last_ply"]
        with self.lock:
            self.shown.add(Shown(state["table"], state["seq"], digest(texts)))


def digest(texts: Sequence[str]) -> str:
    """The log of a table in short."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


def logs_of(facts: TableFacts) -> list[str]:
    """The digest of a table's log after each of its events, from the first on: played again."""
    match = storeys.load(facts.record)
    texts: list[str] = []
    found = [digest(texts)]
    for event in facts.events:
        if event.kind == "move":
            seat = match.to_move
            assert seat is not None, f"{facts.id}: a move after the end"
            assert seat == event.seat, f"{facts.id}: seat {event.seat} moved in seat {seat}'s turn"
            match.push(event.data["move"])
            texts.append(match.moves[-1].label(seat, "en"))
        elif event.kind == "take-back":
            made_by = match.movers[-1]
            assert event.seat == made_by, f"{facts.id}: takes back a move of seat {made_by}"
            match.pop()
            texts.pop()
        found.append(digest(texts))
    return found


def check(ledger: Ledger, store: Store) -> None:
    """Nothing acknowledged is lost, nothing refused is kept, nothing was shown that is not kept."""
    tables = {one.table for one in (*ledger.acknowledged, *ledger.refused)}
    tables |= {one.table for one in ledger.shown} | {table for table, _ in ledger.heard}
    for table in tables:
        facts = store.load(table)
        assert facts is not None, f"{table} is lost"
        check_table(facts, ledger)


def check_table(facts: TableFacts, ledger: Ledger) -> None:
    """The same for one table."""
    numbers = [event.seq for event in facts.events]
    assert numbers == list(range(1, len(numbers) + 1)), f"{facts.id} has gaps: {numbers}"
    kept = {event.client: event for event in facts.events}
    assert len(kept) == len(numbers), f"{facts.id}: a post counts twice"
    for told in _at(facts.id, ledger.acknowledged):
        event = kept.get(told.id)
        assert event is not None, f"{facts.id}: lost, though it was acknowledged: {told}"
        found = (event.seq, event.kind, event.seat, event.data.get("move"))
        assert found == (told.seq, told.kind, told.seat, told.move), f"{facts.id}: changed: {told}"
    for told in _at(facts.id, ledger.refused):
        assert told.id not in kept, f"{facts.id}: kept, though it was refused: {told}"
    logs = logs_of(facts)
    for shown in (one for one in ledger.shown if one.table == facts.id):
        assert shown.seq < len(logs), f"{facts.id}: shown and not kept: event {shown.seq}"
        assert shown.log == logs[shown.seq], f"{facts.id}: shown otherwise at event {shown.seq}"
    for table, seq in ledger.heard:
        assert table != facts.id or seq < len(logs), f"{table}: told of and not kept: event {seq}"


def _at(table: str, posts: Iterable[Told]) -> list[Told]:
    return [one for one in posts if one.table == table]
