"""Soak: people and bots play for long; memory, open files and threads stay as they are.

Seconds among the other tests, ten minutes in ``make proof``, an hour in ``make soak``.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from storeys.web.store import Store
from tests.attacks.ledger import Ledger
from tests.attacks.people import Crowd
from tests.attacks.server import Server, Usage
from tests.attacks.test_kill import check_and_keep
from tests.proofs import PROOF, long_case

MINUTES = float(os.environ.get("STOREYS_SOAK", "10" if PROOF else "0"))
PEOPLE = 3
POSTS_A_LOOK = 7
FEWEST_LOOKS = 6
MORE_MEMORY, MORE_FILES, MORE_THREADS = 1.1, 10, 10
"""How much more the last third may take than the one before: connections come and go."""


def soak(server: Server, minutes: float) -> list[Usage]:
    """Let people play, and look now and then at what the server takes; all looks."""
    server.start()
    crowd, store, looks = Crowd(server.url, PEOPLE), Store(server.database), list[Usage]()
    end = time.monotonic() + 60 * minutes
    try:
        crowd.start()
        while len(looks) < FEWEST_LOOKS or time.monotonic() < end:
            crowd.wait_for_posts(POSTS_A_LOOK)
            check_and_keep(crowd, store, Ledger())
            looks.append(server.usage())
    finally:
        server.clear_away()  # First, so that nobody still waits for an answer.
        crowd.leave()
        store.close()
    return looks


def check_flat(looks: list[Usage]) -> None:
    """The last third is like the one before it; the first was for warming up."""
    third = len(looks) // 3
    before, after = looks[third : 2 * third], looks[2 * third :]

    def grown(of: Callable[[Usage], int]) -> tuple[float, float]:
        return median(map(of, before)), median(map(of, after))

    files, threads = grown(lambda look: look.files), grown(lambda look: look.threads)
    memory = grown(lambda look: look.kilobytes)
    assert files[1] <= files[0] + MORE_FILES, f"open files grow: {files}"
    assert threads[1] <= threads[0] + MORE_THREADS, f"threads grow: {threads}"
    assert memory[1] <= memory[0] * MORE_MEMORY, f"memory grows: {memory} kB"


def test_nothing_grows_while_people_play(tmp_path: Path) -> None:
    looks = soak(Server(tmp_path, changed="keep_little"), MINUTES)
    print("kilobytes, files, threads:", looks[0], looks[len(looks) // 3], looks[-1], sep="\n")
    check_flat(looks)


# --- the attack must be able to fail


@pytest.mark.parametrize(
    ("changed", "found"),
    [long_case("hoard_memory", "memory grows"), ("leave_files_open", "open files grow")],
)
def test_without_its_guard_growth_is_found(tmp_path: Path, changed: str, found: str) -> None:
    looks = soak(Server(tmp_path, changed=f"keep_little,{changed}"), 0)
    with pytest.raises(AssertionError, match=found):
        check_flat(looks)
