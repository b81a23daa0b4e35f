"""What an answer says: the verdict, tables of rows, and words for what is folded away. Every form is written from this."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from errbar import _check
from errbar._plain import Data, Names
from errbar._version import __version__
from errbar.design import WINNER
from errbar.plans._base import RUNS
from errbar.reading.sheet import MIXED
from errbar.report import verdict
from errbar.report.verdict import best_so_far, better_and_worse
from errbar.report.words import (
    WORDS,
    Digits,
    at_size,
    clean,
    counted,
    heading,
    measure,
    measured,
    named,
    percent,
    plain,
    plan_words,
    probability,
    pvalue,
    sentence,
    splits_of,
)
from errbar.result import Estimand, Interval, Result
from errbar.simultaneous import JOINT

if TYPE_CHECKING:
    from errbar.boards import Board
    from errbar.comparison import Comparison
    from errbar.datasets import Ranking
    from errbar.tuning import Tuned

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
    ranks : whether the axis is one of ranks
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
    ranks: bool = False

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Ends of the axis: all ranks; or 0, or all learners that may be the best, and rows near to them.

        Near is each row with which the axis is at most a few typical intervals wide.
        """
        shown = [row for row in self.rows if row.drawn]
        if self.ranks:
            return 1.0, max(row.high for row in shown)
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

    def top(self, count: int) -> "Table":
        """Return the first rows, with how many others there are."""
        shown, left = self.rows[:count], len(self.rows) - count
        foot = f"and {counted(left, 'other')}\n{self.foot}" if left > 0 else self.foot
        return replace(self, rows=shown, foot=foot, cut=first_out(shown))


def first_out(rows: Sequence[Row]) -> int | None:
    """Return the row before which those begin that are ruled out, where they stand together."""
    strong = [row.strong for row in rows]
    count = sum(strong)
    return count if all(strong[:count]) else None


class Told:
    """What every report tells.

    Attributes
    ----------
    found, command : the answer, and the command that makes it again
    name : what tells it from others of one report
    measure, subject : what was measured; in which direction, on what
    about : what the numbers are about
    verdict, remarks, power, warnings : sentences
    notes, records : notes that differ by numbers alone together; how many are on how numbers were read or made
    ranking, differences, tables : tables, and those of the screen
    names, pairs : the learners, the best first, and what was tested
    turns : whether differences may be shown from another learner
    evidence : whether pairs are differences that have p
    level, alpha, significant : level of intervals and tests, and what a filled mark means
    folds : template of what few readers need, which takes `made`: what made the numbers
    frame : makes a pandas frame of all numbers
    more : how to see the rest
    curves : further tables: of each parameter of a search, or of differences beside ranks
    top : of a board, how many models are on the first screen
    noun : what is compared
    board_facts : what the script of a page computes ranks with; only a board has it
    """

    power, turns, evidence = "", False, True
    remarks: Any = ()
    pairs: Any = ()
    curves: Sequence[Table] = ()
    differences: Any = None
    board_facts: Any = None
    top = 10
    noun = "learner"
    more = ".details() · .save('report.html')"

    def __init__(self, found: Any, command: str | None, loss: str, direction: str) -> None:
        """Say in words what the tables need."""
        self.found, self.command, self.measure = found, command, loss
        self.subject: Names = [f"{loss}, {direction}"]
        self.level, self.alpha = percent(found.level), 1.0 - found.level
        self.significant = f"significant at {percent(self.alpha)}"
        alike: Any = {}
        for note in found.notes:
            words = [one for one in note.items if not isinstance(one[1], int | float)]
            alike.setdefault(f"{note.code} {words}", []).append(note)
        self.notes = list(alike.values())
        first = [note for note, *_ in self.notes if note.severity == "reading"]
        # The best row shows its interval with the selection accounted for.
        self.warnings = [sentence(note.text) for note in first if note != WINNER]
        self.records = sum(note.severity != "reading" for note in found.notes)

    def set_about(self, result: Result) -> None:
        """Say what a result is about."""
        self.at = at_size(result.n_train)
        words = WORDS["about"].get(str(result.estimand), result.estimand.words)
        self.about = words.format(self.measure) + self.at

    def set_subject(self, name: str, *more: str | None) -> None:
        """Say, after what was measured, on what: the name of the data and more; what is empty is left out."""
        self.subject = [*self.subject, *filter(None, (clean(name), *more))]

    def table(
        self, title: str, aside: str, heads: Names, rows: Sequence[Row], **facts: Any
    ) -> Table:
        """Return a table whose rows are those of results."""
        first, second, *more = heads
        interval = f"{self.level} interval"
        heads = [first, second, interval, "standard error", *more]
        told: Data = {"mark": interval}
        if facts.get("tested"):
            told["mark"] = self.significant
            hollow = "" if all(row.strong for row in rows) else f"○ not {self.significant}."
            facts["foot"] = f"{facts.get('foot', '')} {hollow}".strip()
        return Table(title, aside, heads, rows, **told | facts)

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

    folds = "comparison"

    def __init__(self, comparison: "Comparison", command: str | None = None) -> None:
        """Say in words what the tables need."""
        table, splits = comparison.table, comparison.used.splits
        super().__init__(comparison, command, measured(table.loss), table.loss.direction)
        self.set_about(comparison.reference)
        self.name = f"{heading(self.measure)}, {comparison.method}"
        self.names, self.frame = comparison.ranking, comparison.to_frame
        self.made, self.splits = table.provenance, splits_of(comparison)
        examples, sized = splits.n or self.made.get("examples"), ""
        sizes = float(splits.n_train[0]), float(splits.n_test[0])
        if examples:
            examples = f"{examples} examples"
        elif all(map(math.isfinite, sizes)):
            sized = f", {plain(sizes[0])} + {plain(sizes[1])} examples"
        weighted = "examples weighted" if splits.designs[0].weights is not None else ""
        self.set_subject(table.name, examples, weighted, self.splits + sized)
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
        # The same decimals where learners and pairs are both losses.
        learners = list(comparison.learners.values())
        results = [pair.result for pair in self.pairs]
        together = [] if comparison.quantity else [*learners, *results]
        self.digits = Digits.of(together or learners), Digits.of(together or results)
        self.remarks = list(verdict.remarks_of(self))
        self.power = verdict.power_of(comparison)

    @property
    def verdict(self) -> str:
        """The bottom line."""
        found = verdict.verdict_of(self)
        # That higher is better was told by a word at least.
        told = {"better": "lower", "say": "higher_is_better"}
        unsaid = any(told.items() <= note.numbers.items() for note in self.found.notes)
        if unsaid and self.pairs:
            return f"If lower is better, which nobody has said: {found}"
        return found

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first."""
        comparison, best = self.found, self.found.best
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
        # Where numbers are missing, each mean is over numbers of its learner's own, as runs always are.
        table = comparison.table
        own = "own " * bool(table.gaps.any() and table.splits.kinds[0] != RUNS)
        heads = ["learner", f"{own}{self.measure}", *["ruled out, p"] * bool(ruled_out)]
        title = "Ranking" if len(rows) > 1 else "Estimate"
        return self.table(title, self.about, heads, rows, label=self.subject[0], above=above)

    @cached_property
    def differences(self) -> Table | None:
        """The pairs, the most certain first; of many learners, all against the reference."""
        if not self.pairs:
            return None
        if self.reference is not None:
            return self.against(self.reference)
        comparison, pairs = self.found, self.pairs
        if comparison.alternative == "two-sided":
            if not comparison.quantity:
                pairs = [pair.mirrored() if pair.result.estimate < 0.0 else pair for pair in pairs]
            if not comparison.bayesian:
                pairs = sorted(pairs, key=lambda pair: (pair.result.degenerate, pair.adjusted))
        return self._of_pairs(pairs)

    def against(self, reference: str) -> Table:
        """Return the difference of every other learner from one, with the p-values of all pairs."""
        pairs = [
            pair.mirrored() if pair.a == reference else pair
            for pair in self.pairs
            if reference in (pair.a, pair.b)
        ]
        pairs.sort(key=lambda pair: self.names.index(pair.a))
        return self._of_pairs(pairs, clean(reference))

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
        head = textwrap.shorten(differences.heads[1], _HEAD, placeholder="…")
        heads = ["", *ranking.heads[1:3], head, *differences.heads[4:]]
        best = f"{rows[0].name} {ranking.above}." if ranking.above else ""
        foot, cut = f"{differences.foot}\n{best}", first_out(ranking.rows)
        return [replace(differences, heads=heads, rows=rows, cut=cut, foot=foot)]

    def _of_pairs(self, pairs: Any, than: str = "") -> Table:
        """Return the table of pairs, or of differences from one learner."""
        comparison, extra = self.found, self._columns(pairs)
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
        label = quantity or f"difference in {self.measure}"
        facts: Data = {"sides": sides, "label": label, "foot": self.adjustment}
        return self.table(title, self.adjustment, [*heads, *extra], rows, tested=True, **facts)

    def _columns(self, pairs: Any) -> Any:
        """Return the columns of p-values, or of posterior probabilities."""
        if self.found.bayesian:
            found = {"P(better)": [verdict.likelihood(pair) for pair in pairs]}
            if self.found.rope:
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
        comparison, count = self.found, len(self.pairs)
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

    @property
    def shares(self) -> dict[str, float]:
        """Mean shares of the squared standard errors by their sources, to the percent."""
        parts = self.found.components
        shares = np.mean([np.array([*one.values()]) / sum(one.values()) for one in parts], axis=0)
        return dict(zip(parts[0], shares.round(2).tolist(), strict=True))


def row_of(name: str, result: Result, digits: Digits, more: Names = (), **shown: Any) -> Row:
    """Return the row of a result."""
    drawn = not result.degenerate
    interval = digits.span(*result.interval) if drawn else "none"
    cells = [digits.number(result.estimate), interval, digits.number(result.se), *more]
    return Row(clean(name), result.estimate, *result.interval, cells, drawn=drawn, **shown)


# Learners ranked over several data sets, told as a comparison is.

_RANKS = Digits(2)


class RankStory(Told):
    """What a ranking says."""

    name, folds = "Ranks", "ranks"
    more = "errbar.report.save(ranks, 'report.html')"

    def __init__(self, ranks: "Ranking", command: str | None = None) -> None:
        """Say in words what the tables need."""
        loss = ranks.table.loss
        what = "score" if loss.higher_is_better else "loss"
        super().__init__(ranks, command, MIXED if loss.key == MIXED else what, loss.direction)
        self.pairs, self.names = ranks.pairs, list(ranks.mean_ranks)
        self.data_sets = counted(ranks.n_data_sets, "data set")
        self.set_subject(self.data_sets)
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
        overall: Any = ranks.friedman or ranks.skillings_mack
        self.overall, form = "Skillings and Mack's test", "which bears gaps"
        if ranks.friedman:
            self.overall, form = "Friedman's test", "F form"
        p = overall.f_pvalue if ranks.friedman else overall.chi2_pvalue
        self.p = named(pvalue(p, self.alpha))
        self.remarks = [f"Do any differ? {self.overall}, {form}: {self.p}."]
        self.frame = lambda: _check.package("pandas", "app").DataFrame(ranks.to_dict()["learners"])
        self.made = {"errbar": __version__}
        self.curves = list(self._of_means())

    @property
    def verdict(self) -> str:
        """Who is best, or better and worse than the baseline."""
        means, groups = self.found.mean_ranks, dict[str, list[str]](better=[], worse=[], open=[])
        for name in filter(self.p_of_hub.__contains__, self.names):
            kind = "better" if means[name] < means[self.hub] else "worse"
            groups[kind if self.p_of_hub[name] <= self.alpha else "open"].append(name)
        if self.found.baseline is not None:
            return better_and_worse(groups, clean(self.hub), self.significant)
        end = f"best: all others are ruled out at {percent(self.alpha)}"
        return best_so_far(self.hub, groups["open"], len(self.names) - 1, end, verb="ranks")

    @property
    def ranking(self) -> Table:
        """All learners, the best first."""
        ranks, reach = self.found, self.found.critical_difference or 0.0
        means = list(ranks.mean_scores.values())
        scores = Digits.of_errors([(max(means) - min(means)) / 10.0], means)
        rows = []
        for (name, rank), mean in zip(ranks.mean_ranks.items(), means, strict=True):
            p = self.p_of_hub.get(name)
            said = "" if p is None else pvalue(p, self.alpha)
            shown = "" if self.measure == MIXED else scores.number(mean)
            cells = [_RANKS.number(rank), shown, said]
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

    @cached_property
    def differences(self) -> Table | None:
        """The pairs of few learners, the larger mean rank minus the smaller."""
        if self.many:
            return None
        reach, rows = self.found.critical_difference, []
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
        interval = [f"{self.level} interval"] * bool(reach)
        return Table(
            "Differences of mean ranks",
            self.test,
            ["first - second", "difference", *interval, "won, tied, lost", "p"],
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
            for one in self.found.differences
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
        yield self.table(
            title,
            aside,
            ["first - second", f"difference in {self.measure}"],
            [row_of(f"{one.learner} - {one.minus}", one, digits) for one in shown],
            sides=sides[::-1] if self.found.table.loss.higher_is_better else sides,
            label=f"difference of mean {self.measure}",
            foot=f"{title} {aside}.",
        )


def _around(middle: float, reach: float) -> tuple[float, float]:
    return middle - reach, middle + reach


# The candidates of a search.

_ON_SCREEN = 8
"""So many candidates at most stand on the first screen."""

_MOST_VALUES = 30
"""A parameter with more values has no curve on a page."""


class TunedStory(Told):
    """What is said of a search."""

    folds, evidence, noun = "tuned", False, "candidate"

    def __init__(self, tuned: "Tuned", command: str | None = None) -> None:
        """Say in words what the tables need."""
        table, splits = tuned.table, tuned.table.splits
        super().__init__(tuned, command, measured(table.loss), table.loss.direction)
        self.set_about(tuned.result)
        self.names, self.frame = list(tuned.candidates), tuned.to_frame
        self.name, self.made = f"{heading(self.measure)}, tuned", table.provenance
        self.splits = plan_words(splits.kinds[0], splits.n_test, splits.repeats(0))
        self.tried = counted(len(self.names), "candidate")
        examples = f"{splits.n} examples" if splits.n else ""
        self.set_subject(table.name, examples, self.splits, self.tried)
        self.digits = Digits.of([tuned.result, *tuned.candidates.values()])
        self.power, self.curves = self._possible(), list(self._curves())

    @property
    def verdict(self) -> str:
        """The selected candidate on new data."""
        result = self.found.result
        number, interval = self.digits.number(result.estimate), self.digits.span(*result.interval)
        ends = f"{self.level} confidence interval {interval}"
        return f"{clean(self.found.winner)} has {self.measure} {number} on new data, {ends}."

    @cached_property
    def remarks(self) -> Names:
        """What the search reports, and what tuning bought."""
        tuned, sign = self.found, self.found.table.loss.sign
        found = []
        if len(self.names) > 1 and sign * tuned.reported < sign * tuned.result.estimate:
            shown = self.digits.number(tuned.reported)
            found.append(
                f"The search reports {shown}, which is too good: it is the best of {self.tried}."
            )
        if tuned.gain is not None:
            found.append(self._bought())
        return found

    def _bought(self) -> str:
        tuned, gain = self.found, self.found.gain
        than = f"the {tuned.baseline}" if tuned.extra_fits else clean(str(tuned.baseline))
        if tuned.baseline == tuned.winner:
            return f"Tuning has bought nothing: {than} was selected."
        digits = Digits.of([gain])
        number, ends = digits.number(abs(gain.estimate)), digits.span(*gain.interval)
        interval = f"{self.level} interval {ends}"
        did = "raised" if tuned.table.loss.higher_is_better else "lowered"
        if gain.low > 0.0:
            return f"Tuning has {did} it by {number} against {than}, {interval}."
        if gain.high < 0.0:
            return f"Tuning has done harm: {than} is better by {number}, {interval}."
        number = digits.number(gain.estimate)
        return f"Tuning has not significantly {did} it against {than}: {number}, {interval}."

    def _possible(self) -> str:
        """Say how many candidates may be the best."""
        possible, all_of = len(self.found.possible_best), len(self.names)
        if all_of == 1:
            return ""
        if possible == all_of:
            return f"Each of the {self.tried} may be the best."
        return f"{possible} of {self.tried} may be the best; the others are ruled out at {percent(self.alpha)}."

    def _row(self, shown: str, name: str, wide: Interval | None = None) -> Row:
        """Return the row of a candidate."""
        strong = name in self.found.possible_best
        return row_of(shown, self.found.candidates[name], self.digits, strong=strong, wide=wide)

    @cached_property
    def ranking(self) -> Table:
        """All candidates, the best first."""
        wide = {self.found.winner: self.found.interval}
        return self.table(
            "Candidates",
            f"{self.about}, each as if it had been the only one",
            ["candidate", self.measure],
            [self._row(name, name, wide.get(name)) for name in self.names],
            label=self.subject[0],
            above="as selected best",
        )

    @cached_property
    def differences(self) -> Table | None:
        """What tuning bought."""
        tuned, gain = self.found, self.found.gain
        if gain is None or tuned.baseline == tuned.winner:
            return None
        better = "higher" if tuned.table.loss.higher_is_better else "lower"
        strong = gain.low > 0.0 or gain.high < 0.0
        name, p = f"{tuned.winner} over {tuned.baseline}", pvalue(gain.pvalue, self.alpha)
        return self.table(
            "What tuning bought",
            f"by how much {self.measure} is {better}, selection accounted for",
            ["selected", "gain", "p"],
            [row_of(name, gain, Digits.of([gain]), [p], strong=strong)],
            tested=True,
            sides=("worse", "better"),
            label=f"gain in {self.measure}",
        )

    @property
    def tables(self) -> Any:
        """What the first screen shows: the best candidates."""
        return [self.ranking.top(_ON_SCREEN)]

    def _curves(self) -> Iterator[Table]:
        """Yield for each parameter the best candidate at each of its values."""
        aside = f"{self.measure} of the best candidate at each value"
        for parameter, values in self.found.curves().items():
            if len(values) <= _MOST_VALUES:
                title = parameter.rpartition("__")[2]
                rows = [self._row(value, name) for value, name in values.items()]
                yield self.table(title, aside, [title, self.measure], rows)


# Many models on the same items.


class BoardStory(Told):
    """What is said of a board."""

    name, folds, noun, evidence = "Board", "board", "model", False
    more = ".save('report.html')"

    def __init__(self, board: "Board", command: str | None = None) -> None:
        """Say in words what the tables need."""
        direction = f"{'higher' if board.higher_is_better else 'lower'} is better"
        super().__init__(board, command, measure(board.measure), direction)
        self.names, scores, errors, *_ = zip(*board.places, strict=True)
        self.digits = Digits.of_errors(errors, scores)
        self.models = counted(len(self.names), "model")
        self.about = f"mean {self.measure}" if board.measure == "score" else self.measure
        tasks = ""
        if len(board.tasks) > 1:
            tasks = f"{counted(len(board.tasks), 'task')}, {board.mean}"
            self.about += " over tasks" if board.mean == "equal" else " over all items"
        self.set_subject(board.name, counted(board.task.size, "item"), tasks, self.models)
        self.made = {"Seed of the draws": board.seed, "errbar": __version__}
        self.frame = lambda: _check.package("pandas", "app").DataFrame(board.places)

    @property
    def verdict(self) -> str:
        """Who may rank first."""
        leaders = self.found.leaders
        if len(leaders) == 1:
            return f"{clean(leaders[0])} ranks first: all others are significantly worse at {percent(self.alpha)}."
        count = "All" if len(leaders) == len(self.names) else f"{len(leaders)} of"
        return f"{count} {self.models} may rank first: no model is significantly better than any of these at {percent(self.alpha)}."

    @cached_property
    def ranking(self) -> Table:
        """All models, the best first."""
        digits, level = self.digits, self.level
        rows = []
        for one in self.found.places:
            ends = digits.span(one.low, one.high) if one.se else "none"
            ranks = f"{one.first} to {one.last}" if one.last > one.first else f"{one.first}"
            cells = [digits.number(one.score), ends, ranks]
            rank, first, last = map(float, (one.rank, one.first, one.last))
            rows.append(Row(clean(one.model), rank, first, last, cells, strong=first == 1.0))
        like = WORDS["board"][self.found.clusters]
        return Table(
            "Ranking",
            f"by {self.about}, with {level} simultaneous intervals of all ranks",
            ["model", self.measure, f"{level} interval", "ranks"],
            rows,
            label=f"rank, with the {level} intervals of all ranks",
            mark=f"{level} interval of the rank",
            above=f"ranks 1 to {len(rows)}",
            foot=f"With {level} confidence all ranks lie within their intervals at once. They speak of {like}.",
            ranks=True,
        )

    @property
    def picture(self) -> Table:
        """What is drawn: ranks alone, with their intervals."""
        rows = [
            replace(row, cells=[f"{row.estimate:g}", row.cells[2]]) for row in self.ranking.rows
        ]
        return replace(self.ranking, rows=rows, heads=["model", "rank", self.ranking.heads[2]])

    @property
    def tables(self) -> Any:
        """What the first screen shows: the models at the top."""
        return [self.ranking.top(self.top)]

    @cached_property
    def board_facts(self) -> Data:
        """What the script of a page computes with."""
        decimals = self.digits.decimals
        return self.found.to_dict() | {"decimals": decimals, "shown": list(map(clean, self.names))}
