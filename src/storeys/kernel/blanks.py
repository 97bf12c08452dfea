"""What the games of a batch start from: blank states, which hold the options and nothing else.

An option may leave something to chance (``requests=2``, ``utilities=None``).  Every game of a batch
then draws it anew from its own seed, just as :func:`storeys.new` does, and there is one blank state
for each way in which the options have settled so far.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from storeys.kernel import chance
from storeys.kernel.game import Game
from storeys.kernel.record import IntArray, Records
from storeys.kernel.setup import Setup

GAMES_AT_ONCE = 1 << 14
"""For how many games what options leave to chance is drawn at once."""


class Blanks:
    """The blank states of a batch, each made when the first game needs it."""

    def __init__(self, game: Game, players: Any, options: Mapping[str, Any]) -> None:
        setup = game.settle(players, options)
        self.game, self.players, self.components = game, setup.players, setup.components
        self.states: Records = np.zeros(0, game.state_dtype)
        self._given = {name: options[name] for name in options if name != "components"}
        self._settled: dict[str, dict[str, Any]] = {}
        self._numbers: dict[str, int] = {}
        self._draws = game.draws(setup.players, self._given)
        self.draws = np.array([[len(d.names), d.count] for d in self._draws], np.int64)
        """For each draw how many items there are and how many of them are chosen."""
        self._by_marks: dict[int, int] = {}
        self.all_alike = not self._draws
        """Whether all games have the same options."""
        if self.all_alike:
            self._number_of(setup.options)

    def setup_for(self, seed: int) -> Setup:
        """The set-up of the game with a seed."""
        # The component set is not settled again: it may come from a file.
        settled = self.game.settle(self.players, self._given, seed)
        return Setup(self.players, settled.options, self.components, self.game.rules_version)

    def number_for(self, seed: int) -> int:
        """The number of the blank state for the game with a seed."""
        return self._number_of(self.game.settle(self.players, self._given, seed).options)

    def number_drawn(self, marks: int, key: IntArray, nth: int, place: int) -> int:
        """The number for a game of a batch, of which it is known what it draws.

        The marks are those of :func:`storeys.kernel.chance.draw_for_game`.
        """
        if marks not in self._by_marks:
            self._by_marks[marks] = self.number_for(chance.seed_of_game(key, nth, place))
        return self._by_marks[marks]

    def numbers_for(self, key: IntArray, count: int) -> IntArray:
        """The numbers of the blank states for the first games of a batch with a key.

        Options are settled in Python once for each outcome, not for each game.
        """
        marks = np.zeros(count, np.int64)
        if self.all_alike or not count:
            return marks
        for first in range(0, count, GAMES_AT_ONCE):
            games = range(first, min(first + GAMES_AT_ONCE, count))
            for draw in self._draws:
                drawn = chance.choose_for_games(key, len(draw.names), draw.count, games)
                marks[games] = (marks[games] << len(draw.names)) | drawn
        _, firsts, outcomes = np.unique(marks, return_index=True, return_inverse=True)
        seeds = (chance.seed_of_game(key, nth) for nth in firsts.tolist())
        return np.array([self.number_for(seed) for seed in seeds])[outcomes]

    def options_asked_for(self) -> dict[str, Any]:
        """The options as they are settled for all games, with what is left to chance left so."""
        options = {}
        for option in self.game.options:
            asked = self._given.get(option.name, option.default)
            left = option.draw(asked, self.players) is not None
            options[option.name] = asked if left else option.settle(asked, self.players, 0)
        carried = self.components.to_carry
        return options if carried is None else {**options, "components": carried}

    def _number_of(self, options: dict[str, Any]) -> int:
        name = str(options)
        if name not in self._numbers:
            version = self.game.rules_version
            setup = Setup(self.players, options, self.components, version)
            blank = self.game.blank_state(setup)
            self.states = np.concatenate([self.states, blank])
            self._numbers[name] = len(self._settled)
            self._settled[name] = options
        return self._numbers[name]

    def clone(self) -> "Blanks":
        """An independent copy."""
        twin = copy.copy(self)
        twin._settled, twin._numbers = self._settled.copy(), self._numbers.copy()
        twin._by_marks = self._by_marks.copy()
        return twin

    def to_carry(self) -> tuple[Any, ...]:
        """What a pickle holds: players, options with the component set inside, what has settled."""
        options = self._given | {"components": self.components.to_carry}
        return self.players, options, list(self._settled.values())

    @classmethod
    def of_carried(
        cls, game: Game, players: int, options: Mapping[str, Any], settled: Sequence[dict[str, Any]]
    ) -> "Blanks":
        """Make them again, with the same numbers."""
        made = cls(game, players, options)
        for each in settled:
            made._number_of(each)
        return made
