"""The plans: splits drawn at random, from the data, from another plan or from a splitter, and the draw of them all."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from itertools import chain, permutations
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar import _check, _rng
from errbar._check import IntArray
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.plans._base import (
    KINDS,
    OTHER,
    Kind,
    LeftOut,
    Plan,
    Rows,
    Split,
    Training,
    Union,
    dealt,
    evenly,
    size,
)

# Two examples are both drawn half of the time; so often in a row they never are.
_TRIES = 1000


class Holdout(Plan):
    """One random split into a training and a test set; of whole groups where a run is given groups.

    Parameters
    ----------
    n_train, n_test : int or float, optional, default 0.25
        Training and test examples (or groups), as a count or a fraction; by default, all others
        train.
    stratify : bool, default False
        Whether both sets keep the shares of the classes; see `Subsampling`.

    Examples
    --------
    >>> from errbar.plans import Holdout
    >>> [split] = Holdout(n_test=0.2).splits(100, 0)
    >>> split.train.size, split.test.size
    (80, 20)
    """

    n_train: float | None = None
    n_test: float = 0.25
    stratify: bool = False
    kind = KINDS["holdout"]

    def drawn(self, rows: Rows) -> Iterator[Split]:
        sizes = rows.sizes(self.n_train, self.n_test)
        yield Split(*rows.split(rows.stream("holdout"), *sizes), {"repeat": 0})


class Subsampling(Plan):
    """J independent random splits into n1 training and n2 test examples (Nadeau & Bengio 2003, section 2).

    Where a run is given groups, whole groups are drawn, and sizes are of groups.

    Parameters
    ----------
    n_train, n_test : int or float, optional, default 0.1
        Examples n1 and n2, as a count or a fraction; by default, all others train.
    repeats : int, default 15
        Number of splits J.
    stratify : bool, default False
        Whether test sets keep the shares of the classes, counts off by less than one; so do
        training sets, unless n1 + n2 is less than n. Whole groups keep them as well as dealing them
        out does.

    Examples
    --------
    >>> from errbar.plans import Subsampling
    >>> splits = list(Subsampling(n_train=150, n_test=30, repeats=15).splits(300, 0))
    >>> len(splits), splits[0].train.size, dict(splits[14].labels)
    (15, 150, {'repeat': 14})
    """

    n_train: float | None = None
    n_test: float = 0.1
    repeats: int = 15
    stratify: bool = False
    kind = KINDS["subsampling"]

    def drawn(self, rows: Rows) -> Iterator[Split]:
        sizes = rows.sizes(self.n_train, self.n_test)
        for repeat in range(self.repeats):
            sets = rows.split(rows.stream("subsampling", repeat), *sizes)
            yield Split(*sets, {"repeat": repeat})


class Bootstrap(Plan):
    """B bootstrap samples: n examples drawn with replacement to train on, tested on all that were not drawn.

    A sample that leaves nobody out, which happens with a handful of examples only, is drawn again.
    Where a run is given groups, as many whole groups as there are are drawn.

    Parameters
    ----------
    repeats : int, default 200
        Number of samples B.
    training_error : bool, default False
        Also fit on all examples and test on the same, as the .632 estimators need.
    stratify : bool, default False
        Whether each class keeps its number of examples; a group counts for its most frequent class.

    Examples
    --------
    >>> from errbar.plans import Bootstrap
    >>> splits = list(Bootstrap(repeats=3, training_error=True).splits(100, 0))
    >>> len(splits), splits[0].train.size, dict(splits[3].labels)
    (4, 100, {'resubstitution': 0})
    """

    repeats: int = 200
    training_error: bool = False
    stratify: bool = False
    kind = KINDS["bootstrap"]
    fewest: ClassVar = {"repeats": 2}

    def drawn(self, rows: Rows) -> Iterator[Split]:
        everyone = np.arange(rows.n)
        for repeat in range(self.repeats):
            stream = rows.stream("bootstrap", repeat)
            for _ in range(_TRIES):
                train = rows.resampled(stream)
                # Who is left out is seen by counting; sorting a sample takes ten times as long.
                if not np.bincount(train, minlength=rows.n).all():
                    break
            else:
                raise InvalidInputError(
                    "needs a class with several members: samples that keep the shares leave none out",
                    argument="stratify",
                )
            yield Split(train, np.setdiff1d(everyone, train), {"repeat": repeat})
        if self.training_error:
            yield Split(everyone, everyone, {"resubstitution": 0})


class KFold(Plan):
    """K-fold cross-validation on random folds, repeated r times with new folds.

    Each group, where a run is given groups, is whole in one fold: in random order, that which is
    smallest by then.

    Parameters
    ----------
    folds, repeats : int, default 10, 1
        Number of folds K, n for leave-one-out, of sizes that differ by at most one, and of
        partitions r.
    stratify : bool, default False
        Whether folds keep the shares of the classes: counts differ by at most one. Whole groups go
        to the fold that lacks their classes most.

    Examples
    --------
    >>> from errbar.plans import KFold
    >>> splits = list(KFold(folds=5, repeats=2).splits(100, 0))
    >>> len(splits), splits[0].test.size, dict(splits[7].labels)
    (10, 20, {'repeat': 1, 'fold': 2})
    """

    folds: int = 10
    repeats: int = 1
    stratify: bool = False
    kind = KINDS["kfold"]

    def drawn(self, rows: Rows) -> Iterator[Split]:
        for repeat in range(self.repeats):
            tests, *aside = self.cut(rows, repeat)
            for fold, test in enumerate(tests):
                yield LeftOut(rows.n, test, {"repeat": repeat, "fold": fold}, *aside)

    def cut(self, rows: Rows, repeat: int) -> tuple[Any, ...]:
        return (rows.partition(self.folds, repeat),)


class EqualKFold(KFold):
    """K-fold cross-validation with folds of exactly equal size, as estimators of its variance need.

    The n mod K examples that remain are left out of everything, drawn anew in every repeat.

    Parameters
    ----------
    folds, repeats : int, default 10, 1
        Number of folds K and of partitions r.
    stratify : bool, default False
        Whether folds, and what is left out, keep the shares of the classes.

    Examples
    --------
    >>> from errbar.plans import EqualKFold
    >>> splits = list(EqualKFold(folds=10).splits(442, 0))
    >>> {(split.train.size, split.test.size) for split in splits}
    {(396, 44)}
    """

    keeps_groups = False

    def cut(self, rows: Rows, repeat: int) -> tuple[Any, ...]:
        rest = rows.n % self.folds
        if rest == 0 or self.folds > rows.n:
            return super().cut(rows, repeat)
        rng = rows.stream("equal folds", self.folds, repeat)
        order = rows.by_class(rng)
        if rows.classes is None:
            used, aside = np.split(order, [rows.n - rest])
            return [np.sort(part) for part in np.split(used, self.folds)], aside
        places = evenly(rng, rows.n, rest)
        return dealt(np.delete(order, places), self.folds, rng), order[places]


class FiveByTwo(Plan):
    """Five repeats of two-fold cross-validation (Dietterich 1998).

    Examples
    --------
    >>> from errbar.plans import FiveByTwo
    >>> len(list(FiveByTwo().splits(100, 0)))
    10
    """

    kind = KINDS["5x2"]
    keeps_groups = False

    def drawn(self, rows: Rows) -> Iterator[Split]:
        return KFold(folds=2, repeats=5).drawn(rows)


class NestedKFold(Plan):
    """K-fold cross-validation, with a (K-1)-fold cross-validation inside each training set on the other folds.

    The training set without folds k and j serves the inner splits (k, j) and (j, k), so a repeat
    costs K(K + 1)/2 fits (Bates, Hastie & Tibshirani 2024).

    Parameters
    ----------
    folds, repeats : int, default 10
        Number of folds K, at least 3, and of partitions, the first of which are those of
        ``KFold(folds)``.
    stratify : bool, default False
        Whether folds keep the shares of the classes.

    Examples
    --------
    >>> from errbar.plans import NestedKFold, draw
    >>> drawn = draw(NestedKFold(folds=10, repeats=1), 100, 0)
    >>> len(drawn.splits), len(set(drawn.training_sets))
    (100, 55)
    """

    folds: int = 10
    repeats: int = 10
    stratify: bool = False
    kind = KINDS["nested-kfold"]
    fewest: ClassVar = {"folds": 3}

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield outer splits, labelled ``repeat`` and ``fold``, and inner ones, which also have ``inner``."""
        for repeat in range(self.repeats):
            folds = list(enumerate(rows.partition(self.folds, repeat)))
            for fold, test in folds:
                yield LeftOut(rows.n, test, {"repeat": repeat, "fold": fold})
            for (fold, left_out), (inner, test) in permutations(folds, 2):
                labels = {"repeat": repeat, "fold": fold, "inner": inner}
                yield LeftOut(rows.n, test, labels, left_out)


class PartJackknife(Plan):
    """Repeated K-fold cross-validation of all data, without each of G parts of it, and without each part and the next.

    What is left of a fold when a part is taken out is a fold of the rest, so the cross-validations
    differ by the parts alone. The part after the last one is the first. (2 G + 1) K r fits.

    Parameters
    ----------
    n_parts : int, default 20
        Number of parts G, at least three; sizes differ by at most one, and groups are kept whole.
    folds, repeats : int, default 10
        Number of folds K and of partitions r, the first of which are those of ``KFold(folds)``.
    stratify : bool, default False
        Whether folds and parts keep the shares of the classes.

    Examples
    --------
    >>> from errbar.plans import PartJackknife
    >>> splits = list(PartJackknife(n_parts=4, folds=5, repeats=2).splits(100, 0))
    >>> len(splits), splits[-1].train.size, dict(splits[-1].labels)
    (90, 41, {'repeat': 1, 'fold': 4, 'pair': 3})
    """

    n_parts: int = 20
    folds: int = 10
    repeats: int = 10
    stratify: bool = False
    kind = KINDS["part-jackknife"]
    fewest: ClassVar = {"repeats": 2}

    def drawn(self, rows: Rows) -> Iterator[Split]:
        _check.count(self.n_parts, "n_parts", most=rows.count)
        every = list(KFold(self.folds, self.repeats).drawn(rows))
        yield from every
        parts = rows.folds(rows.stream("parts", self.n_parts), self.n_parts)
        for label, count in (("part", 1), ("pair", 2)):
            for first in range(self.n_parts):
                out = np.concatenate([*parts, *parts][first : first + count])
                for whole in every:
                    left = whole.test[~np.isin(whole.test, out)]
                    labels = {**whole.labels, label: first}
                    if left.size == 0:
                        raise InvalidInputError(
                            f": without {label} {first} nothing is left of fold {labels['fold']}; "
                            "use more parts, or fewer folds",
                            argument="n_parts",
                        )
                    yield LeftOut(rows.n, left, labels, out)


class PairedHalves(Plan):
    """Random splits of all data, and of both halves of M random halvings (Nadeau & Bengio 2003, section 4.2).

    The halves have floor(n/2) examples each; of an odd number one, drawn at random, is left out.
    Their splits have floor(n/2) - n2 training and n2 test examples; those of all data are of
    ``Subsampling``. J + 2 M J fits.

    Parameters
    ----------
    n_train, n_test : int or float, optional, default 0.1
        Examples n1 and n2 of the splits of all data, as a count or a fraction; n2 is less than
        floor(n/2).
    repeats, halvings : int, default 15, 10
        Number of splits J, of all data and of each half, and of halvings M.

    Examples
    --------
    >>> from errbar.plans import PairedHalves
    >>> splits = list(PairedHalves(halvings=2, repeats=3).splits(101, 0))
    >>> len(splits), splits[-1].train.size, dict(splits[-1].labels)
    (15, 40, {'halving': 1, 'half': 1, 'repeat': 2})
    """

    n_train: float | None = None
    n_test: float = 0.1
    repeats: int = 15
    halvings: int = 10
    kind = KINDS["halves"]
    keeps_groups = False

    def drawn(self, rows: Rows) -> Iterator[Split]:
        n_test, half = size(self.n_test, rows.n, "n_test"), rows.n // 2
        _check.count(n_test, "n_test", most=half - 1)
        yield from Subsampling(self.n_train, n_test, self.repeats).drawn(rows)
        places = Rows(half, rows.root)
        for labels, examples in _halves(rows, self.halvings):
            # One stream for all splits of a half, so that more splits begin with the same ones.
            stream = rows.stream("halves", *labels.values())
            for repeat in range(self.repeats):
                train, test = places.split(stream, half - n_test, n_test)
                yield Split(examples[train], examples[test], labels | {"repeat": repeat})


class HalvedKFold(Plan):
    """K-fold cross-validation of all data, and of both halves of M random halvings. K + 2 M K fits.

    Parameters
    ----------
    folds, halvings : int, default 10
        Number of folds K and of halvings M.

    Examples
    --------
    >>> from errbar.plans import HalvedKFold
    >>> splits = list(HalvedKFold(folds=5, halvings=2).splits(100, 0))
    >>> len(splits), splits[-1].train.size, dict(splits[-1].labels)
    (25, 40, {'halving': 1, 'half': 1, 'fold': 4})
    """

    folds: int = 10
    halvings: int = 10
    kind = KINDS["halved-kfold"]
    keeps_groups = False

    def drawn(self, rows: Rows) -> Iterator[Split]:
        half = rows.n // 2
        _check.count(self.folds, "folds", most=half)
        yield from KFold(self.folds).drawn(rows)
        for labels, examples in _halves(rows, self.halvings):
            stream = rows.stream("halved folds", self.folds, *labels.values())
            yield from _folds_of(examples[stream.permutation(half)], self.folds, labels)


class ReplaceOne(Plan):
    """K-fold cross-validation of all data, of half of it, and of that half with one example replaced.

    Replacing an example leaves the training set of its own fold as it was: K + K + m (K - 1) fits
    (Austern & Zhou 2020).

    Parameters
    ----------
    folds : int, default 5
    replacements : int, default 100
        Number m of examples that are replaced, drawn at random from half the data; at most all
        floor(n/2), which the original replaces.

    Examples
    --------
    >>> from errbar.plans import ReplaceOne, draw
    >>> drawn = draw(ReplaceOne(folds=5, replacements=50), 100, 0)
    >>> len(drawn.splits), len(set(drawn.training_sets))
    (260, 210)
    """

    folds: int = 5
    replacements: int = 100
    kind = KINDS["replace-one"]
    keeps_groups = False

    def drawn(self, rows: Rows) -> Iterator[Split]:
        half = rows.n // 2
        _check.count(self.folds, "folds", most=half)
        yield from KFold(self.folds).drawn(rows)
        order = rows.stream("replace one").permutation(rows.n)
        yield from _folds_of(order[:half], self.folds, {"half": 0})
        chosen = np.arange(half)
        if self.replacements < half:
            drawn = rows.stream("replaced").choice(half, self.replacements, replace=False)
            chosen = np.sort(drawn)
        for replaced in chosen.tolist():
            examples = order[:half].copy()
            examples[replaced] = order[half + replaced]
            yield from _folds_of(examples, self.folds, {"half": 0, "replaced": replaced})


def _halves(rows: Rows, halvings: int) -> Iterator[tuple[dict[str, int], IntArray]]:
    """Yield the label and the examples of each half, which do not depend on how they are split further."""
    half = rows.n // 2
    for halving in range(halvings):
        order = rows.stream("halving", halving).permutation(rows.n)
        for number, examples in enumerate((order[:half], order[half : 2 * half])):
            yield {"halving": halving, "half": number}, np.sort(examples)


def _folds_of(examples: IntArray, folds: int, labels: dict[str, int]) -> Iterator[Split]:
    for fold, test in enumerate(np.array_split(examples, folds)):
        yield Split(np.setdiff1d(examples, test), np.sort(test), labels | {"fold": fold})


# Splits that follow from the data, from another plan or from a splitter, and the draw of them all.


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
        return self.plan.kind_of([split for split in splits if split.seed == 0])

    def drawn(self, rows: Rows) -> Iterator[Split]:
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


@record
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
