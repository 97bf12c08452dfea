"""The tests of secrets, tested: each one fails when the guard that it is about is taken away."""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadPosition, testing
from storeys.envs.common import Play
from storeys.kernel import chance, entry_points, zones
from storeys.kernel.reading import Node
from storeys.match import Match
from storeys.web import identity, states
from storeys.web.mailing import MailSettings
from storeys.web.presence import Presence
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from tests.test_check_game import trial
from tests.test_hidden import TILE_GAMES

Guard = Callable[[pytest.MonkeyPatch], None]


# --- guards, and how each is taken away


def blind_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "blind", lambda *_: None)


def tell_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    view = Match.view
    monkeypatch.setattr(Match, "view", lambda self, s: view(self, s) | {"seed": str(self.seed)})


def put_hands_into(seen: Any, state: Any) -> None:
    """Hidden cards and tiles in the place of other numbers, none larger than one."""
    hands = np.abs(np.asarray(state["hands"], np.float32).ravel()) / 1000
    seen[: hands.size] = hands[: seen.size]


def look_into_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """What environments tell a seat, with all hands in it."""
    look = Play.look

    def look_too_far(self: Play, seat: int) -> tuple[Any, Any]:
        seen, mask = look(self, seat)
        put_hands_into(seen, self.state)
        return seen, mask

    monkeypatch.setattr(Play, "look", look_too_far)


def observe_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tensor of a seat, with all hands in it."""
    observe = entry_points.observe

    def observe_too_much(state: Any, tables: Any, seat: int, out: Any) -> None:
        observe(state, tables, seat, out)
        put_hands_into(out, state)

    monkeypatch.setattr(entry_points, "observe", observe_too_much)


def draw_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = Match.svg

    def draw_too_much(self: Match, seat: int | None = None, **how: Any) -> str:
        return svg(self, seat, **how) + str(self.position()["hands"])

    monkeypatch.setattr(Match, "svg", draw_too_much)


def keep_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "forget_stream", lambda *_: None)


def take_everything_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "can_take_back", lambda *_: True)


def draw_no_curtain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_viewer", lambda table, *_: (table.match.to_move, False))


def miss_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tables, "_check_away", lambda *_: None)


def show_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storeys.web.database.shown_url", str)


def hide_no_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zones, "_hide_hands", lambda _: [])


def take_views_with_cards_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    one_of = Node.one_of

    def one_of_any(self: Node, known: Sequence[Any], *more: Any) -> Any:
        return None if known == [None] else one_of(self, known, *more)

    monkeypatch.setattr(Node, "one_of", one_of_any)


def keep_the_past(monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that is dealt afresh remembers what its player has not seen."""
    from storeys.envs.openspiel_trajectory import Trajectory

    monkeypatch.setattr(Trajectory, "_past_of", lambda self, _: self.past.copy())


def log_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_SECRET_PARTS", re.compile("(?!)"))


def show_mail_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MailSettings, "__repr__", lambda self: str(asdict(self)))


# --- the tests that are about them

CASES: list[tuple[str, tuple[Any, ...], Guard]] = [
    ("test_contract:test_a_view_hides_what_the_seat_cannot_know", (), blind_nothing),
    ("test_contract:test_a_view_hides_what_the_seat_cannot_know", (), tell_the_seed),
    ("test_manhattan_rules:test_chance_decides_who_starts_and_hands_are_hidden", (), blind_nothing),
    ("test_cloud_city_rules:test_start_tiles_row_and_hidden_hands", (), blind_nothing),
    ("test_cloud_city_rules:test_a_tile_from_the_row_is_known_until_it_is_laid", (), blind_nothing),
    ("test_neoville_rules:test_what_everybody_knows_of_a_hand", (), blind_nothing),
    ("test_chance:test_a_blinded_stream_forgets_its_key", (), keep_streams),
    ("test_pictures:test_only_what_the_seat_may_see_is_drawn", ("manhattan", "plan"),
     blind_nothing),
    ("test_pictures:test_only_what_the_seat_may_see_is_drawn", ("neoville", "plan"),
     draw_hands),
    ("test_envs_pettingzoo:test_nothing_hidden_is_in_observation_and_mask", ("cloud-city",),
     look_into_hands),
    ("test_envs_gymnasium:test_nothing_hidden_is_told", ("neoville",), look_into_hands),
    ("test_envs_gymnasium:test_bots_see_views_only", ("neoville",), blind_nothing),
    ("test_envs_gymnasium:test_bots_see_views_only", ("neoville",), tell_the_seed),
    ("test_envs_batch:test_nothing_hidden_is_seen", ("manhattan", {"players": 2}), observe_hands),
    ("test_envs_openspiel:test_nothing_hidden_is_told", ("manhattan", {"players": 2}),
     blind_nothing),
    ("test_envs_openspiel_chance:test_nothing_hidden_is_told", ("manhattan", {"players": 2}),
     blind_nothing),
    ("test_envs_openspiel:test_a_world_dealt_afresh_keeps_nothing_hidden_of_the_past",
     ("manhattan",), keep_the_past),
    ("test_zones:test_in_a_view_others_hands_are_hidden", (), take_views_with_cards_of_others),
    ("test_zones:test_blinding_leaves_the_own_hand_alone", (0, [0, 2]), hide_no_hands),
    ("test_web_matches:test_a_log_leaves_the_secret_of_a_picture_out", (), log_secrets),
    ("test_web_mailing:test_settings_are_read_and_keep_their_secret", (), show_mail_passwords),
    ("test_hidden:test_manhattan_blinded", (0,), blind_nothing),
    ("test_hidden:test_tiles_blinded", (*TILE_GAMES[0], 0), blind_nothing),
]  # fmt: skip


@pytest.mark.parametrize(
    ("test", "arguments", "remove_guard"),
    CASES,
    ids=[f"{test.partition(':')[2]}-{guard.__name__}" for test, _, guard in CASES],
)
def test_without_its_guard_a_test_fails(
    monkeypatch: pytest.MonkeyPatch, test: str, arguments: tuple[Any, ...], remove_guard: Guard
) -> None:
    run = found(test)
    remove_guard(monkeypatch)
    # Who is given more than a view refuses it: that is found too.
    with pytest.raises((AssertionError, pytest.fail.Exception, BadPosition)):
        run(*arguments)


def found(test: str) -> Callable[..., object]:
    """A test by the name of its file and its own."""
    file, _, name = test.partition(":")
    run: Callable[..., object] = getattr(importlib.import_module(f"tests.{file}"), name)
    return run


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    made = Tables(Store(f"sqlite:///{tmp_path / 'tables.db'}"))
    yield made
    made.store.close()


@pytest.mark.parametrize(
    ("test", "remove_guard"),
    [
        ("test_taking_back_until_something_hidden_is_shown", take_everything_back),
        ("test_nobody_takes_back_for_another", take_everything_back),
        ("test_a_curtain_between_hidden_hands", draw_no_curtain),
        ("test_while_friends_are_waited_for_no_hand_lies_open_at_one_screen", draw_no_curtain),
        ("test_no_link_to_the_seat_of_a_guest_who_plays", miss_nobody),
        ("test_the_link_of_a_host_is_worth_nothing_while_the_guest_is_back", miss_nobody),
    ],
)
def test_without_its_guard_a_test_of_tables_fails(
    monkeypatch: pytest.MonkeyPatch, tables: Tables, test: str, remove_guard: Guard
) -> None:
    from tests import test_web_tables

    arguments: list[Any] = [tables]
    if remove_guard is miss_nobody:
        arguments.append(test_web_tables.Clock())
        tables.presence = Presence(arguments[1])
    remove_guard(monkeypatch)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        getattr(test_web_tables, test)(*arguments)


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("test_replay_as_a_seat_hides_the_others", "Cards of Player 1"),
        ("test_a_match_in_a_file_goes_on_where_it_was_left", "Cards of"),
    ],
)
def test_without_its_guard_a_test_of_the_command_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, test: str, shown: str
) -> None:
    from tests import test_cli

    is_replay = test.startswith("test_replay")
    given = test_cli.written_record(tmp_path) if is_replay else tmp_path
    blind_nothing(monkeypatch)
    with pytest.raises(AssertionError, match=f"'{shown}' not in"):
        getattr(test_cli, test)(given)


def test_without_its_guard_the_test_of_logged_links_fails(
    monkeypatch: pytest.MonkeyPatch, app: Any
) -> None:
    run = found("test_web_identity:test_links_that_give_something_are_not_logged")
    log_secrets(monkeypatch)
    with pytest.raises(AssertionError, match="a-secret-of-somebody"):
        run(app, monkeypatch, "/join/{}")


def test_without_its_guard_the_test_of_passwords_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    run = found("test_web_postgresql:test_a_password_is_not_shown")
    show_passwords(monkeypatch)
    with pytest.raises(AssertionError):
        run()


@pytest.mark.parametrize(
    ("remove_guard", "leak"),
    [(blind_nothing, "the view of"), (observe_hands, "observation of"), (tell_the_seed, None)],
)
def test_without_its_guard_the_check_of_a_game_fails(
    monkeypatch: pytest.MonkeyPatch, remove_guard: Guard, leak: str | None
) -> None:
    remove_guard(monkeypatch)
    with pytest.raises(AssertionError, match=leak):
        testing.check_views_do_not_leak(trial())


class Peeking:
    """A bot that looks at what lies hidden in the world that it is given."""

    def choose_in(self, world: Match, *_: Any) -> storeys.Move:
        hidden = str(world.position()["hands"])
        return world.legal_moves[sum(map(ord, hidden)) % len(world.legal_moves)]


def test_a_builder_that_peeks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    run = found("test_bots:test_a_redealt_world_is_all_the_builder_sees")
    bot = storeys.bot
    monkeypatch.setattr(
        storeys, "bot", lambda name, **more: Peeking() if name == "builder" else bot(name, **more)
    )
    with pytest.raises(AssertionError):
        run()
