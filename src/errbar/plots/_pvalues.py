"""P-values of pairs, from wherever they come."""

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError


def pvalue_table(pvalues: Any, names: tuple[str, ...]) -> FloatArray:
    """Return a symmetric table of p-values, NaN where a pair was not tested and on the diagonal."""
    table = np.full((len(names), len(names)), np.nan)
    for a, b, value in _entries(pvalues, names):
        i, j = (names.index(_check.choice(name, names, "pvalues")) for name in (a, b))
        if i == j:
            raise InvalidInputError(
                f"must be about two different learners, got {a!r} twice", argument="pvalues"
            )
        number = _check.between(value, 0.0, 1.0, f"pvalues[{a!r}, {b!r}]")
        if not np.isnan(table[i, j]) and table[i, j] != number:
            raise InvalidInputError(
                f"must be symmetric, got {table[i, j]:g} and {number:g} for {a!r}, {b!r}",
                argument="pvalues",
            )
        table[i, j] = table[j, i] = number
    return table


def _entries(pvalues: Any, names: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Yield two names and a p-value, of a mapping, a labelled frame or a square array."""
    if isinstance(pvalues, Mapping):
        for pair, value in pvalues.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise InvalidInputError(
                    f"must have pairs (a, b) of learners as its keys, got {pair!r}",
                    argument="pvalues",
                )
            yield str(pair[0]), str(pair[1]), value
        return
    labels = _labels(pvalues) if hasattr(pvalues, "columns") else names
    table = np.asarray(pvalues, dtype=object)
    if table.shape != (len(names), len(names)):
        raise InvalidInputError(
            f"must map pairs of learners to numbers, or be a table of shape {(len(names), len(names))}, "
            f"got shape {table.shape}",
            argument="pvalues",
        )
    for i, j in permutations(range(len(names)), 2):
        value = table[i, j]
        if value is not None and value == value:  # NaN stands for a pair that was not tested
            yield labels[i], labels[j], value


def _labels(frame: Any) -> tuple[str, ...]:
    labels = tuple(str(name) for name in frame.columns)
    if labels != tuple(str(name) for name in frame.index):
        raise InvalidInputError(
            "must have the same learners, in the same order, in its rows and columns",
            argument="pvalues",
        )
    return labels
