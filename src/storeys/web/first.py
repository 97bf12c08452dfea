"""What the page of a match shows before its script runs: the picture, who plays, what to do.

The script takes over what it finds there, so everything is drawn once.
"""

from typing import Any

from storeys.kernel.messages import figure
from storeys.web.models import Area, LogEntry, State

TURNS = 3
"""Turns in the strip of the latest ones; the script knows more of them."""


def first_sight(state: State, texts: dict[str, str]) -> dict[str, Any]:
    """The content of a page's first picture.

    It is of the state as it is taken: the bodies of the drawings are in the page, not in the data.
    """
    large = _large_seat(state)
    cities = [area for area in state["areas"] if area["kind"] == "city"]
    panels = [area for area in state["areas"] if area["kind"] == "panel"]
    about_scores = [area for area in panels if area["name"].startswith("scores-")]
    sight = {
        "cities": [_drawing(area, large) for area in cities],
        "panels": [_drawing(area, None) for area in panels if area not in about_scores],
        "scores": [_drawing(area, None) for area in about_scores],
        "one_large": large is not None,
        "theme": state["theme"],
        "headline": state["headline"],
        "goal": state["goal"],
        "your_turn": state["your_turn"],
        "prompt": _prompt(state),
        "choice": first_step(state, texts),
        "seats": [_seat(state, seat) for seat in range(len(state["seats"]))],
        "turns": [
            {"seat": turn[0]["seat"], "words": "; ".join(entry["text"] for entry in turn)}
            for turn in latest_turns(state["log"])
        ],
    }
    for drawing in (*state["areas"], state["defs"]):
        drawing["body"] = None
    return sight


def _large_seat(state: State) -> int | None:
    """Whose city is large; none where all are shown alike."""
    if not any(area["kind"] == "city" and area["seat"] is not None for area in state["areas"]):
        return None
    mine = state["mine"]
    return state["viewer"] if state["viewer"] is not None else mine[0] if len(mine) == 1 else None


def _drawing(area: Area, large: int | None) -> dict[str, Any]:
    """An area as it is put into the page: whole, or cropped where it is small."""
    is_small = large is not None and area["seat"] != large
    crop = area["crop"] if is_small else None
    box = crop or [0, 0, area["width"], area["height"]]
    return {
        **{key: area[key] for key in ("name", "kind", "seat", "title", "hash", "body")},
        "standing": "" if large is None else "beside" if is_small else "large",
        "box": " ".join(f"{side:.10g}" for side in box),
    }


def _prompt(state: State) -> str:
    """What is to be done; the end is told by the script, which knows what has been seen."""
    return state["prompt"] if state["status"] == "playing" else ""


def _seat(state: State, nth: int) -> dict[str, Any]:
    seat = state["seats"][nth]
    total = next((score["total"] for score in state["scores"] if score["seat"] == nth), 0)
    return {
        "name": seat["name"],
        "mine": seat["mine"],
        "moves": state["to_move"] == nth and state["status"] == "playing",
        "badges": seat["badges"],
        "total": figure(total),
    }


def first_step(state: State, texts: dict[str, str]) -> str:
    """What can be picked first, in words; nothing if there is nothing to pick.

    >>> from storeys.web.first import first_step
    >>> steps = [{"key": "tile", "words": "a tile"}, {"key": "cell", "words": "a place"}]
    >>> choices = [{"picks": {"tile": tile, "cell": "0,1"}} for tile in "ab"]
    >>> first_step(
    ...     {"your_turn": True, "choices": choices, "steps": steps, "count": None},
    ...     {"step-first": "Pick {things}.", "or": "or"},
    ... )
    'Pick a tile.'
    """
    if not state["your_turn"] or not state["choices"]:
        return ""
    values: dict[str, set[str]] = {}
    for choice in state["choices"]:
        for key, value in choice["picks"].items():
            values.setdefault(key, set()).add(value)
    open_keys = {key for key, found in values.items() if len(found) > 1}
    count = state["count"]
    if count is not None and open_keys & set(count["keys"]):
        return texts["step-first"].replace("{things}", count["words"][-1])
    things = dict.fromkeys(one["words"] for one in state["steps"] if one["key"] in open_keys)
    return texts["step-first"].replace("{things}", one_of(list(things), texts)) if things else ""


def one_of(things: list[str], texts: dict[str, str]) -> str:
    """Things of which one is meant, as the script lists them too."""
    *others, last = things
    return f"{', '.join(others)} {texts['or']} {last}" if others else last


def latest_turns(log: list[LogEntry]) -> list[list[LogEntry]]:
    """The latest turns, the newest first: moves of one seat after another."""
    turns: list[list[LogEntry]] = []
    for entry in reversed(log):
        if turns and turns[-1][0]["seat"] == entry["seat"]:
            turns[-1].insert(0, entry)
        elif len(turns) == TURNS:
            break
        else:
            turns.append([entry])
    return turns
