"""Result files of Weka's Experimenter, as CSV or ARFF."""

import csv
import re
from pathlib import Path
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError, one_line
from errbar.losses import SIZES
from errbar.reading.sheet import Labels, existing, role_of
from errbar.reading.table import read_table
from errbar.table import LossTable

_DATA_SET, _SCHEME = "Key_Dataset", "Key_Scheme"
_DEFAULTS = ("Percent_correct", "Root_mean_squared_error")

# Words in the names of Weka's columns; those of losses come first, since incorrect holds correct.
_LOSS = "incorrect|unclassified|error|false|scheme_entropy|size|time|measurenum"
_SCORE = (
    "correct|kappa|precision|recall|f_measure|correlation|area_under|true|information|gain|coverage"
)
_ATTRIBUTE = r"(?im)^@attribute\s+['\"]?([^'\"\s]+)"
# Weka quotes with single quotes and backslashes, spreadsheets with double quotes.
_QUOTED: Labels = {"quotechar": "'", "escapechar": "\\", "doublequote": False}


def weka_tables(
    path: str | Path, *, metric: str | None = None, higher_is_better: bool | None = None
) -> dict[str, LossTable]:
    r"""Read the data sets of a result file of Weka's Experimenter; needs pandas.

    Results with ``Key_Fold`` are of kind ``"kfold"``, others ``"subsampling"``. ``"corrected-t"`` is
    Weka's own corrected paired t-test [1]_, but for the ratio of sizes: Weka divides the sum of the
    test sizes by that of the training sizes, errbar takes the mean of the ratios.

    Parameters
    ----------
    path : str or Path
        File in CSV or in ARFF, the Experimenter's default; sparse ARFF is not read.
    metric : str, optional
        Column to read; by default ``Percent_correct``, or ``Root_mean_squared_error`` where the class
        is a number.
    higher_is_better : bool, optional
        Known for Weka's own columns.

    Returns
    -------
    dict of str to LossTable
        Table by data set, as `errbar.datasets.from_tables` takes them. One learner per scheme,
        by the name of its class, and its options where two schemes share it. One that lacks folds which
        others have is left out, with a note.

    Raises
    ------
    InvalidInputError
        If no two schemes were run on all runs and folds; if the file cannot be read, a column is
        missing, a number is missing or not finite, or sizes of a fold differ.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> from pathlib import Path
    >>> text = "Key_Dataset,Key_Run,Key_Scheme,Percent_correct\niris,1,trees.J48,95\niris,2,trees.J48,96\n"
    >>> characters = Path("iris.csv").write_text(text)
    >>> errbar.weka_tables("iris.csv")["iris"].learners
    ('J48',)
    """
    frame = _read(path)
    measures = [name for name in frame if not name.startswith("Key_")]
    usual = [name for name in _DEFAULTS if name in frame and not frame[name].isin(("", "?")).all()]
    metric = _check.choice(metric or "".join(usual[:1]), measures, "metric")
    if higher_is_better is None:
        loss, score = (re.search(words, metric.lower()) for words in (_LOSS, _SCORE))
        must = f"must say whether a higher {metric!r} is better"
        _check.require(loss or score, must, None, "higher_is_better")
        higher_is_better = not loss
    names = [name for name in frame if role_of(name) in ("repeat", "fold", *SIZES)]
    roles = {str(role_of(name)): name for name in names}
    if "fold" not in roles:
        roles["split"] = roles.pop("repeat")
    to_numbers = _check.package("pandas", "app").to_numeric
    # A scheme is called by its class, with options only where two are of one class.
    short = frame[_SCHEME].str.rpartition(".")[2]
    full = short + " " + frame.get("Key_Scheme_options", "")
    alone = full.groupby([frame[_DATA_SET], short]).transform("nunique") == 1
    schemes = {_SCHEME: short.where(alone, full).str.strip()}
    said: Labels = {"learner": _SCHEME, "value": metric, "metric": metric, "missing": "learners"}
    tables = {}
    for name, own in frame.groupby(_DATA_SET, sort=False):
        rows = own[[metric, *roles.values()]].apply(to_numbers, errors="coerce").assign(**schemes)
        _check.vector(rows[metric], metric, "result")
        tables[str(name)] = read_table(rows, higher_is_better=higher_is_better, **roles, **said)
    return tables


def _read(path: str | Path) -> Any:
    """Return the frame of a CSV or ARFF file, its cells as text."""
    try:
        text = existing(path).read_text(encoding="utf-8-sig")
        lines = [line for line in text.splitlines() if line.strip() and line[0] not in "%@"]
        quoted = any(re.search(r"(^|,)\s*'", line) for line in lines)
        form = _QUOTED if quoted else {}
        rows = list(csv.reader(lines, skipinitialspace=True, strict=True, **form))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInputError(f"{path} is no CSV or ARFF: {one_line(error)}") from None
    attributes = re.findall(_ATTRIBUTE, text)
    names = [name.strip() for name in attributes or (rows.pop(0) if rows else ())]
    needed = {_DATA_SET, _SCHEME, "Key_Run"} <= {*names} and rows
    if not needed or any(len(row) != len(names) for row in rows):
        raise InvalidInputError(
            f"{path} is no result file of Weka's Experimenter: it needs rows with {len(names)} values, {_DATA_SET}, Key_Run and {_SCHEME} among them"
        )
    frame = _check.package("pandas", "app").DataFrame(rows, columns=names)
    return frame.apply(lambda column: column.str.strip())
