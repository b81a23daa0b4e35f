"""Reading results of scikit-learn's cross_validate."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError


def scores_of(result: Mapping[str, Any], metric: str) -> FloatArray:
    """Return the test scores of a ``cross_validate`` result."""
    key = f"test_{metric}"
    if not isinstance(result, Mapping) or key not in result:
        there = ", ".join(sorted(map(str, result))) if isinstance(result, Mapping) else repr(type(result).__name__)
        raise InvalidInputError(f"a cross_validate result needs the entry {key!r}, got {there}")
    return _check.vector(result[key], key, "split", 1)


def split_sizes(result: Mapping[str, Any]) -> tuple[FloatArray | None, FloatArray | None]:
    """Return training and test sizes from the indices of a ``cross_validate`` result, where it has them."""
    if "indices" not in result:
        return None, None
    parts = (result["indices"][role] for role in ("train", "test"))
    train, test = (np.array([len(part) for part in role], dtype=np.float64) for role in parts)
    return train, test


def require_same_splits(results: list[Mapping[str, Any]], lengths: list[int], names: list[str]) -> bool:
    """Raise if results come from different splits; return whether that could be checked by their indices."""
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{name}: {length}" for name, length in zip(names, lengths, strict=False))
        raise PairingError(
            f"the learners were scored on different numbers of splits ({listed}); use the same splits for all"
        )
    if not all("indices" in result for result in results):
        return False
    first = results[0]["indices"]
    for name, result in zip(names[1:], results[1:], strict=False):
        for role in ("train", "test"):
            pairs = zip(first[role], result["indices"][role], strict=True)
            if not all(np.array_equal(one, other) for one, other in pairs):
                raise PairingError(
                    f"{names[0]} and {name} were scored on different splits; use the same splits for all"
                )
    return True
