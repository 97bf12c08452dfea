"""Positions of Manhattan: boards built up turn by turn, but on sites of the builder's choice.

Cards are not played while the board grows, for no position tells which were; only their number
counts for the pile (M-7).  A board is tall, contested or wide, or it jams the seat to move: then
the others take all sites of a cell or two, and that seat holds cards for these only (M-R1).
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import storeys
from tests import referee_manhattan as referee
from tests.constructed.comparing import Trial

COPIES, BLOCKS = [5] * 9, [11, 6, 4, 3]
HAND = referee.HAND_SIZE
VARIANTS = (
    (2, "auto"), (2, "auto"), (3, "auto"), (3, "4x6"), (4, "auto"), (4, "auto"),
)  # fmt: skip
Site = tuple[int, int]
Block = tuple[int, int]


class Board:
    """A board under construction, as the position that it will be."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        players, rounds = rng.choice(VARIANTS)
        colours = 3 if players == 3 else 4
        self.position: dict[str, Any] = {
            "game": "manhattan",
            "players": players,
            "phase": "pick",
            "round": 1,
            "to_move": None,
            "seed": str(rng.getrandbits(32)),
            "options": {"tiebreak": rng.choice(("shared", "towers")), "rounds": rounds},
            "starter": rng.randrange(players),
            "redrawn": False,
            "towers": [[[] for _ in referee.CARDS] for _ in referee.CITIES],
            "stock": [list(BLOCKS) if colour < colours else [0] * 4 for colour in range(4)],
            "picked": [[0] * 4 for _ in range(4)],
            "scores": [0] * 4,
        }
        self.played = 0
        self.victim: int | None = None
        self.jammed: list[int] = []
        self.wish: Callable[[Site, Block], float] = rng.choice(
            (self._tall, self._contested, self._contested, self._wide)
        )

    # What a site is worth to who builds

    def _tower(self, site: Site) -> referee.Tower:
        tower: referee.Tower = self.position["towers"][site[0]][site[1] - 1]
        return tower

    def _tall(self, site: Site, block: Block) -> float:
        return sum(size for _, size in self._tower(site))

    def _wide(self, site: Site, block: Block) -> float:
        return -len(self._tower(site))

    def _contested(self, site: Site, block: Block) -> float:
        """M-14: best a tower of somebody else that the block is just large enough for."""
        tower, (colour, size) = self._tower(site), block
        if not tower or referee.owner(tower) == colour:
            return -10.0
        theirs = referee.storeys_of(tower, referee.owner(tower))
        return theirs - abs(referee.storeys_of(tower, colour) + size - theirs)

    # Turns

    def pick(self, seat: int) -> None:
        """M-8: for the first colour of the seat that has not."""
        colour = referee.colours_yet_to_pick(self.position, seat)[0]
        stock = self.position["stock"][colour]
        sizes = [size for size, count in enumerate(stock) for _ in range(count)]
        for size in self.rng.sample(sizes, referee.blocks_a_pick(self.position)):
            stock[size] -= 1
            self.position["picked"][colour][size] += 1

    def build(self, seat: int) -> None:
        """M-9: one block on the best of some sites where it may go."""
        blocks = [
            (colour, size)
            for colour in referee.colours_of(self.position, seat)
            for size in referee.SIZES
            for _ in range(self.position["picked"][colour][size - 1])
        ]
        largest = self.victim is not None and self.rng.random() < 0.8
        block = max(blocks, key=lambda block: block[1]) if largest else self.rng.choice(blocks)
        self._tower(self._some_site(seat, block)).append(list(block))
        self.position["picked"][block[0]][block[1] - 1] -= 1
        self.played += 1

    def _some_site(self, seat: int, block: Block) -> Site:
        sites = [(city, cell) for city in referee.CITIES for cell in referee.CARDS]
        allowed = [site for site in sites if referee.may_go_on(self._tower(site), *block)]
        at_stake = [site for site in allowed if site[1] in self.jammed]
        if seat == self.victim:
            allowed = [site for site in allowed if site not in at_stake] or allowed
        elif at_stake and self.rng.random() < 0.8:
            return min(at_stake, key=lambda site: self._strength(site, seat))
        some = self.rng.sample(allowed, min(len(allowed), 10))
        return max(some, key=lambda site: self.wish(site, block))

    def _strength(self, site: Site, seat: int) -> float:
        """How well the others hold a site against the victim; a random one of those held worst."""
        tower = self._tower(site)
        held = referee.storeys_of(tower, referee.owner(tower)) if tower else 0
        return held + self.rng.random()

    def score(self) -> None:
        """M-10: points, and unless the match is over the marker moves on."""
        for colour, points in enumerate(referee.round_points(self.position)):
            self.position["scores"][colour] += points
        if self.position["round"] == referee.number_of_rounds(self.position):
            self.position["phase"] = "over"
        else:
            self.position["round"] += 1
            self.position["starter"] = referee.next_clockwise(
                self.position, self.position["starter"]
            )

    def play(self, last_round: int, steps: int) -> None:
        """Whole rounds before the last one, of which so many picks and builds are made."""
        players, size = self.position["players"], referee.blocks_a_pick(self.position)
        a_seat = 2 if players == 2 else 1
        picks, builds = players * a_seat, players * a_seat * size
        for round_no in range(1, last_round + 1):
            made = steps if round_no == last_round else picks + builds
            order = [(self.position["starter"] + nth) % players for nth in range(players)]
            turns = [*(seat for seat in order for _ in range(a_seat)), *(a_seat * size * order)]
            for nth, seat in enumerate(turns[:made]):
                (self.pick if nth < picks else self.build)(seat)
            if made == picks + builds:
                self.score()
            else:
                self.position["to_move"] = turns[made]
                self.position["phase"] = "pick" if made < picks else "build"
        if self.position["phase"] == "pick" and self.position["to_move"] is None:
            self.position["to_move"] = self.position["starter"]


def make(rng: random.Random) -> dict[str, Any]:
    """A position of Manhattan."""
    board = Board(rng)
    position = board.position
    last_round, steps = _some_progress(rng, position)
    if rng.random() < 0.4:
        board.jammed = rng.sample(list(referee.CARDS), rng.choice((1, 2, 2)))
        board.victim = _seat_after(position, last_round, steps)
    board.play(last_round, steps)
    if position["phase"] == "over" and rng.random() < 0.6:
        _tie(rng, position)
    return _with_cards(board)


def _some_progress(rng: random.Random, position: dict[str, Any]) -> tuple[int, int]:
    """A round, the later the likelier, and how many of its picks and builds have been made."""
    rounds, players = referee.number_of_rounds(position), position["players"]
    picks = 4 if players == 2 else players
    builds = picks * referee.blocks_a_pick(position)
    last_round = max(rng.randint(1, rounds), rng.randint(1, rounds))
    if rng.random() < 0.15:
        return rounds, picks + builds
    if rng.random() < 0.15:
        return last_round, rng.randrange(picks)
    return last_round, picks + max(rng.randrange(builds), rng.randrange(builds))


def _seat_after(position: dict[str, Any], last_round: int, steps: int) -> int:
    """The seat to move after so many picks and builds of the last round."""
    players: int = position["players"]
    starter = position["starter"] + last_round - 1
    picks = 4 if players == 2 else players
    nth = steps - picks if steps >= picks else steps // (picks // players)
    seat: int = (starter + nth) % players
    return seat


def _tie(rng: random.Random, position: dict[str, Any]) -> None:
    """Earlier rounds, of which the board tells nothing, went so that the best two are equal."""
    totals = referee.final_totals(position)
    best, second = sorted(range(len(totals)), key=lambda seat: -totals[seat])[:2]
    colour = rng.choice(referee.colours_of(position, best))
    lead = totals[best] - totals[second]
    if position["scores"][colour] - lead >= referee.round_points(position)[colour]:
        position["scores"][colour] -= lead


# Cards


def _with_cards(board: Board) -> dict[str, Any]:
    """M-2, M-7: hands, played cards and pile after so many turns, and perhaps a redraw (M-R1)."""
    position, rng = board.position, board.rng
    in_all = sum(COPIES) - HAND * position["players"]
    discarded = board.played % in_all
    deck = [card for card in referee.CARDS for _ in range(COPIES[card - 1])]
    rng.shuffle(deck)
    hands = [_some_hand(board, deck, seat) for seat in range(position["players"])]
    position |= {"hands": hands, "pile": in_all - discarded, "discard": [0] * 9}
    if referee.legal_moves(position) == [{"kind": "redraw"}] and rng.random() < 0.6:
        discarded = _redraw(board, deck, discarded, in_all)
    known = Counter(deck[:discarded])
    for card in referee.CARDS:
        position["discard"][card - 1] += known[card]
    return position


def _some_hand(board: Board, deck: list[int], seat: int) -> list[int]:
    """Any cards; for the victim, cards of the cells that the others have taken."""
    wanted = [card for card in deck if referee.BOARD_CELLS[seat][card - 1] in board.jammed]
    hand = wanted[:HAND] if seat == board.victim else []
    for card in hand:
        deck.remove(card)
    return hand + [deck.pop() for _ in range(HAND - len(hand))]


def _redraw(board: Board, deck: list[int], discarded: int, in_all: int) -> int:
    """M-R1, M-7: the hand is played and four cards are drawn; answers how many others are played.

    If that takes the last card of the pile, all played ones are the new pile.
    """
    position = board.position
    seat, left = position["to_move"], in_all - discarded
    old = position["hands"][seat]
    if left > HAND:
        for card in old:
            position["discard"][card - 1] += 1
        position["pile"] = left - HAND
    else:
        deck += old
        board.rng.shuffle(deck)
        position["pile"], discarded = in_all, 0
    position["hands"][seat] = _some_hand(board, deck, seat)
    position["redrawn"] = True
    return discarded


# Moves


def some_move(position: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """What the phase asks for, with one part or another changed."""
    kind = rng.choice(["pick", "build", "redraw", "forfeit", *6 * [position["phase"]]])
    seat = position["to_move"] or 0
    own = referee.colours_of(position, seat)
    colour = rng.choice(own) if rng.random() < 0.9 else rng.randrange(4)
    if kind == "pick":
        return {"kind": "pick", "colour": colour, "blocks": _some_blocks(position, colour, rng)}
    if kind == "redraw":
        return {"kind": "redraw"}
    picked = [size for size in referee.SIZES if position["picked"][colour][size - 1]]
    size = rng.choice(picked if picked and rng.random() < 0.9 else list(referee.SIZES))
    if kind == "forfeit":
        return {"kind": "forfeit", "colour": colour, "size": size}
    card = rng.choice(position["hands"][seat] if rng.random() < 0.9 else list(referee.CARDS))
    cell = referee.BOARD_CELLS[seat][card - 1]
    if rng.random() < 0.1:
        cell = rng.choice(referee.CARDS)
    where = {"city": rng.choice(referee.CITIES), "cell": cell, "card": card}
    return {"kind": "build", "colour": colour, "size": size, **where}


def _some_blocks(position: dict[str, Any], colour: int, rng: random.Random) -> list[int]:
    """About as many as are to be picked, mostly of those in stock."""
    stock = [n for n, left in enumerate(position["stock"][colour]) for _ in range(left)]
    number = referee.blocks_a_pick(position) + rng.choice((-1, 0, 0, 0, 0, 1))
    if len(stock) < number or rng.random() < 0.3:
        stock = [*range(4)] * 4
    sizes = Counter(rng.sample(stock, number))
    return [sizes[n] for n in range(4)]


# Scores


def score_differences(match: storeys.Match) -> list[str]:
    """Totals; and of a round that has just been scored, the points of every rule."""
    position, score = match.position(), match.score()
    totals, parts = [seat["total"] for seat in score], [p for s in score for p in s["parts"]]
    found = []
    if totals != referee.final_totals(position):
        found.append(f"totals {totals} instead of {referee.final_totals(position)}")
    for seat in score:
        if sum(part["points"] for part in seat["parts"]) != seat["total"]:
            found.append(f"the parts do not make the total: {seat}")
    scored = _round_just_scored(match)
    for colour in referee.COLOURS if scored is not None else ():
        explained = dict.fromkeys(("M-16", "M-17", "M-18"), 0)
        for part in parts:
            if part["colour"] == colour and part.get("round") == scored:
                explained[part["rule"]] += part["points"]
        if explained != referee.round_parts(position, colour):
            wanted = referee.round_parts(position, colour)
            found.append(f"round {scored}, colour {colour}: {explained} instead of {wanted}")
    return found


def _round_just_scored(match: storeys.Match) -> int | None:
    """The board still stands as it was scored, and the match has seen the scoring."""
    position = match.position()
    if match.moves_made == 0:
        return None
    if position["phase"] == "over":
        return int(position["round"])
    nothing_picked = not any(map(any, position["picked"]))
    return int(position["round"]) - 1 if position["phase"] == "pick" and nothing_picked else None


MANHATTAN = Trial(
    name="manhattan",
    make=make,
    legal_moves=referee.legal_moves,
    broken_rules=referee.broken_rules,
    expected_after=referee.expected_after,
    agrees=referee.agrees,
    box_is_whole=lambda position: referee.box_is_whole(position, COPIES, BLOCKS),
    winners=referee.winners,
    score_differences=score_differences,
    some_move=some_move,
    preferred=lambda legal, rng: legal,
)
