"""Keep a database as this release writes it: ``python -m tests.make_stored NAME``.

A file that is there stays as it is: matches that were begun under it must open and finish for ever.
Beside the database lies what each of its tables must look like, as JSON.
"""

import hashlib
import json
import random
import sqlite3
import sys
from pathlib import Path
from typing import Any

import storeys
from storeys.match import Match
from storeys.web.handlers import play_for_bot
from storeys.web.store import SeatFacts, Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from tests.make_golden import FOLDER as GOLDEN
from tests.neoville_cities import (
    HOLE,
    HOLE_TOWERS,
    THROUGH_THE_L,
    filler_city,
    position,
)
from tests.posting import event_request, post, table_request

FOLDER = Path(__file__).parent / "stored"
COOKIE = "the-browser-of-a-stored-match"
OWNER = hashlib.sha256(COOKIE.encode()).hexdigest()
"""Who sits at the stored tables, as the server keeps it."""

SEATINGS: dict[str, list[dict[str, Any]]] = {
    "bot": [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "builder"}],
    "friend": [{"kind": "me", "name": "Ada"}, {"kind": "friend", "name": "Ben"}],
    "hot-seat": [{"kind": "here", "name": name} for name in ("Ada", "Ben", "Eve")],
}


def main(name: str) -> None:
    """Write NAME.sqlite and NAME.json."""
    file = FOLDER / f"{name}.sqlite"
    if file.exists():
        sys.exit(f"{file.name} is there already and stays as it is")
    tables = Tables(Store(f"sqlite:///{file}"))
    dice = random.Random(name)
    found = {}
    for game in ("manhattan", "cloud-city", "neoville"):
        for kind, seats in SEATINGS.items():
            for plies in (0, 7, 31):
                table = _new(tables, game, seats)
                if kind == "friend" and plies:
                    tables.join(str(table.seats[1].token), OWNER, "Ben")
                if not any(seat.kind == "open" for seat in table.seats):
                    _play(tables, table, plies, dice)
                found[f"{game}, {kind}, {plies}"] = table.id
        over = _new(tables, game, SEATINGS["hot-seat"])
        _play(tables, over, 1000, dice)
        found[f"{game}, over"] = over.id
        found[f"{game}, troubled"] = _troubled(tables, game, dice).id
        found[f"{game}, replay"] = tables.replay(_golden(game)).id
    for plies in (0, 1, 4):
        found[f"neoville, hole, {plies}"] = _with_a_hole(tables, plies, dice).id
    expected = {label: _seen(tables.get(table)) for label, table in found.items()}
    tables.store.close()
    _settle(file)
    text = json.dumps({"owner": OWNER, "tables": expected}, indent=1, ensure_ascii=False)
    file.with_suffix(".json").write_text(text + "\n", "utf-8")


def _new(tables: Tables, game: str, seats: list[dict[str, Any]]) -> Table:
    return tables.create(table_request(game=game, seats=seats), OWNER)


def _post(tables: Tables, table: Table, kind: str, seat: int, **content: Any) -> None:
    event = {"seq": table.seq, "id": f"event-{table.seq:04}", "kind": kind, "seat": seat}
    post(tables, table.id, OWNER, event_request(**event | content))


def _play(tables: Tables, table: Table, plies: int, dice: random.Random) -> None:
    """So many random moves, of people and bots alike."""
    for _ in range(plies):
        seat = table.match.to_move
        if seat is None:
            return
        move = str(dice.choice(table.match.legal_moves))
        if table.seats[seat].kind == "bot":
            play_for_bot(tables, table.id, table.seq, seat, move)
        else:
            _post(tables, table, "move", seat, move=move)


def _troubled(tables: Tables, game: str, dice: random.Random) -> Table:
    """A table at which all kinds of things have happened."""
    table = _new(tables, game, SEATINGS["hot-seat"])
    _play(tables, table, 4, dice)
    _post(tables, table, "rename", 1, name="Bert")
    _post(tables, table, "take-over", 1, bot="novice")
    _play(tables, table, 4, dice)
    while not table.can_take_back(0):
        _play(tables, table, 1, dice)
    _post(tables, table, "take-back", 0)
    _post(tables, table, "return", 1)
    _post(tables, table, "resign", 2)
    _play(tables, table, 3, dice)
    return table


def _with_a_hole(tables: Tables, plies: int, dice: random.Random) -> Table:
    """Neoville where a tile joins two guarded districts through one that is not."""
    start = position(
        HOLE, filler_city(8), pieces=[HOLE_TOWERS, []], phase="place", hand=[THROUGH_THE_L]
    )
    match: Match = storeys.from_position(start, names=["Ada", "Ben"])
    seats = [SeatFacts(nth, "human", name, owner=OWNER) for nth, name in enumerate(match.names)]
    table = tables.keep(match, seats, "match", host=OWNER)
    if plies:
        tile = next(t for t in start["hands"][0] if not t.startswith("equity"))
        hole = f"place {tile} i9"
        _post(tables, table, "move", 0, move=hole)
    _play(tables, table, plies - 1, dice)
    return table


def _golden(game: str) -> Any:
    file = min(GOLDEN.glob(f"{game}-v1-2*.json"))
    return json.loads(file.read_text("utf-8"))["record"]


def _seen(table: Table) -> dict[str, Any]:
    return {
        "table": table.id,
        "kind": table.kind,
        "seq": table.seq,
        "position": table.match.position(),
        "legal": sorted(map(str, table.match.legal_moves)),
        "moves": [str(move) for move in table.match.moves],
        "totals": table.match.totals,
        "winners": table.match.winners,
        "seats": [[seat.kind, seat.name, seat.bot] for seat in table.seats],
        "resigned": sorted(table.resigned),
    }


def _settle(file: Path) -> None:
    """One file, without the journals beside it."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1])
