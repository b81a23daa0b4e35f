"""The corrected t and the conservative Z where they are meant to be used: with a tenth of the data to test on."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.engine import Executor, Progress
from errbar.errors import InvalidInputError
from errbar.lab._scenario import Analysis, Scenario
from errbar.lab._simulation import Outcomes, Simulation, simulate
from errbar.lab._summary import Performance, judge
from errbar.lab._truth import DRAWS, TEST_EXAMPLES, ExpectedRisk, expected_risks
from errbar.lab.populations import Population
from errbar.lab.studies._study import StudyTable, percent, share
from errbar.plans import PairedHalves, Subsampling

REPEATS, HALVINGS, HALF_REPEATS = (5, 10, 15, 25), (5, 10, 20), (15,)
DISTANCES = (1.0, 2.0, 3.0)

_TWO_SIDED_95 = 1.959963984540054


@dataclass(frozen=True)
class Method:
    """One of the methods compared.

    Attributes
    ----------
    name : str
        Name, for tables.
    key : str
        Key in the catalogue: ``"corrected-t"`` or ``"conservative-z"``.
    repeats : int
        Splits J.
    halvings : int
        Halvings M; 0 for the corrected t.
    reference : str
        Reference law, ``"normal"`` or ``"t"``.
    """

    name: str
    key: str
    repeats: int
    halvings: int
    reference: str

    @property
    def kind(self) -> tuple[str, str]:
        """Methods of one kind differ in the numbers of splits and halvings only."""
        return self.key, self.reference


@dataclass(frozen=True)
class Mean:
    """A mean over data sets with its 95 % interval, by the normal law.

    Attributes
    ----------
    value, low, high : float
        The mean and its interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Judged:
    """How one method does about one target.

    Attributes
    ----------
    method : Method
        Of the methods compared.
    performance : Performance
        Size, width and bias.
    power : tuple of Mean
        Share of data sets in which a wrong value is rejected, mean over both sides, by its distance from the truth.
    """

    method: Method
    performance: Performance
    power: tuple[Mean, ...]


@dataclass(frozen=True)
class Gain:
    """What a method has over another of its kind, in the same data sets.

    Attributes
    ----------
    target, method, baseline : str
        Names.
    size : Mean
        Size of the method less that of the baseline.
    power : tuple of Mean
        The same of the power, by distance.
    """

    target: str
    method: str
    baseline: str
    size: Mean
    power: tuple[Mean, ...]


@dataclass(frozen=True, eq=False)
class Habitat:
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
    judged : tuple of Judged
        One per target and method.
    gains : tuple of Gain
        One per target and method that is not itself a baseline.
    """

    title: str
    settings: Mapping[str, str]
    level: float
    truth: ExpectedRisk
    distances: tuple[float, ...]
    units: Mapping[str, float]
    truth_errors: Mapping[str, float]
    judged: tuple[Judged, ...]
    gains: tuple[Gain, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets, learners first."""
        return tuple(self.units)

    @property
    def alpha(self) -> float:
        """Nominal size of the tests."""
        return 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; sizes and powers are shares, not percentages."""
        return {
            "study": "habitat",
            "settings": dict(self.settings),
            "level": self.level,
            "distances": list(self.distances),
            "units": dict(self.units),
            "truth_errors": dict(self.truth_errors),
            "results": [
                {
                    "method": asdict(one.method),
                    "performance": one.performance.to_dict(),
                    "power": [asdict(each) for each in one.power],
                }
                for one in self.judged
            ],
            "gains": [asdict(one) for one in self.gains],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target and method."""
        return [self._record(one) for one in self.judged]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return sizes and powers of each target, and what more splits and halvings bring."""
        return (*(self._table(target) for target in self.targets), self._gains_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return how near the sizes are to the nominal one, and what more splits and halvings bring."""
        kinds = list(dict.fromkeys(one.method.kind for one in self.judged))
        said = [self._sizes_of(kind) for kind in kinds]
        return tuple(said + [text for kind in kinds for text in self._gains_of(kind)])

    def _record(self, one: Judged) -> dict[str, Any]:
        size, ratio = one.performance.size, one.performance.ratio
        found = {
            "target": one.performance.target,
            "method": one.method.name,
            "splits": one.method.repeats,
            "halvings": one.method.halvings,
            "reference": one.method.reference,
            "truth": one.performance.truth,
            "size": size.value,
            "low": size.low,
            "high": size.high,
            "width": one.performance.width,
            "ratio": ratio.value,
            "ratio_low": ratio.low,
            "ratio_high": ratio.high,
            "unit": self.units[one.performance.target],
        }
        for distance, power in zip(self.distances, one.power, strict=True):
            found |= {f"power_{distance:g}": power.value, f"power_{distance:g}_low": power.low}
            found |= {f"power_{distance:g}_high": power.high}
        return {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in found.items()}

    def _table(self, target: str) -> StudyTable:
        chosen = [one for one in self.judged if one.performance.target == target]
        truth = chosen[0].performance.truth
        rows = [
            (
                one.method.name,
                _share(one.performance.size),
                *(percent(each.value) for each in one.power),
                f"{one.performance.width:.4g}",
                f"{one.performance.ratio.value:.2f}",
            )
            for one in chosen
        ]
        powers = (f"Power at {distance:g} sd, %" for distance in self.distances)
        return StudyTable(
            f"size-{target.replace(' ', '')}",
            f"Rejections of the truth about {target}, which is {truth:.4f} (Monte-Carlo error "
            f"{self.truth_errors[target]:.4f}), and of wrong values",
            ("Method", "Size, %", *powers, "Width", "Var/E[se²]"),
            tuple(rows),
            f"Nominal {percent(self.alpha)} %; in brackets 95 % intervals. The power is the mean over both sides at that "
            f"many times {self.units[target]:.4g}, the standard deviation of the mean of the splits.",
        )

    def _gains_table(self) -> StudyTable:
        rows = [
            (
                f"{one.target}: {one.method}",
                one.baseline,
                _points(one.size),
                *(f"{100.0 * each.value:+.1f}" for each in one.power),
            )
            for one in self.gains
        ]
        powers = (f"Power at {distance:g}" for distance in self.distances)
        return StudyTable(
            "gains",
            "What other numbers of splits and halvings bring, in percentage points",
            ("Method", "Against", "Size", *powers),
            tuple(rows),
            "Both methods were applied to the same data sets; in brackets 95 % intervals of the differences.",
        )

    def _sizes_of(self, kind: tuple[str, str]) -> str:
        found = [one for one in self.judged if one.method.kind == kind]
        sizes = [one.performance.size for one in found]
        above, below = (sum(s.low > self.alpha for s in sizes), sum(s.high < self.alpha for s in sizes))
        low, high = min(s.value for s in sizes), max(s.value for s in sizes)
        return (
            f"The {_words(kind)} rejects the truth in {percent(low)} to {percent(high)} % of the data sets at a nominal "
            f"{percent(self.alpha)} %; of {len(sizes)} sizes {above} are significantly above and {below} below."
        )

    def _gains_of(self, kind: tuple[str, str]) -> list[str]:
        """Tell, for the largest number of splits and of halvings, the largest changes."""
        names = {one.method.name: one.method for one in self.judged if one.method.kind == kind}
        own = [one for one in self.gains if one.method in names]
        said = []
        for field, word in (("repeats", "splits"), ("halvings", "halvings")):
            most = max(getattr(method, field) for method in names.values())
            more = [one for one in own if _grown(names[one.method], names[one.baseline], field, most)]
            if more:
                few = getattr(names[more[0].baseline], field)
                said.append(f"The {_words(kind)} with {most} {word} instead of {few}: {_changes(more)}.")
        return said


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
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: Any = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Habitat:
    """Measure size and power of the corrected t and the conservative Z with n1 = 9n/10 and n2 = n/10.

    That is how Nadeau & Bengio (2003) [1]_ recommend to use them. Both tests are applied with several numbers of splits
    and halvings, the conservative Z with both reference laws. A truth is rejected, or a wrong value on either side of it
    that lies one, two or three standard deviations of the estimate away.

    Parameters
    ----------
    population : Population
        Where data sets come from; letters in the paper, as `errbar.lab.load_letter` returns them.
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
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

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
    >>> from errbar import lab
    >>> from errbar.lab import habitat
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> study = habitat(
    ...     population, {"least squares": LinearRegression()}, n=40, repeats=[3, 5], halvings=[2], half_repeats=[3],
    ...     replicates=10,
    ... )
    >>> [one.method.name for one in study.judged]
    ['corrected t, J = 3', 'corrected t, J = 5', 'conservative Z, J = 3, M = 2', 'conservative Z (t), J = 3, M = 2']
    """
    n_test = _check.count(n, "n", 20) // 10
    methods = _methods(
        _counts(repeats, "repeats", 2), _counts(halvings, "halvings"), _counts(half_repeats, "half_repeats")
    )
    far = _distances(distances)
    scenario = Scenario(population, n, learners, loss)
    base = _rng.root(random_state)
    means = {"random_state": base, "n_jobs": n_jobs, "store": store, "executor": executor, "progress": progress}
    judges = [_analysis(method, n - n_test, n_test) for method in methods]
    found = simulate(scenario, judges, replicates=_check.count(replicates, "replicates", 3), level=level, **means)
    truth = expected_risks(scenario, [n - n_test], draws=truth_draws, test_examples=truth_examples, **means)[n - n_test]
    settings = {
        "Population": population.name,
        "Data sets": f"{replicates} of {n} examples",
        **{f"Learner {name}": repr(learner) for name, learner in scenario.learners.items()},
        "Loss": scenario.resolved_loss.key,
        "Splits": f"{n - n_test} training and {n_test} test examples",
        "Truth": f"{truth.draws} independent training sets" if truth.draws else "exact",
        "Random state": str(base),
    }
    return _habitat(found, methods, truth, far, settings)


def _methods(repeats: Sequence[int], halvings: Sequence[int], half_repeats: Sequence[int]) -> list[Method]:
    found = [Method(f"corrected t, J = {j}", "corrected-t", j, 0, "t") for j in repeats]
    for law, word in (("normal", "conservative Z"), ("t", "conservative Z (t)")):
        found += [
            Method(f"{word}, J = {j}, M = {m}", "conservative-z", j, m, law) for j in half_repeats for m in halvings
        ]
    return found


def _analysis(method: Method, n_train: int, n_test: int) -> Analysis:
    if method.key == "corrected-t":
        return Analysis(method.key, Subsampling(n_train, n_test, method.repeats), name=method.name)
    plan = PairedHalves(n_train, n_test, method.repeats, method.halvings)
    return Analysis(method.key, plan, {"reference": method.reference}, name=method.name)


def _habitat(
    found: Simulation,
    methods: Sequence[Method],
    truth: ExpectedRisk,
    distances: tuple[float, ...],
    settings: Mapping[str, str],
) -> Habitat:
    run = found.runs[0]
    truths = {run.scenario.name: {truth.n_train: truth}}
    units: dict[str, float] = {}
    errors: dict[str, float] = {}
    judged: list[Judged] = []
    gains: list[Gain] = []
    for learner, minus in run.targets:
        outcomes = [found.select(method.name, learner, minus) for method in methods]
        target = outcomes[0].target
        centre, errors[target] = truth.of(learner, minus)
        typical = outcomes[methods.index(_baseline(methods[0], methods))]
        units[target] = float(typical.estimate.std(ddof=1))
        nulls = [units[target] * distance for distance in distances]
        shares = [_rejections(one, centre, nulls) for one in outcomes]
        judged += [
            Judged(method, performance, tuple(_within(_mean(each)) for each in own[1:]))
            for method, performance, own in zip(methods, judge(outcomes, truths), shares, strict=True)
        ]
        gains += _gains(target, methods, shares)
    title = "Corrected t and conservative Z with nine tenths of the data to train on"
    return Habitat(title, settings, run.level, truth, distances, units, errors, tuple(judged), tuple(gains))


def _rejections(outcomes: Outcomes, truth: float, nulls: Iterable[float]) -> FloatArray:
    """Return, for the truth and each distance from it, by data set the share of both sides that is rejected."""
    low, high = outcomes.low, outcomes.high
    rows = [[(low > value) | (high < value) for value in (truth - gap, truth + gap)] for gap in (0.0, *nulls)]
    return np.asarray(np.asarray(rows, dtype=np.float64).mean(axis=1))


def _gains(target: str, methods: Sequence[Method], shares: Sequence[FloatArray]) -> list[Gain]:
    found = []
    for method, own in zip(methods, shares, strict=True):
        baseline = _baseline(method, methods)
        if baseline != method:
            size, *power = (_mean(each) for each in own - shares[methods.index(baseline)])
            found.append(Gain(target, method.name, baseline.name, size, tuple(power)))
    return found


def _baseline(method: Method, methods: Sequence[Method]) -> Method:
    """Return the method of the same kind whose numbers are nearest to 15 splits and 10 halvings."""
    kin = [one for one in methods if one.kind == method.kind]
    return min(kin, key=lambda one: (abs(one.repeats - 15), abs(one.halvings - 10)))


def _mean(values: FloatArray) -> Mean:
    value = float(values.mean())
    reach = _TWO_SIDED_95 * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Mean(value, value - reach, value + reach)


def _within(share: Mean) -> Mean:
    """Return the mean of shares with an interval of shares."""
    return Mean(share.value, max(0.0, share.low), min(1.0, share.high))


def _counts(values: Sequence[int], name: str, minimum: int = 1) -> list[int]:
    """Return different numbers in ascending order."""
    found = sorted({_check.count(value, name, minimum) for value in values})
    if not found:
        raise InvalidInputError(f"`{name}` must hold at least one number, got {values!r}")
    return found


def _distances(values: Sequence[float]) -> tuple[float, ...]:
    found = tuple(sorted({_check.finite(value, "distances") for value in values}))
    if not found or found[0] <= 0.0:
        raise InvalidInputError(f"`distances` must hold positive numbers, got {values!r}")
    return found


def _grown(method: Method, baseline: Method, field: str, most: int) -> bool:
    """Tell whether a method has the most of one thing, more than its baseline, and as much of the other."""
    other = "halvings" if field == "repeats" else "repeats"
    more: bool = getattr(method, field) == most > getattr(baseline, field)
    return more and getattr(method, other) == getattr(baseline, other)


def _changes(gains: Sequence[Gain]) -> str:
    size = max((one.size for one in gains), key=lambda mean: abs(mean.value))
    powers = [each for one in gains for each in one.power]
    power = max(powers, key=lambda mean: abs(mean.value))
    return (
        f"the largest of {len(gains)} changes of size is {_points(size)} points, of {len(powers)} changes of power "
        f"{_points(power)} points, intervals not adjusted for the choice"
    )


def _words(kind: tuple[str, str]) -> str:
    key, law = kind
    if key == "corrected-t":
        return "corrected t"
    return f"conservative Z with the {'normal' if law == 'normal' else 't'} law"


def _share(mean: Any) -> str:
    return share(mean.value, mean.low, mean.high)


def _points(mean: Mean) -> str:
    return f"{100.0 * mean.value:+.1f} [{100.0 * mean.low:+.1f}, {100.0 * mean.high:+.1f}]"
