"""Every sentence a person may read: a message with an id, looked up in a gettext catalogue.

An id like ``manhattan.takeover`` names its catalogue (up to the first dot) and its entry.  The
catalogues are PO files, one a language, in the folder ``locale`` beside the code that uses them;
a wheel has them compiled (MO files), which are read many times as quickly.
A parameter may be a message or an error, and is then put into the same language.
"""

import functools
import gettext
import io
import json
import re
import string
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

DEFAULT_LANGUAGE = "en"
MINUS = "−"
"""The sign of negative numbers that people read; what programs read has a hyphen."""

_folders: dict[str, Path] = {}


def add_catalogue(domain: str, folder: Path) -> None:
    """Let ids that start with ``domain`` be looked up in the PO or MO files of this folder."""
    _folders[domain] = folder


add_catalogue("storeys", Path(__file__).parent.parent / "locale")


def figure(value: float, form: str = "") -> str:
    """A number as people read it, in a format of Python's; never with a hyphen for a minus.

    >>> from storeys.kernel.messages import figure
    >>> figure(-2.345, ".1f")
    '−2.3'
    """
    return format(value, form).replace("-", MINUS)


class Message:
    """A sentence before it is put into a language.

    The parameter ``n`` chooses between singular and plural where the catalogue has both.

    >>> from storeys.kernel.messages import Message
    >>> message = Message("storeys.no-such-seat", found=9, last=3)
    >>> str(message)
    'there is no seat 9; seats go from 0 to 3'
    >>> message.text("de")
    'einen Platz 9 gibt es nicht; die Plätze reichen von 0 bis 3'
    """

    __slots__ = ("id", "params")

    def __init__(self, id: str, /, **params: Any) -> None:  # noqa: A002 — the word gettext uses
        self.id, self.params = id, params

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """The sentence in a language; English where that language has none.

        >>> from storeys.kernel.messages import Message
        >>> Message("storeys.over").text("nl")
        'de partij is afgelopen; je kunt geen zet meer doen'
        """
        n = self.params.get("n")
        if n is not None and type(n) is not int:
            n = int(n) if isinstance(n, Integral) else None  # NumPy's numbers too
        template = _template(lang, self.id, n)
        if not self.params and "{" not in template:
            return template
        return template.format(**{name: _in(lang, value) for name, value in self.params.items()})

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Message({self.id!r}, {self.params!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.id, self.params) == (other.id, other.params)

    def __hash__(self) -> int:
        return hash(self.id)  # its parameters may be lists


@dataclass
class Joined:
    """Some words with a dash between them, each in the language that is asked for."""

    parts: list[Message]

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """The words in a language."""
        return "–".join(part.text(lang) for part in self.parts)


@dataclass
class Or:
    """A sentence by its id, or something else where no catalogue has it."""

    id: str
    otherwise: str

    def text(self, lang: str = DEFAULT_LANGUAGE) -> str:
        """The words in a language."""
        return said(self.id, self.otherwise, lang)


@functools.lru_cache(4096)
def said(message_id: str, otherwise: str, lang: str) -> str:
    """A sentence, or something else where no catalogue has it."""
    try:
        return Message(message_id).text(lang)
    except LookupError:
        return otherwise


def languages(domain: str) -> list[str]:
    """The languages of a catalogue.

    >>> from storeys.kernel.messages import languages
    >>> languages("storeys")
    ['de', 'en', 'nl']
    """
    return sorted({path.stem for path in _folders[domain].glob("*.[mp]o")})


def sentences(prefix: str, lang: str, fall_back: bool = True) -> dict[str, str]:
    """All plain sentences whose ids begin with a prefix, by the rest of their ids.

    Where the language has none, the English one stands in unless that is not wanted.
    """
    domain = prefix.partition(".")[0]
    found: dict[str, str] = {}
    for language in (DEFAULT_LANGUAGE, lang) if fall_back else (lang,):
        entries = getattr(_catalogue(domain, language), "_catalog", {})
        found |= {
            key.removeprefix(prefix): text
            for key, text in entries.items()
            if isinstance(key, str) and key.startswith(prefix)
        }
    return found


def placeholders(template: str) -> set[str]:
    """The names in braces of a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def _in(lang: str, value: Any) -> Any:
    """Messages, and errors that hold one, speak for themselves; numbers have their minus sign."""
    if type(value) is str:
        return value
    if isinstance(value, int | float):
        return value if value >= 0 else figure(value)
    speak = getattr(value, "text", None)
    return value if speak is None else speak(lang)


@functools.lru_cache(4096)
def _template(lang: str, message_id: str, n: int | None) -> str:
    domain = message_id.partition(".")[0]
    for language in (lang, DEFAULT_LANGUAGE):
        catalogue = _catalogue(domain, language)
        found = message_id
        if n is not None:
            found = catalogue.ngettext(message_id, message_id, n)
        if found == message_id:
            found = catalogue.gettext(message_id)
        if found != message_id:
            return found
    raise LookupError(f"no catalogue has the message {message_id!r}")


@functools.cache
def _catalogue(domain: str, lang: str) -> gettext.NullTranslations:
    """The sentences of a language: compiled ahead, as a wheel has them, or else from PO."""
    source = _folders[domain] / f"{lang}.po"
    ahead = source.with_suffix(".mo")
    if not (ahead.exists() or source.exists()):
        return gettext.NullTranslations()
    if ahead.exists():
        return gettext.GNUTranslations(io.BytesIO(ahead.read_bytes()))
    return read_catalogue(source.read_text("utf-8"))


def read_catalogue(text: str) -> gettext.GNUTranslations:
    """The sentences of a PO file, as its compiled form has them; Babel takes longer to load.

    >>> from storeys.kernel.messages import read_catalogue
    >>> read_catalogue('msgid "over"\\nmsgstr "afgelopen"').gettext("over")
    'afgelopen'
    """
    found: dict[Any, str] = {}
    for comments, entry in _PO_ENTRY.findall(text + "\n"):
        said = {key: _unquoted(quoted) for key, quoted in _PO_WORDS.findall(entry)}
        if _FUZZY.search(comments):
            continue
        if "msgid_plural" not in said:
            found[said["msgid"]] = said["msgstr"]
            continue
        forms = (key for key in said if key.startswith("msgstr["))
        found |= {(said["msgid"], int(key[7:-1])): said[key] for key in forms}
    catalogue: Any = gettext.GNUTranslations()
    plural = re.search(r"plural=(.*?);", found.get("", ""))
    catalogue._catalog = {key: words for key, words in found.items() if words}
    catalogue.plural = gettext.c2py(plural[1] if plural else "n != 1")
    translations: gettext.GNUTranslations = catalogue
    return translations


_PO_ENTRY = re.compile(r"((?:^#.*\n)*)(^msgid\s.*\n(?:^(?!msgid\s)[m\"].*\n)*)", re.MULTILINE)
_PO_WORDS = re.compile(r'^(msg\w+(?:\[\d+\])?)\s+((?:"[^\n]*"\s*)+)', re.MULTILINE)
_FUZZY = re.compile(r"^#,.*\bfuzzy\b", re.MULTILINE)


def _unquoted(quoted: str) -> str:
    """The words of a PO file without their quotes, joined over lines; it quotes like JSON."""
    lines = [line.strip() for line in quoted.splitlines()]
    return "".join(json.loads(line) if "\\" in line else line[1:-1] for line in lines)


def compile_catalogue(source: Path) -> bytes:
    """A PO file in the form the standard library reads, MO: wheels are built with it."""
    from babel.messages import mofile, pofile

    compiled = io.BytesIO()
    with source.open("rb") as file:
        mofile.write_mo(compiled, pofile.read_po(file, locale=source.stem))
    return compiled.getvalue()
