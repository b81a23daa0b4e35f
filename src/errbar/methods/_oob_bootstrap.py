"""The out-of-bag bootstrap of Efron & Tibshirani."""

from errbar.methods._core.answer import Answer
from errbar.methods._core.out_of_bag import OUT_OF_BAG, out_of_bag
from errbar.methods._core.registry import register
from errbar.methods.inputs import OutOfBag
from errbar.plans import Bootstrap


@register(
    "oob-bootstrap",
    **OUT_OF_BAG,
    default_plan=Bootstrap(),
    claim="The expected loss of the learning algorithm trained on bootstrap samples, that is on about 0.632 n distinct examples.",
    formula="SE^2 = n/n_usable sum D_i^2, D_i the influence of example i by the delta method, standard normal",
    fits="B (200 by default)",
    references=("efron1997",),
    assumptions=(
        "The examples are independent draws from one population.",
        "There are enough bootstrap samples for the Monte-Carlo part of the variance to be small, or it is removed.",
        "The estimate is nearly normal.",
    ),
    exempt={
        "shift": (
            "the q_b of the variance vary with the number of examples out of bag, so with finitely many samples it holds "
            "some Monte-Carlo noise in proportion to the level of the losses"
        ),
    },
)
def oob_bootstrap(losses: OutOfBag, *, remove_monte_carlo: bool = True) -> Answer:
    r"""Out-of-bag bootstrap: mean loss on the examples that bootstrap samples lack.

    Every example is judged by the models whose bootstrap sample lacks it ([1]_, where it is called the leave-one-out
    bootstrap). A sample of n draws holds about 0.632 n distinct examples, so the estimate is about
    training sets that small, and is too high for a learner that still improves with more; `bootstrap_632` and
    `bootstrap_632_plus` correct for that.

    Parameters
    ----------
    losses : OutOfBag
        Losses of the model of each bootstrap sample on the examples that it lacks; of two learners for a difference.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    remove_monte_carlo : bool, default False
        Subtract from the variance the part that comes from having B samples and not infinitely many. Without this, the
        standard error is too large unless B is several times n.

    Returns
    -------
    Result
        Estimate, standard error, interval and test. The training size is the mean number of distinct examples in a
        sample. A note says where Monte-Carlo noise is more than half of the variance, and where examples were never
        out of bag.

    Raises
    ------
    InvalidInputError
        If the loss of an example that a sample lacks is missing.

    See Also
    --------
    bootstrap_632_plus : An estimate for training sets of n examples.
    nested_cv : The same question by cross-validation.
    bootstrap_benchmark : From the mean of each sample, about the samples of these very data.

    Notes
    -----
    With :math:`N_{ib}` the number of times that sample b holds example i, :math:`I_{ib} = [N_{ib} = 0]` and
    :math:`L_{ib}` the losses, :math:`E_i = \sum_b I_{ib} L_{ib} / \sum_b I_{ib}`, the estimate is the mean of the
    :math:`E_i` over the :math:`n_u` examples that some sample lacks, and ([1]_, eqs. 35
    to 40)

    .. math:: SE^2 = \frac{n}{n_u} \sum_i D_i^2, \qquad
              D_i = \Bigl(2 + \frac{1}{n-1}\Bigr) \frac{E_i - \widehat{Err}}{n}
                    + \frac{\sum_b (N_{ib} - \bar N_i)\, q_b}{\sum_b I_{ib}}, \qquad
              q_b = \frac1n \sum_i I_{ib} L_{ib}.

    The :math:`D_i` are themselves averages over B samples, and the variance that they owe to this adds to their squares.
    With :math:`U_{ib}` what sample b contributes to :math:`D_i`, so that :math:`\sum_b U_{ib} = 0`, it is estimated as
    :math:`\frac{n}{n_u} \frac{B}{B-1} \sum_{ib} U_{ib}^2`, and `remove_monte_carlo` subtracts that, unless nothing would
    be left. Losses that are all equal have standard error 0.

    References
    ----------
    .. [1] Efron & Tibshirani (1997), Journal of the American Statistical Association 92(438), 548-560.

    Examples
    --------
    >>> import errbar
    >>> counts = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
    >>> losses = [0.989, 0.398, 0.116, 0.07, 0.244, 0.792, 0.34]
    >>> bags = errbar.OutOfBag(losses, sample=[0, 0, 1, 1, 2, 2, 3], example=[1, 4, 2, 4, 0, 3, 1], counts=counts)
    >>> result = errbar.methods.oob_bootstrap(bags)
    >>> round(result.estimate, 4), round(result.se, 4)
    (0.4101, 0.1808)
    """
    return out_of_bag(losses, remove_monte_carlo=remove_monte_carlo)
