"""What bots' processes run: bots and the rules, nothing of the server."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from storeys.bots import BotFailed, ask, bot
from storeys.kernel.compiling import compiler, stay_interpreted
from storeys.kernel.messages import Message
from storeys.match import new
from storeys.web.lending import give_back

SECONDS_TO_THINK = 1.0


class ThinkingFailed(RuntimeError):  # noqa: N818
    """What a bot raised, in words: those can be sent from one process to another."""


def think(
    name: str, view: Mapping[str, Any], seed: int, seconds: float = SECONDS_TO_THINK
) -> list[str]:
    """What a bot plans for the rest of its turn, at its own pace if that is quick enough."""
    try:
        player = bot(name, seconds=seconds, seed=seed)
        player.seconds = min(seconds, player.pace or seconds)
        moves = [str(move) for move in player.plan(view)]
    except BaseException as error:  # A bot may even ask its process to exit.
        raise ThinkingFailed(repr(error)) from None
    if not moves:
        raise ThinkingFailed("it has no move")
    return moves


def try_bot(name: str, game: str) -> Message | None:
    """Let a bot make the first move of a game; what is wrong with it if it fails, or None."""
    try:
        ask(bot(name), new(game, seed=0))
    except BotFailed as error:
        return error.message
    return None


def answer(line: Connection, compiled: bool) -> None:
    """Answer one question after the other, for as long as anybody asks; the first word is that."""
    begin(compiled)
    loaded = 0
    with suppress(EOFError, KeyboardInterrupt):
        line.send("ready")
        while True:
            line.send(_answered(*line.recv()))
            if loaded != (loaded := _compiled_functions()):
                give_back()


def _compiled_functions() -> int:
    """How many compiled functions this process has loaded."""
    dispatchers = [entry.dispatcher for entry in compiler.entries if entry.dispatcher is not None]
    return sum(len(dispatcher.overloads) for dispatcher in dispatchers)


def _answered(task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Whether a task has come to an end, and what it says."""
    try:
        return True, task(*arguments)
    except ThinkingFailed as error:
        return False, error
    except Exception as error:
        return False, ThinkingFailed(repr(error))


def begin(compiled: bool) -> None:
    """Make this process ready: for a game that is compiled, or without the compiler."""
    _end_with_parent()
    if compiled:
        compiler.start()
    else:
        stay_interpreted()


def _end_with_parent() -> None:
    """Let this process end with its server, however that ends: it is told when a pipe closes."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
