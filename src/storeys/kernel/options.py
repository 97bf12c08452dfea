"""The options of a game: their names, values and defaults, checked in one place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from storeys.kernel import chance
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, listing, short


@dataclass(frozen=True)
class Several:
    """An option that takes several names at once: which, how many, and what people call them."""

    names: tuple[str, ...]
    most: int
    at_random: tuple[Any, ...]
    """The values that leave the choice to chance."""
    called: str
    """The beginning of the message ids of the names."""
    otherwise: Mapping[tuple[str, Any], Mapping[str, str]] = field(default_factory=dict)
    """The whole ids of names that are called otherwise with a value of another option."""

    def message_id(self, name: str, options: Mapping[str, Any]) -> str:
        """The id of what people call a name in a match with these options."""
        for (option, value), ids in self.otherwise.items():
            if name in ids and options.get(option) == value:
                return ids[name]
        return f"{self.called}.{name}"


@dataclass(frozen=True)
class Draw:
    """So many of some names, drawn from a match's seed."""

    names: Sequence[str]
    count: int

    def from_seed(self, seed: int) -> list[str]:
        """The names that a seed draws."""
        return chance.choose_some(seed, self.names, self.count)


class Option(Protocol):
    """Something to choose before a match."""

    @property
    def name(self) -> str:
        """Its name as a keyword."""
        ...

    @property
    def default(self) -> Any:
        """What holds when nothing is said."""
        ...

    @property
    def values(self) -> tuple[Any, ...]:
        """What it can be; a few examples where that is too much to list."""
        ...

    @property
    def form(self) -> str:
        """How a value is written on the command line."""
        ...

    @property
    def several(self) -> Several | None:
        """The names to choose from, if it takes several."""
        ...

    def draw(self, value: Any, players: int) -> Draw | None:
        """What a value that the option takes leaves to be drawn, if it leaves anything."""
        ...

    def settle(self, value: Any, players: int, seed: int) -> Any:
        """The value if the option takes it; what is left to chance is drawn from the seed."""
        ...


@dataclass(frozen=True)
class Choice:
    """An option with a fixed set of values, the first of which is the default."""

    name: str
    values: tuple[Any, ...]

    @property
    def default(self) -> Any:
        """What holds when nothing is said."""
        return self.values[0]

    several = None

    @property
    def form(self) -> str:
        """The values, to be chosen from."""
        return " | ".join(map(str, self.values))

    def draw(self, value: Any, players: int) -> None:
        """Nothing is left to chance."""

    def settle(self, value: Any, players: int, seed: int) -> Any:
        """The value, if the option takes it."""
        if not any(value == v and type(value) is type(v) for v in self.values):
            raise BadOption(
                Message(
                    "storeys.bad-option-value",
                    option=self.name,
                    found=short(value),
                    choices=listing(self.values),
                )
            )
        return value


def settle_options(
    options: Sequence[Option], given: Mapping[str, Any], players: int, seed: int
) -> dict[str, Any]:
    """All options with their values, the given ones checked, the others by default."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise BadOption(
                Message(
                    "storeys.unknown-option",
                    option=short(name),
                    known=listing(["players", *known]),
                )
            )
    return {
        name: option.settle(given.get(name, option.default), players, seed)
        for name, option in known.items()
    }


def check_players(game: str, seats: Sequence[int], players: Any) -> int:
    """The number of players, if the game takes it."""
    number = as_whole(players)
    if number is None or number not in seats:
        raise BadOption(
            Message("storeys.bad-players", game=game, found=short(players), choices=listing(seats))
        )
    return number
