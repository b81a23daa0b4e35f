"""The jackknife of repeated cross-validation that leaves out one part of the data after another, folds as they are."""

import math

import numpy as np

from errbar.methods._core.answer import Answer
from errbar.methods._core.pivot import mean, variance
from errbar.methods._core.registry import register
from errbar.needs import FOLDS
from errbar.plans import PartJackknife
from errbar.result import Estimand
from errbar.views import JackknifeMeans

# What is left when the noise of the partitions is taken out may be close to 0, or below it, by chance.
_LEAST_SHARE = 0.25


@register(
    "part-jackknife",
    default_plan=PartJackknife(),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    scaled=True,
    claim="The expected loss of the learning algorithm at training size n1, above all for learners that nearly agree.",
    formula="SE^2 = max(v - noise, v/4) + S_r^2/R, v = (G - 1)/G sum (T_g - mean T)^2, t with G - 1 degrees of freedom",
    fits="(G + 1) K R (3300 by default)",
    references=("efron1981", "shao1989"),
    assumptions=(
        "The result without a part of the data varies as the result of all data does.",
        "The result is close to normal.",
    ),
)
def part_jackknife(means: JackknifeMeans) -> Answer:
    r"""Student's t with the jackknife variance of repeated cross-validation: one part of the data after another is left out.

    Estimates the expected risk of the learning algorithm at the training size n1 of the folds. What an example does as a test example and
    what it does as a training example both show when it is left out. For two learners that nearly agree, such as two strengths
    of one regularization, the two cancel almost, so that methods which add variances of test examples have intervals that are
    several times too wide; here they are not added. By the inequality of Efron and Stein [1]_ a jackknife variance is
    too large on average rather than too small.

    Parameters
    ----------
    means : JackknifeMeans
        Results (or differences of results) of R cross-validations of all data, and without each of G parts on the same folds.
    level : float, default 0.95
        Confidence level of the interval.
    null : float, default 0.0
        Expected risk (or difference) under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis; a one-sided one gives a one-sided interval.

    Returns
    -------
    Result
        The estimate is the mean over the cross-validations of all data.

    See Also
    --------
    cv_t : The default, from far fewer fits.
    cv_jackknife : Leaves out folds, and takes no noise of partitions out.

    Notes
    -----
    With :math:`T_{gr}` the result of repeat r without part g (delete-a-group jackknife, [2]_), :math:`\bar T_g` its mean over the
    repeats, :math:`\bar T` the mean of all, and :math:`\theta_r` the results of all data,

    .. math:: v = \frac{G-1}{G} \sum_g (\bar T_g - \bar T)^2, \qquad
              SE^2 = \max\left(v - \frac{(G-1)^2}{G} \frac{s^2}{R},\ \frac{v}{4}\right) + \frac{S_\theta^2}{R},

    where :math:`s^2 = \sum_{gr} (T_{gr} - \bar T_g - \bar T_{\cdot r} + \bar T)^2 / ((G-1)(R-1))` is the noise that v has because the
    number of partitions is finite, and :math:`S_\theta^2` is the variance of :math:`\theta_r`, the noise that the estimate has for
    that reason. :math:`(\bar\theta - \mu_0)/SE` is referred to t with G - 1 degrees of freedom.

    References
    ----------
    .. [1] Efron & Stein (1981), Annals of Statistics 9(3), 586-596.
    .. [2] Shao & Wu (1989), Annals of Statistics 17(3), 1176-1197.

    Examples
    --------
    >>> import errbar
    >>> means = errbar.JackknifeMeans([0.2, 0.22], [[0.21, 0.23], [0.19, 0.2], [0.2, 0.22]], n_train=90)
    >>> result = errbar.methods.part_jackknife(means)
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.21, 0.0173, 2)
    """
    parts, repeats = means.value.shape
    of_parts = means.value.mean(axis=1)
    raw = (parts - 1) ** 2 / parts * variance(of_parts)
    left = means.value - of_parts[:, None] - means.value.mean(axis=0) + of_parts.mean()
    noise = (parts - 1) ** 2 / parts * float(np.square(left).sum()) / ((parts - 1) * (repeats - 1)) / repeats
    squared = max(raw - noise, _LEAST_SHARE * raw) + variance(means.whole) / repeats
    return Answer(
        estimate=mean(means.whole),
        se=math.sqrt(squared),
        df=parts - 1,
        n_train=means.n_train,
        n_splits=means.n_splits,
    )
