"""Columns that number repeats, folds and seeds: which is which, by their names and by how they cross."""

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar._check import FloatArray, IntArray, distinct
from errbar.result import Note

FOLDS = {"cv", "k", "fold", "fold_no", "fold_idx", "fold_nr", "fold_number", "fold_id", "cv_fold"}
FOLDS |= {"outer_fold", "outer"}
REPEATS = {"rep", "reps", "repeats", "repeat_no", "repeat_id", "repetition", "cv_repeat", "replicate"}
REPEATS |= {"replication", "round", "iter", "partition", "shuffle"}
_FOLD_OF_REPEAT = re.compile(r"(?i)(fold[ _-]?\d+)[ ._-](rep(?:eat)?[ _-]?\d+)")
_MANY_SPLITS = 10_000
"""So many rows are examples."""
_ALIKE = 0.01
"""Numbers that have nothing in common are taken for refits of one fold less often than this."""


def normal(name: str) -> str:
    """Return a name in small letters, with one mark between its words."""
    return re.sub(r"[^a-z]+", "_", name.lower()).strip("_")


def numbers_folds(name: str) -> bool:
    """Tell by its name whether a column of a frame numbers folds or repeats; such a name may also be that of a learner."""
    return normal(name) in FOLDS | REPEATS


def folds_and_repeats(column: Any) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the fold and the repeat of each row, where labels such as ``Fold03.Rep1`` say both; None of other columns."""
    if getattr(getattr(column, "dtype", None), "kind", "O") in "biufcmM":
        return None
    labels = np.asarray(column, dtype=object)
    if labels.ndim != 1 or labels.size == 0 or not _FOLD_OF_REPEAT.fullmatch(str(labels[0])):
        return None
    names, codes = np.unique(labels.astype(str), return_inverse=True)
    parts = [match.groups() for name in names.tolist() if (match := _FOLD_OF_REPEAT.fullmatch(name))]
    if len(parts) < names.size:
        return None
    folds, repeats = np.array(parts).T
    return folds[codes], repeats[codes]


def with_repeats(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels by role, in which the repeats are known that the labels of folds name."""
    known = dict(labels)
    if known.get("fold") is not None and known.get("repeat") is None:
        parts = folds_and_repeats(known["fold"])
        known |= {} if parts is None else {"fold": parts[0], "repeat": parts[1]}
    return known


def labelled_folds(columns: Mapping[str, Any], taken: Collection[str] = ()) -> dict[str, str]:
    """Return the column whose labels name the fold and the repeat of each row as the fold, whatever its own name; empty unless it is one."""
    found = [name for name in columns if name not in taken and folds_and_repeats(columns[name]) is not None]
    return {"fold": found[0]} if len(found) == 1 else {}


def crossed(one: Any, other: Any) -> bool:
    """Tell whether each pair of values of two columns has one row, as repeats and folds have."""
    first, second = (np.unique(np.asarray(column).astype(str), return_inverse=True)[1] for column in (one, other))
    sizes = int(first.max()) + 1, int(second.max()) + 1
    return min(sizes) > 1 and sizes[0] * sizes[1] == first.size == distinct(first, second)


def repeats_and_folds(columns: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, str]:
    """Return which columns are the repeat and the fold of each row, by name, where names and values agree.

    A column called like folds beside one of repeats, or the other way round, is one if each pair of values has one row; one whose name
    says ``fold`` is one by itself.
    """
    found: dict[str, str] = {}
    small = {name: column for name, column in columns.items() if len(column) < _MANY_SPLITS}
    folds = [name for name in small if normal(name) in FOLDS]
    repeats = [name for name in small if normal(name) in REPEATS]
    of_fold = {name: small[name] for name in folds} if "fold" not in known else {"": known["fold"]}
    of_repeat = {name: small[name] for name in repeats} if "repeat" not in known else {"": known["repeat"]}
    pairs = [(r, f) for r in of_repeat for f in of_fold if (r or f) and crossed(of_repeat[r], of_fold[f])]
    if len(pairs) == 1:
        found = {role: name for role, name in zip(("repeat", "fold"), pairs[0], strict=True) if name}
    named = [name for name in folds if "fold" in name.lower()]
    if "fold" not in known and "fold" not in found and len(named) == 1:
        found["fold"] = named[0]
    return found


def read_as(found: Mapping[str, str]) -> tuple[Note, ...]:
    """Say which columns are read as what, by role."""
    return (Note("read", roles=[f"{role}={name}" for role, name in found.items()]),) if found else ()


def grid_note(columns: Mapping[str, Any]) -> tuple[Note, ...]:
    """Say of two columns of numbers or names of the rows that each pair of values has one row."""
    few = {name: column for name, column in columns.items() if len(column) < _MANY_SPLITS}
    for (one, first), (other, second) in combinations(few.items(), 2):
        if crossed(first, second):
            say = [f"repeat={one}", f"fold={other}"]
            return (Note("taken-as", what="each row", kind="another random split", say=say),)
    return ()


def with_seeds(
    learners: Iterable[Any], seed: str, labels: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, NDArray[Any]], tuple[Note, ...]]:
    """Return labels in which seeds beside folds are refits, or repeats if the numbers of a fold are not alike over its seeds.

    Where a seed is a refit on the same folds, what is hard in a fold is so for every seed. Where it has shuffled the examples into folds of
    its own, fold 1 of one seed has nothing in common with fold 1 of the next. Repeats have the larger standard error.
    """
    known = dict(labels)
    keys = [np.asarray(known[name]).astype(str) for name in ("repeat", "fold") if name in known]
    split = np.unique(np.stack(keys), axis=1, return_inverse=True)[1].ravel()
    numbers = [np.asarray(column, dtype=float) for column in learners if np.asarray(column).dtype.kind in "iuf"]
    if not crossed(known["seed"], split) or not numbers:
        return known, ()
    if "repeat" in known or any(_are_alike(column, split, _ALIKE / len(numbers)) for column in numbers):
        return known, (Note("taken-as", what=seed, kind="refits on the same folds", say=[f"repeat={seed}"]),)
    known["repeat"] = known.pop("seed")
    return known, (Note("taken-as", what=seed, kind="repeats with other folds", say=[f"seed={seed}"]),)


def _are_alike(numbers: FloatArray, split: IntArray, chance: float) -> bool:
    """Tell whether the numbers of a split are so much alike as by chance they seldom are."""
    from scipy.stats import f_oneway

    parts = [numbers[split == code] for code in range(int(np.max(split)) + 1)]
    if all(np.ptp(part) == 0.0 for part in parts):
        return True
    return bool(f_oneway(*parts).pvalue < chance)
