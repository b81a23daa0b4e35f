"""Table 2 of Grandvalet & Bengio: between-block correlation and type-I error of the K-fold t."""

from collections.abc import Sequence
from typing import Any, Unpack

from errbar import _check
from errbar.plans import KFold
from errbar_lab._experiment import Analysis, Experiment, Problem
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._study import Study, StudyTable, spread_out
from errbar_lab._summary import Interval, proportion, rejects, standard_error, variance_ratio
from errbar_lab.plots import Panel, Series
from errbar_lab.populations import Population

SIZES = (20, 40, 80, 160, 400, 800, 2000)
CORRELATIONS = (0.0, 0.7)

PRINTED = {
    "letter": {
        "rho": (0.5245, 0.4343, 0.4216, 0.3404, 0.2823, 0.2569, 0.2268),
        "type_1_rho_0": (0.164, 0.128, 0.124, 0.099, 0.088, 0.081, 0.078),
        "type_1_rho_0.7": (0.031, 0.015, 0.013, 0.010, 0.007, 0.007, 0.005),
    },
    "forest": {
        "rho": (0.5322, 0.4985, 0.5194, 0.4715, 0.4544, 0.4261, 0.4079),
        "type_1_rho_0": (0.163, 0.141, 0.159, 0.140, 0.129, 0.123, 0.116),
        "type_1_rho_0.7": (0.031, 0.023, 0.024, 0.017, 0.015, 0.013, 0.011),
    },
}
"""The table itself, for data sets of `SIZES`."""

_HEADS = {
    "rho": "between-block ρ, %",
    "type_1_rho_0": "type I, ρ taken for 0, %",
    "type_1_rho_0.7": "type I, ρ taken for 0.7, %",
}


def table2(
    population: Population,
    *,
    n: Sequence[int] = SIZES,
    replicates: int = 10000,
    folds: int = 10,
    level: float = 0.95,
    printed: str | None = None,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Repeat table 2 of Grandvalet & Bengio [1]_.

    Parameters
    ----------
    population : Population
        Examples of two classes, drawn with replacement.
    n : sequence of int
        Examples in a data set.
    replicates : int, default 10000
        Independent data sets of each size.
    folds : int, default 10
        Number of folds.
    level : float, default 0.95
        One minus the level of the tests.
    printed : {"letter", "forest"}, optional
        Which half of the table is shown beside.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        By size, the correlation of two folds, and how often the true error is rejected.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
           Universite de Montreal.
    """
    from errbar_lab.learners import GiniTree

    problem = Problem(
        population, {"tree": GiniTree()}, "zero-one", smallest=2 * _check.count(folds, "folds", 2)
    )
    methods = [
        Analysis("kfold-t", KFold(folds=folds), {"rho": rho}, name=f"type_1_rho_{rho:g}")
        for rho in CORRELATIONS
    ]
    known = {} if printed is None else PRINTED[_check.choice(printed, PRINTED, "printed")]
    how = with_root(**how)
    outcomes = Experiment([problem], n, methods, level, about=()).run(replicates, **how)
    rows = [_row(int(size), own, known) for size, own in outcomes.groupby("n", sort=False)]
    settings = {
        "Population": population.name,
        "Data sets": f"{replicates} of each size",
        "Learner": repr(GiniTree()),
        "Plan": f"{folds}-fold",
        "Random state": str(how["random_state"]),
    }
    records = [_record(row) for row in rows]
    return Study(
        "table2",
        "Table 2 of Grandvalet & Bengio (2006): correlation and type-I error",
        settings,
        (_table(rows, settings["Plan"], level),),
        (),
        {"settings": settings, "level": level, "rows": records},
        records,
        [[_panel(key, rows, level) for key in _HEADS]],
        outcomes,
    )


def _row(n: int, own: Any, known: Any) -> Any:
    tests = dict(iter(own.groupby("method", sort=False)))
    naive = tests["type_1_rho_0"]
    estimate, se = naive["estimate"].to_numpy(), naive["se"].to_numpy()
    truth = float(estimate.mean())
    # The test that takes rho for 0 estimates the variance by theta3, so that 1 - rho is E[theta3]/Var[mean].
    bias = variance_ratio(estimate, se)
    ends = (1.0 - 1.0 / end for end in (bias.value, bias.low, bias.high))
    shares = {
        key: proportion(int(rejects(one, truth).sum()), len(one)) for key, one in tests.items()
    }
    place = SIZES.index(n) if n in SIZES else None
    return {
        "n": n,
        "rho": Interval(*ends),
        **shares,
        "mean": truth,
        "mean_error": standard_error(estimate),
        "degenerate": int((se == 0.0).sum()),
        **({} if place is None else {f"printed_{key}": own[place] for key, own in known.items()}),
    }


def _record(row: Any) -> Any:
    ends = {key: spread_out(key, row[key]) for key in _HEADS}
    values = {key: ends[key].pop(key) for key in _HEADS}
    intervals = {name: end for own in ends.values() for name, end in own.items()}
    others = {key: value for key, value in row.items() if key not in ("n", *_HEADS)}
    return {"n": row["n"], **values, **intervals, **others}


def _table(rows: Any, plan: str, level: float) -> StudyTable:
    columns = ["n", *(name for key in _HEADS for name in (key, f"printed_{key}")), "mean"]
    return StudyTable(
        f"Between-block correlation and type-I error of the {plan} t",
        [{name: row[name] for name in columns if name in rows[0]} for row in rows],
        f"Nominal {1.0 - level:.3g}. In brackets 95 % intervals. Data sets without any spread "
        f"between folds ({max(row['degenerate'] for row in rows)} at most) count as rejections.",
    )


def _panel(key: str, rows: Any, level: float) -> Panel:
    sizes = [row["n"] for row in rows]
    value, low, high = (
        [100.0 * getattr(row[key], end) for row in rows] for end in ("value", "low", "high")
    )
    series = [Series("measured", sizes, value, low, high, line=True, marker="o")]
    printed = {row["n"]: 100.0 * row[f"printed_{key}"] for row in rows if f"printed_{key}" in row}
    if printed:
        series.append(Series("printed", list(printed), list(printed.values()), style=1, marker="D"))
    alpha = 100.0 * (1.0 - level)
    return Panel(
        series,
        xlabel="examples in a data set, n",
        ylabel=_HEADS[key],
        across={} if key == "rho" else {f"nominal level {alpha:.6g} %": alpha},
        ticks=sizes,
    )
