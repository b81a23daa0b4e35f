"""Figure 1 of Nadeau & Bengio (2003): size and power of eight tests for a tree and a nearest neighbour on letters.

Varied: the statistic, and the hypothetical value of the expected risk at training size n/2. Recorded: in which data sets
the value is rejected. Summarised by the size at the truth, the power elsewhere and Var[estimate]/E[se^2].
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.index import ROLES
from errbar.losses import Losses
from errbar.methods import conservative_z
from errbar.plans import FiveByTwo, Holdout, PairedHalves, Plan, Split, Subsampling
from errbar.result import Result
from errbar.table import LossTable
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._scenario import Analysis, Procedure, Scenario, Target
from errbar_lab._simulation import simulate
from errbar_lab._summary import Performance, judge, mean_interval, power
from errbar_lab._truth import ExpectedRisk, expected_risks
from errbar_lab._verdict import LIBERAL
from errbar_lab.populations import Population
from errbar_lab.studies._cells import percent, ratio, share, spread_out
from errbar_lab.studies._study import SimulationStudy, StudyTable, described, tabulate

__all__ = ["Curve", "Figure1", "figure1"]

EXAMPLES, REPEATS, HALVINGS, LEVEL = 300, 15, 10, 0.9
REACH, POINTS = 0.15, 61
TESTED = 1000
"""Test examples per training set behind the truth; more would sharpen it less than more training sets do."""

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

STATISTICS = tuple(EXPECTED)


@dataclass(frozen=True)
class OnlyHalves(Plan):
    """The splits of random halves of the data, as `errbar.plans.PairedHalves` makes them, without those of all data."""

    n_test: float = 0.1
    repeats: int = 15
    halvings: int = 10
    kind = PairedHalves.kind

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of the halves."""
        plan = PairedHalves(None, self.n_test, self.repeats, self.halvings)
        return (
            split for split in plan.splits(n, rng, y, groups, time) if "halving" in split.labels
        )


@dataclass(frozen=True)
class Within(Plan):
    """Random splits of some of the examples, which are drawn at random once.

    Nadeau & Bengio (2003, section 5) study a ratio of training to test size that the data would not give: of 300
    examples they keep 180, and split those again and again into 150 and 30.
    """

    plan: Subsampling
    examples: int
    kind = Subsampling.kind

    def splits(
        self, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
    ) -> Iterator[Split]:
        """Yield the splits of the examples that are kept, with the labels of their plan."""
        base, count = _rng.root(rng), self.examples
        kept = np.sort(_rng.stream(base, "within", count).choice(n, count, replace=False))
        own = [None if values is None else np.asarray(values)[kept] for values in (y, groups, time)]
        for split in self.plan.splits(count, _rng.seed(base, "within", count), *own):
            yield Split(kept[split.train], kept[split.test], split.labels)


@dataclass(frozen=True)
class BorrowedZ:
    """The conservative Z of an estimate from any plan, with the variance of half samples.

    That is right as long as the variance of the halves is no smaller than that of the estimate (Nadeau & Bengio 2003,
    section 5).
    """

    name: str
    plan: Plan
    halves: OnlyHalves

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of the estimate, and that of the variance."""
        return (self.plan, self.halves)

    def applies_to(self, target: Target) -> bool:  # the variance of halves serves every target
        """It applies to learners and to differences."""
        return True

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Result:
        """Return its result on one target."""
        both = [table.losses(*target, plan).splits for plan in positions]
        roles = [role for role in ROLES if any(role in own.index for own in both)]
        columns: dict[str, Any] = {
            role: np.concatenate([own.index.label(role) for own in both]) for role in roles
        }
        view = Losses(np.concatenate([own.value for own in both]), **columns)
        return conservative_z(view, level=level, reference="normal")


def figure1_statistics(n: int) -> tuple[Procedure, ...]:
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
class Figure1(SimulationStudy):
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

    key: ClassVar[str] = "figure1"

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

    def content(self) -> Mapping[str, Any]:
        """Return truths, sizes and power curves."""
        truths = {target: self.truth.of(*target.split("-")) for target in self.targets}
        return {
            "settings": self.settings,
            "level": self.level,
            "truth": {
                target: {
                    "value": value,
                    "standard_error": error,
                    "interval": self.intervals[target],
                }
                for target, (value, error) in truths.items()
            },
            "sizes": [_size(one) for one in self.performances],
            "power": self.curves,
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return sizes and powers as flat rows."""
        sizes = [{"kind": "size", "mu0": one.truth} | _size(one) for one in self.performances]
        powers = [
            {
                "kind": "power",
                "mu0": float(mu0),
                "target": curve.target,
                "statistic": curve.statistic,
                "size": float(p),
            }
            for curve in self.curves
            for mu0, p in zip(curve.mu0, curve.power, strict=True)
        ]
        keys = (
            "kind",
            "target",
            "statistic",
            "mu0",
            "size",
            "low",
            "high",
            "ratio",
            "ratio_low",
            "ratio_high",
        )
        return [{key: row.get(key) for key in keys} for row in [*sizes, *powers]]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return sizes, with the range read from the original, and the ratio of variances."""
        return tuple(self._table(target) for target in self.targets)

    def conclusion(self) -> tuple[str, ...]:
        """Return which tests are liberal, and which is the least powerful far from the truth."""
        alpha, target = 1.0 - self.level, self.targets[0]
        liberal = [
            one.method
            for one in self.performances
            if one.target == target and one.verdict == LIBERAL
        ]
        curves = [curve for curve in self.curves if curve.target == target]
        weakest = min((float(curve.power[[0, -1]].mean()), curve.statistic) for curve in curves)[1]
        return (
            f"More than two points above the nominal {percent(alpha)} % about {target}: {', '.join(liberal) or 'none'}.",
            f"Least powerful far from the truth about {target}: {weakest}.",
        )

    def _table(self, target: str) -> StudyTable:
        value, error = self.truth.of(*target.split("-"))
        columns = [
            ("Statistic", lambda one: one.method),
            ("Size, %", lambda one: share(one.size)),
            (
                "Expected, %",
                lambda one: " to ".join(percent(end, 0) for end in EXPECTED[one.method]),
            ),
            ("Var/E[se²]", lambda one: ratio(one.ratio)),
        ]
        if target != self.targets[0]:
            del columns[2]  # The description of the figure gives sizes about the tree only.
        return tabulate(
            f"size-{target}",
            f"Rejections of the truth about {target}, which is {value:.4f} (Monte-Carlo error {error:.4f})",
            columns,
            [one for one in self.performances if one.target == target],
            f"Nominal {percent(1.0 - self.level)} %. In brackets 95 % intervals. Above 1 the ratio says liberal, below 1 conservative.",
        )


def figure1(
    population: Population,
    *,
    data_sets: int = 500,
    n: int = EXAMPLES,
    level: float = LEVEL,
    weight: float | None = None,
    truth_draws: int = 6000,
    **how: Unpack[SimulationOptions],
) -> Figure1:
    """Measure size and power of the statistics of Nadeau & Bengio (2003), figure 1.

    Data sets of n = 300 letters are drawn without replacement. Learner A is a classification tree with the rules of
    S-PLUS, learner B the nearest neighbour in a metric so distorted that both have the same error. Eight statistics
    test whether the expected risk at training size n/2, of A, of B, or their difference, has a certain value: the
    true one, and others around it.

    Parameters
    ----------
    population : Population
        The letters, as `errbar_lab.load_letter` returns them.
    data_sets : int, default 500
        Number of data sets.
    n : int, default 300
        Examples in a data set; even, so that all statistics aim at the same training size.
    level : float, default 0.9
        Confidence level; the tests are at 1 - level.
    weight : float, optional
        Distortion of the metric of B; by default that of `errbar_lab.DistortedNearestNeighbour`, which makes both
        learners equally good on letters.
    truth_draws : int, default 6000
        Independent training sets from which the true expected risks are computed.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

    Returns
    -------
    Figure1
        Sizes with Monte-Carlo intervals, power curves, truths.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    """
    from errbar_lab.learners import DistortedNearestNeighbour, SplusTree

    if _check.count(n, "n", 20) % 2:
        raise InvalidInputError(
            f"must be even, so that all statistics aim at the training size n/2, got {n}",
            argument="n",
        )
    if weight is not None and _check.finite(weight, "weight") <= 0.0:
        raise InvalidInputError(f"must be positive, got {weight!r}", argument="weight")
    near = (
        DistortedNearestNeighbour() if weight is None else DistortedNearestNeighbour(weight=weight)
    )
    scenario = Scenario(population, n, {"A": SplusTree(), "B": near}, "zero-one")
    how = with_root(how)
    found = simulate(scenario, figure1_statistics(n), replicates=data_sets, level=level, **how)
    truth = expected_risks(scenario, [n // 2], draws=truth_draws, test_examples=TESTED, **how)[
        n // 2
    ]
    settings = described(scenario, data_sets) | {
        "Training size": str(n // 2),
        "Truth": f"{truth.draws} independent training sets",
        "Random state": str(how["random_state"]),
    }
    performances: list[Performance] = []
    curves: list[Curve] = []
    intervals: dict[str, tuple[float, float]] = {}
    for learner, minus in scenario.targets():
        name = learner if minus is None else f"{learner}-{minus}"
        mu0 = truth.of(learner, minus)[0] + np.linspace(-REACH, REACH, POINTS)
        outcomes = found.about(learner, minus)
        judged = judge(outcomes, {scenario.name: {n // 2: truth}})
        performances += [replace(one, target=name) for one in judged]
        curves += [Curve(name, one.method, mu0, power(one, mu0)) for one in outcomes]
        [wide] = [one for one in outcomes if one.method == "resampled-t n2=n/2"]
        mean = mean_interval(wide.estimate)
        intervals[name] = (mean.low, mean.high)
    title = "Figure 1 of Nadeau & Bengio (2003): size and power of eight tests"
    return Figure1(
        title, settings, tuple(performances), tuple(curves), truth, intervals, found.runs[0].level
    )


def _size(one: Performance) -> dict[str, Any]:
    found: dict[str, Any] = {"target": one.target, "statistic": one.method}
    size = {"size": one.size.value, "low": one.size.low, "high": one.size.high}
    return found | size | plain(spread_out("ratio", one.ratio))
