"""Numbers of different units, and learners that depend on these."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from errbar.result import Note
from errbar.sources._column_kinds import DATE, NUMBER

FAR_APART = 100.0
"""Spreads that differ by such a factor are those of different units."""
_PENALTIES = ("alpha", "C", "l1_ratio")


def unscaled(X: Any, columns: Mapping[str, str], learners: Mapping[str, Any]) -> Iterator[Note]:
    """Say which learners depend on the units of features, where these differ much.

    Parameters
    ----------
    X : array or DataFrame
        Features.
    columns : mapping of str to str
        How each column of the table is read; those of an array are the ones that are numbers.
    learners : mapping of str to estimator
        Learners by name. A pipeline is taken to scale what it needs.
    """
    sensitive = [name for name, learner in learners.items() if _depends_on_units(learner)]
    names = [name for name, kind in columns.items() if kind in (NUMBER, DATE)]
    if not sensitive or len(names) < 2:
        return
    spreads = {name: _spread(X[name] if hasattr(X, "columns") else X[:, i]) for i, name in enumerate(names)}
    known = {name: spread for name, spread in spreads.items() if spread > 0.0}
    if not known:
        return
    widest, narrowest = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    ratio = known[widest] / known[narrowest]
    if ratio > FAR_APART:
        yield Note("unscaled", wide=widest, narrow=narrowest, ratio=float(f"{ratio:.1g}"), learners=sensitive)


def _spread(column: Any) -> float:
    """Return the standard deviation of numbers, or of dates in days."""
    values = np.asarray(column)
    if values.dtype.kind == "M":
        values = values.astype("datetime64[s]").astype(np.float64) / 86400.0
        values = np.where(values < -1e12, np.nan, values)
    values = values.astype(np.float64)
    return float(np.nanstd(values)) if np.isfinite(values).any() else 0.0


def _depends_on_units(learner: Any) -> bool:
    """Tell whether a learner of scikit-learn measures distances between examples, or has a penalty on coefficients."""
    family = ".".join(type(learner).__module__.split(".")[:2])
    if family in ("sklearn.neighbors", "sklearn.svm", "sklearn.neural_network"):
        return True
    return family == "sklearn.linear_model" and any(hasattr(learner, name) for name in _PENALTIES)
