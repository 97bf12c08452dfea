"""What a game is to the rest of the house: one object with its facts and its translations."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from storeys.kernel import deriving, verbs
from storeys.kernel import zones as zone_rules
from storeys.kernel.components import ComponentSet, Source, open_document
from storeys.kernel.composing import Function
from storeys.kernel.drawing.scene import Badge, Look, Scene
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.gaining import Preview, score_of_seat
from storeys.kernel.helping import GOAL, Section, read_sections
from storeys.kernel.lessons import Lesson, read_lesson
from storeys.kernel.levels import Levels
from storeys.kernel.messages import Message, add_catalogue, said
from storeys.kernel.moves import Notation
from storeys.kernel.observing import Observation, Plane
from storeys.kernel.options import Draw, Option, check_players, settle_options
from storeys.kernel.reading import Node
from storeys.kernel.record import Records
from storeys.kernel.searching import SearchSettings
from storeys.kernel.setup import Setup
from storeys.kernel.zones import Zone


@dataclass(frozen=True)
class Card:
    """A card that is open to all from the start: its name, what it says, and its rule."""

    title: Message
    text: Message
    rule: str


class Game(ABC):
    """A game: a subclass fills in the facts below and the translations at the end.

    The rules themselves are the verbs (:mod:`storeys.kernel.verbs`) of the module ``rules``,
    compiled functions over records of ``state_dtype``.  Most translations are plain functions of
    the game's other modules: ``to_position = staticmethod(positions.to_position)``.

    >>> from storeys.registry import get_game
    >>> game = get_game("neoville")
    >>> game.title.text("de"), game.seats, game.phases, game.rules_version
    ('Neoville', (1, 2, 3, 4), ('place', 'build', 'draw', 'over'), 2)
    >>> setup = game.settle(players=2, options={"utilities": ["bus", "windmill"]})
    >>> game.most_moves(setup), game.range_of_totals(setup)
    (96, (-192, 202))
    """

    name: ClassVar[str]
    rules_version: ClassVar[int]
    """What new matches are played by; those begun under an older version go on by it."""
    oldest_rules: ClassVar[int] = 1
    """The first version whose records and running matches can still be played."""
    seats: ClassVar[tuple[int, ...]]
    default_players: ClassVar[int]
    options: ClassVar[tuple[Option, ...]]
    phases: ClassVar[tuple[str, ...]]
    final_moves: ClassVar[tuple[str, ...]] = ()
    """The kinds of moves that nobody takes back at a table, because they show something hidden."""
    final_rule: ClassVar[str] = ""
    ending_moves: ClassVar[tuple[str, ...]] = ()
    """The kinds of moves that end a turn in which more could be done."""
    changing_moves: ClassVar[tuple[str, ...]] = ()
    """The kinds of moves of which a log tells what they change for others."""
    previewed_moves: ClassVar[tuple[str, ...]] = ()
    """The kinds of moves of which ``preview`` has something to say."""
    promises: ClassVar[bool] = False
    """Whether what counts minus now is a promise that can still be kept."""
    counted_picks: ClassVar[tuple[str, ...]] = ()
    """The keys of picks that are numbers of things, which come to the same sum in all choices."""
    evaluates_chance: ClassVar[bool] = True
    """Whether ``evaluate`` looks at what chance deals or shows: hands, piles, open cards."""
    search: ClassVar[SearchSettings] = SearchSettings()
    """How a bot that looks ahead finds and tries turns."""
    levels: ClassVar[Levels] = Levels()
    """How well the levels play that lie between the bots."""
    cities_are_seats: ClassVar[bool] = False
    """Whether each seat has a city of its own in the picture."""
    folder: ClassVar[Path]
    """Where its data and sentences lie: beside the class, unless it says otherwise."""

    rules: ClassVar[verbs.Rules]
    notation: ClassVar[Notation]
    state_dtype: ClassVar["np.dtype[Any]"]
    zones: ClassVar[Sequence[Zone]] = ()
    """What lies on the table, as the state declares it (:func:`storeys.kernel.zones.zones_of`)."""
    actions: ClassVar[int]
    observation: ClassVar[Observation]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "folder" not in vars(cls):
            cls.folder = Path(inspect.getfile(cls)).parent

    def __init__(self) -> None:
        add_catalogue(self.name, self.folder / "locale")
        self.derived = self._derived_verbs()
        verbs.register(self.state_dtype, self.rules, self.derived)

    def _derived_verbs(self) -> dict[str, Function]:
        """The verbs that follow from what the game declares; its rules may have better ones."""
        by_seat = hasattr(self.rules, "evaluate_seat")
        return {
            "sample": deriving.sample_verb(self.actions, self.name),
            "over": deriving.over,
            "winners": deriving.winners,
            "evaluate": deriving.evaluate_each if by_seat else deriving.evaluate,
            "evaluate_seat": deriving.evaluate_seat,
            "observe": self.observation.verb(self.name),
            "observe_again": self._observe_again(),
            "blind": zone_rules.blind_verb(self.zones, self.name),
            "redeal": zone_rules.redeal_verb(self.zones, self.name),
        }

    def _observe_again(self) -> Function:
        """Rules that write ``observe`` themselves write all of it every time."""
        if hasattr(self.rules, "observe"):
            return deriving.observe_again
        return self.observation.verb_again(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of_module, (type(self).__module__,)

    @property
    def title(self) -> Message:
        """The game's name as people write it."""
        return Message(f"{self.name}.title")

    @property
    def summary(self) -> Message:
        """What the game is about, in a sentence."""
        return Message(f"{self.name}.summary")

    def help_text(self, lang: str) -> str:
        """How the game is played, as Markdown, in a language, in English, or as its rules say."""
        pages = [self.folder / name for name in (f"help.{lang}.md", "help.en.md", "rules.md")]
        return next(page for page in pages if page.exists()).read_text("utf-8")

    def goal(self, lang: str) -> str:
        """What it takes to win, in a short sentence; what the game is about where it has none."""
        return said(f"{self.name}.goal", self.summary.text(lang), lang)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections of the help, one a paragraph; none where it is one piece."""
        return read_sections(self.folder)

    def section_now(self, phase: str) -> str:
        """The section of the help that matters in a phase."""
        return next((one.id for one in self.sections if phase in one.phases), GOAL)

    def cards(self, options: Mapping[str, Any]) -> list[Card]:
        """What can be read of cards that a match is played with, or may be, by its options."""
        return []

    @cached_property
    def lesson(self) -> Lesson | None:
        """The first steps of the game, if somebody has written any."""
        return read_lesson(self.folder)

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The parts of the observation tensor, in order."""
        return self.observation.planes

    @property
    def held_fields(self) -> tuple[str, ...]:
        """The fields of a state, by seat, that hold what chance gave to a seat alone."""
        return tuple(zone.name for zone in self.zones if isinstance(zone, zone_rules.Hands))

    @property
    def open_fields(self) -> tuple[str, ...]:
        """The fields of a state that hold what chance has shown to everybody."""
        return tuple(
            zone.name
            for zone in self.zones
            if isinstance(zone, zone_rules.Counts) and zone.deck is not None
        )

    @cached_property
    def observation_size(self) -> int:
        """How many numbers an observation tensor has."""
        return sum(plane.size for plane in self.planes)

    def settle(
        self,
        players: Any,
        options: Mapping[str, Any],
        seed: int = 0,
        rules_version: int | None = None,
    ) -> Setup:
        """Check players and options, fill in defaults and load the component set.

        What an option leaves to chance is drawn from the seed, so that a set-up holds none.  The
        rules are the newest unless an older version is named that :meth:`plays_rules`.
        """
        chosen = dict(options)
        source = chosen.pop("components", None)
        count = check_players(
            self.name, self.seats, self.default_players if players is None else players
        )
        settled = settle_options(self.options, chosen, count, seed)
        return Setup(
            count,
            self.check_together(count, settled),
            self.load_components(source),
            self.rules_version if rules_version is None else rules_version,
        )

    def plays_rules(self, version: Any) -> bool:
        """Whether a record or a match of a version of the rules can be played."""
        return type(version) is int and self.oldest_rules <= version <= self.rules_version

    def draws(self, players: int, options: Mapping[str, Any]) -> list[Draw]:
        """What options that are good leave to be drawn from the match's seed."""
        found = (
            option.draw(options.get(option.name, option.default), players)
            for option in self.options
        )
        return [draw for draw in found if draw is not None]

    def load_components(self, source: Source = None) -> ComponentSet:
        """Read and check a component set: ours, a file's, or one given as a dict."""
        if source is None:
            return self._our_components
        return self._read_set(source, ours=False)

    @cached_property
    def _our_components(self) -> ComponentSet:
        return self._read_set(self.folder / "components.toml", ours=True)

    def _read_set(self, source: str | Path | Mapping[str, Any], ours: bool) -> ComponentSet:
        problems: list[StoreysError] = []
        content, tables = self.read_components(open_document(source, self.name), problems)
        if problems:
            raise problems[0]
        return ComponentSet(content, tables, ours)

    def component_problems(self, source: str | Path | Mapping[str, Any]) -> list[StoreysError]:
        """Everything that is wrong with a component set, for who is writing one."""
        problems: list[StoreysError] = []
        try:
            self.read_components(open_document(source, self.name), problems)
        except StoreysError as error:
            if not any(error is known for known in problems):
                problems.append(error)
        return problems

    def check_together(self, players: int, options: dict[str, Any]) -> dict[str, Any]:
        """Refuse options that do not go together; a game overrides what it needs."""
        return options

    # --- what a game translates

    def blank_state(self, setup: Setup) -> Records:
        """A state that holds the set-up and nothing else yet."""
        states = np.zeros(1, self.state_dtype)
        states[0].rules_version = setup.rules_version
        states[0].players = setup.players
        self.write_options(states[0], setup)
        return states

    @abstractmethod
    def write_options(self, state: Any, setup: Setup) -> None:
        """Write the options into a blank state, and what follows from them."""

    def variants(self) -> list[dict[str, Any]]:
        """Set-ups that together show every option at work, for tests: by default all there are."""
        names = [option.name for option in self.options]
        found = []
        for players, *values in product(self.seats, *(option.values for option in self.options)):
            chosen = dict(zip(names, values, strict=True))
            with suppress(BadOption):
                found.append({"players": players, **self.settle(players, chosen).options})
        return found

    @abstractmethod
    def most_moves(self, setup: Setup) -> int:
        """A number of moves that no match of this set-up exceeds; the docstring says why."""

    @abstractmethod
    def range_of_totals(self, setup: Setup) -> tuple[int, int]:
        """Two numbers that no seat's total is below or above; the docstring says why."""

    @abstractmethod
    def options_of(self, state: Records) -> dict[str, Any]:
        """The options that a state was set up with."""

    @abstractmethod
    def read_components(
        self, document: Node, problems: list[StoreysError]
    ) -> tuple[dict[str, Any], Records]:
        """Check a component set; its content as plain JSON and as compiled rules read it.

        Everything that is wrong is added to ``problems``; then the first of them is raised, unless
        the set can be given all the same.
        """

    @abstractmethod
    def components_text(self, content: Mapping[str, Any], lang: str) -> str:
        """A component set as a person recognises it, in Rich's markup."""

    @abstractmethod
    def refusal(
        self, state: Any, code: int, reason: int, components: ComponentSet
    ) -> tuple[str, Message]:
        """Why ``encode`` said no: the rule id and the sentence."""

    @abstractmethod
    def move_label(self, code: int, components: ComponentSet) -> Message:
        """A move as a person reads it."""

    @abstractmethod
    def prompt(self, state: Records) -> Message:
        """What the seat to move has to do now."""

    @abstractmethod
    def to_position(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """The game's own part of the position dict, of a full or a blinded state."""

    def part_to_know(self, states: Records, components: ComponentSet) -> dict[str, Any]:
        """The entries of that part which a seat may see otherwise than a spectator does."""
        return self.to_position(states, components)

    @abstractmethod
    def from_position(self, position: Node, setup: Setup, states: Records) -> None:
        """Fill a blank state from a position dict or a view; ``BadPosition`` if it is wrong."""

    @abstractmethod
    def score_parts(self, state: Any, seat: int, components: ComponentSet) -> list[dict[str, Any]]:
        """The parts of a seat's score; each has ``rule``, ``label`` (a message), ``points``."""

    @abstractmethod
    def board_text(
        self, view: Mapping[str, Any], components: ComponentSet, names: Sequence[str], lang: str
    ) -> str:
        """A view as text for the terminal, in Rich's markup, with the names of the seats."""

    @abstractmethod
    def scene(
        self,
        view: Mapping[str, Any],
        components: ComponentSet,
        names: Sequence[str],
        look: Look,
        winners: Sequence[int] = (),
    ) -> Scene:
        """The picture of a view, cut into areas; who has won is the rules' to say."""

    @abstractmethod
    def picks(self, move: Mapping[str, Any]) -> dict[str, str]:
        """What has to be picked in the picture for a move, as keys and values."""

    @abstractmethod
    def lit(self, part: Mapping[str, Any], seat: int) -> list[tuple[int, ...]]:
        """What a part of a seat's score counted, as a picture lights it up."""

    def put(self, move: Mapping[str, Any], seat: int) -> list[str]:
        """The pieces of the picture, by their names, that a move of a seat puts on the board."""
        return []

    def seat_points(self, state: Any, tables: Any, seat: int) -> int:
        """What one seat has; a page is quicker where the rules can count one alone."""
        return score_of_seat(state, tables, seat)

    def score_key(self, state: Any, seat: int) -> Hashable | None:
        """All of a state that a seat's score and its parts follow from, or None for all of it.

        Where it is the same, pages are told what they were told before: most moves change the
        score of one seat at most.
        """
        return None

    def may_gain(self, states: Records, kind: str) -> bool:
        """Whether moves of a kind can bring points at once; where none can, none is tried."""
        return True

    def preview(
        self,
        before: Any,
        after: Callable[[], Any],
        move: Mapping[str, Any],
        components: ComponentSet,
    ) -> Preview | None:
        """What a move of the seat to move changes beside points, or still needs.

        The state after it is made for those who ask for it.
        """
        return None

    def changes(
        self, before: Any, move: Mapping[str, Any], components: ComponentSet
    ) -> tuple[Message, ...]:
        """What a move of the seat to move changes for others, beside what its label says.

        Logs tell it behind the move: whose tower has been taken over, who leads now.
        """
        return ()

    def badges(self, players: int, seat: int, look: Look) -> list[Badge]:
        """The marks of a seat's pieces, where a game has any: what pages show beside its name."""
        return []

    # --- what the tests ask a game

    def unseen(self, view: Mapping[str, Any], components: ComponentSet) -> list[Any]:
        """What may lie where the view says null, and in the pile: one entry for each copy."""
        found = [
            deck.unseen(view, self.zones, getattr(components.tables[0], deck.table))
            for deck in zone_rules.decks_of(self.zones)
        ]
        return found[0] if found else []

    def check_conserved(
        self,
        position: Mapping[str, Any],
        components: ComponentSet,
        moves: Sequence[Mapping[str, Any]],
    ) -> None:
        """Assert that the moves (dicts) so far neither lost nor made a piece of the box."""
        for deck in zone_rules.decks_of(self.zones):
            copies = getattr(components.tables[0], deck.table)
            deck.check_conserved(position, self.zones, copies)


def _game_of_module(module: str) -> Game:
    """The game of a module, as pickles name it; there is one object a game."""
    game: Game = import_module(module).GAME
    return game
