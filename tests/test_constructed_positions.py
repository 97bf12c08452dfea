"""Kernel and referee on positions that a generator makes; `make proof` compares many more.

A failure names the position's number and shows the position as JSON.  ``STOREYS_PROOF`` says how
many positions of each game are compared.
"""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

import storeys
from storeys import testing
from tests.constructed.cloud_city import CLOUD_CITY
from tests.constructed.comparing import Difference, Trial, compare, follow, opened
from tests.constructed.manhattan import MANHATTAN
from tests.constructed.neoville import NEOVILLE

TRIALS = (MANHATTAN, CLOUD_CITY, NEOVILLE)
POSITIONS = int(os.environ.get("STOREYS_PROOF", "100"))
BATCH = 50
PLAYED_ON = 25
"""One position in so many is played on to the end."""

# The checks that every game must pass which look at single matches, wherever they started.
PROPERTIES = (
    testing.check_moves_round_trip,
    testing.check_undo_is_exact,
    testing.check_records_replay,
    testing.check_copies_are_exact,
    testing.check_positions_round_trip,
    testing.check_scores_add_up,
    testing.check_views_do_not_leak,
    testing.check_views_make_worlds,
)

every_game = pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
every_batch = pytest.mark.parametrize("first", range(0, POSITIONS, BATCH))


@contextmanager
def named(number: int) -> Iterator[None]:
    """A difference says which position has it."""
    try:
        yield
    except Difference as difference:
        difference.add_note(f"position number {number}")
        raise


@every_batch
@every_game
def test_kernel_and_referee_agree(trial: Trial, first: int) -> None:
    for number in range(first, min(first + BATCH, POSITIONS)):
        with named(number):
            compare(trial, trial.made(number))


@every_batch
@every_game
def test_they_agree_to_the_end(trial: Trial, first: int) -> None:
    for number in range(first, min(first + BATCH, POSITIONS), PLAYED_ON):
        with named(number):
            follow(trial, trial.made(number))


@every_batch
@every_game
def test_matches_from_there_are_sound(trial: Trial, first: int) -> None:
    """Undo, records, copies and views, with nothing leaking through them."""
    rng = random.Random(first)
    number = next(n for n in count(first) if trial.made(n)["phase"] != "over")
    with named(number):
        match = opened(trial, trial.made(number))
        while match.to_move is not None:
            match.push(rng.choice(match.legal_moves))
        for check in PROPERTIES:
            try:
                check(testing.Trial(trial.name, {}, rng, [match]))
            except AssertionError as error:
                found = [f"{check.__name__}: {error}"]
                raise Difference(trial.made(number), found) from error


def test_ties_of_neoville_are_broken_by_pieces_and_shared() -> None:
    over = [made for n in range(100) if (made := NEOVILLE.made(n))["phase"] == "over"]
    tied = [made for made in over if made["scores"].count(max(made["scores"])) > 1]
    winners = {len(NEOVILLE.winners(made)) for made in tied}
    assert winners == {1, 2}  # N-23


@every_game
def test_positions_are_made_alike_every_time(trial: Trial) -> None:
    assert trial.made(3) == trial.made(3)
    assert trial.made(3) != trial.made(4)
    assert storeys.from_position(trial.made(3)).position() == trial.made(3)
