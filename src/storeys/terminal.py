"""A match at the terminal: people and bots around one screen, with any game's own board."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from storeys.bots import SUBSTITUTE, Bot, BotFailed, ask
from storeys.bots import bot as bot_of
from storeys.kernel.errors import BadRecord, IllegalMove, StoreysError
from storeys.kernel.game import Game
from storeys.kernel.messages import Message, figure
from storeys.kernel.reading import Node
from storeys.match import BOT_MARK, Match, Move


class Quit(Exception):  # noqa: N818 — a wish, not an error
    """The person at the screen wants to stop."""


LONG_LIST = 36
"""More moves than this are listed only when asked for: the board should stay in sight."""
BOTS = "bots"
"""The entry of a saved match that says who sits where: the name of a bot, or null for a person."""
FORGET_SCROLLBACK = "\x1b[3J"


@dataclass
class Table:
    """One screen, a match, and who sits where: a bot, or a person (None)."""

    console: Console
    match: Match
    bots: list[Bot | None]
    lang: str = "en"
    file: Path | None = None
    told: dict[int | None, int] = field(init=False)  # moves that each person has been told of
    at_screen: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        seats: list[int | None] = [None, *range(self.match.players)]
        self.told = dict.fromkeys(seats, self.match.moves_made)

    def play(self) -> None:
        """Play to the end, or until someone quits."""
        self.save()
        self._say("storeys.play.welcome", aim=self.match.game.summary)
        while self.match.to_move is not None:
            bot = self.bots[self.match.to_move]
            if bot is not None:
                self._move_of_a_bot(bot)
            else:
                self._turn_of_a_person(self.match.to_move)
        self._tell_moves(self.at_screen)
        show_board(self.console, self.match, None, self.lang)
        show_scores(self.console, self.match, self.lang)
        if self.file is not None:
            self._say("storeys.play.saved", path=str(self.file))

    def save(self) -> None:
        """Write the match down, so that nothing is lost whatever happens."""
        if self.file is not None:
            seated = [None if bot is None else bot.name for bot in self.bots]
            write_record(self.match, self.file, seated)

    # --- a bot's move

    def _move_of_a_bot(self, bot: Bot) -> None:
        """Make its move; one that fails is replaced for the rest of the match."""
        try:
            self._make(ask(bot, self.match))
        except BotFailed as error:
            if bot.name == SUBSTITUTE:
                raise
            self._say("storeys.bot-replaced", why=error, bot=SUBSTITUTE)
            instead = bot_of(SUBSTITUTE)
            self.bots = [instead if other is bot else other for other in self.bots]

    # --- a person's turn

    def _turn_of_a_person(self, seat: int) -> None:
        self._draw_curtain(seat)
        self._tell_moves(seat)
        show_board(self.console, self.match, seat, self.lang)
        if len(self.match.legal_moves) <= LONG_LIST:
            self._list_moves()
        else:
            self._say("storeys.play.many-moves", n=len(self.match.legal_moves))
        before = self.match.moves_made
        while self.match.moves_made == before:
            self._answer(self._ask(seat))

    def _draw_curtain(self, seat: int) -> None:
        """Hide one person's cards before another looks, also from who scrolls back."""
        people = sum(bot is None for bot in self.bots)
        if people > 1 and self.at_screen != seat:
            if self.at_screen is not None and self.console.is_terminal:
                self.console.clear()
                self.console.file.write(FORGET_SCROLLBACK)
            self._say("storeys.play.curtain", name=self._names[seat])
            self._read("")
        self.at_screen = seat

    def _ask(self, seat: int) -> str:
        name = escape(self._names[seat])
        self.console.print(f"[bold]{name}[/bold]: {self.match.prompt(self.lang)}")
        return self._read("> ")

    def _read(self, prompt: str) -> str:
        try:
            return self.console.input(prompt).strip()
        except (EOFError, UnicodeDecodeError):
            raise Quit from None

    def _answer(self, words: str) -> None:
        """Do what was typed: a command, the number of a move, or its notation."""
        commands = {
            ("", "moves", "m"): self._list_moves,
            ("?", "help", "h"): lambda: self._say("storeys.play.help"),
            ("rules", "r"): lambda: show_rules(self.console, self.match.game, self.lang),
            ("board", "b"): lambda: show_board(
                self.console, self.match, self.match.to_move, self.lang
            ),
            ("score", "s"): lambda: show_scores(self.console, self.match, self.lang),
            ("undo", "u"): self._undo,
            ("quit", "q", "exit"): self._quit,
        }
        for names, command in commands.items():
            if words.lower() in names:
                command()
                return
        self._try_move(words)

    def _try_move(self, words: str) -> None:
        moves, number = self._sorted_moves(), typed_number(words)
        if number is not None and not 1 <= number <= len(moves):
            self._say("storeys.play.no-such-number", n=len(moves), found=number)
            return
        try:
            self._make(self.match.parse_move(words) if number is None else moves[number - 1])
        except IllegalMove as error:
            self.console.print(Text(error.text(self.lang), style="red"))

    def _make(self, move: Move) -> None:
        before = self.match.round
        self.match.push(move)
        self.save()
        if self.match.round != before and any(bot is None for bot in self.bots):
            self._tell_round(before)

    def _undo(self) -> None:
        """Take one's own last move back, unless it has shown something or was answered."""
        seat, seats = self.match.to_move, self.match.movers
        if seat not in seats:
            self._say("storeys.nothing-to-take-back")
        elif seats[-1] != seat:
            self._say("storeys.play.others-moved")
        elif not self.match.can_take_back(seat):
            rule = self.match.game.final_rule or None
            self._tell(StoreysError(Message("storeys.play.final"), rule).text(self.lang))
        else:
            self.match.pop()
            self.told = {who: min(ply, self.match.moves_made) for who, ply in self.told.items()}
            self.save()

    def _quit(self) -> None:
        raise Quit

    # --- what is said

    def _tell_moves(self, seat: int | None) -> None:
        """What the others did since this person was last told."""
        moves, seats = self.match.moves, self.match.movers
        for ply in range(self.told[seat], len(moves)):
            if seats[ply] == seat:
                continue
            name = escape(self._names[seats[ply]])
            self.console.print(f"[dim]{name}: {moves[ply].label(seats[ply], self.lang)}[/dim]")
        self.told[seat] = len(moves)

    def _tell_round(self, number: int) -> None:
        """What a round has brought, where the game scores by rounds."""
        lines = [
            (name, [part for part in score["parts"] if part.get("round") == number])
            for name, score in zip(self._names, self.match.score(self.lang), strict=True)
        ]
        if any(parts for _, parts in lines):
            self._say("storeys.play.round-over", number=number)
            for name, parts in lines:
                self.console.print(f"  {escape(name)}: {_sum_of(parts)}", highlight=False)

    def _list_moves(self) -> None:
        entries = [f"{i:>3} {move}" for i, move in enumerate(self._sorted_moves(), start=1)]
        self.console.print(Columns(entries, column_first=True, padding=(0, 3)))

    def _sorted_moves(self) -> list[Move]:
        return sorted(self.match.legal_moves, key=_as_people_count)

    @property
    def _names(self) -> list[str]:
        return self.match.names_in(self.lang)

    def _say(self, message_id: str, **params: object) -> None:
        self._tell(Message(message_id, **params).text(self.lang))

    def _tell(self, sentence: str) -> None:
        self.console.print(Text(sentence, style="italic"))


def _as_people_count(move: Move) -> list[tuple[int, str]]:
    """A key by which 4 comes before 10."""
    return [(int(word), "") if word.isdigit() else (0, word) for word in str(move).split()]


def show_board(console: Console, match: Match, seat: int | None, lang: str) -> None:
    """The board as a seat sees it."""
    console.print()
    console.print(match.board_text(seat, lang), highlight=False)
    facts = Message("storeys.play.round", number=match.round).text(lang)
    console.print(facts, style="dim")
    console.print()


def show_rules(console: Console, game: Game, lang: str) -> None:
    """How the game is played, in a page."""
    console.print(Markdown(game.help_text(lang)))


def show_scores(console: Console, match: Match, lang: str) -> None:
    """The score of each seat with its parts, and who has won."""
    grid = Grid(box=None, header_style="bold")
    grid.add_column(Message("storeys.play.seat").text(lang))
    grid.add_column(Message("storeys.play.points").text(lang), justify="right")
    grid.add_column(Message("storeys.play.parts").text(lang))
    names = match.names_in(lang)
    for name, score in zip(names, match.score(lang), strict=True):
        grid.add_row(escape(name), figure(score["total"]), _parts_text(score["parts"], lang))
    console.print(grid)
    if match.winners:
        winners = ", ".join(names[seat] for seat in match.winners)
        message = Message("storeys.play.winner", n=len(match.winners), names=winners)
        console.print(Text(message.text(lang), style="bold green"))


def _parts_text(parts: list[dict[str, Any]], lang: str) -> str:
    """The parts of a score: a line for each round if the game scores by rounds, else for each."""
    lines: dict[int | None, list[dict[str, Any]]] = {}
    for part in parts:
        lines.setdefault(part.get("round"), []).append(part)
    return "\n".join(
        "\n".join(f"{figure(part['points'], '>+4')}  {escape(part['label'])}" for part in some)
        if n is None
        else f"{Message('storeys.play.round', number=n).text(lang)}: {_sum_of(some)}"
        for n, some in lines.items()
    )


def _sum_of(parts: list[dict[str, Any]]) -> str:
    return ", ".join(f"{part['label']} {figure(part['points'], '+')}" for part in parts) or "0"


def write_record(match: Match, file: Path, bots: Sequence[str | None] = ()) -> None:
    """Write a record, and which bots sit where, so that a reader never meets half of it."""
    half = file.with_name(file.name + ".part")
    content = match.record() | ({BOTS: list(bots)} if any(bots) else {})
    try:
        half.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
        half.replace(file)
    except OSError:
        half.unlink(missing_ok=True)
        raise


def saved_bots(record: Mapping[str, Any], match: Match) -> list[str | None]:
    """The bots of a saved match by seat; where the file does not say, by the seats' names."""
    kept = Node(dict(record), "record", BadRecord).get(BOTS)
    if kept is None:
        return [_bot_named_in(name) for name in match.names]
    entries = kept.items(match.players)
    return [None if entry.value is None else entry.text() for entry in entries]


def _bot_named_in(seat: str) -> str | None:
    """The bot of a seat called like "novice 2 (bot)"."""
    if not seat.endswith(BOT_MARK):
        return None
    return re.sub(r" \d+$", "", seat.removesuffix(BOT_MARK))


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
            seat = walker.movers[-1]
            label = walker.moves[-1].label(seat, self.lang)
            self.console.print(f"[bold]{ply}/{self.match.moves_made}[/bold] {label}")
        view = walker.position() if self.open_hands else walker.view(self.seat)
        components, names = self.match.setup.components, self.match.names_in(self.lang)
        board = self.match.game.board_text(view, components, names, self.lang)
        self.console.print(board, highlight=False)
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
        number = typed_number(command)
        if number is not None:
            return number
        return ply + {"": 1, "b": -1}.get(command, 0)

    def _at(self, ply: int) -> Match:
        walker = self.match.clone()
        while walker.moves_made > ply:
            walker.pop()
        return walker


def typed_number(word: str) -> int | None:
    """A small whole number as a person types it, or None."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None
