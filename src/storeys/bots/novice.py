"""A beginner: it sees what a move is worth at once, overlooks many and misjudges the others.

So it plays as people do who are new to a game: nothing senseless, but often not the best move that
is there, nothing for the end of its turn, and nothing against what others are up to next.
"""

import numpy as np

from storeys.bots.builder import Weighing
from storeys.bots.registry import Bot
from storeys.kernel.chance import WORD, random_below, random_word
from storeys.kernel.record import IntArray
from storeys.match import Match, Move

NOTICED = 4
"""Of so many moves it notices one."""
MISJUDGED = 1.0
"""How far it is out, against how much the moves differ."""


class NoviceBot(Bot):
    """Plays what looks best among the moves that it notices."""

    def choose_in(self, world: Match) -> Move:
        """A move that looks good at once."""
        weighing, rng = Weighing(world), self.chance_in(world)
        weighing.add_ending()
        weighed = weighing.values
        doubt = MISJUDGED * float(weighed.std())
        best, most = 0, -np.inf
        sure = random_below(rng, len(weighed))  # One at least is noticed.
        for nth, value in enumerate(weighed.tolist()):
            is_noticed = random_below(rng, NOTICED) == 0 or nth == sure
            looks = value + doubt * _swing(rng)
            if is_noticed and looks > most:
                best, most = nth, looks
        return world.legal_moves[best]


def _swing(rng: IntArray) -> float:
    """How far a judgement is out: from -1.5 to 1.5, mostly little."""
    return sum(random_word(rng) / (WORD + 1) for _ in range(3)) - 1.5
