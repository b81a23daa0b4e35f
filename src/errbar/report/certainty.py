"""How sure a verdict is, and what it hangs on: the naive test beside it, and the correlation that it would bear."""

import math

from errbar import plots
from errbar.methods import correlation_from_rho, lookup, rho_sensitivity as sensitivity, rho_threshold
from errbar.report import numbers, words
from errbar.report.parts import Cell, Column, Figure, Section, Table
from errbar.report.words import Facts, Verdict
from errbar.study import Pair
from errbar.views import SplitScores

# Under these plans any two split scores correlate alike.
_UNITS = {"kfold": "fold", "subsampling": "split"}


def certainty_of(facts: Facts) -> Section:
    """Return what each verdict of a comparison hangs on.

    Parameters
    ----------
    facts : Facts
        A comparison with pairs.

    Returns
    -------
    Section
        A table with one row per pair: the verdict, that of the naive test and, where split scores correlate alike, the
        correlation up to which the t stays significant. For one pair of a K-fold cross-validation also the curve.
    """
    unit = _unit(facts)
    naive = any(verdict.naive is not None for verdict in facts.verdicts)
    columns = [Column("Pair" if facts.quantity else "Difference", "left"), Column("Verdict", "left")]
    columns += [Column("The naive test", "left")] if naive else []
    columns += [Column(f"Significant as long as the correlation between {unit}s is", "left")] if unit else []
    rows = tuple(_row(facts, verdict, unit, naive=naive) for verdict in facts.verdicts)
    table = Table("certainty", "The verdict on each pair, and what would change it", tuple(columns), rows)
    figures = (_curve(facts),) if unit == "fold" and facts.family == 1 and not facts.verdicts[0].degenerate else ()
    return Section("certainty", "How sure, and why", (table,), figures, tuple(_remarks(facts, unit, naive=naive)))


def bearable(scores: SplitScores, *, level: float, alternative: str) -> float:
    """Return the correlation between split scores below which their t is significant.

    Parameters
    ----------
    scores : SplitScores
        One difference per split, any two of which correlate alike.
    level : float
        The test is at 1 - level.
    alternative : {"two-sided", "less", "greater"}
        Alternative hypothesis.

    Returns
    -------
    float
        In (0, 1]; 0 where the test is not significant even without correlation.
    """
    share = rho_threshold(scores, level=level, alternative=alternative)
    return correlation_from_rho(share, scores.value.size) if share > 0.0 else 0.0


def _unit(facts: Facts) -> str | None:
    """Return what the scores belong to, ``fold`` or ``split``, where the threshold of the correlation makes sense."""
    splits = facts.table.of_plan(facts.plan).splits
    spec = lookup(facts.comparison.pairs[0].result.method)
    several = splits.n_test.size > 1 and (splits.kinds[0] == "subsampling" or splits.repeats(0) == 1)
    sides = facts.comparison.alternative == "two-sided" or facts.comparison.level >= 0.5
    fits = several and sides and facts.quantity is None and spec.subject == "either"
    tested = any(not verdict.degenerate for verdict in facts.verdicts)
    return _UNITS.get(splits.kinds[0]) if fits and tested else None


def _scores(facts: Facts, pair: Pair) -> SplitScores:
    """Return the differences of a pair, one per split, in the direction shown."""
    found = SplitScores.of(facts.table.rows(pair.a, pair.b, facts.plan))
    sign = -1.0 if facts.higher_is_better else 1.0
    return SplitScores(sign * found.value, found.n_train, found.n_test, kind=found.kind)


def _row(facts: Facts, verdict: Verdict, unit: str | None, *, naive: bool) -> tuple[Cell, ...]:
    names = words.clean(verdict.pair.a), words.clean(verdict.pair.b)
    first = Cell(f"{names[0]} over {names[1]}", "name") if facts.quantity else Cell(" - ".join(names), "pair", names)
    cells = [first, _verdict(facts, verdict)]
    cells += [_naive(facts, verdict)] if naive else []
    cells += [_threshold(facts, verdict)] if unit else []
    return tuple(cells)


def _verdict(facts: Facts, verdict: Verdict) -> Cell:
    if verdict.degenerate:
        return Cell("no test: the difference does not vary", "words")
    phrase = numbers.pvalue_phrase(verdict.pair.adjusted, facts.alpha)
    word = "significant" if verdict.significant else "not significant"
    return Cell(f"{word}, {phrase}", "words", strong=verdict.significant, value=verdict.pair.adjusted)


def _naive(facts: Facts, verdict: Verdict) -> Cell:
    if verdict.naive is None or verdict.degenerate:
        return Cell("says nothing", "words")
    phrase = numbers.pvalue_phrase(verdict.naive, facts.alpha)
    if verdict.naive_significant == verdict.significant:
        text = "says the same"
    else:
        text = "would have called it significant" if verdict.naive_significant else "would have missed it"
    return Cell(f"{text}, {phrase}", "words", value=verdict.naive)


def _threshold(facts: Facts, verdict: Verdict) -> Cell:
    if verdict.degenerate:
        return Cell("unknown", "words")
    level, alternative = facts.comparison.level, facts.comparison.alternative
    found = bearable(_scores(facts, verdict.pair), level=level, alternative=alternative)
    if found == 0.0:
        return Cell("never: not significant even without any", "words", value=0.0)
    if found >= 1.0:
        return Cell("any: significant whatever it is", "words", value=1.0)
    return Cell(f"below {found:.2g}", "words", value=found)


def _remarks(facts: Facts, unit: str | None, *, naive: bool) -> list[str]:
    remarks = []
    if naive:
        remarks.append(
            "The naive test takes the splits for independent. They share training examples, so its errors are too small."
        )
    if unit:
        alone = "" if not facts.adjusted else " for each pair alone, without adjustment,"
        remarks.append(
            f"How much the scores of two {unit}s correlate is not known, and these numbers cannot tell it. "
            f"The naive test takes it for 0{_nadeau_bengio(facts)}. The last column says"
            f"{alone} below which correlation Student's t on the {unit} scores is significant at the "
            f"{numbers.percent(facts.alpha)} level."
        )
        remarks += _sentences(facts, unit)
    return remarks


def _nadeau_bengio(facts: Facts) -> str:
    splits = facts.table.of_plan(facts.plan).splits
    share = float((splits.n_test / (splits.n_train + splits.n_test)).mean())
    return "" if math.isnan(share) else f", the corrected t for {share:.2g}, the share of test examples"


def _sentences(facts: Facts, unit: str) -> list[str]:
    """Say it in words where there is one pair only."""
    verdict = facts.verdicts[0]
    if facts.family > 1 or verdict.degenerate:
        return []
    cell = _threshold(facts, verdict)
    if cell.value == 0.0:
        return ["By Student's t the difference is not significant even without correlation."]
    if cell.value >= 1.0:
        return ["By Student's t the difference is significant whatever the correlation is."]
    if verdict.significant:
        return [f"The difference stays significant as long as the correlation between {unit}s is {cell.text}."]
    return [f"The difference would be significant only if the correlation between {unit}s were {cell.text}."]


def _curve(facts: Facts) -> Figure:
    pair = facts.comparison.pairs[0]
    found = sensitivity(_scores(facts, pair), level=facts.comparison.level, alternative=facts.comparison.alternative)
    return Figure(
        "rho",
        "P-value of the K-fold t against the share ρ of the covariance between folds in the variance of the mean; a "
        "correlation r between the scores of two folds makes it K r / (1 + (K - 1) r).",
        f"The p-value rises with ρ; {found.verdict}.",
        plots.rho_sensitivity_of(found),
    )
