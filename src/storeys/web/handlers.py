"""What happens at a table: a handler for each kind of event that can be posted, and bots' moves."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from storeys.bots import SUBSTITUTE
from storeys.kernel.errors import IllegalMove
from storeys.kernel.messages import Message
from storeys.kernel.reading import Node
from storeys.match import make_match
from storeys.web.errors import BadPost, not_yours
from storeys.web.models import (
    EventRequest,
    MoveEvent,
    RematchEvent,
    RenameEvent,
    ResignEvent,
    ReturnEvent,
    TakeBackEvent,
    TakeOverEvent,
)
from storeys.web.seating import checked_bot, checked_face, checked_name, seated_again
from storeys.web.store import Late
from storeys.web.table import Table, current_turn
from storeys.web.tables import Tables, new_table

MOST_EVENTS = 1 << 40
MOVES_ON = 1
"""By how many seats everybody moves on in a rematch."""


def handle_event(tables: Tables, table: Table, owner: str, event: EventRequest) -> int:
    """Do what a browser or a program asks for, once; the number of the event it became."""
    try:
        with tables.writing(table):
            return _handled(tables, table, owner, event)
    except Late:
        # It may be the event itself that was written, and the answer to it lost.
        if event.id in table.answers:
            return table.answers[event.id]
        raise


def _handled(tables: Tables, table: Table, owner: str, event: EventRequest) -> int:
    if event.id in table.answers:
        return table.answers[event.id]
    if Node(event.seq, "post.seq", BadPost).whole(0, MOST_EVENTS) != table.seq:
        raise Late(Message("storeys.web.late"))
    last = table.match.players - 1
    seat = table.seats[Node(event.seat, "post.seat", BadPost).whole(0, last)]
    fills = isinstance(event, TakeOverEvent) and seat.kind == "open" and table.may_seat(owner)
    if seat.owner != owner and not fills:
        raise not_yours(seat.seat)
    tables.presence.seen(table.id, owner)
    HANDLERS[type(event)](tables, table, event)
    return table.seq


def handle_move(tables: Tables, table: Table, event: MoveEvent) -> None:
    """A person makes a move."""
    if table.seats[event.seat].kind != "human":
        raise BadPost(Message("storeys.web.bot-plays"))
    _make_move(tables, table, event.seat, event.id, event.move)


def handle_take_back(tables: Tables, table: Table, event: TakeBackEvent) -> None:
    """A person takes a move back that has shown nothing hidden."""
    if not table.can_take_back(event.seat):
        raise BadPost(Message("storeys.web.cannot-take-back"))
    move = table.match.pop()
    try:
        tables.commit(table, "take-back", event.seat, {}, event.id)
    except Exception:
        table.match.push(move)
        raise


def handle_resign(tables: Tables, table: Table, event: ResignEvent) -> None:
    """A person leaves the seat to a bot for good."""
    _check_not_over(table)
    seat = table.seats[event.seat]
    left = replace(seat, kind="bot", bot=SUBSTITUTE, owner=None, token=None)
    data = {"bot": SUBSTITUTE, "by": seat.owner}  # who may still erase the name that stays here
    tables.commit(table, "resign", event.seat, data, event.id, left)


def handle_take_over(tables: Tables, table: Table, event: TakeOverEvent) -> None:
    """A bot plays for a person, or for a friend who has not come."""
    _check_not_over(table)
    bot = checked_bot(event.bot)
    taken = replace(table.seats[event.seat], kind="bot", bot=bot, token=None)
    tables.commit(table, "take-over", event.seat, {"bot": bot}, event.id, taken)


def handle_return(tables: Tables, table: Table, event: ReturnEvent) -> None:
    """A person plays again where a bot did."""
    _check_not_over(table)
    if table.stand_in == event.seat:
        raise BadPost(Message("storeys.web.stand-in-plays"))
    back = replace(table.seats[event.seat], kind="human", bot=None)
    tables.commit(table, "return", event.seat, {}, event.id, back)


def handle_rename(tables: Tables, table: Table, event: RenameEvent) -> None:
    """A person has another name."""
    seat, name, face = table.seats[event.seat], checked_name(event.name), checked_face(event.face)
    named = replace(seat, name=name, face=face or seat.face)
    data = {"name": name} | ({"face": face} if face else {})
    tables.commit(table, "rename", event.seat, data, event.id, named)


def handle_rematch(tables: Tables, table: Table, event: RematchEvent) -> None:
    """The same people play once more, at one new table whoever asks for it."""
    if table.status != "over":
        raise BadPost(Message("storeys.web.not-over"))
    if table.rematch is None:
        old = table.match
        options = dict(old.setup.options)
        seats = seated_again(table.seats, MOVES_ON)
        names = [seat.name for seat in seats]
        match = make_match(old.game.name, old.players, None, names, options)
        new = new_table(match, seats, "match", table.id, table.host, table.clock)
        data = {"table": new.id, "moved": MOVES_ON}
        tables.commit(table, "rematch", event.seat, data, event.id, rematch=new)


HANDLERS: dict[type[EventRequest], Callable[[Tables, Table, Any], None]] = {
    MoveEvent: handle_move,
    TakeBackEvent: handle_take_back,
    ResignEvent: handle_resign,
    TakeOverEvent: handle_take_over,
    ReturnEvent: handle_return,
    RenameEvent: handle_rename,
    RematchEvent: handle_rematch,
}


# --- bots


def play_for_bot(tables: Tables, table: str, seq: int, seat: int, *moves: str) -> int:
    """Let a bot make moves, up to the end of its turn; how many it has made.

    They are written at once.  None is made if something has happened since it was asked, nor any
    after one that is not legal; ``IllegalMove`` if that is the first.
    """
    found = tables.get(table)
    with tables.writing(found):
        if found.seq != seq or found.match.to_move != seat or found.status != "playing":
            return 0
        made = _push_until_turn_ends(found, moves)
        try:
            tables.commit_moves(found, seat, [str(move) for move in found.match.moves[-made:]])
        except Exception:
            for _ in range(made):
                found.match.pop()
            raise
        return made


def _push_until_turn_ends(table: Table, moves: Sequence[str]) -> int:
    """Make moves as long as they are legal and of the turn that has been written; how many."""
    for made, move in enumerate(moves):
        try:
            table.match.push(move)
        except IllegalMove:
            if not made:
                raise
            return made
        if current_turn(table.match, table.seats) != table.turn:
            return made + 1
    return len(moves)


def substitute_bot(tables: Tables, table: str, seq: int, seat: int) -> bool:
    """Give the seat of a bot that fails to one of ours, and tell everybody at the table."""
    found = tables.get(table)
    with tables.writing(found):
        failed = found.seats[seat]
        if found.seq != seq or failed.kind != "bot" or failed.bot == SUBSTITUTE:
            return False
        name = SUBSTITUTE if failed.name == failed.bot else failed.name
        now = replace(failed, bot=SUBSTITUTE, name=name)
        data = {"bot": SUBSTITUTE, "failed": failed.bot}
        tables.commit(found, "substitute", seat, data, secrets.token_hex(16), now)
        return True


def time_up(tables: Tables, table: str) -> bool:
    """Let a bot play this turn for a person whose time is up; False if nobody's is."""
    found = tables.get(table)
    with tables.writing(found):
        deadline, seat = found.deadline, found.match.to_move
        if deadline is None or seat is None or deadline > tables.store.clock():
            tables.store.note_deadline(table, deadline)
            return False
        late = found.seats[seat]
        data = {"bot": SUBSTITUTE, "name": late.name}
        stands_in = replace(late, kind="bot", bot=SUBSTITUTE)
        tables.commit(found, "time-up", seat, data, secrets.token_hex(16), stands_in)
        return True


def _make_move(tables: Tables, table: Table, seat: int, client: str, move: Any) -> None:
    if table.status == "waiting":
        raise BadPost(Message("storeys.web.waiting"))
    if table.match.to_move != seat:
        raise BadPost(Message("storeys.web.not-your-turn"))
    table.match.push(move)
    try:
        tables.commit(table, "move", seat, {"move": str(table.match.moves[-1])}, client)
    except Exception:
        table.match.pop()
        raise


def _check_not_over(table: Table) -> None:
    if table.status == "over":
        raise BadPost(Message("storeys.web.over"))
