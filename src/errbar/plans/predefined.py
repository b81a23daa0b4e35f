"""Splits made elsewhere: any scikit-learn splitter, or a list of index pairs."""

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, refuse_size
from errbar.plans._kinds import KINDS, OTHER, Kind
from errbar.plans.holdout import Holdout
from errbar.plans.kfold import KFold
from errbar.plans.subsampling import Subsampling

Pair = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True, eq=False)
class Predefined(Plan):
    """The splits of a scikit-learn splitter (stratified, grouped, by time ...) or of a list of index pairs.

    The structure is read off the splits themselves. Test sets that partition the examples, once or several
    times, are K-fold cross-validation and are labelled ``repeat`` and ``fold``; a single split is a holdout;
    test sets drawn at random from all examples are subsampling; anything else (such as splits by time) is of
    kind ``"other"``, which few methods accept.

    Parameters
    ----------
    splitter : scikit-learn splitter or iterable of (train, test)
        The user's object is never modified. A splitter whose ``random_state`` is None is seeded from the run's root.
    kind : str, optional
        States the structure where the splits cannot tell: ``"subsampling"`` or ``"other"``.

    Examples
    --------
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from errbar.plans import Predefined
    >>> plan = Predefined(StratifiedKFold(5, shuffle=True))
    >>> splits = list(plan.splits(20, 0, y=[0, 1] * 10))
    >>> plan.kind_of(splits), dict(splits[3].labels)
    ('kfold', {'repeat': 0, 'fold': 3})
    """

    splitter: Any
    stated: str | None = None
    foreign = True

    def __init__(self, splitter: Any, kind: str | None = None) -> None:
        if kind not in (None, Subsampling.kind, OTHER):
            raise InvalidInputError(
                f"must be {Subsampling.kind!r}, {OTHER!r} or None, got {kind!r}", argument="kind"
            )
        # Text has a method `split` too.
        is_splitter = hasattr(splitter, "split") and not isinstance(splitter, (str, bytes))
        object.__setattr__(self, "splitter", splitter if is_splitter else _pairs(splitter))
        object.__setattr__(self, "stated", kind)
        object.__setattr__(self, "stratified", self._named("Stratified"))

    def __str__(self) -> str:
        """Return the splitter's own text, or the number of index pairs."""
        inside = (
            repr(self.splitter)
            if hasattr(self.splitter, "split")
            else f"{len(self.splitter)} index pairs"
        )
        return f"Predefined({inside}{f', kind={self.stated!r}' if self.stated else ''})"

    def __repr__(self) -> str:
        """Return the text of a plan that this one is a part of."""
        return str(self)

    def splits(
        self,
        n: int,
        rng: Any = None,
        y: Any = None,
        groups: Any = None,
        time: Any = None,  # noqa: ARG002 - splitters take none
    ) -> Iterator[Split]:
        """Yield the splits of `n` examples, with the labels their structure allows."""
        if hasattr(self.splitter, "split"):
            pairs = _run_splitter(self.splitter, n, _rng.root(rng), y, groups)
        else:
            pairs = self.splitter
        checked = [
            (_indices(train, n, i, "training"), _indices(test, n, i, "test"))
            for i, (train, test) in enumerate(pairs)
        ]
        for number, (train, test) in enumerate(checked):
            _refuse_overlap(train, test, number)
        folds = None if self.stated else _folds([test for _, test in checked], n)
        for number, (train, test) in enumerate(checked):
            labels = (
                {"repeat": number // folds, "fold": number % folds} if folds else {"repeat": number}
            )
            yield Split(train, test, labels)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of resampling that the splits amount to."""
        if self.stated:
            return KINDS[self.stated]
        if len(splits) == 1:
            return Holdout.kind
        if "fold" in splits[0].labels:
            return KFold.kind
        return Subsampling.kind if self._named("ShuffleSplit") or _looks_random(splits) else OTHER

    def _named(self, word: str) -> bool:
        """Tell whether the splitter, or what it is derived from, has this word in its name."""
        return any(word in base.__name__ for base in type(self.splitter).__mro__)


def _pairs(value: Any) -> tuple[Pair, ...]:
    wanted = "must be a scikit-learn splitter or a list of (train, test) index pairs"
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
        raise InvalidInputError(f"{wanted}, got {_check.brief(value)}", argument="splitter")
    pairs = list(value)
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise InvalidInputError(
                f"{wanted}; one of its items is not a pair", argument="splitter"
            )
    if not pairs:
        raise InvalidInputError(f"{wanted}, got an empty list", argument="splitter")
    return tuple((pair[0], pair[1]) for pair in pairs)


def _run_splitter(splitter: Any, n: int, base: int, y: Any, groups: Any) -> list[Pair]:
    given, splitter = splitter, copy.deepcopy(splitter)
    if getattr(splitter, "random_state", 0) is None:
        splitter.random_state = _rng.seed(base, "splitter")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*groups.*ignored.*", category=UserWarning)
            numbers = np.zeros((n, 1))
            refuse_size(_number(splitter, numbers, y, groups), n, given)
            return list(splitter.split(numbers, y, groups))
    except (ValueError, TypeError) as error:
        remedy = "; give `groups`" if groups is None and "'groups'" in str(error) else ""
        shown, said = " ".join(repr(given).split()), str(error).removesuffix(".")
        raise InvalidInputError(
            f"the splitter {shown} cannot split these data: {said}{remedy}"
        ) from None


def _number(splitter: Any, *data: Any) -> int:
    """Return how many splits there will be; 0 where the splitter cannot tell."""
    try:
        return int(splitter.get_n_splits(*data))
    except (AttributeError, TypeError, ValueError):
        return 0


def _indices(value: ArrayLike, n: int, number: int, role: str) -> IntArray:
    array = np.asarray(value)
    if array.dtype == bool and array.shape == (n,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InvalidInputError(
            f"split {number}: the {role} set must be a non-empty list of positions, got {_check.brief(value)}"
        )
    if array.min() < 0 or array.max() >= n:
        raise InvalidInputError(
            f"split {number}: {role} positions must lie in 0 to {n - 1}, got {array.min()} to {array.max()}"
        )
    return array.astype(np.int64)


def _refuse_overlap(train: IntArray, test: IntArray, number: int) -> None:
    # Counting takes a fraction of the time of sorting, which counts where fits are short.
    shared = int(np.count_nonzero(np.bincount(train, minlength=int(test.max()) + 1)[test]))
    if shared:
        raise InvalidInputError(
            f"split {number}: {shared} examples are both in the training and in the test set"
        )
    if np.bincount(test).max() > 1:
        raise InvalidInputError(f"split {number}: an example stands in the test set more than once")


def _folds(tests: list[IntArray], n: int) -> int | None:
    """Return K if the test sets, K at a time, partition the examples, else None."""
    folds = int(np.searchsorted(np.cumsum([test.size for test in tests]), n)) + 1
    if folds == 1 or len(tests) % folds:
        return None
    repeats = [
        np.concatenate(tests[start : start + folds]) for start in range(0, len(tests), folds)
    ]
    return (
        folds if all(np.array_equal(np.sort(repeat), np.arange(n)) for repeat in repeats) else None
    )


def _looks_random(splits: Sequence[Split]) -> bool:
    """Independent random splits have about equal sizes, no order between train and test as by time, and no example twice."""
    train = np.array([split.train.size for split in splits])
    test = np.array([split.test.size for split in splits])
    steady = train.max() <= 1.2 * train.min() and test.max() <= 1.5 * test.min()
    mixed = any(split.train.max() > split.test.min() for split in splits)
    overlapping = np.unique(np.concatenate([split.test for split in splits])).size < test.sum()
    copies = any(np.bincount(split.train).max() > 1 for split in splits)
    return bool(steady and mixed and overlapping and not copies)
