"""Losses that depend on each other: of examples in clusters, of several seeds, or readers, on the same examples, and of examples that follow each other in time."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.design import FEWEST_CLUSTERS, FOLD_MODELS, SEEDS_OF_ONE_TRAINING_SET
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses, Units, difference
from errbar.methods._core.registry import method
from errbar.methods.distributions import ROUNDING, Answer, mean, variance as variance_of
from errbar.methods.variance import ONE_TRAINING_SET, Term, law_of_metric, satterthwaite, skewed
from errbar.result import Estimand, GlobalResult, Note, Notes


@method("cluster-t")
def cluster_t(losses: Losses) -> Answer:
    r"""Student's t on losses whose examples come in clusters, such as rows of a patient or questions on a passage.

    :Claim: The mean loss, on examples of new clusters, of the models that were trained.
    :Formula: ``SE^2 = n^-2 sum r_g^2 / (1 - n_g/n) over clusters, t with Satterthwaite's degrees of
        freedom``
    :Assumption: Clusters are independent of each other; examples of a cluster may depend on each
        other in any way.
    :Assumption: No cluster is both trained on and tested.
    :Assumption: In cross-validation, the learner is stable: one cluster more or less hardly changes
        the loss of the model.

    The variance comes from the sums of residuals of whole clusters ("CR2" of [1]_), and the degrees
    of freedom from their sizes ([2]_): few clusters, or one that holds most examples, leave few. At
    least 5 are needed. For evaluations of language models such errors are proposed in [3]_. For
    folds of whole clusters `cv_jackknife` and `cv_t` are the defaults, since they allow for other
    training sets: with 12 clusters of 20 the 95 % intervals of `cv_t` held 86 to 90.5 %, those of
    this method 79 to 88 %. The ``components`` are the squared standard error that independent
    examples would have, ``"example"``, and what the clusters add, ``"cluster"``.

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per test example, with the cluster of each.

    See Also
    --------
    cv_t, holdout_t, cv_wald, crossed_t

    Notes
    -----
    With :math:`h_g = n_g/n` the share of cluster g among n examples and :math:`r_g` the sum of its
    residuals :math:`L(i) - \bar L`, :math:`SE^2 = n^{-2} \sum_g r_g^2/(1 - h_g)`, and t has
    :math:`(\sum \lambda)^2/\sum \lambda^2` degrees of freedom, with the eigenvalues :math:`\lambda`
    of :math:`D^{-1/2}(\mathrm{diag}\,h - h h')D^{-1/2}`, :math:`D = \mathrm{diag}(1 - h)`. G
    clusters of equal size have :math:`G - 1`.

    For a metric that is not a mean of losses, L(i) is the metric plus the influence value of
    example i. A metric that is averaged over folds has residuals from the metric of each fold, and
    h is the share of the cluster in its fold. Degrees of freedom are at most :math:`2G/(\kappa -
    1)`, with the kurtosis :math:`\kappa` of the sums of clusters. Of several repeats, the losses of
    each example are averaged first.

    Where the least or largest loss is known, as for the zero-one loss, the interval of a learner is
    that of t on the logit (or logarithmic) scale, carried back; that of a difference is cut at the
    ends. Where all examples have the same extreme loss, it is that of Clopper & Pearson for as many
    trials as there are clusters.

    Examples
    --------
    >>> import errbar
    >>> patient = [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    >>> losses = errbar.Losses([0.1, 0.4, 0.2, 0.9, 0.7, 0.2, 0.3, 0.4, 0.2, 0.5], group=patient)
    >>> result = errbar.methods.cluster_t(losses)
    >>> round(result.se, 4), round(result.df, 2)
    (0.1144, 3.57)
    """
    n_splits = losses.n_splits
    losses = clustered(losses)
    units = units_of(losses)
    if units.count < FEWEST_CLUSTERS:
        raise UnsuitablePlanError(
            f"method 'cluster-t' needs at least {FEWEST_CLUSTERS} clusters, got {units.count}; so few tell nothing about others"
        )
    estimate, sums = units.mean(losses.value), units.sums(losses.value)
    squared, independent = units.of_sums(sums), units.squared_error_alone(losses.value)
    answer = Answer(
        estimate,
        math.sqrt(squared),
        notes=(ONE_TRAINING_SET if n_splits == 1 else FOLD_MODELS,),
        remarks=skewed(sums, "clusters", losses.metric),
        components={"example": independent, "cluster": squared - independent},
    )
    return law_of_metric(answer, losses, sums, units.df, units.sums)


def clustered(losses: Losses) -> Losses:
    if "group" not in losses.index:
        raise InvalidInputError("is needed: the cluster of each example", argument="group")
    if losses.by_fold and losses.folds > 1 and losses.repeats > 1:
        raise InvalidInputError(
            "a metric that is averaged over folds needs a single repeat; give pool='folds', or one repeat"
        )
    return losses.by_example


def units_of(losses: Losses) -> Units:
    fold = losses.fold if losses.by_fold and losses.folds > 1 else None
    return losses.index.kept(
        ("units", fold is not None), lambda: Units.of(losses.index.codes("group"), fold)
    )


class Tables(NamedTuple):
    """Losses of seeds (rows) and examples (columns) of one learner or two, and the class of each example."""

    value: FloatArray
    minus: FloatArray | None
    units: Units
    classes: IntArray | None


def tables_of(losses: Losses) -> Tables:
    one = losses.each[0]
    value, *minus = [_table(own) for own in losses.each]
    for other in minus:
        must = f"must hold losses of the same {value.shape[1]} examples"
        _check.require(other.shape[1] == value.shape[1], must, other, "minus")
    first = one.index.first("example")
    fold = one.fold[first] if one.by_fold and one.folds > 1 else None
    cluster = one.index.codes("group" if "group" in one.index else "example")[first]
    units = one.index.kept(("crossed units", fold is not None), lambda: Units.of(cluster, fold))
    classes = None if one.classes is None else one.classes[first]
    return Tables(value, minus[0] if minus else None, units, classes)


def _table(losses: Losses) -> FloatArray:
    index = losses.index
    seeds, examples = index.count("seed"), index.count("example")
    complete = index.rows == seeds * examples == index.first("seed", "example").size
    crossed = complete and min(seeds, examples) > 1 and index["seed"].min() >= 0
    must = "and `example` must tell a loss for each of at least 2 seeds and 2 examples, once, in a single repeat"
    found = f"{index.rows} losses of {seeds} seeds and {examples} examples"
    _check.require(crossed, must, found, "seed")
    order = np.lexsort((index["example"], index["seed"]))
    return losses.value[order].reshape(seeds, -1)


class Crossed(NamedTuple):
    r"""Mean squares MS_s/(Sn), MS_i/(Sn) and MS_e/(Sn) of a table of S seeds and n examples."""

    estimate: float
    seed: Term
    example: Term
    both: Term


def crossed(values: FloatArray, units: Units) -> Crossed:
    S, of_example = len(values), values.mean(axis=0)
    means = np.array([units.mean(row) for row in values])
    # What is left of a row without its own mean and those of the examples; `squared_error` takes the means of rows away.
    left = sum(units.squared_error(difference(row, of_example)) for row in values)
    return Crossed(
        float(means.mean()),
        Term(variance_of(means) / S, S - 1.0),
        Term(units.squared_error(of_example), units.df),
        Term(left / ((S - 1) * S), (S - 1.0) * units.df),
    )


def of_which_training(losses: Losses) -> Notes:
    """Return what seeds of one training set are about, and of the training sets of folds."""
    folds = losses.n_splits > losses.each[0].count("seed")
    return (SEEDS_OF_ONE_TRAINING_SET, FOLD_MODELS) if folds else (SEEDS_OF_ONE_TRAINING_SET,)


_AS_MANY = "must tell as many seeds of both learners"


@method("crossed-t")
def crossed_t(losses: Losses, *, seeds: str = "own", floors: bool = True) -> Answer:
    r"""Student's t on the losses of several seeds on the same examples, both of which are random.

    :Claim: The mean loss on new examples over the randomness of training, on this very training
        set.
    :Formula: ``SE^2 = s^2/n of the means over seeds + (MS_seed - MS_error)/(S n) of each learner, t
        with Satterthwaite's degrees of freedom``
    :Assumption: Examples (or clusters of them) are independent of each other and of the training
        set.
    :Assumption: Seeds are independent of each other, and those of two learners too where each has
        its own.
    :Assumption: Every seed has tested every example.

    Seeds are fits on one training set that differ in their random choices, or several answers to
    each question. Where they have nothing in common over examples, as answers of a language model
    to different questions, only the means of the examples count ([2]_). The ``components`` of the
    squared standard error are ``"seed"``, which falls with more seeds, ``"example"``, with more
    examples, and ``"seed x example"``, with either.

    Parameters
    ----------
    losses : Losses
        Losses of each seed on each example, of a learner or of two; examples may come in clusters.
    seeds : {"own", "shared"}, default "own"
        Whether two learners have seeds of their own, or the same seed means the same to both, such
        as the same order of the training examples.
    floors : bool, default True
        Whether negative components of variance count as 0.

    See Also
    --------
    crossed_or, holdout_t, cluster_t

    Notes
    -----
    With the loss :math:`D_{si}` of seed s on example i, S seeds and n examples, let :math:`MS_s`,
    :math:`MS_i` and :math:`MS_e` be the mean squares of seeds, examples and the rest. For a
    learner, or for the difference of two that share their seeds,

    .. math:: SE^2 = \frac{\max(MS_s - MS_e, 0) + \max(MS_i - MS_e, 0) + MS_e}{S n}.

    For two learners with seeds of their own, with the variance :math:`s_d^2` of the differences of
    the examples' means over seeds, it is no less than :math:`s_d^2/n`, and

    .. math:: SE^2 = \frac{s_d^2}{n} + \sum_l \frac{MS_{s,l} - MS_{e,l}}{S_l n}.

    Degrees of freedom are those of Satterthwaite ([1]_) over all mean squares, or those left by
    floors, and never fewer than the least of S - 1 and those of the examples, n - 1. With 2, 3 or 5
    seeds of each learner and 30 examples, equal learners differed at 5 % in 2.8 to 5.5 % of 2000
    simulated data sets. With shared seeds it was 2.0 to 6.8 %, but 8 to 11 % with two seeds that
    matter (``benchmarks/few_seeds.py``). For clusters, sums with the weights of `cluster_t` take
    the place of examples. For a metric, D is the metric of a seed plus the influence value of the
    example. The interval near the least or largest loss is as for `cluster_t`.

    Examples
    --------
    >>> import errbar
    >>> a = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> b = [[0.3, 0.4, 0.5, 0.7, 0.3], [0.2, 0.7, 0.5, 0.8, 0.2], [0.4, 0.6, 0.4, 0.9, 0.5]]
    >>> a, b = (errbar.Losses.of_grid(losses, "seed", "example") for losses in (a, b))
    >>> result = errbar.methods.crossed_t(a.minus(b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.0467, 0.0943)
    """
    x, y, units, _ = tables_of(losses)
    if y is not None and seeds == "shared":
        _check.require(len(x) == len(y), f"{_AS_MANY}; try seeds='own'", [len(x), len(y)], "seed")
        x, y = difference(x, y), None
    one = crossed(x, units)
    estimate, both, means = one.estimate, one.both.size, x.mean(axis=0)
    least = 0.0 if floors else -math.inf
    if y is None:
        by_source = {"seed": one.seed, "example": one.example}
        terms = [term for term in by_source.values() if term.size - both >= least]
        # Each component that is left has its mean square less that of the rest, and the rest comes once.
        terms.append(Term((1 - len(terms)) * both, one.both.df))
        components = {name: max(term.size - both, least) for name, term in by_source.items()}
    else:
        other = crossed(y, units)
        estimate -= other.estimate
        means = difference(means, y.mean(axis=0))
        # The means over seeds vary with the examples, and with what seeds and examples add together.
        items = Term(units.squared_error(means), units.df)
        both += other.both.size
        each = [(own.seed, own.both._replace(size=-own.both.size)) for own in (one, other)]
        added = sum(term.size for pair in each for term in pair)
        terms = [items, *(term for pair in each for term in pair if added >= least)]
        both = min(both, items.size) if floors else both
        components = {"seed": max(added, least), "example": items.size - both}
    squared = sum(term.size for term in terms)
    must = ": without them the squared standard error must not be negative; leave `floors` out"
    _check.require(squared >= 0.0, must, squared, "floors")
    what = "clusters" if "group" in losses.each[0].index else "examples"
    return Answer(
        estimate,
        math.sqrt(squared),
        satterthwaite(terms),
        notes=of_which_training(losses),
        components=components | {"seed x example": both},
        remarks=skewed(units.sums(means), what, losses.metric),
    )


_FIXED = {"both": None, "seeds": "examples", "examples": "seeds"}


@method("crossed-or")
def crossed_or(losses: Losses, *, random: str = "both") -> Answer:
    r"""Any metric of several seeds, or readers, on the same examples, by the model of Obuchowski and Rockette.

    :Claim: The mean of any metric on new examples over the seeds or readers, on this very training
        set.
    :Formula: ``SE^2 = 2/r (MS_TR + r max(Cov2 - Cov3, 0)) for a difference, t with Hillis' degrees
        of freedom``
    :Assumption: Examples (or clusters of them) are independent of each other and of the training
        set.
    :Assumption: The seeds or readers are independent, and both learners have the same ones.
    :Assumption: Every seed has tested every example.

    What the seeds add to the variance is seen in the estimates of different seeds; what the
    examples add, in the covariance of the estimates over examples. Two learners share the seeds, as
    readers do who use both of two devices.

    Parameters
    ----------
    losses : Losses
        Losses, or a metric plus influence values, of each seed on each example, of a learner or of
        two.
    random : {"both", "seeds", "examples"}, default "both"
        What is drawn at random, and so varies from one study to another; the other is fixed.

    See Also
    --------
    obuchowski_rockette, crossed_t

    Notes
    -----
    With :math:`MS_{TR}` the mean square of t learners and r seeds together, and :math:`Cov_2` and
    :math:`Cov_3` the mean covariances of estimates by two seeds, of one learner and of two ([1]_),
    the difference of two learners has

    .. math:: SE^2 = \frac{2}{r}\bigl(MS_{TR} + r\max(Cov_2 - Cov_3, 0)\bigr),

    and :math:`(r - 1)(t - 1)(MS_{TR} + r\max(Cov_2 - Cov_3, 0))^2/MS_{TR}^2` degrees of freedom
    ([2]_). With fixed examples both terms of covariances are left out; with fixed seeds it is
    :math:`\frac{2}{r}(Var - Cov_1 + (r - 1)\max(Cov_2 - Cov_3, 0))` with the normal distribution. A
    single learner has the variance of its estimates over seeds for :math:`MS_{TR}`, its own
    :math:`Cov_2` alone, and 1/r for 2/r. Covariances come from influence values, within classes for
    metrics that are given the class, such as the area under the ROC curve. Intervals are those of
    t, cut at an edge of the metric.

    Examples
    --------
    >>> import errbar
    >>> a = [[0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0, 0, 1]]
    >>> b = [[0, 1, 1, 0, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 0, 1], [0, 1, 1, 0, 1, 1, 0, 1]]
    >>> a, b = (errbar.Losses.of_grid(losses, "seed", "example") for losses in (a, b))
    >>> result = errbar.methods.crossed_or(a.minus(b))
    >>> round(result.estimate, 4), round(result.se, 4)
    (-0.2083, 0.0417)
    """
    fixed = _FIXED[random]
    x, y, units, classes = tables_of(losses)
    rows = x
    if y is not None:
        _check.require(len(x) == len(y), f"{_AS_MANY}; try 'crossed-t'", [len(x), len(y)], "seed")
        rows = np.concatenate([x, y])
    theta = np.array([units.mean(row) for row in rows]).reshape(-1, len(x))
    squared, df = error_of_learners(theta, covariance_of(rows, units, classes), random)
    means = theta.mean(axis=1)
    notes = of_which_training(losses)
    return Answer(
        float(means[0] if y is None else means[0] - means[1]),
        math.sqrt(max(squared, 0.0)),
        df,
        near=0.0,
        notes=(*notes, Note("fixed", what=fixed)) if fixed else notes,
    )


def obuchowski_rockette(
    theta: ArrayLike, covariance: ArrayLike, *, random: str = "both"
) -> GlobalResult:
    r"""F test of Obuchowski & Rockette: whether any of t learners differ, by r seeds or readers.

    Parameters
    ----------
    theta : array-like, shape (t, r)
        Estimates of at least two learners by each of at least two seeds.
    covariance : array-like, shape (t r, t r)
        Covariance of the estimates over examples, learner after learner.
    random : {"both", "seeds", "examples"}, default "both"
        As for `crossed_or`.

    Returns
    -------
    GlobalResult

    Notes
    -----
    :math:`F = MS_T/(MS_{TR} + r\max(Cov_2 - Cov_3, 0))` with t - 1 and the degrees of freedom of
    `crossed_or` ([1]_, [2]_). Where that has the normal distribution, (t - 1) F has the chi-square.

    References
    ----------
    .. [1] Obuchowski & Rockette (1995), Communications in Statistics - Simulation and Computation 24(2), 285-308.
    .. [2] Hillis (2007), Statistics in Medicine 26(3), 596-619.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar.methods import obuchowski_rockette
    >>> theta = [[0.91, 0.86, 0.90], [0.95, 0.90, 0.92]]
    >>> print(obuchowski_rockette(theta, 0.0002 * np.eye(6) + 0.0003))
    crossed-or: statistic 25, df (1, 2.0), p = 0.03775
    """
    _check.choice(random, _FIXED, "random")
    x = _check.numbers(theta, "theta", "learner and seed")
    must = (
        "must have a row for each of at least 2 learners and a column for each of at least 2 seeds"
    )
    _check.require(x.ndim == 2 and min(x.shape) > 1, must, x.shape, "theta")
    matrix = _check.numbers(covariance, "covariance", "place")
    must = f"must have {x.size} rows and columns, one for each of `theta`"
    _check.require(matrix.shape == (x.size, x.size), must, matrix.shape, "covariance")
    (t, r), means = x.shape, x.mean(axis=1)
    squared, df = error_of_learners(x, matrix, random)
    _check.require(squared > 0.0, "must vary", squared, "theta")
    f = t * variance_of(means) / squared
    tail = special.chdtrc(t - 1, (t - 1) * f) if df is None else special.fdtrc(t - 1, df, f)
    return GlobalResult(
        Estimand.OVER_SEEDS,
        math.nan,
        f,
        (t - 1, math.inf if df is None else df),
        float(tail),
        tuple(means.tolist()),
        r,
        "crossed-or",
    )


def error_of_learners(
    theta: FloatArray, covariance: FloatArray, random: str
) -> tuple[float, float | None]:
    """Return the squared error of the mean of one learner, or of the difference of two, and its degrees of freedom (Hillis 2007).

    `theta` has a row for each of t learners and a column for each of r seeds; what `random` does
    not name is fixed. The mean square MS_TR of learners by seeds, and means of the covariances of
    the same learner and seed, the same seed, the same learner and neither, give the squared error
    t (MS_TR + r max(Cov2 - Cov3, 0)) / r.
    """
    t, r = theta.shape
    # One learner has the spread of its seeds for that of both together.
    of_seed = theta.mean(axis=0) - theta.mean() if t > 1 else 0.0
    rest = theta - theta.mean(axis=1, keepdims=True) - of_seed
    rest[np.abs(rest) <= ROUNDING * np.abs(theta).max()] = 0.0
    free = max(t - 1, 1) * (r - 1)
    ms_tr = float(np.square(rest).sum()) / free
    i, j = np.indices((t, r)).reshape(2, -1)
    same_learner, same_seed = np.equal.outer(i, i), np.equal.outer(j, j)
    var, cov2 = (covariance[same_learner & seed].mean() for seed in (same_seed, ~same_seed))
    cov1, cov3 = 0.0, 0.0
    if t > 1:
        cov1, cov3 = (covariance[~same_learner & seed].mean() for seed in (same_seed, ~same_seed))
    common = max(float(cov2 - cov3), 0.0)
    if random == "examples":
        return t * float(var - cov1 + (r - 1) * common) / r, None
    size = ms_tr + (r * common if random == "both" else 0.0)
    return t * size / r, free * (size / ms_tr) ** 2 if ms_tr else None


def covariance_of(rows: FloatArray, units: Units, classes: Any = None) -> Any:
    """Return the covariance of row means from influence values; DeLong's for the area under the ROC curve."""
    n = rows.shape[1]
    counts = None if classes is None else np.bincount(classes)
    clustered = units.block.max() > 0 or units.count < n
    if counts is None or clustered or counts[counts > 0].min() < 2:
        sums = np.stack([units.sums(row) for row in rows])
        return (sums / units.others) @ sums.T
    found = np.zeros((len(rows), len(rows)))
    for label in np.flatnonzero(counts):
        own = rows[:, classes == label]
        own = own - own.mean(axis=1, keepdims=True)
        found += own @ own.T * (counts[label] / (counts[label] - 1.0)) / n**2
    return found


# Standard errors of a correlation.
_FAR = 2.0
# Few and slow cosines, so that the correlation of neighbours does not reach them; t has as many degrees of freedom.
_COSINES = 8
# With fewer times for each of the horizon, the coverage of intervals by autocovariances is too low; with fewer at all, it is not seen how long
# losses are correlated.
_MANY_TIMES, _MANY_AT_ALL = 80, 200
# Of first-order correlated losses that say less than so many independent ones, cosines hold the mean too seldom.
_MANY_INDEPENDENT = 15
_BARTLETT = Note("out-of-bounds", quantity="variance", used="its estimate with Bartlett weights")


@method("diebold-mariano")
def diebold_mariano(losses: Losses, *, horizon: int = 1, variance: str | None = None) -> Answer:
    r"""Test for losses, or differences of losses, of forecasts that follow each other in time.

    :Claim: The mean loss of the forecasts that were made, over times like these.
    :Formula: ``V = (g_0 + 2 sum of g_k for k < h) / n with autocovariances g, t with n - 1 degrees
        of freedom and a correction``
    :Assumption: The losses (or differences) are a stationary series.
    :Assumption: With autocovariances, losses that are h or more times apart are not correlated, as
        those of good forecasts h times ahead.

    Forecasts h times ahead share the h - 1 times between them, so their losses are correlated up to
    lag h - 1 ([1]_). Losses of models that do not know the season or the trend are correlated for
    longer than that. Then the variance comes from slow cosines ([3]_).

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per time, in the order of time; more times than `horizon`.
    horizon : int, default 1
        Number h of times from the last that a forecast has seen to the one that it is about.
    variance : {"autocovariances", "cosines"}, optional
        Autocovariances take losses that are h or more apart as not correlated; cosines take no
        horizon. By default autocovariances, unless the losses are seen to be correlated at lag h:
        then cosines, and a note says so.

    See Also
    --------
    holdout_t

    Notes
    -----
    With losses :math:`d_1 \dots d_n` and :math:`\gamma_k = \frac{1}{n}\sum_{t > k} (d_t - \bar
    d)(d_{t-k} - \bar d)`,

    .. math:: V = \frac{1}{n}\Bigl(\gamma_0 + 2\sum_{k=1}^{h-1}\gamma_k\Bigr), \qquad
              SE^2 = V \Big/ \frac{n + 1 - 2h + h(h-1)/n}{n},

    and :math:`(\bar d - \mu_0)/SE` is referred to t with n - 1 degrees of freedom: the correction
    for short series of [2]_ (eq. 9). Where V is not positive, which can be for h > 1,
    :math:`\gamma_k` has the weight 1 - k/h, and a note says so. By cosines, with B = 8 (or n/2, if
    that is less),

    .. math:: SE^2 = \frac{1}{n B} \sum_{j=1}^{B} \Bigl(\sqrt{2/n} \sum_t d_t
              \cos\bigl(\pi j (t - \tfrac12)/n\bigr)\Bigr)^2,

    and t has B degrees of freedom. Losses are seen to be correlated at lag h where their
    autocorrelation is above two standard errors by Bartlett's formula. The interval near the least
    or largest loss is as for `cluster_t`, with examples for clusters.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.3, -0.1, 0.4, 0.2, 0.5, -0.2, 0.1, 0.6, 0.3, 0.0]
    >>> result = errbar.methods.diebold_mariano(errbar.Losses(differences), horizon=2)
    >>> round(result.se, 4), result.df
    (0.0559, 9)
    """
    rows = losses.index.rows
    must = "must not be tested more than once; take test sets that do not overlap"
    _check.require(losses.index.first("example").size == rows, must, rows, "example")
    # Without times, rows are in order.
    role = "time" if "time" in losses.index else "example"
    d, most = losses.means(role), int(np.bincount(losses.index.codes(role)).max())
    notes = [ONE_TRAINING_SET]
    if most > 1:
        notes.append(Note("means", unit="time", count=most, of="examples at most"))
    squared, df, noted = _error_of_times(d, horizon, variance, _COSINES)
    return Answer(
        mean(d),
        math.sqrt(squared),
        df,
        n_splits=1 if "example" in losses.index else losses.n_splits,
        notes=(*notes, *noted),
        remarks=skewed(d, "times"),
    )


def _error_of_times(
    d: FloatArray, horizon: int, variance: str | None, cosines: int
) -> tuple[float, float, Notes]:
    """Return the squared error of the mean of a series, its degrees of freedom, and notes; without a kind of variance, the losses decide."""
    n, notes = d.size, []
    h = _check.count(horizon, "horizon", 1, n - 1)
    gamma = _autocovariances(d, h)
    correlations = gamma / gamma[0] if gamma[0] else gamma
    correlation, nearer = float(correlations[-1]), correlations[1:-1]
    far = correlation > _FAR * math.sqrt((1.0 + 2.0 * float(nearer @ nearer)) / n)
    kind = variance or ("cosines" if far else "autocovariances")
    if kind == "cosines":
        df = min(cosines, n // 2)
        squared = _by_cosines(d, df) if gamma[0] else 0.0
        own, neighbour = gamma[:2]
        too_alike = n * (own - neighbour) < min(_MANY_INDEPENDENT, n / 2) * (own + neighbour)
        few = own > 0.0 and (too_alike or n < _MANY_AT_ALL)
    else:
        df = n - 1
        v = float(gamma[0] + 2.0 * gamma[1:h].sum()) / n
        if v <= 0.0 < gamma[0]:
            v = float(gamma[0] + 2.0 * gamma[1:h] @ (1.0 - np.arange(1, h) / h)) / n
            notes.append(_BARTLETT)
        # Harvey, Leybourne & Newbold (1997), eq. 9: n + 1 - 2h + h(h - 1)/n is (n - h)(n - h + 1)/n.
        squared = max(v, 0.0) * n**2 / ((n - h) * (n - h + 1.0))
        few = n < (_MANY_TIMES * h if h > 1 else _MANY_AT_ALL)
    if few:
        notes.append(Note("few-times", times=n))
    if far:
        notes.append(Note("correlated-losses", horizon=h, correlation=correlation, variance=kind))
    return squared, df, tuple(notes)


def _autocovariances(d: FloatArray, h: int) -> FloatArray:
    """Return gamma_0 to gamma_h, each a sum over n."""
    if variance_of(d) == 0.0:
        return np.zeros(h + 1)
    n, centred = d.size, d - mean(d)
    return np.array([centred[k:] @ centred[: n - k] for k in range(h + 1)]) / n


def _by_cosines(d: FloatArray, count: int) -> float:
    """Return the squared standard error from the mean square of the projections on slow cosines."""
    n = d.size
    angles = np.pi * np.outer(np.arange(1, count + 1), np.arange(n) + 0.5) / n
    projections = np.cos(angles) @ (d - mean(d)) * math.sqrt(2.0 / n)
    return float(np.square(projections).mean()) / n


# Without a horizon, fewer cosines reach lasting shocks; with fewer than 4, t hardly has degrees of freedom.
_FEWEST_COSINES = 4
# A difference of variances can come out at nothing by chance; half the standard error of independent losses is
# rare enough to leave the size of tests as it is, and bounds what a lucky zero can claim.
_LEAST_SHARE = 0.25
_QUARTER = Note(
    "out-of-bounds", quantity="variance", used="a quarter of that of independent losses"
)


@method("two-way-t")
def two_way_t(losses: Losses, *, horizon: int | None = None, variance: str | None = None) -> Answer:
    r"""Student's t on losses whose examples come in clusters and in time, such as series by dates.

    :Claim: The mean loss, over new clusters and times like these, of the models that were trained.
    :Formula: ``SE^2 = V_g + V_t - V_gt of clusters, times and both, t with Satterthwaite's degrees of
        freedom``
    :Assumption: Losses of different clusters at different times are independent, but for shocks that
        all clusters share and that may last.
    :Assumption: With a horizon, shocks h or more times apart are not correlated.

    Losses of a cluster (a series, a user) may depend on each other in any way, and so may those of a
    time, as where one shock moves all series ([1]_). With 30 series of 24 months and a shock each
    month, 5 % tests of equal learners rejected in 5.5 %, those of `cluster_t` in 49 %; with an effect
    of each series in 5.0 %, those of `diebold_mariano` on means by month in 26 %. Where neither
    mattered it was 4.2 %, and 2.4 % with 10 series of 12 months. Shocks that last (correlation .5)
    made it 6.2 to 11.4 %, and 14 to 23 % with ``horizon=1`` (``benchmarks/two_way.py``).

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per test example, with the cluster and time of each; at least 5 of
        both.
    horizon : int, optional
        Number h of times after which shocks are over; 1 if times are independent. By default nothing
        is known of that.
    variance : {"autocovariances", "cosines"}, optional
        What the part of times comes from, as for `diebold_mariano`. By default cosines, which allow
        for shocks that last; with a `horizon`, autocovariances, unless shocks are seen to last longer.

    See Also
    --------
    cluster_t, diebold_mariano, crossed_t

    Notes
    -----
    With residuals :math:`e_i = L(i) - \bar L` of n examples and their sums :math:`r_g`, :math:`r_t`
    and :math:`r_{gt}` over G clusters, T times and the C pairs of both that occur,

    .. math:: SE^2 = V_g + V_t - V_{gt}, \qquad V_g = \sum_g \frac{r_g^2}{n^2(1 - n_g/n)}, \qquad
              V_{gt} = \frac{C}{C - 1} \sum_{gt} \frac{r_{gt}^2}{n^2},

    and :math:`V_t` is the squared error that `diebold_mariano` gives to the series :math:`\bar L +
    T r_t/n`: with ``horizon=1`` it is :math:`T/(T - 1) \sum_t r_t^2/n^2`, which is the estimate of
    [1]_; a longer one adds the lags of [2]_. Cosines ([3]_) number :math:`0.4 T^{2/3}`, between 4 and
    8. With G - 1 (less for unequal clusters) and f degrees of freedom of :math:`V_g` and
    :math:`V_t`, those of t are

    .. math:: \frac{SE^4}{V_g^2/(G - 1) + V_t^2/f + V_{gt}^2/((G - 1) f)},

    and at least :math:`(G - 1) f/(G - 1 + f)`, those where neither clusters nor times matter. A
    difference may come out too small, or negative: :math:`SE^2` is at least :math:`V_{gt}/4`, and a
    note says so. The ``components`` are :math:`V_g - V_{gt}` of ``"cluster"``, :math:`V_t - V_{gt}`
    of ``"time"`` and :math:`V_{gt}` of ``"example"``. A metric that is no mean, and the ends of the
    scale, are as for `cluster_t`.

    Examples
    --------
    >>> import errbar, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> gaps = rng.normal(size=(8, 12)) + rng.normal(size=12)  # a shock in each month
    >>> losses = errbar.Losses.of_grid(gaps, "group", "time")
    >>> result = errbar.methods.two_way_t(losses, horizon=1)
    >>> round(result.se, 4), round(errbar.methods.cluster_t(losses).se, 4)
    (0.2706, 0.0907)
    """
    n_splits = losses.n_splits
    losses = clustered(losses)
    if "time" not in losses.index:
        raise InvalidInputError("is needed: the time of each example", argument="time")
    units, index, value = units_of(losses), losses.index, losses.value
    time, both = index.codes("time"), index.codes("group", "time")
    times = int(time.max()) + 1
    if min(units.count, times) < FEWEST_CLUSTERS:
        raise UnsuitablePlanError(
            f"method 'two-way-t' needs at least {FEWEST_CLUSTERS} clusters and times, got {units.count} and {times}"
        )
    estimate, sums = units.mean(value), units.sums(value)
    left = Units.of(np.arange(value.size), units.block).sums(value)
    in_both = np.bincount(both, left)
    v_both = float(in_both @ in_both) * in_both.size / (in_both.size - 1)
    v_group = units.of_sums(sums)
    cosines = min(_COSINES, max(_FEWEST_COSINES, int(0.4 * times ** (2 / 3))))
    if horizon is None:
        horizon, variance = 1, variance or "cosines"
    # The contributions of times to the mean, as a series around it.
    series: Any = estimate + times * np.bincount(time, left)
    v_time, b, noted = _error_of_times(series, horizon, variance, cosines)
    a = units.df
    squared = v_group + v_time - v_both
    df = a * b / (a + b)
    if squared > 0.0:
        df = max(df, squared**2 / (v_group**2 / a + v_time**2 / b + v_both**2 / (a * b)))
    notes = [ONE_TRAINING_SET if n_splits == 1 else FOLD_MODELS, *noted]
    if squared < _LEAST_SHARE * v_both:
        squared = _LEAST_SHARE * v_both
        notes.append(_QUARTER)
    answer = Answer(
        estimate,
        math.sqrt(squared),
        notes=tuple(notes),
        remarks=skewed(sums, "clusters", losses.metric),
        components={"cluster": v_group - v_both, "time": v_time - v_both, "example": v_both},
    )
    return law_of_metric(answer, losses, sums, df, units.sums)
