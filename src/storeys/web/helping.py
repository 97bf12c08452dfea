"""The help of a game as pages show it: sections that rules and phases lead to, with pictures."""

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from storeys.kernel.drawing import scene as drawing
from storeys.kernel.drawing.svg import P
from storeys.kernel.game import Card, Game
from storeys.kernel.helping import Section, paragraphs_of
from storeys.kernel.messages import Message
from storeys.registry import get_game
from storeys.web.lessons import lesson_match

PREFIX = "h"
"""With what the ids in pictures of the help begin."""
RULE = re.compile(r"<strong>([A-Z]+-[A-Z]?\d+)</strong>")
PICTURES_KEPT = 100
FONT = 'font-family="Archivo, system-ui, sans-serif"'


def help_html(game: Game, lang: str, theme: str, options: Mapping[str, Any]) -> str:
    """How a game is played, as HTML: a section each, and the cards that a match is played with."""
    text = game.help_text(lang)
    if not game.sections:
        return RULE.sub(r'<strong id="rule-\1">\1</strong>', _markdown(text))
    paragraphs = zip(game.sections, paragraphs_of(text), strict=True)
    shown = [_section(game, one, *words, lang, theme) for one, words in paragraphs if one.page]
    return "".join(shown) + cards_html(game, lang, options)


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt  # not needed for most pages

    return str(MarkdownIt().render(text))


def _section(game: Game, one: Section, lead: str, text: str, lang: str, theme: str) -> str:
    picture = ""
    if one.picture is not None:
        address = f"/help/{game.name}/{one.id}.svg?theme={theme}&amp;lang={lang}"
        picture = f'<img src="{address}" alt="" loading="lazy">'
    ids = _rule_ids(one.rules)
    heading = f"<h2>{html.escape(lead)}</h2>"
    body = f"{heading}{_markdown(text)}{picture}{ids}"
    return f'<section class="help" id="help-{one.id}" tabindex="-1">{body}</section>'


def _rule_ids(rules: tuple[str, ...]) -> str:
    """The ids of the rules that a section explains, for who comes from one of them."""
    named = " ".join(f'<span id="rule-{rule}">{rule}</span>' for rule in rules)
    return f'<p class="rule-ids">{named}</p>' if rules else ""


def cards_html(game: Game, lang: str, options: Mapping[str, Any]) -> str:
    """The cards that lie open in a match, or could, each with what it says."""
    cards = game.cards(options)
    if not cards:
        return ""
    listed = "".join(_card(card, lang) for card in cards)
    heading = html.escape(Message(f"{game.name}.cards").text(lang))
    inside = f'<h2>{heading}</h2><dl class="cards">{listed}</dl>'
    return f'<section class="help" id="help-cards" tabindex="-1">{inside}</section>'


def _card(card: Card, lang: str) -> str:
    title, text = html.escape(card.title.text(lang)), html.escape(card.text.text(lang))
    rule = f'<small id="rule-{card.rule}">{card.rule}</small>'
    return f"<div><dt>{title} {rule}</dt><dd>{text}</dd></div>"


@lru_cache(PICTURES_KEPT)
def help_picture(name: str, section: str, theme: str, lang: str) -> str | None:
    """The picture of a section, as SVG; None if it has none."""
    game = get_game(name)
    shown = next((one.picture for one in game.sections if one.id == section), None)
    if shown is None:
        return None
    lesson = game.lesson
    match = lesson_match(name, [""] * (lesson.players if lesson else 0))
    for move in shown.moves:
        match.push(move)
    look = drawing.make_look("plan", 0, theme, (), lang)
    scene = game.scene(match.view(0), match.setup.components, match.names_in(lang), look)
    area = next(one for one in (*scene.cities, *scene.panels) if one.name == shown.area)
    part = area.draw()
    body = f"<defs>{scene.defs}</defs>{part.body}".replace(P, PREFIX)
    box = f"0 0 {part.width:g} {part.height:g}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {FONT}>{body}</svg>'
