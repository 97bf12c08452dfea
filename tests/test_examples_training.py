"""The training example: a short run of it, and that its learning does what it says."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storeys.envs.batch import batch

EXAMPLE = Path(__file__).parent.parent / "examples" / "train_policy.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the script, with fewer games everywhere; its functions look them up here."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the script would: it is put back
    names = runpy.run_path(str(EXAMPLE))
    scope: dict[str, Any] = names["main"].__globals__
    scope.update(GAMES=16, STEPS=16, PIECES=2, LOOKS=2, OPPONENTS={"random": 8, "builder": 2})
    return scope


@pytest.mark.parametrize("game", ["manhattan", "cloud-city"])
def test_a_shortened_run(
    example: dict[str, Any], game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "curve.svg"
    example["main"](["--game", game, "--minutes", "0.001", "--seed", "3", "--plot", str(picture)])
    head, *rows = capsys.readouterr().out.splitlines()
    assert re.sub(" +", " ", head) == (
        "minutes moves wins against random points wins against builder points"
    )
    assert len(rows) == 3
    for row in rows:
        assert re.fullmatch(r" *\d+\.\d\d +[\d,]+( +\d+% +[+-]\d+\.\d){2} *", row)
    svg = picture.read_text("utf-8")
    assert svg.count("<polyline") == 2
    assert "nan" not in svg


def test_it_starts_as_a_script() -> None:
    child = subprocess.run(
        [sys.executable, str(EXAMPLE), "--help"], capture_output=True, text=True, check=True
    )
    assert "--minutes" in child.stdout


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
