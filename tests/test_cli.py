"""The command: what it prints, and one sentence with exit code 2 where it cannot."""

import json
from pathlib import Path

import pytest

import storeys
from storeys.arena import playouts
from storeys.cli.playing import _open_saved
from storeys.match import shown_name
from tests.commands import run, shown, shown_by_process, start


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return written_record(tmp_path)


def written_record(folder: Path) -> Path:
    """A file with the record of a match that is over."""
    file = folder / "match.json"
    file.write_text(json.dumps(playouts("manhattan", 1, players=3, seed=1).record(0)), "utf-8")
    return file


def test_games() -> None:
    assert "manhattan" in shown_by_process("games")
    facts = {game["name"]: game for game in json.loads(shown("games", "--json"))}
    assert facts["manhattan"]["players"] == [2, 3, 4]
    assert facts["manhattan"]["options"]["tiebreak"] == ["shared", "towers"]
    assert "Türme" in shown("games", "--lang", "DE")


def test_version() -> None:
    assert shown_by_process("--version") == f"storeys {storeys.__version__}\n"


def test_sim() -> None:
    table = shown_by_process("sim", "manhattan", "--games", "200", "--players", "3", "--seed", "4")
    assert "200 games of manhattan" in table
    assert "games/s" in table
    assert "win share" in table
    args = ("sim", "manhattan", "-n", "200", "-p", "3", "-s", "4", "-o", "tiebreak=towers")
    figures = json.loads(shown(*args, "--json"))
    batch = playouts("manhattan", 200, players=3, seed=4, tiebreak="towers")
    assert figures["seats"][1]["score"]["mean"] == pytest.approx(batch.scores[:, 1].mean())
    assert sum(seat["win_share"] for seat in figures["seats"]) == pytest.approx(1)


def test_replay_at_a_ply_and_step_by_step(record: Path) -> None:
    match = storeys.load(record.read_text("utf-8"))
    end = shown("replay", str(record), "--ply", str(match.moves_made))
    assert "wins." in end or "share the win." in end
    steps = shown_by_process("replay", str(record), typed="\n\nb\n10\nq\n")
    assert [f"{n}/" in steps for n in (1, 2, 10)] == [True] * 3
    assert "Cards of Player 1" in steps
    assert "Cards of Player 2" in steps


def test_replay_as_a_seat_hides_the_others(record: Path) -> None:
    view = shown("replay", str(record), "--ply", "5", "--seat", "1")
    assert "Cards of Player 2" in view
    assert "Cards of Player 1" not in view


def test_play_against_bots_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "played.json"
    args = ("play", "manhattan", "-p", "2", "--seed", "3", "--save", str(file))
    screen = shown(*args, typed="1\n" * 200)
    assert "wins." in screen or "share the win." in screen
    assert "Round 1 is over:" in screen
    assert "Cards of Player 1" in screen
    assert "Cards of Random 2" not in screen
    match = storeys.load(file.read_text("utf-8"))
    assert match.winners
    assert match.names == ("seat 0", "random 2 (bot)")


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "(Builder 2 (bot))"), ("de", "(Baumeister 2 (Bot))"), ("nl", "(Bouwmeester 2 (bot))")],
)
def test_bots_are_called_in_the_language_of_the_screen(
    tmp_path: Path, lang: str, words: str
) -> None:
    file = tmp_path / "bots.json"
    args = ("play", "manhattan", "-p", "2", "-s", "3", "--bot", "builder", "--save", str(file))
    assert words in shown(*args, "--lang", lang, typed="q\n")
    match = storeys.load(file.read_text("utf-8"))
    assert match.names == ("seat 0", "builder 2 (bot)")
    assert words[1:-1] in match.svg(lang=lang)
    assert words in shown("replay", str(file), "--ply", "0", "--lang", lang)


@pytest.mark.parametrize(
    "name", ["(bot)", "2 (bot)", "greedy 2 (bot)", "builder 3 (bot)", "builder 2", "a b 2 (bot)"]
)
def test_names_that_we_did_not_give_are_shown_as_they_are(name: str) -> None:
    assert shown_name(name, 1, "en") == name


@pytest.mark.parametrize(
    ("lang", "words"), [("de", "Karten von Spieler 1"), ("nl", "Kaarten van Speler 1")]
)
def test_the_nameless_are_called_in_the_language_of_the_screen(
    tmp_path: Path, lang: str, words: str
) -> None:
    file = tmp_path / "nameless.json"
    shown("new", "manhattan", str(file), "-p", "2", "-s", "8")
    assert json.loads(file.read_text("utf-8"))["seats"] == ["seat 0", "seat 1"]
    screen = shown("play", str(file), "--lang", lang, typed="\n1\n1\n\nq\n")
    assert words in screen
    assert "seat" not in screen
    match = storeys.load(file.read_text("utf-8"))
    assert words.split()[-2] in match.svg(lang=lang)
    assert "seat 0" not in match.svg(lang=lang)


def test_a_match_in_a_file_goes_on_where_it_was_left(tmp_path: Path) -> None:
    file = tmp_path / "ours.json"
    names = ("--name", "Ann", "--name", "[b]Bob")
    words = ("new", "manhattan", str(file), "-p", "2", "-s", "8", *names)
    assert "is ready in" in shown_by_process(*words)
    starter = storeys.load(file.read_text("utf-8")).to_move
    screen = shown("play", str(file), typed="\n1\n1\n\n1\nquit\n")
    assert "it is your turn: the others look away" in screen
    match = storeys.load(file.read_text("utf-8"))
    assert match.moves_made == 3
    # Both picks of the first are told to the second, who cannot take them back.
    assert screen.count("picks") == 2
    screen = shown("play", str(file), typed="\n1\n\nundo\nundo\nquit\n")
    assert "someone else has moved since" in screen
    assert storeys.load(file.read_text("utf-8")).moves_made == 4
    hidden = shown("replay", str(file), "--ply", "1")
    assert "Cards of" not in hidden
    assert starter is not None


def test_people_can_be_named() -> None:
    args = ("play", "manhattan", "--seed", "0", "--name", "[/bold]Ann", "--humans", "1")
    assert "[/bold]Ann:" in shown(*args, typed="quit\n")


def test_undo_and_refusals_at_the_table() -> None:
    words = "pick red 1\nfly\n999\nundo\n?\nboard\nscore\nmoves\nrules\nh\n"
    screen = shown("play", "manhattan", "--seed", "0", typed=words + "9" * 5000 + "\nq\n")
    assert "pick 6 blocks; this is 1" in screen or "now" in screen
    assert "“fly” (word 1 of “fly”) does not fit" in screen
    assert "there is no move number 999; they go from 1 to" in screen
    assert "there is no move to take back" in screen
    assert "Taking over." in screen
    assert "Good-bye" in screen


def test_a_terminal_that_knows_few_signs() -> None:
    words = ("play", "manhattan", "--seed", "0")
    screen = shown_by_process(*words, typed="q\n", PYTHONIOENCODING="ascii")
    assert "Sydney" in screen


def test_a_screen_in_german() -> None:
    screen = shown("play", "manhattan", "--seed", "0", "--lang", "de", typed="quit\n")
    assert "Stapel: " in screen
    assert "Auf Wiedersehen" in shown("play", "manhattan", typed="quit\n", STOREYS_LANG="de")


def test_warm() -> None:
    assert "compiled in" in shown_by_process("warm")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["sim", "manhatan"],
            "storeys: there is no game “manhatan”; known are ",
        ),
        (["sim", "manhattan", "-p", "7"], "storeys: manhattan cannot be played by 7; the number"),
        (["sim", "manhattan", "--games", "0"], "storeys: the number of games must be a whole num"),
        (["sim", "manhattan", "--games", "x"], "storeys: Invalid value for '--games'"),
        (["sim", "manhattan", "-s", "x"], "storeys: the seed “x” is not a whole number from 0"),
        (["sim", "manhattan", "-o", "x"], "storeys: the option “x” must be written NAME=VALUE"),
        (
            ["sim", "manhattan", "-o", "x=1"],
            "storeys: there is no option “x”; known are tiebreak, rounds, --players, --components",
        ),
        (["sim", "manhattan", "--components", "x"], "storeys: the component set x cannot be read"),
        (["play", "x.json"], "storeys: the record x.json cannot be read: No such file or directo"),
        (["sim", "manhattan", "-o", "players=3"], "storeys: there is no option “players”; known"),
        (["sim", "manhattan", "-o", "progress=1"], "storeys: there is no option “progress”; know"),
        (["play", "manhattan", "-o", "seed=3"], "storeys: there is no option “seed”; known are t"),
        (["play", "manhattan", "--save", "/"], "storeys: / is there already; choose another fil"),
        (["play", "manhattan", "--name", "A", "--name", "B"], "storeys: expected 1 seat name, f"),
        (["play", "manhattan", "--humans", "5"], "storeys: 5 people cannot sit at 4 seats; choos"),
        (["play", "manhattan", "--bot", "x"], "storeys: there is no bot “x”; known are random,"),
        (["play", "manhattan", "--lang", "x"], "storeys: there is no language “x”; known are de"),
        (["play", "manhattan", "--save", "/x/y"], "storeys: /x/y cannot be written: No such file"),
        (["new", "manhattan", "/"], "storeys: / is there already; choose another file"),
        (["replay", "x"], "storeys: the record x cannot be read: No such file or directory"),
        (["warm", "chess"], "storeys: there is no game “chess”; known are "),
        (["fly"], "storeys: No such command 'fly'"),
        (["sim", "--fly"], "storeys: No such option: --fly"),
    ],
    ids=" ".join,
)
def test_one_sentence_and_exit_code_two(words: list[str], sentence: str) -> None:
    child = run(*words)
    assert child.returncode == 2
    assert child.stdout == ""
    assert child.stderr.startswith(sentence)
    assert len(child.stderr.strip().splitlines()) == 1


def test_broken_records_and_plies(record: Path) -> None:
    child = start("replay", str(record), "--ply", "999")
    assert (child.returncode, child.stdout) == (2, "")
    assert "moves; there is no move 999" in child.stderr
    child = run("replay", str(record), "--seat", "3")
    assert child.stderr == "storeys: there is no seat 3; seats go from 0 to 2\n"
    record.write_text(record.read_text("utf-8")[:300], "utf-8")
    child = run("replay", str(record))
    assert child.returncode == 2
    assert child.stderr.startswith("storeys: the record is not JSON: ")


# --- what a table remembers and takes back


def quit_after(file: Path, *lines: str) -> str:
    """Go on with a match in a file, type some lines and leave."""
    return shown("play", str(file), typed="\n".join([*lines, "quit", ""]))


def test_undo_crosses_neither_a_card_nor_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    words = ("play", "manhattan", "-p", "2", "--seed", "3", "--save", str(file))
    # Both picks can be taken back while nobody has answered, one after the other.
    screen = shown(*words, typed="1\nundo\n1\nquit\n")
    assert "cannot" not in screen
    assert storeys.load(file).movers.count(0) == 1
    quit_after(file, "1", "1")
    before = storeys.load(file)
    assert before.phase == "build"
    assert before.movers[-1] == 1
    assert before.to_move == 0
    assert "someone else has moved since" in quit_after(file, "undo")
    assert storeys.load(file).record() == before.record()


def test_undo_alone_stops_at_the_draw(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    words = ("play", "neoville", "-p", "1", "--seed", "3", "--save", str(file))
    shown(*words, typed="1\nundo\n1\ndraw 1\nquit\n")
    assert storeys.load(file).moves_made == 2
    assert "N-R1: what was drawn cannot be taken back" in quit_after(file, "undo")
    assert storeys.load(file).moves_made == 2


def test_a_saved_match_keeps_its_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "match.json"
    words = ("play", "neoville", "-p", "3", "--seed", "3", "--save", str(file))
    shown(*words, "--bot", "builder", typed="1\nquit\n")
    saved = json.loads(file.read_text("utf-8"))
    assert saved["bots"] == [None, "builder", "builder"]
    quit_after(file, "draw 1")  # and the bots answer
    record = json.loads(file.read_text("utf-8"))
    assert record["bots"] == saved["bots"]
    assert {1, 2} <= set(storeys.load(record).movers)
    quit_after_with_novices = shown("play", str(file), "--bot", "novice", typed="quit\n")
    assert "The match is saved" in quit_after_with_novices
    assert json.loads(file.read_text("utf-8"))["bots"] == [None, "novice", "novice"]


@pytest.mark.parametrize(
    ("bots", "names", "expected"),
    [
        (["builder", None], ["Ann", "Bob"], ["builder", None]),
        (None, ["Ann", "builder 2 (bot)"], [None, "builder"]),  # as they were saved before
        (None, ["Ann", "Bob"], [None, None]),
        (["nobody", None], ["Ann", "Bob"], ["builder", None]),
    ],
)
def test_who_sits_where_in_a_file(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    bots: list[str | None] | None,
    names: list[str],
    expected: list[str | None],
) -> None:
    file = tmp_path / "match.json"
    record = storeys.new("manhattan", players=2, seed=1, names=names).record()
    file.write_text(json.dumps(record | ({} if bots is None else {"bots": bots})), "utf-8")
    match, seated = _open_saved(file, None)
    assert [bot and bot.name for bot in seated] == expected
    assert match.record() == record
    told = capfd.readouterr().err
    assert ("there is no bot “nobody”" in told) == (bots == ["nobody", None])


def test_a_wrong_list_of_bots_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    record = storeys.new("manhattan", players=2, seed=1).record()
    for bots, sentence in (
        (["builder"], "record.bots: expected a list of 2 entries, found 1"),
        ("builder", "record.bots: expected a list, found “builder”"),
        ([None, 7], "record.bots[1]: expected a text, found 7"),
    ):
        file.write_text(json.dumps(record | {"bots": bots}), "utf-8")
        with pytest.raises(storeys.BadRecord) as caught:
            _open_saved(file, None)
        assert str(caught.value) == sentence
