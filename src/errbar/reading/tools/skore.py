"""Reports of skore: their models predict, their splits are exact, and nothing is fitted again.

They are more than a frame: predictions of every kind and the indices of all splits, so their table is made here.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from errbar import _check, metrics
from errbar.design import SplitColumns
from errbar.errors import InvalidInputError, PairingError
from errbar.fits.task import predicted
from errbar.metrics import CLASSIFICATION, LABEL, REGRESSION, RESPONSES, Target, target_of
from errbar.plans import Predefined, draw
from errbar.reading.tools.sklearn import differ
from errbar.table import Cells, LossTable, Tested, measure

_TASKS = {
    "regression": REGRESSION,
    "binary-classification": CLASSIFICATION,
    "multiclass-classification": CLASSIFICATION,
}


def from_skore(
    report: Any,
    *,
    loss: Any = None,
    kind: str | None = None,
) -> LossTable:
    """Make a table from reports of skore.

    Reports hold the splits and the fitted models, which predict their test sets. So the table has
    losses per example where the loss has them, another loss costs no fit (`LossTable.with_loss`), and
    all reports are checked to have the same splits, index by index.

    Parameters
    ----------
    report : CrossValidationReport, ComparisonReport, EstimatorReport or mapping of str to report
        What ``skore.evaluate`` and ``skore.compare`` return. Single estimators are a holdout.
    loss : str, Loss or callable, optional
        As for `errbar.run`; by default zero-one for classifiers and squared-error for regressors.
    kind : {"subsampling", "other"}, optional
        Kind of plan where the splits cannot tell; see `errbar.plans.Predefined`.

    Returns
    -------
    LossTable
        Reports are learners.

    Raises
    ------
    PairingError, InvalidInputError
        If the reports were made on different splits or targets; if this is no report, its task is
        neither classification nor regression of one output, or there is no such loss.

    Examples
    --------
    >>> import errbar, skore  # doctest: +SKIP
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> report = skore.evaluate(learners, *load_iris(return_X_y=True), splitter=10)  # doctest: +SKIP
    >>> errbar.compare_table(errbar.from_skore(report))  # doctest: +SKIP
    """
    inside = report if isinstance(report, Mapping) else getattr(report, "reports_", None)
    if not isinstance(inside, Mapping):
        inside = {getattr(report, "estimator_name_", "report"): report}
    if not inside or not all(hasattr(one, "ml_task") for one in inside.values()):
        raise InvalidInputError(
            f"must be a report of skore or a mapping to such, got {type(report).__name__}",
            argument="report",
        )
    names = tuple(map(str, inside))
    facts = [_facts(one) for one in inside.values()]
    task, y, *parts = facts[0]
    for name, own in zip(names, facts, strict=True):
        if differ(own, facts[0]):
            raise PairingError(f"the report of {name!r} has other data or splits than the first")
    if str(task) not in _TASKS:
        raise InvalidInputError(
            f"a report must be of classification or regression of one output, got {task}"
        )
    target = target_of(y, _TASKS[str(task)])
    drawn = draw(Predefined(list(zip(parts[::2], parts[1::2], strict=True)), kind), y.size)
    splits = SplitColumns.of(drawn, target.codes)
    of_splits = [getattr(one, "reports_", [one]) for one in inside.values()]
    found = metrics.resolve(loss, target.task)
    cells = Cells.of([split.test for split in drawn.splits])
    predictions = tuple(_predictions(*own, target) for own in zip(names, of_splits, strict=True))
    scores, points = measure(found, Tested(target, splits, cells), predictions, names)
    return LossTable(names, found, splits, scores, points, cells, predictions, target)


def _facts(report: Any) -> list[Any]:
    what = "the target of the skore report"
    if hasattr(report, "split_indices"):
        y = _check.categories(report.y, what)
        return [report.ml_task, y, *chain.from_iterable(report.split_indices)]
    if report.y_train is None:
        raise InvalidInputError(
            "a report of skore lacks its training size; give it X_train and y_train"
        )
    train, test = (_check.categories(y, what) for y in (report.y_train, report.y_test))
    y = np.concatenate([train, test])
    return [report.ml_task, y, *np.split(np.arange(y.size), [train.size])]


def _predictions(name: str, reports: Any, target: Target) -> dict[str, Any]:
    """Return all kinds of prediction that the models of all splits can give, one row per cell."""
    kinds = tuple(
        kind
        for kind, response in RESPONSES.items()
        if target.classes is not None and all(hasattr(one.estimator_, response) for one in reports)
    )
    kinds = kinds or (LABEL,)
    try:
        each = [predicted(one.estimator_, one.X_test, target, kinds) for one in reports]
    except ValueError as error:
        raise InvalidInputError(f"skore report of {name!r}: {error}") from None
    return {kind: np.concatenate([one[kind] for one in each]) for kind in kinds}
