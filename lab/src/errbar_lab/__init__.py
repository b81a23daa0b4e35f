"""The laboratory: simulation studies of methods on populations whose truth is known."""
# ruff: noqa: F403, F405 - each module says itself which of its names are public

from typing import Any

from errbar_lab import (
    _moments,
    _scenario,
    _simulation,
    _summary,
    _truth,
    loaders,
    populations,
    studies,
)
from errbar_lab._moments import *
from errbar_lab._scenario import *
from errbar_lab._simulation import *
from errbar_lab._summary import *
from errbar_lab._truth import *
from errbar_lab.loaders import *
from errbar_lab.populations import *
from errbar_lab.studies import *

# Their kernels are compiled, so that the package for that is imported when one of them is asked for.
__all__ = ["DistortedNearestNeighbour", "GiniTree", "LeastSquares", "SplusTree"]
__all__ += _moments.__all__
__all__ += _scenario.__all__
__all__ += _simulation.__all__
__all__ += _summary.__all__
__all__ += _truth.__all__
__all__ += loaders.__all__
__all__ += populations.__all__
__all__ += studies.__all__
# Its learners are many imports.
__all__ += ["Atlas", "atlas"]


def __getattr__(name: str) -> Any:
    if name in ("Atlas", "atlas"):
        from errbar_lab._atlas import _study

        return getattr(_study, name)
    if name in __all__:
        from errbar_lab import learners

        return getattr(learners, name)
    raise AttributeError(f"module 'errbar_lab' has no attribute {name!r}")
