"""Covariances behind the tests for random splits, and what they make of the variance of each test."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.engine import Executor, Progress
from errbar.errors import InvalidInputError
from errbar.lab._moments import Measured, Moments, MomentValues, measure
from errbar.lab._replicates import Means
from errbar.lab._scenario import COLUMNS, Analysis, Scenario
from errbar.lab._summary import Ratio, variance_ratio
from errbar.lab.populations import Population
from errbar.lab.studies._study import StudyTable
from errbar.plans import Holdout, PairedHalves, Subsampling

SPLITS = (1, 5, 10, 15, 25, math.inf)
"""Numbers of splits for which the deviation of the mean is shown."""

_TWO_SIDED_95 = 1.959963984540054


@dataclass(frozen=True)
class VarianceRatio:
    """Var[estimate]/E[se^2] of one method: above 1 it is liberal, below 1 conservative.

    Attributes
    ----------
    target, method : str
        Names.
    n_train, n_test : int
        Sizes of the method's splits of all data.
    measured : Ratio
        From the estimates and standard errors of all data sets.
    formula : Ratio or None
        From the moments, with a jackknife interval; None where there is no formula in them.
    """

    target: str
    method: str
    n_train: int
    n_test: int
    measured: Ratio
    formula: Ratio | None


@dataclass(frozen=True, eq=False)
class Table1:
    """Moments of learners and their differences, and the ratios that follow.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    moments : tuple of Moments
        One per target, learners first.
    ratios : tuple of VarianceRatio
        One per target and method.
    """

    title: str
    settings: Mapping[str, str]
    moments: tuple[Moments, ...]
    ratios: tuple[VarianceRatio, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "study": "moments",
            "settings": dict(self.settings),
            "moments": [one.to_dict() for one in self.moments],
            "ratios": [_plain(asdict(one)) for one in self.ratios],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target and number."""
        rows = [_row(one.target, name, **ends) for one in self.moments for name, ends in _numbers(one)]
        for one in self.ratios:
            rows.append(_row(one.target, f"ratio of {one.method}, measured", **_ends(one.measured)))
            if one.formula is not None:
                rows.append(_row(one.target, f"ratio of {one.method}, by formula", **_ends(one.formula)))
        return rows

    def tables(self) -> tuple[StudyTable, ...]:
        """Return the moments, the deviation of the mean by the number of splits, and the ratios."""
        return self._moments_table(), self._splits_table(), self._ratios_table()

    def conclusion(self) -> tuple[str, ...]:
        """Return how good the correlation that the correction assumes is, and how far each method is off."""
        methods = dict.fromkeys(one.method for one in self.ratios)
        return tuple([_correlation(one) for one in self.moments] + [self._verdict(method) for method in methods])

    def _verdict(self, method: str) -> str:
        found = [one for one in self.ratios if one.method == method]
        values = [one.measured.value for one in found]
        said = " and ".join(
            f"{word} about {', '.join(targets)}"
            for word, targets in (
                ("liberal", [one.target for one in found if one.measured.low > 1.0]),
                ("conservative", [one.target for one in found if one.measured.high < 1.0]),
            )
            if targets
        )
        return f"Var/E[se²] of the {method} is {_between(values)}; significantly {said or 'neither above nor below 1'}."

    def _moments_table(self) -> StudyTable:
        names = ("Mean", "sigma0", "sigma1", "sigma2", "sigma3", "rho")
        columns = [
            [*(_with_error(*pair) for pair in zip(one.values, one.errors, strict=True)), f"{one.naive_correlation:.3f}"]
            for one in self.moments
        ]
        return StudyTable(
            "moments",
            "Mean, covariances, and correlation of two split scores",
            ("Quantity", *(one.target for one in self.moments)),
            tuple(zip((*names, "n2/(n1 + n2)"), *columns, strict=True)),
            "With jackknife standard errors over data sets. rho = sigma2/sigma1; the corrected t takes it to be "
            "n2/(n1 + n2).",
        )

    def _splits_table(self) -> StudyTable:
        rows = [(one.target, *(f"{_deviation(one, splits):.4g}" for splits in SPLITS)) for one in self.moments]
        return StudyTable(
            "splits",
            "Standard deviation of the mean of J splits",
            ("Target", *("J = ∞" if math.isinf(splits) else f"J = {splits:g}" for splits in SPLITS)),
            tuple(rows),
            "From the moments: the variance is sigma2 + (sigma1 - sigma2)/J.",
        )

    def _ratios_table(self) -> StudyTable:
        rows = [
            (
                one.target,
                one.method,
                f"{one.n_train} + {one.n_test}",
                _interval(one.measured),
                "" if one.formula is None else _interval(one.formula),
            )
            for one in self.ratios
        ]
        return StudyTable(
            "ratios",
            "Variance of the estimate over the expectation of its squared standard error",
            ("Target", "Method", "n1 + n2", "Measured", "By formula"),
            tuple(rows),
            "Above 1 liberal, below 1 conservative; in brackets 95 % intervals. For the resampled and the corrected t both "
            "columns are the same function of the same sums.",
        )


def table1(
    population: Population,
    learners: Mapping[str, Any],
    *,
    n: int = 300,
    n_train: float | None = None,
    n_test: float = 0.1,
    holdout_test: float | None = None,
    repeats: int = 15,
    halvings: int = 10,
    replicates: int = 500,
    loss: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: Any = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Table1:
    r"""Measure the covariances of losses in random splits, and Var[estimate]/E[se^2] of the tests built on them.

    The ratio is table 1 of Nadeau & Bengio (2003) [1]_: what it is for the holdout t, the resampled t and the
    corrected resampled t follows from the covariances, what it is for these and the conservative Z is measured as well.

    Parameters
    ----------
    population : Population
        Where data sets come from.
    learners : mapping of str to estimator
        Learners by name; their differences are studied too.
    n : int, default 300
        Examples in a data set.
    n_train, n_test : int or float, optional
        Training and test size of a split, as for `errbar.plans.Subsampling`: n2 is a tenth of the examples and n1 the
        rest by default.
    holdout_test : int or float, optional
        Test examples of the holdout t, which has a split of its own with the same n1; by default all that are not
        trained on.
    repeats : int, default 15
        Splits J.
    halvings : int, default 10
        Halvings M of the conservative Z; 0 leaves it out, since it costs 2 M J fits for every data set.
    replicates : int, default 500
        Independent data sets.
    loss : str, Loss or callable, optional
        As for `errbar.run`; one loss per example.
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

    Returns
    -------
    Table1
        Moments and ratios with their Monte-Carlo errors.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used.

    See Also
    --------
    errbar.lab.moments : The moments of one learner, or of one difference.

    Notes
    -----
    By formula the ratio is :math:`1 + n_2 \sigma_3/(\sigma_0 - \sigma_3)` for the holdout t,
    :math:`1 + J\rho/(1 - \rho)` for the resampled t, and that over :math:`1 + J n_2/n_1` for the corrected one.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from errbar import lab
    >>> from errbar.lab import table1
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> study = table1(population, {"least squares": LinearRegression()}, n=40, repeats=3, halvings=0, replicates=20)
    >>> [table.key for table in study.tables()], [one.method for one in study.ratios]
    (['moments', 'splits', 'ratios'], ['holdout-t', 'resampled-t', 'corrected-t'])
    """
    scenario = Scenario(population, n, learners, loss)
    plan = Subsampling(n_train, n_test, repeats)
    judges = _judges(n, plan, holdout_test, halvings)
    means = Means(random_state, n_jobs, store, executor, progress).fixed()
    found = measure(scenario, plan, judges, replicates=replicates, means=means)
    first = found.moments[0]
    settings = {
        "Population": population.name,
        "Data sets": f"{replicates} of {n} examples",
        **{f"Learner {name}": repr(learner) for name, learner in scenario.learners.items()},
        "Loss": scenario.resolved_loss.key,
        "Splits": f"{repeats} of each data set into {first.n_train} + {first.n_test}",
        **({"Halvings": str(halvings)} if halvings else {}),
        "Random state": str(means.random_state),
    }
    return Table1(
        "Covariances of losses in random splits, and the variances of the tests built on them",
        settings,
        found.moments,
        _ratios(found, judges),
    )


def _judges(n: int, plan: Subsampling, holdout_test: float | None, halvings: int) -> list[Analysis]:
    """Return the methods of table 1; the random splits of all data are common to all but the first."""
    split = next(plan.splits(n, 0))
    train, test = split.train.size, split.test.size
    own = n - train if holdout_test is None else holdout_test
    next(Holdout(train, own).splits(n, 0))
    judges = [
        Analysis("holdout-t", Holdout(train, own)),
        Analysis("resampled-t", plan),
        Analysis("corrected-t", plan),
    ]
    if _check.count(halvings, "halvings", 0) == 0:
        return judges
    if test >= n // 2:
        raise InvalidInputError(
            f"with {test} test examples a half of {n} examples has none left to train on; "
            "give a smaller `n_test`, or `halvings=0` to leave the conservative Z out"
        )
    return [*judges, Analysis("conservative-z", PairedHalves(train, test, plan.repeats, halvings))]


def _ratios(found: Measured, judges: Sequence[Analysis]) -> tuple[VarianceRatio, ...]:
    estimate, error = COLUMNS.index("estimate"), COLUMNS.index("se")
    ratios = []
    for j, one in enumerate(found.moments):
        for i, judge in enumerate(judges):
            values = found.results[:, i, j]
            n_test = _test_size(judge, one)
            ratios.append(
                VarianceRatio(
                    target=one.target,
                    method=judge.method,
                    n_train=one.n_train,
                    n_test=n_test,
                    measured=variance_ratio(values[:, estimate], values[:, error]),
                    formula=_by_formula(judge.method, one, n_test),
                )
            )
    return tuple(ratios)


def _test_size(judge: Analysis, one: Moments) -> int:
    return int(next(judge.plans[0].splits(one.n, 0)).test.size)


def _by_formula(method: str, one: Moments, n_test: int) -> Ratio | None:
    def function(values: MomentValues) -> FloatArray:
        if method == "holdout-t":
            return 1.0 + n_test * _over(values.sigma3, values.sigma0 - values.sigma3)
        resampled = 1.0 + one.repeats * _over(values.rho, 1.0 - values.rho)
        return resampled if method == "resampled-t" else resampled / (1.0 + one.repeats * n_test / one.n_train)

    if method == "conservative-z":
        return None
    return _jackknifed(float(function(one.values)), function(one.without))


def _over(numerator: Any, denominator: Any) -> FloatArray:
    """Return a quotient, NaN where the denominator is not positive."""
    above, below = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0.0)


def _jackknifed(value: float, without: FloatArray) -> Ratio:
    """Return a ratio with its 95 % jackknife interval on the logarithm."""
    if not value > 0.0 or not (without > 0.0).all():
        return Ratio(value, math.nan, math.nan)
    logs, count = np.log(without), without.size
    error = math.sqrt((count - 1) / count * float(np.square(logs - logs.mean()).sum()))
    reach = math.exp(_TWO_SIDED_95 * error)
    return Ratio(value, value / reach, value * reach)


def _correlation(one: Moments) -> str:
    gap = one.rho - one.naive_correlation
    reach = _TWO_SIDED_95 * one.errors.rho
    if not math.isfinite(gap):
        return f"The scores of {one.target} do not vary, so that there is no correlation."
    verdict = "no significant difference" if abs(gap) <= reach else "more" if gap > 0.0 else "less"
    return (
        f"The correlation of two split scores of {one.target} is {_with_error(one.rho, one.errors.rho)}, against "
        f"{one.naive_correlation:.3f} that the corrected t assumes: {verdict}."
    )


def _deviation(one: Moments, splits: float) -> float:
    return math.sqrt(max(0.0, one.variance(splits)))


def _between(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g} ± {error:.2g}"


def _interval(ratio: Ratio) -> str:
    return f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"


def _numbers(one: Moments) -> list[tuple[str, dict[str, float]]]:
    pairs = zip(one.values._asdict().items(), one.errors, strict=True)
    found = [(name, {"value": value, "error": error}) for (name, value), error in pairs]
    return [*found, ("n2/(n1 + n2)", {"value": one.naive_correlation})]


def _ends(ratio: Ratio) -> dict[str, float]:
    return {"value": ratio.value, "low": ratio.low, "high": ratio.high}


def _row(target: str, quantity: str, **numbers: float) -> dict[str, Any]:
    found = {key: numbers.get(key) for key in ("value", "error", "low", "high")}
    plain: dict[str, Any] = _plain(found)
    return {"target": target, "quantity": quantity} | plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
