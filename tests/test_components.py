"""Component sets: loaded whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import BadComponents
from storeys.registry import get_game
from tests.test_records import OWN_SET

OURS = Path(storeys.__file__).parent / "games" / "manhattan" / "components.toml"


def test_our_set_and_the_same_file_by_path(tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(OURS.read_text("utf-8"), "utf-8")
    assert storeys.components("manhattan", file) == storeys.components("manhattan")


def test_what_is_given_can_be_changed_without_harm() -> None:
    storeys.components("manhattan")["blocks"].clear()
    assert storeys.components("manhattan")["blocks"]


def test_an_own_set_as_toml_json_or_dict(tmp_path: Path) -> None:
    as_json = tmp_path / "box.json"
    as_json.write_text(json.dumps(OWN_SET), "utf-8")
    text = OURS.read_text("utf-8").replace("cell = 1, copies = 5", "cell = 1, copies = 9")
    text = text.replace("cell = 2, copies = 5", "cell = 2, copies = 1")
    for old, new in (("count = 11", "count = 6"), ("count = 4", "count = 6"),
                     ("count = 3", "count = 6")):  # fmt: skip
        text = text.replace(old, new)
    as_toml = tmp_path / "box.toml"
    as_toml.write_text(text, "utf-8")
    for source in (as_json, str(as_toml), OWN_SET):
        assert storeys.components("manhattan", source) == OWN_SET


def test_the_rules_play_with_the_given_set() -> None:
    match = storeys.new("manhattan", seed=1, components=OWN_SET)
    assert match.position()["stock"] == [[6, 6, 6, 6]] * 4
    assert match.position()["options"]["components"] == OWN_SET
    again = storeys.from_position(match.position())
    assert again.position() == match.position()
    assert storeys.from_position(match.view(0)).view(0) == match.view(0)


def changed(kind: str, entry: int, **values: Any) -> dict[str, Any]:
    box = json.loads(json.dumps(OWN_SET))
    box[kind][entry] |= values
    return dict(box)


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        (
            changed("cards", 0, copies=8),
            "M-2: components.cards: the box has 45 in all, this set 4",
        ),
        (
            changed("blocks", 3, count=7),
            "M-3: components.blocks: the box has 24 in all, this set ",
        ),
        (changed("cards", 0, cell=2), "M-2: components.cards[1]: cell 2 is there twice; give each"),
        (changed("cards", 0, cell=10), "components.cards[0].cell: expected one of 1, 2, 3, 4,"),
        (changed("blocks", 1, count="6"), "components.blocks[1].count: expected a whole number fr"),
        (changed("blocks", 1, colour=6), "components.blocks[1]: there is no entry “colour”; known"),
        ({"game": "manhattan", "cards": OWN_SET["cards"]}, "components: the entry “blocks” is mis"),
        (OWN_SET | {"game": "chess"}, "components.game: expected one of manhattan; found “chess”"),
        (OWN_SET | {"tiles": []}, "components: there is no entry “tiles”; known are game, card"),
        (
            OWN_SET | {"blocks": list(OWN_SET["blocks"])[:3]},
            "M-3: components.blocks: storeys 4 is missi",
        ),
    ],
)
def test_a_wrong_set_names_entry_and_rule(box: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadComponents) as caught:
        storeys.new("manhattan", components=box)
    assert str(caught.value).startswith(sentence)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadComponents, match=r"nothing\.toml cannot be read: No such file"):
        storeys.components("manhattan", tmp_path / "nothing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("cards = [", "utf-8")
    with pytest.raises(BadComponents, match=r"broken\.toml cannot be read: "):
        storeys.components("manhattan", broken)
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('game = "manhattan"\ncards = 1\nblocks = 2', "utf-8")
    with pytest.raises(BadComponents, match=r"wrong\.toml\.cards: expected a list, found 1"):
        storeys.components("manhattan", wrong)


def problems_of(name: str, box: Any) -> list[str]:
    return [str(problem) for problem in get_game(name).component_problems(box)]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    box = json.loads(json.dumps(OWN_SET))
    box["cards"][0] = {"cell": 10, "copies": "many"}
    box["cards"][1]["colour"] = "red"
    box["cards"][2] = 7
    box["blocks"] = "some"
    box |= {"tiles": [], "dice": 1}
    found = problems_of("manhattan", box)
    assert [sentence.partition(";")[0] for sentence in found] == [
        "components: there is no entry “tiles”",
        "components: there is no entry “dice”",
        "components.cards[0].cell: expected one of 1, 2, 3, 4, 5, 6, 7, 8, 9",
        "components.cards[0].copies: expected a whole number from 0 to 45, found “many”",
        "components.cards[1]: there is no entry “colour”",
        "components.cards[2]: expected a table of entries, found 7",
        "components.blocks: expected a list, found “some”",
    ]
    assert problems_of("manhattan", OWN_SET) == []
    assert problems_of("manhattan", {"game": "manhattan"}) == [
        "components: the entry “cards” is missing",
        "components: the entry “blocks” is missing",
    ]


@pytest.mark.parametrize("name", ["cloud-city", "neoville"])
def test_every_part_of_a_box_of_tiles_is_looked_at(name: str) -> None:
    box = storeys.components(name)
    assert problems_of(name, box) == []
    broken = {key: value if key == "game" else "x" for key, value in box.items()}
    assert problems_of(name, broken) == [
        f"components.{key}: expected a list, found “x”" for key in box if key != "game"
    ]
    assert problems_of(name, {"game": name}) == [
        f"components: the entry “{key}” is missing" for key in box if key not in ("game", "votes")
    ]


def test_entries_of_cloud_city_fail_one_by_one() -> None:
    box = json.loads(json.dumps(storeys.components("cloud-city")))
    box["walkways"][0]["counts"][0] += 1
    box["walkways"][1]["colour"] = "red"
    box["buildings"][2]["count"] = 31
    box["votes"] = [1, 2, 3, 5, 9]
    box["requests"][0], box["requests"][3] = "x", "y"
    box["tiles"][5]["id"] = "NO"
    starts = (
        "components.tiles[5].id: the id “NO” must",
        "C-2: components.buildings: the box has 96 in all, this set 95",
        "C-2: components.buildings: ",
        "C-3: components.walkways[0]: the box has 31 in all, this set 32",
        "components.walkways[1].colour: expected one of blue, green, sand",
        "C-3: components.votes: ",
        "components.requests[0]: expected one of ",
        "components.requests[3]: expected one of ",
    )
    found = problems_of("cloud-city", box)
    assert len(found) == len(starts), found
    for sentence, start in zip(found, starts, strict=True):
        assert sentence.startswith(start)


def test_entries_of_neoville_fail_one_by_one() -> None:
    box = json.loads(json.dumps(storeys.components("neoville")))
    box["skyscrapers"][0]["values"].pop()
    box["skyscrapers"][1] = {"terrain": "lava", "values": "none", "colour": 1}
    box["utilities"][3]["points"] = 0
    box["tiles"][0]["squares"] = []
    starts = (
        "components.tiles[0].squares: expected a list of 2 entries, found 0",
        "N-2: components.skyscrapers[0]: ",
        "components.skyscrapers[1]: there is no entry “colour”",
        "components.skyscrapers[1].terrain: expected one of earth, grass, stone, water",
        "components.skyscrapers[1].values: expected a list, found “none”",
        "components.utilities[3].points: expected a whole number from 1 to 99, found 0",
    )
    found = problems_of("neoville", box)
    assert len(found) == len(starts), found
    for sentence, start in zip(found, starts, strict=True):
        assert sentence.startswith(start)


def test_all_that_is_wrong_with_one_entry_is_told() -> None:
    box = json.loads(json.dumps(storeys.components("neoville")))
    box["tiles"][0] |= {"id": "NO", "colour": 1, "squares": [["lava"] * 2] * 2}
    bus = next(nth for nth, one in enumerate(box["utilities"]) if one["kind"] == "bus")
    box["utilities"][bus] |= {"id": "NO", "points": 0, "needs": ["cars"], "count": 0}
    del box["utilities"][-1]  # a biosphere
    starts = (
        "components.tiles[0]: there is no entry “colour”",
        "components.tiles[0].id: the id “NO” must",
        *(f"components.tiles[0].squares[{r}][{c}]" for r in range(2) for c in range(2)),
        f"components.utilities[{bus}].id: the id “NO” must",
        f"components.utilities[{bus}].points: expected a whole number from 1 to 99, found 0",
        f"components.utilities[{bus}].needs[0]: expected one of ",
        f"components.utilities[{bus}].count: expected a whole number from 1 to 16, found 0",
        "N-3: components.utilities: the box has 12 biospheres, this set 11",
    )
    found = problems_of("neoville", box)
    assert len(found) == len(starts), found
    for sentence, start in zip(found, starts, strict=True):
        assert sentence.startswith(start), sentence
