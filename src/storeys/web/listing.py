"""The games, the bots and one's tables, as pages and the API list them."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from storeys.bots import bot_facts, bot_names
from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.errors import BadOption
from storeys.kernel.game import Game
from storeys.kernel.messages import Message, said
from storeys.kernel.options import Option
from storeys.web.language import capital
from storeys.web.models import (
    BotFacts,
    GameFacts,
    GameOutline,
    OptionFacts,
    OptionValue,
    TableFacts,
)
from storeys.web.table import Table
from storeys.web.tables import Lost

MOST_SKIPPED = 1_000_000
"""How many tables of a list may be left out at its beginning."""


def game_facts(game: Game, lang: str) -> GameFacts:
    """A game with its options."""
    options = [option_facts(game, option, lang) for option in game.options]
    return {**game_outline(game, lang), "options": options}


def game_outline(game: Game, lang: str) -> GameOutline:
    """A game as the first page introduces it; its box is not opened for that."""
    return {
        "name": game.name,
        "title": game.title.text(lang),
        "summary": game.summary.text(lang),
        "seats": list(game.seats),
        "default_players": game.default_players,
        "lesson": game.lesson is not None,
        "pictures": {
            theme: f"/pictures/{game.name}/{theme}.svg"
            for theme in THEMES
            if showpiece(game, theme).exists()
        },
    }


def showpiece(game: Game, theme: str) -> Path:
    """Where a game's picture for the home page is, in the colours of a theme."""
    return game.folder / f"showpiece.{theme}.svg"


def option_facts(game: Game, option: Option, lang: str) -> OptionFacts:
    """An option as the page of a new table asks for it."""
    words, several = f"{game.name}.option.{option.name}", option.several
    return {
        "name": option.name,
        "label": said(f"{words}.label", option.name, lang),
        "help": said(f"{words}.help", said(words, "", lang), lang),
        "default": option.default,
        "kind": "choice" if several is None else "some",
        "values": _values(game, option, words, lang),
        "at_random": [
            {"value": value, "label": random_words(value, lang)}
            for value in (several.at_random if several else ())
        ],
        "most": several.most if several else None,
    }


def _values(game: Game, option: Option, words: str, lang: str) -> list[OptionValue]:
    """What an option may be, or what may be among its values where it has several."""
    several = option.several
    if several is None:
        return [
            {
                "value": value,
                "label": said(f"{words}.{value}", str(value), lang),
                "barred": barred(game, option, value, lang),
            }
            for value in option.values
        ]
    return [
        {
            "value": name,
            "label": capital(said(f"{several.called}.{name}", name, lang)),
            "barred": barred(game, option, [name], lang),
            "otherwise": [
                {"option": other, "value": value, "label": capital(said(ids[name], name, lang))}
                for (other, value), ids in several.otherwise.items()
                if name in ids
            ],
        }
        for name in several.names
    ]


def random_words(value: int | None, lang: str) -> str:
    """A value that leaves a choice to chance: so many, or as many as there must be."""
    if value is None:
        return Message("storeys.page.at-random").text(lang)
    return Message("storeys.page.some-at-random", n=value).text(lang)


def barred(game: Game, option: Option, value: Any, lang: str) -> dict[str, str]:
    """With how many players a value cannot be played that can be with others, and why not."""
    found = {}
    for players in game.seats:
        try:
            game.settle(players, {option.name: value})
        except BadOption as error:
            found[str(players)] = capital(error.message.text(lang)) + "."
    return found if len(found) < len(game.seats) else {}


def bots_facts(lang: str, failing: Collection[str] = ()) -> list[BotFacts]:
    """The bots that can sit down, as pages introduce them; those that fail are left out."""
    return [
        {
            "name": name,
            "label": facts.label,
            "help": facts.help,
            "level": facts.level,
        }
        for name in bot_names()
        if name not in failing and (facts := bot_facts(name, lang)).fault is None
    ]


def table_facts(table: Table | Lost, owner: str, lang: str) -> TableFacts:
    """A table in the list of one's own; one that cannot be read says why."""
    if isinstance(table, Lost):
        return _lost_facts(table, lang)
    now, names = table.snapshot, table.snapshot.names_in(lang)
    to_move = now.match.to_move
    return {
        "id": now.id,
        "title": now.match.game.title.text(lang),
        "names": names,
        "mine": now.seats_of(owner),
        "state": now.status,
        "your_turn": now.status == "playing" and to_move in now.seats_of(owner),
        "whose_turn": None if to_move is None or now.status != "playing" else names[to_move],
        "totals": now.match.totals if to_move is None else [],
        "winners": now.match.winners,
        "may_delete": now.may_delete(owner),
        "when": now.created,
        "last": now.last,
        "deadline": now.deadline,
        "problem": None,
    }


def _lost_facts(table: Lost, lang: str) -> TableFacts:
    return {
        "id": table.outline.id,
        "title": table.outline.id,
        "names": [seat.name for seat in table.outline.seats],
        "mine": [],
        "state": "unreadable",
        "your_turn": False,
        "whose_turn": None,
        "totals": [],
        "winners": [],
        "may_delete": True,
        "when": table.outline.created,
        "last": table.outline.created,
        "deadline": None,
        "problem": capital(table.why.text(lang)) + ".",
    }
