"""Rounds of work that threads share without leaving compiled code."""

import threading
from typing import Any

import numpy as np

from storeys.envs import rounds
from storeys.envs.rounds import Rounds
from storeys.kernel.compiling import compiler, jit
from storeys.kernel.record import IntArray, int64


@jit
def mark_pieces(done: IntArray, words: IntArray, role: int) -> int:
    """A round whose pieces are counted where they are done, as a batch's step does it."""
    if role == rounds.LEAD:
        rounds.begin(words)
    elif role == rounds.HELP:
        rounds.be_awake(words, 1)
    while not (role == rounds.HELP and rounds.must_leave(words)):
        nth = rounds.take(words)
        if nth >= 0:
            done[nth] += 1
            rounds.finish(words, nth)
        elif role != rounds.HELP and rounds.has_ended(words):
            return int64(words[rounds.LARGEST])
    rounds.be_awake(words, -1)
    return rounds.UNFINISHED


def marking(done: IntArray) -> Any:
    return lambda words, role: mark_pieces(done, words, role)


def test_all_pieces_are_done_once_a_round_by_whoever_takes_them() -> None:
    done = np.zeros(64, np.int64)
    shared = Rounds(marking(done), done.size)
    helper = threading.Thread(target=shared.lend_a_hand)
    if compiler.may_compile:  # interpreted, nobody helps
        mark_pieces(done[:0], np.ones(rounds.WORDS, np.int64), rounds.HELP)
        helper.start()
        while not shared.has_helpers(1):
            pass
    for nth in range(1, 2_001):
        assert shared.run() == done.size - 1
        assert (done == nth).all()
    shared.end()
    if compiler.may_compile:
        helper.join(60)
        assert not helper.is_alive()


def test_nobody_waits_for_a_helper_that_does_not_come() -> None:
    done = np.zeros(5, np.int64)
    assert Rounds(marking(done), 5).run() == 4
    assert done.tolist() == [1] * 5


def test_helpers_are_called_until_they_are_there_and_after_they_were_sent_away() -> None:
    alone, shared = Rounds(lambda words, role: 0, 1), Rounds(lambda words, role: 0, 2)
    assert alone.has_helpers(1)
    assert not shared.has_helpers(1)
    rounds.be_awake(shared._words, 1)
    assert shared.has_helpers(1)
    shared.end()
    assert not shared.has_helpers(1)
    assert shared.has_helpers(1)


def test_a_leader_asks_again_until_a_piece_in_hand_is_done() -> None:
    asked = list[int]()

    def work(words: IntArray, role: int) -> int:
        asked.append(role)
        return 7 if len(asked) == 3 else rounds.UNFINISHED

    assert Rounds(work, 2).run() == 7
    assert asked == [rounds.LEAD, rounds.WAIT, rounds.WAIT]
