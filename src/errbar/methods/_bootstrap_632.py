"""The .632 bootstrap of Efron."""

from errbar.methods._core.answer import Answer
from errbar.methods._core.out_of_bag import WITH_TRAINING_ERROR, out_of_bag, training_error
from errbar.methods._core.registry import register
from errbar.methods.inputs import OutOfBag
from errbar.result import Note

_OPTIMISTIC = Note(
    "optimistic", what="a learner that fits its training examples much better", instead="'632-plus'"
)


@register(
    "632",
    **WITH_TRAINING_ERROR,
    claim="The expected loss of the learning algorithm at training size n, for learners that do not overfit.",
    formula="0.368 training error + 0.632 Err1, SE = SE(Err1) times estimate over Err1, standard normal",
    references=("efron1983", "efron1997"),
    assumptions=(
        "The examples are independent draws from one population.",
        "The learner does not overfit: its training error is not far below its error on other examples.",
        "The standard error keeps its proportion to the estimate when the training error is mixed in.",
    ),
)
def bootstrap_632(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""The .632 bootstrap: out-of-bag error and training error, mixed.

    The out-of-bag error is too high, since a bootstrap sample holds about 0.632 n distinct examples only; the training
    error of the model fitted on all n is too low. The mixture is about right for learners that do not overfit ([1]_).
    For one that fits its training examples perfectly, such as 1-nearest neighbour, it is 0.632 of the out-of-bag error
    and much too low.

    Parameters
    ----------
    losses : OutOfBag
        Losses on the examples that each sample lacks, with ``training_error``; of two learners for a difference.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    remove_monte_carlo : bool, default False
        Subtract from the variance the part that comes from having B samples and not infinitely many; see
        `oob_bootstrap`.

    Returns
    -------
    Result
        Estimate, standard error, interval and test, at training size n.

    Raises
    ------
    InvalidInputError
        If the training error is unknown, or the loss of an example that a sample lacks is missing.

    See Also
    --------
    bootstrap_632_plus : With weights that depend on how much the learner overfits.
    oob_bootstrap : Without the training error.

    Notes
    -----
    With :math:`Err_1` the out-of-bag error and :math:`err` the training error, the estimate is
    :math:`0.368\, err + 0.632\, Err_1` ([1]_; [2]_, section 3), and its standard error that of :math:`Err_1`,
    of `oob_bootstrap`, times estimate over :math:`Err_1`. For a difference each learner is estimated by itself; the
    standard error of the difference comes from the differences of the :math:`D_i` of both, each times its own learner's
    estimate over :math:`Err_1`. An out-of-bag error of 0 gives the standard error 0.

    References
    ----------
    .. [1] Efron (1983), Journal of the American Statistical Association 78(382), 316-331.
    .. [2] Efron & Tibshirani (1997), Journal of the American Statistical Association 92(438), 548-560.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> cells = {"sample": [0, 0, 1, 1, 2, 2, 3], "example": [1, 4, 2, 4, 0, 3, 1]}
    >>> result = errbar.methods.bootstrap_632(errbar.OutOfBag(losses, counts=counts, training_error=0.2, **cells))
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.3328, 0.1467)
    """
    return out_of_bag(losses, remove_monte_carlo=remove_monte_carlo, rule=_estimate)


def _estimate(error: float, losses: OutOfBag) -> tuple[float, tuple[Note, ...]]:
    return 0.368 * training_error(losses, "632") + 0.632 * error, (_OPTIMISTIC,)
