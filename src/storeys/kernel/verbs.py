"""The verbs that every game's rules define, callable from compiled code for any game.

A game registers its functions once (:func:`register`).  A call like ``apply(state, tables, a)``
in compiled code is resolved while compiling, by the type of the state record, and costs nothing;
uncompiled it is looked up by the record's dtype.  So a playout, a search or an environment is
written once, at module level, for all games — in this package or in anyone's own::

    @numba.njit(cache=True)
    def first_move(states, tables):
        out = np.empty(512, np.int64)
        n = verbs.legal(states[0], tables[0], out)
        verbs.apply(states[0], tables[0], out[0])

The functions at the end only declare the verbs, their arguments and what they give back: a game's
own functions stand in for their bodies, which never run.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from storeys.kernel.compiling import UNCOMPILED
from storeys.kernel.record import Header, IntArray, tag_of

Function = Callable[..., Any]
V = TypeVar("V", bound=Function)

_rules: dict[str, dict[str, Function]] = {}
_verbs: list[str] = []
_STAND_INS = {"outlook": "score"}
"""Verbs that a game may leave out, and which one then stands in."""


def register(dtype: Any, rules: ModuleType) -> None:
    """Take the verbs of the game whose states have this dtype from the module of its rules."""
    _rules[tag_of(dtype)] = {name: _verb_of(rules, name) for name in _verbs}


def _verb_of(rules: ModuleType, name: str) -> Function:
    left_out = name in _STAND_INS and not hasattr(rules, name)
    verb: Function = getattr(rules, _STAND_INS[name] if left_out else name)
    return verb


def _verb(stub: V) -> V:
    name = stub.__name__
    _verbs.append(name)

    def dispatch(state: Any, *rest: Any) -> Any:
        return _rules[tag_of(state.dtype)][name](state, *rest)

    dispatch.__name__, dispatch.__doc__ = name, stub.__doc__
    if not UNCOMPILED:
        _resolve_while_compiling(dispatch, name)
    return dispatch  # type: ignore[return-value]


def _resolve_while_compiling(dispatch: Function, name: str) -> None:
    from numba.extending import overload

    @overload(dispatch, strict=False)
    def choose(state: Any, *rest: Any) -> Function | None:
        fields = list(getattr(state, "fields", ()))
        rules = _rules.get(fields[0]) if fields else None
        return rules[name].py_func if rules else None  # type: ignore[attr-defined]


@_verb
def deal(state: Header, tables: Any) -> None:
    """Set up the match from the stream; the options and the key are in the state already."""


@_verb
def legal(state: Header, tables: Any, out: IntArray) -> int:
    """Write all legal actions, each once, in an order that the state fixes; says how many."""
    raise NotImplementedError


@_verb
def sample(state: Header, tables: Any, rng: IntArray) -> int:
    """One legal action, uniformly at random, without listing them all."""
    raise NotImplementedError


@_verb
def apply(state: Header, tables: Any, action: int) -> None:
    """Carry out a legal action."""


@_verb
def over(state: Header) -> bool:
    """Whether the game has ended."""
    raise NotImplementedError


@_verb
def score(state: Header, tables: Any, out: IntArray) -> None:
    """Write each seat's total."""


@_verb
def winners(state: Header, tables: Any, out: IntArray) -> None:
    """Write for each seat whether it wins, if the game ended here."""


@_verb
def outlook(state: Header, tables: Any, out: IntArray) -> None:
    """Write for each seat what the position promises it in points.

    That is the score as if the game ended now, plus what open things are likely to bring.  The
    state may be blinded; a game that has no outlook of its own is judged by the plain score.
    """


@_verb
def observe(state: Header, tables: Any, seat: int, out: IntArray) -> None:
    """Write the observation tensor of a seat, by the game's documented layout."""


@_verb
def blind(state: Header, tables: Any, seat: int) -> None:
    """Wipe what the seat (-1: a spectator) cannot know."""


@_verb
def redeal(state: Header, tables: Any, seat: int, rng: IntArray) -> None:
    """Draw what the seat cannot know afresh, uniformly, the future included."""


@_verb
def encode(state: Header, tables: Any, code: int) -> int:
    """The action of a move code, or minus the number of the reason why it is not legal."""
    raise NotImplementedError


@_verb
def decode(state: Header, tables: Any, action: int) -> int:
    """The move code of a legal action: what it does, in terms that outlive this state."""
    raise NotImplementedError
