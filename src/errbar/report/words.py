"""The words that all forms of a report share: what is measured, on which plan, and how things are listed and counted."""

import math
import re
from collections.abc import Sequence

from errbar import _check, metrics
from errbar._check import FloatArray
from errbar.comparison import Comparison
from errbar.plans import KINDS

# Kinds of which it is told how many numbers there are.
_NOUNS: dict[str, str] = {
    "data-sets": "data set",
    "bootstrap": "bootstrap sample",
    "subsampling": "random split",
    "other": "given split",
}


def measure(key: str) -> str:
    """Return what is measured, in words."""
    if key == "correct":  # a column of zeros and ones
        return "share correct"
    known = metrics.in_words(key)
    plain = re.fullmatch("[a-z0-9_]+", key)
    return known if known != key else clean(key.replace("_", " ") if plain else key)


def heading(text: str) -> str:
    """Return words with a capital; a name that a user has spelled in a way of its own stays as it is."""
    return text[:1].upper() + text[1:] if re.fullmatch("[a-z0-9 -]+", text) else text


def clean(name: str) -> str:
    """Return a name on one line and without characters that control a terminal."""
    return " ".join(
        "".join(character if character.isprintable() else " " for character in name).split()
    )


def sentence(text: str) -> str:
    """Return a note as a sentence on one line."""
    text = clean(text)
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def splits_of(comparison: Comparison) -> str:
    """Return the plan in words, such as ``10 folds, twice``."""
    splits, looks = comparison.used.splits, comparison.looks
    design = splits.designs[0]
    if looks is not None and (counts := set(looks.splits.values())) > {min(counts)}:
        return f"{min(counts)} to {max(counts)} random splits"
    sizes = splits.n_test
    if design.seeds > 1:
        seeds = splits.labels["seed"]
        sizes = sizes[seeds == seeds[0]]
    kind = splits.kinds[0]
    found = plan_words(kind, sizes, splits.repeats(0))
    if design.clusters is not None and not design.clustered_scores:
        groups = counted(groups_tested(comparison), "group")
        found += f" {'in' if kind == 'holdout' else 'of'} {groups}"
    if design.time is not None and kind == "holdout" and not design.backwards:
        found += " in the order of time"
    if design.seeds > 1:
        return f"{design.seeds} seeds {'on' if kind == 'holdout' else 'in'} {found}"
    return found


def groups_tested(comparison: Comparison) -> int:
    """Return the number of groups of examples that are tested."""
    [design, *_], cells = comparison.used.splits.designs, comparison.used.cells
    if design.clusters is None or cells is None:
        return design.n_clusters
    return _check.distinct(design.clusters[cells.example])


def plan_words(kind: str, n_test: FloatArray, repeats: int) -> str:
    """Return a plan in words."""
    if kind in _NOUNS:
        return counted(n_test.size, _NOUNS[kind])
    if kind == "holdout":
        size = float(n_test[0])
        return "one test set" if math.isnan(size) else counted(int(size), "test example")
    if kind == "5x2":
        return "2 folds, 5 times"
    if kind != "kfold":
        return KINDS[kind].words if kind in KINDS else "given splits"
    folds = n_test.size // repeats
    if repeats == 1 and bool((n_test == 1).all()):
        return f"leave-one-out of {folds} examples"
    times = {1: "", 2: ", twice"}.get(repeats, f", {repeats} times")
    return f"{folds} folds{times}"
