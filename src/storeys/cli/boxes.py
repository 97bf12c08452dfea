"""Component sets: checking and showing them."""

import json
from pathlib import Path
from typing import Annotated

import typer

from storeys.cli.common import (
    AsJson,
    Components,
    GameName,
    Lang,
    Speech,
    app,
    console,
    sentence,
    speak,
)
from storeys.kernel.components import open_document
from storeys.kernel.errors import BadComponents
from storeys.kernel.messages import Message
from storeys.registry import get_game

boxes = typer.Typer(
    help="Component sets: check one of your own, or look at one.", no_args_is_help=True
)
app.add_typer(boxes, name="components")


@boxes.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a component set, TOML or JSON")],
    lang: Lang = "en",
) -> None:
    """Say whether a transcription is sound, and everything that is missing."""
    speak(lang)
    game = get_game(open_document(file)["game"].text())
    problems = game.component_problems(file)
    for problem in problems:
        print(problem.text(Speech.lang))
    if problems:
        raise BadComponents(Message("storeys.components.unsound", path=str(file), n=len(problems)))
    found = game.load_components(file)
    print(sentence("storeys.components.sound", path=str(file), game=game.title, hash=found.hash))


@boxes.command()
def show(
    game: GameName,
    components: Components = None,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Print a component set as a person recognises it."""
    speak(lang)
    if Path(game).is_file():
        game, components = open_document(game)["game"].text(), Path(game)
    kind = get_game(game)
    found = kind.load_components(components)
    if as_json:
        print(json.dumps(found.content, indent=1))
    else:
        console.print(kind.components_text(found.content, Speech.lang), highlight=False)
