"""Examples to learn from: the target is said, and every column without a role is a feature."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import listed
from errbar.errors import InvalidInputError
from errbar.plans._times import dates_of, times_of
from errbar.reading.frame import frame_of, is_text, is_whole
from errbar.reading.roles import columns_named
from errbar.result import Note

MOST_CATEGORIES = 100
_MOST_GAPS = 0.05  # of the target; pandas reads words such as None as gaps, and they may be a class
_SMALL = 10  # in fewer rows, values are all different by chance


@dataclass(frozen=True, eq=False)
class LabelledExamples:
    """Features and target of a table, with the columns that have a role.

    Attributes
    ----------
    X : ndarray or DataFrame
        Features: an array where all are numbers without gaps, else a frame of numbers, text and
        dates.
    y : target
    groups : group of each example
    time : time of each example
    notes : how columns are encoded, and how many rows have no target
    """

    X: Any
    y: Any
    groups: Any = None
    time: Any = None
    notes: tuple[Note, ...] = ()

    def prepared(self, learners: Mapping[str, Any]) -> dict[str, Any]:
        """Return the learners with what they need in front of them to take these features.

        Text is one-hot encoded, dates are days since 1970, and gaps are filled with medians; all of it is
        learnt anew from each training set. Values that a training set lacks are zeros, and of more than a
        hundred values of a column the rarer ones are one. An array of numbers goes as it is to all;
        gaps to learners that scikit-learn marks with ``allow_nan``, and to pipelines with an imputer; the
        frame to what holds a ``ColumnTransformer``, or is marked as taking text.

        Parameters
        ----------
        learners : mapping of str to estimator
            Learners by name.

        Returns
        -------
        dict of str to estimator
            Pipelines of scikit-learn, or the learners themselves.

        Examples
        --------
        >>> import errbar, pandas
        >>> from sklearn.linear_model import LogisticRegression
        >>> frame = pandas.DataFrame({"size": [1, 2, 3, 4], "colour": list("rbrb"), "sold": [0, 1, 1, 0]})
        >>> examples = errbar.read_examples(frame, "sold")
        >>> learner = examples.prepared({"logistic": LogisticRegression()})["logistic"]
        >>> learner.fit(examples.X, examples.y).predict(examples.X).shape
        (4,)
        """
        if not hasattr(self.X, "columns"):
            return dict(learners)
        return {name: _encoded(learner, self.X) for name, learner in learners.items()}


def read_examples(
    path: str | Path,
    target: str,
    *,
    groups: str | None = None,
    time: str | None = None,
    drop: str | Sequence[str] = (),
    features: str | Sequence[str] = (),
) -> LabelledExamples:
    """Read examples to learn from out of a table, such as a CSV or Parquet file; needs pandas.

    The target is said, and so are groups, time and columns to leave out; all other columns are
    features. Text that is no date is a category.

    Parameters
    ----------
    path : str, Path or data frame
        A file that pandas reads, or a frame.
    target : str
        Column to predict. Rows without it are left out, if they are at most a twentieth.
    groups, time : str, optional
        Columns with the group and the time of each example; they are no features.
    drop, features : str or sequence of str
        Columns to leave out, and features whose values name the rows, such as free text; a text that
        is no column may name several, with commas between them.

    Returns
    -------
    LabelledExamples

    Raises
    ------
    InvalidInputError
        If a column is not there, has two roles, lacks values that its role needs, is a target of one
        value, or a feature that names the rows.

    Examples
    --------
    >>> import errbar, pandas
    >>> frame = pandas.DataFrame({"order": [7, 8, 9], "size": [1, 2, 3], "sold": [0, 1, 1]})
    >>> errbar.read_examples(frame, "sold", drop="order").X.tolist()
    [[1.0], [2.0], [3.0]]
    """
    frame = frame_of(path)
    said = {"target": [target], "groups": groups, "time": time, "drop": drop, "features": features}
    roles = {role: columns_named(own, frame, role) for role, own in said.items()}
    wanted = roles.pop("features")
    X = _features(frame.drop(columns=[*chain(*roles.values())]))
    ids = [name for name in X if name not in wanted and _names_rows(X[name])]
    if ids:
        names = ",".join(ids)
        raise InvalidInputError(
            f"{listed(ids, 4)} name the rows: say --drop {names!r} (`drop`) or --feature {names!r} (`features`)"
        )
    labelled = frame[target].notna()
    missing = int((~labelled).sum())
    if missing > max(1, _MOST_GAPS * len(frame)) or frame[target].nunique() < 2:
        raise InvalidInputError(
            f"{target!r} has one value, or none in {missing} of {len(frame)} rows; take them out, or rename a class None",
            argument="target",
        )
    X, frame = X[labelled].reset_index(drop=True), frame[labelled].reset_index(drop=True)
    known = _kinds(X)
    # Learners get an array where all features are numbers without gaps.
    plain = not any(known.values())
    known["rows_without_target"] = [missing] if missing else []
    read = {word: found for word, found in known.items() if found}
    times = None
    if time is not None:
        times = times_of(frame[time].to_numpy(), len(frame), "row", f"`time` {time!r}")
    return LabelledExamples(
        X=X.to_numpy(dtype="float64") if plain else X,
        y=frame[target].infer_objects(),
        groups=None if groups is None else frame[groups],
        time=times,
        notes=(Note("read", **read),) if read else (),
    )


def _features(frame: Any) -> Any:
    """Return features as numbers of floating point, naive dates, and text with gaps."""
    if frame.columns.empty:
        raise InvalidInputError("the table has no feature")
    pandas = _check.package("pandas", "app")
    made = {}
    for name, column in frame.items():
        kind = column.dtype.kind
        if kind == "M":
            made[name] = column.to_numpy(dtype="datetime64[us]")
        elif kind == "m":
            made[name] = column / pandas.Timedelta(days=1)
        elif kind in "biuf":
            made[name] = column.to_numpy(dtype="float64", na_value=np.nan)
            if np.isinf(made[name]).any():
                raise InvalidInputError(
                    f"column {name!r} holds infinite numbers; empty them, or say --drop {name!r} (`drop`)"
                )
        else:
            texts = made[name] = column.astype(object).map(str, na_action="ignore")
            known = texts.dropna().unique()
            dates = dates_of([*known], f"column {name!r}") if known.size else None
            if dates is not None:
                date_of = dict(zip(known, dates, strict=True))
                made[name] = texts.map(date_of).to_numpy(dtype="datetime64[us]")
    return pandas.DataFrame(made)


def _names_rows(column: Any) -> bool:
    """Tell whether a column names or numbers the rows: a text for most of them, or whole numbers in one unbroken range."""
    if len(column) <= _SMALL:
        return False
    if is_text(column):
        return bool(column.nunique() > len(column) / 2)
    unbroken = column.is_unique and not column.hasnans and is_whole(column)
    return bool(unbroken and column.max() - column.min() == len(column) - 1)


def _kinds(X: Any) -> dict[str, list[Any]]:
    """Return the columns of text, those of dates, and the others of these and numbers that have gaps."""
    texts = [name for name in X if is_text(X[name])]
    dates = [name for name in X if X[name].dtype.kind == "M"]
    gaps = [name for name in X if name not in texts and X[name].hasnans]
    return {"one_hot": texts, "dates_as_days": dates, "gaps_filled": gaps}


def _encoded(learner: Any, X: Any) -> Any:
    """Return a learner with an encoder in front, unless it takes frames."""
    from sklearn.compose import ColumnTransformer, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
    from sklearn.utils import get_tags

    parts = [learner, *learner.get_params().values()]
    parts = [one for one in parts if hasattr(one, "__sklearn_tags__") and not isinstance(one, type)]
    tags = [get_tags(part).input_tags for part in parts]
    takes_text = any(one.string or one.categorical for one in tags)
    if takes_text or any(isinstance(part, ColumnTransformer) for part in parts):
        return learner
    texts, dates, gaps = _kinds(X).values()
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES + 1,
        sparse_output=False,
    )
    encoder = make_column_transformer(
        (one_hot, texts), (FunctionTransformer(days), dates), remainder="passthrough"
    )
    imputes = any(type(part).__module__.startswith("sklearn.impute") for part in parts)
    if not gaps or imputes or (tags and tags[0].allow_nan):
        return make_pipeline(encoder, learner)
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(encoder, imputer, learner)


def days(frame: Any) -> Any:
    """Return dates as days since 1970, NaN where there is none."""
    return (frame - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
