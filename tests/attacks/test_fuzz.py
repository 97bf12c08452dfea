"""Fuzz: whatever comes in, over the API or in Python, becomes an answer or one short sentence.

`make proof` tries fifty times as much.
"""

import copy
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

import storeys
from storeys.kernel import errors
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import languages
from storeys.web import api
from storeys.web.app import create_app
from storeys.web.limits import Limits
from storeys.web.workers import Workers
from tests.proofs import PROOF

FEW = settings(
    max_examples=200 if PROOF else 4, derandomize=not PROOF, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
MANY = settings(FEW, max_examples=2000 if PROOF else 40)
LONGEST = 700
"""How long a sentence may be, with all that it repeats and all choices that it lists."""

# --- over the API

NOT_CHECKED = ("positive_data_acceptance",)
"""A text may be a game's name as far as OpenAPI can say, and there is no such game."""
Case = schemathesis.Case[Any]
load_all_checks()
CHECKED: list[Any] = [check for check in CHECKS.get_all() if check.__name__ not in NOT_CHECKED]


async def hello(tables: frozenset[str], owner: str = "") -> AsyncIterator[str]:
    """A stream that ends, so that an answer can be looked at."""
    yield ": hello\n\n"


class Served:
    """A server that is not started and ended for every request, with tables of a browser's own."""

    def __init__(self) -> None:
        much = Limits(reads=10**9, posts=10**9, tables=10**9)
        self.app = create_app(workers=1, pace=0, limits=much)
        self.app.state.services.live.stream = hello
        self.ada = TestClient(self.app)
        seats = [{"kind": "me"}, {"kind": "friend"}]
        self.tables = [
            self.ada.post("/api/tables", json={"game": game, "seats": seats}).json()["table"]
            for game in storeys.game_names()
        ]
        self.tried = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return
        for what in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{what}.complete"})

    def aim(self, case: Case) -> None:
        """Let most requests be for tables that there are, and half of all be of who sits there."""
        self.tried += 1
        if "table" in (case.path_parameters or {}) and self.tried % 4:
            case.path_parameters["table"] = self.tables[self.tried % len(self.tables)]
        if self.tried % 2:
            case.cookies = dict(self.ada.cookies)


class Later:
    """The server that is asked, once there is one: what can be asked must be known before."""

    served: Served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self.served(scope, receive, send)


SCHEMA = schemathesis.openapi.from_dict(create_app().openapi())
SCHEMA.app = Later()


@pytest.fixture(scope="module", autouse=True)
def served() -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workers, "consider", lambda self, *_: None)
        SCHEMA.app.served = found = Served()
        yield found
        found.app.state.services.store.close()


@SCHEMA.parametrize()
@FEW
def test_every_request_is_answered_as_described(
    case: schemathesis.Case[Any], served: Served
) -> None:
    served.aim(case)
    case.call_and_validate(checks=CHECKED)


def test_an_answer_that_is_not_described_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "game_facts", lambda *_: {"name": 3})
    case = SCHEMA["/api/games"]["GET"].Case()
    with pytest.raises(BaseExceptionGroup, match="ST108 Response violates schema"):
        case.call_and_validate(checks=CHECKED)


# --- documents


def played(game: str) -> storeys.Match:
    match = storeys.new(game, players=2, seed=3)
    for _ in range(9):
        match.push(match.legal_moves[0])
    return match


def new_with(game: str, options: Any) -> None:
    if isinstance(options, dict):
        storeys.new(game, **options)


def documents(game: str) -> dict[str, tuple[Callable[[Any], Any], Any]]:
    """What can be read of a game, and how."""
    match, box = played(game), storeys.components(game)
    legal = match.legal_moves[0]
    return {
        "a record": (storeys.load, match.record()),
        "a record with a set": (storeys.load, match.record() | {"components": box}),
        "a set": (lambda found: storeys.new(game, seed=1, components=found), box),
        "a position": (storeys.from_position, match.position()),
        "a view": (storeys.from_position, match.view(0)),
        "a move": (match.clone().push, legal.to_json()),
        "a notation": (match.clone().push, str(legal)),
        "options": (lambda found: new_with(game, found), {"players": 2, "seed": 1}),
    }


TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(categories=["Cs", "Cc", "Nd"]), max_size=5),
    st.just("x" * 100_000),
)
HUGE = st.sampled_from([1, -1]).map(lambda sign: sign * 10**5000)  # more digits than Python prints
NUMBERS = st.one_of(
    st.integers(-3, 30), st.sampled_from([2**31, 2**63, 10**12]), st.floats(), HUGE
)  # fmt: skip
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def spoilt(draw: st.DrawFn, document: Any) -> Any:
    """A document that is wrong in one to three places: changed, left out, or written twice."""
    if isinstance(document, str):
        words = draw(st.lists(st.one_of(st.sampled_from(document.split()), TEXTS), max_size=9))
        return " ".join(words)
    content = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        spoil(draw, content)
    return content


def spoil(draw: st.DrawFn, content: Any) -> None:
    """Change one entry somewhere in a table or a list."""
    keys = list(content) if isinstance(content, dict) else list(range(len(content)))
    if not keys:
        return
    key = draw(st.sampled_from(keys))
    inner = content[key]
    if isinstance(inner, dict | list) and inner and draw(st.integers(0, 3)):
        spoil(draw, inner)
        return
    how = draw(st.sampled_from(["change", "remove", "add"]))
    if how == "change":
        content[key] = draw(ANYTHING)
    elif how == "remove":
        del content[key]
    elif isinstance(content, dict):
        content[draw(TEXTS)] = copy.deepcopy(inner)
    else:
        content.insert(key, copy.deepcopy(inner))


def check_read(read: Callable[[Any], Any], document: Any) -> None:
    """It can be read, or a sentence says why not; never anything else."""
    try:
        read(document)
    except StoreysError as error:
        for lang in languages("storeys"):
            sentence = error.text(lang)
            assert len(sentence) <= LONGEST, sentence
            assert sentence.isprintable(), ascii(sentence)


@pytest.mark.parametrize("game", storeys.game_names())
@MANY
@given(data=st.data())
def test_whatever_is_read_is_taken_or_refused_by_a_sentence(game: str, data: st.DataObject) -> None:
    found = documents(game)
    what = data.draw(st.sampled_from(sorted(found)))
    read, document = found[what]
    check_read(read, data.draw(st.one_of(spoilt(document), spoilt(document), ANYTHING)))


def test_what_is_told_at_length_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "MOST_QUOTED", 10**6)
    record = played("neoville").record() | {"components": "x" * 100_000}
    with pytest.raises(AssertionError):
        check_read(storeys.load, record)


def test_what_is_raised_instead_of_told_is_found() -> None:
    with pytest.raises(KeyError):
        check_read(lambda found: found["moves"], {})
