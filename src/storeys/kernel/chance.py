"""The two kinds of chance: a keyed stream for the game, a fast generator for playouts.

**The stream** decides deals, draws and shuffles.  It is ChaCha with 8 rounds: the key is the
match's seed as 256 bits (little endian words), the 64-bit counter numbers the blocks from 0, the
first nonce word is 0 for a dealt match and 1 for one that starts from a position, the second is
0.  A block gives 16 words of 32 bits, used in order.  Whoever sees some of them learns nothing
of the others.  A number below n comes from one word x as ``x * n >> 32``; to be exactly uniform,
a word whose ``x * n mod 2**32`` is less than ``2**32 mod n`` is passed over.

**The generator** decides what random players do, in playouts and searches, and never touches
the stream: sfc32, four words in an array of its own.

Everything here is written in 64-bit integers that never overflow, so that compiled and
uncompiled runs give the same numbers on every machine.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from storeys.kernel.compiling import jitable
from storeys.kernel.record import Header, IntArray, int64

T = TypeVar("T")

WORD = 0xFFFFFFFF
STREAM_ROUNDS = 8
DEALT, RESUMED, BATCH, SETTLING, FORGOTTEN, TOLD = range(6)
"""The nonces: a match dealt from its seed, one that starts from a position, the games of a batch,
what the options of a match leave to chance, and the marks of a state that was blinded, and of one
that is told what chance does."""
SEED_BITS = 256
SEED_WORDS = 4
"""How many words the seed of one game of a batch has."""
"""How long the seeds are that a batch gives to its games."""


# --- ChaCha


@jitable
def rotate(word: int, bits: int) -> int:
    """Rotate 32 bits to the left."""
    return ((word << bits) | (word >> (32 - bits))) & WORD


@jitable
def quarter_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """ChaCha's mixing step."""
    a = (a + b) & WORD
    d = rotate(d ^ a, 16)
    c = (c + d) & WORD
    b = rotate(b ^ c, 12)
    a = (a + b) & WORD
    d = rotate(d ^ a, 8)
    c = (c + d) & WORD
    b = rotate(b ^ c, 7)
    return a, b, c, d


@jitable
def chacha_block(
    key: IntArray, counter: int, nonce0: int, nonce1: int, rounds: int, out: IntArray
) -> None:
    """One block of 16 words; with 20 rounds it is the function of RFC 8439."""
    k0, k1, k2, k3 = int64(key[0]), int64(key[1]), int64(key[2]), int64(key[3])
    k4, k5, k6, k7 = int64(key[4]), int64(key[5]), int64(key[6]), int64(key[7])
    mix_block(k0, k1, k2, k3, k4, k5, k6, k7, counter, nonce0, nonce1, rounds, out)


@jitable
def mix_block(
    k0: int,
    k1: int,
    k2: int,
    k3: int,
    k4: int,
    k5: int,
    k6: int,
    k7: int,
    counter: int,
    nonce0: int,
    nonce1: int,
    rounds: int,
    out: IntArray,
) -> None:
    """A block of a key's words; interpreted, each of these may be a column of words as well."""
    low, high = counter & WORD, (counter >> 32) & WORD
    a0, a1, a2, a3 = 0x61707865, 0x3320646E, 0x79622D32, 0x6B206574
    b0, b1, b2, b3 = k0, k1, k2, k3
    c0, c1, c2, c3 = k4, k5, k6, k7
    d0, d1, d2, d3 = low, high, nonce0, nonce1
    for _ in range(rounds // 2):
        a0, b0, c0, d0 = quarter_round(a0, b0, c0, d0)
        a1, b1, c1, d1 = quarter_round(a1, b1, c1, d1)
        a2, b2, c2, d2 = quarter_round(a2, b2, c2, d2)
        a3, b3, c3, d3 = quarter_round(a3, b3, c3, d3)
        a0, b1, c2, d3 = quarter_round(a0, b1, c2, d3)
        a1, b2, c3, d0 = quarter_round(a1, b2, c3, d0)
        a2, b3, c0, d1 = quarter_round(a2, b3, c0, d1)
        a3, b0, c1, d2 = quarter_round(a3, b0, c1, d2)
    out[0], out[1] = (a0 + 0x61707865) & WORD, (a1 + 0x3320646E) & WORD
    out[2], out[3] = (a2 + 0x79622D32) & WORD, (a3 + 0x6B206574) & WORD
    out[4], out[5], out[6], out[7] = (
        (b0 + k0) & WORD,
        (b1 + k1) & WORD,
        (b2 + k2) & WORD,
        (b3 + k3) & WORD,
    )
    out[8], out[9], out[10], out[11] = (
        (c0 + k4) & WORD,
        (c1 + k5) & WORD,
        (c2 + k6) & WORD,
        (c3 + k7) & WORD,
    )
    out[12], out[13] = (d0 + low) & WORD, (d1 + high) & WORD
    out[14], out[15] = (d2 + nonce0) & WORD, (d3 + nonce1) & WORD


# --- the stream of a state


@jitable
def rewind(state: Header, nonce: int) -> None:
    """Start the stream of the state's key from its first word."""
    state.nonce = nonce
    state.counter = 0
    state.word_at = 16


@jitable
def next_word(state: Header) -> int:
    """The next 32 bits of the stream."""
    if state.word_at == 16:
        chacha_block(state.key, state.counter, state.nonce, 0, STREAM_ROUNDS, state.words)
        state.counter += 1
        state.word_at = 0
    word = int64(state.words[state.word_at])
    state.word_at += 1
    return word


@jitable
def below(state: Header, n: int) -> int:
    """A uniform number 0 … n-1 from the stream; n is at most 2**31."""
    if state.nonce == TOLD:
        return told_number(state, n)
    product = next_word(state) * n
    if (product & WORD) < n:
        uneven = (WORD + 1) % n
        while (product & WORD) < uneven:
            product = next_word(state) * n
    return product >> 32


@jitable
def copy_counts(target: IntArray, source: IntArray) -> None:
    """Copy a pile; plain slices would drag NumPy's shape errors into the compiled code."""
    for kind in range(target.size):
        target[kind] = source[kind]


@jitable
def draw_from_counts(state: Header, counts: IntArray, total: int) -> int:
    """Take one of ``total`` things at random out of a pile kept as counts by type."""
    if state.nonce == TOLD:
        return told_kind(state, counts)
    left = below(state, total)
    for kind in range(counts.size):
        left -= counts[kind]
        if left < 0:
            counts[kind] -= 1
            return kind
    return -1


@jitable
def draw_from_list(state: Header, things: IntArray, size: int) -> int:
    """The place of one of the first ``size`` things of a list, at random; all are different."""
    if state.nonce == TOLD:
        return told_place(state, things, size)
    return below(state, size)


@jitable
def happens(state: Header, wanted: int, left: int) -> bool:
    """Whether something happens that does in ``wanted`` of ``left`` cases."""
    if state.nonce == TOLD:
        return told_odds(state, wanted, left)
    return below(state, left) < wanted


@jitable
def forget_stream(state: Header) -> None:
    """Wipe the stream, so that a blinded state tells nothing of the future."""
    state.key[:] = 0
    state.words[:] = 0
    rewind(state, FORGOTTEN)


@jitable
def rekey(state: Header, rng: IntArray) -> None:
    """Give the state a future of its own, drawn from a generator."""
    for i in range(8):
        state.key[i] = random_word(rng)
    rewind(state, RESUMED)


# --- chance that is told what to do
#
# In a state whose nonce is TOLD nothing is random: draws follow a list of outcomes, a byte each in
# the words of the stream.  The first draw that has none left asks: it leaves the form of its
# question, its size and the weights of its outcomes where the key and the outcomes were.  What is
# done after that is worth nothing, and the state is thrown away.

GIVEN, FORM, SIZE = range(3)
"""What the first words of the key hold then: how many outcomes there are, and the question."""
NUMBER, COUNTED, LISTED, ODDS = range(1, 5)
"""Forms of a question: a number below the size; a kind, its count a byte of the words each; a
thing, a bit of the words each; whether something happens in so many cases."""
MOST_TOLD = 64
"""How many outcomes, and how many counted kinds, there is room for; of a kind, 255."""
TOO_MUCH = 1 << 20
"""The size of a question that there is no room for."""


@jitable
def tell(state: Header, outcomes: IntArray) -> None:
    """Say what chance does next."""
    state.nonce = TOLD
    state.counter = state.word_at = 0
    state.key[:] = 0
    state.words[:] = 0
    state.key[GIVEN] = outcomes.size
    for nth in range(outcomes.size):
        put_byte(state.words, nth, outcomes[nth])


@jitable
def put_byte(words: IntArray, nth: int, value: int) -> None:
    """Write a byte where there was a 0."""
    words[nth // 4] = int64(words[nth // 4]) | (int64(value) << (8 * (nth % 4)))


@jitable
def told_outcome(state: Header) -> int:
    """The next outcome, or -1 if none is left."""
    nth = state.counter
    state.counter += 1
    if nth < int64(state.key[GIVEN]):
        return (int64(state.words[nth // 4]) >> (8 * (nth % 4))) & 255
    return -1


@jitable
def asks_first(state: Header, form: int, size: int) -> bool:
    """Leave a question, if it is the first; whether it is."""
    if state.key[FORM] != 0:
        return False
    state.key[FORM] = form
    state.key[SIZE] = size
    state.words[:] = 0
    return True


@jitable
def told_number(state: Header, n: int) -> int:
    """A number below n."""
    outcome = told_outcome(state)
    if outcome < 0:
        asks_first(state, NUMBER, n)
        return 0
    return outcome


@jitable
def told_odds(state: Header, wanted: int, left: int) -> bool:
    """Whether something happens in so many cases."""
    outcome = told_outcome(state)
    if outcome < 0:
        if asks_first(state, ODDS, left):
            state.words[0] = wanted
        return False
    return outcome == 1


@jitable
def told_kind(state: Header, counts: IntArray) -> int:
    """A kind out of a pile kept as counts."""
    outcome = told_outcome(state)
    if outcome < 0:
        outcome = 0
        fits = counts.size <= MOST_TOLD and counts.max() <= 255
        if asks_first(state, COUNTED, counts.size if fits else TOO_MUCH) and fits:
            for kind in range(counts.size):
                put_byte(state.words, kind, int64(counts[kind]))
    counts[outcome] -= 1
    return outcome


@jitable
def told_place(state: Header, things: IntArray, size: int) -> int:
    """The place of a thing in a list."""
    outcome = told_outcome(state)
    if outcome < 0:
        if asks_first(state, LISTED, size):
            for nth in range(size):
                thing = int64(things[nth])
                state.words[thing // 32] = int64(state.words[thing // 32]) | (1 << (thing % 32))
        return 0
    for nth in range(size):
        if things[nth] == outcome:
            return nth
    return 0


# --- the fast generator


@jitable
def seed_generator(rng: IntArray, a: int, b: int, c: int) -> None:
    """Start a generator (four words) from three words of seed."""
    rng[0], rng[1], rng[2], rng[3] = a, b, c, 1
    for _ in range(12):
        random_word(rng)


@jitable
def random_word(rng: IntArray) -> int:
    """The next 32 bits of the generator."""
    a, b, c, counter = int64(rng[0]), int64(rng[1]), int64(rng[2]), int64(rng[3])
    word = (a + b + counter) & WORD
    rng[0] = b ^ (b >> 9)
    rng[1] = (c + (c << 3)) & WORD
    rng[2] = (rotate(c, 21) + word) & WORD
    rng[3] = (counter + 1) & WORD
    return word


@jitable
def random_below(rng: IntArray, n: int) -> int:
    """A number 0 … n-1 from the generator, uniform to within n / 2**32."""
    return (random_word(rng) * n) >> 32


@jitable
def key_game(state: Header, key: IntArray, nth: int, place: int, rng: IntArray) -> None:
    """Give a state the key, and a generator the start, of one game of a batch.

    Block ``nth`` of the batch's key under the nonce words BATCH and ``place`` holds them: four
    words are the game's own seed, the next three start the generator of its random moves.
    """
    # In the state's own fields: with other arrays the block would be compiled once more.
    copy_counts(state.key, key)
    chacha_block(state.key, nth, BATCH, place, STREAM_ROUNDS, state.words)
    state.key[:] = 0
    for at in range(SEED_WORDS):
        state.key[at] = state.words[at]
    a, b, c = state.words[SEED_WORDS], state.words[SEED_WORDS + 1], state.words[SEED_WORDS + 2]
    seed_generator(rng, int64(a), int64(b), int64(c))
    state.words[:] = 0


@jitable
def draw_for_game(
    state: Header, key: IntArray, nth: int, place: int, rng: IntArray, draws: IntArray
) -> int:
    """What the options of one game of a batch leave to chance: a bit for each item that is chosen.

    ``draws`` has a row for each option, how many items and how many of them to choose; the first
    option's bits are the highest.  State and generator become those of that game before its deal.
    """
    key_game(state, key, nth, place, rng)
    chacha_block(state.key, 0, SETTLING, 0, STREAM_ROUNDS, state.words)
    marks = int64(0)
    for draw in range(draws.shape[0]):
        items = draws[draw, 0]
        marks = marks << items | choose_by_words(state.words, items, draws[draw, 1])
    return marks


@jitable
def choose_by_words(words: Sequence[int] | IntArray, items: int, count: int) -> Any:
    """So many of some items, uniformly at random: a bit for each that is chosen.

    Each item is taken if a number below the items left is less than the number still wanted.
    """
    marks: Any = 0
    chosen: Any = 0
    for nth in range(items):
        taken = (int64(words[nth]) * (items - nth)) >> 32 < count - chosen
        marks = marks | int64(taken) << nth
        chosen = chosen + int64(taken)
    return marks


# --- seeds, from Python


def seed_of_game(key: IntArray, nth: int, place: int = 0) -> int:
    """The seed of one game of a batch.

    >>> import storeys
    >>> from storeys.kernel import chance
    >>> batch = storeys.arena.playouts("manhattan", 3, seed=5)
    >>> chance.seed_of_game(chance.key_of_seed(5), 2) == batch.match(2).seed
    True
    """
    words = np.zeros(16, np.uint32)
    chacha_block(key, nth, BATCH, place, STREAM_ROUNDS, words)
    words[SEED_WORDS:] = 0
    return seed_of_key(words[:8])


def key_of_seed(seed: int) -> IntArray:
    """The eight words of a seed.

    >>> from storeys.kernel import chance
    >>> chance.key_of_seed(7)
    array([7, 0, 0, 0, 0, 0, 0, 0], dtype=uint32)
    """
    return np.frombuffer(seed.to_bytes(SEED_BITS // 8, "little"), dtype="<u4").astype(np.uint32)


def seed_of_key(key: IntArray) -> int:
    """The seed of eight words.

    >>> from storeys.kernel import chance
    >>> chance.seed_of_key(chance.key_of_seed(2**200 + 7)) == 2**200 + 7
    True
    """
    return int.from_bytes(key.astype("<u4").tobytes(), "little")


def choose_some(seed: int, items: Sequence[T], count: int) -> list[T]:
    """So many of the items, uniformly at random, in their own order: for options left to chance.

    The words are those of the seed's stream under the nonce SETTLING.

    >>> from storeys.kernel import chance
    >>> [chance.choose_some(seed, ["bus", "windmill", "biosphere"], 2) for seed in (1, 2, 3)]
    [['bus', 'biosphere'], ['bus', 'windmill'], ['windmill', 'biosphere']]
    """
    words = np.zeros(16, np.uint32)
    chacha_block(key_of_seed(seed), 0, SETTLING, 0, STREAM_ROUNDS, words)
    marks = choose_by_words(words, len(items), count)
    return [item for nth, item in enumerate(items) if marks >> nth & 1]


def generator(seed: int) -> IntArray:
    """A fast generator for a seed, as compiled functions take it.

    >>> import storeys
    >>> from storeys.kernel import chance
    >>> match, rng = storeys.new("manhattan", players=2, seed=7), chance.generator(1)
    >>> [str(match.random_move(rng)) for _ in range(3)]
    ['pick red 2 2 2 2', 'pick red 3 4 4 4', 'pick red 1 1 3 4']
    """
    digest = hashlib.sha256(seed.to_bytes(SEED_BITS // 8, "little")).digest()
    a, b, c = (int.from_bytes(digest[i : i + 4], "little") for i in (0, 4, 8))
    rng = np.zeros(4, np.uint32)
    seed_generator(rng, a, b, c)
    return rng


def choose_for_games(key: IntArray, items: int, count: int, games: range) -> IntArray:
    """What :func:`choose_some` chooses for some games of a batch: a bit for each that is chosen.

    Interpreted, a block is mixed of whole columns of words, those of all the games at once, and
    :func:`choose_by_words` is written out for columns too: game by game it would take longer than
    to play them.
    """
    words = np.empty((16, len(games)), np.int64)
    numbers: Any = np.array(games)
    own_keys = np.zeros((8, len(games)), np.int64)
    mix_columns: Any = mix_block
    mix_columns(*key.astype(np.int64)[:, np.newaxis], numbers, BATCH, 0, STREAM_ROUNDS, words)
    own_keys[:SEED_WORDS] = words[:SEED_WORDS]
    mix_columns(*own_keys, 0, SETTLING, 0, STREAM_ROUNDS, words)
    marks, wanted = np.zeros(len(games), np.int64), np.full(len(games), count)
    for nth in range(items):
        taken = (words[nth] * (items - nth)) >> 32 < wanted
        marks |= taken.astype(np.int64) << nth
        wanted -= taken
    return marks
