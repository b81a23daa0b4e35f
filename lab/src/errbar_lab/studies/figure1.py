"""Figure 1 of Nadeau & Bengio: the power of eight tests against every hypothetical value of the expected risk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from errbar import _check, _rng
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.losses import ROLES, Losses
from errbar.methods import conservative_z
from errbar.plans import FiveByTwo, Holdout, PairedHalves, Plan, Rows, Split, Subsampling
from errbar.table import LossTable
from errbar_lab._experiment import Analysis, Experiment, Problem, Procedure, Target
from errbar_lab._replicates import SimulationOptions, with_root
from errbar_lab._study import Study, StudyTable, described, spread_out
from errbar_lab._summary import LIBERAL, Performance, cells_of, mean_interval, rejects, summary
from errbar_lab.plots import Panel, Series
from errbar_lab.populations import Population

REPEATS, HALVINGS = 15, 10
REACH, POINTS = 0.15, 61
TESTED = 1000

# A colour for each statistic; circles tell the versions with a tenth to test on.
_STYLES = {"corrected-t": 0, "resampled-t": 1, "5x2cv-t": 2, "conservative-z": 3, "t": 4}


_REMARK = "ratio: variance over mean squared standard error, above 1 liberal, below 1 conservative."


class OnlyHalves(Plan):
    """The halves of data sets from which the conservative Z takes its variance, without the splits for the mean."""

    n_test: float = 0.1
    kind = PairedHalves.kind

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of the halves."""
        plan = PairedHalves(None, self.n_test, REPEATS, HALVINGS)
        return (split for split in plan.of(rows) if "halving" in split.labels)


class Within(Plan):
    """Random splits of some of the examples, which are drawn at random once ([1], section 5)."""

    plan: Subsampling
    examples: int
    kind = Subsampling.kind
    keeps_groups = True

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits of the examples that are kept, with the labels of their plan."""
        count = self.examples
        kept = np.sort(rows.stream("within", count).choice(rows.n, count, replace=False))
        own = [
            None if values is None else np.asarray(values)[kept]
            for values in (rows.y, rows.groups, rows.time)
        ]
        for split in self.plan.splits(count, _rng.seed(rows.root, "within", count), *own):
            yield Split(kept[split.train], kept[split.test], split.labels)


@dataclass(frozen=True)
class BorrowedZ:
    """The conservative Z with the mean of other splits than those of its halves."""

    name: str
    plan: Plan
    halves: OnlyHalves

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Splits for the mean and for the variance."""
        return (self.plan, self.halves)

    def applies_to(self, target: Target) -> bool:
        """Tell that it is for every target."""
        return True

    def infer(
        self, table: LossTable, positions: Sequence[int], target: Target, level: float
    ) -> Any:
        """Return its result on one target."""
        both = [table.losses(target[0], target[1] or None, plan).splits for plan in positions]
        roles = [role for role in ROLES if any(role in own.index for own in both)]
        columns: dict[str, Any] = {
            role: np.concatenate([own.index.label(role) for own in both]) for role in roles
        }
        losses = Losses(np.concatenate([own.value for own in both]), **columns)
        return conservative_z(losses, level=level, reference="normal")


def statistics(n: int) -> tuple[Procedure, ...]:
    """Return the eight tests of the figure for data sets of n examples; all train on half of them."""
    half, tenth = n // 2, n // 10
    wide = Subsampling(n_train=half, n_test=half, repeats=REPEATS)
    narrow = Within(Subsampling(n_train=half, n_test=tenth, repeats=REPEATS), half + tenth)
    halves = OnlyHalves(n_test=tenth)
    return (
        Analysis("holdout-t", Holdout(n_test=half), name="t"),
        Analysis("resampled-t", wide, name="resampled-t n2=n/2"),
        Analysis("resampled-t", narrow, name="resampled-t n2=n/10"),
        Analysis("corrected-t", wide, name="corrected-t n2=n/2"),
        Analysis("corrected-t", narrow, name="corrected-t n2=n/10"),
        Analysis("5x2cv-t", FiveByTwo(), name="5x2cv-t"),
        BorrowedZ("conservative-z n2=n/2", wide, halves),
        BorrowedZ("conservative-z n2=n/10", narrow, halves),
    )


def figure1(
    population: Population,
    *,
    data_sets: int = 500,
    n: int = 300,
    level: float = 0.9,
    truth_draws: int = 6000,
    **how: Unpack[SimulationOptions],
) -> Study:
    """Repeat the study behind figure 1 of Nadeau & Bengio [1]_.

    Parameters
    ----------
    population : Population
        The letters; any classes will do.
    data_sets : int, default 500
        Independent data sets.
    n : int, default 300
        Examples in a data set, an even number.
    level : float, default 0.9
        One minus the level of the tests.
    truth_draws : int, default 6000
        Independent training sets behind the true expected risks.
    **how
        As for `Experiment.run`.

    Returns
    -------
    Study
        Sizes and power curves of eight statistics about a tree A, a nearest neighbour B and A-B.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    """
    from errbar_lab.learners import DistortedNearestNeighbour, SplusTree

    if _check.count(n, "n", 20) % 2:
        raise InvalidInputError(
            f"must be even, so that all statistics aim at the training size n/2, got {n}",
            argument="n",
        )
    learners = {"A": SplusTree(), "B": DistortedNearestNeighbour()}
    problem = Problem(population, learners, "zero-one")
    how = with_root(**how)
    outcomes = Experiment([problem], [n], statistics(n), level).run(
        data_sets, truth_draws=truth_draws, truth_examples=TESTED, **how
    )
    truths, sizes, curves, panels = {}, [], [], []
    for name, own in outcomes.groupby("target", sort=False):
        target, first = name.replace(" - ", "-"), own.iloc[0]
        value, error = float(first["ER(n1)"]), float(first["ER(n1) error"])
        mean = mean_interval(own["estimate"][own["method"] == "resampled-t n2=n/2"].to_numpy())
        truths[target] = {
            "value": value,
            "standard_error": error,
            "interval": (mean.low, mean.high),
        }
        found = summary(own)
        sizes += [(target, one) for one in found]
        mu0 = value + np.linspace(-REACH, REACH, POINTS)
        powers = [rejects(cell, mu0).mean(axis=-1) for cell in cells_of(own)]
        curves += [
            {"target": target, "statistic": one.method, "mu0": mu0, "power": power}
            for one, power in zip(found, powers, strict=True)
        ]
        panels.append(_panel(target, mu0, found, powers, (mean.low, mean.high)))
    rows = [_size(*one) for one in sizes]
    liberal = [one.method for target, one in sizes if target == "A" and one.verdict == LIBERAL]
    more = {
        "Training size": str(n // 2),
        "Truth": f"{truth_draws} independent training sets",
    }
    settings = described(problem, n, data_sets, how["random_state"], **more)
    return Study(
        "figure1",
        "Figure 1 of Nadeau & Bengio (2003): size and power of eight tests",
        settings,
        (
            StudyTable("Rejections of the truth, with 95 % intervals", rows, _REMARK),
            StudyTable("The truth", [{"target": key, **one} for key, one in truths.items()]),
        ),
        (f"More than two points above the nominal level about A: {', '.join(liberal) or 'none'}.",),
        {"settings": settings, "level": level, "truth": truths, "sizes": rows, "power": curves},
        _records([one.truth for _, one in sizes], rows, curves),
        [[panels[0], panels[-1]]],
        outcomes,
    )


def _size(target: str, one: Performance) -> Any:
    size = {"size": one.size.value, "low": one.size.low, "high": one.size.high}
    return plain(
        {"target": target, "statistic": one.method, **size, **spread_out("ratio", one.ratio)}
    )


def _records(truths: Any, rows: Any, curves: Any) -> Any:
    found = [{"kind": "size", "mu0": mu0} | row for mu0, row in zip(truths, rows, strict=True)]
    for curve in curves:
        for mu0, power in zip(curve["mu0"], curve["power"], strict=True):
            place = {"kind": "power", "mu0": float(mu0), "size": float(power)}
            found.append(curve | place)
    columns = ("kind", "target", "statistic", "mu0", *list(rows[0])[2:])
    return [{name: row.get(name) for name in columns} for row in found]


def _panel(
    target: str,
    mu0: Any,
    found: Any,
    powers: Any,
    ends: tuple[float, float],
) -> Panel:
    alpha = 100.0 * (1.0 - found[0].level)
    series = []
    for one, power in zip(found, powers, strict=True):
        key, _, size = one.method.partition(" n2=")
        narrow = size == "n/10"
        series.append(
            Series(
                f"{key}, n2 = {size}" if size else key,
                mu0,
                100.0 * power,
                style=_STYLES[key],
                line=True,
                marker="o" if narrow else "",
                every=6 if narrow else 1,
            )
        )
    return Panel(
        series,
        title=f"{'Difference' if '-' in target else 'Expected risk of'} {target}",
        xlabel="hypothetical value μ₀",
        ylabel="rejected, %",
        across={f"nominal level {alpha:.6g} %": alpha},
        band={"95 % interval of the true value": ends},
        limits=(0.0, 102.0),
    )
