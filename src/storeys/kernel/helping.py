"""The sections of a game's help: which rules each explains, when it matters, and its picture.

The help itself is Markdown, in each language (``help.en.md``): a title, then a paragraph a section,
led by a few bold words.  What is the same in all languages stands once, in ``help.toml``::

    [[sections]]
    id = "goal"
    rules = ["M-1", "M-12"]         # links from these ids lead here
    phases = ["build"]              # opened here while this is to be done
    page = false                    # not on the pages, at the terminal alone
    picture = { area = "city-0", moves = ["build red 4 sydney b2"] }  # from the lesson's deal on
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from storeys.kernel.errors import BadLesson
from storeys.kernel.reading import Node

FILE = "help.toml"
GOAL = "goal"
"""The section that says what a game is about."""
LEAD = re.compile(r"\*\*(.+?)\.\*\*\s+")


@dataclass(frozen=True)
class Picture:
    """A part of the picture after some moves of the deal of the game's lesson."""

    area: str
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A section of the help, whatever its language."""

    id: str
    rules: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    page: bool = True
    picture: Picture | None = None


def read_sections(folder: Path) -> tuple[Section, ...]:
    """The sections of a game's help, in their order; none if it says nothing of them."""
    path = folder / FILE
    if not path.exists():
        return ()
    document = Node(tomllib.loads(path.read_text("utf-8")), FILE, BadLesson).only("sections")
    return tuple(_read_section(entry) for entry in document["sections"].items())


def _read_section(entry: Node) -> Section:
    entry.only("id", "rules", "phases", "page", "picture")
    page, picture = entry.get("page"), entry.get("picture")
    return Section(
        entry["id"].text(),
        _texts(entry.get("rules")),
        _texts(entry.get("phases")),
        page is None or page.flag(),
        None if picture is None else Picture(picture["area"].text(), _texts(picture["moves"])),
    )


def _texts(node: Node | None) -> tuple[str, ...]:
    return () if node is None else tuple(one.text() for one in node.items())


def paragraphs_of(text: str) -> list[tuple[str, str]]:
    """The paragraphs of a help below its title: the words that lead each, and the rest.

    >>> from storeys.kernel.helping import paragraphs_of
    >>> paragraphs_of("# Chess\\n\\n**Aim.** Take the king.\\n\\nThat is all.")
    [('Aim', 'Take the king.'), ('', 'That is all.')]
    """
    found = []
    for paragraph in text.strip().split("\n\n")[1:]:
        lead = LEAD.match(paragraph)
        found.append((lead[1], paragraph[lead.end() :]) if lead else ("", paragraph))
    return found
