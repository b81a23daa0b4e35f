"""Splits that follow from the data, from another plan or from a splitter, and the draw of them all."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check, _rng
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import Plan, Split, Union
from errbar.plans._drawn import Holdout, KFold, Subsampling
from errbar.plans._kinds import KINDS, OTHER, Kind, Training
from errbar.plans._rows import Rows, size


class RollingOrigin(Plan):
    """Origin after origin in time: train on what lies before, test on what follows (Tashman 2000).

    The order is that of `time`, where a run is given it, and else that of the rows. Examples of the
    same time stay together, and sizes count times. The last origin leaves the newest examples for
    its test set; what does not fill a step is left out at the start. Groups are not kept whole:
    what a shop sold before is known when its next day is predicted.

    Parameters
    ----------
    n_train, n_test : int or float, default 0.5, 0.05
        Times to train on (the last before the gap, or at least so many with `expanding`) and to
        test on, as a count or a fraction.
    step : int or float, optional
        Times from one origin to the next; by default `n_test`, so that test sets do not overlap.
    gap : int or float, default 0
        Times between training and test set that are in neither, as where labels are known late.
    expanding : bool, default False
        Whether to train on all that lies before the gap.

    References
    ----------
    Tashman, L. J. (2000). Out-of-sample tests of forecasting accuracy: an analysis and review. International Journal of
    Forecasting 16, 437-450.

    Examples
    --------
    >>> from errbar.plans import RollingOrigin
    >>> splits = list(RollingOrigin(n_train=5, n_test=2, gap=1).splits(12))
    >>> [(split.train.tolist(), split.test.tolist()) for split in splits[:2]], dict(splits[2].labels)
    ([([0, 1, 2, 3, 4], [6, 7]), ([2, 3, 4, 5, 6], [8, 9])], {'repeat': 0, 'fold': 2})
    """

    n_train: float = 0.5
    n_test: float = 0.05
    step: float | None = None
    gap: float = 0
    expanding: bool = False
    kind = KINDS["rolling-origin"]

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits from the oldest to the newest, labelled ``repeat`` and ``fold``, the number of the origin."""
        codes = np.arange(rows.n)
        if rows.time is not None:
            codes = np.unique(rows.time, return_inverse=True)[1].ravel()
        order, times = np.argsort(codes, kind="stable"), int(codes.max()) + 1
        starts = np.searchsorted(codes[order], np.arange(times + 1))
        train = size(self.n_train, times, "n_train")
        test = size(self.n_test, times, "n_test")
        step = test if self.step is None else size(self.step, times, "step")
        gap = 0 if self.gap == 0 else size(self.gap, times, "gap")
        if train + gap + test > times:
            raise InvalidInputError(
                f"+ `gap` + `n_test` must be at most {times}, the number of different times, got {train} + {gap} + {test}",
                argument="n_train",
            )
        origins = range(times - test, train + gap - 1, -step)[::-1]
        for fold, origin in enumerate(origins):
            begin = 0 if self.expanding else origin - gap - train
            trained = order[starts[begin] : starts[origin - gap]]
            tested = order[starts[origin] : starts[origin + test]]
            yield Split(np.sort(trained), np.sort(tested), {"repeat": 0, "fold": fold})


class Seeds(Plan):
    """Another plan, with each of its training sets fitted several times, each time with a seed of its own.

    What differs between the fits is what the learners draw at random, such as first weights. A
    learner whose ``random_state`` is fixed draws the same each time; leave it at None.

    Parameters
    ----------
    seeds : int, default 5
        Number of fits S on each training set, at least 2.
    plan : Plan, int, splitter or iterable of (train, test)
        The splits; by default one random split with a fifth of the examples in the test set.

    Examples
    --------
    >>> from errbar.plans import Holdout, Seeds
    >>> splits = list(Seeds(2, plan=Holdout(n_test=0.2)).splits(100, 0))
    >>> [dict(split.labels) for split in splits]
    [{'repeat': 0, 'seed': 0}, {'repeat': 0, 'seed': 1}]
    """

    seeds: int = 5
    plan: Plan = Holdout(n_test=0.2)

    def __post_init__(self) -> None:
        super().__post_init__()
        plan = plan_of(self.plan)
        if isinstance(plan, (Union, Seeds)):
            raise InvalidInputError(
                f"must be a single plan that fits each training set once, such as errbar.plans.Holdout(), got {plan!r}",
                argument="plan",
            )
        own = {name: getattr(plan, name) for name in ("kind", "stratify", "foreign")}
        vars(self).update(own, plan=plan)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of the plan."""
        return self.plan.kind_of([split for split in splits if split.seed == 0])

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of the plan for one seed after the other, labelled ``seed`` as well."""
        once = list(self.plan.of(rows))
        for seed in range(self.seeds):
            for split in once:
                again = copy.copy(split)  # seeds share the positions of their splits
                vars(again)["labels"] = {**split.labels, "seed": seed}
                yield again


class Predefined(Plan, eq=False):
    """The splits of a scikit-learn splitter (stratified, grouped, by time ...) or of a list of index pairs.

    The structure is read off the splits. Test sets that partition the examples, once or several
    times, are K-fold cross-validation; a single split is a holdout; test sets drawn at random from
    all examples are subsampling; anything else is ``"other"``, which few methods accept.

    Parameters
    ----------
    splitter : scikit-learn splitter or iterable of (train, test)
        Never modified. A splitter whose ``random_state`` is None is seeded from the run's root.
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
    kind: Any = None
    foreign = True

    def __post_init__(self) -> None:
        if self.kind is not None:
            _check.choice(self.kind, (Subsampling.kind, OTHER), "kind")
        splitter = self.splitter
        # Text has a method `split` too.
        if isinstance(splitter, (str, bytes)) or not hasattr(splitter, "split"):
            splitter = _pairs(splitter)
        vars(self).update(splitter=splitter, stratify=self._named("Stratified"))

    def __repr__(self) -> str:
        pairs = isinstance(self.splitter, tuple)
        inside = f"{len(self.splitter)} index pairs" if pairs else repr(self.splitter)
        return f"Predefined({inside}{f', kind={self.kind!r}' if self.kind else ''})"

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits with the labels their structure allows."""
        pairs = self.splitter
        if hasattr(pairs, "split"):
            pairs = _run_splitter(pairs, rows)
        checked = [_positions(pair, rows.n, number) for number, pair in enumerate(pairs)]
        folds = None if self.kind else _folds([test for _, test in checked], rows.n)
        for number, (train, test) in enumerate(checked):
            labels = {"repeat": number}
            if folds:
                labels = {"repeat": number // folds, "fold": number % folds}
            yield Split(train, test, labels)

    def kind_of(self, splits: Sequence[Split]) -> Kind:
        """Return the kind of resampling that the splits amount to."""
        if self.kind:
            return KINDS[self.kind]
        if len(splits) == 1:
            return Holdout.kind
        if "fold" in splits[0].labels:
            return KFold.kind
        return Subsampling.kind if self._named("ShuffleSplit") or _looks_random(splits) else OTHER

    def _named(self, word: str) -> bool:
        return any(word in base.__name__ for base in type(self.splitter).__mro__)


def _pairs(value: Any) -> tuple[tuple[ArrayLike, ArrayLike], ...]:
    pairs = tuple(value) if np.iterable(value) else ()
    paired = all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 and np.ndim(pair[0]) for pair in pairs
    )
    must = (
        "must be a plan such as errbar.plans.KFold(folds=10), a number of folds, a splitter of "
        "scikit-learn or a list of (train, test) index pairs"
    )
    _check.require(pairs and paired, must, value, "plan")
    return pairs


def _run_splitter(given: Any, rows: Rows) -> list[Any]:
    splitter = copy.deepcopy(given)
    if getattr(splitter, "random_state", 0) is None:
        splitter.random_state = _rng.seed(rows.root, "splitter")
    try:
        return list(splitter.split(np.zeros((rows.n, 1)), rows.y, rows.groups))
    except (ValueError, TypeError) as error:
        raise InvalidInputError(
            f"{' '.join(repr(given).split())} cannot split these data: {error}", argument="plan"
        ) from None


def _positions(pair: Any, n: int, number: int) -> tuple[IntArray, IntArray]:
    train, test = (np.asarray(own) for own in pair)
    fit = all(
        own.ndim == 1 and own.size and own.dtype.kind in "iu" and 0 <= own.min() <= own.max() < n
        for own in (train, test)
    )
    # Counting takes a fraction of the time of sorting, which counts where fits are short.
    if not fit or np.bincount(test).max() > 1 or np.bincount(train, minlength=n)[test].any():
        raise InvalidInputError(
            f": split {number} must train on positions from 0 to {n - 1} and test others, each once, "
            f"got {_check.brief(pair)}",
            argument="plan",
        )
    return train.astype(np.int64), test.astype(np.int64)


def _folds(tests: list[IntArray], n: int) -> int | None:
    """Return K if the test sets, K at a time, partition the examples, else None."""
    ends, tested = np.cumsum([test.size for test in tests]), np.concatenate(tests)
    folds = int(np.searchsorted(ends, n)) + 1
    if folds == 1 or len(tests) % folds or (ends[folds - 1 :: folds] % n).any():
        return None
    partitions = np.sort(tested.reshape(-1, n)) == np.arange(n)
    return folds if partitions.all() else None


def _looks_random(splits: Sequence[Split]) -> bool:
    """Independent random splits have about equal sizes, no order as by time, and no example twice."""
    train = np.array([split.train.size for split in splits])
    test = np.array([split.test.size for split in splits])
    even = train.max() <= 1.2 * train.min() and test.max() <= 1.5 * test.min()
    mixed = any(split.train.max() > split.test.min() for split in splits)
    overlapping = np.unique(np.concatenate([split.test for split in splits])).size < test.sum()
    copies = any(np.bincount(split.train).max() > 1 for split in splits)
    return bool(even and mixed and overlapping and not copies)


def plan_of(value: Any, *, stratify: bool = False) -> Plan:
    """Return the plan that is meant by one, a number of folds, a splitter or index pairs."""
    plan: Plan
    if isinstance(value, Integral) and not isinstance(value, bool):
        plan = KFold(folds=int(value))
    else:
        plan = value if isinstance(value, Plan) else Predefined(value)
    return _stratified(plan) if stratify else plan


def _stratified(plan: Plan) -> Plan:
    if isinstance(plan, Union):
        return Union(tuple(map(_stratified, plan.plans)))
    if isinstance(plan, Seeds):
        return replace(plan, plan=_stratified(plan.plan))
    if "stratify" not in [one.name for one in fields(plan)]:
        raise InvalidInputError(
            f"was given, and {plan} has no stratified variant; use one that has, such as "
            "errbar.plans.KFold(folds=10, stratify=True)",
            argument="stratify",
        )
    asked: dict[str, Any] = {"stratify": True}
    return replace(plan, **asked)


@dataclass(frozen=True, eq=False)
class Draw:
    """The splits that a plan gave for one data set.

    Attributes
    ----------
    n : Number of examples.
    splits : All splits, plan after plan.
    parts, kinds : The plans, and the kind of each.
    plan : Which of the plans each split belongs to.
    training_sets : Digest of the training positions of each split.
    fingerprint : Digest of every index of every split: equal exactly when the splits are.
    groups, time : Group and time of each example, where they are known.
    """

    n: int
    splits: tuple[Split, ...]
    parts: tuple[Plan, ...]
    kinds: tuple[Kind, ...]
    plan: IntArray
    training_sets: tuple[str, ...]
    fingerprint: str
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None

    @property
    def fits(self) -> tuple[str, ...]:
        """What is fitted for each split: its training set, with the seed where there are several fits on it."""
        return tuple(
            digest if split.seed is None else f"{digest} seed {split.seed}"
            for digest, split in zip(self.training_sets, self.splits, strict=True)
        )

    def first(self, count: int) -> "Draw":
        """Return the first splits of one plan."""
        return replace(
            self,
            splits=self.splits[:count],
            plan=self.plan[:count],
            training_sets=self.training_sets[:count],
            fingerprint=f"{self.fingerprint} {count}",
        )


def draw(
    plan: Any, n: int, rng: Any = None, y: Any = None, groups: Any = None, time: Any = None
) -> Draw:
    """Draw every split of `plan` for `n` examples.

    Parameters
    ----------
    plan : Plan, int, splitter or iterable of (train, test)
        One plan or a union of plans, a number of folds, a splitter of scikit-learn, or index pairs.
    n, rng : int, None or int or NumPy generator
        Number of examples, and root of the random streams.
    y, groups, time : array-like, optional
        Target, group and time of each example, for plans that use them.

    Returns
    -------
    Draw

    Raises
    ------
    InvalidInputError
        If the plan does not fit the number of examples, or tears groups apart.

    Examples
    --------
    >>> from errbar.plans import KFold, draw
    >>> draw(KFold(5) + KFold(10), 100, 0).kinds
    ('kfold', 'kfold')
    """
    parts = plan_of(plan).parts()
    rows = Rows(n, rng, y, groups, time)
    drawn = [tuple(part.of(rows)) for part in parts]
    kinds = tuple(part.kind_of(own) for part, own in zip(parts, drawn, strict=True))
    for kind, own in zip(kinds, drawn, strict=True):
        # What is known of old groups is known, where the future is predicted.
        if rows.groups is not None and kind.training is not Training.ORDERED:
            _refuse_torn_groups(own, rows.groups)
    splits = tuple(chain.from_iterable(drawn))
    training_sets = tuple(_digest(split.train) for split in splits)
    every = "".join([*training_sets, *(_digest(split.test) for split in splits)])
    return Draw(
        rows.n,
        splits,
        parts=parts,
        kinds=kinds,
        plan=np.repeat(np.arange(len(parts)), [len(own) for own in drawn]),
        training_sets=training_sets,
        fingerprint=blake2b(every.encode(), digest_size=16).hexdigest(),
        groups=rows.groups,
        time=rows.time,
    )


def _digest(positions: IntArray) -> str:
    return blake2b(np.ascontiguousarray(positions, dtype="<i8").data, digest_size=16).hexdigest()


def _refuse_torn_groups(splits: Sequence[Split], groups: NDArray[Any]) -> None:
    codes = np.unique(groups, return_inverse=True)[1]
    for split in splits:
        torn = split.test[np.isin(codes[split.test], codes[split.train])]
        # A test of the training error is meant to test on what was trained on.
        if torn.size and "resubstitution" not in split.labels:
            raise InvalidInputError(
                f": group {groups[torn[0]]!s} is both trained on and tested in {split.describe()}; "
                "use splits that keep groups together, such as errbar.plans.KFold(folds=10)",
                argument="groups",
            )
