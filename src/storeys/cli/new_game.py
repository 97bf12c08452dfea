"""A package for a game of one's own, laid out with a working toy inside."""

import re
from pathlib import Path
from typing import Annotated

import typer

from storeys.cli.common import Lang, Speech, app, speak
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message
from storeys.kernel.reading import short
from storeys.registry import game_names

TEMPLATE = Path(__file__).parent / "template"


@app.command("new-game")
def new_game(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="small letters, digits and hyphens: my-game")
    ],
    folder: Annotated[
        Path | None, typer.Option(help="where to; by default a new folder of that name")
    ] = None,
    lang: Lang = "en",
) -> None:
    """Lay out a package for a game of your own, with a toy inside that works."""
    speak(lang)
    target = lay_out(name, folder or Path(name))
    print(Message("storeys.new-game.done", folder=str(target), name=name).text(Speech.lang))


def lay_out(name: str, folder: Path) -> Path:
    """Write the package of a game into a folder that is not there yet."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise BadOption(Message("storeys.new-game.name", found=short(name)))
    if name in game_names():
        raise BadOption(Message("storeys.new-game.taken", name=name))
    if folder.exists():
        raise BadOption(Message("storeys.new-game.exists", folder=str(folder)))
    words = {
        "PACKAGE": name.replace("-", "_"),
        "NAME": name,
        "TITLE": name.replace("-", " ").title(),
    }
    for source in sorted(TEMPLATE.rglob("*.txt")):
        relative = str(source.relative_to(TEMPLATE)).removesuffix(".txt")
        file = folder / re.sub("package", words["PACKAGE"], _filled(relative, words), count=1)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_filled(source.read_text("utf-8"), words), "utf-8")
    return folder


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub("|".join(words), lambda found: words[found.group()], text)
