"""A search of OpenSpiel as one of our bots, through the adapter: it sees what any bot sees."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from storeys.bots import Bot
from storeys.envs.openspiel import SpielGame, SpielState, resampler
from storeys.envs.registration import plain_name
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.match import Match, Move

ALGORITHMS = ("ismcts", "mcts")
SIMULATIONS = 100
"""If neither seconds nor simulations are given."""
ENDLESS = 1_000_000_000
EXPLORING = 2.0


class OpenSpielBot(Bot):
    """Plays what a search of OpenSpiel chooses: IS-MCTS, or MCTS in one world dealt afresh.

    The seconds are for each move, not for a turn: where a turn has several moves, it gets more.

    >>> import storeys
    >>> from storeys.envs.openspiel_bot import OpenSpielBot
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> str(OpenSpielBot(seed=1, simulations=5).choose_for(match)).split()[0]
    'pick'
    """

    def __init__(
        self,
        seconds: float | None = None,
        seed: int | str | None = None,
        simulations: int | None = None,
        algorithm: str = ALGORITHMS[0],
        exploring: float = EXPLORING,
    ) -> None:
        super().__init__(seconds, seed)
        if algorithm not in ALGORITHMS:
            known = ", ".join(ALGORITHMS)
            raise BadOption(Message("storeys.envs.algorithm", found=short(algorithm), known=known))
        count = None if simulations is None else as_whole(simulations)
        if simulations is not None and (count is None or count < 1):
            found = short(simulations)
            raise BadOption(Message("storeys.bad-count", what="simulations", low=1, found=found))
        self.simulations = count or (SIMULATIONS if seconds is None else ENDLESS)
        self.algorithm, self.exploring = algorithm, exploring

    def choose_in(self, world: Match) -> Move:
        """The move that the search chooses in a state that stands where the world does."""
        state = standing_at(world)
        rng = np.random.RandomState(self.chance_in(world))
        until = None if self.seconds is None else self.now() + self.seconds

        def is_late() -> bool:
            asked = self.should_stop is not None and self.should_stop()
            return asked or (until is not None and self.now() >= until)

        return world.move_of(int(self._search(state.get_game(), rng, is_late).step(state)))

    def _search(self, game: Any, rng: Any, is_late: Callable[[], bool]) -> Any:
        evaluator = mcts.RandomRolloutEvaluator(1, rng)
        if self.algorithm == "mcts":
            return TimedTreeSearch(is_late, game, self.exploring, self.simulations, evaluator, rng)
        search = TimedInformationSearch(
            is_late, game, self.exploring, self.simulations, evaluator, rng
        )
        search.set_resampler(resampler(int(rng.randint(1 << 31))))
        return search


def standing_at(match: Match) -> SpielState:
    """A state of OpenSpiel that stands where a match does."""
    game: SpielGame = pyspiel.load_game(plain_name(match.game.name), {"players": match.players})
    return game.standing_at(match)


class TimeIsUp(Exception):  # noqa: N818
    """Ends a search of OpenSpiel, which has no clock."""


class TimedInformationSearch(ismcts.ISMCTSBot):  # type: ignore[misc]  # no types
    """IS-MCTS that answers with the best so far when it is late."""

    def __init__(
        self, is_late: Callable[[], bool], game: Any, c: float, count: int, evaluator: Any, rng: Any
    ) -> None:
        super().__init__(game, evaluator, c, count, random_state=rng)
        self._is_late = is_late

    def sample_root_state(self, state: Any) -> Any:
        """Another world, if there is time for it."""
        if self._root_node.total_visits > 0 and self._is_late():
            raise TimeIsUp
        return super().sample_root_state(state)

    def run_search(self, state: Any) -> Any:
        """The policy at the root."""
        try:
            return super().run_search(state)
        except TimeIsUp:
            return self.get_final_policy(state, self._root_node)


class TimedTreeSearch(mcts.MCTSBot):  # type: ignore[misc]  # no types
    """MCTS that answers with the best so far when it is late."""

    def __init__(
        self, is_late: Callable[[], bool], game: Any, c: float, count: int, evaluator: Any, rng: Any
    ) -> None:
        super().__init__(game, c, count, evaluator, random_state=rng)
        self._is_late, self._root = is_late, None

    def _apply_tree_policy(self, root: Any, state: Any) -> Any:
        self._root = root
        if root.children and self._is_late():
            raise TimeIsUp
        return super()._apply_tree_policy(root, state)

    def mcts_search(self, state: Any) -> Any:
        """The root of the tree."""
        try:
            return super().mcts_search(state)
        except TimeIsUp:
            return self._root
