"""The kernel against a referee that shares no code with it, on one position or from it to the end.

>>> compare(NEOVILLE, NEOVILLE.made(7))

What differs is raised with the position as JSON, to be pasted into a test.
"""

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import storeys
from storeys.kernel.errors import IllegalMove, StoreysError

Position = dict[str, Any]
Move = dict[str, Any]


class Difference(AssertionError):  # noqa: N818 — it is what a comparison finds
    """Kernel and referee do not agree on a position, or a property does not hold there."""

    def __init__(self, position: Position, found: Iterable[str]) -> None:
        super().__init__("\n".join([*found, "in the position", json.dumps(position)]))


@dataclass(frozen=True)
class Trial:
    """A game under trial: how its positions are made, and what the referee says about them."""

    name: str
    make: Callable[[random.Random], Position]
    legal_moves: Callable[[Position], list[Move]]
    broken_rules: Callable[[Position, Move], set[str]]
    expected_after: Callable[[Position, Move], Position]
    agrees: Callable[[Position, Position], list[str]]
    box_is_whole: Callable[[Position], list[str]]
    winners: Callable[[Position], list[int]]
    score_differences: Callable[[storeys.Match], list[str]]
    some_move: Callable[[Position, random.Random], Move]
    """A move that can be written down, legal or not; most are near to legal ones."""
    preferred: Callable[[list[Move], random.Random], list[Move]]
    """The moves to choose from when playing on: those that lead to more rules."""

    def made(self, number: int) -> Position:
        """The position of a number, the same for ever."""
        return self.make(random.Random(f"{self.name} {number}"))


def compare(trial: Trial, position: Position, tries: int = 12) -> None:
    """Legal moves, score, winners and whole box; then some moves, legal or not, one by one."""
    match = opened(trial, position)
    rng = random.Random(position["seed"])
    found = _standing_differences(trial, match)
    for _ in range(tries):
        found += _differences_of_move(trial, match, position, trial.some_move(position, rng))
    for move in _some(trial.legal_moves(position), 2, rng):
        found += _differences_of_move(trial, match, position, move)
    if found:
        raise Difference(position, found)


def follow(trial: Trial, position: Position) -> None:
    """Play on to the end with random moves; kernel and referee must agree at every step."""
    match = opened(trial, position)
    rng = random.Random(position["seed"])
    while match.to_move is not None:
        before = match.position()
        move = rng.choice(trial.preferred([m.to_json() for m in match.legal_moves], rng))
        match.push(move)
        found = trial.agrees(trial.expected_after(before, move), match.position())
        found += _standing_differences(trial, match)
        if found:
            raise Difference(before, [f"after {move}:", *found])


def opened(trial: Trial, position: Position) -> storeys.Match:
    """The match that starts from a position, which must be taken as it is."""
    try:
        match = storeys.from_position(position)
    except StoreysError as error:
        raise Difference(position, [f"the position is refused: {error}"]) from error
    taken = match.position()
    if taken != position:
        changed = [key for key in taken if taken[key] != position.get(key)]
        raise Difference(position, [f"{key} is now {taken[key]}" for key in changed])
    return match


def _some(moves: list[Move], most: int, rng: random.Random) -> list[Move]:
    return rng.sample(moves, min(most, len(moves)))


def _standing_differences(trial: Trial, match: storeys.Match) -> list[str]:
    """What the two say about a position without moving."""
    position = match.position()
    found = _list_differences(match, trial.legal_moves(position))
    found += trial.box_is_whole(position)
    found += trial.score_differences(match)
    winners = trial.winners(position) if position["phase"] == "over" else []
    if match.winners != winners:
        found.append(f"winners: the referee says {winners}, the kernel {match.winners}")
    return found


def _list_differences(match: storeys.Match, wanted: list[Move]) -> list[str]:
    """Legal moves that only one of the two lists, and those that are listed twice."""
    here = [_as_key(move.to_json()) for move in match.legal_moves]
    there = [_as_key(move) for move in wanted]
    found = [f"legal only for the kernel: {move}" for move in sorted(set(here) - set(there))]
    found += [f"legal only for the referee: {move}" for move in sorted(set(there) - set(here))]
    if not found and len(here) != len(there):
        found.append(f"{len(here)} moves are listed, {len(there)} are legal")
    return found


def _as_key(move: Move) -> str:
    return json.dumps(move, sort_keys=True)


def _differences_of_move(
    trial: Trial, match: storeys.Match, position: Position, move: Move
) -> list[str]:
    """Whether a move is taken or refused by a rule that it breaks, what it does, its undoing."""
    state = match.state().tobytes()
    broken = trial.broken_rules(position, move)
    try:
        match.push(move)
    except IllegalMove as error:
        found = (
            [] if error.rule in broken else [f"{move} breaks {broken or 'no rule'}, not {error}"]
        )
    else:
        if broken:
            found = [f"{move} breaks {broken}, but is taken"]
        else:
            found = trial.agrees(trial.expected_after(position, move), match.position())
            found = [f"after {move}: {difference}" for difference in found]
        match.pop()
    if match.state().tobytes() != state:
        found.append(f"{move} leaves something behind when it is refused or taken back")
    return found
