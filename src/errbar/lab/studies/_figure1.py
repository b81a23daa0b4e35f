"""Size and power of the tests of Nadeau & Bengio (2003), figure 1: a tree and a nearest neighbour on letters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.engine import Executor, Progress
from errbar.errors import InvalidInputError
from errbar.lab._scenario import Analysis, Judge, Scenario
from errbar.lab._simulation import Simulation, simulate
from errbar.lab._summary import Performance, judge, power
from errbar.lab._truth import ExpectedRisk, expected_risks
from errbar.lab.populations import Population
from errbar.lab.studies._halves import BorrowedZ, OnlyHalves
from errbar.lab.studies._study import StudyTable, percent, share
from errbar.plans import FiveByTwo, Holdout, Subsampling, Within

EXAMPLES, REPEATS, HALVINGS, LEVEL = 300, 15, 10, 0.9
REACH, POINTS = 0.15, 61
TESTED = 1000
"""Test examples per training set behind the truth; more would sharpen it less than more training sets do."""

STATISTICS = (
    "t",
    "resampled-t n2=n/2",
    "resampled-t n2=n/10",
    "corrected-t n2=n/2",
    "corrected-t n2=n/10",
    "5x2cv-t",
    "conservative-z n2=n/2",
    "conservative-z n2=n/10",
)

EXPECTED = {
    "t": (0.14, 0.24),
    "resampled-t n2=n/2": (0.30, 1.0),
    "resampled-t n2=n/10": (0.30, 1.0),
    "corrected-t n2=n/2": (0.0, 0.04),
    "corrected-t n2=n/10": (0.06, 0.14),
    "5x2cv-t": (0.09, 0.18),
    "conservative-z n2=n/2": (0.0, 0.05),
    "conservative-z n2=n/10": (0.09, 0.18),
}
"""Ranges for the sizes at the risk of the tree, as read from the description of the figure; 500 data sets leave a
standard error of 0.013."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Power of one statistic about one target.

    Attributes
    ----------
    target, statistic : str
        Names.
    mu0 : ndarray
        Hypothetical values of the expected risk, or of the difference.
    power : ndarray
        Share of data sets in which each is rejected.
    """

    target: str
    statistic: str
    mu0: FloatArray
    power: FloatArray


@dataclass(frozen=True, eq=False)
class Figure1:
    """The figure's numbers.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    performances : tuple of Performance
        Sizes at the truth, one per target and statistic.
    curves : tuple of Curve
        Powers, one per target and statistic.
    truth : ExpectedRisk
        Expected risks at n1 = n/2 from independent training sets.
    intervals : mapping of str to tuple of float
        By target, the 95 % interval of the truth from the data sets of the study itself, as in the original figure.
    level : float
        Confidence level; the tests are at 1 - level.
    """

    title: str
    settings: Mapping[str, str]
    performances: tuple[Performance, ...]
    curves: tuple[Curve, ...]
    truth: ExpectedRisk
    intervals: Mapping[str, tuple[float, float]]
    level: float

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets, learners first."""
        return tuple(dict.fromkeys(one.target for one in self.performances))

    @property
    def data_sets(self) -> int:
        """Number of data sets."""
        return self.performances[0].size.total

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; sizes and powers are shares, not percentages."""
        return {
            "study": "figure1",
            "settings": dict(self.settings),
            "level": self.level,
            "truth": {target: self._truth_of(target) for target in self.targets},
            "sizes": [self._size(one) for one in self.performances],
            "power": [
                {
                    "target": curve.target,
                    "statistic": curve.statistic,
                    "mu0": curve.mu0.tolist(),
                    "power": curve.power.tolist(),
                }
                for curve in self.curves
            ],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return sizes and powers as flat rows."""
        sizes = [{"kind": "size", "mu0": one.truth} | self._size(one) for one in self.performances]
        powers = [
            {"kind": "power", "mu0": float(mu0), "target": curve.target, "statistic": curve.statistic, "size": float(p)}
            for curve in self.curves
            for mu0, p in zip(curve.mu0, curve.power, strict=True)
        ]
        keys = ("kind", "target", "statistic", "mu0", "size", "low", "high", "ratio", "ratio_low", "ratio_high")
        return [{key: row.get(key) for key in keys} for row in [*sizes, *powers]]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return sizes, with the range read from the original, and the ratio of variances."""
        return tuple(self._table(target) for target in self.targets)

    def conclusion(self) -> tuple[str, ...]:
        """Return which tests are liberal, and which is the least powerful far from the truth."""
        alpha = 1.0 - self.level
        first = [one for one in self.performances if one.target == self.targets[0]]
        liberal = [one.method for one in first if one.size.low > alpha]
        quiet = min((self._far_power(one.method), one.method) for one in first)[1]
        listed = ", ".join(liberal) or "none"
        return (
            f"Significantly above the nominal {percent(alpha)} % about {self.targets[0]}: {listed}.",
            f"Least powerful far from the truth about {self.targets[0]}: {quiet}.",
        )

    def _truth_of(self, target: str) -> dict[str, Any]:
        value, error = self.truth.of(*_parts(target))
        return {"value": value, "standard_error": error, "interval": list(self.intervals[target])}

    @staticmethod
    def _size(one: Performance) -> dict[str, Any]:
        plain = one.to_dict()
        return {
            "target": one.target,
            "statistic": one.method,
            "size": one.size.value,
            "low": one.size.low,
            "high": one.size.high,
            "ratio": plain["ratio"]["value"],
            "ratio_low": plain["ratio"]["low"],
            "ratio_high": plain["ratio"]["high"],
        }

    def _far_power(self, statistic: str) -> float:
        curve = next(c for c in self.curves if (c.target, c.statistic) == (self.targets[0], statistic))
        return float(curve.power[[0, -1]].mean())

    @staticmethod
    def _cells(one: Performance, *, expected: bool) -> tuple[str, ...]:
        low, high = EXPECTED[one.method]
        ratio = one.ratio
        return (
            one.method,
            share(one.size.value, one.size.low, one.size.high),
            *([f"{percent(low, 0)} to {percent(high, 0)}"] if expected else []),
            f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]",
        )

    def _table(self, target: str) -> StudyTable:
        first = target == self.targets[0]
        rows = [self._cells(one, expected=first) for one in self.performances if one.target == target]
        value, error = self.truth.of(*_parts(target))
        headers = ("Statistic", "Size, %", *(["Expected, %"] if first else []), "Var/E[se²]")
        return StudyTable(
            f"size-{target}",
            f"Rejections of the truth about {target}, which is {value:.4f} (Monte-Carlo error {error:.4f})",
            headers,
            tuple(rows),
            f"Nominal {percent(1.0 - self.level)} %. In brackets 95 % intervals. Above 1 the ratio says liberal, below 1 conservative.",
        )


def statistics(n: int) -> tuple[Judge, ...]:
    """Return the statistics of the figure for data sets of `n` examples; all aim at the training size n/2.

    Parameters
    ----------
    n : int
        Examples in a data set; at least 20.
    """
    half, tenth = n // 2, n // 10
    wide = Subsampling(n_train=half, n_test=half, repeats=REPEATS)
    narrow = Within(Subsampling(n_train=half, n_test=tenth, repeats=REPEATS), half + tenth)
    halves = OnlyHalves(n_test=tenth, repeats=REPEATS, halvings=HALVINGS)
    return (
        Analysis("holdout-t", Holdout(n_test=half), name="t"),
        Analysis("resampled-t", wide, name="resampled-t n2=n/2"),
        Analysis("resampled-t", narrow, name="resampled-t n2=n/10"),
        Analysis("corrected-t", wide, name="corrected-t n2=n/2"),
        Analysis("corrected-t", narrow, name="corrected-t n2=n/10"),
        Analysis("5x2cv-t", FiveByTwo(), name="5x2cv-t"),
        BorrowedZ("conservative-z n2=n/2", wide, halves),
        BorrowedZ("conservative-z n2=n/10", narrow, halves),
    )


def figure1(
    population: Population,
    *,
    data_sets: int = 500,
    n: int = EXAMPLES,
    level: float = LEVEL,
    weight: float | None = None,
    truth_draws: int = 6000,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: Any = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Figure1:
    """Measure size and power of the statistics of Nadeau & Bengio (2003), figure 1.

    Data sets of n = 300 letters are drawn without replacement. Learner A is a classification tree with the rules of
    S-PLUS, learner B the nearest neighbour in a metric so distorted that both have the same error. Eight statistics
    test whether the expected risk at training size n/2, of A, of B, or their difference, has a certain value: the
    true one, and others around it.

    Parameters
    ----------
    population : Population
        The letters, as `errbar.lab.load_letter` returns them.
    data_sets : int, default 500
        Number of data sets.
    n : int, default 300
        Examples in a data set; even, so that all statistics aim at the same training size.
    level : float, default 0.9
        Confidence level; the tests are at 1 - level.
    weight : float, optional
        Distortion of the metric of B; by default that of `errbar.lab.DistortedNearestNeighbour`, which makes both
        learners equally good on letters.
    truth_draws : int, default 6000
        Independent training sets from which the true expected risks are computed.
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

    Returns
    -------
    Figure1
        Sizes with Monte-Carlo intervals, power curves, truths.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    """
    from errbar.lab.learners import DistortedNearestNeighbour, SplusTree

    _check.count(n, "n", 20)
    if weight is not None and _check.finite(weight, "weight") <= 0.0:
        raise InvalidInputError(f"`weight` must be positive, got {weight!r}")
    near = DistortedNearestNeighbour() if weight is None else DistortedNearestNeighbour(weight=weight)
    scenario = Scenario(population, n, {"A": SplusTree(), "B": near}, "zero-one")
    base = _rng.root(random_state)
    means = {"random_state": base, "n_jobs": n_jobs, "store": store, "executor": executor, "progress": progress}
    found = simulate(scenario, statistics(n), replicates=data_sets, level=level, **means)
    truth = expected_risks(scenario, [n // 2], draws=truth_draws, test_examples=TESTED, **means)[n // 2]
    settings = {
        "Population": population.name,
        "Data sets": f"{data_sets} of {n} examples",
        "Learner A": repr(scenario.learners["A"]),
        "Learner B": repr(near),
        "Training size": str(n // 2),
        "Truth": f"{truth.draws} independent training sets",
        "Random state": str(base),
    }
    return _figure(found, truth, settings)


def _figure(found: Simulation, truth: ExpectedRisk, settings: Mapping[str, str]) -> Figure1:
    truths = {found.runs[0].scenario.name: {truth.n_train: truth}}
    performances = [replace(one, target=_name(one.target)) for one in judge(found, truths)]
    curves, intervals = [], {}
    for outcomes in found:
        centre = truth.of(outcomes.learner, outcomes.minus)[0]
        mu0 = centre + np.linspace(-REACH, REACH, POINTS)
        curves.append(Curve(_name(outcomes.target), outcomes.method, mu0, power(outcomes, mu0)))
        if outcomes.method == "resampled-t n2=n/2":
            intervals[_name(outcomes.target)] = _interval(outcomes.estimate)
    order = sorted(range(len(curves)), key=lambda i: _rank(curves[i].target))
    return Figure1(
        "Figure 1 of Nadeau & Bengio (2003): size and power of eight tests",
        settings,
        tuple(performances[i] for i in order),
        tuple(curves[i] for i in order),
        truth,
        intervals,
        found.runs[0].level,
    )


def _interval(estimates: FloatArray) -> tuple[float, float]:
    centre = float(estimates.mean())
    reach = 1.959963984540054 * float(estimates.std(ddof=1)) / np.sqrt(estimates.size)
    return float(centre - reach), float(centre + reach)


def _name(target: str) -> str:
    return target.replace(" ", "")


def _parts(target: str) -> tuple[str, str | None]:
    learner, minus, other = target.partition("-")
    return learner, other if minus else None


def _rank(target: str) -> int:
    return ("A", "B", "A-B").index(target)
