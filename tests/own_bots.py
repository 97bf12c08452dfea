"""Bots of other packages, for tests: installed as entry points in a folder of their own."""

import os
import re
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs" / "python.md"

FAULTY = """
import sys
from storeys.bots import Bot

class Raises(Bot):
    def choose_in(self, world):
        raise RuntimeError("no idea\\nwhat to play")

class Illegal(Bot):
    def choose_in(self, world):
        return "fly away"

class TakesTooMuch(Bot):
    def choose_in(self, world, rng):
        return world.legal_moves[0]

class NotMade(Bot):
    def __init__(self, seconds=None, seed=None):
        raise OSError("weights.npz is missing")
    def choose_in(self, world):
        return world.legal_moves[0]

class Quits(Bot):
    def choose_in(self, world):
        sys.exit("enough")

def no_bot(seconds=None, seed=None):
    return "a bot"
"""
FAULTS = {
    "raises": ("faulty:Raises", "RuntimeError: no idea what to play"),
    "illegal": ("faulty:Illegal", "“fly” (word 1 of “fly away”) does not fit"),
    "too-much": ("faulty:TakesTooMuch", "TypeError: "),
    "not-made": ("faulty:NotMade", "OSError: weights.npz is missing"),
    "quits": ("faulty:Quits", "SystemExit: enough"),
    "no-bot": ("faulty:no_bot", "faulty:no_bot is no subclass of storeys.bots.Bot"),
    "no-module": ("not_there:Bot", "ModuleNotFoundError: No module named 'not_there'"),
    "no-class": ("faulty:Nothing", "AttributeError: "),
}
"""Bots that fail, by name: where they are, and how the reason that is told begins."""


def install(
    site: Path,
    package: str,
    sources: dict[str, str],
    entries: dict[str, str],
    group: str = "storeys.bots",
) -> None:
    """Put modules and their entry points into a folder as an installer does."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
    for module, source in sources.items():
        (site / f"{module}.py").write_text(source, "utf-8")


def install_faulty(site: Path) -> None:
    entries = {name: value for name, (value, _) in FAULTS.items()}
    install(site, "faulty-bots", {"faulty": FAULTY}, entries)


def install_documented(site: Path) -> None:
    """The bot of docs/python.md, with the entry point that stands there."""
    page = DOCS.read_text("utf-8")
    (source,) = [
        code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "(Bot):" in code
    ]
    (project,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    entries = tomllib.loads(project)["project"]["entry-points"]["storeys.bots"]
    install(site, "greedy-bots", {"greedy": source}, entries)


def with_site(site: Path) -> dict[str, str]:
    """The environment of a process that has the folder among its packages."""
    return {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
