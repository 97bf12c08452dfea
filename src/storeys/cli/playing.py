"""Playing, simulating, replaying."""

import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table as Grid

import storeys
from storeys.arena.playouts import AT_RANDOM
from storeys.bots import SUBSTITUTE, Bot, BotFailed
from storeys.cli.common import (
    AsJson,
    Components,
    GameName,
    Lang,
    Names,
    Options,
    Players,
    Seed,
    Speech,
    app,
    check_new_file,
    compile_games,
    console,
    errors,
    options_from,
    progress,
    sentence,
    speak,
    warn,
    write_file,
)
from storeys.kernel.errors import BadOption, BadRecord, StoreysError
from storeys.kernel.messages import Message, figure
from storeys.kernel.reading import short
from storeys.match import Match, bot_name, default_name, make_match, read_record
from storeys.registry import get_game

USUAL_BOT = "random"
"""Who sits in the other seats of a match at the terminal unless one says otherwise."""


@app.command()
def games(as_json: AsJson = False, lang: Lang = "en") -> None:
    """List the games, who can play them and their options."""
    speak(lang)
    from storeys.registry import game_names

    found = [get_game(name) for name in game_names()]
    if as_json:
        print(json.dumps([_facts(game) for game in found], indent=1))
        return
    grid = Grid("game", "players", "rules", "options", box=None, header_style="bold")
    for game in found:
        options = "\n".join(
            f"{option.name} = {option.form}\n  "
            f"{Message(f'{game.name}.option.{option.name}').text(Speech.lang)}"
            for option in game.options
        )
        seats = ", ".join(map(str, game.seats))
        title = f"[bold]{game.name}[/bold]\n{game.summary.text(Speech.lang)}"
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
    games: Annotated[
        int | None, typer.Option("--games", "-n", help="how many games; 10,000, with a bot 100")
    ] = None,
    players: Players = None,
    seed: Seed = "0",
    bot: Annotated[str, typer.Option(help="who plays: see `storeys bots`")] = AT_RANDOM,
    threads: Annotated[int | None, typer.Option(help="how many cores; all by default")] = None,
    option: Options = None,
    components: Components = None,
    as_json: AsJson = False,
) -> None:
    """Play many games, at random or by a bot, and say how they went."""
    chosen = options_from(game, option, components) | {"players": players, "policy": bot}
    games = games if games is not None else 10_000 if bot == AT_RANDOM else 100
    storeys.arena.playouts(game, 0, seed=seed, threads=threads, **chosen)  # Check everything first.
    if games < 1:
        raise BadOption(Message("storeys.bad-count", what="games", low=1, found=games))
    with progress() as bar:
        storeys.arena.playouts(game, 1, **chosen)  # Compiles or loads what is needed.
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
    summary = _summary(batch, bot, seconds)
    if as_json:
        print(json.dumps(summary, indent=1))
    else:
        _show_summary(summary)


def _summary(batch: Any, bot: str, seconds: float) -> dict[str, Any]:
    shares = batch.winners / batch.winners.sum(axis=1, keepdims=True)
    return {
        "game": batch.game.name,
        "players": batch.players,
        "bot": bot,
        "options": batch.options,
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
            for seat in range(batch.players)
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
        figures = [figure(value, ".1f") for value in row["score"].values()]
        grid.add_row(str(seat), f"{row['win_share']:.1%}", *figures)
    console.print(grid)


@app.command()
def new(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="where to write the match")],
    players: Players = None,
    seed: Seed = None,
    name: Names = None,
    option: Options = None,
    components: Components = None,
    lang: Lang = "en",
) -> None:
    """Deal a match for people into a file, to be played with `storeys play FILE`."""
    from storeys.terminal import write_record

    speak(lang)
    check_new_file(file)
    options = options_from(game, option, components)
    names = name or _names(game, players, options, people=None, bot="")
    match = make_match(game, players, seed, names, options)
    write_file(lambda: write_record(match, file), file)
    console.print(sentence("storeys.play.dealt", path=str(file)), highlight=False)


@app.command()
def play(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE", help="a game, or a match in a file")],
    players: Players = None,
    humans: Annotated[
        int | None, typer.Option(help="people at this screen, in the first seats; 1 by default")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(help="who sits in the other seats: see `storeys bots`")
    ] = None,
    seed: Seed = None,
    save: Annotated[Path | None, typer.Option(help="keep the match in this file")] = None,
    name: Names = None,
    option: Options = None,
    components: Components = None,
    lang: Lang = "en",
) -> None:
    """Play in the terminal, against bots or with others at one screen."""
    from storeys.terminal import Quit, Table

    speak(lang)
    player = _sit_down(bot or USUAL_BOT)
    file = save
    with errors.status(sentence("storeys.play.preparing")):
        if Path(game).suffix == ".json" or Path(game).is_file():
            if any((players, seed, save, name, option, components, humans is not None)):
                raise BadOption(Message("storeys.play.settled", path=game))
            file = Path(game)
            match, bots = _open_saved(file, player if bot else None)
        else:
            check_new_file(save)
            options = options_from(game, option, components)
            people = 1 if humans is None else humans
            names = _seat_names(game, players, options, people, player.name, name)
            match = make_match(game, players, seed, names, options)
            bots = [None if seat < people else player for seat in range(match.players)]
        storeys.load(match.record())  # Compiled before the first turn, not in it.
    table = Table(console, match, bots, Speech.lang, file)
    try:
        write_file(table.play, file)
    except (Quit, KeyboardInterrupt):
        message = "storeys.play.saved" if file else "storeys.play.left"
        console.print(sentence(message, path=str(file)), highlight=False)


def _open_saved(file: Path, instead: Bot | None) -> tuple[Match, list[Bot | None]]:
    """A match in a file and who sits where; ``instead`` takes the seats of all its bots."""
    from storeys.terminal import saved_bots

    match, record = storeys.load(file), read_record(file)
    seated: dict[str | None, Bot | None] = {None: None}
    for name in saved_bots(record, match):
        if name not in seated:
            seated[name] = instead or _sit_down(str(name), in_a_file=True)
    return match, [seated[name] for name in saved_bots(record, match)]


def _sit_down(name: str, in_a_file: bool = False) -> Bot:
    """A bot, or the usual substitute for one that fails or, in a file, is not installed here."""
    try:
        return storeys.bot(name)
    except StoreysError as error:
        if not in_a_file and not isinstance(error, BotFailed):
            raise
        warn(Message("storeys.bot-replaced", why=error, bot=SUBSTITUTE))
        return storeys.bot(SUBSTITUTE)


def _seat_names(
    game: str,
    players: int | None,
    options: dict[str, Any],
    people: int,
    bot: str,
    given: list[str] | None,
) -> list[str]:
    """The names of people as given, one each; bots carry a mark in theirs."""
    names = _names(game, players, options, people, bot)
    if not 0 <= people <= len(names):
        raise BadOption(Message("storeys.play.humans", n=len(names), found=people))
    if given is not None and len(given) != people:
        raise BadOption(Message("storeys.bad-names", n=people, found=short(given)))
    return [*(given or names[:people]), *names[people:]]


def _names(
    game: str, players: int | None, options: dict[str, Any], people: int | None, bot: str
) -> list[str]:
    """The names of the seats where none are given: the first so many are people (None: all)."""
    seats = get_game(game).settle(players, options).players
    last = seats if people is None else people
    return [default_name(seat) if seat < last else bot_name(bot, seat) for seat in range(seats)]


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="a record file")],
    ply: Annotated[int | None, typer.Option(help="show the position after so many moves")] = None,
    seat: Annotated[int | None, typer.Option(help="only what this seat could see")] = None,
    lang: Lang = "en",
) -> None:
    """Step through a record; hidden cards stay hidden until the match is over."""
    from storeys.terminal import Replay

    speak(lang)
    match = storeys.load(record)
    match.view(seat)  # Refuses a seat that is not there.
    over = match.to_move is None
    steps = Replay(console, match, seat, Speech.lang, open_hands=seat is None and over)
    if ply is None:
        steps.step(_typed())
        return
    if not 0 <= ply <= match.moves_made:
        raise BadRecord(Message("storeys.record.ply", last=match.moves_made, found=ply))
    steps.show(ply)


def _typed() -> Iterator[str]:
    """What is typed at the prompt, line by line."""
    prompt = sentence("storeys.replay.how")
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
    from storeys.kernel.caching import cache_root, prune_cache
    from storeys.kernel.compiling import compiler
    from storeys.registry import game_names

    chosen = [get_game(name).name for name in game or game_names()]
    start = time.perf_counter()
    compile_games(chosen)
    removed = prune_cache(compiler.sources()) if prune else 0
    seconds = time.perf_counter() - start
    console.print(f"{', '.join(chosen)}: compiled in {seconds:.1f} s into {cache_root()}")
    if removed:
        console.print(f"{removed} folders of older sources removed")
