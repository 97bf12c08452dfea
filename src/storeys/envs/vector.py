"""Many matches as one of Gymnasium's vector environments: the agent's seat of each against others.

What happens at a place is what happens in the environment of :mod:`storeys.envs.gymnasium` with the
same seed; opponents at random play in compiled code.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from storeys.bots import Bot
from storeys.envs import vector_steps as steps
from storeys.envs.common import (
    Play,
    Seeds,
    check_version,
    derived_seed,
    missing,
    penalty,
    reward_form,
)
from storeys.envs.opponents import (
    AT_RANDOM,
    Opponents,
    Player,
    Policy,
    ask_policy,
    plan_of,
    read_opponents,
    read_seat,
    seat_of,
    seat_opponents,
)
from storeys.envs.places import (
    ROOM_FOR_MOVES,
    read_actions,
    read_count,
    read_place,
    read_reset_mask,
    replay,
)
from storeys.envs.planes import plane
from storeys.envs.rendering import FRAMES_A_SECOND, RENDER_MODES, check_render_mode, render
from storeys.envs.vector_steps import Matches
from storeys.kernel import chance, entry_points
from storeys.kernel.blanks import Blanks
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short
from storeys.kernel.record import IntArray, tag_of
from storeys.match import Match, Move, read_seed
from storeys.registry import get_game

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError:
    raise missing("gymnasium", "gymnasium") from None

from gymnasium.vector.utils import batch_space

from storeys.envs.spaces import ManyActions, Observation, action_space, observation_space

Flags = npt.NDArray[np.bool_]
Paid = npt.NDArray[np.float64]
Infos = dict[str, Any]
Step = tuple[Observation, Paid, Flags, Flags, Infos]

NOTHING_TO_DO = 0
"""The one action that the mask of a finished match allows where the next step starts another."""


class VectorMatchEnv(VectorEnv[Observation, Any, Any]):
    """One seat each of n matches; made by ``gymnasium.make_vec("storeys/Manhattan-v0", n, …)``.

    Every option of the single environment means the same here, and place i with a seed plays what
    that environment plays: ``reset(seed=s)`` gives place i the seed s + i, a list gives each its
    own.  ``autoreset_mode`` is Gymnasium's, by default ``NEXT_STEP``.  With ``copy=False`` the
    arrays of observations and masks are the same at every step, and written anew.

    >>> import gymnasium, storeys.envs
    >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 3, players=2, opponents="random")
    >>> told, infos = envs.reset(seed=7)
    >>> told["observation"].shape, told["action_mask"].shape, infos["seat"]
    ((3, 538), (3, 320), array([0, 0, 0]))
    >>> over = [False]
    >>> while not any(over):
    ...     actions = envs.action_space.sample(told["action_mask"])
    ...     told, rewards, over, cut_off, infos = envs.step(actions)
    >>> rewards.shape, infos["scores"].shape, bool((infos["_scores"] == over).all())
    ((3,), (3, 2), True)
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        players: int | None = None,
        seat: int | str = 0,
        opponents: Opponents = "builder",
        rewards: str | None = None,
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        seed: int | str | Sequence[Any] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        self.game, self.num_envs = get_game(game), read_count("num_envs", num_envs)
        self._blanks = Blanks(self.game, players, options)
        self.players, self.copy = self._blanks.players, copy
        self.render_mode = check_render_mode(render_mode)
        self._mode = _read_mode(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_A_SECOND,
            "autoreset_mode": self._mode,
        }
        self._chosen_seat = read_seat(seat, self.players)
        self._opponents = read_opponents(opponents, self.players)
        self._form = reward_form(rewards, self.players)
        self._penalty = penalty(illegal_reward, self._form)
        self._seeds = [Seeds(each) for each in self._read_seeds(seed)]
        self._numbers = [0] * self.num_envs  # the seeds of the running matches
        self._others: list[dict[int, Player]] = [{}] * self.num_envs
        self._done = np.zeros(self.num_envs, bool)
        self._started = False
        self._make_spaces()
        self._work_on(_empty_matches(self._blanks, self.num_envs))
        self._shown = self._room_to_show()

    def _make_spaces(self) -> None:
        game, count = self.game, self.num_envs
        self.single_observation_space = observation_space(game)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.single_action_space = action_space(game)
        self.action_space = ManyActions(game.actions, count, self._seeds[0].small("actions"))

    # --- Gymnasium's calls

    def reset(
        self,
        *,
        seed: int | str | Sequence[Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Deal matches and let the others play up to the agents' first turns.

        ``options={"reset_mask": …}``, a truth value for each place, starts new matches only there.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 2, opponents="random")
        >>> told, infos = envs.reset(seed=[7, 7])
        >>> bool((told["observation"][0] == told["observation"][1]).all())
        True
        """
        self._check_open()
        chosen = read_reset_mask(options, self.num_envs)
        if chosen is None:
            chosen = np.ones(self.num_envs, bool)
        else:
            self._check_started()
        seeds = self._read_seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._start(np.flatnonzero(chosen), seeds)
        self._done = self._done & ~chosen
        self._started = True
        seen, mask = self._show()
        self._show_people()
        infos = self._told_of(chosen, np.zeros(self.num_envs, bool), mask)
        return {"observation": seen, "action_mask": mask}, infos

    def step(self, actions: npt.ArrayLike) -> Step:
        """Take an action at every place, and let the others play up to the agents' next turns.

        What becomes of a match that ends is said by the autoreset mode (docs/envs.md).

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Neoville-v0", 2, players=2, opponents="random")
        >>> told, infos = envs.reset(seed=1)
        >>> told, rewards, ended, cut_off, infos = envs.step(told["action_mask"].argmax(axis=1))
        >>> rewards, ended
        (array([0., 0.]), array([False, False]))
        """
        self._check_started()
        numbers = read_actions(actions, self.num_envs)
        if self._mode is AutoresetMode.DISABLED and self._done.any():
            raise StoreysError(Message("storeys.envs.over"))
        illegal = np.zeros(self.num_envs, bool)
        self._act(np.flatnonzero(~self._done), numbers, illegal)
        self._start(np.flatnonzero(self._done))
        over = self._matches.states["to_move"] < 0
        self._done = over | illegal
        paid, results = self._pay(over, illegal)
        seen, mask = self._show()
        ended = self._done
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            infos = self._follow_at_once(seen, mask, illegal, results)
        else:
            everywhere = np.ones(self.num_envs, bool)
            infos = self._told_of(everywhere, illegal, mask) | results
        self._show_people()
        cut_off = np.zeros(self.num_envs, bool)
        return {"observation": seen, "action_mask": mask}, paid, ended.copy(), cut_off, infos

    def render(self) -> tuple[Any, ...] | None:
        """What the agent of each place sees, in the chosen way.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec(
        ...     "storeys/Manhattan-v0", 2, opponents="random", render_mode="svg"
        ... )
        >>> told, infos = envs.reset(seed=1)
        >>> [picture[:4] for picture in envs.render()]
        ['<svg', '<svg']
        """
        if self.render_mode is None:
            return None
        seats = self._matches.ledger[steps.SEAT].tolist()
        return tuple(
            render(self._play(place).open(), seat, self.render_mode)
            for place, seat in enumerate(seats)
        )

    # --- besides

    def action_masks(self) -> Flags:
        """True for every legal action, under the name that masked policies look for.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Neoville-v0", 2, players=1)
        >>> told, infos = envs.reset(seed=7)
        >>> envs.unwrapped.action_masks().sum(axis=1)
        array([12, 12])
        """
        self._check_started()
        return self._mask().astype(bool)

    def plane(self, observations: Any, name: str) -> Any:
        """The numbers of one plane of all observations, in its shape; a view, not a copy.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 2, opponents="random")
        >>> told, infos = envs.reset(seed=7)
        >>> envs.unwrapped.plane(told, "storeys").shape
        (2, 4, 6, 9)
        """
        return plane(self.game, observations, name)

    def match(self, place: int) -> Match:
        """The match at a place with all its moves, as it is told of: finished ones too.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 2, opponents="random", seat=2)
        >>> told, infos = envs.reset(seed=7)
        >>> envs.unwrapped.match(0)
        <manhattan match: 2 moves, seat 2 to pick>
        """
        self._check_started()
        at = read_place(place, self.num_envs)
        moves = self._matches.ledger[steps.MOVES, at]
        return replay(self._blanks, self._numbers[at], self._matches.log[at, :moves])

    def opponents(self, place: int) -> dict[int, Player]:
        """Who plays the other seats of the match at a place, by seat.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 2, players=3, opponents="random")
        >>> told, infos = envs.reset(seed=7)
        >>> envs.unwrapped.opponents(1)
        {1: 'random', 2: 'random'}
        """
        self._check_started()
        return self._others[read_place(place, self.num_envs)].copy()

    def clone(self) -> Self:
        """An independent copy, random state included.

        >>> import gymnasium, storeys.envs
        >>> envs = gymnasium.make_vec("storeys/Manhattan-v0", 2, opponents="random").unwrapped
        >>> told, infos = envs.reset(seed=7)
        >>> bool((envs.clone().action_masks() == envs.action_masks()).all())
        True
        """
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        arrays = self._matches._asdict()
        # Only this version knows the fields of a state, so it is carried as bytes.
        arrays["states"] = arrays["states"].view(np.uint8)
        for made_again in ("blanks", "tables"):
            del arrays[made_again]
        named = self.game.name, tag_of(self.game.state_dtype)
        own = {name: value for name, value in vars(self).items() if name not in _MADE_AGAIN}
        return own | {"carried": (named, self._blanks.to_carry(), arrays)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        (name, kernel), blanks, arrays = state.pop("carried")
        vars(self).update(state)
        self.game = get_game(name)
        check_version(self.game, kernel)
        self._blanks = Blanks.of_carried(self.game, *blanks)
        arrays["states"] = arrays["states"].view(self.game.state_dtype)
        tables = self._blanks.components.tables
        self._work_on(Matches(**arrays, blanks=self._blanks.states, tables=tables))

    # --- what is told

    def _show(self) -> tuple[IntArray, IntArray]:
        """What the agents see and what they may do, at all places."""
        seen, mask = self._room_to_show() if self.copy else self._shown
        places = np.arange(self.num_envs)
        self._look(places, places, self._matches.ledger[steps.SEAT], seen)
        self._matches.allowed[self._done] = 0
        return seen, self._mask(mask)

    def _mask(self, out: IntArray | None = None) -> IntArray:
        """What the agents may do, for them to keep: changing it changes nothing here."""
        mask = self._room_to_show()[1] if out is None else out
        np.copyto(mask, self._matches.allowed)
        if self._mode is AutoresetMode.NEXT_STEP:
            mask[self._done, NOTHING_TO_DO] = 1
        return mask

    def _room_to_show(self) -> tuple[IntArray, IntArray]:
        game, count = self.game, self.num_envs
        seen = np.empty((count, game.observation_size), np.float32)
        return seen, np.empty((count, game.actions), np.int8)

    def _told_of(self, where: Flags, illegal: Flags, mask: IntArray) -> Infos:
        """The infos of matches at some places."""
        seats = self._matches.ledger[steps.SEAT].copy()
        return _noted(where, seat=seats, illegal=illegal, action_mask=mask)

    def _pay(self, over: Flags, illegal: Flags) -> tuple[Paid, Infos]:
        """What the agents are paid, and the results of matches that are over."""
        paid = np.where(illegal, self._penalty, 0.0)
        if not over.any():
            return paid, {}
        scores = np.zeros((self.num_envs, self.players), np.int32)
        won = np.zeros((self.num_envs, self.players), bool)
        steps.pay_matches(np.flatnonzero(over), self._arrays, self._form, paid, scores, won)
        return paid, _noted(over, scores=scores, winners=won)

    def _follow_at_once(
        self, seen: IntArray, mask: IntArray, illegal: Flags, results: Infos
    ) -> Infos:
        """Start the matches that follow in the same step; the infos, the last ones' among them."""
        ended, places = self._done, np.flatnonzero(self._done)
        last = np.full(self.num_envs, None, object)
        for place in places.tolist():
            last[place] = {
                "observation": seen[place].copy(),
                "action_mask": mask[place].copy(),
            }
        seats = np.where(ended, self._matches.ledger[steps.SEAT], 0)
        told = _noted(ended, seat=seats, illegal=illegal, action_mask=np.zeros_like(mask)) | results
        self._start(places)
        self._done = np.zeros(self.num_envs, bool)
        self._look(places, places, self._matches.ledger[steps.SEAT, places], seen)
        self._mask(mask)
        everywhere, legal = np.ones(self.num_envs, bool), np.zeros(self.num_envs, bool)
        return self._told_of(everywhere, legal, mask) | _noted(
            ended, final_obs=last, final_info=told
        )

    def _show_people(self) -> None:
        if self.render_mode == "human":
            self.render()

    # --- starting and playing

    def _start(self, places: IntArray, seeds: Sequence[Any] | None = None) -> None:
        """Begin the next matches at some places, or those of seeds."""
        if not places.size:
            return
        for place in places.tolist():
            self._prepare(place, None if seeds is None else seeds[place])
        if len(self._matches.blanks) < len(self._blanks.states):
            self._work_on(self._matches._replace(blanks=self._blanks.states))
        self._settle(places, steps.start_matches(places, self._arrays))

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
        others = steps.take_actions(places, self._arrays, actions[places], illegal)
        self._settle(places, others)

    def _settle(self, places: IntArray, others: int) -> None:
        """Ask those who have to be asked until everywhere the agent is waited for."""
        while others:
            self._make_room()
            self._ask(places)
            others = steps.go_on(places, self._arrays)

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
        seen = np.empty((places.size, self.game.observation_size), np.float32)
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
        steps.show_matches(places, rows, seats, self._arrays, seen)

    def _play(self, place: int) -> Play:
        """The match at a place as it stands, without its log."""
        number = self._numbers[place]
        state = self._matches.states[place : place + 1].copy()
        return Play(self.game, self._blanks.setup_for(number), number, state)

    # --- the arrays

    def _work_on(self, matches: Matches) -> None:
        self._matches, self._arrays = matches, tuple(matches)

    def _make_room(self) -> None:
        """Double the logs if the longest match has filled its own."""
        log, longest = self._matches.log, int(self._matches.ledger[steps.MOVES].max())
        if longest == log.shape[1]:
            self._work_on(self._matches._replace(log=np.pad(log, ((0, 0), (0, longest)))))

    # --- checks

    def _read_seeds(self, seed: Any) -> list[Any]:
        """A seed for each place: those of a list, or one after the other; None for a fresh one."""
        count = self.num_envs
        given = seed.tolist() if isinstance(seed, np.ndarray) else seed
        if given is None:
            return [None] * count
        if not isinstance(given, list | tuple):
            first = read_seed(given)
            return [(first + place) % (1 << chance.SEED_BITS) for place in range(count)]
        if len(given) != count:
            raise BadOption(Message("storeys.envs.bad-seeds", n=count, found=len(given)))
        return [None if each is None else read_seed(each) for each in given]

    def _check_started(self) -> None:
        self._check_open()
        if not self._started:
            raise StoreysError(Message("storeys.envs.reset-first"))

    def _check_open(self) -> None:
        if self.closed:
            raise StoreysError(Message("storeys.envs.batch.closed"))


_MADE_AGAIN = ("game", "_blanks", "_matches", "_arrays")
"""What a copy does not carry as it is."""


def _empty_matches(blanks: Blanks, count: int) -> Matches:
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
    )


def _role(player: Player | None) -> int:
    if player is None:
        return steps.AGENT
    return steps.AT_RANDOM if isinstance(player, str) else steps.ASKED


def _noted(where: Flags, **values: Any) -> Infos:
    """Infos by Gymnasium's convention: beside each, under its name with ``_``, where it holds."""
    return {
        key: value
        for name, array in values.items()
        for key, value in ((name, array), (f"_{name}", where))
    }


def _read_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = listing([each.value for each in AutoresetMode])
        raise BadOption(
            Message("storeys.envs.unknown-autoreset", found=short(mode), known=known)
        ) from None
