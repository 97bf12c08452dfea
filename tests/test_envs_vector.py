"""The vector environment: each place is a single environment; Gymnasium's wrappers go over it."""

import copy
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import storeys
import storeys.envs
from storeys import BadOption, IllegalMove, StoreysError
from storeys.bots import Bot
from storeys.registry import get_game

gymnasium = pytest.importorskip(
    "gymnasium", reason="Gymnasium is not installed: pip install 'storeys[envs]'"
)

from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.wrappers import vector as wrappers  # noqa: E402

from tests.proofs import long_case  # noqa: E402
from tests.test_envs_gymnasium import GAMES, IDS  # noqa: E402

NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
MODES = pytest.mark.parametrize("mode", [NEXT, SAME], ids=lambda mode: mode.value)


def make(game: str, n: int = 3, **options: Any) -> Any:
    return gymnasium.make_vec(IDS[game], n, **options)


def last_legal(observations: Any, masks: Any) -> Any:
    """A policy: the legal action with the highest number."""
    assert observations.dtype == np.float32
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def middle_legal(_: Any, masks: Any) -> list[int]:
    """Another one, which answers a list."""
    allowed = [np.flatnonzero(mask) for mask in masks]
    return [int(actions[len(actions) // 2]) for actions in allowed]


def steps_of(envs: Any, seed: int, steps: int) -> list[Any]:
    """Reset and play on at random; all that is told."""
    rng, told = random.Random(seed), envs.reset(seed=seed)
    found: list[Any] = [told]
    for _ in range(steps):
        actions = [rng.choice(np.flatnonzero(mask).tolist()) for mask in told[0]["action_mask"]]
        told = envs.step(np.array(actions))
        found.append(told)
    return found


# --- the same as single environments


def as_theirs(infos: Any) -> Any:
    """Our infos as Gymnasium gathers them: points and winners as the single environment's lists."""
    found = dict(infos)
    if "final_info" in found:
        found["final_info"] = as_theirs(found["final_info"])
    if "scores" in found:
        ended = found["_scores"].tolist()
        rows = list(zip(found["scores"], found["winners"], ended, strict=True))
        found["scores"] = [scores.tolist() if end else None for scores, _, end in rows]
        found["winners"] = [np.flatnonzero(won).tolist() if end else None for _, won, end in rows]
    return found


def assert_same(ours: Any, theirs: Any) -> None:
    """Whether two things that were told are equal, arrays with their kinds."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for name, value in theirs.items():
            assert_same(ours[name], value)
    elif isinstance(theirs, np.ndarray) and theirs.dtype != object:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    elif isinstance(theirs, np.ndarray | list):
        assert len(ours) == len(theirs)
        for here, there in zip(ours, theirs, strict=True):
            assert_same(here, there)
    else:
        assert ours == theirs


def without_the_sampled_mask(told: Any, done: Any) -> Any:
    """Where a match is over, Gymnasium shows the empty mask of the single environment."""
    masks = told["action_mask"].copy()
    assert (masks[done].sum(axis=1) == 1).all()
    masks[done] = 0
    return {**told, "action_mask": masks}


SET_UPS: list[tuple[str, dict[str, Any], int]] = [
    ("manhattan", {"players": 2, "opponents": "random"}, 130),
    ("manhattan", {"players": 4, "seat": "random", "rewards": "rank", "opponents": "random"}, 70),
    ("manhattan", {"players": 3, "seat": 1, "opponents": [last_legal, "novice"]}, 70),
    ("manhattan", {"players": 2, "opponents": {"random": 1, middle_legal: 1}}, 130),
    ("cloud-city", {"players": 3, "seat": "random", "requests": 2, "opponents": "random"}, 60),
    ("cloud-city", {"players": 2, "opponents": {"novice": 1, last_legal: 2, "random": 1}}, 60),
    ("cloud-city", {"players": 1}, 50),
    ("neoville", {"players": 2, "opponents": "random", "rewards": "difference"}, 70),
    ("neoville", {"players": 3, "opponents": [middle_legal, last_legal]}, 70),
]


@MODES
@pytest.mark.parametrize(
    ("game", "options", "count"), SET_UPS, ids=[f"{s[0]}-{i}" for i, s in enumerate(SET_UPS)]
)
def test_every_place_is_a_single_environment(
    game: str, options: dict[str, Any], count: int, mode: AutoresetMode
) -> None:
    """All that is told is what Gymnasium's loop over single environments tells."""
    ours = make(game, autoreset_mode=mode, **options)
    theirs = make(
        game, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    assert type(ours) is not type(theirs)
    assert ours.metadata == theirs.metadata
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    (told, infos), (there, infos_there) = ours.reset(seed=5), theirs.reset(seed=5)
    rng, ended = random.Random(1), 0
    assert_same([told, infos], [there, infos_there])
    for _ in range(count):
        actions = np.array([rng.choice(np.flatnonzero(m).tolist()) for m in told["action_mask"]])
        told, *numbers, infos = ours.step(actions)
        there, *numbers_there, infos_there = theirs.step(actions)
        assert told in ours.observation_space
        assert np.array_equal(infos["action_mask"], told["action_mask"])
        shown = told
        if mode is NEXT:
            shown = without_the_sampled_mask(told, numbers[1])
            infos = infos | {"action_mask": shown["action_mask"]}
        assert_same([shown, *numbers], [there, *numbers_there])
        assert_same(as_theirs(infos), infos_there)
        ended += numbers[1].sum()
    assert ended >= 3


@GAMES
def test_the_match_of_a_place_is_the_single_environments(game: str) -> None:
    """The same record, with opponents of every kind."""
    options: dict[str, Any] = {"players": 4, "opponents": ["random", last_legal, "novice"]}
    envs, env = make(game, 2, **options), gymnasium.make(IDS[game], **options)
    envs.reset(seed=[8, 9])
    told, _ = env.reset(seed=9)
    for _ in range(6):
        action = int(told["action_mask"].argmax())
        told, *_ = env.step(action)
        envs.step(np.array([int(envs.unwrapped.action_masks()[0].argmax()), action]))
    assert envs.unwrapped.match(1).record() == env.unwrapped.record()
    assert envs.unwrapped.match(0).seed == 8


@pytest.mark.parametrize("game", [long_case("cloud-city"), "manhattan", long_case("neoville")])
def test_bytes_are_the_floats_before_they_are_scaled(game: str) -> None:
    found = [
        steps_of(make(game, 4, opponents=["random", middle_legal], players=3, dtype=dtype), 3, 60)
        for dtype in ("float32", "uint8")
    ]
    planes = get_game(game).planes
    scales = np.concatenate([np.full(each.size, each.scale, np.float32) for each in planes])
    for floats, whole in zip(*found, strict=True):
        assert whole[0]["observation"].dtype == np.uint8
        assert np.array_equal(whole[0]["observation"] / scales, floats[0]["observation"])
        assert np.array_equal(whole[0]["action_mask"], floats[0]["action_mask"])


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storeys.envs.vector_places.FEWEST_PLACES", 2)
    options: dict[str, Any] = {"opponents": [last_legal, "random"], "players": 3}
    alone, shared = make("manhattan", 9, **options), make("manhattan", 9, threads=3, **options)
    assert data_equivalence(steps_of(alone, 5, 120), steps_of(shared, 5, 120))
    twin = shared.unwrapped.clone()
    shared.close()
    assert not twin.closed
    twin.close()


def test_bots_that_are_given_play_at_all_places() -> None:
    class Spy(Bot):
        shown: list[Any] = []  # noqa: RUF012 — all copies note what they are shown here

        def plan(self, view: Any) -> Any:
            self.shown.append(view)
            return super().plan(view)

        def choose_in(self, world: storeys.Match) -> storeys.Move:
            return world.random_move(self.chance_in(world))

    envs = make("manhattan", 2, players=3, seat=2, opponents=[Spy(seed=1), "random"])
    steps_of(envs, 1, 4)
    assert len(Spy.shown) >= 8
    for view in Spy.shown:
        assert view["seat"] == view["to_move"] == 0
        assert view["seed"] is None


def test_a_policy_is_asked_once_for_all_places_that_wait() -> None:
    sizes = []

    def policy(observations: Any, masks: Any) -> Any:
        sizes.append(len(observations))
        masks[:] = 1  # changes nothing
        return last_legal(observations, masks * 0 + given[-1])

    given: list[Any] = []

    def noted(observations: Any, masks: Any) -> Any:
        given.append(masks.copy())
        return policy(observations, masks)

    envs = make("cloud-city", 5, players=2, opponents=noted)
    steps_of(envs, 1, 6)
    assert max(sizes) == 5
    assert len(sizes) < 30


# --- what becomes of a match that ends


def play_to_the_end(envs: Any) -> tuple[Any, ...]:
    """Play at random until some match has ended and others have not: the first begins later."""
    told, _ = envs.reset(seed=3)
    envs.action_space.seed(3)
    for _ in range(5):
        told, *_ = envs.step(envs.action_space.sample(told["action_mask"]))
    told, _ = envs.reset(options={"reset_mask": np.arange(envs.num_envs) == 0})
    while True:
        step: tuple[Any, ...] = envs.step(envs.action_space.sample(told["action_mask"]))
        told = step[0]
        if step[2].any():
            assert not step[2].all()
            return step


def test_a_finished_match_has_a_mask_that_can_be_sampled() -> None:
    """One action is allowed, so that a policy learns nothing of it; any is taken."""
    envs = make("manhattan", 4, players=2, opponents="random")
    told, _, ended, _, infos = play_to_the_end(envs)
    assert not infos["illegal"].any()
    assert (told["action_mask"][ended].sum(axis=1) == 1).all()
    assert (told["action_mask"][ended][:, 0] == 1).all()
    assert np.array_equal(envs.unwrapped.action_masks(), told["action_mask"].astype(bool))
    before = [envs.unwrapped.match(place) for place in range(4)]
    assert all(before[place].to_move is None for place in np.flatnonzero(ended))
    actions = envs.action_space.sample(told["action_mask"])
    assert (actions[ended] == 0).all()
    twin = envs.unwrapped.clone()
    other = np.where(ended, 319, actions)  # ignored where a match has ended
    here, there = envs.step(actions), twin.step(other)
    assert np.array_equal(here[0]["observation"], there[0]["observation"])
    assert (here[1][ended] == 0).all()
    assert not here[2][ended].any()
    for place in np.flatnonzero(ended):
        assert envs.unwrapped.match(place).moves_made <= 2
        assert envs.unwrapped.match(place).seed != before[place].seed


def test_in_the_same_step_the_last_of_a_match_is_told_besides() -> None:
    envs = make("cloud-city", 4, players=2, opponents="random", autoreset_mode=SAME)
    told, rewards, ended, _, infos = play_to_the_end(envs)
    assert np.array_equal(infos["_final_obs"], ended)
    assert np.array_equal(infos["_final_info"], ended)
    final = infos["final_info"]
    assert np.array_equal(final["_scores"], ended)
    for place in range(4):
        last = infos["final_obs"][place]
        if not ended[place]:
            assert last is None
            continue
        assert not last["action_mask"].any()
        assert last in envs.single_observation_space
        assert not np.array_equal(last["observation"], told["observation"][place])
        assert told["action_mask"][place].any()
        assert final["scores"][place].max() > 0
        won = final["winners"][place]
        assert rewards[place] == (1 if won[0] and not won[1] else 0 if won.all() else -1)
    *_, ended, _, infos = envs.step(envs.action_space.sample(told["action_mask"]))
    assert not ended.all()
    assert ("final_obs" in infos) == ended.any()


def test_disabled_one_resets_by_a_mask() -> None:
    envs = make("manhattan", 4, players=2, opponents="random", autoreset_mode="Disabled")
    assert envs.metadata["autoreset_mode"] is DISABLED
    told, _, ended, _, infos = play_to_the_end(envs)
    assert not told["action_mask"][ended].any()
    running = [envs.unwrapped.match(p).record() for p in np.flatnonzero(~ended)]
    with pytest.raises(StoreysError, match=r"the match is over; call reset\(\)"):
        envs.step(np.zeros(4, int))
    told, infos = envs.reset(options={"reset_mask": ended})
    assert np.array_equal(infos["_seat"], ended)
    assert told["action_mask"].any(axis=1).all()
    assert [envs.unwrapped.match(p).record() for p in np.flatnonzero(~ended)] == running
    for place in np.flatnonzero(ended):
        assert envs.unwrapped.match(place).moves_made <= 2
    envs.step(envs.action_space.sample(told["action_mask"]))


@MODES
def test_an_illegal_action_ends_the_match(mode: AutoresetMode) -> None:
    envs = make("manhattan", 3, opponents="random", rewards="difference", autoreset_mode=mode)
    told, _ = envs.reset(seed=1)
    actions = envs.action_space.sample(told["action_mask"])
    told["action_mask"][:] = 1  # changes nothing
    actions[1] = 319
    told, rewards, ended, _, infos = envs.step(actions)
    assert rewards.tolist() == [0, -100, 0]
    assert ended.tolist() == [False, True, False]
    assert "scores" not in infos
    if mode is SAME:
        assert not infos["illegal"].any()
        infos = infos["final_info"]
        assert "scores" not in infos
    assert infos["illegal"].tolist() == [False, True, False]
    assert told["action_mask"][1].sum() == (1 if mode is NEXT else 70)
    actions = envs.action_space.sample(told["action_mask"])
    actions[0] = -1
    assert envs.step(actions)[2].tolist() == [True, False, False]


# --- Gymnasium's wrappers


@MODES
def test_their_statistics(mode: AutoresetMode) -> None:
    """Returns and lengths of every episode, counted here once more."""
    bare = make("cloud-city", 3, players=2, opponents="random", autoreset_mode=mode, seat="random")
    envs = wrappers.RecordEpisodeStatistics(bare, buffer_length=1000)
    told, _ = envs.reset(seed=2)
    envs.action_space.seed(2)
    lengths, returns, length, done = [], [], np.zeros(3, int), np.zeros(3, bool)
    for _ in range(80):
        told, rewards, ends, _, infos = envs.step(envs.action_space.sample(told["action_mask"]))
        length = np.where(done, 0, length + 1) if mode is NEXT else length + 1
        assert ("episode" in infos) == ends.any()
        for place in np.flatnonzero(ends):
            assert infos["episode"]["l"][place] == length[place]
            assert infos["episode"]["r"][place] == rewards[place]
            lengths.append(length[place])
            returns.append(rewards[place])
        done = ends
        if mode is SAME:
            length[ends] = 0
    assert len(lengths) >= 6
    assert list(envs.length_queue) == lengths
    assert list(envs.return_queue) == returns


def test_their_other_wrappers() -> None:
    bare = make("manhattan", 3, players=2, opponents="random", rewards="difference")
    assert isinstance(bare, VectorEnv)
    flat = wrappers.FlattenObservation(bare)
    told, _ = flat.reset(seed=1)
    assert told.shape == (3, 320 + 538)
    assert flat.observation_space.contains(told)
    alone = wrappers.FilterObservation(bare, ["observation"])
    assert list(alone.reset(seed=1)[0]) == ["observation"]
    clipped = wrappers.ClipReward(wrappers.NormalizeReward(bare), -1, 1)
    steps = steps_of(clipped, 1, 130)
    paid = np.array([step[1] for step in steps[1:]])
    assert paid.min() >= -1
    assert paid.any()


def test_infos_as_a_list() -> None:
    envs = wrappers.DictInfoToList(
        make("cloud-city", 3, players=2, opponents="random", autoreset_mode=SAME)
    )
    told, _, ended, _, infos = play_to_the_end(envs)
    for place, info in enumerate(infos):
        assert {"seat", "illegal", "action_mask"} <= set(info)
        assert np.array_equal(info["action_mask"], told["action_mask"][place])
        assert ("final_obs" in info) == ("final_info" in info) == ended[place]
        if ended[place]:
            assert set(info["final_info"]) == {
                "seat", "illegal", "action_mask", "scores", "winners",
            }  # fmt: skip


def test_their_loops_take_our_environments_too() -> None:
    for mode in ("sync", "vector_entry_point"):
        envs = make("manhattan", 2, vectorization_mode=mode, opponents="random")
        assert len(steps_of(envs, 1, 3)) == 4
    assert gymnasium.make_vec("storeys.envs:storeys/Neoville-v0", 2, players=1).num_envs == 2


def test_the_spec_makes_it_again() -> None:
    envs = make("manhattan", 2, players=3, opponents="random", autoreset_mode=SAME)
    again = gymnasium.make_vec(envs.spec)
    assert (again.num_envs, again.players, again.metadata) == (2, 3, envs.metadata)
    assert data_equivalence(steps_of(envs, 4, 5), steps_of(again, 4, 5))


@pytest.mark.parametrize("mode", ["svg", "ansi", "rgb_array"])
def test_rendering_shows_what_the_agents_see(mode: str) -> None:
    envs = make("manhattan", 2, render_mode=mode, opponents="random", seat=1)
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2
    env = gymnasium.make(IDS["manhattan"], render_mode=mode, opponents="random", seat=1)
    env.reset(seed=2)
    assert np.array_equal(pictures[1], env.render())


def test_people_see_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    envs = make("manhattan", 2, render_mode="human", opponents="random")
    steps_of(envs, 1, 1)
    assert len(capsys.readouterr().out) > 400
    assert make("manhattan", 2, opponents="random").render() is None


# --- arrays


def test_what_is_told_is_ones_own() -> None:
    """Unless one asks for the same arrays at every step."""
    kept, shared = (
        make("manhattan", 3, players=2, opponents="random", copy=copied) for copied in (True, False)
    )
    told, again = steps_of(kept, 1, 5), steps_of(shared, 1, 5)
    assert data_equivalence(told[-1], again[-1])
    assert again[0][0]["observation"] is again[-1][0]["observation"]
    assert again[0][0]["action_mask"] is again[-1][1 + 3]["action_mask"]
    assert not np.array_equal(told[0][0]["observation"], told[-1][0]["observation"])
    assert len({id(step[0]["action_mask"]) for step in told}) == 6


def test_torch_shares_the_memory() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    envs = make("manhattan", 3, players=2, opponents="random", copy=False)
    told, infos = envs.reset(seed=1)
    seen = torch.from_numpy(told["observation"])
    mask = torch.from_numpy(infos["action_mask"])
    assert (seen.dtype, mask.dtype) == (torch.float32, torch.int8)
    assert seen.data_ptr() == told["observation"].ctypes.data
    before = seen.clone()
    told, *_ = envs.step(mask.to(torch.float32).argmax(dim=1))  # actions may be a tensor
    assert not torch.equal(before, seen)
    assert np.array_equal(seen.numpy(), told["observation"])
    hand = storeys.envs.plane("manhattan", seen, "hand")
    assert hand.shape == (3, 4, 9)
    hand[:] = 7
    assert (told["observation"] == 7).sum() == 3 * 4 * 9


def test_torch_shares_the_memory_of_a_batch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    games = storeys.envs.batch("manhattan", 3, players=2, seed=1)
    seen, masks = torch.zeros(3, 538), torch.zeros(3, 320, dtype=torch.int8)
    games.reset(out=(seen.numpy(), masks.numpy()))
    assert masks.any()
    before = seen.clone()
    games.step(games.sample())
    assert not torch.equal(before, seen)
    assert np.array_equal(seen.numpy(), games.observations)


def test_actions_are_drawn_uniformly_by_masks() -> None:
    space = make("manhattan", 3, opponents="random").action_space
    space.seed(1)
    mask = np.zeros((3, 320), np.int8)
    mask[0, [3, 5, 319]] = mask[1, 7] = 1
    drawn = np.array([space.sample(mask) for _ in range(3000)])
    assert all(space.contains(row) for row in drawn[:5])
    counted = np.bincount(drawn[:, 0], minlength=320)
    assert set(np.flatnonzero(counted)) == {3, 5, 319}
    assert counted[[3, 5, 319]].min() > 900
    assert (drawn[:, 1] == 7).all()
    assert (drawn[:, 2] == 0).all()  # nothing is allowed: the first, as in Gymnasium's
    assert space.contains(space.sample(tuple(mask)))
    assert space.contains(space.sample())
    with pytest.raises(AssertionError, match="mask length: 4, action: 320"):
        space.sample(np.zeros((3, 4), np.int8))


def test_logs_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match with more moves than there was room for is the same match."""
    options: dict[str, Any] = {"players": 3, "opponents": ["random", last_legal]}
    plain = make("cloud-city", 2, **options)
    told = steps_of(plain, 1, 8)
    monkeypatch.setattr("storeys.envs.vector_places.ROOM_FOR_MOVES", 2)
    narrow = make("cloud-city", 2, **options)
    assert data_equivalence(told, steps_of(narrow, 1, 8))
    for place in range(2):
        assert narrow.unwrapped.match(place).record() == plain.unwrapped.match(place).record()
    monkeypatch.setattr("storeys.envs.vector_places.ROOM_FOR_MOVES", 1)
    bots = make("cloud-city", 2, players=2, opponents="novice")
    steps_of(bots, 1, 4)
    assert bots.unwrapped.match(0).moves_made > 4


# --- seeds and copies


def test_seeds() -> None:
    def seeds(**reset: Any) -> list[int]:
        envs = make("manhattan", 3, opponents="random")
        envs.reset(**reset)
        return [envs.unwrapped.match(place).seed for place in range(3)]

    assert seeds(seed=5) == [5, 6, 7]
    assert seeds(seed=[9, 4, 9]) == seeds(seed=np.array([9, 4, 9])) == [9, 4, 9]
    assert seeds(seed=(1, None, 2))[::2] == [1, 2]
    assert seeds() != seeds()
    made = make("manhattan", 2, opponents="random", seed=3)
    made.reset()
    assert [made.unwrapped.match(place).seed for place in range(2)] == [3, 4]


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda envs: envs.unwrapped.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda envs: pickle.loads(pickle.dumps(envs)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("copied", [True, False])
def test_copies_are_exact(way: str, copied: bool) -> None:
    envs = make(
        "cloud-city", 2, players=3, requests=2, opponents=["random", "novice"], copy=copied,
        autoreset_mode=SAME, seat="random",
    )  # fmt: skip
    steps_of(envs, 1, 7)
    twin = COPIES[way](envs)
    for _ in range(25):
        masks = envs.unwrapped.action_masks()
        assert np.array_equal(masks, twin.unwrapped.action_masks())
        actions = masks.argmax(axis=1)
        assert data_equivalence(envs.step(actions), twin.step(actions))
    assert envs.action_space.sample().tolist() == twin.action_space.sample().tolist()
    assert data_equivalence(envs.reset(), twin.reset())
    for place in range(2):
        assert envs.unwrapped.match(place).record() == twin.unwrapped.match(place).record()


def test_a_copy_of_other_rules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = make("manhattan", 2, opponents="random").unwrapped
    kept = pickle.dumps(envs)
    monkeypatch.setattr("storeys.envs.common.tag_of", lambda dtype: "another")
    with pytest.raises(StoreysError, match="another version"):
        pickle.loads(kept)


# --- opponents


def test_a_pool_is_drawn_from_by_its_weights() -> None:
    """Anew for every match and seat; the seed says who; the weights how often."""
    pool = {"random": 3, last_legal: 1, "novice": 0}
    envs = make("manhattan", 200, players=3, opponents=pool).unwrapped
    envs.reset(seed=1)
    drawn = [envs.opponents(place) for place in range(200)]
    counts = {who: sum(list(o.values()).count(who) for o in drawn) for who in pool}
    assert counts["novice"] == 0
    assert 260 <= counts["random"] <= 340
    assert sum(counts.values()) == 400
    assert any(o[1] is not o[2] for o in drawn)
    again = make("manhattan", 1, players=3, opponents=pool).unwrapped
    for place in (0, 7, 50):
        again.reset(seed=1 + place)
        assert again.opponents(0) == drawn[place]
        env = gymnasium.make(IDS["manhattan"], players=3, opponents=pool).unwrapped
        env.reset(seed=1 + place)
        assert env.opponents == drawn[place]


def test_a_pool_may_grow() -> None:
    """So that a policy meets what it was some time ago."""
    pool: dict[Any, float] = {"random": 1}
    envs = make("cloud-city", 20, players=2, opponents=pool).unwrapped
    envs.reset(seed=1)
    assert {envs.opponents(place)[1] for place in range(20)} == {"random"}
    pool[last_legal] = 1
    envs.reset(seed=1)
    assert {envs.opponents(place)[1] for place in range(20)} == {"random", last_legal}
    pool.clear()
    with pytest.raises(BadOption, match=r"a pool maps bots and policies .* is {}"):
        envs.reset()


@pytest.mark.parametrize("many", [True, False])
@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (lambda _, masks: masks[:, 0] * 0.5, BadOption, "a policy must answer 1 whole numbers"),
        (lambda _, masks: [1, 2], BadOption, "an action for each row, not 2 int64"),
        (lambda _, masks: [-1], IllegalMove, "chose action −1, which is not legal"),
        (lambda _, masks: [319], IllegalMove, "chose action 319, which is not legal"),
    ],
)
def test_what_a_policy_must_answer(
    many: bool, answer: Any, error: type[Exception], sentence: str
) -> None:
    options: dict[str, Any] = {"players": 2, "seat": 1, "opponents": answer}
    env = make("manhattan", 1, **options) if many else gymnasium.make(IDS["manhattan"], **options)
    with pytest.raises(error, match=re.escape(sentence)):
        env.reset(seed=7)  # seat 0 begins


def test_a_bot_that_plans_what_is_not_legal_is_told_why() -> None:
    class Confused(Bot):
        def plan(self, view: Any) -> Any:
            world = self.open_view(view)
            return [world.legal_moves[0]] * 3

        def choose_in(self, world: storeys.Match) -> storeys.Move:
            return world.legal_moves[0]

    envs = make("manhattan", 2, players=2, seat=1, opponents=Confused(seed=1))
    with pytest.raises(IllegalMove):
        envs.reset(seed=[7, 7])  # seat 0 begins


# --- what goes wrong


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seat": 4}, "seat is a number from 0 to 3 or “random”, not 4"),
        ({"opponents": "grandmaster"}, "grandmaster"),
        ({"opponents": {"grandmaster": 1}}, "grandmaster"),
        ({"opponents": ["random"]}, "opponents is the name of a bot, a bot, a policy, a mapping"),
        ({"opponents": {}}, "opponents is the name of a bot"),
        ({"opponents": {"random": 0}}, "opponents is the name of a bot"),
        ({"opponents": {"random": -1, "novice": 2}}, "opponents is the name of a bot"),
        ({"opponents": {"random": True}}, "opponents is the name of a bot"),
        ({"opponents": {"random": float("nan")}}, "opponents is the name of a bot"),
        ({"opponents": {"random": "much"}}, "opponents is the name of a bot"),
        ({"opponents": {7: 1}}, "opponents is the name of a bot"),
        ({"opponents": Bot}, "opponents is the name of a bot"),
        ({"opponents": 7}, "opponents is the name of a bot"),
        ({"players": 1}, "players"),
        ({"rewards": "money"}, "there are no rewards “money”"),
        ({"num_envs": 0}, "num_envs"),
        ({"seed": [1, 2]}, "seed is a number, or a list of 3, one for each place; there are 2"),
        ({"seed": -1}, "seed"),
        ({"autoreset_mode": "later"}, "there is no autoreset_mode “later”; known are NextStep, "),
        ({"render_mode": "3d"}, "there is no render_mode “3d”"),
        ({"colour": "red"}, "colour"),
    ],
    ids=str,
)
def test_bad_options_are_explained(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadOption, match=re.escape(sentence)):
        gymnasium.make_vec(IDS["manhattan"], **{"num_envs": 3, **options})


def test_out_of_order() -> None:
    envs = make("manhattan", 2, opponents="random").unwrapped
    mask = np.array([True, False])
    for early in (
        lambda: envs.step([0, 0]),
        lambda: envs.match(0),
        lambda: envs.opponents(0),
        envs.action_masks,
        lambda: envs.reset(options={"reset_mask": mask}),
    ):
        with pytest.raises(StoreysError, match=r"no match has begun; call reset\(\) first"):
            early()
    envs.reset()
    with pytest.raises(StoreysError, match="games 0 to 1, not 2"):
        envs.match(2)
    with pytest.raises(BadOption, match="actions must be 2 whole numbers"):
        envs.step([0.5, 1])
    with pytest.raises(BadOption, match="reset has no option “colour”"):
        envs.reset(options={"colour": 1})
    with pytest.raises(BadOption, match="reset_mask must be 2 truth values"):
        envs.reset(options={"reset_mask": [1]})
    envs.close()
    envs.close()
    for late in (lambda: envs.step([0, 0]), envs.reset):
        with pytest.raises(StoreysError, match="closed"):
            late()


# --- planes


@GAMES
def test_planes_by_name(game: str) -> None:
    """Each is its part of the vector, shares its memory, and can be had in all environments."""
    envs = make(game, 3, opponents="random").unwrapped
    env = gymnasium.make(IDS[game], opponents="random").unwrapped
    told, one = envs.reset(seed=4)[0], env.reset(seed=4)[0]
    at = 0
    for plane in env.game.planes:
        part = told["observation"][:, at : at + plane.size]
        shown = envs.plane(told, plane.name)
        assert shown.shape == (3, *plane.shape)
        assert np.array_equal(shown.reshape(3, plane.size), part)
        assert np.shares_memory(shown, told["observation"])
        assert np.array_equal(env.plane(one, plane.name), shown[0])
        assert np.shares_memory(env.plane(one["observation"], plane.name), one["observation"])
        at += plane.size
    assert at == env.game.observation_size


def test_planes_that_are_not_there() -> None:
    games = storeys.envs.batch("manhattan", 2, seed=1)
    observations, infos = games.reset()
    with pytest.raises(BadOption, match="there is no plane “hands”; known are storeys, owner, "):
        storeys.envs.plane(games.game, observations, "hands")
    with pytest.raises(BadOption, match="an observation has 538 numbers; this one is 2 × 320"):
        storeys.envs.plane("manhattan", infos["action_mask"], "hand")


# --- compiled or not

SCRIPT = """
import hashlib, gymnasium, storeys.envs
digest = hashlib.sha256()
for game, players in (("Manhattan", 2), ("CloudCity", 3)):
    envs = gymnasium.make_vec(f"storeys/{game}-v0", 2, players=players, opponents="random",
                              autoreset_mode="SameStep")
    told, infos = envs.reset(seed=3)
    for _ in range(70 if game == "Manhattan" else 25):
        told, rewards, *_ = envs.step(told["action_mask"].argmax(axis=1))
        for array in (*told.values(), rewards):
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
