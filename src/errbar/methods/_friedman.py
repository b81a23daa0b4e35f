"""Friedman's test that all learners do equally well."""

import math

from errbar import _check
from errbar.methods._core.answer import GlobalAnswer
from errbar.methods._core.friedman import friedman_of, midranks
from errbar.methods._core.registry import register
from errbar.methods.distributions import DEGENERATE, mean
from errbar.methods.inputs import Blocks
from errbar.needs import DATA_SETS
from errbar.plans import Bootstrap
from errbar.result import Estimand, Note


@register(
    "friedman",
    plans=("bootstrap", "data-sets"),
    default_plan=Bootstrap(),
    needs=(DATA_SETS,),
    estimand=Estimand.PERFORMANCE,
    claim="Whether any of the learners tends to rank before another, over blocks such as bootstrap samples.",
    formula="F = (J - 1) chi2 / (J (k - 1) - chi2), chi2 Friedman's, F with k - 1 and (k - 1)(J - 1) degrees of freedom",
    fits="B (200 by default)",
    references=("friedman1937", "iman1980", "hothorn2005"),
    assumptions=(
        "The blocks are independent of each other.",
        "Within a block all orders of the learners are equally likely if no learner is better.",
    ),
    subject="all",
    partner="bootstrap-benchmark",
    pairwise=("bootstrap-benchmark", "wilcoxon"),
    pointwise=False,
)
def friedman(blocks: Blocks, *, correction: str = "iman-davenport") -> GlobalAnswer:
    r"""Friedman's test: whether all learners rank alike over the blocks.

    A block is one set of numbers that all learners have in common: a bootstrap sample in a benchmark experiment ([3]_), or
    a data set. The learners are ranked in each, and their mean ranks compared.

    Parameters
    ----------
    blocks : Blocks
        One loss per block (row) and learner (column); equal losses share the mean of their ranks.
    level : float, default 0.95
        The test is at 1 - level.
    correction : {"iman-davenport", "none"}, default "iman-davenport"
        Whether the F of Iman & Davenport is taken, which keeps the level more closely, or Friedman's chi-square, which
        is conservative.

    Returns
    -------
    GlobalResult
        Statistic, p-value, and the mean rank of each learner, 1 for one that is best in every block.

    See Also
    --------
    bootstrap_benchmark : Which pairs differ, and by how much.

    Notes
    -----
    With r_ij the rank of learner j in block i, R_j its mean over the J blocks and k learners,

    .. math:: \chi^2 = (k-1)\, \frac{J^2 \sum_j (R_j - (k+1)/2)^2}{\sum_{ij} (r_{ij} - (k+1)/2)^2},

    which without ties is :math:`\frac{12 J}{k(k+1)} \sum_j (R_j - (k+1)/2)^2` ([1]_), with k - 1 degrees of freedom, and

    .. math:: F = \frac{(J-1)\, \chi^2}{J(k-1) - \chi^2}

    with k - 1 and (k - 1)(J - 1) degrees of freedom ([2]_). Where all learners are equal in every block the statistic is
    0 and the p-value 1. The test has no direction.

    References
    ----------
    .. [1] Friedman (1937), Journal of the American Statistical Association 32(200), 675-701.
    .. [2] Iman & Davenport (1980), Communications in Statistics A9(6), 571-595.
    .. [3] Hothorn, Leisch, Zeileis & Hornik (2005), Journal of Computational and Graphical Statistics 14(3), 675-699.

    Examples
    --------
    >>> import errbar
    >>> losses = [[0.3, 0.2, 0.1], [0.4, 0.3, 0.3], [0.2, 0.3, 0.1], [0.5, 0.4, 0.2]]
    >>> result = errbar.methods.friedman(errbar.Blocks(losses))
    >>> round(result.statistic, 4), round(result.pvalue, 4), result.means
    (7.5882, 0.0227, (2.75, 2.125, 1.125))
    """
    _check.choice(correction, ("iman-davenport", "none"), "correction")
    ranks = midranks(blocks.value)
    found = friedman_of(ranks)
    statistic, pvalue = found.f, found.f_pvalue
    df: float | tuple[float, float] = (float(found.f_df[0]), float(found.f_df[1]))
    if correction == "none":
        statistic, df, pvalue = found.chi2, float(found.df), found.chi2_pvalue
    # All learners are equal in every block, or all blocks rank them alike.
    degenerate = math.isinf(statistic) or (ranks == ranks[0, 0]).all()
    data_sets = blocks.kind == "data-sets"
    notes = () if data_sets else (Note("fixed", what="data"),)
    return GlobalAnswer(
        estimand=Estimand.DATA_SETS if data_sets else None,
        n_train=blocks.n_train,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        means=tuple(mean(column) for column in ranks.T),
        n_blocks=len(ranks),
        notes=(*notes, DEGENERATE) if degenerate else notes,
    )
