"""A contest on a Ray cluster of this machine: the same games as without it."""

import sys
from typing import Any

import pytest

from storeys import BadOption
from storeys.arena import Contest
from storeys.arena.log import Log
from storeys.arena.running import Here, run
from storeys.bots import BotFailed
from tests.commands import run as command
from tests.test_arena_contests import without_times

CONTEST = Contest("neoville", ["novice", "random"], players=2, seed=3, simulations=20)


def test_without_ray_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    said = command("arena", "neoville", "novice", "random", "--ray", "local", "--file", "-")
    assert said.returncode == 2
    assert "pip install 'storeys[ray]'" in said.stderr
    both = command("arena", "neoville", "novice", "random", "--ray", "local", "--processes", "2")
    assert "give either --ray or --processes, not both" in both.stderr


@pytest.fixture
def crew_of_two() -> Any:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'storeys[ray]'")
    from storeys.arena.on_ray import RayCrew

    return RayCrew("local", cores=2)


@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_cluster_plays_the_same_games(crew_of_two: Any) -> None:
    assert crew_of_two.size == 2
    alone, together = Log(CONTEST, None), Log(CONTEST, None)
    here = run(CONTEST, alone, 6, Here())
    there = run(CONTEST, together, 6, crew_of_two)
    assert without_times(alone) == without_times(together)
    assert here.pairs[0].to_json() == there.pairs[0].to_json()


@pytest.mark.filterwarnings("ignore")
def test_what_fails_on_a_cluster_is_one_sentence(crew_of_two: Any) -> None:
    broken = Contest("neoville", ["http:url=http://127.0.0.1:9/none", "random"], players=2)
    with pytest.raises(BotFailed, match="gave no move"):
        run(broken, Log(broken, None), 2, crew_of_two)


def test_a_cluster_that_is_not_there() -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'storeys[ray]'")
    from storeys.arena.on_ray import RayCrew

    with pytest.raises(BadOption, match="there is no Ray cluster at “nowhere”"):
        RayCrew("nowhere")
