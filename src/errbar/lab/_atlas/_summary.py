"""What the rows of the atlas say of each method, over all problems."""

from typing import Any

import numpy as np

SUBJECTS = {
    "learners": "single learners",
    "pairs": "differences of two learners",
    "near-equal": "differences of two learners that nearly agree",
}
"""What intervals are about, and in words."""

REFERENCE = "corrected-t, random splits"
"""The method with whose widths those of others are compared."""

_TARGET = ["problem", "n", "loss", "learner", "minus"]

# The dummy predicts no positive and explains no variance, so its F1 and R2 are constants, and no method has an interval for that.
_DEGENERATE = ("f1", "f1_macro", "r2")


def about(frame: Any, subject: str) -> Any:
    """Return the rows about learners, about pairs, or about pairs that nearly agree; with coverages and relative widths.

    Columns that are added: ``coverage`` of ER(n1), ``relative`` (width over that of `REFERENCE`) and ``oracle`` (width over that of
    the interval that knows the standard deviation of the estimate).
    """
    degenerate = ((frame["learner"] == "dummy") | (frame["minus"] == "dummy")) & frame["loss"].isin(_DEGENERATE)
    single = frame["minus"] == ""
    near = frame["pair"] == "near-equal"
    wanted = {"learners": single, "pairs": ~single & ~near, "near-equal": near}[subject]
    own = frame[wanted & ~degenerate & (frame["answers"] > 0)].copy()
    wrong = own["ER(n1) below"] + own["ER(n1) above"]
    own["coverage"] = 1.0 - wrong / own["answers"]
    width = own[own["method"] == REFERENCE].set_index(_TARGET)["width"].rename("reference")
    own = own.join(width, on=_TARGET)
    with np.errstate(all="ignore"):
        own["relative"] = own["width"] / own["reference"]
        own["oracle"] = own["width"] / (2.0 * 1.959964 * own["sd"])
    return own


def by_method(frame: Any, subject: str) -> list[dict[str, Any]]:
    """Return a record for each method: its coverage over all cells, and in the tenth lowest; how wide its intervals are."""
    own = about(frame, subject)
    return [_record(str(method), part) for method, part in own.groupby("method", observed=True)]


def _record(method: str, part: Any) -> dict[str, Any]:
    cells = part.groupby(["problem", "n"], observed=True)["coverage"].mean()
    relative, oracle = part["relative"].to_numpy(), part["oracle"].to_numpy()
    usable = relative[np.isfinite(relative) & (relative > 0.0)]
    return {
        "method": method,
        "cells": len(cells),
        "coverage": float(cells.mean()),
        "low": float(cells.quantile(0.1)),
        "bad": float((cells < 0.9).mean()),
        "width": float(np.exp(np.log(usable).mean())) if usable.size else np.nan,
        "oracle": float(np.median(oracle[np.isfinite(oracle)])) if np.isfinite(oracle).any() else np.nan,
    }
