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

What each verb does is said once, in :class:`Rules`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from storeys.kernel.compiling import compiler, plain
from storeys.kernel.record import IntArray, tag_of

Function = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")

_rules: dict[str, dict[str, Function]] = {}
_verbs: list[str] = []


class Rules(Protocol):
    """The module of a game's rules: compiled functions over records of its state.

    ``tables`` is the component set as arrays.  These a game must have; what it may leave out is in
    :class:`Derived`.  From Python the verbs can be called as well, which takes longer:

    >>> import numpy as np, storeys
    >>> from storeys.kernel import chance, verbs
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> state, tables = match.state()[0], match.setup.components.tables[0]
    >>> actions, rng = np.empty(match.game.actions, np.int64), chance.generator(1)
    >>> verbs.legal(state, tables, actions), actions[:3]
    (34, array([85, 86, 87]))
    >>> code = verbs.decode(state, tables, actions[2])
    >>> int(verbs.encode(state, tables, code))
    87
    >>> verbs.apply(state, tables, actions[2])
    >>> while not verbs.over(state):
    ...     verbs.apply(state, tables, verbs.sample(state, tables, rng))
    >>> totals, won = np.zeros(2, np.int32), np.zeros(2, bool)
    >>> verbs.score(state, tables, totals)
    >>> verbs.winners(state, tables, won)
    >>> totals, won
    (array([144, 135], dtype=int32), array([ True, False]))
    """

    def deal(self, state: Any, tables: Any, /) -> None:
        """Set up the match from the stream; the options and the key are in the state already.

        >>> import storeys
        >>> from storeys.kernel import chance, verbs
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> state, tables = match.game.blank_state(match.setup)[0], match.setup.components.tables[0]
        >>> state.key[:] = chance.key_of_seed(7)
        >>> chance.rewind(state, chance.DEALT)
        >>> verbs.deal(state, tables)
        >>> state.tobytes() == match.state().tobytes()
        True
        """

    def legal(self, state: Any, tables: Any, out: IntArray, /) -> int:
        """Write all legal actions, each once, in an order that the state fixes; says how many."""

    def apply(self, state: Any, tables: Any, action: int, /) -> None:
        """Carry out a legal action."""

    def score(self, state: Any, tables: Any, out: IntArray, /) -> None:
        """Write each seat's total."""

    def encode(self, state: Any, tables: Any, code: int, /) -> int:
        """The action of a move code, or minus the number of the reason why it is not legal."""

    def decode(self, state: Any, tables: Any, action: int, /) -> int:
        """The move code of a legal action: what it does, in terms that outlive this state."""


class Derived(Protocol):
    """The verbs that a game may leave out, because they follow from what it declares.

    ``over`` is when nobody is to move, ``winners`` are those with most points, ``evaluate`` is the
    plain ``score``, ``sample`` lists and picks; ``observe`` follows from the planes, ``blind`` and
    ``redeal`` from the zones of the state.  Of ``evaluate`` and ``evaluate_seat`` either follows
    from the other.

    >>> import numpy as np, storeys
    >>> from storeys.kernel import chance, verbs
    >>> match, rng = storeys.new("manhattan", players=2, seed=7), chance.generator(1)
    >>> state, tables = match.state()[0], match.setup.components.tables[0]
    >>> while not verbs.over(state):
    ...     verbs.apply(state, tables, verbs.sample(state, tables, rng))
    >>> won = np.zeros(2, bool)
    >>> verbs.winners(state, tables, won)
    >>> won
    array([ True, False])
    """

    def sample(self, state: Any, tables: Any, rng: IntArray, /) -> int:
        """One legal action, uniformly at random, without listing them all."""

    def over(self, state: Any, /) -> bool:
        """Whether the game has ended."""

    def winners(self, state: Any, tables: Any, out: IntArray, /) -> None:
        """Write for each seat whether it wins, if the game ended here."""

    def observe(self, state: Any, tables: Any, seat: int, out: IntArray, /) -> None:
        """Write the observation tensor of a seat, by the game's documented layout.

        >>> import numpy as np, storeys
        >>> from storeys.kernel import verbs
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> tensor = np.empty(match.game.observation_size, np.float32)
        >>> verbs.observe(match.state()[0], match.setup.components.tables[0], 0, tensor)
        >>> bool((tensor == match.observe(0)).all())
        True
        """

    def blind(self, state: Any, tables: Any, seat: int, /) -> None:
        """Wipe what the seat (-1: a spectator) cannot know.

        >>> import storeys
        >>> from storeys.kernel import verbs
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> state, tables = match.state()[0], match.setup.components.tables[0]
        >>> verbs.blind(state, tables, 0)
        >>> state.hands[:2]
        array([[ 6,  8,  4,  3],
               [-1, -1, -1, -1]], dtype=int16)
        """

    def redeal(self, state: Any, tables: Any, seat: int, rng: IntArray, /) -> None:
        """Draw what the seat cannot know afresh, uniformly, the future included.

        >>> import storeys
        >>> from storeys.kernel import chance, verbs
        >>> match = storeys.new("manhattan", players=2, seed=7)
        >>> world, tables = match.state()[0], match.setup.components.tables[0]
        >>> verbs.blind(world, tables, 0)
        >>> world.hands
        array([[ 6,  8,  4,  3],
               [-1, -1, -1, -1],
               [-1, -1, -1, -1],
               [-1, -1, -1, -1]], dtype=int16)
        >>> verbs.redeal(world, tables, 0, chance.generator(1))
        >>> world.hands
        array([[ 6,  8,  4,  3],
               [ 2,  3,  7,  3],
               [-1, -1, -1, -1],
               [-1, -1, -1, -1]], dtype=int16)
        """

    def evaluate(self, state: Any, tables: Any, out: IntArray, /) -> None:
        """Write for each seat what the position promises it in points.

        That is the score as if the game ended now, plus what open things are likely to bring.  The
        state may be blinded; a game that has no evaluation of its own is judged by the plain score.

        >>> import numpy as np, storeys
        >>> from storeys.kernel import verbs
        >>> match = storeys.arena.playouts("neoville", 1, players=2, seed=0).match(0).at(20)
        >>> promised = np.zeros(2)
        >>> verbs.evaluate(match.state()[0], match.setup.components.tables[0], promised)
        >>> match.totals, promised.round().astype(int)
        ([-21, -3], array([-18,   0]))
        """

    def evaluate_seat(self, state: Any, tables: Any, seat: int, /) -> float:
        """What the position promises one seat: the same as ``evaluate`` writes for it.

        >>> import storeys
        >>> from storeys.kernel import verbs
        >>> match = storeys.arena.playouts("neoville", 1, players=2, seed=0).match(0).at(20)
        >>> round(verbs.evaluate_seat(match.state()[0], match.setup.components.tables[0], 0))
        -18
        """


def register(dtype: Any, rules: Rules, derived: Mapping[str, Function]) -> None:
    """Take the verbs of the game whose states have this dtype.

    They are those of the module of its rules, and for what that leaves out those that follow from
    the game's declarations.
    """
    own = vars(rules)
    found = {name: own[name] if name in own else derived[name] for name in _verbs}
    _rules[tag_of(dtype)] = {name: plain(function) for name, function in found.items()}


def _verb(declared: Callable[Concatenate[Any, P], R]) -> Callable[P, R]:
    name = declared.__name__
    _verbs.append(name)

    def dispatch(state: Any, *rest: Any) -> Any:
        return _rules[state.dtype.names[0]][name](state, *rest)

    dispatch.__name__, dispatch.__qualname__ = name, declared.__qualname__
    dispatch.__doc__ = declared.__doc__
    compiler.add(dispatch, lambda state, *rest: _chosen(name, state))
    return cast(Callable[P, R], dispatch)


def _chosen(name: str, state: Any) -> Function | None:
    """While compiling: the function of the game whose record type the state has."""
    fields = list(getattr(state, "fields", ()))
    rules = _rules.get(fields[0]) if fields else None
    return None if rules is None else rules[name]


deal = _verb(Rules.deal)
legal = _verb(Rules.legal)
sample = _verb(Derived.sample)
apply = _verb(Rules.apply)
over = _verb(Derived.over)
score = _verb(Rules.score)
winners = _verb(Derived.winners)
evaluate = _verb(Derived.evaluate)
evaluate_seat = _verb(Derived.evaluate_seat)
observe = _verb(Derived.observe)
blind = _verb(Derived.blind)
redeal = _verb(Derived.redeal)
encode = _verb(Rules.encode)
decode = _verb(Rules.decode)
