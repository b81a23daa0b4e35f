"""Corrected t and conservative Z with nine tenths of the data to train on: what more splits and halvings bring."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.plans import PairedHalves, Subsampling
from errbar_lab._experiment import DRAWS, Analysis, Experiment, Problem
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._study import Study, StudyTable, described, spread_out
from errbar_lab._summary import Interval, cells_of, mean_interval, rejects, summary
from errbar_lab.plots import Panel, intervals
from errbar_lab.populations import Population

HALF_REPEATS = 15
DISTANCES = (1.0, 2.0, 3.0)

_REMARK = (
    "low and high: 95 % interval of the size. power: the mean over both sides at that many "
    "standard deviations of the mean of the splits. ratio: variance over mean squared standard "
    "error."
)


@dataclass(frozen=True)
class Variant:
    """A method with its numbers of splits and halvings, and the law that its Z refers to."""

    name: str
    key: str
    repeats: int
    halvings: int
    reference: str

    def analysis(self, n_train: int, n_test: int) -> Analysis:
        """Return the method with its plan."""
        if self.key == "corrected-t":
            return Analysis(self.key, Subsampling(n_train, n_test, self.repeats), name=self.name)
        plan = PairedHalves(n_train, n_test, self.repeats, self.halvings)
        return Analysis(self.key, plan, {"reference": self.reference}, name=self.name)


def habitat(
    population: Population,
    learners: Mapping[str, Any],
    *,
    n: int = 300,
    repeats: Sequence[int] = (5, 10, 15, 25),
    halvings: Sequence[int] = (5, 10, 20),
    replicates: int = 500,
    level: float = 0.9,
    truth_draws: int = DRAWS,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Measure corrected t and conservative Z where n1 = 9n/10 and n2 = n/10, for which they are meant.

    Parameters
    ----------
    population : Population
        Where data sets come from.
    learners : mapping of str to estimator
        Learners by name.
    n : int, default 300
        Examples in a data set.
    repeats : sequence of int, default (5, 10, 15, 25)
        Numbers of splits J of the corrected t.
    halvings : sequence of int, default (5, 10, 20)
        Numbers of halvings M of the conservative Z, which has 15 splits.
    replicates : int, default 500
        Independent data sets.
    level : float, default 0.9
        One minus the level of the tests.
    truth_draws : int, default 4000
        Independent training sets behind every expected risk.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        Size, power at one to three standard deviations, width.
    """
    n_test = _check.count(n, "n", 20) // 10
    n_train = n - n_test
    splits = _counts(repeats, "repeats", 2)
    variants = _variants(splits, _counts(halvings, "halvings", 1))
    usual = min(range(len(splits)), key=lambda place: abs(splits[place] - 15))
    problem, how = Problem(population, learners), with_root(**how)
    methods = [variant.analysis(n_train, n_test) for variant in variants]
    outcomes = Experiment([problem], [n], methods, level).run(
        _check.count(replicates, "replicates", 3), truth_draws=truth_draws, **how
    )
    units, errors, results = {}, {}, []
    for target, own in outcomes.groupby("target", sort=False):
        cells = list(cells_of(own))
        units[target] = float(cells[usual]["estimate"].to_numpy().std(ddof=1))
        truth, errors[target] = (float(own[name].iloc[0]) for name in ("ER(n1)", "ER(n1) error"))
        for variant, one, cell in zip(variants, summary(own), cells, strict=True):
            power = [_of_shares(one) for one in _rejections(cell, truth, units[target])]
            results.append({"method": asdict(variant), "performance": one, "power": power})
    exact = not any(errors.values())
    settings = described(
        problem,
        n,
        replicates,
        how["random_state"],
        Loss=problem.resolved_loss.key,
        Splits=f"{n_train} training and {n_test} test examples",
        Truth="exact" if exact else f"{truth_draws} independent training sets",
    )
    content = {
        "settings": settings,
        "level": level,
        "units": units,
        "truth_errors": errors,
        "results": results,
    }
    records = [_record(one, units) for one in results]
    return Study(
        "habitat",
        "Corrected t and conservative Z with nine tenths of the data to train on",
        settings,
        (StudyTable("Rejections of the truth, and of wrong values", _shown(records), _REMARK),),
        (),
        content,
        records,
        [_panels(target, results) for target in units],
        outcomes,
    )


def _variants(repeats: Any, halvings: Any) -> list[Variant]:
    found = [Variant(f"corrected t, J = {j}", "corrected-t", j, 0, "t") for j in repeats]
    for law, word in (("normal", "conservative Z"), ("t", "conservative Z (t)")):
        for m in halvings:
            name = f"{word}, J = {HALF_REPEATS}, M = {m}"
            found.append(Variant(name, "conservative-z", HALF_REPEATS, m, law))
    return found


def _rejections(cell: Any, truth: float, unit: float) -> FloatArray:
    """Return by distance and data set whether values so far from the truth are rejected, the mean of both sides."""
    gaps = unit * np.array(DISTANCES)
    both = [rejects(cell, truth - gaps), rejects(cell, truth + gaps)]
    return np.asarray(np.asarray(both, dtype=np.float64).mean(axis=0))


def _of_shares(values: FloatArray) -> Interval:
    found = mean_interval(values)
    return Interval(found.value, max(0.0, found.low), min(1.0, found.high))


def _counts(values: Any, name: str, least: int) -> list[int]:
    found = sorted({_check.count(value, name, least) for value in values})
    if not found:
        raise InvalidInputError(f"must hold at least one number, got {values!r}", argument=name)
    return found


def _record(one: Any, units: Any) -> Any:
    method, found = one["method"], one["performance"]
    row = {
        "target": found.target,
        "method": method["name"],
        "splits": method["repeats"],
        "halvings": method["halvings"],
        "reference": method["reference"],
        "truth": found.truth,
        "size": found.size.value,
        "low": found.size.low,
        "high": found.size.high,
        "width": found.width,
        **spread_out("ratio", found.ratio),
        "unit": units[found.target],
    }
    for distance, power in zip(DISTANCES, one["power"], strict=True):
        row |= spread_out(f"power_{distance:g}", power)
    return plain(row)


def _shown(records: Any) -> Any:
    columns = ("target", "method", "size", "low", "high", "power_1", "power_2", "width", "ratio")
    return [{name: row[name] for name in columns} for row in records]


def _panels(target: str, results: Any) -> list[Panel]:
    chosen = [one for one in results if one["performance"].target == target]
    names = [one["method"]["name"].replace("conservative ", "") for one in chosen]
    alpha = 100.0 * (1.0 - chosen[0]["performance"].level)
    columns = {
        "size, %": [one["performance"].size for one in chosen],
        "power at 2 sd, %": [one["power"][1] for one in chosen],
    }
    return [
        Panel(
            [intervals(found)],
            title=target if place == 0 else "",
            xlabel=label,
            rows=names,
            upright={} if place else {f"nominal level {alpha:.6g} %": alpha},
        )
        for place, (label, found) in enumerate(columns.items())
    ]
