"""The batch: every step is what a match does, whatever the threads, copies and buffers."""

import copy
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
import storeys.envs
from storeys import BadOption, IllegalMove, Match, Move, StoreysError
from storeys.envs import batch as batch_function
from storeys.envs.batch import Batch, batch
from storeys.envs.rewards import REWARDS, write_rewards
from storeys.kernel import chance, entry_points
from storeys.kernel.errors import NotInstalled
from storeys.testing import whole_numbers
from tests.proofs import long_case

SET_UPS: list[tuple[str, dict[str, Any]]] = [
    ("manhattan", {"players": 2, "tiebreak": "towers"}),
    ("manhattan", {"players": 3, "rewards": "rank"}),
    ("manhattan", {"players": 3, "rounds": "4x6", "rewards": "difference"}),
    ("manhattan", {}),
    ("cloud-city", {"players": 1, "requests": 1}),
    ("cloud-city", {"players": 1, "city": "3x4"}),
    ("cloud-city", {"players": 2, "requests": 2, "edition": "de"}),
    ("cloud-city", {"players": 3, "city": "3x4", "requests": ["circuits"], "rewards": "rank"}),
    ("cloud-city", {"rewards": "difference", "edition": "nl"}),
    ("neoville", {"players": 1}),
    ("neoville", {"players": 2, "rewards": "difference"}),
    ("neoville", {"players": 3, "utilities": ["bus", "biosphere"]}),
    ("neoville", {"rewards": "rank"}),
]
NAMES = storeys.game_names()
OF_THE_BATCH = ("rewards", "illegal_reward", "threads")


def ids(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Beside:
    """The matches that the games of a batch should be, each dealt by ``storeys.new``."""

    def __init__(self, game: str, places: int, seed: int, options: dict[str, Any]) -> None:
        self.game = game
        self.options = {k: v for k, v in options.items() if k not in OF_THE_BATCH}
        self.key = chance.key_of_seed(seed)
        self.numbers = [0] * places
        self.matches = [self.deal(place) for place in range(places)]

    def deal(self, place: int) -> Match:
        seed = chance.seed_of_game(self.key, self.numbers[place], place)
        return storeys.new(self.game, seed=seed, **self.options)

    def push(self, place: int, action: int) -> Match:
        """Make a move; the match, which a new one has followed if it is over."""
        match = self.matches[place]
        match.push(move_of(match, action))
        if match.to_move is None:
            self.numbers[place] += 1
            self.matches[place] = self.deal(place)
        return match


def move_of(match: Match, action: int) -> Move:
    actions, codes = np.empty((2, match.game.actions), np.int64)
    count = entry_points.legal_codes(match.state(), match.setup.components.tables, actions, codes)
    code = codes[actions[:count].tolist().index(action)]
    return Move(match.game, match.setup.components, int(code))


def fair_reward(form: str, totals: list[int], winners: list[int], seat: int) -> float:
    """What docs/batch.md says, written once more."""
    others = [total for other, total in enumerate(totals) if other != seat]
    if not others:
        return totals[0]
    if form == "difference":
        return totals[seat] - sum(others) / len(others)
    if form == "win":
        share = (seat in winners) / len(winners)
        return share - (1 - share) / len(others)
    standing = [(nth in winners, total) for nth, total in enumerate(totals)]
    better = sum(place > standing[seat] for place in standing)
    worse = sum(place < standing[seat] for place in standing)
    return (worse - better) / len(others)


def random_actions(masks: Any, rng: random.Random) -> list[int]:
    return [rng.choice(np.flatnonzero(mask).tolist()) for mask in masks]


@pytest.mark.parametrize(("game", "options"), SET_UPS, ids=ids)
def test_every_step_is_what_a_match_does(game: str, options: dict[str, Any]) -> None:
    places, rng = 3, random.Random(4)
    games, beside = batch(game, places, seed=9, **options), Beside(game, places, 9, options)
    observations, infos = games.reset()
    while min(beside.numbers) < 2:
        seats = infos["to_move"].tolist()
        for place, match in enumerate(beside.matches):
            assert seats[place] == match.to_move
            assert infos["game"][place] == beside.numbers[place]
            assert infos["moves"][place] == match.moves_made
            assert np.array_equal(observations[place], match.observe(match.to_move))
            assert np.array_equal(infos["action_mask"][place], match.action_mask())
            assert games.states[place].tobytes() == match.state().tobytes()
        actions = random_actions(infos["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = games.step(actions)
        assert infos["acted"].tolist() == seats
        assert not truncations.any()
        assert not infos["illegal"].any()
        for place, action in enumerate(actions):
            match = beside.push(place, action)
            assert terminations[place] == (match.to_move is None)
            check_results(games, match, rewards[place], infos, place)


def check_results(games: Batch, match: Match, paid: Any, infos: dict[str, Any], at: int) -> None:
    if match.to_move is not None:
        assert not paid.any()
        assert not infos["final_scores"][at].any()
        assert not infos["final_winners"][at].any()
        assert infos["final_moves"][at] == 0
        return
    totals = [seat["total"] for seat in match.score()]
    assert infos["final_scores"][at].tolist() == totals
    assert np.flatnonzero(infos["final_winners"][at]).tolist() == match.winners
    assert infos["final_moves"][at] == match.moves_made
    fair = [fair_reward(games.rewards, totals, match.winners, seat) for seat in range(len(totals))]
    assert paid.tolist() == pytest.approx(fair, abs=1e-5)
    assert games.finished(at).record() == match.record()


def test_options_left_to_chance_are_drawn_for_every_game() -> None:
    games = batch("cloud-city", 40, players=2, seed=3, requests=2)
    games.reset()
    drawn = {str(games.match(place).setup.options["requests"]) for place in range(40)}
    assert len(drawn) > 10
    fixed = batch("cloud-city", 40, players=2, seed=3, requests=["circuits"])
    fixed.reset()
    assert fixed._blanks.all_alike
    assert not games._blanks.all_alike


@pytest.mark.parametrize("game", NAMES)
def test_games_are_dealt_as_those_of_the_arena(game: str) -> None:
    """Place 0 takes the same blocks of the seed as a batch of playouts, for options too."""
    options: dict[str, Any] = {"requests": 2} if game == "cloud-city" else {}
    playouts = storeys.arena.playouts(game, 3, players=3, seed=11, **options)
    games = batch(game, 1, players=3, seed=11, **options)
    for nth in range(3):
        games.reset()
        dealt = playouts.match(nth).at(0)
        assert games.match(0).seed == dealt.seed
        assert games.states[0].tobytes() == dealt.state()[0].tobytes()


@pytest.mark.parametrize("game", NAMES)
def test_every_legal_action_is_drawn_as_often_as_any_other(game: str) -> None:
    games = batch(game, 64, seed=5)
    games.reset()
    for _ in range(7):
        games.step(games.sample())
    draws = 3000
    drawn = np.stack([games.sample() for _ in range(draws)], axis=1)
    for place in range(64):
        actions, times = np.unique(drawn[place], return_counts=True)
        legal = np.flatnonzero(games.action_masks[place])
        assert actions.tolist() == legal.tolist()
        each = draws / len(legal)
        assert np.abs(times - each).max() < 6 * np.sqrt(each)


@pytest.mark.parametrize("game", NAMES)
def test_actions_are_moves_and_back(game: str) -> None:
    games = batch(game, 2, seed=4)
    games.reset()
    for _ in range(40):
        legal = np.flatnonzero(games.action_masks[1]).tolist()
        moves = [games.move_of(1, action) for action in legal]
        assert {str(move) for move in moves} == {str(m) for m in games.match(1).legal_moves}
        assert games.action_of(1, moves[-1]) == legal[-1]
        assert games.action_of(1, str(moves[0])) == legal[0]
        assert games.action_of(1, moves[0].to_json()) == legal[0]
        actions = games.sample()
        move = games.move_of(1, actions[1])
        games.step(actions)
        assert games.match(1).moves[-1] == move
    with pytest.raises(IllegalMove, match="is not legal now"):
        games.move_of(0, np.flatnonzero(games.action_masks[0] == 0)[0])
    wrong_ones: list[Any] = [-1, games.game.actions, 0.5]
    for wrong in wrong_ones:
        with pytest.raises(IllegalMove, match="there is no action"):
            games.move_of(0, wrong)
    with pytest.raises(IllegalMove):
        games.action_of(0, "fly away")


# --- illegal actions


@pytest.mark.parametrize(
    ("options", "penalty"),
    [
        ({}, -1),
        ({"rewards": "rank"}, -1),
        ({"rewards": "difference"}, -100),
        ({"rewards": "difference", "illegal_reward": -7}, -7),
        ({"illegal_reward": 0.5}, 0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("wrong", [-1, 10**9, None])
def test_an_illegal_action_ends_the_game(
    options: dict[str, Any], penalty: float, wrong: int | None
) -> None:
    games, twin = (batch("manhattan", 3, players=3, seed=2, **options) for _ in range(2))
    for each in (games, twin):
        each.reset()
        for _ in range(30):
            each.step(each.sample())
    seat = games.match(1).to_move
    totals = [each["total"] for each in games.match(1).score()]
    actions = games.sample()
    twin.step(twin.sample())
    actions[1] = np.flatnonzero(games.action_masks[1] == 0)[0] if wrong is None else wrong
    _, rewards, terminations, _, infos = games.step(actions)
    assert terminations.tolist() == infos["illegal"].tolist() == [False, True, False]
    assert rewards[1].tolist() == [penalty if other == seat else 0 for other in range(3)]
    assert infos["final_scores"][1].tolist() == totals
    assert not infos["final_winners"].any()
    assert infos["game"].tolist() == [0, 1, 0]
    assert games.finished(1).moves_made == infos["final_moves"][1] == 30
    assert games.finished(1).to_move == seat
    assert games.match(1).moves_made == 0
    for place in (0, 2):  # the neighbours do not notice
        assert games.match(place).record() == twin.match(place).record()


def test_a_changed_mask_allows_nothing() -> None:
    games = batch("neoville", 2, seed=2)
    games.reset()
    illegal = [int(np.flatnonzero(mask == 0)[0]) for mask in games.action_masks]
    games.action_masks[:] = 1
    *_, infos = games.step(illegal)
    assert infos["illegal"].all()


# --- rewards, by hand


@pytest.mark.parametrize(
    ("form", "totals", "won", "paid"),
    [
        ("difference", [40, 30], [1, 0], [10, -10]),
        ("difference", [40, 30, 20, 10], [1, 0, 0, 0], [20, 20 / 3, -20 / 3, -20]),
        ("difference", [12], [1], [12]),
        ("win", [40, 30], [1, 0], [1, -1]),
        ("win", [30, 30], [1, 1], [0, 0]),
        ("win", [40, 30, 20, 10], [1, 0, 0, 0], [1, -1 / 3, -1 / 3, -1 / 3]),
        ("win", [40, 40, 20], [1, 1, 0], [0.25, 0.25, -0.5]),
        ("win", [40, 40, 20], [0, 1, 0], [-0.5, 1, -0.5]),  # a tie that the rules broke
        ("rank", [40, 30], [1, 0], [1, -1]),
        ("rank", [10, 40, 20], [0, 1, 0], [-1, 1, 0]),
        ("rank", [40, 30, 30, 10], [1, 0, 0, 0], [1, 0, 0, -1]),
        ("rank", [40, 40, 20], [1, 1, 0], [0.5, 0.5, -1]),
        ("rank", [40, 40, 20], [1, 0, 0], [1, 0, -1]),
    ],
    ids=str,
)
def test_rewards(form: str, totals: list[int], won: list[int], paid: list[float]) -> None:
    out = np.zeros(len(totals), np.float32)
    scores, winners = np.array(totals, np.int32), np.array(won, bool)
    write_rewards(REWARDS.index(form), scores, winners, out)
    assert out.tolist() == pytest.approx(paid)


# --- seeds and resets


def play_on(games: Batch, steps: int) -> Iterator[tuple[Any, ...]]:
    for _ in range(steps):
        actions = games.sample()
        observations, rewards, terminations, _, infos = games.step(actions)
        arrays = [infos[key] for key in sorted(infos)]
        yield tuple(a.tobytes() for a in (actions, observations, rewards, terminations, *arrays))


@pytest.mark.parametrize("game", NAMES)
def test_the_threads_change_nothing(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Batch.__module__], "FEWEST_STEPS", 1)
    batches = [batch(game, 7, seed=5, threads=threads) for threads in (1, 2, 3, 9)]
    for games in batches:
        games.reset()
    for steps in zip(*(play_on(games, 200) for games in batches), strict=True):
        assert len(set(steps)) == 1
    for games in batches:
        games.close()


def test_a_seed_gives_the_same_games_again() -> None:
    one, two = batch("manhattan", 4, seed=5), batch("manhattan", 4)
    one.reset()
    two.reset()
    assert one.states.tobytes() != two.states.tobytes()
    first = list(play_on(one, 150))
    two.reset(seed=5)
    assert list(play_on(two, 150)) == first
    one.reset(seed="5")
    assert list(play_on(one, 150)) == first
    assert len({one.match(place).seed for place in range(4)}) == 4


def test_a_reset_without_a_seed_goes_on_to_the_next_games() -> None:
    games = batch("manhattan", 3, seed=5)
    games.reset()
    for _ in range(5):
        games.step(games.sample())
    seeds = [games.match(place).seed for place in range(3)]
    _, infos = games.reset()
    assert infos["game"].tolist() == [1, 1, 1]
    assert infos["moves"].tolist() == [0, 0, 0]
    assert infos["acted"].tolist() == [-1, -1, -1]
    assert not set(seeds) & {games.match(place).seed for place in range(3)}
    with pytest.raises(StoreysError, match="no game has ended yet at place 2"):
        games.finished(2)


def test_some_places_are_reset() -> None:
    games = batch("cloud-city", 3, players=2, seed=5, requests=1)
    games.reset()
    for _ in range(5):
        games.step(games.sample())
    before = games.clone()
    observations, infos = games.reset(options={"reset_mask": np.array([False, True, False])})
    assert infos["game"].tolist() == [0, 1, 0]
    assert infos["moves"].tolist() == [5, 0, 5]
    for place in (0, 2):
        assert np.array_equal(observations[place], before.observations[place])
        assert games.match(place).record() == before.match(place).record()
    new = storeys.new(
        "cloud-city", 2, seed=chance.seed_of_game(chance.key_of_seed(5), 1, 1), requests=1
    )
    assert games.match(1).record() == new.record()
    assert np.array_equal(observations[1], new.observe(0))


# --- copies


@pytest.mark.parametrize("make", [Batch.clone, copy.copy, copy.deepcopy, "pickle"])
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("manhattan", {}),
        ("cloud-city", {"players": 2, "requests": 2}),
        ("neoville", {"threads": 2}),
    ],
    ids=ids,
)
def test_copies_are_exact_and_independent(game: str, options: dict[str, Any], make: Any) -> None:
    games = batch(game, 3, seed=8, illegal_reward=-3, rewards="rank", **options)
    games.reset()
    list(play_on(games, 130))
    twin = pickle.loads(pickle.dumps(games)) if make == "pickle" else make(games)
    assert twin.observations.tobytes() == games.observations.tobytes()
    assert twin.action_masks.tobytes() == games.action_masks.tobytes()
    assert twin.observations is not games.observations
    assert (twin.rewards, twin.illegal_reward, twin.seed) == ("rank", -3, 8)
    third = twin.clone()
    play = list(play_on(games, 150))
    assert list(play_on(twin, 150)) == play
    assert list(play_on(third, 150)) == play
    for place in range(3):
        assert twin.match(place).record() == games.match(place).record()
        assert twin.finished(place).record() == games.finished(place).record()


def test_a_batch_can_be_copied_before_its_first_reset() -> None:
    games = pickle.loads(pickle.dumps(batch("manhattan", 2, seed=8)))
    games.reset()
    assert games.match(1).seed == chance.seed_of_game(chance.key_of_seed(8), 0, 1)


def test_a_pickle_of_other_rules_is_refused() -> None:
    games = batch("manhattan", 2)
    make, arguments = games.__reduce__()
    name, _, *rest = arguments
    with pytest.raises(StoreysError, match="pickled by another version"):
        make(name, "manhattan_0", *rest)


def test_a_component_set_is_read_once(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    content = storeys.components("cloud-city")
    content = {**content, "tiles": content["tiles"][::-1]}
    own.write_text(json.dumps(content), "utf-8")
    games = batch("cloud-city", 2, players=2, seed=1, requests=1, components=own)
    own.unlink()
    games.reset()
    twin = pickle.loads(pickle.dumps(games))
    assert list(play_on(games, 60)) == list(play_on(twin, 60))
    record = twin.finished(0).record()
    assert record["options"]["components"]["tiles"] == content["tiles"]
    assert storeys.load(record).score() == games.finished(0).score()


# --- what is seen


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (name, {"players": n}) if n == 4 else long_case(name, {"players": n})
        for name in NAMES
        for n in (2, 3, 4)
    ],
    ids=ids,
)
def test_nothing_hidden_is_seen(game: str, options: dict[str, Any]) -> None:
    """Deal what the seat to move cannot know afresh: it sees and may do the very same."""
    games, rng, changed = batch(game, 4, seed=6, **options), chance.generator(3), 0
    games.reset()
    for _ in range(150):
        for place in range(4):
            world = games.states[place : place + 1].copy()
            seat, tables = int(world[0].to_move), games.match(place).setup.components.tables
            entry_points.redeal(world, tables, seat, rng)
            seen = np.empty(games.game.observation_size, np.float32)
            entry_points.observe(world, tables, seat, seen)
            mask = np.empty(games.game.actions, np.int8)
            entry_points.mask(world, tables, np.empty(games.game.actions, np.int64), mask)
            assert seen.tobytes() == games.observations[place].tobytes()
            assert mask.tobytes() == games.action_masks[place].tobytes()
            changed += "hands" in differing_fields(world, games.states[place : place + 1])
        for _ in range(9):
            games.step(games.sample())
    assert changed > 300


def differing_fields(one: Any, two: Any) -> list[str]:
    return [name for name in one.dtype.names if not np.array_equal(one[name], two[name])]


def test_samples_are_legal_and_all_come_up() -> None:
    games = batch("neoville", 2, seed=1)
    _, infos = games.reset()
    drawn: list[set[int]] = [set(), set()]
    for _ in range(600):
        for place, action in enumerate(games.sample().tolist()):
            drawn[place].add(action)
    assert drawn == [set(np.flatnonzero(mask).tolist()) for mask in infos["action_mask"]]


# --- buffers and names


def test_the_arrays_are_the_same_at_every_step() -> None:
    games = batch("manhattan", 2, seed=1)
    observations, infos = games.reset()
    first = games.step(games.sample())
    second = games.step(games.sample())
    assert first[0] is second[0] is observations is games.observations
    assert all(first[4][key] is second[4][key] is infos[key] for key in infos)
    shapes = [f"{a.dtype} {a.shape}" for a in (observations, infos["action_mask"], first[1])]
    size, actions = games.game.observation_size, games.game.actions
    assert shapes == [f"float32 (2, {size})", f"int8 (2, {actions})", "float32 (2, 4)"]
    with pytest.raises(ValueError, match="read-only"):
        games.states["to_move"][0] = 3


def test_observations_go_where_one_wants_them() -> None:
    steps, games, twin = 12, batch("manhattan", 3, seed=1), batch("manhattan", 3, seed=1)
    observations = np.full((steps + 1, 3, games.game.observation_size), -1, np.float32)
    masks = np.full((steps + 1, 3, games.game.actions), -1, np.int8)
    seen, infos = games.reset(out=(observations[0], masks[0]))
    twin.reset()
    for step in range(steps):
        assert np.array_equal(observations[step], twin.observations)
        assert np.array_equal(masks[step], twin.action_masks)
        assert np.shares_memory(infos["action_mask"], masks[step])
        assert np.shares_memory(seen, observations[step])
        out = observations[step + 1], masks[step + 1]
        seen, _, _, _, infos = games.step(games.sample(), out=out)
        twin.step(twin.sample())
    own = np.zeros_like(observations[0, :1]), np.zeros_like(masks[0, :1])
    given = batch("manhattan", 1, seed=1, out=own)
    given.reset()
    assert given.observations is own[0]
    assert own[0].any()


@pytest.mark.parametrize(
    ("game", "players"),
    [
        (name, n) if name == "manhattan" else long_case(name, n)  # compiled for bytes, 20 s each
        for name in NAMES
        for n in storeys.new(name).game.seats
    ],
)
def test_bytes_are_what_floats_are_over_their_scales(game: str, players: int) -> None:
    """Through ends, resets and new games at some places; each row as a match sees it."""
    floats, whole = (
        batch(game, 3, players=players, seed=7, dtype=dtype) for dtype in ("float32", "uint8")
    )
    planes, chosen = floats.game.planes, np.array([False, True, False])
    for games in (floats, whole):
        games.reset()
    for step in range(260):
        if step in (4, 50):
            for games in (floats, whole):
                games.reset(options={"reset_mask": chosen}) if step == 4 else games.reset()
        assert whole.observations.dtype == np.uint8
        assert np.array_equal(
            whole.observations, [whole_numbers(planes, row) for row in floats.observations]
        )
        if step % 13 == 0:
            match = floats.match(step % 3)
            assert np.array_equal(floats.observations[step % 3], match.observe(match.to_move))
        floats.step(floats.sample())
        whole.step(whole.sample())
    twin = pickle.loads(pickle.dumps(whole))
    assert twin.observations.dtype == np.uint8
    assert np.array_equal(twin.observations, whole.observations)


def test_bytes_go_where_one_wants_them() -> None:
    games = batch("manhattan", 2, seed=1, dtype=np.uint8)
    out = np.zeros_like(games.observations), np.zeros_like(games.action_masks)
    games.reset(out=out)
    assert games.observations is out[0]
    assert out[0].any()
    with pytest.raises(BadOption, match="2 × 538 of uint8"):
        games.reset(out=(out[0].astype(np.float32), out[1]))


def test_what_was_written_into_the_arrays_is_gone_after_a_step() -> None:
    """They are written anew, not brought up to date: whoever reads them may scale them in place."""
    games, plain = batch("neoville", 2, seed=1), batch("neoville", 2, seed=1)
    for each in (games, plain):
        each.reset()
    for _ in range(30):
        games.observations[:] = -7
        games.action_masks[:] = 5
        games.step(games.sample())
        plain.step(plain.sample())
        assert np.array_equal(games.observations, plain.observations)
        assert np.array_equal(games.action_masks, plain.action_masks)


def test_a_long_game_finds_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Batch.__module__], "ROOM_FOR_MOVES", 4)
    games, plain = batch("manhattan", 2, seed=1), batch("manhattan", 2, seed=1)
    monkeypatch.undo()
    games.reset()
    plain.reset()
    assert list(play_on(games, 130)) == list(play_on(plain, 130))
    assert games.finished(0).moves_made > 100
    assert games.match(0).state().tobytes() == games.states[:1].tobytes()


def test_the_names_of_gymnasium() -> None:
    vector = pytest.importorskip("gymnasium.vector")
    games = batch("cloud-city", 3, seed=1, players=2)
    observations, _ = games.reset()
    assert games.num_envs == 3
    assert games.metadata["autoreset_mode"] is vector.AutoresetMode.SAME_STEP
    assert games.observation_space.contains(observations)
    bytes_of = batch("manhattan", 3, seed=1, players=2, dtype="uint8")
    assert bytes_of.observation_space.contains(bytes_of.reset()[0])
    assert games.single_observation_space.contains(observations[0])
    assert games.action_space.contains(games.sample())
    assert games.single_action_space.n == games.game.actions
    assert repr(games) == "<batch of 3 games of cloud-city, 2 players>"


def test_without_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.split(".")[0] == "gymnasium"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "storeys.envs.spaces", raising=False)
    monkeypatch.delattr(storeys.envs, "spaces", raising=False)
    games = batch("manhattan", 3, seed=1)
    assert games.metadata == {"autoreset_mode": "SameStep"}
    with pytest.raises(NotInstalled, match="gymnasium"):
        games.action_space  # noqa: B018 — asking for it is the test


def test_the_front_door() -> None:
    assert storeys.envs.batch is batch is batch_function
    assert isinstance(storeys.envs.batch("manhattan", 1), Batch)


# --- bad input


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"n": 0}, "the number of games must be a whole number of at least 1, not 0"),
        ({"n": 2.5}, "the number of games must be a whole number of at least 1, not 2.5"),
        ({"threads": None}, "the number of threads must be a whole number of at least 1, not None"),
        ({"game": "go"}, "there is no game “go”"),
        ({"players": 7}, "manhattan cannot be played by 7"),
        ({"colour": 3}, "there is no option “colour”"),
        ({"tiebreak": "coin"}, "tiebreak"),
        ({"seed": -1}, "the seed -1 is not a whole number"),
        ({"rewards": "gold"}, "there are no rewards “gold”; known are difference, win, rank"),
        ({"rewards": ""}, "there are no rewards “”"),
        ({"game": "neoville", "players": 1, "rewards": "win"}, "rewards “win” need company"),
        ({"dtype": "float16"}, "observations have the dtype float32, uint8, not “float16”"),
        ({"dtype": 3}, "observations have the dtype float32, uint8, not 3"),
        ({"out": 3}, "out must be two arrays to write to, in C order: observations, 2 × "),
    ],
    ids=str,
)
def test_bad_calls(call: dict[str, Any], sentence: str) -> None:
    defaults: dict[str, Any] = {"game": "manhattan", "n": 2}
    with pytest.raises(StoreysError) as caught:
        batch(**defaults | call)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("actions", "found"),
    [
        ([1], "1 int64"),
        ([[1, 2]], "1 × 2 int64"),
        (np.zeros(2), "2 float64"),
        (np.zeros(2, bool), "2 bool"),
        (None, "1 object"),
        ([[1], [2, 3]], "0 float64"),
        (["1", "2"], "2 <U1"),
    ],
    ids=str,
)
def test_bad_actions(actions: Any, found: str) -> None:
    games = batch("manhattan", 2, seed=1)
    games.reset()
    before = games.states.tobytes()
    with pytest.raises(BadOption) as caught:
        games.step(actions)
    assert str(caught.value) == (f"actions must be 2 whole numbers, one for each game, not {found}")
    assert games.states.tobytes() == before


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.int64, list])
def test_whole_numbers_of_all_kinds(kind: Any) -> None:
    games, twin = batch("manhattan", 2, seed=1), batch("manhattan", 2, seed=1)
    games.reset()
    twin.reset()
    actions = [int(np.flatnonzero(mask)[0]) for mask in games.action_masks]
    games.step(actions if kind is list else np.array(actions, kind))
    twin.step(np.array(actions))
    assert games.states.tobytes() == twin.states.tobytes()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"options": {"colour": 3}}, "reset has no option “colour”; known is reset_mask"),
        ({"options": {"reset_mask": [1, 0]}}, "reset_mask must be 2 truth values"),
        ({"options": {"reset_mask": [True]}}, "reset_mask must be 2 truth values"),
        ({"seed": 1, "options": {"reset_mask": [True, False]}}, "a seed is for all games"),
        ({"seed": "x"}, "the seed “x” is not a whole number"),
        ({"out": (np.zeros((2, 9)), np.zeros((2, 320), np.int8))}, "out must be two arrays"),
    ],
    ids=str,
)
def test_bad_resets(call: dict[str, Any], sentence: str) -> None:
    games = batch("manhattan", 2, seed=1)
    games.reset()
    before = games.states.tobytes()
    with pytest.raises(BadOption) as caught:
        games.reset(**call)
    assert str(caught.value).startswith(sentence)
    assert games.states.tobytes() == before


def test_out_of_order() -> None:
    games = batch("manhattan", 2, seed=1)
    for early in (games.sample, lambda: games.step([0, 0]), lambda: games.match(0)):
        with pytest.raises(StoreysError, match=r"no games yet; call reset\(\) first"):
            early()
    with pytest.raises(StoreysError, match="no games yet"):
        games.reset(options={"reset_mask": np.array([True, False])})
    games.reset()
    with pytest.raises(StoreysError, match="the batch has games 0 to 1, not 2"):
        games.match(2)
    with pytest.raises(StoreysError, match="the batch has games 0 to 1, not -1"):
        games.finished(-1)
    games.close()
    games.close()
    for late in (games.sample, lambda: games.step([0, 0]), games.reset):
        with pytest.raises(StoreysError, match="the batch is closed; make a new one"):
            late()


SCRIPT = """
import hashlib
from storeys.envs.batch import batch
digest = hashlib.sha256()
for game, options in (("manhattan", {"players": 2}), ("cloud-city", {"players": 1, "requests": 1})):
    games = batch(game, 2, seed=3, **options)
    games.reset()
    for _ in range(130 if game == "manhattan" else 25):
        for array in games.step(games.sample())[:3]:
            digest.update(array.tobytes())
print(digest.hexdigest())
"""


def test_it_runs_uncompiled_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for uncompiled in ("0", "1"):
        monkeypatch.setenv("STOREYS_UNCOMPILED", uncompiled)
        child = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
        )
        found.add(child.stdout)
    assert len(found) == 1
