"""Race: many do the same thing at the same moment, at a server that keeps one table at hand.

Events are numbered without gaps, one of those who want the same thing gets it, and every table
plays again to what was shown.
"""

import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from storeys.web.store import Store
from tests.attacks.ledger import Ledger, check
from tests.attacks.people import BOT, FRIEND, HERE, ME, Person
from tests.attacks.scale import eventually, scaled
from tests.attacks.server import Server
from tests.proofs import in_proof

T = TypeVar("T")
MANY = 6
ROUNDS = scaled(2, 100)
CROWDED = "keep_one_table,write_slowly"
"""Tables are read again all the time, and a write takes long enough to be overtaken."""


class Race:
    """A server, what was told, and people who come at the same moment."""

    def __init__(self, server: Server) -> None:
        self.url, self.ledger, self.store = server.url, Ledger(), Store(server.database)
        self._people: list[Person] = []
        self.host = self.person()

    def person(self) -> Person:
        """Somebody new."""
        self._people.append(Person(self.url, self.ledger))
        return self._people[-1]

    def twins(self, person: Person) -> list[Person]:
        """Many windows of one browser."""
        twins = [self.person() for _ in range(MANY)]
        for twin in twins:
            twin.web.cookies.update(person.web.cookies)
        return twins

    def check(self) -> None:
        """What was told is kept."""
        check(self.ledger.take(), self.store)

    def end(self) -> None:
        """Everybody leaves."""
        for person in self._people:
            person.close()
        self.store.close()


def serve(folder: Path, changed: str) -> Iterator[Race]:
    server = Server(folder, changed=changed)
    try:
        server.start()
        race = Race(server)
        try:
            yield race
        finally:
            race.end()
    finally:
        server.clear_away()


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    yield from serve(tmp_path_factory.mktemp("race"), CROWDED)


def at_once(*deeds: Callable[[], T]) -> list[T]:
    """What comes of deeds that begin at the same moment."""
    barrier = threading.Barrier(len(deeds))

    def begin(deed: Callable[[], T]) -> T:
        barrier.wait()
        return deed()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(begin, deeds))


def renaming(table: str, seq: int) -> dict[str, Any]:
    """A post that can always be made."""
    name = f"Ada {secrets.randbelow(1000)}"
    return {"seq": seq, "id": secrets.token_hex(8), "seat": 0, "kind": "rename", "name": name}


# --- the races


def post_at_the_same_number(race: Race) -> None:
    """Many posts build on the same event: one is taken."""
    table = race.host.new_table("neoville", HERE, HERE)
    twins = race.twins(race.host)
    for seq in range(ROUNDS):
        posts = [renaming(table, seq) for _ in twins]
        told = at_once(*(
            partial(twin.send, table, post) for twin, post in zip(twins, posts, strict=True)
        ))  # fmt: skip
        winners = [one for one in told if one is not None]
        assert winners == [seq + 1], f"one wins, not {len(winners)}"
        assert race.host.state(table)["seq"] == seq + 1
    race.check()


def send_one_post_often(race: Race) -> None:
    """One post, sent many times at once, counts once and is acknowledged each time."""
    table = race.host.new_table("neoville", HERE, HERE)
    twins = race.twins(race.host)
    for seq in range(ROUNDS):
        post = renaming(table, seq)
        told = at_once(*(partial(twin.send, table, post) for twin in twins))
        assert told == [seq + 1] * MANY, f"sent again, it counts otherwise: {told}"
    race.check()


def join_by_one_link(race: Race) -> None:
    """Many use the same link: one of them sits down."""
    for _ in range(ROUNDS):
        made = race.host.ask(
            "POST", "/api/tables", json={"game": "neoville", "seats": [ME, FRIEND]}
        )
        link = f"/api{made.json()['links'][0]['url']}"
        guests = [race.person() for _ in range(MANY)]
        told = at_once(*(
            partial(guest.ask, "POST", link, json={"name": "Ben"}) for guest in guests
        ))  # fmt: skip
        winners = [one for one in told if one.status_code == 200]
        assert len(winners) == 1, f"one wins, not {len(winners)}"
        assert {one.status_code for one in told if one not in winners} <= {404, 409}
        table = made.json()["table"]
        seats = [guest.state(table)["mine"] for guest in guests]
        assert sorted(seats) == [[]] * (MANY - 1) + [[1]]
    race.check()


def ask_for_a_rematch(race: Race) -> None:
    """All who played ask for a rematch at once: there is one new table."""
    for _ in range(scaled(1, 10)):
        made = race.host.ask(
            "POST", "/api/tables", json={"game": "cloud-city", "seats": [ME, FRIEND, FRIEND]}
        ).json()
        table, players = made["table"], [race.host]
        for link in made["links"]:
            players.append(race.person())
            players[-1].ask("POST", f"/api{link['url']}", json={})
        for seat, player in enumerate(players):
            while player.state(table)["seats"][seat]["kind"] != "bot":
                seq = player.state(table)["seq"]
                player.post(table, seq, seat, "take-over", bot="random")
        eventually(partial(is_over, race, table), "the match ends")
        seq = race.host.state(table)["seq"]
        at_once(*(
            partial(player.post, table, seq, seat, "rematch")
            for seat, player in enumerate(players)
        ))  # fmt: skip
        named = {player.state(table)["rematch"] for player in players}
        assert len(named) == 1, f"one rematch, not {named}"
        made_of_it = [one for one in race.store.open_tables() if _previous(race, one) == table]
        assert made_of_it == list(named), f"one rematch, not {made_of_it}"
        for seat, player in enumerate(players):  # All have moved on by one.
            assert player.state(made_of_it[0])["mine"] == [(seat + 1) % len(players)]
    race.check()


def is_over(race: Race, table: str) -> bool:
    return bool(race.host.state(table)["status"] == "over")


def is_my_turn(race: Race, table: str) -> bool:
    return bool(race.host.state(table)["your_turn"])


def _previous(race: Race, table: str) -> str | None:
    facts = race.store.load(table)
    return None if facts is None else facts.previous


def take_back_against_a_bot(race: Race) -> None:
    """A person takes a move back while the bot after them thinks and moves."""
    for _ in range(ROUNDS):
        table = race.host.new_table("manhattan", ME, BOT, BOT)
        eventually(partial(is_my_turn, race, table), "it is one's turn")
        twin = race.twins(race.host)[0]
        for _ in range(3):
            seen = race.host.state(table)
            if not seen["your_turn"]:
                break
            move = seen["choices"][0]["move"]
            seq = race.host.post(table, seen["seq"], 0, "move", move=move)
            assert seq is not None
            at_once(
                partial(race.host.post, table, seq, 0, "take-back"),
                partial(twin.post, table, seq + 1, 0, "take-back"),
            )
    race.check()


def evict_against_writes(race: Race, writes: int = scaled(60, 500)) -> None:
    """Tables are written, and read by others at the same moment: nobody is shown an older one."""
    tables = [race.host.new_table("neoville", HERE, HERE) for _ in range(3)]
    lookers = [race.person() for _ in range(MANY)]
    done = threading.Event()

    def write(table: str) -> None:
        twin = race.twins(race.host)[0]
        for seq in range(writes):
            assert twin.send(table, renaming(table, seq)) == seq + 1, "nobody else writes here"
            assert twin.state(table)["seq"] == seq + 1

    def look(looker: Person) -> None:
        while not done.is_set():
            for table in tables:
                looker.state(table)

    with ThreadPoolExecutor(MANY) as pool:
        looking = [pool.submit(look, one) for one in lookers]
        try:
            at_once(*(partial(write, table) for table in tables))
        finally:
            done.set()
        for one in looking:
            one.result()
    race.check()


def delete_against_writes(race: Race) -> None:
    """A table is deleted while it is written: then it is gone, with everything of it."""
    for _ in range(ROUNDS):
        table = race.host.new_table("neoville", HERE, HERE)
        deleter, *twins = race.twins(race.host)
        here = f"/api/tables/{table}"
        at_once(
            partial(deleter.ask, "DELETE", here),
            *(partial(t.ask, "POST", f"{here}/events", json=renaming(table, 0)) for t in twins),
        )
        answer = race.host.ask("GET", here)
        assert answer.status_code == 404, f"{table} was deleted and is still there"
        assert race.store.load(table) is None, f"{table} was deleted and is kept"
    race.check()


RACES = (
    post_at_the_same_number,
    send_one_post_often,
    join_by_one_link,
    ask_for_a_rematch,
    take_back_against_a_bot,
    evict_against_writes,
    delete_against_writes,
)


@pytest.mark.parametrize("run", RACES, ids=lambda run: run.__name__)
def test_race(race: Race, run: Callable[[Race], None]) -> None:
    run(race)


# --- the attack must be able to fail


GUARDS = {
    "take_any_number": (post_at_the_same_number, "one wins"),
    "count_posts_again": (send_one_post_often, "sent again, it counts otherwise"),
    "let_all_join": (join_by_one_link, "one wins"),
    "make_a_rematch_for_each": (ask_for_a_rematch, "one rematch"),
    "take_anything_back": (take_back_against_a_bot, "takes back a move of seat"),
    "delete_nothing": (delete_against_writes, "still there"),
}


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Race]:
    """A server from which all these guards are taken away; each is another's."""
    yield from serve(tmp_path_factory.mktemp("unguarded"), ",".join([CROWDED, *GUARDS]))


@pytest.mark.parametrize("guard", GUARDS)
def test_without_its_guard_a_race_is_found_out(unguarded: Race, guard: str) -> None:
    run, found = GUARDS[guard]
    unguarded.ledger.take()  # what another race has left
    with pytest.raises(AssertionError, match=found):
        run(unguarded)


@in_proof
def test_tables_that_are_read_anew_are_found_out(tmp_path: Path) -> None:
    for race in serve(tmp_path, f"{CROWDED},read_tables_anew"):
        with pytest.raises(AssertionError, match=r"and now \d+ is the last|nobody else writes"):
            evict_against_writes(race, 5000)  # ends with the first that is lost
