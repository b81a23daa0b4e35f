"""Index columns: what tells the rows of a table of losses apart."""

from collections import UserDict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check
from errbar._check import Array, Facts, IntArray
from errbar.plans._base import LABELS, NO_LABEL

SIZES = ("n_train", "n_test")
_OF_EXAMPLES = ("group", "time", "stratum")
ROLES = (*LABELS, "example", "classes", *_OF_EXAMPLES, *SIZES)
"""What a column can say of a row: the labels of its split, its example and what is known of that, and sizes of the split."""


class Index(UserDict[str, Array]):
    """Columns by role, one entry a row, -1 where a label does not apply; what is computed of them is kept.

    Learners that were tested on the same rows share one index. A column may be a function that
    returns it.
    """

    def __init__(self, rows: int, columns: Mapping[str, Any]):
        super().__init__(columns)
        self.rows = rows
        self._kept: dict[Any, Any] = {}

    @classmethod
    def stated(cls, rows: int, given: Mapping[str, ArrayLike | None]) -> "Index":
        """Check columns that people give: one number for all rows, or one entry for each."""
        columns: Facts = {}
        for role, value in given.items():
            _check.choice(role, ROLES, role)
            if value is not None and role in _OF_EXAMPLES:
                columns[role] = _check.categories(value, f"`{role}`", rows)
            elif value is not None:
                check = _check.sizes if role in SIZES else _check.labels
                columns[role] = check(value, rows, role)
        return cls(rows, columns)

    def __getitem__(self, role: str) -> Array:
        column: Any = self.data[role]
        if callable(column):
            self.data[role] = column = column()
        return column

    def only(self, rows: Array, roles: Iterable[str] | None = None) -> "Index":
        """Return some rows, or all in another order, with all columns or those of some roles."""
        columns = {role: self[role][rows] for role in roles or self if role in self}
        return Index(np.arange(self.rows)[rows].size, columns)

    def order_of(self, other: "Index") -> Any:
        """Return where the rows of this index stand in another one, by the columns of both; None where they do not."""
        if self.rows != other.rows:
            return None
        order = np.arange(self.rows)
        both = [role for role in self if role in other and role not in SIZES]
        if both:
            mine, theirs = (np.lexsort([one[role] for role in both]) for one in (self, other))
            order[mine] = theirs
        found = all(np.array_equal(self[role], other[role][order]) for role in both)
        return order if found else None

    def label(self, role: str, default: int = NO_LABEL) -> IntArray:
        """Return a column of whole numbers, or the default in all rows where there is none."""
        return self[role] if role in self else np.full(self.rows, default)

    @cached_property
    def fold(self) -> IntArray:
        """Fold of each row; 0 where some are of none."""
        found = self.label("fold", 0)
        return np.zeros_like(found) if (found == NO_LABEL).any() else found

    @cached_property
    def repeat(self) -> IntArray:
        """Repeat of each row; 0 where rows are of none."""
        return np.maximum(self.label("repeat", 0), 0)

    @cached_property
    def tests_once(self) -> bool:
        """Whether an example has one outer loss in a repeat, and one inner loss in a fold."""
        inner = self.label("inner")
        fold = np.where(inner < 0, -1, self.fold)
        return _check.distinct(self.repeat, fold, inner, self["example"]) == self.rows

    @cached_property
    def of_examples(self) -> bool:
        """Whether each row can be a test example: it is named, or the test sizes are the numbers of rows."""
        if "example" in self or "n_test" not in self:
            return True
        codes = self.codes(*LABELS)
        return bool((np.bincount(codes)[codes] == self["n_test"]).all())

    def count(self, role: str) -> int:
        """Return the number of different labels of a role; 1 where there is no such column."""
        return int(self.codes(role).max()) + 1 if role in self else 1

    def codes(self, *roles: str) -> IntArray:
        """Number the combinations of some columns from 0, in their order; without any of them, rows number themselves."""
        columns = tuple(role for role in roles if role in self)
        if not columns:
            return np.arange(self.rows)
        return self.kept(columns, lambda: _check.numbered(*(self[role] for role in columns)))

    def first(self, *roles: str) -> IntArray:
        """Return the first row of each combination of some columns, in their order."""
        return self.kept(
            ("first", roles), lambda: np.unique(self.codes(*roles), return_index=True)[1]
        )

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made under a key, and make it where that was not yet."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]
