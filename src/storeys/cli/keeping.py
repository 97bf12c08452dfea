"""Backups of the server's database."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storeys.cli.common import Lang, app, check_new_file, console, sentence, speak, write_file
from storeys.cli.serving import Database, own_database
from storeys.kernel.errors import NotInstalled
from storeys.kernel.messages import Message

if TYPE_CHECKING:
    from storeys.web.backup import Saved


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="the file to write")],
    database: Database = None,
    lang: Lang = "en",
) -> None:
    """Write all matches of a server to a file, while it runs."""
    speak(lang)
    _check_installed()
    from storeys.web.backup import back_up

    check_new_file(file)
    url = database or own_database()
    write_file(lambda: _say("storeys.backup.done", file, back_up(url, file)), file)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="a file that `storeys backup` wrote")],
    database: Annotated[
        str, typer.Option("--database", metavar="URL", help="SQLAlchemy's URL of an empty database")
    ],
    lang: Lang = "en",
) -> None:
    """Read a backup into an empty database."""
    speak(lang)
    _check_installed()
    from storeys.web.backup import restore as read_back

    _say("storeys.backup.restored", file, read_back(file, database))


def _check_installed() -> None:
    try:
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise NotInstalled(Message("storeys.web.extra", what=str(error.name))) from None


def _say(message: str, file: Path, saved: "Saved") -> None:
    console.print(
        sentence(message, path=str(file), tables=saved.tables, events=saved.events),
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
