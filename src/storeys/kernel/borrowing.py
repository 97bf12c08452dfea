"""Compiled code that counts nobody who holds an array, where counting is of no use.

Numba counts in every function who holds an array, so that its memory is freed with the last of
them.  A function that only borrows arrays, those of its arguments and views of them, can leave that
to its callers.  Counting takes longer than many a rule does, and threads that share arrays wait for
one another at every count.
"""

from typing import Any

from numba.core import ir, types
from numba.core.errors import NumbaRuntimeError
from numba.core.lowering import Lower

VIEWS = {
    "build_tuple",
    "cast",
    "exhaust_iter",
    "getattr",
    "getitem",
    "getiter",
    "iternext",
    "pair_first",
    "pair_second",
    "phi",
    "static_getitem",
}
"""What gives nothing but parts and views of what it is given."""


class Borrowing(Lower):
    """Numba's step from typed source to LLVM's code, without counting if a function borrows."""

    def __init__(
        self, context: Any, library: Any, fndesc: Any, func_ir: Any, metadata: Any = None
    ) -> None:
        self._given = context, library, fndesc, func_ir, metadata
        chosen = not_counting(context) if borrows(context, fndesc, func_ir) else context
        self._begin(chosen)

    def lower(self) -> None:
        """What cannot be done without counting is done with it."""
        untyped: Any = super()  # Numba has no types
        try:
            untyped.lower()
        except NumbaRuntimeError:
            self._begin(self._given[0])
            untyped.lower()

    def _begin(self, context: Any) -> None:
        untyped: Any = super()
        untyped.__init__(context, *self._given[1:])


def not_counting(context: Any) -> Any:
    """A target of Numba's that counts nothing."""
    target = context.subtarget(enable_nrt=False)
    vars(target).pop("nrt", None)  # it remembers whether there is counting
    return target


def borrows(context: Any, fndesc: Any, func_ir: Any) -> bool:
    """Whether a function holds no array but those of its arguments, gives none back and keeps none.

    Arrays are all that Numba counts.
    """
    typemap = fndesc.typemap

    def counted(name: str) -> bool:
        return bool(context.data_model_manager[typemap[name]].contains_nrt_meminfo())

    if context.data_model_manager[fndesc.restype].contains_nrt_meminfo():
        return False
    for block in func_ir.blocks.values():
        for step in block.find_insts(ir.Assign):
            if counted(step.target.name) and not _is_view(step.value, typemap):
                return False
        for kind in (ir.SetItem, ir.StaticSetItem):
            if any(counted(step.value.name) for step in block.find_insts(kind)):
                return False
    return True


def _is_view(value: Any, typemap: Any) -> bool:
    if not isinstance(value, ir.Expr):
        return isinstance(value, ir.Arg | ir.Var | ir.Global | ir.FreeVar | ir.Const)
    if value.op == "call":  # the name for a tuple of what is there already
        return isinstance(typemap[value.func.name], types.NamedTupleClass)
    return value.op in VIEWS
