"""A match at the terminal: people and bots around one screen, with any game's own board."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from storeys.bots import Bot
from storeys.kernel.errors import IllegalMove
from storeys.kernel.messages import Message
from storeys.match import Match, Move


class Quit(Exception):  # noqa: N818 — a wish, not an error
    """The person at the screen wants to stop."""


@dataclass
class Table:
    """One screen, a match, and who sits where: a bot, or a person (None)."""

    console: Console
    match: Match
    bots: list[Bot | None]
    lang: str = "en"
    file: Path | None = None
    seen: int = field(init=False)  # moves that the person at the screen has been told of
    at_screen: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.seen = self.match.moves_made

    def play(self) -> None:
        """Play to the end, or until someone quits."""
        self.save()
        while self.match.to_move is not None:
            bot = self.bots[self.match.to_move]
            if bot is not None:
                self._make(bot.choose(self.match.view(self.match.to_move)))
            else:
                self._turn_of_a_person(self.match.to_move)
        self._tell_moves()
        show_board(self.console, self.match, None, self.lang)
        show_scores(self.console, self.match, self.lang)
        if self.file is not None:
            self._say("storeys.play.saved", path=str(self.file))

    def save(self) -> None:
        """Write the match down, so that nothing is lost whatever happens."""
        if self.file is not None:
            write_record(self.match, self.file)

    # --- a person's turn

    def _turn_of_a_person(self, seat: int) -> None:
        self._draw_curtain(seat)
        self._tell_moves()
        show_board(self.console, self.match, seat, self.lang)
        self._list_moves()
        before = self.match.moves_made
        while self.match.moves_made == before:
            self._answer(self._ask(seat))
        self.seen = min(self.seen, self.match.moves_made)

    def _draw_curtain(self, seat: int) -> None:
        """Hide one person's cards before another looks."""
        people = sum(bot is None for bot in self.bots)
        if people > 1 and self.at_screen != seat:
            if self.at_screen is not None:
                self.console.clear()
            self._say("storeys.play.curtain", name=self.match.names[seat])
            self._read("")
        self.at_screen = seat

    def _ask(self, seat: int) -> str:
        name = self.match.names[seat]
        self.console.print(f"[bold]{name}[/bold]: {self.match.prompt(self.lang)}")
        return self._read("> ")

    def _read(self, prompt: str) -> str:
        try:
            return self.console.input(prompt).strip()
        except EOFError:
            raise Quit from None

    def _answer(self, words: str) -> None:
        """Do what was typed: a command, the number of a move, or its notation."""
        commands = {
            "": self._list_moves,
            "?": self._explain,
            "help": self._explain,
            "moves": self._list_moves,
            "board": lambda: show_board(self.console, self.match, self.match.to_move, self.lang),
            "score": lambda: show_scores(self.console, self.match, self.lang),
            "undo": self._undo,
            "quit": self._quit,
        }
        command = commands.get(words.lower())
        if command is not None:
            command()
        else:
            self._try_move(words)

    def _try_move(self, words: str) -> None:
        moves = self.match.legal_moves
        by_number = words.isascii() and words.isdigit()
        if by_number and not 1 <= int(words) <= len(moves):
            self._say("storeys.play.no-such-number", n=len(moves), found=words)
            return
        try:
            self._make(moves[int(words) - 1] if by_number else self.match.parse_move(words))
        except IllegalMove as error:
            self.console.print(Text(error.text(self.lang), style="red"))

    def _make(self, move: Move) -> None:
        self.match.push(move)
        self.save()

    def _undo(self) -> None:
        """Take back to one's own last decision, the bots' answers included."""
        seat = self.match.to_move
        mine = [ply for ply, mover in enumerate(movers(self.match)) if mover == seat]
        if not mine:
            self._say("storeys.nothing-to-take-back")
            return
        while self.match.moves_made > mine[-1]:
            self.match.pop()
        self.save()

    def _quit(self) -> None:
        raise Quit

    # --- what is said

    def _tell_moves(self) -> None:
        """What the others did since this screen was last read."""
        moves, seats = self.match.moves, movers(self.match)
        for ply in range(self.seen, len(moves)):
            name = self.match.names[seats[ply]]
            self.console.print(f"[dim]{name}: {moves[ply].label(seats[ply], self.lang)}[/dim]")
        self.seen = len(moves)

    def _list_moves(self) -> None:
        entries = [f"{i:>3} {move}" for i, move in enumerate(self.match.legal_moves, start=1)]
        self.console.print(Columns(entries, column_first=True, padding=(0, 3)))
        self._say("storeys.play.how")

    def _explain(self) -> None:
        self._say("storeys.play.help")

    def _say(self, message_id: str, **params: object) -> None:
        self.console.print(Text(Message(message_id, **params).text(self.lang), style="italic"))


def movers(match: Match) -> list[int]:
    """The seat that made each move so far."""
    walker = match.clone()
    seats: list[int] = []
    while walker.moves_made:
        walker.pop()
        seats.append(walker.to_move if walker.to_move is not None else -1)
    return seats[::-1]


def show_board(console: Console, match: Match, seat: int | None, lang: str) -> None:
    """The board as a seat sees it."""
    console.print()
    console.print(match.board_text(seat, lang), highlight=False)
    console.print()


def show_scores(console: Console, match: Match, lang: str) -> None:
    """The score of each seat with its parts, and who has won."""
    grid = Grid(box=None, header_style="bold")
    grid.add_column(Message("storeys.play.seat").text(lang))
    grid.add_column(Message("storeys.play.points").text(lang), justify="right")
    grid.add_column(Message("storeys.play.parts").text(lang))
    for name, score in zip(match.names, match.score(lang), strict=True):
        grid.add_row(name, str(score["total"]), _parts_text(score["parts"], lang))
    console.print(grid)
    if match.winners:
        names = ", ".join(match.names[seat] for seat in match.winners)
        message = Message("storeys.play.winner", n=len(match.winners), names=names)
        console.print(Text(message.text(lang), style="bold green"))


def _parts_text(parts: list[dict[str, Any]], lang: str) -> str:
    """The parts of a score, a line for each round where the game scores by rounds."""
    lines: dict[int | None, list[str]] = {}
    for part in parts:
        text = f"{part['label']} {part['points']:+}"
        lines.setdefault(part.get("round"), []).append(text)
    return "\n".join(
        ("" if n is None else Message("storeys.play.round", number=n).text(lang) + " ")
        + ", ".join(texts)
        for n, texts in lines.items()
    )


def write_record(match: Match, file: Path) -> None:
    """Write a record so that a reader never meets half of it."""
    half = file.with_name(file.name + ".part")
    half.write_text(json.dumps(match.record(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    half.replace(file)


@dataclass
class Replay:
    """Steps through a finished or open record."""

    console: Console
    match: Match
    seat: int | None
    lang: str
    open_hands: bool

    def show(self, ply: int) -> None:
        """The position after so many moves."""
        walker = self._at(ply)
        if ply:
            seat = movers(walker)[-1]
            label = walker.moves[-1].label(seat, self.lang)
            self.console.print(f"[bold]{ply}/{self.match.moves_made}[/bold] {label}")
        view = walker.position() if self.open_hands else walker.view(self.seat)
        self.console.print(
            self.match.game.board_text(view, self.match.setup.components, self.lang),
            highlight=False,
        )
        if walker.to_move is None:
            show_scores(self.console, walker, self.lang)

    def step(self, commands: Iterator[str]) -> None:
        """Follow commands: Enter on, b back, a number there, q away."""
        ply = 0
        self.show(ply)
        for command in commands:
            wanted = self._wanted(command.strip().lower(), ply)
            if wanted is None:
                return
            ply = max(0, min(wanted, self.match.moves_made))
            self.show(ply)

    def _wanted(self, command: str, ply: int) -> int | None:
        if command in ("q", "quit"):
            return None
        if command.isascii() and command.isdigit():
            return int(command)
        return ply - 1 if command == "b" else ply + 1

    def _at(self, ply: int) -> Match:
        walker = self.match.clone()
        while walker.moves_made > ply:
            walker.pop()
        return walker
