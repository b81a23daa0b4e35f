"""Table 2 of Grandvalet & Bengio (2006): between-block correlation and type-I error of the K-fold t.

Varied: the size of the data sets, and the correlation that the test assumes. Recorded: mean and variance of the fold
errors of a fully grown tree. Summarised by the correlation, and by the rejections of the mean over all data sets.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.plans import KFold
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._scenario import Analysis, Scenario
from errbar_lab._simulation import Simulation, simulate
from errbar_lab._summary import Proportion, Ratio, rejections, standard_error, variance_ratio
from errbar_lab.populations import Population
from errbar_lab.studies._cells import percent, share, spread_out
from errbar_lab.studies._study import Column, SimulationStudy, StudyTable, tabulate

__all__ = ["Row", "Table2", "table2"]

SIZES = (20, 40, 80, 160, 400, 800, 2000)
CORRELATIONS = (0.0, 0.7)
QUANTITIES = ("rho", *CORRELATIONS)
"""What is measured at each size: the correlation, and the type-I error of the tests that assume these correlations."""

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

    def of(self, quantity: str | float) -> Ratio | Proportion:
        """Return one of the `QUANTITIES`."""
        return self.rho if quantity == "rho" else self.type_1[float(quantity)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; shares, not percentages."""
        found = {
            _column(quantity): spread_out(_column(quantity), self.of(quantity))
            for quantity in QUANTITIES
        }
        values = {name: ends.pop(name) for name, ends in found.items()}
        intervals = {name: end for ends in found.values() for name, end in ends.items()}
        printed = {
            f"printed_{_column(quantity)}": value for quantity, value in self.printed.items()
        }
        mean = {"mean": self.mean, "mean_error": self.mean_error, "degenerate": self.degenerate}
        return {"n": self.n, **values, **intervals, **mean, **printed}


@dataclass(frozen=True, eq=False)
class Table2(SimulationStudy):
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

    key: ClassVar[str] = "table2"

    rows: tuple[Row, ...]
    level: float

    def content(self) -> Mapping[str, Any]:
        """Return the rows."""
        return {"settings": self.settings, "level": self.level, "rows": self.records()}

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per size."""
        return [row.to_dict() for row in self.rows]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return the table with the printed values beside the measured ones."""
        known = any(row.printed for row in self.rows)
        measured = [column for quantity in QUANTITIES for column in _columns(quantity, known=known)]
        table = tabulate(
            "table-2",
            f"Between-block correlation and type-I error of the {self.settings['Plan']} t",
            [
                ("n", lambda row: str(row.n)),
                *measured,
                ("CV error, %", lambda row: percent(row.mean)),
            ],
            self.rows,
            f"Nominal {percent(1.0 - self.level)} %. In brackets 95 % intervals. Data sets without any spread between "
            f"folds ({max(row.degenerate for row in self.rows)} at most) count as rejections.",
        )
        return (table,)

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
            key: max(
                (abs(row.of(key).value - row.printed[key]) for row in self.rows if row.printed),
                default=math.nan,
            )
            for key in QUANTITIES
        }
        if math.isnan(gaps["rho"]):
            return (said,)
        distance = (
            f"Largest distance to the printed values: {percent(gaps['rho'])} points of rho, {percent(gaps[0.0])} and "
            f"{percent(gaps[0.7])} points of type-I error."
        )
        return said, distance


def table2(
    population: Population,
    *,
    n: Sequence[int] = SIZES,
    replicates: int = 10000,
    folds: int = 10,
    level: float = 0.95,
    printed: str | None = None,
    **how: Unpack[SimulationOptions],
) -> Table2:
    """Measure the between-block correlation of K-fold cross-validation and the size of the K-fold t.

    Data sets are drawn with replacement; a fully grown tree is cross-validated on each. The truth is the mean
    cross-validation error over all data sets. rho = 1 - E[theta3]/Var[mean], where theta3 is the variance of the mean
    as the K-fold t estimates it.

    Parameters
    ----------
    population : Population
        Binary classes, as `errbar_lab.binary_letter` and `errbar_lab.binary_covertype` return them; drawn from with
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
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

    Returns
    -------
    Table2
        One row per size.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
       University of Montreal.
    """
    from errbar_lab.learners import GiniTree

    sizes = [_check.count(size, "n", 2 * folds) for size in n]
    if not sizes:
        raise InvalidInputError("must hold at least one size of data sets", argument="n")
    how, plan = with_root(how), KFold(folds=folds)
    analyses = [
        Analysis("kfold-t", plan, {"rho": rho}, name=f"rho={rho:g}") for rho in CORRELATIONS
    ]
    scenarios = [
        Scenario(population, size, {"tree": GiniTree()}, "zero-one")
        for size in dict.fromkeys(sizes)
    ]
    found = simulate(scenarios, analyses, replicates=replicates, level=level, **how)
    settings = {
        "Population": population.name,
        "Data sets": f"{replicates} of each size",
        "Learner": repr(GiniTree()),
        "Plan": f"{folds}-fold",
        "Random state": str(how["random_state"]),
    }
    rows = tuple(_row(found, scenario, _printed(printed, scenario.n)) for scenario in scenarios)
    return Table2(
        "Table 2 of Grandvalet & Bengio (2006): correlation and type-I error", settings, rows, level
    )


def _row(found: Simulation, scenario: Scenario, printed: Mapping[Any, float]) -> Row:
    tests = {
        rho: found.select(f"rho={rho:g}", "tree", scenario=scenario.name) for rho in CORRELATIONS
    }
    naive = tests[0.0]
    truth = float(naive.estimate.mean())
    # The test that takes rho for 0 estimates the variance by theta3, so that 1 - rho is E[theta3]/Var[mean].
    bias = variance_ratio(naive.estimate, naive.se)
    return Row(
        n=scenario.n,
        rho=Ratio(1.0 - 1.0 / bias.value, 1.0 - 1.0 / bias.low, 1.0 - 1.0 / bias.high),
        type_1={rho: rejections(test, truth) for rho, test in tests.items()},
        mean=truth,
        mean_error=standard_error(naive.estimate),
        degenerate=int((naive.se == 0.0).sum()),
        printed=printed,
    )


def _printed(key: str | None, n: int) -> Mapping[Any, float]:
    if key is None or n not in SIZES:
        return {}
    columns = PRINTED[_check.choice(key, PRINTED, "printed")]
    return {name: values[SIZES.index(n)] for name, values in columns.items()}


def _column(quantity: str | float) -> str:
    """Return the name of a quantity in JSON and in files."""
    return "rho" if quantity == "rho" else f"type_1_rho_{quantity:g}"


def _columns(quantity: str | float, *, known: bool) -> list[Column]:
    """Return the column of a quantity, followed by what was printed where that is known."""
    head = "rho, %" if quantity == "rho" else f"Type I, rho = {quantity:g}, %"
    found: list[Column] = [(head, lambda row: share(row.of(quantity)))]
    if known:
        found.append(("printed", lambda row: percent(row.printed[quantity]) if row.printed else ""))
    return found
