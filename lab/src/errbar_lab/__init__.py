"""The laboratory: simulation studies of methods on populations whose truth is known."""

from errbar._lazy import names_in_stub

# Names stand in the stub, and are looked up on first use, so that help comes at once, and kernels are compiled only where a
# learner needs them.
__all__, __getattr__ = names_in_stub(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
