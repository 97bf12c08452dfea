"""The compiled entry points that Python calls, written once for all games.

They take arrays of records (of length 1 where one state is meant): passing such an array costs a
tenth of passing a record.
"""

import numpy as np

from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit_when_it_pays, jitable
from storeys.kernel.record import IntArray, Records

NO_CODES, NO_MARKS = np.empty(0, np.int64), np.empty(0, np.int8)
NO_RNG = np.empty(0, np.uint32)
# Every entry point is optimised for itself, with all that it calls: what is alike shares one.


@jit_when_it_pays
def start(states: Records, tables: Records, nonce: int) -> None:
    """Start the stream of the key in a state; a new match is dealt from it."""
    chance.rewind(states[0], nonce)
    if nonce == chance.DEALT:
        verbs.deal(states[0], tables[0])


@jit_when_it_pays
def push(states: Records, tables: Records, code: int, only_ask: bool) -> int:
    """Carry out a move code if it is legal; its action, or minus the reason against it.

    Who only asks says so: with a default, Numba would compile it once more for callers who do not.
    """
    action = verbs.encode(states[0], tables[0], code)
    if action >= 0 and not only_ask:
        verbs.apply(states[0], tables[0], action)
    return action


def action_of(states: Records, tables: Records, code: int) -> int:
    """The action of a move code if that is legal, or minus the reason against it."""
    return push(states, tables, code, True)


@jit_when_it_pays
def list_legal(
    states: Records, tables: Records, actions: IntArray, codes: IntArray, marks: IntArray
) -> int:
    """List the legal actions, with their move codes or a mark for each; says how many.

    Where codes or marks are not wanted, their array is empty.
    """
    count = verbs.legal(states[0], tables[0], actions)
    for i in range(min(count, codes.size)):
        codes[i] = verbs.decode(states[0], tables[0], actions[i])
    if marks.size:
        mark_actions(actions, count, marks)
    return count


@jitable
def mark_actions(actions: IntArray, count: int, marks: IntArray) -> None:
    """Write 1 for the actions that are listed and 0 for the others."""
    marks[:] = 0
    for i in range(count):
        marks[actions[i]] = 1


def legal_codes(states: Records, tables: Records, actions: IntArray, codes: IntArray) -> int:
    """List the legal actions and their move codes; says how many."""
    return list_legal(states, tables, actions, codes, NO_MARKS)


def mask(states: Records, tables: Records, actions: IntArray, out: IntArray) -> int:
    """Write 1 for every legal action and 0 for the others; says how many are legal."""
    return list_legal(states, tables, actions, NO_CODES, out)


@jit_when_it_pays
def decode(states: Records, tables: Records, action: int, rng: IntArray) -> int:
    """The move code of a legal action, or with a generator of a random one."""
    if rng.size:
        action = verbs.sample(states[0], tables[0], rng)
    return verbs.decode(states[0], tables[0], action)


def code_of(states: Records, tables: Records, action: int) -> int:
    """The move code of a legal action."""
    return decode(states, tables, action, NO_RNG)


def sample_code(states: Records, tables: Records, rng: IntArray) -> int:
    """The move code of a random legal action."""
    return decode(states, tables, 0, rng)


@jit_when_it_pays
def results(states: Records, tables: Records, totals: IntArray, won: IntArray) -> None:
    """The totals of the seats, and who wins if the game ended here, where there is room for it."""
    verbs.score(states[0], tables[0], totals)
    if len(won):
        verbs.winners(states[0], tables[0], won)


@jit_when_it_pays
def observe(states: Records, tables: Records, seat: int, out: IntArray) -> None:
    """The observation tensor of a seat."""
    verbs.observe(states[0], tables[0], seat, out)


@jit_when_it_pays
def forget(states: Records, tables: Records, seat: int, rng: IntArray) -> None:
    """Wipe what the seat cannot know, or with a generator draw it afresh."""
    if rng.size:
        verbs.redeal(states[0], tables[0], seat, rng)
    else:
        verbs.blind(states[0], tables[0], seat)


def blind(states: Records, tables: Records, seat: int) -> None:
    """Wipe what the seat cannot know."""
    forget(states, tables, seat, NO_RNG)


def redeal(states: Records, tables: Records, seat: int, rng: IntArray) -> None:
    """Draw what the seat cannot know afresh.

    >>> import storeys
    >>> from storeys.kernel import chance, entry_points
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> world = match.blinded(0)
    >>> entry_points.redeal(world, match.setup.components.tables, 0, chance.generator(1))
    >>> world["hands"][0]
    array([[ 6,  8,  4,  3],
           [ 2,  3,  7,  3],
           [-1, -1, -1, -1],
           [-1, -1, -1, -1]], dtype=int16)
    """
    forget(states, tables, seat, rng)
