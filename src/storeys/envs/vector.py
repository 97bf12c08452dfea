"""Many matches as one of Gymnasium's vector environments: the agent's seat of each against others.

What happens at a place is what happens in the environment of :mod:`storeys.envs.gymnasium` with the
same seed; opponents at random play in compiled code.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from storeys.envs import vector_steps as steps
from storeys.envs.common import (
    Seeds,
    check_version,
    missing,
    penalty,
    reward_form,
)
from storeys.envs.opponents import (
    Opponents,
    Player,
    read_opponents,
    read_seat,
)
from storeys.envs.places import (
    read_actions,
    read_count,
    read_place,
    read_reset_mask,
    replay,
)
from storeys.envs.planes import plane
from storeys.envs.rendering import FRAMES_A_SECOND, RENDER_MODES, check_render_mode, render
from storeys.envs.tensors import kind_of_tensor
from storeys.envs.vector_places import Flags, Places, empty_matches
from storeys.envs.vector_steps import Matches
from storeys.kernel import chance
from storeys.kernel.blanks import Blanks
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short
from storeys.kernel.record import IntArray, tag_of
from storeys.match import Match, read_seed
from storeys.registry import get_game

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError:
    raise missing("gymnasium", "gymnasium") from None

from gymnasium.vector.utils import batch_space

from storeys.envs.spaces import ManyActions, Observation, action_space, observation_space

Paid = npt.NDArray[np.float64]
Infos = dict[str, Any]
Step = tuple[Observation, Paid, Flags, Flags, Infos]

NOTHING_TO_DO = 0
"""The one action that the mask of a finished match allows where the next step starts another."""


class VectorMatchEnv(Places, VectorEnv[Observation, Any, Any]):
    """One seat each of n matches; made by ``gymnasium.make_vec("storeys/Manhattan-v0", n, …)``.

    Every option of the single environment means the same here, and place i with a seed plays what
    that environment plays: ``reset(seed=s)`` gives place i the seed s + i, a list gives each its
    own.  ``autoreset_mode`` is Gymnasium's, by default ``NEXT_STEP``.  With ``copy=False`` the
    arrays of observations and masks are the same at every step, and written anew.  ``dtype`` is
    that of the observations, "float32" or "uint8", for policies among the opponents too;
    ``threads`` share the work and change no result.

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
        dtype: npt.DTypeLike = "float32",
        threads: int = 1,
        **options: Any,
    ) -> None:
        self.game, self.num_envs = get_game(game), read_count("num_envs", num_envs)
        self.dtype, self.threads = kind_of_tensor(dtype), read_count("threads", threads)
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
        self._work_on(empty_matches(self._blanks, self.num_envs))
        self._shown = self._room_to_show()

    def _make_spaces(self) -> None:
        game, count = self.game, self.num_envs
        self.single_observation_space = observation_space(game, self.dtype)
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

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self._crew.dismiss()

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
        seen = np.empty((count, game.observation_size), self.dtype)
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


_MADE_AGAIN = ("game", "_blanks", "_matches", "_arrays", "_crew")
"""What a copy does not carry as it is."""


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
