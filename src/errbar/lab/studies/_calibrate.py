"""Size and coverage of methods for your own learners, with your own data as the population.

Varied: the learner, or the difference of two, and the method. Recorded: every interval. Summarised by the share of
intervals that hold the expected risk, at the method's own training size or at that of a data set, by the share of tests
that reject it, and by a recommendation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from errbar import _check
from errbar._plain import plain
from errbar.engine import learners as learners_module
from errbar.engine.data import prepare
from errbar.errors import InvalidInputError
from errbar.lab._replicates import SimulationOptions, with_root
from errbar.lab._scenario import Procedure, Scenario, Target, named_targets, target_name
from errbar.lab._simulation import as_procedures
from errbar.lab._summary import Performance, Proportion, rejections
from errbar.lab._truth import ExpectedRisk
from errbar.lab.populations import FinitePopulation
from errbar.lab.studies._advice import Recommendation, recommend, warnings
from errbar.lab.studies._cells import nominal, spread_out, with_standard_error
from errbar.lab.studies._study import Column, SimulationStudy, StudyTable, coverage_columns, judged, tabulate

__all__ = ["Calibration", "calibrate"]

METHODS = ("holdout-t", "resampled-t", "corrected-t", "kfold-t", "cv-wald", "5x2cv-t")
"""The methods that are calibrated unless others are named; together they cost 36 fits per learner and data set."""

ABOUT = ("ER(n1)", "ER(n)")
"""The truths that intervals should hold: the expected risk at the method's own training size, or at that of a data set."""

_SHARE, _LEAST, _MOST = 10, 50, 300


@dataclass(frozen=True, eq=False)
class Calibration(SimulationStudy):
    """Size and coverage of methods on data sets drawn from the user's data.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done.
    performances : tuple of Performance
        One per learner or difference, method and truth.
    differences : mapping of tuple of str to Proportion
        Share of data sets in which equality is rejected, by target and method; for differences only.
    truths : mapping of int to ExpectedRisk
        Expected risks by training size.
    recommendations : tuple of Recommendation
        One per learner and difference, and the last for all together where there are several.
    warnings : tuple of str
        Warnings about methods, data sets and truth, in sentences.
    about : {"ER(n1)", "ER(n)"}
        The truth that the recommendations are about.
    level : float
        Nominal coverage; tests are at 1 - level.
    """

    key: ClassVar[str] = "calibrate"

    performances: tuple[Performance, ...]
    differences: Mapping[tuple[str, str], Proportion]
    truths: Mapping[int, ExpectedRisk]
    recommendations: tuple[Recommendation, ...]
    warnings: tuple[str, ...]
    about: str
    level: float

    @property
    def targets(self) -> tuple[str, ...]:
        """Learners, then differences."""
        return tuple(self._parts)

    @property
    def _parts(self) -> dict[str, Target]:
        """What the names of the targets stand for."""
        learners = next(iter(self.truths.values())).learners
        found = {one.target for one in self.performances}
        return {name: parts for name, parts in named_targets(learners).items() if name in found}

    def select(self, target: str, about: str | None = None) -> list[Performance]:
        """Return how the methods do about a learner or a difference.

        Parameters
        ----------
        target : str
            Such as ``"tree"`` or ``"tree - forest"``.
        about : {"ER(n1)", "ER(n)"}, optional
            Truth; by default that of the recommendations.

        Returns
        -------
        list of Performance
            One per method.
        """
        asked = self.about if about is None else _check.choice(about, ABOUT, "about")
        return [one for one in self.performances if (one.target, one.about) == (target, asked)]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table per learner and difference, and the true values."""
        return (*(self._table(target) for target in self.targets), self._truth_table())

    def conclusion(self) -> tuple[str, ...]:
        """Return the recommendations, the one for all together first, then the warnings."""
        texts = [one.text for one in sorted(self.recommendations, key=lambda one: one.target is not None)]
        return (*texts, *self.warnings)

    def content(self) -> Mapping[str, Any]:
        """Return performances, truths, recommendations and warnings."""
        return {
            "title": self.title,
            "settings": self.settings,
            "level": self.level,
            "about": self.about,
            "performances": self.records(),
            "truths": self._truths(),
            "recommendations": self.recommendations,
            "warnings": self.warnings,
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target, method and truth."""
        return [self._record(one) for one in self.performances]

    def _record(self, one: Performance) -> dict[str, Any]:
        found = self.differences.get((one.target, one.method))
        row = {
            **{name: getattr(one, name) for name in ("method", "target", "n", "about", "n_train", "truth", "level")},
            "replicates": one.coverage.total,
            **spread_out("coverage", one.coverage),
            **spread_out("size", one.size),
            **{name: getattr(one, name) for name in ("width", "width_error", "bias", "bias_error", "degenerate")},
            "finds_difference": None if found is None else found.value,
            "verdict": one.verdict,
        }
        return plain(row)

    def _truths(self) -> list[dict[str, Any]]:
        rows = []
        for target, parts in self._parts.items():
            own = [one for one in self.performances if one.target == target]
            for size in sorted({size for one in own for size in (one.n_train, one.n)}):
                value, error = self.truths[size].of(*parts)
                rows.append({"target": target, "n_train": size, "value": value, "standard_error": error})
        return rows

    def _table(self, target: str) -> StudyTable:
        found = [one for about in ABOUT for one in self.select(target, about)]
        verdicts = {one.method: one.verdict for one in found if one.about == self.about}
        columns: list[Column] = [
            *coverage_columns(found, ABOUT, "Coverage of {}, %"),
            ("Size, %", lambda own: with_standard_error(own.size)),
            ("Width", lambda own: f"{own.width:.3g} ± {own.width_error:.1g}"),
            ("Bias", lambda own: f"{own.bias:+.3g} ± {own.bias_error:.1g}"),
        ]
        remark = "The size is the share of tests that reject the true value of ER(n1)"
        if self._parts[target][1] is None:
            remark += ". "
        else:
            columns.append(("Finds a difference, %", self._finds_difference))
            remark += ", and the column after the bias the share that reject equality. "
        columns.append(("Verdict", lambda own: verdicts[own.method]))
        return tabulate(
            f"calibrate-{target}".replace(" ", "-"),
            f"Share of {nominal(self.level)} % intervals that hold the truth about {target}",
            columns,
            [one for one in found if one.about == "ER(n1)"],
            f"{remark}± is one Monte-Carlo standard error. The verdict is about {self.about}.",
            optional=("Bias",),
        )

    def _finds_difference(self, one: Performance) -> str:
        found = self.differences.get((one.target, one.method))
        return "" if found is None else with_standard_error(found)

    def _truth_table(self) -> StudyTable:
        return tabulate(
            "truths",
            "Expected risks in the population",
            [
                ("Learner or difference", lambda row: row["target"]),
                ("Training size", lambda row: str(row["n_train"])),
                ("Expected risk", lambda row: f"{row['value']:.4g} ± {row['standard_error']:.1g}"),
            ],
            self._truths(),
            f"From {next(iter(self.truths.values())).draws} independent training sets of each size; ± is one standard error.",
        )


def calibrate(
    X: Any,
    y: Any,
    learners: Mapping[str, Any],
    *,
    n: int | None = None,
    methods: Sequence[str | Procedure] = METHODS,
    replicates: int = 300,
    level: float = 0.95,
    loss: Any = None,
    about: str = "ER(n1)",
    replacement: bool = False,
    truth_draws: int = 2000,
    **how: Unpack[SimulationOptions],
) -> Calibration:
    r"""Measure size and coverage of methods for your own learners on data sets drawn from your own data.

    The data are taken for the population: data sets of n examples are drawn from them again and again, and every
    method is asked about every learner and every difference. In the population the truth is known, so the share of
    intervals that hold it can be counted, and the share of tests that reject it.

    Parameters
    ----------
    X : array-like, shape (size, features)
        Features: numbers only and none missing. Encode categories and fill gaps first.
    y : array-like, shape (size,)
        Classes, or numbers for regressors. Learners see classes as whole numbers from 0, in sorted order.
    learners : mapping of str to estimator
        Learners by name.
    n : int, optional
        Examples in a data set. By default a tenth of the data, but at least 50, at most 300 and at most half.
    methods : sequence of str or Analysis
        Methods by key, or with plan and options. By default the cheap ones.
    replicates : int, default 300
        Data sets. At a coverage of 95 % the Monte-Carlo interval reaches 2.5 percentage points to either side with
        300, and 1 with 2000.
    level : float, default 0.95
        Confidence level of the intervals; tests are at 1 - level, two-sided.
    loss : str, Loss or callable, optional
        As for `errbar.run`.
    about : {"ER(n1)", "ER(n)"}, default "ER(n1)"
        Truth that recommendations are about: the expected risk at the training size of the method, which it estimates,
        or that at n, which most users mean.
    replacement : bool, default False
        Whether the examples of a data set are drawn with replacement.
    truth_draws : int, default 2000
        Independent training sets from which each expected risk is computed.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar.lab.simulate`.

    Returns
    -------
    Calibration
        Sizes, coverages and widths, a recommendation, and warnings.

    Raises
    ------
    InvalidInputError
        If features are not numbers, there are too few of them, or a method does not fit.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    Notes
    -----
    *Why a tenth.* Without replacement a mean over n of N examples has only the share :math:`1 - (n-1)/(N-1)` of the
    variance that independent examples would give it, while methods estimate the variance of independent ones. So with n
    a large part of N every method that uses all n examples looks more conservative than it is: at n = N/10 a 95 %
    interval that is exact for independent examples holds the truth in up to 96.1 % of the data sets, at n = N/2 in up to
    99.4 %. *With replacement* the examples are independent, which is a valid simulation for any n up to N; but then
    a test example may also be a training example, which makes learners that memorize look better than they are. The data sets
    are independent draws in both cases, though they overlap, so that the Monte-Carlo intervals hold for the truth in this
    very population, not for the one it was drawn from.

    Sizes found with n examples are those for data sets of n. With more examples the estimates of neighbouring folds
    or splits become less dependent on single training sets, as a rule, and tests come nearer to their level.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from errbar.lab.studies._calibrate import calibrate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] + rng.normal(size=600)
    >>> learners = {"least squares": LinearRegression(), "ridge": Ridge()}
    >>> found = calibrate(X, y, learners, methods=["corrected-t", "cv-wald"], replicates=10, truth_draws=20)
    >>> found.targets
    ('least squares', 'ridge', 'least squares - ridge')
    """
    _check.choice(about, ABOUT, "about")
    population = _population(X, y, learners, replacement=replacement)
    size = _size(population, n)
    scenario = Scenario(population, size, learners, loss, name=f"data sets of {size}")
    procedures = as_procedures(methods)
    how, asked = with_root(how), {"replicates": replicates, "level": level}
    found, truths, performances = judged([scenario], procedures, ABOUT, pairs=True, draws=truth_draws, how=how, **asked)
    settings = {
        "Population": f"the data, {population.size} examples",
        "Data sets": f"{replicates} of {size} examples, drawn {'with' if replacement else 'without'} replacement",
        "Learners": ", ".join(scenario.learners),
        "Loss": scenario.resolved_loss.key,
        "Methods": ", ".join(one.name for one in procedures),
        "Level": f"{nominal(level)} %",
        "Truth": f"{truth_draws} independent training sets of each size",
        "Random state": str(how["random_state"]),
    }
    names = [target_name(*target) for target in scenario.targets()]
    main = sorted((one for one in performances if one.about == about), key=lambda one: names.index(one.target))
    own = truths[scenario.name]
    return Calibration(
        title="Size and coverage of methods for these learners, with the data as the population",
        settings=settings,
        performances=performances,
        differences={(one.target, one.method): rejections(one, 0.0) for one in found if one.minus is not None},
        truths=own,
        recommendations=recommend(main),
        warnings=warnings(main, own, population),
        about=about,
        level=found.runs[0].level,
    )


def _population(X: Any, y: Any, learners: Mapping[str, Any], *, replacement: bool) -> FinitePopulation:
    _, task = learners_module.check(learners)
    _numeric(X)
    rows = len(X) if hasattr(X, "__len__") else 0
    target = prepare(np.empty((rows, 0)), y, task).target
    values = target.values
    if target.classes is not None:
        values = target.classes[target.values]
        values = values.astype(np.int64) if values.dtype.kind == "f" else values
    return FinitePopulation(X, values, name="the data", replacement=replacement)


def _numeric(X: Any) -> None:
    """Name the first column that does not hold numbers, where columns have names."""
    columns = zip(X.columns, X.dtypes, strict=True) if hasattr(X, "columns") else ()
    for name, dtype in columns:
        numeric = dtype.kind in "biuf" if hasattr(dtype, "kind") else dtype.is_numeric()
        if not numeric:
            raise InvalidInputError(
                f"`X` must hold numbers only, and column {str(name)!r} does not: encode categories, and fill gaps, first"
            )


def _size(population: FinitePopulation, n: int | None) -> int:
    """Return the size of the data sets: a tenth of the data, where that is neither too small nor costly."""
    largest = population.size if population.replacement else population.size // 2
    if n is None:
        return max(2, min(max(population.size // _SHARE, _LEAST), _MOST, largest))
    if _check.count(n, "n", 2) > largest:
        way = "with replacement" if population.replacement else "without replacement, which is half of them"
        raise InvalidInputError(f"`n` must be at most {largest} of {population.size} examples {way}, got {n}")
    return int(n)
