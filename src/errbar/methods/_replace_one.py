"""The replace-one variance of cross-validation of Austern & Zhou."""

import math

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.index import compact
from errbar.losses import Losses, difference
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.needs import EXAMPLES
from errbar.plans import ReplaceOne
from errbar.result import Estimand, Note


@register(
    "replace-one",
    default_plan=ReplaceOne(),
    needs=(EXAMPLES,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    references=("austern2020", "efron1981"),
)
def replace_one(losses: Losses, *, factor: float = 0.25) -> Answer:
    r"""Normal interval for cross-validation, with a variance from replacing single examples.

    :Claim: The expected loss at training size n - n/K, with a variance from replacing one
        example after another.
    :Formula: ``SE = S / sqrt(n), S^2 = (n/4) sum_i (mu_0 - mu_i)^2 over the n/2 examples of a
        half, standard normal``
    :Fits: 2 K + m (K - 1) for m replaced examples (410 by default)
    :Assumption: The learner is stable: replacing one example changes the mean loss by an amount
        of order 1/n.
    :Assumption: n is large enough for the mean of the cross-validation to be normal.
    :Assumption: Half the data show how much the mean varies at n.

    The mean of a cross-validation is a function of n independent examples, and the variance of such a function can be
    estimated from how much it changes when one of them is replaced by a fresh one. Fresh ones are found in the second
    half of the data, so the changes are measured on a cross-validation of the first half ([1]_).

    Parameters
    ----------
    losses : Losses
        Mean loss (or difference) of the cross-validation of all data, of half of it, and of that half with one example
        after another replaced.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    factor : float, default 0.25
        Positive factor of the sum: 1/4 is what the inequality of Efron and Stein gives ([2]_), 1/2 is as published.

    Returns
    -------
    Result
        The estimate is the mean over the examples of the cross-validation of all data.

    Raises
    ------
    InvalidInputError
        If `factor` is not positive.

    See Also
    --------
    cv_wald : A variance from the losses of one cross-validation, for the mean risk of its models.
    nested_cv : The risk of the model fitted on all data.

    Notes
    -----
    With mu_0 the mean of the cross-validation of the n/2 examples of the first half and mu_i the mean with example i
    replaced,

    .. math:: S^2 = \frac{n}{4} \sum_{i=1}^{n/2} (\mu_0 - \mu_i)^2, \qquad SE = S/\sqrt{n},

    and :math:`(\hat\mu - \mu_0^*)/SE` with null value :math:`\mu_0^*` is referred to the standard normal distribution. Half the sum
    bounds the variance of the mean over n/2 examples ([2]_), which is twice that over n: hence the 1/4. Where only m of
    the n/2 examples were replaced the sum is scaled up by (n/2)/m. In [1]_ the factor is 1/2.

    References
    ----------
    .. [1] Austern & Zhou (2020), Asymptotics of cross-validation, arXiv:2001.11111.
    .. [2] Efron & Stein (1981), Annals of Statistics 9(3), 586-596.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.testing.forms.replaced(0.43, 0.33, [0.45, 0.22, 0.52], n=6)
    >>> round(errbar.methods.replace_one(losses).se, 4)
    0.1251
    """
    weight = _check.positive(factor, "factor")
    splits, n = losses.splits, losses.examples
    half, replaced = splits.index.label("half"), splits.index.label("replaced")
    if half.min() >= 0 or replaced.max() < 0 or n is None:
        raise InvalidInputError(
            "cross-validation with replaced examples is needed, as plan ReplaceOne() makes it"
        )
    # Cross-validations in this order: of all data, of half of them, and of this half with one example after another replaced.
    run = compact(np.where(half < 0, 0, replaced + 2))
    sizes = splits.index.get("n_test", np.ones(run.size))
    mu = np.bincount(run, splits.value * sizes) / np.bincount(run, sizes)
    mu_0, mu_i = mu[1], mu[2:]
    possible = n // 2
    # Where only some are replaced, they stand for all; no squares, which would leave the range.
    S = math.hypot(*difference(mu_i, np.full(mu_i.size, mu_0)).tolist())
    notes: tuple[Note, ...] = ()
    if mu_i.size != possible:
        left_out = f"{possible - mu_i.size} of {possible} examples"
        notes = (Note("left-out", what=[left_out], why="not being replaced"),)
    return Answer(
        estimate=float(mu[0]),
        se=math.sqrt(weight * possible / mu_i.size) * S,
        n_train=splits.only(half < 0).n_train,
        n_splits=int((half < 0).sum()) * (mu_i.size + 2),
        notes=notes,
    )
