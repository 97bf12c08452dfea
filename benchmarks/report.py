"""The figures as a table for people, as Markdown for the documentation and as JSON."""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich import box
from rich.table import Table

from .targets import TARGETS
from .timing import Effort, Figure, Label

PACKAGES = ("storeys", "numba", "numpy", "open_spiel", "pettingzoo")


def machine() -> dict[str, Any]:
    """What the figures were taken on, without naming whose machine it is."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count()} | {
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "versions": versions,
    }


def describe(facts: Mapping[str, Any], effort: Effort) -> str:
    """The machine and the effort in one line."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"Medians of {effort.rounds} on {facts['system']}, {facts['cores']} cores, "
        f"load {facts['load']} before the start; {versions}"
    )


def make_table(figures: Sequence[Figure], markdown: bool, whole: bool) -> Table:
    """One line a figure, under the name of its section; of the whole also what is missing."""
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE_HEAD)
    table.add_column("Figure")
    for heading in ("Median", "Best", "Spread", "Target"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Met", no_wrap=True)
    section = ""
    for figure in figures:
        if figure.section != section:
            section = figure.section
            table.add_row(f"**{section}**" if markdown else f"[bold]{section}[/]")
        table.add_row(*cells(figure))
    for label in unmeasured(figures) if whole else ():
        table.add_row(label.name, "not measured", "", "", target_text(label), "")
    return table


def cells(figure: Figure) -> tuple[str, ...]:
    label = figure.label
    target = TARGETS.get(label)
    met = "" if target is None else "yes" if target.met_by(figure) else "no"
    several = len(figure.values) > 1
    spread = f"{figure.spread:.0%}" if several else ""
    # Of a ratio it depends on what is above and what below which end is the better one.
    best = rounded(figure.best) if several and label.unit != "×" else ""
    median = f"{rounded(figure.median)} {label.unit}"
    return label.name, median, best, spread, target_text(label), met


def target_text(label: Label) -> str:
    target = TARGETS.get(label)
    if target is None:
        return ""
    return f"{target.sign} {target.bound:,}{' at best' if target.for_best else ''}"


def unmeasured(figures: Iterable[Figure]) -> list[Label]:
    """The targets that nothing was measured for: a peer is missing, or a name is misspelt."""
    measured = {figure.label for figure in figures}
    return [label for label in TARGETS if label not in measured]


def rounded(value: float) -> str:
    """A number with the three digits that mean something."""
    digits = float(f"{value:.3g}")
    return f"{digits:,.0f}" if digits >= 100 or digits == int(digits) else f"{digits:,.3g}"


def to_json(figures: Iterable[Figure], facts: Mapping[str, Any], effort: Effort) -> dict[str, Any]:
    """Everything, unrounded."""
    return dict(facts) | {"rounds": effort.rounds, "figures": [as_dict(f) for f in figures]}


def as_dict(figure: Figure) -> dict[str, Any]:
    target = TARGETS.get(figure.label)
    return {
        "section": figure.section,
        "name": figure.label.name,
        "unit": figure.label.unit,
        "median": figure.median,
        "values": list(figure.values),
        "target": None if target is None else f"{target.sign} {target.bound}",
        "met": None if target is None else target.met_by(figure),
    }
