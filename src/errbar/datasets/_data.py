"""One score per data set and learner, and the guard against splits that pass for data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError, PairingError
from errbar.losses import difference
from errbar.methods._data_sets import midranks
from errbar.result import Note
from errbar.table import LossTable

_UNVERIFIED = Note(
    "not-verified",
    what="that the tables come from different data",
    by="a table that says which data it comes from",
)


@dataclass(frozen=True, eq=False)
class DataSets:
    """One score per data set and learner: the sample of every test in `errbar.datasets`.

    The data sets must be independent of each other: different problems, and not splits of the same data.

    Parameters
    ----------
    scores : mapping, data frame or array-like of shape (N, k)
        Column or key per learner, N numbers each: one per data set, such as the mean loss of a cross-validation.
    learners : sequence of str, optional
        Names of the learners, where `scores` is an array.
    names : sequence of str, optional
        Names of the data sets; by default the text index of a pandas frame, or numbers from 1.
    higher_is_better : bool, default False
        Whether larger numbers are better, as for accuracy.

    Attributes
    ----------
    scores : ndarray, shape (N, k)
        As given.
    learners : tuple of str
        Names of the learners, k of them.
    names : tuple of str
        Names of the data sets, N of them.
    higher_is_better : bool
        Whether larger numbers are better.
    notes : tuple of Note
        Caveats on where the numbers come from.

    Raises
    ------
    InvalidInputError
        If there are fewer than two data sets or learners, or a number is missing or not finite.
    PairingError
        If learners have different numbers of data sets, or splits of one table are given.

    See Also
    --------
    errbar.compare : Several learners on one data set.

    Examples
    --------
    >>> from errbar.datasets import DataSets
    >>> data = DataSets({"tree": [0.31, 0.12, 0.40], "forest": [0.25, 0.12, 0.33]}, names=["wine", "iris", "glass"])
    >>> data
    DataSets(3 data sets, 2 learners, lower is better)
    >>> data.differences("tree", "forest").round(2).tolist()
    [0.06, 0.0, 0.07]
    """

    scores: FloatArray
    learners: tuple[str, ...]
    names: tuple[str, ...]
    higher_is_better: bool = False
    notes: tuple[Note, ...] = ()

    def __init__(
        self,
        scores: Any,
        learners: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        *,
        higher_is_better: bool = False,
    ) -> None:
        _refuse_tables(scores)
        found, columns = _columns(scores, learners)
        table = np.stack(columns, axis=1)
        table.setflags(write=False)
        put = object.__setattr__
        put(self, "scores", table)
        put(self, "learners", found)
        put(self, "names", _names(scores, names, len(table)))
        put(self, "higher_is_better", _check.flag(higher_is_better, "higher_is_better"))

    @classmethod
    def from_tables(cls, tables: Mapping[str, LossTable]) -> Self:
        """Take the mean loss of every learner from one table per data set.

        Parameters
        ----------
        tables : mapping of str to LossTable
            Table by name of the data set, such as `errbar.run` makes them; all with the same learners and loss.
            Where a table holds several plans, the splits of the first are used.

        Returns
        -------
        DataSets
            Means over the splits, in the direction in which the loss is shown.

        Raises
        ------
        PairingError
            If learners or losses differ between tables, or two tables come from the same data.

        Examples
        --------
        >>> import errbar
        >>> from errbar.datasets import DataSets
        >>> wine = errbar.from_scores({"tree": [0.3, 0.2], "forest": [0.2, 0.2]}, metric="zero-one")
        >>> iris = errbar.from_scores({"tree": [0.1, 0.1], "forest": [0.0, 0.1]}, metric="zero-one")
        >>> DataSets.from_tables({"wine": wine, "iris": iris}).scores.tolist()
        [[0.25, 0.2], [0.1, 0.05]]
        """
        found = _checked_tables(tables)
        first = next(iter(found.values()))
        rows = [_means(table, first.learners) for table in found.values()]
        made = cls(
            np.stack(rows),
            first.learners,
            list(found),
            higher_is_better=first.loss.higher_is_better,
        )
        if any("data" not in table.provenance for table in found.values()):
            object.__setattr__(made, "notes", (_UNVERIFIED,))
        return made

    @classmethod
    def from_table(cls, table: LossTable) -> Self:
        """Take each row of one table of scores for a data set, unless the rows are splits of the same data.

        Parameters
        ----------
        table : LossTable
            Numbers made elsewhere, of kind ``"data-sets"`` (or ``"other"``), with one row per data set.

        Returns
        -------
        DataSets
            One data set per row, in the direction in which the loss is shown, with the notes of the table.

        Raises
        ------
        PairingError
            If the rows are splits of one data set.

        See Also
        --------
        refuse_folds : The check alone.

        Examples
        --------
        >>> import errbar
        >>> from errbar.datasets import DataSets
        >>> table = errbar.from_scores({"tree": [0.3, 0.1], "forest": [0.2, 0.1]}, kind="data-sets")
        >>> DataSets.from_table(table)
        DataSets(2 data sets, 2 learners, lower is better)
        """
        refuse_folds(table)
        shown = table.loss.sign * table.scores.T + 0.0
        made = cls(shown, table.learners, higher_is_better=table.loss.higher_is_better)
        object.__setattr__(made, "notes", table.notes)
        return made

    @cached_property
    def ranks(self) -> FloatArray:
        """Rank of each learner on each data set, shape (N, k): 1 for the best, and the mean rank for equal scores."""
        ranks = midranks(-self.scores if self.higher_is_better else self.scores)
        ranks.setflags(write=False)
        return ranks

    @property
    def mean_scores(self) -> dict[str, float]:
        """Mean of each learner over the data sets; it means little where the data sets have different units."""
        return means(self, self.scores)

    def position(self, learner: str) -> int:
        """Return the column of a learner."""
        return self.learners.index(_check.choice(learner, self.learners, "learner"))

    def differences(self, a: str, b: str) -> FloatArray:
        """Return the score of one learner minus that of another on each data set.

        Parameters
        ----------
        a, b : str
            Names of the learners.

        Returns
        -------
        ndarray, shape (N,)
            Scores of a minus scores of b; those that differ by rounding alone give 0.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or both are the same.
        """
        first, second = self.position(a), self.position(b)
        if first == second:
            raise InvalidInputError(f"a learner cannot be compared with itself: {a!r}")
        return difference(self.scores[:, first], self.scores[:, second])

    def __repr__(self) -> str:
        """Return the shape in words."""
        direction = "higher" if self.higher_is_better else "lower"
        return f"DataSets({len(self.names)} data sets, {len(self.learners)} learners, {direction} is better)"


def refuse_folds(table: LossTable) -> None:
    """Refuse a table whose rows are splits of one data set.

    Splits share training examples, so their scores are correlated, and a test that takes them for independent data
    sets finds differences that are not there: more splits of the same data are not more data.

    Parameters
    ----------
    table : LossTable
        Table whose rows are to be taken for data sets.

    Raises
    ------
    PairingError
        If the rows are splits of one data set: if their indices or examples are known, or if they are of any kind
        but ``"other"``, which says nothing about where the rows come from.

    See Also
    --------
    errbar.compare_table : Compare learners on the splits of one data set.

    Notes
    -----
    Over several data sets the variation comes from the data sets, and resampling one of them serves only to measure
    its score ([1]_, section 3). Scores of splits of one data set are correlated ([2]_, section 3.3). That is true for
    two folds as well: the training set of one is the test set of the other.

    References
    ----------
    .. [1] Demsar (2006), Journal of Machine Learning Research 7, 1-30.
    .. [2] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> import errbar
    >>> from errbar.datasets import refuse_folds
    >>> refuse_folds(errbar.from_scores({"tree": [0.3, 0.2], "forest": [0.2, 0.2]}, kind="kfold"))
    Traceback (most recent call last):
    ...
    errbar.errors.PairingError: the 2 splits of this table (kfold) come from one data set and share examples, so they are not independent data sets; compare its learners with errbar.compare_table and the method 'corrected-t'
    """
    if not isinstance(table, LossTable):
        raise InvalidInputError(
            f"must be a LossTable, got {type(table).__name__}", argument="table"
        )
    splits = table.splits
    if (
        splits.fingerprint is None
        and table.cells is None
        and splits.kinds in (("data-sets",), ("other",))
    ):
        return
    raise PairingError(
        f"the {splits.plan.size} splits of this table ({' + '.join(splits.kinds)}) come from one data set and share "
        f"examples, so they are not independent data sets; compare its learners with errbar.compare_table and the "
        f"method 'corrected-t'"
    )


def means(data: DataSets, table: FloatArray) -> dict[str, float]:
    """Return for each learner the mean over the data sets of a table like that of the scores."""
    found = np.add.reduce(table, axis=0) / len(data.names)
    return dict(zip(data.learners, found.tolist(), strict=True))


def require_data_sets(data: Any) -> DataSets:
    """Return data sets, or say how they are made."""
    if isinstance(data, DataSets):
        return data
    _refuse_tables(data)
    raise InvalidInputError(
        f"must be a DataSets, which knows whether higher scores are better, got {type(data).__name__}; "
        f"make one with errbar.datasets.DataSets(scores, higher_is_better=...)",
        argument="data",
    )


def _refuse_tables(scores: Any) -> None:
    if isinstance(scores, LossTable):
        refuse_folds(scores)
        raise InvalidInputError("a LossTable is turned into data sets by DataSets.from_table")
    if isinstance(scores, Mapping) and any(
        isinstance(column, LossTable) for column in scores.values()
    ):
        raise InvalidInputError(
            "several LossTables are turned into data sets by DataSets.from_tables"
        )


def _columns(
    scores: Any, learners: Sequence[str] | None
) -> tuple[tuple[str, ...], list[FloatArray]]:
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        if learners is not None:
            raise InvalidInputError(
                "names the columns of an array; a mapping or data frame has names already",
                argument="learners",
            )
        keys = list(scores.keys() if isinstance(scores, Mapping) else scores.columns)
        found = _check.names(keys, "learner")
        columns = [
            _check.vector(scores[key], name, "data set", 2)
            for key, name in zip(keys, found, strict=True)
        ]
    else:
        table = _check.numbers(scores, "scores", "data set and learner")
        if table.ndim != 2:
            raise InvalidInputError(
                f"must have one row per data set and one column per learner, got shape {table.shape}",
                argument="scores",
            )
        given = (
            [f"learner {j + 1}" for j in range(table.shape[1])] if learners is None else learners
        )
        found = _titles(given, table.shape[1], "learners", "learner")
        columns = list(table.T)
    sizes = {name: column.size for name, column in zip(found, columns, strict=True)}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise PairingError(
            f"the learners have different numbers of data sets ({listed}); every learner needs all of them"
        )
    if len(columns) < 2 or columns[0].size < 2:
        raise InvalidInputError(
            f"needs at least 2 data sets and 2 learners, got {columns[0].size} and {len(columns)}",
            argument="scores",
        )
    return found, columns


def _names(scores: Any, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        index = getattr(scores, "index", None)
        spoken = (
            hasattr(scores, "columns")
            and index is not None
            and all(isinstance(name, str) for name in index)
        )
        names = (
            list(index)
            if spoken and index is not None
            else [f"data set {i + 1}" for i in range(count)]
        )
    return _titles(names, count, "names", "data set")


def _titles(given: Sequence[str], count: int, argument: str, unit: str) -> tuple[str, ...]:
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != count:
        raise InvalidInputError(
            f"must hold {count} names, one per {unit}, got {given!r}", argument=argument
        )
    return _check.names(given, unit)


def _checked_tables(tables: Any) -> dict[str, LossTable]:
    """Return the tables by name, after it was checked that they can stand side by side."""
    if not isinstance(tables, Mapping) or not all(
        isinstance(table, LossTable) for table in tables.values()
    ):
        raise InvalidInputError(
            f"must map names of data sets to LossTables, got {type(tables).__name__}",
            argument="tables",
        )
    if len(tables) < 2:
        raise InvalidInputError(f"needs at least 2 data sets, got {len(tables)}", argument="tables")
    found = dict(zip(_check.names(list(tables), "data set"), tables.values(), strict=True))
    home, first = next(iter(found.items()))
    seen: dict[str, str] = {}
    for name, table in found.items():
        if set(table.learners) != set(first.learners):
            raise PairingError(f"the tables of {home!r} and {name!r} must have the same learners")
        if (table.loss.key, table.loss.sign) != (first.loss.key, first.loss.sign):
            raise PairingError(
                f"the tables of {home!r} and {name!r} must hold the same loss, got {first.loss.key!r} "
                f"({first.loss.direction}) and {table.loss.key!r} ({table.loss.direction})"
            )
        digest = table.provenance.get("data")
        if digest is not None and seen.setdefault(digest, name) != name:
            raise PairingError(
                f"the tables of {seen[digest]!r} and {name!r} come from the same data, so they are not two data sets"
            )
    return found


def _means(table: LossTable, learners: tuple[str, ...]) -> FloatArray:
    scores = table.of_plan(0).scores
    means = np.add.reduce(scores, axis=1) / scores.shape[1]
    return np.array([table.loss.sign * means[table.position(name)] + 0.0 for name in learners])
