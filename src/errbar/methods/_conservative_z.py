"""The conservative Z of Nadeau & Bengio."""

import math

from errbar import _check
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.blocks import spread_of_halves
from errbar.methods._core.layouts import Halves, halves_of
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean
from errbar.needs import TRAINING_SETS
from errbar.plans import PairedHalves as PairedHalvesPlan
from errbar.result import Estimand, Note

_ENOUGH_HALVINGS = 20
_FEW_EXAMPLES = 10


@register(
    "conservative-z",
    default_plan=PairedHalvesPlan(),
    needs=(TRAINING_SETS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    claim="The expected loss of the learning algorithm at training size n1, with the variance of the mean measured on halves of the data.",
    formula="SE = sqrt(sum_m (mu_m - mu_m^c)^2 / (2 M)), standard normal, or t with M degrees of freedom",
    fits="J + 2 M J (315 by default)",
    references=("nadeau2003",),
    assumptions=(
        "The mean varies more at the smaller training size of the halves than at n1.",
        "The mean over splits is close to normal.",
        "The differences of the halves are close to uncorrelated between halvings.",
    ),
)
def conservative_z(losses: Losses, *, reference: str = "auto") -> Answer:
    r"""Conservative Z: random splits, with a variance measured on disjoint halves of the data.

    Estimates the expected risk of the learning algorithm at training size n1 from J random splits of all data. How
    much that mean varies is measured, not assumed: the data are cut M times into two halves at random, and the same
    is done in each half with fewer training examples. The halves share no example, so their means differ as those of
    two independent data sets do. The authors conjecture that means from less data differ more, hence the name ([1]_,
    section 4.2).

    Parameters
    ----------
    losses : Losses
        Scores (or differences of scores) on splits of all data, and mean scores on both halves of M halvings.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    reference : {"auto", "normal", "t"}, default "auto"
        Reference distribution: the standard normal distribution as published, or t with M degrees of freedom, which allows for the
        variance being estimated from M numbers only. "auto" takes t below M = 20, where the normal distribution is liberal.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    InvalidInputError
        If `reference` is another word.

    See Also
    --------
    corrected_t : From the J splits alone, with the correlation taken to be n2/(n1 + n2).
    halved_kfold_t : The same idea for K-fold cross-validation.

    Notes
    -----
    With :math:`\hat\mu` the mean of the J scores, and :math:`\hat\mu_{(m)}, \hat\mu^c_{(m)}` the means on the halves of
    halving m, which are made with n1' = floor(n/2) - n2 training and the same number n2 of test examples,

    .. math:: \hat\sigma^2 = \frac{1}{2M} \sum_{m=1}^M (\hat\mu_{(m)} - \hat\mu^c_{(m)})^2, \qquad
              Z = \frac{\hat\mu - \mu_0}{\hat\sigma}

    ([1]_, section 4.2). The expectation of the first is the variance of the mean at n1'. That it is larger than the one at
    n1 is a conjecture of the authors, not a theorem. The M squared differences are nearly uncorrelated, so Z is close to t
    with M degrees of freedom where n1' is close to n1: with the normal quantile a nominal 10 % is 16.1 % for M = 5, 13.1 %
    for M = 10 and 11.6 % for M = 20.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> scores = [0.22, 0.27, 0.23, 0.31, 0.24, 0.28, 0.27, 0.25, 0.33, 0.29, 0.26]
    >>> losses = errbar.Losses(
    ...     scores,
    ...     halving=[-1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3],
    ...     half=[-1, -1, -1, 0, 1, 0, 1, 0, 1, 0, 1],
    ...     fold=[0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0],
    ...     n_train=[90] * 3 + [40] * 8,
    ...     n_test=10,
    ... )
    >>> result = errbar.methods.conservative_z(losses, reference="t")
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.24, 0.0392, 4)
    """
    halves = halves_of(losses)
    law = _check.choice(reference, ("auto", "normal", "t"), "reference")
    normal = law == "normal" or (law == "auto" and halves.halvings >= _ENOUGH_HALVINGS)
    few = normal and halves.halvings < _ENOUGH_HALVINGS
    return Answer(
        estimate=mean(halves.scores),
        se=spread_of_halves(halves),
        df=None if normal else halves.halvings,
        n_train=halves.whole.n_train,
        n_splits=halves.n_splits,
        notes=(
            *_small_halves(halves),
            *((Note("few", count=halves.halvings, what="halvings"),) if few else ()),
        ),
    )


def _small_halves(halves: Halves) -> tuple[Note, ...]:
    n_test = halves.whole.size("n_test")
    if not halves.half_train < max(0.0 if math.isnan(n_test) else n_test, _FEW_EXAMPLES):
        return ()
    return (Note("few", count=halves.half_train, what="training examples on the halves"),)
