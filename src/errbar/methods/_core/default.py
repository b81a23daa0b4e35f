"""Which method is meant where none is named: the one that the design of the numbers calls for, never the outcome."""

from dataclasses import replace

import numpy as np

from errbar.errors import UnsuitablePlanError
from errbar.methods._core.infer import averages, require_loss, suits, unsuitable
from errbar.methods._core.registry import Method, lookup
from errbar.table import LossTable

FIRST = "cv-t"
"""The method whose plan is made where neither method nor plan is named: the best of those measured with at most 30 fits."""

FOR_SCORES = "corrected-t"
"""The method for random splits, and for folds of which only the scores are known."""

_FOR_DEPENDENT = ("crossed-t", "cluster-t", "diebold-mariano")
"""Methods for what others forbid: several seeds, clusters, time. They answer where the design has these, and else are silent."""

_IN_TURN = (
    *_FOR_DEPENDENT,
    FIRST,
    FOR_SCORES,
    "paired-proportions",
    "binomial",
    "holdout-t",
    "nested-cv",
    "632-plus",
    "oob-bootstrap",
    "conservative-z",
    "halved-kfold-t",
    "replace-one",
    "wilcoxon",
    "ppi",
)


def method_for(table: LossTable) -> Method:
    """Return the first method in turn that the design of one of a table's plans calls for.

    Parameters
    ----------
    table : LossTable
        One learner is estimated, several are compared.

    Returns
    -------
    Method
        For several seeds on the same examples, for clusters and for time the method of each; for folds whose losses are known
        the t of all losses; for random splits, and for folds of which only scores are known, the corrected t; for one test set the method for pairs of error rates, or the t test; for plans that a method brings, that
        method.

    Raises
    ------
    UnsuitablePlanError
        If the design forbids every method; the message is that of the first whose plan it is,
        rather of one for plain data.
    """
    designs, learners = table.splits.designs, len(table.learners)
    zero_one = (
        table.points is not None
        and table.loss.pointwise
        and not table.blank
        and bool(np.isin(table.loss.sign * table.points, (0.0, 1.0)).all())
    )
    problem: UnsuitablePlanError | None = None
    dependent: UnsuitablePlanError | None = None
    for key in _IN_TURN:
        method = lookup(key)
        fitting = [
            replace(design, seeds=1) if averages(method, design) else design
            for position, design in enumerate(designs)
            if method.takes(design.kind, table.splits.repeats(position))
        ]
        silent = {"pair": learners < 2, "learner": learners > 1}.get(method.subject, False)
        named = method.loss is None or method.loss == table.loss.key or (zero_one and method.loss == "zero-one")
        if silent or not fitting or not named:
            continue
        for design in fitting:
            try:
                require_loss(method, table.loss)
                suits(method, design)
                return method
            except UnsuitablePlanError as error:
                if key in _FOR_DEPENDENT:
                    dependent = error
                else:
                    problem = problem or error
            except ValueError:
                continue
    raise problem or dependent or unsuitable(lookup(FIRST), designs, [1] * len(designs))
