"""Notes that follow from the data and the metric: many features, few examples of a class, influence values."""

import json

import numpy as np

from errbar import _check
from errbar.measuring import Tested
from errbar.methods._core.registry import Method
from errbar.metrics import Loss, in_words
from errbar.result import Estimand, Note
from errbar.table import LossTable

FEW = 20
"""With fewer examples of a class, the coverage of intervals of metrics is too low."""
_ENOUGH = 5
"""With fewer training examples for a feature, the coverage of intervals of least squares is far too low."""


def caveats(table: LossTable, spec: Method) -> tuple[Note, ...]:
    """Return the caveats of the data and the metric of a table of one plan.

    Parameters
    ----------
    table : LossTable
        Numbers of one plan.
    spec : Method
        The method that is applied to them.
    """
    of_training = (
        (*_many_features(table), *_reweighted(table)) if _leaves_out_training(spec) else ()
    )
    return (*of_training, *_of_metric(table, spec))


def _leaves_out_training(spec: Method) -> bool:
    """Tell whether a method is about the learning algorithm, and does not estimate what training sets add to the variance."""
    return spec.estimand is Estimand.EXPECTED_RISK and not spec.learning and not spec.naive


def _many_features(table: LossTable) -> tuple[Note, ...]:
    """Say that the training sets may add more to the variance than the method allows for."""
    features, trained = int(table.provenance.get("features", 0)), float(table.splits.n_train.mean())
    classes = table.target is not None and table.target.classes is not None
    if classes:
        assert table.target is not None
        counts = np.bincount(table.target.values, minlength=table.target.n_classes)
        trained *= counts.min() / counts.sum()
    if not _ENOUGH * features > trained:  # also where the sizes are not known
        return ()
    counted = "of the rarest class" if classes else "in all"
    return (Note("many-features", features=features, trained=round(trained), counted=counted),)


def _reweighted(table: LossTable) -> tuple[Note, ...]:
    """Say which learners weigh classes otherwise than the loss, so that the training sets add to the variance at every size."""
    names = [
        name
        for name in json.loads(table.provenance.get("reweighted", "[]"))
        if name in table.learners
    ]
    if (
        not names or table.loss.given_class
    ):  # the shares of the classes are nothing to such a metric
        return ()
    return (Note("reweighted-classes", learners=names),)


def _of_metric(table: LossTable, spec: Method) -> tuple[Note, ...]:
    """Return the caveats of a metric; there are none for means of losses."""
    loss = table.loss
    if loss.pointwise or table.blank or table.target is None or table.cells is None:
        return ()
    words, tested = in_words(loss.key), Tested(table.target, table.splits, table.cells)
    found = [_combined(words, tested, loss)] if table.scores.shape[1] > 1 else []
    if loss.skill and tested.lacks_training(loss.pool):
        found.append(
            Note(
                "taken-as",
                what=f"the baseline of {words}",
                kind="that of the test targets",
                say=["fold"],
            )
        )
    if spec.metrics:
        found.append(Note("influence-values", metric=words))
    return (*found, *_few(tested))


def _combined(words: str, tested: Tested, loss: Loss) -> Note:
    """Say what the metric was computed of."""
    sizes = np.bincount(tested.together(loss.pool))
    if sizes.max() == 1:
        return Note("combined", metric=words, how="averaged over splits")
    of = "all splits" if loss.pool == "splits" else "all folds of a repeat"
    return Note("combined", metric=words, how=f"computed from {of} together")


def trials_of(table: LossTable, learner: str) -> float:
    """Return the number of examples that the metric of a learner is a share of; by default, those of the rarest class."""
    assert table.target is not None
    assert table.cells is not None
    loss, target = table.loss, table.target
    if table.predictions is None or target.classes is None:
        return 1.0
    predictions, truth = (
        table.predictions[table.position(learner)],
        target.values[table.cells.example],
    )
    repeats = truth.size / _check.distinct(table.cells.example)
    # Examples of a cluster agree with each other, so a cluster is one trial at the most.
    most = table.splits.designs[0].n_clusters or np.inf
    if loss.trials is not None:
        return min(most, loss.trials(loss.sample(target, truth, predictions)) / repeats)
    counts = np.bincount(truth, minlength=target.n_classes)
    return min(most, float(counts[counts > 0].min()) / repeats)


def units_of(table: LossTable) -> float:
    """Return the number of clusters of the examples; without clusters, the number of examples."""
    clusters = table.splits.designs[0].n_clusters
    if clusters or table.cells is None:
        return clusters
    # Losses by the judge are not a sample of those by people.
    own = table.splits.labels["judge"][table.cells.split] < 1
    return _check.distinct(table.cells.example[own])


def _few(tested: Tested) -> tuple[Note, ...]:
    """Say that few examples of a class were tested."""
    if tested.target.classes is None:
        return ()
    seen = np.zeros(tested.target.values.size, dtype=bool)
    seen[tested.cells.example] = True
    counts = np.bincount(tested.target.values[seen], minlength=tested.target.n_classes)
    rarest = int(counts.argmin())
    if counts[rarest] >= FEW:
        return ()
    return (
        Note(
            "few-of-a-class",
            count=int(counts[rarest]),
            label=tested.target.classes.tolist()[rarest],
        ),
    )
