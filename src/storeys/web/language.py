"""In which language and in which colours a browser wants its answers."""

from functools import cache

from fastapi import Request

from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.messages import DEFAULT_LANGUAGE, languages

LANGUAGE_COOKIE = "storeys-lang"
THEME_COOKIE = "theme"
DEFAULT_THEME = "light"


@cache
def _languages() -> list[str]:
    """The languages there are: every request asks, and they lie in a folder."""
    return languages("storeys")


def known_language(lang: str | None) -> str | None:
    """A language that there is, or None."""
    return lang if lang in _languages() else None


def language_of(request: Request) -> str:
    """The language of a browser: chosen, or the one there is that it likes best."""
    chosen = known_language(request.cookies.get(LANGUAGE_COOKIE))
    return chosen or best_language(request.headers.get("accept-language", ""))


def best_language(accepted: str) -> str:
    """The language there is that an Accept-Language header gives the most weight."""
    weights = [_weighed(part) for part in accepted.split(",") if part.strip()]
    refused = {tag for tag, weight in weights if weight == 0}
    for tag, weight in sorted(weights, key=lambda entry: -entry[1]):  # the first among equals
        if weight <= 0:
            break
        if tag == "*":
            named = {other.partition("-")[0] for other, _ in weights}
            there = [DEFAULT_LANGUAGE, *_languages()]
            return next((lang for lang in there if lang not in named), DEFAULT_LANGUAGE)
        found = known_language(tag.partition("-")[0])
        if found and found not in refused:
            return found
    return DEFAULT_LANGUAGE


def _weighed(part: str) -> tuple[str, float]:
    """A language range and its weight; below 0 where that cannot be read."""
    tag, _, weight = part.partition(";")
    key, equals, value = weight.strip().partition("=")
    if not weight.strip():
        return tag.strip().lower(), 1.0
    try:
        number = float(value) if key.strip().lower() == "q" and equals else -1.0
    except ValueError:
        number = -1.0
    return tag.strip().lower(), number if 0 <= number <= 1 else -1.0


def theme_of(request: Request) -> str:
    """The colours that a browser chose, so that its first picture has them already."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else DEFAULT_THEME


def capital(words: str) -> str:
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]
