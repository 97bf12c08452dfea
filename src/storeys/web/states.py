"""What a browser may see of a table, as JSON; nothing else ever leaves the server for it."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, cast

import storeys
from storeys.kernel.drawing import scene as drawing
from storeys.kernel.drawing.svg import P
from storeys.kernel.messages import Message
from storeys.match import Match
from storeys.registry import get_game
from storeys.web import written
from storeys.web.errors import BadPost, not_yours
from storeys.web.faces import face_of, face_url
from storeys.web.keeping import Keeper
from storeys.web.language import capital
from storeys.web.lessons import LEARNER, lesson_facts
from storeys.web.models import (
    Lesson,
    Moment,
    Notice,
    SeatKind,
    State,
    Theme,
    TurnClock,
    View,
)
from storeys.web.pieces import Piece, as_json, members, plain
from storeys.web.table import Snapshot, Table
from storeys.web.tables import clock_called
from storeys.web.written import Words

PREFIX = "s"
"""With what the ids of all pictures begin; a page shows one table."""

AREAS_KEPT, STATES_KEPT = 48_000_000, 10_000_000
"""Bytes in memory for drawings, and for what states share."""
SAID_KEPT, BETWEEN_KEPT = 4096, 2048
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
    crop: drawing.Box | None = None

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
    return sum([piece.weight for piece in pieces])


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
        self.commons = Keeper[Common](STATES_KEPT, lambda common: common.weight)
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
    return f'W/"{now.seq}-{_digest_of((storeys.__version__, now.id, browser, query.how))}"'


@lru_cache(SAID_KEPT)
def _digest_of(shown: tuple[str, str, Browser, tuple[int | str | None, ...]]) -> str:
    """What stands for a browser and all that it asks for, whatever has happened meanwhile."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


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
    found += [_between(rest + b"},"), _clock(now, cache)]
    return found


@lru_cache(BETWEEN_KEPT)
def _between(text: bytes) -> Piece:
    """What stands between drawings that are sent: others' states, and later ones, have it too."""
    return Piece(text)


NO_CLOCK = Piece(b'"clock":null}')


def _clock(now: Snapshot, cache: AreaCache) -> Piece:
    """The clock of a table, with what the time is: the only part of a state that nobody keeps."""
    if now.clock is None:
        return NO_CLOCK
    kind = clock_called(now.clock)
    clock: TurnClock = {"kind": kind, "deadline": now.deadline, "now": cache.clock()}
    return Piece(members({"clock": clock}) + b"}")


def _with_body(found: list[Piece], rest: bytes, shape: Shape, known: frozenset[str]) -> bytes:
    """Go on with a drawing's hash and its body, unless that is known; the text to go on with."""
    if shape.hash in known:
        return rest + b'"hash":"%s","body":null' % shape.hash.encode()
    found += [_between(rest), shape.body]
    return b""


@dataclass(frozen=True)
class Common:
    """What is the same in the states of all who look at a table in one way, worked out once.

    It is made of what everybody may see; what a seat alone sees is never in it.
    """

    board: Match
    """The match at the moment that is shown."""
    live: bool
    look: drawing.Look
    names: Sequence[str]
    public: dict[str, Any]
    """The view of a spectator."""
    head: tuple[bytes, ...]
    """Members of the state in their order, between those that differ."""
    seats: tuple[tuple[bytes, bytes], ...]
    """Of each seat, what stands before and after what differs."""
    prompt: bytes
    """What is said to those who are not to move."""
    tail: tuple[Piece, ...]
    """Scores, log and notices."""

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory."""
        return 20_000 + weight_of(self.tail)


def _frame(now: Snapshot, browser: Browser, query: StateQuery, cache: AreaCache) -> Frame:
    key = now.stamp, query.how
    common = cache.commons.get(key, lambda: _common(now, query, cache))
    match, viewer, look = now.match, browser.viewer, common.look
    view = common.public if viewer is None else common.board.view(viewer, common.public)
    box = match.setup.components
    scene = match.game.scene(view, box, common.names, look, common.board.winners)
    yours = (
        viewer is not None
        and viewer == match.to_move
        and now.status == "playing"
        and now.seats[viewer].kind == "human"
    )
    learns = common.live and now.kind == "match" and viewer == LEARNER
    lesson = lesson_facts(match, yours, query.lang) if learns else None
    prompt = match.prompt(query.lang) if yours else None
    head = _head(now, common, browser, yours, prompt, lesson)
    return Frame(
        (
            Piece(b"{" + head + b","),
            *(
                _shared(now, cache, query.lang, f"choices {viewer}", lambda: (
                    written.choices(match, query.lang, cache.words)
                ))
                if yours and common.live
                else NO_CHOICES
            ),
            *common.tail,
        ),
        tuple(_areas(common.board, scene, look, common.names, cache)),
        _shape_of(drawing.sky(look) + scene.defs, cache),
    )  # fmt: skip


def _common(now: Snapshot, query: StateQuery, cache: AreaCache) -> Common:
    match, lang, names = now.match, query.lang, now.names_in(query.lang)
    shown = match if query.ply is None else match.at(query.ply)
    scores = shown.score(lang) if query.part is not None else None
    parts = _parts(scores, query.part)
    part = parts[0] if parts else None
    board = when_scored(shown, part)
    moment: Moment | None = None
    if part is not None and board.moves_made != shown.moves_made:
        moment = {"ply": board.moves_made, "round": part["round"]}
    look = query.look(_lit(match, parts, query.place))
    # A board that was scored is still of the round that ended.
    number = moment["round"] if moment else board.round
    here = f"/api/tables/{now.id}"
    whose: dict[str, Any] = {
        "table": now.id,
        "game": match.game.name,
        "title": match.game.title.text(lang),
        "seq": now.seq,
        "ply": shown.moves_made,
        "last_ply": match.moves_made,
        "status": now.status,
        "lang": lang,
        "players": match.players,
    }
    how: dict[str, Any] = {
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
    }
    when = _when(match.game.name, match.phase, number, match.rounds, lang)
    shared = partial(_shared, now, cache, lang)
    write_scores = partial(written.scores, match, shown, lang, cache.words)
    return Common(
        board,
        board.moves_made == match.moves_made,
        look,
        names,
        board.view(None),
        (
            members(whose),
            members({"to_move": match.to_move}),
            when + b"," + members({"moment": moment}),
            members(how),
        ),
        tuple(_seat(now, nth, look, names[nth]) for nth in range(match.players)),
        as_json(_prompt(now, names, lang)),
        (
            *shared(f"scores {shown.moves_made}", write_scores),
            *shared("log", lambda: written.log(match, lang, cache.words)),
            *shared("notices", lambda: _notices(now, lang)),
        ),
    )


def _head(
    now: Snapshot,
    common: Common,
    browser: Browser,
    yours: bool,
    prompt: str | None,
    lesson: Lesson | None,
) -> bytes:
    """The members of a state before its choices, in the order of the model."""
    (whose, to_move, when, how), players = common.head, len(common.seats)
    who = {"viewer": browser.viewer, "mine": list(browser.mine)}
    said = common.prompt if prompt is None else as_json(prompt)
    turn = members({"your_turn": yours, "curtain": browser.curtain})
    back = b"true" if common.live and browser.can_take_back else b"false"
    seats = b",".join([_whole_seat(now, nth, browser, common.seats[nth]) for nth in range(players)])
    taught = as_json(lesson)
    return b'%s,%s,%s,%s,"prompt":%s,%s,"can_take_back":%s,%s,"lesson":%s,"seats":[%s]' % (
        whose, members(who), to_move, turn, said, when, back, how, taught, seats,
    )  # fmt: skip


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


@lru_cache(SAID_KEPT)
def _when(game: str, phase: str, number: int, rounds: int | None, lang: str) -> bytes:
    """What is said of a phase and a round of a game."""
    played = get_game(game)
    said = {
        "goal": played.goal(lang),
        "help": played.section_now(phase),
        "round": capital(Message("storeys.play.round", number=number).text(lang)),
        "headline": _headline(number, rounds, lang),
    }
    return members(said)


def _headline(number: int, rounds: int | None, lang: str) -> str:
    """The round, and how many there are where the game knows that from the start."""
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


def _seat(table: Snapshot, nth: int, look: drawing.Look, name: str) -> tuple[bytes, bytes]:
    """A seat as everybody sees it: what stands before and after what differs."""
    seat, match = table.seats[nth], table.match
    said = _seat_said(table.id, nth, name, cast(SeatKind, seat.kind), seat.bot, seat.face)
    unlit = replace(look, highlight=()) if look.highlight else look
    return said, _badges(match.game.name, match.players, nth, unlit)


@lru_cache(SAID_KEPT)
def _seat_said(
    table: str, nth: int, name: str, kind: SeatKind, bot: str | None, chosen: str | None
) -> bytes:
    face = None if kind == "open" else face_url(face_of(table, nth, chosen, bot))
    return members({"seat": nth, "name": name, "kind": kind, "bot": bot, "face": face})


@lru_cache(SAID_KEPT)
def _badges(game: str, players: int, seat: int, look: drawing.Look) -> bytes:
    return as_json(get_game(game).badges(players, seat, look))


def _whole_seat(now: Snapshot, nth: int, browser: Browser, said: tuple[bytes, bytes]) -> bytes:
    """A seat as a browser sees it: the link of an open one is shown to its host alone."""
    before, badges = said
    mine, resigned, stands_in, inviting = (
        b"true" if found else b"false"
        for found in (
            nth in browser.mine, nth in now.resigned, nth == now.stand_in, nth in browser.inviting,
        )
    )  # fmt: skip
    link = as_json(f"/join/{now.seats[nth].token}") if nth in browser.invited else b"null"
    differs = mine, resigned, stands_in, link, inviting
    names = b'"mine":%s,"resigned":%s,"stand_in":%s,"invite":%s,"may_invite":%s' % differs
    return b'{%s,%s,"badges":%s}' % (before, names, badges)


def _prompt(table: Snapshot, names: Sequence[str], lang: str) -> str:
    """What those are told who are not to move."""
    if table.status == "waiting":
        return Message("storeys.web.waiting").text(lang)
    seat = table.match.to_move
    if seat is None:
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
                _title(match.game.name, area.name, look.lang) if number is None else names[number]
            )
            seat = number if of_seats else None
            size = shape.width, shape.height
            yield shape, _said(area.name, kind, seat, title, size, shape.crop)


@lru_cache(SAID_KEPT)
def _title(game: str, area: str, lang: str) -> str:
    """What people call a panel."""
    return Message(f"{game}.area.{area}").text(lang)


@lru_cache(SAID_KEPT)
def _said(
    name: str,
    kind: str,
    seat: int | None,
    title: str,
    size: tuple[float, float],
    crop: drawing.Box | None,
) -> bytes:
    """What is said of an area beside its drawing: the same from move to move."""
    said = {"name": name, "kind": kind, "seat": seat, "title": title}
    cropped = crop and [round(side, 1) for side in crop]
    return members(said | {"width": size[0], "height": size[1], "crop": cropped})


def _drawn(area: drawing.Area) -> Shape:
    part = area.draw()
    return _shape(part.body, part.width, part.height, part.crop)


def _shape_of(defs: str, cache: AreaCache) -> Shape:
    return cache.shapes.get(defs, lambda: _shape(defs))


def _shape(
    body: str, width: float = 0.0, height: float = 0.0, crop: drawing.Box | None = None
) -> Shape:
    text = body.replace(P, PREFIX)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    # A text alone is written in half the time that an object takes.
    piece = Piece(b'"hash":"%s","body":%s' % (digest.encode(), as_json(text)))
    return Shape(digest, width, height, piece, crop)
