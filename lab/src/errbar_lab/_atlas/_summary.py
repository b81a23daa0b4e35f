"""What the rows of the atlas say of each method, over all problems."""

from typing import Any

import numpy as np
from scipy import special

from errbar.methods._core.registry import lookup
from errbar.result import Estimand

SUBJECTS = {
    "learners": "single learners",
    "pairs": "differences of two learners",
    "near-equal": "differences of two learners that nearly agree",
}
"""What intervals are about, and in words."""

REFERENCE = "corrected-t, random splits"
"""The method with whose widths those of others are compared."""

CELL = ["problem", "n", "loss", "method", "learner", "minus", "level"]
"""Columns that name a row of the atlas; levels are in percent."""

LEVEL = 95
"""The level of all tables but those over `cells`."""

BASE = "cv-t, folds x2"
"""The cheap method with whose widths those of the default are compared."""

WITHIN, FAR = 0.03, 0.08
"""So much may the coverage of a cell lie below the level, and so much is far below it."""

_KNOWN = 0.25  # of the standard deviation of an estimate: so much may its true value be in error
_ANSWERED = 0.9

_TARGET = ["problem", "n", "loss", "learner", "minus"]

# The dummy predicts no positive and explains no variance, so its F1 and R2 are constants, and no method has an interval for that.
_DEGENERATE = ("f1", "f1_macro", "r2")


def about(frame: Any, subject: str, level: int = LEVEL, reference: str = REFERENCE) -> Any:
    """Return the rows about learners, about pairs, or about pairs that nearly agree; with coverages and relative widths.

    Pairs that nearly agree are among the pairs. A learner and itself are none: their difference says nothing about learners that differ.

    Columns that are added: ``coverage`` of ER(n1), ``relative`` (width over that of a reference) and ``oracle`` (width over that of
    the interval that knows the standard deviation of the estimate).
    """
    degenerate = ((frame["learner"] == "dummy") | (frame["minus"] == "dummy")) & frame["loss"].isin(
        _DEGENERATE
    )
    single = frame["minus"] == ""
    near = frame["pair"] == "near-equal"
    same = frame["pair"] == "identical"
    wanted = {"learners": single, "pairs": ~single & ~same, "near-equal": near}[subject]
    asked = wanted & (frame["level"] == level)
    own = frame[asked & ~degenerate & (frame["answers"] > 0)].copy()
    own["coverage"] = _held(own, "ER(n1)")
    width = own[own["method"] == reference].set_index(_TARGET)["width"].rename("reference")
    own = own.join(width, on=_TARGET)
    with np.errstate(all="ignore"):
        # Where learners always agreed the reference has no width.
        own["relative"] = (own["width"] / own["reference"]).where(own["reference"] > 0.0)
        own["oracle"] = own["width"] / (2.0 * 1.959964 * own["sd"])
    return own


def cells(frame: Any, subject: str) -> Any:
    """Return a row per method, level and cell: one learner or pair, one loss, one problem and size.

    ``short`` is the level less the coverage; ``relative`` is the width over that of `BASE`, where that is at most `WITHIN` short.
    Cells are left out whose true value is not known to a quarter of the standard deviation of an estimate, and those in which
    every tenth data set has no interval.
    """
    import pandas as pd

    levels = sorted(frame["level"].unique().tolist())
    own = pd.concat([about(frame, subject, level, BASE) for level in levels])
    known = own["ER(n1) error"] <= _KNOWN * own["sd"]
    own = own[known & (own["answers"] >= _ANSWERED * own["data_sets"])].copy()
    own["short"] = own["level"] / 100 - own["coverage"]
    base = own[own["method"] == BASE].set_index([*_TARGET, "level"])["short"]
    own = own.join(base.rename("base"), on=[*_TARGET, "level"])
    own["relative"] = own["relative"].where(own["base"] <= WITHIN)
    return own


def by_level(frame: Any, subject: str) -> Any:
    """Return a record for each method and level, from `cells`.

    ``coverage``: its mean, with its standard error over problems, ``error``; ``within``: share of cells at most three points
    short; ``chance``: what that share would be if all cells covered at the level; ``worst``: coverage of the lowest cell;
    ``bad``: share of cells more than eight points short; ``width``: geometric mean of `relative`.
    """
    records = []
    for (method, level), part in cells(frame, subject).groupby(["method", "level"], observed=True):
        answers = part["answers"].to_numpy()
        # Of n intervals that miss with probability 1 - level, so many may miss within three points.
        most = np.floor((1.0 - level / 100 + WITHIN) * answers + 1e-9)
        usable = part["relative"][part["relative"] > 0.0]
        records.append(
            {
                "method": str(method),
                "level": int(level),
                "cells": len(part),
                "coverage": float(part["coverage"].mean()),
                "error": _clustered_error(part.set_index("problem")["coverage"]),
                "within": float((part["short"] <= WITHIN + 1e-9).mean()),
                "chance": float(special.bdtr(most, answers, 1.0 - level / 100).mean()),
                "bad": float((part["short"] > FAR).mean()),
                "worst": float(part["coverage"].min()),
                "width": float(np.exp(np.log(usable).mean())),
                "fits": float(part["fits"].median()),
            }
        )
    return records


def by_method(frame: Any, subject: str) -> Any:
    """Return a record for each method, those of the expected risk first, the narrowest first.

    ``about``: what its intervals should cover; ``coverage``: how often they do, the mean over cells, each a problem and a size, with its
    standard error, ``error``, which takes the sizes of a problem as alike; ``low``: in the tenth lowest cell; ``bad``: share of cells below 90 %; ``expected``: how often they cover ER(n1);
    ``width`` and ``oracle``: see `about`; ``fits``; ``equal`` and ``differ``: how often 0 is rejected for learners that are the same, and
    that are not.
    """
    own = about(frame, subject)
    rejected = _rejected_of_the_same(frame) if subject == "pairs" else {}
    records = [
        _record(str(method), part) | {"equal": rejected.get(method, np.nan)}
        for method, part in own.groupby("method", observed=True)
    ]
    return sorted(records, key=lambda one: (_ORDER.index(one["about"]), one["width"]))


_ORDER = ("ER(n1)", "PQ", "R")


def own_truth(method: str) -> str:
    """Return what intervals of a method of the atlas should cover."""
    found = {Estimand.PROXY: "PQ", Estimand.RISK: "R"}
    return found.get(lookup(method.partition(",")[0].partition(" ")[0]).estimand, "ER(n1)")


def _rejected_of_the_same(frame: Any) -> dict[str, float]:
    """Return by method how often 0 is rejected for a learner and itself."""
    same = frame[(frame["pair"] == "identical") & (frame["answers"] > 0)]
    shares = same["rejects"] / same["answers"]
    found: dict[str, float] = shares.groupby(same["method"], observed=True).mean().to_dict()
    return found


def _clustered_error(cells: Any) -> float:
    """Return the standard error of the mean over cells; those of a problem, at several sizes, are alike (CR1)."""
    sums = (cells - cells.mean()).groupby(level="problem", observed=True).sum()
    count = len(sums)
    return (
        float(np.sqrt(count / (count - 1) * np.square(sums).sum()) / len(cells))
        if count > 1
        else np.nan
    )


def _record(method: str, part: Any) -> Any:
    truth = own_truth(method)
    cells = _held(part, truth).groupby([part["problem"], part["n"]], observed=True).mean().dropna()
    relative, oracle = part["relative"].to_numpy(), part["oracle"].to_numpy()
    usable = relative[np.isfinite(relative) & (relative > 0.0)]
    rejects = part["rejects"] / part["answers"]
    return {
        "method": method,
        "about": truth,
        "cells": len(cells),
        "coverage": float(cells.mean()),
        "error": _clustered_error(cells),
        "low": float(cells.quantile(0.1)),
        "bad": float((cells < 0.9).mean()),
        "expected": float(part["coverage"].mean()),
        "width": float(np.exp(np.log(usable).mean())) if usable.size else np.nan,
        "oracle": float(np.median(oracle[np.isfinite(oracle)]))
        if np.isfinite(oracle).any()
        else np.nan,
        "fits": float(part["fits"].median()),
        "differ": float(rejects[part["pair"] != ""].mean()),
    }


def _held(part: Any, truth: str) -> Any:
    """Return the share of intervals that cover a true value, by row; NaN where it is not known."""
    wrong = part[f"{truth} below"] + part[f"{truth} above"]
    return (1.0 - wrong / part["answers"]).where(part[f"{truth} below"] >= 0)
