"""First steps at a table: a match whose deal is that of a game's lesson, as far as it is followed.

Nothing marks such a table but its deal, and how far somebody has come follows from the moves: so it
can be left and taken up again anywhere, and goes on as any other match once they lead elsewhere.
"""

from functools import cache
from typing import Any

from storeys.kernel.errors import IllegalMove
from storeys.kernel.game import Game
from storeys.kernel.lessons import FREELY, Lesson, Made, Stage, Step
from storeys.kernel.messages import Message
from storeys.match import Match, make_match
from storeys.registry import get_game
from storeys.web import models
from storeys.web.errors import BadPost
from storeys.web.models import SeatRequest

LEARNER = 0
"""The seat of who learns."""
GENTLE = "novice"
"""The bot at the other seats."""


def lesson_seats(game: str, seats: list[SeatRequest]) -> list[SeatRequest]:
    """Who sits down for a lesson: somebody who may have said a name, and gentle bots."""
    learner = SeatRequest(kind="me", name=seats[0].name if seats else None)
    others = _lesson_of(game).players - 1
    return [learner, *(SeatRequest(kind="bot", bot=GENTLE) for _ in range(others))]


def lesson_match(game: str, names: list[str]) -> Match:
    """The match of a lesson, before its first move."""
    lesson = _lesson_of(game)
    return make_match(game, lesson.players, lesson.seed, names, lesson.options)


def _lesson_of(game: str) -> Lesson:
    lesson = get_game(game).lesson
    if lesson is None:
        raise BadPost(Message("storeys.web.no-lesson", game=get_game(game).title))
    return lesson


@cache
def _settled(game: Game) -> dict[str, Any]:
    """The options that a game's lesson is dealt with."""
    lesson = _lesson_of(game.name)
    return game.settle(lesson.players, lesson.options, lesson.seed).options


def stage_of(match: Match) -> Stage | None:
    """How far somebody has come in a lesson; None if a match is none, or none any more."""
    lesson = match.game.lesson
    if lesson is None or match.seed != lesson.seed or match.players != lesson.players:
        return None
    if match.setup.options != _settled(match.game):
        return None
    return lesson.stage([Made(move.kind, str(move)) for move in match.moves])


def recorded_moves(match: Match) -> tuple[str, ...]:
    """What the lesson lets a bot do now, if it is followed and that can be done."""
    ahead, found = match.clone(), list[str]()
    while (move := _recorded(ahead)) is not None:
        try:
            ahead.push(move)
        except IllegalMove:  # The learner has chosen something that it does not go with.
            break
        found.append(move)
    return tuple(found)


def _recorded(match: Match) -> str | None:
    """The next move of a bot that a lesson names."""
    stage = stage_of(match)
    step = stage.awaits if stage is not None else None
    return None if step is None or step.bot == FREELY else step.bot


def lesson_facts(match: Match, plays: bool, lang: str) -> models.Lesson | None:
    """What a lesson says to the learner now, and which of the legal moves it waits for."""
    stage = stage_of(match)
    if stage is None:
        return None
    asks = stage.awaits if plays else None
    return {
        "nth": stage.nth,
        "of": stage.of,
        "bubbles": [
            {
                "text": Message(f"{match.game.name}.lesson.{step.say}").text(lang),
                "light": list(step.light),
                "asks": step.is_made,
            }
            for step in stage.says
        ],
        "takes": None if asks is None else _taken(match, asks),
    }


def _taken(match: Match, step: Step) -> list[int]:
    """The numbers of the legal moves that a step takes."""
    legal = enumerate(match.legal_moves)
    return [nth for nth, move in legal if step.takes(Made(move.kind, str(move)))]
