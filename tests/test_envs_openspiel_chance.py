"""OpenSpiel's chance where it happens: true probabilities, no future in any state, exact copies."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import storeys
from tests.env_setups import SETUPS, Setup, name_of

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed or has no wheel here: pip install 'storeys[envs]'"
)

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from storeys.envs import openspiel  # noqa: E402
from storeys.envs.openspiel_chance import NodeTrajectory, odds_asked  # noqa: E402
from storeys.kernel import chance  # noqa: E402
from tests.test_envs_openspiel import spiel_name, told_to  # noqa: E402

ALL = pytest.mark.parametrize(("game", "options"), SETUPS, ids=name_of)
GAMES = pytest.mark.parametrize("game", storeys.game_names())
FUTURES = 4


def load(game: str, **options: Any) -> Any:
    return pyspiel.load_game(spiel_name(game, options))


def step(state: Any, rng: random.Random) -> None:
    """A random action of a player, or of chance by its probabilities."""
    if state.is_chance_node():
        outcomes, odds = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, odds)[0])
    else:
        state.apply_action(rng.choice(state.legal_actions()))


def play_on(state: Any, seed: int, steps: int = 10_000, until_move: bool = False) -> Any:
    """So many steps, and further to where a player decides."""
    rng = random.Random(seed)
    while not state.is_terminal() and (steps > 0 or (until_move and state.is_chance_node())):
        step(state, rng)
        steps -= 1
    return state


# --- the nodes


@GAMES
def test_their_suite(game: str) -> None:
    pyspiel.random_sim_test(load(game, players=2), num_sims=1, serialize=True, verbose=False)


@ALL
def test_every_position_on_the_way_can_stand(game: str, options: Setup) -> None:
    """Whatever chance does, no piece is lost or there twice."""
    state, rng, nodes = load(game, **options).new_initial_state(), random.Random(1), 0
    while not state.is_terminal():
        if state.is_chance_node():
            nodes += 1
            outcomes = state.chance_outcomes()
            assert sum(odds for _, odds in outcomes) == pytest.approx(1)
            assert [outcome for outcome, _ in outcomes] == sorted({o for o, _ in outcomes})
            assert all(odds > 0 for _, odds in outcomes)
        elif rng.random() < 0.1:
            position = state.match().position()
            again = storeys.from_position(position | {"seed": "1"}).position()
            assert again | {"seed": position["seed"]} == position
        step(state, rng)
    assert nodes > 10
    assert nodes <= state.get_game().max_chance_nodes_in_history()


def test_cards_are_as_likely_as_there_are_of_them() -> None:
    """Manhattan: five of each of nine, less those in hands and those that were played."""
    state, rng, looked = load("manhattan", players=3).new_initial_state(), random.Random(3), 0
    while not state.is_terminal() and looked < 80:
        if state.is_chance_node() and state.trajectory.past and not state.trajectory.script:
            before = state.trajectory.state[0]
            left = 5 - np.bincount(before.hands[:3].ravel(), minlength=9) - before.discard
            expected = {kind: n / left.sum() for kind, n in enumerate(left.tolist()) if n}
            assert dict(state.chance_outcomes()) == pytest.approx(expected)
            looked += 1
        step(state, rng)
    assert looked > 50


@pytest.mark.parametrize("game", ["cloud-city", "neoville"])
def test_tiles_are_as_likely_as_each_other(game: str) -> None:
    state, rng, looked = load(game, players=2).new_initial_state(), random.Random(3), 0
    while not state.is_terminal():
        if state.is_chance_node() and state.trajectory.past:
            before = state.trajectory.state[0]
            pile = sorted(before.pile[: before.pile_size].tolist())
            assert state.chance_outcomes() == [(tile, 1 / len(pile)) for tile in pile]
            looked += 1
        step(state, rng)
    assert looked > 5


def test_a_draw_takes_what_chance_was_told() -> None:
    state = play_on(load("neoville", players=2).new_initial_state(), 1, 60, until_move=True)
    texts = {state.action_to_string(action): action for action in state.legal_actions()}
    while "draw pile" not in texts:
        state.apply_action(state.legal_actions()[0])
        play_on(state, 1, 0, until_move=True)
        texts = {state.action_to_string(action): action for action in state.legal_actions()}
    seat = state.current_player()
    state.apply_action(texts["draw pile"])
    for outcome, _ in state.chance_outcomes():
        after = state.child(outcome)
        assert outcome in after.trajectory.state["hands"][0, seat].tolist()
        assert not after.is_chance_node()
    assert state.action_to_string(state.current_player(), 3) == "outcome 3"


def test_options_that_are_left_to_chance_are_nodes_too() -> None:
    state = load("cloud-city", players=2, requests=2).new_initial_state()
    assert state.chance_outcomes() == [(way, 1 / 45) for way in range(45)]
    found = set()
    for way in range(45):
        after = play_on(state.child(way), 1, 0, until_move=True)
        found.add(tuple(after.match().setup.options["requests"]))
    assert len(found) == 45
    utilities = load("neoville", players=2).new_initial_state()
    assert utilities.chance_outcomes() == [(way, 1 / 3) for way in range(3)]


def test_chances_of_a_deal_are_those_of_the_rules() -> None:
    """Neoville: each utility of a kind is dealt as often as the others."""
    spiel, dealt = load("neoville", players=2, utilities="bus+windmill"), []
    for seed in range(60):
        state = play_on(spiel.new_initial_state(), seed, 0, until_move=True)
        dealt.append(state.match().position()["utilities"])
    assert {len(each) for each in dealt} == {10}
    counts = {name: sum(name in each for each in dealt) for each in dealt for name in each}
    assert len(counts) == 24
    mean = 60 * 10 / 24
    assert all(abs(count - mean) < 5 * np.sqrt(mean) for count in counts.values())


# --- nobody sees the future


def with_other_future(state: Any, seed: int) -> Any:
    """The same state, but for what chance would do if it were asked."""
    twin = state.clone()
    chance.rekey(twin.trajectory.state[0], chance.generator(seed))
    twin.trajectory.past[-1] = twin.trajectory.state.tobytes()
    return twin


def chosen(state: Any, algorithm: str) -> int:
    rng = np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, rng)
    if algorithm == "mcts":
        bot: Any = mcts.MCTSBot(state.get_game(), 2, 30, rollouts, random_state=rng)
    else:
        bot = ismcts.ISMCTSBot(state.get_game(), rollouts, 2.0, 30, random_state=rng)
        bot.set_resampler(openspiel.resampler(seed=3))
    return int(bot.step(state))


def late_state(game: str, where: str, seed: int) -> Any:
    state = load(game, players=2, chance=where, rewards="difference").new_initial_state()
    most = len(play_on(state.clone(), seed).history())
    return play_on(state, seed, most - 25, until_move=True)


@pytest.mark.parametrize("algorithm", ["mcts", "ismcts"])
@GAMES
def test_another_future_does_not_change_what_a_search_chooses(game: str, algorithm: str) -> None:
    state = late_state(game, "nodes", 1)
    assert len({chosen(with_other_future(state, n), algorithm) for n in range(FUTURES)}) == 1


def test_with_chance_at_the_root_it_does() -> None:
    """The companion: what the test above would see if states held the future."""
    found = []
    for seed in range(3):
        state = late_state("neoville", "root", seed)
        found.append(len({chosen(with_other_future(state, n), "mcts") for n in range(FUTURES)}))
    assert max(found) > 1


@ALL
def test_nothing_hidden_is_told(game: str, options: Setup) -> None:
    state = load(game, **options).new_initial_state()
    rng, draws, others = random.Random(1), np.random.default_rng(1), 0
    while not state.is_terminal():
        if rng.random() < 0.06:
            for player in range(state.num_players()):
                other = state.resample_from_infostate(player, draws.random)
                assert told_to(player, state) == told_to(player, other)
                assert other.is_chance_node() == state.is_chance_node()
                others += str(other) != str(state)
        step(state, rng)
    assert others


@GAMES
def test_a_world_dealt_afresh_plays_on(game: str) -> None:
    for steps in (60, 61, 62, 63, 64):
        state = play_on(load(game, players=3).new_initial_state(), 1, steps)
        world = state.resample_from_infostate(0, random.Random(1).random)
        trail = zip(state.trajectory.trail, state.history(), world.history(), strict=True)
        assert all(theirs == (0 if mover < 0 else ours) for mover, ours, theirs in trail)
        assert play_on(world, 2).is_terminal()


# --- copies


@GAMES
def test_copies_are_exact_at_every_kind_of_node(game: str) -> None:
    spiel = load(game, players=2)
    for steps in (0, 1, 3, 70, 71, 72, 73):
        state = play_on(spiel.new_initial_state(), 1, steps)
        _, loaded = pyspiel.deserialize_game_and_state(
            pyspiel.serialize_game_and_state(spiel, state)
        )
        twins = [state.clone(), pickle.loads(pickle.dumps(state)), copy.deepcopy(state), loaded]
        before = str(state)
        for twin in twins:
            assert str(twin) == before
            assert twin.is_chance_node() == state.is_chance_node()
            assert twin.history() == state.history()
        ends = {str(play_on(twin, 3)) for twin in twins}
        assert str(state) == before
        assert ends == {str(play_on(state, 3))}


@GAMES
def test_a_state_stands_where_a_match_does(game: str) -> None:
    match = storeys.arena.playouts(game, 1, players=2, seed=4).match(0).at(30)
    for where in ("nodes", "root"):
        state = load(game, players=2, chance=where).standing_at(match)
        twin = pickle.loads(pickle.dumps(state))
        for each in (state, twin, state.clone()):
            assert each.match().position() | {"seed": ""} == match.position() | {"seed": ""}
            assert each.legal_actions() == np.flatnonzero(match.action_mask()).tolist()
        world = state.resample_from_infostate(match.to_move, random.Random(1).random)
        assert play_on(world, 1).is_terminal()
        assert play_on(twin, 1).is_terminal()


def test_a_match_of_a_state_has_a_future_to_play_with() -> None:
    match = play_on(load("cloud-city", players=2).new_initial_state(), 1, 40, True).match()
    rng = chance.generator(1)
    while match.to_move is not None:
        match.push(match.random_move(rng))
    assert match.winners


# --- what goes wrong


def test_bad_words_are_explained() -> None:
    with pytest.raises(storeys.BadOption, match="chance is “nodes” or “root”, not “late”"):
        load("manhattan", chance="late")


def test_an_outcome_that_cannot_be_is_refused() -> None:
    state = load("manhattan", players=2).new_initial_state()
    for outcome in (2, 300):
        with pytest.raises(storeys.IllegalMove, match=f"action {outcome} is not legal now"):
            state.apply_action(outcome)
    assert state.history() == []


def test_more_chance_than_there_is_room_for_is_refused() -> None:
    state = load("manhattan", players=2).new_initial_state()
    assert isinstance(state.trajectory, NodeTrajectory)
    trial = state.trajectory.trial.copy()
    trial["key"][0, chance.SIZE] = 257
    with pytest.raises(storeys.BadOption, match="load it with chance=root"):
        odds_asked(trial)
