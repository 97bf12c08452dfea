"""The glossary is complete, and the words it has replaced are gone."""

import inspect
import re
from pathlib import Path

import pytest

import storeys
from storeys.kernel import verbs

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "words.md").read_text("utf-8")
SOURCES = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "src").rglob("*.js"))
FIELD = [
    "determinization", "information state", "evaluation", "legal actions", "endpoint", "handler",
    "adapter", "observation tensor", "playout", "trajectory", "entry point", "action space",
]  # fmt: skip
RIDDLES = ["Wish", "DEEDS", "lens", "doors", "Course", "turn_of", "outlook"]


def entries() -> set[str]:
    """The words in the first columns of the page's tables."""
    firsts = re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
    return {word.strip("` ") for first in firsts for word in first.split(",")}


def test_every_verb_is_in_the_glossary() -> None:
    declared = [
        name
        for protocol in (verbs.Rules, verbs.Derived)
        for name, _ in inspect.getmembers(protocol, inspect.isfunction)
        if not name.startswith("_")
    ]
    assert len(declared) == 14
    assert set(declared) <= entries()


def test_what_a_match_gives_is_in_the_glossary() -> None:
    """Every public class of the front door has its word."""
    classes = [name for name in storeys.__all__ if inspect.isclass(getattr(storeys, name))]
    plain = {name.lower() for name in classes if not issubclass(getattr(storeys, name), Exception)}
    assert plain
    assert plain <= entries()


@pytest.mark.parametrize("word", FIELD)
def test_the_words_of_the_field_are_found(word: str) -> None:
    assert word in PAGE


@pytest.mark.parametrize("word", RIDDLES)
def test_a_word_that_was_replaced_is_gone(word: str) -> None:
    pattern = re.compile(rf"(?<![\w-]){word}(?![\w-])")
    assert [file.name for file in SOURCES if pattern.search(file.read_text("utf-8"))] == []


def test_no_word_stands_twice() -> None:
    firsts = [word for first in re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
              for word in first.split(", ") if word not in ("word", "ours", "---")]  # fmt: skip
    assert len(set(firsts)) == len(firsts)
