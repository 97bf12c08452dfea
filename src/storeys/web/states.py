"""What a browser may see of a table, as JSON; nothing else ever leaves the server for it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from storeys.kernel.drawing import scene as drawing
from storeys.kernel.drawing.svg import P
from storeys.kernel.messages import Message, figure
from storeys.match import Match, Move
from storeys.web.errors import BadPost, not_yours
from storeys.web.language import capital
from storeys.web.models import (
    Area,
    Choice,
    Drawing,
    Moment,
    Score,
    Seat,
    SeatKind,
    State,
    Theme,
    View,
)
from storeys.web.table import Table

PREFIX = "s"
"""With what the ids of all pictures begin; a page shows one table."""

LABELS_KEPT = 20_000


@dataclass(frozen=True)
class StateQuery:
    """How a browser wants to see a table: the query of a request for its state."""

    seat: int | None = None
    ply: int | None = None
    view: str = "plan"
    turn: int = 0
    theme: str = "light"
    lang: str = "en"
    part: str | None = None
    known: frozenset[str] = frozenset()

    def look(self, lit: Sequence[Sequence[int]] = ()) -> drawing.Look:
        """How pictures are to look for it; an error if they cannot."""
        return drawing.make_look(self.view, self.turn, self.theme, lit, self.lang)


def state_of(
    table: Table, owner: str, query: StateQuery, cache: drawing.Cache | None = None
) -> State:
    """Everything that a page needs to show a table to a browser and let it play."""
    with table.lock:
        now, status, lang = table.match, table.status, query.lang
        mine, names = table.seats_of(owner), table.names_in(lang)
        viewer, curtain = _viewer(table, mine, query.seat)
        shown = now if query.ply is None else now.at(query.ply)
        scores = shown.score(lang)
        part = _part(scores, query.part)
        board = when_scored(shown, part)
        live = board.moves_made == now.moves_made
        moment: Moment | None = None
        if part is not None and board.moves_made != shown.moves_made:
            moment = {"ply": board.moves_made, "round": part["round"]}
        look = query.look(now.game.lit(part, part["seat"]) if part else ())
        view = board.view(viewer)
        scene = now.game.scene(view, now.setup.components, names, look, board.winners)
        # A board that was scored is still of the round that ended.
        number = moment["round"] if moment else board.round
        yours = (
            viewer is not None
            and viewer == now.to_move
            and status == "playing"
            and table.seats[viewer].kind == "human"
        )
        here = f"/api/tables/{table.id}"
        return {
            "table": table.id,
            "game": now.game.name,
            "title": now.game.title.text(lang),
            "seq": table.seq,
            "ply": shown.moves_made,
            "last_ply": now.moves_made,
            "status": status,
            "lang": lang,
            "players": now.players,
            "seats": [_seat(table, nth, owner, look, names[nth]) for nth in range(now.players)],
            "viewer": viewer,
            "mine": mine,
            "to_move": now.to_move,
            "your_turn": yours,
            "curtain": curtain,
            "prompt": _prompt(table, yours, names, lang),
            "round": capital(Message("storeys.play.round", number=number).text(lang)),
            "moment": moment,
            "choices": _choices(now, lang) if yours and live else [],
            "can_take_back": live and any(table.can_take_back(seat) for seat in mine),
            "areas": _areas(board, scene, look, names, query.known, cache),
            "scores": [_score(now, seat, score, lang) for seat, score in enumerate(scores)],
            "log": [
                {"ply": ply, "seat": seat, "text": _label(move, seat, lang)}
                for ply, (move, seat) in enumerate(zip(now.moves, now.movers, strict=True), start=1)
            ],
            "notices": [
                {"seq": one.seq, "ply": one.ply, "seat": one.seat, "text": one.message.text(lang)}
                for one in table.notices
            ],
            "winners": now.winners,
            "defs": _drawing(drawing.sky(look) + scene.defs, query.known),
            "rematch": table.rematch,
            "view": cast(View, query.view),
            "turn": query.turn,
            "theme": cast(Theme, query.theme),
            "links": {
                "record": f"{here}/record" if status == "over" else None,
                "picture": f"{here}/picture.png?theme={query.theme}&lang={lang}",
                "rules": f"/rules/{now.game.name}",
            },
        }


def _viewer(table: Table, mine: list[int], seat: int | None) -> tuple[int | None, bool]:
    """Whose view is shown, and whether a curtain hides it until the next person is there."""
    if seat is not None and seat not in mine:
        raise not_yours(seat, BadPost)
    # A seat that a bot plays for its owner has nothing to choose: those who play come first.
    people = [one for one in mine if table.seats[one].kind == "human"]
    if seat is not None and (seat in people or not people):
        return seat, False
    if len(people) > 1 and table.status != "over":
        return None, table.status == "playing" and table.match.to_move in people
    return next(iter(people or mine), None), False


def _part(scores: Sequence[dict[str, Any]], name: str | None) -> dict[str, Any] | None:
    """The part of a score that is to be shown, e.g. ``0.3``, with its seat."""
    if name is None:
        return None
    seat, _, index = name.partition(".")
    try:
        part: dict[str, Any] = scores[int(seat)]["parts"][int(index)]
    except (ValueError, IndexError):
        raise BadPost(Message("storeys.web.no-part", found=name)) from None
    return part | {"seat": int(seat)}


def when_scored(match: Match, part: dict[str, Any] | None) -> Match:
    """The match as it was when a part was scored: at the end of its round, where it names one."""
    if part is None or "round" not in part:
        return match
    walker, scored = match.clone(), match.moves_made
    while walker.moves_made and (walker.to_move is None or walker.round > part["round"]):
        scored = walker.moves_made
        walker.pop()
    return match.at(scored)


def _seat(table: Table, nth: int, owner: str, look: drawing.Look, name: str) -> Seat:
    seat, match = table.seats[nth], table.match
    invited = seat.kind == "open" and table.may_seat(owner)
    return {
        "seat": nth,
        "name": name,
        "kind": cast(SeatKind, seat.kind),
        "bot": seat.bot,
        "mine": seat.owner == owner,
        "resigned": nth in table.resigned,
        "invite": f"/join/{seat.token}" if invited else None,
        "may_invite": table.may_invite(nth, owner),
        "badges": match.game.badges(match.players, nth, look),
    }


def _prompt(table: Table, yours: bool, names: Sequence[str], lang: str) -> str:
    if table.status == "waiting":
        return Message("storeys.web.waiting").text(lang)
    seat = table.match.to_move
    if yours or seat is None:
        return table.match.prompt(lang)
    return Message("storeys.web.their-turn", name=names[seat]).text(lang)


@lru_cache(LABELS_KEPT)
def _label(move: Move, seat: int, lang: str) -> str:
    """A move of the log as a person reads it: every state shows all of them."""
    return move.label(seat, lang)


def _choices(match: Match, lang: str) -> list[Choice]:
    """The legal moves, each with the points that it brings at once."""
    choices = match.choices(lang)
    for choice, gain in zip(choices, match.gains(), strict=True):
        if gain:
            choice["note"] = figure(gain, "+")
    return cast(list[Choice], choices)


def _score(match: Match, seat: int, score: dict[str, Any], lang: str) -> Score:
    """The points of a seat, with the round of each part where a game scores in rounds."""
    parts = score["parts"]
    rounds = [
        f"{Message('storeys.play.round', number=part['round']).text(lang)}: "
        if "round" in part
        else ""
        for part in parts
    ]
    return {
        "seat": seat,
        "total": score["total"],
        "parts": [
            {
                "rule": part["rule"],
                "label": f"{words}{part['label']}",
                "points": part["points"],
                "highlight": [list(where) for where in match.game.lit(part, seat)],
            }
            for words, part in zip(rounds, parts, strict=True)
        ],
    }


def _areas(
    match: Match,
    scene: drawing.Scene,
    look: drawing.Look,
    names: Sequence[str],
    known: frozenset[str],
    cache: drawing.Cache | None,
) -> list[Area]:
    """The picture in parts; the page lists the scores itself, with their parts."""
    of_seats = match.game.cities_are_seats
    areas: list[Area] = []
    for kind, parts in (("city", scene.cities), ("panel", scene.panels)):
        for area in parts:
            if area.name == "scores":
                continue
            part = drawing.drawn(area, scene, look, cache)
            number = int(area.name.removeprefix("city-")) if kind == "city" else None
            title = area.title or (
                Message(f"{match.game.name}.area.{area.name}").text(look.lang)
                if number is None
                else names[number]
            )
            areas.append(
                {
                    **_drawing(part.body, known),
                    "name": area.name,
                    "kind": cast(Literal["city", "panel"], kind),
                    "seat": number if of_seats else None,
                    "title": title,
                    "width": part.width,
                    "height": part.height,
                }
            )
    return areas


def _drawing(body: str, known: frozenset[str]) -> Drawing:
    """SVG with its hash; without its body where that is known."""
    text = body.replace(P, PREFIX)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"hash": digest, "body": None if digest in known else text}
