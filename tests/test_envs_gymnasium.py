"""Gymnasium's own check on every game, and what it does not look at."""

import copy
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import storeys
import storeys.envs
from storeys.bots import Bot, registry
from storeys.kernel import chance, entry_points
from tests.env_setups import SETUPS, Setup, name_of

gymnasium = pytest.importorskip(
    "gymnasium", reason="Gymnasium is not installed: pip install 'storeys[envs]'"
)

from gymnasium.utils.env_checker import check_env  # noqa: E402

IDS = {
    "manhattan": "storeys/Manhattan-v0",
    "cloud-city": "storeys/CloudCity-v0",
    "neoville": "storeys/Neoville-v0",
}
ALL = pytest.mark.parametrize(("game", "options"), SETUPS, ids=name_of)
GAMES = pytest.mark.parametrize("game", storeys.game_names())


def make(game: str, **options: Any) -> Any:
    return gymnasium.make(IDS[game], **options)


def random_action(rng: random.Random, mask: Any) -> int:
    return rng.choice(np.flatnonzero(mask).tolist())


def play_at_random(env: Any, seed: int, told: Any, steps: int = 10_000) -> list[Any]:
    """Play on from what was told last; all that is told, step by step."""
    rng, found = random.Random(seed), []
    for _ in range(steps):
        told, reward, over, _, info = env.step(random_action(rng, told["action_mask"]))
        found.append((told, reward, over, info))
        if over:
            break
    return found


# --- their check


@ALL
def test_their_check(game: str, options: Setup) -> None:
    env = make(game, opponents="random", **options)
    check_env(env.unwrapped, skip_render_check=True)


@GAMES
def test_their_check_with_builders_and_pictures(game: str) -> None:
    check_env(make(game, players=2, render_mode="rgb_array").unwrapped)


def test_every_game_is_registered() -> None:
    assert set(IDS) == set(storeys.game_names())
    for name in IDS.values():
        assert name in gymnasium.registry
    assert gymnasium.make("storeys.envs:storeys/Neoville-v0") is not None


# --- the match inside


@pytest.mark.parametrize("opponents", ["random", "novice", "builder"])
@GAMES
def test_the_record_of_a_match_replays(game: str, opponents: str) -> None:
    env = make(game, players=3, seat=1, opponents=opponents, rewards="rank")
    told, info = env.reset(seed=3)
    steps = play_at_random(env, 1, told)
    match = storeys.load(env.unwrapped.record())
    assert match.seed == 3
    assert match.to_move is None
    told, reward, over, info = steps[-1]
    assert over
    assert info["scores"] == [seat["total"] for seat in match.score()]
    assert info["winners"] == match.winners
    beaten = sum(np.sign(info["scores"][1] - np.array(info["scores"])))
    if not any(info["scores"].count(score) > 1 for score in info["scores"]):
        assert reward == beaten / 2
    assert all(step[1] == 0 for step in steps[:-1])
    assert np.array_equal(told["observation"], match.observe(1))


@GAMES
def test_the_agent_is_always_to_move(game: str) -> None:
    env = make(game, seat="random", opponents="random")
    seats = set()
    for seed in range(12):
        rng, over = random.Random(seed), False
        told, info = env.reset(seed=seed)
        seats.add(info["seat"])
        while not over:
            assert env.unwrapped.play.to_move == info["seat"]
            assert np.array_equal(told["action_mask"], info["action_mask"])
            assert np.array_equal(told["action_mask"], env.unwrapped.action_masks())
            told, _, over, _, info = env.step(random_action(rng, told["action_mask"]))
        assert not told["action_mask"].any()
    assert seats == {0, 1, 2, 3}


@GAMES
def test_nothing_hidden_is_told(game: str) -> None:
    env = make(game, seat=1, opponents="random")
    told, _ = env.reset(seed=1)
    rng, redeal = random.Random(1), chance.generator(2)
    over = False
    while not over:
        play = env.unwrapped.play
        other = play.clone()
        entry_points.redeal(other.state, other.setup.components.tables, 1, redeal)
        for here, there in zip(play.look(1), other.look(1), strict=True):
            assert np.array_equal(here, there)
        told, _, over, _, _ = env.step(random_action(rng, told["action_mask"]))


class Spy(Bot):
    """Notes what it is shown."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.shown: list[Any] = []

    def plan(self, view: Any) -> Any:
        self.shown.append(view)
        return super().plan(view)

    def choose_in(self, world: storeys.Match) -> storeys.Move:
        return world.random_move(self.chance_in(world))


@GAMES
def test_bots_see_views_only(game: str) -> None:
    spy = Spy()
    env = make(game, players=3, opponents=[spy, "random"])
    play_at_random(env, 1, env.reset(seed=1)[0])
    assert len(spy.shown) >= 8
    for view in spy.shown:
        assert view["seat"] == view["to_move"] == 1
        assert view["seed"] is None
    hidden = [[card for hand in view["hands"] for card in hand].count(None) for view in spy.shown]
    assert max(hidden) >= 3


@GAMES
def test_no_bot_is_asked_through_json(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*view: Any, **more: Any) -> None:
        raise AssertionError("a view was read")

    monkeypatch.setattr(registry, "from_position", read)
    env = make(game, players=2, opponents="novice")
    assert len(play_at_random(env, 1, env.reset(seed=1)[0], steps=6)) == 6


def test_opponents_sit_clockwise_from_the_agent() -> None:
    spies = [Spy(), Spy(), Spy()]
    env = make("manhattan", seat=2, opponents=spies)
    play_at_random(env, 1, env.reset(seed=1)[0])
    assert [{view["seat"] for view in spy.shown} for spy in spies] == [{3}, {0}, {1}]


def test_alone_there_are_no_opponents() -> None:
    env = make("neoville", players=1)
    steps = play_at_random(env, 1, env.reset(seed=1)[0])
    assert steps[-1][1] == steps[-1][3]["scores"][0]


# --- seeds and copies


@pytest.mark.parametrize("opponents", ["random", "novice"])
@GAMES
def test_a_seed_makes_everything_repeatable(game: str, opponents: str) -> None:
    def records(*seeds: int | None) -> list[Any]:
        env = make(game, players=2, opponents=opponents, seat="random")
        found = []
        for seed in seeds:
            play_at_random(env, 5, env.reset(seed=seed)[0], steps=8)
            found.append(env.unwrapped.record())
        return found

    assert records(7, None) == records(7, None)
    assert records(7)[0]["seed"] == "7"
    assert records(None) != records(None)


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.unwrapped.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", COPIES)
@GAMES
def test_copies_are_exact(game: str, way: str) -> None:
    env = make(game, players=3, opponents=["random", "novice"])
    told, _ = env.reset(seed=1)
    told = play_at_random(env, 1, told, steps=6)[-1][0]
    twin = COPIES[way](env)
    for here in (env, twin):
        play_at_random(here, 2, told)
    assert env.unwrapped.record() == twin.unwrapped.record()
    assert env.action_space.sample() == twin.action_space.sample()
    for here in (env, twin):
        here.reset()
    assert env.unwrapped.record() == twin.unwrapped.record()


# --- what goes wrong


@pytest.mark.parametrize(
    ("options", "cost"),
    [({}, -1), ({"rewards": "difference"}, -100), ({"illegal_reward": -0.5}, -0.5)],
)
@pytest.mark.parametrize("action", [319, 320, -1, 10**30, np.int32(311)])
def test_an_illegal_action_is_paid_and_ends_the_match(
    action: Any, options: dict[str, Any], cost: float
) -> None:
    env = make("manhattan", opponents="random", **options).unwrapped
    env.reset(seed=1)
    before = env.record()
    told, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal"]) == (cost, True, False, True)
    assert not told["action_mask"].any()
    assert env.record() == before
    with pytest.raises(storeys.StoreysError, match=r"the match is over; call reset\(\)"):
        env.step(0)
    assert env.reset()[1]["illegal"] is False


def test_what_is_no_action_is_refused() -> None:
    env = make("manhattan", opponents="random").unwrapped
    with pytest.raises(storeys.StoreysError, match=r"no match has begun; call reset\(\) first"):
        env.record()
    env.reset()
    with pytest.raises(storeys.BadOption, match=r"an action is a whole number, not 1\.5"):
        env.step(1.5)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 4}, "seat is a number from 0 to 3 or “random”, not 4"),
        ({"opponents": "grandmaster"}, "grandmaster"),
        ({"opponents": ["random"]}, "a mapping of these to weights, or a list of 3 of them, not"),
        ({"opponents": 7}, "opponents is the name of a bot"),
        ({"players": 1}, "players"),
        ({"rewards": "money"}, "there are no rewards “money”"),
    ],
)
def test_bad_options_are_explained(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(storeys.BadOption, match=re.escape(sentence)):
        make("manhattan", **options)


@pytest.mark.parametrize(("mode", "kind"), [("svg", str), ("ansi", str), ("rgb_array", np.ndarray)])
def test_rendering_shows_what_the_agent_sees(mode: str, kind: type) -> None:
    env = make("manhattan", render_mode=mode, opponents="random")
    env.reset(seed=1)
    picture = env.render()
    assert isinstance(picture, kind)
    if mode == "svg":
        assert picture == env.unwrapped.play.open().svg(0, prefix="env")


def test_people_see_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = make("manhattan", render_mode="human", opponents="random")
    told, _ = env.reset(seed=1)
    first = len(capsys.readouterr().out)
    assert first > 100
    play_at_random(env, 1, told, steps=1)
    assert len(capsys.readouterr().out) > 100


# --- without the libraries

WITHOUT = """
import sys
for name in ("gymnasium", "pettingzoo", "pyspiel"):
    sys.modules[name] = None
import storeys, storeys.envs
assert "numba" not in sys.modules
for use in ("storeys.envs.pettingzoo_env", "import storeys.envs.gymnasium",
            "import storeys.envs.openspiel"):
    try:
        exec(use)
    except storeys.StoreysError as error:
        print(error)
"""


def test_a_missing_library_says_what_to_install() -> None:
    child = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    rest = "or 'storeys[envs]' for all of them"
    assert child.stdout.splitlines() == [
        f"pettingzoo is not installed; pip install 'storeys[pettingzoo]', {rest}",
        f"gymnasium is not installed; pip install 'storeys[gymnasium]', {rest}",
        f"open_spiel is not installed; pip install 'storeys[openspiel]', {rest}",
    ]


def test_the_import_is_light() -> None:
    heavy = ("numba", "pettingzoo", "pyspiel")
    code = f"import sys, storeys.envs; print([n for n in {heavy} if n in sys.modules])"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "first", ["import storeys.envs.batch", "from storeys.envs.batch import Batch", "pass"]
)
def test_batch_is_the_function_whoever_comes_first(first: str) -> None:
    code = f"import storeys.envs\n{first}\nprint(storeys.envs.batch.__name__)\n"
    code += "from storeys.envs import batch\nassert batch is storeys.envs.batch"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "batch"
