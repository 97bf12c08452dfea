"""What lies on a table, declared once: zones are fields of a state that people and programs see.

A zone knows how it stands in positions and views (``to_position``, ``from_position`` with its
checks), what of it is hidden (``blind``, ``redeal``), and what must not get lost.  A game takes
over what its zones say and replaces what it knows better::

    class State(Header):
        starter: int = zones.seat()
        hands: IntArray = CARDS.hands(4)
        pile: IntArray = CARDS.pile()
        pile_size: int = CARDS.pile_size()
        discard: IntArray = CARDS.counts()

Fields that are nobody's business are plain (:func:`storeys.kernel.record.field`).
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from storeys.kernel import entry_points
from storeys.kernel.chance import draw_from_counts, forget_stream, rekey
from storeys.kernel.compiling import jitable
from storeys.kernel.components import ComponentSet
from storeys.kernel.composing import Function, compose
from storeys.kernel.reading import Node
from storeys.kernel.record import IntArray, Records, StateField, fast_record, fields_of
from storeys.kernel.setup import Setup

NONE = -1
"""No card, or one that cannot be seen."""
MANY = 10_000


@dataclass
class Reading:
    """A position being read into a state, with what its zones have found so far."""

    position: Node
    state: Any
    setup: Setup
    found: dict["Deck", IntArray] = field(default_factory=dict)
    """How many cards of each kind of a deck lie where they can be seen."""

    @property
    def tables(self) -> Any:
        """The component set as the rules read it."""
        return fast_record(self.setup.components.tables)

    def sees(self, seat: int) -> bool:
        """Whether what a seat holds is in the position: in a view, one's own alone."""
        viewer = self.position.get("seat")
        return viewer is None or viewer.value == seat

    def left(self, deck: "Deck") -> IntArray:
        """The cards of a deck that were not found anywhere, by kind."""
        copies: IntArray = getattr(self.tables, deck.table)
        return copies - self.found.setdefault(deck, np.zeros(deck.kinds, int))


class Zone(StateField):
    """A field of a state that stands in positions; ``key`` is its entry there."""

    def __init__(self, kind: str, *shape: int, key: str = "") -> None:
        super().__init__(kind, *shape)
        self._key = key

    @property
    def key(self) -> str:
        """The entry of positions that it fills: the field's name unless another is given."""
        return self._key or self.name

    def cards(self, value: Any) -> Iterator[tuple["Deck", int | None, int]]:
        """The cards that a position shows here: deck, kind (None: hidden) and how many."""
        yield from ()


class Own(Zone):
    """A part of positions that a game writes and reads itself."""

    def __init__(self, key: str, kind: str, *shape: int) -> None:
        super().__init__(kind, *shape, key=key)


class Shown(Zone, ABC):
    """A zone that knows how it stands in positions."""

    @abstractmethod
    def to_json(self, state: Any) -> Any:
        """What positions show of it; of a blinded state, null for what is hidden."""

    @abstractmethod
    def read(self, value: Node, reading: Reading) -> None:
        """Fill it from a position; ``BadPosition`` if that cannot be."""


class Number(Shown):
    """A number between two bounds."""

    def __init__(self, low: int, high: int, key: str = "") -> None:
        super().__init__("i8", key=key)
        self.low, self.high = low, high

    def to_json(self, state: Any) -> int:
        """The number."""
        return int(getattr(state, self.name))

    def read(self, value: Node, reading: Reading) -> None:
        """A whole number."""
        setattr(reading.state, self.name, value.whole(self.low, self.high))


class Flag(Shown):
    """Something that is so or not."""

    def __init__(self) -> None:
        super().__init__("i8")

    def to_json(self, state: Any) -> bool:
        """True or false."""
        return bool(getattr(state, self.name))

    def read(self, value: Node, reading: Reading) -> None:
        """True or false."""
        setattr(reading.state, self.name, value.flag())


class Seat(Number):
    """A seat."""

    def __init__(self) -> None:
        super().__init__(0, 0)

    def read(self, value: Node, reading: Reading) -> None:
        """A seat of this match."""
        setattr(reading.state, self.name, value.whole(0, int(reading.state.players) - 1))


class Counts(Shown):
    """Numbers in a grid of one or two axes: supplies, stocks, tracks of points.

    ``names`` make an object of the first axis; ``deck`` says that they count cards of it;
    ``by_seat`` that the first axis, of 4, are the seats; a ``grid`` is a map with squares that are
    empty (NONE, in positions null).
    """

    def __init__(
        self,
        *shape: int,
        most: int = MANY,
        key: str = "",
        names: Sequence[str] = (),
        deck: "Deck | None" = None,
        grid: bool = False,
        by_seat: bool = False,
    ) -> None:
        super().__init__("i2", *shape, key=key)
        self.most, self.names, self.deck, self.grid = most, names, deck, grid
        self.by_seat = by_seat

    def to_json(self, state: Any) -> Any:
        """Lists of numbers."""
        numbers = getattr(state, self.name).tolist()
        if self.grid:
            return [[None if one == NONE else one for one in row] for row in numbers]
        return dict(zip(self.names, numbers, strict=True)) if self.names else numbers

    def read(self, value: Node, reading: Reading) -> None:
        """Lists of so many whole numbers."""
        target = getattr(reading.state, self.name)
        if len(self.shape) == 1:
            target[:] = value.wholes(self.shape[0], 0, self.most)
            if self.deck is not None:
                self.deck.add(reading, target)
            return
        if self.names:
            value.only(*self.names)
        rows = [value[name] for name in self.names] or value.items(self.shape[0])
        for nth, row in enumerate(rows):
            target[nth] = [
                NONE if self.grid and entry.value is None else entry.whole(0, self.most)
                for entry in row.items(self.shape[1])
            ]
        if self.deck is not None:
            self.deck.add(reading, np.bincount(target[target != NONE], minlength=self.deck.kinds))

    def cards(self, value: Any) -> Iterator[tuple["Deck", int | None, int]]:
        """As many cards of each kind, or a card on each square that has one."""
        if self.deck is not None and self.grid:
            for kind in (kind for row in value for kind in row if kind is not None):
                yield self.deck, kind, 1
        elif self.deck is not None:
            for kind, count in enumerate(value):
                yield self.deck, kind, count


class Hands(Shown):
    """A hand of cards for each seat, hidden from the others.

    A hand has all its slots filled, or as many of the first ones as ``hand_size`` says by seat.
    """

    def __init__(self, deck: "Deck", slots: int, sized: bool) -> None:
        super().__init__("i2", 4, slots)
        self.deck, self.slots, self.sized = deck, slots, sized

    def _sizes(self, state: Any) -> list[int]:
        players = int(state.players)
        return state.hand_size.tolist()[:players] if self.sized else [self.slots] * players

    def to_json(self, state: Any) -> list[list[Any]]:
        """The cards of each seat, null for one that is hidden."""
        names = [*self.deck.names, None]  # NONE is the last
        held = zip(getattr(state, self.name).tolist(), self._sizes(state), strict=False)
        return [[names[card] for card in hand[:size]] for hand, size in held]

    def read(self, value: Node, reading: Reading) -> None:
        """Hands of so many cards; in a view, those of others are hidden."""
        state = reading.state
        hands = getattr(state, self.name)
        hands[:] = NONE
        for seat, hand in enumerate(value.items(int(state.players))):
            cards = list(hand.items(None if self.sized else self.slots))
            if self.sized:
                if len(cards) > self.slots:
                    raise hand.fail(
                        "storeys.cards.hand", self.deck.rule, n=self.slots, found=len(cards)
                    )
                state.hand_size[seat] = len(cards)
            for slot, card in enumerate(cards):
                if reading.sees(seat):
                    hands[seat, slot] = self.deck.read(card)
                else:
                    card.one_of([None])
        known = hands[hands != NONE]
        self.deck.add(reading, np.bincount(known, minlength=self.deck.kinds))

    def cards(self, value: Any) -> Iterator[tuple["Deck", int | None, int]]:
        """Each card once."""
        for card in (card for hand in value for card in hand):
            yield self.deck, None if card is None else self.deck.names.index(card), 1


class PileSize(Shown):
    """How many cards a pile has; which ones is hidden from everybody.

    The pile itself is kept as counts by kind.  A blinded state has in it whatever a seat cannot
    see, the hidden hands too: that is all anybody can know of it.
    """

    def __init__(self, deck: "Deck", pile: str) -> None:
        super().__init__("i8", key=pile)
        self.deck, self.pile = deck, pile

    def to_json(self, state: Any) -> int:
        """The number of cards."""
        return int(getattr(state, self.name))

    def read(self, value: Node, reading: Reading) -> None:
        """What is nowhere else is in the pile, or hidden in a hand."""
        deck, left = self.deck, reading.left(self.deck)
        for kind in np.flatnonzero(left < 0).tolist():
            copies = int(getattr(reading.tables, deck.table)[kind])
            facts = {"card": deck.names[kind], "n": copies}
            raise reading.position.fail("storeys.cards.too-many", deck.rule, **facts)
        size = int(left.sum()) - self._hidden(reading)
        if value.whole(0, MANY) != size:
            raise value.fail("storeys.cards.pile", deck.rule, n=size)
        setattr(reading.state, self.name, size)
        getattr(reading.state, self.pile)[:] = left

    def _hidden(self, reading: Reading) -> int:
        """How many cards of hands cannot be seen."""
        state = reading.state
        seats = [seat for seat in range(int(state.players)) if not reading.sees(seat)]
        if self.deck.hand is None:
            return 0
        sizes = self.deck.hand._sizes(state)
        return sum(sizes[seat] for seat in seats)

    def cards(self, value: Any) -> Iterator[tuple["Deck", int | None, int]]:
        """So many cards, whichever they are."""
        yield self.deck, None, value


class Deck:
    """Cards of some kinds, of which hands, a pile and open cards are made.

    ``table`` is the field of the component set that says how many there are of each kind, ``names``
    what positions call the kinds, ``rule`` the rule that says which cards there are.
    """

    def __init__(self, table: str, names: Sequence[Any], rule: str) -> None:
        self.table, self.names, self.rule = table, list(names), rule
        self.kinds = len(self.names)
        self.hand: Hands | None = None

    def hands(self, slots: int, sized: bool = False) -> Any:
        """A zone of hands of so many cards; ``sized`` if there may be fewer, see :class:`Hands`."""
        self.hand = Hands(self, slots, sized)
        return self.hand

    def pile(self) -> Any:
        """The pile as counts by kind, which nobody sees."""
        return StateField("i2", self.kinds)

    def pile_size(self, pile: str = "pile") -> Any:
        """The zone that says how many cards are in the pile."""
        return PileSize(self, pile)

    def counts(self) -> Any:
        """A zone of open cards, counted by kind."""
        return Counts(self.kinds, deck=self)

    def read(self, card: Node) -> int:
        """The kind of a card in a position."""
        return self.names.index(card.one_of(self.names))

    def add(self, reading: Reading, counts: Any) -> None:
        """Note cards that a zone has found."""
        reading.found[self] = reading.found.get(self, 0) + counts

    def unseen(self, view: Mapping[str, Any], zones: Sequence[Zone], copies: IntArray) -> list[Any]:
        """What may lie where a view says null, and in the pile: one entry for each copy."""
        left = Counter(dict(enumerate(copies.tolist())))
        for zone in zones:
            for deck, kind, count in zone.cards(view[zone.key]):
                if deck is self and kind is not None:
                    left[kind] -= count
        return [self.names[kind] for kind in range(self.kinds) for _ in range(left[kind])]

    def check_conserved(
        self, position: Mapping[str, Any], zones: Sequence[Zone], copies: IntArray
    ) -> None:
        """Assert that the cards of a position are those of the box."""
        found = [
            (kind, count)
            for zone in zones
            for deck, kind, count in zone.cards(position[zone.key])
            if deck is self
        ]
        total = sum(count for _, count in found)
        assert total == copies.sum(), f"{total} cards"
        seen = Counter[int]()
        for kind, count in found:
            if kind is not None:
                seen[kind] += count
        for kind, count in seen.items():
            assert count <= copies[kind], f"{count} cards {self.names[kind]}"


# --- as a state declares them: to the type checker they are what rules find there


def seat() -> Any:
    """A zone that names a seat."""
    return Seat()


def flag() -> Any:
    """A zone that says whether something is so."""
    return Flag()


def number(low: int, high: int) -> Any:
    """A zone of one number between two bounds."""
    return Number(low, high)


def counts(*shape: int, **more: Any) -> Any:
    """A zone of numbers, see :class:`Counts`."""
    return Counts(*shape, **more)


def grid(rows: int, cols: int, most: int, deck: "Deck | None" = None) -> Any:
    """A zone that is a map: a number up to ``most`` on each square, NONE where it is empty.

    With a ``deck`` the numbers are kinds of cards, which lie there.
    """
    return Counts(rows, cols, most=most, grid=True, deck=deck)


def own(key: str, kind: str, *shape: int) -> Any:
    """A field that positions show under a key, in the game's own way."""
    return Own(key, kind, *shape)


# --- all zones of a game


def zones_of(declaration: type) -> list[Zone]:
    """The zones of a state, in the order in which they are declared."""
    return [entry for entry in fields_of(declaration) if isinstance(entry, Zone)]


def decks_of(zones: Sequence[Zone]) -> list[Deck]:
    """The decks whose cards lie in zones, each once."""
    return list(dict.fromkeys(zone.deck for zone in zones if isinstance(zone, Hands)))


OwnZones = Mapping[str, tuple[Callable[[Any], Any], Callable[[Node, Any], object]]]
"""How zones of a game's own are shown (a state) and read (an entry, into a state), by key."""


def to_position(zones: Sequence[Zone], state: Any, own: OwnZones) -> dict[str, Any]:
    """What all zones show, in their order."""
    return {
        zone.key: zone.to_json(state) if isinstance(zone, Shown) else own[zone.key][0](state)
        for zone in zones
    }


def totals_of(states: Records, components: ComponentSet) -> list[int]:
    """Each seat's score as if the match ended now."""
    players = int(states["players"][0])
    totals, nobody_asks_who_won = np.zeros(players, np.int32), np.zeros(0, bool)
    entry_points.results(states, components.tables, totals, nobody_asks_who_won)
    return [int(total) for total in totals]


def read_zones(zones: Sequence[Zone], reading: Reading, own: OwnZones) -> None:
    """Read all zones; what is in a pile follows from the others."""
    for zone in sorted(zones, key=lambda zone: isinstance(zone, PileSize)):
        entry = reading.position[zone.key]
        if isinstance(zone, Shown):
            zone.read(entry, reading)
        else:
            own[zone.key][1](entry, reading.state)


def read_progress(position: Node, state: Any, phases: Sequence[str], rule: str) -> None:
    """Phase, round and whose turn it is; the last phase is the end, in the last round."""
    last = len(phases) - 1
    state.phase = phases.index(position["phase"].one_of(phases))
    state.round_no = position["round"].whole(1, int(state.rounds))
    if state.phase != last:
        state.to_move = position["to_move"].whole(0, int(state.players) - 1)
        return
    position["to_move"].one_of([None])
    state.to_move = NONE
    if state.round_no != state.rounds:
        raise position["round"].fail("storeys.position.not-last", rule, n=int(state.rounds))


# --- cards in rules: hands that may have fewer cards than slots


@jitable
def draw_card(state: Any, seat: int) -> None:
    """Take a card of the pile into a hand."""
    card = draw_from_counts(state, state.pile, state.pile_size)
    state.hands[seat, state.hand_size[seat]] = card
    state.hand_size[seat] += 1
    state.pile_size -= 1


@jitable
def play_card(state: Any, seat: int, card: int) -> None:
    """Take a card out of a hand that has it; the others move up."""
    state.hand_size[seat] -= 1
    found = False
    for slot in range(state.hand_size[seat]):
        found |= state.hands[seat, slot] == card
        if found:
            state.hands[seat, slot] = state.hands[seat, slot + 1]
    state.hands[seat, state.hand_size[seat]] = NONE


@jitable
def holds(state: Any, seat: int, card: int) -> bool:
    """Whether a hand has a card."""
    found = False
    for slot in range(state.hand_size[seat]):
        found |= state.hands[seat, slot] == card
    return found


# --- the verbs that follow


@jitable
def take_back(hands: IntArray, pile: IntArray, seat: int) -> None:
    """The known cards of a hand go to the pile."""
    for slot in range(hands.shape[1]):
        if hands[seat, slot] != NONE:
            pile[hands[seat, slot]] += 1
            hands[seat, slot] = NONE


def blind_verb(zones: Sequence[Zone], title: str) -> Function:
    """The verb ``blind``: what others hold goes where it is as hidden as the pile."""
    lines = [*_hide_hands(zones), "forget_stream(state)"]
    names = {"take_back": take_back, "forget_stream": forget_stream}
    return compose("blind", "state, tables, seat", lines, names, title)


def redeal_verb(zones: Sequence[Zone], title: str) -> Function:
    """The verb ``redeal``: what a seat cannot see is mixed and dealt again."""
    lines = ["rekey(state, rng)", *_hide_hands(zones)]
    for zone in zones:
        if isinstance(zone, Hands):
            size = "state.hand_size[other]" if zone.sized else str(zone.slots)
            lines += [
                "left = state.pile.sum()",
                "for other in range(state.players):",
                "    if other != seat:",
                f"        for slot in range({size}):",
                f"            state.{zone.name}[other, slot] = draw_from_counts("
                "state, state.pile, left)",
                "            left -= 1",
            ]
    names = {"take_back": take_back, "rekey": rekey, "draw_from_counts": draw_from_counts}
    return compose("redeal", "state, tables, seat, rng", lines, names, title)


def _hide_hands(zones: Sequence[Zone]) -> Iterator[str]:
    for zone in zones:
        if isinstance(zone, Hands):
            yield "for other in range(state.players):"
            yield "    if other != seat:"
            yield f"        take_back(state.{zone.name}, state.pile, other)"
