"""The corrected t and the conservative Z with nine tenths of the data to train on, as their authors recommend.

Varied: the number of splits, the number of halvings and the reference distribution. Recorded: in which data sets the truth, and
values at some distance from it, are rejected. Summarised by size, by power, and by what more splits or halvings change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._scenario import Scenario
from errbar_lab._simulation import Outcomes, simulate
from errbar_lab._summary import MeanInterval, judge, mean_interval
from errbar_lab._truth import DRAWS, TEST_EXAMPLES, ExpectedRisk, expected_risks
from errbar_lab.populations import Population
from errbar_lab.studies import _variants
from errbar_lab.studies._cells import percent, share, spread_out
from errbar_lab.studies._study import Column, SimulationStudy, StudyTable, described, tabulate

__all__ = ["Habitat", "habitat"]

REPEATS, HALVINGS, HALF_REPEATS = (5, 10, 15, 25), (5, 10, 20), (15,)
DISTANCES = (1.0, 2.0, 3.0)


@dataclass(frozen=True, eq=False)
class Habitat(SimulationStudy):
    """Size and power of both tests for several numbers of splits and halvings.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    level : float
        Confidence level; the tests are at 1 - level.
    truth : ExpectedRisk
        Expected risks at n1 = 9n/10.
    distances : tuple of float
        Distances from the truth at which the power is measured, in units.
    units : mapping of str to float
        Unit of distance by target: the standard deviation over data sets of the mean of about 15 splits.
    truth_errors : mapping of str to float
        Monte-Carlo standard error of the truth by target; 0 where it is exact.
    judged : tuple of VariantResult
        One per target and method.
    gains : tuple of Gain
        One per target and method that is not itself a baseline.
    """

    key: ClassVar[str] = "habitat"

    level: float
    truth: ExpectedRisk
    distances: tuple[float, ...]
    units: Mapping[str, float]
    truth_errors: Mapping[str, float]
    judged: tuple[_variants.VariantResult, ...]
    gains: tuple[_variants.Gain, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets, learners first."""
        return tuple(self.units)

    @property
    def alpha(self) -> float:
        """Nominal size of the tests."""
        return 1.0 - self.level

    def content(self) -> Mapping[str, Any]:
        """Return the results of all variants, and the gains."""
        return {
            "settings": self.settings,
            "level": self.level,
            "distances": self.distances,
            "units": self.units,
            "truth_errors": self.truth_errors,
            "results": self.judged,
            "gains": self.gains,
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target and method."""
        return [self._record(one) for one in self.judged]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return sizes and powers of each target, and what more splits and halvings bring."""
        return (*(self._table(target) for target in self.targets), self._gains_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return how far the sizes are from the nominal one, and what more splits and halvings change."""
        kinds = list(dict.fromkeys(one.method.kind for one in self.judged))
        said = [self._sizes_of(kind) for kind in kinds]
        variants = list(dict.fromkeys(one.method for one in self.judged))
        return tuple(
            said
            + [text for kind in kinds for text in _variants.sentences(kind, variants, self.gains)]
        )

    def _record(self, one: _variants.VariantResult) -> dict[str, Any]:
        method, found = one.method, one.performance
        row = {
            "target": found.target,
            "method": method.name,
            "splits": method.repeats,
            "halvings": method.halvings,
            "reference": method.reference,
            "truth": found.truth,
            "size": found.size.value,
            "low": found.size.low,
            "high": found.size.high,
            "width": found.width,
            **spread_out("ratio", found.ratio),
            "unit": self.units[found.target],
        }
        for distance, power in zip(self.distances, one.power, strict=True):
            row |= spread_out(f"power_{distance:g}", power)
        return plain(row)

    def _by_distance(self, head: str, cell: Callable[[MeanInterval], str]) -> list[Column]:
        """Return a column for the power at each distance."""

        def column(place: int, distance: float) -> Column:
            return head.format(f"{distance:g}"), lambda one: cell(one.power[place])

        return [column(place, distance) for place, distance in enumerate(self.distances)]

    def _table(self, target: str) -> StudyTable:
        chosen = [one for one in self.judged if one.performance.target == target]
        return tabulate(
            f"size-{target.replace(' ', '')}",
            f"Rejections of the truth about {target}, which is {chosen[0].performance.truth:.4f} (Monte-Carlo error "
            f"{self.truth_errors[target]:.4f}), and of wrong values",
            [
                ("Method", lambda one: one.method.name),
                ("Size, %", lambda one: share(one.performance.size)),
                *self._by_distance("Power at {} sd, %", lambda power: percent(power.value)),
                ("Width", lambda one: f"{one.performance.width:.4g}"),
                ("Var/E[se²]", lambda one: f"{one.performance.ratio.value:.2f}"),
            ],
            chosen,
            f"Nominal {percent(self.alpha)} %; in brackets 95 % intervals. The power is the mean over both sides at that "
            f"many times {self.units[target]:.4g}, the standard deviation of the mean of the splits.",
        )

    def _gains_table(self) -> StudyTable:
        return tabulate(
            "gains",
            "What other numbers of splits and halvings bring, in percentage points",
            [
                ("Method", lambda one: f"{one.target}: {one.method}"),
                ("Against", lambda one: one.baseline),
                ("Size", lambda one: _variants.points(one.size)),
                *self._by_distance("Power at {}", lambda power: f"{100.0 * power.value:+.1f}"),
            ],
            self.gains,
            "Both methods were applied to the same data sets; in brackets 95 % intervals of the differences.",
        )

    def _sizes_of(self, kind: tuple[str, str]) -> str:
        sizes = [one.performance.size for one in self.judged if one.method.kind == kind]
        above, below = (
            sum(s.low > self.alpha for s in sizes),
            sum(s.high < self.alpha for s in sizes),
        )
        low, high = min(s.value for s in sizes), max(s.value for s in sizes)
        return (
            f"The {_variants.WORDS[kind]} rejects the truth in {percent(low)} to {percent(high)} % of the data sets at a nominal "
            f"{percent(self.alpha)} %; of {len(sizes)} sizes {above} are significantly above and {below} below."
        )


def habitat(
    population: Population,
    learners: Mapping[str, Any],
    *,
    n: int = 300,
    repeats: Sequence[int] = REPEATS,
    halvings: Sequence[int] = HALVINGS,
    half_repeats: Sequence[int] = HALF_REPEATS,
    distances: Sequence[float] = DISTANCES,
    replicates: int = 500,
    level: float = 0.9,
    loss: Any = None,
    truth_draws: int = DRAWS,
    truth_examples: int = TEST_EXAMPLES,
    **how: Unpack[SimulationOptions],
) -> Habitat:
    """Measure size and power of the corrected t and the conservative Z with n1 = 9n/10 and n2 = n/10.

    That is how Nadeau & Bengio (2003) [1]_ recommend to use them. Both tests are applied with several numbers of splits
    and halvings, the conservative Z with both reference distributions. A truth is rejected, or a wrong value on either side of it
    that lies one, two or three standard deviations of the estimate away.

    Parameters
    ----------
    population : Population
        Where data sets come from; letters in the paper, as `errbar_lab.load_letter` returns them.
    learners : mapping of str to estimator
        Learners by name; their differences are studied too.
    n : int, default 300
        Examples in a data set; at least 20.
    repeats : sequence of int, default (5, 10, 15, 25)
        Numbers of splits J of the corrected t.
    halvings : sequence of int, default (5, 10, 20)
        Numbers of halvings M of the conservative Z.
    half_repeats : sequence of int, default (15,)
        Numbers of splits J of the conservative Z, of all data and of each half.
    distances : sequence of float, default (1, 2, 3)
        Distances from the truth at which the power is measured, in standard deviations over data sets of the mean of
        those of `repeats` that are nearest to 15.
    replicates : int, default 500
        Data sets.
    level : float, default 0.9
        Confidence level; the tests are at 1 - level, two-sided.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    truth_draws, truth_examples : int, optional
        Independent training sets from which the true expected risks are computed, and test examples of each.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

    Returns
    -------
    Habitat
        Sizes and powers with Monte-Carlo intervals, and differences between methods in the same data sets.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used.

    Notes
    -----
    Fewer splits are the first of more, and fewer halvings likewise, so one data set costs what the largest numbers do:
    25 + 2 x 20 x 15 fits of each learner, less 15 that both have in common.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import errbar_lab as lab
    >>> from errbar_lab import habitat
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> study = habitat(
    ...     population, {"least squares": LinearRegression()}, n=40, repeats=[3, 5], halvings=[2], half_repeats=[3],
    ...     replicates=10,
    ... )
    >>> [one.method.name for one in study.judged]
    ['corrected t, J = 3', 'corrected t, J = 5', 'conservative Z, J = 3, M = 2', 'conservative Z (t), J = 3, M = 2']
    """
    n_test = _check.count(n, "n", 20) // 10
    n_train = n - n_test
    variants = _variants.made(
        _counts(repeats, "repeats", 2),
        _counts(halvings, "halvings"),
        _counts(half_repeats, "half_repeats"),
    )
    far = _distances(distances)
    scenario = Scenario(population, n, learners, loss)
    how = with_root(how)
    analyses = [variant.analysis(n_train, n_test) for variant in variants]
    found = simulate(
        scenario, analyses, replicates=_check.count(replicates, "replicates", 3), level=level, **how
    )
    truth = expected_risks(
        scenario, [n_train], draws=truth_draws, test_examples=truth_examples, **how
    )[n_train]
    settings = described(scenario, replicates) | {
        "Loss": scenario.resolved_loss.key,
        "Splits": f"{n_train} training and {n_test} test examples",
        "Truth": f"{truth.draws} independent training sets" if truth.draws else "exact",
        "Random state": str(how["random_state"]),
    }
    units: dict[str, float] = {}
    errors: dict[str, float] = {}
    judged: list[_variants.VariantResult] = []
    gains: list[_variants.Gain] = []
    for learner, minus in scenario.targets():
        outcomes = found.about(learner, minus)
        target = outcomes[0].target
        centre, errors[target] = truth.of(learner, minus)
        typical = outcomes[variants.index(_variants.baseline_of(variants[0], variants))]
        units[target] = float(typical.estimate.std(ddof=1))
        shares = [
            _rejections(one, centre, [units[target] * distance for distance in far])
            for one in outcomes
        ]
        performances = judge(outcomes, {scenario.name: {n_train: truth}})
        judged += [
            _variants.VariantResult(
                variant, performance, tuple(_of_shares(each) for each in own[1:])
            )
            for variant, performance, own in zip(variants, performances, shares, strict=True)
        ]
        gains += _variants.gains_of(target, variants, shares)
    title = "Corrected t and conservative Z with nine tenths of the data to train on"
    return Habitat(
        title, settings, found.runs[0].level, truth, far, units, errors, tuple(judged), tuple(gains)
    )


def _rejections(outcomes: Outcomes, truth: float, nulls: Iterable[float]) -> FloatArray:
    """Return, for the truth and each distance from it, by data set the share of both sides that is rejected."""
    rows = [[outcomes.rejects(truth - gap), outcomes.rejects(truth + gap)] for gap in (0.0, *nulls)]
    return np.asarray(np.asarray(rows, dtype=np.float64).mean(axis=1))


def _of_shares(values: FloatArray) -> MeanInterval:
    """Return the mean of shares with an interval of shares."""
    found = mean_interval(values)
    return MeanInterval(found.value, max(0.0, found.low), min(1.0, found.high))


def _counts(values: Sequence[int], name: str, minimum: int = 1) -> list[int]:
    """Return different numbers in ascending order."""
    found = sorted({_check.count(value, name, minimum) for value in values})
    if not found:
        raise InvalidInputError(f"must hold at least one number, got {values!r}", argument=name)
    return found


def _distances(values: Sequence[float]) -> tuple[float, ...]:
    found = tuple(sorted({_check.finite(value, "distances") for value in values}))
    if not found or found[0] <= 0.0:
        raise InvalidInputError(f"must hold positive numbers, got {values!r}", argument="distances")
    return found
