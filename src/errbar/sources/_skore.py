"""Tables from skore's reports: predictions and exact splits are read, and nothing is fitted again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar import _check, losses
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import CLASSIFICATION, LABEL, PROBABILITY, REGRESSION, RESPONSES, Target, target_of
from errbar.measuring import Cells, Tested, measure
from errbar.plans import Draw, Predefined, draw
from errbar.read.direction import given_loss
from errbar.split_columns import SplitColumns
from errbar.table import LossTable

_WANTED = "must be a CrossValidationReport or a ComparisonReport of skore, or a mapping of names to such reports"


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
    reports = {name: _Report.of(one) for name, one in _named(report).items()}
    first = _require_same(reports)
    drawn = draw(Predefined(first.pairs, kind), first.y.size)
    if metric is not None:
        return _of_metric(reports, drawn, metric, label, first.target.codes)
    target = first.target
    found = losses.resolve(loss, target.task)
    predictions = tuple(one.predictions(target) for one in reports.values())
    cells, splits = Cells.of([split.test for split in drawn.splits]), SplitColumns.of(drawn, target.codes)
    scores, points = measure(found, Tested(target, splits, cells), predictions, tuple(reports))
    return LossTable(tuple(reports), found, splits, scores, points, cells, predictions, target)


@dataclass(frozen=True, eq=False)
class _Report:
    """What is read of a report: its splits, the target, and one report per split."""

    source: Any
    pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...]
    y: NDArray[Any]
    parts: tuple[Any, ...]

    @classmethod
    def of(cls, report: Any) -> "_Report":
        if hasattr(report, "split_indices"):
            pairs = tuple((np.asarray(train), np.asarray(test)) for train, test in report.split_indices)
            return cls(report, pairs, _values(report.y), tuple(report.reports_))
        if not hasattr(report, "get_predictions") or not hasattr(report, "y_test"):
            raise InvalidInputError(f"{_WANTED}, got {type(report).__name__}", argument="report")
        if report.y_train is None:
            raise InvalidInputError(
                "a skore report of an estimator that was fitted elsewhere does not tell how many examples it was trained "
                "on; give X_train and y_train to the report"
            )
        train, test = _values(report.y_train), _values(report.y_test)
        places = np.arange(train.size + test.size)
        return cls(report, ((places[: train.size], places[train.size :]),), np.concatenate([train, test]), (report,))

    @property
    def target(self) -> Target:
        task = str(self.source.ml_task)
        if task == "regression":
            return target_of(self.y, REGRESSION)
        if task in ("binary-classification", "multiclass-classification"):
            return target_of(self.y, CLASSIFICATION)
        raise InvalidInputError(
            f"the task of the skore report must be classification or regression of one output, got {task!r}"
        )

    def predictions(self, target: Target) -> dict[str, NDArray[Any]]:
        """Return all kinds of prediction that the models of all splits can give, one row per cell."""
        found: dict[str, NDArray[Any]] = {}
        for kind, method in RESPONSES.items():
            if kind == LABEL or (target.classes is not None and all(hasattr(p.estimator_, method) for p in self.parts)):
                try:
                    found[kind] = np.concatenate([_predicted(part, kind, target) for part in self.parts])
                except ValueError as error:
                    raise InvalidInputError(f"skore report of {self.source.estimator_name_!r}: {error}") from None
        return found


def _named(report: Any) -> dict[str, Any]:
    """Return the reports by name."""
    inside = report if isinstance(report, Mapping) else getattr(report, "reports_", None)
    if isinstance(inside, Mapping):
        if not inside:
            raise InvalidInputError(f"{_WANTED}, got an empty mapping", argument="report")
        return {str(name): one for name, one in inside.items()}
    if not hasattr(report, "estimator_name_"):
        raise InvalidInputError(f"{_WANTED}, got {type(report).__name__}", argument="report")
    return {str(report.estimator_name_): report}


def _require_same(reports: Mapping[str, _Report]) -> _Report:
    """Return the first report, after it was checked that all others have its splits and its target."""
    (home, first), *others = reports.items()
    for name, other in others:
        if len(other.pairs) != len(first.pairs):
            raise PairingError(
                f"the skore reports of {home!r} and {name!r} have different numbers of splits, {len(first.pairs)} and "
                f"{len(other.pairs)}; use the same splits for all"
            )
        if not np.array_equal(first.y, other.y) or first.source.ml_task != other.source.ml_task:
            raise PairingError(f"the skore reports of {home!r} and {name!r} were made with different targets")
        for number, (mine, theirs) in enumerate(zip(first.pairs, other.pairs, strict=True)):
            if not all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True)):
                raise PairingError(
                    f"the skore reports of {home!r} and {name!r} were made on different splits, beginning with split "
                    f"{number}; give all the same splitter with a random_state"
                )
    return first


def _values(y: Any) -> NDArray[Any]:
    if y is None:
        raise InvalidInputError("the skore report has no target; give y to the report")
    return _check.categories(y, "the target of the skore report")


def _predicted(part: Any, kind: str, target: Target) -> NDArray[Any]:
    """Return the predictions of one split as losses take them: codes of labels, and one column per class."""
    answer = part.get_predictions(data_source="test", response_method=RESPONSES[kind])
    count, array = len(part.y_test), np.asarray(answer)
    if kind == LABEL:
        return losses.labels(answer, target, count)
    known = np.asarray(part.estimator_.classes_)
    if array.ndim == 1 and part.pos_label is not None:
        # Of two classes skore tells the column of the positive one, which may be the first.
        known = np.array([*known[known != part.pos_label], part.pos_label], dtype=known.dtype)
        array = np.column_stack([1.0 - array, array]) if kind == PROBABILITY else array
    return losses.by_class(array, known, target, count, kind)


def _of_metric(reports: Mapping[str, _Report], drawn: Draw, metric: str, label: Any, classes: Any) -> LossTable:
    """Return the table of one of skore's own numbers per split."""
    read = {name: [_number(part, metric, label) for part in one.parts] for name, one in reports.items()}
    directions = {higher for own in read.values() for _, higher in own}
    if len(directions) > 1:
        raise PairingError(f"the skore reports do not agree whether a higher {metric!r} is better")
    higher = bool(directions.pop())
    values = np.array([[value for value, _ in own] for own in read.values()], dtype=np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        row, split = wrong[0]
        raise InvalidInputError(
            f"the metric {metric!r} of {list(reports)[row]!r} is {values[row, split]} on split {split}; "
            "every value must be finite"
        )
    given = given_loss(metric, higher_is_better=higher, pointwise=False)
    return LossTable(tuple(reports), given, SplitColumns.of(drawn, classes), given.sign * values)


def _number(part: Any, metric: str, label: Any) -> tuple[float, bool]:
    """Return one metric of one split, and whether higher is better."""
    known = list(part.metrics.available())
    if metric not in known:
        raise InvalidInputError(f"must be one of {', '.join(map(repr, known))}, got {metric!r}", argument="metric")
    summary = part.metrics.summarize(metric=metric).summary
    rows: Sequence[dict[str, Any]] = summary.to_dict("records")
    keys = {_key(row): row for row in rows}
    row = rows[0] if label is None and len(rows) == 1 else keys.get(label)
    if row is None:
        raise InvalidInputError(
            f"the metric {metric!r} has one number for each of {', '.join(map(repr, keys))}; name one with `label`, got {label!r}"
        )
    if row["greater_is_better"] not in (True, False):
        raise InvalidInputError(f"the skore report does not tell whether a higher {metric!r} is better")
    return float(row["score"]), bool(row["greater_is_better"])


def _key(row: Mapping[str, Any]) -> Any:
    """Return the class or output that a number belongs to."""
    given = [row.get(name) for name in ("label", "output", "average")]
    return next((value for value in given if value is not None and value == value and str(value) != "<NA>"), None)
