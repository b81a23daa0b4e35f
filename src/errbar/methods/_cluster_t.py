"""Student's t for examples that come in clusters."""

import math

from errbar.clusters import Units
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses
from errbar.methods._core.answer import Answer
from errbar.methods._core.declared import method
from errbar.methods._core.one_split import ONE_TRAINING_SET
from errbar.methods.variance import law_of_metric, skewed
from errbar.needs import FEWEST_CLUSTERS, FOLD_MODELS


@method("cluster-t")
def cluster_t(losses: Losses) -> Answer:
    r"""Student's t on losses whose examples come in clusters, such as rows of a patient or questions on a passage.

    :Claim: The mean loss, on examples of new clusters, of the models that were trained.
    :Formula: ``SE^2 = n^-2 sum r_g^2 / (1 - n_g/n) over clusters, t with Satterthwaite's degrees of
        freedom``
    :Fits: 1, or K (10 by default)
    :Assumption: Clusters are independent of each other; examples of a cluster may depend on each
        other in any way.
    :Assumption: No cluster is both trained on and tested.
    :Assumption: In cross-validation, the learner is stable: one cluster more or less hardly changes
        the loss of the model.
    :Sources: bell2002, pustejovsky2018, miller2024

    The variance comes from the sums of residuals of whole clusters ("CR2" of [1]_), and the degrees
    of freedom from their sizes ([2]_): few clusters, or one that holds most examples, leave few. At
    least 5 are needed. For evaluations of language models such errors are proposed in [3]_. For
    folds of whole clusters `cv_t` is the default, since it allows for other training sets: with 12
    clusters of 20 its 95 % intervals held 86 to 90.5 %, those of this method 79 to 88 %. The
    ``components`` are the squared standard error that independent examples would have,
    ``"example"``, and what the clusters add, ``"cluster"``.

    Parameters
    ----------
    losses : Losses
        One loss (or difference) per test example, with the cluster of each.

    See Also
    --------
    cv_t, holdout_t, cv_wald, crossed_t

    Notes
    -----
    With :math:`h_g = n_g/n` the share of cluster g among n examples and :math:`r_g` the sum of its
    residuals :math:`L(i) - \bar L`, :math:`SE^2 = n^{-2} \sum_g r_g^2/(1 - h_g)`, and t has
    :math:`(\sum \lambda)^2/\sum \lambda^2` degrees of freedom, with the eigenvalues :math:`\lambda`
    of :math:`D^{-1/2}(\mathrm{diag}\,h - h h')D^{-1/2}`, :math:`D = \mathrm{diag}(1 - h)`. G
    clusters of equal size have :math:`G - 1`.

    For a metric that is not a mean of losses, L(i) is the metric plus the influence value of
    example i. A metric that is averaged over folds has residuals from the metric of each fold, and
    h is the share of the cluster in its fold. Degrees of freedom are at most :math:`2G/(\kappa -
    1)`, with the kurtosis :math:`\kappa` of the sums of clusters. Of several repeats, the losses of
    each example are averaged first.

    Where the least or largest loss is known, as for the zero-one loss, the interval of a learner is
    that of t on the logit (or logarithmic) scale, carried back; that of a difference is cut at the
    ends. Where all examples have the same extreme loss, it is that of Clopper & Pearson for as many
    trials as there are clusters.

    Examples
    --------
    >>> import errbar
    >>> patient = [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    >>> losses = errbar.Losses([0.1, 0.4, 0.2, 0.9, 0.7, 0.2, 0.3, 0.4, 0.2, 0.5], group=patient)
    >>> result = errbar.methods.cluster_t(losses)
    >>> round(result.se, 4), round(result.df, 2)
    (0.1144, 3.57)
    """
    n_splits = losses.n_splits
    losses = clustered(losses)
    units = units_of(losses)
    if units.count < FEWEST_CLUSTERS:
        raise UnsuitablePlanError(
            f"method 'cluster-t' needs at least {FEWEST_CLUSTERS} clusters, got {units.count}; so few tell nothing about others"
        )
    estimate, sums = units.mean(losses.value), units.sums(losses.value)
    squared, independent = units.of_sums(sums), units.squared_error_alone(losses.value)
    answer = Answer(
        estimate,
        math.sqrt(squared),
        n_splits=n_splits,
        notes=(ONE_TRAINING_SET if n_splits == 1 else FOLD_MODELS,),
        remarks=skewed(sums, "clusters", losses.metric),
        components={"example": independent, "cluster": squared - independent},
    )
    return law_of_metric(answer, losses, sums, units.df, units.sums)


def clustered(losses: Losses) -> Losses:
    if "group" not in losses.index:
        raise InvalidInputError("is needed: the cluster of each example", argument="group")
    if losses.by_fold and losses.folds > 1 and losses.repeats > 1:
        raise InvalidInputError(
            "a metric that is averaged over folds needs a single repeat; give pool='folds', or one repeat"
        )
    return losses.by_example


def units_of(losses: Losses) -> Units:
    fold = losses.fold if losses.by_fold and losses.folds > 1 else None
    return losses.index.kept(
        ("units", fold is not None), lambda: Units.of(losses.index.codes("group"), fold)
    )
