"""The matches of a vector environment at their places: begun, played on and looked at.

Opponents at random play in compiled code; bots and policies are asked from here.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.bots import Bot
from storeys.envs import vector_steps as steps
from storeys.envs.batch_steps import NOTHING_SEEN
from storeys.envs.common import Play, Seeds, derived_seed
from storeys.envs.opponents import (
    AT_RANDOM,
    Opponent,
    Player,
    Policy,
    ask_policy,
    plan_of,
    seat_of,
    seat_opponents,
)
from storeys.envs.places import ROOM_FOR_MOVES
from storeys.envs.sharing import Crew, cut
from storeys.envs.vector_steps import Matches
from storeys.kernel import chance, entry_points
from storeys.kernel.blanks import Blanks
from storeys.kernel.game import Game
from storeys.kernel.record import IntArray
from storeys.match import Move

Flags = npt.NDArray[np.bool_]

FEWEST_PLACES = 32
"""The matches that are worth being handed to another thread."""


class Places:
    """Matches at places 0 … n-1, one seat of each the agent's, the others played here."""

    game: Game
    num_envs: int
    players: int
    dtype: str
    threads: int
    _blanks: Blanks
    _matches: Matches
    _arrays: steps.Arrays
    _seeds: list[Seeds]
    _numbers: list[int]
    _others: list[dict[int, Player]]
    _opponents: list[Opponent]
    _chosen_seat: int

    def _start(self, places: IntArray, seeds: Sequence[Any] | None = None) -> None:
        """Begin the next matches at some places, or those of seeds."""
        if not places.size:
            return
        for place in places.tolist():
            self._prepare(place, None if seeds is None else seeds[place])
        if len(self._matches.blanks) < len(self._blanks.states):
            self._work_on(self._matches._replace(blanks=self._blanks.states))
        arrays = self._arrays
        self._settle(places, self._share(places, lambda own, _: steps.start_matches(own, arrays)))

    def _prepare(self, place: int, seed: Any) -> None:
        """Write down what the next match at a place starts from."""
        number, matches = self._seeds[place].take(seed), self._matches
        self._numbers[place] = number
        seat = seat_of(self._chosen_seat, self.players, number)
        others = seat_opponents(self._opponents, seat, number)
        self._others[place] = others
        matches.keys[place] = chance.key_of_seed(number)
        matches.rng[place] = chance.generator(derived_seed(number, AT_RANDOM))
        matches.ledger[steps.SEAT, place] = seat
        matches.ledger[steps.BLANK, place] = (
            0 if self._blanks.all_alike else self._blanks.number_for(number)
        )
        for at in range(self.players):
            matches.roles[place, at] = _role(others.get(at))

    def _act(self, places: IntArray, actions: IntArray, illegal: Flags) -> None:
        """Take the agents' actions at some places and note which are illegal."""
        arrays, chosen = self._arrays, actions[places]
        others = self._share(
            places, lambda own, some: steps.take_actions(own, arrays, chosen[some], illegal)
        )
        self._settle(places, others)

    def _settle(self, places: IntArray, others: int) -> None:
        """Ask those who have to be asked until everywhere the agent is waited for."""
        while others:
            self._make_room()
            self._ask(places)
            others = self._share(places, lambda own, _: steps.go_on(own, self._arrays))

    def _ask(self, places: IntArray) -> None:
        """One answer of every policy and bot that is to move; a policy is asked once for all."""
        to_move, roles = self._matches.states["to_move"], self._matches.roles
        waiting: dict[int, tuple[Policy, list[int]]] = {}
        for place in places.tolist():
            seat = int(to_move[place])
            if seat < 0 or roles[place, seat] != steps.ASKED:
                continue
            player = self._others[place][seat]
            if isinstance(player, Bot):
                self._follow(place, player)
            elif not isinstance(player, str):
                waiting.setdefault(id(player), (player, []))[1].append(place)
        for policy, its_places in waiting.values():
            self._ask_policy(policy, np.array(its_places))

    def _ask_policy(self, policy: Policy, places: IntArray) -> None:
        rows, seats = np.arange(places.size), self._matches.states["to_move"][places]
        seen = np.empty((places.size, self.game.observation_size), self.dtype)
        self._look(places, rows, seats, seen)
        actions = ask_policy(policy, seen, self._matches.allowed[places])
        steps.take_actions(places, self._arrays, actions, np.zeros(self.num_envs, bool))

    def _follow(self, place: int, player: Bot) -> None:
        """Carry out what a bot plans."""
        for move in plan_of(player, self._play(place)):
            self._push(place, move)

    def _push(self, place: int, move: Move) -> None:
        self._make_room()
        matches = self._matches
        action = entry_points.push(
            matches.states[place : place + 1], matches.tables, move.code, False
        )
        if action < 0:
            self._play(place).follow([move])  # says why not
        matches.log[place, matches.ledger[steps.MOVES, place]] = action
        matches.ledger[steps.MOVES, place] += 1

    def _look(self, places: IntArray, rows: IntArray, seats: IntArray, seen: IntArray) -> None:
        arrays = self._arrays
        self._share(
            places,
            lambda own, some: steps.show_matches(own, rows[some], seats[some], arrays, seen),
        )

    def _play(self, place: int) -> Play:
        """The match at a place as it stands, without its log."""
        number = self._numbers[place]
        state = self._matches.states[place : place + 1].copy()
        return Play(self.game, self._blanks.setup_for(number), number, state)

    def _share(self, places: IntArray, work: Callable[[IntArray, slice], Any]) -> int:
        """Work on some places, in pieces; the sum of what came of each, if they are numbers."""
        pieces = cut(places.size, self.threads, FEWEST_PLACES)
        answers = self._crew.share(
            lambda first, last: work(places[first:last], slice(first, last)), pieces
        )
        return sum(answer for answer in answers if answer is not None)

    # --- the arrays

    def _work_on(self, matches: Matches) -> None:
        self._matches, self._arrays = matches, tuple(matches)

    def _make_room(self) -> None:
        """Double the logs if the longest match has filled its own."""
        log, longest = self._matches.log, int(self._matches.ledger[steps.MOVES].max())
        if longest == log.shape[1]:
            self._work_on(self._matches._replace(log=np.pad(log, ((0, 0), (0, longest)))))

    @cached_property
    def _crew(self) -> Crew:
        return Crew(self.threads - 1)


def empty_matches(blanks: Blanks, count: int) -> Matches:
    """The arrays of a vector environment, before anything is dealt."""
    game = blanks.game
    return Matches(
        states=np.zeros(count, game.state_dtype),
        blanks=blanks.states,
        tables=blanks.components.tables,
        keys=np.zeros((count, 8), np.uint32),
        ledger=np.zeros((steps.LEDGER_ROWS, count), np.int64),
        roles=np.zeros((count, blanks.players), np.int8),
        rng=np.zeros((count, 4), np.uint32),
        log=np.zeros((count, ROOM_FOR_MOVES), np.int32),
        allowed=np.zeros((count, game.actions), np.int8),
        counts=np.full((count, game.observation.slots), NOTHING_SEEN, np.int64),
        memory=np.zeros((count, game.observation.room), np.uint8),
    )


def _role(player: Player | None) -> int:
    if player is None:
        return steps.AGENT
    return steps.AT_RANDOM if isinstance(player, str) else steps.ASKED
