"""The suite of storeys.testing over every variant, and over what Hypothesis thinks up."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import storeys
from storeys import testing
from storeys.kernel import chance, entry_points
from storeys.registry import game_names
from tests.proofs import PROOF
from tests.variants import ALL, ENOUGH, enough, settings_of


def test_every_setting_is_in_a_variant_that_is_checked() -> None:
    for name in game_names():
        every = [settings_of(options) for game, options in ALL if game == name]
        found = [settings_of(options) for game, options in ENOUGH if game == name]
        assert set.union(*found) == set.union(*every)


@pytest.mark.parametrize(("name", "options"), ENOUGH, ids=str)
def test_check_game(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "REDEALS", 1_000)  # All variants of a game redeal alike.
    if not PROOF and options != enough(name)[0][1]:  # That starts a process, which takes longest.
        quicker = [
            check for check in testing.CHECKS if check is not testing.check_uncompiled_agrees
        ]
        monkeypatch.setattr(testing, "CHECKS", quicker)
    testing.check_game(name, games=2 if PROOF else 1, **options)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_walk_can_be_undone_and_replayed(data: st.DataObject) -> None:
    """Options, seed, moves and take-backs are Hypothesis's choice."""
    name, options = data.draw(st.sampled_from(ALL))
    match = storeys.new(name, seed=data.draw(st.integers(0, 2**256 - 1)), **options)
    for _ in range(data.draw(st.integers(0, 60))):
        if match.to_move is None:
            break
        if match.moves_made and data.draw(st.integers(0, 4)) == 0:
            before = match.state().tobytes()
            match.push(match.pop())
            assert match.state().tobytes() == before
        match.push(match.legal_moves[data.draw(st.integers(0, len(match.legal_moves) - 1))])
    again = storeys.load(match.record())
    assert again.state().tobytes() == match.state().tobytes()
    assert storeys.from_position(match.position()).position() == match.position()
    for seat in range(match.players):
        assert storeys.from_position(match.view(seat), seed=1).view(seat) == match.view(seat)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.text(max_size=40), seed=st.integers(0, 10))
def test_any_text_is_a_move_or_a_clear_error(text: str, seed: int) -> None:
    match = storeys.new("manhattan", seed=seed)
    with pytest.raises(storeys.IllegalMove):
        match.push(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(key=st.integers(0, 30), value=JSON)
def test_any_document_is_taken_or_gives_a_clear_error(key: int, value: Any) -> None:
    """Whatever stands at one key of a position or a record: no other error than ours."""
    match = storeys.new("manhattan", seed=3)
    match.push(match.legal_moves[0])
    for make, document in (
        (storeys.from_position, match.position()),
        (storeys.load, match.record()),
    ):
        names = list(document)
        try:
            make(document | {names[key % len(names)]: value})
        except storeys.StoreysError as error:
            str(error)  # The sentence must take its parameters.


# --- the checks themselves must be able to fail


def trial() -> testing.Trial:
    made = testing.Trial("manhattan", {"players": 4}, random.Random(1))
    made.matches = [testing._play_to_the_end(made)]
    return made


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storeys.Match, "view", lambda self, seat: self.position())
    with pytest.raises(AssertionError, match="the view of"):
        testing.check_views_do_not_leak(trial())


def test_an_uneven_redeal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true_redeal = entry_points.redeal

    def always_the_same(states: Any, tables: Any, seat: int, rng: Any) -> None:
        true_redeal(states, tables, seat, chance.generator(1))

    monkeypatch.setattr(entry_points, "redeal", always_the_same)
    with pytest.raises(AssertionError, match="standard deviations"):
        testing.check_redeal_is_uniform(trial())


def test_a_redeal_that_leaves_something_hidden_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "redeal", lambda states, tables, seat, rng: None)
    with pytest.raises(AssertionError, match="redeal settles 0 of 16 hidden places"):
        testing.check_redeal_is_uniform(trial())


def test_an_inexact_undo_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true_pop = storeys.Match.pop

    def pop_and_spoil(match: storeys.Match) -> storeys.Move:
        move = true_pop(match)
        match._state["points"] += 1
        return move

    made = trial()
    monkeypatch.setattr(storeys.Match, "pop", pop_and_spoil)
    with pytest.raises(AssertionError, match="undo"):
        testing.check_undo_is_exact(made)


def test_a_lost_piece_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true_position = storeys.Match.position
    monkeypatch.setattr(
        storeys.Match, "position", lambda self: true_position(self) | {"discard": [0] * 9}
    )
    with pytest.raises(AssertionError, match="cards"):
        testing.check_nothing_is_lost(trial())


def test_an_uneven_sample_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storeys.Match, "random_move", lambda self, rng: self.legal_moves[0])
    with pytest.raises(AssertionError, match="standard deviations"):
        testing.check_sample_is_uniform(trial())
