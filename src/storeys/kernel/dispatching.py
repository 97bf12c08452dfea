"""What Numba is told of our functions: each is compiled once for each kind of arguments.

Numba's own ``register_jitable`` and ``overload`` compile a function anew for callers that are
compiled with other settings.  Here a function is known as one dispatcher, whoever calls it.
"""

import functools
from typing import Any

import numba
from numba.core import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import AbstractTemplate, infer_global

from storeys.kernel.borrowing import Borrowing
from storeys.kernel.compiling import Function


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class LowerBorrowing(NativeLowering):
    """Numba's own pass, which does not count who holds an array where that is of no use."""

    _name = "storeys_lower_borrowing"
    lowering_class = Borrowing


class Inner(CompilerBase):
    """How a function is compiled that only compiled code calls."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own, but for that pass."""
        builder: Any = DefaultPassBuilder
        passes = builder.define_nopython_pipeline(self.state)
        passes.passes = [
            (LowerBorrowing, about) if step is NativeLowering else (step, about)
            for step, about in passes.passes
        ]
        passes.finalize()
        return [passes]


INNER: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",  # No rule divides by zero, and nothing is compiled to look.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": Inner,
}


@functools.cache
def dispatcher_of(function: Function) -> Any:
    """The dispatcher of a function that only compiled code calls."""
    return numba.njit(**INNER)(function)


def tell(function: Function, resolve: Function) -> None:
    """Let compiled code call a function, which is what it resolves to by the types of arguments."""
    register: Any = infer_global
    register(function, types.Function(_template_of(function, resolve)))


def _template_of(function: Function, resolve: Function) -> type[AbstractTemplate]:
    compiled: dict[Any, Any] = {}

    class Resolving(AbstractTemplate):
        """Chooses a dispatcher by the types of the arguments."""

        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            chosen = resolve(*args)
            if chosen is None:
                return None
            dispatcher: Any = types.Dispatcher(dispatcher_of(chosen))
            signature = dispatcher.get_call_type(self.context, args, kws)
            compiled[signature.args] = dispatcher.get_overload(signature)
            return signature

        def get_impl_key(self, sig: Any) -> Any:
            return compiled[sig.args]

    return Resolving
