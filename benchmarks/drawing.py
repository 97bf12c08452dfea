"""What drawing costs: one city's area, and a whole scene of the usual number of players."""

import time
from functools import partial

import storeys
from storeys import Match
from storeys.kernel.drawing.scene import VIEWS, make_look
from storeys.registry import get_game

from .timing import Contender, Effort, Label

DRAWING = "Pictures"
MATCHES = 40


def contenders(effort: Effort) -> list[Contender]:
    """Positions from all over random matches, in plan and from the air."""
    found = []
    for game in storeys.game_names():
        batch = storeys.arena.playouts(game, effort.of(MATCHES), seed=6)
        matches = [batch.match(nth) for nth in range(effort.of(MATCHES))]
        shown = [match.at(match.moves_made * (nth + 1) // len(matches))
                 for nth, match in enumerate(matches)]  # fmt: skip
        found += [contender(game, view, shown) for view in VIEWS]
    return found


def contender(game: str, view: str, matches: list[Match]) -> Contender:
    """The mean time of a city, and of a scene with everything in it, from view to text."""
    matches[0].svg(0, view=view)  # makes what is drawn only once
    labels = (Label(f"{game} city, {view}", "ms"), Label(f"{game} scene, {view}", "ms"))
    return Contender(DRAWING, labels, partial(measure, game, view, matches))


def measure(game: str, view: str, matches: list[Match]) -> tuple[float, float]:
    start = time.perf_counter()
    for match in matches:
        match.svg(0, view=view)
    scene = (time.perf_counter() - start) / len(matches)
    return 1000 * seconds_of_a_city(game, view, matches), 1000 * scene


def seconds_of_a_city(game: str, view: str, matches: list[Match]) -> float:
    look = make_look(view, 0, "light", (), "en")
    areas = [
        area
        for match in matches
        for area in get_game(game)
        .scene(match.view(0), match.setup.components, match.names, look)
        .cities
    ]
    start = time.perf_counter()
    for area in areas:
        area.draw()
    return (time.perf_counter() - start) / len(areas)
