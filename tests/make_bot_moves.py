"""Write down what our bots play: `python -m tests.make_bot_moves`.

`test_bot_moves` compares: however quickly they think, the same seeds lead to the same moves, and
what `builder` thinks of them stays the same.  Kept are digests, one for each match.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import storeys
from storeys.bots.builder import BuilderBot
from storeys.registry import get_game

FILE = Path(__file__).parent / "snapshots" / "bot_moves.json"
MORE: dict[str, list[dict[str, Any]]] = {
    "cloud-city": [
        {"players": 2, "city": "3x4", "requests": ["separate-routes", "crossed-walkways"]},
        {"players": 3, "requests": ["valuable-route", "varied-route"], "edition": "de"},
    ],
    "manhattan": [{"players": 3, "rounds": "4x6"}],
}
"""Set-ups beside those of every number of players."""
EVERY = 7
"""Of how many moves one is asked for all its values."""


def setups() -> dict[str, tuple[str, dict[str, Any]]]:
    """Game and options of each match, by its name in the file."""
    found = {}
    for game in storeys.game_names():
        usual = [{"players": players} for players in get_game(game).seats]
        for options in [*usual, *MORE.get(game, [])]:
            found[" ".join([game, *map(str, options.values())])] = game, options
    return found


def digest_of(game: str, options: dict[str, Any]) -> str:
    """A digest of a match of `builder` in all seats, with `novice` asked as well at each move."""
    match, seen = storeys.new(game, seed=11, **options), hashlib.sha256()
    builder, novice = BuilderBot(seed=5), storeys.bot("novice", seed=6)
    while match.to_move is not None:
        view = match.view(match.to_move)
        move = builder.choose(view)
        told = [str(move), str(novice.choose(view))]
        if match.moves_made % EVERY == 0:
            told += [f"{one['move']} {one['value']:.7f}" for one in builder.values(view)]
        seen.update(json.dumps(told).encode())
        match.push(move)
    return seen.hexdigest()[:16]


def main() -> None:
    """All matches in one file."""
    kept = {name: digest_of(*setup) for name, setup in setups().items()}
    FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
