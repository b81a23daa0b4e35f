"""The rows of a long table: which learner and which cell each is of, and what tells them apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError, PairingError
from errbar.plans._kinds import DATA_SETS
from errbar.result import Note
from errbar.sources._beside import DATA_SET_NAMES
from errbar.sources._columns import STRUCTURE, aside, is_place
from errbar.sources._complete import complete
from errbar.sources._files import MOST_LEARNERS, by_column
from errbar.sources._marks import marked_numbers
from errbar.sources._repeats import labelled_folds, read_as, repeats_and_folds
from errbar.sources._several_answers import NO_QUESTION
from errbar.sources._sheets import OF_SPLITS, QUANTITIES
from errbar.sources._summaries import without_summaries

KEYS = ("repeat", "fold", "inner", "halving", "half", "seed", "example")
"""Labels that tell the rows of a learner apart."""

_OF_A_ROW = ("repeat", "fold", "halving", "example")
"""Labels that say which split or example a row is of."""

SIZES = ("n_train", "n_test")
_LONGEST = 40
"""Longer labels are cut short in messages."""

_OF_A_CELL = ("groups", "time", "strata", "truth", *SIZES)


class Wide(NamedTuple):
    """Values of learners on the same cells: an example in a split, or a split.

    Attributes
    ----------
    learners : tuple of str
        Names.
    values : ndarray, shape (learners, cells)
        Numbers or predictions.
    labels : dict of str to ndarray
        What is known of each cell, by role.
    notes : tuple of Note
        What was left out or aside.
    """

    learners: tuple[str, ...]
    values: NDArray[Any]
    labels: dict[str, NDArray[Any]]
    notes: tuple[Note, ...]

    def known(self, roles: Sequence[str]) -> dict[str, Any]:
        """Return the labels of some roles."""
        return {role: self.labels[role] for role in roles if role in self.labels}


@dataclass(frozen=True, eq=False)
class LongRows:
    """The rows of a long table, with the numbers of their learners and cells.

    Attributes
    ----------
    names : tuple of str
        The learners.
    columns : dict of str to ndarray
        ``value`` and labels, by role.
    learner, cell : ndarray of int
        Of each row.
    first : ndarray of int
        The first row of each cell.
    notes : tuple of Note
        What was left aside.
    """

    names: tuple[str, ...]
    columns: dict[str, NDArray[Any]]
    learner: IntArray
    cell: IntArray
    first: IntArray
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, frame: Any, given: Mapping[str, str]) -> "LongRows":
        """Find out what the columns of a frame hold, and which rows are of one cell."""
        pandas = _check.package("pandas", "app")
        keys = list(getattr(frame, "columns", frame))
        data = pandas.DataFrame({str(key): np.asarray(frame[key]) for key in keys})
        stated = by_column(given, data, "the table")
        places = [n for n in data.columns if stated.get(n) in OF_SPLITS or (n not in stated and is_place(n))]
        data, _, summaries = without_summaries(data, "the table", places)
        usual = {name: name.lower() for name in data.columns if name not in stated and name.lower() in STRUCTURE}
        role_of = stated | {name: role for name, role in usual.items() if role not in given}
        named = _repeats_and_folds(data, role_of)
        role_of |= {name: role for role, name in named.items()}
        columns = {role: data[name].to_numpy() for name, role in role_of.items()}
        labels = [name for name, role in role_of.items() if role in ("learner", "time", "seed")]
        if "time" in columns and not set(_OF_A_ROW) & set(columns) and not data.duplicated(labels).any():
            columns["example"] = columns["time"]  # one number a day: the days are the examples
        codes = {role: pandas.factorize(column)[0] for role, column in columns.items() if role != "value"}
        for role, code in codes.items():
            _require_labels(code, role)
        unread = (*summaries, *read_as(named), *aside(data.columns, role_of))
        _require_apart([role for role in KEYS if role in columns], given, unread)
        names = _check.names(pandas.unique(columns["learner"]).tolist(), "learner")
        if len(names) > MOST_LEARNERS:
            raise InvalidInputError(
                f"the column of `learner` has {len(names):,} different names; at most {MOST_LEARNERS:,} learners can be compared"
            )
        cell = _cells(codes)
        first = np.unique(cell, return_index=True)[1]
        for role in _OF_A_CELL:
            if role in columns:
                _require_one(columns, codes[role], first[cell], role)
        return cls(names, columns, codes["learner"], cell, first, unread)

    def numbers(self, missing: str) -> Wide:
        """Return the numbers of learners that have them all."""
        try:
            value = self.columns["value"].astype(np.float64)
            if self.columns["value"].dtype.kind == "O" and any("_" in str(cell) for cell in self.columns["value"]):
                raise ValueError
        except (TypeError, ValueError):
            found = marked_numbers(self.columns["value"])
            if found is None:
                raise InvalidInputError(self._no_number()) from None
            value = found[0]
        if np.isinf(value).any():
            name = self.names[self.learner[np.argmax(np.isinf(value))]]
            raise InvalidInputError(f"{name!r} has an infinite number; every number must be finite")
        there = ~np.isnan(value)
        nested = "answer" in self.columns
        if nested:
            # A question lacks its value where one of its answers lacks a number, as one that ended in an error does.
            place = self.learner * self.first.size + self.cell
            there = np.bincount(place, weights=~there)[place] == 0
        flat, count = self._places(there)
        total = np.bincount(flat, weights=value[there], minlength=count.size)
        return self._wide(total / np.maximum(count, 1), count, missing, () if nested else self._averaged(count))

    def _no_number(self) -> str:
        """Name the first value that is not a number."""
        numbers = _check.package("pandas", "app").to_numeric(self.columns["value"], errors="coerce")
        row = int(np.argmax(np.isnan(numbers) & (self.columns["value"] == self.columns["value"])))
        return (
            f"the column of `value` holds {_brief(self.columns['value'][row])!r} in row {row + 1}, which is not a number; leave it empty "
            "where a number is missing, write 1 and 0 for right and wrong answers, and name the column of the `truth` where they are "
            "predictions"
        )

    def predictions(self, missing: str) -> Wide:
        """Return the predictions of learners that have them all."""
        value = self.columns["value"]
        there = ~np.asarray(_check.package("pandas", "app").isna(value))
        flat, count = self._places(there)
        if count.max(initial=0) > 1:
            raise InvalidInputError(self._twice(count))
        whole = np.empty(count.size, dtype=value.dtype)
        whole[flat] = value[there]
        return self._wide(whole, count, missing, ())

    def _places(self, there: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
        """Return the place of each row that has a value among all learners and cells, and how many rows each place has."""
        flat = (self.learner * self.first.size + self.cell)[there]
        return flat, np.bincount(flat, minlength=len(self.names) * self.first.size)

    def _wide(self, values: NDArray[Any], count: IntArray, missing: str, notes: tuple[Note, ...]) -> Wide:
        shape = (len(self.names), self.first.size)
        example = None
        if "example" in self.columns:
            example = np.unique(self.cell_labels["example"].astype(str), return_inverse=True)[1].ravel()
        there = count.reshape(shape) > 0
        if "seed" in self.columns and not set(_OF_A_ROW) & set(self.columns) and not there.all():
            raise PairingError(
                "learners have seeds of their own, and a row is one score a seed: there is no method yet for independent runs; name the test "
                "`example` of each row, with the same seeds for all learners, for 'crossed-t'"
            )
        kept = complete(self.names, there, self._title, example, missing)
        labels = {role: column[kept.cells] for role, column in self.cell_labels.items()}
        inside = values.reshape(shape)[np.ix_(kept.learners, kept.cells)]
        return Wide(tuple(self.names[i] for i in kept.learners), inside, labels, (*self.notes, *notes, *kept.notes))

    @property
    def cell_labels(self) -> dict[str, NDArray[Any]]:
        """What is known of each cell, by role."""
        return {role: c[self.first] for role, c in self.columns.items() if role not in ("learner", "value")}

    def _title(self, cell: int) -> str:
        """Return how messages name a cell."""
        return _titled(self.columns, self.first[cell])

    def _averaged(self, count: IntArray) -> tuple[Note, ...]:
        """Say of which learners some numbers are means of several, or raise if it is half of the learners or more."""
        several = (count.reshape(len(self.names), -1) > 1).sum(axis=1)
        if not several.any():
            return ()
        if 2 * np.count_nonzero(several) >= len(self.names):
            raise InvalidInputError(self._twice(count))
        return (Note("read", averaged_rows=[f"{self.names[i]} ({several[i]})" for i in np.flatnonzero(several)]),)

    def _twice(self, count: IntArray) -> str:
        place = int(np.argmax(count > 1))
        name, cell = self.names[place // self.first.size], place % self.first.size
        return (
            f"{name!r} has {count[place]} rows for {self._title(cell)}; say which column tells them apart: `seed` where they are "
            "of runs that have all examples, `answer` where they are answers drawn anew for each example, `repeat` where each has a split of "
            "its own, `example` where they are different examples"
            f"{_said(self.notes)}"
        )


def of_one_quantity(frame: Any, given: Mapping[str, str], metric: str | None) -> tuple[Any, str | None]:
    """Return the rows of one quantity, where a column says that they hold several, and its name.

    Raises
    ------
    InvalidInputError
        If they do, and `metric` is none of these.
    """
    for name in map(str, getattr(frame, "columns", frame)):
        if name.lower() not in QUANTITIES or name in given.values():
            continue
        column = np.asarray(frame[name]).astype(str)
        found = dict.fromkeys(column.tolist())
        if len(found) > 1 and metric not in found:
            raise InvalidInputError(
                f"the column {name!r} says that {given['value']!r} holds several quantities ({_check.listed(list(found), 4)}); say which of "
                f"them to read, as in --metric {next(iter(found))} (`metric`)"
            )
        if len(found) > 1:
            pandas = _check.package("pandas", "app")
            keys = getattr(frame, "columns", frame)
            return pandas.DataFrame({key: np.asarray(frame[key])[column == metric] for key in keys}), metric
        return frame, metric or next(iter(found), None)
    return frame, metric


def given_data_sets(frame: Any, given: dict[str, str], kind: str | None) -> tuple[Any, str | None, tuple[Note, ...]]:
    """Return the frame, the kind of splits, and notes; where a column of data sets tells rows apart, it is named in `given`.

    If data sets are asked for, the frame has the mean of each learner on each.
    """
    names = [str(name) for name in getattr(frame, "columns", frame)]
    sets = next((name for name in names if name.lower() in DATA_SET_NAMES), None)
    if sets is not None and given.get("example") == sets:
        raise InvalidInputError(
            f"{given['example']!r} names data sets, which are no test examples of one; leave it out, and each row is read as the score on a "
            "data set of its own"
        )
    if sets is None or sets in given.values() or kind not in (None, DATA_SETS):
        return frame, kind, ()
    told = {*given, *(name.lower() for name in names)} & {*KEYS, "time"}
    if kind is None and told:
        if "example" not in told and len(np.unique(np.asarray(frame[sets]).astype(str))) > 1:
            raise InvalidInputError(_of_several_sets(sets))
        return frame, None, ()
    columns = {role: np.asarray(frame[given[role]]) for role in ("learner", "value")}
    long = _check.package("pandas", "app").DataFrame({**columns, sets: np.asarray(frame[sets])})
    given["repeat"] = sets
    keys = ["learner", sets]
    if kind is None or long["value"].dtype.kind not in "biuf" or not long.duplicated(keys).any():
        return frame, DATA_SETS, ()
    means = long.groupby(keys, sort=False, as_index=False)["value"].mean()
    given |= {"learner": "learner", "value": "value"}
    for role in set(given) - {"learner", "value", "repeat"}:
        given.pop(role)
    return means, DATA_SETS, (Note("read", averaged_rows=[sets]),)


def _of_several_sets(sets: str) -> str:
    return (
        f"column {sets!r} holds several data sets, and splits of each are labelled; to compare learners over data sets by the mean of each, "
        f"say --kind data-sets (`kind`); to compare them on one, keep its rows alone; if rows are test examples, name the `example`, and give "
        f"{sets!r} as `groups`"
    )


def _repeats_and_folds(data: Any, role_of: Mapping[str, str]) -> dict[str, str]:
    """Return which other columns are the repeat and the fold of each row, as those of the first learner show."""
    learner = next(name for name, role in role_of.items() if role == "learner")
    rows = data[data[learner] == data[learner].iloc[0]]
    free = {name: rows[name] for name in data.columns if name not in role_of and is_place(name)}
    known = {role: rows[name] for name, role in role_of.items() if role in ("repeat", "fold")}
    spoken = labelled_folds(rows, role_of) if "fold" not in known else {}
    return spoken or repeats_and_folds(free, known)


def _cells(codes: Mapping[str, IntArray]) -> IntArray:
    """Return the cell of each row.

    Of numbers the mean over the answers to a question is taken, so its answers are one cell, and learners may have other numbers of them.
    """
    keys = [role for role in KEYS if role in codes]
    if "answer" in codes:
        if "example" not in codes:
            raise InvalidInputError(NO_QUESTION, argument="example")
        keys += ["answer"] * ("truth" in codes)
    cell = reduce(_crossed, (codes[role] for role in keys))
    if "answer" in codes and _check.distinct(codes["learner"], cell, codes["answer"]) < cell.size:
        raise InvalidInputError(
            ": a learner has an answer of one number twice to a question; name the column that tells the two apart",
            argument="answer",
        )
    return cell


def _titled(columns: Mapping[str, NDArray[Any]], row: Any) -> str:
    """Return how messages name the cell of a row."""
    return ", ".join(f"{role} {_brief(columns[role][row])}" for role in reversed(KEYS) if role in columns)


def _brief(label: Any) -> str:
    text = str(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _crossed(one: IntArray, other: IntArray) -> IntArray:
    """Return a number for each pair of labels."""
    pandas = _check.package("pandas", "app")
    return np.asarray(pandas.factorize(one.astype(np.int64) * (int(other.max()) + 1) + other)[0])


def _require_labels(code: IntArray, role: str) -> None:
    """Raise if a label is missing."""
    if (code < 0).any():
        raise InvalidInputError(
            f"the column of `{role}` has no value in row {int(np.argmax(code < 0)) + 1} of {code.size}; every row needs one"
        )


def _said(unread: tuple[Note, ...]) -> str:
    """Return the end of a message that names the columns that are left aside, since one of them may be wanted."""
    left = [repr(name) for note in unread for name in note.numbers.get("left_aside", ())]
    if not left:
        return ""
    return f"; the column{'s' * (len(left) > 1)} {', '.join(left)} {'are' if len(left) > 1 else 'is'} left aside"


def _require_apart(keys: Sequence[str], given: Mapping[str, str], unread: tuple[Note, ...]) -> None:
    """Raise unless something tells the rows of a learner apart; that a seed alone does has to be said."""
    if set(keys) & set(_OF_A_ROW) or "seed" in given:
        return
    if "seed" in keys:
        raise InvalidInputError(
            "only the column of `seed` tells the rows of a learner apart; say what it is: `repeat` where each row has a split of its own "
            "(--repeat seed), `seed` where rows are refits on one split (--seed seed), and `example` where they are test examples "
            "(--example seed)"
        )
    raise InvalidInputError(
        "nothing tells the rows of a learner apart; name the column with the test `example`, or with the `fold`, `repeat` or `seed` "
        f"of a score{_said(unread)}"
    )


def _require_one(columns: Mapping[str, NDArray[Any]], code: IntArray, first: IntArray, role: str) -> None:
    """Raise if what is said of a cell differs between learners."""
    if not np.array_equal(code[first], code):
        row = int(np.argmax(code[first] != code))
        one, other = (_brief(columns[role][place]) for place in (first[row], row))
        raise InvalidInputError(
            f"the column of `{role}` must hold one value for each example or split, the same for all learners, and "
            f"{_titled(columns, row)} has {one!r} and {other!r}"
        )
