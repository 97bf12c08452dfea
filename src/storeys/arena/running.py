"""Play a contest: as many games at once as there are cores, until it is decided or at an end."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol

from storeys.arena.contest import Contest
from storeys.arena.log import Log
from storeys.arena.playing import Game, play_game
from storeys.arena.playouts import available_cores
from storeys.arena.results import Results
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short

Watcher = Callable[[Results, Log], object]
"""Told after every game."""


class Crew(Protocol):
    """Whoever plays games elsewhere, several at once."""

    size: int

    def play(self, contest: Contest, numbers: Iterator[int]) -> Iterator[Game]:
        """The games of some numbers, as they end; no more are begun than can be played at once."""
        ...


class Here:
    """Plays in this process, one game after the other."""

    size = 1

    def play(self, contest: Contest, numbers: Iterator[int]) -> Iterator[Game]:
        """Each when its turn comes."""
        for number in numbers:
            yield play_game(contest, number)


class Processes:
    """Plays in processes of its own."""

    def __init__(self, size: int) -> None:
        self.size = size

    def play(self, contest: Contest, numbers: Iterator[int]) -> Iterator[Game]:
        """As they end; whoever stops asking ends the games that are on."""
        others = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")  # Numba's threads do not survive a fork.
        pool = ProcessPoolExecutor(self.size, context, begin_process)
        try:
            yield from as_they_end(
                lambda number: pool.submit(play_game, contest, number), numbers, self.size
            )
        except BrokenProcessPool:
            raise StoreysError(Message("storeys.arena.process-died")) from None
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def begin_process() -> None:
    """Make a process ready: it ends with its parent, however that ends."""
    parent = multiprocessing.parent_process()

    def wait_for_parent() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    # Ctrl-C reaches all processes of a terminal: whoever started these ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=wait_for_parent, daemon=True).start()


def as_they_end(
    begin: Callable[[int], "Future[Game]"], numbers: Iterator[int], at_once: int
) -> Iterator[Game]:
    """Begin games so that so many are always on, and give each as it ends."""
    running: set[Future[Game]] = set()
    more = True
    while True:
        while more and len(running) < at_once:
            number = next(numbers, None)
            if number is None:
                more = False
            else:
                running.add(begin(number))
        if not running:
            return
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        for future in ended:
            yield future.result()


def whole_groups(contest: Contest, games: int) -> int:
    """So many games, and as many more as it takes to end the last group."""
    group = contest.group_of(max(games, 1) - 1)
    return contest.games_of(group).stop


def run(
    contest: Contest,
    log: Log,
    games: int,
    crew: Crew,
    watch: Watcher | None = None,
    play_all: bool = False,
) -> Results:
    """Play what is missing of a contest, in order, until it is decided or all is played."""
    most = whole_groups(contest, games)
    results = Results(contest, log.games, most, play_all)
    results.advance()

    def missing() -> Iterator[int]:
        for number in range(most):
            if results.is_enough:
                return
            if number not in log.games:
                yield number

    if watch is not None:
        watch(results, log)
    for game in crew.play(contest, missing()):
        log.add(game)
        results.advance()
        if watch is not None:
            watch(results, log)
    return results


def compete(
    game: str,
    bots: list[str],
    games: int = 200,
    players: int | None = None,
    seed: int | str | None = 0,
    seconds: float | None = None,
    simulations: int | None = None,
    processes: int | None = None,
    file: str | Path | None = None,
    watch: Watcher | None = None,
    play_all: bool = False,
    clock: str = "wall",
    **options: Any,
) -> Results:
    """Let bots play against each other: duplicate deals, seats in turn, until it is clear who wins.

    A bot is written ``name`` or ``name:option=value``.  With a ``file`` every game is kept as it
    ends, and a later call with the same set-up goes on from there.  ``play_all`` goes on when it is
    clear who wins: for a share that is to be known more precisely than that.  By the ``clock``
    ``cpu`` seconds are those that the processor works, whatever else a machine does meanwhile.

    >>> from storeys.arena import compete
    >>> results = compete("neoville", ["builder", "random"], games=100, players=2, processes=1)
    >>> results.decided, results.pairs[0].to_json()["verdict"]
    (True, 'builder')
    """
    contest = Contest(game, bots, players, seed, seconds, simulations, options, clock).checked()
    count = checked_count("games", games)
    log = Log(contest, None if file is None else Path(file))
    return run(contest, log, count, crew_of(processes), watch, play_all)


def crew_of(processes: int | None) -> Crew:
    """Who plays: so many processes, by default one for each core; a single one is this one."""
    size = available_cores() if processes is None else checked_count("processes", processes)
    return Here() if size == 1 else Processes(size)


def checked_count(what: str, number: Any) -> int:
    """A number of things of which there must be one at least."""
    count = as_whole(number)
    if count is None or count < 1:
        raise BadOption(Message("storeys.bad-count", what=what, low=1, found=short(number)))
    return count
