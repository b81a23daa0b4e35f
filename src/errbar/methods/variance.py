"""The forms of variance that several methods share: splits, folds, nested folds, and what few examples determine."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import FloatArray, IntArray, compact
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses, MetricValues, Units, whole
from errbar.methods.distributions import ROUNDING, Answer, Asked, Pivot, mean, variance
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
    return Answer(mean(scores), se, scores.size - 1, notes=notes)


# Folds


def require_single(losses: Losses, key: str, what: str) -> None:
    """Raise if losses come from several splits, or partitions into folds; `key` names the method that needs a single one."""
    losses.require_once()
    if losses.repeats > 1 or (what == "split" and losses.folds > 1):
        raise UnsuitablePlanError(
            f"method {key!r} needs the losses of a single {what}, got several; try 'corrected-t'"
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
        what = "degrees of freedom, as few examples carry the variance,"
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


# Strata


def between_strata(values: ArrayLike, strata: ArrayLike, shares: ArrayLike | None = None) -> float:
    r"""Return the variance of the stratum means of a loss, weighted by the shares of the strata.

    Parameters
    ----------
    values, strata : array-like, shape (N,)
        Losses, or influence values of a metric, and the stratum of each, from 0 on.
    shares : array-like, shape (strata,), optional
        Share of each stratum in the data, or number of its examples; by default among the values.

    Returns
    -------
    float
        :math:`B = \sum_c p_c (\bar I_c - \sum_d p_d \bar I_d)^2`.

    Examples
    --------
    >>> from errbar.methods import between_strata
    >>> between_strata([0.0, 0.0, 1.0, 0.0], [0, 0, 1, 1])
    0.0625
    """
    numbers = _check.vector(values, "values", "loss")
    codes = _check.labels(strata, numbers.size, "strata")
    counts = np.bincount(codes)
    seen = counts > 0
    means = np.bincount(codes, numbers)[seen] / counts[seen]
    p = np.asarray(counts if shares is None else shares)[seen]
    p = p / p.sum()
    return float(p @ np.square(means - p @ means))


def variance_of_shares(losses: Losses) -> float:
    """Return B/n1; 0 where B is not known."""
    between = between_of(losses)
    if not between > 0.0:
        return 0.0
    must = "is needed for stratified splits: the variance between strata is divided by it"
    _check.require(not math.isnan(losses.n_train), must, None, "n_train")
    return between / losses.n_train


def between_of(losses: Losses) -> float:
    """Return B; it is 0 for splits that are not stratified and for metrics given the class, and NaN where it is not known."""
    if losses.between is not None:
        return losses.between
    stratum = losses.index.get("stratum")
    table = losses.table
    if table is None:
        return 0.0 if stratum is None else between_strata(losses.value, compact(stratum))
    design = table.splits.designs[0]
    if not design.stratified or table.loss.given_class:
        return 0.0
    if stratum is None or design.strata is None:
        return math.nan
    if table.blank:
        return 0.0
    if design.clusters is None:
        # The shares are those in the data; where only examples that were tested are known, those in the test sets are nearer.
        counts = None if table.splits.n is None else np.bincount(design.strata)
        return between_strata(losses.value, stratum, counts)
    # Examples of a cluster are of one stratum, or nearly, so the shares vary like those of fewer examples: B is n times the
    # squared error of the mean of n examples that have the mean loss of their stratum, where whole clusters are drawn.
    counts = np.bincount(stratum, minlength=int(design.strata.max()) + 1)
    means = np.bincount(stratum, losses.value, counts.size) / np.maximum(counts, 1)
    means[counts == 0] = losses.value.mean()
    return design.strata.size * Units.of(design.clusters).squared_error(means[design.strata])


# One test set


ONE_TRAINING_SET = Note("fixed", what="trained models")


# Sums of independent terms


class Term(NamedTuple):
    """One of several terms that add up to a squared error."""

    size: float
    df: float


def satterthwaite(terms: Iterable[Term]) -> float:
    """Return the degrees of freedom of a sum of independent terms, no fewer than those of any added one."""
    found = [term for term in terms if term.size != 0.0]
    if not found:
        return np.inf
    sizes, dfs = np.transpose(found)
    df = sizes.sum() ** 2 / (sizes**2 / dfs).sum()
    return whole(float(max(df, dfs.min())))
