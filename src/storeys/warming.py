"""Compile everything of a game ahead of its first match, step by step.

``python -m storeys.warming GAME`` compiles what playing needs, in a process of its own, and tells
how far it is, a line a step; with ``--with-parent`` it ends when its input does.  What is compiled
is kept at once: ended in the middle, the next run goes on.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from storeys import arena, bots, envs, kernel, search
from storeys.arena import playouts
from storeys.arena.luck import Luck
from storeys.bots import Bot, BotFailed, ask, bot, bot_names
from storeys.bots.registry import OURS
from storeys.envs import batch
from storeys.envs.common import Play
from storeys.envs.registration import plain_name
from storeys.kernel.caching import is_ready, mark_ready
from storeys.kernel.compiling import compiler
from storeys.kernel.errors import BadOption
from storeys.kernel.record import tag_of
from storeys.match import Match, from_position, load, new
from storeys.registry import get_game

WITH_PARENT = "--with-parent"
"""Says to end as soon as nobody holds the other end of the input."""
FEW = 4
"""How many simulations are enough for all to be compiled."""

Step = tuple[str, Callable[[], object]]


def steps_to_warm(name: str) -> list[Step]:
    """The steps for one game, each a label and what to call: every entry point once.

    The step of a bot that fails raises ``BotFailed`` and nothing else: it can be skipped.
    Where nothing is compiled, only the bots of other packages are tried.
    """
    return [*steps_to_compete(name), *steps_for_environments(name)]


def steps_to_play(name: str) -> list[Step]:
    """Those of them for the rules, whole games and bots."""
    asked: list[Step] = [(who, partial(_ask_bot, name, who)) for who in bot_names()]
    if not compiler.may_compile:
        return [step for step in asked if step[0] not in OURS]
    steps: list[Step] = [(what, partial(_with_a_match, name, act)) for what, act in _ACTS.items()]
    played: Step = ("playouts", lambda: playouts(name, 1).record(0))
    ready = partial(_mark_ready, name, kernel, bots, search)
    return [("Numba", compiler.start), *steps, *asked, ("ready", ready), played]


def steps_to_compete(name: str) -> list[Step]:
    """Those for playing, and for contests of bots."""
    return [*steps_to_play(name), *steps_for_contests(name)]


def steps_for_contests(name: str) -> list[Step]:
    """What contests of bots add."""
    if not compiler.may_compile:
        return []
    return [("luck", partial(_tell_luck, name)), ("ready", partial(_mark_ready, name, arena))]


def steps_for_environments(name: str) -> list[Step]:
    """Those for environments, as far as the libraries are there whose forms they take."""
    if not compiler.may_compile:
        return []
    found: list[Step] = [
        ("batch", partial(_step_a_batch, name)),
        ("environments", partial(_step_a_match, name)),
    ]
    if find_spec("gymnasium") is not None:
        found.append(("Gymnasium", partial(_play_in_gymnasium, name)))
        found.append(("many in Gymnasium", partial(_play_many_in_gymnasium, name)))
    if find_spec("pyspiel") is not None:
        found.append(("OpenSpiel", partial(_play_in_openspiel, name)))
    return [*found, ("ready", partial(_mark_ready, name, envs))]


def _mark_ready(name: str, *packages: ModuleType) -> None:
    for package in packages:
        mark_ready(tag_of(get_game(name).state_dtype), Path(str(package.__file__)))


def is_warm(name: str) -> bool:
    """Whether what contests need is compiled, or nothing ever is."""
    dtype = get_game(name).state_dtype
    return not compiler.may_compile or is_ready(tag_of(dtype), Path(str(arena.__file__)))


def _tell_luck(name: str) -> None:
    """Play until chance acts."""
    match = new(name, seed=0)
    luck, used = Luck(match, 0), match.chance_used()
    while match.to_move is not None and match.chance_used() == used:
        luck.push(str(match.legal_moves[-1]))


def _with_a_match(name: str, act: Callable[[Match], object]) -> None:
    act(new(name, seed=0))


def _ask_bot(name: str, bot_name: str) -> None:
    """Let a bot play until something hidden is shown: what it needs for that is compiled too."""
    match, player = new(name, seed=0), _quick(bot_name)
    used = match.chance_used()
    while match.to_move is not None and match.chance_used() == used:
        match.push(ask(player, match))


def _quick(bot_name: str) -> Bot:
    """A bot; one that thinks by simulations is content with a few."""
    try:
        return bot(bot_name, simulations=FEW)
    except BadOption:
        return bot(bot_name)


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


# --- what environments add


def _step_a_batch(name: str) -> None:
    games = batch(name, 1, seed=0)
    games.reset()
    games.step(games.sample())
    games.match(0)


def _step_a_match(name: str) -> None:
    match = new(name, seed=0)
    play = Play(match.game, match.setup, match.seed, match.state())
    play.look(play.to_move)
    play.act(match.action_of(match.legal_moves[0]))
    play.rewards(0)


def _play_in_gymnasium(name: str) -> None:
    from storeys.envs.gymnasium import MatchEnv

    env = MatchEnv(name, seat=1, opponents="random", seed=0)
    told, _ = env.reset()
    env.step(int(told["action_mask"].argmax()))


def _play_many_in_gymnasium(name: str) -> None:
    from storeys.envs.vector import VectorMatchEnv

    envs = VectorMatchEnv(name, num_envs=1, opponents="random", seed=0)
    told, _ = envs.reset()
    over = False
    while not over:
        told, _, ended, _, _ = envs.step(told["action_mask"].argmax(axis=1))
        over = bool(ended.any())


def _play_in_openspiel(name: str) -> None:
    import pyspiel

    import storeys.envs.openspiel  # noqa: F401 — registers the games

    for where in ("nodes", "root"):
        state = pyspiel.load_game(plain_name(name), {"chance": where}).new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        state.apply_action(state.legal_actions()[0])
        state.observation_tensor(0)


def main() -> None:
    """Compile one game, telling how far it is: steps done, steps in all, what is next."""
    name, *how = sys.argv[1:]
    if WITH_PARENT in how:
        threading.Thread(target=_end_with_input, daemon=True).start()
    steps = steps_to_play(name)
    for done, (label, step) in enumerate(steps):
        print(done, len(steps), label, flush=True)
        with suppress(BotFailed):  # Who fails here is told of when asked to play.
            step()
    print(len(steps), len(steps), "", flush=True)


def _end_with_input() -> None:
    """Let this process end with the one that has started it, however that ends."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    main()
