"""What the seats are paid at the end of a match, the same behind every door.

A match is paid once, when it is over; every form sums to zero over the seats of a match with
company:

``difference``  own points minus the mean of the others' (alone: own points)
``win``         +1 for the winner, −1/(players − 1) for each other; several winners share the +1 and
                the zero-sum rest, so that two players who tie get 0
``rank``        from +1 for the first to −1 for the last in equal steps; who is level shares
"""

from typing import Any

from storeys.kernel.compiling import jitable
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short
from storeys.kernel.record import IntArray

REWARDS = ("difference", "win", "rank")
DIFFERENCE, WIN, RANK = range(3)


def read_rewards(name: Any, players: int) -> int:
    """The number of a form of rewards; alone there is nobody to win against."""
    if name not in REWARDS:
        known = listing(REWARDS)
        raise BadOption(Message("storeys.envs.unknown-rewards", found=short(name), known=known))
    if players == 1 and name != "difference":
        raise BadOption(Message("storeys.envs.alone", found=short(name)))
    return REWARDS.index(name)


@jitable
def write_rewards(form: int, totals: IntArray, won: IntArray, out: IntArray) -> None:
    """Pay every seat of a match that is over, from its totals and who has won."""
    players = totals.size
    if players == 1:
        out[0] = totals[0]
        return
    for seat in range(players):
        if form == DIFFERENCE:
            out[seat] = totals[seat] - (totals.sum() - totals[seat]) / (players - 1)
        elif form == WIN:
            share = won[seat] / won.sum()
            out[seat] = (share * players - 1) / (players - 1)
        else:
            out[seat] = beaten_less_beating(totals, won, seat) / (players - 1)


@jitable
def beaten_less_beating(totals: IntArray, won: IntArray, seat: int) -> int:
    """How many seats come after this one, less how many come before it.

    Winners come first, however a tie of points was broken; then points count.
    """
    balance = 0
    for other in range(totals.size):
        if won[other] != won[seat]:
            balance += 1 if won[seat] else -1
        elif totals[other] < totals[seat]:
            balance += 1
        elif totals[other] > totals[seat]:
            balance -= 1
    return balance
