"""How sure a verdict is, and what it hangs on: the naive test beside it, and the correlation that it would bear."""

import math

from errbar import plots
from errbar.comparison import Decision
from errbar.methods import RhoSensitivity
from errbar.report import numbers, words
from errbar.report.parts import Cell, Column, Figure, Section, Table
from errbar.report.words import Facts


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
    unit = facts.comparison.exchangeable
    naive = any(verdict.naive is not None for verdict in facts.comparison.decisions)
    columns = [Column("Pair" if facts.quantity else "Difference", "left"), Column("Verdict", "left")]
    columns += [Column("The naive test", "left")] if naive else []
    columns += [Column(f"Significant as long as the correlation between {unit}s is", "left")] if unit else []
    found = zip(facts.comparison.decisions, facts.comparison.thresholds, strict=True)
    rows = tuple(_row(facts, verdict, threshold, unit, naive=naive) for verdict, threshold in found)
    table = Table("certainty", "The verdict on each pair, and what would change it", tuple(columns), rows)
    curve = facts.comparison.rho_curve
    figures = () if curve is None else (_curve(curve),)
    return Section("certainty", "How sure, and why", (table,), figures, tuple(_remarks(facts, unit, naive=naive)))


def _row(
    facts: Facts, verdict: Decision, threshold: float | None, unit: str | None, *, naive: bool
) -> tuple[Cell, ...]:
    names = words.clean(verdict.pair.a), words.clean(verdict.pair.b)
    first = Cell(f"{names[0]} over {names[1]}", "name") if facts.quantity else Cell(" - ".join(names), "pair", names)
    cells = [first, _verdict(facts, verdict)]
    cells += [_naive(facts, verdict)] if naive else []
    cells += [_threshold(threshold)] if unit else []
    return tuple(cells)


def _verdict(facts: Facts, verdict: Decision) -> Cell:
    if verdict.degenerate:
        return Cell("no test: the difference does not vary", "words")
    phrase = numbers.pvalue_phrase(verdict.pair.adjusted, facts.alpha)
    word = "significant" if verdict.significant else "not significant"
    return Cell(f"{word}, {phrase}", "words", strong=verdict.significant, value=verdict.pair.adjusted)


def _naive(facts: Facts, verdict: Decision) -> Cell:
    if verdict.naive is None or verdict.degenerate:
        return Cell("says nothing", "words")
    phrase = numbers.pvalue_phrase(verdict.naive, facts.alpha)
    if verdict.naive_significant == verdict.significant:
        text = "says the same"
    else:
        text = "would have called it significant" if verdict.naive_significant else "would have missed it"
    return Cell(f"{text}, {phrase}", "words", value=verdict.naive)


def _threshold(found: float | None) -> Cell:
    if found is None:
        return Cell("unknown", "words")
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
    share = facts.comparison.test_share
    return "" if math.isnan(share) else f", the corrected t for {share:.2g}, the share of test examples"


def _sentences(facts: Facts, unit: str) -> list[str]:
    """Say it in words where there is one pair only."""
    verdict = facts.comparison.decisions[0]
    if facts.family > 1 or verdict.degenerate:
        return []
    cell = _threshold(facts.comparison.thresholds[0])
    if cell.value == 0.0:
        return ["By Student's t the difference is not significant even without correlation."]
    if cell.value >= 1.0:
        return ["By Student's t the difference is significant whatever the correlation is."]
    if verdict.significant:
        return [f"The difference stays significant as long as the correlation between {unit}s is {cell.text}."]
    return [f"The difference would be significant only if the correlation between {unit}s were {cell.text}."]


def _curve(found: RhoSensitivity) -> Figure:
    return Figure(
        "rho",
        "P-value of the K-fold t against the share ρ of the covariance between folds in the variance of the mean; a "
        "correlation r between the scores of two folds makes it K r / (1 + (K - 1) r).",
        f"The p-value rises with ρ; {found.verdict}.",
        plots.rho_sensitivity_of(found),
    )
