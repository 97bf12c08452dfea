"""Chance where it happens: every draw and deal is a chance node of OpenSpiel.

A move is carried out in a copy of the state that is told what chance does.  If it asks for more
than it was told, the state stands at a chance node; with the answer the move is carried out again
from where it began, until it asks no more.  So no state holds a future, and no game knows of this.
"""

from typing import Any

import numpy as np

from storeys.envs.common import check_version, state_of
from storeys.envs.openspiel_trajectory import CHANCE, TERMINAL, Facts, Trajectory
from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit_when_it_pays, jitable
from storeys.kernel.errors import BadOption, IllegalMove
from storeys.kernel.messages import Message
from storeys.kernel.record import IntArray, Records, int64, tag_of
from storeys.match import Match

DEALING = -1
"""The action that is carried out before the first one."""
ASKING = -2
"""In the place of a seat to move: chance is."""
MOST_OUTCOMES = 256
Odds = dict[int, float]


# --- compiled


@jitable
def settle(states: Records, trial: Records, outcomes: IntArray) -> int:
    """Take over what was tried if it asked for nothing more; the seat to move then, or ASKING."""
    if trial[0].key[chance.FORM] != 0:
        return ASKING
    chance.tell(trial[0], outcomes[:0])  # Nothing of chance is left in a state.
    states[0] = trial[0]
    return int64(trial[0].to_move)


@jit_when_it_pays
def deal_as_told(states: Records, tables: Records, trial: Records, outcomes: IntArray) -> int:
    """Deal into a blank state, as far as there are outcomes; the seat to move then, or ASKING."""
    trial[0] = states[0]
    chance.tell(trial[0], outcomes)
    verbs.deal(trial[0], tables[0])
    return settle(states, trial, outcomes)


@jit_when_it_pays
def play_as_told(
    states: Records, tables: Records, trial: Records, action: int, outcomes: IntArray
) -> tuple[int, int]:
    """Carry out an action as far as there are outcomes; the seat to move then, and its code."""
    code = verbs.decode(states[0], tables[0], action)
    trial[0] = states[0]
    chance.tell(trial[0], outcomes)
    verbs.apply(trial[0], tables[0], action)
    return settle(states, trial, outcomes), code


@jit_when_it_pays
def list_weights(trial: Records, outcomes: IntArray, weights: IntArray) -> int:
    """The outcomes of the draw that a state asks for, and their weights; how many there are."""
    state, count = trial[0], 0
    form, size = int64(state.key[chance.FORM]), int64(state.key[chance.SIZE])
    if size > MOST_OUTCOMES or int64(state.key[chance.GIVEN]) >= chance.MOST_TOLD:
        return -1
    for outcome in range(outcomes.size):
        weight = int64(0)
        if form == chance.NUMBER:
            weight = int64(outcome < size)
        elif form == chance.ODDS and outcome < 2:
            wanted = int64(state.words[0])
            weight = wanted if outcome == 1 else size - wanted
        elif form == chance.COUNTED and outcome < size:
            weight = (int64(state.words[outcome // 4]) >> (8 * (outcome % 4))) & 255
        elif form == chance.LISTED:
            weight = (int64(state.words[outcome // 32]) >> (outcome % 32)) & 1
        if weight > 0:
            outcomes[count] = outcome
            weights[count] = weight
            count += 1
    return count


# --- questions


def odds_asked(trial: Records) -> Odds:
    """The outcomes of the draw that a state asks for, with their probabilities."""
    outcomes, weights = np.empty((2, MOST_OUTCOMES), np.int64)
    count = list_weights(trial, outcomes, weights)
    if count < 0:
        raise BadOption(Message("storeys.envs.too-much-chance"))
    found: list[int] = weights[:count].tolist()
    total = sum(found)
    shares = [weight / total for weight in found]
    return dict(zip(outcomes[:count].tolist(), shares, strict=True))


# --- a match


class NodeTrajectory(Trajectory):
    """A trajectory whose chance is told node by node.

    ``numbers`` are the outcomes of what options leave to chance, ``script`` those of the action
    that is being carried out, and ``trail`` whose turn it was at each step of the history.
    """

    __slots__ = ("_odds", "asking", "mover", "pending", "script", "steps", "trial")

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.pending = DEALING
        self.script: list[int] = []
        self.steps: list[int] = []
        self._odds: Odds | None = None
        self.asking = False
        self.mover = 0

    @classmethod
    def standing_at(cls, facts: Facts, match: Match) -> "NodeTrajectory":
        """One that begins where a match stands."""
        made = super().standing_at(facts, match)
        assert isinstance(made, NodeTrajectory)
        made.numbers = [0] * len(facts.left_to_chance)
        forget(made.state)
        made.past = [made.state.tobytes()]
        return made

    def begin(self) -> int:
        """Who is to move first: chance, unless nothing is left to it."""
        return self._go_on()

    @property
    def trail(self) -> list[int]:
        """Whose turn it was at each step of the history."""
        return self.steps

    @property
    def seed(self) -> int:
        """Nothing follows from a seed."""
        return 0

    # --- moving

    def take(self, action: int, mover: int) -> int:
        """Apply an action of the player to move, or an outcome; the one to move then."""
        if mover < 0:
            if action not in self.odds():
                raise IllegalMove(Message("storeys.envs.illegal", action=action))
            (self.numbers if self._options_left() else self.script).append(action)
        else:
            if not self.fresh:
                self.legal_list()
            if not (0 <= action < self.legal.size and self.legal[action]):
                raise IllegalMove(Message("storeys.envs.illegal", action=action))
            self.pending, self.mover, self.script = action, mover, []
        self.steps.append(mover)
        return self._go_on()

    def _options_left(self) -> bool:
        return len(self.numbers) < len(self.facts.left_to_chance)

    def _go_on(self) -> int:
        """Carry out what is pending as far as chance has been told; the one to move then."""
        self._odds = None
        if self._options_left():
            return CHANCE
        if self.pending == DEALING and not self.script:
            self._lay_out()
        to_move, code = self._try()
        self.asking = to_move == ASKING
        if self.asking:
            return CHANCE
        if self.pending != DEALING:
            self.movers.append(self.mover)
            self.codes.append(code)
        self.past.append(self.state.tobytes())
        self.script, self.fresh = [], False
        return to_move if to_move >= 0 else TERMINAL

    def _try(self) -> tuple[int, int]:
        """Carry it out as far as chance is told; the seat to move then, and the move's code."""
        outcomes = np.array(self.script, np.int64)
        if self.pending == DEALING:
            return deal_as_told(self.state, self.tables, self.trial, outcomes), 0
        return play_as_told(self.state, self.tables, self.trial, self.pending, outcomes)

    def _lay_out(self) -> None:
        """The options are known: an empty table."""
        setup = self.facts.settled(self.numbers)
        self._stand(setup, self.facts.game.blank_state(setup))

    def _stand(self, setup: Any, state: Records) -> None:
        super()._stand(setup, state)
        self.trial = state.copy()

    def odds(self) -> Odds:
        """The outcomes of the present chance node with their probabilities."""
        if self._odds is None:
            if self._options_left():
                ways = len(self.facts.left_to_chance[len(self.numbers)][1])
                self._odds = dict.fromkeys(range(ways), 1 / ways)
            else:
                self._odds = odds_asked(self.trial)
        return self._odds

    # --- looking

    def match(self, nth: int = -1) -> Match:
        """A match that stands where this one did after so many moves, with a future of its own."""
        found = super().match(nth)
        chance.rewind(found._state[0], chance.RESUMED)
        return found

    def told_so_far(self) -> str:
        """What tells chance nodes apart."""
        return f"options {self.numbers}; action {self.pending}; outcomes {self.script}"

    # --- other worlds

    def redealt(self, seat: int, rng: IntArray) -> "NodeTrajectory":
        """A world that a seat cannot tell from this one; draws of an unfinished move are others."""
        if self._options_left():
            return self.clone()
        world = super().redealt(seat, rng) if self.past else self.clone()
        assert isinstance(world, NodeTrajectory)
        world.numbers, world.script = self.numbers.copy(), []
        if self.past:
            forget(world.state)
            world.past[-1] = world.state.tobytes()
        if self.asking:
            world._go_on()
        for _ in self.script:
            world.script.append(_drawn(world.odds(), rng))
            world._go_on()
        return world

    # --- copies

    def clone(self) -> "NodeTrajectory":
        """An independent copy."""
        twin = super().clone()
        assert isinstance(twin, NodeTrajectory)
        twin.pending, twin.script, twin.steps = self.pending, self.script.copy(), self.steps.copy()
        twin._odds, twin.asking, twin.mover = self._odds, self.asking, self.mover
        if not self._options_left():
            if not self.past:
                twin._stand(self.setup, self.state.copy())
            twin.trial = self.trial.copy()
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        kernel = tag_of(self.facts.game.state_dtype)
        options = {} if self._options_left() else self.setup.options
        log = self.numbers, self.past, self.movers, self.codes, self.world
        standing = self.pending, self.mover, self.script, self.steps, self.asking
        return _unpickle, (self.facts, kernel, options, log, standing)


def _unpickle(
    facts: Facts, kernel: str, options: dict[str, Any], log: Any, standing: Any
) -> NodeTrajectory:
    check_version(facts.game, kernel)
    made = NodeTrajectory(facts)
    made.numbers, made.past, made.movers, made.codes, made.world = log
    made.pending, made.mover, made.script, made.steps, made.asking = standing
    if not made._options_left():
        setup = facts.with_options(options)
        last = made.past[-1] if made.past else None
        made._stand(setup, state_of(facts.game, last) if last else facts.game.blank_state(setup))
    if made.asking:
        made._try()
    return made


def forget(state: Records) -> None:
    """Leave nothing of chance in a state but the mark that it is told."""
    chance.tell(state[0], np.zeros(0, np.int64))


def _drawn(odds: Odds, rng: IntArray) -> int:
    """One of some outcomes by their probabilities."""
    at = chance.random_word(rng) / (chance.WORD + 1)
    reached = np.cumsum(list(odds.values()))
    return list(odds)[min(int(np.searchsorted(reached, at, "right")), len(odds) - 1)]
