"""The examples in docstrings: each is run, and whatever users are told of has one."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import storeys

PACKAGE = Path(storeys.__file__).parent
DOCS = PACKAGE.parent.parent / "docs"
PUBLIC = [
    "storeys", "storeys.arena", "storeys.bots", "storeys.envs", "storeys.envs.batch",
    "storeys.raster", "storeys.registry",
]  # fmt: skip
"""The modules that are made for users."""
AUTHORED = ["storeys.kernel.game.Game"]
"""Classes whose methods an author writes and nobody calls: they show themselves as a whole."""
PAGES = ["python.md", "kernel.md", "envs.md", "batch.md"]


class Docstring(NamedTuple):
    """What is said of a module, class or function, and where."""

    text: str
    file: Path
    line: int

    @property
    def examples(self) -> list[str]:
        """The code of its examples."""
        return [example.source for example in doctest.DocTestParser().get_examples(self.text)]


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def docstrings_in(name: str, node: Any, file: Path) -> Iterator[tuple[str, Docstring]]:
    """The docstrings of a module or a class, and of what is in it."""
    if text := ast.get_docstring(node):
        yield name, Docstring(text, file, node.body[0].lineno)
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | ast.FunctionDef):
            yield from docstrings_in(f"{name}.{inner.name}", inner, file)


def all_docstrings() -> dict[str, Docstring]:
    found: dict[str, Docstring] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        found |= docstrings_in(name_of(file), ast.parse(file.read_text("utf-8")), file)
    return found


DOCSTRINGS = all_docstrings()


@pytest.mark.parametrize("name", [name for name in DOCSTRINGS if DOCSTRINGS[name].examples])
def test_the_example_shows_what_happens(name: str) -> None:
    text, file, line = DOCSTRINGS[name]
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(file), line)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


# --- who must have one


def own_names(module: str) -> Iterator[str]:
    """What a module offers: what it says it does, or else what was written there."""
    content = importlib.import_module(module)
    offered = getattr(content, "__all__", None) or [
        name for name, thing in vars(content).items() if getattr(thing, "__module__", "") == module
    ]
    return (f"{module}.{name}" for name in offered if not name.startswith("_"))


def names_told() -> Iterator[str]:
    """What the pages name: by its full name, imported, or as a verb or a kind of chance."""
    pages = "\n".join((DOCS / page).read_text("utf-8") for page in PAGES)
    yield from re.findall(r"\bstoreys(?:\.\w+)+", pages)
    for module, names in re.findall(r"from (storeys[\w.]*) import ([\w, ]+)", pages):
        yield from (f"{module}.{name}" for name in names.split(", "))
    yield from (f"storeys.kernel.chance.{name}" for name in re.findall(r"\bchance\.(\w+)", pages))
    yield from (f"storeys.kernel.verbs.{name}" for name in re.findall(r"`(\w+)\(state\b", pages))


def home_of(name: str) -> str | None:
    """Where a function or class is written, by any name it goes by; None for anything else."""
    try:
        thing = pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return None  # a file, an entry point, a word like storeys.py
    written = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
    homes = [home for home in (written, name) if home in DOCSTRINGS and not inspect.ismodule(thing)]
    return homes[0] if homes else None


def members_of(home: str) -> list[str]:
    """The public methods and properties of a class."""
    kind = pkgutil.resolve_name(home)
    if home in AUTHORED or not inspect.isclass(kind):
        return []
    inside = [f"{home}.{name}" for name in vars(kind) if not name.startswith("_")]
    return [member for member in inside if member in DOCSTRINGS]


def public_homes() -> list[str]:
    offered = {name for module in PUBLIC for name in own_names(module)}
    homes = {home_of(name) for name in offered.union(names_told())} - {None}
    return sorted({name for home in homes if home for name in (home, *members_of(home))})


def is_shown(home: str) -> bool:
    """Whether its own examples, or those of the class or module around it, show it."""
    around, _, name = home.rpartition(".")
    used = re.compile(rf"\b{name}\b")
    beside = DOCSTRINGS[around].examples if around in DOCSTRINGS else []
    return bool(DOCSTRINGS[home].examples) or any(map(used.search, beside))


@pytest.mark.parametrize("home", public_homes())
def test_whatever_users_are_told_of_has_an_example(home: str) -> None:
    assert is_shown(home), f"the docstring of {home} needs an example"


def test_the_names_are_found() -> None:
    """In every way: offered, told in full, imported, a verb, chance, a method."""
    assert {
        "storeys.match.load", "storeys.testing.check_game", "storeys.testing.perft",
        "storeys.kernel.verbs.Rules.legal", "storeys.kernel.chance.generator",
        "storeys.match.Match.push",
        "storeys.envs.batch.Batch.states", "storeys.kernel.errors.BadRecord",
    } <= set(public_homes())  # fmt: skip
