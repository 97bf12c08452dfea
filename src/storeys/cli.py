"""The command ``storeys``."""

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

import storeys
from storeys.kernel.errors import BadOption, BadRecord, StoreysError
from storeys.kernel.messages import Message, languages
from storeys.kernel.reading import short

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
AsJson = Annotated[bool, typer.Option("--json", help="print JSON for machines")]


def main() -> None:
    """Run the command; whatever goes wrong is one sentence and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except StoreysError as error:
        _give_up(str(error))
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


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games, who can play them and their options."""
    from storeys.registry import game_names, get_game

    found = [get_game(name) for name in game_names()]
    if as_json:
        print(json.dumps([_facts(game) for game in found], indent=1))
        return
    grid = Grid("game", "players", "rules", "options", box=None, header_style="bold")
    for game in found:
        options = "\n".join(
            f"{option.name} = {' | '.join(map(str, option.values))}\n  "
            f"{Message(f'{game.name}.option.{option.name}')}"
            for option in game.options
        )
        seats = ", ".join(map(str, game.seats))
        title = f"[bold]{game.name}[/bold]\n{Message(f'{game.name}.summary')}"
        grid.add_row(title, seats, f"v{game.rules_version}", options)
    console.print(grid)


def _facts(game: Any) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title.text(),
        "players": list(game.seats),
        "rules_version": game.rules_version,
        "options": {option.name: list(option.values) for option in game.options},
        "actions": game.actions,
        "observation": [{"plane": p.name, "shape": list(p.shape)} for p in game.planes],
    }


@app.command()
def sim(
    game: GameName,
    games: Annotated[int, typer.Option("--games", "-n", help="how many games")] = 10_000,
    players: Players = None,
    seed: Seed = "0",
    threads: Annotated[int | None, typer.Option(help="how many cores; all by default")] = None,
    option: Options = None,
    components: Components = None,
    as_json: AsJson = False,
) -> None:
    """Play many random games and say how they went."""
    chosen = _options(option, components) | {"players": players}
    storeys.arena.playouts(game, 0, seed=seed, threads=threads, **chosen)  # Check everything first.
    if games < 1:
        raise BadOption(Message("storeys.bad-count", what="games", low=1, found=games))
    with _progress() as bar:
        storeys.arena.playouts(game, 1, **chosen)
        task = bar.add_task(f"{games:,} games", total=games)
        start = time.perf_counter()
        batch = storeys.arena.playouts(
            game,
            games,
            seed=seed,
            threads=threads,
            progress=lambda done: bar.advance(task, done),
            **chosen,
        )
        seconds = time.perf_counter() - start
    summary = _summary(batch, seconds)
    if as_json:
        print(json.dumps(summary, indent=1))
    else:
        _show_summary(summary)


def _summary(batch: Any, seconds: float) -> dict[str, Any]:
    shares = batch.winners / batch.winners.sum(axis=1, keepdims=True)
    return {
        "game": batch.game.name,
        "players": batch.setup.players,
        "options": batch.setup.to_json(),
        "seed": str(batch.seed),
        "games": len(batch.lengths),
        "seconds": seconds,
        "games_per_second": len(batch.lengths) / seconds,
        "moves_per_second": int(batch.lengths.sum()) / seconds,
        "moves_per_game": float(batch.lengths.mean()),
        "seats": [
            {
                "win_share": float(shares[:, seat].mean()),
                "score": _distribution(batch.scores[:, seat].tolist()),
            }
            for seat in range(batch.setup.players)
        ],
    }


def _distribution(scores: list[int]) -> dict[str, float]:
    low, high = np.percentile(scores, [5, 95]).tolist()
    return {
        "mean": statistics.fmean(scores),
        "deviation": statistics.pstdev(scores),
        "min": min(scores),
        "5%": low,
        "median": statistics.median(scores),
        "95%": high,
        "max": max(scores),
    }


def _show_summary(summary: dict[str, Any]) -> None:
    console.print(
        f"{summary['games']:,} games of {summary['game']} in {summary['seconds']:.2f} s: "
        f"[bold]{summary['games_per_second']:,.0f}[/bold] games/s, "
        f"[bold]{summary['moves_per_second']:,.0f}[/bold] moves/s, "
        f"{summary['moves_per_game']:.1f} moves a game"
    )
    columns = list(summary["seats"][0]["score"])
    grid = Grid("seat", "win share", *columns, box=None, header_style="bold")
    for column in grid.columns:
        column.justify = "right"
    for seat, row in enumerate(summary["seats"]):
        figures = [f"{value:.1f}" for value in row["score"].values()]
        grid.add_row(str(seat), f"{row['win_share']:.1%}", *figures)
    console.print(grid)


@app.command()
def new(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="where to write the match")],
    players: Players = None,
    seed: Seed = None,
    name: Annotated[list[str] | None, typer.Option(help="a seat's name, once a seat")] = None,
    option: Options = None,
    components: Components = None,
) -> None:
    """Deal a match into a file, to be played with `storeys play FILE`."""
    from storeys.terminal import write_record

    if file.exists():
        raise BadOption(Message("storeys.play.file-exists", path=str(file)))
    match = storeys.new(game, players, seed, name, **_options(option, components))
    _write(lambda: write_record(match, file), file)
    console.print(str(Message("storeys.play.dealt", path=str(file))), highlight=False)


@app.command()
def play(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE", help="a game, or a match in a file")],
    players: Players = None,
    humans: Annotated[int, typer.Option(help="people at this screen, in the first seats")] = 1,
    bot: Annotated[str, typer.Option(help="who sits in the other seats")] = "random",
    seed: Seed = None,
    save: Annotated[Path | None, typer.Option(help="keep the match in this file")] = None,
    option: Options = None,
    components: Components = None,
    lang: Lang = "en",
) -> None:
    """Play in the terminal, against bots or with others at one screen."""
    from storeys.terminal import Quit, Table

    _check_language(lang)
    if Path(game).suffix == ".json" or Path(game).is_file():
        match = storeys.load(_read(Path(game)))
        file: Path | None = save or Path(game)
    else:
        match = storeys.new(game, players, seed, **_options(option, components))
        file = save
    if not 0 <= humans <= match.players:
        raise BadOption(Message("storeys.play.humans", n=match.players, found=humans))
    bots = [None if seat < humans else storeys.bot(bot) for seat in range(match.players)]
    table = Table(console, match, list(bots), lang, file)
    try:
        _write(table.play, file)
    except Quit:
        message = "storeys.play.saved" if file else "storeys.play.left"
        console.print(Message(message, path=str(file)).text(lang), highlight=False)


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="a record file")],
    ply: Annotated[int | None, typer.Option(help="show the position after so many moves")] = None,
    seat: Annotated[int | None, typer.Option(help="only what this seat could see")] = None,
    lang: Lang = "en",
) -> None:
    """Step through a record."""
    from storeys.terminal import Replay

    _check_language(lang)
    match = storeys.load(_read(record))
    match.view(seat)  # Refuses a seat that is not there.
    steps = Replay(console, match, seat, lang, open_hands=seat is None)
    if ply is None:
        steps.step(_typed(lang))
        return
    if not 0 <= ply <= match.moves_made:
        raise BadRecord(Message("storeys.record.ply", last=match.moves_made, found=ply))
    steps.show(ply)


def _typed(lang: str) -> Iterator[str]:
    """What is typed at the prompt, line by line."""
    prompt = Message("storeys.replay.how").text(lang)
    while True:
        try:
            yield console.input(f"[italic]{prompt}[/italic] ")
        except EOFError:
            return


@app.command()
def warm(
    game: Annotated[list[str] | None, typer.Argument(metavar="[GAME]…", help="all if none")] = None,
    prune: Annotated[bool, typer.Option(help="remove what older sources have left")] = False,
) -> None:
    """Compile the rules ahead, so that the first match starts at once."""
    from storeys.kernel.compiling import cache_root, prune_cache
    from storeys.registry import game_names, get_game
    from storeys.warming import steps_to_warm

    chosen = [get_game(name).name for name in game or game_names()]
    start = time.perf_counter()
    with _progress() as bar:
        for name in chosen:
            steps = steps_to_warm(name)
            task = bar.add_task(name, total=len(steps))
            for label, step in steps:
                bar.update(task, description=f"{name}: {label}")
                step()
                bar.advance(task)
            bar.update(task, description=name)
    removed = prune_cache() if prune else 0
    seconds = time.perf_counter() - start
    console.print(f"{', '.join(chosen)}: compiled in {seconds:.1f} s into {cache_root()}")
    if removed:
        console.print(f"{removed} folders of older sources removed")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
    )


def _options(given: list[str] | None, components: Path | None) -> dict[str, Any]:
    """The options of a game from the command line; a value may be JSON."""
    options: dict[str, Any] = {"components": components} if components else {}
    for entry in given or []:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise BadOption(Message("storeys.bad-option-form", found=short(entry)))
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadRecord(Message("storeys.record.unreadable", path=str(path), why=why)) from None


def _write(action: Any, file: Path | None) -> None:
    try:
        action()
    except OSError as error:
        raise BadOption(
            Message("storeys.play.unwritable", path=str(file), why=error.strerror)
        ) from None


def _check_language(lang: str) -> None:
    known = languages("storeys")
    if lang not in known:
        raise BadOption(Message("storeys.play.language", found=short(lang), known=", ".join(known)))


if __name__ == "__main__":
    main()
