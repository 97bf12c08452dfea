"""Component sets: loaded whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import BadComponents
from tests.test_records import OWN_SET

OURS = Path(storeys.__file__).parent / "games" / "manhattan" / "components.toml"


def test_our_set_and_the_same_file_by_path(tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(OURS.read_text("utf-8"), "utf-8")
    assert storeys.components("manhattan", file) == storeys.components("manhattan")


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
