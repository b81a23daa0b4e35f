"""Which method a calibration recommends for which risk, and what it warns of."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from errbar.methods._core.registry import lookup
from errbar.result import Estimand
from errbar_lab._experiment import ABOUT, Analysis, Procedure
from errbar_lab._summary import LIBERAL, Performance, to_decide
from errbar_lab.populations import OwnData

_NOTICEABLE, _COARSE = 0.05, 0.1

_OWN = {Estimand.EXPECTED_RISK: "ER(n1)", Estimand.PROXY: "PQ", Estimand.RISK: "R"}


class Claim(NamedTuple):
    """What a method says that it estimates, one of `ABOUT` or nothing of these, and from which splits."""

    about: str = ""
    plan: str = ""


def claim(procedure: Procedure) -> Claim:
    """Return what a method says that it estimates."""
    about = ""
    if isinstance(procedure, Analysis):
        about = _OWN.get(lookup(procedure.method).estimand, "")
    return Claim(about, " and ".join(map(str, procedure.plans)))


def recommend(performances: Any, claims: Any) -> Any:
    """Return the method to use for every estimand and target, and for all targets together.

    Of the methods that were shown to hold an estimand it is the one with the narrowest intervals; methods are compared
    only where they were asked about the same quantity. For all targets together that must hold for each, and widths are
    compared by the geometric mean of their ratios to the narrowest. Of risks that depend on the splits of a method, only
    those are spoken of that a method claims to estimate.
    """
    found = []
    for estimand, own in _by_estimand(performances, claims):
        targets = list(dict.fromkeys(one.target for one in own))
        for target in targets:
            best = narrowest([one for one in own if one.target == target])
            found.append(_said(target, estimand, best))
        if len(targets) > 1:
            found.append(_said(None, estimand, _for_all(own, len(targets))))
    return found


def narrowest(found: Any) -> Performance | None:
    """Return the one with the narrowest intervals of those that were shown to hold; of equals the first."""
    return min((one for one in found if one.holds), key=lambda one: one.width, default=None)


def _by_estimand(performances: Any, claims: Any) -> Iterator[tuple[str, list[Performance]]]:
    for about in ABOUT:
        groups: dict[str, list[Performance]] = {}
        for one in performances:
            if one.about == about:
                groups.setdefault(_estimand(one, claims), []).append(one)
        for estimand, own in groups.items():
            claimed = any(claims.get(one.method, Claim(about)).about == about for one in own)
            # What is trained on whole data sets, as by a bootstrap, is asked about ER(n) with all others.
            twice = about == "ER(n1)" and own[0].n_train == own[0].n
            if (claimed and not twice) or about in ("ER(n)", "R"):
                yield estimand, own


def _estimand(one: Performance, claims: Any) -> str:
    if one.about == "PQ":
        plan = claims.get(one.method, Claim()).plan
        return f"PQ of {plan}" if plan else "PQ"
    sizes = {"ER(n1)": one.n_train, "ER(n)": one.n}
    return f"ER({sizes[one.about]})" if one.about in sizes else one.about


def _for_all(own: Any, targets: int) -> Performance | None:
    """Return how the best method for all targets does where it does worst."""
    smallest: dict[str, float] = {}
    methods: dict[str, list[Performance]] = {}
    for one in own:
        smallest[one.target] = min(one.width, smallest.get(one.target, math.inf))
        methods.setdefault(one.method, []).append(one)
    sound = [
        found
        for found in methods.values()
        if len(found) == targets and all(one.holds for one in found)
    ]
    if not sound:
        return None

    best = min(
        sound,
        key=lambda found: sum(_log_ratio(one.width, smallest[one.target]) for one in found),
    )
    return min(best, key=lambda one: one.coverage.value)


def _log_ratio(width: float, smallest: float) -> float:
    if width == smallest:
        return 0.0
    return math.log(width / smallest) if smallest > 0.0 else math.inf


def _said(target: str | None, estimand: str, best: Performance | None) -> Any:
    about = f"About {estimand} of {target or 'all learners and differences'}"
    if best is None:
        text = f"{about} no method was shown to hold."
    else:
        text = (
            f"{about} use {best.method}, the narrowest that was shown to hold: it covers "
            f"{best.target} in {100.0 * best.coverage.value:.1f} % of the data sets."
        )
    method = None if best is None else best.method
    return {"target": target, "estimand": estimand, "method": method, "text": text}


def warnings(main: Any, population: OwnData, left_out: Any) -> list[str]:
    """Return warnings about methods, data sets and the truth; `main` is about what each method estimates."""
    n, level, total = main[0].n, main[0].level, main[0].coverage.total
    return [
        *_too_few(total, level),
        *_liberal(main),
        *_overlap(population, n),
        *_coarse(main),
        *(f"{name} was not tried: {reason}." for name, reason in left_out.items()),
        f"Coverages are for data sets of {n} examples, drawn from {population.size}.",
    ]


def _too_few(total: int, level: float) -> Iterator[str]:
    least = to_decide(level, level)
    if total < least:
        yield (
            f"{total} data sets are too few: it takes {least:.0f} to show that an exact method is one."
        )


def _liberal(main: Any) -> Iterator[str]:
    for method in dict.fromkeys(one.method for one in main):
        bad = [one for one in main if one.method == method and one.verdict == LIBERAL]
        if bad:
            worst = min(bad, key=lambda one: one.coverage.value)
            yield (
                f"{method} is liberal: its intervals hold {worst.about} of {worst.target} in "
                f"{100.0 * worst.coverage.value:.1f} % of the data sets."
            )


def _overlap(population: OwnData, n: int) -> Iterator[str]:
    """Yield what drawing from a finite population does to the results, if that is noticeable."""
    what, drawn = ("examples" if population.groups is None else "groups"), population.units_of(n)
    part = (drawn - 1) / (population.units - 1)
    copies = 1.0 - (1.0 - 1.0 / population.units) ** (drawn - 1)
    if population.replacement and copies > _NOTICEABLE:
        yield (
            f"A test example is among the other {what} of its data set too with probability "
            f"{copies:.2f}: learners that memorize look better than they are."
        )
    if not population.replacement and part > _NOTICEABLE:
        yield (
            f"A data set is {100.0 * part:.1f} % of the data, so that estimates vary less than with "
            f"independent {what}, and methods look more conservative than they are."
        )


def _coarse(main: Any) -> Iterator[str]:
    shares = {2.0 * one.truth_error / one.width: one for one in main if one.width > 0.0}
    worst = max(shares, default=0.0)
    if worst > _COARSE:
        yield (
            f"The truth about {shares[worst].target} has a Monte-Carlo error of "
            f"{100.0 * worst:.0f} % of half the width of an interval: raise `truth_draws`."
        )
