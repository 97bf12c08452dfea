"""A game that says only what it alone knows; all else follows from its zones, moves and messages.

A subclass of :class:`PlainGame` declares its facts, its zones and its kinds of moves, and has rules
with the verbs ``deal``, ``legal``, ``apply``, ``score``, ``encode`` and ``decode``.  Whatever it
knows better it replaces.  docs/new-game.md goes through one step by step.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from rich.markup import escape

from storeys.kernel import zones as zone_rules
from storeys.kernel.components import ComponentSet
from storeys.kernel.declared import DeclaredGame
from storeys.kernel.drawing import plots
from storeys.kernel.drawing.panels import scores_panel
from storeys.kernel.drawing.plots import Plot, Square
from storeys.kernel.drawing.scene import Area, Badge, Look, Scene
from storeys.kernel.messages import Message, Or
from storeys.kernel.moves import LETTERS, Cell
from storeys.kernel.reading import Node
from storeys.kernel.record import Header, Records, fast_record, field
from storeys.kernel.setup import Setup

View = Mapping[str, Any]


class Table(Header):
    """The fields of a plain game's state beside those of every state."""

    rounds: int = field("i8")  # of the match


class PlainGame(DeclaredGame):
    """A game of zones on one table: a subclass adds the facts of :class:`Game` and those here."""

    score_rule: ClassVar[str] = ""
    """The rule that says what a seat has."""
    buttons: ClassVar[tuple[str, ...]] = ()
    """The kinds of moves that also need a button, because what they pick may begin another kind."""

    # --- options and the box

    def write_options(self, state: Any, setup: Setup) -> None:
        """Each option goes to the field of its name, as the number of its value."""
        for option in self.options:
            setattr(state, option.name, option.values.index(setup.options[option.name]))

    def options_of(self, state: Records) -> dict[str, Any]:
        """The options of a state."""
        return {one.name: one.values[int(state[one.name][0])] for one in self.options}

    def components_text(self, content: Mapping[str, Any], lang: str) -> str:
        """A line for each kind."""
        return "\n".join(
            f"{entry[pieces.amount]:>3} × {self.called(pieces.key, entry[pieces.key]).text(lang)}"
            for pieces in self.box
            for entry in content[pieces.name]
        )

    def prompt(self, state: Records) -> Message:
        """The message ``game.prompt.phase``."""
        return Message(f"{self.name}.prompt.{self.phases[int(state['phase'][0])]}")

    # --- positions

    def to_position(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """What all zones show, and what each seat has."""
        shown = super().to_position(states, components)
        return {**shown, "scores": zone_rules.totals_of(states, components)}

    def from_position(self, position: Node, setup: Setup, states: Records) -> None:
        """Read what zones show; what each seat has follows from them."""
        super().from_position(position, setup, states)
        scores = position["scores"]
        totals = zone_rules.totals_of(states, setup.components)
        if scores.wholes(len(totals), -zone_rules.MANY, zone_rules.MANY) != totals:
            raise scores.fail("storeys.position.scores", self.score_rule, scores=str(totals))

    def score_parts(self, state: Any, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
        """All that a seat has, in one part."""
        total = self.seat_points(state, fast_record(components.tables), seat)
        label = Message("storeys.part.all")
        return [{"rule": self.score_rule, "label": label, "points": total}]

    # --- what people see

    @abstractmethod
    def plots(self, view: View, lang: str) -> dict[Square, Plot]:
        """What stands in the city: a square (row, column) and what it shows."""

    def plot(
        self,
        square: Square,
        storeys: int,
        seat: int | None,
        lang: str,
        note: str = "",
        pickable: bool = False,
    ) -> Plot:
        """So many storeys of a seat on a square, in words that say so; of a note, its initial."""
        words = [Message("storeys.picture.plot", square=self.square_name(*square), n=storeys)]
        if seat is not None:
            words.append(Message("storeys.play.person", number=seat + 1))
        said = ", ".join([*(one.text(lang) for one in words), *filter(None, [note])])
        return Plot(storeys, seat, said, note[:1].upper(), pickable)

    def free_squares(self, view: View) -> list[Square]:
        """The squares that may be picked: by default those beside the city, at first (0, 0)."""
        built = self.plots(view, "en")
        around = {(r + a, c + b) for r, c in built for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        rows, cols = (range(self.map.low, self.map.low + n) for n in (self.map.rows, self.map.cols))
        inside = {(r, c) for r, c in around if r in rows and c in cols}
        return sorted(inside - set(built)) or ([] if built else [(0, 0)])

    @cached_property
    def map(self) -> Cell:
        """The field of moves that names squares: how large the map is, and where it begins."""
        fields = (field for kind in self.notation.kinds for field in kind.fields)
        return next(field for field in fields if isinstance(field, Cell))

    def square_name(self, row: int, col: int) -> str:
        """A square as moves call it."""
        return self.map.names[(row - self.map.low) * self.map.cols + col - self.map.low]

    def scene(
        self,
        view: View,
        components: ComponentSet,
        names: Sequence[str],
        look: Look,
        winners: Sequence[int] = (),
    ) -> Scene:
        """The city, then scores, hands, counts and what else there is to do."""
        built, own = self.plots(view, look.lang), view.get("seat") is not None
        free = {sq: self.square_name(*sq) for sq in self.free_squares(view)} if own else {}
        title = self.title.text(look.lang)
        return Scene(
            box=(self.name, components.hash),
            label=title,
            defs="",
            cities=[
                Area(
                    "city-0",
                    f"{built}{free}",
                    lambda: plots.city(title, built, free, self.square_name, look),
                    title,
                )
            ],
            panels=list(self._panels(view, names, look, winners)),
        )

    def badges(self, players: int, seat: int, look: Look) -> list[Badge]:
        """The colour of a seat's towers, with its number."""
        return [plots.badge(seat, look)]

    def _panels(
        self, view: View, names: Sequence[str], look: Look, winners: Sequence[int]
    ) -> Iterator[Area]:
        seat, lang = view.get("seat"), look.lang
        yield Area(
            "scores",
            f"{view['scores']}{view['to_move']}{list(names)}{list(winners)}",
            lambda: scores_panel(
                names, view["scores"], view["to_move"], winners, look, plots.marks(names, look)
            ),
        )
        hand, table, actions = (
            Message(f"storeys.picture.{what}").text(lang) for what in ("hand", "counts", "actions")
        )
        if "hands" in view:
            held = [[self._card(card, lang) for card in cards] for cards in view["hands"]]
            key = f"{held}{seat}{list(names)}"
            yield Area("hand", key, lambda: plots.hands(hand, held, seat, names, look), hand)
        rows = [row for zone in self.zones for row in self._rows(zone, view, names, lang)]
        if rows:
            yield Area("counts", f"{rows}", lambda: plots.counts(table, rows, look), table)
        if seat is not None and (choices := self._actions(lang)):
            yield Area(
                "actions", f"{choices}", lambda: plots.buttons(actions, choices, look), actions
            )

    def _card(self, card: Any, lang: str) -> tuple[str, str] | None:
        """What a card is picked by, and what people call it; None for one that is hidden."""
        return None if card is None else (str(card), self.called("card", card).text(lang))

    def _actions(self, lang: str) -> list[tuple[str, str, str]]:
        """The kinds of moves with a button of their own: those that say nothing else too."""
        kinds = [
            kind.name
            for kind in self.notation.kinds
            if not kind.fields or kind.name in self.buttons
        ]
        return [
            ("action", kind, Or(f"{self.name}.button.{kind}", kind).text(lang)) for kind in kinds
        ]

    def _rows(
        self, zone: zone_rules.Zone, view: View, names: Sequence[str], lang: str
    ) -> Iterator[tuple[str, str]]:
        """A zone of numbers as lines of a name and its numbers; a pile as how much is left."""
        called = Or(f"{self.name}.zone.{zone.key}", zone.key).text(lang)
        shown = view[zone.key]
        if isinstance(zone, zone_rules.PileSize | zone_rules.Number):
            yield called, str(shown)
        elif isinstance(zone, zone_rules.Counts) and not zone.grid:
            whose: Sequence[Any] = range(1, zone.shape[0] + 1)
            if zone.by_seat:
                whose = names
            elif zone.names or zone.deck:
                known = zone.names or (zone.deck.names if zone.deck else ())
                whose = [self.called("card", one).text(lang) for one in known]
            rows = list(shown.values()) if zone.names else shown
            for who, numbers in zip(whose, rows, strict=False):  # seats nobody sits at are left out
                found = numbers if isinstance(numbers, list) else [numbers]
                yield f"{called}: {who}", " ".join(map(str, found))

    def picks(self, move: Mapping[str, Any]) -> dict[str, str]:
        """Row and column together are a square; a kind with a button is an action."""
        said = {key: str(value) for key, value in move.items() if key != "kind"}
        if "row" in said and "col" in said:
            said["square"] = f"{said.pop('row')},{said.pop('col')}"
        if not said or move["kind"] in self.buttons:
            said["action"] = move["kind"]
        return said

    def put(self, move: Mapping[str, Any], seat: int) -> list[str]:
        """What stands on the square that a move names."""
        return [plots.plot_name(move["row"], move["col"])] if "row" in move else []

    def lit(self, part: Mapping[str, Any], seat: int) -> list[tuple[int, ...]]:
        """The squares that a part of a score names under ``squares``."""
        return [(0, row, col) for row, col in part.get("squares", [])]

    def board_text(
        self, view: View, components: ComponentSet, names: Sequence[str], lang: str
    ) -> str:
        """The city as a map of seats and storeys, then all zones in lines."""
        lines = [f"[bold]{self.title.text(lang)}[/bold]", *self._map(view, lang), ""]
        for seat, (name, points) in enumerate(zip(names, view["scores"], strict=True)):
            lines.append(f"{seat + 1} {escape(name)}: {points}")
            if "hands" in view and view["hands"][seat] and None not in view["hands"][seat]:
                cards = (self.called("card", card).text(lang) for card in view["hands"][seat])
                lines.append(f"    {', '.join(map(escape, cards))}")
        for zone in self.zones:
            lines += [
                f"{escape(what)}: {found}" for what, found in self._rows(zone, view, names, lang)
            ]
        return "\n".join(lines)

    def _map(self, view: View, lang: str) -> Iterator[str]:
        """A line for each row of the city and of the squares around it."""
        built, free = self.plots(view, lang), self.free_squares(view)
        rows, cols = (sorted({square[axis] for square in [*built, *free]}) for axis in (0, 1))
        columns, low = range(cols[0], cols[-1] + 1), self.map.low
        yield "   " + "".join(f"{LETTERS[col - low]:>5}" for col in columns)
        for row in range(rows[0], rows[-1] + 1):
            cells = (_cell(built.get((row, col)), (row, col) in free) for col in columns)
            yield f"{row - low + 1:>3}" + "".join(cells)


def _cell(plot: Plot | None, free: bool) -> str:
    """Whose and how many storeys, or a sign for a square that is free."""
    if plot is None:
        return f"{'+' if free else '':>5}"
    owner = "" if plot.seat is None else str(plot.seat + 1)
    return f"{f'{owner}:{plot.storeys}{plot.sign}':>5}"
