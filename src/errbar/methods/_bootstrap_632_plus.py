"""The .632+ bootstrap of Efron & Tibshirani."""

from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.out_of_bag import WITH_TRAINING_ERROR, out_of_bag, training_error
from errbar.methods._core.registry import register
from errbar.methods.inputs import OutOfBag
from errbar.result import Note

_CAPPED = Note("out-of-bounds", quantity="out-of-bag error", used="the no-information rate")


@register(
    "632-plus",
    **WITH_TRAINING_ERROR,
    claim="The expected loss of the learning algorithm at training size n, also for learners that overfit.",
    formula="(1 - w) training error + w Err1, w = .632/(1 - .368 R), SE = SE(Err1) times estimate over Err1, standard normal",
    references=("efron1997",),
    assumptions=(
        "The examples are independent draws from one population.",
        "How much a learner overfits shows in its errors, between the training error and the no-information rate.",
        "The standard error keeps its proportion to the estimate when the training error is mixed in.",
    ),
)
def bootstrap_632_plus(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""The .632+ bootstrap: out-of-bag error and training error, mixed by how much the learner overfits.

    As `bootstrap_632`, but the more a learner overfits, the more weight the out-of-bag error gets. Overfitting is measured
    by where the out-of-bag error lies between the training error and the no-information rate: what the learner's
    predictions would lose if they had nothing to do with the targets ([1]_, section 3).

    Parameters
    ----------
    losses : OutOfBag
        Losses on the examples that each sample lacks, with ``training_error`` and ``no_information``; of two learners
        for a difference.
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
        Estimate, standard error, interval and test, at training size n. A note says where a learner does worse than its
        no-information rate.

    Raises
    ------
    InvalidInputError
        If the training error or the no-information rate is unknown, or the loss of an example that a sample lacks is
        missing.

    See Also
    --------
    bootstrap_632 : With fixed weights.
    oob_bootstrap : Without the training error.
    nested_cv : The same question by cross-validation.

    Notes
    -----
    With :math:`Err_1` the out-of-bag error, :math:`err` the training error of the model fitted on all examples, and
    :math:`\gamma` its mean loss over all pairs of a target with a prediction ([1]_, section 3),

    .. math:: Err_1' = \min(Err_1, \gamma), \qquad R' = \frac{Err_1' - err}{\gamma - err}
              \text{ if } Err_1, \gamma > err, \text{ else } 0,

    .. math:: \widehat{Err} = 0.368\, err + 0.632\, Err_1 + (Err_1' - err) \frac{0.368 \cdot 0.632\, R'}{1 - 0.368 R'},

    which is :math:`(1 - w)\, err + w\, Err_1` with :math:`w = 0.632/(1 - 0.368 R')` where :math:`Err_1 \le \gamma`. The
    standard error is that of :math:`Err_1`, of `oob_bootstrap`, times estimate over :math:`Err_1`. For a difference each
    learner is estimated by itself; the standard error of the difference comes from the differences of the :math:`D_i` of
    both, each times its own learner's estimate over :math:`Err_1`. An out-of-bag error of 0 gives the standard error 0.

    References
    ----------
    .. [1] Efron & Tibshirani (1997), Journal of the American Statistical Association 92(438), 548-560.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> known = {"sample": [0, 0, 1, 1, 2, 2, 3], "example": [1, 4, 2, 4, 0, 3, 1], "counts": counts}
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> bags = errbar.OutOfBag(losses, **known, training_error=0.2, no_information=0.5)
    >>> result = errbar.methods.bootstrap_632_plus(bags)
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.3789, 0.167)
    """
    return out_of_bag(losses, remove_monte_carlo=remove_monte_carlo, rule=_estimate)


def _estimate(error: float, losses: OutOfBag) -> tuple[float, tuple[Note, ...]]:
    training, chance = training_error(losses, "632-plus"), _no_information(losses)
    capped = min(error, chance)
    overfit = (
        min(1.0, (capped - training) / (chance - training))
        if min(error, chance) > training
        else 0.0
    )
    more = (capped - training) * 0.368 * 0.632 * overfit / (1.0 - 0.368 * overfit)
    return 0.368 * training + 0.632 * error + more, (_CAPPED,) if error > chance else ()


def _no_information(losses: OutOfBag) -> float:
    if losses.no_information is None:
        raise InvalidInputError(
            "is needed by method '632-plus', and nobody knows how to compute this rate for the loss; try '632', "
            "'oob-bootstrap', or the option over_pairs of errbar.metrics.Loss",
            argument="no_information",
        )
    return losses.no_information
