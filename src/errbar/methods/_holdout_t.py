"""Paired t on the losses of one held-out test set."""

import math

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET, ONE_TRAINING_SET, require_one_split
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance
from errbar.methods.variance import law_of_metric


@register(
    "holdout-t",
    pointwise=True,
    **ONE_TEST_SET,
    references=("nadeau2003", "agresti2005"),
)
def holdout_t(losses: Losses) -> Answer:
    r"""Student's t on the test losses of a single split.

    :Claim: The mean loss, on new examples, of the one model (or the difference of the two
        models) that was trained.
    :Formula: ``SE = sd(losses) / sqrt(n2), t with n2 - 1 degrees of freedom``
    :Fits: 1
    :Assumption: Test examples are independent of each other and of the training set.
    :Assumption: The mean of the test losses is close to normal.

    Estimates the risk of the very models that were trained on the n1 training examples. It takes no account of
    what another training set would have given, so as a statement about the learning algorithm it is liberal
    (called "t-test (McNemar)" in Table 1 of [1]_).

    Parameters
    ----------
    losses : Losses
        One loss (or difference of losses) per test example of one split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean loss under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    UnsuitablePlanError
        If the losses come from more than one split.

    See Also
    --------
    cv_wald : The same question answered with every example tested once.
    corrected_t : A statement about the learning algorithm.

    Notes
    -----
    With L(i) the n2 losses, :math:`SE = \sqrt{\frac{1}{n_2(n_2-1)} \sum_i (L(i) - \bar L)^2}` and
    :math:`(\bar L - \mu_0)/SE` is referred to t with n2 - 1 degrees of freedom.

    For a metric that is not a mean of losses, L(i) is the metric plus the influence value of example i, and t has
    :math:`2 n_2/(\kappa - 1)` degrees of freedom if these are fewer, with the kurtosis :math:`\kappa` of the influence values
    (not for shares such as a recall). Where these are fewer than 15, interval and test of a difference of metrics of labels, such
    as F1, take :math:`SE^2 + (\max_i |I_i| / n_2)^2` for the squared error, with the largest influence value on either of the
    two: few examples carry the variance, and one more could change it ([2]_ do so for paired shares).

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), section 3.
    .. [2] Agresti & Min (2005), Statistics in Medicine 24(5), 729-740.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.holdout_t(errbar.Losses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4]))
    >>> round(result.estimate, 3), round(result.se, 4), result.df
    (0.375, 0.1065, 7)
    """
    require_one_split(losses, "holdout-t")
    n, estimate = losses.value.size, mean(losses.value)
    se = math.sqrt(variance(losses.value) / n)
    law = law_of_metric(losses, estimate, se, losses.value - estimate, n - 1)
    return Answer(
        estimate=estimate,
        se=se,
        df=law.df,
        n_train=losses.n_train,
        law=law.law,
        statistic=law.statistic,
        notes=(ONE_TRAINING_SET, *law.notes),
    )
