"""Bots against each other."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from storeys.arena import Contest, Results
from storeys.arena.log import Log
from storeys.arena.running import Crew, Watcher, checked_count, crew_of, run, whole_groups
from storeys.cli.common import (
    AsJson,
    Components,
    GameName,
    Lang,
    Options,
    Players,
    Seed,
    Speech,
    app,
    compile_games,
    console,
    errors,
    options_from,
    sentence,
    speak,
    warn,
    write_file,
)
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message, figure

IN_MEMORY = Path("-")
"""Instead of a file: keep nothing."""


@app.command()
def arena(
    game: GameName,
    bot: Annotated[
        list[str],
        typer.Argument(metavar="BOT[:OPTION=VALUE]…", help="two or more bots; see `storeys bots`"),
    ],
    games: Annotated[int, typer.Option("--games", "-n", help="how many games at most")] = 200,
    play_all: Annotated[
        bool, typer.Option("--all", help="play all of them, also once it is clear")
    ] = False,
    players: Players = None,
    seconds: Annotated[
        float | None, typer.Option(help="how long a search may think a turn")
    ] = None,
    simulations: Annotated[int | None, typer.Option(help="instead: how many simulations")] = None,
    clock: Annotated[
        str, typer.Option(help="by what seconds are told: wall, or cpu on a busy machine")
    ] = "wall",
    seed: Seed = "0",
    processes: Annotated[
        int | None, typer.Option(help="how many games at once; one a core by default")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="where the games are kept, to go on later; - for nowhere")
    ] = None,
    records: Annotated[Path | None, typer.Option(help="write each game's record here")] = None,
    report: Annotated[Path | None, typer.Option(help="write a page with plots: FILE.html")] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="play on a Ray cluster; local starts one")
    ] = None,
    option: Options = None,
    components: Components = None,
    as_json: AsJson = False,
    lang: Lang = "en",
) -> None:
    """Let bots play against each other until it is clear which is stronger."""
    speak(lang)
    contest = Contest(
        game, bot, players, seed, seconds, simulations, options_from(game, option, components),
        clock,
    ).checked()  # fmt: skip
    count = checked_count("games", games)
    crew = _crew(ray, processes)
    path = None if file == IN_MEMORY else file or Path(contest.file_name())
    log = Log(contest, path)
    _compile(game)
    with _watching(contest, count) as watch:
        try:
            results = run(contest, log, count, crew, watch, play_all)
        except KeyboardInterrupt:
            if path is not None:
                warn(Message("storeys.arena.stopped", path=str(path)))
            raise
    _write_out(results, records, report)
    _tell(results, path, as_json)


def _crew(ray: str | None, processes: int | None) -> Crew:
    if ray is None:
        return crew_of(processes)
    if processes is not None:
        raise BadOption(Message("storeys.arena.ray-or-processes"))
    from storeys.arena.on_ray import RayCrew

    return RayCrew(ray)


def _compile(game: str) -> None:
    """A search whose clock runs must not wait for the compiler."""
    from storeys.warming import is_warm, steps_to_compete

    if not is_warm(game):
        compile_games([game], steps_to_compete)


@contextmanager
def _watching(contest: Contest, games: int) -> Iterator[Watcher | None]:
    """A table on a terminal that changes with every game; elsewhere nothing is shown."""
    if not errors.is_terminal:
        yield None
        return
    with Live(console=errors, transient=True, refresh_per_second=4) as live:
        most = whole_groups(contest, games)

        def watch(results: Results, log: Log) -> None:
            done = sentence("storeys.arena.done", done=len(log.games), most=most)
            live.update(Group(Text(done), *_tables(results)))

        yield watch


def _write_out(results: Results, records: Path | None, report: Path | None) -> None:
    if records is not None:
        write_file(lambda: _write_records(results, records), records)
    if report is not None:
        from storeys.arena.report import page

        write_file(lambda: report.write_text(page(results, Speech.lang), "utf-8"), report)


def _write_records(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for game in results.played():
        text = json.dumps(game["record"], ensure_ascii=False, indent=1)
        (folder / f"{game['number']:05}.json").write_text(text, "utf-8")


def _tell(results: Results, path: Path | None, as_json: bool) -> None:
    from storeys.arena.ratings import is_installed

    if as_json:
        print(json.dumps(results.to_json() | {"file": path and str(path)}, indent=1))
        return
    for table in _tables(results):
        console.print(table)
    for pair in results.pairs:
        console.print(pair.sentence().text(Speech.lang), highlight=False, markup=False)
    if path is not None:
        console.print(sentence("storeys.arena.kept", path=str(path)), highlight=False, markup=False)
    if not is_installed():
        warn(Message("storeys.arena.no-ratings"))


def _tables(results: Results) -> list[Grid]:
    if not results.groups:
        return []
    return [_standings(results), _pairs(results)]


def _grid(*heads: str) -> Grid:
    grid = Grid(
        *(sentence(f"storeys.arena.head.{head}") for head in heads), box=None, header_style="bold"
    )
    for column in grid.columns[1:]:
        column.justify = "right"
    return grid


def _standings(results: Results) -> Grid:
    grid = _grid("bot", "seats", "wins", "place", "points", "time", "rating")
    for row in results.standings():
        if row["seats"]:
            rating = row["rating"]
            grid.add_row(
                Text(row["bot"]),
                str(row["seats"]),
                f"{row['wins']:.1%}",
                f"{row['place']:.2f}",
                figure(row["points"], ".1f"),
                f"{row['seconds_a_turn']:.3f} s",
                rating and _range(rating | {"mean": rating["rating"]}, False),
            )
    return grid


def _pairs(results: Results) -> Grid:
    grid = _grid("pair", "groups", "share", "always", "margin", "lucky-share", "lucky-margin")
    for pair in results.pairs:
        if pair.shares:
            told = pair.to_json()
            less = told["without_luck"] or {"share": None, "margin": None}
            grid.add_row(
                Text(f"{pair.one} – {pair.other}"),
                str(told["groups"]),
                _range(told["share"], True),
                _range({"mean": None} | told["always"], True),
                _range(told["margin"], False),
                _range(less["share"], True),
                _range(less["margin"], False),
            )
    return grid


def _range(told: dict[str, Any] | None, share: bool) -> str:
    """A mean and its interval, shares in per cent."""
    if told is None:
        return "–"

    def written(value: float | None) -> str:
        if value is None:
            return "?"
        return f"{100 * min(max(value, 0.0), 1.0):.1f} %" if share else figure(value, ".1f")

    interval = f"{written(told['low'])} … {written(told['high'])}"
    return interval if told["mean"] is None else f"{written(told['mean'])} ({interval})"
