"""The result of a calibration: size and coverage of methods, what was shown, and what is recommended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from errbar import _check
from errbar._plain import plain
from errbar_lab._scenario import Target, named_targets
from errbar_lab._summary import Performance, Proportion
from errbar_lab._truth import ExpectedRisk
from errbar_lab.studies._advice import Claim, Recommendation
from errbar_lab.studies._cells import nominal, spread_out, verdict_in_words, with_standard_error
from errbar_lab.studies._study import (
    Column,
    SimulationStudy,
    StudyTable,
    coverage_columns,
    tabulate,
)

__all__ = ["Calibration"]


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
        By estimand one per learner and difference, and one for all together where there are several.
    warnings : tuple of str
        Warnings about methods, data sets and truth, in sentences.
    about : tuple of str
        The true values whose coverage was counted, of ``"ER(n1)"``, ``"ER(n)"``, ``"PQ"`` and ``"R"``.
    level : float
        Nominal coverage; tests are at 1 - level.
    claims : mapping of str to object
        By method ``about``, what it says that it estimates, and ``plan``, its splits.
    left_out : mapping of str to str
        Why usual methods were not tried, by name.
    """

    key: ClassVar[str] = "calibrate"

    performances: tuple[Performance, ...]
    differences: Mapping[tuple[str, str], Proportion]
    truths: Mapping[int, ExpectedRisk]
    recommendations: tuple[Recommendation, ...]
    warnings: tuple[str, ...]
    about: tuple[str, ...]
    level: float
    claims: Mapping[str, Claim] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

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
        about : {"ER(n1)", "ER(n)", "PQ", "R"}, optional
            Truth; by default the first.

        Returns
        -------
        list of Performance
            One per method.
        """
        asked = self.about[0] if about is None else _check.choice(about, self.about, "about")
        return [one for one in self.performances if (one.target, one.about) == (target, asked)]

    def tables(self) -> tuple[StudyTable, ...]:
        """Return a table per learner and difference, the recommendations, and the true values."""
        return (
            *(self._table(target) for target in self.targets),
            self._advice_table(),
            self._truth_table(),
        )

    def conclusion(self) -> tuple[str, ...]:
        """Return the recommendations, of several targets those for all together, then the warnings."""
        several = len(self.targets) > 1
        texts = [one.text for one in self.recommendations if (one.target is None) == several]
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
            "left_out": self.left_out,
        }

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return one flat row per target, method and truth."""
        return [self._record(one) for one in self.performances]

    def _record(self, one: Performance) -> dict[str, Any]:
        found = self.differences.get((one.target, one.method))
        row = {
            **{
                name: getattr(one, name)
                for name in ("method", "target", "n", "about", "n_train", "truth", "level")
            },
            "replicates": one.coverage.total,
            **spread_out("coverage", one.coverage),
            **spread_out("size", one.size),
            **{
                name: getattr(one, name)
                for name in ("width", "width_error", "bias", "bias_error", "degenerate")
            },
            "finds_difference": None if found is None else found.value,
            "verdict": one.verdict,
            "more_data_sets": one.more,
            "claimed": self._own(one.method) == one.about,
        }
        return plain(row)

    def _truths(self) -> list[dict[str, Any]]:
        rows = []
        for target, parts in self._parts.items():
            own = [one for one in self.performances if one.target == target]
            for size in sorted(
                {size for one in own for size in (one.n_train, one.n) if size in self.truths}
            ):
                value, error = self.truths[size].of(*parts)
                rows.append(
                    {"target": target, "n_train": size, "value": value, "standard_error": error}
                )
        return rows

    def _own(self, method: str) -> str:
        """Return the truth that a method claims to hold, or where that was not asked for the first."""
        claimed = self.claims[method].about if method in self.claims else self.about[0]
        return claimed if claimed in self.about else self.about[0]

    def _table(self, target: str) -> StudyTable:
        found = [one for about in self.about for one in self.select(target, about)]
        own = {one.method: one for one in found if one.about == self._own(one.method)}
        columns: list[Column] = [
            *coverage_columns(found, self.about, "{}, %"),
            ("Size, %", lambda one: with_standard_error(one.size)),
            ("Width", lambda one: f"{one.width:.3g} ± {one.width_error:.1g}"),
            ("Bias", lambda one: f"{one.bias:+.3g} ± {one.bias_error:.1g}"),
        ]
        remark = f"The size is the share of tests that reject the true value of {self.about[0]}"
        if self._parts[target][1] is None:
            remark += ". "
        else:
            columns.append(("Finds a difference, %", self._finds_difference))
            remark += ", and the column after the bias the share that reject equality. "
        columns.append(
            ("Verdict", lambda one: f"{own[one.method].about} {verdict_in_words(own[one.method])}")
        )
        return tabulate(
            f"calibrate-{target}".replace(" ", "-"),
            f"Share of {nominal(self.level)} % intervals that cover the true value, for {target}",
            columns,
            [one for one in found if one.about == self.about[0]],
            f"{remark}± is one Monte-Carlo standard error. The verdict is on the risk that the method is about: nominal if the 95 % "
            "interval of the coverage lies within two points of the level, liberal or conservative if it lies beyond them, and undecided "
            "otherwise: so many more data sets, about, would tell if the coverage stays.",
            optional=("Bias", "Size, %"),
        )

    def _advice_table(self) -> StudyTable:
        return tabulate(
            "recommended",
            "What was shown to hold, and is narrowest",
            [
                ("Learner or difference", lambda one: one.target or "all together"),
                ("About", lambda one: one.estimand),
                ("Method", lambda one: one.method or "none was shown to hold"),
            ],
            self.recommendations,
            "Methods are compared only where they are about the same: ER is the expected risk at that training size, PQ the mean risk of "
            "just the models of these splits, R the risk of the model of the whole data set.",
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
