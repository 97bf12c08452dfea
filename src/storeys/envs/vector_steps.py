"""The compiled half of a vector environment: what happens to its matches, in one call.

Every entry works on some places, given as an array of their numbers.  A place waits for the agent,
for an opponent that Python has to ask, or for room in its log; opponents at random play here.
"""

from typing import Any, NamedTuple

import numpy as np

from storeys.envs.batch_steps import NOTHING_SEEN
from storeys.envs.rewards import write_rewards
from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray, Records, int64

# The rows of the ledger: the agent's seat; the blank state that the match starts from; its moves.
SEAT, BLANK, MOVES = range(3)
LEDGER_ROWS = 3
# Who plays a seat: the agent, compiled code, or somebody whom Python asks.
AGENT, AT_RANDOM, ASKED = range(3)


class Matches(NamedTuple):
    """The arrays of a vector environment; n is the number of places."""

    states: Records  # n
    blanks: Records  # states that hold options and nothing else, for matches to start from
    tables: Records  # 1
    keys: IntArray  # n × 8: the seeds of the matches
    ledger: IntArray  # rows × n
    roles: IntArray  # n × players
    rng: IntArray  # n × 4: a generator for the opponents at random
    log: IntArray  # n × moves: the actions of the running matches
    allowed: IntArray  # n × actions: 1 for what is legal
    counts: IntArray  # n × slots: of what was drawn into memory
    memory: IntArray  # n × room: what was seen of the running matches, for `observe_again`


Arrays = tuple[Any, ...]
"""The same as a plain tuple: Python passes that to compiled code in half the time."""


@jit
def start_matches(places: IntArray, arrays: Arrays) -> int:
    """Deal the matches that were prepared, and play up to where somebody is waited for.

    Says at how many places that is not the agent.
    """
    matches = Matches(*arrays)
    for i in places:
        matches.states[i] = matches.blanks[matches.ledger[BLANK, i]]
        state = matches.states[i]
        state.key[:] = matches.keys[i]
        chance.rewind(state, chance.DEALT)
        verbs.deal(state, matches.tables[0])
        matches.ledger[MOVES, i] = 0
        matches.counts[i] = NOTHING_SEEN
    return go_on(places, arrays)


@jit
def take_actions(places: IntArray, arrays: Arrays, actions: IntArray, illegal: IntArray) -> int:
    """Carry out one action at each place, or mark it as illegal; then as :func:`go_on`."""
    matches = Matches(*arrays)
    for nth in range(places.size):
        i, action = places[nth], int64(actions[nth])
        allowed = matches.allowed[i]
        if 0 <= action < allowed.size and allowed[action] == 1:
            matches.log[i, matches.ledger[MOVES, i]] = action
            matches.ledger[MOVES, i] += 1
            verbs.apply(matches.states[i], matches.tables[0], action)
        else:
            illegal[i] = True
    return go_on(places, arrays)


@jit
def go_on(places: IntArray, arrays: Arrays) -> int:
    """Let the seats at random move; says at how many places the agent is not waited for then."""
    matches = Matches(*arrays)
    room = matches.log.shape[1]
    others = 0
    for i in places:
        state, tables, roles = matches.states[i], matches.tables[0], matches.roles[i]
        log, rng, moves = matches.log[i], matches.rng[i], matches.ledger[MOVES, i]
        while state.to_move >= 0 and roles[state.to_move] == AT_RANDOM and moves < room:
            action = verbs.sample(state, tables, rng)
            log[moves] = action
            moves += 1
            verbs.apply(state, tables, action)
        matches.ledger[MOVES, i] = moves
        if state.to_move >= 0 and (roles[state.to_move] != AGENT or moves == room):
            others += 1
    return others


@jit
def show_matches(
    places: IntArray, rows: IntArray, seats: IntArray, arrays: Arrays, out: IntArray
) -> None:
    """Write what a seat of each place sees into a row, and what the seat to move may do."""
    matches = Matches(*arrays)
    listed = np.empty(matches.allowed.shape[1], np.int64)
    for nth in range(places.size):
        i = places[nth]
        state, tables, allowed = matches.states[i], matches.tables[0], matches.allowed[i]
        counts, memory = matches.counts[i], matches.memory[i]
        verbs.observe_again(state, tables, int64(seats[nth]), counts, memory, out[rows[nth]])
        allowed[:] = 0
        if state.to_move >= 0:
            for at in range(verbs.legal(state, tables, listed)):
                allowed[listed[at]] = 1


@jit
def pay_matches(
    places: IntArray, arrays: Arrays, form: int, paid: IntArray, scores: IntArray, won: IntArray
) -> None:
    """The results of matches that are over, and what the agent is paid."""
    matches = Matches(*arrays)
    by_seat = np.zeros(scores.shape[1])
    for i in places:
        state, tables = matches.states[i], matches.tables[0]
        verbs.score(state, tables, scores[i])
        verbs.winners(state, tables, won[i])
        write_rewards(form, scores[i], won[i], by_seat)
        paid[i] = by_seat[matches.ledger[SEAT, i]]
