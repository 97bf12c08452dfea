"""The command ``storeys``."""

import io
import os
import sys
from importlib import import_module
from typing import Annotated, NoReturn

import typer

import storeys
from storeys.cli.common import Speech, app, errors
from storeys.kernel.errors import StoreysError

ROOMS = ("arena", "bots", "boxes", "keeping", "new_game", "pictures", "playing", "serving")
"""The modules that commands are in."""
ALONE = {"serve": ("serving",)}
"""Commands that are loaded without the others: somebody waits for the first page."""


def load_commands(asked: str = "") -> None:
    """Load all commands, or only what is needed for the one that is asked for."""
    for room in ALONE.get(asked, ROOMS):
        import_module(f"{__name__}.{room}")


def main() -> None:
    """Run the command; whatever goes wrong is one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign shows a question mark instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    load_commands(*sys.argv[1:2])
    try:
        code = app(standalone_mode=False)
    except StoreysError as error:
        _give_up(error.text(Speech.lang))
    except typer.TyperException as error:
        _give_up(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:
        # Who reads us has had enough; Python would complain again while closing the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)


def _give_up(sentence: str) -> NoReturn:
    if sentence:
        errors.print(f"storeys: {sentence}", markup=False, highlight=False, soft_wrap=True)
    sys.exit(2)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"storeys {storeys.__version__}")
        raise typer.Exit


@app.callback()
def options_of_all(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="say it")
    ] = False,
) -> None:
    """Three skyscraper board games in the terminal, and their simulator."""
