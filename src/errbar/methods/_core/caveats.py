"""Notes that follow from the data and the metric: many features, few examples of a class, influence values."""

import json

import numpy as np

from errbar import _check
from errbar._check import listed
from errbar.losses import LABEL, Loss, in_words
from errbar.measuring import Tested
from errbar.methods._core.registry import Method
from errbar.result import Estimand, Note
from errbar.table import LossTable

_MEASURED = 7
"""Fewest examples of a class with which coverage was measured."""
_FEWER = "; with fewer nothing was measured, and intervals may be far too narrow: a class that is never recognised adds nothing to them"
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
    of_training = (*_many_features(table), *_reweighted(table)) if _leaves_out_training(spec) else ()
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
    if classes:
        text = (
            f"there are {features} features for {trained:.0f} training examples of the rarest class; 'cv-jackknife' estimates what "
            "training sets add to the variance"
        )
        return (Note("many-features", text),)
    # The atlas: docs/studies/atlas.rst.
    text = (
        f"there are {features} features for {trained:.0f} training examples; with more than one for {_ENOUGH}, the coverage of 95 % intervals was "
        "70 % for least squares and 89 % for ridge regression, with fewer it was 93 and 96 %; 'cv-jackknife' estimates what training sets add "
        "to the variance"
    )
    return (Note("many-features", text),)


def _reweighted(table: LossTable) -> tuple[Note, ...]:
    """Say which learners weigh classes otherwise than the loss, so that the training sets add to the variance at every size."""
    names = [name for name in json.loads(table.provenance.get("reweighted", "[]")) if name in table.learners]
    if not names or table.loss.given_class:  # the shares of the classes are nothing to such a metric
        return ()
    # benchmarks/reweighted.py
    text = (
        f"classes are reweighted by {listed(names, 3)}; 95 % intervals of 'cv-t' for such learners held 76 to 87 %; 'cv-jackknife' estimates "
        "what training sets add"
    )
    return (Note("reweighted-classes", text),)


def _of_metric(table: LossTable, spec: Method) -> tuple[Note, ...]:
    """Return the caveats of a metric; there are none for means of losses."""
    loss = table.loss
    if loss.pointwise or table.blank or table.target is None or table.cells is None:
        return ()
    words, tested = in_words(loss.key), Tested(table.target, table.splits, table.cells)
    found = [_combined(words, tested, loss)] if table.scores.shape[1] > 1 else []
    if loss.skill and tested.lacks_training(loss.pool):
        text = f"{words} compares with a constant from the test targets, as scikit-learn does, since the training targets are not known"
        found.append(Note("test-baseline", text))
    if spec.metrics:
        found.append(_of_influence(words, derived=not loss.influence, weighable=loss.weighable))
    return (*found, *_few(tested))


def _combined(words: str, tested: Tested, loss: Loss) -> Note:
    """Say what the metric was computed of."""
    sizes = np.bincount(tested.together(loss.pool))
    if sizes.max() == 1:
        return Note(
            "averaged",
            f"{words} is computed on each split and averaged; over small test sets such a mean may be biased (pool='splits' puts all "
            "predictions together)",
        )
    of = "all splits" if loss.pool == "splits" else "all folds of a repeat"
    text = f"{words} is computed from the predictions of {of} together, and each split contributes its part"
    ranks = "; this takes scores of different fits as comparable" if LABEL not in loss.needs else ""
    return Note("pooled", text + ranks)


def _of_influence(words: str, *, derived: bool, weighable: bool) -> Note:
    if not derived:
        text = f"{words} is not a mean of losses; its standard error comes from influence values, one per example, and is valid for large test sets"
        return Note("influence-values", text)
    how = "the weight of each example a little" if weighable else "each example out, and in twice"
    return Note(
        "influence-values",
        f"{words} got influence values, one per example, by moving {how}; they are valid for large test sets",
    )


def trials_of(table: LossTable, learner: str) -> float:
    """Return the number of examples that the metric of a learner is a share of; by default, those of the rarest class."""
    assert table.target is not None
    assert table.cells is not None
    loss, target = table.loss, table.target
    if table.predictions is None or target.classes is None:
        return 1.0
    predictions, truth = table.predictions[table.position(learner)], target.values[table.cells.example]
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
    count = int(counts[rarest])
    what = f"{count} example{'s' * (count > 1)} of class {tested.target.classes.tolist()[rarest]!r} {'are' if count > 1 else 'is'} tested"
    text = (
        f"only {what}; with 15 on average, the coverage of 95 % intervals of seven metrics was 88 to 98 %, with 7 or 8 it was 52 to 100 %, and "
        f"64 to 95 % for differences{_FEWER if count < _MEASURED else ''}"
    )
    return (Note("few-of-a-class", text),)
