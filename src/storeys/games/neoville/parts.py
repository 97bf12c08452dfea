"""Neoville's score, explained: what every piece counted, where, and what it still needs."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from storeys.games.neoville import scoring
from storeys.games.neoville.box import Shape, turned_shapes
from storeys.games.neoville.evaluation import windmill_chance
from storeys.games.neoville.moves import piece_json, piece_label
from storeys.games.neoville.state import NEEDS, SKYSCRAPERS, SYMBOLS, TERRAINS, WHERE, State
from storeys.kernel.components import ComponentSet
from storeys.kernel.gaining import Preview
from storeys.kernel.messages import Message
from storeys.kernel.record import as_rows
from storeys.kernel.tiles.cities import OVER
from storeys.kernel.tiles.grid import SQUARES, STRIDE, square_at, square_name
from storeys.kernel.tiles.positions import coordinates, square_json

PREVIEWS_KEPT = 1024
Part = dict[str, Any]
Explained = tuple[str, Message, Part]
"""The rule by which a piece counts, why it counts what it does, and the facts."""


def score_parts(state: State, seat: int, components: ComponentSet) -> list[Part]:
    """N-17 … N-22: a part for each piece, then one for each majority."""
    pieces = [_piece_part(built) for built in _all_built(state, seat, components)]
    if state.players == 1:
        return pieces
    grounds = [_ground_part(state, seat, symbol) for symbol in range(len(SYMBOLS))]
    ties = _tie_part(state, seat, components) if state.phase == OVER else []
    return pieces + grounds + ties


class _Built:
    """A piece of a city: what it is, where it stands, and what it counts."""

    def __init__(self, state: State, seat: int, nth: int, components: ComponentSet) -> None:
        self.state, self.seat, self.nth, self.components = state, seat, nth, components
        self.piece, self.square = state.piece[seat, nth].tolist()
        self.json = piece_json(self.piece, components)
        self.points = int(scoring.piece_points(state, as_rows(components.tables)[0], seat, nth))
        self.district = int(state.district[seat, self.square])
        self.size = int(state.district_size[seat, self.district])
        utilities = components.content["utilities"]
        self.utility = utilities[self.piece - SKYSCRAPERS] if self.piece >= SKYSCRAPERS else {}
        self.kind = self.utility.get("kind", "skyscraper")

    def squares(self) -> Shape:
        """The squares of its district."""
        return _where(self.state.district[self.seat] == self.district)

    def names(self) -> dict[str, Any]:
        """What people call the piece and its square."""
        name = square_name(*coordinates(self.square))
        return {"piece": piece_label(self.json, self.components), "square": name}

    def lacks(self, what: str, n: int) -> Message:
        """What the piece still needs; or lacked, once the match is over."""
        more = Message(f"neoville.more.{what}", n=n)
        over = self.state.phase == OVER
        return Message("neoville.why.lacked" if over else "neoville.why.needs", more=more)


def _all_built(state: State, seat: int, components: ComponentSet) -> list[_Built]:
    return [_Built(state, seat, nth, components) for nth in range(state.piece_count[seat])]


def _piece_part(built: _Built) -> Part:
    rule, why, facts = EXPLAIN[built.kind](built)
    label = Message("neoville.part.piece", **built.names(), why=why)
    part = {"rule": rule, "label": label, "points": built.points}
    return part | built.json | square_json(built.square) | facts


# --- skyscrapers and biospheres, which look at their district


def _skyscraper(built: _Built) -> Explained:
    """N-17, N-18: the size of its district, and which skyscraper of it counts."""
    value = int(scoring.value_of(built.piece))
    if built.points == 0:
        return "N-18", _counts_instead(built), _district_facts(built, value)
    why = Message("neoville.why.large-enough", n=built.size)
    if built.size < value:
        why = _too_small(built, value)
    return "N-17", why, _district_facts(built, value)


def _biosphere(built: _Built) -> Explained:
    """N-21: the shape of its district, and which biosphere of it counts."""
    shape, tables = built.utility["shape"], as_rows(built.components.tables)[0]
    wanted, squares = len(shape), built.squares()
    why = Message("neoville.why.other-shape")
    if built.points > 0:
        why = Message("neoville.why.shape")
    elif scoring.has_shape(built.state, tables, built.seat, built.nth):
        why = _counts_instead(built)
    elif not _is_broken(built):
        why = _too_small(built, wanted)
    elif built.size > wanted:
        why = Message("neoville.why.too-large", n=built.size - wanted)
    elif turned_shapes(squares)[0] in turned_shapes([[r, -c] for r, c in shape]):
        why = Message("neoville.why.mirror")
    return "N-21", why, _district_facts(built, wanted)


def _district_facts(built: _Built, wanted: int) -> Part:
    missing = max(wanted - built.size, 0)
    return {"squares": built.squares(), "size": built.size, "missing": missing}


def _too_small(built: _Built, wanted: int) -> Message:
    terrain = TERRAINS[built.state.terrain[built.seat, built.square]]
    more = built.lacks(terrain, wanted - built.size)
    return Message("neoville.why.too-small", n=built.size, more=more)


def _counts_instead(built: _Built) -> Message:
    """N-18, N-21: names the piece that counts in a district instead of another of its kind."""
    rivals = (
        other
        for other in _all_built(built.state, built.seat, built.components)
        if (other.kind, other.district) == (built.kind, built.district)
    )
    # The best skyscraper may count minus, the others nothing; a biosphere that counts brings some.
    best = next(o for o in rivals if o.points > 0 or (o.points != 0 and built.points == 0))
    return Message("neoville.why.counts-instead", **best.names())


def _can_grow_into(squares: Shape, shape: Shape) -> bool:
    """Whether a biosphere's shape, however turned, still has the district's squares in it."""
    there = {(r, c) for r, c in squares}
    top, left = min(there)
    return any(
        there <= {(a - r + top, b - c + left) for a, b in turn}
        for turn in turned_shapes(shape)
        for r, c in turn
    )


# --- buses and windmills


def _bus(built: _Built) -> Explained:
    """N-19: what stands in its row and column."""
    needs = sum(1 << NEEDS.index(need) for need in built.utility["needs"])
    contents = built.state.content[built.seat].tolist()
    row, col = divmod(built.square, STRIDE)
    in_row, in_column = range(row * STRIDE, (row + 1) * STRIDE), range(col, SQUARES, STRIDE)
    seen = sorted({*in_row} ^ {*in_column})  # Of all squares it alone is in both.
    counted = [coordinates(at) for at in seen if scoring.need_met_by(contents[at]) & needs]
    missing = max(built.utility["count"] - len(counted), 0)
    found = {"count": len(counted), "where": ", ".join(square_name(r, c) for r, c in counted)}
    why = Message("neoville.why.found", **found)
    if missing:
        why = built.lacks("-".join(built.utility["needs"]), missing)
        why = Message("neoville.why.found-some", **found, more=why) if counted else why
    return "N-19", why, {"squares": counted, "count": len(counted), "missing": missing}


def _windmill(built: _Built) -> Explained:
    """N-20, N-R4: where its tile lies, once that is settled."""
    wanted, (row, col) = built.utility["where"], (n // 2 for n in coordinates(built.square))
    where = Message(f"neoville.where.{wanted}")
    if built.points == 0:
        settled = "settled" if _is_elsewhere(built) else "not-settled"
        why = Message(f"neoville.why.{settled}", where=where)
    elif built.points > 0:
        why = Message("neoville.why.in-place", where=where)
    else:
        top, _, left, _ = built.state.box[built.seat].tolist()
        tile = {"tile_row": row - top + 1, "tile_col": col - left + 1}
        why = Message("neoville.why.out-of-place", where=where, **tile)
    return "N-20", why, {"tile": [row, col]}


def _is_elsewhere(built: _Built) -> bool:
    """Whether a windmill cannot end up any more where it wants to stand."""
    where = WHERE.index(built.utility["where"])
    return not windmill_chance(built.state, built.seat, where, built.square)


def _is_broken(built: _Built) -> bool:
    """Whether a promise cannot be kept any more, whatever is laid: districts only grow."""
    if built.kind == "windmill":
        return _is_elsewhere(built)
    if built.kind != "biosphere":
        return False
    tables = as_rows(built.components.tables)[0]
    if scoring.has_shape(built.state, tables, built.seat, built.nth):
        return False
    return not _can_grow_into(built.squares(), built.utility["shape"])


EXPLAIN = {"skyscraper": _skyscraper, "bus": _bus, "windmill": _windmill, "biosphere": _biosphere}


# --- what a move promises


def preview(
    before: State, after: Callable[[], State], move: Mapping[str, Any], components: ComponentSet
) -> Preview | None:
    """What a new piece is worth and what it still needs, unless it counts already."""
    if move["kind"] == "skyscraper":
        return _skyscraper_preview(before, move)
    seat, then = int(before.to_move), after()
    built = _Built(then, seat, int(then.piece_count[seat]) - 1, components)
    worth = built.utility["points"]
    if built.points == worth:
        return None
    _, why, facts = EXPLAIN[built.kind](built)
    if _is_broken(built):
        cost = -worth
        promise = Message("neoville.preview.promise", worth=cost, why=why)
        return Preview([Message("neoville.preview.worth", n=cost)], [promise])
    badge, missing = [Message("neoville.preview.worth", n=worth)], facts.get("missing", 0)
    if missing:
        badge.append(Message("neoville.preview.needs", n=missing))
    return Preview(badge, [Message("neoville.preview.promise", worth=worth, why=why)])


def _skyscraper_preview(state: State, move: Mapping[str, Any]) -> Preview | None:
    """N-14, N-17: it will be alone in its district, which is as large before."""
    seat, square = int(state.to_move), square_at(move["row"], move["col"])
    missing = move["value"] - int(state.district_size[seat, state.district[seat, square]])
    return _too_low(move["value"], move["terrain"], missing) if missing > 0 else None


@lru_cache(PREVIEWS_KEPT)
def _too_low(worth: int, terrain: str, missing: int) -> Preview:
    """N-17: what a skyscraper is worth in a district that is large enough, and what that lacks."""
    of = Message(f"neoville.terrain.{terrain}")
    needs = Message("neoville.preview.needs-terrain", n=missing, terrain=of)
    why = Message("neoville.why.needs", more=Message(f"neoville.more.{terrain}", n=missing))
    promise = Message("neoville.preview.promise", worth=worth, why=why)
    return Preview([Message("neoville.preview.worth", n=worth), needs], [promise])


# --- majorities


def changes(
    before: State, move: Mapping[str, Any], components: ComponentSet
) -> tuple[Message, ...]:
    """N-22: whether a tile gives its seat the most parks or sports grounds."""
    if before.players == 1:
        return ()
    tile = components.content["tiles"][components.tile_numbers[move["tile"]]]
    symbols = [square["symbol"] for row in tile["squares"] for square in row]
    seat, found = int(before.to_move), list[Message]()
    for nth, symbol in enumerate(SYMBOLS):
        counts = before.grounds[: before.players, nth].tolist()
        leaders = _leaders(counts)
        counts[seat] += symbols.count(symbol)
        if (now := _leaders(counts)) != leaders:
            how = "alone" if now == [seat] else "tied"
            found.append(Message(f"neoville.change.{symbol}.{how}", n=scoring.FOR_THE_MOST))
    return tuple(found)


def _leaders(counts: Sequence[int]) -> list[int]:
    """Who has the most of something, if anybody has any."""
    return [seat for seat, count in enumerate(counts) if count == max(counts) > 0]


def _ground_part(state: State, seat: int, symbol: int) -> Part:
    """N-22: how many there are, and who has the most."""
    counts = state.grounds[: state.players, symbol].tolist()
    return {
        "rule": "N-22",
        "label": Message(f"neoville.part.{SYMBOLS[symbol]}", n=counts[seat], most=max(counts)),
        "points": int(scoring.ground_points(state, seat, symbol)),
        "symbol": SYMBOLS[symbol],
        "count": counts[seat],
        "leaders": _leaders(counts),
        "squares": _where(state.content[seat] == symbol + 1),
    }


def _tie_part(state: State, seat: int, components: ComponentSet) -> list[Part]:
    """N-23: once over, the pieces of those who are first together."""
    totals = np.zeros(4, np.int32)
    scoring.score(state, as_rows(components.tables)[0], totals)
    first = np.flatnonzero(totals[: state.players] == totals[: state.players].max()).tolist()
    if len(first) < 2 or seat not in first:
        return []
    pieces = int(state.piece_count[seat])
    label = Message("neoville.part.tie", n=pieces)
    return [{"rule": "N-23", "label": label, "points": 0, "count": pieces, "leaders": first}]


def _where(marks: Any) -> Shape:
    """The rows and columns of the squares that are marked."""
    return list(map(coordinates, np.flatnonzero(marks).tolist()))
