"""Tables from result files of Weka's Experimenter, as CSV or ARFF."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError, PairingError
from errbar.read.scores import from_scores
from errbar.sources._columns import existing
from errbar.table import LossTable

DATA_SET, RUN, FOLD, SCHEME, OPTIONS = "Key_Dataset", "Key_Run", "Key_Fold", "Key_Scheme", "Key_Scheme_options"
SIZES = {"n_train": "Number_of_training_instances", "n_test": "Number_of_testing_instances"}
DEFAULTS = ("Percent_correct", "Root_mean_squared_error")

_SCORES = (
    "Percent_correct Number_correct Kappa_statistic IR_precision IR_recall F_measure Matthews_correlation "
    "Area_under_ROC Area_under_PRC True_positive_rate Num_true_positives True_negative_rate Num_true_negatives "
    "Correlation_coefficient KB_information KB_mean_information KB_relative_information SF_entropy_gain SF_mean_entropy_gain "
    "Coverage_of_Test_Cases_By_Regions Unweighted_macro_avg_F_measure Unweighted_micro_avg_F_measure"
)
_LOSSES = (
    "Percent_incorrect Number_incorrect Percent_unclassified Number_unclassified Mean_absolute_error "
    "Root_mean_squared_error Relative_absolute_error Root_relative_squared_error False_positive_rate "
    "Num_false_positives False_negative_rate Num_false_negatives SF_scheme_entropy SF_mean_scheme_entropy "
    "Size_of_Predicted_Regions Elapsed_Time_training Elapsed_Time_testing UserCPU_Time_training UserCPU_Time_testing "
    "UserCPU_Time_millis_training UserCPU_Time_millis_testing Elapsed_Time_millis_training "
    "Elapsed_Time_millis_testing Serialized_Model_Size Serialized_Train_Set_Size Serialized_Test_Set_Size measureTreeSize measureNumLeaves measureNumRules"
)
DIRECTIONS = dict.fromkeys(_SCORES.split(), True) | dict.fromkeys(_LOSSES.split(), False)
"""Whether a higher value is better, by column; those that begin with Weighted_avg_ are like the column without it."""

_BLANKS = ("", "?")
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)", re.IGNORECASE)


def from_weka_csv(
    path: str | Path,
    *,
    metric: str | None = None,
    data_set: str | None = None,
    higher_is_better: bool | None = None,
) -> LossTable:
    r"""Read one data set from a result file of Weka's Experimenter.

    Results of cross-validations (with ``Key_Fold``) are of kind ``"kfold"``, those of repeated random splits are
    ``"subsampling"``. With the method ``"corrected-t"`` the table gives the same test as Weka's own corrected paired
    t-test, but for the ratio of sizes: Weka divides the sum of the test sizes by that of the training sizes, errbar takes
    the mean of the ratios; they agree where all splits have the same sizes.

    Parameters
    ----------
    path : str or Path
        File in CSV or in ARFF, which the Experimenter writes unless it is told otherwise; sparse ARFF is not read.
    metric : str, optional
        Column to read; by default ``Percent_correct``, or ``Root_mean_squared_error`` where the class is a number.
    data_set : str, optional
        Which data set, where the file has several; `weka_tables` reads them all.
    higher_is_better : bool, optional
        Whether larger numbers are better; known for Weka's own columns.

    Returns
    -------
    LossTable
        One learner per scheme, by the name of its class, and its options where two schemes share the class.

    Raises
    ------
    PairingError
        If schemes were run on different runs and folds, or with different sizes.
    InvalidInputError
        If the file cannot be read, a column is missing, or a number is missing or not finite.

    See Also
    --------
    weka_tables : All data sets of a file.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import errbar
    >>> header = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,Number_of_testing_instances,Percent_correct"
    >>> rows = [
    ...     f"iris,1,{fold},weka.classifiers.{scheme},75,75,{value}"
    ...     for scheme, values in {"trees.J48": (94.7, 96.0), "rules.ZeroR": (33.3, 33.3)}.items()
    ...     for fold, value in enumerate(values, start=1)
    ... ]
    >>> file = Path(tempfile.mkdtemp()) / "iris.csv"
    >>> _ = file.write_text("\n".join([header, *rows]))
    >>> table = errbar.from_weka_csv(file)
    >>> table.learners
    ('J48', 'ZeroR')
    """
    results = _read(path)
    return _table(results, _chosen(results, data_set), metric, higher_is_better=higher_is_better)


def weka_tables(
    path: str | Path, *, metric: str | None = None, higher_is_better: bool | None = None
) -> dict[str, LossTable]:
    r"""Read all data sets from a result file of Weka's Experimenter.

    Parameters
    ----------
    path : str or Path
        File in CSV or in ARFF.
    metric : str, optional
        Column to read, the same for all data sets; by default as for `from_weka_csv`.
    higher_is_better : bool, optional
        Whether larger numbers are better; known for Weka's own columns.

    Returns
    -------
    dict of str to LossTable
        Table by data set, as `errbar.datasets.DataSets.from_tables` takes them.

    Raises
    ------
    PairingError
        If schemes were run on different runs and folds of a data set, or with different sizes.
    InvalidInputError
        If the file cannot be read, a column is missing, or a number is missing or not finite.

    See Also
    --------
    from_weka_csv : One data set.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import errbar
    >>> text = "Key_Dataset,Key_Run,Key_Scheme,Percent_correct\niris,1,trees.J48,95\niris,1,bayes.NaiveBayes,96\n"
    >>> file = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = file.write_text(text + text[text.index("iris") :].replace("iris", "wine"))
    >>> errbar.datasets.DataSets.from_tables(errbar.weka_tables(file))
    DataSets(2 data sets, 2 learners, higher is better)
    """
    results = _read(path)
    if metric is None:
        # One number for all data sets, or they could not stand side by side.
        metric = _metric(results, None, range(len(results.rows)))
    return {name: _table(results, name, metric, higher_is_better=higher_is_better) for name in _data_sets(results)}


class _Results(NamedTuple):
    """The rows of a file, as text by column."""

    path: str
    header: tuple[str, ...]
    rows: tuple[dict[str, str], ...]


def _table(results: _Results, data_set: str, metric: str | None, *, higher_is_better: bool | None) -> LossTable:
    own = [i for i, row in enumerate(results.rows) if row[DATA_SET] == data_set]
    column = _metric(results, metric, own)
    higher = _direction(column) if higher_is_better is None else _check.flag(higher_is_better, "higher_is_better")
    schemes = _schemes([results.rows[i] for i in own])
    by_scheme: dict[str, dict[tuple[int, int], int]] = {}
    for i, name in zip(own, schemes, strict=True):
        cells = by_scheme.setdefault(name, {})
        key = (_whole(results, i, RUN), _whole(results, i, FOLD) if FOLD in results.header else 0)
        if key in cells:
            raise InvalidInputError(f"{results.path}: {name!r} has run {key[0]}, fold {key[1]} of {data_set!r} twice")
        cells[key] = i
    keys = _common_keys(results, data_set, by_scheme)

    def read(column: str) -> dict[str, list[float]]:
        return {name: [_number(results, cells[key], column) for key in keys] for name, cells in by_scheme.items()}

    stated: dict[str, Any] = {
        name: _sizes(results, read(column), column) for name, column in SIZES.items() if column in results.header
    }
    if FOLD in results.header:
        stated |= {"repeat": [run for run, _ in keys], "fold": [fold for _, fold in keys]}
    return from_scores(read(column), metric=column, higher_is_better=higher, **stated)


def _common_keys(
    results: _Results, data_set: str, by_scheme: Mapping[str, Mapping[tuple[int, int], int]]
) -> list[tuple[int, int]]:
    """Return runs and folds in order, which all schemes must have."""
    (home, first), *others = by_scheme.items()
    for name, cells in others:
        odd = sorted(set(first) ^ set(cells))
        if odd:
            lacking = name if odd[0] in first else home
            place = f"run {odd[0][0]}, fold {odd[0][1]}" if FOLD in results.header else f"run {odd[0][0]}"
            raise PairingError(
                f"{results.path}: {home!r} and {name!r} were run on different splits of {data_set!r}; "
                f"{lacking!r} lacks {place}"
            )
    return sorted(first)


def _sizes(results: _Results, sizes: Mapping[str, list[float]], column: str) -> list[float]:
    """Return the sizes of the splits, which must be those of all schemes."""
    (home, first), *others = sizes.items()
    for name, other in others:
        if other != first:
            raise PairingError(f"{results.path}: {home!r} and {name!r} were run on splits of different {column}")
    return first


def _data_sets(results: _Results) -> list[str]:
    return list(dict.fromkeys(row[DATA_SET] for row in results.rows))


def _chosen(results: _Results, data_set: str | None) -> str:
    names = _data_sets(results)
    if data_set is not None:
        return _check.choice(data_set, names, "data_set")
    if len(names) > 1:
        raise InvalidInputError(
            f"{results.path} has results of {len(names)} data sets; choose one with `data_set`, such as {names[0]!r}, or "
            "read all with errbar.weka_tables"
        )
    return names[0]


def _metric(results: _Results, metric: str | None, rows: Sequence[int]) -> str:
    """Return the column to read: the one asked for, or the default that has values."""
    if metric is not None:
        return _check.choice(metric, [name for name in results.header if not name.startswith("Key_")], "metric")
    for name in DEFAULTS:
        if name in results.header and any(results.rows[i][name] not in _BLANKS for i in rows):
            return name
    raise InvalidInputError(
        f"{results.path} has no values of {' or '.join(DEFAULTS)}; name a column with `metric`, such as {results.header[-1]!r}"
    )


def _direction(metric: str) -> bool:
    # Weka writes some names with a small letter after the prefix.
    known = {name.lower(): higher for name, higher in DIRECTIONS.items()}
    found = known.get(metric.lower().removeprefix("weighted_avg_"))
    if found is None:
        raise InvalidInputError(
            f"whether a higher {metric!r} is better is not known; say so with `higher_is_better`, True or False"
        )
    return found


def _schemes(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Name the scheme of each row: its class, with package and options only where that is needed to tell two apart."""
    names = [_names_of(row) for row in rows]
    each_length = list(zip(*set(names), strict=True))
    return [
        next((name for name, all_names in zip(own, each_length, strict=True) if all_names.count(name) == 1), own[-1])
        for own in names
    ]


def _names_of(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the scheme of a row may be called, from short to long."""
    full, short = row[SCHEME], row[SCHEME].rpartition(".")[2]
    options, version = row.get(OPTIONS, "").strip(), row.get("Key_Scheme_version_ID", "")
    return short, f"{short} {options}".strip(), f"{full} {options}".strip(), f"{full} {options} {version}".strip()


def _number(results: _Results, row: int, column: str) -> float:
    text = results.rows[row][column]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        stated = "no value" if text in _BLANKS else repr(text)
        raise InvalidInputError(
            f"{results.path}: column {column!r} has {stated} in result {row + 1}, {results.rows[row][SCHEME]!r} on "
            f"{results.rows[row][DATA_SET]!r}; every value must be a finite number"
        )
    return value


def _whole(results: _Results, row: int, column: str) -> int:
    value = _number(results, row, column)
    if value != int(value):
        raise InvalidInputError(f"{results.path}: column {column!r} must hold whole numbers, got {value:g}")
    return int(value)


def _read(path: str | Path) -> _Results:
    """Return the rows of a CSV or ARFF file, or say in one sentence why not."""
    try:
        text = existing(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} is not a text file in UTF-8; results in CSV or ARFF are needed") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("%")]
    if not lines:
        raise InvalidInputError(f"{path} is empty")
    if lines[0].lstrip().startswith("@"):
        header, lines = _arff(lines, str(path))
        body = _cells(lines, str(path))
    else:
        body = _cells(lines, str(path))
        header = [name.strip() for name in next(body)]
    missing = [name for name in (DATA_SET, RUN, SCHEME) if name not in header]
    if missing:
        raise InvalidInputError(f"{path} is not a result file of Weka's Experimenter: it has no column {missing[0]!r}")
    rows = []
    for number, cells in enumerate(body, start=1):
        if len(cells) != len(header):
            raise InvalidInputError(
                f"{path}: result {number} has {len(cells)} values, and there are {len(header)} columns"
            )
        rows.append(dict(zip(header, (cell.strip() for cell in cells), strict=True)))
    if not rows:
        raise InvalidInputError(f"{path} has a header and no results")
    return _Results(str(path), tuple(header), tuple(rows))


def _arff(lines: list[str], path: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and the lines with the data."""
    starts = [i for i, line in enumerate(lines) if line.strip().lower() == "@data"]
    if not starts:
        raise InvalidInputError(f"{path} has no line '@data'; a complete ARFF file is needed")
    names = [found[1] for line in lines[: starts[0]] if (found := _ATTRIBUTE.match(line.strip()))]
    rows = lines[starts[0] + 1 :]
    if any(line.lstrip().startswith("{") for line in rows):
        raise InvalidInputError(f"{path} is a sparse ARFF file; save it as CSV or as plain ARFF")
    return [re.sub(r"\\(.)", r"\1", name.strip("'\"")) for name in names], rows


def _cells(lines: Sequence[str], path: str) -> Iterator[list[str]]:
    """Split rows at commas; Weka quotes with single quotes and backslashes, spreadsheets with double quotes."""
    single = any(re.search(r"(^|,)\s*'", line) for line in lines)
    form: dict[str, Any] = {"quotechar": "'", "escapechar": "\\", "doublequote": False} if single else {}
    try:
        yield from csv.reader(lines, skipinitialspace=True, strict=True, **form)
    except csv.Error as error:
        raise InvalidInputError(f"{path} cannot be read as CSV: {error}") from None
