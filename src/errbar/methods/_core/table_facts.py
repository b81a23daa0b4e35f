"""What a table tells beside its numbers: notes on features, classes and the metric, and of how many trials a metric is a share."""

import json
import math
from collections.abc import Iterator

import numpy as np

from errbar import _check
from errbar.methods._core.registry import Method
from errbar.metrics import in_words
from errbar.metrics._functions import effective_number
from errbar.result import Estimand, Note, Notes
from errbar.table import LossTable, Tested

# With fewer examples of a class, the coverage of intervals of metrics is too low.
_FEW_OF_A_CLASS = 20
# With fewer training examples for a feature, the coverage of intervals of least squares is far too low.
_FEW_FOR_A_FEATURE = 5


def notes_of_table(table: LossTable, method: Method) -> Notes:
    found: list[Note] = []
    if method.estimand is Estimand.EXPECTED_RISK and not method.naive:
        found += _of_features(table)
        # Learners that weigh classes otherwise than the loss, so that training sets add to the variance at every size; the
        # shares of the classes are nothing to a metric given the class.
        reweighted = _told(table, "reweighted")
        if reweighted and not (method.learning or table.loss.given_class):
            found.append(Note("reweighted-classes", learners=reweighted))
    if seeded := _told(table, "seeded"):
        found.append(Note("fixed-seed", learners=seeded))
    weights = table.splits.designs[0].weights
    if weights is not None and table.cells is not None:
        own = weights[np.unique(table.cells.example)]
        as_many = f"as much as {effective_number(own):.1f} of {own.size} examples of equal weight"
        found.append(Note("read", weights=[as_many]))
    if not (table.loss.pointwise or table.loss.of_losses or table.blank):
        found += _of_metric(table, method)
    return tuple(found)


def _of_features(table: LossTable) -> Iterator[Note]:
    # The largest training sets are those of the outer folds, where there are inner ones.
    features, trained = int(table.provenance.get("features", 0)), float(table.splits.n_train.max())
    counted, target = "in all", table.target
    if target is not None and target.classes is not None:
        counts = np.bincount(target.values, minlength=target.n_classes)
        trained *= counts.min() / counts.sum()
        counted = "of the rarest class"
    if _FEW_FOR_A_FEATURE * features > trained:  # false where the sizes are not known
        yield Note("many-features", features=features, trained=round(trained), counted=counted)


def _told(table: LossTable, fact: str) -> list[str]:
    """Return the learners of which a run has told something."""
    told = json.loads(table.provenance.get(fact, "[]"))
    return [name for name in told if name in table.learners]


def _of_metric(table: LossTable, method: Method) -> Iterator[Note]:
    loss, target, cells = table.loss, table.target, table.cells
    if target is None or cells is None:
        return
    words, tested = in_words(loss.key), Tested(target, table.splits, cells)
    if table.scores.shape[1] > 1:
        how = "averaged over splits"
        if np.bincount(tested.together(loss.pool)).max() > 1:
            of = "all splits" if loss.pool == "splits" else "all folds of a repeat"
            how = f"computed from {of} together"
        yield Note("combined", metric=words, how=how)
    if loss.skill and tested.lacks_training(loss.pool):
        baseline = f"the baseline of {words}"
        yield Note("taken-as", what=baseline, kind="that of the test targets", say=["fold"])
    if method.metrics:
        yield Note("influence-values", metric=words)
    if target.classes is not None:
        seen = target.values[np.unique(cells.example)]
        counts = np.bincount(seen, minlength=target.n_classes)
        count = int(counts.min())
        if count < _FEW_OF_A_CLASS:
            yield Note("few-of-a-class", count=count, label=target.classes[counts.argmin()])


def trials_of(table: LossTable, learner: str) -> float:
    """Return the number of independent examples that an estimate at an edge is the share of: clusters, where examples have them.

    Of a metric that says of which examples it is a share, those; by default, those of the rarest
    class. Of examples with weights, the effective number.
    """
    loss, target, cells = table.loss, table.target, table.cells
    weights = table.splits.designs[0].weights
    if cells is None:
        return 1.0
    # Losses by the judge are not a sample of those by people.
    own = cells.example[table.splits.labels["judge"][cells.split] < 1]
    trials = 1.0
    weights = np.ones(own.size) if weights is None else weights[own]
    if loss.pointwise or loss.of_losses:
        trials = effective_number(weights)
    elif target is None or target.classes is None or table.predictions is None:
        return 1.0
    elif loss.trials is None:
        classes = target.values[own]
        of_class = [effective_number(weights[classes == k]) for k in np.unique(classes)]
        trials = min(filter(None, of_class))
    else:
        predicted = table.predictions[table.position(learner)]
        sample = loss.sample(target, target.values[own], predicted, weights=weights)
        trials = loss.trials(sample)
    clusters = table.splits.designs[0].n_clusters or math.inf
    return min(clusters, float(trials) * _check.distinct(own) / own.size)
