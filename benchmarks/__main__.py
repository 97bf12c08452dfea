"""Measure storeys beside its peers.

``python -m benchmarks [--only PART…] [--quick] [--json | --markdown]``
"""

import argparse
import json
from collections.abc import Callable, Iterable

from rich.console import Console

import storeys

from . import (
    analysis,
    batches,
    drawing,
    envs,
    listing,
    load,
    ours,
    pages,
    peers,
    report,
    serving,
    starts,
    thinking,
)
from .timing import FULL, QUICK, Contender, Effort, Figure, Label, ratios_of, run_rounds

RATIOS = "Ratios of moves a second"
WIDE = 200


def main() -> None:
    """Measure, then print."""
    arguments = parse()
    effort = QUICK if arguments.quick else FULL
    facts = report.machine()
    figures = measure(effort, arguments.only or PARTS, Console(stderr=True))
    if arguments.json:
        print(json.dumps(report.to_json(figures, facts, effort), indent=2))
        return
    out = Console(width=WIDE) if arguments.markdown else Console()
    out.print(report.make_table(figures, arguments.markdown, whole=not arguments.only))
    out.print(report.describe(facts, effort), highlight=False)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round instead of five")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON with every round's numbers")
    form.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


PARTS: dict[str, Callable[[Effort], list[Contender]]] = {
    "games": ours.contenders,
    "peers": peers.contenders,
    "envs": envs.contenders,
    "batches": batches.contenders,
    "listing": listing.contenders,
    "thinking": thinking.contenders,
    "analysis": analysis.contenders,
    "drawing": drawing.contenders,
    "starts": starts.contenders,
    "serving": serving.contenders,
    "load": load.contenders,
    "pages": pages.contenders,
}
"""What can be measured by itself; ratios are of what is measured in the same run."""


def measure(effort: Effort, parts: Iterable[str], talk: Console) -> list[Figure]:
    """Run all contenders in rounds; the figures in the order of the table."""
    contenders = [one for part in PARTS if part in parts for one in PARTS[part](effort)]
    # Plain lines: a live display has a thread of its own, which would run beside what is timed.
    found = run_rounds(contenders, effort.rounds, talk.print)
    sections = [
        ours.PLAYOUTS,
        ours.FROM_PYTHON,
        envs.ENVS,
        batches.BATCHES,
        listing.LISTING,
        thinking.THINKING,
        ours.CALLS,
        analysis.ANALYSIS,
        drawing.DRAWING,
        starts.STARTS,
        serving.SERVING,
        load.LOAD,
        pages.PAGES,
    ]
    in_order = sorted(found.values(), key=lambda figure: sections.index(figure.section))
    return [
        *in_order,
        *ratios(found),
        *envs.ratios(RATIOS, found),
        *batches.ratios(RATIOS, found),
        *serving.ratios(RATIOS, found),
    ]


def ratios(found: dict[Label, Figure]) -> list[Figure]:
    """Like with like: compiled games with OpenSpiel's, loops from Python with PettingZoo's."""
    pairs = [
        (name, Label(above, "moves/s"), Label(below, "moves/s"))
        for game in storeys.game_names()
        for above, below, name in pairs_of(game, found)
    ]
    return ratios_of(RATIOS, pairs, found)


def pairs_of(game: str, found: dict[Label, Figure]) -> list[tuple[str, str, str]]:
    players = ours.default_players(game)
    batch, loop = ours.playouts_name(game, players), ours.python_loop_name(game)
    two_threads = ours.playouts_name(game, players, threads=2)
    pairs = [(two_threads, batch, f"{game} playouts, 2 threads ÷ 1")]
    pairs += [(batch, peer, f"{game} playouts ÷ {peer}") for peer in names(peers.OPEN_SPIEL, found)]
    pairs += [(loop, peer, f"{game} loop ÷ {peer}") for peer in names(peers.PETTING_ZOO, found)]
    return pairs


def names(peer: str, found: dict[Label, Figure]) -> list[str]:
    return [name for name, unit in found if unit == "moves/s" and name.startswith(peer)]


if __name__ == "__main__":
    main()
