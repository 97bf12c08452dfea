"""A beginner: it looks at a few moves only, and takes what brings points at once."""

import numpy as np

from storeys.bots.registry import Bot
from storeys.kernel import verbs
from storeys.kernel.chance import random_below
from storeys.kernel.compiling import jit_when_it_pays
from storeys.kernel.record import IntArray, Records, int64
from storeys.match import Match, Move

TRIES = 5
"""How many moves it looks at."""
CARELESS = 4
"""Once in so many moves it plays the first that costs nothing."""


@jit_when_it_pays
def best_of_a_few(states: Records, tables: Records, rng: IntArray, totals: IntArray) -> int:
    """The code of the best of some random actions: by the own score, then by the own evaluation."""
    seat = states[0].to_move
    trial = states[:1].copy()
    careless = random_below(rng, CARELESS) == 0
    verbs.score(states[0], tables[0], totals)
    now = int64(totals[seat])
    best, most, brightest = int64(-1), int64(0), 0.0
    for _ in range(TRIES):
        action = verbs.sample(states[0], tables[0], rng)
        trial[0] = states[0]
        verbs.apply(trial[0], tables[0], action)
        verbs.score(trial[0], tables[0], totals)
        verbs.blind(trial[0], tables[0], seat)
        points, bright = int64(totals[seat]), verbs.evaluate_seat(trial[0], tables[0], seat)
        if best < 0 or points > most or (points == most and bright > brightest):
            best, most, brightest = action, points, bright
        if careless and points >= now:
            best = action
            break
    return verbs.decode(states[0], tables[0], best)


class NoviceBot(Bot):
    """Plays the best of a few random moves, and now and then a careless one."""

    def choose_in(self, world: Match) -> Move:
        """A move that looks good at once."""
        components, rng = world.setup.components, self.chance_in(world)
        totals = np.zeros(world.players, np.int32)
        code = best_of_a_few(world.state(), components.tables, rng, totals)
        return Move(world.game, components, code)
