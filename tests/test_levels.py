"""The levels between the bots: what they promise to callers, and that each step is one."""

from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadOption
from storeys.arena.entrants import read_entrant
from storeys.bots import LEVELS, bot_facts
from storeys.bots.architect import ArchitectBot
from storeys.bots.builder import BuilderBot
from storeys.bots.levels import BlurredBot
from storeys.kernel.compiling import compiler
from storeys.kernel.levels import Levels
from storeys.registry import get_game
from tests.test_architect import worlds_of
from tests.test_bots import midway, play

GAMES = storeys.game_names()
BLURRED = ("apprentice", "journeyman", "foreman")
BETWEEN = (*BLURRED, "engineer")


def level(name: str, seed: int = 1) -> Any:
    compiler.start()  # Who looks ahead does not as long as nothing is compiled.
    return storeys.bot(name, seed=seed)


# --- the contract


def test_levels_are_bots_from_the_weakest_to_the_strongest() -> None:
    assert ("novice", *BLURRED, "builder", "engineer", "architect") == LEVELS
    assert [bot_facts(name).level for name in LEVELS] == [1, 2, 3, 4, 5, 6, 7]
    assert bot_facts("random").level is None
    for lang in ("en", "de", "nl"):
        words = [bot_facts(name, lang) for name in LEVELS]
        assert len({facts.label for facts in words}) == len({facts.help for facts in words}) == 7


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_how_well_its_levels_play(name: str) -> None:
    levels = get_game(name).levels
    assert levels != Levels()
    assert list(levels.blurs) == sorted(levels.blurs, reverse=True)
    assert levels.blurs[-1] > 0 < levels.simulations


@pytest.mark.parametrize("name", GAMES)
def test_at_one_table_all_play_legally(name: str) -> None:
    assert play(name, [level(who) for who in BETWEEN], seed=4).winners


@pytest.mark.parametrize("who", BETWEEN)
@pytest.mark.parametrize("name", GAMES)
def test_seed_and_what_is_known_decide(name: str, who: str) -> None:
    match = midway(name, 2)
    plan = level(who).plan_for(match)
    assert level(who).plan(match.view(match.to_move)) == plan
    worlds = worlds_of(match, 3)
    assert len({level(who).choose_in(world) for world in worlds}) == 1
    if who in BLURRED:
        assert len({level(who, seed).choose_for(match) for seed in range(12)}) > 1


# --- judging


def regret(name: str, who: str) -> float:
    """How much worth is lost by what a level plays, on the average of some positions."""
    lost = []
    for seed in range(16):
        match = midway(name, 2, seed=seed, moves=10 + seed)
        world = level("builder").open_view(match.view(match.to_move))
        worth = BuilderBot(seed=1)._weigh(world)
        chosen = level(who, seed).choose_in(world)
        lost.append(worth.max() - worth[world.legal_moves.index(chosen)])
    return float(np.mean(lost))


@pytest.mark.parametrize("name", GAMES)
def test_the_less_a_level_is_the_more_it_loses_by_its_moves(name: str) -> None:
    lost = [regret(name, who) for who in ("random", *BLURRED, "builder")]
    assert lost[0] > lost[1] > lost[2] > lost[3] > lost[4]  # They err, but not at random.
    assert lost[4] == pytest.approx(0, abs=0.001)


def test_doubt_is_in_proportion_to_what_is_at_stake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether points are counted by ones or by hundreds, the same mistakes are made."""
    match, bot = midway("neoville", 2), level("apprentice")
    world = bot.open_view(match.view(match.to_move))
    exact, blurred = BuilderBot(seed=1)._weigh(world), bot._weigh(world)
    assert 0.5 < np.std(blurred - exact) / (bot.blur * exact.std()) < 1.5
    assert isinstance(bot, BlurredBot)
    monkeypatch.setattr(type(world.game), "levels", Levels(blurs=(0.0, 0.0, 0.0)))
    assert bot.choose_in(world) == level("builder").choose_in(world)


# --- looking ahead a little


@pytest.mark.parametrize("name", GAMES)
def test_the_engineer_has_as_many_simulations_as_its_game_says(name: str) -> None:
    match, most = midway(name, 2), get_game(name).levels.simulations
    plan = level("engineer").plan_for(match)
    same = ArchitectBot(seed=1, simulations=most).plan_for(match)
    assert plan.turns == same.turns
    assert sum(turn.visits for turn in plan.turns) <= most


def test_the_engineer_keeps_its_time_as_well() -> None:
    bot = level("engineer")
    read = iter(range(1000))
    bot.seconds, bot.now = 5.0, lambda: float(next(read))
    assert sum(turn.visits for turn in bot.plan_for(midway("neoville", 2)).turns) == 0


def test_a_level_is_what_it_is_in_the_arena_too() -> None:
    with pytest.raises(BadOption, match="the bot engineer has no option “simulations”"):
        storeys.bot("engineer", simulations=3)
    for name in BETWEEN:
        entrant = read_entrant(name).limited({"simulations": 500})
        assert entrant.options == {}
        assert entrant.make(seed=1).name == name


# --- strength: all is seeded, so these never come out differently


def lead(name: str, better: str, worse: str, pairs: int, **options: Any) -> float:
    """By how many points one wins on the average, with the seats changed."""
    found = []
    for nth in range(2 * pairs):
        bots = [storeys.bot(better, seed=nth, **options), storeys.bot(worse, seed=nth)]
        seats = bots if nth % 2 == 0 else bots[::-1]
        match = play(name, seats, seed=700 + nth // 2)
        own = nth % 2
        found.append(match.totals[own] - match.totals[1 - own])
    return float(np.mean(found))


@pytest.mark.parametrize("name", GAMES)
def test_levels_are_in_order(name: str) -> None:
    compiler.start()
    assert lead(name, "journeyman", "novice", pairs=4) > 0
    assert lead(name, "builder", "apprentice", pairs=4) > 0
    assert lead(name, "architect", "journeyman", pairs=2, simulations=100) > 0
