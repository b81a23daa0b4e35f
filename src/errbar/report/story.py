"""What a comparison says: the verdict, tables of rows, and what is folded away. Every form is written from this."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from errbar.comparison import Comparison, Pair
from errbar.needs import WINNER
from errbar.report import folds, verdict
from errbar.report.numbers import Digits, percent, plain, probability, pvalue, size
from errbar.report.words import clean, heading, measure, sentence, splits_of
from errbar.result import Estimand, Interval, Note, Result
from errbar.simultaneous import JOINT

FEW = 5
"""Of so many learners all pairs are shown; of more, the difference of each from the best so far."""

_HEAD = 14
"""Letters of the head of a column of differences."""

_WIDEST = 5.0
"""An axis is at most so many typical intervals wide where only learners that are ruled out would need more."""

_ABOUT = {
    Estimand.EXPECTED_RISK: "expected {}",
    Estimand.PROXY: "mean {} of the trained models",
    Estimand.RISK: "{} of the model fitted on all examples",
}


@dataclass(frozen=True)
class Row:
    """An estimate with its interval, or a difference.

    Attributes
    ----------
    name : of the learner, or of the pair
    estimate, low, high : in units of the loss; an end may be infinite
    cells : the columns after the name, as they are read
    strong : whether the learner is not ruled out as best, or the difference significant
    drawn : whether there is an interval
    wide : of the learner with the best estimate: the interval that accounts for its selection
    """

    name: str
    estimate: float
    low: float
    high: float
    cells: tuple[str, ...]
    strong: bool = True
    drawn: bool = True
    wide: Interval | None = None


@dataclass(frozen=True)
class Table:
    """Rows with one scale.

    Attributes
    ----------
    title, aside : heading, and what must be known of all numbers
    heads : of the names and of the cells
    rows : in the order in which they are read
    tested : whether rows are pairs, of which those that are not significant are hollow
    sides : what lies on the left and on the right of 0; None where 0 says nothing
    label : of the axis of a picture
    mark : what a filled mark with its line means
    above : what stands above the pictures
    foot : sentences below it
    cut : row before which the learners begin that are ruled out as best
    """

    title: str
    aside: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    tested: bool = False
    sides: tuple[str, str] | None = None
    label: str = ""
    mark: str = ""
    above: str = ""
    foot: str = ""
    cut: int | None = None

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Ends of the axis.

        It holds 0, or all learners that may be the best, and each row with which it is at most a
        few typical intervals wide.
        """
        shown = [row for row in self.rows if row.drawn]
        if not shown:
            return 0.0, 1.0
        ends = np.array(
            [(row.estimate, row.low, row.high, *(row.wide or (row.low, row.high))) for row in shown]
        )
        middle = ends[:, :1]
        # What has no bound on one side goes on for as far as the other end is away.
        away = np.where(np.isfinite(ends), np.abs(ends - middle), 0.0).max(axis=1, keepdims=True)
        ends = np.clip(ends, middle - away, middle + away)
        low, high = ends.min(axis=1), ends.max(axis=1)
        must = np.array([row.strong or self.tested for row in shown])
        must = must if must.any() else ~must
        start = (0.0, 0.0) if self.sides else (low[must].min(), high[must].max())
        reach = np.maximum(high, start[1]) - np.minimum(low, start[0])
        typical = np.sort(high - low)[len(shown) // 2]
        near = (reach <= max(_WIDEST * typical, start[1] - start[0])) | (typical == 0.0)
        near = near if near.any() else ~near
        first = float(min(low[near].min(), start[0]))
        last = float(max(high[near].max(), start[1]))
        return (first, last) if last > first else (first - 0.5, last + 0.5)


class Told:
    """What every report tells, of a comparison or of ranks.

    Attributes
    ----------
    subject : what was measured, on what
    verdict, remarks, power, warnings : sentences
    ranking, differences : tables
    names, pairs : the learners, the best first, and what was tested
    significant : what a filled mark means
    folds : what few readers need
    """

    @property
    def measure(self: Any) -> str:
        """What is measured."""
        return str(self.subject[0].partition(",")[0])

    @property
    def many(self: Any) -> bool:
        """Whether there are so many learners that each is shown against one other."""
        return len(self.names) > FEW

    @property
    def tables(self: Any) -> Sequence[Table]:
        """What the screen shows."""
        return [one for one in (self.ranking, self.differences) if one is not None]

    @property
    def sentences(self: Any) -> list[str]:
        """What was found, in words."""
        return [text for text in (self.verdict, *self.remarks, self.power) if text]

    @property
    def triangle(self: Any) -> list[dict[str, Any]]:
        """The p of each pair by rank, and as many stars as it has evidence; empty where not all pairs were tested."""
        found = {}
        for pair in self.pairs:
            p = pair.adjusted
            stars = (1 + (p < 0.01) + (p < 0.001)) * (p <= self.alpha)
            text = pvalue(p, self.alpha).removeprefix("1")
            found[frozenset((pair.a, pair.b))] = {"p": text, "stars": stars}
        if len(found) < len(self.names) * (len(self.names) - 1) // 2:
            return []
        return [
            {
                "name": clean(name),
                "cells": [found[frozenset((name, other))] for other in self.names[:place]],
            }
            for place, name in enumerate(self.names)
        ]


@dataclass(frozen=True, eq=False)
class Story(Told):
    """What a comparison says, with words and rounding."""

    comparison: Comparison
    command: str | None = None
    more = ".details() · .save('report.html')"

    @cached_property
    def measure(self) -> str:
        """What is measured."""
        loss = self.comparison.table.loss
        of_class = "" if loss.positive is None else clean(f" of class {loss.positive}")
        return f"{measure(loss.key)}{of_class}"

    @cached_property
    def subject(self) -> tuple[str, ...]:
        """Measure, data, examples and splits."""
        table, splits = self.comparison.table, self.comparison.used.splits
        parts = [f"{self.measure}, {table.loss.direction}"]
        parts += [clean(table.name)] if table.name else []
        examples = splits.n if splits.n is not None else table.provenance.get("examples")
        sizes = float(splits.n_train[0]), float(splits.n_test[0])
        sized = ""
        if examples:
            parts.append(f"{examples} examples")
        elif all(map(math.isfinite, sizes)):
            sized = f", {plain(sizes[0])} + {plain(sizes[1])} examples"
        return (*parts, splits_of(self.comparison) + sized)

    @cached_property
    def verdict(self) -> str:
        """The bottom line."""
        found = verdict.verdict_of(self)
        # That higher is better was told by a word at least.
        told = {"better": "lower", "say": "higher_is_better"}
        notes = self.comparison.notes if self.comparison.pairs else ()
        unsaid = any(told.items() <= note.numbers.items() for note in notes)
        return f"If lower is better, which nobody has said: {found}" if unsaid else found

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What an uncorrected test would have said, and how many pairs differ."""
        return tuple(verdict.remarks_of(self))

    @cached_property
    def power(self) -> str:
        """What such a study finds; empty where it found everything, or the method does not tell."""
        return verdict.power_of(self.comparison)

    @cached_property
    def folds(self) -> tuple[folds.Fold, ...]:
        """What few readers need."""
        return tuple(folds.folds_of(self))

    @cached_property
    def notes(self) -> tuple[tuple[Note, ...], ...]:
        """All notes; those that differ by numbers alone stand together."""
        alike: dict[tuple[object, ...], list[Note]] = {}
        for note in self.comparison.notes:
            names = [one for one in note.items if not isinstance(one[1], int | float)]
            alike.setdefault((note.code, *map(str, names)), []).append(note)
        return tuple(map(tuple, alike.values()))

    @property
    def records(self) -> int:
        """Number of notes on how numbers were read or made."""
        return sum(note.severity != "reading" for note in self.comparison.notes)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Notes that change how a number is to be read, each once; those that differ by numbers alone are said by the first."""
        # The best row shows its interval with the selection accounted for.
        first = [note for note, *_ in self.notes]
        said = [note for note in first if note.severity == "reading" and note != WINNER]
        return tuple(sentence(note.text) for note in said)

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return self.comparison.alpha

    @property
    def significant(self) -> str:
        """What a filled mark means."""
        if self.comparison.bayesian:
            return f"better with probability {percent(self.comparison.level)} or more"
        return f"significant at {percent(self.alpha)}"

    @property
    def triangle(self) -> list[dict[str, Any]]:
        """The p of each pair by rank, where pairs are differences that have p."""
        return [] if self.comparison.bayesian or self.comparison.quantity else super().triangle

    @cached_property
    def digits(self) -> tuple[Digits, Digits]:
        """Decimals of learners and of pairs; the same ones where both are losses."""
        learners = list(self.comparison.learners.values())
        pairs = [pair.result for pair in self.comparison.pairs]
        if self.comparison.quantity:
            return Digits.of(learners), Digits.of(pairs)
        return (Digits.of([*learners, *pairs]),) * 2

    @cached_property
    def reference(self) -> str | None:
        """The learner that all others are shown against: the baseline, or of many the best so far."""
        comparison = self.comparison
        many = len(comparison.learners) > FEW and not comparison.quantity
        return comparison.baseline or (comparison.ranking[0] if many else None)

    @property
    def name(self) -> str:
        """What tells it from other comparisons of one report."""
        return f"{heading(self.measure)}, {self.comparison.method}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the learners, the best first."""
        return self.comparison.ranking

    def frame(self) -> Any:
        """Return a pandas frame of all numbers."""
        return self.comparison.to_frame()

    @property
    def turns(self) -> bool:
        """Whether differences may be shown from another learner."""
        comparison = self.comparison
        asked = comparison.baseline is not None or comparison.alternative != "two-sided"
        return bool(comparison.pairs) and not asked and not comparison.quantity

    @property
    def at(self) -> str:
        """The training size that the numbers are about."""
        n = self.comparison.reference.n_train
        return "" if math.isnan(n) else f" at training size {size(n)}"

    @property
    def about(self) -> str:
        """What the numbers are about, in few words."""
        estimand = self.comparison.reference.estimand
        return f"{_ABOUT.get(estimand, estimand.words).format(self.measure)}{self.at}"

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first."""
        comparison, best = self.comparison, self.comparison.best
        possible = comparison.possible_best
        why = {} if best is None or comparison.bayesian else best.ruled_out
        extra = {name: pvalue(one.adjusted, self.alpha) for name, one in why.items()}
        selected = best is not None and not comparison.learners[best.winner].degenerate
        as_best = self.digits[0].span(*best.risk) if best is not None and selected else ""
        rows = [
            _row(
                name,
                comparison.learners[name],
                self.digits[0],
                [extra.get(name, "")] if why else [],
                strong=not possible or name in possible,
                wide=best.risk if best is not None and name == best.winner else None,
            )
            for name in comparison.ranking
        ]
        return Table(
            "Ranking" if len(rows) > 1 else "Estimate",
            self.about,
            (
                "learner",
                self.measure,
                f"{percent(comparison.level)} interval",
                "standard error",
                *(["ruled out, p"] if why else []),
            ),
            tuple(rows),
            label=self.subject[0],
            mark=f"{percent(comparison.level)} interval",
            above=f"as selected best {as_best}" if selected else "",
        )

    @cached_property
    def differences(self) -> Table | None:
        """The pairs, the most certain first; of many learners, all against the reference."""
        comparison = self.comparison
        if not comparison.pairs:
            return None
        if self.reference is not None:
            return self.against(self.reference)
        two_sided = comparison.alternative == "two-sided"
        larger_first = two_sided and not comparison.quantity
        pairs = [
            pair.mirrored() if larger_first and pair.result.estimate < 0.0 else pair
            for pair in self.pairs
        ]
        if two_sided and not comparison.bayesian:
            pairs.sort(key=lambda pair: (pair.result.degenerate, pair.adjusted))
        return self._table(pairs)

    def against(self, reference: str) -> Table:
        """Return the difference of every other learner from one, with the p-values of all pairs."""
        pairs = [
            pair.mirrored() if pair.a == reference else pair
            for pair in self.pairs
            if reference in (pair.a, pair.b)
        ]
        pairs.sort(key=lambda pair: self.names.index(pair.a))
        return self._table(pairs, clean(reference))

    @property
    def tables(self) -> Sequence[Table]:
        """What the screen shows: of many learners one table, in which the difference stands beside the estimate."""
        ranking, differences = self.ranking, self.differences
        if differences is None:
            return [ranking] if len(ranking.rows) > 1 else []
        if not self.many or self.reference is None:
            return [ranking, differences]
        beside = {row.name: row for row in differences.rows}
        blank = Row("", 0.0, 0.0, 0.0, ("",) * (len(differences.heads) - 1), drawn=False)
        rows = []
        for row in ranking.rows:
            other = beside.get(row.name, blank)
            cells = (*row.cells[:2], other.cells[0], *other.cells[3:])
            rows.append(replace(other, name=row.name, cells=cells))
        away = textwrap.shorten(differences.heads[1], _HEAD, placeholder="…")
        heads = ("", *ranking.heads[1:3], away, *differences.heads[4:])
        strong = [row.strong for row in ranking.rows]
        cut = sum(strong) if all(strong[: sum(strong)]) else None
        best = f"{rows[0].name} {ranking.above}." if ranking.above else ""
        foot = f"{differences.foot}\n{best}"
        return [replace(differences, heads=heads, rows=tuple(rows), cut=cut, foot=foot)]

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pairs, with simultaneous intervals where the p-values are of max-t, too."""
        found = self.comparison.simultaneous if self.simultaneous else None
        return [
            pair
            if found is None
            else replace(pair, result=replace(pair.result, interval=found.pairs[pair.a, pair.b]))
            for pair in self.comparison.pairs
        ]

    def _table(self, pairs: Sequence[Pair], than: str = "") -> Table:
        """Return the table of pairs, or of differences from one learner."""
        comparison, extra = self.comparison, self._columns(pairs)
        better, worse = ("worse", "better") if comparison.higher_is_better else ("better", "worse")
        title, heads, link = "Differences", ("first - second", "difference"), " - "
        sides: tuple[str, str] | None = (f"first {better}", f"first {worse}")
        label = f"difference in {self.measure}"
        if comparison.quantity:
            title, heads, link = "Pairs", ("pair", comparison.quantity), " over "
            sides, label = None, comparison.quantity
        elif than:
            title, heads = f"Differences from {than}", ("learner", f"- {than}")
            sides = (f"{better} than {than}", worse)
        alone = than and not comparison.quantity
        names = [pair.a if alone else f"{pair.a}{link}{pair.b}" for pair in pairs]
        rows = [
            _row(name, pair.result, self.digits[1], cells, strong=pair.significant)
            for name, pair, *cells in zip(names, pairs, *extra.values(), strict=True)
        ]
        hollow = f"○ not {self.significant}." if not all(row.strong for row in rows) else ""
        return Table(
            title,
            self.adjustment,
            (*heads, f"{percent(comparison.level)} interval", "standard error", *extra),
            tuple(rows),
            tested=True,
            sides=sides,
            label=label,
            mark=self.significant,
            foot=f"{self.adjustment} {hollow}".strip(),
        )

    def _columns(self, pairs: Sequence[Pair]) -> dict[str, list[str]]:
        """Return the columns of p-values, or of posterior probabilities."""
        if self.comparison.bayesian:
            found = {"P(better)": [verdict.likelihood(pair) for pair in pairs]}
            if self.comparison.rope:
                found["P(equal)"] = [pair.result.posterior.get("rope", 0.0) for pair in pairs]
            return {head: list(map(probability, column)) for head, column in found.items()}
        columns = {
            "p": [
                "" if pair.result.degenerate else pvalue(pair.adjusted, self.alpha)
                for pair in pairs
            ]
        }
        tests = [pair.equivalence for pair in pairs if pair.equivalence]
        if tests:
            columns["TOST p"] = [pvalue(test.adjusted or 0.0, self.alpha) for test in tests]
        return columns

    @property
    def simultaneous(self) -> bool:
        """Whether p-values and intervals of all pairs hold together, by max-t."""
        return self.comparison.joint is not None and self.comparison.adjust in JOINT

    @property
    def adjustment(self) -> str:
        """For what p-values and intervals are adjusted."""
        comparison = self.comparison
        count = len(comparison.pairs)
        if count < 2:
            return ""
        if comparison.bayesian:
            return "Probabilities are for one pair at a time."
        if self.simultaneous:
            return f"Simultaneous, adjusted for {count} comparisons."
        if not comparison.adjusts:
            return f"Not adjusted for {count} comparisons."
        how = heading(str(comparison.adjust))
        return f"p adjusted for {count} comparisons ({how}); intervals are for one pair alone."


def _row(name: str, result: Result, digits: Digits, more: Sequence[str], **shown: Any) -> Row:
    """Return the row of a result."""
    interval = "none" if result.degenerate else digits.span(*result.interval)
    cells = (digits.number(result.estimate), interval, digits.number(result.se), *more)
    drawn = not result.degenerate
    return Row(clean(name), result.estimate, *result.interval, cells, drawn=drawn, **shown)
