"""How the kernels are compiled."""

from typing import Any

from errbar import _check


def compiled(function: Any) -> Any:
    """Compile a kernel to machine code on its first call, and keep that for later processes.

    Neither fast mathematics nor threads: every sum has the order that is written down, on any machine. Kernels are
    put into their callers, since to hand over a dozen arrays costs more than what many of them do.
    """
    return _check.package("numba", None).njit(cache=True, forceinline=True)(function)
