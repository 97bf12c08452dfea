"""What the commands share: options, the language, files, progress."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message, languages
from storeys.kernel.reading import short
from storeys.registry import get_game

if TYPE_CHECKING:
    from rich.progress import Progress

app = typer.Typer(
    help="Three skyscraper board games in the terminal, and their simulator.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)
console = Console()
errors = Console(stderr=True)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="a game; see `storeys games`")]
Players = Annotated[int | None, typer.Option("--players", "-p", help="number of seats")]
Seed = Annotated[str | None, typer.Option("--seed", "-s", help="the same seed, the same deal")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="an option of the game"),
]
Components = Annotated[
    Path | None, typer.Option("--components", help="a component set of one's own")
]
Lang = Annotated[
    str, typer.Option("--lang", envvar="STOREYS_LANG", help="the language: en, de, nl")
]
Names = Annotated[
    list[str] | None, typer.Option("--name", help="a person's name; repeat for the next seat")
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON for machines")]


class Speech:
    """The language of this run, for errors too."""

    lang = "en"


def sentence(message_id: str, **params: Any) -> str:
    """A message in the language of this run."""
    return Message(message_id, **params).text(Speech.lang)


def warn(message: Message) -> None:
    """Say on stderr that something was left out, in one line."""
    text = f"storeys: {message.text(Speech.lang)}"
    errors.print(text, markup=False, highlight=False, soft_wrap=True)


def check_new_file(file: Path | None) -> None:
    """Refuse a file that is there already."""
    if file is not None and file.exists():
        raise BadOption(Message("storeys.play.file-exists", path=str(file)))


def progress() -> "Progress":
    """A bar that goes away when it is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
    )


def compile_games(
    names: list[str],
    steps_of: Callable[[str], list[tuple[str, Callable[[], object]]]] | None = None,
) -> dict[str, str]:
    """Compile the rules of games, or load them if that was done before; all steps, or those given.

    A bot of another package that fails is left out: the names of such bots, and what they said.
    """
    from storeys.bots import BotFailed
    from storeys.warming import steps_to_warm

    failing: dict[str, str] = {}
    with progress() as bar:
        for name in names:
            steps = (steps_of or steps_to_warm)(name)
            task = bar.add_task(name, total=len(steps))
            for label, step in steps:
                bar.update(task, description=f"{name}: {label}")
                try:
                    step()
                except BotFailed as error:
                    if error.bot not in failing:
                        warn(Message("storeys.bot-skipped", why=error))
                    failing[error.bot] = str(error)
                bar.advance(task)
            bar.update(task, description=name)
    return failing


def options_from(game: str, given: list[str] | None, components: Path | None) -> dict[str, Any]:
    """The options of a game from the command line; a value may be JSON."""
    known = [option.name for option in get_game(game).options]
    beside = ["--players", "--components"]
    options: dict[str, Any] = {"components": components} if components else {}
    for entry in given or []:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise BadOption(Message("storeys.bad-option-form", found=short(entry)))
        if name not in known:
            raise BadOption(
                Message(
                    "storeys.unknown-option", option=short(name), known=", ".join(known + beside)
                )
            )
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    """A value as typed: JSON, a list with commas, none, random, or plain text."""
    if text in ("none", "random"):
        return [] if text == "none" else None
    try:
        return json.loads(text)
    except ValueError:
        return text.split(",") if "," in text else text


def write_file(action: Any, file: Path | None) -> None:
    """Write by an action; one sentence if that fails."""
    try:
        action()
    except OSError as error:
        raise BadOption(
            Message("storeys.play.unwritable", path=str(file), why=error.strerror)
        ) from None


def speak(lang: str) -> None:
    """Use a language from here on."""
    known = languages("storeys")
    if lang.lower() not in known:
        raise BadOption(Message("storeys.play.language", found=short(lang), known=", ".join(known)))
    Speech.lang = lang.lower()
