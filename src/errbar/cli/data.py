"""From a file to features and target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errbar.cli import checks, looks
from errbar.errors import InvalidInputError
from errbar.plans._times import times_of
from errbar.result import Note
from errbar.sources import read_frame

MOST_CATEGORIES = 100
_NUMBERS = "biuf"


@dataclass(frozen=True, eq=False)
class DataSet:
    """What a file holds.

    Attributes
    ----------
    X : array or data frame
        Features; an array where all columns are numbers.
    y : series
        Target.
    groups, time : series or None
        Group and time of each example.
    categories : sequence of str
        Columns that are not numbers.
    notes : sequence of Note
        What columns look like, and nobody has said.
    """

    X: Any
    y: Any
    groups: Any = None
    time: Any = None
    categories: Sequence[str] = ()
    notes: Sequence[Note] = ()

    def encode(self, learners: Mapping[str, Any]) -> dict[str, Any]:
        """Return the learners with one-hot encoding in front, learnt from each training set, where it is needed."""
        if not self.categories:
            return dict(learners)
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = make_column_transformer((encoder, list(self.categories)), remainder="passthrough")
        return {name: make_pipeline(columns, learner) for name, learner in learners.items()}


def load(
    path: str,
    target: str,
    *,
    groups: str | None = None,
    time: str | None = None,
    drop: Sequence[str] = (),
    timed: bool = True,
) -> DataSet:
    """Read a file and take features, target, groups and times from its columns by name; `timed`: the command has --time."""
    frame = read_frame(path)
    frame.columns = [str(name) for name in frame.columns]
    used = [(target, "--target"), *((name, "--drop") for name in drop)]
    used += [(name, option) for name, option in ((groups, "--groups"), (time, "--time")) if name is not None]
    for name, option in used:
        if name not in frame.columns:
            shown = ", ".join(map(repr, frame.columns[:8])) + (", ..." if frame.shape[1] > 8 else "")
            hint = checks.hint(name, frame.columns)
            raise InvalidInputError(f"{option} {name!r} is no column of the file; its columns are {shown}{hint}")
    features = frame.drop(columns=[name for name, _ in used])
    if features.shape[1] == 0:
        raise InvalidInputError(f"{path} has no feature besides the target {target!r}")
    categories = [name for name, kind in features.dtypes.items() if kind.kind not in _NUMBERS]
    for name in categories:
        _require_encodable(features[name], name, named=groups is not None or time is not None, timed=timed)
    X = features if categories else features.to_numpy(dtype="float64", na_value=float("nan"))
    times = None if time is None else times_of(frame[time].to_numpy(), len(frame), "row", f"--time {time!r}")
    notes = tuple(looks.notes_of(features, groups=groups, time=time, timed=timed))
    return DataSet(X, frame[target], frame[groups] if groups else None, times, categories, notes)


def _require_encodable(column: Any, name: str, *, named: bool, timed: bool) -> None:
    """Raise if a column cannot be one-hot encoded; no method takes groups and time, so where one is `named` no other is proposed."""
    as_time = (
        "" if named or not timed else f"name it with --time {name!r} to train on the past and test on the future, "
    )
    if column.dtype.kind in "mM":
        raise InvalidInputError(
            f"column {name!r} holds dates or times; {as_time}leave it out with --drop {name!r}, or make numbers of it"
        )
    distinct = int(column.nunique())
    if distinct > MOST_CATEGORIES:
        told = ""
        if looks.looks_like_time(column, name):
            told = as_time
        elif not named and distinct < column.size:
            told = f"name it with --groups {name!r} if examples of one value are alike, "
        raise InvalidInputError(
            f"column {name!r} is text with {distinct} different values, too many to one-hot encode "
            f"(at most {MOST_CATEGORIES}); {told}leave it out with --drop {name!r}, or make numbers of it"
        )
