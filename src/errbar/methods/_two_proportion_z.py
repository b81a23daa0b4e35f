"""Difference of two error rates on different test examples."""

import math

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.methods._core.answer import Answer
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods._core.registry import register
from errbar.methods.inputs import TwoSamples
from errbar.result import Note

_SAME_EXAMPLES = Note(
    "taken-as",
    what="examples of both models",
    kind="different ones, and they are the same",
    say=["mcnemar", "paired-proportions"],
)


@register(
    "two-proportion-z",
    **ONE_TEST_SET,
    subject="pair",
    partner="binomial",
    loss="zero-one",
    claim="The difference in error rate of the two models that were trained, each tested on examples of its own.",
    formula="z = (e1 - e2) / sqrt(e1 (1 - e1) / n_1 + e2 (1 - e2) / n_2), standard normal",
    references=("mitchell1997", "dietterich1998"),
    assumptions=(
        "The two models were tested on different examples, all drawn independently.",
        "Both test sets are large enough for a normal approximation: some ten errors and ten hits in each.",
    ),
)
def two_proportion_z(samples: TwoSamples, *, null: float = 0.0, pooled: bool = False) -> Answer:
    r"""Normal test and interval for the difference of two error rates on different examples.

    Estimates the difference in risk of the two models that were trained ([1]_, section 5.5). On examples that both were
    tested on it neglects what the errors have in common, and is not valid ([2]_, section 3.2).

    Parameters
    ----------
    samples : TwoSamples
        Error rates e1 and e2, and the numbers n_1 and n_2 of test examples.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Difference of error rates under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    pooled : bool, default False
        Whether the variance is that of two equal error rates, for statistic, standard error and interval. This goes
        with a `null` of 0 only.

    Returns
    -------
    Result
        The estimate is e1 - e2. The interval is not cut at -1 and 1, so that it goes with the test.

    Raises
    ------
    InvalidInputError
        If `pooled` is asked for with another `null` than 0.

    See Also
    --------
    mcnemar : Two models on the same examples.
    paired_proportions : Interval for two models on the same examples.
    binomial : One error rate.

    Notes
    -----
    With :math:`\bar e = (n_1 e_1 + n_2 e_2)/(n_1 + n_2)`,

    .. math:: SE^2 = \frac{e_1(1-e_1)}{n_1} + \frac{e_2(1-e_2)}{n_2}, \qquad
              SE_{pooled}^2 = \bar e (1 - \bar e) \left(\frac{1}{n_1} + \frac{1}{n_2}\right),

    and :math:`(e_1 - e_2 - \mu_0)/SE` is referred to the standard normal distribution ([1]_, eqs. 5.12 and 5.13). With ``"greater"``,
    1 - p is the confidence that the first model errs more.

    References
    ----------
    .. [1] Mitchell (1997), Machine Learning, chapter 5.
    .. [2] Dietterich (1998), Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> import errbar
    >>> result = errbar.methods.two_proportion_z(errbar.TwoSamples(0.3, 100, 0.2, 100), alternative="greater")
    >>> round(result.se, 6), round(result.statistic, 6), round(1 - result.pvalue, 6)
    (0.060828, 1.64399, 0.949911)
    """
    if _check.flag(pooled, "pooled") and null != 0.0:
        raise InvalidInputError(
            f"must be 0 with pooled=True, which takes the error rates as equal, got {null!r}",
            argument="null",
        )
    e1, n_1 = samples.error_1, samples.n_1
    e2, n_2 = samples.error_2, samples.n_2
    if pooled:
        e = (n_1 * e1 + n_2 * e2) / (n_1 + n_2)
        variance = e * (1.0 - e) * (1.0 / n_1 + 1.0 / n_2)
    else:
        variance = e1 * (1.0 - e1) / n_1 + e2 * (1.0 - e2) / n_2
    return Answer(
        estimate=e1 - e2,
        se=math.sqrt(variance),
        n_train=samples.n_train,
        notes=(_SAME_EXAMPLES,) if samples.same_examples else (),
    )
