"""The study: cells of problems and sizes, rows of methods and targets, tables of methods."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import FitFailedError, InvalidInputError, one_line
from errbar_lab._atlas._fits import (
    COSTLY_PART,
    COSTLY_SIZES,
    LEVEL,
    LEVELS,
    MANY,
    MEASURED,
    OF_ALL_LEVELS,
    PARTS,
    Answers,
    Measured,
    Target,
    experiments_of,
    truths_of,
)
from errbar_lab._atlas._problems import PROBLEMS, SIZES, Problem
from errbar_lab._atlas._summary import CELL, SUBJECTS, by_method
from errbar_lab._replicates import SimulationOptions, replicates, with_root
from errbar_lab._study import Study, StudyTable
from errbar_lab.plots import Panel, Series

# With 60 draws the error of a truth widens that of an estimate by less than 1 %.
DATA_SETS, TRUTH_DRAWS = 75, 60


def atlas(
    problems: Sequence[str] | None = None,
    n: Sequence[int] | None = None,
    *,
    data_sets: int = DATA_SETS,
    truth_draws: int = TRUTH_DRAWS,
    cheap: bool = False,
    part: str = MANY,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Measure many methods on many problems, with several losses, learners and pairs.

    Parameters
    ----------
    problems : sequence of str, optional
        Keys of problems; by default all.
    n : sequence of int, optional
        Sizes of data sets; by default all that a problem has room for.
    data_sets : int, default 75
        Data sets of each problem and size.
    truth_draws : int, default 60
        Training sets behind every expected risk.
    cheap : bool, default False
        Leave out learners whose fits take more than a few milliseconds.
    part : {"many", "costly", "default"}, default "many"
        Which methods are measured: the many of up to 30 fits; those that take hundreds; or those that may be the
        default, which are fast.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        Its outcomes are a frame with a row per problem, size, loss, method and target: counts of intervals below and
        above each truth, widths and costs.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> found = lab.atlas(["no-signal"], [60], data_sets=2, truth_draws=2, cheap=True)
    >>> found.outcomes["method"].nunique() > 20
    True
    """
    import pandas as pd

    how, rows = with_root(**how), []
    count = _check.count(data_sets, "data_sets", 2)
    draws = _check.count(truth_draws, "truth_draws", 2)
    failed = {}
    for problem, size in cells_of(problems, n, _check.choice(part, PARTS, "part")):
        answers, truths = experiments_of(problem, size, cheap=cheap, part=part)
        try:
            [risks] = replicates([truths], draws, **how)
            [found] = replicates([answers], count, **how)
        except FitFailedError as error:
            failed[f"Not run: {problem.key}, n = {size}"] = str(error)
            continue
        own = _rows(problem.key, answers, found, truths.sizes, risks["risks"])
        room = problem.for_a_feature(size)
        rows += [row | {"for a feature": room} for row in own]
    if not rows:
        raise FitFailedError(next(iter(failed.values())))
    return _study(pd.DataFrame(rows), failed)


def read_atlas(*paths: str | Path) -> Study:
    """Put together what parts of an atlas have written.

    Parameters
    ----------
    *paths : str or Path
        Parquet files; of a row that several have, the one of most data sets counts.

    Returns
    -------
    Study
        As from `atlas`.

    Raises
    ------
    InvalidInputError
        If a file is none of an atlas.
    """
    import pandas as pd

    parts = []
    for path in paths:
        try:
            parts.append(pd.read_parquet(path))
        except (OSError, ValueError) as error:
            raise InvalidInputError(
                f"'{path}' cannot be read as the rows of an atlas: {one_line(error)}"
            ) from None
        if not {*CELL, "data_sets"} <= {*parts[-1].columns}:
            raise InvalidInputError(f"'{path}' holds no rows of an atlas")
    return _study(pd.concat(parts, ignore_index=True), {})


def save(found: Study, path: str | Path) -> None:
    """Write the rows of an atlas as a small Parquet file."""
    kinds = {"f": np.float32, "i": np.int32, "u": np.int32}
    small = {
        name: column.astype(kinds.get(column.dtype.kind, "category"))
        for name, column in found.outcomes.items()
    }
    type(found.outcomes)(small).to_parquet(path, compression="zstd", index=False)


def cells_of(
    problems: Sequence[str] | None,
    sizes: Sequence[int] | None,
    part: str = MANY,
) -> list[tuple[Problem, int]]:
    """Return problems with their sizes of data sets, small ones first."""
    keys = PROBLEMS if problems is None else problems
    asked = [PROBLEMS[_check.choice(key, PROBLEMS, "problems")] for key in keys]
    if part == COSTLY_PART:
        sizes = [n for n in COSTLY_SIZES if sizes is None or n in sizes]
        asked = [one for one in asked if not one.grouped]
    found = sorted((n, one.key) for one in asked for n in one.sizes if sizes is None or n in sizes)
    if not found:
        raise InvalidInputError(
            f"must be among the sizes of the problems, {', '.join(map(str, SIZES))}, got {sizes}",
            argument="n",
        )
    return [(PROBLEMS[key], n) for n, key in found]


def _rows(
    key: str,
    answers: Answers,
    found: Any,
    sizes: Any,
    risks: FloatArray,
) -> Any:
    """Return a row per loss, method and target that has answers."""
    models = found["risks"]
    if not answers.knows_models:
        models = np.full_like(models, np.nan)
    rows = []
    for i, loss in enumerate(answers.losses):
        for j, measured in enumerate(MEASURED):
            for k, target in enumerate(answers.targets):
                own = found["results"][:, i, j, k]
                if not np.isfinite(own[:, 0]).any():
                    continue
                n_train = float(np.nanmedian(own[:, 2]))
                truths = truths_of(measured, n_train, sizes, risks[:, i, k], models[:, i, k])
                cell = {"problem": key, "n": answers.n, "loss": loss}
                for level in measured.levels:
                    place = OF_ALL_LEVELS + 2 * LEVELS.index(level)
                    at = np.concatenate([own[:, :OF_ALL_LEVELS], own[:, place : place + 2]], axis=1)
                    row = cell | {"level": round(100 * level)} | _row(measured, target, at)
                    rows.append(row | _held(at, truths))
    return rows


def _row(measured: Measured, target: Target, own: FloatArray) -> Any:
    estimate, se, _, _, low, high = own[_complete(own)].T
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # where no data set has a whole interval
        numbers = {
            "estimate": float(estimate.mean()),
            "sd": float(estimate.std(ddof=1)),
            "se": float(np.sqrt(np.square(se).mean())),
            "width": float((high - low).mean()),
        }
    return {
        "method": measured.name,
        "learner": target[0],
        "minus": target[1],
        "pair": target[2],
        "data_sets": len(own),
        "answers": len(estimate),
        "n_train": float(np.nanmedian(own[:, 2])),
        "fits": float(np.nanmedian(own[:, 3])),
        **numbers,
        "rejects": int(((low > 0.0) | (high < 0.0)).sum()),
    }


def _held(own: FloatArray, truths: Any) -> Any:
    """Return value and error of each truth, and how many intervals lie below it and above, -1 where it is unknown."""
    kept = _complete(own)
    low, high = own[kept, 4], own[kept, 5]
    row: dict[str, Any] = {}
    for name, (true, error) in truths.items():
        value = np.broadcast_to(true, len(own))[kept]
        known = np.isfinite(value)
        row |= {
            f"{name} value": float(value[known].mean()) if known.any() else np.nan,
            f"{name} error": error,
            f"{name} below": int((high[known] < value[known]).sum()) if known.any() else -1,
            f"{name} above": int((low[known] > value[known]).sum()) if known.any() else -1,
        }
    return row


def _complete(own: FloatArray) -> Any:
    return np.isfinite(own[:, 4]) & np.isfinite(own[:, 5])


def _study(frame: Any, failed: Any) -> Study:
    most = frame.sort_values("data_sets", ascending=False, kind="stable").drop_duplicates(CELL)
    kept = most.sort_values(
        ["problem", "n", "loss", "method", "minus", "learner"], ignore_index=True
    )
    count = kept["data_sets"]
    settings = {
        "Problems": str(kept["problem"].nunique()),
        "Problems and sizes": str(len(kept[["problem", "n"]].drop_duplicates())),
        "Data sets of a cell": " to ".join(map(str, sorted({count.min(), count.max()}))),
        "Rows": str(len(kept)),
        **failed,
    }
    title = "Coverage and width of intervals on many problems"
    methods = {subject: by_method(kept, subject) for subject in SUBJECTS}
    return Study(
        "atlas",
        title,
        settings,
        tuple(_table(subject, rows) for subject, rows in methods.items() if rows),
        (),
        {"title": title, "settings": settings, "methods": methods},
        kept,
        [_panels(subject, rows) for subject, rows in methods.items() if rows],
        kept,
    )


_COLUMNS = ("method", "fits", "about", "cells", "coverage", "low", "bad", "width", "oracle")


def _table(subject: str, rows: Any) -> StudyTable:
    columns = (*_COLUMNS, *(("equal", "differ") if subject == "pairs" else ()))
    return StudyTable(
        f"Intervals of {SUBJECTS[subject]}",
        [{name: row[name] for name in columns} for row in rows],
        "A cell is a problem and a size, with all losses and learners or pairs. About: what the "
        "intervals should cover. Low: coverage of the tenth lowest cell; bad: share of cells "
        "below 90 %. Width: geometric mean of the ratio to that of corrected-t on 15 random "
        "splits. Oracle: median ratio to the interval that knows the standard deviation. Equal "
        "and differ: how often identical and other learners are told apart.",
    )


def _panels(subject: str, rows: Any) -> list[Panel]:
    names = [row["method"] for row in rows]
    places = range(len(rows))

    def column(key: str, scale: float = 1.0) -> list[float]:
        return [scale * row[key] for row in rows]

    held, low = column("coverage", 100.0), column("low", 100.0)
    return [
        Panel(
            [Series("mean, down to the tenth lowest cell", held, places, low, held, marker="o")],
            title=SUBJECTS[subject],
            xlabel="coverage, %",
            rows=names,
            upright={"level 95 %": 100.0 * LEVEL},
            limits=(60.0, 101.0),
        ),
        Panel(
            [Series("", column("width"), places, marker="o")], xlabel="width, relative", rows=names
        ),
        Panel(
            [Series("", column("fits"), places, marker="o")],
            xlabel="fits",
            rows=names,
            ticks=(1, 10, 100, 1000),
        ),
    ]
