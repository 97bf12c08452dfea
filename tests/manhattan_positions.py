"""Hand-made positions of Manhattan: say what matters, the rest is filled in to fit the box."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = ("red", "blue", "green", "yellow")
CITIES = ("sydney", "manhattan", "frankfurt", "hong-kong", "sao-paulo", "cairo")
CELLS = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
BLOCKS = (11, 6, 4, 3)
CARDS = 45

Tower = Sequence[tuple[str, int]]
Board = list[list[list[list[int]]]]


class Box:
    """The blocks that are not used yet, by colour and size."""

    def __init__(self) -> None:
        self.left = [list(BLOCKS) for _ in COLOURS]

    def take(self, colour: int, size: int) -> int:
        """Use one block."""
        self.left[colour][size - 1] -= 1
        assert self.left[colour][size - 1] >= 0, f"no {COLOURS[colour]} {size} left in the box"
        return size

    def take_any(self, colour: int, count: int) -> list[int]:
        """Use so many blocks of whichever size there is most of; counts by size."""
        counts = [0] * 4
        for _ in range(count):
            size = max(range(4), key=lambda s: self.left[colour][s])
            self.take(colour, size + 1)
            counts[size] += 1
        return counts

    def take_sizes(self, colour: int, count: int) -> list[int]:
        """The same as a list of sizes, the smallest first."""
        counts = self.take_any(colour, count)
        return [size for size in range(1, 5) for _ in range(counts[size - 1])]


def count_laid(board: Board, colour: int) -> int:
    """How many blocks of a colour the board has."""
    return sum(block[0] == colour for city in board for tower in city for block in tower)


def fill_up(board: Board, blocks: list[list[int]], sites: Sequence[str]) -> None:
    """Put blocks below what stands on these sites: the next one where it is lowest.

    There the colour with the fewest storeys builds, so that M-14 is no obstacle.
    """
    towers = [board[CITIES.index(city)][CELLS.index(cell)] for city, cell in map(str.split, sites)]
    below: list[list[list[int]]] = [[] for _ in towers]
    left = list(blocks)
    while left:
        n = min(range(len(towers)), key=lambda n: height(below[n]) + height(towers[n]))
        left.sort(key=lambda block: (storeys(below[n], block[0]), block[1]))
        below[n].append(left.pop(0))
    for tower, ground in zip(towers, below, strict=True):
        tower[:0] = ground


def height(tower: list[list[int]]) -> int:
    return sum(size for _, size in tower)


def storeys(tower: list[list[int]], colour: int) -> int:
    return sum(size for c, size in tower if c == colour)


def play_cards(count: int, hands: Mapping[int, Sequence[int]]) -> list[int]:
    """So many played cards by type, of those there are most of beside the given hands."""
    left = Counter(dict.fromkeys(range(1, 10), 5))
    for hand in hands.values():
        left.subtract(hand)
    played = [0] * 9
    for _ in range(count):
        card = max(left, key=lambda card: left[card])
        left[card] -= 1
        played[card - 1] += 1
    return played


def position(
    *,
    players: int = 4,
    phase: str = "build",
    round: int = 1,  # noqa: A002 — the contract's word
    starter: int = 0,
    to_move: int | None = 0,
    towers: Mapping[str, Tower] | None = None,
    picked: Mapping[str, Sequence[int]] | None = None,
    hands: Mapping[int, Sequence[int]] | None = None,
    discard: Sequence[int] | None = None,
    scores: Sequence[int] | None = None,
    redrawn: bool = False,
    rest: Sequence[str] = ("hong-kong a3",),
    **options: str,
) -> dict[str, Any]:
    """A position with these towers (`{"sydney c2": [("blue", 4)]}`), picked blocks and hands.

    ``picked`` need only name the colours of the seat to move; the others get as many blocks as fit
    the turn, and every stock what the round leaves.  All other blocks that were placed by then lie
    on the sites of ``rest``, below what the towers have there, as even as can be.  As many cards
    are played as blocks, and red has a point for each round scored, the fewest there can be.
    """
    box = Box()
    board = lay_towers(box, towers or {})
    pick_size = 6 if players == 4 or options.get("rounds") == "4x6" else 4
    blocks = share_out(box, players, phase, starter, to_move, picked or {})
    picks_made = [round - (phase == "pick" and not sum(blocks[c])) for c in range(4)]
    playing = [True, True, True, players != 3]
    due = [
        pick_size * picks_made[c] - sum(blocks[c]) - count_laid(board, c) if playing[c] else 0
        for c in range(4)
    ]
    fill_up(board, [[c, size] for c in range(4) for size in box.take_sizes(c, due[c])], rest)
    built = sum(count_laid(board, colour) for colour in range(4))
    if discard is None:
        discard = play_cards(built % (CARDS - 4 * players), hands or {})
    return {
        "game": "manhattan",
        "players": players,
        "phase": phase,
        "round": round,
        "to_move": to_move,
        "seed": "1",
        "options": {"tiebreak": "shared", "rounds": "auto"} | options,
        "starter": starter,
        "redrawn": redrawn,
        "towers": board,
        "stock": [
            box.take_any(c, 24 - pick_size * picks_made[c]) if playing[c] else [0] * 4
            for c in range(4)
        ],
        "picked": blocks,
        "hands": deal_hands(players, hands or {}, discard),
        "pile": CARDS - 4 * players - sum(discard),
        "discard": list(discard),
        "scores": [round - 1, 0, 0, 0] if scores is None else list(scores),
    }


def deal_hands(
    players: int, hands: Mapping[int, Sequence[int]], discard: Sequence[int]
) -> list[list[int]]:
    """The given hands; the others get the cards there are most of."""
    left = Counter({card: 5 - discard[card - 1] for card in range(1, 10)})
    for hand in hands.values():
        left.subtract(hand)
    dealt = []
    for seat in range(players):
        hand = list(hands.get(seat, ()))
        while len(hand) < 4:
            hand.append(max(left, key=lambda card: left[card]))
            left[hand[-1]] -= 1
        dealt.append(hand)
    return dealt


def lay_towers(box: Box, towers: Mapping[str, Tower]) -> Board:
    board: Board = [[[] for _ in CELLS] for _ in CITIES]
    for site, tower in towers.items():
        city, cell = site.split()
        blocks = [[COLOURS.index(colour), size] for colour, size in tower]
        board[CITIES.index(city)][CELLS.index(cell)] = blocks
        for colour, size in blocks:
            box.take(colour, size)
    return board


def share_out(
    box: Box,
    players: int,
    phase: str,
    starter: int,
    to_move: int | None,
    picked: Mapping[str, Sequence[int]],
) -> list[list[int]]:
    """Picked blocks by colour and size: as given, and as many for the others as fit the turn."""
    blocks = [[0] * 4 for _ in COLOURS]
    for name, sizes in picked.items():
        for size in sizes:
            blocks[COLOURS.index(name)][box.take(COLOURS.index(name), size) - 1] += 1
    if phase != "build" or to_move is None:
        return blocks
    order = [(starter + i) % players for i in range(players)]
    waiting = sum(map(sum, (blocks[c] for c in colours_of(players, to_move))))
    for seat in order:
        due = waiting - (order.index(seat) < order.index(to_move))
        own = colours_of(players, seat)
        if seat != to_move and not any(map(sum, (blocks[c] for c in own))):
            first = due if len(own) == 1 else min(due, 4)
            blocks[own[0]] = box.take_any(own[0], first)
            if len(own) == 2:
                blocks[own[1]] = box.take_any(own[1], due - first)
    return blocks


def colours_of(players: int, seat: int) -> list[int]:
    return [seat, seat + 2] if players == 2 else [seat]
