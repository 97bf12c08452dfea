"""Compile everything of a game ahead of its first match, step by step."""

from collections.abc import Callable
from functools import partial

from storeys.arena import playouts
from storeys.bots import ask, bot, bot_names
from storeys.bots.registry import OURS
from storeys.kernel.compiling import UNCOMPILED
from storeys.match import Match, from_position, load, new

Step = tuple[str, Callable[[], object]]


def steps_to_warm(name: str) -> list[Step]:
    """The steps for one game, each a label and what to call: every entry point once.

    The step of a bot that fails raises ``BotFailed`` and nothing else: it can be skipped.
    Where nothing is compiled, only the bots of other packages are tried.
    """
    asked: list[Step] = [(who, partial(_ask_bot, name, who)) for who in bot_names()]
    if UNCOMPILED:
        return [step for step in asked if step[0] not in OURS]
    steps: list[Step] = [(what, partial(_with_a_match, name, act)) for what, act in _ACTS.items()]
    return [*steps, ("playouts", lambda: playouts(name, 1).record(0)), *asked]


def _with_a_match(name: str, act: Callable[[Match], object]) -> None:
    act(new(name, seed=0))


def _ask_bot(name: str, bot_name: str) -> None:
    ask(bot(bot_name), new(name, seed=0))


_ACTS: dict[str, Callable[[Match], object]] = {
    "deal": Match.state,
    "legal moves": lambda match: match.legal_moves,
    "push": lambda match: match.push(match.legal_moves[0]),
    "view": lambda match: match.view(0),
    "observe": lambda match: match.observe(0),
    "mask": Match.action_mask,
    "actions": lambda match: match.move_of(match.action_of(match.legal_moves[0])),
    "score": Match.score,
    "redeal": lambda match: from_position(match.view(0)),
    "record": lambda match: load(match.record()),
}
