"""The model confidence set of losses of examples."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.families._maximum import Maximum


@dataclass(frozen=True, eq=False)
class ConfidenceSet:
    """Models that are not told from the best by their losses of the same examples.

    Attributes
    ----------
    pvalues : dict of str to float
        P-value of each model, in the order in which they were given: the smallest level at which it is left out; 1 for the last that is left.
    level : float
        Confidence level.
    """

    pvalues: dict[str, float]
    level: float

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the set."""
        return tuple(name for name, p in self.pvalues.items() if p > 1.0 - self.level)


def confidence_set(losses: Mapping[str, ArrayLike], *, level: float = 0.95) -> ConfidenceSet:
    r"""Find the models that may be the best, by their losses of the same independent examples.

    Parameters
    ----------
    losses : mapping of str to array-like, shape (n,)
        Losses of each model, smaller is better.
    level : float, default 0.95
        Probability that the best is in the set, for many examples.

    Returns
    -------
    ConfidenceSet
        P-values, and the models in the set.

    Raises
    ------
    InvalidInputError
        If there are fewer than two models or examples, or the numbers of losses differ.

    See Also
    --------
    best : The same question of any estimates with covariances.

    Notes
    -----
    While models are told apart, :math:`T = \max_{i,j} |\bar d_{ij}| / s_{ij}` exceeds the level's critical value, the model with the largest
    :math:`\bar d_{ij}/s_{ij}` is left out, and the test is repeated with the rest; the p-value of a model is the largest one up to its own
    step [1]_. The law of T, which the authors take from a bootstrap, is here that of the largest of normal statistics with the
    correlations of the losses: means of independent examples have it where there are many. It speaks of models that are given, and
    knows nothing of training sets.

    References
    ----------
    .. [1] Hansen, Lunde & Nason (2011), Econometrica 79(2), 453-497.

    Examples
    --------
    >>> from errbar.families import confidence_set
    >>> losses = {"a": [0.1, 0.4, 0.2, 0.3, 0.2], "b": [0.2, 0.4, 0.3, 0.2, 0.3], "c": [0.8, 0.9, 0.6, 0.9, 0.8]}
    >>> confidence_set(losses).models
    ('a', 'b')
    """
    names = _check.names(list(losses), "model")
    rows = [_check.vector(losses[name], name, "example", 2) for name in names]
    if len(names) < 2 or len({row.size for row in rows}) > 1:
        raise InvalidInputError(
            "must hold at least two models, each with a loss for the same examples",
            argument="losses",
        )
    left, pvalues, reached = np.arange(len(names)), np.ones(len(names)), 0.0
    values = np.array(rows)
    while left.size > 1:
        p, worst = _step(values[left])
        reached = max(reached, p)
        pvalues[left[worst]] = reached
        left = np.delete(left, worst)
    return ConfidenceSet(dict(zip(names, pvalues.tolist(), strict=True)), _check.level(level))


def _step(values: FloatArray) -> tuple[float, int]:
    """Return the p-value of the hypothesis that all are equally good, and the place of the model that goes first."""
    covariance = np.cov(values) / values.shape[1]
    means, variances = values.mean(axis=1), np.diag(covariance)
    squared = variances[:, np.newaxis] + variances - 2.0 * covariance
    difference = means[:, np.newaxis] - means
    # Models with the same loss throughout do not differ; of those that differ by a constant one is surely better.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(difference == 0.0, 0.0, difference / np.sqrt(np.maximum(squared, 0.0)))
    worst = int(ratio.max(axis=1).argmax())
    largest = float(ratio.max())
    return (Maximum.of_pairs(covariance).above(largest) if largest < np.inf else 0.0), worst
