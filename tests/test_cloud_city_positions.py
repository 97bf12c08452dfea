"""Cloud City's positions, components and moves as other programs give them: taken or explained."""

import json
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import BadComponents, NotAMove, StoreysError
from storeys.arena import playouts
from tests.changing import changed
from tests.cloud_cities import BOX, position
from tests.commands import run, shown, shown_by_process, start
from tests.test_cloud_city_rules import ROW_OF_BLUE


def two_players() -> dict[str, Any]:
    return position([ROW_OF_BLUE, "B.BB\n.G.."])


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("phase", "draw", "C-10: position.phase: after laying the tile the phase is walkways"),
        ("phase", "build", "position.phase: expected one of place, walkways, draw, over; found"),
        ("round", 3, "C-12: position.cities[0].tiles: in this round and phase the city has 4 til"),
        ("to_move", 1, "C-12: position.cities[1].tiles: in this round and phase the city has 3 t"),
        ("cities/0/tiles/1/col", 2, "C-7: position.cities[0].tiles[1]: the tile does not lie edg"),
        ("cities/0/tiles/0/tile", "bb1", "C-6: position.cities[0].tiles[0]: the city begins with"),
        ("cities/0/tiles/1/tile", "bs8", "C-6: position.cities[0].tiles[1].tile: the tile bs8 is "),
        ("cities/0/tiles/1/tile", "xx", "position.cities[0].tiles[1].tile: expected one of bb1, "),
        ("cities/0/buildings", [], "C-9: position.cities[0].buildings: the buildings are not tho"),
        ("cities/0/walkways", [{"colour": "blue", "from": [0, 0], "to": [0, 4]}],
         "C-16: position.cities[0].walkways[0]: the blue building at i7 stands between them"),
        ("supply/blue/0", 5, "C-3: position.supply.blue: with the walkways built there are [6, 8"),
        ("pile", 7, "C-1: position.pile: with these tiles the pile has "),
        ("hands/0", [], "C-6: position.hands[0]: now the hand has 2 tiles, not 0"),
        ("hands/1/0", None, "position.hands[1][0]: expected one of bb1"),
        ("shown/0", ["ss1"], "C-R3: position.shown[0]: what is shown must be in the hand"),
        ("scores", [1, 0], "C-21: position.scores: with these cities they are [0, 0]; give those"),
        ("scores", [0], "position.scores: expected a list of 2 entries, found 1"),
        ("requests", ["circuits"], "C-23: position.requests: the requests are not those of the o"),
        ("options/city", "4x4", "the option city cannot be “4x4”; choose one of 3x3, 3x4"),
    ],
)  # fmt: skip
def test_broken_positions(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(StoreysError) as caught:
        storeys.from_position(changed(two_players(), path, value))
    assert str(caught.value).startswith(sentence)


def test_a_short_row_needs_an_empty_pile() -> None:
    start = two_players()
    start["row"].pop()
    start["pile"] += 1
    with pytest.raises(StoreysError, match=r"C-11: position\.row: the row has 3 tiles, fewer only"):
        storeys.from_position(start)


def test_a_tile_is_in_one_place_only() -> None:
    start = two_players()
    start["hands"][1][0] = start["row"][0]
    with pytest.raises(StoreysError, match=r"C-1: .* is somewhere else too"):
        storeys.from_position(start)


def test_a_view_shows_no_hidden_tile() -> None:
    match = playouts("cloud-city", 1, players=2, seed=4).match(0)
    for _ in range(20):
        match.pop()
    view = match.view(0)
    assert None in view["hands"][1]
    view["hands"][1] = match.position()["hands"][1]
    with pytest.raises(StoreysError, match=r"C-R3: .*nobody has shown the tile"):
        storeys.from_position(view)


@pytest.mark.rule("C-21")
def test_scores_are_those_of_the_cities_or_left_open() -> None:
    start = position(["B.BB\n.B..", "B.\n.G"], walkways=[("blue 0,2 0,3",), ()])
    assert storeys.from_position(start | {"scores": None}).totals == [1, 0]
    assert storeys.from_position(start | {"scores": [1, 0]}).totals == [1, 0]
    with pytest.raises(StoreysError, match=r"^C-21: .* they are \[1, 0\]"):
        storeys.from_position(start | {"scores": [0, 0]})


@pytest.mark.rule("C-R3")
@pytest.mark.parametrize("seen_by", [None, 1])
def test_no_tile_of_a_hand_is_known_before_a_draw(seen_by: int | None) -> None:
    match = storeys.new("cloud-city", players=2, seed=3)
    start = match.position() if seen_by is None else match.view(seen_by)
    start["hands"][0][0] = match.position()["hands"][0][0]
    start["shown"][0] = start["hands"][0][:1]
    expected = r"^C-R3: position\.shown\[0\]: tiles of this hand that were drawn openly: 1; .*: 0$"
    with pytest.raises(StoreysError, match=expected):
        storeys.from_position(start)


@pytest.mark.rule("C-R3")
def test_as_many_tiles_are_known_as_were_drawn() -> None:
    # In round 3 seat 0 has drawn once and is in its second turn, seat 1 has drawn once.
    start = two_players()
    for seat in (0, 1):
        hand = start["hands"][seat]
        taken = changed(start, f"shown/{seat}", hand[:1])
        assert storeys.from_position(taken).position()["shown"][seat] == hand[:1]
        with pytest.raises(StoreysError, match=r"openly: 2; draws of this seat so far: 1$"):
            storeys.from_position(changed(start, f"shown/{seat}", hand[:2]))


@pytest.mark.rule("C-R3", "C-11")
def test_what_is_drawn_after_the_pile_is_known() -> None:
    # 44 tiles, 12 in hands and 3 open at first: the last three of the 32 draws are from the row.
    match = playouts("cloud-city", 1, players=4, seed=4).match(0)
    end = match.position()
    assert (end["pile"], end["row"]) == (0, [])
    assert storeys.from_position(end).position() == end
    for seat in (1, 2, 3):
        expected = rf"^C-R3: position\.shown\[{seat}\]: the pile was used up when this seat last"
        with pytest.raises(StoreysError, match=expected):
            storeys.from_position(changed(end, f"shown/{seat}", []))
    assert storeys.from_position(changed(end, "shown/0", [])).position()["shown"][0] == []


@pytest.mark.rule("C-10")
def test_nobody_has_walkways_before_the_first_turn() -> None:
    tiles = other_tiles(lambda t: t[7].update(squares=[["blue", "blue"], [None, None]]))
    assert BOX["tiles"][7]["start"] == 1
    match = storeys.new("cloud-city", players=2, seed=3, components=own_set(tiles=tiles))
    start = match.position() | {"scores": None}
    start["cities"][0]["walkways"] = [{"colour": "blue", "from": [0, 0], "to": [0, 1]}]
    start["supply"]["blue"][0] -= 1
    expected = r"^C-10: position\.cities\[0\]\.walkways: this seat has had no turn yet"
    with pytest.raises(StoreysError, match=expected):
        storeys.from_position(start)


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        (
            "place bb9 g9",
            "“bb9” (word 2 of “place bb9 g9”) does not fit; expected bb1, bb2, bb3, … ",
        ),
        ("place bb1 h9", "“h9” (word 3 of “place bb1 h9”) does not fit; expected a1, c1, e1, "),
        ("place bb1 g9 turn 4", "“4” (word 5 of “place bb1 g9 turn 4”) does not fit; expected 0–3"),
        ("walkway red g7 g9", "“red” (word 2 of “walkway red g7 g9”) does not fit; expected blue"),
        ("walkway blue g7 z9", "“z9” (word 4 of “walkway blue g7 z9”) does not fit; expected a1 –"),
        ("draw 4", "“4” (word 2 of “draw 4”) does not fit; expected 1, 2, 3, pile"),
        ({"kind": "draw", "slot": 3}, "move.slot: expected one of null, 0, 1, 2; found 3"),
        ({"kind": "draw"}, "move: the entry “slot” is missing"),
        ({"kind": "place", "tile": 3, "row": 0, "col": 1, "turn": 0}, "move.tile: expected one of"),
        ({"kind": "walkway", "colour": "blue", "from": [0], "to": [0, 1]}, "move.from: expected a"),
        ({"kind": "end", "now": 1}, "move: there is no entry “now”; known are kind"),
    ],
)
def test_what_is_no_move(move: Any, sentence: str) -> None:
    with pytest.raises(NotAMove) as caught:
        storeys.from_position(two_players()).push(move)
    assert str(caught.value).startswith(sentence)


def test_move_forms() -> None:
    match = storeys.new("cloud-city", players=2, seed=3)
    tile = match.position()["hands"][0][0]
    move = match.parse_move(f"Place {tile.upper()} e7")
    assert move.to_json() == {"kind": "place", "tile": tile, "row": 0, "col": -1, "turn": 0}
    assert match.parse_move("draw 3").to_json() == {"kind": "draw", "slot": 2}
    assert match.parse_move("draw pile").to_json() == {"kind": "draw", "slot": None}
    walkway = match.parse_move("walkway sand i9 i7")
    assert walkway.to_json() == {
        "kind": "walkway", "colour": "sand", "from": [0, 2], "to": [2, 2],
    }  # fmt: skip


# --- component sets


def own_set(**changes: Any) -> dict[str, Any]:
    return dict(json.loads(json.dumps(BOX))) | changes


def other_tiles(change: Any) -> list[Any]:
    tiles = json.loads(json.dumps(BOX["tiles"]))
    change(tiles)
    return list(tiles)


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (own_set(tiles=other_tiles(lambda t: t.pop())), "C-1: components.tiles: the box has 48 in"),
        (own_set(tiles=other_tiles(lambda t: t[0].update(id="bb2"))), "C-1: components.tiles: til"),
        (own_set(tiles=other_tiles(lambda t: t[0]["squares"][1].__setitem__(0, "blue"))),
         "C-1: components.tiles[0]: building squares of the tile bb1: 3; a tile has two"),
        (own_set(tiles=other_tiles(lambda t: t[0]["squares"][0].__setitem__(0, "red"))),
         "components.tiles[0].squares[0][0]: expected one of null, blue, green, sand; found “red”"),
        (own_set(tiles=other_tiles(lambda t: t[0].update(squares=[["green", "blue"], [None] * 2]))),
         "C-1: components.tiles: blue stands on 31 squares of this set, in the box on 32"),
        (own_set(tiles=other_tiles(lambda t: t[7].pop("start"))), "C-1: components.tiles: the sta"),
        (own_set(tiles=other_tiles(lambda t: t[0].update(id="Two Words"))), "components.tiles[0]."),
        (own_set(votes=[1, 2, 3, 4, 5]), "C-3: components.votes: the walkways are worth 1, 2, 3,"),
        (own_set(requests=["circuits"]), "C-4: components.requests: each of the ten requests onc"),
        (own_set(walkways=BOX["walkways"][:2]), "C-3: components.walkways: colour sand is missin"),
        (own_set(walkways=[*BOX["walkways"][:2], {"colour": "sand", "counts": [1, 1, 1, 1, 1]}]),
         "C-3: components.walkways[2]: the box has 31 in all, this set 5"),
        (own_set(buildings=[{"colour": c, "count": n} for c, n in
                            (("blue", 31), ("green", 33), ("sand", 32))]),
         "C-2: components.buildings: the box has 32 blue buildings, this set 31"),
    ],
)  # fmt: skip
def test_wrong_sets(box: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadComponents) as caught:
        storeys.new("cloud-city", components=box)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (own_set(buildings=[{"colour": c, "count": n} for c, n in
                            (("blue", 31), ("green", 33), ("sand", 32))]), "Farbe Blau: in der"),
        (own_set(tiles=other_tiles(lambda t: t[0].update(squares=[["green", "blue"], [None] * 2]))),
         "Farbe Blau: hier auf 31 Feldern"),
    ],
)  # fmt: skip
def test_wrong_sets_name_colours_in_the_language_of_the_sentence(
    box: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadComponents) as caught:
        storeys.new("cloud-city", components=box)
    assert sentence in caught.value.text("de")


def test_an_own_set_is_played_and_travels() -> None:
    tiles = other_tiles(lambda t: [tile.update(id=f"my-{n}") for n, tile in enumerate(t)])
    match = playouts("cloud-city", 1, players=2, seed=1, components=own_set(tiles=tiles)).match(0)
    record = json.loads(json.dumps(match.record()))
    assert record["moves"][0].startswith("place my-")
    assert storeys.load(record).position() == match.position()
    ours = storeys.new("cloud-city", players=2, seed=1)
    with pytest.raises(NotAMove, match=r"move\.tile: expected one of bb1"):
        ours.push(match.moves[0])


def test_checking_a_transcription(tmp_path: Path) -> None:
    half = tmp_path / "half.json"
    half.write_text(json.dumps(own_set(tiles=BOX["tiles"][:20])), "utf-8")
    child = start("components", "check", str(half))
    assert child.returncode == 2
    assert "C-1: half.json.tiles: the box has 48 in all, this set 20" in child.stdout
    assert "sand stands on 8 squares of this set, in the box on 32" in child.stdout
    assert child.stderr == f"storeys: {half} has 5 problems\n"
    typos = json.loads(json.dumps(BOX))
    typos["tiles"][0]["squares"][0] = "blue red"
    typos["tiles"][1]["id"] = "[b]"
    half.write_text(json.dumps(typos), "utf-8")
    child = run("components", "check", str(half))
    assert (
        "tiles[0].squares[0][1]: expected one of ., blue, green, sand; found “red”" in child.stdout
    )
    assert "tiles[1].id: the id “[b]” must consist of small letters" in child.stdout
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(BOX), "utf-8")
    assert "is a sound set of Cloud City: sha256:" in shown("components", "check", str(whole))


def test_showing_a_set() -> None:
    screen = shown_by_process("components", "show", "cloud-city")
    assert "bb1   bb2" in screen
    assert "6×━  8×━━" in screen
    assert json.loads(shown("components", "show", "cloud-city", "--json")) == BOX
    assert "Blocks of each colour" in shown("components", "show", "manhattan")


def test_a_draw_is_not_taken_back_at_the_table() -> None:
    typed = "m\n1\nundo\nm\n1\ndraw pile\nundo\nq\n"
    screen = shown("play", "cloud-city", "-p", "1", "--seed", "3", typed=typed)
    assert "C-R1: what was drawn cannot be taken back" in screen


def test_requests_on_the_command_line() -> None:
    for text in ("circuits,balanced", '["circuits", "balanced"]'):
        args = ("sim", "cloud-city", "-n", "10", "-o", f"requests={text}", "--json")
        assert json.loads(shown(*args))["options"]["requests"] == ["circuits", "balanced"]
    args = ("sim", "cloud-city", "-n", "10", "-o", "requests=none", "--json")
    assert json.loads(shown(*args))["options"]["requests"] == []


def test_a_match_at_the_terminal() -> None:
    screen = shown("play", "cloud-city", "-p", "2", "--seed", "3", typed="1\ndraw pile\nq\n")
    assert "City of Player 1: 0 votes" in screen
    assert "Hand of Random 2 (bot) (3 hidden)" in screen
