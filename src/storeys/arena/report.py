"""A contest as a page: one file with its plots inside, which asks nothing of any other place."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from storeys.arena.results import Pair, Results
from storeys.arena.sequential import Betting
from storeys.kernel.messages import Message, figure

WIDTH, HEIGHT, EDGE, LEFT = 640, 240, 28, 60
"""Of a plot: its size, and the room for what stands at its sides."""
ROW = 26
BINS = 24

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fdfcf8; --one: #1f6f8b; --two: #c8553d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eee; --paper: #1b1d20; --one: #6cc3dd; --two: #f08a6f; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } .wide { overflow-x: auto; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.axis { stroke: var(--ink); opacity: .4; } .band { fill: var(--one); opacity: .2; }
.line { stroke: var(--one); fill: none; stroke-width: 2; } .dot { fill: var(--two); opacity: .7; }
.bar { fill: var(--one); } pre { overflow-x: auto; }
"""

Scale = Callable[[float], float]


def page(results: Results, lang: str) -> str:
    """The page of some results."""

    def say(message_id: str, **params: Any) -> str:
        return escape(Message(message_id, **params).text(lang))

    contest = results.contest
    title = say(
        "storeys.arena.page.title",
        game=contest.kind.title.text(lang),
        bots=", ".join(contest.labels),
    )
    parts = [f"<h1>{title}</h1>"]
    parts += [f"<p>{escape(pair.sentence().text(lang))}</p>" for pair in results.pairs]
    parts += [_standings(results, say), _pairs(results, say)]
    for pair in results.pairs:
        if pair.shares:
            names = {"one": pair.one, "other": pair.other}
            parts.append(_figure(say("storeys.arena.page.shares", **names), _share_plot(pair)))
            if pair.knows_luck:
                parts.append(_figure(say("storeys.arena.page.luck", **names), _luck_plot(pair)))
    if results.ratings:
        parts.append(_figure(say("storeys.arena.page.ratings"), _rating_plot(results.ratings)))
    if results.games:
        parts.append(_figure(say("storeys.arena.page.points"), _point_plot(results)))
    settings = "\n".join(f"{key}: {value}" for key, value in contest.to_json().items())
    heading = say("storeys.arena.page.set-up")
    parts.append(f"<h2>{heading}</h2><pre>{escape(settings)}</pre>")
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


# --- tables


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _standings(results: Results, say: Callable[..., str]) -> str:
    heads = [
        say(f"storeys.arena.head.{head}")
        for head in ("bot", "seats", "wins", "place", "points", "rating")
    ]
    rows = [
        [
            row["bot"],
            str(row["seats"]),
            f"{row['wins']:.1%}",
            f"{row['place']:.2f}",
            figure(row["points"], ".1f"),
            _interval(row["rating"] and {"mean": row["rating"]["rating"]} | row["rating"], 1),
        ]
        for row in results.standings()
        if row["seats"]
    ]
    return _table(heads, rows)


def _pairs(results: Results, say: Callable[..., str]) -> str:
    heads = ("pair", "groups", "share", "always", "margin", "lucky-share", "lucky-margin")
    rows = []
    for told in (pair.to_json() for pair in results.pairs if pair.shares):
        less = told["without_luck"] or {"share": None, "margin": None}
        rows.append(
            [
                " – ".join(told["bots"]),
                str(told["groups"]),
                _interval(told["share"], 3),
                _interval(told["always"], 3),
                _interval(told["margin"], 1),
                _interval(less["share"], 3),
                _interval(less["margin"], 1),
            ]
        )
    return _table([say(f"storeys.arena.head.{head}") for head in heads], rows)


def _interval(told: dict[str, Any] | None, digits: int) -> str:
    if not told:
        return "–"
    form = f".{digits}f"
    low, high = ("?" if told[end] is None else figure(told[end], form) for end in ("low", "high"))
    mean = f"{figure(told['mean'], form)} " if told.get("mean") is not None else ""
    return f"{mean}({low} … {high})"


# --- plots


def _figure(caption: str, drawing: str) -> str:
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"


def _svg(content: str, height: float = HEIGHT) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img">{content}</svg>'


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    width = (high - low) or 1.0
    return lambda value: start + (value - low) / width * (end - start)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="axis" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _points(pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)


def _share_plot(pair: Pair) -> str:
    """The mean so far, and the interval of the test."""
    test, sums, means, band = Betting(pair.test.alpha), 0.0, [], []
    for nth, share in enumerate(pair.shares, 1):
        test.add(share)
        sums += share
        means.append(sums / nth)
        band.append((test.low, test.high))
    across = _scale(1, max(len(means), 2), LEFT, WIDTH - EDGE)
    up = _scale(0, 1, HEIGHT - EDGE, EDGE / 2)
    lows = [(across(n), up(low)) for n, (low, _) in enumerate(band, 1)]
    highs = [(across(n), up(high)) for n, (_, high) in enumerate(band, 1)]
    line = [(across(n), up(mean)) for n, mean in enumerate(means, 1)]
    marks = "".join(
        _rule(LEFT, up(share), WIDTH - EDGE, up(share))
        + _text(LEFT - 8, up(share) + 4, f"{share:.0%}", "end")
        for share in (0, 0.5, 1)
    )
    return _svg(
        f'{marks}<polygon class="band" points="{_points(lows + highs[::-1])}"/>'
        f'<polyline class="line" points="{_points(line)}"/>'
        + _text(WIDTH - EDGE, HEIGHT - 8, str(len(means)), "end")
    )


def _luck_plot(pair: Pair) -> str:
    across = _scale(min(pair.lucks), max(pair.lucks), LEFT, WIDTH - EDGE)
    up = _scale(min(pair.margins), max(pair.margins), HEIGHT - EDGE, EDGE / 2)
    dots = "".join(
        f'<circle class="dot" cx="{across(luck):.1f}" cy="{up(margin):.1f}" r="3"/>'
        for luck, margin in zip(pair.lucks, pair.margins, strict=True)
    )
    ends = "".join(
        _text(across(value), HEIGHT - 8, figure(value, ".1f"))
        for value in (min(pair.lucks), max(pair.lucks))
    ) + "".join(
        _text(LEFT - 8, up(value) + 4, figure(value, ".0f"), "end")
        for value in (min(pair.margins), max(pair.margins))
    )
    return _svg(_rule(LEFT, HEIGHT - EDGE, WIDTH - EDGE, HEIGHT - EDGE) + dots + ends)


def _rating_plot(ratings: dict[str, dict[str, float]]) -> str:
    low = min(each["low"] for each in ratings.values())
    high = max(each["high"] for each in ratings.values())
    across = _scale(low, high, WIDTH / 3, WIDTH - EDGE)
    rows = []
    for nth, (label, each) in enumerate(
        sorted(ratings.items(), key=lambda item: -item[1]["rating"])
    ):
        y = (nth + 0.7) * ROW
        rows.append(_text(WIDTH / 3 - 10, y + 4, label[:36], "end"))
        rows.append(_rule(across(each["low"]), y, across(each["high"]), y))
        rows.append(f'<circle class="dot" cx="{across(each["rating"]):.1f}" cy="{y:.1f}" r="5"/>')
    y = (len(ratings) + 0.9) * ROW
    rows += [_text(across(value), y, figure(value, ".1f")) for value in (low, high)]
    return _svg("".join(rows), (len(ratings) + 1.2) * ROW)


def _point_plot(results: Results) -> str:
    """For each bot how often it got how many points."""
    points: dict[str, list[int]] = {label: [] for label in results.contest.labels}
    for game in results.played():
        for label, total in zip(game["bots"], game["totals"], strict=True):
            points[label].append(total)
    found = {label: values for label, values in points.items() if values}
    low = min(min(values) for values in found.values())
    high = max(max(values) for values in found.values()) + 1
    band = ROW * 2.5
    drawn = [
        _bars(label, values, low, high, band * (nth + 1))
        for nth, (label, values) in enumerate(found.items())
    ]
    across = _scale(low, high, WIDTH / 3, WIDTH - EDGE)
    y = band * len(found) + 18
    drawn += [_text(across(low), y, str(low)), _text(across(high), y, str(high - 1))]
    return _svg("".join(drawn), y + 8)


def _bars(label: str, values: list[int], low: int, high: int, base: float) -> str:
    counts = [0] * BINS
    for value in values:
        counts[(value - low) * BINS // (high - low)] += 1
    across = _scale(0, BINS, WIDTH / 3, WIDTH - EDGE)
    tall = _scale(0, max(counts), 0, ROW * 2)
    bars = "".join(
        f'<rect class="bar" x="{across(n):.1f}" y="{base - tall(count):.1f}"'
        f' width="{across(1) - across(0) - 1:.1f}" height="{tall(count):.1f}"/>'
        for n, count in enumerate(counts)
        if count
    )
    name = _text(WIDTH / 3 - 10, base - 4, label[:36], "end")
    return name + bars + _rule(WIDTH / 3, base, WIDTH - EDGE, base)
