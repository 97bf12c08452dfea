"""Bots against each other: what is played, kept, decided and told."""

import itertools
import json
import re
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storeys
from storeys import BadOption, StoreysError
from storeys.arena import Contest, Results, compete, luck
from storeys.arena.contest import CLOCKS
from storeys.arena.log import Log
from storeys.arena.luck import Luck
from storeys.arena.playing import play_game
from storeys.arena.report import page
from storeys.arena.results import Pair, places, share_in
from storeys.arena.running import Here, Processes, run, whole_groups
from storeys.arena.sequential import Betting
from storeys.bots import Bot, BotFailed
from storeys.kernel import chance
from tests.commands import run as command
from tests.commands import shown
from tests.own_bots import install_faulty
from tests.proofs import in_proof
from tests.waiting import wait_for

QUICK = Contest("neoville", ["novice", "random"], players=2, seed=3)
EXAMPLES = Path(__file__).parent.parent / "examples"
SLOW_OPTIONS = ("neoville", "novice", "random", "--players", "2", "--seed", "3")


# --- what is played


def test_every_line_up_plays_every_deal_in_all_its_seatings() -> None:
    contest = Contest("manhattan", ["builder", "novice", "random"], players=2)
    cycle = [contest.seating(number) for number in range(contest.cycle)]
    assert sorted(map(tuple, cycle)) == sorted(
        (one, other) for one in contest.bots for other in contest.bots if one != other
    )
    assert len({contest.deal_of(number) for number in range(contest.cycle)}) == 1
    groups = [contest.group_of(number) for number in range(14)]
    assert groups == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    for group in range(7):
        assert [contest.group_of(number) for number in contest.games_of(group)] == [group] * 2
    assert whole_groups(contest, 3) == 4


@pytest.mark.parametrize(
    ("bots", "players", "seatings"),
    [
        (["a", "b"], 2, ["ab", "ba"]),
        (["a", "b", "b", "b"], 4, ["abbb", "babb", "bbab", "bbba"]),
        (["a", "b"], 4, ["abab", "baba"]),
        (["a", "b"], 3, ["aba", "aab", "baa"]),
        (["a", "b", "c"], 3, ["abc", "cab", "bca"]),
    ],
)
def test_seatings(bots: list[str], players: int, seatings: list[str]) -> None:
    (found,) = Contest("manhattan", bots, players=players).line_ups
    assert ["".join(seating) for seating in found] == seatings
    for bot in set(bots):  # everybody sits everywhere equally often
        assert len({sum(s[seat] == bot for s in seatings) for seat in range(players)}) == 1


def test_a_game_is_the_same_whoever_plays_it_and_when() -> None:
    again, once = (play_game(QUICK, 5) for _ in range(2))
    for game in (again, once):
        del game["seconds"]
    assert again == once
    match = storeys.load(once["record"])
    assert match.totals == once["totals"]
    assert match.winners == once["winners"]
    assert once["record"]["seats"] == once["bots"] == ["random", "novice"]
    assert match.seed == QUICK.deal_of(4) == QUICK.deal_of(5)


def test_places() -> None:
    def game(totals: list[int], winners: list[int]) -> dict[str, Any]:
        return {"totals": totals, "winners": winners, "bots": ["a", "b", "b", "a"]}

    assert places(game([5, 9, 1, 5], [1])) == [2.5, 1, 4, 2.5]
    assert places(game([9, 9, 1, 5], [0])) == [1, 2, 4, 3]  # a tie that a rule has broken
    assert share_in(game([5, 9, 1, 5], [1]), "a", "b") == 0.5
    assert share_in(game([9, 9, 1, 5], [0]), "a", "b") == 0.75


# --- as many at once as there are cores


def without_times(log: Log) -> dict[int, Any]:
    return {
        number: {key: value for key, value in game.items() if key != "seconds"}
        for number, game in log.games.items()
    }


def test_processes_play_the_same_games() -> None:
    alone, together = Log(QUICK, None), Log(QUICK, None)
    here = run(QUICK, alone, 6, Here())
    there = run(QUICK, together, 6, Processes(2))
    assert without_times(alone) == without_times(together)
    assert here.pairs[0].to_json() == there.pairs[0].to_json()


# --- the file


def test_a_contest_goes_on_from_its_file(tmp_path: Path, monkeypatch: Any) -> None:
    file = tmp_path / "games.jsonl"
    whole = compete("neoville", ["novice", "random"], 8, 2, seed=3, processes=1)
    compete("neoville", ["novice", "random"], 4, 2, seed=3, processes=1, file=file)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    assert len(lines) == 5
    file.write_text("".join(lines[:-1]) + lines[-1][:50], "utf-8")  # killed while writing
    begun: list[int] = []

    def counted(contest: Contest, number: int) -> Any:
        begun.append(number)
        return play_game(contest, number)

    monkeypatch.setattr("storeys.arena.running.play_game", counted)
    went_on = compete("neoville", ["novice", "random"], 8, 2, seed=3, processes=1, file=file)
    assert begun == [3, 4, 5, 6, 7]
    assert went_on.pairs[0].to_json() == whole.pairs[0].to_json()
    kept = [json.loads(line) for line in file.read_text("utf-8").splitlines()[1:]]
    assert [game["number"] for game in kept] == [*range(8)]


def test_a_killed_command_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    words = [*SLOW_OPTIONS, "--games", "400", "--file", str(file), "--processes", "2"]
    child = subprocess.Popen(
        [sys.executable, "-m", "storeys.cli", "arena", *words], stdout=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: file.exists() and file.read_bytes().count(b"\n") >= 3)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    kept = Log(QUICK.checked(), file).games
    assert kept
    told = json.loads(shown("arena", *SLOW_OPTIONS, "--games", "8", "--file", str(file), "--json"))
    assert told["games"] == 8
    later = Log(QUICK.checked(), file).games
    assert all(later[number] == game for number, game in kept.items())


def test_bad_files(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    compete("neoville", ["novice", "random"], 2, 2, seed=3, processes=1, file=file)
    with pytest.raises(BadOption, match="another contest: it differs in bots, seed; name another"):
        compete("neoville", ["novice", "builder"], 2, 2, seed=4, processes=1, file=file)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text(lines[0] + "{}\n" + lines[1], "utf-8")
    with pytest.raises(StoreysError, match=r"line 2 of .*games.jsonl is damaged"):
        compete("neoville", ["novice", "random"], 2, 2, seed=3, processes=1, file=file)
    with pytest.raises(StoreysError, match="cannot be written"):
        compete("neoville", ["novice", "random"], 2, 2, processes=1, file=tmp_path)


# --- the test


def shares(rng: Any, mean: float, groups: int) -> Any:
    return (rng.random((groups, 2)) < mean).mean(axis=1)


def first_verdict(values: Any, alpha: float = 0.05) -> tuple[int, int]:
    """The verdict and after how many groups; 0 if there is none."""
    test = Betting(alpha)
    for nth, value in enumerate(values, 1):
        test.add(value)
        if test.verdict:
            return test.verdict, nth
    return 0, len(values)


def test_equals_are_seldom_called_unequal() -> None:
    """However often one looks: here after every group."""
    rng = np.random.default_rng(1)
    verdicts = [first_verdict(shares(rng, 0.5, 100), alpha=0.2)[0] for _ in range(60)]
    assert sum(map(abs, verdicts)) <= 60 * 0.2


def test_who_looks_at_a_plain_interval_every_time_is_misled() -> None:
    """So the rule above is not kept by chance."""
    rng, misled = np.random.default_rng(1), 0
    for _ in range(60):
        values = shares(rng, 0.5, 100)
        for seen in range(5, 101):
            error = values[:seen].std(ddof=1) / np.sqrt(seen)
            if abs(values[:seen].mean() - 0.5) > 1.28 * error:
                misled += 1
                break
    assert misled > 60 * 0.2


def test_the_stronger_is_found_and_sooner_if_it_is_much_stronger() -> None:
    rng = np.random.default_rng(2)
    clear = [first_verdict(shares(rng, 0.85, 200)) for _ in range(20)]
    close = [first_verdict(1 - shares(rng, 0.65, 400)) for _ in range(20)]
    assert {verdict for verdict, _ in clear} == {1}
    assert {verdict for verdict, _ in close} == {-1}
    assert np.median([at for _, at in clear]) < 20 < np.median([at for _, at in close]) < 120


def test_the_interval_holds_at_all_times() -> None:
    rng, missed = np.random.default_rng(3), 0
    for _ in range(40):
        test = Betting(0.2)
        for value in shares(rng, 0.7, 80):
            test.add(value)
        missed += not test.low <= 0.7 <= test.high
    assert missed <= 40 * 0.2
    assert test.high - test.low < 0.35


@in_proof
def test_all_games_are_played_where_that_is_wanted() -> None:
    results = compete("neoville", ["random", "builder"], 40, 2, processes=1, play_all=True)
    assert results.decided
    assert results.games == 40


def test_a_contest_ends_when_it_is_decided() -> None:
    results = compete("neoville", ["random", "builder"], 100, 2, processes=1)
    assert results.decided
    assert results.games < 40
    told = results.to_json()
    assert told["pairs"][0]["verdict"] == "builder"
    assert results.pairs[0].sentence().text("de").startswith("builder ist stärker als random, wie ")


# --- luck


@pytest.mark.parametrize("game", ["cloud-city", "neoville"])
def test_luck_is_nothing_on_the_average(game: str) -> None:
    found = np.array([luck_of_random_game(game, seed) for seed in range(150)])
    assert abs(found.mean()) < 3 * found.std() / np.sqrt(len(found))
    assert found.std() > 0.1


def luck_of_random_game(game: str, seed: int) -> float:
    match, rng = storeys.new(game, players=2, seed=seed), chance.generator(seed)
    told = Luck(match, seed + (1 << 100))
    while match.to_move is not None:
        told.push(str(match.random_move(rng)))
    return told.margins()[0]


def test_luck_that_forgets_the_average_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion: without its mean, what came is no luck but the course of the game."""

    promise = luck.promise

    def forgetful(states: Any, tables: Any, action: int, rng: Any, futures: int, out: Any) -> None:
        promise(states, tables, luck.NOTHING, rng, futures, out)
        if action != luck.NOTHING:
            out += [0.2, 0.0]

    monkeypatch.setattr(luck, "promise", forgetful)
    with pytest.raises(AssertionError):
        test_luck_is_nothing_on_the_average("neoville")


def test_taking_luck_off_keeps_the_mean_and_saves_games() -> None:
    rng = np.random.default_rng(1)
    pair, plain, less = Pair("a", "b", 0.05), [], []
    for _ in range(200):
        pair.lucks = rng.normal(0, 3, 30).tolist()
        pair.margins = (2 * np.array(pair.lucks) + rng.normal(4, 3, 30)).tolist()
        plain.append(np.mean(pair.margins))
        less.append(np.mean(pair.without_luck(pair.margins)))
    assert np.mean(less) == pytest.approx(4, abs=4 * np.std(less) / np.sqrt(200))
    assert np.var(less) < 0.4 * np.var(plain)


def test_no_luck_where_the_evaluation_does_not_see_it() -> None:
    results = compete("manhattan", ["novice", "random"], 2, 2, processes=1)
    assert results.played()[0]["luck"] is None
    assert results.pairs[0].to_json()["without_luck"] is None


# --- ratings


def test_ratings_follow_the_places() -> None:
    pytest.importorskip("openskill")
    bots = ["builder", "novice", "random"]
    results = compete("neoville", bots, 6, 2, processes=1)
    found = results.ratings
    assert found["builder"]["rating"] > found["novice"]["rating"] > found["random"]["rating"]
    for each in found.values():
        assert each["low"] < each["rating"] < each["high"]


def test_without_the_library_there_are_no_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storeys.arena.ratings.find_spec", lambda name: None)
    said = command("arena", *SLOW_OPTIONS, "--games", "2", "--file", "-", "--processes", "1")
    assert "pip install 'storeys[arena]'" in said.stderr
    assert said.returncode == 0


# --- bots from outside


@pytest.fixture
def program() -> Iterator[str]:
    """A program that plays over HTTP; whole turns, one move, nonsense, or nothing at all."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/broken":
                self.send_error(500)
                return
            novice = storeys.bot("novice", seed=asked["seed"])
            answers: dict[str, Any] = {
                "/turn": lambda: {"moves": [str(move) for move in novice.plan(asked["view"])]},
                "/move": lambda: {"move": novice.choose(asked["view"]).to_json()},
                "/told": lambda: {"move": asked["seconds"]},
                "/nonsense": lambda: {"play": 3},
                "/illegal": lambda: {"move": "draw slot 9"},
            }
            content = json.dumps(answers[self.path]()).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("path", ["turn", "move"])
def test_a_bot_over_http_plays_like_the_bot_behind_it(program: str, path: str) -> None:
    remote = Contest("neoville", [f"http:url={program}/{path}", "random"], 2, 3)
    near = play_game(QUICK, 0)
    far = play_game(remote, 0)
    if path == "turn":  # a bot that plans draws its chance from the first view of the turn
        assert far["record"]["moves"] == near["record"]["moves"]
    assert storeys.load(far["record"]).to_move is None


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nonsense", "should answer with a “move” or with “moves”, not with "),
        ("illegal", "the bot http:url=.* failed: "),
        ("broken", "/broken gave no move: 500 "),
    ],
)
def test_what_goes_wrong_over_http_is_one_sentence(program: str, path: str, sentence: str) -> None:
    said = command("arena", "neoville", f"http:url={program}/{path}", "random", "--file", "-",
                   "--games", "2", "--processes", "1", "--players", "2")  # fmt: skip
    assert said.returncode == 2
    assert re.search(sentence, said.stderr.replace("\n", " "))
    assert "Traceback" not in said.stderr


def test_an_http_bot_is_told_how_long_it_may_think(program: str) -> None:
    contest = Contest("neoville", [f"http:url={program}/told", "random"], 2, 3, seconds=0.25)
    with pytest.raises(BotFailed, match=r"0\.25"):
        play_game(contest, 0)


def test_an_entry_point_takes_options(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting(Bot):
        def __init__(
            self, seconds: Any = None, seed: Any = None, simulations: int = 7, wide: int = 1
        ):
            super().__init__(seconds, seed)
            self.got = (seconds, simulations, wide)

        def choose_in(self, world: Any) -> Any:
            return world.legal_moves[0]

    monkeypatch.setattr("storeys.arena.entrants.bot", lambda name: Counting())
    monkeypatch.setattr("storeys.arena.entrants.bot_names", lambda: ["counting", "random"])
    made = Contest("neoville", ["counting:wide=3", "counting:seconds=2"], simulations=50)
    assert vars(made.entrant("counting:wide=3").make(1))["got"] == (None, 50, 3)
    assert vars(made.entrant("counting:seconds=2").make(1))["got"] == (2, 7, 1)
    with pytest.raises(BadOption, match="the bot counting has no option “deep”; it takes seconds"):
        Contest("neoville", ["counting:deep=3", "random"], 2).checked()


def test_limits_are_for_searches() -> None:
    assert Contest("neoville", ["builder", "novice"], seconds=0.1).entrant("builder").options == {}


def test_bots_think_by_the_clock_of_their_contest(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setitem(CLOCKS, "cpu", lambda: float(next(ticks)))
    contest = Contest("neoville", ["random", "builder:seconds=1"], 2, 3, clock="cpu")
    game = play_game(contest, 0)
    assert game["seconds"][0] == game["turns"][0]  # it is looked at before a turn and after
    assert game["seconds"][1] > game["turns"][1]  # and by who may think so long
    by_wall = Contest("neoville", ["random", "builder:seconds=1"], 2, 3)
    assert by_wall.file_name() != contest.file_name()
    assert "clock" not in by_wall.to_json()  # files from before there was a choice go on


def test_a_bot_that_fails_ends_the_contest_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_faulty(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    from storeys import registry
    from storeys.bots import registry as bots

    for cache in (registry._all_announced, bots._found):
        cache.cache_clear()
    try:
        with pytest.raises(BotFailed, match="the bot raises failed: RuntimeError: no idea what to"):
            compete("neoville", ["raises", "random"], 2, 2, processes=1)
        with pytest.raises(BotFailed, match=r"the bot not-made failed: OSError: weights.npz"):
            compete("neoville", ["not-made", "random"], 2, 2, processes=1)
    finally:
        monkeypatch.undo()
        for cache in (registry._all_announced, bots._found):
            cache.cache_clear()


# --- the command


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["neoville", "builder"], "the arena needs two different bots at least"),
        (["neoville", "builder", "builder"], "the arena needs two different bots at least"),
        (["neoville", "builder", "nobody"], "there is no bot “nobody”; known are random, novice"),
        (["neoville", "builder", ":x=1"], "“:x=1” does not name a bot; write NAME or NAME:OPTION"),
        (["neoville", "builder", "novice:x=1"], "the bot novice has no option “x”; it takes "),
        (["neoville", "builder", "novice", "--players", "1"], "for two players or more"),
        (["neoville", "builder", "novice", "--games", "0"], "the number of games must be"),
        (["neoville", "builder", "novice", "--processes", "0"], "the number of processes must be"),
        (["neoville", "builder", "novice", "--seconds", "0"], "seconds"),
        (
            ["neoville", "builder", "novice", "--simulations", "0"],
            "the number of simulations must be",
        ),
        (["neoville", "builder", "novice", "--seconds", "1", "--simulations", "5"], "not both"),
        (
            ["neoville", "builder", "novice", "--clock", "sun"],
            "no clock “sun”; known are wall, cpu",
        ),
        (["neoville", "builder", "http:url=hello"], "the bot http needs an address, as in"),
        (["neoville", "builder", "novice:seconds=-1"], "seconds"),
        (["chess", "builder", "novice"], "there is no game “chess”"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], sentence: str) -> None:
    said = command("arena", *words, "--file", "-")
    assert said.returncode == 2
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_the_command_tells_keeps_and_draws(tmp_path: Path) -> None:
    file, report, records = (tmp_path / name for name in ("g.jsonl", "page.html", "records"))
    kept = ["--file", str(file), "--games", "6", "--processes", "1"]
    said = shown("arena", *SLOW_OPTIONS, *kept, "--report", str(report), "--records", str(records))
    assert "novice" in said
    assert "at all times" in said
    assert f"The games are in {file}." in said.replace("\n", "")
    assert sorted(each.name for each in records.iterdir()) == [f"{n:05}.json" for n in range(6)]
    assert storeys.load(records / "00003.json").to_move is None
    told = json.loads(shown("arena", *SLOW_OPTIONS, *kept, "--json"))
    assert (told["games"], told["groups"], told["file"]) == (6, 3, str(file))
    dutch = shown("arena", *SLOW_OPTIONS, *kept, "--lang", "nl")
    assert "De partijen staan in " in dutch
    text = report.read_text("utf-8")
    assert not re.search(r"(src|href|url)\s*[=(]|https?:|@import|<script", text)
    assert text.count("<svg") == 4
    assert "nan" not in re.sub(r"<style>.*</style>", "", text, flags=re.DOTALL)


def test_a_page_says_no_more_than_it_knows() -> None:
    empty = page(Results(QUICK.checked(), {}), "en")
    assert "It is open which of novice and random is stronger." in empty
    assert "<svg" not in empty
    named = page(Results(Contest("neoville", ["<b>", "random"], 2), {}), "en")
    assert "&lt;b&gt;" in named
    assert "<b>" not in named


def test_the_usual_file_is_named_after_the_contest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown("arena", *SLOW_OPTIONS, "--games", "2", "--processes", "1")
    assert [each.name for each in tmp_path.iterdir()] == [QUICK.checked().file_name()]


def test_the_example_program_sits_in_the_arena() -> None:
    example = runpy.run_path(str(EXAMPLES / "arena_http_bot.py"))
    with example["server"](0, "novice") as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        address = f"http:url=http://127.0.0.1:{served.server_port}/move"
        far = play_game(Contest("neoville", [address, "random"], 2, 3), 0)
        served.shutdown()
        thread.join()
    assert far["record"]["moves"] == play_game(QUICK, 0)["record"]["moves"]
