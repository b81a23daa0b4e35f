"""How the kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from errbar import _check

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel to machine code on its first call, and keep that for later processes.

    Neither fast mathematics nor threads: every sum has the order that is written down, on any machine. Kernels are
    put into their callers, since to hand over a dozen arrays costs more than what many of them do.
    """
    numba = _check.package("numba", None)
    return cast("Function", numba.njit(cache=True, forceinline=True)(function))
