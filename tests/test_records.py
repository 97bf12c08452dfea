"""Records: those of every release replay for ever; broken ones say what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import BadRecord, UnknownGame
from storeys.arena import playouts
from storeys.registry import get_game
from tests.make_golden import variant
from tests.variants import ALL

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))

OWN_SET = {
    "game": "manhattan",
    "cards": [{"cell": cell, "copies": copies} for cell, copies in
              enumerate((9, 1, 5, 5, 5, 5, 5, 5, 5), start=1)],
    "blocks": [{"storeys": size, "count": count} for size, count in
               enumerate((6, 6, 6, 6), start=1)],
}  # fmt: skip


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_golden_records_replay(file: Path) -> None:
    golden = json.loads(file.read_text("utf-8"))
    match = storeys.load(golden["record"])
    assert match.record() == golden["record"]
    found = match.position()
    assert {key: found[key] for key in golden["position"]} == golden["position"]
    assert [seat["total"] for seat in match.score()] == golden["totals"]
    assert match.winners == golden["winners"]


def test_every_variant_has_a_golden_record_of_every_version_of_its_rules() -> None:
    expected = {
        f"{name}-v{version}-{variant(options)}"
        for name, options in ALL
        for version in range(1, get_game(name).rules_version + 1)
    }
    assert expected <= {file.stem for file in GOLDEN}


def record(**changes: Any) -> dict[str, Any]:
    return playouts("manhattan", 1, players=2, seed=1).record(0) | changes


def test_a_record_is_plain_and_complete() -> None:
    found = record()
    assert found["game"] == "manhattan"
    assert found["rules_version"] == 1
    assert found["options"] == {"tiebreak": "shared", "rounds": "auto"}
    assert found["seed"].isdigit()
    assert found["components"].startswith("sha256:")
    assert found["seats"] == ["seat 0", "seat 1"]
    assert all(isinstance(move, str) for move in found["moves"])
    assert storeys.load(json.dumps(found)).record() == found


def test_a_wrong_move_is_named() -> None:
    broken = record()
    broken["moves"][9] = "build red 4 cairo a1 twice"
    with pytest.raises(BadRecord) as caught:
        storeys.load(broken)
    assert str(caught.value).startswith(
        "move 10 (“build red 4 cairo a1 twice”) cannot be replayed: “twice” (word 6 of "
    )


def test_an_illegal_move_is_named_with_its_rule() -> None:
    broken = record()
    broken["moves"][0] = "redraw"
    with pytest.raises(BadRecord, match=r"move 1 \(“redraw”\) cannot be replayed: M-8: pick your"):
        storeys.load(broken)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"length": 3}, "the record says 3 moves but holds "),
        ({"moves": ["redraw"]}, "the record says "),
        (
            {"rules_version": 99},
            "version 99 of the rules of Manhattan is not known here; known: 1",
        ),
        ({"rules_version": None}, "version None of the rules of Manhattan is not known here"),
        ({"components": "sha256:0"}, "the record was played with the component set sha256:0, but "),
        ({"seed": 7}, "record.seed: expected a text, found 7"),
        ({"seed": "seven"}, "the record cannot be set up: the seed “seven” is not a whole number"),
        ({"players": 9}, "the record cannot be set up: manhattan cannot be played by 9"),
        ({"options": []}, "record.options: expected a table of entries, found []"),
        ({"options": {"x": 1}}, "the record cannot be set up: there is no option “x”"),
        ({"seats": ["Ann"]}, "the record cannot be set up: expected 2 seat names, found ['Ann']"),
        ({"moves": [7], "length": 1}, "record.moves[0]: expected a text, found 7"),
        ({"start": {"game": "manhattan"}}, "record.start: the entry “players” is missing"),
    ],
)
def test_broken_records(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadRecord) as caught:
        storeys.load(record(**changes))
    assert str(caught.value).startswith(sentence)


def test_a_truncated_text_is_no_record() -> None:
    text = json.dumps(record())
    with pytest.raises(BadRecord, match="the record is not JSON: "):
        storeys.load(text[:500])
    with pytest.raises(BadRecord, match="record: expected a table of entries, found 7"):
        storeys.load(b"7")


def test_a_record_by_its_path(tmp_path: Path) -> None:
    file, found = tmp_path / "match.json", record()
    file.write_text(json.dumps(found, indent=1), "utf-8")
    for path in (file, str(file)):
        assert storeys.load(path).record() == found
    text = "\n " + file.read_text("utf-8")
    assert storeys.load(text).record() == storeys.load(text.encode()).record() == found


def test_a_path_that_leads_nowhere_is_one_sentence(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.json"
    for path in (missing, str(missing)):
        with pytest.raises(BadRecord) as caught:
            storeys.load(path)
        assert (
            str(caught.value) == f"the record {missing} cannot be read: No such file or directory"
        )
    for path in ("7", "", "a\0b", "x" * 5000, str(tmp_path)):
        with pytest.raises(BadRecord, match=r"^the record .* cannot be read: "):
            storeys.load(path)
    missing.write_bytes(b"\xff\xfe{")
    with pytest.raises(BadRecord, match="cannot be read: "):
        storeys.load(missing)
    missing.write_text("[", "utf-8")
    with pytest.raises(BadRecord, match=r"^the record is not JSON: "):
        storeys.load(missing)


def test_a_record_of_an_unknown_game() -> None:
    with pytest.raises(UnknownGame, match="there is no game “chess”"):
        storeys.load(record(game="chess"))


def test_an_own_component_set_travels_inside() -> None:
    match = playouts("manhattan", 1, players=3, seed=4, components=OWN_SET).match(0)
    found = json.loads(json.dumps(match.record()))
    assert found["options"]["components"] == OWN_SET
    again = storeys.load(found)
    assert again.position() == match.position()
    assert again.setup.components.hash == match.setup.components.hash
    ours = storeys.new("manhattan", seed=1)
    assert match.setup.components.hash != ours.setup.components.hash


def test_a_record_without_its_own_set_is_refused() -> None:
    found = playouts("manhattan", 1, players=3, seed=4, components=OWN_SET).record(0)
    del found["options"]["components"]
    with pytest.raises(BadRecord, match="a set of one's own must travel inside the record"):
        storeys.load(found)


def test_a_match_from_a_position_is_recorded_with_its_start() -> None:
    start = storeys.new("manhattan", players=3, seed=4)
    start.push(start.legal_moves[5])
    match = storeys.from_position(start.position())
    while match.to_move is not None:
        match.push(match.legal_moves[-1])
    found = json.loads(json.dumps(match.record()))
    assert found["start"] == start.position()
    again = storeys.load(found)
    assert again.position() == match.position()
    assert again.record() == found
    with pytest.raises(BadRecord, match="the options of the record and of its start are not"):
        storeys.load(found | {"options": {"tiebreak": "towers", "rounds": "auto"}})


def test_a_record_cannot_name_a_file_as_its_set() -> None:
    """Whoever sends a record must not be able to have files of this machine opened."""
    sent = record(options={"components": "/etc/passwd"})
    with pytest.raises(BadRecord, match=r"record\.options\.components: expected a table"):
        storeys.load(sent)
