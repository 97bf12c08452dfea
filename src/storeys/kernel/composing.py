"""Verbs that follow from what a game declares, put together as source and compiled like any other.

A composed function is what one would write by hand, with the sizes of the game as numbers in it;
:func:`source_of` shows it, and so do debuggers and tracebacks.  The verbs that call it are cached
under the digest of the game's sources, which the declaration is a part of.
"""

import inspect
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Function = Callable[..., Any]


def compose(
    name: str, arguments: str, lines: Sequence[str], names: Mapping[str, Any], title: str
) -> Function:
    """The function of some lines of code, which use what ``names`` holds."""
    body = "".join(f"    {line}\n" for line in lines) or "    pass\n"
    source, file = f"def {name}({arguments}):\n{body}", f"<{name} of {title}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = dict(names)
    exec(compile(source, file, "exec"), space)
    function: Function = space[name]
    return function


def source_of(function: Function) -> str:
    """The source of a verb, composed or not.

    >>> from storeys.kernel import composing
    >>> from storeys.registry import get_game
    >>> print(composing.source_of(get_game("manhattan").derived["blind"]), end="")
    def blind(state, tables, seat):
        for other in range(state.players):
            if other != seat:
                take_back(state.hands, state.pile, other)
        forget_stream(state)
    """
    return inspect.getsource(function)
