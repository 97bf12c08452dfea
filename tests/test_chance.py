"""The two generators: known answers, uniform numbers, and streams that do not meet."""

from collections import Counter

import numpy as np
import pytest

from storeys.kernel import chance
from storeys.kernel.record import IntArray
from storeys.registry import get_game

# RFC 8439, section 2.3.2: key 00 01 … 1f, counter 1, nonce 000000090000004a00000000.
# Its counter has 32 bits and its nonce 96: our counter's high word is the nonce's first.
RFC_KEY = np.frombuffer(bytes(range(32)), "<u4").astype(np.uint32)
RFC_BLOCK = (
    "e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 0368c033 9aaa2204 4e6cd4c3"
    " 466482d2 09aa9f07 05d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2"
)


def block(key: IntArray, counter: int, nonce: tuple[int, int], rounds: int) -> list[str]:
    out = np.zeros(16, np.uint32)
    chance.chacha_block(key, counter, *nonce, rounds, out)
    return [f"{word:08x}" for word in out.tolist()]


def test_chacha_gives_the_block_of_its_standard() -> None:
    counter = 1 | 0x09000000 << 32
    assert block(RFC_KEY, counter, (0x4A000000, 0), 20) == RFC_BLOCK.split()


def test_chacha8_gives_its_known_first_block() -> None:
    """Key and nonce zero: the published first bytes 3e 00 ef 2f 89 5f 40 d6 …"""
    words = block(np.zeros(8, np.uint32), 0, (0, 0), 8)
    raw = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
    assert raw[:16].hex() == "3e00ef2f895f40d67f5bb8e81f09a5a1"


def test_seeds_are_keys() -> None:
    seed = 0x0123456789ABCDEF << 190 | 7
    assert chance.seed_of_key(chance.key_of_seed(seed)) == seed
    assert chance.key_of_seed(7).tolist() == [7, 0, 0, 0, 0, 0, 0, 0]


def fresh_state(seed: int) -> IntArray:
    state = np.zeros(1, get_game("manhattan").state_dtype)
    state[0].key[:] = chance.key_of_seed(seed)
    chance.rewind(state[0], chance.DEALT)
    return state


def test_the_stream_is_the_blocks_in_order() -> None:
    state = fresh_state(5)
    words = [f"{chance.next_word(state[0]):08x}" for _ in range(40)]
    key = chance.key_of_seed(5)
    expected = [word for n in range(3) for word in block(key, n, (0, 0), chance.STREAM_ROUNDS)]
    assert words == expected[:40]


@pytest.mark.parametrize("n", [1, 2, 7, 45])
def test_numbers_below_n_are_uniform(n: int) -> None:
    state = fresh_state(n)
    rng = chance.generator(n)
    for drawn in (
        [chance.below(state[0], n) for _ in range(400 * n)],
        [chance.random_below(rng, n) for _ in range(400 * n)],
    ):
        found = Counter(map(int, drawn))
        assert set(found) == set(range(n))
        assert max(abs(count - 400) for count in found.values()) < 6 * 20


def test_words_that_would_favour_some_numbers_are_passed_over() -> None:
    """With n = 3 · 2**29 a quarter of all words must be drawn again."""
    state = fresh_state(1)
    n = 3 << 29
    drawn = [chance.below(state[0], n) for _ in range(2000)]
    used = int(state[0].counter) * 16 + int(state[0].word_at) - 16
    assert 0 <= min(drawn) < max(drawn) < n
    assert used / 2000 == pytest.approx(4 / 3, abs=0.06)


def test_a_pile_is_drawn_to_its_end() -> None:
    state = fresh_state(9)
    counts = np.array([2, 0, 3], np.int16)
    drawn = [chance.draw_from_counts(state[0], counts, total) for total in (5, 4, 3, 2, 1)]
    assert Counter(drawn) == {0: 2, 2: 3}
    assert counts.tolist() == [0, 0, 0]


def test_a_blinded_stream_forgets_its_key() -> None:
    state = fresh_state(11)
    chance.next_word(state[0])
    chance.forget_stream(state[0])
    assert not state[0].key.any()
    assert not state[0].words.any()
