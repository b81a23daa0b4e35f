"""The t on split scores: the naive one, and the corrected resampled t of Nadeau & Bengio."""

from collections.abc import Sequence

from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.looks import over_looks
from errbar.methods._core.registry import register
from errbar.methods.variance import SPLITS, odds_of_correlation, t_of_splits
from errbar.needs import RANDOM_SPLITS, TRAINING_SETS
from errbar.result import Note


@register(
    "corrected-t",
    **SPLITS,
    needs=(RANDOM_SPLITS,),
    references=("nadeau2003", "bouckaert2004", "jennison2000"),
)
def corrected_t(
    losses: Losses, *, correlation: float | None = None, looks: Sequence[int] | None = None
) -> Answer:
    r"""Corrected resampled t: split scores with their correlation accounted for.

    :Claim: The expected loss of the learning algorithm at training size n1, with the overlap of
        training sets accounted for.
    :Formula: ``SE^2 = S^2 (1/J + n2/n1), for stratified splits + B/n1, t with J - 1 degrees of
        freedom``
    :Fits: J (15 by default)
    :Assumption: Splits are drawn independently of each other, with the same sizes.
    :Assumption: The correlation of two split scores is n2/(n1 + n2), whatever learner and data.
    :Assumption: The mean of the split scores is close to normal.

    Estimates the expected risk of the learning algorithm at training size n1 from J splits into n1 training and n2
    test examples. The scores of two splits are correlated because the training sets overlap; the correlation is
    taken to be n2/(n1 + n2), which depends on how much is shared and not on which examples ([1]_, section 3.3).
    For r times K-fold cross-validation ([2]_) J = r K and n2/n1 = 1/(K - 1); there the correction is a heuristic.
    Stratified splits take the variation of the class shares out of S^2; it is added again, see `errbar.methods.between_strata`.

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split, with the sizes of the splits.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    correlation : float, optional
        Correlation r of two split scores, in [0, 1), instead of the one derived from the sizes. 0 gives the
        resampled t.
    looks : sequence of int, optional
        Numbers of random splits at which it was planned, before the first fit, to look at the scores, such as ``(15, 30, 60, 100)``; the
        number of scores must be one of them. Interval and p-value then hold over all looks together, whenever the splits are stopped.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    Raises
    ------
    InvalidInputError
        If neither the sizes of the splits nor `correlation` are given, or the scores are those of no planned look.

    See Also
    --------
    look_alpha : The level at each of several looks.
    resampled_t : Without the correction.
    kfold_t : A statement on one K-fold cross-validation with an assumed correlation.

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1),

    .. math:: SE = S \sqrt{\frac{1}{J} + \frac{r}{1-r}}, \qquad r = \frac{n_2}{n_1+n_2}
              \;\Rightarrow\; SE = S \sqrt{\frac{1}{J} + \frac{n_2}{n_1}},

    and :math:`(\hat\mu - \mu_0)/SE` is referred to t with J - 1 degrees of freedom. Where sizes differ between
    splits, n2/n1 is the mean over splits of the actual ratios. The estimate is the unweighted mean of the scores.

    Stratified splits keep the shares p_c of the classes, so the scores do not vary with them, and the population does.
    With I the loss minus its mean (or the influence value of a metric), :math:`B/n_1` is added to the variance, where
    :math:`B = \sum_c p_c \bar I_c^2`. It needs one loss per example; with scores alone a note says what it can amount to.

    With looks, every look has a test at one and the same level below 1 - level, `look_alpha`, so that a true null is rejected at
    any of them with probability 1 - level at most. The interval is the one at that level (a repeated confidence interval, [3]_,
    chapter 9), and the p-value the smallest level of the whole procedure at which this look rejects. Statistic and degrees
    of freedom are those of the one look.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.
    .. [2] Bouckaert & Frank (2004), PAKDD, LNCS 3056, 3-12.
    .. [3] Jennison & Turnbull (2000), Group Sequential Methods with Applications to Clinical Trials, Chapman & Hall/CRC.

    Examples
    --------
    >>> import errbar
    >>> differences = [0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01]
    >>> result = errbar.methods.corrected_t(errbar.Losses(differences, n_train=90, n_test=10))
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (2.277, 0.0488)
    """
    J = losses.splits.value.size
    odds = odds_of_correlation(losses, correlation)
    answer = t_of_splits(losses, 1.0 / J + odds)
    return answer if looks is None else over_looks(answer, losses, looks, odds)


@register(
    "resampled-t",
    **SPLITS,
    needs=(TRAINING_SETS,),
    references=("dietterich1998", "nadeau2003"),
    naive=True,
)
def resampled_t(losses: Losses) -> Answer:
    r"""Student's t on the scores of J splits, as if they were independent.

    :Claim: What most people compute, and what corrected-t corrects. Kept for study and for the
        contrast in reports.
    :Formula: ``SE = S / sqrt(J), t with J - 1 degrees of freedom``
    :Fits: J (15 by default)
    :Assumption: Split scores are independent of each other, which splits of the same data are
        not.

    Liberal: training sets overlap, so the scores are correlated, and the more splits there are the more certain
    the test becomes of differences that are not there ([1]_, section 3.2; [2]_, Table 1).

    Parameters
    ----------
    losses : Losses
        One score (or difference of scores) per split.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Mean under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        Estimate, standard error, interval and test.

    See Also
    --------
    corrected_t : The same with the correlation accounted for.

    Notes
    -----
    With S^2 the variance of the J scores (divisor J - 1), :math:`SE = S/\sqrt{J}` and
    :math:`(\hat\mu - \mu_0)/SE` is referred to t with J - 1 degrees of freedom.

    References
    ----------
    .. [1] Dietterich (1998), Neural Computation 10(7), 1895-1923.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.Losses([0.02, 0.01, 0.03, -0.01, 0.02, 0.0, 0.04, 0.01, 0.02, 0.01])
    >>> round(errbar.methods.resampled_t(losses).statistic, 4)
    3.3085
    """
    J = losses.splits.value.size
    return t_of_splits(losses, 1.0 / J, (Note("liberal", assumed="independent split scores"),))
