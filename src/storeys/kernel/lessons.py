"""First steps: a stored match with comments, and what the learner is to do, as a game's data.

A file ``lesson.toml`` beside a game's other data says how the match is dealt and what happens, one
step after the other.  What is said is a message of the game, ``my-game.lesson.NAME``::

    players = 2
    seed = 18

    [[steps]]
    say = "goal"                  # a bubble, to be read
    light = ["seats"]             # what it speaks of: a part of the page, or …

    [[steps]]
    say = "build"
    light = ["area hand"]         # … a part of the picture
    move = "build red 3 cairo b2" # to be done, and nothing else

    [[steps]]
    bot = "build blue 2 cairo c2" # what the other one does then; "*" is as it likes

    [[steps]]
    say = "as-you-like"
    any = "build"                 # a move of this kind, whichever

How far somebody has come follows from the moves that were made, and from nothing else.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storeys.kernel.errors import BadLesson
from storeys.kernel.reading import Node

FILE = "lesson.toml"
PARTS = ("prompt", "seats", "board", "scores", "actions")
"""What of the page itself a bubble may light."""
FREELY = "*"
"""What a bot does that is not told what."""
AREA = "area "
"""With what the name of a part of the picture begins."""


@dataclass(frozen=True)
class Made:
    """A move as a lesson knows it: its kind, and how it is written."""

    kind: str
    text: str


@dataclass(frozen=True)
class Step:
    """What is said, or done, or both; exactly one of ``move``, ``any`` and ``bot`` is a move."""

    say: str | None = None
    light: tuple[str, ...] = ()
    move: str | None = None
    any: str | None = None
    bot: str | None = None

    @property
    def is_made(self) -> bool:
        """Whether it takes a move, and not only a reader."""
        return not (self.move is None and self.any is None and self.bot is None)

    def takes(self, made: Made, strayed: bool = False) -> bool:
        """Whether a move is what the step asks for; a bot that was led astray may do anything."""
        if self.bot is not None:
            return strayed or self.bot in (FREELY, made.text)
        return made.kind == self.any if self.move is None else made.text == self.move


@dataclass(frozen=True)
class Stage:
    """Where somebody stands: what is said now, and what is to be done."""

    nth: int
    """How many of the learner's own moves are done."""
    of: int
    """How many there are."""
    says: tuple[Step, ...]
    """The bubbles, the last of which may ask for a move."""
    strayed: bool
    """Whether the learner has chosen a move, so that the others' may not fit any more."""
    awaits: Step | None
    """What is to be done next, by the learner or the other one; None at the end."""


@dataclass(frozen=True)
class Lesson:
    """A match that is dealt for learning, and its steps."""

    players: int
    seed: int
    options: dict[str, Any]
    steps: tuple[Step, ...]

    def stage(self, made: Sequence[Made]) -> Stage | None:
        """How far the moves of a match lead; None if they lead elsewhere, or beyond the end.

        >>> from storeys.kernel.lessons import Lesson, Made, Step
        >>> steps = Step("goal"), Step("do", any="build"), Step(bot="build b2"), Step("well-done")
        >>> lesson = Lesson(2, 18, {}, steps)
        >>> [step.say for step in lesson.stage([]).says]
        ['goal', 'do']
        >>> lesson.stage([Made("build", "build a1"), Made("pass", "pass")]).says[0].say
        'well-done'
        >>> lesson.stage([Made("pass", "pass")]) is None
        True
        """
        at, strayed = 0, False
        for one in made:
            while at < len(self.steps) and not self.steps[at].is_made:
                at += 1
            if at == len(self.steps) or not self.steps[at].takes(one, strayed):
                return None
            strayed = strayed or self.steps[at].any is not None
            at += 1
        return self._stage_at(at, strayed)

    def _stage_at(self, at: int, strayed: bool) -> Stage | None:
        """What is said and done from a step on, until somebody moves."""
        end = at
        while end < len(self.steps) and not self.steps[end].is_made:
            end += 1
        awaits = self.steps[end] if end < len(self.steps) else None
        here = self.steps[at : end + 1]
        own = [step.is_made and step.bot is None for step in self.steps]
        if not here:
            return None
        says = tuple(step for step in here if step.say is not None)
        return Stage(sum(own[:at]), sum(own), says, strayed, awaits)


def read_lesson(folder: Path) -> Lesson | None:
    """The lesson of a game, from its folder; None if it has none, ``BadLesson`` if it is wrong."""
    path = folder / FILE
    if not path.exists():
        return None
    document = Node(tomllib.loads(path.read_text("utf-8")), FILE, BadLesson)
    document.only("players", "seed", "options", "steps")
    options = document.get("options")
    return Lesson(
        document["players"].whole(1, 9),
        document["seed"].whole(0, (1 << 63) - 1),
        {} if options is None else options.mapping(),
        tuple(_read_step(entry) for entry in document["steps"].items()),
    )


def _read_step(entry: Node) -> Step:
    entry.only("say", "light", "move", "any", "bot")
    words = {key: node.text() for key in ("say", "move", "any", "bot") if (node := entry.get(key))}
    moves = [key for key in words if key != "say"]
    light = entry.get("light")
    named = tuple(node.text() for node in light.items()) if light else ()
    if not words or len(moves) > 1 or ("bot" in words and "say" in words):
        raise entry.fail("storeys.lesson.step")
    for name in named:
        if name not in PARTS and not name.startswith(AREA):
            raise entry.fail("storeys.lesson.light", found=name, known=", ".join(PARTS))
    return Step(light=named, **words)
