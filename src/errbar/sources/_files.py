"""Tables from CSV and Parquet files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray, IntArray
from errbar.errors import InvalidInputError
from errbar.plans._kinds import DATA_SETS
from errbar.result import Note
from errbar.sources._columns import (
    annotated,
    as_stated,
    direction_of,
)
from errbar.sources._complete import complete
from errbar.sources._dependence import refuse_dependent
from errbar.sources._frames import read_frame
from errbar.sources._long_hint import refuse_long
from errbar.sources._losses import from_losses
from errbar.sources._repeated_rows import refuse_repeated_rows
from errbar.sources._roles_named import proposed
from errbar.sources._scores import MANY_ANSWERS, STATED, from_scores
from errbar.sources._sheets import Sheet, tidied
from errbar.table import LossTable

OF_EXAMPLES = ("fold", "repeat", "inner", "example", "seed", "answer", "groups", "time")
_OF_SPLITS = ("fold", "repeat", "halving", "half", "seed", "groups", "time")
_SPLIT = ("repeat", "fold", "inner", "halving", "half", "seed")
MOST_LEARNERS = 1000


def read_scores(
    path: str | Path,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    pointwise: bool = False,
    metric: str | None = None,
    kind: str | None = None,
    higher_is_better: bool | None = None,
    roles: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    missing: str | None = None,
) -> LossTable:
    """Read a table from a CSV (also .gz, .xz) or Parquet file; needs pandas.

    Cells are separated by commas, or by semicolons or tabs where the header has no comma. One column per learner. The optional
    columns ``repeat``, ``fold``, ``inner``, ``halving``, ``half``, ``example``, ``seed``, ``n_train`` and ``n_test`` describe the
    rows, unless they hold fractions: then they are learners, with a note. A column ``dataset`` says that a row is a data set; with
    ``kind="data-sets"`` several rows of one are averaged. Columns called ``run``, ``trial``, ``split``, ``iteration``, ``epoch``, ``sample``,
    ``answer``, ``attempt``, ``id``, ``index``, ``random_state``, ``group``, ``time``, ``date``, ``year``, ``question``, ``item``,
    ``passage``, ``task``, ``category``, ``subject``, ``patient`` or ``cluster``, those whose names end in ``_id``, and columns that number
    the rows in their order from 0 or 1 on, are no learners either; a note names them. Nor is a first column of text that names the rows.
    Rows called ``mean``, ``std`` and the like that stand first or last, or among numbered folds, are summaries and left out, of cells such
    as ``0.91 ± 0.02`` or ``91 %`` the first number is read, and a table with a row for each ``model`` and a column for each fold is read on
    its side; notes say so. A column ``metric`` with one value names the numbers. A row is one split, unless there is a column ``example`` or
    `roles` names groups, several rows share a repeat and fold, the numbers are 0 and 1 and nothing is said of splits, or `pointwise` is
    true: then a row is one test example.

    Parameters
    ----------
    path : str or Path
        File to read.
    n_train, n_test : float, optional
        Sizes of the splits, where the file has no columns for them.
    pointwise : bool, default False
        Whether a row is one test example even where the columns do not say so.
    metric : str, optional
        Name of the number, for reports.
    kind : {"subsampling", "kfold", "5x2", "holdout", "other"}, optional
        Kind of plan, for one row per split.
    higher_is_better : bool, optional
        Whether larger numbers are better. By default as the name `metric` says, such as ``"accuracy"``, and else not; a note says so,
        unless `metric` is the name of one of our losses.
    roles : mapping of str to str, optional
        Which column holds what, by what it is: ``fold``, ``repeat``, ``example``, ``seed``, ``answer``, ``groups`` or ``time``, such
        as ``{"groups": "patient"}``.
    names : sequence of str, optional
        The columns of learners, where the file has others that are no labels.
    missing : {"learners", "examples"}, optional
        What is left out where a cell is empty, as for `read_long`: the learner, or the example or split. By default nothing, and
        every cell must be filled.

    Returns
    -------
    LossTable
        One learner per column.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or a cell is missing or not a number.
    """
    roles = dict(roles or {})
    _refuse_examples(roles, kind)
    examples = pointwise or bool({"example", "answer", "groups"} & set(roles))
    sheet = _read(path, roles, names, missing, kind=kind, examples=examples)
    columns, labels, notes, metric = sheet.learners, sheet.labels, sheet.notes, metric or sheet.metric
    if sheet.kind != kind:
        kind, notes = sheet.kind, (*notes, Note("taken-as", what="each row", kind="a data set", say=["kind"]))
    higher = as_stated(metric, higher_is_better=higher_is_better)
    numbers = np.stack(list(columns.values()))
    called: dict[str, Any] = {
        "metric": metric or ("score" if higher else "loss"),
        "higher_is_better": higher,
        "names": list(columns),
    }
    if not (pointwise or labels or kind or n_train or n_test) and _are_answers(numbers):
        pointwise = True
        notes = (*notes, Note("taken-as", what="each row", kind="a test example", say=["kind"]))
    split = _split_of(labels, numbers.shape[1])
    shared = int(split.max()) + 1 < split.size
    if shared and not pointwise and "example" not in labels:
        notes = (*notes, _rows_as_examples(sheet, split, (*roles.values(), *columns), path))
    if kind != DATA_SETS and (pointwise or {"example", "answer", "groups"} & set(labels) or shared):
        refuse_repeated_rows(sheet.whole, labels, {*roles.values(), *columns})
        table = _of_examples(numbers.T, labels, n_train, called)
        if shared and not pointwise and n_test is not None:
            _require_size(table, n_test, path)
    else:
        known: dict[str, Any] = {name: labels[name] for name in _OF_SPLITS if name in labels}
        known |= {"n_train": labels.get("n_train", n_train), "n_test": labels.get("n_test", n_test)}
        table = from_scores(numbers.T, kind=kind, **called, **known)
    refuse_dependent(numbers, sheet.whole, (*roles, *roles.values(), *columns), names)
    direction = direction_of(
        metric, higher_is_better=higher_is_better, points=table.scores if table.points is None else table.points
    )
    return annotated(table, (*notes, *direction))


def _of_examples(
    numbers: FloatArray, labels: Mapping[str, Any], n_train: float | None, called: Mapping[str, Any]
) -> LossTable:
    if "n_train" in labels:
        n_train = float(_check.vector(labels["n_train"], "n_train", "row").mean())
    known: dict[str, Any] = {name: labels[name] for name in OF_EXAMPLES if name in labels}
    return from_losses(numbers, n_train=n_train, **called, **known)


def _refuse_examples(roles: Mapping[str, str], kind: str | None) -> None:
    """Raise if a kind of splits is none, or a role of test examples is stated of data sets."""
    if kind is not None:
        _check.choice(kind, STATED, "kind")
    for role in ("example", "answer"):
        if kind == DATA_SETS and role in roles:
            raise InvalidInputError(
                "was given, and data sets have one score each: leave it out, or `kind`", argument=role
            )


def by_column(roles: Mapping[str, str], frame: Any, path: str | Path) -> dict[str, str]:
    """Return what the columns hold, by their names."""
    found: dict[str, str] = {}
    for role, name in roles.items():
        if name not in frame.columns:
            raise InvalidInputError(
                f"{path} has no column {name!r}; it has {', '.join(map(repr, map(str, frame.columns)))}"
            )
        if name in found:
            raise InvalidInputError(
                f"column {name!r} was given as {found[name]} and as {role}; one of the two is wrong"
            )
        found[name] = role
    return found


def _require_size(table: LossTable, n_test: float, path: str | Path) -> None:
    """Raise if splits do not have as many rows as they test examples: the rows are no examples then."""
    rows = table.splits.n_test
    if (rows != n_test).any():
        raise InvalidInputError(
            f"{path}: several rows share a split, so that a row is one test example, and a split then tests {rows[0]:g} and not "
            f"`n_test` = {n_test:g}; where a row is a split, say which column holds the `repeat`, or the `seed`"
        )


def _are_answers(numbers: FloatArray) -> bool:
    """Tell whether numbers are right and wrong answers to many examples, and no scores."""
    return numbers.shape[1] >= MANY_ANSWERS and bool(np.isin(numbers, (0.0, 1.0)).all() and np.ptp(numbers))


def _read(
    path: str | Path, roles: Mapping[str, str], names: Sequence[str] | None, missing: str | None, **known: Any
) -> Sheet:
    """Return what a file holds, with the numbers of the learners as such."""
    if known["kind"] is not None:
        _check.choice(known["kind"], STATED, "kind")
    frame, told = read_frame(path)
    sheet = tidied(frame, str(path), by_column(roles, frame, path), names, **known)
    sheet = sheet if missing is None else _without_gaps(sheet, missing, examples=known["examples"])
    require_learners(sheet.learners, path, "numbers")
    if any(column.dtype.kind not in "biuf" for column in sheet.learners.values()):
        refuse_long({str(name): frame[name] for name in frame}, str(path))
    whole = {str(name): frame[name] for name in frame}
    numbers = {
        name: _numeric_column(column, name, str(path), whole, known["kind"]) for name, column in sheet.learners.items()
    }
    return sheet._replace(learners=numbers, notes=(*told, *sheet.notes))


def _without_gaps(sheet: Sheet, missing: str, *, examples: bool) -> Sheet:
    """Return a sheet without learners that lack a number, or without the examples, or splits, that some learner lacks."""
    there = np.stack([column.notna().to_numpy() for column in sheet.learners.values()])
    example = sheet.labels.get("example", np.arange(there.shape[1]) if examples else None)
    codes = None if example is None else np.unique(example, return_inverse=True)[1].ravel()
    kept = complete(list(sheet.learners), there, lambda row: f"row {row + 2} of the file", codes, missing)
    names = [name for i, name in enumerate(sheet.learners) if i in kept.learners]
    return sheet._replace(
        learners={name: sheet.learners[name].iloc[kept.cells] for name in names},
        labels={role: values[kept.cells] for role, values in sheet.labels.items()},
        whole=sheet.whole.iloc[kept.cells],
        notes=(*sheet.notes, *kept.notes),
    )


def require_learners(learners: Mapping[str, Any], path: str | Path, what: str) -> None:
    """Raise unless there are learners, not too many, each with a name."""
    nameless = [name for name in learners if name.startswith("Unnamed: ")]
    if nameless:
        raise InvalidInputError(
            f"{path}: column {int(nameless[0].split()[1]) + 1} has no name; "
            "name every learner, and write frames with index=False"
        )
    if len(learners) > MOST_LEARNERS:
        raise InvalidInputError(
            f"{path} has {len(learners):,} columns of {what}; at most {MOST_LEARNERS:,} learners can be compared"
        )
    if not learners:
        raise InvalidInputError(f"{path}: there is no column with a learner's {what}")


def require_filled(column: Any, name: str, path: str | Path, remedy: str = "") -> None:
    """Raise if a cell of a column is empty."""
    missing = column.isna().to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise InvalidInputError(
            f"{path}: column {name!r} has no value in row {row + 2} of the file; every cell must be filled{remedy}"
        )


def _numeric_column(column: Any, name: str, path: str, whole: Mapping[str, Any], kind: str | None) -> FloatArray:
    require_filled(column, name, path, "" if kind else ", or say with --missing examples that such rows are left out")
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    numbers = _check.package("pandas", "app").to_numeric(column, errors="coerce").isna()
    row = int(np.flatnonzero(numbers)[0])
    start = f"{path}: column {name!r} holds {column.iloc[row]!r} in row {row + 2} of the file, and that of a learner holds numbers"
    if not numbers.all():
        raise InvalidInputError(f"{start}; mend this cell, or say with --columns (`names`) which columns are learners")
    if kind == DATA_SETS:
        raise InvalidInputError(
            f"{start}; a row is a data set here and a column a learner, so turn a long table first, such as with pandas.DataFrame.pivot_table, "
            "or name the learners with --columns (`names`)"
        )
    raise InvalidInputError(
        f"{start} (1 and 0 for right and wrong); where it names the learner of each row, use errbar test with --learner {name!r} and "
        f"--value, or `errbar.read_long`; where it describes the rows, say {proposed(name, whole)}; else say with --columns "
        "(`names`) which columns are learners"
    )


def _split_of(labels: Mapping[str, Any], rows: int) -> IntArray:
    """Return the code of each row's split; without labels of splits, every row is one of its own."""
    known = [np.asarray(labels[name], dtype=str) for name in _SPLIT if name in labels]
    return np.unique(np.stack(known), axis=1, return_inverse=True)[1].ravel() if known else np.arange(rows)


def _rows_as_examples(sheet: Sheet, split: IntArray, taken: Sequence[str], path: str | Path) -> Note:
    """Say that rows are read as test examples, since several share a split.

    Raises
    ------
    InvalidInputError
        If a column such as ``run`` has each of its values once in every split: no test example is in every split, so rows are scores.
    """
    free = [name for name in sheet.whole.columns if name not in taken] if split.size == len(sheet.whole) else []
    for name in free:
        codes, values = sheet.whole[name].factorize()
        cells = _check.distinct(codes, split)
        if len(values) > 1 and cells == split.size == len(values) * (int(split.max()) + 1):
            raise InvalidInputError(
                f"{path}: every split has a row for each value of {name!r}; say what that column holds: the `repeat` of a partition, "
                "the `seed` of a refit, or the test `example`"
            )
    return Note("taken-as", what="each row", kind="a test example", say=["repeat"])
