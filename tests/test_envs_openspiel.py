"""OpenSpiel's own suites on every game, and what they do not look at."""

import copy
import gc
import pickle
import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
from storeys.registry import get_game
from tests.env_setups import SETUPS, Setup, name_of

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed or has no wheel here: pip install 'storeys[envs]'"
)

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts  # noqa: E402
from open_spiel.python.bots import uniform_random  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from storeys.envs import openspiel  # noqa: E402
from storeys.envs.common import HIGHEST  # noqa: E402
from tests.make_playthroughs import FOLDER, PLAYTHROUGHS, playthrough  # noqa: E402
from tests.proofs import long_case  # noqa: E402

ALL = pytest.mark.parametrize(("game", "options"), SETUPS, ids=name_of)
GAMES = pytest.mark.parametrize("game", storeys.game_names())


def spiel_name(game: str, options: Setup) -> str:
    """A set-up as OpenSpiel writes it."""

    def text(value: Any) -> str:
        if isinstance(value, list):
            return "+".join(value) or "none"
        return f"random{value}" if isinstance(value, int) else str(value)

    own = {key: value for key, value in options.items() if key != "players"}
    listed = [f"players={options.get('players', 2)}", *(f"{k}={text(v)}" for k, v in own.items())]
    return f"storeys_{game.replace('-', '_')}({','.join(listed)})"


def load(game: str, **options: Any) -> Any:
    """With all chance at the root, so that a seed deals; tests/test_envs_openspiel_chance.py has
    the other form."""
    return pyspiel.load_game(spiel_name(game, {"chance": "root", **options}))


def dealt(spiel: Any, seed: int) -> Any:
    state = spiel.new_initial_state()
    for number in seed.to_bytes(4, "little"):
        state.apply_action(number)
    return state


def play_on(state: Any, seed: int, moves: int = 10_000) -> Any:
    rng = random.Random(seed)
    for _ in range(moves):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


# --- their suites


@pytest.mark.parametrize(
    ("game", "options"), [*SETUPS[::2], *(long_case(*setup) for setup in SETUPS[1::2])], ids=name_of
)
def test_random_simulations(game: str, options: Setup) -> None:
    pyspiel.random_sim_test(load(game, **options), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(
    "name", [long_case("manhattan-2"), "cloud_city-1", long_case("cloud_city-2"), "neoville-1"]
)
def test_playthroughs(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert playthrough(name) == kept, "python -m tests.make_playthroughs writes them anew"


def test_there_is_a_playthrough_of_every_game() -> None:
    assert {name.partition("-")[0] for name in PLAYTHROUGHS} == {
        name.replace("-", "_") for name in storeys.game_names()
    }
    assert {path.stem for path in Path(FOLDER).glob("*.txt")} == set(PLAYTHROUGHS)


@GAMES
@pytest.mark.parametrize("players", [2, 3, 4])
def test_bots_against_each_other(game: str, players: int) -> None:
    rng = np.random.RandomState(1)
    bots = [uniform_random.UniformRandomBot(seat, rng) for seat in range(players)]
    returns = evaluate_bots.evaluate_bots(
        load(game, players=players).new_initial_state(), bots, rng
    )
    assert sum(returns) == pytest.approx(0)
    assert max(returns) > 0 or not any(returns)


@pytest.mark.parametrize("kind", list(rl_environment.ObservationType))
@GAMES
def test_their_environment(game: str, kind: Any) -> None:
    spiel = load(game, players=2)
    env = rl_environment.Environment(spiel, observation_type=kind, enable_legality_check=True)
    env.seed(1)
    step = env.reset()
    sizes = (spiel.observation_tensor_size(), spiel.information_state_tensor_size())
    rng = random.Random(1)
    while not step.last():
        player = step.current_player()
        assert len(step.observations["info_state"][player]) == sizes[kind.value]
        step = env.step([rng.choice(step.observations["legal_actions"][player])])
    assert sum(step.rewards) == pytest.approx(0)


@GAMES
def test_their_search_with_open_cards(game: str) -> None:
    spiel = load(game, players=2)
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(spiel, 2, 4, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state = play_on(dealt(spiel, 5), 1, 30)
    for _ in range(3):
        state.apply_action(bot.step(state))


@pytest.mark.parametrize("worlds", [-1, 2])
@pytest.mark.parametrize("players", [2, 3])
@GAMES
def test_their_search_over_information_sets(game: str, players: int, worlds: int) -> None:
    spiel = load(game, players=players)
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(spiel, evaluator, 2.0, 6, worlds, random_state=rng)
    state = play_on(dealt(spiel, 5), 1, 30)
    for _ in range(3):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_a_search_is_repeatable_with_our_resampler() -> None:
    def chosen() -> int:
        spiel = load("manhattan", players=2)
        rng = np.random.RandomState(1)
        bot = ismcts.ISMCTSBot(
            spiel, mcts.RandomRolloutEvaluator(1, rng), 2.0, 20, random_state=rng
        )
        bot.set_resampler(openspiel.resampler(seed=3))
        return int(bot.step(play_on(dealt(spiel, 5), 1, 40)))

    assert chosen() == chosen()


# --- the match inside


@ALL
def test_a_state_is_the_match_of_its_seed(game: str, options: Setup) -> None:
    state = dealt(load(game, **options), 77)
    match = storeys.new(game, seed=77, **options)
    rng = random.Random(1)
    while not state.is_terminal():
        player = state.current_player()
        assert player == match.to_move
        assert state.legal_actions() == np.flatnonzero(match.action_mask()).tolist()
        assert state.legal_actions(player) == state.legal_actions()
        assert state.legal_actions_mask(player) == match.action_mask().tolist()
        assert state.legal_actions((player + 1) % match.players) == (
            state.legal_actions() if match.players == 1 else []
        )
        assert np.array_equal(state.observation_tensor(player), match.observe(player))
        action = rng.choice(state.legal_actions())
        text = state.action_to_string(player, action)
        state.apply_action(action)
        match.push(text)
    assert match.to_move is None
    assert state.match().position() == match.position()
    won = [seat in match.winners for seat in range(match.players)]
    if match.players > 1 and sum(won) == 1:
        assert [value == 1 for value in state.returns()] == won


@ALL
def test_bounds(game: str, options: Setup) -> None:
    """No random match is longer or better paid than the game says."""
    for rewards in ("difference", "rank", "win") if options["players"] > 1 else ("difference",):
        spiel = load(game, **options, rewards=rewards)
        longest = spiel.max_game_length() + spiel.max_chance_nodes_in_history()
        for seed in range(3):
            state = play_on(dealt(spiel, seed), seed)
            assert len(state.history()) <= longest
            for value in state.returns():
                assert spiel.min_utility() <= value <= spiel.max_utility()


@ALL
def test_many_matches_stay_within_the_bounds(game: str, options: Setup) -> None:
    played = storeys.arena.playouts(game, 300, **options)
    kind = get_game(game)
    low, high = kind.range_of_totals(played.setup_of(0))
    assert played.lengths.max() <= kind.most_moves(played.setup_of(0))
    assert low <= played.scores.min() <= played.scores.max() <= high


def test_chance_comes_first() -> None:
    spiel = load("neoville", players=2)
    state = spiel.new_initial_state()
    for nth in range(4):
        assert state.is_chance_node()
        assert state.chance_outcomes() == [(n, 1 / 256) for n in range(256)]
        assert state.action_to_string(state.current_player(), 9) == "seed 9"
        assert state.observation_string(0) == state.information_state_string(0) == "not dealt yet"
        assert not any(state.observation_tensor(0))
        state.apply_action(nth)
    assert not state.is_chance_node()
    assert state.match().seed == 0x03020100
    assert spiel.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC


# --- what a player may know


@ALL
def test_nothing_hidden_is_told(game: str, options: Setup) -> None:
    """Dealt afresh for a player, everything that the player is told stays the same."""
    spiel = load(game, **options)
    state = dealt(spiel, 9)
    rng, draws = random.Random(1), np.random.default_rng(1)
    while not state.is_terminal():
        if rng.random() < 0.15:
            for player in range(spiel.num_players()):
                other = state.resample_from_infostate(player, draws.random)
                assert told_to(player, state) == told_to(player, other)
                assert str(other) != str(state)
        state.apply_action(rng.choice(state.legal_actions()))


def told_to(player: int, state: Any) -> list[Any]:
    return [
        state.observation_string(player),
        state.information_state_string(player),
        state.observation_tensor(player),
        state.information_state_tensor(player),
        state.legal_actions(player),
        state.current_player(),
    ]


@GAMES
def test_a_world_dealt_afresh_keeps_nothing_hidden_of_the_past(game: str) -> None:
    state = play_on(dealt(load(game, players=3), 9), 1, 40)
    world = state.resample_from_infostate(0, random.Random(1).random)
    other = state.resample_from_infostate(0, random.Random(1).random)
    assert str(world) == str(other)  # the same draws, the same world
    assert world.history()[:4] == [0] * 4
    assert world.history()[4:] == state.history()[4:]
    for player in (1, 2):
        theirs = world.information_state_string(player).splitlines()
        assert theirs[0] == state.trajectory.story(-1)[0].replace("seat null", f"seat {player}")
        assert theirs != state.information_state_string(player).splitlines()


@GAMES
def test_a_world_dealt_afresh_plays_on_and_is_copied(game: str) -> None:
    state = play_on(dealt(load(game, players=2), 9), 1, 20)
    world = state.resample_from_infostate(state.current_player(), random.Random(1).random)
    twins = [world.clone(), pickle.loads(pickle.dumps(world)), copy.deepcopy(world)]
    end = play_on(world, 3)
    for twin in twins:
        assert str(play_on(twin, 3)) == str(end)
        assert twin.returns() == end.returns()


@GAMES
def test_futures_of_worlds_differ(game: str) -> None:
    state = play_on(dealt(load(game, players=2), 9), 1, 20)
    rng = random.Random(1)
    ends = {
        str(play_on(state.resample_from_infostate(state.current_player(), rng.random), 3))
        for _ in range(5)
    }
    assert len(ends) == 5


@GAMES
def test_the_information_state_has_perfect_recall(game: str) -> None:
    """It grows line by line, and two different pasts never give the same one."""
    spiel = load(game, players=2)
    strings: dict[str, Any] = {}
    tensors: dict[bytes, Any] = {}
    for seed in range(4):
        state, rng = dealt(spiel, seed), random.Random(seed)
        seen: list[str] = []
        while not state.is_terminal():
            lines = state.information_state_string(0).splitlines()
            assert lines[: len(seen)] == seen
            assert len(lines) == len(state.history()) - 3
            seen = lines
            tensor = bytes(np.array(state.information_state_tensor(0), np.float32))
            key = (seed, len(lines))
            assert strings.setdefault("\n".join(lines), key) == key
            assert tensors.setdefault(tensor, key) == key
            state.apply_action(rng.choice(state.legal_actions()))


def test_an_information_state_reads_like_a_log() -> None:
    state = dealt(load("manhattan", players=2), 1)
    while len(state.history()) < 10:
        state.apply_action(state.legal_actions()[0])
    mover = state.match().to_move
    first, *moves = state.information_state_string(0).splitlines()
    assert first.startswith('players 2; phase "pick"; round 1; to_move')
    assert all(re.match(r"[01] (pick|build) (red|blue|green|yellow) ", line) for line in moves)
    builds = [line for line in moves if "build" in line]
    assert all("; discard " in line for line in builds)
    assert {line[0] for line in builds if "; hands " in line} <= {"0"}
    assert mover in (0, 1)


@GAMES
def test_observers(game: str) -> None:
    spiel = load(game, players=3)
    kind = get_game(game)
    state = play_on(dealt(spiel, 3), 1, 25)
    usual = make_observation(spiel)
    usual.set_from(state, 1)
    assert list(usual.dict) == [plane.name for plane in kind.planes]
    assert [piece.shape for piece in usual.dict.values()] == [plane.shape for plane in kind.planes]
    assert np.array_equal(usual.tensor, state.match().observe(1))
    public = make_observation(spiel, iig(public_info=True, private=pyspiel.PrivateInfoType.NONE))
    public.set_from(state, 1)
    assert np.array_equal(public.tensor, state.match().observe(None))
    private = make_observation(spiel, iig(public_info=False))
    assert private.tensor is None
    assert (
        private.string_from(state, 1) == f"hands {state.trajectory.state['hands'][0, 1].tolist()}"
    )
    with pytest.raises(storeys.BadOption, match="an observer tells what is public"):
        make_observation(spiel, iig(private=pyspiel.PrivateInfoType.ALL_PLAYERS))


def iig(public_info: bool = True, private: Any = None) -> Any:
    single = pyspiel.PrivateInfoType.SINGLE_PLAYER
    return pyspiel.IIGObservationType(
        public_info=public_info, perfect_recall=False, private_info=private or single
    )


def test_the_past_in_the_tensor() -> None:
    spiel = load("manhattan", players=2)
    state = play_on(dealt(spiel, 3), 1, 12)
    observation = make_observation(spiel, pyspiel.IIGObservationType(perfect_recall=True))
    observation.set_from(state, 1)
    past = observation.dict
    movers = [0 if mover == 1 else 1 for mover in state.trajectory.movers]
    assert past["past_mover"].argmax(axis=1)[1:13].tolist() == movers
    codes = (past["past_move"] @ (2.0 ** np.arange(32))).astype(int).tolist()
    assert codes[:13] == [0, *state.trajectory.codes]
    assert not past["past_move"][13:].any()
    hand = (past["past_hands"][12] * 128 - 1).tolist()
    assert hand == state.trajectory.state["hands"][0, 1].tolist()
    assert not past["past_hands"][13:].any()


# --- copies


@GAMES
def test_copies_are_exact(game: str) -> None:
    state = play_on(dealt(load(game, players=3), 11), 1, 30)
    text = pyspiel.serialize_game_and_state(state.get_game(), state)
    _, loaded = pyspiel.deserialize_game_and_state(text)
    twins = [state.clone(), pickle.loads(pickle.dumps(state)), copy.deepcopy(state), loaded]
    before = str(state)
    for twin in twins:
        assert str(twin) == before
        assert twin.history() == state.history()
        assert told_to(1, twin) == told_to(1, state)
    ends = {str(play_on(twin, 3)) for twin in twins}
    assert str(state) == before
    assert ends == {str(play_on(state, 3))}


@GAMES
def test_games_survive_their_python_side(game: str) -> None:
    """A state keeps its game, though nobody else does; games are told apart by their parameters."""
    state = load(game, players=2).new_initial_state()
    gc.collect()
    assert state.get_game().new_initial_state().num_players() == 2
    spiel = load(game, players=3)
    assert str(pickle.loads(pickle.dumps(spiel))) == str(spiel) != str(load(game, players=2))
    assert str(pyspiel.load_game(str(spiel))) == str(spiel)


# --- parameters, and what goes wrong


def test_parameters() -> None:
    spiel = pyspiel.load_game("storeys_cloud_city(players=2,city=3x4,requests=circuits+balanced)")
    options = spiel.new_initial_state().trajectory.facts.setup.options
    assert options == {"city": "3x4", "requests": ["circuits", "balanced"], "edition": "en"}
    drawn = dealt(pyspiel.load_game("storeys_cloud_city(requests=random2,chance=root)"), 4).match()
    assert drawn.setup.options == storeys.new("cloud-city", seed=4, requests=2).setup.options
    random_kinds = [dealt(load("neoville"), seed).match().setup.options for seed in range(9)]
    assert len({str(kinds) for kinds in random_kinds}) > 1
    assert pyspiel.load_game("storeys_manhattan").num_players() == 4


def test_a_component_set_of_ones_own(tmp_path: Path) -> None:
    own = (get_game("neoville").folder / "components.toml").read_text("utf-8")
    file = tmp_path / "own.toml"
    file.write_text(own, "utf-8")
    spiel = pyspiel.load_game(
        "storeys_neoville", {"components": str(file), "players": 2, "chance": "root"}
    )
    state = play_on(dealt(spiel, 1), 1, 20)
    twin = pickle.loads(pickle.dumps(state))
    assert str(play_on(twin, 3)) == str(play_on(state, 3))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("players=7", "players"),
        ("rewards=money", "there are no rewards “money”; known are difference, win, rank"),
        ("tiebreak=coin", "tiebreak"),
        ("players=2,rounds=4x6", "M-R2"),
    ],
)
def test_bad_parameters_are_explained(parameters: str, sentence: str) -> None:
    with pytest.raises(storeys.BadOption, match=sentence):
        pyspiel.load_game(f"storeys_manhattan({parameters})")


def test_an_illegal_action_is_refused() -> None:
    state = load("manhattan").new_initial_state()
    with pytest.raises(storeys.IllegalMove, match="action 256 is not legal now"):
        state.apply_action(256)
    state = dealt(state.get_game(), 1)
    before = str(state)
    for action in (319, 320, 4000):
        with pytest.raises(storeys.IllegalMove, match=f"action {action} is not legal now"):
            state.apply_action(action)
    assert str(state) == before
    assert state.action_to_string(state.current_player(), 319) == "action 319"


def test_a_seat_that_there_is_not_is_refused() -> None:
    state = dealt(load("manhattan", players=2), 1)
    observation = make_observation(state.get_game())
    for player in (2, -1, 99):
        with pytest.raises(storeys.BadOption, match="seat"):
            state.resample_from_infostate(player, random.random)
        with pytest.raises(storeys.BadOption, match="seat"):
            observation.set_from(state, player)
        with pytest.raises(storeys.BadOption, match="seat"):
            observation.string_from(state, player)


def test_worlds_before_the_deal_and_at_the_end() -> None:
    start = load("manhattan", players=2).new_initial_state()
    assert str(start.resample_from_infostate(0, random.random)) == str(start)
    end = play_on(dealt(start.get_game(), 1), 1)
    world = end.resample_from_infostate(0, random.random)
    assert world.is_terminal()
    assert world.returns() == end.returns()


def test_states_in_threads_do_not_disturb_each_other() -> None:
    spiel = load("neoville", players=2)
    alone = [str(play_on(dealt(spiel, seed), seed)) for seed in range(16)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: str(play_on(dealt(spiel, seed), seed)), range(16)))
    assert together == alone


def test_pickles_of_other_rules_are_refused() -> None:
    trajectory = dealt(load("manhattan"), 1).trajectory
    make, (facts, _, options, log) = trajectory.__reduce__()
    with pytest.raises(storeys.StoreysError, match="another version"):
        make(facts, "manhattan_of_old", options, log)


# --- what the docs say

PAGE = (Path(__file__).parent.parent / "docs" / "envs.md").read_text("utf-8")


@GAMES
def test_the_sizes_on_the_page(game: str) -> None:
    seats = get_game(game).seats
    spiels = {players: load(game, players=players) for players in seats}
    sizes = [
        str(spiels[n].information_state_tensor_size()) if n in seats else "–" for n in (1, 2, 3, 4)
    ]
    row = [game, str(get_game(game).observation_size), *sizes]
    assert f"| {' | '.join(row)} |" in PAGE


@GAMES
def test_the_pieces_on_the_page(game: str) -> None:
    recall = pyspiel.IIGObservationType(perfect_recall=True)
    pieces = make_observation(load(game), recall).dict
    past = {name: piece for name, piece in pieces.items() if name.startswith("past_")}
    for name, piece in past.items():
        row = re.search(rf"^\| `{name}` \| (.*?) \|", PAGE, re.MULTILINE)
        assert row is not None
        assert f"rows × {piece.shape[1]}" in row[1]
        assert len(piece) == load(game).max_game_length() + 1
    listed = set(re.findall(r"^\| `(past_\w+)`", PAGE, re.MULTILINE))
    assert set(past) <= listed <= {*past, "past_discard", "past_row"}


@ALL
def test_no_number_is_above_what_the_spaces_say(game: str, options: Setup) -> None:
    state, highest = dealt(load(game, **options), 2), 0.0
    rng = random.Random(1)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        seen = state.match().observe(0)
        assert seen.min() >= 0
        highest = max(highest, float(seen.max()))
    assert 1 <= highest <= HIGHEST
    assert f"none is above {HIGHEST:g}" in PAGE
