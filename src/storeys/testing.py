"""The suite that every game must pass, for our own tests and for authors of other games.

Each check plays or reads random games of one variant and raises ``AssertionError`` with what it
found.  Everything is drawn from ``seed``, so a failure can be had again.
"""

import copy
import hashlib
import html
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from storeys.arena import playouts
from storeys.kernel import chance, entry_points, verbs
from storeys.kernel.compiling import UNCOMPILED
from storeys.kernel.errors import IllegalMove, StoreysError
from storeys.kernel.lessons import FREELY, PARTS
from storeys.kernel.messages import DEFAULT_LANGUAGE, languages, sentences
from storeys.kernel.observing import Plane
from storeys.match import Match, Move, from_position, load, new
from storeys.registry import get_game

MOST_MOVES = 100_000
REDEALS = 3_000
SAMPLES = 4_000
UNLIKELY = 6.0
"""Standard deviations beyond which a statistical check fails: once in a thousand million."""


@dataclass
class Trial:
    """What a check works on: a variant, some of its games played to the end, a source of chance."""

    name: str
    options: dict[str, Any]
    rng: random.Random
    matches: list[Match] = field(default_factory=list)

    def positions(self, match: Match, share: float = 1.0) -> Iterator[Match]:
        """Walk a finished match again from its start, stopping at a share of its positions."""
        walker = load(match.record())
        while walker.moves_made:
            walker.pop()
        yield walker
        for move in match.moves:
            walker.push(move)
            if self.rng.random() < share:
                yield walker

    def some_position(self) -> Match:
        """A random position of a random game, before its end."""
        match = load(self.rng.choice(self.matches).record())
        for _ in range(self.rng.randint(1, match.moves_made)):
            match.pop()
        return match

    def some_seat(self) -> int | None:
        """A seat, or None for a spectator."""
        seats: list[int | None] = [None, *range(self.matches[0].players)]
        return self.rng.choice(seats)


def check_game(
    name: str,
    *,
    games: int = 3,
    seed: int = 0,
    report: Callable[[str], object] = print,
    **options: Any,
) -> None:
    """Put one variant of a game through every check.

    >>> from storeys.testing import CHECKS, check_game
    >>> [check.__name__ for check in CHECKS][:3]
    ['check_moves_round_trip', 'check_legal_moves_agree', 'check_undo_is_exact']
    >>> try:
    ...     check_game("manhattan", players=5)
    ... except ValueError as error:
    ...     print(error)
    manhattan cannot be played by 5; the number of players is one of 2, 3, 4
    """
    trial = Trial(name, options, random.Random(seed))
    trial.matches = [_play_to_the_end(trial) for _ in range(games)]
    for check in CHECKS:
        check(trial)
    report(f"{name} {options}: {len(CHECKS)} checks passed; {_speed(trial)}")
    for sentence in untranslated(name):
        report(f"{name}: {sentence}; English stands in")


def _play_to_the_end(trial: Trial) -> Match:
    """No position may be stuck, and every game must end."""
    match = new(trial.name, seed=trial.rng.getrandbits(128), **trial.options)
    while match.to_move is not None:
        assert len(match.legal_moves) > 0, f"stuck: {match.position()}"
        match.push(trial.rng.choice(match.legal_moves))
        assert match.moves_made < MOST_MOVES, "the game does not end"
    assert not match.legal_moves, "moves after the end"
    assert match.winners, "nobody wins"
    return match


# --- moves and records


def check_moves_round_trip(trial: Trial) -> None:
    """Notation and dicts give the same move back, and no two legal moves are the same."""
    for match in trial.positions(trial.matches[0]):
        moves = list(match.legal_moves)
        assert len(set(moves)) == len(moves), "a move is listed twice"
        assert len({str(move) for move in moves}) == len(moves), "two moves share a notation"
        for move in moves:
            assert match.parse_move(str(move)) == move, f"notation of {move!r}"
            as_json = json.loads(json.dumps(move.to_json()))
            assert match.parse_move(as_json) == move, f"dict of {move!r}"


def check_legal_moves_agree(trial: Trial) -> None:
    """The list, the mask and push agree; what is not listed is refused and changes nothing."""
    strangers = {move for match in trial.matches for move in match.moves}
    for match in trial.positions(trial.matches[0], 0.3):
        legal = set(match.legal_moves)
        assert match.action_mask().sum() == len(legal), "the mask differs from the list"
        for move in legal:
            match.push(move)
            match.pop()
        for move in trial.rng.sample(sorted(strangers, key=str), min(20, len(strangers))):
            if move not in legal:
                _check_refused(match, move)


def _check_refused(match: Match, move: Move) -> None:
    before = match.state().tobytes()
    try:
        match.push(move)
    except IllegalMove as error:
        refusal = error
    else:
        raise AssertionError(f"{move!r} is not listed, but push takes it")
    assert refusal.rule, f"{move!r} is refused without a rule id"
    assert str(refusal).startswith(refusal.rule + ": "), str(refusal)
    assert match.state().tobytes() == before, f"refusing {move!r} changed the state"


def check_undo_is_exact(trial: Trial) -> None:
    """Every move can be taken back to the byte, in any number."""
    match = trial.matches[0].clone()
    states = [match.state().tobytes()]
    while match.moves_made:
        match.pop()
        states.append(match.state().tobytes())
    for move in trial.matches[0].moves:
        assert match.state().tobytes() == states.pop(), f"undo before {move!r}"
        match.push(move)
        if trial.rng.random() < 0.2:
            back = min(match.moves_made, trial.rng.randint(1, 5))
            for again in reversed([match.pop() for _ in range(back)]):
                match.push(again)
    assert match.state().tobytes() == states.pop(), "undo and redo end elsewhere"


def check_records_replay(trial: Trial) -> None:
    """A record gives the same game and the same record back, byte for byte."""
    for match in trial.matches:
        text = json.dumps(match.record())
        again = load(text)
        assert json.dumps(again.record()) == text, "the record changed"
        assert again.state().tobytes() == match.state().tobytes(), "the state changed"
        assert again.winners == match.winners
        assert again.score() == match.score()


def check_copies_are_exact(trial: Trial) -> None:
    """Clones, deep copies and pickles go on alike and do not touch each other."""
    match = trial.some_position()
    state = match.state().tobytes()
    for twin in (match.clone(), copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        assert twin.state().tobytes() == state
        assert twin.record() == match.record()
        move = trial.rng.choice(match.legal_moves)
        twin.push(move)
        assert match.state().tobytes() == state, "a copy shares its state"
        match.push(move)
        assert match.state().tobytes() == twin.state().tobytes(), "a copy goes on differently"
        match.pop()


# --- positions, conservation, scores


def check_positions_round_trip(trial: Trial) -> None:
    """A position dict gives the same position back, with the same legal moves."""
    for match in trial.positions(trial.matches[-1], 0.3):
        position = json.loads(json.dumps(match.position()))
        again = from_position(position)
        assert again.position() == position
        assert set(again.legal_moves) == set(match.legal_moves)
        assert [s["total"] for s in again.score()] == [s["total"] for s in match.score()]
        if again.to_move is not None:
            again.push(trial.rng.choice(again.legal_moves))
            assert load(again.record()).state().tobytes() == again.state().tobytes()


def check_nothing_is_lost(trial: Trial) -> None:
    """The game's own count of its pieces holds in every position."""
    for finished in trial.matches:
        for match in trial.positions(finished):
            moves = [move.to_json() for move in match.moves]
            match.game.check_conserved(match.position(), match.setup.components, moves)


def check_scores_add_up(trial: Trial) -> None:
    """The parts of a score make its total, and each names a rule in every language."""
    for match in trial.positions(trial.matches[0], 0.3):
        for seat in match.score():
            assert seat["total"] == sum(part["points"] for part in seat["parts"]), seat
            assert all(part["rule"] and part["label"] for part in seat["parts"]), seat


# --- what is hidden


def check_views_do_not_leak(trial: Trial) -> None:
    """What a seat sees does not change when what it cannot see is dealt again."""
    rng = chance.generator(trial.rng.getrandbits(64))
    for match in trial.positions(trial.matches[0], 0.2):
        seat = trial.some_seat()
        other = match.clone()
        entry_points.redeal(other._state, other._tables, -1 if seat is None else seat, rng)
        assert other.view(seat) == match.view(seat), f"the view of {seat}"
        assert np.array_equal(other.observe(seat), match.observe(seat)), f"observation of {seat}"
        assert other.blinded(seat).tobytes() == match.blinded(seat).tobytes(), f"record of {seat}"
        assert match.view(seat)["seed"] is None
        assert match.view(seat)["seat"] == seat


def check_views_make_worlds(trial: Trial) -> None:
    """A match made from a view shows the same view, and the viewer has the same moves."""
    for match in trial.positions(trial.matches[-1], 0.2):
        seat = trial.some_seat() if match.to_move is None else match.to_move
        view = json.loads(json.dumps(match.view(seat)))
        world = from_position(view, seed=trial.rng.getrandbits(64))
        assert world.view(seat) == match.view(seat)
        assert set(world.legal_moves) == set(match.legal_moves)


def check_observations(trial: Trial) -> None:
    """Who remembers what it saw sees what a fresh look shows; as bytes, the whole numbers."""
    game = trial.matches[0].game
    memory = np.frombuffer(trial.rng.randbytes(game.observation.room), np.uint8).copy()
    remembered = np.empty(game.observation_size, np.float32)
    as_bytes = np.empty(game.observation_size, np.uint8)
    for match in trial.matches[:2]:
        counts = np.full(game.observation.slots, -1)
        for position in trial.positions(match, 0.7):
            state, tables = position.state()[0], position.setup.components.tables[0]
            seat = trial.some_seat()
            viewer, seen = -1 if seat is None else seat, position.observe(seat)
            verbs.observe_again(state, tables, viewer, counts, memory, remembered)
            assert_same_planes(game.planes, seen, remembered, "what is remembered of")
            verbs.observe(state, tables, viewer, as_bytes)
            assert_same_planes(game.planes, whole_numbers(game.planes, seen), as_bytes, "bytes of")


def whole_numbers(planes: Sequence[Plane], seen: Any) -> Any:
    """What a tensor of bytes holds where one of floats holds this."""
    numbers = seen * np.concatenate([np.full(plane.size, plane.scale) for plane in planes])
    wide = np.concatenate([np.full(plane.size, plane.wide) for plane in planes])
    return np.where(wide, numbers.round().clip(0, 255), numbers.round())


def assert_same_planes(planes: Sequence[Plane], one: Any, other: Any, what: str) -> None:
    """Name the plane in which two tensors differ."""
    at = 0
    for plane in planes:
        here, at = slice(at, at + plane.size), at + plane.size
        assert np.array_equal(one[here], other[here]), f"{what} {plane.name} differs"


def check_redeal_is_uniform(trial: Trial) -> None:
    """Whatever a seat cannot see lies in every hidden place as often as it should."""
    match = trial.some_position()
    for seat in (None, 0):
        view = match.view(seat)
        pool = Counter(match.game.unseen(view, match.setup.components))
        worlds = list(_worlds(trial, match, seat))
        places = list(_hidden_places(view, worlds[0]))
        hidden = len(list(_hidden_places(view, match.position())))
        assert len(places) == hidden, f"redeal settles {len(places)} of {hidden} hidden places"
        for place in places:
            found = Counter(_at(world, place) for world in worlds)
            _check_frequencies(found, pool, f"{'/'.join(map(str, place))} for seat {seat}")
        if len(places) > 1:
            _check_pair(worlds, places[:2], pool)


def _worlds(trial: Trial, match: Match, seat: int | None) -> Iterator[dict[str, Any]]:
    rng = chance.generator(trial.rng.getrandbits(64))
    world = match.clone()
    world._bytes[:] = match.blinded(seat).tobytes()
    for _ in range(REDEALS):
        entry_points.redeal(world._state, world._tables, -1 if seat is None else seat, rng)
        yield world.position()


def _hidden_places(view: Any, full: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the view says null and the full position knows better; the seed apart."""
    if isinstance(full, dict):
        for key in full:
            if key != "seed":
                yield from _hidden_places(view[key], full[key], (*path, key))
    elif isinstance(full, list):
        for index, entry in enumerate(full):
            yield from _hidden_places(view[index], entry, (*path, index))
    elif view is None and full is not None:
        yield path


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _check_frequencies(found: Counter[Any], pool: Counter[Any], what: str) -> None:
    """A chi-square test of counts against the shares of a pool."""
    drawn, size = sum(found.values()), sum(pool.values())
    assert set(found) <= set(pool), f"{what}: {set(found) - set(pool)} cannot be there"
    expected = {key: drawn * count / size for key, count in pool.items() if count}
    distance = sum((found[key] - share) ** 2 / share for key, share in expected.items())
    deviation = _deviation_of_chi_square(distance, len(expected) - 1)
    assert deviation < UNLIKELY, f"{what}: {deviation:.1f} standard deviations from uniform"


def _deviation_of_chi_square(distance: float, freedom: int) -> float:
    """How far out a chi-square value is, in standard deviations (Wilson and Hilferty)."""
    if freedom < 1:
        return 0.0
    spread = 2 / (9 * freedom)
    return float(((distance / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def _check_pair(
    worlds: list[dict[str, Any]], places: list[tuple[Any, ...]], pool: Counter[Any]
) -> None:
    """Two hidden places hold the same kind of thing as often as drawing twice would give."""
    size = sum(pool.values())
    same = sum(n * (n - 1) for n in pool.values()) / (size * (size - 1))
    found = sum(_at(world, places[0]) == _at(world, places[1]) for world in worlds)
    expected, spread = len(worlds) * same, math.sqrt(len(worlds) * same * (1 - same))
    assert abs(found - expected) <= UNLIKELY * spread, f"{places}: alike {found}, not {expected}"


def check_sample_is_uniform(trial: Trial) -> None:
    """`sample` gives every legal move as often as any other, and no other."""
    rng = chance.generator(trial.rng.getrandbits(64))
    for _ in range(3):
        match = trial.some_position()
        pool = Counter(match.legal_moves)
        found = Counter(match.random_move(rng) for _ in range(SAMPLES))
        _check_frequencies(found, pool, f"sample in {match!r}")


# --- what people see


def check_words(trial: Trial) -> None:
    """Whatever a person may read in a match can be read, in every language there is."""
    for match in trial.positions(trial.matches[0], 0.1):
        for lang in languages(match.game.name):
            texts = [match.board_text(seat, lang) for seat in (None, 0)]
            texts += [match.game.title.text(lang), match.game.summary.text(lang)]
            texts += [match.game.help_text(lang), match.prompt(lang)]
            texts += [move.label(0, lang) for move in match.legal_moves]
            assert all(texts), f"something that should be read is empty in {lang}"


def check_pictures(trial: Trial) -> None:
    """Every seat's picture is sound SVG, and what a move needs can be picked in it."""
    for match in trial.positions(trial.matches[0], 0.1):
        for seat in (None, *range(match.players)):
            for view in ("plan", "skyline"):
                _check_svg(match.svg(seat, view=view), f"{view} of seat {seat}")
            if seat is not None and seat == match.to_move:
                _check_picks(match, match.svg(seat))


def _check_svg(picture: str, what: str) -> None:
    try:
        ElementTree.fromstring(picture)
    except ElementTree.ParseError as error:
        raise AssertionError(f"the {what} is no sound SVG: {error}") from None


def _check_picks(match: Match, picture: str) -> None:
    """A pick is something in the picture; only how a tile is turned is not."""
    found = set(re.findall(r'data-pick-([\w-]+)="([^"]*)"', picture))
    keys = {key for key, _ in found}
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for choice in match.choices():
        picks = tuple(sorted(choice["picks"].items()))
        assert picks not in seen, f"{choice['move']} is picked like {seen[picks]}"
        seen[picks] = choice["move"]
        for key, value in picks:
            drawn = (key, html.escape(value)) in found or (key == "turn" and key not in keys)
            assert drawn, f"{choice['move']}: nothing in the picture stands for {key} {value}"
    for picks, move in seen.items():
        begun = [other for other in seen if set(picks) < set(other)]
        assert not begun, f"{move} is picked by what {seen[begun[0]]} begins with"


def check_page(trial: Trial) -> None:
    """The page's state of a match has its areas and choices, for every seat, at any time."""
    try:
        from storeys.web.states import StateQuery, state_of
        from storeys.web.store import SeatFacts
        from storeys.web.table import Table
    except ImportError:
        return  # without the extra "web" there are no pages
    for match in trial.positions(trial.matches[0], 0.05):
        seats = [
            SeatFacts(nth, "human", f"person {nth}", owner="me") for nth in range(match.players)
        ]
        table = Table("table", "match", None, 0.0, "me", match, seats)
        query = StateQuery(seat=match.to_move if match.to_move is not None else 0)
        state = json.loads(json.dumps(state_of(table, "me", query)))
        assert len(state["choices"]) == len(match.legal_moves), "the page lacks choices"
        assert all(area["title"] for area in state["areas"]), "an area has no title"
        assert any(area["kind"] == "city" for area in state["areas"]), "there is no city to show"


def check_lesson(trial: Trial) -> None:
    """First steps, if there are any, lead to their end whatever a learner chooses, in a match that
    goes on; all that they say, light and ask for is there.
    """
    lesson = get_game(trial.name).lesson
    if lesson is None:
        return
    try:
        from storeys.web import lessons
    except ImportError:
        return  # without the extra "web" nobody takes them
    match = lessons.lesson_match(trial.name, [f"person {n}" for n in range(lesson.players)])
    while (stage := lessons.stage_of(match)) is not None and stage.awaits is not None:
        assert match.to_move is not None, "the match ends before the first steps do"
        learns = match.to_move == lessons.LEARNER
        assert learns == (stage.awaits.bot is None), f"somebody else is to do {stage.awaits}"
        if learns:
            match.push(_next_step(trial, match))
        elif recorded := lessons.recorded_moves(match):
            match.push(recorded[0])
        else:
            asked = stage.awaits.bot
            assert asked == FREELY or stage.strayed, f"the bot cannot do {asked}"
            match.push(trial.rng.choice(match.legal_moves))
    assert stage is not None, f"the first steps lead elsewhere after {match.moves[-1]}"
    assert stage.says, "nothing is said at the end"
    assert match.to_move == lessons.LEARNER, "they must end with a turn of one's own"


def _next_step(trial: Trial, match: Match) -> str:
    """A move that the first steps ask for, seen as the learner's page shows it."""
    from storeys.web.states import StateQuery, state_of
    from storeys.web.store import SeatFacts
    from storeys.web.table import Table

    seats = [SeatFacts(n, "human", f"person {n}", owner=f"{n}") for n in range(match.players)]
    table = Table("table", "match", None, 0.0, "0", match.clone(), seats)
    state = state_of(table, "0", StateQuery())
    lesson = state["lesson"]
    assert lesson is not None
    assert lesson["takes"], f"nothing that is asked for after {match.moves} can be done"
    areas = {f"area {area['name']}" for area in state["areas"]}
    lights = [name for bubble in lesson["bubbles"] for name in bubble["light"]]
    unknown = [name for name in lights if name not in PARTS and name not in areas]
    assert not unknown, f"there is no {unknown} to be lit after {match.moves}"
    choice = state["choices"][trial.rng.choice(lesson["takes"])]
    for key, value in choice["picks"].items():
        settled = len({one["picks"].get(key) for one in state["choices"]}) == 1
        drawn = any(f'data-pick-{key}="{value}"' in str(area["body"]) for area in state["areas"])
        assert settled or drawn or key == "turn", f"{key} {value} of {choice['move']} is not drawn"
    return choice["move"]


def untranslated(name: str) -> list[str]:
    """What a game says in English but not in another language of ours, as sentences.

    >>> from storeys.testing import untranslated
    >>> untranslated("manhattan")
    []
    """
    english = sentences(f"{name}.", DEFAULT_LANGUAGE)
    found = []
    for lang in languages("storeys"):
        own = sentences(f"{name}.", lang, fall_back=False)
        missing = [key for key in english if key not in own]
        if missing:
            listed = ", ".join(missing[:5]) + ("…" if len(missing) > 5 else "")
            found.append(f"{len(missing)} messages are not translated to {lang}: {listed}")
    return found


# --- compiled and uncompiled


def check_uncompiled_agrees(trial: Trial) -> None:
    """The same source gives the same game, state by state, with and without the compiler."""
    record = trial.matches[0].record()
    child = subprocess.run(
        [sys.executable, "-m", "storeys.testing"],
        input=json.dumps(record),
        env=os.environ | {"STOREYS_UNCOMPILED": "0" if UNCOMPILED else "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    both = zip(_footprints(record), json.loads(child.stdout), strict=True)
    for ply, (ours, theirs) in enumerate(both):
        assert ours == theirs, f"compiled and uncompiled differ after move {ply}"


def _footprints(record: dict[str, Any]) -> list[str]:
    """A digest of state, legal moves, score and observation after every move of a record."""
    finished = load(record)
    match = load(record)
    while match.moves_made:
        match.pop()
    prints = [_footprint(match)]
    for move in finished.moves:
        match.push(move)
        prints.append(_footprint(match))
    return prints


def _footprint(match: Match) -> str:
    digest = hashlib.sha256(match.state().tobytes())
    digest.update(" ".join(map(str, match.legal_moves)).encode())
    digest.update(json.dumps([match.score(), match.winners]).encode())
    for seat in range(match.players):
        digest.update(match.observe(seat).tobytes())
        digest.update(match.blinded(seat).tobytes())
    return digest.hexdigest()[:16]


# --- broken input


NONSENSE: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, "", "x", "pick", [], [[]], {}, {"kind": None}, {"kind": "x"},
)  # fmt: skip


def check_broken_moves(trial: Trial) -> None:
    """What is no move is refused with a sentence, and changes nothing."""
    match = trial.some_position()
    before = match.state().tobytes()
    texts = [str(move) for move in trial.matches[0].moves[:30]]
    broken = [*NONSENSE, *(_garbled(trial.rng, text) for text in texts)]
    broken += [_spoilt(trial.rng, move.to_json()) for move in trial.matches[0].moves[:30]]
    for move in broken:
        try:
            match.push(move)
        except IllegalMove as error:
            str(error)  # The sentence must be there and take its parameters.
        else:
            match.pop()  # Garbling may give a legal move.
        assert match.state().tobytes() == before


def _garbled(rng: random.Random, text: str) -> str:
    words = text.split()
    at = rng.randrange(len(words))
    return " ".join(
        rng.choice([words[:at], [*words, "x"], [*words[:at], "x", *words[at + 1 :]], words[::-1]])
    )


def check_broken_documents(trial: Trial) -> None:
    """Spoilt positions and records give a sentence, never another error."""
    match = trial.some_position()
    for make, document in ((from_position, match.position()), (load, match.record())):
        for key in document:
            if key not in ("length", "start"):
                _check_clear_error(make, {k: v for k, v in document.items() if k != key})
        for _ in range(60):
            _check_clear_error(make, _spoilt(trial.rng, document))
        for nonsense in NONSENSE:
            if isinstance(nonsense, dict):
                _check_clear_error(make, nonsense)
    text = json.dumps(match.record())
    _check_clear_error(load, text[: len(text) // 2])


def _check_clear_error(make: Callable[[Any], Match], document: Any) -> None:
    try:
        make(document)
    except StoreysError as error:
        str(error)
    else:
        raise AssertionError(f"{make.__name__} takes {json.dumps(document)[:300]}")


def _spoilt(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """A document with one value somewhere replaced by something that cannot stand there."""
    spoilt = copy.deepcopy(document)
    spot: Any = spoilt
    while True:
        key = rng.choice([k for k in spot if k not in ("seats", "length")] if isinstance(spot, dict)
                         else range(len(spot)))  # fmt: skip
        if isinstance(spot[key], dict | list) and spot[key] and rng.random() < 0.8:
            spot = spot[key]
        else:
            spot[key] = {"nonsense": 1}
            return spoilt


CHECKS: tuple[Callable[[Trial], None], ...] = (
    check_moves_round_trip,
    check_legal_moves_agree,
    check_undo_is_exact,
    check_records_replay,
    check_copies_are_exact,
    check_positions_round_trip,
    check_nothing_is_lost,
    check_scores_add_up,
    check_views_do_not_leak,
    check_views_make_worlds,
    check_observations,
    check_redeal_is_uniform,
    check_sample_is_uniform,
    check_words,
    check_pictures,
    check_page,
    check_lesson,
    check_uncompiled_agrees,
    check_broken_moves,
    check_broken_documents,
)


# --- for whoever implements the rules again


def perft(match: Match, depth: int) -> int:
    """How many sequences of so many moves there are from here.

    >>> import storeys
    >>> from storeys.testing import perft
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> [perft(match, depth) for depth in (1, 2)]
    [34, 1156]
    """
    if depth == 0:
        return 1
    moves = match.legal_moves
    if depth == 1:
        return len(moves)
    count = 0
    for move in moves:
        match.push(move)
        count += perft(match, depth - 1)
        match.pop()
    return count


# --- speed


def _speed(trial: Trial) -> str:
    """Moves a second, for whoever reads the output; benchmarks/ measures with care."""
    games = 20 if UNCOMPILED else 2_000
    playouts(trial.name, 1, threads=1, **trial.options)  # Compiled by now.
    start = time.perf_counter()
    batch = playouts(trial.name, games, threads=1, **trial.options)
    rate = int(batch.lengths.sum()) / (time.perf_counter() - start)
    return f"{rate:,.0f} random moves a second"


if __name__ == "__main__":
    print(json.dumps(_footprints(json.load(sys.stdin))))
