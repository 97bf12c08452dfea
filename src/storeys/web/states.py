"""What a browser may see of a table, as JSON; nothing else ever leaves the server for it."""

import hashlib
from dataclasses import dataclass
from typing import Any

from storeys.kernel.drawing.scene import Area, Cache, Look, Scene, drawn, make_look, sky
from storeys.kernel.drawing.svg import P
from storeys.kernel.messages import Message, figure
from storeys.match import Match
from storeys.web.names import called
from storeys.web.tables import BadPost, Table, not_yours

PREFIX = "s"
"""With what the ids of all pictures begin; a page shows one table."""


@dataclass(frozen=True)
class Wish:
    """How a browser wants to look at a table."""

    seat: int | None = None
    ply: int | None = None
    view: str = "plan"
    turn: int = 0
    theme: str = "light"
    lang: str = "en"
    part: str | None = None
    known: frozenset[str] = frozenset()


def state_of(table: Table, owner: str, wish: Wish, cache: Cache | None = None) -> dict[str, Any]:
    """Everything that a page needs to show a table to a browser and let it play."""
    with table.lock:
        mine = table.seats_of(owner)
        viewer, curtain = _viewer(table, mine, wish)
        now = table.match
        shown = now if wish.ply is None else now.at(wish.ply)
        shown = shown.renamed(table.names_in(wish.lang))
        part = _part(shown, wish)
        look = _look(shown, part, wish)
        board = when_scored(shown, part)
        moment = _moment(shown, board, part)
        to_move = now.to_move
        yours = (
            viewer is not None
            and viewer == to_move
            and table.status == "playing"
            and table.seats[viewer].kind == "human"
        )
        live = board.moves_made == now.moves_made
        return {
            "table": table.id,
            "game": now.game.name,
            "title": now.game.title.text(wish.lang),
            "seq": table.seq,
            "ply": shown.moves_made,
            "last_ply": now.moves_made,
            "status": table.status,
            "lang": wish.lang,
            "players": now.players,
            "seats": [_seat(table, nth, owner, look, shown.names) for nth in range(now.players)],
            "viewer": viewer,
            "mine": mine,
            "to_move": to_move,
            "your_turn": yours,
            "curtain": curtain,
            "prompt": _prompt(table, yours, wish.lang),
            "round": _round(board, moment, wish.lang),
            "moment": moment,
            "choices": _choices(now, wish.lang) if yours and live else [],
            "can_take_back": live and any(table.can_take_back(seat) for seat in mine),
            "areas": _areas(board, viewer, look, wish, cache),
            "scores": _scores(shown, wish.lang),
            "log": _log(table, wish.lang),
            "notices": _notices(table, wish.lang),
            "winners": now.winners,
            "defs": _defs(shown, look, wish),
            "rematch": table.rematch,
            "view": wish.view,
            "turn": wish.turn,
            "theme": wish.theme,
            "links": _links(table, wish),
        }


def defs_of(match: Match, look: Look) -> str:
    """The definitions that the areas of a table refer to."""
    scene = match.game.scene(match.view(None), match.setup.components, match.names, look)
    return (sky(look) + scene.defs).replace(P, PREFIX)


def _defs(match: Match, look: Look, wish: Wish) -> dict[str, Any]:
    body = defs_of(match, look)
    digest = _digest(body)
    return {"hash": digest, "body": None if digest in wish.known else body}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _choices(match: Match, lang: str) -> list[dict[str, Any]]:
    """The legal moves, each with the points that it brings at once."""
    choices = match.choices(lang)
    seat = match.to_move
    trial, now = match.clone(), match.totals
    for choice, move in zip(choices, match.legal_moves, strict=True):
        if seat is None or move.to_json()["kind"] in match.game.final_moves:
            continue
        trial.push(move)
        gain = trial.totals[seat] - now[seat]
        trial.pop()
        if gain:
            choice["note"] = figure(gain, "+")
    return choices


def _viewer(table: Table, mine: list[int], wish: Wish) -> tuple[int | None, bool]:
    """Whose view is shown, and whether a curtain hides it until the next person is there."""
    if wish.seat is not None and wish.seat not in mine:
        raise not_yours(wish.seat, BadPost)
    # A seat that a bot plays for its owner has nothing to choose: those who play come first.
    people = [seat for seat in mine if table.seats[seat].kind == "human"]
    if wish.seat is not None and (wish.seat in people or not people):
        return wish.seat, False
    if len(people) > 1 and table.status != "over":
        return None, table.status == "playing" and table.match.to_move in people
    return next(iter(people or mine), None), False


def _part(match: Match, wish: Wish) -> dict[str, Any] | None:
    """The part of a score that is to be shown, if one is, with its seat."""
    if wish.part is None:
        return None
    seat, _, index = wish.part.partition(".")
    try:
        part: dict[str, Any] = match.score()[int(seat)]["parts"][int(index)]
    except (ValueError, IndexError):
        raise BadPost(Message("storeys.web.no-part", found=wish.part)) from None
    return part | {"seat": int(seat)}


def _look(match: Match, part: dict[str, Any] | None, wish: Wish) -> Look:
    highlight = match.game.lit(part, part["seat"]) if part else []
    return make_look(wish.view, wish.turn, wish.theme, highlight, wish.lang)


def when_scored(match: Match, part: dict[str, Any] | None) -> Match:
    """The match as it was when a part was scored: at the end of its round, where it names one."""
    if part is None or "round" not in part:
        return match
    walker, scored = match.clone(), match.moves_made
    while walker.moves_made and _is_after(walker, part["round"]):
        scored = walker.moves_made
        walker.pop()
    return match.at(scored)


def _is_after(match: Match, round_no: int) -> bool:
    """Whether a round is over."""
    return match.to_move is None or int(match.view(None)["round"]) > round_no


def _moment(shown: Match, board: Match, part: dict[str, Any] | None) -> dict[str, int] | None:
    """The earlier moment whose board is shown, because a part was scored then."""
    if part is None or board.moves_made == shown.moves_made:
        return None
    return {"ply": board.moves_made, "round": part["round"]}


def _seat(table: Table, nth: int, owner: str, look: Look, names: tuple[str, ...]) -> dict[str, Any]:
    seat = table.seats[nth]
    invited = seat.kind == "open" and table.may_seat(owner)
    return {
        "seat": nth,
        "name": names[nth],
        "kind": seat.kind,
        "bot": seat.bot,
        "mine": seat.owner == owner,
        "resigned": nth in table.resigned,
        "invite": f"/join/{seat.token}" if invited else None,
        "may_invite": table.may_invite(nth, owner),
        "badges": table.match.game.badges(table.match.players, nth, look),
    }


def _prompt(table: Table, yours: bool, lang: str) -> str:
    if table.status == "waiting":
        return Message("storeys.web.waiting").text(lang)
    if yours or table.status == "over":
        return table.match.prompt(lang)
    seat = table.match.to_move
    name = called(table.seats[seat], lang) if seat is not None else ""
    return Message("storeys.web.their-turn", name=name).text(lang)


def _round(match: Match, moment: dict[str, int] | None, lang: str) -> str:
    """The round that is seen; a board that was scored is still of the round that ended."""
    number = moment["round"] if moment else int(match.view(None)["round"])
    words = Message("storeys.play.round", number=number).text(lang)
    return words[:1].upper() + words[1:]


def _areas(
    match: Match, viewer: int | None, look: Look, wish: Wish, cache: Cache | None
) -> list[dict[str, Any]]:
    components = match.setup.components
    scene = match.game.scene(match.view(viewer), components, match.names, look, match.winners)
    cities = [_area(area, "city", scene, look, wish, match, cache) for area in scene.cities]
    # The page lists the scores itself, with their parts.
    panels = [area for area in scene.panels if area.name != "scores"]
    return cities + [_area(area, "panel", scene, look, wish, match, cache) for area in panels]


def _area(
    area: Area, kind: str, scene: Scene, look: Look, wish: Wish, match: Match, cache: Cache | None
) -> dict[str, Any]:
    part = drawn(area, scene, look, cache)
    body = part.body.replace(P, PREFIX)
    digest = _digest(body)
    number = area.name.removeprefix("city-")
    city = int(number) if kind == "city" else None
    by_seat = city is not None and len(match.names) == match.players and city < match.players
    return {
        "name": area.name,
        "kind": kind,
        "seat": city if by_seat and match.game.cities_are_seats else None,
        "title": area.title or _title(area.name, city, match, wish.lang),
        "hash": digest,
        "width": part.width,
        "height": part.height,
        "body": None if digest in wish.known else body,
    }


def _title(name: str, city: int | None, match: Match, lang: str) -> str:
    """What people call an area."""
    return (
        match.names[city]
        if city is not None
        else Message(f"{match.game.name}.area.{name}").text(lang)
    )


def _scores(match: Match, lang: str) -> list[dict[str, Any]]:
    return [
        {
            "seat": seat,
            "total": score["total"],
            "parts": [
                {
                    "rule": part["rule"],
                    "label": _part_words(part, lang),
                    "points": part["points"],
                    "highlight": [list(where) for where in match.game.lit(part, seat)],
                }
                for part in score["parts"]
            ],
        }
        for seat, score in enumerate(match.score(lang))
    ]


def _part_words(part: dict[str, Any], lang: str) -> str:
    """What a part counted, with its round where a game scores in rounds."""
    if "round" not in part:
        return str(part["label"])
    return f"{Message('storeys.play.round', number=part['round']).text(lang)}: {part['label']}"


def _log(table: Table, lang: str) -> list[dict[str, Any]]:
    return [
        {"ply": ply, "seat": seat, "text": move.label(seat, lang)}
        for ply, (move, seat) in enumerate(
            zip(table.match.moves, table.match.movers, strict=False), start=1
        )
    ]


def _notices(table: Table, lang: str) -> list[dict[str, Any]]:
    """What everybody at the table is told beside the moves, with the move it came after."""
    return [
        {"seq": one.seq, "ply": one.ply, "seat": one.seat, "text": one.message.text(lang)}
        for one in table.notices
    ]


def _links(table: Table, wish: Wish) -> dict[str, str | None]:
    here = f"/api/tables/{table.id}"
    return {
        "record": f"{here}/record" if table.status == "over" else None,
        "picture": f"{here}/picture.png?theme={wish.theme}&lang={wish.lang}",
        "rules": f"/rules/{table.match.game.name}",
    }
