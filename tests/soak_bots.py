"""Quick games of all bots over all variants: `python -m tests.soak_bots [GAMES]`, else 10,000.

Every move is made through a match, which refuses what is not legal.  Who sits where, and with how
much thought, follows from the number of the game, so that a game that fails can be played again.
"""

import sys
from typing import Any

import storeys
from storeys.bots import Bot
from storeys.registry import get_game

LEVELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("architect", {"simulations": 2}),
    ("random", {}),
    ("novice", {}),
    ("architect", {"simulations": 20}),
    ("random", {}),
    ("builder", {}),
    ("random", {}),
    ("apprentice", {}),
    ("foreman", {}),
    ("random", {}),
    ("engineer", {}),
)
"""Who takes seats one after the other; most are quick."""


def setups() -> list[tuple[str, dict[str, Any]]]:
    """Every variant of every game."""
    games = storeys.game_names()
    return [(name, options) for name in games for options in get_game(name).variants()]


def play(number: int, name: str, options: dict[str, Any]) -> storeys.Match:
    """One game to its end."""
    match = storeys.new(name, seed=number, **options)
    bots: list[Bot] = []
    for seat in range(match.players):
        who, thought = LEVELS[(number + seat) % len(LEVELS)]
        bots.append(storeys.bot(who, seed=number, **thought))
    while match.to_move is not None:
        seat = match.to_move
        for move in bots[seat].plan_for(match):
            assert match.to_move == seat, f"game {number}: a plan goes beyond its turn"
            match.push(move)
    assert match.winners, f"game {number}: nobody has won"
    return match


def main(games: int) -> None:
    """So many games, a line for each thousand."""
    found = setups()
    for number in range(games):
        play(number, *found[number % len(found)])
        if (number + 1) % 1000 == 0:
            print(number + 1, "games", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
