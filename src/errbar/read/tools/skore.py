"""Reports of skore: their models predict, their splits are exact, and nothing is fitted again.

They are more than a frame: predictions of every kind and the indices of all splits, so their table is made here.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, losses
from errbar.engine.predictions import predicted
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import CLASSIFICATION, LABEL, REGRESSION, RESPONSES, Target, target_of
from errbar.measuring import Cells, Tested, measure
from errbar.plans import Draw, Predefined, draw
from errbar.sources._columns import given_loss
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

    Reports hold the splits and the fitted models, whose predictions skore has cached. The table therefore has losses per
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
    splits = {name: _splits(one) for name, one in reports.items()}
    pairs, y = _same(splits)
    tasks = {str(one.ml_task) for one in reports.values()}
    if len(tasks) > 1:
        raise PairingError("the skore reports were made for different tasks")
    task = tasks.pop()
    if task not in _TASKS:
        raise InvalidInputError(
            f"the task of the skore report must be classification or regression of one output, got {task!r}"
        )
    target, drawn = target_of(y, _TASKS[task]), draw(Predefined(pairs, kind), y.size)
    parts = {name: getattr(one, "reports_", [one]) for name, one in reports.items()}
    if metric is not None:
        return _of_metric(parts, drawn, target, metric, label)
    found = losses.resolve(loss, target.task)
    columns, cells = (
        SplitColumns.of(drawn, target.codes),
        Cells.of([split.test for split in drawn.splits]),
    )
    predictions = tuple(_predictions(name, own, target) for name, own in parts.items())
    scores, points = measure(found, Tested(target, columns, cells), predictions, tuple(reports))
    return LossTable(tuple(reports), found, columns, scores, points, cells, predictions, target)


def _by_name(report: Any) -> dict[str, Any]:
    """Return the reports of single learners by name."""
    inside = report if isinstance(report, Mapping) else getattr(report, "reports_", None)
    if not isinstance(inside, Mapping):
        inside = {getattr(report, "estimator_name_", "report"): report}
    if not inside or not all(hasattr(one, "ml_task") for one in inside.values()):
        raise InvalidInputError(
            "must be a CrossValidationReport, EstimatorReport or ComparisonReport of skore, or a mapping "
            f"of names to such reports, got {type(report).__name__}",
            argument="report",
        )
    return {str(name): one for name, one in inside.items()}


def _splits(report: Any) -> tuple[list[tuple[NDArray[Any], NDArray[Any]]], NDArray[Any]]:
    """Return the indices of the splits, and the target of all examples."""
    what = "the target of the skore report"
    if hasattr(report, "split_indices"):
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in report.split_indices]
        return pairs, _check.categories(report.y, what)
    if report.y_train is None:
        raise InvalidInputError(
            "a skore report of an estimator that was fitted elsewhere does not tell its training size; "
            "give X_train and y_train to the report"
        )
    train, test = (_check.categories(y, what) for y in (report.y_train, report.y_test))
    places = np.arange(train.size + test.size)
    return [(places[: train.size], places[train.size :])], np.concatenate([train, test])


def _same(splits: Mapping[str, Any]) -> Any:
    """Return splits and target of the first report, which must be those of all."""
    (home, (pairs, y)), *others = splits.items()
    for name, (own, target) in others:
        if not np.array_equal(y, target):
            raise PairingError(f"the skore reports of {home!r} and {name!r} have different targets")
        parts = [
            (a, b)
            for one, two in zip(pairs, own, strict=False)
            for a, b in zip(one, two, strict=True)
        ]
        if len(pairs) != len(own) or not all(np.array_equal(a, b) for a, b in parts):
            raise PairingError(
                f"the skore reports of {home!r} and {name!r} were made on different splits; give all "
                "the same splitter with a random_state"
            )
    return pairs, y


def _predictions(name: str, parts: Any, target: Target) -> dict[str, NDArray[Any]]:
    """Return all kinds of prediction that the models of all splits can give, one row per cell."""
    models = [part.estimator_ for part in parts]
    kinds = [
        kind
        for kind, response in RESPONSES.items()
        if kind == LABEL
        or (target.classes is not None and all(hasattr(model, response) for model in models))
    ]
    try:
        each = [predicted(part.estimator_, part.X_test, target, tuple(kinds)) for part in parts]
    except ValueError as error:
        raise InvalidInputError(f"skore report of {name!r}: {error}") from None
    return {kind: np.concatenate([one[kind] for one in each]) for kind in kinds}


def _of_metric(
    parts: Mapping[str, Any], drawn: Draw, target: Target, metric: str, label: Any
) -> LossTable:
    """Return the table of one of skore's own numbers per split."""
    rows = {name: [_summary(part, metric, label) for part in own] for name, own in parts.items()}
    directions = {row["greater_is_better"] for own in rows.values() for row in own}
    if directions not in ({True}, {False}):
        raise PairingError(
            f"the skore reports do not tell, or agree, whether a higher {metric!r} is better"
        )
    scores = [
        _check.vector([row["score"] for row in own], f"{metric} of {name}", "split")
        for name, own in rows.items()
    ]
    loss = given_loss(metric, higher_is_better=bool(directions.pop()), pointwise=False)
    return LossTable(
        tuple(parts), loss, SplitColumns.of(drawn, target.codes), loss.sign * np.stack(scores)
    )


def _summary(part: Any, metric: str, label: Any) -> dict[str, Any]:
    """Return skore's row of one metric of one split."""
    _check.choice(metric, part.metrics.available(), "metric")
    rows = part.metrics.summarize(metric=metric).summary.astype(object)
    # One of these columns tells the class or output that a number belongs to.
    keys = [rows[name] for name in ("label", "output", "average") if name in rows]
    keyed = rows.assign(key=None)
    for key in reversed(keys):
        keyed["key"] = key.where(key.notna(), keyed["key"])
    chosen = keyed if label is None else keyed[keyed["key"] == label]
    if len(chosen) != 1:
        listed = ", ".join(map(repr, keyed["key"]))
        raise InvalidInputError(
            f"the metric {metric!r} has one number for each of {listed}; name one with `label`, got {label!r}"
        )
    found: dict[str, Any] = chosen.iloc[0].to_dict()
    return found
