"""Table 1 of Nadeau & Bengio: covariances of losses in random splits, and what follows for the tests built on them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple, Unpack

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.plans import Holdout, PairedHalves, Plan, Subsampling
from errbar.table import LossTable
from errbar_lab._experiment import COLUMNS, Analysis, Experiment, Problem, Target
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._study import Study, StudyTable, described
from errbar_lab._summary import (
    TWO_SIDED_95,
    Interval,
    cells_of,
    jackknife_error,
    jackknife_ratio,
    variance_ratio,
)
from errbar_lab.plots import Panel, intervals
from errbar_lab.populations import Population

HALVINGS = 10

_SUMS = "sums"

_REMARK = (
    "With jackknife standard errors, or 95 % intervals. rho = sigma2/sigma1; the corrected t takes "
    "it to be n2/(n1 + n2). A ratio of the variance to the mean squared standard error above 1 is "
    "liberal."
)


class Moments(NamedTuple):
    """Mean and covariances of losses in random splits, a number each or an array.

    With L(j, i) the loss on test example i of split j, and mu_j the mean of split j:

    Attributes
    ----------
    mu : float or ndarray
        Mean loss.
    sigma0, sigma1 : float or ndarray
        Var L(j, i) and Var mu_j.
    sigma2 : float or ndarray
        Cov(mu_j, mu_j') of two splits.
    sigma3 : float or ndarray
        Cov(L(j, i), L(j, i')) of two test examples of one split.
    rho : float or ndarray
        Correlation sigma2/sigma1 of the scores of two splits.
    """

    mu: Any
    sigma0: Any
    sigma1: Any
    sigma2: Any
    sigma3: Any
    rho: Any


@dataclass(frozen=True)
class Sums:
    """In place of a method: what the moments need to know of the losses of one data set, as its estimate and so on."""

    plan: Plan
    name: str = _SUMS

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The random splits."""
        return (self.plan,)

    def applies_to(self, target: Target) -> bool:
        """Tell that it is for every target."""
        return True

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Any:
        """Return the sums under the names of columns."""
        found = sums(table.losses(target[0], target[1] or None, positions[0]))
        found[0] *= table.loss.sign
        named = dict(zip(COLUMNS, found, strict=False))
        return SimpleNamespace(**dict.fromkeys(COLUMNS, math.nan) | {"n_train": 0} | named)


def sums(losses: Losses) -> FloatArray:
    """Return mean, and mean squares of losses, of products within splits and of splits, of the deviations from it.

    Deviations keep the digits of losses far from zero. The products of different examples of a split follow from
    sums of squares, without going through the pairs.
    """
    values = losses.value.reshape(losses.n_splits, -1)
    mean = float(values.mean())
    gaps = values - mean
    examples = gaps.shape[1]
    square = float(np.square(gaps).mean())
    splits = float(np.square(gaps.mean(axis=1)).mean())
    return np.array([mean, square, (examples * splits - square) / (examples - 1), splits])


def moments(values: FloatArray, repeats: int) -> tuple[Moments, Moments]:
    r"""Return the moments from the sums of every data set, and all moments without one data set after another.

    With V the sample variance of the mean over data sets, V plus the averages of the sums are unbiased for
    :math:`\sigma_0`, :math:`\sigma_3` and :math:`\sigma_1`; :math:`\sigma_2` is V less the last over J - 1.
    """
    count = values.shape[0]
    means = values.mean(axis=0)
    gaps = np.square(values[:, 0] - means[0])
    total = float(gaps.sum())
    whole = _combined(np.array(total / (count - 1)), means, repeats)
    spread = (total - gaps * count / (count - 1)) / (count - 2)
    without = _combined(spread, ((count * means - values) / (count - 1)).T, repeats)
    return Moments(*map(float, whole)), without


def _combined(spread: FloatArray, means: FloatArray, repeats: int) -> Moments:
    mean, square, products, splits = means
    sigma1, sigma2 = spread + splits, spread - splits / (repeats - 1)
    return Moments(mean, spread + square, sigma1, sigma2, spread + products, _over(sigma2, sigma1))


def _over(numerator: Any, denominator: Any) -> FloatArray:
    above, below = (
        np.asarray(numerator, dtype=np.float64),
        np.asarray(denominator, dtype=np.float64),
    )
    return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0.0)


def table1(
    population: Population,
    learners: Mapping[str, Any],
    *,
    n: int = 300,
    n_train: float | None = None,
    n_test: float = 0.1,
    repeats: int = 15,
    replicates: int = 500,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Measure how the losses of random splits vary together, and the variance of tests against what they take it for.

    Parameters
    ----------
    population : Population
        Where data sets come from.
    learners : mapping of str to estimator
        Learners by name.
    n : int, default 300
        Examples in a data set.
    n_train, n_test : int or float, optional
        Training and test size of a split, as for `errbar.plans.Subsampling`; at least two test examples.
    repeats : int, default 15
        Splits J of each data set, at least two.
    replicates : int, default 500
        Independent data sets, at least three.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        Moments with jackknife standard errors, and ratios Var[estimate]/E[se²] of four tests ([1]_, table 1).

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    """
    plan = Subsampling(n_train, n_test, _check.count(repeats, "repeats", 2))
    split = next(plan.splits(n, 0))
    train, test = split.train.size, split.test.size
    if test < 2:
        raise InvalidInputError(
            f"must leave at least 2 test examples in a split, got {test}", argument="n_test"
        )
    tests = {
        "holdout-t": Holdout(train, n - train),
        "resampled-t": plan,
        "corrected-t": plan,
        "conservative-z": PairedHalves(train, test, repeats, HALVINGS),
    }
    problem, how = Problem(population, learners), with_root(**how)
    methods = [Sums(plan), *(Analysis(key, own) for key, own in tests.items())]
    outcomes = Experiment([problem], [n], methods, about=()).run(
        _check.count(replicates, "replicates", 3), **how
    )
    found, ratios = [], []
    for target, own in outcomes.groupby("target", sort=False):
        first, *cells = cells_of(own)
        values = np.ascontiguousarray(first[list(COLUMNS[:4])])  # sums over rows in their order
        whole, without = moments(values, repeats)
        errors = [jackknife_error(each) for each in without]
        found.append(
            {
                "learner": own.iloc[0]["learner"],
                "minus": own.iloc[0]["minus"] or None,
                "n": n,
                "n_train": train,
                "n_test": test,
                "repeats": repeats,
                "replicates": replicates,
                **whole._asdict(),
                **{f"{name}_error": e for name, e in zip(whole._fields, errors, strict=True)},
                "naive_correlation": test / (train + test),
            }
        )
        for cell, method in zip(cells, tests, strict=True):
            tested = n - train if method == "holdout-t" else test
            sizes = (train, tested, repeats)
            ratios.append(
                {
                    "target": target,
                    "method": method,
                    "n_train": train,
                    "n_test": tested,
                    "measured": variance_ratio(cell["estimate"].to_numpy(), cell["se"].to_numpy()),
                    "formula": _by_formula(method, whole, without, *sizes),
                }
            )
    targets = list(dict.fromkeys(outcomes["target"]))
    settings = described(
        problem,
        n,
        replicates,
        how["random_state"],
        Loss=problem.resolved_loss.key,
        Splits=f"{repeats} of each data set into {train} + {test}",
        Halvings=str(HALVINGS),
    )
    records = _records(targets, found, ratios)
    return Study(
        "moments",
        "Covariances of losses in random splits, and the variances of the tests built on them",
        settings,
        (StudyTable("Mean, covariances, and ratios of variances", records, _REMARK),),
        tuple(map(_correlation, targets, found)),
        {"settings": settings, "moments": found, "ratios": ratios},
        records,
        [[_panel(ratios)]],
        outcomes,
    )


def _by_formula(
    method: str, whole: Moments, without: Moments, n_train: int, n_test: int, repeats: int
) -> Interval | None:
    """Return the ratio that follows from the moments, for tests whose standard error is a function of the same sums."""

    def function(values: Moments) -> FloatArray:
        if method == "holdout-t":
            return 1.0 + n_test * _over(values.sigma3, values.sigma0 - values.sigma3)
        resampled = 1.0 + repeats * _over(values.rho, 1.0 - values.rho)
        if method == "resampled-t":
            return resampled
        return resampled / (1.0 + repeats * n_test / n_train)

    if method == "conservative-z":
        return None
    return jackknife_ratio(float(function(whole)), function(without))


def _records(targets: Any, found: Any, ratios: Any) -> Any:
    rows = []
    for target, one in zip(targets, found, strict=True):
        rows += [
            _row(target, name, value=one[name], error=one[f"{name}_error"])
            for name in Moments._fields
        ]
        rows.append(_row(target, "n2/(n1 + n2)", value=one["naive_correlation"]))
    for one in ratios:
        for key, words in (("measured", "measured"), ("formula", "by formula")):
            if one[key] is not None:
                name = f"ratio of {one['method']}, {words}"
                rows.append(_row(one["target"], name, **vars(one[key])))
    return rows


def _row(target: str, quantity: str, **numbers: float) -> Any:
    known = {name: value for name, value in numbers.items() if math.isfinite(value)}
    columns = dict.fromkeys(("value", "error", "low", "high"))
    return {"target": target, "quantity": quantity, **columns, **known}


def _correlation(target: str, one: Any) -> str:
    gap = one["rho"] - one["naive_correlation"]
    if not math.isfinite(gap):
        return f"The scores of {target} do not vary, so that there is no correlation."
    word = "more" if gap > 0.0 else "less"
    if abs(gap) <= TWO_SIDED_95 * one["rho_error"]:
        word = "no significant difference"
    return (
        f"The correlation of two split scores of {target} is "
        f"{_with_error(one['rho'], one['rho_error'])}, against {one['naive_correlation']:.3f} that "
        f"the corrected t assumes: {word}."
    )


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g} ± {error:.2g}"


def _panel(ratios: Any) -> Panel:
    formulas = {row + 0.25: one["formula"] for row, one in enumerate(ratios) if one["formula"]}
    return Panel(
        [
            intervals([one["measured"] for one in ratios], "measured", 1.0),
            intervals(formulas, "by formula", 1.0, style=1, marker="D"),
        ],
        xlabel="Var[estimate] / E[se²]",
        rows=[f"{one['target']}: {one['method']}" for one in ratios],
        upright={"above it liberal": 1.0},
        ticks=(0.1, 0.2, 0.5, 1, 2, 5, 10),
    )
