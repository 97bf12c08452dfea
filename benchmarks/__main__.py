"""Measure storeys beside its peers: ``python -m benchmarks [--quick] [--json | --markdown]``."""

import argparse
import json

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
from .timing import FULL, QUICK, Effort, Figure, Label, ratio, run_rounds

RATIOS = "Ratios of moves a second"
HOW_TO_INSTALL = "run `make bench`, or pip install 'storeys[bench]'"
WIDE = 200


def main() -> None:
    """Measure, then print."""
    arguments = parse()
    effort = QUICK if arguments.quick else FULL
    facts = report.machine()
    figures = measure(effort, Console(stderr=True))
    if arguments.json:
        print(json.dumps(report.to_json(figures, facts, effort), indent=2))
        return
    out = Console(width=WIDE) if arguments.markdown else Console()
    out.print(report.make_table(figures, arguments.markdown))
    out.print(report.describe(facts, effort), highlight=False)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round instead of five")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON with every round's numbers")
    form.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def measure(effort: Effort, talk: Console) -> list[Figure]:
    """Run all contenders in rounds; the figures in the order of the table."""
    theirs, missing = peers.contenders(effort)
    if missing:
        why = "; ".join(missing)
        talk.out(f"Peers left out ({why}): {HOW_TO_INSTALL}", highlight=False)
    contenders = [
        *ours.contenders(effort),
        *theirs,
        *envs.contenders(effort),
        *batches.contenders(effort),
        *listing.contenders(effort),
        *thinking.contenders(effort),
        *analysis.contenders(effort),
        *drawing.contenders(effort),
        *starts.contenders(),
        *serving.contenders(effort),
        *load.contenders(effort),
        *pages.contenders(effort),
    ]
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
    return [line for game in storeys.game_names() for line in ratios_of(game, found)]


def ratios_of(game: str, found: dict[Label, Figure]) -> list[Figure]:
    players = ours.default_players(game)
    batch, loop = ours.playouts_name(game, players), ours.python_loop_name(game)
    two_threads = ours.playouts_name(game, players, threads=2)
    pairs = [(two_threads, batch, f"{game} playouts, 2 threads ÷ 1")]
    pairs += [(batch, peer, f"{game} playouts ÷ {peer}") for peer in names(peers.OPEN_SPIEL, found)]
    pairs += [(loop, peer, f"{game} loop ÷ {peer}") for peer in names(peers.PETTING_ZOO, found)]
    return [
        ratio(RATIOS, name, found[Label(above, "moves/s")], found[Label(below, "moves/s")])
        for above, below, name in pairs
    ]


def names(peer: str, found: dict[Label, Figure]) -> list[str]:
    return [name for name, unit in found if unit == "moves/s" and name.startswith(peer)]


if __name__ == "__main__":
    main()
