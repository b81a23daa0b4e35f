"""The jackknife of repeated cross-validation that leaves out parts of the data, folds as they are."""

import math

import numpy as np

from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.registry import register
from errbar.methods.distributions import mean, variance
from errbar.needs import FOLDS
from errbar.plans import PartJackknife
from errbar.result import Estimand


@register(
    "part-jackknife",
    default_plan=PartJackknife(),
    needs=(FOLDS,),
    estimand=Estimand.EXPECTED_RISK,
    learning=True,
    scaled=True,
    references=("efron1981", "shao1989"),
)
def part_jackknife(losses: Losses) -> Answer:
    r"""Student's t with the jackknife variance of repeated cross-validation: parts of the data are left out, alone and in pairs.

    :Claim: The expected loss of the learning algorithm at training size n1, above all for
        learners that nearly agree.
    :Formula: ``SE^2 = max(w - (G - 1)/(2 G) q, w/2) + S_r^2/R, w = max(v - noise, v/4), v = (G
        - 1)/G sum (T_g - mean T)^2, q = mean (Q_g^2 - noise), t with G - 1 degrees of freedom``
    :Fits: (2 G + 1) K R (4100 by default)
    :Assumption: The result without a part of the data varies as the result of all data does.
    :Assumption: The result is close to normal.

    Estimates the expected risk of the learning algorithm at the training size n1 of the folds. What an example does as a test example and
    what it does as a training example both show when it is left out. For two learners that nearly agree, such as two strengths
    of one regularization, the two cancel almost, so that methods which add variances of test examples have intervals that are
    too wide; here they are not added. What is left comes from pairs of examples. A jackknife counts that twice [1]_; leaving
    out two parts at once shows how much it is.

    Parameters
    ----------
    losses : Losses
        Results (or differences of results) of R cross-validations of all data, without each of G parts on the same folds, and
        without each part and the next.
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
    With :math:`\theta_r` the result of repeat r on all data, :math:`T_{gr}` without part g (delete-a-group jackknife, [2]_) and
    :math:`U_{gr}` without the parts g and g + 1, bars for means over the repeats, and :math:`\bar T` the mean of all
    :math:`T_{gr}`,

    .. math:: v = \frac{G-1}{G} \sum_g (\bar T_g - \bar T)^2, \qquad
              w = \max\left(v - \frac{(G-1)^2}{G} \frac{s^2}{R},\ \frac{v}{4}\right),

    where :math:`s^2 = \sum_{gr} (T_{gr} - \bar T_g - \bar T_{\cdot r} + \bar T)^2 / ((G-1)(R-1))` is the noise that v has because the
    number of partitions is finite. Let the result be :math:`\mu + \sum_g a_g / m + \sum_{g<h} b_{gh} / m^2` on m parts. Then w is on
    average the variance of the sum of the :math:`a_g` and, to order 1/G, twice that of the sum of the :math:`b_{gh}`. The excess is
    :math:`(G-1)/(2G)` times the mean square, to order :math:`1/G^2`, of

    .. math:: Q_{gr} = G \theta_r - (G-1) (T_{gr} + T_{g+1,r}) + (G-2) U_{gr}, \qquad
              q = \frac{1}{G} \sum_g \left(\bar Q_g^2 - \frac{S_{Q,g}^2}{R}\right),

    with :math:`S_{Q,g}^2` the variance of :math:`Q_{gr}` over the repeats, which takes their noise out. A correction of this kind is that
    of [1]_. So

    .. math:: SE^2 = \max\left(w - \frac{G-1}{2G} q,\ \frac{w}{2}\right) + \frac{S_\theta^2}{R},

    at most w, where :math:`S_\theta^2` is the variance of :math:`\theta_r`, the noise of the estimate from the partitions.
    :math:`(\bar\theta - \mu_0)/SE` is referred to t with G - 1 degrees of freedom. Terms of higher order are counted more than twice and not
    taken off, so that intervals for losses with jumps, such as the error rate, are too wide.

    References
    ----------
    .. [1] Efron & Stein (1981), Annals of Statistics 9(3), 586-596.
    .. [2] Shao & Wu (1989), Annals of Statistics 17(3), 1176-1197.

    Examples
    --------
    >>> import errbar
    >>> without = [[0.21, 0.23], [0.19, 0.2], [0.2, 0.22]]
    >>> without_two = [[0.2, 0.21], [0.19, 0.2], [0.21, 0.23]]
    >>> losses = errbar.testing.forms.left_out([0.2, 0.22], without, without_two, n_train=90)
    >>> result = errbar.methods.part_jackknife(losses)
    >>> round(result.estimate, 4), round(result.se, 4), result.df
    (0.21, 0.0163, 2)
    """
    theta, T, U = results_without_parts(losses)
    G, R = T.shape
    T_g = T.mean(axis=1)
    v = (G - 1) ** 2 / G * variance(T_g)
    # The noise of the partitions: what is left of T beside parts and repeats.
    left = T - T_g[:, None] - T.mean(axis=0) + T_g.mean()
    s2 = float(np.square(left).sum()) / ((G - 1) * (R - 1))
    # Without the noise, what is left may be close to 0, or below it, by chance.
    w = max(v - (G - 1) ** 2 / G * s2 / R, v / 4)
    Q = G * theta - (G - 1) * (T + np.roll(T, -1, axis=0)) + (G - 2) * U
    q = float(np.square(Q.mean(axis=1)).mean() - Q.var(axis=1, ddof=1).mean() / R)
    # A statistic of second order alone has half the jackknife variance; more is not taken off.
    of_data = max(w - (G - 1) / (2 * G) * max(q, 0.0), w / 2)
    splits = losses.splits
    whole = (splits.index.label("part") < 0) & (splits.index.label("pair") < 0)
    return Answer(
        estimate=mean(theta),
        se=math.sqrt(of_data + variance(theta) / R),
        df=G - 1,
        n_train=splits.only(whole).n_train,
        n_splits=splits.value.size,
    )


def results_without_parts(losses: Losses) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the results of R repeats: of all data (R,), without each of G parts (G, R), and without each and the next (G, R)."""
    splits, index = losses.splits, losses.splits.index
    part, pair, repeat = index.label("part"), index.label("pair"), index.codes("repeat")
    G, R = int(part.max()) + 1, int(repeat.max()) + 1
    # What is left out, in this order: nothing, a part, a part and the next.
    left_out = np.where(pair < 0, part + 1, G + 1 + pair)
    cell = left_out * R + repeat
    counts = np.bincount(cell, minlength=(2 * G + 1) * R)
    if G < 3 or R < 2 or counts.min() == 0 or counts.size > (2 * G + 1) * R:
        raise InvalidInputError(
            "cross-validations without parts of the data are needed, in at least two repeats, as plan PartJackknife() makes them"
        )
    by_size = "n_test" in index and losses.is_mean
    weight = index["n_test"] if by_size else np.ones(cell.size)
    results = np.bincount(cell, splits.value * weight) / np.bincount(cell, weight)
    results = results.reshape(2 * G + 1, R)
    return results[0], results[1 : G + 1], results[G + 1 :]
