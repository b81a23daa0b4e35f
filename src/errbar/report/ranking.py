"""Learners ranked over several data sets, told as a comparison is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errbar import _check
from errbar._version import __version__
from errbar.datasets import Ranking, RankPair
from errbar.methods import lookup
from errbar.report.folds import Fold, cited
from errbar.report.numbers import Digits, named, percent, pvalue
from errbar.report.story import Row, Table, Told
from errbar.report.verdict import best_so_far, better_and_worse
from errbar.report.words import clean, counted, sentence

_RANKS = Digits(2)
_TESTS = {
    "nemenyi": "Nemenyi's test of all pairs",
    "holm": "normal test of mean ranks",
    "wilcoxon": "signed-rank test",
}


@dataclass(frozen=True, eq=False)
class RankStory(Told):
    """What a ranking says."""

    ranks: Ranking
    command: str | None = None
    name = "Ranks"
    power = ""
    records = 0
    turns = False
    more = "errbar.report.save(ranks, 'report.html')"

    @property
    def names(self) -> list[str]:
        """Names of the learners, the best first."""
        return list(self.ranks.mean_ranks)

    @property
    def pairs(self) -> tuple[RankPair, ...]:
        """The pairs that were tested."""
        return self.ranks.pairs

    @property
    def hub(self) -> str:
        """The learner that others are shown against: the baseline, or the best."""
        return self.ranks.baseline or self.names[0]

    @cached_property
    def to_hub(self) -> dict[str, RankPair]:
        """The pair of each other learner and that one."""
        about = [pair for pair in self.pairs if self.hub in (pair.a, pair.b)]
        return {pair.b if pair.a == self.hub else pair.a: pair for pair in about}

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1.0 - self.ranks.level

    @property
    def significant(self) -> str:
        """What a filled mark means."""
        return f"significant at {percent(self.alpha)}"

    @property
    def subject(self) -> tuple[str, ...]:
        """What was ranked, on how many data sets."""
        higher = self.ranks.table.loss.higher_is_better
        measure = "score, higher is better" if higher else "loss, lower is better"
        return measure, counted(self.ranks.n_data_sets, "data set")

    @property
    def test(self) -> str:
        """The test of the pairs, in words."""
        ranks, test = self.ranks, _TESTS[self.ranks.post_hoc]
        if ranks.critical_difference is not None:
            return test
        how = "not adjusted" if ranks.adjust == "none" else f"adjusted by {ranks.adjust}"
        return f"{test}, {how} for {counted(len(ranks.pairs), 'comparison')}"

    @cached_property
    def verdict(self) -> str:
        """Who is best, or better and worse than the baseline."""
        means, groups = self.ranks.mean_ranks, dict[str, list[str]](better=[], worse=[], open=[])
        for name in self.names:
            if name in self.to_hub:
                kind = "better" if means[name] < means[self.hub] else "worse"
                decided = self.to_hub[name].adjusted <= self.alpha
                groups[kind if decided else "open"].append(name)
        if self.ranks.baseline is not None:
            return better_and_worse(groups, clean(self.hub), self.significant)
        end = f"best: all others are ruled out at {percent(self.alpha)}"
        return best_so_far(self.hub, groups["open"], len(self.names) - 1, end, verb="ranks")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Whether any learners differ."""
        p = named(pvalue(self.ranks.friedman.f_pvalue, self.alpha))
        return (f"Do any differ? Friedman's test, F form: {p}.",)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Notes, which all change the reading of ranks."""
        return tuple(sentence(note.text) for note in self.ranks.notes)

    @cached_property
    def ranking(self) -> Table:
        """All learners, the best first."""
        ranks, reach = self.ranks, self.ranks.critical_difference or 0.0
        means = list(ranks.mean_scores.values())
        scores = Digits.of_errors([(max(means) - min(means)) / 10.0], means)
        rows = []
        for (name, rank), mean in zip(ranks.mean_ranks.items(), means, strict=True):
            p = self.to_hub[name].adjusted if name in self.to_hub else 1.0
            said = pvalue(p, self.alpha) if name in self.to_hub else ""
            ends = rank - reach / 2.0, rank + reach / 2.0
            cells = (_RANKS.number(rank), scores.number(mean), said)
            strong = p > self.alpha or ranks.baseline is not None
            rows.append(Row(clean(name), rank, *ends, cells, strong=strong))
        foot, mark = [f"p: {self.test}, against {clean(self.hub)}."], "mean rank"
        if reach:
            mark = "mean rank, half a critical difference on each side"
            apart = f"Mean ranks more than {_RANKS.number(reach)} apart"
            foot.append(f"{apart} differ significantly at {percent(self.alpha)}.")
        if ranks.cliques and not self.many:
            groups = " · ".join(", ".join(map(clean, clique)) for clique in ranks.cliques)
            foot.append(f"Not significantly different: {groups}.")
        what = f"mean rank over {self.subject[1]}, 1 is best"
        return Table(
            "Ranking",
            what,
            ("learner", "mean rank", f"mean {self.measure}", "p"),
            tuple(rows),
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
        reach, rows = self.ranks.critical_difference, []
        for pair in sorted(self.pairs, key=lambda pair: pair.adjusted):
            a, b, gap, won = pair.a, pair.b, pair.rank_difference, (pair.wins, pair.losses)
            if gap < 0.0:
                a, b, gap, won = b, a, 0.0 - gap, won[::-1]
            ends = gap - (reach or 0.0), gap + (reach or 0.0)
            interval = [_RANKS.span(*ends)] if reach else []
            outcomes = f"{won[0]}, {pair.ties}, {won[1]}"
            cells = (_RANKS.number(gap), *interval, outcomes, pvalue(pair.adjusted, self.alpha))
            strong = pair.adjusted <= self.alpha
            rows.append(Row(f"{clean(a)} - {clean(b)}", gap, *ends, cells, strong=strong))
        level = [f"{percent(self.ranks.level)} interval"] if reach else []
        return Table(
            "Differences of mean ranks",
            self.test,
            ("first - second", "difference", *level, "won, tied, lost", "p"),
            tuple(rows),
            tested=True,
            sides=("first better", "first worse"),
            label="difference of mean ranks",
            mark=self.significant,
        )

    @property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        ranks, friedman = self.ranks, self.ranks.friedman
        p = named(pvalue(friedman.f_pvalue, self.alpha))
        df = "{} and {}".format(*friedman.f_df)
        method = [
            ("All learners", f"Friedman's F {friedman.f:.4g}, {df} degrees of freedom, {p}"),
            ("Pairs", f"{self.test}, two-sided, at {percent(self.alpha)}"),
            ("Claim", "Which learners rank better on other data sets like these."),
        ]
        again = [("Command", clean(self.command))] if self.command else []
        cite = (
            f"Mean ranks of {counted(len(self.names), 'learner')} over {self.subject[1]} were "
            f"compared by Friedman's test and {self.test} (errbar {__version__})."
        )
        return [
            Fold("Method", f"friedman, {ranks.post_hoc}", method),
            Fold("Reproduce", self.command or "version", [*again, ("errbar", __version__)]),
            cited(cite, [lookup("friedman")], "demsar2006"),
        ]

    def frame(self) -> Any:
        """Return a pandas frame with a row per learner."""
        return _check.package("pandas", "app").DataFrame(self.ranks.to_dict()["learners"])
