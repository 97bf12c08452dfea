"""Bots of other packages: found, introduced, asked, and replaced when they fail."""

import io
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import storeys.registry
from storeys.bots import LEVELS, Bot, BotFailed, ask, bot_facts, bot_names, registry
from storeys.cli import main
from tests.commands import shown_by_process, start
from tests.own_bots import FAULTS, install_documented, install_faulty, with_site


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process has the bots that fail, and nothing remembers them afterwards."""
    install_faulty(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    look_again()
    yield
    look_again()
    sys.modules.pop("faulty", None)


def look_again() -> None:
    """Forget what packages announce."""
    registry._found.cache_clear()
    storeys.registry._all_announced.cache_clear()


def typed(monkeypatch: pytest.MonkeyPatch, lines: str, *words: str) -> int:
    """Run the command in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", ["storeys", *words])
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


# --- the bot of the docs


def test_the_documented_bot_is_listed_and_plays(tmp_path: Path) -> None:
    site, file = tmp_path / "site", tmp_path / "match.json"
    install_documented(site)
    facts = json.loads(shown_by_process("bots", "--json", **with_site(site)))
    listed = {bot["name"]: bot for bot in facts}
    assert list(listed) == ["random", *LEVELS, "greedy"]
    assert listed["greedy"] == {
        "name": "greedy",
        "level": None,
        "help": "Takes the points that it can have at once",
        "source": "greedy-bots 1.0",
        "fault": None,
    }
    assert "greedy-bots 1.0" in shown_by_process("bots", **with_site(site))
    words = ("play", "neoville", "-p", "1", "--humans", "0", "--bot", "greedy", "--seed", "1")
    child = start(*words, "--save", str(file), **with_site(site))
    assert (child.returncode, child.stderr) == (0, "")
    assert json.loads(file.read_text("utf-8"))["bots"] == ["greedy"]
    played = storeys.load(file)
    assert played.to_move is None
    assert played.names == ("greedy 1 (bot)",)


def test_warming_asks_the_documented_bot(tmp_path: Path) -> None:
    install_documented(tmp_path)
    # Nothing is compiled: others' bots are asked all the same.
    child = start("warm", "manhattan", **with_site(tmp_path), STOREYS_UNCOMPILED="1")
    assert (child.returncode, child.stderr.strip()) == (0, "")


# --- bots that fail


def test_warming_names_and_skips_what_fails(tmp_path: Path) -> None:
    """Serving warms in the same way before it starts."""
    install_faulty(tmp_path)
    child = start("warm", "manhattan", "neoville", **with_site(tmp_path))
    assert child.returncode == 0, child.stderr
    lines = child.stderr.strip().splitlines()
    assert len(lines) == len(FAULTS)  # one sentence each, not one for every game
    for line, name in zip(lines, sorted(FAULTS), strict=True):
        assert line.startswith(f"storeys: the bot {name} failed: {FAULTS[name][1]}")
        assert line.endswith("; it is left out")


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("name", FAULTS)
def test_at_the_terminal_another_plays_instead(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.json"
    words = ("play", "neoville", "-p", "2", "--humans", "0", "--bot", name, "--seed", "1")
    assert typed(monkeypatch, "", *words, "--save", str(file)) == 0
    told = " ".join("".join(capfd.readouterr()).split())
    assert told.count(f"the bot {name} failed: {FAULTS[name][1]}") == 1
    assert told.count("builder plays in its place") == 1
    assert storeys.load(file).to_move is None
    assert json.loads(file.read_text("utf-8"))["bots"] == ["builder", "builder"]


@pytest.mark.usefixtures("faulty")
def test_what_cannot_be_loaded_says_so_where_bots_are_listed() -> None:
    facts = {name: bot_facts(name) for name in bot_names()}
    assert {name for name in facts if facts[name].fault} == {"no-bot", "no-module", "no-class"}
    assert str(facts["no-module"].fault).startswith("the bot no-module failed: ModuleNotFound")
    assert facts["raises"].source == "faulty-bots 1.0"
    assert facts["raises"].help == ""


@pytest.mark.usefixtures("faulty")
def test_pages_offer_what_can_be_loaded() -> None:
    from storeys.web.listing import bots_facts

    offered = {bot["name"]: bot for bot in bots_facts("de")}
    assert set(FAULTS) & set(offered) == {"raises", "illegal", "too-much", "not-made", "quits"}
    assert all(offered[name]["help"] for name in registry.OURS)


@pytest.mark.usefixtures("faulty")
def test_a_failure_is_an_error_with_a_name() -> None:
    match = storeys.new("manhattan", seed=1)
    with pytest.raises(BotFailed, match=r"^the bot not-made failed: OSError: weights") as caught:
        storeys.bot("not-made")
    assert isinstance(caught.value.__cause__, OSError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(BotFailed, match=r"^the bot raises failed: RuntimeError: no idea what to"):
        ask(storeys.bot("raises"), match)
    with pytest.raises(RuntimeError):  # who writes a bot sees where it raises
        storeys.bot("raises").choose(match.view(match.to_move))
    with pytest.raises(storeys.BadOption, match="the seconds to think"):
        storeys.bot("not-made", seconds=-1)


# --- what a bot may do with its world


class Wanderer(Bot):
    """Makes moves in its world and forgets to take them back."""

    def choose_in(self, world: storeys.Match) -> str:
        chosen = str(world.legal_moves[0])
        world.push(chosen)
        return chosen


def test_the_world_is_the_bots_to_think_with() -> None:
    match = storeys.new("cloud-city", players=2, seed=3)
    plan = Wanderer(seed=1).plan(match.view(match.to_move))
    assert plan[0] == Wanderer(seed=1).choose(match.view(match.to_move))
    for move in plan:
        assert move == match.legal_moves[0]
        match.push(move)
    assert match.to_move == 1


def test_a_generator_repeats_and_goes_on_with_the_turn() -> None:
    match = storeys.new("cloud-city", players=2, seed=3)
    bot = storeys.bot("random", seed=2)
    world = bot.open_view(match.view(match.to_move))
    first = bot.chance_in(world).tolist()
    assert first == bot.chance_in(world).tolist()
    world.push(world.legal_moves[0])
    assert first != bot.chance_in(world).tolist()
