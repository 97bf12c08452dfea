"""The bots: what they promise to callers, and that a better one plays better."""

import json
import types
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadPosition
from storeys.bots import ask, registry
from storeys.bots.builder import BuilderBot
from storeys.kernel import deriving, entry_points, verbs
from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray, Records
from storeys.match import world_of
from storeys.registry import get_game
from tests.commands import said_by

GAMES = storeys.game_names()
OURS = ("builder", "novice")
TABLES = [(name, players) for name in GAMES for players in get_game(name).seats]


@jit
def promise(
    states: Records, tables: Records, action: int, out: IntArray, by_seat: IntArray
) -> None:
    """What all seats are promised, together and one by one; after an action, unless it is -1.

    Then by what the one that takes it sees.  It is one entry point for all, since each makes
    machine code of all that it calls.
    """
    seat = states[0].to_move
    if action >= 0:
        verbs.apply(states[0], tables[0], action)
        verbs.blind(states[0], tables[0], seat)
    verbs.evaluate(states[0], tables[0], out)
    for one in range(by_seat.size):
        by_seat[one] = verbs.evaluate_seat(states[0], tables[0], one)


def promised(
    states: Records, tables: Records, players: int, action: int = -1
) -> tuple[list[float], list[float]]:
    """The promises of one evaluation of all seats, and of one of each."""
    out, by_seat = np.zeros((2, players))
    promise(states, tables, action, out, by_seat)
    return out.tolist(), by_seat.tolist()


def evaluation_of(match: storeys.Match) -> list[float]:
    return promised(match.state(), match.setup.components.tables, match.players)[0]


def midway(name: str, players: int, seed: int = 5, moves: int = 24) -> storeys.Match:
    """A match after some random moves."""
    match, player = storeys.new(name, players=players, seed=seed), storeys.bot("random", seed=seed)
    for _ in range(moves):
        match.push(player.choose(match.view(match.to_move)))
    return match


def play(name: str, seats: list[Any], seed: int) -> storeys.Match:
    """A whole match, turn by turn."""
    match = storeys.new(name, players=len(seats), seed=seed)
    while match.to_move is not None:
        seat = match.to_move
        for move in seats[seat].plan(match.view(seat)):
            assert match.to_move == seat
            match.push(move)
    return match


# --- the contract


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_whole_matches_are_legal(name: str, players: int) -> None:
    seats = [storeys.bot(OURS[seat % 2], seed=seat) for seat in range(players)]
    assert play(name, seats, seed=players).winners


@pytest.mark.parametrize("who", OURS)
@pytest.mark.parametrize("name", GAMES)
def test_a_plan_begins_with_the_choice_and_ends_with_the_turn(name: str, who: str) -> None:
    bot = storeys.bot(who, seed=3)
    for moves in (0, 7, 20):
        match = midway(name, 2, moves=moves)
        seat, view, drawn = match.to_move, match.view(match.to_move), match.chance_used()
        plan = bot.plan(view)
        assert plan[0] == bot.choose(view)
        for move in plan:
            assert match.to_move == seat
            assert match.chance_used() == drawn
            match.push(move)
        assert match.to_move != seat or match.chance_used() != drawn


@pytest.mark.parametrize("who", OURS)
@pytest.mark.parametrize("name", GAMES)
def test_seed_and_view_decide(name: str, who: str) -> None:
    match = midway(name, 3)
    seat = match.to_move
    bot = storeys.bot(who, seed=5)
    chosen = bot.choose(match.view(seat))
    assert bot.choose(match.view(seat)) == chosen
    for seed in range(3):
        # Another world that this seat cannot tell from the real one.
        world = storeys.from_position(match.view(seat), seed=seed)
        assert storeys.bot(who, seed=5).choose(world.view(seat)) == chosen


@pytest.mark.parametrize("who", OURS)
def test_seeds_differ(who: str) -> None:
    views = [(m := midway("neoville", 2, seed=s)).view(m.to_move) for s in range(6)]
    one, two = storeys.bot(who, seed=1), storeys.bot(who, seed=2)
    assert who == "builder" or [one.choose(v) for v in views] != [two.choose(v) for v in views]


@pytest.mark.parametrize("who", OURS)
def test_errors_are_sentences(who: str) -> None:
    match, bot = midway("cloud-city", 2), storeys.bot(who, seed=1)
    other = 1 - (match.to_move or 0)
    with pytest.raises(BadPosition, match="the view must be that of seat"):
        bot.choose(match.view(other))
    over = storeys.arena.playouts("cloud-city", 1, players=2).match(0)
    with pytest.raises(BadPosition, match="over"):
        bot.plan(over.view(0))


# --- asked with the match


@pytest.mark.parametrize(("name", "players"), TABLES)
@pytest.mark.parametrize("who", ["builder", "novice", "random"])
def test_asked_with_the_match_a_bot_says_what_it_says_of_the_view(
    name: str, players: int, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, matches = storeys.bot(who, seed=3), [midway(name, players, moves=n) for n in (0, 5, 13)]
    views = [match.view(match.to_move) for match in matches]
    chosen = [bot.choose(view) for view in views]
    planned = [bot.plan(view) for view in views]
    monkeypatch.setattr(registry, "from_position", None)  # nothing is read as JSON
    before = [match.state().tobytes() for match in matches]
    assert [bot.choose_for(match) for match in matches] == chosen
    assert [bot.plan_for(match) for match in matches] == planned
    assert [ask(bot, match) for match in matches] == chosen
    assert [match.state().tobytes() for match in matches] == before


@pytest.mark.parametrize("name", GAMES)
def test_the_world_of_a_match_is_that_of_its_view(name: str) -> None:
    match = storeys.new(name, players=3, seed=5, names=["Ann", "Bo", "Cy"])
    for _ in range(30):
        match.push(match.legal_moves[len(match.legal_moves) // 2])
    seat = match.to_move or 0
    of_view, of_match = storeys.from_position(match.view(seat), seed=9), world_of(match, seat, 9)
    assert of_match.record() == of_view.record()
    assert of_match.position() == of_view.position()
    for world in (of_view, of_match):
        for _ in range(4):  # into the same future
            world.push(world.legal_moves[-1])
    assert of_match.position() == of_view.position()


def test_a_bot_that_has_its_own_way_with_views_is_given_them() -> None:
    class Viewer(BuilderBot):
        def __init__(self) -> None:
            super().__init__(seed=1)
            self.seen: list[str] = []

    class Chooser(Viewer):
        def choose(self, view: Any) -> storeys.Move:
            self.seen.append("choose")
            return super().choose(view)

    class Planner(Viewer):
        def plan(self, view: Any) -> list[storeys.Move]:
            self.seen.append("plan")
            return super().plan(view)

    class Opener(Viewer):
        def open_view(self, view: Any) -> storeys.Match:
            self.seen.append(view["seat"])
            return super().open_view(view)

    match = midway("manhattan", 2)
    seat = match.to_move
    for bot, seen in ((Chooser(), ["choose"]), (Planner(), ["plan"]), (Opener(), [seat, seat])):
        bot.choose_for(match)
        bot.plan_for(match)
        assert bot.seen == seen


def test_a_match_that_is_over_has_nobody_to_ask() -> None:
    over = storeys.arena.playouts("cloud-city", 1, players=2).match(0)
    for call in (storeys.bot("builder").choose_for, storeys.bot("builder").plan_for):
        with pytest.raises(BadPosition, match="over"):
            call(over)


# --- thinking


@pytest.mark.parametrize("name", GAMES)
def test_values_name_every_move_best_first(name: str) -> None:
    match = midway(name, 2)
    view = match.view(match.to_move)
    bot = BuilderBot(seed=4)
    values = bot.values(view)
    assert json.loads(json.dumps(values)) == values
    assert sorted(entry["move"] for entry in values) == sorted(map(str, match.legal_moves))
    assert values == sorted(values, key=lambda entry: -entry["value"])
    assert values[0]["move"] == str(bot.choose(view))


@pytest.mark.parametrize("name", GAMES)
def test_thinking_can_be_stopped(name: str) -> None:
    match = midway(name, 2)
    view = match.view(match.to_move)
    for stop_after in (0, 3):
        bot, asked = storeys.bot("builder", seed=4), [0]

        def stop(asked: list[int] = asked, most: int = stop_after) -> bool:
            asked[0] += 1
            return asked[0] > most

        bot.should_stop = stop
        assert bot.choose(view) in match.legal_moves
        assert asked == [min(stop_after, len(match.legal_moves)) + 1]
    hurried = storeys.bot("builder", seconds=1e-9, seed=4)
    assert hurried.choose(view) in match.legal_moves


@pytest.mark.parametrize("name", GAMES)
def test_more_time_than_needed_changes_nothing(name: str) -> None:
    match = midway(name, 2)
    view = match.view(match.to_move)
    patient = storeys.bot("builder", seconds=600, seed=4)
    patient.should_stop = lambda: False
    assert patient.choose(view) == storeys.bot("builder", seed=4).choose(view)


# --- evaluations


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_in_the_end_the_evaluation_is_the_score(name: str, players: int) -> None:
    batch = storeys.arena.playouts(name, 20, players=players, seed=1)
    for nth in range(20):
        assert evaluation_of(batch.match(nth)) == pytest.approx(batch.scores[nth].tolist())


@pytest.mark.parametrize("name", GAMES)
def test_an_evaluation_takes_a_blinded_state(name: str) -> None:
    match = midway(name, 3)
    for seat in (None, 0, 1, 2):
        found, _ = promised(match.blinded(seat), match.setup.components.tables, 3)
        assert np.isfinite(found).all()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_one_seat_is_promised_what_it_is_promised_among_all(name: str, players: int) -> None:
    tables = get_game(name).load_components().tables
    for moves in (0, 11, 20):
        match = midway(name, players, moves=moves)
        for states in (match.state(), *map(match.blinded, range(players))):
            together, one_by_one = promised(states, tables, players)
            assert one_by_one == together


@pytest.mark.parametrize("name", [name for name in GAMES if not get_game(name).evaluates_chance])
def test_who_says_so_is_promised_the_same_whatever_chance_deals(name: str) -> None:
    for moves in (0, 9, 24, 40):
        match = midway(name, 2, moves=moves)
        tables, seat = match.setup.components.tables, match.to_move or 0
        for action in map(match.action_of, match.legal_moves):
            found = set()
            for seed in range(4):
                world = match.state()
                entry_points.redeal(world, tables, seat, storeys.kernel.chance.generator(seed))
                found.add(tuple(promised(world, tables, 2, action)[0]))
            assert len(found) == 1


def test_somebody_says_so() -> None:
    assert not get_game("manhattan").evaluates_chance  # so the test above has something to look at


def toy_verbs(name: str, derived: dict[str, Any], **own: Any) -> Any:
    """A record of a game whose rules have these verbs, and nothing to do for those not named."""
    rules = types.ModuleType("rules")
    for verb in [name for name in vars(verbs) if callable(getattr(verbs, name)) and name.islower()]:
        if verb not in derived:
            setattr(rules, verb, own.get(verb))
    toy = np.dtype((np.record, [(name, "i8"), ("players", "i8")]))
    verbs.register(toy, rules, derived)
    states = np.zeros(1, toy)
    states["players"] = 2
    return states[0]


def test_an_evaluation_of_all_seats_follows_from_that_of_one() -> None:
    def evaluate_seat(state: Any, tables: Any, seat: int) -> float:
        return 3.0 + seat

    derived = {"evaluate": deriving.evaluate_each}
    out = np.zeros(2)
    verbs.evaluate(toy_verbs("toy_by_seat", derived, evaluate_seat=evaluate_seat), None, out)
    assert out.tolist() == [3, 4]
    neoville = get_game("neoville")
    assert neoville.derived["evaluate"] is deriving.evaluate_each
    assert not hasattr(neoville.rules, "evaluate")
    assert get_game("manhattan").derived["evaluate"] is deriving.evaluate


def test_a_game_without_an_evaluation_is_judged_by_its_score() -> None:
    def score(state: Any, tables: Any, out: IntArray) -> None:
        out[:] = [3, 4]

    rules = types.ModuleType("rules")
    derived = {"evaluate": deriving.evaluate, "evaluate_seat": deriving.evaluate_seat}
    state, out = toy_verbs("toy_without_evaluation", derived, score=score), np.zeros(2)
    verbs.evaluate(state, None, out)
    assert out.tolist() == [3, 4]
    assert [verbs.evaluate_seat(state, None, seat) for seat in range(2)] == [3, 4]
    with pytest.raises(KeyError):
        verbs.register(np.dtype((np.record, [("toy_without_score", "i8")])), rules, {})


UNCOMPILED = """
import json, sys, numpy as np, storeys
from storeys.kernel import verbs
name = sys.argv[1]
match = storeys.new(name, players=2, seed=3)
for who in ("builder", "novice"):
    move = storeys.bot(who, seed=1, seconds=0.2).choose(match.view(match.to_move))
    assert move in match.legal_moves
for _ in range(14):
    match.push(match.legal_moves[len(match.legal_moves) // 2])
out = np.zeros(2)
verbs.evaluate(match.state()[0], match.setup.components.tables[0], out)
print(json.dumps([str(match.moves[-1]), out.tolist()]))
"""


@pytest.mark.parametrize("name", GAMES)
def test_bots_run_uncompiled(name: str) -> None:
    last, found = said_by(UNCOMPILED, name, STOREYS_UNCOMPILED="1")
    match = storeys.new(name, players=2, seed=3)
    for _ in range(14):
        match.push(match.legal_moves[len(match.legal_moves) // 2])
    assert str(match.moves[-1]) == last
    assert evaluation_of(match) == pytest.approx(found)


# --- strength: all is seeded, so these never come out differently


def wins_of(name: str, better: str, worse: str, matches: int) -> float:
    """The share of matches that one bot wins against another, seats alternating."""
    bots = [storeys.bot(better, seed=1), storeys.bot(worse, seed=2)]
    won = 0.0
    for nth in range(matches):
        seats = bots if nth % 2 == 0 else bots[::-1]
        winners = play(name, seats, seed=100 + nth).winners
        won += sum(seats[seat] is bots[0] for seat in winners) / len(winners)
    return won / matches


@pytest.mark.parametrize("name", GAMES)
def test_the_builder_beats_the_novice(name: str) -> None:
    assert wins_of(name, "builder", "novice", matches=6) >= 0.8


@pytest.mark.parametrize("name", GAMES)
def test_the_novice_beats_chance(name: str) -> None:
    assert wins_of(name, "novice", "random", matches=8) >= 0.7


def test_playing_alone_the_builder_does_well() -> None:
    def mean_of(name: str) -> float:
        bot = storeys.bot("builder", seed=1)
        return float(np.mean([play(name, [bot], seed).score()[0]["total"] for seed in range(4)]))

    assert mean_of("neoville") > 30
    assert mean_of("cloud-city") > 38


def test_a_redealt_world_is_all_the_builder_sees() -> None:
    """What it weighs does not depend on the hidden part of the world that it was given."""
    match = midway("cloud-city", 2)
    seat = match.to_move or 0
    worlds = []
    for seed in (1, 2):
        state = match.blinded(seat)
        generator = storeys.kernel.chance.generator(seed)
        entry_points.redeal(state, match.setup.components.tables, seat, generator)
        worlds.append(storeys.Match(match.game, match.setup, 0, state, match.names))
    bot = storeys.bot("builder", seed=1)
    chosen = [bot.choose_in(world) for world in worlds]
    assert chosen[0] == chosen[1]
