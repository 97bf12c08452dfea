"""Neoville's positions, components and moves as other programs give them: taken or explained."""

import json
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import BadComponents, NotAMove, StoreysError
from storeys.arena import playouts
from storeys.registry import get_game
from tests.changing import changed
from tests.commands import run, shown
from tests.neoville_cities import BOX, filler_city, position

ROOT = Path(__file__).parent.parent
CITY = "e e e g\ns w s wp"


def two_players() -> dict[str, Any]:
    """Seat 0 has laid two tiles and built on the first."""
    pieces = [["earth 6 0,0"], ["bus-parks-1 0,0"]]
    return position(CITY, filler_city(1), pieces=pieces, supply=["windmill-left-1"])


def skyscraper(terrain: str, value: int, row: int, col: int) -> dict[str, Any]:
    return {"kind": "skyscraper", "terrain": terrain, "value": value, "row": row, "col": col}


def test_a_position_comes_back_as_it_was() -> None:
    start = two_players()
    again = storeys.from_position(start).position()
    assert again == start | {"scores": [-6 + 5, -8]}  # the only park is seat 0's
    assert storeys.from_position(again).position() == again


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("phase", "draw", "N-13: position.phase: after laying the tile the phase is build"),
        ("phase", "walkways", "position.phase: expected one of place, build, draw, over"),
        ("round", 3, "N-16: position.cities[0].tiles: in this round and phase the city has 3 til"),
        ("to_move", 1, "N-16: position.cities[1].tiles: in this round and phase the city has 2 t"),
        ("cities/0/tiles/0/col", 1, "N-11: position.cities[0].tiles[0]: the first tile of a city"),
        ("cities/0/tiles/1/col", 2, "N-11: position.cities[0].tiles[1]: the tile does not lie ed"),
        ("cities/0/tiles/1/tile", "equity1", "N-1: position.hands[0][0]: the tile equity1 is som"),
        ("cities/0/tiles/1/tile", "equity2", "N-10: position.cities[0].tiles[1].tile: the tile eq"),
        ("cities/0/pieces", [skyscraper("earth", 5, 0, 0)],
         "N-8: position.cities[0].pieces[0]: skyscraper 5 (earth) is not in the supply"),
        ("cities/0/pieces", [skyscraper("earth", 6, 1, 0)],
         "N-14: position.cities[0].pieces[0]: skyscraper 6 (earth) needs earth; g8 is stone"),
        ("cities/0/pieces", [skyscraper("earth", 6, 0, 0), skyscraper("earth", 4, 0, 2)],
         "N-14: position.cities[0].pieces[1]: the district already holds skyscraper 6 (earth) on"
         " g7"),
        ("cities/0/pieces", [skyscraper("water", 6, 1, 3)],
         "N-13: position.cities[0].pieces[0]: j8 is a park or a sports ground"),
        ("cities/0/pieces", [skyscraper("earth", 6, 0, 2), skyscraper("earth", 4, 0, 0)],
         "N-13: position.cities[0].pieces[1]: no tile for this piece"),
        ("cities/0/pieces", [skyscraper("earth", 6, 0, 0), skyscraper("water", 4, 1, 1)],
         "N-13: position.cities[0].pieces[1]: no tile for this piece"),
        ("skyscrapers/earth", [4, 8, 10], "N-8: position.skyscrapers.earth: with what is built "),
        ("utilities/0", "bus-parks-1", "N-9: position.utilities: the utility bus-parks-1 is in t"),
        ("utilities/0", "biosphere-l3-1", "N-9: position.utilities: supply and cities have 4 bus"),
        ("pile", 7, "N-1: position.pile: with these tiles the pile has "),
        ("hands/0", [], "N-10: position.hands[0]: now the hand has 2 tiles, not 0"),
        ("shown/0", [], "N-R3: position.hands[0][0]: nobody has shown the tile equity1"),
        ("scores", [-6, -8], "N-R4: position.scores: with these cities they are [-1, -8]; give t"),
        ("scores", [-1, "-8"], "position.scores[1]: expected a whole number from −1000 to 1000"),
        ("options/utilities", ["bus"], "N-9: choose two different kinds of utilities out of bus"),
    ],
)  # fmt: skip
def test_broken_positions(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(StoreysError) as caught:
        storeys.from_position(changed(two_players(), path, value))
    assert str(caught.value).startswith(sentence)


@pytest.mark.rule("N-R3")
def test_before_a_draw_the_equity_tile_alone_is_known() -> None:
    start = storeys.new("neoville", players=2, seed=3).position()
    assert start["shown"] == [["equity1"], ["equity2"]]
    expected = r"^N-R3: position\.shown\[1\]: tiles of this hand that were drawn openly: 2; .*: 0$"
    with pytest.raises(StoreysError, match=expected):
        storeys.from_position(changed(start, "shown/1", start["hands"][1]))


@pytest.mark.rule("N-R3")
def test_as_many_tiles_are_known_as_were_drawn() -> None:
    # Both have drawn once, and the equity tiles are still in their hands.
    start = two_players()
    for seat in (0, 1):
        taken = changed(start, f"shown/{seat}", start["hands"][seat][:2])
        assert len(storeys.from_position(taken).position()["shown"][seat]) == 2
    with pytest.raises(StoreysError, match=r"openly: 2; draws of this seat so far: 1$"):
        storeys.from_position(changed(start, "shown/1", start["hands"][1]))


@pytest.mark.rule("N-R3", "N-16")
def test_what_is_drawn_after_the_pile_is_known() -> None:
    # 74 tiles, 8 in hands and 4 open at first: the last two of the 64 draws are from the row.
    match = playouts("neoville", 1, players=4, seed=4).match(0)
    end = match.position()
    assert (end["pile"], len(end["row"])) == (0, 2)
    assert storeys.from_position(end).position() == end
    for seat in (2, 3):
        kept = [tile for tile in end["shown"][seat] if tile.startswith("equity")]
        expected = rf"^N-R3: position\.shown\[{seat}\]: the pile was used up when this seat last"
        with pytest.raises(StoreysError, match=expected):
            storeys.from_position(changed(end, f"shown/{seat}", kept))


def test_an_equity_tile_stays_with_its_seat() -> None:
    start = two_players()
    start["hands"][0][0], start["shown"][0] = start["row"][0], []
    start["row"][0] = "equity1"
    with pytest.raises(StoreysError, match=r"N-10: .*the tile equity1 is for seat 0 alone"):
        storeys.from_position(start)
    start = two_players()
    start["hands"][0][0], start["shown"][0] = start["row"].pop(), []
    with pytest.raises(StoreysError, match=r"N-10: .*own tile equity1 is neither laid nor in"):
        storeys.from_position(start)


def test_a_city_in_which_districts_were_joined_is_taken() -> None:
    city = "e g  e e  e g\ns w  g g  s w"
    towers = ["earth 4 0,0", "earth 6 0,4"]
    order = [(0, 0), (0, 1), (0, 2)]
    start = position(city, pieces=[towers], order=order)
    match = storeys.from_position(start)
    assert [part["size"] for part in match.score()[0]["parts"]] == [1, 3]
    joined = position("e e  e e  e g\ns w  g g  s w\ns w  g s  w e\ng s  w g  s w", pieces=[towers],
                      order=[(0, 0), (1, 0), (1, 1), (1, 2), (0, 2), (0, 1)])  # fmt: skip
    match = storeys.from_position(joined)
    assert [part["points"] for part in match.score()[0]["parts"]] == [4, 0]
    assert match.position() | {"scores": None} == joined


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("place eegs2 g9", "“eegs2” (word 2 of “place eegs2 g9”) does not fit; expected"),
        ("skyscraper sand 4 g7", "“sand” (word 2 of “skyscraper sand 4 g7”) does not fit; expect"),
        ("skyscraper earth 9 g7", "“9” (word 3 of “skyscraper earth 9 g7”) does not fit; expected"),
        ("skyscraper earth 4", "“skyscraper earth 4” ends too early; next comes a1 – n14"),
        ("utility tram g7", "“tram” (word 2 of “utility tram g7”) does not fit; expected bus-park"),
        ("draw 5", "“5” (word 2 of “draw 5”) does not fit; expected 1, 2, 3, 4, pile"),
        ("walkway blue g7 g9", "“walkway” (word 1 of “walkway blue g7 g9”) does not fit; expected"),
        ({"kind": "draw", "slot": 4}, "move.slot: expected one of null, 0, 1, 2, 3; found 4"),
        ({"kind": "skyscraper", "terrain": "earth", "value": 9, "row": 0, "col": 0},
         "move.value: expected one of 4, 5, 6, 7, 8, 10, 12; found 9"),
        ({"kind": "skyscraper", "terrain": "earth", "value": 4, "row": 0, "col": 8},
         "move.col: expected a whole number from −6 to 7; found 8"),
        ({"kind": "utility", "utility": 3, "row": 0, "col": 0}, "move.utility: expected one of bu"),
        ({"kind": "utility", "row": 0, "col": 0}, "move: the entry “utility” is missing"),
    ],
)  # fmt: skip
def test_what_is_no_move(move: Any, sentence: str) -> None:
    match = storeys.new("neoville", players=2, seed=3)
    with pytest.raises(NotAMove) as caught:
        match.push(move)
    assert str(caught.value).startswith(sentence.replace("; found 8", ", found 8"))


def test_move_forms() -> None:
    match = storeys.new("neoville", players=2, seed=3)
    assert match.parse_move("Skyscraper WATER 12 j9").to_json() == {
        "kind": "skyscraper", "terrain": "water", "value": 12, "row": 2, "col": 3,
    }  # fmt: skip
    assert match.parse_move("utility windmill-left-1 g7").to_json() == {
        "kind": "utility", "utility": "windmill-left-1", "row": 0, "col": 0,
    }  # fmt: skip
    assert match.parse_move("draw 4").to_json() == {"kind": "draw", "slot": 3}
    assert match.parse_move("utility bus-sports-2 a1").label(0, "de") == (
        "baut auf a1: Bus für 4 Sportplätze"
    )


# --- component sets


def own_set(change: Any) -> dict[str, Any]:
    box: dict[str, Any] = json.loads(json.dumps(BOX))
    change(box)
    return box


def utility(number: int, **changes: Any) -> dict[str, Any]:
    return own_set(lambda box: box["utilities"][number].update(changes))


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (own_set(lambda b: b["tiles"].pop(0)), "N-1: components.tiles: the box has 78 in all, thi"),
        (own_set(lambda b: b["tiles"][1].update(id="eeeg")), "N-1: components.tiles: tile eeeg is"),
        (own_set(lambda b: b["tiles"][-1].pop("equity")), "N-1: components.tiles: the equity tile"),
        (own_set(lambda b: b["tiles"][0]["squares"][0][0].update(terrain="sand")),
         "components.tiles[0].squares[0][0].terrain: expected one of earth, grass, stone, water"),
        (own_set(lambda b: b["tiles"][0]["squares"][0][0].update(symbol="lake")),
         "components.tiles[0].squares[0][0].symbol: expected one of null, park, sport"),
        (own_set(lambda b: b["tiles"][0]["squares"][0].pop()),
         "components.tiles[0].squares[0]: expected a list of 2 entries, found 1"),
        (own_set(lambda b: b["skyscrapers"].pop()), "N-2: components.skyscrapers: terrain water i"),
        (own_set(lambda b: b["skyscrapers"][0]["values"].pop()),
         "N-2: components.skyscrapers[0]: the skyscrapers of a terrain have the values 4, 5, 6, 7"),
        (own_set(lambda b: b["skyscrapers"].append(b["skyscrapers"][0])),
         "N-2: components.skyscrapers[4]: terrain earth is there twice"),
        (own_set(lambda b: b["utilities"].pop()), "N-3: components.utilities: the box has 12 bios"),
        (utility(1, id="bus-parks-1"), "N-3: components.utilities: utility bus-parks-1 is there t"),
        (utility(0, points=9), "N-4: components.utilities[0]: “bus for 4 parks” brings 8 points, "),
        (utility(0, count=5), "N-4: components.utilities[0]: no bus of the box asks for what bus-"),
        (utility(0, needs=["tram"]), "components.utilities[0].needs[0]: expected one of park, spo"),
        (utility(12, points=3), "N-5: components.utilities[12]: “windmill for the leftmost column"),
        (utility(12, where="corner"), "N-5: components.utilities[12]: “windmill for a corner” br"),
        (utility(0, kind="windmill", where="left", points=4), "components.utilities[0]: there is"),
        (utility(24, points=6), "N-6: components.utilities[24]: a biosphere ■□/■■ brings 5 points"),
        (utility(30, points=7), "N-6: components.utilities[30]: a biosphere ■■■/□■□ brings 5, 6,"),
        (utility(24, shape=[[0, 0], [1, 1]]), "N-6: components.utilities[24].shape: a shape is sq"),
        (utility(24, shape=["xX", "XX"]), "N-6: components.utilities[24].shape[0]: a row"),
        (utility(24, shape=[]), "N-6: components.utilities[24].shape: a shape is squares that han"),
        (utility(24, shape=[[0, n] for n in range(5)]), "N-6: components.utilities[24].shape: a s"),
        (utility(24, kind="tram"), "components.utilities[24].kind: expected one of bus, windmill,"),
    ],
)  # fmt: skip
def test_wrong_sets(box: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadComponents) as caught:
        storeys.new("neoville", components=box)
    assert str(caught.value).startswith(sentence)


def test_an_own_set_is_played_and_travels() -> None:
    def rename(box: dict[str, Any]) -> None:
        for number, tile in enumerate(box["tiles"]):
            tile["id"] = f"my-{number}"
        box["utilities"][26]["shape"] = [[5, 5], [5, 6], [6, 6], [6, 5]]

    match = playouts("neoville", 1, players=2, seed=1, components=own_set(rename)).match(0)
    record = json.loads(json.dumps(match.record()))
    assert record["moves"][0].startswith("place my-")
    assert storeys.load(record).position() == match.position()
    carried = record["options"]["components"]["utilities"][26]
    assert carried["shape"] == [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.rule("N-4", "N-5", "N-6")
def test_how_many_of_each_utility_is_the_owners_to_say() -> None:
    """The box prints twelve of each kind, and what each sort brings; no more."""

    def all_of_one_sort(box: dict[str, Any]) -> None:
        for first in (0, 12, 24):  # a bus, a windmill and a biosphere
            for nth in range(first, first + 12):
                box["utilities"][nth] = box["utilities"][first] | {"id": f"my-{nth}"}

    match = storeys.new("neoville", players=4, seed=1, components=own_set(all_of_one_sort))
    assert len(match.position()["utilities"]) == 14
    again = storeys.from_position(match.position())
    assert again.position() == match.position()


def test_our_set_is_what_the_script_makes() -> None:
    """The script shows how the reconstruction meets every total."""
    made = run_script()
    ours = get_game("neoville").folder / "components.toml"
    assert made == ours.read_text("utf-8")


def run_script() -> str:
    import runpy

    script = runpy.run_path(str(ROOT / "tools" / "make_neoville_components.py"))
    return str(script["document"]())


def test_checking_and_showing_a_set(tmp_path: Path) -> None:
    (tmp_path / "whole.json").write_text(json.dumps(BOX), "utf-8")
    half = tmp_path / "half.json"
    half.write_text(json.dumps(own_set(lambda box: box["tiles"].__delitem__(slice(20)))), "utf-8")
    child = run("components", "check", str(half))
    assert child.returncode == 2
    assert "N-1: half.json.tiles: the box has 78 in all, this set 58" in child.stdout
    assert child.stderr == f"storeys: {half} has 1 problem\n"
    typo = tmp_path / "typo.toml"
    ours = (get_game("neoville").folder / "components.toml").read_text("utf-8")
    typo.write_text(ours.replace("earth+sport", "earth+pool", 1), "utf-8")
    child = run("components", "check", str(typo))
    assert "expected one of earth, earth+park, earth+sport," in child.stdout
    assert child.stderr == f"storeys: {typo} has 1 problem\n"
    assert "equity1*" in shown("components", "show", str(tmp_path / "whole.json"))
    screen = shown("components", "show", "neoville")
    assert "equity1*" in screen
    assert "bus for 4 parks or sports grounds: bus-grounds-1, bus-grounds-2" in screen
    assert json.loads(shown("components", "show", "neoville", "--json")) == BOX


# --- at the terminal


def test_a_match_at_the_terminal() -> None:
    typed = "place equity1 g7\nscore\ndraw pile\nundo\nq\n"
    screen = shown("play", "neoville", "-p", "1", "--seed", "3", typed=typed)
    assert "City of Player 1: 0 points" in screen
    assert "no tile yet; the first one goes to g7" in screen
    assert "N-R1: what was drawn cannot be taken back" in screen


def test_utilities_on_the_command_line() -> None:
    for text in ("bus,biosphere", '["biosphere", "bus"]'):
        args = ("sim", "neoville", "-n", "10", "-o", f"utilities={text}", "--json")
        assert json.loads(shown(*args))["options"]["utilities"] == ["bus", "biosphere"]
    args = ("sim", "neoville", "-n", "10", "-o", "utilities=random", "--json")
    assert json.loads(shown(*args))["options"]["utilities"] is None  # drawn for each game
    assert "utilities = random | KIND,KIND" in shown("games")
