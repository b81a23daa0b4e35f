"""What a comparison says: the verdict, rows of numbers, and what is folded away. Every form is written from this."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from errbar.comparison import Comparison, Decision, Pair
from errbar.needs import WINNER
from errbar.report import numbers
from errbar.report.numbers import Digits, percent
from errbar.report.verdict import power_of, remarks_of, verdict_of
from errbar.report.words import clean, heading, measure, splits_of
from errbar.result import Estimand, Interval, Note, Result
from errbar.simultaneous import JOINT

FEW = 5
"""Of so many learners all pairs are shown; of more, the difference of each from the best so far."""

_WIDEST = 5.0
"""An axis is at most so many typical intervals wide where only learners that are ruled out would need more."""


@dataclass(frozen=True)
class Row:
    """An estimate with its interval, or a difference.

    Attributes
    ----------
    learners : one learner, or two
    estimate, low, high, se : in units of the loss; an end may be infinite
    cells : further columns, such as the p-value
    strong : whether the learner is not ruled out as best, or the difference significant
    wide : of the learner with the best estimate: the interval that accounts for its selection
    drawn : whether there is an interval
    link : what stands between the names of two learners
    """

    learners: tuple[str, ...]
    estimate: float
    low: float
    high: float
    se: float
    cells: tuple[str, ...] = ()
    strong: bool = True
    wide: Interval | None = None
    drawn: bool = True
    link: str = ""

    @property
    def name(self) -> str:
        """Name of the row."""
        return self.link.join(map(clean, self.learners))

    @classmethod
    def of(
        cls,
        learners: tuple[str, ...],
        result: Result,
        *,
        cells: tuple[str, ...],
        strong: bool,
        wide: Interval | None = None,
        link: str = "",
    ) -> "Row":
        """Return the row of a result."""
        drawn = not result.degenerate
        ends = result.interval
        return cls(learners, result.estimate, *ends, result.se, cells, strong, wide, drawn, link)


@dataclass(frozen=True)
class Table:
    """Rows with one scale.

    Attributes
    ----------
    title, aside : heading, and what must be known of all numbers
    heads : of the names, the estimates, the intervals and the further columns
    rows : in the order in which they are read
    digits : their rounding
    sides : what lies on the left and on the right of 0; empty where 0 says nothing
    key : sentences below it
    """

    title: str
    aside: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    digits: Digits
    sides: tuple[str, str] | None = None
    key: tuple[str, ...] = ()

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Ends of the axis: of all rows that are strong, and of others while a typical interval keeps a fifth of the width."""
        spans = [
            (self._span(row), row.strong or bool(self.sides)) for row in self.rows if row.drawn
        ]
        zero = [0.0] if self.sides else []
        if not spans:
            return 0.0, 1.0
        must = [span for span, strong in spans if strong] or [span for span, _ in spans]
        if self.sides:
            near = [
                span for span, _ in spans if max(0.0, *span) - min(0.0, *span) <= self._farthest
            ]
            must = near or must
        low = min([*zero, *(span[0] for span in must)])
        high = max([*zero, *(span[1] for span in must)])
        typical = sorted(end - start for (start, end), _ in spans)[len(spans) // 2]
        for (start, end), _ in sorted(
            spans, key=lambda one: max(low - one[0][0], one[0][1] - high)
        ):
            wider = max(high, end) - min(low, start)
            if wider > max(_WIDEST * typical, high - low):
                break
            low, high = min(low, start), max(high, end)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def first(self, count: int) -> "Table":
        """Return the table with its first rows alone."""
        return replace(self, rows=self.rows[:count])

    def _span(self, row: Row) -> tuple[float, float]:
        ends = [row.low, row.high, *(row.wide or ())]
        finite = [row.estimate, *(end for end in ends if math.isfinite(end))]
        # What has no bound on one side goes on for as far as the other end is away.
        reach = max(abs(end - row.estimate) for end in finite)
        low = min(finite) - (reach if math.isinf(row.low) else 0.0)
        return low, max(finite) + (reach if math.isinf(row.high) else 0.0)

    @cached_property
    def _farthest(self) -> float:
        """How far from 0 a difference may be before it squeezes the others."""
        widths = sorted(high - low for low, high in map(self._span, self.rows))
        return _WIDEST * widths[len(widths) // 2]


@dataclass(frozen=True)
class Fold:
    """What is folded away, with its gist."""

    title: str
    gist: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Story:
    """What a comparison says, with words and rounding."""

    comparison: Comparison
    command: str | None = None
    _views: dict[str, Table] = field(default_factory=dict)

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
        parts += [f"{examples} examples"] if examples else []
        sizes = [float(column[0]) for column in (splits.n_train, splits.n_test)]
        known = not examples and all(map(math.isfinite, sizes))
        sized = f", {numbers.plain(sizes[0])} + {numbers.plain(sizes[1])} examples" if known else ""
        return (*parts, splits_of(self.comparison) + sized)

    @cached_property
    def verdict(self) -> str:
        """The bottom line."""
        found = verdict_of(self)
        # That higher is better was told by a word at least.
        told = {"better": "lower", "say": "higher_is_better"}
        notes = self.comparison.notes if self.comparison.pairs else ()
        unsaid = any(told.items() <= note.numbers.items() for note in notes)
        return f"If lower is better, which nobody has said: {found}" if unsaid else found

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What an uncorrected test would have said, and how many pairs differ."""
        return tuple(remarks_of(self))

    @cached_property
    def notes(self) -> tuple[tuple[Note, ...], ...]:
        """All notes; those that differ by numbers alone stand together."""
        alike: dict[tuple[object, ...], list[Note]] = {}
        for note in self.comparison.notes:
            names = [one for one in note.items if not isinstance(one[1], int | float)]
            alike.setdefault((note.code, *map(str, names)), []).append(note)
        return tuple(map(tuple, alike.values()))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Notes that change how a number is to be read, each once; those that differ by numbers alone are said by the first."""
        # The best row shows its interval with the selection accounted for.
        said = [
            clean(note.text)
            for note, *_ in self.notes
            if note.severity == "reading" and note != WINNER
        ]
        return tuple(f"{text[:1].upper()}{text[1:].removesuffix('.')}." for text in said)

    @property
    def power(self) -> str:
        """What such a study finds; empty where it found everything, or the method does not tell."""
        return power_of(self)

    @property
    def significant(self) -> str:
        """What a filled mark means."""
        if self.comparison.bayesian:
            return f"better with probability {percent(self.comparison.level)} or more"
        return f"significant at {percent(self.comparison.alpha)}"

    @cached_property
    def digits(self) -> Digits:
        """Decimals of the page."""
        pairs = [] if self.comparison.quantity else [pair.result for pair in self.comparison.pairs]
        return Digits.of([*self.comparison.learners.values(), *pairs])

    @cached_property
    def of_pairs(self) -> Digits:
        """Decimals of the differences."""
        if not self.comparison.quantity:
            return self.digits
        return Digits.of(pair.result for pair in self.comparison.pairs)

    @property
    def alone(self) -> bool:
        """Whether learners are shown without differences."""
        return not self.comparison.pairs

    @cached_property
    def reference(self) -> str | None:
        """The learner that all others are shown against: the baseline, or of many the best so far."""
        comparison = self.comparison
        if comparison.baseline is not None:
            return comparison.baseline
        return comparison.standing.ranking[0] if len(comparison.learners) > FEW else None

    @cached_property
    def estimated(self) -> str:
        """What the numbers are about."""
        common = self.comparison.reference
        size = common.n_train
        at = "" if math.isnan(size) else f", at training size {numbers.size(size)}"
        return f"{common.estimand.words}{at}"

    @property
    def about(self) -> str:
        """The same, in few words."""
        common = self.comparison.reference
        what = {
            Estimand.EXPECTED_RISK: f"expected {self.measure}",
            Estimand.PROXY: f"mean {self.measure} of the fold models",
            Estimand.RISK: f"{self.measure} of the model fitted on all examples",
        }.get(common.estimand)
        size = common.n_train
        at = "" if math.isnan(size) else f" at training size {numbers.size(size)}"
        return f"{what}{at}" if what else self.estimated

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first; two in their own order."""
        comparison = self.comparison
        possible = comparison.possible_best
        names = comparison.listed_learners
        best = comparison.best
        why = {} if best is None else best.ruled_out
        out = bool(why) and not comparison.bayesian
        rows = [
            Row.of(
                (name,),
                comparison.learners[name],
                strong=not possible or name in possible,
                wide=best.risk if best is not None and name == best.winner else None,
                cells=(
                    self.digits.number(comparison.learners[name].se),
                    *((self._p(why[name].adjusted) if name in why else "",) if out else ()),
                ),
            )
            for name in names
        ]
        level = percent(comparison.level)
        key = []
        if best is not None and not comparison.learners[best.winner].degenerate:
            key.append(
                f"{clean(best.winner)} was selected as the best: {self.digits.span(*best.risk)}."
            )
        if comparison.pairs:
            key.append("Overlap does not mean that learners do not differ: the differences decide.")
        heads = ("learner", self.measure, f"{level} interval", "standard error")
        return Table(
            "Ranking" if len(names) > 2 and comparison.standing.ranking == names else "Estimates",
            self.about,
            (*heads, *(("ruled out, p",) if out else ())),
            tuple(rows),
            self.digits,
            key=tuple(key),
        )

    @cached_property
    def differences(self) -> Table | None:
        """The pairs; of many learners, all against the reference."""
        if self.alone:
            return None
        if self.reference is None:
            return self._pairs()
        return self.against(self.reference)

    def against(self, reference: str) -> Table:
        """Return the difference of every other learner from one, with the p-values of all pairs."""
        if reference not in self._views:
            self._views[reference] = self._against(reference)
        return self._views[reference]

    def _against(self, reference: str) -> Table:
        about = [
            found
            for found in self.comparison.decisions
            if reference in (found.pair.a, found.pair.b)
        ]
        turned = [self._turned(found, turn=found.pair.a == reference) for found in about]
        place = {name: i for i, name in enumerate(self.comparison.standing.ranking)}
        turned.sort(key=lambda found: place[found.pair.a])
        sides = None
        if not self.comparison.quantity:
            worse = f"worse than {clean(reference)}"
            sides = (f"better than {clean(reference)}", "worse")
            if self.comparison.higher_is_better:
                sides = (worse, "better")
        head = f"- {clean(reference)}"
        return self._table(f"Differences from {clean(reference)}", "learner", head, turned, sides)

    def _pairs(self) -> Table:
        """Return all pairs, the larger estimate minus the smaller one, the most certain first."""
        comparison = self.comparison
        found = [
            self._turned(
                one,
                turn=comparison.alternative == "two-sided"
                and not comparison.quantity
                and one.pair.result.estimate < 0.0,
            )
            for one in comparison.decisions
        ]
        if comparison.alternative == "two-sided" and not comparison.bayesian:
            found.sort(key=lambda one: (one.degenerate, one.pair.adjusted))
        sides = None
        if not comparison.quantity:
            sides = ("first better", "first worse")
            sides = sides[::-1] if comparison.higher_is_better else sides
        name = "pair" if comparison.quantity else "first - second"
        return self._table(
            "Pairs" if comparison.quantity else "Differences", name, "", found, sides
        )

    def _turned(self, found: Decision, *, turn: bool) -> Decision:
        if not turn or self.comparison.quantity:
            return found
        return replace(found, pair=found.pair.mirrored())

    def _table(
        self,
        title: str,
        name: str,
        head: str,
        found: Sequence[Decision],
        sides: tuple[str, str] | None,
    ) -> Table:
        comparison = self.comparison
        link = " over " if comparison.quantity else " - "
        extra = self._columns(found)
        rows = [
            Row.of(
                (one.pair.a,) if head else (one.pair.a, one.pair.b),
                self._shown(one),
                strong=one.significant,
                cells=(self.of_pairs.number(one.pair.result.se), *cells),
                link=link,
            )
            for one, *cells in zip(found, *extra.values(), strict=True)
        ]
        level = percent(comparison.level)
        heads = (
            name,
            head or comparison.quantity or "difference",
            f"{level} interval",
            "standard error",
            *extra,
        )
        return Table(
            title,
            self.adjustment,
            heads,
            tuple(rows),
            self.of_pairs,
            sides,
            (f"Hollow: not {self.significant}.",),
        )

    def _shown(self, found: Decision) -> Result:
        """Return the result of a pair, with the simultaneous interval where the p-values are of max-t, too."""
        pair, comparison = found.pair, self.comparison
        if not self.simultaneous or found.degenerate:
            return pair.result
        if (pair.a, pair.b) in self._own:
            return comparison.shown(self._own[pair.a, pair.b])
        return comparison.shown(self._own[pair.b, pair.a]).mirrored()

    @cached_property
    def _own(self) -> dict[tuple[str, str], Pair]:
        """The pairs as they stand in the comparison."""
        return {(one.a, one.b): one for one in self.comparison.pairs}

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
        how = heading(comparison.adjust)
        return f"p adjusted for {count} comparisons ({how}); intervals are for one pair alone."

    def _p(self, value: float) -> str:
        return numbers.pvalue(value, self.comparison.alpha)

    def _columns(self, found: Sequence[Decision]) -> dict[str, list[str]]:
        """Return the columns of p-values, or of posterior probabilities."""
        comparison = self.comparison
        if comparison.bayesian:
            better = [numbers.probability(better_of(one)) for one in found]
            columns = {"P(better)": better}
            if self.rope:
                equal = [one.pair.result.posterior.get("rope", 0.0) for one in found]
                columns["P(equal)"] = [numbers.probability(value) for value in equal]
            return columns
        columns = {"p": ["" if one.degenerate else self._p(one.pair.adjusted) for one in found]}
        tests = [one.pair.equivalence for one in found]
        if any(tests):
            columns["TOST p"] = [
                self._p(test.adjusted) if test and test.adjusted is not None else ""
                for test in tests
            ]
        return columns

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence; 0 where none was given."""
        return float(self.comparison.rope or self.comparison.options.get("rope") or 0.0)

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """What few readers need."""
        from errbar.report.folds import folds_of

        return tuple(folds_of(self))

    @property
    def sentences(self) -> Iterable[str]:
        """Yield what was found, in words."""
        yield self.verdict
        yield from self.remarks
        if self.power:
            yield self.power


def better_of(found: Decision) -> float:
    """Return the posterior probability that the learner that looks better is better."""
    posterior = found.pair.result.posterior
    return max(posterior.get("left", 0.0), posterior.get("right", 0.0))
