"""The training examples: short runs of them, and that the learning does what it says."""

import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.envs.batch import batch
from tests.proofs import in_proof, long_case

EXAMPLES = Path(__file__).parent.parent / "examples"
EXAMPLE = EXAMPLES / "train_policy.py"
MASKABLE = EXAMPLES / "train_maskable_ppo.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the script, with fewer games everywhere; its functions look them up here."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the script would: it is put back
    names = runpy.run_path(str(EXAMPLE))
    scope: dict[str, Any] = names["main"].__globals__
    scope.update(GAMES=16, STEPS=16, PIECES=2, ROUNDS=2, OPPONENTS={"random": 8, "builder": 2})
    return scope


@pytest.mark.parametrize("game", ["manhattan", long_case("cloud-city")])
def test_a_shortened_run(
    example: dict[str, Any], game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "curve.svg"
    example["main"](["--game", game, "--steps", "600", "--seed", "3", "--plot", str(picture)])
    head, *rows = capsys.readouterr().out.splitlines()
    assert re.sub(" +", " ", head) == (
        " moves wins against random points wins against builder points"
    )
    for row, moves in zip(rows, ["0", "512", "1,024"], strict=True):
        assert re.fullmatch(rf" *{moves}( +\d+% +[+-]\d+\.\d){{2}} *", row)
    svg = picture.read_text("utf-8")
    assert svg.count("<polyline") == 2
    assert "nan" not in svg


def test_a_resumed_run_goes_on_as_if_it_had_never_stopped(
    example: dict[str, Any], tmp_path: Path
) -> None:
    """Weights, curve and all are those of a run in one piece."""
    example["OPPONENTS"] = {"random": 4}
    whole, part, other = (tmp_path / f"{name}.npz" for name in ("whole", "part", "other"))
    run = ["--game", "cloud-city", "--seed", "3"]
    example["main"]([*run, "--steps", "1500", "--save", str(whole)])
    example["main"]([*run, "--steps", "500", "--save", str(part)])
    before = part.read_bytes()
    example["main"](["--resume", str(part), "--steps", "1500", "--save", str(other)])
    assert part.read_bytes() == before
    example["main"](["--resume", str(part), "--steps", "1500"])
    for file in (part, other):
        with np.load(whole) as here, np.load(file) as there:
            assert set(here) == set(there)
            assert here["counts"].tolist() == [3, 1536, 12]
            assert len(here["curve"]) == 4
            for name in here:
                assert np.array_equal(here[name], there[name]), name
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "other.npz", "part.npz", "whole.npz",
    ]  # fmt: skip


def test_what_was_trained_is_a_bot(example: dict[str, Any], tmp_path: Path) -> None:
    """It plays a match against another, does what the policy says, and is an opponent."""
    file = tmp_path / "policy.npz"
    training = example["Training"]("manhattan", 1)
    training.save(file)
    bot = example["PolicyBot"](file, seed=1)
    other, match = storeys.bot("novice", seed=1), storeys.new("manhattan", players=2, seed=7)
    while match.to_move is not None:
        seen, mask = match.observe(match.to_move), match.action_mask()
        move = (bot, other)[match.to_move].choose(match.view(match.to_move))
        if match.to_move == 0:
            _, chances, _ = training.policy.look(seen[None], mask[None])
            assert match.action_of(move) == chances[0].argmax()
        match.push(move)
    gymnasium = pytest.importorskip("gymnasium")
    told = []
    for opponent in (bot, training.policy):
        env = gymnasium.make("storeys.envs:storeys/Manhattan-v0", players=2, opponents=opponent)
        seen, _ = env.reset(seed=1)
        over = False
        while not over:
            seen, _, over, _, _ = env.step(int(seen["action_mask"].argmax()))
        told.append(env.unwrapped.record())
    assert told[0] == told[1]


@pytest.mark.parametrize("file", [EXAMPLE, MASKABLE], ids=lambda file: file.stem)
def test_it_starts_as_a_script(file: Path) -> None:
    if file == MASKABLE:
        pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    child = subprocess.run(
        [sys.executable, str(file), "--help"], capture_output=True, text=True, check=True
    )
    assert "--steps" in child.stdout


def test_what_is_missing_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "sb3_contrib.py").write_text("raise ImportError", "utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    child = subprocess.run(
        [sys.executable, str(MASKABLE), "--help"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert child.returncode == 1
    assert child.stdout == ""
    assert child.stderr == "this example needs sb3-contrib: pip install sb3-contrib\n"


@pytest.mark.skipif(
    importlib.util.find_spec("sb3_contrib") is None, reason="sb3-contrib is not installed"
)
def test_a_shortened_run_of_maskable_ppo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = runpy.run_path(str(MASKABLE))["main"].__globals__
    scope.update(MATCHES=4, STEPS=16, LOOKS=2, COUNT=6)
    kept = tmp_path / "model.zip"
    scope["main"](["--game", "cloud-city", "--steps", "128", "--save", str(kept)])
    _, *rows = capsys.readouterr().out.splitlines()
    for row, steps in zip(rows, ("0", "64", "128"), strict=True):
        assert re.fullmatch(rf" *{steps} +\d+% +[+-]\d+\.\d", row)
    assert kept.stat().st_size > 10_000


def test_the_slopes_are_those_of_the_goal(example: dict[str, Any]) -> None:
    """What `improve` descends along, against differences of the goal itself."""
    rng = np.random.default_rng(0)
    games = batch("manhattan", 6, players=2, seed=1)
    games.reset()
    seen, masks = games.observations.astype(np.float64), games.action_masks
    policy = example["Policy"](seen.shape[1], masks.shape[1], rng)
    policy.weights = {name: w.astype(np.float64) for name, w in policy.weights.items()}
    policy.weights["logits"] *= 100
    _, before, _ = policy.look(seen, masks)
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
    likely = before[np.arange(6), actions] * np.array([1, 0.9, 1.1, 0.5, 2, 1])
    gains, goals = np.array([1, -1, 2, 1, -1, 0.5]), rng.normal(size=6)

    def goal() -> float:
        _, chances, values = policy.look(seen, masks)
        ratio = chances[np.arange(6), actions] / likely
        clipped = np.minimum(ratio * gains, np.clip(ratio, 0.8, 1.2) * gains)
        entropy = -(chances * np.log(np.where(chances > 0, chances, 1))).sum(axis=1)
        value = ((values - goals) ** 2 / 2).mean()
        return float(value - clipped.mean() - example["ENTROPY"] * entropy.mean())

    differences = {}
    for name, weights in policy.weights.items():
        for place in [(0, 0), (3, 0), (5, min(60, weights.shape[1] - 1)), (-1, 0)]:
            kept, ends = weights[place], []
            for change in (1e-5, -1e-5):
                weights[place] = kept + change
                ends.append(goal())
            weights[place] = kept
            differences[name, place] = (ends[0] - ends[1]) / 2e-5
    policy.moments = {name: np.zeros((2, *w.shape)) for name, w in policy.weights.items()}
    policy.improve(seen, masks, actions, likely, gains, goals)
    assert any(abs(slope) > 1e-3 for slope in differences.values())
    for (name, place), slope in differences.items():
        first_moment = policy.moments[name][0][place] / 0.1
        assert first_moment == pytest.approx(slope, abs=1e-6)


def test_gains_change_sides_with_the_turn(example: dict[str, Any]) -> None:
    """With values of zero and lambda 1, a move gains what its seat is paid in the end."""
    example.update(GAMES=4, STEPS=300, LAMBDA=1.0)
    games = batch("manhattan", 4, players=2, seed=1, rewards="difference")
    games.reset()
    size, actions = games.game.observation_size, games.game.actions
    policy = example["Policy"](size, actions, np.random.default_rng(0))
    policy.weights["value"][:] = 0
    twin = games.clone()
    _, masks, chosen, _, gains, goals = example["collect"](games, policy)
    assert np.array_equal(gains, goals)
    chosen, gains = chosen.reshape(300, 4), gains.reshape(300, 4)
    assert (masks[np.arange(1200), chosen.ravel()] == 1).all()
    open_moves: list[list[tuple[int, int]]] = [[] for _ in range(4)]
    ended = 0
    for step in range(300):
        _, rewards, ends, _, infos = twin.step(chosen[step])
        for place in range(4):
            open_moves[place].append((step, int(infos["acted"][place])))
            if ends[place]:
                for nth, seat in open_moves[place]:
                    fair = rewards[place, seat] / example["POINTS"]
                    assert gains[nth, place] == pytest.approx(fair, abs=1e-4)
                open_moves[place], ended = [], ended + 1
    assert ended >= 8


@in_proof
def test_it_learns(example: dict[str, Any]) -> None:
    """Alone in Cloud City random play has about 10 points; 30,000 moves later it is 18."""
    example.update(GAMES=32, STEPS=64, PIECES=16, HIDDEN=32)
    games = batch("cloud-city", 32, players=1, seed=1)
    games.reset()
    policy = example["Policy"](
        games.game.observation_size, games.game.actions, np.random.default_rng(1)
    )
    before = mean_points(policy)
    for _ in range(15):
        example["learn"](games, policy)
    assert mean_points(policy) > before + 4


def mean_points(policy: Any) -> float:
    """The mean points of games alone."""
    games = batch("cloud-city", 200, players=1, seed=5)
    points: list[float] = []
    games.reset()
    while len(points) < 200:
        actions, _, _ = policy.act(games.observations, games.action_masks)
        _, rewards, ends, _, _ = games.step(actions)
        points += rewards[ends, 0].tolist()
    return float(np.mean(points))
