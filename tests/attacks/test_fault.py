"""Fault: the clock jumps by years, logs cannot be written.

Nobody notices: people and bots go on.
"""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storeys.cli.logs import Log
from storeys.web.store import Store
from tests.attacks.ledger import Ledger
from tests.attacks.people import Crowd
from tests.attacks.server import Server
from tests.attacks.test_kill import check_and_keep, let_bots_play, wait_for_bots

PEOPLE = 2
YEARS = 365 * 24 * 3600.0


@contextmanager
def switched(server: Server, name: str, content: str = "") -> Iterator[None]:
    """A fault that the changed server makes itself as long as a file is there."""
    switch = server.folder / name
    switch.write_text(content)
    try:
        yield
    finally:
        switch.unlink()


def play_while_the_clock_jumps(server: Server) -> None:
    """The time of day jumps forth and back by years: nobody notices."""
    server.start()
    crowd, store, all_so_far = Crowd(server.url, PEOPLE), Store(server.database), Ledger()
    try:
        crowd.start()
        crowd.wait_for(lambda: len(crowd.at_tables) == PEOPLE, "all sit down")
        for years in (10, -20, 0):
            bots = let_bots_play(crowd, store)
            with switched(server, "clock", str(years * YEARS)):
                crowd.wait_for_posts(crowd.acknowledged + 3)
                wait_for_bots(crowd, store, bots)
    finally:
        crowd.leave()
        server.clear_away()
    check_and_keep(crowd, store, all_so_far)
    store.close()


def test_nobody_notices_that_the_clock_jumps(tmp_path: Path) -> None:
    play_while_the_clock_jumps(Server(tmp_path, changed="faults_on_demand"))


class FullDisk(io.StringIO):
    """A file that takes nothing more."""

    def write(self, text: str) -> int:
        raise OSError(28, os.strerror(28))


def test_logs_on_a_full_disk_break_nothing() -> None:
    log = Log(FullDisk())
    print("something worth telling", file=log, flush=True)
