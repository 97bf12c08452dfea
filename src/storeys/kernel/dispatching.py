"""What Numba is told of our functions: each is compiled once for each kind of arguments.

Numba's own ``register_jitable`` and ``overload`` compile a function anew for callers that are
compiled with other settings.  Here a function is known as one dispatcher, whoever calls it.

Numba also optimises every function and makes machine code of it, with all that it calls, and again
as a part of everyone who calls it.  A function that only compiled code calls goes no further here
than to LLVM's intermediate code; an entry point optimises all that it calls at once.
"""

import functools
from typing import Any

import numba
from numba._dynfunc import make_function
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.typing.templates import AbstractTemplate, infer_global

from storeys.kernel.borrowing import Borrowing
from storeys.kernel.compiling import Function


class PartOfOthers(JITCodeLibrary):
    """Intermediate code that is linked into others', and is never run by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerForOthers(NativeLowering):
    """Makes intermediate code of a function, and says where its callers find that."""

    _name = "storeys_lower_for_others"
    lowering_class = Borrowing

    def run_pass(self, state: Any) -> bool:
        """Like Numba's own pass, without anything to run at the end."""
        codegen = state.targetctx.codegen()
        state.library = PartOfOthers(codegen, state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made, name = state.cr, state.func_id.func_qualname
        # Numba tells functions apart by what Python would call, which is nothing here.
        nothing = make_function(made.fndesc.lookup_module(), name, "", 0, made.env, ())
        state.cr = made._replace(cfunc=nothing)
        state.targetctx.insert_user_function(nothing, made.fndesc, [state.library])
        return True


FOR_ARRAYS = (InlineOverloads, NopythonRewrites)
"""Steps that only make sums of whole arrays quicker, which rules do not write."""


class ForOthers(CompilerBase):
    """How a function is compiled that only compiled code calls."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own, but for the end and for what is of no use here."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (LowerForOthers, about) if step is NativeLowering else (step, about)
            for step, about in passes.passes
            if step not in FOR_ARRAYS
        ]
        passes.finalize()
        return [passes]


INNER: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",  # No rule divides by zero, and nothing is compiled to look.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": ForOthers,
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
