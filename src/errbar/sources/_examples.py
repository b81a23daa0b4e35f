"""Features and target from a table as people have it: text, dates, names, gaps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar._check import listed
from errbar.errors import InvalidInputError, hint
from errbar.plans._times import times_of
from errbar.result import Note
from errbar.sources._column_kinds import (
    DATE,
    MOST_CATEGORIES,
    NAME,
    NUMBER,
    PROSE,
    SAID,
    TEXT,
    WORDY,
    of_kind,
)
from errbar.sources._columns import counts_rows, names_in
from errbar.sources._frames import read_frame
from errbar.sources._suspects import MANY_CODES, TIMES, days_of, looks_like_days, suspicions, words_of

_LONG = 3
"""Text of more words than this, on average, is prose."""


@dataclass(frozen=True, eq=False)
class LabelledExamples:
    """Examples to learn from, and how the columns of their table were read.

    Attributes
    ----------
    X : array or data frame
        Features: an array where all are numbers, without gaps.
    y : series
        Target.
    groups, time : series, array or None
        Group and time of each example.
    columns : dict of str to str
        How every feature is read: ``number``, ``text``, ``wordy``, ``date``, ``prose`` or ``name``.
    notes : tuple of Note
        What was read how, and what columns look like that nobody has said.
    """

    X: Any
    y: Any
    groups: Any = None
    time: Any = None
    columns: Mapping[str, str] | None = None
    notes: tuple[Note, ...] = ()

    def prepared(self, learners: Mapping[str, Any]) -> dict[str, Any]:
        r"""Return the learners, made able to take these features.

        Parameters
        ----------
        learners : mapping of str to estimator
            Learners by name.

        Returns
        -------
        dict of str to estimator
            A learner that takes the data frame as it is, such as a pipeline that names its columns, gets just that. Others get
            numbers: text is one-hot encoded, dates are days, and gaps are filled with medians where a learner takes none. All of
            it is learnt from each training set anew. Where all features are numbers without gaps, the learners themselves.

        Examples
        --------
        >>> import tempfile, pathlib, errbar
        >>> from sklearn.linear_model import LogisticRegression
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "shop.csv")
        ...     _ = file.write_text("size,colour,sold\n1,red,no\n2,blue,yes\n3,red,yes\n4,blue,no\n")
        ...     examples = errbar.read_examples(file, "sold")
        >>> learner = examples.prepared({"logistic": LogisticRegression()})["logistic"]
        >>> learner.fit(examples.X, examples.y).predict(examples.X).shape
        (4,)
        """
        if self.columns is None or not hasattr(self.X, "columns"):
            return dict(learners)
        from errbar.sources._table_learner import TableLearner

        return {name: TableLearner(learner, self.columns, _gaps(self.X)) for name, learner in learners.items()}


def read_examples(
    path: str | Path,
    target: str,
    *,
    groups: str | None = None,
    time: str | None = None,
    drop: str | Sequence[str] = (),
    features: str | Sequence[str] = (),
    timed: bool = True,
) -> LabelledExamples:
    r"""Read examples to learn from out of a CSV (also .gz, .xz) or Parquet file; needs pandas.

    Numbers and text with at most 100 different values are features. Of text with more, the 100 commonest values count. Dates
    become days. A column that names or numbers the rows, with another value in each, is left out, and so is prose. Rows
    without a target are left out. A note says how every column was read.

    Parameters
    ----------
    path : str or Path
        File to read.
    target : str
        Column to predict.
    groups, time : str, optional
        Columns with the group and the time of each example; they are not features.
    drop : str or sequence of str
        Columns to leave out; a text that is not a column may name several, with commas between them.
    features : str or sequence of str
        Columns that are features although they look like a group or a time, named likewise.
    timed : bool, default True
        Whether the time of examples can matter. It cannot where data sets are drawn from them at random, as by
        `errbar.lab.calibrate`: then columns that look like a time are pointed out only.

    Returns
    -------
    LabelledExamples
        Features, target, groups and time.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a column is not there, or one looks like a group or a time, the targets of its values are
        correlated, and nobody says what it is: random splits would then give errors that are too small.

    See Also
    --------
    read_scores : Scores, losses or predictions that are there already.

    Examples
    --------
    >>> import tempfile, pathlib, errbar
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "shop.csv")
    ...     _ = file.write_text("order_id,size,colour,sold\n7,1,red,no\n8,2,blue,yes\n9,3,red,yes\n")
    ...     examples = errbar.read_examples(file, "sold")
    >>> examples.columns
    {'order_id': 'name', 'size': 'number', 'colour': 'text'}
    """
    frame, told = read_frame(path)
    frame.columns = [str(name) for name in frame.columns]
    drop, features = names_in(drop, frame.columns), names_in(features, frame.columns)
    asked = {"target": [target], "drop": drop, "features": features, "groups": [groups], "time": [time]}
    for role, names in asked.items():
        for name in names:
            if name is not None:
                _require_column(name, role, frame.columns)
    whole = frame[frame[target].notna().to_numpy()].reset_index(drop=True)
    if whole.empty:
        raise InvalidInputError(f"{path} has no row with a value in the target {target!r}")
    own = None if groups is None else whole[groups]
    times = None if time is None else times_of(whole[time].to_numpy(), len(whole), "row", f"`time` {time!r}")
    taken = {target, groups, time}
    whole = _with_dates(whole, [name for name in whole if name not in taken], drop)
    X = whole[[name for name in whole if name not in taken and name not in drop]]
    if X.shape[1] == 0:
        raise InvalidInputError(f"{path} has no feature besides the target {target!r}")
    columns = {name: _kind(X[name], name, wanted=name in features) for name in X}
    features_only = _plain(X[[name for name in X if columns[name] != NAME]], columns)
    suspected = () if taken - {target, None} else suspicions(whole, target, drop, features, timed=timed)
    notes = (*told, *_reading(columns, _gaps(X), len(frame) - len(whole), target), *suspected)
    return LabelledExamples(features_only, whole[target], own, times, columns, notes)


def _require_column(name: str, role: str, columns: Any) -> None:
    if name not in columns:
        shown = listed(list(map(repr, columns)), 8)
        raise InvalidInputError(
            f"`{role}` {name!r} is not a column of the file; its columns are {shown}{hint(name, columns)}"
        )


def _with_dates(whole: Any, names: Sequence[str], drop: Sequence[str]) -> Any:
    """Return the table with texts that are dates read as such, unless nobody can tell which and they are left out anyway."""
    found = {}
    for name in names:
        if whole[name].dtype.kind not in "biufmM" and looks_like_days(whole[name]):
            dates = days_of(whole[name], name, required=name not in drop)
            if dates is not None:
                found[name] = dates
    return whole.assign(**found)


def _kind(column: Any, name: str, *, wanted: bool) -> str:
    """Return how a feature is read; none that is `wanted` is left out."""
    distinct, filled = int(column.nunique()), int(column.notna().sum())
    unique = distinct == filled == column.size > 1
    if column.dtype.kind in "biuf":
        named = unique and column.dtype.kind in "iu" and ("id" in words_of(name) or name.startswith("Unnamed: "))
        counted = column.size > MANY_CODES and counts_rows(column) and not words_of(name) & TIMES
        return NAME if (named or counted) and not wanted else NUMBER
    if column.dtype.kind in "mM":
        return DATE
    if unique and column.size > MANY_CODES and not wanted:
        return PROSE if _is_prose(column) else NAME
    if distinct <= MOST_CATEGORIES:
        return TEXT
    return PROSE if not wanted and (_is_prose(column) or distinct > filled / 2) else WORDY


def _is_prose(column: Any) -> bool:
    return float(column.dropna().astype(str).str.split().str.len().mean()) > _LONG


def _plain(X: Any, columns: Mapping[str, str]) -> Any:
    """Return features as an array where all are numbers without gaps, and as a frame of numbers, text and dates if not."""
    if X.shape[1] == 0:
        raise InvalidInputError("every column but the target names the rows; there is no feature")
    if all(columns[name] == NUMBER for name in X) and not _gaps(X):
        return X.to_numpy(dtype="float64")
    made = X.copy()
    for name in X:
        if columns[name] in (TEXT, WORDY, PROSE):
            made[name] = X[name].astype(object).map(str, na_action="ignore")
        elif columns[name] == NUMBER:
            made[name] = X[name].to_numpy(dtype="float64", na_value=float("nan"))
    return made


def _gaps(X: Any) -> list[str]:
    """Return the columns with gaps."""
    return [name for name in X if X[name].isna().any()]


def _reading(columns: Mapping[str, str], gaps: Sequence[str], missing: int, target: str) -> Iterator[Note]:
    """Say how columns were read, where there is more than numbers without gaps."""
    if set(columns.values()) != {NUMBER} or gaps:
        said = [
            f"{words}: {listed(of_kind(columns, kind), 8)}" for kind, words in SAID.items() if of_kind(columns, kind)
        ]
        if gaps:
            said.append(
                f"gaps, filled with the median of the training set where a learner takes none: {listed(gaps, 8)}"
            )
        yield Note("columns", f"columns were read like this: {'; '.join(said)}")
    if missing:
        rows = "1 row without a value in {0!r} is" if missing == 1 else f"{missing} rows without a value in {{0!r}} are"
        yield Note("no-target", f"{rows.format(target)} left out")
