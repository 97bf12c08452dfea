"""The bot that searches: what it promises to callers, and that it is stronger."""

import hashlib
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadOption
from storeys.bots.architect import ArchitectBot
from storeys.kernel import chance, entry_points
from storeys.kernel.compiling import compiler
from storeys.match import Match
from storeys.search import rollouts
from storeys.search.halving import halve
from tests import soak_bots
from tests.commands import said_by
from tests.env_setups import SETUPS, name_of
from tests.proofs import long_case
from tests.test_bots import midway, play

GAMES = storeys.game_names()


class Clock:
    """A clock that goes on by so much whenever it is read."""

    def __init__(self, step: float) -> None:
        self.step, self.time = step, 100.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def player(simulations: int = 24, seed: int = 1, **options: Any) -> ArchitectBot:
    found = storeys.bot("architect", seed=seed, simulations=simulations, **options)
    assert isinstance(found, ArchitectBot)
    return found


def by_the_clock(clock: Clock, seconds: float | None = None) -> ArchitectBot:
    compiler.start()
    bot = ArchitectBot(seed=1, seconds=seconds)
    bot.now = clock
    return bot


def worlds_of(match: Match, count: int) -> list[Match]:
    """Worlds that the seat to move cannot tell from each other."""
    worlds, seat = [], match.to_move or 0
    for seed in range(count):
        state = match.blinded(seat)
        entry_points.redeal(state, match.setup.components.tables, seat, chance.generator(seed))
        worlds.append(Match(match.game, match.setup, 0, state, match.names))
    return worlds


# --- the contract


@pytest.mark.parametrize(("name", "options"), SETUPS, ids=name_of)
def test_every_move_is_legal_in_every_variant(name: str, options: dict[str, Any]) -> None:
    assert soak_bots.play(0, name, options).moves_made > 10


def test_the_soak_knows_all_variants() -> None:
    assert len(soak_bots.setups()) > len(SETUPS)
    assert {name for name, _ in soak_bots.setups()} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_plan_tells_of_every_turn_that_was_tried(name: str) -> None:
    match = midway(name, 2)
    plan = player(64).plan_for(match)
    assert list(plan.turns[0].moves) == plan[: len(plan.turns[0].moves)]
    assert len({turn.moves for turn in plan.turns}) == len(plan.turns) > 2
    assert sum(turn.visits for turn in plan.turns) <= 64
    visits = [turn.visits for turn in plan.turns]
    assert visits == sorted(visits, reverse=True)
    assert visits[0] > visits[-1] > 0
    for turn in plan.turns:
        assert turn.value is not None
        assert turn.spread is not None
        assert -0.5 < turn.value < 1.5
        assert 0 <= turn.spread < 1
        going = match.clone()
        for move in turn.moves:
            assert going.to_move == match.to_move
            going.push(move)


@pytest.mark.parametrize("name", GAMES)
def test_simulations_and_seed_decide(name: str) -> None:
    match = midway(name, 3)
    plan = player(40).plan_for(match)
    assert player(40).plan(match.view(match.to_move)) == plan
    assert player(40, threads=3).plan_for(match).turns == plan.turns
    assert player(40, seed=2).plan_for(match).turns != plan.turns


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("moves", [0, 8, 30])
def test_another_deal_of_what_it_cannot_know_changes_nothing(name: str, moves: int) -> None:
    worlds = worlds_of(midway(name, 2, moves=moves), 3)
    assert len({world.state().tobytes() for world in worlds}) == 3
    plans = [player(32)._plan_in(world) for world in worlds]
    assert plans[0].turns == plans[1].turns == plans[2].turns


def test_whoever_peeks_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion of the test above: letting the true position in gives it away."""

    def peek(bot: ArchitectBot, world: Match) -> Any:
        return chance.generator(int.from_bytes(hashlib.sha256(world.state().tobytes()).digest()))

    monkeypatch.setattr(ArchitectBot, "chance_in", peek)
    plans = [player(32)._plan_in(world) for world in worlds_of(midway("neoville", 2, moves=8), 2)]
    assert plans[0].turns != plans[1].turns


# --- time


@pytest.mark.parametrize("name", GAMES)
def test_the_clock_is_for_a_turn(name: str) -> None:
    match, clock = midway(name, 2), Clock(0.01)
    bot = by_the_clock(clock)
    plan = bot.plan_for(match)
    took = clock.time - 100
    assert ArchitectBot.pace <= took <= ArchitectBot.pace + 10 * clock.step
    # Asked for one move after the other it thinks once.
    bot = by_the_clock(Clock(0.01))
    for nth, move in enumerate(plan):
        assert bot.choose_for(match) == move
        if nth == 0:
            read = bot.now()
        match.push(move)
    assert bot.now() == pytest.approx(read + clock.step)


def test_more_time_means_more_simulations() -> None:
    match = midway("cloud-city", 2)
    tried = []
    for seconds in (0.2, 2.0):
        clock = Clock(0.01)
        plan = by_the_clock(clock, seconds).plan_for(match)
        assert clock.time - 100 <= seconds + 10 * clock.step
        tried.append(sum(turn.visits for turn in plan.turns))
    assert tried[0] < tried[1] / 4


@pytest.mark.parametrize("name", GAMES)
def test_interrupted_it_plays_the_best_so_far(name: str) -> None:
    match, bot, asked = midway(name, 2), player(10_000), [0]

    def stop() -> bool:
        asked[0] += 1
        return asked[0] > 100

    bot.should_stop = stop
    plan = bot.plan_for(match)
    assert 16 <= sum(turn.visits for turn in plan.turns) <= 100
    tried = [turn for turn in plan.turns if turn.visits == plan.turns[0].visits]
    assert (tried[0].value or 0) >= np.mean([turn.value for turn in tried])
    bot.should_stop = lambda: True
    at_once = bot.plan_for(match)
    assert at_once[0] in match.legal_moves
    assert {turn.visits for turn in at_once.turns} == {0}
    assert at_once.turns[0].value is None


UNCOMPILED = """
import json, sys, storeys
name, now, read = sys.argv[1], 0.0, []
match = storeys.new(name, players=2, seed=3)
bot = storeys.bot("architect", seed=1)
def clock():
    read.append(0.02)
    return sum(read)
bot.now = clock
plan = bot.plan(match.view(match.to_move))
few = storeys.bot("architect", seed=1, simulations=4).plan(match.view(match.to_move))
print(json.dumps([[str(move) for move in plan], [str(move) for move in few], sum(read)]))
"""


@pytest.mark.parametrize("name", GAMES)
def test_uncompiled_it_plays_as_well_as_it_can_in_its_time(name: str) -> None:
    plan, few, took = said_by(UNCOMPILED, name, STOREYS_UNCOMPILED="1")
    match = storeys.new(name, players=2, seed=3)
    assert took <= ArchitectBot.pace + 1.0
    for moves in (plan, few):
        going = match.clone()
        for move in moves:
            going.push(move)
    assert few == [str(move) for move in player(4).plan_for(match)]


# --- options


def test_options_are_checked() -> None:
    for options in ({"simulations": 0}, {"simulations": "many"}, {"threads": 1.5}):
        with pytest.raises(BadOption, match="must be a whole number above 0, not"):
            storeys.bot("architect", **options)
    with pytest.raises(BadOption, match="the bot builder has no option “simulations”; it takes"):
        storeys.bot("builder", simulations=3)


# --- halving


def test_the_better_half_is_tried_again() -> None:
    worth = [0.1, 0.9, 0.5, 0.3]
    tried: list[tuple[int, int]] = []

    def trial(nth: int, deal: int) -> float:
        tried.append((nth, deal))
        return worth[nth] + (0.05 if deal % 2 else -0.05)

    found = halve([0.5] * 4, trial, lambda done: done / 32, threads=1)
    assert [tally.nth for tally in found] == [1, 2, 3, 0]
    assert [tally.visits for tally in found] == [12, 12, 4, 4]
    assert found[0].value == pytest.approx(0.9)
    assert found[0].spread == pytest.approx(0.05)
    # All that are in have the same deals.
    assert [deal for nth, deal in tried if nth == 1] == [deal for nth, deal in tried if nth == 2]


def test_a_deal_counts_for_all_or_for_none() -> None:
    left = [6]

    def used(done: int) -> float:
        return 2.0 if left[0] == 0 else 0.0

    def trial(nth: int, deal: int) -> float:
        left[0] -= 1
        return float(nth)

    found = halve([0.5] * 4, trial, used, threads=1)
    assert {tally.visits for tally in found} == {1}


# --- simulations


def test_who_is_not_touched_by_a_turn_plays_on_as_after_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one deal two turns are compared that lay the same tile elsewhere and draw alike."""
    match, ends = storeys.new("neoville", players=2, seed=7), []

    def look(world: Any, *_: Any) -> float:
        ends.append(world.copy())
        return 0.0

    monkeypatch.setattr(rollouts, "worth", look)
    tile, tables = str(match.legal_moves[0]).split()[1], match.setup.components.tables
    alike = [move for move in match.legal_moves if str(move).split()[1] == tile]
    key = chance.generator(1)
    for move in alike[:3]:
        going = match.clone()
        turn = [going.action_of(move)]
        going.push(move)
        turn.append(going.action_of("draw 1"))
        rollouts.simulate(
            match.state(), tables, np.array(turn), 2, 8, True, 0, True, 10.0,
            match.game.actions + 1, key, 0,
        )  # fmt: skip
    own, other = ({world["laid"][0, seat].tobytes() for world in ends} for seat in (0, 1))
    assert len(own) == len(ends) == 3
    assert len(other) == 1


# --- strength: all is seeded, so these never come out differently


@pytest.mark.parametrize("name", [long_case("cloud-city"), long_case("manhattan"), "neoville"])
def test_it_beats_the_builder(name: str) -> None:
    bots: list[Any] = [player(100), storeys.bot("builder", seed=2)]
    won, lead = 0.0, []
    for nth in range(4):
        seats = bots if nth % 2 == 0 else bots[::-1]
        match = play(name, seats, seed=400 + nth // 2)
        own = seats.index(bots[0])
        won += (own in match.winners) / len(match.winners)
        lead.append(match.totals[own] - match.totals[1 - own])
    assert won >= 3
    assert np.mean(lead) > 0
