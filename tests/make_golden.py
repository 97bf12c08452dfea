"""Write the golden records of a release: `python -m tests.make_golden`.

What is there stays as it is: records of old matches must replay for ever.
"""

import json
from pathlib import Path
from typing import Any

from storeys.arena import playouts
from storeys.registry import get_game
from tests.variants import ALL

FOLDER = Path(__file__).parent / "golden"


def golden(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """A record together with what it must replay to."""
    match = playouts(name, 1, seed=2026, **options).match(0)
    return {
        "record": match.record(),
        "position": match.position(),
        "totals": [seat["total"] for seat in match.score()],
        "winners": match.winners,
    }


def main() -> None:
    """One file a variant."""
    for name, options in ALL:
        version = get_game(name).rules_version
        file = FOLDER / f"{name}-v{version}-{variant(options)}.json"
        if not file.exists():
            file.write_text(json.dumps(golden(name, options), indent=1) + "\n", "utf-8")


def variant(options: dict[str, Any]) -> str:
    """The options as part of a file's name."""
    return "-".join(
        "+".join(value) if isinstance(value, list) else str(value) for value in options.values()
    )


if __name__ == "__main__":
    main()
