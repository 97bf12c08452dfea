"""Poisoning: uploaded records whose tiles mean others, drawn by many threads beside a real table.

A component set of one's own that uses the ids of ours must not get into the pictures of others,
whatever is kept and shared.  A second server, which has never seen such a record, tells what is
right.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys.match import Match
from storeys.web.store import Store
from tests.attacks.ledger import Ledger
from tests.attacks.people import FRIEND, ME, Person
from tests.attacks.scale import scaled
from tests.attacks.server import Server
from tests.proofs import long_case

GAMES = [name for name in storeys.game_names() if "tiles" in storeys.components(name)]
LOOKS: list[dict[str, Any]] = [
    {"view": view, "theme": theme} for view in ("plan", "skyline") for theme in ("light", "dark")
]
THREADS = 6


def other_set(game: str) -> dict[str, Any]:
    """A component set with the ids of ours, in which tiles look like others."""
    made: dict[str, Any] = json.loads(json.dumps(storeys.components(game)))
    plain = [tile for tile in made["tiles"] if set(tile) == {"id", "squares"}]
    looks = [tile["squares"] for tile in plain]
    for tile, squares in zip(plain, reversed(looks), strict=True):
        tile["squares"] = squares
    return made


def poison_for(true: Match) -> Match:
    """A match that was dealt as another, with tiles that look otherwise, played to its end."""
    options = dict(true.setup.options)
    poison = storeys.new(
        true.game.name, true.players, true.seed, list(true.names),
        components=other_set(true.game.name), **options,
    )  # fmt: skip
    assert poison.view(None)["row"] == true.view(None)["row"], "the same ids lie in the row"
    while poison.to_move is not None:
        poison.push(poison.legal_moves[0])
    return poison


@contextmanager
def serving(folder: Path, changed: str = "") -> Iterator[Person]:
    """Somebody at a server of their own on the database of a folder."""
    server = Server(folder, changed=changed)
    person = Person(server.url, Ledger())
    try:
        server.start()
        yield person
    finally:
        person.close()
        server.clear_away()


def poison(folder: Path, game: str, changed: str = "") -> None:
    """Upload poison, let many threads draw it, and look at a table of the same tiles."""
    with serving(folder, changed) as host:
        table = host.new_table(game, ME, FRIEND)
        store = Store(f"sqlite:///{folder / 'web.db'}")
        facts = store.load(table)
        store.close()
        assert facts is not None
        record = poison_for(storeys.load(facts.record)).record()
        uploaded = [upload(host, record) for _ in range(scaled(2, 12))]
        crowd = [Person(host.url, Ledger()) for _ in range(THREADS)]

        def look(nth: int, person: Person) -> list[dict[str, Any]]:
            start = nth % len(LOOKS)  # Each begins elsewhere, so that all have something to draw.
            for bad in uploaded:
                for query in LOOKS[start:] + LOOKS[:start]:
                    person.state(bad, ply=0, **query)
                    person.state(table, **query)
            return [areas(person, table, query) for query in LOOKS]

        try:
            with ThreadPoolExecutor(THREADS) as pool:
                seen = [*pool.map(look, range(THREADS), crowd)]
        finally:
            for person in crowd:
                person.close()
    with serving(folder) as looker:
        right = [areas(looker, table, query) for query in LOOKS]
    for one in seen:
        assert one == right, "a picture is poisoned"


def upload(person: Person, record: dict[str, Any]) -> str:
    answer = person.ask("POST", "/api/replays", json=record)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


def areas(person: Person, table: str, query: dict[str, Any]) -> dict[str, Any]:
    """The pictures of a table, by their names."""
    seen = person.state(table, **query)
    return {area["name"]: area["body"] for area in seen["areas"]}


@pytest.mark.parametrize("game", [*map(long_case, GAMES[:-1]), GAMES[-1]])
def test_uploaded_records_do_not_get_into_others_pictures(tmp_path: Path, game: str) -> None:
    poison(tmp_path, game)


# --- the attack must be able to fail


def test_without_its_guard_poison_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="a picture is poisoned"):
        poison(tmp_path, GAMES[-1], "share_drawings")
