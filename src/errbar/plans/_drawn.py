"""Plans whose splits are drawn at random."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from errbar import _check
from errbar._check import IntArray
from errbar.errors import InvalidInputError
from errbar.plans._base import LeftOut, Plan, Split
from errbar.plans._kinds import KINDS
from errbar.plans._rows import Rows, dealt, evenly, size

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
        """Yield the one split."""
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
        """Yield the splits, labelled ``repeat``."""
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
        """Yield the samples, labelled ``repeat``, and the test on the training set, labelled ``resubstitution``."""
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
        """Yield the splits, labelled ``repeat`` and ``fold``."""
        for repeat in range(self.repeats):
            tests, *aside = self.cut(rows, repeat)
            for fold, test in enumerate(tests):
                yield LeftOut(rows.n, test, {"repeat": repeat, "fold": fold}, *aside)

    def cut(self, rows: Rows, repeat: int) -> tuple[Any, ...]:
        """Return the folds of one repeat, and the examples that are in none of them, if any."""
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
        """Return equal folds, and the examples that remain."""
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
        """Yield the ten splits, labelled ``repeat`` and ``fold``."""
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
        """Yield the splits of all data, labelled ``repeat`` and ``fold``, those without each ``part`` and ``pair``."""
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
        """Yield the splits of all data, labelled ``repeat``, then those of the halves."""
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
        """Yield the folds of all data, labelled ``repeat`` and ``fold``, then those of the halves."""
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
        """Yield folds of all data (``repeat``, ``fold``), of the half (``half``), and with one ``replaced``."""
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
