"""Write down what games show and say: `python -m tests.make_footprints`.

`test_footprints` compares: however a game is written, its tensors, views, positions, moves, scores,
pictures and words stay the same to the byte.  Kept are digests, one for each aspect of a record.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import storeys
from storeys.kernel import verbs
from storeys.match import Match

GOLDEN = Path(__file__).parent / "golden"
FILE = Path(__file__).parent / "snapshots" / "footprints.json"
RECORDS = (
    "manhattan-v1-2-towers-auto",
    "manhattan-v1-3-shared-4x6",
    "manhattan-v1-4-shared-auto",
    "cloud-city-v1-1-3x3-varied-route+circuits-de",
    "cloud-city-v1-2-3x4-circuits+solo-buildings-en",
    "cloud-city-v1-3-3x3-blue-buildings+balanced-nl",
    "cloud-city-v1-3-3x4-green-buildings+valuable-route-de",
    "cloud-city-v1-4-3x3-minimalist+separate-routes-en",
    "neoville-v1-2-bus+biosphere",
    "neoville-v2-1-bus+windmill",
    "neoville-v2-2-windmill+biosphere",
    "neoville-v2-3-bus+biosphere",
    "neoville-v2-4-bus+windmill",
)
EVERY = 11
"""Of how many moves one is looked at."""


def seats_of(match: Match) -> list[int | None]:
    return [None, *range(match.players)]


def tensors(match: Match) -> list[bytes]:
    return [match.observe(seat).tobytes() for seat in seats_of(match)]


def evaluation(match: Match) -> list[bytes]:
    promised = np.zeros(match.players)
    verbs.evaluate(match.state()[0], match.setup.components.tables[0], promised)
    return [promised.round(9).tobytes()]


def views(match: Match) -> list[Any]:
    return [match.position(), *(match.view(seat) for seat in seats_of(match))]


def moves(match: Match) -> list[Any]:
    return [match.action_mask().tolist(), *(match.choices(lang) for lang in ("en", "de"))]


def words(match: Match) -> list[Any]:
    text = [match.prompt(lang) for lang in ("en", "de", "nl")]
    return text + [match.board_text(seat, lang) for seat, lang in ((0, "en"), (None, "nl"))]


def pictures(match: Match) -> list[str]:
    looks = ((0, "plan", "light", "en"), (None, "skyline", "dark", "de"))
    return [
        match.svg(seat, view=view, theme=theme, lang=lang, prefix="p")
        for seat, view, theme, lang in looks
    ]


ASPECTS: dict[str, Callable[[Match], list[Any]]] = {
    "tensors": tensors,
    "evaluation": evaluation,
    "views": views,
    "moves": moves,
    "scores": lambda match: [match.score("en"), match.winners],
    "words": words,
    "pictures": pictures,
}


def footprints(name: str) -> dict[str, str]:
    """A digest of each aspect of a record, over some of its positions."""
    golden = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    digests = {aspect: hashlib.sha256() for aspect in ASPECTS}
    for match in some_positions(storeys.load(golden["record"])):
        for aspect, look in ASPECTS.items():
            for found in look(match):
                plain = found if isinstance(found, bytes) else json.dumps(found).encode()
                digests[aspect].update(plain)
    return {aspect: digest.hexdigest()[:16] for aspect, digest in digests.items()}


def some_positions(finished: Match) -> Iterator[Match]:
    last = finished.moves_made
    for ply in [*range(0, last, EVERY), last]:
        yield finished.at(ply)


def main() -> None:
    """All records in one file."""
    kept = {name: footprints(name) for name in RECORDS}
    FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
