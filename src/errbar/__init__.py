"""Honest error bars on generalization errors, and whether one learning algorithm really beats another."""

from errbar._lazy import names_in_stub
from errbar._version import __version__ as __version__

# Names stand in the stub, and are looked up on first use, so that `import errbar` costs next to nothing.
__all__, __getattr__ = names_in_stub(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
