"""Student's t for the out-of-fold losses of one or several cross-validations, about the learning algorithm."""

import math

from scipy import special

from errbar import _check
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.variance import fold_variances, t_of_folds
from errbar.needs import FOLDS
from errbar.plans import KFold
from errbar.result import Estimand, Note


@register(
    "cv-t",
    pointwise=True,
    default_plan=KFold(repeats=2),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    scaled=True,
    allowance=True,
    claim="The expected loss of the learning algorithm at training size n1, from the losses of all examples.",
    formula="SE^2 = max(W/n, S_f^2/K) n/n1, t with K - 1 degrees of freedom",
    fits="r K (20 by default)",
    references=("bayle2020", "nadeau2003"),
    assumptions=(
        "The training sets add little to the variance of the estimate, beyond what the examples that are tested do.",
        "There are clearly more examples than the learner has to fit parameters.",
        "The mean of the losses is close to normal.",
    ),
)
def cv_t(losses: Losses, *, variance: str = "larger") -> Answer:
    r"""Student's t from the out-of-fold losses of K-fold cross-validation, once or repeated.

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
    K, n_train = folds.folds, losses.n_train
    of_examples, of_folds = folds.of_examples, folds.of_folds
    larger = of_examples if kind == "examples" else max(of_examples, of_folds)
    enlarged = K / (K - 1) if math.isnan(n_train) else folds.n / n_train
    n_splits = K * losses.repeats
    answer = t_of_folds(losses, folds, larger * enlarged, n_train=n_train, n_splits=n_splits)
    # Of independent losses K - 1 times the ratio is about chi-squared with K - 1 degrees of freedom, of several repeats less
    # variable. The mean of a metric of few examples varies more than its influence values tell, so nothing is said of it.
    bound = float(special.chdtri(K - 1, 0.01)) / (K - 1)
    if losses.metric is None and of_folds > bound * of_examples > 0.0:
        answer.notes = (Note("uneven-folds", ratio=of_folds / of_examples),)
    return answer
