"""What is measured of storeys inside this process, for every installed game."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import storeys
from storeys import Match, Move
from storeys.registry import get_game

from .timing import Contender, Effort, Label, calls_a_second, seconds_of

PLAYOUTS = "Random games in compiled code"
FROM_PYTHON = "Random games from Python"
CALLS = "Single calls from Python"

GAMES_OF_A_BATCH = 50_000
GAMES_FROM_PYTHON = 200
MATCHES = 300
PASSES = 5
"""How often a reading goes through the matches: more matches would only take more memory."""

Script = Sequence[Move] | Sequence[str] | Sequence[Mapping[str, Any]]


def contenders(effort: Effort) -> list[Contender]:
    """Everything that is measured of every game."""
    found: list[Contender] = []
    for game in storeys.game_names():
        found += all_playouts(game, effort)
        found.append(python_loop(game, effort))
        found += calls(game, effort.of(MATCHES))
    return found


def default_players(game: str) -> int:
    """The number of players that a game's main figures are for."""
    return get_game(game).default_players


# --- random games


def playouts_name(game: str, players: int, threads: int = 1) -> str:
    name = f"{game} playouts, {players} player{'s' if players > 1 else ''}"
    return name if threads == 1 else f"{name}, {threads} threads"


def all_playouts(game: str, effort: Effort) -> list[Contender]:
    """One thread for every number of players, two threads for the usual number."""
    usual = default_players(game)
    alone = [playouts(game, players, 1, effort) for players in get_game(game).seats]
    return [*alone, playouts(game, usual, 2, effort)]


def playouts(game: str, players: int, threads: int, effort: Effort) -> Contender:
    """Whole games, dealing and scoring included; every decision, a pick too, is one move."""
    games, name = effort.of(GAMES_OF_A_BATCH), playouts_name(game, players, threads)
    play = partial(storeys.arena.playouts, game, players=players, threads=threads)
    play(1)  # loads or compiles the rules, which is measured elsewhere

    def measure() -> tuple[float, float]:
        start = time.perf_counter()
        batch = play(games)
        seconds = time.perf_counter() - start
        return int(batch.lengths.sum()) / seconds, games / seconds

    return Contender(PLAYOUTS, (Label(name, "moves/s"), Label(name, "games/s")), measure)


def python_loop_name(game: str) -> str:
    return f"{game} loop, {default_players(game)} players"


def python_loop(game: str, effort: Effort) -> Contender:
    """What a PettingZoo loop does: each seat gets its observation and its mask, then moves."""
    games, name = effort.of(GAMES_FROM_PYTHON), python_loop_name(game)

    def measure() -> tuple[float, float]:
        rng = random.Random(1)
        start = time.perf_counter()
        moves = sum(play_with_observations(game, seed, rng) for seed in range(games))
        seconds = time.perf_counter() - start
        return moves / seconds, games / seconds

    play_with_observations(game, 0, random.Random(1))
    return Contender(FROM_PYTHON, (Label(name, "moves/s"), Label(name, "games/s")), measure)


def play_with_observations(game: str, seed: int, rng: random.Random) -> int:
    """Play one game at random; says how many moves it had."""
    match = storeys.new(game, seed=seed)
    while (seat := match.to_move) is not None:
        match.observe(seat)
        match.action_mask()
        match.push(rng.choice(match.legal_moves))
    return len(match.moves)


# --- single calls


def calls(game: str, count: int) -> list[Contender]:
    """Making moves and taking them back in finished matches, looking at halted ones.

    The finished matches are shared: whoever takes them back leaves them finished again.
    """
    batch = storeys.arena.playouts(game, count)
    finished = [batch.match(nth) for nth in range(count)]
    halted = [halt(match.clone(), nth / count) for nth, match in enumerate(finished)]
    return [*pushes(game, finished), pops(game, finished), *looks(game, halted)]


def halt(match: Match, share: float) -> Match:
    """Take a finished match back to where a share of its moves is made."""
    made = len(match.moves)
    for _ in range(made - int(share * made)):
        match.pop()
    return match


def pushes(game: str, matches: Sequence[Match]) -> list[Contender]:
    """Push in its three forms: legality checked, and ready to be taken back."""
    moves = [match.moves for match in matches]
    forms: dict[str, list[Script]] = {
        "push": list(moves),
        "push, notation": [[str(move) for move in script] for script in moves],
        "push, dict": [[move.to_json() for move in script] for script in moves],
    }

    def seconds_of_pass(scripts: Sequence[Script]) -> float:
        for match in matches:
            halt(match, 0)
        return seconds_of(lambda: replay(matches, scripts))

    def measure(scripts: Sequence[Script]) -> tuple[float]:
        seconds = sum(seconds_of_pass(scripts) for _ in range(PASSES))
        return (PASSES * sum(map(len, scripts)) / seconds,)

    return [
        Contender(CALLS, (Label(f"{game} {form}", "moves/s"),), partial(measure, scripts))
        for form, scripts in forms.items()
    ]


def replay(matches: Sequence[Match], scripts: Sequence[Script]) -> None:
    """Push every script into its match."""
    for match, script in zip(matches, scripts, strict=True):
        for move in script:
            match.push(move)


def pops(game: str, matches: Sequence[Match]) -> Contender:
    """Taking whole matches back; they are replayed outside the time."""
    scripts = [match.moves for match in matches]

    def take_all_back() -> None:
        for match, script in zip(matches, scripts, strict=True):
            for _ in script:
                match.pop()

    def seconds_of_pass() -> float:
        seconds = seconds_of(take_all_back)
        replay(matches, scripts)
        return seconds

    def measure() -> tuple[float]:
        seconds = sum(seconds_of_pass() for _ in range(PASSES))
        return (PASSES * sum(map(len, scripts)) / seconds,)

    return Contender(CALLS, (Label(f"{game} pop", "moves/s"),), measure)


def looks(game: str, halted: list[Match]) -> list[Contender]:
    """The calls that leave a match as it is, at positions from all over the game."""
    forms: dict[str, Callable[[Match], object]] = {
        "legal_moves": lambda match: match.legal_moves,
        "action_mask": lambda match: match.action_mask(),
        "observe": lambda match: match.observe(0),
        "view": lambda match: match.view(0),
    }

    for look in forms.values():
        look(halted[0])  # loads or compiles what the call needs
    storeys.from_position(halted[0].view(0))

    def measure(look: Callable[[Match], object]) -> tuple[float]:
        # A match keeps its legal moves until it changes; a clone has none yet.
        return (calls_a_second(look, [match.clone() for match in halted * PASSES]),)

    def measure_from_position() -> tuple[float]:
        return (calls_a_second(storeys.from_position, [match.view(0) for match in halted]),)

    measures: dict[str, Callable[[], tuple[float]]] = {
        form: partial(measure, look) for form, look in forms.items()
    }
    return [
        Contender(CALLS, (Label(f"{game} {form}", "calls/s"),), take)
        for form, take in {**measures, "from_position of a view": measure_from_position}.items()
    ]
