"""What a browser may see of a table, as JSON; nothing else ever leaves the server for it."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, cast

import storeys
from storeys.kernel.drawing import scene as drawing
from storeys.kernel.drawing.svg import P
from storeys.kernel.messages import Message
from storeys.match import Match
from storeys.web import written
from storeys.web.errors import BadPost, not_yours
from storeys.web.faces import face_of, face_url
from storeys.web.keeping import Keeper
from storeys.web.language import capital
from storeys.web.models import (
    Moment,
    Notice,
    Seat,
    SeatKind,
    State,
    Theme,
    TurnClock,
    View,
)
from storeys.web.pieces import Piece, as_json, members, plain
from storeys.web.table import Snapshot, Table
from storeys.web.tables import CLOCKS
from storeys.web.written import Words

PREFIX = "s"
"""With what the ids of all pictures begin; a page shows one table."""

AREAS_KEPT, STATES_KEPT = 48_000_000, 10_000_000
"""Bytes in memory for drawings, and for what states share."""
SAID_KEPT, VIEWS_KEPT = 4096, 64
NO_CHOICES = (Piece(b'"choices":[],"steps":[],"count":null,'),)


MOST_KNOWN = 2000
"""How long a browser's list of drawings that it has may be."""


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
    place: int | None = None

    @property
    def how(self) -> tuple[int | str | None, ...]:
        """What makes one state of a browser differ from another."""
        return self.ply, self.view, self.turn, self.theme, self.lang, self.part, self.place

    def look(self, lit: Sequence[Sequence[int]] = ()) -> drawing.Look:
        """How pictures are to look for it; an error if they cannot."""
        return drawing.make_look(self.view, self.turn, self.theme, lit, self.lang)


@dataclass(frozen=True)
class Shape:
    """A drawing as it is sent: its hash, its measures, and the body as JSON with that hash."""

    hash: str
    width: float
    height: float
    body: Piece

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory."""
        return self.body.weight


@dataclass(frozen=True)
class Frame:
    """A state but for the bodies of its drawings, which not everybody needs."""

    pieces: tuple[Piece, ...]
    areas: tuple[tuple[Shape, bytes], ...]
    """Each with what is said of it, as members of an object."""
    defs: Shape

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory; its drawings are kept for themselves."""
        return weight_of(self.pieces) + 500 * len(self.areas)


def weight_of(pieces: Iterable[Piece]) -> int:
    """About how many bytes pieces take in memory."""
    return sum(piece.weight for piece in pieces)


class AreaCache:
    """What has been drawn and written: areas by what they show, states by table and viewer.

    Nothing in a key or under it is known to fewer people than may ask by that key: an area is kept
    by all that it shows, a state by the snapshot, the seat whose view it is, and what else differs
    between browsers.
    """

    def __init__(self, areas: int = AREAS_KEPT, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.shapes = Keeper[Shape](areas, lambda shape: shape.weight)
        self.frames = Keeper[Frame](STATES_KEPT, lambda frame: frame.weight)
        self.shared = Keeper[tuple[Piece, ...]](STATES_KEPT, weight_of)
        self.public = Keeper[dict[str, Any]](VIEWS_KEPT, lambda _: 1)
        self.words = Words()


@dataclass(frozen=True)
class Browser:
    """All that makes one browser's state differ from another's: what is made of it is shared."""

    mine: tuple[int, ...]
    invited: tuple[int, ...]
    """The open seats whose links it is shown."""
    inviting: tuple[int, ...]
    """The seats that it may make links for."""
    can_take_back: bool
    viewer: int | None
    """Whose view it is shown."""
    curtain: bool
    """Whether that is hidden until the next person is there."""


def browser_at(table: Snapshot, owner: str, seat: int | None) -> Browser:
    """What a browser is at a table; an error if it asks for a seat that is not its own."""
    mine, seats = table.seats_of(owner), range(len(table.seats))
    viewer, curtain = _viewer(table, mine, seat)
    shown_links = table.may_seat(owner)
    return Browser(
        tuple(mine),
        tuple(nth for nth in seats if shown_links and table.seats[nth].kind == "open"),
        tuple(nth for nth in seats if table.may_invite(nth, owner)),
        any(table.can_take_back(nth) for nth in mine),
        viewer,
        curtain,
    )


def state_of(
    table: Table | Snapshot, owner: str, query: StateQuery, cache: AreaCache | None = None
) -> State:
    """Everything that a page needs to show a table to a browser and let it play."""
    now = table.snapshot if isinstance(table, Table) else table
    browser = browser_at(now, owner, query.seat)
    return cast(State, json.loads(plain(pieces_of(now, browser, query, cache or AreaCache()))))


def tag_of(now: Snapshot, browser: Browser, query: StateQuery) -> str:
    """The ETag of a state: whoever has seen it has seen all that there is to see."""
    shown = storeys.__version__, now.id, browser, query.how
    digest = hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
    return f'W/"{now.seq}-{digest}"'


def pieces_of(now: Snapshot, browser: Browser, query: StateQuery, cache: AreaCache) -> list[Piece]:
    """A state as pieces of JSON, which other browsers' states share."""
    frame = cache.frames.get(
        (now.stamp, browser, query.how), lambda: _frame(now, browser, query, cache)
    )
    found, rest = list(frame.pieces), b'"areas":['
    for nth, (shape, said) in enumerate(frame.areas):
        rest += b"{" if nth == 0 else b",{"
        rest = _with_body(found, rest, shape, query.known) + b"," + said + b"}"
    rest = _with_body(found, rest + b'],"defs":{', frame.defs, query.known)
    found.append(Piece(rest + b"}," + members({"clock": _clock(now, cache)}) + b"}"))
    return found


def _clock(now: Snapshot, cache: AreaCache) -> TurnClock | None:
    """The clock of a table, with what the time is: the only part of a state that nobody keeps."""
    if now.clock is None:
        return None
    [kind] = [name for name, seconds in CLOCKS.items() if seconds == now.clock]
    return {"kind": kind, "deadline": now.deadline, "now": cache.clock()}


def _with_body(found: list[Piece], rest: bytes, shape: Shape, known: frozenset[str]) -> bytes:
    """Go on with a drawing's hash and its body, unless that is known; the text to go on with."""
    if shape.hash in known:
        return rest + b'"hash":"%s","body":null' % shape.hash.encode()
    found += [Piece(rest), shape.body]
    return b""


def _frame(now: Snapshot, browser: Browser, query: StateQuery, cache: AreaCache) -> Frame:
    match, lang = now.match, query.lang
    names, viewer = now.names_in(lang), browser.viewer
    shown = match if query.ply is None else match.at(query.ply)
    scores = shown.score(lang) if query.part is not None else None
    parts = _parts(scores, query.part)
    part = parts[0] if parts else None
    board = when_scored(shown, part)
    live = board.moves_made == match.moves_made
    moment: Moment | None = None
    if part is not None and board.moves_made != shown.moves_made:
        moment = {"ply": board.moves_made, "round": part["round"]}
    look = query.look(_lit(match, parts, query.place))
    view = _view(now, board, viewer, cache)
    scene = match.game.scene(view, match.setup.components, names, look, board.winners)
    yours = (
        viewer is not None
        and viewer == match.to_move
        and now.status == "playing"
        and now.seats[viewer].kind == "human"
    )
    # A board that was scored is still of the round that ended.
    number = moment["round"] if moment else board.round
    here = f"/api/tables/{now.id}"
    head: dict[str, Any] = {
        "table": now.id,
        "game": match.game.name,
        "title": match.game.title.text(lang),
        "seq": now.seq,
        "ply": shown.moves_made,
        "last_ply": match.moves_made,
        "status": now.status,
        "lang": lang,
        "players": match.players,
        "viewer": viewer,
        "mine": list(browser.mine),
        "to_move": match.to_move,
        "your_turn": yours,
        "curtain": browser.curtain,
        "prompt": _prompt(now, yours, names, lang),
        "round": capital(Message("storeys.play.round", number=number).text(lang)),
        "headline": _headline(match, number, lang),
        "moment": moment,
        "can_take_back": live and browser.can_take_back,
        "winners": match.winners,
        "rematch": now.rematch,
        "previous": now.previous,
        "view": cast(View, query.view),
        "turn": query.turn,
        "theme": cast(Theme, query.theme),
        "links": {
            "record": f"{here}/record" if now.status == "over" else None,
            "picture": f"{here}/picture.png?theme={query.theme}&lang={lang}",
            "rules": f"/rules/{match.game.name}",
        },
        "seats": [_seat(now, nth, browser, look, names[nth]) for nth in range(match.players)],
    }
    shared = partial(_shared, now, cache, lang)
    return Frame(
        (
            Piece(b"{" + members(head) + b","),
            *(
                shared(f"choices {viewer}", lambda: written.choices(match, lang, cache.words))
                if yours and live
                else NO_CHOICES
            ),
            *shared(
                f"scores {shown.moves_made}",
                lambda: written.scores(match, shown, lang, cache.words),
            ),
            *shared("log", lambda: written.log(match, lang, cache.words)),
            *shared("notices", lambda: _notices(now, lang)),
        ),
        tuple(_areas(board, scene, look, names, cache)),
        _shape_of(drawing.sky(look) + scene.defs, cache),
    )


def _view(now: Snapshot, board: Match, viewer: int | None, cache: AreaCache) -> dict[str, Any]:
    """The view of a seat, made of what everybody sees: that is worked out once."""
    key = now.stamp, board.moves_made
    public = cache.public.get(key, lambda: board.view(None))
    return public if viewer is None else board.view(viewer, public)


def _shared(
    now: Snapshot, cache: AreaCache, lang: str, what: str, make: Callable[[], Iterable[Piece]]
) -> tuple[Piece, ...]:
    """What is the same for all to whom it is shown."""
    return cache.shared.get((now.stamp, lang, what), lambda: tuple(make()))


def _viewer(table: Snapshot, mine: list[int], seat: int | None) -> tuple[int | None, bool]:
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


def _headline(match: Match, number: int, lang: str) -> str:
    """The round, and how many there are where the game knows that from the start."""
    rounds = match.rounds
    if rounds is None:
        return capital(Message("storeys.play.round", number=number).text(lang))
    return capital(Message("storeys.play.round-of", number=number, rounds=rounds).text(lang))


def _parts(scores: Sequence[dict[str, Any]] | None, names: str | None) -> list[dict[str, Any]]:
    """The parts of scores that are to be shown, e.g. ``0.3,1.2``, with their seats."""
    if names is None or scores is None:
        return []
    return [_part(scores, name) for name in names.split(",")]


def _lit(match: Match, parts: Sequence[dict[str, Any]], place: int | None) -> list[Sequence[int]]:
    """What parts light up, in one city or in all."""
    squares = [where for part in parts for where in match.game.lit(part, part["seat"])]
    return [where for where in squares if place is None or where[0] == place]


def _part(scores: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """The part of a score that is to be shown, e.g. ``0.3``, with its seat."""
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


def _seat(table: Snapshot, nth: int, browser: Browser, look: drawing.Look, name: str) -> Seat:
    seat, match = table.seats[nth], table.match
    return {
        "seat": nth,
        "name": name,
        "kind": cast(SeatKind, seat.kind),
        "bot": seat.bot,
        "face": None
        if seat.kind == "open"
        else face_url(face_of(table.id, nth, seat.face, seat.bot)),
        "mine": nth in browser.mine,
        "resigned": nth in table.resigned,
        "stand_in": nth == table.stand_in,
        "invite": f"/join/{seat.token}" if nth in browser.invited else None,
        "may_invite": nth in browser.inviting,
        "badges": match.game.badges(match.players, nth, look),
    }


def _prompt(table: Snapshot, yours: bool, names: Sequence[str], lang: str) -> str:
    if table.status == "waiting":
        return Message("storeys.web.waiting").text(lang)
    seat = table.match.to_move
    if yours or seat is None:
        return table.match.prompt(lang)
    return Message("storeys.web.their-turn", name=names[seat]).text(lang)


def _notices(now: Snapshot, lang: str) -> Iterator[Piece]:
    found: list[Notice] = [
        {"seq": one.seq, "ply": one.ply, "seat": one.seat, "text": one.message.text(lang)}
        for one in now.notices
    ]
    yield Piece(b'"notices":%s,' % as_json(found))


def _areas(
    match: Match,
    scene: drawing.Scene,
    look: drawing.Look,
    names: Sequence[str],
    cache: AreaCache,
) -> Iterator[tuple[Shape, bytes]]:
    """The picture in parts; the page lists the scores itself, with their parts."""
    of_seats = match.game.cities_are_seats
    for kind, parts in (("city", scene.cities), ("panel", scene.panels)):
        for area in parts:
            if area.name == "scores":
                continue
            shape = cache.shapes.get(drawing.key_of(area, scene, look), partial(_drawn, area))
            number = int(area.name.removeprefix("city-")) if kind == "city" else None
            title = area.title or (
                Message(f"{match.game.name}.area.{area.name}").text(look.lang)
                if number is None
                else names[number]
            )
            seat = number if of_seats else None
            yield shape, _said(area.name, kind, seat, title, shape.width, shape.height)


@lru_cache(SAID_KEPT)
def _said(name: str, kind: str, seat: int | None, title: str, wide: float, high: float) -> bytes:
    """What is said of an area beside its drawing: the same from move to move."""
    said = {"name": name, "kind": kind, "seat": seat, "title": title}
    return members(said | {"width": wide, "height": high})


def _drawn(area: drawing.Area) -> Shape:
    part = area.draw()
    return _shape(part.body, part.width, part.height)


def _shape_of(defs: str, cache: AreaCache) -> Shape:
    return cache.shapes.get(defs, lambda: _shape(defs))


def _shape(body: str, width: float = 0.0, height: float = 0.0) -> Shape:
    text = body.replace(P, PREFIX)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Shape(digest, width, height, Piece(members({"hash": digest, "body": text})))
