"""Find how well the levels between the bots should play: `python -m tools.calibrate_levels GAME`.

Neighbours on a ladder play each other with the seats changed: `novice`, `builder` blurred less and
less, `builder`; then `builder` and searches with more and more simulations.  The points by which
they win add up along a ladder, so that the settings can be read off which lie at even steps between
its ends.  They belong into the game's `levels`; contests of neighbouring levels in the arena then
show what a step is worth.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import storeys
from storeys.bots import Bot, bot
from storeys.bots.builder import BuilderBot
from storeys.kernel.compiling import compiler
from storeys.match import make_match

BLURS = (2.0, 1.5, 1.1, 0.8, 0.5, 0.25)
SIMULATIONS = (8, 24, 64, 200)
STRONGEST = 400
"""With how many simulations `architect` stands at the upper end."""
FIRST_DEAL = 90_000

Maker = Callable[[int], Bot]
"""Makes a bot from a seed."""


class Rung(NamedTuple):
    """Somebody on a ladder, and by which setting."""

    label: str
    setting: float
    make: Maker


def blurred(blur: float) -> Maker:
    """A builder who misjudges moves so much."""

    def make(seed: int) -> Bot:
        made = BuilderBot(seed=seed)
        made.blur = blur
        return made

    return make


def searching(simulations: int) -> Maker:
    """An architect with so many simulations of a turn."""
    return lambda seed: bot("architect", seed=seed, simulations=simulations)


def called(name: str) -> Maker:
    """A bot by its name."""
    return lambda seed: bot(name, seed=seed)


def play(game: str, seats: Sequence[Maker], deal: int, seed: int) -> list[int]:
    """The totals of one game."""
    match = make_match(game, len(seats), deal, ["one", "two"], {})
    bots = [make(seed + nth) for nth, make in enumerate(seats)]
    while match.to_move is not None:
        for move in bots[match.to_move].plan_for(match):
            match.push(move)
    return match.totals


def margins(game: str, better: Maker, worse: Maker, pairs: int) -> list[float]:
    """By how many points one wins against another, for each deal."""
    found = []
    for deal in range(FIRST_DEAL, FIRST_DEAL + pairs):
        first = play(game, (better, worse), deal, 4 * deal)
        second = play(game, (worse, better), deal, 4 * deal + 2)
        found.append((first[0] - first[1] + second[1] - second[0]) / 2)
    return found


def climb(game: str, ladder: Sequence[Rung], pairs: int, steps: int) -> list[float]:
    """Let neighbours play; the settings at even steps between both ends."""
    heights = [0.0]
    for below, above in pairwise(ladder):
        found = margins(game, above.make, below.make, pairs)
        error = 1.96 * np.std(found) / np.sqrt(pairs)
        won = np.mean([(1 + np.sign(margin)) / 2 for margin in found])
        heights.append(heights[-1] + float(np.mean(found)))
        points = f"{np.mean(found):+.1f} ± {error:.1f} points, {won:.0%} of the deals"
        print(f"{above.label} against {below.label}: {points}", flush=True)
    wanted = np.linspace(0, heights[-1], steps + 1)[1:-1]
    # Chance may let a height be below the one before: only what rises is read off.
    rising = np.maximum.accumulate(heights)
    settings = [rung.setting for rung in ladder]
    return [float(np.interp(height, rising, settings)) for height in wanted]


def main() -> None:
    """Both ladders of a game, and what follows from them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=storeys.game_names())
    parser.add_argument("--pairs", type=int, default=60, help="deals for each pair of neighbours")
    parser.add_argument("--blurs", action="store_true", help="only the levels below builder")
    given = parser.parse_args()
    compiler.start()
    builder = Rung("builder", 0, called("builder"))
    # The novice stands where the next wider blur would.
    novice = Rung("novice", 2 * BLURS[0] - BLURS[1], called("novice"))
    below = [Rung(f"blur {blur}", blur, blurred(blur)) for blur in BLURS]
    blurs = climb(given.game, [novice, *below, builder], given.pairs, 4)
    print("blurs:", ", ".join(f"{blur:.2f}" for blur in blurs))
    if not given.blurs:
        counts = (*SIMULATIONS, STRONGEST)
        above = [Rung(f"{count} simulations", count, searching(count)) for count in counts]
        (simulations,) = climb(given.game, [builder, *above], given.pairs // 3, 2)
        print("simulations:", round(simulations))


if __name__ == "__main__":
    main()
