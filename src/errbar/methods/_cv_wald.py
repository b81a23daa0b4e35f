"""The cross-validation interval of Bayle et al."""

import math

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.blocks import require_one_partition
from errbar.methods._core.pivot import mean, variance as sample_variance
from errbar.methods._core.registry import register
from errbar.needs import EXAMPLES
from errbar.plans import KFold
from errbar.result import Estimand, Note
from errbar.views import PointLosses

_FOLD_MODELS = Note(
    "fold-models",
    "speaks of the mean risk of the K models that were trained; it holds for large n and stable learners",
)


@register(
    "cv-wald",
    default_plan=KFold(),
    needs=(EXAMPLES,),
    estimand=Estimand.PROXY,
    claim="The mean risk of the K fold models, for large n and learners that change little with one example.",
    formula="SE = sigma / sqrt(n), sigma^2 = mean (l_i - mean l)^2, standard normal",
    fits="K (10 by default)",
    references=("bayle2020",),
    assumptions=(
        "The learner is stable: one example more or less hardly changes the loss of the model.",
        "For a comparison, the difference of the losses is stable, relative to its own spread.",
        "There are many examples.",
    ),
    once=True,
)
def cv_wald(losses: PointLosses, *, variance: str = "all-pairs") -> Answer:
    r"""Normal interval from the out-of-fold losses of one K-fold cross-validation.

    Estimates the mean risk of the K models that were trained. Out-of-fold losses are not independent. For stable learners
    and many examples their mean behaves as if they were ([1]_, Theorems 1 to 4). For a difference the stability is needed of
    the difference: two stable learners that nearly agree need not have it.

    Parameters
    ----------
    losses : PointLosses
        One loss (or difference of losses) per example, with its fold; every example is tested once.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    variance : {"all-pairs", "within-fold"}, default "all-pairs"
        Variance estimator; the second is the unweighted mean of the folds' own variances.

    Returns
    -------
    Result
        The estimate is the mean over examples, also where folds differ in size.

    Raises
    ------
    UnsuitablePlanError
        For repeated cross-validation.
    InvalidInputError
        For ``variance="within-fold"`` where a fold has a single example, as in leave-one-out.

    See Also
    --------
    kfold_t : From the fold scores alone.
    corrected_t : A statement about the learning algorithm.

    Notes
    -----
    With l_i the n out-of-fold losses, all-pairs :math:`\hat\sigma^2 = \frac{1}{n}\sum_i (l_i - \bar l)^2` ([1]_, eq. 4.2),
    within-fold :math:`\hat\sigma^2 = \frac{1}{K}\sum_k \frac{1}{n_k-1}\sum_{i \in k} (l_i - \bar l_k)^2` ([1]_, eq. 4.1),
    and :math:`\sqrt{n}(\bar l - \mu_0)/\hat\sigma` is referred to the standard normal law.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Advances in Neural Information Processing Systems 33.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.PointLosses([0.1, 0.4, 0, 0.9, 0.3, 0.2, 0.7, 0.4], fold=[0, 0, 0, 1, 1, 1, 2, 2])
    >>> result = errbar.methods.cv_wald(losses)
    >>> round(result.low, 4), round(result.high, 4)
    (0.1798, 0.5702)
    """
    kind = _check.choice(variance, ("all-pairs", "within-fold"), "variance")
    require_one_partition(losses, "cv-wald")
    n = losses.value.size
    spread = sample_variance(losses.value, n) if kind == "all-pairs" else _within_fold(losses)
    return Answer(
        estimate=mean(losses.value),
        se=math.sqrt(spread / n),
        n_train=losses.n_train,
        n_splits=losses.folds,
        notes=(_FOLD_MODELS,),
    )


def _within_fold(losses: PointLosses) -> float:
    folds = [losses.value[losses.fold == fold] for fold in np.unique(losses.fold)]
    if min(fold.size for fold in folds) < 2:
        raise InvalidInputError("`variance` 'within-fold' needs at least two examples in every fold; try 'all-pairs'")
    return sum(sample_variance(fold) for fold in folds) / len(folds)
