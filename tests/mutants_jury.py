"""What judges mutants beside the tests of rules: the suite's checks one by one, on golden records,
and few constructed positions at a time.

``make test`` runs the same over every variant and over more positions; here each is a test of its
own, on few games, so that the quickest one catches a mutant.  Only ``make mutants`` loads this.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import storeys
from storeys import testing
from tests.constructed.cloud_city import CLOUD_CITY
from tests.constructed.comparing import Trial, compare
from tests.constructed.manhattan import MANHATTAN
from tests.constructed.neoville import NEOVILLE

GOLDEN = Path(__file__).parent / "golden"
VARIANTS = (
    "manhattan 2-towers-auto",
    "manhattan 3-shared-4x6",
    "cloud-city 2-3x4-circuits+solo-buildings-en",
    "cloud-city 3-3x3-blue-buildings+balanced-nl",
    "neoville 1-bus+windmill",
    "neoville 2-windmill+biosphere",
)
CHECKS = [check for check in testing.CHECKS if check is not testing.check_uncompiled_agrees]
FEW = 300
MADE, BATCH = 60, 5


def golden_record(variant: str) -> dict[str, Any]:
    """The record of a variant under the newest rules."""
    name, options = variant.split()
    files = GOLDEN.glob(f"{name}-v*-{options}.json")
    newest = max(files, key=lambda file: int(file.stem.removeprefix(f"{name}-v").split("-")[0]))
    record: dict[str, Any] = json.loads(newest.read_text("utf-8"))["record"]
    return record


def trial(variant: str, rng: random.Random) -> testing.Trial:
    record = golden_record(variant)
    options = {"players": record["players"], **record["options"]}
    return testing.Trial(record["game"], options, rng, [storeys.load(record)])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_check(
    variant: str, check: Callable[[testing.Trial], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "REDEALS", FEW)
    check(trial(variant, random.Random(f"{variant} {check.__name__}")))


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_game_ends(variant: str) -> None:
    testing._play_to_the_end(trial(variant, random.Random(variant)))


@pytest.mark.parametrize("first", range(0, MADE, BATCH))
@pytest.mark.parametrize("game", [MANHATTAN, CLOUD_CITY, NEOVILLE], ids=lambda game: game.name)
def test_constructed(game: Trial, first: int) -> None:
    for number in range(first, first + BATCH):
        compare(game, game.made(number))
