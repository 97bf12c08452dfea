"""Many games stepped at once in compiled code, in the manner of Gymnasium's vector environments.

>>> import storeys.envs
>>> games = storeys.envs.batch("manhattan", 8, players=2, seed=1)
>>> observations, infos = games.reset()
>>> observations, rewards, terminations, truncations, infos = games.step(games.sample())
>>> observations.shape, rewards.shape
((8, 538), (8, 2))

docs/batch.md tells what the arrays hold.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from storeys.envs import batch_steps as steps
from storeys.envs.batch_spaces import Spaces
from storeys.envs.batch_steps import Games
from storeys.envs.common import check_version, penalty, reward_form
from storeys.envs.places import (
    ROOM_FOR_MOVES,
    read_actions,
    read_count,
    read_place,
    read_reset_mask,
    replay,
)
from storeys.envs.rewards import REWARDS
from storeys.envs.rounds import NO_ROUNDS, Rounds
from storeys.envs.sharing import Crew, Work, cut
from storeys.envs.tensors import Masks, Observations, Out, check_out, kind_of_tensor
from storeys.kernel import chance
from storeys.kernel.blanks import Blanks
from storeys.kernel.compiling import compiler
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.record import IntArray, Records, tag_of
from storeys.match import Match, Move, read_seed
from storeys.registry import get_game

Rewards = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Step = tuple[Observations, Rewards, Flags, Flags, dict[str, Any]]

FEWEST_STEPS = 32
"""The games that are worth being handed to another thread."""


def batch(
    game: str,
    n: int,
    players: int | None = None,
    seed: int | str | None = None,
    rewards: str | None = None,
    illegal_reward: float | None = None,
    threads: int = 1,
    dtype: npt.DTypeLike = "float32",
    out: Out | None = None,
    **options: Any,
) -> "Batch":
    """N games to be stepped at once; the options are those of :func:`storeys.new`.

    ``rewards`` is "difference", "win" or "rank", paid at the end of a game (by default "win", alone
    "difference").  ``threads`` share the work and change no result.  ``dtype`` is that of the
    observations: "float32", or "uint8" for the whole numbers before they are divided by the scale
    of their plane.  ``out`` are the two arrays to write observations and masks into, if not the
    batch's own.

    >>> import storeys.envs
    >>> games = storeys.envs.batch("cloud-city", 4, players=2, seed=1, requests=2)
    >>> observations, infos = games.reset()
    >>> observations.shape, infos["to_move"]
    ((4, 2875), array([0, 0, 0, 0]))
    """
    kind = get_game(game)
    count, workers = read_count("games", n), read_count("threads", threads)
    number = read_seed(seed)
    blanks = Blanks(kind, players, options)
    form = reward_form(rewards, blanks.players)
    paid = penalty(illegal_reward, form)
    made = Batch(blanks, count, number, form, paid, workers, kind_of_tensor(dtype))
    made._write_to(out)
    return made


class Batch(Spaces):
    """N running games, at the places 0 … n-1; made by :func:`batch`.

    The arrays that :meth:`reset` and :meth:`step` give are the batch's own, written anew by every
    step: what is to be kept must be copied.

    >>> import storeys.envs
    >>> games = storeys.envs.batch("manhattan", 1, players=2, seed=1)
    >>> games
    <batch of 1 games of manhattan, 2 players>
    >>> observations, infos = games.reset()
    >>> ended = [False]
    >>> while not any(ended):
    ...     observations, rewards, ended, cut_off, infos = games.step(games.sample())
    >>> infos["final_scores"], rewards
    (array([[143, 141]], dtype=int32), array([[ 1., -1.]], dtype=float32))
    """

    spec = None
    render_mode = None
    closed = False

    def __init__(
        self,
        blanks: Blanks,
        count: int,
        seed: int,
        form: int,
        illegal_reward: float,
        threads: int,
        dtype: str = "float32",
    ) -> None:
        self.game, self.players, self.num_envs = blanks.game, blanks.players, count
        self.seed, self.threads = seed, threads
        self.rewards, self.illegal_reward = REWARDS[form], illegal_reward
        self._form = form
        self._blanks = blanks
        self._truncated = np.zeros(count, bool)
        self._started = False
        self._actions = np.zeros(count, np.int64)
        self._rounds = NO_ROUNDS
        self._work_on(_empty_games(blanks, count, seed, dtype))

    # --- playing

    def reset(
        self,
        *,
        seed: int | str | None = None,
        options: Mapping[str, Any] | None = None,
        out: Out | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start new games; gives observations and infos of the seats to move.

        With a seed the batch becomes what one made with that seed is; without, every place goes on
        to its next game.  ``options={"reset_mask": …}``, a truth value for each place, starts new
        games only there.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 2, players=2)
        >>> observations, infos = games.reset(seed=1)
        >>> observations, infos = games.reset(options={"reset_mask": infos["game"] == [0, 1]})
        >>> infos["game"]
        array([1, 0])
        """
        self._check_open()
        chosen = self._chosen(options)
        if seed is not None and not chosen.all():
            raise BadOption(Message("storeys.envs.batch.seed-of-some"))
        number = self.seed if seed is None else read_seed(seed)
        self._write_to(out)
        if seed is not None or not self._started:
            self._plant(number)
        arrays = self._arrays
        self._share(lambda first, last: steps.start_games(first, last, arrays, chosen))
        self._prepare(np.flatnonzero(chosen))
        return self._games.observations, self._infos.copy()

    def step(self, actions: npt.ArrayLike, out: Out | None = None) -> Step:
        """One action in every game, for its seat to move.

        Gives observations, rewards by seat, terminations, truncations (there are none) and infos.
        A game that ends is followed by the next at once; its results are in the rewards and infos.
        With ``out``, observations and masks are written there from now on.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 2, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> observations, rewards, ended, cut_off, infos = games.step(games.sample())
        >>> infos["acted"], infos["to_move"], infos["moves"]
        (array([1, 1]), array([1, 1]), array([1, 1]))
        """
        self._check_started()
        numbers = read_actions(actions, self.num_envs)
        self._write_to(out)
        self._actions[:] = numbers
        if not self._rounds.has_helpers(self.threads - 1):
            self._crew.call(self._rounds)
        self._make_room(self._rounds.run())
        if not self._blanks.all_alike and self._terminated.any():
            self._prepare(np.flatnonzero(self._terminated))
        games = self._games
        return (
            games.observations,
            games.rewards,
            self._terminated,
            self._truncated,
            self._infos.copy(),
        )

    def sample(self) -> npt.NDArray[np.int64]:
        """A random legal action for every game, each as likely as any other of its game.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> games.sample()
        array([101,  89,  89])
        """
        self._check_started()
        games, actions = self._games, np.empty(self.num_envs, np.int64)
        steps.sample_games(games.listed, games.ledger, games.rng, actions)
        return actions

    def close(self) -> None:
        """Let the threads go; a closed batch takes no more steps.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, threads=2)
        >>> games.close()
        >>> games.closed
        True
        """
        if not self.closed:
            self._rounds.end()
            self._crew.dismiss()
        self.closed = True

    # --- looking

    @property
    def observations(self) -> Observations:
        """What the seats to move see, n × observation size.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3)
        >>> observations, infos = games.reset(seed=1)
        >>> games.observations is observations
        True
        """
        return self._games.observations

    @property
    def action_masks(self) -> Masks:
        """What the seats to move may do, n × actions.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3)
        >>> observations, infos = games.reset(seed=1)
        >>> games.action_masks.shape, games.action_masks.sum(axis=1)
        ((3, 320), array([70, 70, 70]))
        """
        return self._games.masks

    @property
    def states(self) -> Records:
        """The states of the running games, to be read; a slice of length 1 is what verbs take.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> games.states["players"]
        array([2, 2, 2])
        """
        shown = self._games.states.view()
        shown.flags.writeable = False
        return shown

    def match(self, place: int) -> Match:
        """The running game at a place as a match, with all its moves.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> told = games.step(games.sample())
        >>> games.match(2), games.match(2).moves
        (<manhattan match: 1 moves, seat 0 to pick>, [<manhattan move: pick red 2 4 4 4>])
        """
        at = read_place(place, self.num_envs)
        self._check_started()
        game, moves = self._games.ledger[[steps.GAME, steps.MOVES], at].tolist()
        return self._replay(at, game, self._games.log[at, :moves])

    def finished(self, place: int) -> Match:
        """The last game that ended at a place, as a match with all its moves.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("cloud-city", 1, players=1, seed=1)
        >>> observations, infos = games.reset()
        >>> while not infos["final_moves"] > 0:
        ...     *told, infos = games.step(games.sample())
        >>> games.finished(0), games.finished(0).totals
        (<cloud-city match: 23 moves, over>, [17])
        """
        at = read_place(place, self.num_envs)
        game, moves = self._games.ledger[[steps.LAST_GAME, steps.LAST_MOVES], at].tolist()
        if game < 0:
            raise StoreysError(Message("storeys.envs.batch.none-finished", place=at))
        return self._replay(at, game, self._games.last_log[at, :moves])

    def move_of(self, place: int, action: int) -> Move:
        """What a legal action means in the running game at a place.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> games.move_of(0, int(infos["action_mask"][0].argmax()))
        <manhattan move: pick blue 3 4 4 4>
        """
        return self.match(place).move_of(action)

    def action_of(self, place: int, move: Move | str | Mapping[str, Any]) -> int:
        """The action of a legal move in the running game at a place; :meth:`move_of` reversed.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
        >>> observations, infos = games.reset()
        >>> games.action_of(0, games.match(0).legal_moves[0])
        85
        """
        return self.match(place).action_of(move)

    def _replay(self, place: int, nth: int, log: IntArray) -> Match:
        return replay(self._blanks, chance.seed_of_game(self._games.key, nth, place), log)

    def __repr__(self) -> str:
        return f"<batch of {self.num_envs} games of {self.game.name}, {self.players} players>"

    # --- copies

    def clone(self) -> "Batch":
        """An independent copy with buffers of its own, random state included.

        >>> import storeys.envs
        >>> games = storeys.envs.batch("manhattan", 3, seed=1)
        >>> observations, infos = games.reset()
        >>> twin = games.clone()
        >>> bool((games.sample() == twin.sample()).all())
        True
        """
        copies = {name: array.copy() for name, array in self._changing().items()}
        return _rebuild(self._blanks.clone(), self._made_of(), copies)

    def __copy__(self) -> "Batch":
        return self.clone()

    def __deepcopy__(self, memo: Any) -> "Batch":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = self._changing()
        # Only this version knows the fields of a state, so it is carried as bytes.
        arrays["states"] = arrays["states"].view(np.uint8)
        blanks = self.game.name, tag_of(self.game.state_dtype), self._blanks.to_carry()
        return _unpickle, (*blanks, self._made_of(), arrays)

    def _made_of(self) -> tuple[Any, ...]:
        kind = self._games.observations.dtype.name
        return self.num_envs, self.seed, self._form, self.illegal_reward, self.threads, kind

    def _changing(self) -> dict[str, Any]:
        """What changes in play; observations and masks follow from it."""
        fixed = ("blanks", "tables", "key", "listed", "counts", "memory", "observations", "masks")
        return {name: a for name, a in self._games._asdict().items() if name not in fixed}

    # --- the work, shared out

    def _share(self, work: Work) -> list[Any]:
        """Work on all places, in pieces; what came of each."""
        pieces = cut(self.num_envs, self.threads, FEWEST_STEPS)
        if len(pieces) == 1:
            return [work(0, self.num_envs)]
        self._rounds.end()
        return self._crew.share(work, pieces)

    def _make_rounds(self) -> Rounds:
        """The steps of the batch with the arrays that it has now."""
        given = self._arrays, self._actions, self._form, self.illegal_reward
        threads = self.threads if compiler.may_compile else 1
        pieces = len(cut(self.num_envs, threads, FEWEST_STEPS))
        return Rounds(lambda words, role: steps.step_games(words, role, *given), pieces)

    @cached_property
    def _crew(self) -> Crew:
        return Crew(self.threads - 1)

    # --- the arrays

    def _work_on(self, games: Games) -> None:
        self._games, self._arrays = games, tuple(games)
        self._rounds.end()
        self._rounds = self._make_rounds()
        self._terminated = games.flags[steps.TERMINATED]
        self._infos = {
            "to_move": games.ledger[steps.TO_MOVE],
            "action_mask": games.masks,
            "acted": games.ledger[steps.ACTED],
            "illegal": games.flags[steps.ILLEGAL],
            "final_scores": games.scores,
            "final_winners": games.won,
            "final_moves": games.ledger[steps.FINAL_MOVES],
            "game": games.ledger[steps.GAME],
            "moves": games.ledger[steps.MOVES],
        }

    def _plant(self, seed: int) -> None:
        """Begin with the first games of a seed."""
        self.seed = seed
        self._work_on(self._games._replace(key=chance.key_of_seed(seed)))
        self._games.ledger[[steps.GAME, steps.LAST_GAME]] = -1
        self._started = True
        self._prepare(np.arange(self.num_envs))

    def _prepare(self, places: IntArray) -> None:
        """Choose the blank states that the next games at these places start from."""
        games, blanks = self._games, self._blanks
        if blanks.all_alike:
            games.ledger[steps.BLANK] = 0
            return
        marks, spare = np.zeros(places.size, np.int64), np.zeros(1, self.game.state_dtype)
        steps.draw_options(places, self._arrays, blanks.draws, spare, marks)
        numbers = (games.ledger[steps.GAME, places] + 1).tolist()
        for drawn, nth, place in zip(marks.tolist(), numbers, places.tolist(), strict=True):
            games.ledger[steps.BLANK, place] = blanks.number_drawn(drawn, games.key, nth, place)
        if len(games.blanks) < len(blanks.states):
            self._work_on(games._replace(blanks=blanks.states))

    def _make_room(self, longest: int) -> None:
        """Double the logs if the longest running game has filled its own."""
        games, room = self._games, self._games.log.shape[1]
        if longest == room:
            log, last_log = (
                np.pad(each, ((0, 0), (0, room))) for each in (games.log, games.last_log)
            )
            self._work_on(games._replace(log=log, last_log=last_log))

    def _write_to(self, out: Out | None) -> None:
        if out is not None:
            observations, masks = check_out(out, self._games.observations, self._games.masks)
            self._work_on(self._games._replace(observations=observations, masks=masks))

    # --- checks

    def _chosen(self, options: Mapping[str, Any] | None) -> IntArray:
        """The places of a reset mask; all, if there is none."""
        chosen = read_reset_mask(options, self.num_envs)
        if chosen is None:
            return np.ones(self.num_envs, bool)
        self._check_started()
        return chosen

    def _check_started(self) -> None:
        if self.closed or not self._started:
            self._check_open()
            raise StoreysError(Message("storeys.envs.batch.reset-first"))

    def _check_open(self) -> None:
        if self.closed:
            raise StoreysError(Message("storeys.envs.batch.closed"))


def _empty_games(blanks: Blanks, count: int, seed: int, dtype: str) -> Games:
    game, players = blanks.game, blanks.players
    return Games(
        states=np.zeros(count, game.state_dtype),
        blanks=blanks.states,
        tables=blanks.components.tables,
        key=chance.key_of_seed(seed),
        ledger=np.full((steps.LEDGER_ROWS, count), -1, np.int64),
        flags=np.zeros((steps.FLAG_ROWS, count), bool),
        rng=np.zeros((count, 4), np.uint32),
        listed=np.zeros((count, game.actions), np.int64),
        log=np.zeros((count, ROOM_FOR_MOVES), np.int32),
        last_log=np.zeros((count, ROOM_FOR_MOVES), np.int32),
        allowed=np.zeros((count, game.actions), np.int8),
        counts=np.full((count, game.observation.slots), steps.NOTHING_SEEN, np.int64),
        memory=np.zeros((count, game.observation.room), np.uint8),
        observations=np.zeros((count, game.observation_size), dtype),
        masks=np.zeros((count, game.actions), np.int8),
        rewards=np.zeros((count, players), np.float32),
        scores=np.zeros((count, players), np.int32),
        won=np.zeros((count, players), bool),
    )


def _rebuild(blanks: Blanks, made_of: tuple[Any, ...], arrays: dict[str, Any]) -> Batch:
    made = Batch(blanks, *made_of)
    made._work_on(made._games._replace(**arrays, blanks=blanks.states))
    made._started = bool(made._games.ledger[steps.GAME, 0] >= 0)
    if made._started:
        made._share(lambda first, last: steps.show_games(first, last, made._arrays))
    return made


def _unpickle(
    name: str, kernel: str, carried: Any, made_of: tuple[Any, ...], arrays: dict[str, Any]
) -> Batch:
    game = get_game(name)
    check_version(game, kernel)
    states = arrays["states"].view(game.state_dtype)
    return _rebuild(Blanks.of_carried(game, *carried), made_of, {**arrays, "states": states})
