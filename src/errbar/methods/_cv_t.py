"""Student's t for the out-of-fold losses of cross-validation, about the learning algorithm: from these alone, or with the jackknife."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from errbar import _check
from errbar._check import FloatArray
from errbar.clusters import Units
from errbar.index import compact
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import ROUNDING, mean
from errbar.methods.variance import examples_of_repeats, law_of_metric, nested_cells, skewed
from errbar.needs import FOLDS
from errbar.plans import KFold, NestedKFold
from errbar.result import Estimand, Note


@register(
    "cv-t",
    pointwise=True,
    default_plan=KFold(repeats=2),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    scaled=True,
    allowance=True,
    references=("bayle2020", "nadeau2003"),
)
def cv_t(losses: Losses, *, variance: str = "larger") -> Answer:
    r"""Student's t from the out-of-fold losses of K-fold cross-validation, once or repeated.

    :Claim: The expected loss of the learning algorithm at training size n1, from the losses of
        all examples.
    :Formula: ``SE^2 = max(W/n, S_f^2/K) n/n1, t with K - 1 degrees of freedom``
    :Fits: r K (20 by default)
    :Assumption: The training sets add little to the variance of the estimate, beyond what the
        examples that are tested do.
    :Assumption: There are clearly more examples than the learner has to fit parameters.
    :Assumption: The mean of the losses is close to normal.

    Estimates the expected risk of the learning algorithm at the training size n1 of the folds. Every example is tested once in each
    repeat, so the variance of the n losses tells how much the estimate changes with the examples that are tested. The factor n/n1
    and the few degrees of freedom are for what the training sets add; that part is not estimated. Where it is large, take
    `cv_jackknife`; the note ``uneven-folds`` says so if the means of the folds show it.

    Parameters
    ----------
    losses : Losses
        Losses (or differences of losses) with their fold and repeat; every repeat tests the same examples once.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    variance : {"larger", "examples"}, default "larger"
        Variance of the estimate: the larger of W/n, from all losses, and S_f^2/K, from the means of folds; or W/n in any case.

    Returns
    -------
    Result
        The estimate is the mean over all losses; of a metric that is averaged over folds it is the mean over folds.

    Raises
    ------
    InvalidInputError
        If there are fewer than two folds, or repeats hold different numbers of examples.

    See Also
    --------
    corrected_t : From scores of splits alone.
    cv_wald : About the models that were trained, for large n.
    cv_jackknife : With the part of the variance that comes from the training sets.

    Notes
    -----
    With :math:`l_{ri}` the loss of example i in repeat r, :math:`\bar l_r` their mean, and :math:`\bar l_{rk}` the mean of fold k,

    .. math:: W = \frac{1}{R} \sum_r \frac{1}{n-1} \sum_i (l_{ri} - \bar l_r)^2, \qquad
              S_f^2 = \frac{1}{R} \sum_r \frac{1}{K-1} \sum_k (\bar l_{rk} - \bar l_r)^2, \qquad
              SE^2 = \max\left(\frac{W}{n}, \frac{S_f^2}{K}\right) \frac{n}{n_1}

    and :math:`(\bar l - \mu_0)/SE` is referred to t with K - 1 degrees of freedom. W/n is the variance that [1]_ has for stable
    learners and large n; n/n1 is that of the correction of [2]_ for K folds, 1/K + n2/n1. More repeats take the noise of the partition
    out of the estimate, and leave its standard error as it is.

    The note ``uneven-folds`` is given where (K - 1) times the ratio of :math:`S_f^2/K` to :math:`W/n` is above the 99 % quantile of
    chi-squared with K - 1 degrees of freedom, not for metrics.

    For a metric that is not a mean of losses, l is the metric plus the influence value of the example, and deviations are from the metric
    of what is put together: of each fold, or of all folds of a repeat. Degrees of freedom are at most :math:`2n/(\kappa - 1)`, with the
    kurtosis :math:`\kappa` of the influence values.

    Stratified folds need no correction: the classes are in W as they are in the population. Where examples come in groups, folds
    hold whole groups, W/n is the squared standard error of `cluster_t` for the losses, averaged over the repeats, and the degrees of
    freedom are at most those of its groups.

    Where the least or largest loss is known, as for the zero-one loss, the interval of a learner is that of t on the logit (or
    logarithmic) scale, carried back; that of a difference is cut at the ends.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Advances in Neural Information Processing Systems 33, eq. 4.2.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 0, 1, 1, 1, 2, 2], n_train=16 / 3)
    >>> result = errbar.methods.cv_t(losses)
    >>> round(result.se, 4), result.df
    (0.1426, 2)
    """
    kind = _check.choice(variance, ("larger", "examples"), "variance")
    folds = fold_variances(losses)
    K, of_examples, of_folds = folds.K, folds.of_examples, folds.of_folds
    larger = of_examples if kind == "examples" else max(of_examples, of_folds)
    enlarged = K / (K - 1) if math.isnan(losses.n_train) else folds.n / losses.n_train
    answer = _t_of_folds(losses, folds, larger * enlarged)
    # Of independent losses K - 1 times the ratio is about chi-squared with K - 1 degrees of freedom, of several repeats less
    # variable. The mean of a metric of few examples varies more than its influence values tell, so nothing is said of it.
    bound = float(special.chdtri(K - 1, 0.01)) / (K - 1)
    if losses.metric is None and of_folds > bound * of_examples > 0.0:
        answer.notes = (Note("uneven-folds", ratio=of_folds / of_examples),)
    return answer


@register(
    "cv-jackknife",
    pointwise=True,
    default_plan=NestedKFold(repeats=2),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    scaled=True,
    references=("efron1981", "bates2024"),
)
def cv_jackknife(losses: Losses) -> Answer:
    r"""Student's t with the jackknife variance of K-fold cross-validation: one fold after another is left out.

    :Claim: The expected loss of the learning algorithm at training size n1, also where training
        sets add much to its variance.
    :Formula: ``SE^2 = max((K - 1)/K sum (U_-g - mean)^2 - (K - 2)/K s^2, W/n), t with K - 1
        degrees of freedom``
    :Fits: r K (K + 1) / 2 (110 by default)
    :Assumption: Without one fold the variance is about K/(K - 1) times that with all of them.
    :Assumption: The mean of the losses is close to normal.

    Estimates the expected risk of the learning algorithm at the training size n1 of the folds, from the fits of nested
    cross-validation ([2]_). A fold that is left out is neither
    tested nor trained on, so what its examples do as training examples is in the variance. That part is large where
    there are hardly more examples than parameters, where features are selected, or where fits fail now and then. By the inequality of
    Efron and Stein [1]_ a jackknife variance is too large on average rather than too small.

    Parameters
    ----------
    losses : Losses
        Losses (or differences of losses) of nested cross-validation, as for `nested_cv`: outer losses have ``inner`` -1; inner
        ones belong to a model trained without folds ``fold`` and ``inner``, tested on ``inner``.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        The estimate is the mean over the outer losses; of a metric that is averaged over folds it is the mean over folds.

    Raises
    ------
    InvalidInputError
        If there are fewer than three folds, or inner losses are missing.

    See Also
    --------
    cv_t : From the outer losses alone, which take a fifth of the fits.
    nested_cv : From the same fits, about the risk of the model fitted on all examples.

    Notes
    -----
    With :math:`E_{kg}` the mean loss on fold k of the model trained without folds k and g,
    :math:`U_{-g} = \frac{1}{K-1} \sum_{k \ne g} E_{kg}`, :math:`\bar U` their mean, and :math:`s^2` the residual variance of the table
    E around row and column effects, with :math:`K(K-1) - (2K-1)` degrees of freedom,

    .. math:: SE^2 = \max\left(\frac{K-1}{K} \sum_g (U_{-g} - \bar U)^2 - \frac{K-2}{K} s^2, \frac{W}{n}\right),

    where W is the variance of the n outer losses. The second term takes out the noise that U has because it is a mean of K - 1
    models. With several repeats, the first and second term and W are means over them. :math:`(\bar l - \mu_0)/SE` is referred to t with
    K - 1 degrees of freedom.

    For a metric that is not a mean of losses, values are the metric plus influence values, as in `nested_cv` and `cv_t`.

    References
    ----------
    .. [1] Efron & Stein (1981), Annals of Statistics 9(3), 586-596.
    .. [2] Bates, Hastie & Tibshirani (2024), Journal of the American Statistical Association 119(546), 1434-1445.

    Examples
    --------
    >>> import errbar
    >>> import numpy as np
    >>> split = [(fold, inner) for fold in range(4) for inner in (-1, 0, 1, 2, 3) if inner != fold]
    >>> fold, inner = np.repeat(split, 3, axis=0).T
    >>> losses = errbar.Losses(np.cos(np.arange(48)) ** 2, fold=fold, inner=inner, n_train=9)
    >>> result = errbar.methods.cv_jackknife(losses)
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.5096, 0.1078, 3)
    """
    cell, sizes = nested_cells(losses)
    R, K, _ = sizes.shape
    means = np.bincount(cell, losses.value).reshape(sizes.shape) / sizes
    squared = float(np.mean([jackknife_variance(table.T) for table in means]))
    folds = fold_variances(losses)
    answer = _t_of_folds(losses, folds, max(squared, folds.of_examples))
    answer.n_train, answer.n_splits = folds.n * (1.0 - 1.0 / K), R * K**2
    return answer


def jackknife_variance(E: FloatArray) -> float:
    """Return the jackknife variance of a cross-validation without the noise of single models; it can be negative.

    Parameters
    ----------
    E : ndarray, shape (K, K)
        Mean loss on fold k (row) of the model trained without folds k and g (column); what is on the diagonal is not used.
    """
    K = len(E)
    off = ~np.eye(K, dtype=bool)
    U = np.where(off, E, 0.0).sum(axis=0) / (K - 1)
    raw = (K - 1) / K * float(np.square(U - U.mean()).sum())
    # s^2 is what row and column effects leave of the K (K - 1) means: a unit vector for each row and for each column.
    row, column = np.nonzero(off)
    effects = np.concatenate([np.eye(K)[row], np.eye(K)[column]], axis=1)
    left = E[off] - effects @ np.linalg.lstsq(effects, E[off], rcond=None)[0]
    s2 = float(left @ left) / (K * (K - 1) - (2 * K - 1))
    return raw - (K - 2) / K * s2


class FoldVariances(NamedTuple):
    """How the losses of R cross-validations of the same n examples vary: from example to example, and from fold to fold.

    Attributes
    ----------
    n, K : int
        Number of examples, and of folds.
    estimate : float
        Mean of all losses; of a metric that is averaged over folds, mean over folds.
    of_examples : float
        W/n, the variance of the mean of n independent losses; of clusters, the squared error of their mean.
    df : float
        Degrees of freedom of `of_examples`.
    of_folds : float
        S_f^2/K, the variance of the mean of K independent fold means.
    deviations : ndarray, shape (n,)
        Losses less their mean, or less the metric of the fold, as means over the repeats: for a metric, influence values.
    """

    n: int
    K: int
    estimate: float
    of_examples: float
    df: float
    of_folds: float
    deviations: FloatArray


def fold_variances(losses: Losses) -> FoldVariances:
    """Return how the outer losses of one or several cross-validations vary."""
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
        left, means = np.zeros_like(left), np.full_like(means, value[0])
    example = index.codes("example")
    deviations = np.bincount(example, left) / np.bincount(example)
    of_examples, df = float(left @ left) / R / (n - 1) / n, n - 1.0
    if "group" in index:
        units = Units.of(index.codes("group")[index.first("example")])
        of_examples, df = units.squared_error(deviations), units.df
    between = means - means.mean(axis=1, keepdims=True)
    of_folds = float(np.square(between).sum()) / R / (K - 1) / K
    return FoldVariances(n, K, estimate, of_examples, df, of_folds, deviations)


def _t_of_folds(losses: Losses, folds: FoldVariances, squared: float) -> Answer:
    """Return the answer with this squared standard error, and at most K - 1 degrees of freedom."""
    se = math.sqrt(squared)
    law = law_of_metric(losses, folds.estimate, se, folds.deviations, folds.n - 1)
    df = min(folds.K - 1.0, folds.df, law.df)
    return Answer(
        estimate=folds.estimate,
        se=se if law.law is None else law.law.se,
        df=int(df) if df == int(df) else df,
        n_train=losses.n_train,
        n_splits=folds.K * losses.repeats,
        notes=law.notes,
        remarks=skewed(losses.outer.means("example"), "examples", losses.metric),
    )
