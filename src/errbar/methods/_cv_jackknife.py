"""The jackknife of cross-validation that leaves out one fold after another."""

import numpy as np

from errbar._check import FloatArray
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.variance import fold_variances, nested_cells, t_of_folds
from errbar.needs import FOLDS
from errbar.plans import NestedKFold
from errbar.result import Estimand


@register(
    "cv-jackknife",
    pointwise=True,
    default_plan=NestedKFold(repeats=2),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    scaled=True,
    claim="The expected loss of the learning algorithm at training size n1, also where training sets add much to its variance.",
    formula="SE^2 = max((K - 1)/K sum (U_-g - mean)^2 - (K - 2)/K s^2, W/n), t with K - 1 degrees of freedom",
    fits="r K (K + 1) / 2 (110 by default)",
    references=("efron1981", "bates2024"),
    assumptions=(
        "Without one fold the variance is about K/(K - 1) times that with all of them.",
        "The mean of the losses is close to normal.",
    ),
)
def cv_jackknife(losses: Losses) -> Answer:
    r"""Student's t with the jackknife variance of K-fold cross-validation: one fold after another is left out.

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
    means = np.bincount(cell, losses.value).reshape(sizes.shape) / sizes  # (R, K, K)
    squared = float(np.mean([jackknife_variance(table.T) for table in means]))
    folds = fold_variances(losses)
    return t_of_folds(
        losses,
        folds,
        max(squared, folds.of_examples),
        n_train=folds.n * (1.0 - 1.0 / K),
        n_splits=R * K**2,
    )


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
