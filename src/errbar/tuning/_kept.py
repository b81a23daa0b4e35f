"""Candidates that are scored one after the other, in a loop of one's own, on the same splits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from threading import Lock
from typing import Any

import numpy as np

from errbar import _rng, fits
from errbar.errors import InvalidInputError
from errbar.reading.tools.sklearn import names_of
from errbar.table import LossTable
from errbar.tuning._tuned import Candidates, averaged


class Kept:
    """Out-of-fold predictions of candidates that a loop of one's own has tried.

    `errbar.keep` makes one.

    Attributes
    ----------
    parameters : list of mapping
        Parameters of each candidate, in the order in which they were scored.
    """

    def __init__(self, X: Any, y: Any, **run: Any) -> None:
        self._run = run | {"X": X, "y": y}
        self._lock = Lock()
        self._tables: list[LossTable] = []
        self.parameters: list[Mapping[str, Any]] = []

    def score(self, model: Any, **parameters: Any) -> float:
        """Cross-validate a candidate on the splits that all have, and return its mean score or loss.

        Parameters
        ----------
        model : estimator
            The candidate; it is not modified.
        **parameters
            Its parameters, for reports; by default those of the estimator.

        Returns
        -------
        float
            Mean over the splits, in the direction of the loss: of ``"roc_auc"`` higher is better.

        Raises
        ------
        InvalidInputError, FitFailedError
            If it is no estimator for these data; if a fit failed, and then it is not kept.

        Examples
        --------
        >>> import errbar
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> kept = errbar.keep(*load_iris(return_X_y=True), plan=5, loss="accuracy", random_state=0)
        >>> round(kept.score(KNeighborsClassifier(10)), 3)
        0.967
        """
        table = fits.run({"candidate": model}, **self._run)
        own = parameters or model.get_params(deep=True)
        with self._lock:
            self._tables.append(table)
            self.parameters.append(own)
        return float(table.loss.sign * averaged(table).scores.mean())

    def candidates(self) -> Candidates:
        """Return what was scored so far, for `errbar.tuned`."""
        with self._lock:
            tables, parameters = list(self._tables), list(self.parameters)
        if not tables:
            raise InvalidInputError("nothing was scored: call `score` for each candidate first")
        names = names_of(parameters)
        named = dict(zip(names, parameters, strict=True))
        return Candidates(table=joined(tables, names), parameters=named)


def joined(tables: Sequence[LossTable], names: Sequence[str]) -> LossTable:
    points = [one.points for one in tables if one.points is not None]
    return replace(
        tables[0],
        learners=tuple(names),
        scores=np.concatenate([one.scores for one in tables]),
        points=np.concatenate(points) if points else None,
        predictions=tuple(own for one in tables for own in one.predictions or ()),
        counts=reduce(add, [one.counts for one in tables]),
        notes=tuple(note for one in tables for note in one.notes),
    )


def keep(
    X: Any, y: Any, plan: Any = 10, loss: Any = None, *, random_state: Any = None, **run: Any
) -> Kept:
    """Keep the out-of-fold predictions of every candidate that a loop of one's own tries, such as an Optuna study.

    Parameters
    ----------
    X, y : array-like
        Features and target; see `errbar.run`.
    plan : Plan, int, splitter or iterable of (train, test), default 10
        Splits, the same for all candidates.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    random_state : None, int or NumPy generator, optional
        Root of every random choice.
    **run
        Other arguments of `errbar.run`, such as `positive`, `groups`, `stratify`, `n_jobs` and `store`.

    Returns
    -------
    Kept
        An objective returns ``kept.score(model)``; ``errbar.tuned(kept)`` says what came of it.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> kept = errbar.keep(*load_iris(return_X_y=True), random_state=0)
    >>> risks = [kept.score(KNeighborsClassifier(k)) for k in (1, 5, 25, 75)]
    >>> errbar.tuned(kept).winner
    'n_neighbors=5'
    """
    # Splits and seeds follow from the root, so that every candidate has the same.
    base = _rng.root(random_state)
    return Kept(X, y, **run, plan=plan, loss=loss, random_state=base)
