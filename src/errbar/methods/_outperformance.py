"""The probability that one learner outperforms another, after Bouthillier et al."""

from errbar import _check, _rng
from errbar.losses import Losses
from errbar.methods._core.answer import Answer, Asked
from errbar.methods._core.registry import register
from errbar.methods._core.resample import bootstrap_means
from errbar.methods.distributions import DEGENERATE, Bootstrapped, mean, percentile
from errbar.needs import TRAINING_SETS
from errbar.plans import Bootstrap
from errbar.result import Estimand, Interval, Note


@register(
    "outperformance",
    default_plan=Bootstrap(repeats=30),
    needs=(TRAINING_SETS,),
    estimand=Estimand.PERFORMANCE,
    references=("bouthillier2021",),
    subject="pair",
    partner="bootstrap-benchmark",
    quantity="probability that the first does better",
    own_units=True,
    null=0.5,
    exempt={
        "sign-flip": "exchanging the learners takes the probability from 1, and does not negate it",
        "pvalue-at-the-ends": "a bootstrap distribution has finitely many values, so p-values jump at the ends",
        "sides-add-up": "shares of wins equal to the null count on both sides",
    },
)
def outperformance(
    losses: Losses,
    *,
    threshold: float = 0.75,
    resamples: int = 10_000,
    random_state: int = 0,
) -> Answer:
    r"""Probability of outperforming: in how many paired runs the first learner does better.

    :Claim: The probability that the first learner does better than the second in a run on
        resampled data.
    :Formula: ``share of paired runs won, ties count half, percentile bootstrap of the runs``
    :Fits: J (30 by default)
    :Assumption: The runs vary every source of randomness: the split, the initialisation, the
        seed of a search.
    :Assumption: The runs are independent of each other, given the data.

    Both learners are run J times, each time with another resample of the data and other seeds, the same for both. The
    probability that the first does better is estimated by its share of wins ([1]_). The estimate is a
    probability and not in units of the loss; larger is better for the first learner, whether the number itself is a loss
    or a score.

    Parameters
    ----------
    losses : Losses
        Loss of the first learner minus loss of the second, for each bootstrap sample (run).
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.5
        Probability under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.
    threshold : float, default 0.75
        The probability gamma, in [0.5, 1], that an improvement should be able to reach to be meaningful.
    resamples : int, default 10000
        Number of bootstrap resamples of the runs.
    random_state : int, default 0
        Root of the random numbers; the same one gives the same numbers.

    Returns
    -------
    Result
        Probability, its bootstrap standard error, percentile interval and test. The note ``verdict`` says whether it
        is significant, and meaningful.

    Raises
    ------
    InvalidInputError
        If an option cannot be used.

    See Also
    --------
    corrected_t : By how much one learner is better, in units of the loss.
    bootstrap_benchmark : The mean difference over bootstrap samples.

    Notes
    -----
    With d_j the difference of run j,

    .. math:: \hat p = \frac1J \sum_j \left([d_j < 0] + \tfrac12 [d_j = 0]\right).

    The runs are resampled with replacement, so the numbers of wins, ties and losses follow a multinomial law.
    The interval is that between quantiles of the resampled shares, and a null is rejected where at most that many of them
    lie beyond it. With the two-sided interval at `level`, whatever the alternative, the first learner is *significantly*
    better if the lower end exceeds 0.5, and *meaningfully* so if besides the upper end exceeds gamma ([1]_).

    The estimand is the distribution of performance over resamples of these data, not the risk on new ones: with more runs
    the interval shrinks to a point, while the data stay the same.

    References
    ----------
    .. [1] Bouthillier et al. (2021), Proceedings of Machine Learning and Systems 3, 747-769.

    Examples
    --------
    >>> import errbar
    >>> differences = [-0.02, -0.01, 0.01, -0.03, 0.0, -0.02, -0.01, -0.04, 0.02, -0.01]
    >>> result = errbar.methods.outperformance(errbar.Losses(differences))
    >>> result.estimate, round(result.low, 2), round(result.high, 2), result.notes[0].numbers["verdict"]
    (0.75, 0.5, 1.0, 'not significant')
    """
    threshold = _check.between(threshold, 0.5, 1.0, "threshold")
    resamples = _check.count(resamples, "resamples", 2)
    rng = _rng.stream(_rng.root(random_state), "outperformance")
    d = losses.splits.value
    wins = (d < 0.0) + 0.5 * (d == 0.0)
    sample = Bootstrapped(mean(wins), bootstrap_means(wins, resamples, rng))
    law = percentile(sample)

    def remarks(asked: Asked, _: Interval) -> tuple[Note, ...]:
        low, high = law.interval(asked.level, "two-sided")
        verdict = "not significant"
        if low > 0.5:
            verdict = (
                "significant and meaningful" if high > threshold else "significant, not meaningful"
            )
        note = Note("verdict", low=low, high=high, verdict=verdict, threshold=threshold)
        return (note, DEGENERATE) if sample.se == 0.0 else (note,)

    return Answer(
        estimate=sample.estimate,
        se=sample.se,
        n_train=losses.n_train,
        n_splits=d.size,
        law=law,
        remarks=remarks,
    )
