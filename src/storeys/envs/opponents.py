"""Who plays the seats that are not the agent's: bots, policies, chance, or a pool of them.

An opponent is one of

- ``"random"``: any legal move, made by compiled code;
- the name of a bot, made anew for every match from its seed, or a bot;
- a policy: ``policy(observations, masks)`` is given k × size numbers and k × actions ones and zeros
  as the agent would see them, a row for each match that waits, and answers k actions;
- a pool: a mapping of any of these to their weights, from which every match draws.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.bots import Bot, bot
from storeys.envs.common import Play, derived_seed
from storeys.envs.places import misfit
from storeys.kernel.errors import BadOption, IllegalMove
from storeys.kernel.messages import Message
from storeys.kernel.reading import as_whole, short
from storeys.kernel.record import IntArray
from storeys.match import Move

AT_RANDOM = "random"

Policy = Callable[[IntArray, IntArray], npt.ArrayLike]
Player = str | Bot | Policy
"""Who sits on a seat of one match: ``"random"``, a bot or a policy."""
Opponent = Player | Mapping[Hashable, float]
Opponents = Opponent | Sequence[Opponent]

CHANCES = 1 << 53
"""A draw from a pool is one of so many equally likely numbers: those that a float can tell."""


# --- as they are given


def read_seat(seat: Any, players: int) -> int:
    """The agent's seat, -1 for another one at every reset."""
    if seat == AT_RANDOM:
        return -1
    number = as_whole(seat)
    if number is None or not 0 <= number < players:
        raise BadOption(Message("storeys.envs.bad-seat", found=short(seat), last=players - 1))
    return number


def read_opponents(opponents: Any, players: int) -> list[Opponent]:
    """One opponent for each other seat, clockwise from the agent's."""
    others = players - 1
    several = isinstance(opponents, list | tuple)
    found: list[Opponent] = list(opponents) if several else [opponents] * others
    if len(found) != others or not all(map(_is_opponent, found)):
        raise BadOption(Message("storeys.envs.bad-opponents", n=others, found=short(opponents)))
    for opponent in found:
        for player in _members(opponent):
            if isinstance(player, str):
                bot(player)  # refuses a name that nobody has
    return found


def _is_opponent(given: Any) -> bool:
    if isinstance(given, Mapping):
        return _is_pool(given)
    return _is_player(given)


def _is_player(given: Any) -> bool:
    if isinstance(given, type):  # a class can be called, but not asked
        return False
    return isinstance(given, str | Bot) or callable(given)


def _is_pool(given: Mapping[Any, Any]) -> bool:
    weights = list(given.values())
    if not all(isinstance(w, int | float) and not isinstance(w, bool) and w >= 0 for w in weights):
        return False
    return 0 < sum(weights) < math.inf and all(map(_is_player, given))


def _members(opponent: Opponent) -> list[Any]:
    return list(opponent) if isinstance(opponent, Mapping) else [opponent]


# --- for one match


def seat_of(chosen: int, players: int, seed: int) -> int:
    """The agent's seat in the match of a seed."""
    return chosen if chosen >= 0 else derived_seed(seed, "seat") % players


def seat_opponents(opponents: Sequence[Opponent], seat: int, seed: int) -> dict[int, Player]:
    """Who plays the other seats in the match of a seed, by seat."""
    players = len(opponents) + 1
    places = [(seat + nth) % players for nth in range(1, players)]
    return {at: _player(opponent, seed, at) for at, opponent in zip(places, opponents, strict=True)}


def _player(opponent: Opponent, seed: int, seat: int) -> Player:
    drawn = _draw(opponent, seed, seat) if isinstance(opponent, Mapping) else opponent
    if isinstance(drawn, str) and drawn != AT_RANDOM:
        return bot(drawn, seed=derived_seed(seed, f"bot {seat}"))
    return drawn


def _draw(pool: Mapping[Any, float], seed: int, seat: int) -> Player:
    """One of a pool, as it is now: it may have grown since the last match."""
    if not _is_pool(pool):
        raise BadOption(Message("storeys.envs.bad-pool", found=short(dict(pool))))
    ticket = derived_seed(seed, f"opponent {seat}") % CHANCES / CHANCES * sum(pool.values())
    drawn: Player | None = None
    for player, weight in pool.items():
        if weight:
            drawn, ticket = player, ticket - weight
        if ticket < 0:
            break
    assert drawn is not None
    return drawn


# --- asking them


def plan_of(player: Bot, play: Play) -> list[Move]:
    """What a bot that is to move does with the rest of its turn, as it sees the match."""
    return player.plan_for(play.open())


def ask_policy(policy: Policy, observations: IntArray, masks: IntArray) -> IntArray:
    """The actions that a policy chooses, one for each row; each was found to be legal."""
    answer, count = np.asarray(policy(observations, masks.copy())), len(masks)
    if answer.shape != (count,) or answer.dtype.kind not in "iu":
        raise misfit("storeys.envs.bad-answer", answer, count)
    actions = answer.astype(np.int64)
    for action, mask in zip(actions.tolist(), masks, strict=True):
        if not (0 <= action < mask.size and mask[action]):
            raise IllegalMove(Message("storeys.envs.illegal-answer", action=action))
    return actions
