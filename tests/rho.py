"""The K-fold t at many correlations between blocks, as the calculator of the documentation draws it."""

from dataclasses import dataclass

import numpy as np

from errbar._plain import plain
from errbar.methods import kfold_t, rho_threshold


def rho_of(correlation, folds):
    """The share rho of the covariance in the variance of the mean that a correlation of two fold scores makes."""
    return folds * correlation / (1 + (folds - 1) * correlation)


@dataclass
class Curve:
    """P-values and intervals by rho, and the values of rho that have a name."""

    estimate: float
    folds: int
    level: float
    null: float
    alternative: str
    threshold: float
    rho: np.ndarray
    pvalue: np.ndarray
    low: np.ndarray
    high: np.ndarray
    marks: dict[str, float]

    def to_dict(self):
        return plain(self, infinite=("threshold",))

    @property
    def verdict(self):
        risk = f"{100 * (1.0 - self.level):.6g} %"
        if self.threshold >= 1.0:
            return f"significant at the {risk} level whatever rho is"
        if self.threshold <= 0.0:
            return f"not significant at the {risk} level whatever rho is"
        return f"significant at the {risk} level unless rho exceeds {self.threshold:.3f}"

    def lines(self):
        """A line for each value of rho that has a name."""
        for name, rho in sorted(self.marks.items(), key=lambda mark: mark[1]):
            i = int(np.searchsorted(self.rho, rho))
            ends = np.array([self.low[i], self.high[i]])
            # An end that is 0 but for rounding, as at the threshold, is 0.
            low, high = np.where(np.abs(ends) <= 1e-12 * abs(self.estimate), 0.0, ends)
            yield f"{name:15}{rho:6.3f}{self.pvalue[i]:12.4g}   [{low:.4g}, {high:.4g}]"


def curve(losses, *, rhos=None, **asked):
    """The curve of one cross-validation: at 100 values of rho, or those given, and at those that have a name."""
    first, threshold = kfold_t(losses, **asked), rho_threshold(losses, **asked)
    K, ratio = first.n_splits, 1.0 / (first.n_splits - 1)
    index = losses.splits.index
    if "n_train" in index and "n_test" in index:
        ratio = float(np.mean(index["n_test"] / index["n_train"]))
    marks = {
        "uncorrected": 0.0,
        "Nadeau-Bengio": rho_of(ratio / (1.0 + ratio), K),
        "conservative": 0.7,
    }
    if 0.0 <= threshold < 1.0:
        marks["threshold"] = threshold
    rho = np.union1d(np.arange(100) / 100.0 if rhos is None else rhos, list(marks.values()))
    found = [kfold_t(losses, rho=one, **asked) for one in rho.tolist()]
    return Curve(
        first.estimate,
        K,
        first.level,
        first.null,
        first.alternative,
        threshold,
        rho,
        *(np.array([getattr(one, name) for one in found]) for name in ("pvalue", "low", "high")),
        marks=marks,
    )
