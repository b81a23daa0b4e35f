"""Features and target from a table as people have it: text, dates, names, gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from errbar._check import is_number, listed
from errbar.errors import InvalidInputError, hint
from errbar.plans._times import times_of
from errbar.result import Note, distinct
from errbar.sources._column_kinds import NAME
from errbar.sources._columns import names_in
from errbar.sources._features import as_features, gaps, kind_of, plain, reading, refuse_infinite, without_lists
from errbar.sources._frames import read_table
from errbar.sources._leaks import copies, leaks
from errbar.sources._numerals import is_text
from errbar.sources._suspects import looks_like_groups, suspicions, unread_dates
from errbar.sources._targets import target_column


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

        holed, texts = gaps(self.X), [self.X[name] for name in self.X if is_text(self.X[name])]
        convertible = any(is_number(str(text)) for column in texts for text in column.dropna().unique())
        return {
            name: TableLearner(learner, self.columns, holed, convertible=convertible)
            for name, learner in learners.items()
        }


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
    read : Scores, losses or predictions that are there already.

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
    table = read_table(path)
    table = replace(table, frame=table.frame.set_axis([str(name) for name in table.frame.columns], axis="columns"))
    drop, features = names_in(drop, table.frame.columns), names_in(features, table.frame.columns)
    asked = {"target": [target], "drop": drop, "features": features, "groups": [groups], "time": [time]}
    for role, names in asked.items():
        for name in names:
            if name is not None:
                _require_column(name, role, table.frame.columns)
    table = replace(table, frame=without_lists(table.frame, drop))
    table = table.with_codes([name for name in table.frame if name not in {target, groups, time, *drop}])
    y, of_target = target_column(table, target)
    if y.empty:
        raise InvalidInputError(f"{path} has no row with a value in the target {target!r}")
    whole = table.frame.loc[y.index].assign(**{target: y}).reset_index(drop=True)
    own = None if groups is None else whole[groups]
    times = None if time is None else times_of(whole[time].to_numpy(), len(whole), "row", f"`time` {time!r}")
    taken = {target, groups, time}
    whole, of_features = as_features(whole, [name for name in whole if name not in taken], drop, table)
    X = whole[[name for name in whole if name not in taken and name not in drop]]
    if X.shape[1] == 0:
        raise InvalidInputError(f"{path} has no feature besides the target {target!r}")
    columns = {name: kind_of(X[name], name, wanted=name in features) for name in X}
    refuse_infinite(X, columns)
    suspected = () if taken - {target, None} else suspicions(whole, target, drop, features, timed=timed)
    notes = (*table.notes, *of_target, *of_features, *reading(X, columns), *unread_dates(X), *suspected)
    kept = X[[name for name in X if columns[name] != NAME]]
    if kept.shape[1] == 0:
        raise InvalidInputError(
            "every column but the target names the rows; there is no feature, unless one is named with --feature (`features`)"
        )
    grouped = {name for name in kept if looks_like_groups(kept[name], name)}
    notes = (*notes, *leaks(kept.drop(columns=list(grouped)), whole[target], target))
    notes = (*notes, *copies(kept, whole[target], own, refused=timed and time is None))
    return LabelledExamples(plain(kept, columns), whole[target], own, times, columns, distinct(notes))


def _require_column(name: str, role: str, columns: Any) -> None:
    if name not in columns:
        near = get_close_matches(name, columns, n=8)
        shown = listed(list(map(repr, [*near, *(one for one in columns if one not in near)])), 8)
        raise InvalidInputError(
            f"{name!r} is not a column of the file; its columns are {shown}{hint(name, columns)}", argument=role
        )
