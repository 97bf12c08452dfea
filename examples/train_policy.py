"""Train a small policy by playing against itself in a batch, keep it, and let it play as a bot.

    python examples/train_policy.py --game manhattan --steps 5_000_000 --save policy.npz
    python examples/train_policy.py --resume policy.npz --steps 10_000_000 --plot curve.svg

Two players, a net with one hidden layer in plain NumPy, and PPO: the clipped policy gradient with a
learned value.  Now and then it is kept in the file, and plays against bots, which see their views
and nothing else.  From Python it is a bot like any other:

    from train_policy import PolicyBot

    bot = PolicyBot("policy.npz")
    match.push(bot.choose(match.view(match.to_move)))
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for matrices this small, more only wait
import numpy as np

import storeys
from storeys.bots import Bot
from storeys.envs.batch import Batch, batch
from storeys.registry import get_game

GAMES, STEPS, PIECES = 256, 64, 32  # games at once, moves before learning, pieces to learn from
HIDDEN, RATE, CLIP, LAMBDA, ENTROPY = 64, 1e-3, 0.2, 0.98, 0.003
POINTS = 50.0  # so many points of difference are worth 1
OPPONENTS = {"random": 400, "builder": 20}  # and how many games are played against each
ROUNDS, COLOURS = 50, ("#06c", "#c40")  # how often it learns between two looks; for the plot
Array = np.ndarray[Any, np.dtype[Any]]


class Policy:
    """What to do, as a distribution over the legal actions, and what a position is worth."""

    def __init__(self, size: int, actions: int, rng: np.random.Generator) -> None:
        shapes = {"hidden": (size + 1, HIDDEN), "logits": (HIDDEN, actions), "value": (HIDDEN, 1)}
        self.weights = {
            name: rng.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
            for name, shape in shapes.items()
        }
        self.weights["logits"] *= 0.01  # begin by playing at random
        self.moments = {name: np.zeros((2, *shape), np.float32) for name, shape in shapes.items()}
        self.updates, self.rng = 0, rng

    def look(self, seen: Array, masks: Array) -> tuple[Array, Array, Array]:
        """The hidden layer, the chances of all actions and the values of some positions."""
        first = self.weights["hidden"]
        hidden = np.maximum(seen @ first[:-1] + first[-1], 0)
        logits = np.where(masks == 1, hidden @ self.weights["logits"], -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return hidden, chances, (hidden @ self.weights["value"])[:, 0]

    def act(self, seen: Array, masks: Array) -> tuple[Array, Array, Array]:
        """Actions drawn at random, how likely they were, and the values of the positions."""
        _, chances, values = self.look(seen, masks)
        race = chances / (self.rng.standard_exponential(chances.shape, np.float32) + 1e-9)
        actions = race.argmax(axis=1)
        return actions, of_each(chances, actions), values

    def __call__(self, seen: Array, masks: Array) -> Array:
        """The actions it likes best: so it can be given to an environment as ``opponents``."""
        chosen: Array = self.look(seen, masks)[1].argmax(axis=1)
        return chosen

    def improve(
        self, seen: Array, masks: Array, actions: Array, likely: Array, gains: Array, goals: Array
    ) -> None:
        """One step along PPO's clipped gradient, that of the values and a little entropy."""
        hidden, chances, values = self.look(seen, masks)
        ratio = of_each(chances, actions) / likely
        pull = np.where((ratio - 1) * np.sign(gains) < CLIP, ratio * gains, 0)
        logs = np.log(np.maximum(chances, 1e-12))
        surprise = logs - (chances * logs).sum(axis=1, keepdims=True)
        slope = chances * (pull[:, None] + ENTROPY * surprise)
        slope[np.arange(len(actions)), actions] -= pull
        error = (values - goals)[:, None]
        back = slope @ self.weights["logits"].T + error @ self.weights["value"].T
        back *= hidden > 0
        first = np.vstack([seen.T @ back, back.sum(axis=0)])
        slopes = {"hidden": first, "logits": hidden.T @ slope, "value": hidden.T @ error}
        self.updates += 1
        for name, total in slopes.items():  # Adam
            mean, square = self.moments[name]
            mean += 0.1 * (total / len(seen) - mean)
            square += 0.001 * ((total / len(seen)) ** 2 - square)
            spread = np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8
            self.weights[name] -= RATE * mean / (1 - 0.9**self.updates) / spread


class Training:
    """A policy that learns, how many moves it has learned from, and how it fared meanwhile.

    Between two looks games and chance begin anew, from the seed and the moves so far: a training
    that is kept at a look and resumed goes on exactly as if it had never stopped.
    """

    def __init__(self, game: str, seed: int) -> None:
        self.game, self.seed, self.moves = game, seed, 0
        self.curve: list[list[float]] = []  # moves, then the points more than each opponent
        kind = get_game(game)
        rng = np.random.default_rng(seed)
        self.policy = Policy(kind.observation_size, kind.actions, rng)

    def go_on(self) -> None:
        """Play and learn up to the next look."""
        start = np.random.default_rng([self.seed, self.moves])
        self.policy.rng = start
        number = int(start.integers(2**62))
        games = batch(self.game, GAMES, players=2, seed=number, rewards="difference")
        games.reset()
        for _ in range(ROUNDS):
            learn(games, self.policy)
        self.moves += ROUNDS * GAMES * STEPS

    def look(self) -> str:
        """Play against the bots, note how it went, and say so in a line."""
        self.policy.rng = np.random.default_rng(self.seed)
        found = [evaluate(self.policy, self.game, *each) for each in OPPONENTS.items()]
        self.curve.append([self.moves, *(points for _, points in found)])
        results = "".join(f"{wins:20.0%} {points:+8.1f} " for wins, points in found)
        return f"{self.moves:11,} {results}"

    def save(self, file: Path) -> None:
        """Keep everything, for :meth:`load` and for a bot; never half of it."""
        policy = self.policy
        arrays: dict[str, Any] = {f"weights_{name}": w for name, w in policy.weights.items()}
        arrays |= {f"moments_{name}": moments for name, moments in policy.moments.items()}
        counts = np.array([self.seed, self.moves, policy.updates])
        beside = file.with_suffix(".new.npz")
        np.savez(beside, **arrays, game=self.game, counts=counts, curve=np.array(self.curve))
        beside.replace(file)

    @classmethod
    def load(cls, file: Path) -> "Training":
        """What was kept."""
        with np.load(file) as kept:
            seed, moves, updates = kept["counts"].tolist()
            made = cls(str(kept["game"]), seed)
            made.moves, made.policy.updates, made.curve = moves, updates, kept["curve"].tolist()
            for name in made.policy.weights:
                made.policy.weights[name] = kept[f"weights_{name}"]
                made.policy.moments[name] = kept[f"moments_{name}"]
        return made


class PolicyBot(Bot):
    """Plays what a trained policy likes best."""

    def __init__(
        self, file: Path | str, seconds: float | None = None, seed: int | str | None = None
    ) -> None:
        super().__init__(seconds, seed)
        self.policy = Training.load(Path(file)).policy

    def choose_in(self, world: storeys.Match) -> storeys.Move:
        """The policy answers an action; the match knows which move that is."""
        seen, mask = world.observe(world.to_move), world.action_mask()
        return world.move_of(int(self.policy(seen[None], mask[None])[0]))


def of_each(table: Array, columns: Array) -> Array:
    """One entry of every row."""
    return table[np.arange(len(table)), columns]


def collect(games: Batch, policy: Policy) -> list[Array]:
    """Play on; what was seen and done, how much better it went than thought, and how it went."""
    n, size, actions = games.num_envs, games.game.observation_size, games.game.actions
    seen = np.empty((STEPS + 1, n, size), np.float32)
    masks = np.empty((STEPS + 1, n, actions), np.int8)
    likely, values, gains, paid, signs = np.zeros((5, STEPS + 1, n), np.float32)
    chosen = np.zeros((STEPS + 1, n), np.int64)
    seen[0], masks[0] = games.observations, games.action_masks
    for step in range(STEPS):
        chosen[step], likely[step], values[step] = policy.act(seen[step], masks[step])
        _, rewards, ends, _, infos = games.step(chosen[step], out=(seen[step + 1], masks[step + 1]))
        paid[step] = of_each(rewards, infos["acted"]) / POINTS
        # What is good for the other seat is bad for the one that acted; the next game is another.
        signs[step] = np.where(infos["acted"] == infos["to_move"], 1, -1) * ~ends
    _, _, values[STEPS] = policy.act(seen[STEPS], masks[STEPS])
    for step in reversed(range(STEPS)):
        surprise = paid[step] + signs[step] * values[step + 1] - values[step]
        gains[step] = surprise + LAMBDA * signs[step] * gains[step + 1]
    found = seen, masks, chosen, likely, gains, gains + values
    return [array[:STEPS].reshape(STEPS * n, *array.shape[2:]) for array in found]


def learn(games: Batch, policy: Policy) -> None:
    """Play on, then learn from every move once."""
    found = collect(games, policy)
    found[4] = found[4] / (found[4].std() + 1e-6)
    for piece in np.array_split(policy.rng.permutation(len(found[0])), PIECES):
        policy.improve(*(array[piece] for array in found))


def evaluate(policy: Policy, game: str, opponent: str, count: int) -> tuple[float, float]:
    """In games against a bot, how often it has more points, ties halved, and how many more."""
    games = batch(game, count, players=2, seed=0, rewards="difference")
    bot, (_, infos) = storeys.bot(opponent, seed=0), games.reset()
    own, running, points = np.arange(count) % 2, np.ones(count, bool), np.zeros(count)
    while running.any():
        actions, _, _ = policy.act(games.observations, games.action_masks)
        theirs = running & (infos["to_move"] != own)
        if opponent == "random":  # the batch does that itself
            actions[theirs] = games.sample()[theirs]
        else:
            for place in np.flatnonzero(theirs).tolist():
                view = games.match(place).view(1 - own[place])
                actions[place] = games.action_of(place, bot.choose(view))
        _, rewards, ends, _, infos = games.step(actions)
        points += of_each(rewards, own) * running  # paid at the end; the next game does not count
        running &= ~ends
    return float((np.sign(points) + 1).mean() / 2), float(points.mean())


def plot(curve: Array, title: str) -> str:
    """The mean difference of points against each bot by moves, as an SVG picture."""
    low, high = min(0.0, curve[:, 1:].min()), max(0.0, curve[:, 1:].max())
    across = 50 + 450 * curve[:, 0] / max(curve[-1, 0], 1)
    down = 40 + 200 * (high - curve[:, 1:]) / max(high - low, 1)
    zero = 40 + 200 * high / max(high - low, 1)
    drawn = [f'<text x="50" y="20">{title}: points more than the bot, by million moves</text>']
    drawn += [f'<path d="M50 {zero:.0f}H500" stroke="#aaa"/><text x="30" y="{zero:.0f}">0</text>']
    for x, moves in zip(across, curve[:, 0], strict=True):
        drawn.append(f'<text x="{x:.0f}" y="265">{moves / 1e6:.1f}</text>')
    for bot, colour, heights, points in zip(OPPONENTS, COLOURS, down.T, curve.T[1:], strict=True):
        dots = " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(across, heights, strict=True))
        drawn.append(f'<polyline points="{dots}" fill="none" stroke="{colour}"/>')
        label = f"{bot} {points[-1]:+.0f}"
        drawn.append(f'<text x="510" y="{heights[-1]:.0f}" fill="{colour}">{label}</text>')
    size = 'viewBox="0 0 620 280" font-family="sans-serif" font-size="13"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(drawn)}</svg>\n'


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure now and then, print, keep and plot."""
    parser = argparse.ArgumentParser(description="Train a small policy in self-play.")
    parser.add_argument("--game", default="manhattan", choices=storeys.game_names())
    parser.add_argument("--steps", type=int, default=5_000_000, help="moves to learn from, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="a file to keep it in, at every look")
    parser.add_argument("--resume", type=Path, help="a file to go on from, and to keep it in")
    parser.add_argument("--plot", type=Path, help="where to put the learning curve, an SVG file")
    chosen = parser.parse_args(arguments)
    training = Training.load(chosen.resume) if chosen.resume else Training(chosen.game, chosen.seed)
    file = chosen.save or chosen.resume
    print("      moves" + "".join(f"  wins against {bot:8} points" for bot in OPPONENTS))
    while True:
        if not training.curve or training.curve[-1][0] < training.moves:
            print(training.look(), flush=True)
            if file:
                training.save(file)
        if training.moves >= chosen.steps:
            break
        training.go_on()
    if chosen.plot:
        chosen.plot.write_text(plot(np.array(training.curve), training.game), "utf-8")


if __name__ == "__main__":
    main()
