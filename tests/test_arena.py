"""Batches of playouts: the same on any number of threads, each game to be had as a record."""

import json
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadOption, StoreysError
from storeys.arena import playouts
from tests.commands import run, shown


@pytest.mark.parametrize("options", [{"players": 2}, {"players": 3}, {"players": 4}], ids=str)
def test_a_batch_does_not_depend_on_the_threads(options: dict[str, Any]) -> None:
    one = playouts("manhattan", 300, seed=5, threads=1, **options)
    two = playouts("manhattan", 300, seed=5, threads=3, **options)
    for name in ("scores", "winners", "lengths"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert one.scores.shape == one.winners.shape == (300, options["players"])
    assert one.winners.dtype == bool
    assert one.winners.any(axis=1).all()


def test_any_game_of_a_batch_is_a_record() -> None:
    batch = playouts("manhattan", 50, players=2, seed=5, tiebreak="towers")
    for nth in (0, 17, 49):
        match = storeys.load(batch.record(nth))
        assert match.moves_made == batch.lengths[nth]
        assert [seat["total"] for seat in match.score()] == batch.scores[nth].tolist()
        assert match.winners == np.flatnonzero(batch.winners[nth]).tolist()


def test_games_of_a_batch_differ_and_seeds_matter() -> None:
    batch = playouts("manhattan", 200, seed=5)
    assert len({batch.record(nth)["seed"] for nth in range(5)}) == 5
    assert len(np.unique(batch.scores, axis=0)) > 190
    other = playouts("manhattan", 200, seed=6)
    assert not np.array_equal(batch.scores, other.scores)


def test_playouts_from_given_states() -> None:
    match = playouts("manhattan", 1, players=3, seed=2, rounds="4x6").match(0)
    for _ in range(20):
        match.pop()
    early, late = match.state(), match.state()
    match.push(match.legal_moves[0])
    late = match.state()
    batch = playouts("manhattan", 40, seed=9, states=np.concatenate([early, late]))
    assert set(batch.lengths[0::2].tolist()) == {20}
    assert set(batch.lengths[1::2].tolist()) == {19}
    assert batch.options["rounds"] == "4x6"
    assert len(np.unique(batch.scores, axis=0)) > 10
    for nth in (0, 7):
        record = batch.record(nth)
        assert record["start"]["towers"]
        again = storeys.load(record)
        assert [seat["total"] for seat in again.score()] == batch.scores[nth].tolist()


def test_the_future_of_a_given_state_is_not_the_real_one() -> None:
    """All games from one state start with the same hands but draw other cards."""
    match = storeys.new("manhattan", players=2, seed=2)
    batch = playouts("manhattan", 30, seed=9, states=match.state())
    hands = [batch.match(nth).position()["hands"] for nth in range(30)]
    assert len({str(hand) for hand in hands}) > 20
    start = storeys.load(batch.record(3))
    while start.moves_made:
        start.pop()
    assert start.position()["hands"] == match.position()["hands"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"games": -1}, "the number of games must be a whole number of at least 0, not -1"),
        ({"games": 1.5}, "the number of games must be a whole number of at least 0, not 1.5"),
        ({"threads": 0}, "the number of threads must be a whole number of at least 1, not 0"),
        ({"policy": "wise"}, "there is no policy “wise”; known are random"),
        ({"players": 9}, "manhattan cannot be played by 9"),
        ({"states": np.zeros(3)}, "the states must be an array of at least one record of Manhatta"),
        ({"game": "go"}, "there is no game “go”"),
    ],
)
def test_bad_calls(call: dict[str, Any], sentence: str) -> None:
    defaults: dict[str, Any] = {"game": "manhattan", "games": 3}
    with pytest.raises(StoreysError) as caught:
        playouts(**defaults | call)
    assert str(caught.value).startswith(sentence)


def test_states_of_different_set_ups_are_refused() -> None:
    two, three = (storeys.new("manhattan", players=n, seed=1).state() for n in (2, 3))
    with pytest.raises(BadOption, match="the states must be"):
        playouts("manhattan", 3, states=np.concatenate([two, three]))


def test_a_game_outside_the_batch() -> None:
    with pytest.raises(StoreysError, match="the batch has games 0 to 2, not 3"):
        playouts("manhattan", 3).record(3)


def test_progress_is_told() -> None:
    done: list[int] = []
    playouts("manhattan", 100, threads=2, progress=done.append)
    assert sum(done) == 100
    assert len(done) > 2


def test_an_empty_batch() -> None:
    assert playouts("manhattan", 0).scores.shape == (0, 4)


def test_a_blinded_state_is_refused() -> None:
    with pytest.raises(BadOption, match="the states must be"):
        playouts("manhattan", 3, states=storeys.new("manhattan", seed=0).blinded(0))


# --- options that are left to chance


@pytest.mark.parametrize(
    ("name", "options", "least"),
    [
        ("neoville", {"players": 2}, 3),
        ("cloud-city", {"players": 2, "requests": 2}, 12),
        ("cloud-city", {"players": 1, "requests": 1}, 3),
    ],
    ids=str,
)
def test_each_game_draws_its_own_options(name: str, options: dict[str, Any], least: int) -> None:
    batch = playouts(name, 40, seed=8, **options)
    drawn = set()
    for nth in range(40):
        record = batch.record(nth)
        dealt = storeys.new(name, seed=record["seed"], **options)
        assert record["options"] == dealt.record()["options"] == batch.setup_of(nth).to_json()
        drawn.add(str(record["options"]))
    assert len(drawn) >= least
    for nth in (0, 39):
        again = storeys.load(batch.record(nth))
        assert again.totals == batch.scores[nth].tolist()
        assert again.moves_made == batch.lengths[nth]
    assert batch.options == storeys.new(name, **options).setup.options | {
        key: value for key, value in options.items() if key != "players"
    } | ({"utilities": None} if name == "neoville" else {})


def test_options_at_chance_do_not_depend_on_the_threads() -> None:
    one, two = (playouts("neoville", 60, players=2, seed=5, threads=n) for n in (1, 3))
    assert np.array_equal(one.scores, two.scores)
    more = playouts("neoville", 90, players=2, seed=5)
    assert np.array_equal(one.scores, more.scores[:60])


def test_options_that_are_settled_are_those_of_every_game() -> None:
    batch = playouts("neoville", 20, players=2, seed=5, utilities=["bus", "biosphere"])
    assert {str(batch.setup_of(nth).options["utilities"]) for nth in range(20)} == {
        "['bus', 'biosphere']"
    }


def test_a_batch_in_one_line() -> None:
    batch = playouts("manhattan", 300, players=3, seed=7)
    assert repr(batch) == "<playouts of 300 games of manhattan, 3 players, seed 7>"


# --- bots instead of chance


@pytest.mark.parametrize("game", storeys.game_names())
def test_any_bot_plays_a_batch(game: str) -> None:
    one, two = (playouts(game, 3, 2, seed=5, policy="novice", threads=n) for n in (1, 2))
    for name in ("scores", "winners", "lengths"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    for nth in range(3):
        match = storeys.load(one.record(nth))
        assert match.totals == one.scores[nth].tolist()
        assert match.winners == np.flatnonzero(one.winners[nth]).tolist()
        assert match.seed == playouts(game, 3, 2, seed=5).match(nth).seed
    assert not np.array_equal(one.scores, playouts(game, 3, 2, seed=6, policy="novice").scores)


def test_a_bot_goes_on_from_given_states() -> None:
    states = playouts("neoville", 1, players=2, seed=2).match(0).at(40).state()
    batch = playouts("neoville", 2, states=states, policy="builder")
    assert storeys.load(batch.record(1)).totals == batch.scores[1].tolist()


def test_a_bot_plays_better_than_chance() -> None:
    by_chance = playouts("neoville", 50, players=2).scores.mean()
    assert playouts("neoville", 3, players=2, policy="builder").scores.mean() > by_chance + 50


def test_the_command_plays_any_bot() -> None:
    told = json.loads(shown("sim", "neoville", "--bot", "novice", "-n", "2", "-p", "2", "--json"))
    assert (told["bot"], told["games"]) == ("novice", 2)
    scores = playouts("neoville", 2, 2, policy="novice").scores
    assert [seat["score"]["mean"] for seat in told["seats"]] == scores.mean(axis=0).tolist()
    said = run("sim", "neoville", "--bot", "nobody")
    assert said.stderr.startswith("storeys: there is no policy “nobody”; known are random, novice")
    said = run("sim", "neoville", "--bot", "novice:x=1")
    assert "the bot novice has no option “x”" in said.stderr
