"""An independent, slow referee for Manhattan, to cross-check the compiled rules move by move.

It is written from the rules page (M-1 … M-22, M-R1, M-R2) and the outside contract alone and
shares no code with the package. It works on full position dicts and on move dicts. Colours,
cities and seats count from 0; cells and cards from 1, so cell 1 is at index 0 of a city and
one storey is at index 0 of a stock. Clockwise is the next higher seat.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import product
from typing import Any

Position = dict[str, Any]
Move = dict[str, Any]
Tower = list[list[int]]

COLOURS = range(4)
CITIES = range(6)
CARDS = range(1, 10)
SIZES = range(1, 5)
HAND_SIZE = 4

# M-6: the board cells that the cards 1 … 9 mean, by seat.
BOARD_CELLS = (
    (1, 2, 3, 4, 5, 6, 7, 8, 9),
    (3, 6, 9, 2, 5, 8, 1, 4, 7),
    (9, 8, 7, 6, 5, 4, 3, 2, 1),
    (7, 4, 1, 8, 5, 2, 9, 6, 3),
)

PLAIN_KEYS = (
    "game",
    "players",
    "phase",
    "round",
    "to_move",
    "seed",
    "options",
    "scores",
    "starter",
    "redrawn",
    "towers",
    "stock",
    "picked",
    "pile",
    "discard",
)


# What the referee offers


def legal_moves(position: Position) -> list[Move]:
    """All legal moves of the seat to move, each once; none when the game is over."""
    if position["phase"] == "pick":
        return list(_picks(position))
    if position["phase"] == "build":
        return list(_builds(position)) or list(_moves_when_stuck(position))
    return []


def expected_after(before: Position, move: Move) -> Position:
    """The position after a legal move, with None in the mover's hand for every card drawn."""
    after = deepcopy(before)
    if move["kind"] == "pick":
        _do_pick(after, move)
    elif move["kind"] == "build":
        _do_build(after, move)
    elif move["kind"] == "redraw":
        _do_redraw(after)
    elif move["kind"] == "forfeit":
        _do_forfeit(after, move)
    else:
        raise ValueError(f"no such kind of move: {move}")
    return after


def agrees(expected: Position, actual: Position) -> list[str]:
    """The differences, in words; a None in an expected hand stands for any one card."""
    missing = [key for key in (*PLAIN_KEYS, "hands") if key not in actual]
    if missing:
        return [f"{key}: missing" for key in missing]
    differences = _hand_differences(expected["hands"], actual["hands"])
    for key in PLAIN_KEYS:
        differences += _value_differences(key, expected[key], actual[key])
    return differences


def broken_rules(position: Position, move: Move) -> set[str]:
    """The ids of all rules that speak against a move; none if it is legal."""
    kind, phase = move["kind"], position["phase"]
    if phase == "over":
        return {"M-19"}
    if (kind == "pick") != (phase == "pick"):
        return {"M-8"}
    if kind == "pick":
        return _rules_against_pick(position, move)
    if kind == "build":
        return _rules_against_build(position, move)
    return _rules_against_way_out(position, move)


def round_parts(position: Position, colour: int) -> dict[str, int]:
    """A colour's points of each rule of scoring, if the board is scored as it stands."""
    leaders = [majority_owner(city) for city in position["towers"]]
    return {
        "M-16": 3 * (_owner_of_tallest_tower(position) == colour),
        "M-17": 2 * leaders.count(colour),
        "M-18": _towers_owned(position, colour),
    }


def final_totals(position: Position) -> list[int]:
    """M-19, M-22: each seat's points, the sum of its colours."""
    scores: list[int] = position["scores"]
    return [
        sum(scores[colour] for colour in colours_of(position, seat)) for seat in _seats(position)
    ]


def winners(position: Position) -> list[int]:
    """M-19, M-20: the winning seats of a position that is over."""
    totals = final_totals(position)
    best = [seat for seat in _seats(position) if totals[seat] == max(totals)]
    if position["options"]["tiebreak"] == "towers":
        return _tie_broken_by_towers(position, best)
    return best


def box_is_whole(position: Position, cards: list[int], blocks: list[int]) -> list[str]:
    """M-2, M-3: what is missing or too much, in words.

    `cards` has the number of copies of the cards 1 … 9, `blocks` that of a colour's blocks of
    1 … 4 storeys. Blocks may be missing, as those given up leave the game (M-R1).
    """
    return _card_faults(position, cards) + _block_faults(position, blocks)


# Seats, colours and the length of the game


def _seats(position: Position) -> range:
    return range(position["players"])


def colours_of(position: Position, seat: int) -> list[int]:
    """M-22: with 2 players seat 0 owns colours 0 and 2, seat 1 owns 1 and 3; else one each."""
    return [seat, seat + 2] if position["players"] == 2 else [seat]


def next_clockwise(position: Position, seat: int) -> int:
    players: int = position["players"]
    return (seat + 1) % players


def _plays_four_rounds_of_six(position: Position) -> bool:
    """M-11 with 4 players; M-R2 with 3, if they chose so."""
    players: int = position["players"]
    rounds: str = position["options"]["rounds"]
    return players == 4 or (players == 3 and rounds == "4x6")


def number_of_rounds(position: Position) -> int:
    """M-11, M-R2: 4 rounds; M-21, M-22: 6 rounds."""
    return 4 if _plays_four_rounds_of_six(position) else 6


def blocks_a_pick(position: Position) -> int:
    """M-8, M-R2: 6 blocks; M-21, M-22: 4 blocks (of each colour)."""
    return 6 if _plays_four_rounds_of_six(position) else 4


# Legal moves


def _picks(position: Position) -> Iterator[Move]:
    """M-8: any sizes that the stock of the colour still has."""
    wanted = blocks_a_pick(position)
    colour = colours_yet_to_pick(position, position["to_move"])[0]
    for counts in product(*(range(left + 1) for left in position["stock"][colour])):
        if sum(counts) == wanted:
            yield {"kind": "pick", "colour": colour, "blocks": list(counts)}


def colours_yet_to_pick(position: Position, seat: int) -> list[int]:
    """M-8, M-22: the seat's colours without a pick this round, the lower one first."""
    return [c for c in colours_of(position, seat) if not any(position["picked"][c])]


def _builds(position: Position) -> Iterator[Move]:
    """M-9: one card of the hand, one picked block, the city of one's choice."""
    seat = position["to_move"]
    for card, city in product(sorted(set(position["hands"][seat])), CITIES):
        cell = BOARD_CELLS[seat][card - 1]
        for colour, size in _blocks_in_reach(position, seat):
            if may_go_on(position["towers"][city][cell - 1], colour, size):
                yield {
                    "kind": "build",
                    "colour": colour,
                    "size": size,
                    "city": city,
                    "cell": cell,
                    "card": card,
                }


def _blocks_in_reach(position: Position, seat: int) -> list[tuple[int, int]]:
    """M-9, M-22: colour and size of the seat's picked blocks, each sort once."""
    return [
        (colour, size)
        for colour in colours_of(position, seat)
        for size in SIZES
        if position["picked"][colour][size - 1] > 0
    ]


def may_go_on(tower: Tower, colour: int, size: int) -> bool:
    """M-13, M-14, M-15: whether a block of this colour and size may go on the tower."""
    if not tower or owner(tower) == colour:
        return True
    return storeys_of(tower, colour) + size >= storeys_of(tower, owner(tower))


def owner(tower: Tower) -> int:
    """M-12: the colour on top."""
    return tower[-1][0]


def storeys_of(tower: Tower, colour: int) -> int:
    return sum(size for block_colour, size in tower if block_colour == colour)


def _moves_when_stuck(position: Position) -> Iterator[Move]:
    """M-R1: a new hand, once a turn; after that one picked block is given up."""
    if not position["redrawn"]:
        yield {"kind": "redraw"}
        return
    for colour, size in _blocks_in_reach(position, position["to_move"]):
        yield {"kind": "forfeit", "colour": colour, "size": size}


# Why a move is illegal


def _rules_against_pick(position: Position, move: Move) -> set[str]:
    """M-8: whose turn it is, so many blocks, from the stock; M-21, M-22: with fewer players."""
    colour, against = move["colour"], set()
    if colour != colours_yet_to_pick(position, position["to_move"])[0]:
        against.add("M-22" if position["players"] == 2 else "M-8")
    if sum(move["blocks"]) != blocks_a_pick(position):
        against.add(_rule_of_pick_size(position))
    if any(n > left for n, left in zip(move["blocks"], position["stock"][colour], strict=True)):
        against.add("M-8")
    return against


def _rule_of_pick_size(position: Position) -> str:
    """M-8 and M-R2 mean six blocks; M-21 and M-22 say four."""
    if _plays_four_rounds_of_six(position):
        return "M-8"
    return "M-22" if position["players"] == 2 else "M-21"


def _rules_against_build(position: Position, move: Move) -> set[str]:
    """M-9: an own picked block, a card of the hand; M-6: its cell; M-14: enough storeys."""
    seat, card = position["to_move"], move["card"]
    against = _rules_against_block(position, move)
    if card not in position["hands"][seat]:
        against.add("M-9")
    if move["cell"] != BOARD_CELLS[seat][card - 1]:
        against.add("M-6")
    tower = position["towers"][move["city"]][move["cell"] - 1]
    if not may_go_on(tower, move["colour"], move["size"]):
        against.add("M-14")
    return against


def _rules_against_block(position: Position, move: Move) -> set[str]:
    """M-9: one of the picked blocks of the seat to move."""
    block = (move["colour"], move["size"])
    return set() if block in _blocks_in_reach(position, position["to_move"]) else {"M-9"}


def _rules_against_way_out(position: Position, move: Move) -> set[str]:
    """M-R1: only without a placement; first a new hand, then a picked block is given up."""
    against = {"M-R1"} if any(_builds(position)) else set()
    if position["redrawn"] != (move["kind"] == "forfeit"):
        against.add("M-R1")
    if move["kind"] == "forfeit":
        against |= _rules_against_block(position, move)
    return against


# What a move changes


def _do_pick(position: Position, move: Move) -> None:
    """M-8, M-22: from the start player clockwise, all colours of a seat before the next seat."""
    colour, seat = move["colour"], position["to_move"]
    for index, count in enumerate(move["blocks"]):
        position["stock"][colour][index] -= count
        position["picked"][colour][index] += count
    if colours_yet_to_pick(position, seat):
        return
    position["to_move"] = next_clockwise(position, seat)
    if position["to_move"] == position["starter"]:
        position["phase"] = "build"


def _do_build(position: Position, move: Move) -> None:
    """M-9: play a card, put the block on its site, draw a card."""
    seat, colour, size = position["to_move"], move["colour"], move["size"]
    _discard(position, seat, move["card"])
    position["picked"][colour][size - 1] -= 1
    position["towers"][move["city"]][move["cell"] - 1].append([colour, size])
    _draw(position, seat)
    _end_turn(position)


def _do_redraw(position: Position) -> None:
    """M-R1: discard the hand, then draw 4 cards one by one; the turn goes on."""
    seat = position["to_move"]
    for card in list(position["hands"][seat]):
        _discard(position, seat, card)
    for _ in range(HAND_SIZE):
        _draw(position, seat)
    position["redrawn"] = True


def _do_forfeit(position: Position, move: Move) -> None:
    """M-R1: a picked block leaves the game unbuilt, the hand stays, the turn passes."""
    position["picked"][move["colour"]][move["size"] - 1] -= 1
    _end_turn(position)


def _discard(position: Position, seat: int, card: int) -> None:
    position["hands"][seat].remove(card)
    position["discard"][card - 1] += 1


def _draw(position: Position, seat: int) -> None:
    """M-7: draw an unknown card; if it was the last, the played cards are the new pile."""
    position["hands"][seat].append(None)
    position["pile"] -= 1
    if position["pile"] == 0:
        position["pile"] = sum(position["discard"])
        position["discard"] = [0 for _ in CARDS]


def _end_turn(position: Position) -> None:
    """M-9, M-10: the next seat clockwise with a picked block, or the end of the round."""
    position["redrawn"] = False
    if not any(_blocks_in_reach(position, seat) for seat in _seats(position)):
        _end_round(position)
        return
    seat = next_clockwise(position, position["to_move"])
    while not _blocks_in_reach(position, seat):
        seat = next_clockwise(position, seat)
    position["to_move"] = seat


def _end_round(position: Position) -> None:
    """M-10, M-19: score; then the start marker moves on, unless this was the last round."""
    for colour, points in enumerate(round_points(position)):
        position["scores"][colour] += points
    if position["round"] == number_of_rounds(position):
        position["phase"], position["to_move"] = "over", None
        return
    position["round"] += 1
    position["starter"] = next_clockwise(position, position["starter"])
    position["phase"], position["to_move"] = "pick", position["starter"]


# Scoring


def round_points(position: Position) -> list[int]:
    """M-16, M-17, M-18: each colour's points of one scoring."""
    return [sum(round_parts(position, colour).values()) for colour in COLOURS]


def _owner_of_tallest_tower(position: Position) -> int | None:
    """M-16: the colour that owns the single tallest tower; None if two or more share it."""
    towers = [tower for city in position["towers"] for tower in city if tower]
    greatest = max((_height(tower) for tower in towers), default=0)
    tallest = [tower for tower in towers if _height(tower) == greatest]
    return owner(tallest[0]) if len(tallest) == 1 else None


def _height(tower: Tower) -> int:
    return sum(size for _, size in tower)


def majority_owner(city: list[Tower]) -> int | None:
    """M-17: the colour with more towers in the city than every other; None on a tie."""
    owned = Counter(owner(tower) for tower in city if tower)
    most = max(owned.values(), default=0)
    leaders = [colour for colour in owned if owned[colour] == most]
    return leaders[0] if len(leaders) == 1 else None


def _towers_owned(position: Position, colour: int) -> int:
    """M-18: how many towers of the board the colour owns."""
    return sum(owner(tower) == colour for city in position["towers"] for tower in city if tower)


def _tie_broken_by_towers(position: Position, tied: list[int]) -> list[int]:
    """M-20, option `towers`: the last scoring's tallest tower, then its city majorities.

    Nothing is built after the last scoring, so the board still shows it.
    """
    tallest = _owner_of_tallest_tower(position)
    takers = [seat for seat in tied if tallest in colours_of(position, seat)]
    if takers:
        return takers
    majorities = {seat: _cities_led(position, seat) for seat in tied}
    return [seat for seat in tied if majorities[seat] == max(majorities.values())]


def _cities_led(position: Position, seat: int) -> int:
    """M-17, M-20: the city majorities of all of the seat's colours together."""
    colours = colours_of(position, seat)
    return sum(majority_owner(city) in colours for city in position["towers"])


# Comparing two positions


def _hand_differences(expected: list[list[int | None]], actual: list[list[int]]) -> list[str]:
    if len(expected) != len(actual):
        return [f"hands: expected {len(expected)} of them, got {len(actual)}"]
    return [
        f"hands[{seat}]: expected {wanted} in any order, got {got}"
        for seat, (wanted, got) in enumerate(zip(expected, actual, strict=True))
        if not _same_cards(wanted, got)
    ]


def _same_cards(expected: list[int | None], actual: list[int]) -> bool:
    """As multisets, with None for any one card."""
    known = Counter(card for card in expected if card is not None)
    return (
        len(actual) == len(expected)
        and all(card in CARDS for card in actual)
        and known <= Counter(actual)
    )


def _value_differences(name: str, expected: Any, actual: Any) -> list[str]:
    """Goes into lists of equal length, so that a difference names its place."""
    if expected == actual:
        return []
    both_lists = isinstance(expected, list) and isinstance(actual, list)
    if not both_lists or len(expected) != len(actual):
        return [f"{name}: expected {expected}, got {actual}"]
    return [
        difference
        for index, (wanted, got) in enumerate(zip(expected, actual, strict=True))
        for difference in _value_differences(f"{name}[{index}]", wanted, got)
    ]


# The contents of the box


def _card_faults(position: Position, cards: list[int]) -> list[str]:
    """M-2: hands, pile and played cards are all the cards, none of them too often."""
    in_hands = Counter(card for hand in position["hands"] for card in hand)
    discard, pile = position["discard"], position["pile"]
    total = sum(in_hands.values()) + pile + sum(discard)
    faults = [f"discard of card {card} is negative" for card in CARDS if discard[card - 1] < 0]
    if pile < 0:
        faults.append("the pile is negative")
    if total != sum(cards):
        faults.append(f"{total} cards instead of {sum(cards)}")
    for card in CARDS:
        seen = in_hands[card] + discard[card - 1]
        if seen > cards[card - 1]:
            faults.append(f"card {card}: {seen} seen, there are only {cards[card - 1]}")
    return faults


def _block_faults(position: Position, blocks: list[int]) -> list[str]:
    """M-3: of no colour and size are there more blocks than in the box."""
    built = Counter(
        (colour, size) for city in position["towers"] for tower in city for colour, size in tower
    )
    faults = []
    for colour, size in product(COLOURS, SIZES):
        stock, picked = (position[where][colour][size - 1] for where in ("stock", "picked"))
        total, name = stock + picked + built[colour, size], f"colour {colour}, size {size}"
        if min(stock, picked) < 0:
            faults.append(f"{name}: negative stock {stock} or picked {picked}")
        if total > blocks[size - 1]:
            faults.append(f"{name}: {total} blocks, there are only {blocks[size - 1]}")
    return faults
