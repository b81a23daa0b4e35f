"""Whether several models err equally often on the same examples."""

import numpy as np
from scipy import special

from errbar.methods._core.answer import GlobalAnswer
from errbar.methods._core.one_split import ONE_TEST_SET
from errbar.methods._core.registry import register
from errbar.methods.distributions import DEGENERATE
from errbar.methods.inputs import Blocks, require_zero_one


@register(
    "cochran-q",
    **ONE_TEST_SET,
    claim="Whether the models that were trained all have the same error rate on new examples.",
    formula="Q = (k - 1) (k sum C_j^2 - T^2) / (k T - sum R_i^2), chi-square with k - 1 degrees of freedom",
    references=("cochran1950",),
    assumptions=(
        "The test examples are independent draws, and every model was tested on all of them.",
        "Many examples are judged differently by the models: some 24 or more answers on such examples.",
    ),
    subject="all",
    partner="mcnemar",
    pointwise=True,
    loss="zero-one",
)
def cochran_q(blocks: Blocks) -> GlobalAnswer:
    r"""Cochran's Q test that several models have the same error rate.

    It extends McNemar's test to k models on the same N test examples, and like it is about the models that were trained.

    Parameters
    ----------
    blocks : Blocks
        Losses that are 0 or 1: a row per test example, a column per learner.
    level : float, default 0.95
        The test is at 1 - level.

    Returns
    -------
    GlobalResult
        The statistic Q with k - 1 degrees of freedom, the p-value of the hypothesis that all error rates are equal, and
        the error rates as means. Where every example is judged alike by all models Q is 0, p is 1, and a note says so.

    Raises
    ------
    InvalidInputError
        If a loss is neither 0 nor 1.

    See Also
    --------
    mcnemar : Two models; the chi-square without correction is Q for k = 2.
    paired_proportions : How far two error rates are apart.

    Notes
    -----
    With column sums C_j, row sums R_i and their total T,

    .. math:: Q = \frac{(k-1) \left(k \sum_j C_j^2 - T^2\right)}{k T - \sum_i R_i^2}

    ([1]_). Time and memory are linear in the number of losses, N k.

    References
    ----------
    .. [1] Cochran (1950), Biometrika 37, 256-266.

    Examples
    --------
    >>> import errbar
    >>> blocks = errbar.Blocks([[0, 0, 1], [1, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 0]])
    >>> result = errbar.methods.cochran_q(blocks)
    >>> result.statistic, result.df, round(result.pvalue, 4)
    (4.5, 2.0, 0.1054)
    """
    require_zero_one(blocks.value)
    n, k = blocks.value.shape
    errors = blocks.value.astype(np.int64)
    columns, rows = errors.sum(axis=0), errors.sum(axis=1)  # C_j, R_i
    total = int(rows.sum())
    between = k * int(columns @ columns) - total**2
    within = k * total - int(rows @ rows)
    statistic = (k - 1) * between / within if within else 0.0
    return GlobalAnswer(
        n_train=blocks.n_train,
        statistic=statistic,
        df=float(k - 1),
        pvalue=float(special.chdtrc(k - 1, statistic)),
        means=tuple((columns / n).tolist()),
        n_blocks=n,
        notes=() if within else (DEGENERATE,),
    )
