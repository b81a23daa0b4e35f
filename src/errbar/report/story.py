"""What a comparison, or a ranking, says: the verdict, tables of rows, and what is folded away. Every form is written from this."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import Data, Names
from errbar._version import __version__
from errbar.comparison import Comparison
from errbar.datasets import Ranking
from errbar.design import WINNER
from errbar.methods import lookup
from errbar.report import verdict
from errbar.report.verdict import best_so_far, better_and_worse
from errbar.report.words import (
    WORDS,
    Digits,
    Fold,
    at_size,
    cited,
    clean,
    counted,
    folds_of,
    heading,
    measured,
    named,
    percent,
    plain,
    probability,
    pvalue,
    repeated,
    sentence,
    splits_of,
)
from errbar.result import Estimand, Interval, Result
from errbar.simultaneous import JOINT

FEW = 5
"""Of so many learners all pairs are shown; of more, the difference of each from the best so far."""

_HEAD = 14
"""Letters of the head of a column of differences."""

_WIDEST = 5.0
"""An axis is at most so many typical intervals wide where only learners that are ruled out would need more."""


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
    cells: Sequence[str]
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
    heads: Sequence[str]
    rows: Sequence[Row]
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
        must |= not must.any()
        first, last = (0.0, 0.0) if self.sides else (low[must].min(), high[must].max())
        reach = np.maximum(high, last) - np.minimum(low, first)
        typical = np.sort(high - low)[len(shown) // 2]
        near = (reach <= max(_WIDEST * typical, last - first)) | (typical == 0.0)
        near |= not near.any()
        first, last = float(min(low[near].min(), first)), float(max(high[near].max(), last))
        return (first, last) if last > first else (first - 0.5, last + 0.5)


class Told:
    """What every report tells, of a comparison or of ranks.

    Attributes
    ----------
    name : what tells it from others of one report
    measure, subject : what was measured; in which direction, on what
    verdict, remarks, power, warnings : sentences
    records : number of notes on how numbers were read or made
    ranking, differences, tables : tables, and those of the screen
    names, pairs : the learners, the best first, and what was tested
    turns : whether differences may be shown from another learner
    evidence : whether pairs are differences that have p
    alpha, significant : level of the tests, and what a filled mark means
    folds : what few readers need
    frame : makes a pandas frame of all numbers
    more : how to see the rest
    curves : further tables: of each parameter of a search, or of differences beside ranks
    top : of a board, how many models are on the first screen
    noun : what is compared
    """

    power, records, turns, evidence = "", 0, False, True
    curves: Sequence[Table] = ()
    top = 10
    noun = "learner"

    @property
    def board_facts(self) -> Data | None:
        """What the script of a page computes ranks with; only a board has it."""
        return None

    @property
    def many(self: Any) -> bool:
        """Whether there are so many learners that each is shown against one other."""
        return len(self.names) > FEW

    @property
    def tables(self: Any) -> Any:
        """What the screen shows."""
        found = [self.ranking, *filter(None, [self.differences]), *self.curves]
        return found if len(self.names) > 1 else []

    @property
    def triangle(self: Any) -> list[Data]:
        """The p of each pair by rank, and as many stars as it has evidence; empty where not all pairs were tested."""
        if not self.evidence or len(self.pairs) < math.comb(len(self.names), 2):
            return []
        found = {}
        for pair in self.pairs:
            p = pair.adjusted
            stars = (1 + (p < 0.01) + (p < 0.001)) * (p <= self.alpha)
            text = pvalue(p, self.alpha).removeprefix("1")
            found[frozenset((pair.a, pair.b))] = {"p": text, "stars": stars}
        return [
            {
                "name": clean(name),
                "cells": [found[frozenset((name, other))] for other in self.names[:place]],
            }
            for place, name in enumerate(self.names)
        ]


class Story(Told):
    """What a comparison says, with words and rounding."""

    more = ".details() · .save('report.html')"

    def __init__(self, comparison: Comparison, command: str | None = None) -> None:
        """Say in words what the tables need."""
        self.comparison, self.command, loss = comparison, command, comparison.table.loss
        self.measure = measured(loss)
        self.name = f"{heading(self.measure)}, {comparison.method}"
        self.names, self.frame = comparison.ranking, comparison.to_frame
        n, estimand = comparison.reference.n_train, comparison.reference.estimand
        self.at = at_size(n)
        self.about = (
            WORDS["about"].get(str(estimand), estimand.words).format(self.measure) + self.at
        )
        self.level, self.alpha = percent(comparison.level), comparison.alpha
        self.significant = f"significant at {percent(self.alpha)}"
        if comparison.bayesian:
            self.significant = f"better with probability {self.level} or more"
        self.pairs = list(comparison.pairs)
        # By max-t p-values and intervals of all pairs hold together.
        self.simultaneous = comparison.adjust in JOINT and comparison.simultaneous
        if self.simultaneous:
            joint = self.simultaneous.pairs
            self.pairs = [
                replace(pair, result=replace(pair.result, interval=joint[pair.a, pair.b]))
                for pair in self.pairs
            ]
        two_sided = comparison.alternative == "two-sided"
        self.turns = two_sided and not (comparison.baseline or comparison.quantity)
        self.evidence = not (comparison.bayesian or comparison.quantity)
        self.reference = comparison.baseline
        if self.many and not (comparison.quantity or self.reference):
            self.reference = self.names[0]
        alike: Any = {}
        for note in comparison.notes:
            words = [one for one in note.items if not isinstance(one[1], int | float)]
            alike.setdefault(f"{note.code} {words}", []).append(note)
        # Those that differ by numbers alone stand together.
        self.notes = list(alike.values())
        first = [note for note, *_ in self.notes if note.severity == "reading"]
        # The best row shows its interval with the selection accounted for.
        self.warnings = [sentence(note.text) for note in first if note != WINNER]
        self.records = sum(note.severity != "reading" for note in comparison.notes)
        # The same decimals where learners and pairs are both losses.
        learners = list(comparison.learners.values())
        results = [pair.result for pair in self.pairs]
        together = [] if comparison.quantity else [*learners, *results]
        self.digits = Digits.of(together or learners), Digits.of(together or results)
        self.remarks = list(verdict.remarks_of(self))
        self.power = verdict.power_of(comparison)

    @property
    def subject(self) -> tuple[str, ...]:
        """Measure, data, examples and splits."""
        table, splits = self.comparison.table, self.comparison.used.splits
        parts = [f"{self.measure}, {table.loss.direction}", *filter(None, [clean(table.name)])]
        examples = splits.n or table.provenance.get("examples")
        sizes = float(splits.n_train[0]), float(splits.n_test[0])
        sized = ""
        if examples:
            parts.append(f"{examples} examples")
        elif all(map(math.isfinite, sizes)):
            sized = f", {plain(sizes[0])} + {plain(sizes[1])} examples"
        if splits.designs[0].weights is not None:
            parts.append("examples weighted")
        return (*parts, splits_of(self.comparison) + sized)

    @property
    def verdict(self) -> str:
        """The bottom line."""
        found = verdict.verdict_of(self)
        # That higher is better was told by a word at least.
        told = {"better": "lower", "say": "higher_is_better"}
        unsaid = any(told.items() <= note.numbers.items() for note in self.comparison.notes)
        if unsaid and self.pairs:
            return f"If lower is better, which nobody has said: {found}"
        return found

    @cached_property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        return list(folds_of(self))

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first."""
        comparison, best = self.comparison, self.comparison.best
        possible, digits = comparison.possible_best, self.digits[0]
        ruled_out: Any = {}
        wide, above = {}, ""
        if best is not None:
            # The interval of the winner that accounts for its selection.
            wide = {best.winner: best.risk}
            if not comparison.bayesian:
                ruled_out = {
                    name: pvalue(one.adjusted, self.alpha) for name, one in best.ruled_out.items()
                }
            if not comparison.learners[best.winner].degenerate:
                above = f"as selected best {digits.span(*best.risk)}"
        rows = [
            row_of(
                name,
                comparison.learners[name],
                digits,
                [ruled_out.get(name, "")] * bool(ruled_out),
                strong=not possible or name in possible,
                wide=wide.get(name),
            )
            for name in self.names
        ]
        heads = ["learner", self.measure, f"{self.level} interval", "standard error"]
        return Table(
            "Ranking" if len(rows) > 1 else "Estimate",
            self.about,
            [*heads, *["ruled out, p"] * bool(ruled_out)],
            rows,
            label=self.subject[0],
            mark=heads[2],
            above=above,
        )

    @cached_property
    def differences(self) -> Table | None:
        """The pairs, the most certain first; of many learners, all against the reference."""
        if not self.pairs:
            return None
        if self.reference is not None:
            return self.against(self.reference)
        comparison, pairs = self.comparison, self.pairs
        if comparison.alternative == "two-sided":
            if not comparison.quantity:
                pairs = [pair.mirrored() if pair.result.estimate < 0.0 else pair for pair in pairs]
            if not comparison.bayesian:
                pairs = sorted(pairs, key=lambda pair: (pair.result.degenerate, pair.adjusted))
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
    def tables(self) -> Any:
        """What the screen shows: of many learners one table, in which the difference stands beside the estimate."""
        ranking, differences = self.ranking, self.differences
        if differences is None or not self.many or self.reference is None:
            return super().tables
        beside = {row.name: row for row in differences.rows}
        blank = Row("", 0.0, 0.0, 0.0, [""] * len(differences.heads[1:]), drawn=False)
        rows = []
        for row in ranking.rows:
            other = beside.get(row.name, blank)
            cells = [*row.cells[:2], other.cells[0], *other.cells[3:]]
            rows.append(replace(other, name=row.name, cells=cells))
        heads = ["", *ranking.heads[1:3], differences.heads[1], *differences.heads[4:]]
        heads[3] = textwrap.shorten(heads[3], _HEAD, placeholder="…")
        best = f"{rows[0].name} {ranking.above}." if ranking.above else ""
        foot = f"{differences.foot}\n{best}"
        return [
            replace(differences, heads=heads, rows=rows, cut=first_out(ranking.rows), foot=foot)
        ]

    def _table(self, pairs: Any, than: str = "") -> Table:
        """Return the table of pairs, or of differences from one learner."""
        comparison, extra = self.comparison, self._columns(pairs)
        quantity = comparison.quantity
        better, worse = ("worse", "better") if comparison.higher_is_better else ("better", "worse")
        title, heads, link = "Differences", ("first - second", "difference"), " - "
        sides: tuple[str, str] | None = (f"first {better}", f"first {worse}")
        if quantity:
            title, heads, link, sides = "Pairs", ("pair", quantity), " over ", None
        elif than:
            title, heads = f"Differences from {than}", ("learner", f"- {than}")
            sides = (f"{better} than {than}", worse)
        rows = [
            row_of(
                pair.a if than and not quantity else f"{pair.a}{link}{pair.b}",
                pair.result,
                self.digits[1],
                cells,
                strong=pair.significant,
            )
            for pair, *cells in zip(pairs, *extra.values(), strict=True)
        ]
        hollow = "" if all(row.strong for row in rows) else f"○ not {self.significant}."
        return Table(
            title,
            self.adjustment,
            [*heads, f"{self.level} interval", "standard error", *extra],
            rows,
            tested=True,
            sides=sides,
            label=quantity or f"difference in {self.measure}",
            mark=self.significant,
            foot=f"{self.adjustment} {hollow}".strip(),
        )

    def _columns(self, pairs: Any) -> Any:
        """Return the columns of p-values, or of posterior probabilities."""
        if self.comparison.bayesian:
            found = {"P(better)": [verdict.likelihood(pair) for pair in pairs]}
            if self.comparison.rope:
                found["P(equal)"] = [pair.result.posterior.get("rope", 0.0) for pair in pairs]
            return {head: list(map(probability, column)) for head, column in found.items()}
        shown = [
            "" if pair.result.degenerate else pvalue(pair.adjusted, self.alpha) for pair in pairs
        ]
        tests = [pair.equivalence for pair in pairs if pair.equivalence]
        if not tests:
            return {"p": shown}
        return {"p": shown, "TOST p": [pvalue(test.adjusted or 0.0, self.alpha) for test in tests]}

    @property
    def adjustment(self) -> str:
        """For what p-values and intervals are adjusted."""
        comparison, count = self.comparison, len(self.pairs)
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


def row_of(name: str, result: Result, digits: Digits, more: Names = (), **shown: Any) -> Row:
    """Return the row of a result."""
    drawn = not result.degenerate
    interval = digits.span(*result.interval) if drawn else "none"
    cells = [digits.number(result.estimate), interval, digits.number(result.se), *more]
    return Row(clean(name), result.estimate, *result.interval, cells, drawn=drawn, **shown)


def first_out(rows: Sequence[Row]) -> int | None:
    """Return the row before which those begin that are ruled out, where they stand together."""
    strong = [row.strong for row in rows]
    count = sum(strong)
    return count if all(strong[:count]) else None


def top_of(table: Table, count: int) -> Table:
    """Return the first rows, with how many others there are."""
    shown = table.rows[:count]
    left = len(table.rows) - len(shown)
    foot = f"and {counted(left, 'other')}\n{table.foot}" if left else table.foot
    return replace(table, rows=shown, foot=foot, cut=first_out(shown))


# Learners ranked over several data sets, told as a comparison is.

_RANKS = Digits(2)


class RankStory(Told):
    """What a ranking says."""

    name = "Ranks"
    more = "errbar.report.save(ranks, 'report.html')"

    def __init__(self, ranks: Ranking, command: str | None = None) -> None:
        """Say in words what the tables need."""
        overall: Any
        loss, overall = ranks.table.loss, ranks.friedman or ranks.skillings_mack
        self.ranks, self.pairs, self.names = ranks, ranks.pairs, list(ranks.mean_ranks)
        self.measure = "score" if loss.higher_is_better else "loss"
        self.data_sets = counted(ranks.n_data_sets, "data set")
        self.subject = f"{self.measure}, {loss.direction}", self.data_sets
        self.alpha = 1.0 - ranks.level
        self.significant = f"significant at {percent(self.alpha)}"
        # The learner that others are shown against.
        self.hub = ranks.baseline or self.names[0]
        self.p_of_hub = {
            name: pair.adjusted
            for pair in self.pairs
            if self.hub in (pair.a, pair.b)
            for name in {pair.a, pair.b} - {self.hub}
        }
        self.test = WORDS["tests"][ranks.post_hoc]
        if ranks.critical_difference is None:
            how = "not adjusted" if ranks.adjust == "none" else f"adjusted by {ranks.adjust}"
            self.test += f", {how} for {counted(len(self.pairs), 'comparison')}"
        if ranks.friedman:
            p = named(pvalue(overall.f_pvalue, self.alpha))
            test, form, df = "Friedman's test", "F form", "{} and {}".format(*overall.f_df)
            statistic = f"Friedman's F {overall.f:.4g}"
        else:
            p = named(pvalue(overall.chi2_pvalue, self.alpha))
            test, form, df = "Skillings and Mack's test", "which bears gaps", str(overall.df)
            statistic = f"Skillings and Mack's chi-square {overall.chi2:.4g}"
        self.remarks = [f"Do any differ? {test}, {form}: {p}."]
        self.warnings = [sentence(note.text) for note in ranks.notes]
        self.frame = lambda: _check.package("pandas", "app").DataFrame(ranks.to_dict()["learners"])
        method = [
            ("All learners", f"{statistic}, {df} degrees of freedom, {p}"),
            ("Pairs", f"{self.test}, two-sided, at {percent(self.alpha)}"),
            ("Claim", "Which learners rank better on other data sets like these."),
        ]
        cite = (
            f"Mean ranks of {counted(len(self.names), 'learner')} over {self.data_sets} were "
            f"compared by {test} and {self.test} (errbar {__version__})."
        )
        self.interval = f"{percent(ranks.level)} interval"
        self.curves = list(self._of_means())
        self.folds = [
            Fold("Method", f"{test}, {ranks.post_hoc}", method),
            *repeated(command, {"errbar": __version__}, "version"),
            cited(cite, [lookup("friedman")], "demsar2006"),
        ]

    @property
    def verdict(self) -> str:
        """Who is best, or better and worse than the baseline."""
        means, groups = self.ranks.mean_ranks, dict[str, list[str]](better=[], worse=[], open=[])
        for name in filter(self.p_of_hub.__contains__, self.names):
            kind = "better" if means[name] < means[self.hub] else "worse"
            groups[kind if self.p_of_hub[name] <= self.alpha else "open"].append(name)
        if self.ranks.baseline is not None:
            return better_and_worse(groups, clean(self.hub), self.significant)
        end = f"best: all others are ruled out at {percent(self.alpha)}"
        return best_so_far(self.hub, groups["open"], len(self.names) - 1, end, verb="ranks")

    @property
    def ranking(self) -> Table:
        """All learners, the best first."""
        ranks, reach = self.ranks, self.ranks.critical_difference or 0.0
        means = list(ranks.mean_scores.values())
        scores = Digits.of_errors([(max(means) - min(means)) / 10.0], means)
        rows = []
        for (name, rank), mean in zip(ranks.mean_ranks.items(), means, strict=True):
            p = self.p_of_hub.get(name)
            said = "" if p is None else pvalue(p, self.alpha)
            cells = [_RANKS.number(rank), scores.number(mean), said]
            strong = p is None or p > self.alpha or ranks.baseline is not None
            rows.append(Row(clean(name), rank, *_around(rank, reach / 2.0), cells, strong=strong))
        foot, mark = [f"p: {self.test}, against {clean(self.hub)}."], "mean rank"
        if reach:
            mark = "mean rank, half a critical difference on each side"
            apart = f"Mean ranks more than {_RANKS.number(reach)} apart"
            foot.append(f"{apart} differ significantly at {percent(self.alpha)}.")
        if ranks.cliques and not self.many:
            groups = " · ".join(", ".join(map(clean, clique)) for clique in ranks.cliques)
            foot.append(f"Not significantly different: {groups}.")
        what = f"mean rank over {self.data_sets}, 1 is best"
        return Table(
            "Ranking",
            what,
            ["learner", "mean rank", f"mean {self.measure}", "p"],
            rows,
            label=what,
            mark=mark,
            above="lines apart: significant" if reach else "",
            foot=" ".join(foot),
        )

    @property
    def differences(self) -> Table | None:
        """The pairs of few learners, the larger mean rank minus the smaller."""
        if self.many:
            return None
        reach, rows = self.ranks.critical_difference, []
        for pair in sorted(self.pairs, key=lambda pair: pair.adjusted):
            a, b, gap, won = pair.a, pair.b, pair.rank_difference, (pair.wins, pair.losses)
            if gap < 0.0:
                a, b, gap, won = b, a, 0.0 - gap, won[::-1]
            ends = _around(gap, reach or 0.0)
            cells = [
                _RANKS.number(gap),
                *[_RANKS.span(*ends)] * bool(reach),
                f"{won[0]}, {pair.ties}, {won[1]}",
                pvalue(pair.adjusted, self.alpha),
            ]
            strong = pair.adjusted <= self.alpha
            rows.append(Row(f"{clean(a)} - {clean(b)}", gap, *ends, cells, strong=strong))
        return Table(
            "Differences of mean ranks",
            self.test,
            [
                "first - second",
                "difference",
                *[self.interval] * bool(reach),
                "won, tied, lost",
                "p",
            ],
            rows,
            tested=True,
            sides=("first better", "first worse"),
            label="difference of mean ranks",
            mark=self.significant,
        )

    def _of_means(self) -> Iterator[Table]:
        """Yield, where each data set has several seeds, the differences in units of the loss."""
        shown = [
            one if one.estimate >= 0.0 else one.mirrored()
            for one in self.ranks.differences
            if not self.many or self.hub in (one.learner, one.minus)
        ]
        if not shown:
            return
        digits = Digits.of(shown)
        title, about = f"Differences of mean {self.measure}", "other seeds on these very data sets"
        if shown[0].estimand is Estimand.DATA_SETS:
            about = "other data sets like these"
        aside = f"over {about}; each for itself"
        sides = ("first better", "first worse")
        yield Table(
            title,
            aside,
            ["first - second", f"difference in {self.measure}", self.interval, "standard error"],
            [row_of(f"{one.learner} - {one.minus}", one, digits) for one in shown],
            sides=sides[::-1] if self.ranks.table.loss.higher_is_better else sides,
            label=f"difference of mean {self.measure}",
            mark=self.interval,
            foot=f"{title} {aside}.",
        )


def _around(middle: float, reach: float) -> tuple[float, float]:
    return middle - reach, middle + reach
