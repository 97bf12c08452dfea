"""Bots: which there are, and a process in which they play at a server's tables."""

import json
from typing import Annotated

import typer
from rich.table import Table as Grid
from rich.text import Text

from storeys.cli.common import AsJson, Lang, Speech, app, console, sentence, speak
from storeys.cli.serving import Database, Pace, play_bots
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message


@app.command()
def bots(
    as_json: AsJson = False,
    database: Database = None,
    workers: Annotated[int | None, typer.Option(min=1, help="processes for bots")] = None,
    pace: Pace = None,
    log: Annotated[str, typer.Option(help="what to log: debug, info, warning, error")] = "warning",
    lang: Lang = "en",
) -> None:
    """List the bots; with a database, let them play at the tables that are kept there."""
    speak(lang)
    if database is not None:
        play_bots(database, workers, pace, log)
    elif workers is not None or pace is not None:
        raise BadOption(Message("storeys.web.bots-where"))
    else:
        _list(as_json)


def _list(as_json: bool) -> None:
    from storeys.bots import bot_facts, bot_names

    found = [bot_facts(name, Speech.lang) for name in bot_names()]
    if as_json:
        keys = ("name", "level", "help", "source")
        lines = [{key: getattr(facts, key) for key in keys} for facts in found]
        faults = [facts.fault and facts.fault.text(Speech.lang) for facts in found]
        listed = [line | {"fault": why} for line, why in zip(lines, faults, strict=True)]
        print(json.dumps(listed, indent=1))
        return
    heads = [sentence(f"storeys.bots.{head}") for head in ("name", "level", "help", "source")]
    grid = Grid(*heads, box=None, header_style="bold")
    for facts in found:
        told = facts.help if facts.fault is None else facts.fault.text(Speech.lang)
        level = str(facts.level or "")
        grid.add_row(Text(facts.name, style="bold"), level, Text(told), Text(facts.source))
    console.print(grid)
