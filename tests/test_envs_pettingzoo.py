"""PettingZoo's own suites on every game, and what they do not look at."""

import copy
import itertools
import pickle
import random
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.envs import pettingzoo_env
from storeys.kernel import chance, entry_points
from storeys.kernel.messages import figure
from storeys.registry import get_game
from tests.env_setups import SETUPS, Setup, name_of

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'storeys[envs]'")

with warnings.catch_warnings():
    # The suite imports a classic game by a way that PettingZoo itself calls old.
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        performance_benchmark,
        render_test,
        seed_test,
        state_test,
    )

# What the suite says about every environment that is not one of its own: it knows no others with
# a dictionary of observation and mask, and none in which a seat waits with an empty mask.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{re.escape(said)}:UserWarning")
    for said in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]

ALL = pytest.mark.parametrize(("game", "options"), SETUPS, ids=name_of)
GAMES = pytest.mark.parametrize("game", storeys.game_names())


def play_at_random(env: Any, seed: int, steps: int = 10_000) -> Iterator[tuple[str, Any]]:
    """The loop of PettingZoo's guide; yields what each agent was told."""
    rng = random.Random(seed)
    for agent in env.agent_iter(steps):
        told = env.last()
        yield agent, told
        over = told[2] or told[3]
        env.step(None if over else rng.choice(np.flatnonzero(told[0]["action_mask"]).tolist()))


# --- their suites


@ALL
def test_api(game: str, options: Setup) -> None:
    api_test(pettingzoo_env(game, **options), num_cycles=60)


@GAMES
def test_api_of_the_raw_environment(game: str) -> None:
    api_test(pettingzoo_env(game, raw=True), num_cycles=60)


@GAMES
def test_seeds(game: str) -> None:
    seed_test(lambda: pettingzoo_env(game, players=2), num_cycles=30)


@ALL
def test_parallel_api(game: str, options: Setup) -> None:
    parallel_api_test(pettingzoo_env(game, parallel=True, **options), num_cycles=40)


@GAMES
def test_their_check_of_the_state(game: str) -> None:
    options: Any = {"players": 3}
    state_test(pettingzoo_env(game, **options), pettingzoo_env(game, parallel=True, **options))


@GAMES
def test_rendering(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str) -> Any:
        return pettingzoo_env(game, players=2, render_mode=render_mode)

    def is_svg(picture: Any) -> bool:
        return isinstance(picture, str) and picture.startswith("<svg")

    render_test(make, {"svg": is_svg})
    assert len(capsys.readouterr().out) > 1000  # what "human" has printed


@GAMES
def test_their_benchmark(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It runs for five seconds of its clock; here the clock jumps."""
    ticks = itertools.count(step=2)
    monkeypatch.setattr("time.time", lambda: next(ticks))
    performance_benchmark(pettingzoo_env(game))
    assert "turns per second" in capsys.readouterr().out


# --- the match inside


@ALL
def test_the_match_is_the_one_of_the_seed(game: str, options: Setup) -> None:
    """Observations, masks, turns and rewards are those of a match made by hand."""
    env = pettingzoo_env(game, seed=5, rewards=difference_or_win(options), **options)
    env.reset()
    match = storeys.new(game, seed=5, **options)
    rng = random.Random(1)
    for agent in env.agent_iter():
        told, reward, over, _, _ = env.last()
        if over:
            assert reward == pytest.approx(paid(match, int(agent[5:])))
            env.step(None)
            continue
        assert agent == f"seat_{match.to_move}"
        assert np.array_equal(told["observation"], match.observe(match.to_move))
        assert np.array_equal(told["action_mask"], match.action_mask())
        for seat in range(match.players):
            waiting = env.observe(f"seat_{seat}")
            assert np.array_equal(waiting["observation"], match.observe(seat))
            assert waiting["action_mask"].any() == (seat == match.to_move)
        action = rng.choice(np.flatnonzero(told["action_mask"]).tolist())
        env.step(action)
        match.push(move_of(match, action))
    assert env.unwrapped.record() == match.record()


def difference_or_win(options: Setup) -> str:
    return "difference" if options["players"] % 2 else "win"


def paid(match: storeys.Match, seat: int) -> float:
    totals: list[int] = [entry["total"] for entry in match.score()]
    if match.players == 1:
        return float(totals[0])
    if match.players == 3:
        return totals[seat] - (sum(totals) - totals[seat]) / 2
    share = (seat in match.winners) / len(match.winners)
    return (share * match.players - 1) / (match.players - 1)


def move_of(match: storeys.Match, action: int) -> storeys.Move:
    game, components = match.game, match.setup.components
    actions, codes = np.empty((2, game.actions), np.int64)
    count = entry_points.legal_codes(match.state(), components.tables, actions, codes)
    return storeys.Move(game, components, int(codes[:count][actions[:count] == action][0]))


@GAMES
def test_nothing_hidden_is_in_observation_and_mask(game: str) -> None:
    """Dealt afresh for a seat, the match looks the same to it."""
    env = pettingzoo_env(game, raw=True, seed=8)
    env.reset()
    rng, differ = chance.generator(3), 0
    for _, _told in play_at_random(env, 2):
        play = env.unwrapped.play
        for seat in range(play.setup.players):
            other = play.clone()
            entry_points.redeal(other.state, other.setup.components.tables, seat, rng)
            for here, there in zip(play.look(seat), other.look(seat), strict=True):
                assert np.array_equal(here, there)
            differ += play.open().position() != other.open().position()
    assert differ > 100


@GAMES
def test_the_state_is_what_all_seats_see(game: str) -> None:
    """So it changes when a hand is dealt afresh, which no single other seat notices."""
    env = pettingzoo_env(game, players=3, seed=8)
    rng, differ = chance.generator(3), 0
    env.reset()
    for _, _told in play_at_random(env, 2, steps=40):
        state, play = env.state(), env.unwrapped.play
        for seat in range(3):
            assert np.array_equal(state[seat], env.observe(f"seat_{seat}")["observation"])
        twin = env.clone()
        assert np.array_equal(twin.state(), state)
        entry_points.redeal(twin.unwrapped.play.state, play.setup.components.tables, 0, rng)
        assert np.array_equal(twin.state()[0], state[0])
        differ += not np.array_equal(twin.state(), state)
    assert differ > 30


@GAMES
def test_all_numbers_lie_in_the_space(game: str) -> None:
    env = pettingzoo_env(game, raw=True, seed=1)
    for seed in range(3):
        env.reset()
        for agent, told in play_at_random(env, seed):
            assert env.observation_space(agent).contains(told[0])


# --- seeds and copies


@GAMES
def test_resets_without_a_seed_follow_from_the_last_seed(game: str) -> None:
    def deals(*seeds: int | None) -> list[Any]:
        env: Any = pettingzoo_env(game, seed=4, raw=True)
        found = []
        for seed in seeds:
            env.reset(seed=seed)
            found.append(env.play.seed)
        return found

    assert deals(None, None, None) == deals(None, None, None)
    assert len(set(deals(None, None, None))) == 3
    assert deals(9, None)[0] == 9
    assert deals(9, None) == deals(9, None) != deals(None, None)
    fresh: Any = [pettingzoo_env(game, raw=True) for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].play.seed != fresh[1].play.seed


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("raw", [False, True], ids=["wrapped", "raw"])
@GAMES
def test_copies_are_exact(game: str, raw: bool, way: str) -> None:
    """The copy goes on exactly as the original does, the matches after the next reset too."""
    env: Any = pettingzoo_env(game, players=2, raw=raw, seed=1)
    env.reset()
    for _ in play_at_random(env, 1, steps=20):
        pass
    twin = COPIES[way](env)
    assert type(twin) is type(env)
    before = env.unwrapped.record()
    assert story_of(twin) == story_of(env)
    third = COPIES[way](env)
    third.reset()
    assert env.unwrapped.record() != before
    env.reset()
    assert env.unwrapped.record() == third.unwrapped.record()


def story_of(env: Any) -> list[Any]:
    told = [
        (agent, bytes(told[0]["observation"]), bytes(told[0]["action_mask"]), told[1])
        for agent, told in play_at_random(env, 7)
    ]
    return [*told, env.unwrapped.record(), env.action_space("seat_0").sample()]


# --- what goes wrong


@pytest.mark.parametrize(("options", "cost"), [({}, -1), ({"rewards": "difference"}, -100),
                                               ({"illegal_reward": -7}, -7)])  # fmt: skip
def test_an_illegal_action_ends_the_match(
    options: dict[str, Any], cost: float, caplog: pytest.LogCaptureFixture
) -> None:
    env = pettingzoo_env("manhattan", players=3, seed=1, **options)
    env.reset()
    told = env.last()[0]
    agent = env.agent_selection
    env.step(int(np.flatnonzero(told["action_mask"] == 0)[0]))
    assert "Illegal move made" in caplog.text
    assert all(env.terminations.values())
    assert env.rewards == {name: cost if name == agent else 0 for name in env.agents}


def test_the_raw_environment_refuses_an_illegal_action() -> None:
    env = pettingzoo_env("manhattan", raw=True, seed=1)
    env.reset()
    before = env.unwrapped.record()
    for action in (319, 400, -1):
        with pytest.raises(storeys.IllegalMove, match=f"action {figure(action)} is not legal now"):
            env.step(action)
    with pytest.raises(storeys.BadOption, match="an action is a whole number, not “build”"):
        env.step("build")
    assert env.unwrapped.record() == before


def test_nothing_works_before_the_first_reset() -> None:
    env = pettingzoo_env("manhattan")
    for name in ("agents", "terminations", "agent_selection"):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            getattr(env, name)
    with pytest.raises(storeys.StoreysError, match="no match has begun; call reset"):
        env.unwrapped.record()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 9}, "players"),
        ({"rewards": "money"}, "there are no rewards “money”; known are difference, win, rank"),
        ({"render_mode": "3d"}, "there is no render_mode “3d”; known are human, ansi, svg, rgb_a"),
        ({"illegal_reward": "lots"}, "illegal_reward is a number, not “lots”"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_options_are_explained(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(storeys.BadOption, match=re.escape(sentence)):
        pettingzoo_env("manhattan", **options)


def test_names_and_metadata() -> None:
    env = pettingzoo_env("cloud-city", players=3)
    assert str(env) == "storeys_cloud_city_v0"
    assert env.possible_agents == ["seat_0", "seat_1", "seat_2"]
    assert env.metadata["is_parallelizable"] is False
    game = get_game("cloud-city")
    assert env.action_space("seat_1").n == game.actions


def test_drawing_by_a_mask_is_uniform() -> None:
    space = pettingzoo_env("manhattan").action_space("seat_0")
    space.seed(1)
    mask = np.zeros(320, np.int8)
    mask[[3, 5, 319]] = 1
    drawn = np.bincount([space.sample(mask) for _ in range(3000)], minlength=320)
    assert set(np.flatnonzero(drawn)) == {3, 5, 319}
    assert drawn[[3, 5, 319]].min() > 900
    assert space.sample(np.zeros(320, np.int8)) == 0
    with pytest.raises(AssertionError, match="shape"):
        space.sample(np.zeros(3, np.int8))
    inside = [space.contains(x) for x in (0, np.int64(319), 320, -1, "a", np.int32(3), 2.0)]
    assert inside == [True, True, False, False, False, True, False]
