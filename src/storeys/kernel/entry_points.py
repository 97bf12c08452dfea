"""The compiled entry points that Python calls, written once for all games.

They take arrays of records (of length 1 where one state is meant): passing such an array costs a
tenth of passing a record.
"""

from storeys.kernel import chance, verbs
from storeys.kernel.compiling import jit
from storeys.kernel.record import IntArray, Records


@jit
def deal(states: Records, tables: Records, nonce: int) -> None:
    """Deal a match from the key in its state."""
    chance.rewind(states[0], nonce)
    verbs.deal(states[0], tables[0])


@jit
def rewind(states: Records, nonce: int) -> None:
    """Start the stream of the key in a state."""
    chance.rewind(states[0], nonce)


@jit
def push(states: Records, tables: Records, code: int) -> int:
    """Carry out a move code if it is legal; its action, or minus the reason against it."""
    action = verbs.encode(states[0], tables[0], code)
    if action >= 0:
        verbs.apply(states[0], tables[0], action)
    return action


@jit
def legal_codes(states: Records, tables: Records, actions: IntArray, codes: IntArray) -> int:
    """List the legal actions and their move codes; says how many."""
    count = verbs.legal(states[0], tables[0], actions)
    for i in range(count):
        codes[i] = verbs.decode(states[0], tables[0], actions[i])
    return count


@jit
def sample_code(states: Records, tables: Records, rng: IntArray) -> int:
    """The move code of a random legal action."""
    return verbs.decode(states[0], tables[0], verbs.sample(states[0], tables[0], rng))


@jit
def code_of(states: Records, tables: Records, action: int) -> int:
    """The move code of a legal action."""
    return verbs.decode(states[0], tables[0], action)


@jit
def action_of(states: Records, tables: Records, code: int) -> int:
    """The action of a move code if that is legal, or minus the reason against it."""
    return verbs.encode(states[0], tables[0], code)


@jit
def results(states: Records, tables: Records, totals: IntArray, won: IntArray) -> None:
    """The totals of the seats, and who wins if the game ended here."""
    verbs.score(states[0], tables[0], totals)
    verbs.winners(states[0], tables[0], won)


@jit
def observe(states: Records, tables: Records, seat: int, out: IntArray) -> None:
    """The observation tensor of a seat."""
    verbs.observe(states[0], tables[0], seat, out)


@jit
def mask(states: Records, tables: Records, actions: IntArray, out: IntArray) -> int:
    """Write 1 for every legal action and 0 for the others; says how many are legal."""
    count = verbs.legal(states[0], tables[0], actions)
    out[:] = 0
    for i in range(count):
        out[actions[i]] = 1
    return count


@jit
def blind(states: Records, tables: Records, seat: int) -> None:
    """Wipe what the seat cannot know."""
    verbs.blind(states[0], tables[0], seat)


@jit
def redeal(states: Records, tables: Records, seat: int, rng: IntArray) -> None:
    """Draw what the seat cannot know afresh.

    >>> import storeys
    >>> from storeys.kernel import chance, entry_points
    >>> match = storeys.new("manhattan", players=2, seed=7)
    >>> world = match.blinded(0)
    >>> entry_points.redeal(world, match.setup.components.tables, 0, chance.generator(1))
    >>> world["hands"][0]
    array([[ 6,  8,  4,  3],
           [ 2,  3,  7,  3],
           [-1, -1, -1, -1],
           [-1, -1, -1, -1]], dtype=int16)
    """
    verbs.redeal(states[0], tables[0], seat, rng)
