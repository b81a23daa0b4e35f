"""Learners ranked over several data sets, told as a comparison is."""

from errbar import _check
from errbar._version import __version__
from errbar.datasets import Ranking
from errbar.methods import lookup
from errbar.report.folds import Fold, cited
from errbar.report.numbers import Digits, named, percent, pvalue
from errbar.report.story import Row, Table, Told
from errbar.report.verdict import best_so_far, better_and_worse
from errbar.report.words import WORDS, clean, counted, sentence

_RANKS = Digits(2)


class RankStory(Told):
    """What a ranking says."""

    name = "Ranks"
    more = "errbar.report.save(ranks, 'report.html')"

    def __init__(self, ranks: Ranking, command: str | None = None) -> None:
        """Say in words what the tables need."""
        loss, friedman = ranks.table.loss, ranks.friedman
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
        p = named(pvalue(friedman.f_pvalue, self.alpha))
        self.remarks = [f"Do any differ? Friedman's test, F form: {p}."]
        self.warnings = [sentence(note.text) for note in ranks.notes]
        self.frame = lambda: _check.package("pandas", "app").DataFrame(ranks.to_dict()["learners"])
        df = "{} and {}".format(*friedman.f_df)
        method = [
            ("All learners", f"Friedman's F {friedman.f:.4g}, {df} degrees of freedom, {p}"),
            ("Pairs", f"{self.test}, two-sided, at {percent(self.alpha)}"),
            ("Claim", "Which learners rank better on other data sets like these."),
        ]
        again = [("Command", clean(command))] if command else []
        cite = (
            f"Mean ranks of {counted(len(self.names), 'learner')} over {self.data_sets} were "
            f"compared by Friedman's test and {self.test} (errbar {__version__})."
        )
        self.folds = [
            Fold("Method", f"friedman, {ranks.post_hoc}", method),
            Fold("Reproduce", command or "version", [*again, ("errbar", __version__)]),
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
        level = [f"{percent(self.ranks.level)} interval"] * bool(reach)
        return Table(
            "Differences of mean ranks",
            self.test,
            ["first - second", "difference", *level, "won, tied, lost", "p"],
            rows,
            tested=True,
            sides=("first better", "first worse"),
            label="difference of mean ranks",
            mark=self.significant,
        )


def _around(middle: float, reach: float) -> tuple[float, float]:
    return middle - reach, middle + reach
