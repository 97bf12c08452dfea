"""Kill: the server and PostgreSQL end under load, again and again, as after a power cut.

Nothing acknowledged is lost, nothing was shown that is not kept, a post that is sent again counts
once, bots go on, and no process is left behind.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from storeys.web.store import Store
from tests.attacks.ledger import Ledger, check
from tests.attacks.people import BOT, Crowd
from tests.attacks.postgresql import Postgresql
from tests.attacks.scale import PATIENCE, eventually, scaled
from tests.attacks.server import Server, began
from tests.databases import WHY_NOT
from tests.proofs import long_case

KILLS_OF_SERVER, KILLS_OF_DATABASE = scaled(2, 150), scaled(1, 50)
PEOPLE = 3


@pytest.fixture
def database() -> Iterator[Postgresql]:
    if WHY_NOT is not None:
        pytest.skip(WHY_NOT)
    made = Postgresql()
    try:
        made.start()
        yield made
    finally:
        made.clear_away()


def moves_of_bots(store: Store, table: str) -> int:
    """How many moves bots have made at a table, where people have the first seat if any."""
    facts = store.load(table)
    assert facts is not None
    return sum(event.kind == "move" and event.seat != 0 for event in facts.events)


def let_bots_play(crowd: Crowd, store: Store, patience: float = PATIENCE) -> str:
    """A table of bots alone, where one is always to move until the match is over."""
    table = crowd.host.new_table("manhattan", BOT, BOT, BOT, BOT)
    crowd.wait_for(lambda: moves_of_bots(store, table), "bots begin", patience)
    return table


def wait_for_bots(crowd: Crowd, store: Store, *others: str, patience: float = PATIENCE) -> None:
    """Until bots have moved at every table of people and at others, or the match there is over."""
    tables = [*crowd.at_tables, *others]
    before = {table: moves_of_bots(store, table) for table in tables}

    def all_have_moved() -> bool:
        crowd.check()
        still = set(tables) & set(store.open_tables())
        return all(moves_of_bots(store, table) >= before[table] + 1 for table in still)

    eventually(all_have_moved, "bots go on", patience)


def check_and_keep(crowd: Crowd, store: Store, all_so_far: Ledger) -> None:
    """What was told since the last look is kept now."""
    crowd.check()
    since = crowd.ledger.take()
    check(since, store)
    all_so_far.add(since)


def kill_server(
    server: Server,
    kills: int,
    dice: random.Random,
    for_bots: float = PATIENCE,
    for_ends: float = PATIENCE,
) -> int:
    """Kill the server under load; how many posts were acknowledged over all that.

    How long to wait for bots that do not go on, and for processes that do not end, can be said.
    """
    crowd, all_so_far = Crowd(server.url, PEOPLE, seed=dice.randrange(1000)), Ledger()
    server.start()
    store = Store(server.database)
    try:
        crowd.start()
        crowd.wait_for(lambda: len(crowd.at_tables) == PEOPLE, "all sit down")
        for nth in range(kills):
            crowd.wait_for_posts(dice.randint(1, 12))
            others = [let_bots_play(crowd, store)] if nth % 3 == 0 else []
            server.kill()
            check_and_keep(crowd, store, all_so_far)
            eventually(lambda: not server.left_behind(), "no process is left behind", for_ends)
            server.start()
            if others:
                wait_for_bots(crowd, store, *others, patience=for_bots)
    finally:
        server.clear_away()  # First, so that nobody still waits for an answer.
        crowd.leave()
    check_and_keep(crowd, store, all_so_far)
    check(all_so_far, store)
    store.close()
    return len(all_so_far.acknowledged)


def kill_database(
    server: Server,
    database: Postgresql,
    kills: int,
    dice: random.Random,
    for_bots: float = PATIENCE,
) -> int:
    """Kill PostgreSQL under load, the server goes on; how many posts were acknowledged."""
    crowd, all_so_far = Crowd(server.url, PEOPLE, seed=dice.randrange(1000)), Ledger()
    server.start()
    store = Store(server.database)
    try:
        crowd.start()
        crowd.wait_for(lambda: len(crowd.at_tables) == PEOPLE, "all sit down")
        for _ in range(kills):
            crowd.wait_for_posts(dice.randint(1, 12))
            bots = let_bots_play(crowd, store)
            database.kill()
            crowd.wait_for_refusals(crowd.refusals + 1)
            database.start()
            wait_for_bots(crowd, store, bots, patience=for_bots)
            check_and_keep(crowd, store, all_so_far)
    finally:
        server.clear_away()  # First, so that nobody still waits for an answer.
        crowd.leave()
    check_and_keep(crowd, store, all_so_far)
    check(all_so_far, store)
    store.close()
    return len(all_so_far.acknowledged)


def test_the_server_is_killed_under_load(tmp_path: Path) -> None:
    kept = kill_server(Server(tmp_path), KILLS_OF_SERVER, random.Random(16))
    print(f"{KILLS_OF_SERVER} kills of the server: {kept} acknowledged posts, none lost")


def test_postgresql_is_killed_under_load(tmp_path: Path, database: Postgresql) -> None:
    server = Server(tmp_path, database.url)
    kept = kill_database(server, database, KILLS_OF_DATABASE, random.Random(17))
    print(f"{KILLS_OF_DATABASE} kills of PostgreSQL: {kept} acknowledged posts, none lost")


# --- the attack must be able to fail


SOON = 5.0
"""What does not come about without its guard never does: so many seconds are enough to see it."""


@pytest.mark.parametrize(
    ("changed", "found", "patience"),
    [
        ("acknowledge_before_keeping", "not kept|though it was acknowledged|has gaps", {}),
        long_case("count_posts_again", "counts twice|though it was refused", {}),
        long_case("forget_bots", "bots go on", {"for_bots": SOON}),
        long_case("outlive_the_server", "no process is left behind", {"for_ends": SOON}),
    ],
)
def test_without_its_guard_a_killed_server_is_found_out(
    tmp_path: Path, changed: str, found: str, patience: dict[str, float]
) -> None:
    with pytest.raises(AssertionError, match=found):
        kill_server(Server(tmp_path, changed=changed), 6, random.Random(16), **patience)


def test_a_stranger_with_the_number_of_one_that_has_ended_is_not_ours(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.family = {os.getpid(): began(os.getpid())}
    assert server.left_behind() == {os.getpid()}
    server.family = {os.getpid(): "earlier"}
    assert server.left_behind() == set()
    server.clear_away()
