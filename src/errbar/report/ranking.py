"""Learners ranked over several data sets, told as a comparison is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errbar import _check
from errbar._version import __version__
from errbar.datasets import Ranking, RankPair
from errbar.methods import lookup
from errbar.report.folds import Fold, cited
from errbar.report.numbers import Digits, named, percent, pvalue
from errbar.report.story import Row, Table, Told, triangle
from errbar.report.verdict import best_so_far, better_and_worse
from errbar.report.words import clean, counted

_RANKS = Digits(2)
_TESTS = {
    "nemenyi": "Nemenyi's test of all pairs",
    "holm": "normal test of mean ranks",
    "wilcoxon": "signed-rank test",
}


@dataclass(frozen=True, eq=False)
class RankStory(Told):
    """What a ranking says; `hub` is the learner that others are shown against, the baseline or the best."""

    ranks: Ranking
    command: str | None = None
    name = "Ranks"
    more = "errbar.report.save(ranks, 'report.html')"

    @property
    def names(self) -> list[str]:
        """Names of the learners, the best first."""
        return list(self.ranks.mean_ranks)

    @property
    def hub(self) -> str:
        """The learner that others are shown against: the baseline, or the best."""
        return self.ranks.baseline or self.names[0]

    @property
    def turns(self) -> bool:
        """Whether differences may be shown from another learner."""
        return self.ranks.baseline is None

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1.0 - self.ranks.level

    @property
    def subject(self) -> tuple[str, ...]:
        """What was ranked, on how many data sets."""
        data = self.ranks.data
        score = "score" if data.higher_is_better else "loss"
        return f"{score}, {data.direction}", counted(len(data.names), "data set")

    @property
    def test(self) -> str:
        """The test of the pairs, in words."""
        ranks = self.ranks
        if ranks.critical_difference is not None:
            return _TESTS[ranks.post_hoc]
        how = "not adjusted" if ranks.adjust == "none" else f"adjusted by {ranks.adjust}"
        pairs = counted(len(ranks.pairs), "comparison")
        return f"{_TESTS[ranks.post_hoc]}, {how} for {pairs}"

    @cached_property
    def verdict(self) -> str:
        """Who is best, or better and worse than the baseline."""
        groups: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
        for pair in self._pairs_with(self.hub):
            kind = "better" if pair.rank_difference < 0.0 else "worse"
            groups[kind if self._significant(pair) else "open"].append(pair.a)
        level = percent(self.alpha)
        if self.ranks.baseline is not None:
            return better_and_worse(groups, clean(self.hub), f"significant at {level}")
        end = f"best: all others are ruled out at {level}"
        return best_so_far(self.hub, groups["open"], len(self.names) - 1, end, verb="ranks")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Whether any learners differ."""
        p = named(pvalue(self.ranks.friedman.f_pvalue, self.alpha))
        return (f"Do any differ? Friedman's test, F form: {p}.",)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Notes, which all change the reading of ranks."""
        return tuple(f"{note.text[:1].upper()}{clean(note.text[1:])}." for note in self.ranks.notes)

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first."""
        ranks, level = self.ranks, percent(self.alpha)
        reach = ranks.critical_difference or 0.0
        means = list(ranks.mean_scores.values())
        scores = Digits.of_errors([(max(means) - min(means)) / 10.0], means)
        to_hub = {pair.a: pair for pair in self._pairs_with(self.hub)}
        rows = []
        for name, rank in ranks.mean_ranks.items():
            pair = to_hub.get(name)
            p = "" if pair is None else pvalue(pair.adjusted, self.alpha)
            cells = (_RANKS.number(rank), scores.number(ranks.mean_scores[name]), p)
            beaten = ranks.baseline is None and pair is not None and self._significant(pair)
            ends = rank - reach / 2.0, rank + reach / 2.0
            rows.append(Row(clean(name), rank, *ends, cells, strong=not beaten))
        foot = [f"p: {self.test}, against {clean(self.hub)}."]
        if reach:
            apart = f"Mean ranks more than {_RANKS.number(reach)} apart"
            foot.append(f"{apart} differ significantly at {level}.")
        if ranks.cliques and not self.many:
            groups = " · ".join(", ".join(map(clean, clique)) for clique in ranks.cliques)
            foot.append(f"Not significantly different: {groups}.")
        return Table(
            "Ranking",
            f"mean rank over {self.subject[1]}, 1 is best",
            ("learner", "mean rank", f"mean {self.measure}", "p"),
            tuple(rows),
            mark="mean rank, half a critical difference on each side" if reach else "mean rank",
            above="lines apart: significant" if reach else "",
            foot=" ".join(foot),
            key=" ".join(foot),
        )

    @cached_property
    def differences(self) -> Table:
        """The pairs, the larger mean rank minus the smaller; of many learners, all against one."""
        if self.many or self.ranks.baseline is not None:
            return self.against(self.hub)
        pairs = [_turned(pair, turn=pair.rank_difference < 0.0) for pair in self.ranks.pairs]
        pairs.sort(key=lambda pair: pair.adjusted)
        labels = [f"{clean(pair.a)} - {clean(pair.b)}" for pair in pairs]
        sides = "first better", "first worse"
        heads = "first - second", "difference"
        return self._table("Differences of mean ranks", heads, sides, pairs, labels)

    def against(self, reference: str) -> Table:
        """Return the difference of the mean rank of every other learner from one."""
        pairs, name = self._pairs_with(reference), clean(reference)
        labels = [clean(pair.a) for pair in pairs]
        heads, sides = ("learner", f"- {name}"), (f"better than {name}", "worse")
        return self._table(f"Differences from {name}", heads, sides, pairs, labels)

    def _table(
        self,
        title: str,
        heads: tuple[str, str],
        sides: tuple[str, str],
        pairs: Sequence[RankPair],
        labels: Sequence[str],
    ) -> Table:
        reach, rows = self.ranks.critical_difference, []
        for pair, label in zip(pairs, labels, strict=True):
            gap = pair.rank_difference
            ends = gap - (reach or 0.0), gap + (reach or 0.0)
            interval = [_RANKS.span(*ends)] if reach else []
            won = f"{pair.wins}, {pair.ties}, {pair.losses}"
            cells = (_RANKS.number(gap), *interval, won, pvalue(pair.adjusted, self.alpha))
            rows.append(Row(label, gap, *ends, cells, strong=self._significant(pair)))
        level = [f"{percent(self.ranks.level)} interval"] if reach else []
        return Table(
            title,
            self.test,
            (*heads, *level, "won, tied, lost", "p"),
            tuple(rows),
            tested=True,
            sides=sides,
            mark=f"significant at {percent(self.alpha)}",
        )

    @property
    def tables(self) -> Sequence[Table]:
        """What the screen shows: the pairs of few learners alone."""
        return [self.ranking] if self.many else [self.ranking, self.differences]

    @property
    def triangle(self) -> list[dict[str, Any]]:
        """The p-values of all pairs by rank."""
        if self.ranks.baseline is not None:
            return []
        found = {
            frozenset((pair.a, pair.b)): (pair.adjusted, self._significant(pair))
            for pair in self.ranks.pairs
        }
        return triangle(self.names, found, self.alpha)

    @property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        data, friedman = self.ranks.data, self.ranks.friedman
        p = named(pvalue(friedman.f_pvalue, self.alpha))
        df = "{} and {}".format(*friedman.f_df)
        how = f"post_hoc={self.ranks.post_hoc!r}, baseline={self.ranks.baseline!r}"
        method = [
            ("All learners", f"Friedman's F {friedman.f:.4g}, {df} degrees of freedom, {p}"),
            ("Pairs", f"{self.test}, two-sided, at {percent(self.alpha)}"),
            ("Mean ranks", "1 for the best on a data set; equal scores share their mean rank"),
            ("Claim", "Which learners rank better on other data sets like these."),
        ]
        names = [("Learners", ", ".join(map(clean, data.learners)))]
        names += [("Data sets", ", ".join(map(clean, data.names)))]
        call = (
            ("Command", clean(self.command))
            if self.command
            else ("Call", f"errbar.datasets.ranks(data, {how})")
        )
        sentence = (
            f"Mean ranks of {counted(len(data.learners), 'learner')} over {self.subject[1]} were "
            f"compared by Friedman's test and {self.test} (errbar {__version__})."
        )
        return [
            Fold("Method", f"friedman, {self.ranks.post_hoc}", method),
            Fold("Data sets", self.subject[1], names),
            Fold("Reproduce", call[1], [call, ("errbar", __version__)]),
            cited(sentence, [lookup("friedman")], "demsar2006"),
        ]

    def frame(self) -> Any:
        """Return a pandas frame with a row per learner and one per pair."""
        data = self.ranks.to_dict()
        rows = [{"a": one.pop("name"), **one} for one in data["learners"]] + data["pairs"]
        return _check.package("pandas", "app").DataFrame(rows)

    def _significant(self, pair: RankPair) -> bool:
        return pair.adjusted <= self.alpha

    def _pairs_with(self, reference: str) -> list[RankPair]:
        """Return each other learner minus one, by rank."""
        pairs = [
            _turned(pair, turn=pair.a == reference)
            for pair in self.ranks.pairs
            if reference in (pair.a, pair.b)
        ]
        return sorted(pairs, key=lambda pair: self.names.index(pair.a))


def _turned(pair: RankPair, *, turn: bool) -> RankPair:
    if not turn:
        return pair
    gap, statistic = 0.0 - pair.rank_difference, 0.0 - pair.statistic
    return RankPair(pair.b, pair.a, gap, statistic, pair.pvalue, pair.adjusted, *pair[:5:-1])
