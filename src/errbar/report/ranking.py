"""Learners ranked over several data sets, in the form of the first screen."""

import math

from errbar.datasets import Ranking, RankPair
from errbar.report.numbers import Digits, named, percent, plain, pvalue
from errbar.report.screen import aligned, columns_of, joined, with_pictures, wrapped
from errbar.report.story import FEW, Row, Table
from errbar.report.verdict import few_names
from errbar.report.words import clean, counted

_RANKS = Digits(2)


def text(ranking: Ranking, *, width: int | None = None) -> str:
    """Return the ranking as text: the verdict, a line for each learner, and of few learners for each pair."""
    columns = columns_of(width)
    data, level = ranking.data, percent(1.0 - ranking.level)
    friedman = named(pvalue(ranking.friedman.f_pvalue, 1.0 - ranking.level))
    asked = f"(Do any differ? Friedman's test, F form: {friedman}.)"
    foot = [f"p: {_test(ranking)}, against {clean(_hub(ranking))}."]
    if ranking.critical_difference is not None:
        reach = _RANKS.number(ranking.critical_difference)
        foot.append(f"Mean ranks more than {reach} apart differ significantly at {level}.")
    if ranking.cliques and len(ranking.mean_ranks) <= FEW:
        groups = " · ".join(", ".join(map(clean, clique)) for clique in ranking.cliques)
        foot.append(f"Not significantly different: {groups}.")
    blocks = [
        [f"{data.direction} · {counted(len(data.names), 'data set')}"],
        [*wrapped(_verdict(ranking), columns), *wrapped(asked, columns)],
        [*_learners(ranking, columns), *wrapped(" ".join(foot), columns)],
    ]
    if len(ranking.mean_ranks) <= FEW:
        blocks.append(_pairs(ranking))
    said = [f"{note.text[:1].upper()}{clean(note.text[1:])}." for note in ranking.notes]
    blocks.append([line for one in said for line in wrapped(one, columns)])
    return joined(blocks)


def _hub(ranking: Ranking) -> str:
    """Return the learner that others are shown against: the baseline, or the best."""
    return ranking.baseline or next(iter(ranking.mean_ranks))


def _test(ranking: Ranking) -> str:
    """Return the test of the pairs, in words."""
    if ranking.post_hoc == "nemenyi":
        return "Nemenyi's test of all pairs"
    test = "signed-rank test" if ranking.post_hoc == "wilcoxon" else "normal test of mean ranks"
    adjusted = "not adjusted" if ranking.adjust == "none" else f"adjusted by {ranking.adjust}"
    return f"{test}, {adjusted} for {counted(len(ranking.pairs), 'comparison')}"


def _verdict(ranking: Ranking) -> str:
    """Return one sentence that says who is best."""
    hub, level = _hub(ranking), percent(1.0 - ranking.level)
    others = [name for name in ranking.mean_ranks if name != hub]
    against, significant = _against_hub(ranking), set(ranking.apart)
    apart = [name for name in others if against[name] in significant]
    if ranking.baseline is None:
        if apart == others:
            return f"{clean(hub)} ranks best: all others are ruled out at {level}."
        left = [name for name in others if name not in apart]
        verb = "is" if len(left) == 1 else "are"
        return f"No winner: {clean(hub)} ranks best so far, but {few_names(left)} {verb} not ruled out."
    ranks = ranking.mean_ranks
    parts = []
    for word, chosen in (
        ("better", [name for name in apart if ranks[name] < ranks[hub]]),
        ("worse", [name for name in apart if ranks[name] > ranks[hub]]),
    ):
        if chosen:
            verb = "ranks" if len(chosen) == 1 else "rank"
            parts.append(f"{few_names(chosen)} {verb} {word} than {clean(hub)}")
    end = f"at {level}"
    if not parts:
        return f"No learner differs significantly from {clean(hub)} {end}."
    return f"{', and '.join(parts)}: significant {end}."


def _against_hub(ranking: Ranking) -> dict[str, RankPair]:
    """Return the pair of each other learner and the one that all are shown against."""
    hub = _hub(ranking)
    pairs = [pair for pair in ranking.pairs if hub in (pair.a, pair.b)]
    return {pair.a if pair.b == hub else pair.b: pair for pair in pairs}


def _learners(ranking: Ranking, width: int) -> list[str]:
    """Return a line for each learner: mean rank, mean score, p-value and picture."""
    half = (ranking.critical_difference or 0.0) / 2.0
    rows = tuple(
        Row((name,), rank, rank - half, rank + half, math.nan)
        for name, rank in ranking.mean_ranks.items()
    )
    table = Table("", "", (), rows, _RANKS)
    scores = list(ranking.mean_scores.values())
    spread = max(scores) - min(scores)
    decimals = max(0, 2 - math.floor(math.log10(spread))) if 0.0 < spread < math.inf else 3
    digits = Digits(decimals if decimals <= 8 and max(map(abs, scores)) < 1e9 else None)
    against = _against_hub(ranking)
    pairs = [against.get(name) for name in ranking.mean_ranks]
    alpha = 1.0 - ranking.level
    lines = aligned(
        [
            ["", *(row.name for row in rows)],
            ["mean rank", *(_RANKS.number(row.estimate) for row in rows)],
            [
                f"mean {'score' if ranking.data.higher_is_better else 'loss'}",
                *map(digits.number, scores),
            ],
            ["p", *("" if pair is None else pvalue(pair.adjusted, alpha) for pair in pairs)],
        ]
    )
    above = "lines apart: significant" if half else ""
    return with_pictures(lines, table, rows, width, above)


def _pairs(ranking: Ranking) -> list[str]:
    """Return a line for each pair: on how many data sets each was better, and the p-value."""
    alpha = 1.0 - ranking.level
    pairs = ranking.pairs
    return aligned(
        [
            ["pair", *(f"{clean(pair.a)} - {clean(pair.b)}" for pair in pairs)],
            ["won", *(plain(pair.wins) for pair in pairs)],
            ["tied", *(plain(pair.ties) for pair in pairs)],
            ["lost", *(plain(pair.losses) for pair in pairs)],
            ["p", *(pvalue(pair.adjusted, alpha) for pair in pairs)],
        ]
    )
