"""What a game says about how it is searched: its settings, by which a bot looks ahead."""

from typing import NamedTuple


class SearchSettings(NamedTuple):
    """How turns of a game are found and tried; what stands here serves a game that says nothing.

    >>> from storeys.kernel.searching import SearchSettings
    >>> SearchSettings(width=8).width
    8
    """

    width: int = 16
    """How many turns are tried."""
    endings: int = 4
    """How many of them may differ in their last move alone."""
    beam: int = 16
    """How many unfinished turns are followed."""
    twins: bool = True
    """Whether unfinished turns that promise exactly the same are taken for different ones."""
    rounds: int = 3
    """After so many turns of every seat, the one that is tried included, a position is judged."""
    own: bool = False
    """Whether in thought a seat looks at its own promise alone: quicker, where cities are apart."""
    tries: int = 0
    """How many moves, drawn at random, are looked at in thought where there are more; 0: all."""
    scale: float = 8.0
    """A lead of so many points is worth 73 in 100."""
