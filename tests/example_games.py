"""The games of examples/, installed for a process of its own, and every way into one.

``python -m tests.example_games NAME`` takes all of them but the page and says which it took; the
process must have the game among its packages.
"""

import io
import json
import os
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import storeys
from tests.own_bots import install, with_site

EXAMPLES = Path(__file__).parent.parent / "examples"


def found() -> dict[str, Path]:
    """The folders of all games in examples/, by name."""
    entries: dict[str, Path] = {}
    for file in sorted(EXAMPLES.glob("*/pyproject.toml")):
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        entries |= dict.fromkeys(project["entry-points"]["storeys.games"], file.parent)
    return entries


def environment(name: str, site: Path) -> dict[str, str]:
    """The environment of a process that has a game among its packages."""
    folder = found()[name]
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    install(site, name, {}, project["entry-points"]["storeys.games"], "storeys.games")
    path = with_site(site)["PYTHONPATH"]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), path])}


def at_the_terminal(name: str) -> None:
    """Bots play to the end, and the board is shown."""
    from typer.testing import CliRunner

    from storeys.cli import load_commands
    from storeys.cli.common import app

    load_commands()
    shown = CliRunner().invoke(app, ["play", name, "--humans", "0", "--bot", "random"])
    assert shown.exit_code == 0, shown.output
    assert storeys.new(name).game.title.text() in shown.output


def by_bots(name: str) -> None:
    """Each level chooses legal moves from views, to the end."""
    match = storeys.new(name, players=2, seed=1)
    bots = [storeys.bot(who, seed=1) for who in ("builder", "novice")]
    bots.append(storeys.bot("architect", seed=1, simulations=24))
    while match.to_move is not None:
        match.push(bots[match.moves_made % 3].choose(match.view(match.to_move)))
    assert match.winners


def in_playouts(name: str) -> None:
    """Whole games give records that replay."""
    batch = storeys.arena.playouts(name, 20, players=3, seed=1)
    assert storeys.load(batch.record(7)).winners == np.flatnonzero(batch.winners[7]).tolist()


def in_a_batch(name: str) -> None:
    """Many games at once."""
    import storeys.envs

    games = storeys.envs.batch(name, 8)
    observations, infos = games.reset(seed=1)
    for _ in range(30):
        observations, *_, infos = games.step(games.sample())
    assert np.isfinite(observations).all()
    assert infos["action_mask"].any(axis=1).all()


def in_pettingzoo(name: str) -> None:
    """The library's own test."""
    from pettingzoo.test import api_test

    import storeys.envs

    with redirect_stdout(io.StringIO()):
        api_test(storeys.envs.pettingzoo_env(name), num_cycles=60)


def in_gymnasium(name: str) -> None:
    """A match against bots in a registered environment."""
    import gymnasium

    from storeys.envs.registration import gymnasium_id

    env = gymnasium.make(gymnasium_id(name), opponents="random")
    told, _ = env.reset(seed=1)
    over = False
    while not over:
        legal = np.flatnonzero(told["action_mask"])
        told, _, over, *_ = env.step(int(legal[0]))


def in_openspiel(name: str) -> None:
    """The library's own random simulation."""
    import pyspiel

    from storeys.envs import openspiel
    from storeys.envs.registration import plain_name

    openspiel.register_all()
    pyspiel.random_sim_test(pyspiel.load_game(plain_name(name)), 1, False, False)


def through_the_suite(name: str) -> None:
    """Every check, compiled."""
    from storeys.testing import check_game

    check_game(name, players=3, games=2, report=lambda sentence: None)


WAYS: tuple[Callable[[str], Any], ...] = (
    at_the_terminal,
    by_bots,
    in_playouts,
    in_a_batch,
    in_pettingzoo,
    in_gymnasium,
    in_openspiel,
    through_the_suite,
)


def main(name: str) -> None:
    """Take every way."""
    for way in WAYS:
        way(name)
    print(json.dumps([way.__name__ for way in WAYS]))


if __name__ == "__main__":
    main(sys.argv[1])
