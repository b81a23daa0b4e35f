"""Reports of skore: their models predict, their splits are exact, and nothing is fitted again.

They are more than a frame: predictions of every kind and the indices of all splits, so their table is made here.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, metrics
from errbar.engine.predictions import predicted
from errbar.errors import InvalidInputError, PairingError
from errbar.measuring import Cells, Tested, measure
from errbar.metrics import CLASSIFICATION, LABEL, REGRESSION, RESPONSES, Target, target_of
from errbar.plans import Predefined, draw
from errbar.read.direction import given_loss
from errbar.split_columns import SplitColumns
from errbar.table import LossTable

_TASKS = {
    "regression": REGRESSION,
    "binary-classification": CLASSIFICATION,
    "multiclass-classification": CLASSIFICATION,
}


def from_skore(
    report: Any,
    *,
    loss: Any = None,
    metric: str | None = None,
    label: Any = None,
    kind: str | None = None,
) -> LossTable:
    """Make a table from reports of skore.

    Reports hold the splits and the fitted models, which predict their test sets. The table therefore has losses per
    example where the loss has them, another loss costs no fit (`LossTable.with_loss`), and that all reports were made on
    the same splits is checked index by index.

    Parameters
    ----------
    report : CrossValidationReport, ComparisonReport, EstimatorReport or mapping of str to report
        What ``skore.evaluate`` and ``skore.compare`` return. Reports of single estimators are a holdout.
    loss : str, Loss or callable, optional
        Loss key, scikit-learn scorer name or callable, as for `errbar.run`; by default zero-one for classifiers and
        squared-error for regressors.
    metric : str, optional
        A metric of skore instead, also one of your own that was added to the report: one number per split, as
        ``report.metrics.summarize`` computes it.
    label : label, optional
        Which class or output, where the metric has a number for each.
    kind : {"subsampling", "other"}, optional
        States the kind of plan where the splits cannot tell; see `errbar.plans.Predefined`.

    Returns
    -------
    LossTable
        Reports are learners.

    Raises
    ------
    PairingError
        If the reports were made on different splits or different targets.
    InvalidInputError
        If this is no report, its task is neither classification nor regression of one output, or there is no such
        loss or metric.

    See Also
    --------
    from_cross_validate : The same from scikit-learn alone.

    Examples
    --------
    >>> import errbar, skore  # doctest: +SKIP
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    >>> report = skore.evaluate(learners, X, y, splitter=splitter)  # doctest: +SKIP
    >>> table = errbar.from_skore(report)  # doctest: +SKIP
    >>> errbar.compare_table(table, method="cv-wald").pairs[0].adjusted  # doctest: +SKIP
    0.3...
    """
    if loss is not None and metric is not None:
        raise InvalidInputError(f"give either `loss` or `metric`, got {loss!r} and {metric!r}")
    reports = _by_name(report)
    pairs, y, task = _of_all(reports)
    target, drawn = target_of(y, task), draw(Predefined(pairs, kind), y.size)
    parts = {name: getattr(one, "reports_", [one]) for name, one in reports.items()}
    splits = SplitColumns.of(drawn, target.codes)
    if metric is not None:
        numbers = {
            name: [_number(part, metric, label) for part in own] for name, own in parts.items()
        }
        directions = {higher for own in numbers.values() for _, higher in own}
        if directions not in ({True}, {False}):
            raise PairingError(
                f"the skore reports do not tell whether a higher {metric!r} is better"
            )
        given = given_loss(metric, higher_is_better=directions == {True}, pointwise=False)
        own = [_check.vector([x for x, _ in own], name, "split") for name, own in numbers.items()]
        return LossTable(tuple(reports), given, splits, given.sign * np.stack(own))
    found = metrics.resolve(loss, target.task)
    cells = Cells.of([split.test for split in drawn.splits])
    predictions = tuple(_predictions(name, own, target) for name, own in parts.items())
    scores, points = measure(found, Tested(target, splits, cells), predictions, tuple(reports))
    return LossTable(tuple(reports), found, splits, scores, points, cells, predictions, target)


def _by_name(report: Any) -> dict[str, Any]:
    """Return the reports of single learners by name."""
    inside = report if isinstance(report, Mapping) else getattr(report, "reports_", None)
    if not isinstance(inside, Mapping):
        inside = {getattr(report, "estimator_name_", "report"): report}
    if not inside or not all(hasattr(one, "ml_task") for one in inside.values()):
        raise InvalidInputError(
            "must be a report of skore (EstimatorReport, CrossValidationReport, ComparisonReport), or a "
            f"mapping of names to such reports, got {type(report).__name__}",
            argument="report",
        )
    return {str(name): one for name, one in inside.items()}


def _of_all(reports: Mapping[str, Any]) -> tuple[list[tuple[Any, Any]], NDArray[Any], str]:
    """Return splits, target and task, which must be the same for all reports."""
    found = [(str(one.ml_task), *_splits(one)) for one in reports.values()]
    task, y, pairs = found[0]
    for name, (own_task, target, own) in zip(reports, found, strict=True):
        same = own_task == task and np.array_equal(target, y) and len(own) == len(pairs)
        parts = zip(chain(*own), chain(*pairs), strict=False)
        if not same or not all(np.array_equal(a, b) for a, b in parts):
            raise PairingError(
                f"the skore report of {name!r} has other splits, or another target, than the first; give "
                "all the same data, and the same splitter with a random_state"
            )
    if task not in _TASKS:
        raise InvalidInputError(
            f"a skore report must be of classification or regression of one output, got {task!r}"
        )
    return pairs, y, _TASKS[task]


def _splits(report: Any) -> tuple[NDArray[Any], list[tuple[Any, Any]]]:
    """Return the target of all examples, and the indices of the splits."""
    what = "the target of the skore report"
    if hasattr(report, "split_indices"):
        return _check.categories(report.y, what), list(report.split_indices)
    if report.y_train is None:
        raise InvalidInputError(
            "a skore report of an estimator that was fitted elsewhere does not tell its training size; "
            "give X_train and y_train to the report"
        )
    train, test = (_check.categories(y, what) for y in (report.y_train, report.y_test))
    places = np.arange(train.size + test.size)
    return np.concatenate([train, test]), [(places[: train.size], places[train.size :])]


def _predictions(name: str, parts: Any, target: Target) -> dict[str, NDArray[Any]]:
    """Return all kinds of prediction that the models of all splits can give, one row per cell."""
    able = [
        kind
        for kind, response in RESPONSES.items()
        if target.classes is not None and all(hasattr(part.estimator_, response) for part in parts)
    ]
    kinds = tuple(able) or (LABEL,)
    try:
        each = [predicted(part.estimator_, part.X_test, target, kinds) for part in parts]
    except ValueError as error:
        raise InvalidInputError(f"skore report of {name!r}: {error}") from None
    return {kind: np.concatenate([one[kind] for one in each]) for kind in kinds}


def _number(part: Any, metric: str, label: Any) -> tuple[float, Any]:
    """Return skore's number of one metric on one split, and whether higher is better."""
    _check.choice(metric, part.metrics.available(), "metric")
    rows = part.metrics.summarize(metric=metric).summary
    # One of these columns tells the class or output that a number belongs to.
    columns = [name for name in ("label", "output", "average") if name in rows]
    keys = [next(iter(row.dropna()), None) for _, row in rows[columns].iterrows()]
    chosen = rows if label is None else rows[[key == label for key in keys]]
    if len(chosen) != 1:
        raise InvalidInputError(
            f"the metric {metric!r} has a number for each of {keys}; name one with `label`, got {label!r}"
        )
    return chosen["score"].iloc[0], chosen["greater_is_better"].iloc[0]
