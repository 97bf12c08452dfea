"""The outside contract, as users and other programs rely on it."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadOption, BadPosition, IllegalMove, NotAMove, StoreysError, UnknownGame
from tests.manhattan_positions import position


def test_names_of_the_front_door() -> None:
    for name in storeys.__all__:
        assert hasattr(storeys, name)
    assert "manhattan" in storeys.game_names()
    with pytest.raises(AttributeError):
        _ = storeys.nothing_of_this_name


def test_a_move_has_three_forms() -> None:
    match = storeys.from_position(position(picked={"red": [3]}, hands={0: (6, 6, 6, 6)}))
    move = match.legal_moves[0]
    expected = {"kind": "build", "colour": 0, "size": 3, "city": 0, "cell": 6, "card": 6}
    assert move.to_json() == expected
    assert str(move) == "build red 3 sydney c2"
    for form in (move, str(move), expected, " BUILD Red 3  SYDNEY c2 "):
        twin = match.clone()
        twin.push(form)
        assert twin.position()["towers"][0][5] == [[0, 3]]


def test_move_dicts_of_every_kind() -> None:
    match = storeys.from_position(position(phase="pick"))
    pick = match.parse_move("pick red 4 1 1 2 3 1")
    assert pick.to_json() == {"kind": "pick", "colour": 0, "blocks": [3, 1, 1, 1]}
    assert str(pick) == "pick red 1 1 1 2 3 4"
    assert match.parse_move("redraw").to_json() == {"kind": "redraw"}
    forfeit = match.parse_move("forfeit green 2")
    assert forfeit.to_json() == {"kind": "forfeit", "colour": 2, "size": 2}
    assert match.parse_move("build yellow 1 São-Paulo A1").to_json() == {
        "kind": "build", "colour": 3, "size": 1, "city": 4, "cell": 1, "card": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "“” ends too early; next comes pick, build, redraw, forfeit"),
        ("bild red 1", "“bild” (word 1 of “bild red 1”) does not fit; expected pick, build, "),
        ("build rot 1", "“rot” (word 2 of “build rot 1”) does not fit; expected red, blue, "),
        ("build red 5 cairo a1", "“5” (word 3 of “build red 5 cairo a1”) does not fit; expected 1"),
        ("build red 1 oslo a1", "“oslo” (word 4 of “build red 1 oslo a1”) does not fit; expected "),
        ("build red 1 cairo d1", "“d1” (word 5 of “build red 1 cairo d1”) does not fit; expected"),
        ("build red 1 cairo", "“build red 1 cairo” ends too early; next comes a1, b1, c1, "),
        ("redraw now", "“now” (word 2 of “redraw now”) is too much; leave it out"),
        ("pick red 1 1 x", "“x” (word 5 of “pick red 1 1 x”) does not fit; expected 1–4"),
        ("pick red" + " 1" * 40, "no colour has more than 24 blocks"),
    ],
)
def test_notation_errors_point_at_the_word(text: str, sentence: str) -> None:
    with pytest.raises(NotAMove) as caught:
        storeys.new("manhattan", seed=1).push(text)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ({}, "move: the entry “kind” is missing"),
        ({"kind": "jump"}, "move.kind: expected one of pick, build, redraw, forfeit; found “jump”"),
        ({"kind": "pick", "colour": 4, "blocks": [6, 0, 0, 0]}, "move.colour: expected a whole nu"),
        ({"kind": "pick", "colour": 0, "blocks": [6, 0]}, "move.blocks: expected a list of 4 entr"),
        ({"kind": "pick", "colour": 0, "blocks": [6, 0, 0, True]}, "move.blocks[3]: expected a wh"),
        ({"kind": "redraw", "x": 1}, "move: there is no entry “x”; known are kind"),
        (7, "7 is not a move; give a move, its notation or its dict"),
    ],
)
def test_dict_errors_name_the_place(move: Any, sentence: str) -> None:
    with pytest.raises(NotAMove) as caught:
        storeys.new("manhattan", seed=1).push(move)
    assert str(caught.value).startswith(sentence)


def test_an_illegal_move_says_rule_and_reason_in_three_languages() -> None:
    match = storeys.new("manhattan", seed=1)
    with pytest.raises(IllegalMove) as caught:
        match.push("redraw")
    error = caught.value
    assert error.rule == "M-8"
    assert error.text("en") == "M-8: pick your blocks for this round first"
    assert len({error.text(lang) for lang in ("en", "de", "nl")}) == 3
    assert error.text("fr") == error.text("en")


def test_position_has_the_keys_of_the_contract() -> None:
    found = storeys.new("manhattan", players=3, seed=7).position()
    assert set(found) == {
        "game", "players", "phase", "round", "to_move", "seed", "options", "scores", "starter",
        "redrawn", "towers", "stock", "picked", "hands", "pile", "discard",
    }  # fmt: skip
    assert json.loads(json.dumps(found)) == found
    assert (found["game"], found["players"], found["phase"]) == ("manhattan", 3, "pick")
    assert (found["round"], found["seed"]) == (1, "7")
    assert found["options"] == {"tiebreak": "shared", "rounds": "auto"}
    assert found["scores"] == [0, 0, 0, 0]
    assert found["stock"][3] == [0, 0, 0, 0]


def test_a_view_hides_what_the_seat_cannot_know() -> None:
    match = storeys.new("manhattan", seed=7)
    full, view = match.position(), match.view(1)
    assert view["seed"] is None
    assert view["seat"] == 1
    assert view["pile"] == full["pile"]
    assert view["hands"] == [[None] * 4, full["hands"][1], [None] * 4, [None] * 4]
    assert match.view(None)["seat"] is None
    for seat in (4, -1, "0", True):
        with pytest.raises(StoreysError, match="there is no seat"):
            match.view(seat)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_match() -> None:
    one, same, other = (storeys.new("manhattan", seed=s).position() for s in (7, "7", 8))
    assert one == same
    assert one["hands"] != other["hands"]
    seeds = {storeys.new("manhattan").seed for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("seed", [-1, 2**256, "x", "1.5", 1.5, True, "٣"])
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(BadOption, match="is not a whole number from 0 to"):
        storeys.new("manhattan", seed=seed)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"game": "manhatten"}, "there is no game “manhatten”; known are "),
        ({"game": 3}, "there is no game 3; known are "),
        ({"players": 5}, "manhattan cannot be played by 5; the number of players is one of 2, 3,"),
        ({"players": "4"}, "manhattan cannot be played by “4”; the number of players is one of"),
        ({"tiebreak": "coin"}, "the option tiebreak cannot be “coin”; choose one of shared, tower"),
        ({"colour": 1}, "there is no option “colour”; known are players, tiebreak, rounds"),
        ({"names": ["Ann"]}, "expected 4 seat names, found ['Ann']"),
    ],
)
def test_bad_options(call: dict[str, Any], sentence: str) -> None:
    with pytest.raises((BadOption, UnknownGame)) as caught:
        storeys.new(**({"game": "manhattan"} | call))
    assert str(caught.value).startswith(sentence)


def test_pop_takes_back_and_says_what() -> None:
    match = storeys.new("manhattan", seed=1)
    with pytest.raises(StoreysError, match="there is no move to take back"):
        match.pop()
    move = match.legal_moves[3]
    before = match.position()
    match.push(move)
    assert match.pop() == move
    assert match.position() == before


def test_moves_are_values() -> None:
    one, two = (storeys.new("manhattan", seed=1).legal_moves[0] for _ in range(2))
    assert one == two
    assert len({one, two}) == 1
    assert pickle.loads(pickle.dumps(one)) == one
    assert one in storeys.new("manhattan", seed=1).legal_moves
    assert "x" not in storeys.new("manhattan", seed=1).legal_moves


def test_a_match_can_be_copied_and_pickled() -> None:
    match = storeys.new("manhattan", seed=1, names=["Ann", "Bob", "Cid", "Dee"])
    match.push(match.legal_moves[0])
    for twin in (copy.copy(match), copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        assert twin.record() == match.record()
        twin.pop()
        assert match.moves_made == 1


def test_a_pickle_of_other_rules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    match = storeys.new("manhattan", seed=1)
    function, (name, _, setup, log) = match.__reduce__()
    with pytest.raises(StoreysError, match="pickled by another version of Manhattan"):
        function(name, "manhattan_of_old", setup, log)


def test_observation_and_mask() -> None:
    match = storeys.new("manhattan", seed=1)
    game = match.game
    seen = match.observe(match.to_move)
    assert seen.shape == (game.observation_size,)
    assert seen.dtype == np.float32
    assert match.action_mask().sum() == len(match.legal_moves)
    assert match.action_mask().shape == (game.actions,)


def plane(match: storeys.Match, seat: int | None, name: str) -> Any:
    start = 0
    for part in match.game.planes:
        if part.name == name:
            seen = match.observe(seat)[start : start + part.size]
            return (seen * part.scale).round(4).reshape(part.shape)
        start += part.size
    raise LookupError(name)


def test_observation_planes_put_the_own_seat_first() -> None:
    towers = {"cairo c3": [("blue", 2), ("red", 3)]}
    start = position(towers=towers, picked={"red": [1, 4]}, hands={1: (1, 1, 5, 9)}, round=2,
                     scores=(0, 1, 2, 3))  # fmt: skip
    match = storeys.from_position(start)
    # Seat 0 sees c3 as cell 9, seat 1 as cell 3, seat 2 as cell 1.
    assert plane(match, 0, "storeys")[0, 5, 8] == 3  # red, its own colour
    assert plane(match, 1, "storeys")[0, 5, 2] == 2  # blue, its own
    assert plane(match, 1, "storeys")[3, 5, 2] == 3  # red, the third after blue
    assert plane(match, 2, "owner")[2, 5, 0] == 1  # red, the second after green
    assert plane(match, 2, "owner").sum() == 2  # and the tower of all other blocks
    assert plane(match, 1, "hand").argmax(axis=1).tolist() == [0, 0, 4, 8]  # by slot
    assert plane(match, 1, "hand").sum() == 4
    assert plane(match, None, "hand").sum() == 0
    assert plane(match, 3, "points").tolist() == [3, 0, 1, 2]
    assert plane(match, 0, "picked")[0].tolist() == [1, 0, 0, 1]
    assert plane(match, 0, "to_move").tolist() == [1, 0, 0, 0]
    assert plane(match, 1, "to_move").tolist() == [0, 0, 0, 1]
    assert plane(match, 1, "starter").tolist() == [0, 0, 0, 1]
    assert plane(match, 1, "pile").tolist() == [29 - 40 % 29]  # forty blocks are built
    assert plane(match, 1, "phase").tolist() == [0, 1, 0]
    assert plane(match, 1, "round").tolist() == [0, 1, 0, 0, 0, 0]
    assert plane(match, 1, "rounds").tolist() == [4]
    assert plane(match, 1, "players").tolist() == [0, 0, 1]


# --- positions


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"phase": "draw"}, "position.phase: expected one of pick, build, over; found “draw”"),
        ({"round": 5}, "position.round: expected a whole number from 1 to 4, found 5"),
        ({"round": 2}, "M-8: position.stock: red has 18 blocks in stock, but 12 in this round"),
        ({"to_move": None}, "position.to_move: expected a whole number from 0 to 3, found None"),
        ({"to_move": 2}, "M-9: position.picked: the blocks left do not fit whose turn it is"),
        ({"starter": 4}, "position.starter: expected a whole number from 0 to 3, found 4"),
        ({"phase": "over", "to_move": None}, "M-19: position.round: a match that is over is in ro"),
        ({"hands": [[1, 2, 3, 4]] * 3}, "position.hands: expected a list of 4 entries, found 3"),
        ({"hands": [[1, 1, 1, 1]] * 4}, "M-2: position: there are only 5 cards “1”"),
        (
            {"hands": [[1, 2, 3, None]] * 4},
            "position.hands[0][3]: expected one of 1, 2, 3",
        ),
        ({"pile": 28}, "M-2: position.pile: with these hands and open cards the pile has 9"),
        ({"discard": [6] + [0] * 8}, "M-2: position: there are only 5 cards “1”"),
        ({"scores": [0, 0, 0]}, "position.scores: expected a list of 4 entries, found 3"),
        ({"stock": [[12, 6, 0, 0]] * 4}, "M-3: position: red has 18 blocks of size 1 on the board"),
        ({"picked": [[0, 0, 0, 0]] * 4}, "M-10: position.picked: the seat to move must have a pic"),
        ({"options": {"tiebreak": 1}}, "the option tiebreak cannot be 1; choose one of shared, to"),
        ({"game": "chess"}, "there is no game “chess”; known are "),
        ({"redrawn": 0}, "position.redrawn: expected true or false, found 0"),
    ],
)
def test_broken_positions(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(StoreysError) as caught:
        storeys.from_position(position(picked={"red": [1]}) | change)
    assert str(caught.value).startswith(sentence)


def test_a_tower_that_cannot_have_been_built_is_refused() -> None:
    start = position(towers={"cairo a1": [("red", 3), ("blue", 2)]}, picked={"red": [1]})
    expected = r"M-14: position.towers\[5\]\[0\]\[1\]: blue cannot have built here"
    with pytest.raises(BadPosition, match=expected):
        storeys.from_position(start)


def test_a_colour_nobody_plays_is_refused() -> None:
    start = position(players=3, towers={"cairo a1": [("yellow", 3)]}, picked={"red": [1]})
    with pytest.raises(BadPosition, match="nobody plays yellow in this match"):
        storeys.from_position(start)


def test_a_match_from_a_view_deals_the_unknown() -> None:
    match = storeys.new("manhattan", seed=7)
    worlds = [storeys.from_position(match.view(1), seed=seed) for seed in (1, 1, 2)]
    assert worlds[0].position() == worlds[1].position()
    assert worlds[0].position()["hands"] != worlds[2].position()["hands"]
    assert all(world.view(1) == match.view(1) for world in worlds)


def test_scores_of_a_match_from_a_position_keep_the_earlier_points() -> None:
    match = storeys.from_position(position(round=2, picked={"red": [1]}, scores=(5, 0, 0, 0)))
    assert match.score()[0] == {
        "total": 5,
        "parts": [{"rule": "M-4", "label": "points from earlier rounds", "points": 5, "colour": 0}],
    }


# --- bots


def test_a_bot_sees_a_view_and_gives_a_move() -> None:
    match = storeys.new("manhattan", players=2, seed=7)
    bot = storeys.bot("random", seed=3)
    while match.to_move is not None:
        plan = bot.plan(match.view(match.to_move))
        seat = match.to_move
        for move in plan:
            assert match.to_move == seat
            match.push(move)
    assert match.winners


def test_a_plan_ends_where_something_hidden_is_shown() -> None:
    match = storeys.new("manhattan", players=2, seed=7)
    bot = storeys.bot("random", seed=3)
    picks = bot.plan(match.view(match.to_move))
    assert [move.to_json()["kind"] for move in picks] == ["pick", "pick"]


def test_bots_are_repeatable_and_known_by_name() -> None:
    view = storeys.new("manhattan", seed=7).view(storeys.new("manhattan", seed=7).to_move)
    assert storeys.bot("random", seed=5).choose(view) == storeys.bot("random", seed=5).choose(view)
    known = "known are random, novice, .*builder, .*architect"
    with pytest.raises(BadOption, match=f"there is no bot “deep”; {known}"):
        storeys.bot("deep")


def test_a_bot_moves_only_for_the_seat_of_its_view() -> None:
    match = storeys.new("manhattan", seed=7)
    bot = storeys.bot("random", seed=1)
    other = (match.to_move or 0) ^ 1
    for view in (match.view(other), match.view(None)):
        with pytest.raises(BadPosition, match="the view must be that of seat"):
            bot.choose(view)
    with pytest.raises(BadPosition, match="the entry “seat” is missing"):
        bot.choose(match.position())
    nonsense: Any
    for nonsense in ({}, None, "x"):
        with pytest.raises(BadPosition):
            bot.choose(nonsense)


def test_a_bot_keeps_nothing_between_calls() -> None:
    match = storeys.new("manhattan", seed=7)
    view = match.view(match.to_move)
    one, two = storeys.bot("random", seed=5), storeys.bot("random", seed=6)
    assert [one.choose(view) for _ in range(3)] == [storeys.bot("random", seed=5).choose(view)] * 3
    views = [(m := storeys.new("manhattan", seed=s)).view(m.to_move) for s in range(8)]
    assert [one.choose(v) for v in views] != [two.choose(v) for v in views]


@pytest.mark.parametrize("seconds", [0, -1, "x"])
def test_bad_thinking_times(seconds: Any) -> None:
    with pytest.raises(BadOption, match="the seconds to think must be a number above 0"):
        storeys.bot("random", seconds=seconds)


# --- what callers do with what they are given


def test_what_is_given_away_is_a_copy() -> None:
    match = storeys.from_position(position(picked={"red": [1]}))
    for given in (match.position(), match.view(0), match.record()):
        given["options"]["tiebreak"] = "towers"
    match.record()["start"]["towers"].clear()
    assert match.position()["options"]["tiebreak"] == "shared"
    assert storeys.load(match.record()).position() == match.position()


def test_numbers_of_numpy_are_numbers() -> None:
    numbers: list[Any] = [np.int64(3), np.uint8(7), np.int8(1), np.int32(5)]
    three, seven, one, five = numbers
    match = storeys.new("manhattan", players=three, seed=seven)
    assert match.view(one) == match.view(1)
    json.dumps(match.view(one))
    batch = storeys.arena.playouts("manhattan", five)
    longest: Any = batch.lengths.argmax()
    assert batch.record(longest)
    colour = np.int64(match.to_move or 0)
    match.push({"kind": "pick", "colour": colour, "blocks": list(np.array([1, 1, 1, 1]))})


def test_batches_can_be_pickled() -> None:
    batch = storeys.arena.playouts("manhattan", 5, seed=3)
    again = pickle.loads(pickle.dumps(batch))
    assert again.record(3) == batch.record(3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: storeys.new(["manhattan"]),  # type: ignore[arg-type]
        lambda: storeys.new("manhattan", names=5),  # type: ignore[arg-type]
        lambda: storeys.new("manhattan", names=["a", "b", "c", "\ud800"]),
        lambda: storeys.new("manhattan", components=5),
        lambda: storeys.new("manhattan", components=[]),
        lambda: storeys.from_position(None),  # type: ignore[arg-type]
        lambda: storeys.from_position("x"),  # type: ignore[arg-type]
        lambda: storeys.from_position(position(picked={"red": [1]}) | {"options": {"players": 3}}),
        lambda: storeys.load(storeys.new("manhattan").record() | {"options": {"seed": 3}}),
        lambda: storeys.load(storeys.new("manhattan").record() | {"options": {"components": 5}}),
        lambda: storeys.bot([]),  # type: ignore[arg-type]
        lambda: storeys.new("manhattan").push("pick red " + "9" * 5000),
    ],
)
def test_nonsense_gets_a_sentence(call: Any) -> None:
    with pytest.raises(StoreysError) as caught:
        call()
    assert str(caught.value)


def test_cities_of_two_words() -> None:
    match = storeys.from_position(position(picked={"red": [3]}, hands={0: (6, 6, 6, 6)}))
    for text in ("build red 3 hong kong c2", "Build Red 3 Hong-Kong C2"):
        assert str(match.parse_move(text)) == "build red 3 hong-kong c2"
    assert str(match.parse_move("build red 3 São Paulo c2")) == "build red 3 sao-paulo c2"
