"""What pages read of a match in words: what can be chosen, what has happened, what it counts.

Most of it was written before, for an earlier move or for another viewer, and is not written again:
a move by what it is, a part of the log by its moves, a score by all that it follows from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from storeys.kernel.gaining import Preview
from storeys.kernel.messages import Message, Or, figure
from storeys.match import Coded, Match, Move
from storeys.web.keeping import Keeper
from storeys.web.models import Count, Score, Step
from storeys.web.pieces import Piece, as_json, members

WORDS_KEPT, PIECES_KEPT = 8_000_000, 10_000_000
"""Bytes in memory for moves in words, and for what states share."""
OVERHEAD = 300
PREVIEWS_KEPT = 4096
"""Of those that games keep, which are the same again where a move changes the same."""
LOG_PART = 16
"""Of so many moves each part of a log is written and compressed once."""


@dataclass(frozen=True)
class Choice:
    """A move that can be chosen: how it is written, and what is picked for it."""

    written: bytes
    ends: bytes
    picks: dict[str, str]

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory."""
        return 2 * OVERHEAD + 2 * len(self.written)


class Words:
    """What has been written of moves and scores, by all that it depends on."""

    def __init__(self) -> None:
        self.choices = Keeper[Choice](WORDS_KEPT, lambda choice: choice.weight)
        self.lines = Keeper[bytes](WORDS_KEPT, lambda line: OVERHEAD + len(line))
        self.pieces = Keeper[Piece](PIECES_KEPT, lambda piece: piece.weight)


Box = tuple[str, str]
Line = tuple[Coded, tuple[Message, ...]]
"""A line of a log: a move, and what it changed for others."""


def box_of(match: Match) -> Box:
    """The game, and the component set, which may be an upload's own."""
    return match.game.name, match.setup.components.hash


# --- what can be chosen


def choices(match: Match, lang: str, words: Words) -> Iterator[Piece]:
    """The legal moves, each with the points that it brings at once, and what is picked for them."""
    box, legal = box_of(match), match.legal_moves
    keys = [(box, code, lang) for code in legal.codes]
    found = words.choices.get_all(keys, lambda nth: _choice(match, legal[nth], lang))
    said = [
        b"{%s%s%s%s}" % (choice.written, _note(gain), _preview(preview, lang), choice.ends)
        for choice, (gain, preview) in zip(found, match.prospects(), strict=True)
    ]
    picked = [choice.picks for choice in found]
    steps, count = as_json(_steps(match, picked, lang)), as_json(_count(match, picked, lang))
    listed = b",".join(said)
    yield Piece(b'"choices":[%s],"steps":%s,"count":%s,' % (listed, steps, count))


def _choice(match: Match, move: Move, lang: str) -> Choice:
    ends = b',"ends":true' if move.kind in match.game.ending_moves else b""
    said = match.choice(move, lang)
    return Choice(members(said), ends, said["picks"])


def _note(gain: int) -> bytes:
    """The points that a move brings, as a member of its choice."""
    return b',"note":"%s"' % figure(gain, "+").encode() if gain else b""


@lru_cache(PREVIEWS_KEPT)
def _preview(preview: Preview | None, lang: str) -> bytes:
    """What a move changes or needs, as a member of its choice."""
    if preview is None:
        return b""
    badge = [line.text(lang) for line in preview.badge]
    words = ", ".join(one.text(lang) for one in preview.words)
    becomes = preview.becomes and preview.becomes.text(lang)
    return b',"preview":' + as_json({"badge": badge, "words": words, "becomes": becomes})


def _steps(match: Match, picked: Sequence[dict[str, str]], lang: str) -> list[Step]:
    """What can be picked now, in the words of the game, or of all games."""
    keys = dict.fromkeys(chain.from_iterable(picked))
    shared = {key: Or(f"storeys.step.{key}", "").text(lang) for key in keys}
    said = {key: Or(f"{match.game.name}.step.{key}", shared[key]).text(lang) for key in keys}
    return [{"key": key, "words": words} for key, words in said.items() if words]


def _count(match: Match, picked: Sequence[dict[str, str]], lang: str) -> Count | None:
    """How many things are to be picked in all, where picks are numbers of things."""
    keys = match.game.counted_picks
    if not any(key in picks for picks in picked for key in keys):
        return None
    sums = {sum(int(picks.get(key, 0)) for key in keys) for picks in picked}
    if len(sums) != 1 or not (most := sums.pop()):
        return None
    more = [Message(f"{match.game.name}.step.more", n=n).text(lang) for n in range(most + 1)]
    return {"keys": list(keys), "words": more}


# --- what has happened


def log(match: Match, lang: str, words: Words) -> Iterator[Piece]:
    """What happened, move by move: a list under its name, and a comma."""
    box, coded, changes = box_of(match), match.coded_moves, match.changes()
    yield Piece(b'"log":[')
    for start in range(0, len(coded), LOG_PART):
        end = start + LOG_PART
        part = tuple(zip(coded[start:end], changes[start:end], strict=True))

        def write(start: int = start, part: Sequence[Line] = part) -> Piece:
            said = [
                b'{"ply":%d,%s}' % (ply, _line(match, box, line, lang, words))
                for ply, line in enumerate(part, start=start + 1)
            ]
            return Piece((b"," if start else b"") + b",".join(said))

        yield words.pieces.get(("log", box, lang, start, part), write)
    yield Piece(b"],")


def _line(match: Match, box: Box, line: Line, lang: str, words: Words) -> bytes:
    """What the log says of a seat's move and what it changed, beside when it was made."""

    def write() -> bytes:
        (code, seat), changes = line
        move = match.move_coded(code)
        text = ", ".join([move.label(0, lang), *(change.text(lang) for change in changes)])
        pieces = move.game.put(move.to_json(), seat)
        return members({"seat": seat, "text": text, "pieces": pieces})

    return words.lines.get((box, line, lang), write)


# --- what it counts


def scores(match: Match, shown: Match, lang: str, words: Words) -> Iterator[Piece]:
    """The points of all seats at a moment of a match: a list under its name, and a comma."""
    yield Piece(b'"scores":[')
    setup = box_of(match), match.players, match.setup.rules_version, match.to_move is None
    for seat in range(match.players):

        def write(seat: int = seat) -> Piece:
            said = _score(match, seat, shown.score_of(seat, lang), lang)
            return Piece((b"," if seat else b"") + as_json(said))

        key = shown.score_key(seat)
        if key is None:
            yield write()
        else:
            yield words.pieces.get(("score", *setup, lang, seat, key), write)
    yield Piece(b"],")


def _score(match: Match, seat: int, score: dict[str, Any], lang: str) -> Score:
    """The points of a seat, with the round of each part where a game scores in rounds."""
    parts = score["parts"]
    safe, promised = _promise(match, parts)
    rounds = [
        f"{Message('storeys.play.round', number=part['round']).text(lang)}: "
        if "round" in part
        else ""
        for part in parts
    ]
    return {
        "seat": seat,
        "total": score["total"],
        "safe": safe,
        "promised": promised,
        "parts": [
            {
                "rule": part["rule"],
                "label": f"{words}{part['label']}",
                "points": part["points"],
                "highlight": [list(where) for where in match.game.lit(part, seat)],
                "round": part.get("round"),
            }
            for words, part in zip(rounds, parts, strict=True)
        ],
    }


def _promise(match: Match, parts: Sequence[dict[str, Any]]) -> tuple[int | None, int | None]:
    """What counts and what is promised, in a game whose pieces may still come to count."""
    if not match.game.promises or match.to_move is None:
        return None, None
    points = [part["points"] for part in parts]
    promised = -sum(one for one in points if one < 0)
    return sum(points) + promised, promised
