"""The catalogues: complete, used, and with the same placeholders in every language."""

import gettext
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from babel.messages.pofile import read_po

import storeys
from storeys.kernel import messages
from storeys.kernel.messages import Message, compile_catalogue, languages, placeholders
from storeys.registry import game_names, get_game

PACKAGE = Path(storeys.__file__).parent
FOLDERS = sorted(file.parent for file in PACKAGE.rglob("en.po"))
LANGUAGES = ("en", "de", "nl")


def catalogue(folder: Path, lang: str) -> dict[str, list[str]]:
    """The sentences of each id: one, or singular and plural."""
    with (folder / f"{lang}.po").open("rb") as file:
        entries: Any = [entry for entry in read_po(file, locale=lang) if entry.id]
    assert not [entry.id for entry in entries if entry.fuzzy]
    found = {}
    for entry in entries:
        plural = isinstance(entry.id, tuple)
        found[entry.id[0] if plural else entry.id] = (
            list(entry.string) if plural else [entry.string]
        )
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_everything(folder: Path, lang: str) -> None:
    english, other = catalogue(folder, "en"), catalogue(folder, lang)
    assert set(other) == set(english)
    for message_id, sentences in other.items():
        assert all(sentences), f"{message_id} is empty"
        assert len(sentences) == len(english[message_id]), message_id
        for sentence in sentences:
            assert placeholders(sentence) == placeholders(english[message_id][0]), message_id


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_message_is_used(folder: Path) -> None:
    """An id stands in the code, whole or as the beginning of an f-string."""
    sources = "\n".join(file.read_text("utf-8") for file in PACKAGE.rglob("*.py"))
    quoted = set(re.findall(r'"([a-z-]+\.[a-z0-9.-]+)"', sources))
    openings = set(re.findall(r'f"([a-z-]+\.[a-z.-]+\.)\{', sources))
    generated = {
        f"{name}.{part}" for name in game_names() for part in ("title", "summary", "goal", "cards")
    }
    generated |= {f"{n}.option.{c.name}" for n in game_names() for c in get_game(n).options}
    generated |= {
        f"{n}.option.{option.name}.{part}"
        for n in game_names()
        for option in get_game(n).options
        for part in ("label", "help", *option.values)
    }
    for several in [o.several for n in game_names() for o in get_game(n).options if o.several]:
        generated |= {f"{several.called}.{name}" for name in several.names}
    generated |= {f"{n}.prompt.{p}" for n in game_names() for p in get_game(n).phases}
    generated |= {f"{n}.move.{kind}" for n in game_names() for kind in get_game(n).notation.names}
    lessons = {n: one for n in game_names() if (one := get_game(n).lesson)}
    generated |= {f"{n}.lesson.{step.say}" for n, one in lessons.items() for step in one.steps}
    endings = set(re.findall(r'"([a-z-]+)"', sources))
    generated |= {f"{name}.refused.{ending}" for name in game_names() for ending in endings}
    picked = {*endings, "more"}
    generated |= {f"{name}.step.{key}" for name in game_names() for key in picked}
    areas = set(re.findall(r'Area\(\s*"([a-z-]+)"', sources))
    generated |= {f"{name}.area.{area}" for name in game_names() for area in areas}
    pages = "\n".join(
        file.read_text("utf-8") for kind in ("html", "js") for file in PACKAGE.rglob(f"*.{kind}")
    )
    generated |= {f"storeys.page.{key}" for key in re.findall(r"[\"']([a-z0-9-]+)[\"']", pages)}
    openings |= {f"storeys.page.{key}" for key in re.findall(r"[\"'`]([a-z-]+-)[\"'`$]", pages)}
    for message_id in catalogue(folder, "en"):
        known = message_id in quoted | generated
        assert known or any(message_id.startswith(o) for o in openings), message_id


def test_every_id_in_the_code_has_a_message() -> None:
    known = {message_id for folder in FOLDERS for message_id in catalogue(folder, "en")}
    pattern = r'(?:Message|fail|say)\(\s*"([a-z-]+\.[a-z0-9.-]+)"'
    for file in PACKAGE.rglob("*.py"):
        for message_id in re.findall(pattern, file.read_text("utf-8")):
            assert message_id in known, f"{file.name}: {message_id}"


def test_languages_and_fallback() -> None:
    assert languages("storeys") == sorted(LANGUAGES)
    message = Message("storeys.nothing-to-take-back")
    assert message.text("xx") == message.text("en")
    with pytest.raises(LookupError, match="no catalogue has the message"):
        Message("storeys.no-such-message").text()


def test_compiled_catalogues_are_read_and_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(messages._folders, "tried", tmp_path)
    for lang, sentence in (("en", "hello"), ("nl", "hallo")):
        source = tmp_path / f"{lang}.po"
        source.write_text(f'msgid "tried.greeting"\nmsgstr "{sentence}"\n', "utf-8")
    source.with_suffix(".mo").write_bytes(compile_catalogue(source))
    source.write_text("this is not read", "utf-8")
    assert languages("tried") == ["en", "nl"]
    assert [Message("tried.greeting").text(lang) for lang in ("en", "nl")] == ["hello", "hallo"]


CORNERS = r"""
msgid ""
msgstr "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\n"

# a comment
#: where.py:12
msgid "tried.long"
msgstr ""
"says \"more\"\n"
"than\tone line \\\\"

#, fuzzy
msgid "tried.guessed"
msgstr "not this"

msgid "tried.empty"
msgstr ""

msgid "tried.some"
msgid_plural "tried.some"
msgstr[0] "one"
msgstr[1] "few"
msgstr[2] "many"

#~ msgid "tried.old"
#~ msgstr "gone"
"""


@pytest.mark.parametrize(
    "source", [file for folder in FOLDERS for file in sorted(folder.glob("*.po"))] + [None]
)
def test_a_catalogue_is_read_as_it_is_compiled(source: Path | None, tmp_path: Path) -> None:
    if source is None:
        source = tmp_path / "en.po"
        source.write_text(CORNERS, "utf-8")
    found: Any = messages.read_catalogue(source.read_text("utf-8"))
    compiled: Any = gettext.GNUTranslations(io.BytesIO(compile_catalogue(source)))
    for one in (found, compiled):
        one._catalog.pop("", None)  # Babel adds to the head.
    assert found._catalog == compiled._catalog
    assert [found.plural(n) for n in range(9)] == [compiled.plural(n) for n in range(9)]


def test_a_message_in_a_message_is_put_into_the_same_language() -> None:
    get_game("manhattan")
    inner = Message("manhattan.city.cairo")
    assert Message("manhattan.site", city=inner, cell="a1").text("de") == "Kairo a1"


def test_singular_and_plural() -> None:
    get_game("manhattan")
    for whole in (int, np.int64):
        texts = [Message("manhattan.part.towers", n=whole(n), colour="red").text() for n in (1, 2)]
        assert texts == ["1 red tower", "2 red towers"]


@pytest.mark.parametrize(
    ("message_id", "one", "two"),
    [
        ("storeys.bad-names", "1 seat name,", "2 seat names,"),
        ("storeys.tiles.position.tiles", "1 tile,", "2 tiles,"),
        ("storeys.tiles.position.hand", "1 tile,", "2 tiles,"),
    ],
)
def test_one_is_not_told_as_many(message_id: str, one: str, two: str) -> None:
    for n, words in ((1, one), (2, two)):
        assert words in Message(message_id, n=n, found=3, where="position").text()


def test_what_was_sent_stands_between_the_quotation_marks_of_the_language() -> None:
    with pytest.raises(storeys.IllegalMove) as refused:
        storeys.new("manhattan", players=2, seed=7).push("pick red 1 1 blah")
    told = {lang: refused.value.text(lang) for lang in ("en", "de", "nl")}
    assert told["de"].startswith("„blah“ (Wort 5 von „pick red 1 1 blah“) passt nicht")
    assert told["nl"].startswith("“blah” (woord 5 van “pick red 1 1 blah”) past niet")
    assert told["en"].startswith("“blah” (word 5 of “pick red 1 1 blah”) does not fit")
