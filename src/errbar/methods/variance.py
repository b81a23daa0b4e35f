"""The forms of variance that several methods share: splits, folds, nested folds, and what few examples determine."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray, compact
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses, MetricValues, Units
from errbar.methods._core.answer import Answer, Asked
from errbar.methods._core.strata import between_of, variance_of_shares
from errbar.methods.distributions import ROUNDING, Pivot, mean, variance
from errbar.plans import FiveByTwo
from errbar.plans._base import NO_LABEL
from errbar.result import Interval, Note, Notes

# With fewer degrees of freedom few examples determine the variance of a metric.
_FEW = 15.0

# Cochran (1977), Sampling Techniques, section 2.15: a mean of more than 25 G^2 values with skewness G is nearly normal.
_FOR_SKEWNESS = 25.0
# The skewness of n normal values has a variance of about 6/n; so much is two of its standard errors, squared.
_BY_CHANCE = 24.0


# Splits


def odds_of_correlation(losses: Losses, correlation: float | None) -> float:
    """Return r/(1 - r) for the correlation r of two split scores: the one given, or n2/n1 for r = n2/(n1 + n2)."""
    if correlation is None:
        return ratio_of_sizes(losses)
    r = _check.between(correlation, 0.0, 1.0, "correlation", closed=False)
    return r / (1.0 - r)


def ratio_of_sizes(losses: Losses) -> float:
    """Return the mean over splits of test size over training size, n2/n1."""
    index = losses.splits.index
    if "n_train" in index and "n_test" in index:
        return mean(index["n_test"] / index["n_train"])
    if losses.kind == FiveByTwo.kind:
        return 1.0  # each half is the training set of one fold, and the test set of the other
    raise InvalidInputError(
        "and `n_test` are needed, the sizes of the splits, such as n_train=90, n_test=10 (--n-train, --n-test); "
        "where a row is one test example, name its column as `example`, or one of times as `time`",
        argument="n_train",
    )


def t_of_splits(losses: Losses, odds: float, notes: Notes = ()) -> Answer:
    """Return the answer with SE^2 = (1/J + odds) S^2 + B/n1; where B of stratified splits is not known, a note says so."""
    scores = losses.splits.value  # (J,)
    squared = variance(scores) * (1.0 / scores.size + odds) + variance_of_shares(losses)
    if math.isnan(between_of(losses)):
        notes = (*notes, Note("strata-not-known"))
    return t_of_scores(losses, math.sqrt(squared), notes)


def t_of_scores(losses: Losses, se: float, notes: Notes) -> Answer:
    """Return the answer that refers the mean of J split scores, with this standard error, to t with J - 1 degrees."""
    scores = losses.splits.value  # (J,)
    return Answer(mean(scores), se, scores.size - 1, n_splits=scores.size, notes=notes)


# Folds


def require_one_partition(losses: Losses, key: str) -> None:
    """Raise if folds come from more than one partition; `key` names the method that needs a single one."""
    losses.require_once()
    if losses.repeats > 1:
        raise UnsuitablePlanError(
            f"method {key!r} needs a single partition into folds, got {losses.repeats} repeats; try 'corrected-t'"
        )


def examples_of_repeats(sizes: IntArray) -> int:
    """Return the number of examples n of every repeat, from the sizes of folds, shape (R, K)."""
    several = sizes.shape[1] > 1 and sizes.min() > 0
    must = "must name at least two folds, the same in every repeat"
    _check.require(several, must, sizes.shape[1], "fold")
    totals = sizes.sum(axis=1)
    _check.require(np.ptp(totals) == 0, "must name repeats of the same examples", totals, "repeat")
    return int(totals[0])


def require_layout(holds: object, plan: str) -> None:
    """Raise unless the splits are laid out as a plan makes them."""
    if not holds:
        raise InvalidInputError(f"all splits are needed, as plan {plan} makes them")


class FoldVariances(NamedTuple):
    """How the losses of R cross-validations vary: W/n from example to example, S_f^2/K from fold to fold."""

    n: int
    K: int
    estimate: float
    of_examples: float
    df: float  # n - 1, or that of the groups
    of_folds: float
    deviations: FloatArray  # of each example: mean over repeats of its loss minus the centre


def fold_variances(losses: Losses) -> FoldVariances:
    """Return how outer losses vary; where examples have groups, from group to group, with their df."""
    losses.require_once()
    losses = losses.outer
    value, index = losses.value, losses.index
    repeat, fold = compact(losses.repeat), compact(losses.fold)
    R, K = int(repeat.max()) + 1, int(fold.max()) + 1
    cell = repeat * K + fold
    sizes = np.bincount(cell, minlength=R * K).reshape(R, K)
    n = examples_of_repeats(sizes)
    means = np.bincount(cell, value).reshape(R, K) / sizes
    if losses.by_fold:
        estimate, centre = mean(means.ravel()), means.ravel()[cell]
    else:
        estimate, centre = mean(value), (np.bincount(repeat, value) / n)[repeat]
    left = value - centre
    # Losses that are equal up to rounding do not vary.
    if np.ptp(value) <= ROUNDING * np.abs(value).max():
        left, means = np.zeros_like(left), np.zeros_like(means)
    example = index.codes("example")
    deviations = np.bincount(example, left) / np.bincount(example)
    of_examples, df = float(left @ left) / R / (n - 1) / n, n - 1.0
    if "group" in index:
        units = Units.of(index.codes("group")[index.first("example")])
        of_examples, df = units.squared_error(deviations), units.df
    of_folds = float(means.var(axis=1, ddof=1).mean()) / K
    return FoldVariances(n, K, estimate, of_examples, df, of_folds, deviations)


def t_of_folds(losses: Losses, folds: FoldVariances, squared: float) -> tuple[Answer, float]:
    """Return the answer with this squared error, and the degrees of freedom of the examples' part of it."""
    answer = Answer(
        folds.estimate,
        math.sqrt(squared),
        n_splits=folds.K * losses.repeats,
        remarks=skewed(losses.outer.means("example"), "examples", losses.metric),
    )
    law_of_metric(answer, losses, folds.deviations, folds.n - 1)
    if isinstance(answer.law, Pivot):
        answer.se, answer.law = answer.law.se, None
    df: Any = answer.df
    return answer, min(folds.df, df)


# Nested folds


def nested_cells(losses: Losses) -> tuple[IntArray, IntArray]:
    """Return the cell (k, j) of each loss in tables (R, K, K), outer losses on the diagonal, and sizes."""
    losses.require_once()
    outer, repeat = losses.inner == NO_LABEL, compact(losses.repeat)
    labels = np.concatenate([losses.fold, np.where(outer, losses.fold, losses.inner)])
    fold, tested = compact(labels).reshape(2, -1)
    R, K = repeat.max() + 1, max(fold.max(), tested.max()) + 1
    cell = (repeat * K + fold) * K + tested
    sizes = np.bincount(cell, minlength=R * K * K).reshape(R, K, K)
    of_folds = sizes.diagonal(axis1=1, axis2=2)  # (R, K)
    nested = not outer.all() and (sizes == of_folds[:, None, :]).all()
    must = "must be -1 for outer losses, and name every other fold in full inside each fold, as plan NestedKFold() does"
    _check.require(nested, must, losses.inner, "inner")
    must = "must name at least three folds of at least two outer losses"
    _check.require(K >= 3 and of_folds.min() >= 2, must, of_folds, "fold")
    examples_of_repeats(of_folds)
    return cell, sizes


# Groups, metrics, and skewed losses


def variances_within(values: FloatArray, group: IntArray, count: int) -> FloatArray:
    """Return the variance of the values of each of `count` groups; values that are equal up to rounding do not vary."""
    sizes = np.maximum(np.bincount(group, minlength=count), 1)
    means = (np.bincount(group, values, count) / sizes)[group]
    left = values - means
    left[np.abs(left) <= ROUNDING * np.abs(means)] = 0.0
    return np.bincount(group, np.square(left), count) / np.maximum(sizes - 1, 1)


def law_of_metric(
    answer: Answer,
    losses: Losses,
    deviations: FloatArray,
    most: float,
    influence: Callable[[FloatArray], FloatArray] | None = None,
) -> Answer:
    r"""Give an answer the law of a metric, or of a difference of two, and what is to be said where few examples determine it.

    The sample variance of n values with kurtosis :math:`\kappa` varies like a chi-square with
    :math:`2n/(\kappa - 1)` degrees of freedom over them, if these are fewer than `most`. Where few
    labels carry the variance of a difference, the squared error gets the square of the largest
    influence value on either metric, as in the interval of Agresti & Min (2005) for paired shares.
    """
    answer.df, metric = most, losses.metric
    if metric is None or metric.share:
        return answer
    df, largest = min(most, degrees_of_freedom(deviations)), 0.0
    few = df < _FEW or answer.se == 0.0
    if few and losses.pair is not None and metric.counts:
        influence = influence or (lambda value: (value - value.mean()) / deviations.size)
        largest = max(float(np.abs(influence(one.value)).max()) for one in losses.pair)
        widened = math.hypot(answer.se, largest)
        answer.law = Pivot(answer.estimate, widened, most) if widened else None
    else:
        answer.df = df
    if few and max(answer.se, largest) > 0.0:
        what = "degrees of freedom of the variance, which few examples carry"
        answer.notes += (Note("few", count=df, what=what),)
    return answer


def degrees_of_freedom(deviations: FloatArray) -> float:
    """Return the degrees of freedom of the variance of values that are 0 on average, 2 n / (kurtosis - 1), at most n - 1."""
    n, squares = deviations.size, np.square(deviations)
    total = float(squares.sum())
    if total == 0.0:
        return n - 1.0
    kurtosis = n * float(squares @ squares) / total**2
    return min(n - 1.0, 2.0 * n / max(kurtosis - 1.0, 1.0))


def skewed(
    values: FloatArray, what: str, metric: MetricValues | None = None
) -> Callable[[Asked, Interval], Notes]:
    """Return the remark on values too skewed for the t distribution; none where the interval is a logit's."""

    def remarks(asked: Asked, _: Interval) -> Notes:
        two_ends = math.isfinite(asked.limits.high - asked.limits.low)
        if metric is not None or two_ends or np.ptp(values) <= ROUNDING * np.abs(values).max():
            return ()
        z = (values - values.mean()) / values.std()
        squared_skewness = float(np.power(z, 3).mean()) ** 2
        needed = _FOR_SKEWNESS * squared_skewness
        if values.size >= needed or squared_skewness < _BY_CHANCE / values.size:
            return ()
        return (Note("skewed-losses", count=values.size, what=what, needed=round(needed)),)

    return remarks
