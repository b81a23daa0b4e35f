"""Between-block correlation and type-I error of the K-fold t: table 2 of Grandvalet & Bengio (2006)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar import _check, _rng
from errbar.engine import Executor, Progress
from errbar.errors import InvalidInputError
from errbar.lab._scenario import Analysis, Scenario
from errbar.lab._simulation import Outcomes, Simulation, simulate
from errbar.lab._summary import Proportion, Ratio, proportion, variance_ratio
from errbar.lab.populations import Population
from errbar.lab.studies._study import StudyTable, percent, share
from errbar.plans import KFold

SIZES = (20, 40, 80, 160, 400, 800, 2000)
CORRELATIONS = (0.0, 0.7)

PRINTED = {
    "letter": {
        "rho": (0.5245, 0.4343, 0.4216, 0.3404, 0.2823, 0.2569, 0.2268),
        0.0: (0.164, 0.128, 0.124, 0.099, 0.088, 0.081, 0.078),
        0.7: (0.031, 0.015, 0.013, 0.010, 0.007, 0.007, 0.005),
    },
    "forest": {
        "rho": (0.5322, 0.4985, 0.5194, 0.4715, 0.4544, 0.4261, 0.4079),
        0.0: (0.163, 0.141, 0.159, 0.140, 0.129, 0.123, 0.116),
        0.7: (0.031, 0.023, 0.024, 0.017, 0.015, 0.013, 0.011),
    },
}
"""The table as printed, for the sizes in `SIZES`; about two points of noise in rho."""


@dataclass(frozen=True)
class Row:
    """One size of data sets.

    Attributes
    ----------
    n : int
        Examples in a data set.
    rho : Ratio
        Between-block correlation gamma/theta, with its 95 % interval.
    type_1 : mapping of float to Proportion
        Share of data sets in which the true mean is rejected, by the correlation that the test assumes.
    mean, mean_error : float
        The true mean of the cross-validation error, and its Monte-Carlo standard error.
    degenerate : int
        Data sets in which all folds have the same error; they count as rejections.
    printed : mapping
        The printed values for this size, where there are some.
    """

    n: int
    rho: Ratio
    type_1: Mapping[float, Proportion]
    mean: float
    mean_error: float
    degenerate: int
    printed: Mapping[Any, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; shares, not percentages."""
        rates = {f"type_1_rho_{rho:g}": rate.value for rho, rate in self.type_1.items()}
        ends = {
            f"type_1_rho_{rho:g}_{end}": getattr(rate, end)
            for rho, rate in self.type_1.items()
            for end in ("low", "high")
        }
        printed = {f"printed_{'rho' if key == 'rho' else f'type_1_rho_{key:g}'}": v for key, v in self.printed.items()}
        return {
            "n": self.n,
            "rho": self.rho.value,
            **rates,
            "rho_low": self.rho.low,
            "rho_high": self.rho.high,
            **ends,
            "mean": self.mean,
            "mean_error": self.mean_error,
            "degenerate": self.degenerate,
            **printed,
        }


@dataclass(frozen=True, eq=False)
class Table2:
    """The table's numbers.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    rows : tuple of Row
        One per size of data sets.
    level : float
        Confidence level; the tests are at 1 - level.
    """

    title: str
    settings: Mapping[str, str]
    rows: tuple[Row, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; rho and error rates are shares, not percentages."""
        return {
            "study": "table2",
            "settings": dict(self.settings),
            "level": self.level,
            "rows": [row.to_dict() for row in self.rows],
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per size."""
        return [row.to_dict() for row in self.rows]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return the table with the printed values beside the measured ones."""
        known = any(row.printed for row in self.rows)
        names = ["rho, %", *(f"Type I, rho = {rho:g}, %" for rho in CORRELATIONS)]
        heads = [head for name in names for head in ([name, "printed"] if known else [name])]
        return (
            StudyTable(
                "table-2",
                f"Between-block correlation and type-I error of the {self.settings['Plan']} t",
                ("n", *heads, "CV error, %"),
                tuple(self._cells(row, known=known) for row in self.rows),
                f"Nominal {percent(1.0 - self.level)} %. In brackets 95 % intervals. Data sets without any spread between "
                f"folds ({max(row.degenerate for row in self.rows)} at most) count as rejections.",
            ),
        )

    def conclusion(self) -> tuple[str, ...]:
        """Return what the correlation does to the tests, and how far the printed values are."""
        largest = max(row.rho.value for row in self.rows)
        worst = {rho: max(row.type_1[rho].value for row in self.rows) for rho in CORRELATIONS}
        said = (
            f"The between-block correlation is at most {percent(largest)} %; taking it for 0 rejects a true hypothesis in "
            f"up to {percent(worst[0.0])} % of the data sets at a nominal {percent(1.0 - self.level)} %, taking it for "
            f"0.7 in at most {percent(worst[0.7])} %."
        )
        gaps = {
            key: max((abs(_value(row, key) - row.printed[key]) for row in self.rows if row.printed), default=math.nan)
            for key in ("rho", *CORRELATIONS)
        }
        if math.isnan(gaps["rho"]):
            return (said,)
        distance = (
            f"Largest distance to the printed values: {percent(gaps['rho'])} points of rho, {percent(gaps[0.0])} and "
            f"{percent(gaps[0.7])} points of type-I error."
        )
        return said, distance

    @staticmethod
    def _cells(row: Row, *, known: bool) -> tuple[str, ...]:
        cells = [str(row.n)]
        for key in ("rho", *CORRELATIONS):
            one = row.rho if key == "rho" else row.type_1[float(key)]
            cells.append(share(one.value, one.low, one.high))
            if known:
                cells.append(percent(row.printed[key]) if row.printed else "")
        return (*cells, percent(row.mean))


def table2(
    population: Population,
    *,
    n: Sequence[int] = SIZES,
    replicates: int = 10000,
    folds: int = 10,
    level: float = 0.95,
    printed: str | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    store: Any = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Table2:
    """Measure the between-block correlation of K-fold cross-validation and the size of the K-fold t.

    Data sets are drawn with replacement; a fully grown tree is cross-validated on each. The truth is the mean
    cross-validation error over all data sets. rho = 1 - E[theta3]/Var[mean], where theta3 is the variance of the mean
    as the K-fold t estimates it.

    Parameters
    ----------
    population : Population
        Binary classes, as `errbar.lab.binary_letter` and `errbar.lab.binary_covertype` return them; drawn from with
        replacement.
    n : sequence of int
        Sizes of data sets; by default 20 to 2000 as in the paper.
    replicates : int, default 10000
        Data sets of each size.
    folds : int, default 10
        Number of folds.
    level : float, default 0.95
        Confidence level; the tests are at 1 - level.
    printed : {"letter", "forest"}, optional
        Whose printed values to set beside the measured ones.
    random_state, n_jobs, store, executor, progress
        As for `errbar.lab.simulate`.

    Returns
    -------
    Table2
        One row per size.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
       University of Montreal.
    """
    from errbar.lab.learners import GiniTree

    sizes = [_check.count(size, "n", 2 * folds) for size in n]
    if not sizes:
        raise InvalidInputError("`n` must hold at least one size of data sets")
    base = _rng.root(random_state)
    plan = KFold(folds=folds)
    judges = [Analysis("kfold-t", plan, {"rho": rho}, name=f"rho={rho:g}") for rho in CORRELATIONS]
    scenarios = [Scenario(population, size, {"tree": GiniTree()}, "zero-one") for size in dict.fromkeys(sizes)]
    found = simulate(
        scenarios,
        judges,
        replicates=replicates,
        level=level,
        random_state=base,
        n_jobs=n_jobs,
        store=store,
        executor=executor,
        progress=progress,
    )
    settings = {
        "Population": population.name,
        "Data sets": f"{replicates} of each size",
        "Learner": repr(GiniTree()),
        "Plan": f"{folds}-fold",
        "Random state": str(base),
    }
    rows = tuple(_row(found, scenario, _printed(printed, scenario.n)) for scenario in scenarios)
    return Table2("Table 2 of Grandvalet & Bengio (2006): correlation and type-I error", settings, rows, level)


def _row(found: Simulation, scenario: Scenario, printed: Mapping[Any, float]) -> Row:
    about = {rho: found.select(f"rho={rho:g}", "tree", scenario=scenario.name) for rho in CORRELATIONS}
    plain = about[0.0]
    truth = float(plain.estimate.mean())
    bias = variance_ratio(plain.estimate, plain.se)
    error = float(plain.estimate.std(ddof=1)) / math.sqrt(plain.estimate.size)
    return Row(
        n=scenario.n,
        rho=Ratio(1.0 - 1.0 / bias.value, 1.0 - 1.0 / bias.low, 1.0 - 1.0 / bias.high),
        type_1={rho: _rejections(outcomes, truth) for rho, outcomes in about.items()},
        mean=truth,
        mean_error=error,
        degenerate=int((plain.se == 0.0).sum()),
        printed=printed,
    )


def _rejections(outcomes: Outcomes, truth: float) -> Proportion:
    rejected = int(np.count_nonzero((outcomes.low > truth) | (outcomes.high < truth)))
    return proportion(rejected, outcomes.estimate.size)


def _printed(key: str | None, n: int) -> Mapping[Any, float]:
    if key is None or n not in SIZES:
        return {}
    columns = PRINTED[_check.choice(key, PRINTED, "printed")]
    return {name: values[SIZES.index(n)] for name, values in columns.items()}


def _value(row: Row, key: Any) -> float:
    return row.rho.value if key == "rho" else row.type_1[key].value
