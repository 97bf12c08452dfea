"""The compiled half of a batch: what happens to its games, one after the other, in one call.

Every entry works on the places ``first`` … ``last - 1``, so that several threads can share a batch.
Nothing that happens at a place depends on another one.

Game k at place i takes the seed that :func:`storeys.kernel.chance.key_game` gives it.
"""

from typing import Any, NamedTuple

import numpy as np

from storeys.envs import rounds
from storeys.envs.rewards import write_rewards
from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit, jitable
from storeys.kernel.record import Header, IntArray, Records, int64
from storeys.kernel.remembering import clear, copy, expect

# The rows of the ledger: the seat to move and the seat that acted; the number of the running game
# and its moves so far; the moves of a game that ended in this step; number and moves of the last
# game that ended; the blank state that the next game starts from; how many actions are legal.
TO_MOVE, ACTED, GAME, MOVES, FINAL_MOVES, LAST_GAME, LAST_MOVES, BLANK, LEGAL = range(9)
LEDGER_ROWS = 9
# The rows of the flags.
TERMINATED, ILLEGAL = range(2)
FLAG_ROWS = 2
NOTHING_SEEN = -1
"""In all counts before the first look at a match."""


class Games(NamedTuple):
    """The arrays of a batch; n is the number of places."""

    states: Records  # n
    blanks: Records  # states that hold options and nothing else, for games to start from
    tables: Records  # 1
    key: IntArray  # of the batch's seed
    ledger: IntArray  # rows × n
    flags: IntArray  # rows × n
    rng: IntArray  # n × 4: a generator of random moves at each place
    listed: IntArray  # n × actions: what is legal, as many as the ledger says
    log: IntArray  # n × moves: the actions of the running games
    last_log: IntArray  # n × moves: those of the last games that ended
    allowed: IntArray  # n × actions: 1 for what is legal
    counts: IntArray  # n × slots: of what was drawn into memory
    memory: IntArray  # n × room: what was seen of the running games, for `observe_again`
    observations: IntArray  # n × size
    masks: IntArray  # n × actions: a copy of `allowed` for whoever plays, who may change it
    rewards: IntArray  # n × players
    scores: IntArray  # n × players
    won: IntArray  # n × players


Arrays = tuple[Any, ...]
"""The same as a plain tuple: Python passes that to compiled code in half the time."""


@jit
def start_games(first: int, last: int, arrays: Arrays, chosen: IntArray) -> None:
    """Start the next game at every chosen place, and forget the results of the last step."""
    games = Games(*arrays)
    forget_results(first, last, games)
    for i in range(first, last):
        games.ledger[ACTED, i] = -1
        if chosen[i]:
            start_game(i, games)
    show_games(first, last, arrays)


@jit
def step_games(
    words: IntArray,
    role: int,
    arrays: Arrays,
    actions: IntArray,
    form: int,
    illegal_reward: float,
) -> int:
    """One action in every game; one that ends is paid and followed by the next.

    Says how many moves the longest running game has, or that a round has not ended yet.
    """
    return step_in_rounds(words, role, arrays, actions, form, illegal_reward)


@jitable
def step_in_rounds(
    words: IntArray,
    role: int,
    arrays: Arrays,
    actions: IntArray,
    form: int,
    illegal_reward: float,
) -> int:
    """The same; who helps may find several rounds or none.

    Loops are no entries themselves because those count who holds their arrays.
    """
    count, pieces = actions.size, words[rounds.PIECES]
    patience = rounds.LONG if role == rounds.HELP else rounds.SHORT
    looks = patience
    if role == rounds.LEAD:
        rounds.begin(words)
    elif role == rounds.HELP:
        rounds.be_awake(words, 1)
    while looks > 0 and not (role == rounds.HELP and rounds.must_leave(words)):
        nth = rounds.take(words)
        if nth >= 0:
            first, last = count * nth // pieces, count * (nth + 1) // pieces
            longest = step_each(first, last, arrays, actions, form, illegal_reward)
            rounds.finish(words, longest)
            looks = patience
        elif role != rounds.HELP and rounds.has_ended(words):
            return int64(words[rounds.LARGEST])
        else:
            looks -= 1
    if role == rounds.HELP:
        rounds.be_awake(words, -1)
    return rounds.UNFINISHED


@jitable
def step_each(
    first: int,
    last: int,
    arrays: Arrays,
    actions: IntArray,
    form: int,
    illegal_reward: float,
) -> int:
    """The same for some places."""
    games = Games(*arrays)
    forget_results(first, last, games)
    longest = 0
    for i in range(first, last):
        expect(games.observations[i])
        expect(games.masks[i])
        expect(games.memory[i])
        expect(games.states[i + 1 : i + 2])  # its own state, a game needs at once
        state, tables, action = games.states[i], games.tables[0], int64(actions[i])
        games.ledger[ACTED, i] = state.to_move
        legal = is_allowed(games.allowed[i], action)
        if legal:
            games.log[i, games.ledger[MOVES, i]] = action
            games.ledger[MOVES, i] += 1
            verbs.apply(state, tables, action)
        if not legal or verbs.over(state):
            end_game(i, games, legal, form, illegal_reward)
            start_game(i, games)
        games.ledger[TO_MOVE, i] = state.to_move
        listed, allowed, mask = games.listed[i], games.allowed[i], games.masks[i]
        games.ledger[LEGAL, i] = list_allowed(state, tables, listed, allowed, mask)
        look(state, tables, games.counts[i], games.memory[i], games.observations[i])
        longest = max(longest, games.ledger[MOVES, i])
    return longest


@jitable
def forget_results(first: int, last: int, games: Games) -> None:
    """Nothing has ended yet in this step, nobody is paid."""
    games.ledger[FINAL_MOVES, first:last] = 0
    games.flags[:, first:last] = False
    games.rewards[first:last] = 0
    games.scores[first:last] = 0
    games.won[first:last] = False


@jit
def sample_games(listed: IntArray, ledger: IntArray, rng: IntArray, actions: IntArray) -> None:
    """Draw a random legal action for every game, from what was listed for its mask."""
    sample_each(listed, ledger, rng, actions)


@jitable
def sample_each(listed: IntArray, ledger: IntArray, rng: IntArray, actions: IntArray) -> None:
    """The same."""
    for i in range(actions.size):
        actions[i] = listed[i, chance.random_below(rng[i], ledger[LEGAL, i])]


@jit
def show_games(first: int, last: int, arrays: Arrays) -> None:
    """Write for all games who is to move, what that seat sees and what it may do."""
    show_each(first, last, arrays)


@jitable
def show_each(first: int, last: int, arrays: Arrays) -> None:
    """The same."""
    games = Games(*arrays)
    for i in range(first, last):
        state, tables = games.states[i], games.tables[0]
        games.ledger[TO_MOVE, i] = state.to_move
        listed, allowed, mask = games.listed[i], games.allowed[i], games.masks[i]
        games.ledger[LEGAL, i] = list_allowed(state, tables, listed, allowed, mask)
        look(state, tables, games.counts[i], games.memory[i], games.observations[i])


@jit
def draw_options(
    places: IntArray, arrays: Arrays, draws: IntArray, spare: Records, marks: IntArray
) -> None:
    """Find what the options of the next games at some places leave to chance."""
    games, rng = Games(*arrays), np.empty(4, np.uint32)
    for at in range(places.size):
        nth, place = games.ledger[GAME, places[at]] + 1, int64(places[at])
        marks[at] = chance.draw_for_game(spare[0], games.key, nth, place, rng, draws)


@jit
def read_log(states: Records, tables: Records, log: IntArray, codes: IntArray) -> None:
    """The move codes of the actions that were noted of a game, played again as it was dealt."""
    for nth in range(log.size):
        codes[nth] = verbs.decode(states[0], tables[0], int64(log[nth]))
        verbs.apply(states[0], tables[0], int64(log[nth]))


# --- what happens at one place


@jitable
def start_game(i: int, games: Games) -> None:
    """Deal the next game."""
    games.ledger[GAME, i] += 1
    games.ledger[MOVES, i] = 0
    games.states[i] = games.blanks[games.ledger[BLANK, i]]
    state = games.states[i]
    chance.key_game(state, games.key, games.ledger[GAME, i], int64(i), games.rng[i])
    chance.rewind(state, chance.DEALT)
    verbs.deal(state, games.tables[0])
    games.counts[i] = NOTHING_SEEN


@jitable
def end_game(i: int, games: Games, legal: bool, form: int, illegal_reward: float) -> None:
    """Pay the seats, or the one that did something illegal; keep the moves of the game."""
    state, tables = games.states[i], games.tables[0]
    games.flags[TERMINATED, i] = True
    verbs.score(state, tables, games.scores[i])
    if legal:
        verbs.winners(state, tables, games.won[i])
        write_rewards(form, games.scores[i], games.won[i], games.rewards[i])
    else:
        games.flags[ILLEGAL, i] = True
        games.rewards[i, state.to_move] = illegal_reward
    moves = games.ledger[MOVES, i]
    for nth in range(moves):
        games.last_log[i, nth] = games.log[i, nth]
    games.ledger[FINAL_MOVES, i] = moves
    games.ledger[LAST_MOVES, i] = moves
    games.ledger[LAST_GAME, i] = games.ledger[GAME, i]


# What follows is called at every step and takes rows, not the batch: passing all its arrays on
# costs more than the work.


@jitable
def is_allowed(allowed: IntArray, action: int) -> bool:
    """Whether an action is legal; the masks that were handed out may have been changed."""
    return bool(0 <= action < allowed.size and allowed[action] == 1)


@jitable
def look(
    state: Header, tables: Any, counts: IntArray, memory: IntArray, observation: IntArray
) -> None:
    """What the seat to move sees."""
    verbs.observe_again(state, tables, state.to_move, counts, memory, observation)


@jitable
def list_allowed(
    state: Header, tables: Any, listed: IntArray, allowed: IntArray, mask: IntArray
) -> int:
    """List all that is legal, and write 1 for it; says how much that is."""
    count = verbs.legal(state, tables, listed)
    clear(allowed, 0, allowed.size)
    for nth in range(count):
        allowed[listed[nth]] = 1
    copy(allowed, 0, mask, 0, mask.size)
    return count
