"""The results of an evening: the matches that were played one after the other at a table."""

from storeys.web.errors import NoTable, Unreadable
from storeys.web.faces import face_of, face_url
from storeys.web.models import Evening, EveningMatch
from storeys.web.table import Snapshot
from storeys.web.tables import Tables

MOST_MATCHES = 30


def evening_of(tables: Tables, table: str, lang: str) -> Evening:
    """What everybody at a table has won, from the first match of the row to this one.

    Rows are the seats of this table; in a rematch everybody has moved on by a seat.
    """
    last = tables.get(table).snapshot
    rows = list(range(len(last.seats)))
    matches = [_match(last, rows)]
    here = last
    while here.previous is not None and len(matches) < MOST_MATCHES:
        try:
            before = tables.get(here.previous).snapshot
        except (NoTable, Unreadable):  # deleted, or of other rules
            break
        if len(before.seats) != len(rows):
            break
        rows = [(seat - before.moved_on) % len(rows) for seat in rows]
        matches.append(_match(before, rows))
        here = before
    played = [match for match in matches if match["over"]]
    return {
        "names": last.names_in(lang),
        "faces": [
            face_url(face_of(last.id, seat.seat, seat.face, seat.bot)) for seat in last.seats
        ],
        "wins": [sum(row in match["winners"] for match in played) for row in range(len(rows))],
        "points": [sum(match["totals"][row] for match in played) for row in range(len(rows))],
        "matches": matches[::-1],
    }


def _match(now: Snapshot, rows: list[int]) -> EveningMatch:
    """A match, with the seats in the order of rows."""
    over, totals = now.status == "over", now.match.totals
    return {
        "table": now.id,
        "when": now.created,
        "over": over,
        "totals": [totals[seat] for seat in rows] if over else [],
        "winners": [row for row, seat in enumerate(rows) if over and seat in now.match.winners],
    }
