"""One value of a document changed, for tests of what is refused."""

import json
from typing import Any


def changed(document: Any, path: str, value: Any) -> Any:
    """A copy with another value at a path of keys and indices, like "hands/0"."""
    copy = json.loads(json.dumps(document))
    spot = copy
    *steps, last = [int(s) if s.lstrip("-").isdigit() else s for s in path.split("/")]
    for step in steps:
        spot = spot[step]
    spot[last] = value
    return copy
