"""The covariances of losses in random splits, and Var[estimate]/E[se^2] of the tests built on them.

Varied: the learner, or the difference of two, and the method. Recorded: the sums of losses that the covariances follow
from, and each method's estimate and standard error. Summarised by moments, and by the ratio of variances, which is
table 1 of Nadeau & Bengio (2003), measured and by the formula in the moments.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.plans import Holdout, PairedHalves, Subsampling
from errbar_lab._moments import Moments, MomentValues, measure
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._scenario import COLUMNS, Analysis, Scenario
from errbar_lab._summary import TWO_SIDED_95, Ratio, jackknife_ratio, variance_ratio
from errbar_lab.populations import Population
from errbar_lab.studies._cells import ratio
from errbar_lab.studies._study import Column, SimulationStudy, StudyTable, described, tabulate

__all__ = ["Table1", "VarianceRatio", "table1"]

SPLITS = (1, 5, 10, 15, 25, math.inf)
"""Numbers of splits for which the deviation of the mean is shown."""

_NUMBERS = ("value", "error", "low", "high")


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
class Table1(SimulationStudy):
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

    key: ClassVar[str] = "moments"

    moments: tuple[Moments, ...]
    ratios: tuple[VarianceRatio, ...]

    def content(self) -> Mapping[str, Any]:
        """Return moments and ratios."""
        moments = [one.to_dict() for one in self.moments]
        return {"settings": self.settings, "moments": moments, "ratios": self.ratios}

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target and number."""
        rows = []
        for one in self.moments:
            for (name, value), error in zip(one.values._asdict().items(), one.errors, strict=True):
                rows.append(_row(one.target, name, value=value, error=error))
            rows.append(_row(one.target, "n2/(n1 + n2)", value=one.naive_correlation))
        for found in self.ratios:
            rows.append(
                _row(found.target, f"ratio of {found.method}, measured", **vars(found.measured))
            )
            if found.formula is not None:
                rows.append(
                    _row(
                        found.target, f"ratio of {found.method}, by formula", **vars(found.formula)
                    )
                )
        return rows

    def tables(self) -> tuple[StudyTable, ...]:
        """Return the moments, the deviation of the mean by the number of splits, and the ratios."""
        # The only table whose rows are quantities and whose columns are targets.
        names = ("Mean", "sigma0", "sigma1", "sigma2", "sigma3", "rho", "n2/(n1 + n2)")
        columns = [
            [*map(_with_error, one.values, one.errors), f"{one.naive_correlation:.3f}"]
            for one in self.moments
        ]
        moments = StudyTable(
            "moments",
            "Mean, covariances, and correlation of two split scores",
            ("Quantity", *(one.target for one in self.moments)),
            tuple(zip(names, *columns, strict=True)),
            "With jackknife standard errors over data sets. rho = sigma2/sigma1; the corrected t takes it to be "
            "n2/(n1 + n2).",
        )
        splits = tabulate(
            "splits",
            "Standard deviation of the mean of J splits",
            [("Target", lambda one: one.target), *(_deviation_column(count) for count in SPLITS)],
            self.moments,
            "From the moments: the variance is sigma2 + (sigma1 - sigma2)/J.",
        )
        ratios = tabulate(
            "ratios",
            "Variance of the estimate over the expectation of its squared standard error",
            [
                ("Target", lambda one: one.target),
                ("Method", lambda one: one.method),
                ("n1 + n2", lambda one: f"{one.n_train} + {one.n_test}"),
                ("Measured", lambda one: ratio(one.measured)),
                ("By formula", lambda one: "" if one.formula is None else ratio(one.formula)),
            ],
            self.ratios,
            "Above 1 liberal, below 1 conservative; in brackets 95 % intervals. For the resampled and the corrected t both "
            "columns are the same function of the same sums.",
        )
        return moments, splits, ratios

    def conclusion(self) -> tuple[str, ...]:
        """Return how good the correlation that the correction assumes is, and how far each method is off."""
        methods = dict.fromkeys(one.method for one in self.ratios)
        return tuple(
            [_correlation(one) for one in self.moments]
            + [self._ratios_of(method) for method in methods]
        )

    def _ratios_of(self, method: str) -> str:
        found = [one for one in self.ratios if one.method == method]
        values = [one.measured.value for one in found]
        low, high = f"{min(values):.2f}", f"{max(values):.2f}"
        significant = {
            "liberal": [one.target for one in found if one.measured.low > 1.0],
            "conservative": [one.target for one in found if one.measured.high < 1.0],
        }
        said = " and ".join(
            f"{word} about {', '.join(targets)}" for word, targets in significant.items() if targets
        )
        between = low if low == high else f"{low} to {high}"
        return f"Var/E[se²] of the {method} is {between}; significantly {said or 'neither above nor below 1'}."


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
    **how: Unpack[SimulationOptions],
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
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

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
    errbar_lab.moments : The moments of one learner, or of one difference.

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
    >>> import errbar_lab as lab
    >>> from errbar_lab import table1
    >>> population = lab.GaussianRegression(features=2, relevant=1)
    >>> study = table1(population, {"least squares": LinearRegression()}, n=40, repeats=3, halvings=0, replicates=20)
    >>> [table.key for table in study.tables()], [one.method for one in study.ratios]
    (['moments', 'splits', 'ratios'], ['holdout-t', 'resampled-t', 'corrected-t'])
    """
    scenario = Scenario(population, n, learners, loss)
    plan = Subsampling(n_train, n_test, repeats)
    analyses = _procedures(n, plan, holdout_test, halvings)
    how = with_root(how)
    moments, results = measure(scenario, plan, analyses, replicates=replicates, how=how)
    first = moments[0]
    settings = described(scenario, replicates) | {
        "Loss": scenario.resolved_loss.key,
        "Splits": f"{repeats} of each data set into {first.n_train} + {first.n_test}",
        **({"Halvings": str(halvings)} if halvings else {}),
        "Random state": str(how["random_state"]),
    }
    title = "Covariances of losses in random splits, and the variances of the tests built on them"
    return Table1(title, settings, moments, _ratios(moments, results, analyses))


def _procedures(
    n: int, plan: Subsampling, holdout_test: float | None, halvings: int
) -> list[Analysis]:
    """Return the methods of table 1; the random splits of all data are common to all but the first."""
    split = next(plan.splits(n, 0))
    train, test = split.train.size, split.test.size
    holdout = Holdout(train, n - train if holdout_test is None else holdout_test)
    next(holdout.splits(n, 0))
    analyses = [
        Analysis("holdout-t", holdout),
        Analysis("resampled-t", plan),
        Analysis("corrected-t", plan),
    ]
    if _check.count(halvings, "halvings", 0) == 0:
        return analyses
    if test >= n // 2:
        raise InvalidInputError(
            f"with {test} test examples a half of {n} examples has none left to train on; "
            "give a smaller `n_test`, or `halvings=0` to leave the conservative Z out"
        )
    return [
        *analyses,
        Analysis("conservative-z", PairedHalves(train, test, plan.repeats, halvings)),
    ]


def _ratios(
    moments: Sequence[Moments], results: FloatArray, analyses: Sequence[Analysis]
) -> tuple[VarianceRatio, ...]:
    estimate, error = COLUMNS.index("estimate"), COLUMNS.index("se")
    ratios = []
    for j, one in enumerate(moments):
        for i, analysis in enumerate(analyses):
            values = results[:, i, j]
            n_test = int(next(analysis.plans[0].splits(one.n, 0)).test.size)
            measured = variance_ratio(values[:, estimate], values[:, error])
            formula = _by_formula(analysis.method, one, n_test)
            ratios.append(
                VarianceRatio(one.target, analysis.method, one.n_train, n_test, measured, formula)
            )
    return tuple(ratios)


def _by_formula(method: str, one: Moments, n_test: int) -> Ratio | None:
    def function(values: MomentValues) -> FloatArray:
        if method == "holdout-t":
            return 1.0 + n_test * _over(values.sigma3, values.sigma0 - values.sigma3)
        resampled = 1.0 + one.repeats * _over(values.rho, 1.0 - values.rho)
        return (
            resampled
            if method == "resampled-t"
            else resampled / (1.0 + one.repeats * n_test / one.n_train)
        )

    if method == "conservative-z":
        return None
    return jackknife_ratio(float(function(one.values)), function(one.without))


def _over(numerator: Any, denominator: Any) -> FloatArray:
    """Return a quotient, NaN where the denominator is not positive."""
    above, below = (
        np.asarray(numerator, dtype=np.float64),
        np.asarray(denominator, dtype=np.float64),
    )
    return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0.0)


def _correlation(one: Moments) -> str:
    gap = one.rho - one.naive_correlation
    if not math.isfinite(gap):
        return f"The scores of {one.target} do not vary, so that there is no correlation."
    significant = abs(gap) > TWO_SIDED_95 * one.errors.rho
    verdict = ("more" if gap > 0.0 else "less") if significant else "no significant difference"
    return (
        f"The correlation of two split scores of {one.target} is {_with_error(one.rho, one.errors.rho)}, against "
        f"{one.naive_correlation:.3f} that the corrected t assumes: {verdict}."
    )


def _deviation_column(count: float) -> Column:
    head = "J = ∞" if math.isinf(count) else f"J = {count:g}"
    return head, lambda one: f"{math.sqrt(max(0.0, one.variance(count))):.4g}"


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g} ± {error:.2g}"


def _row(target: str, quantity: str, **numbers: float) -> dict[str, Any]:
    return plain(
        {"target": target, "quantity": quantity, **{key: numbers.get(key) for key in _NUMBERS}}
    )
