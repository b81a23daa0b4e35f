"""The recommendations and warnings of a calibration."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from errbar.result import Estimand
from errbar_lab._scenario import named_targets
from errbar_lab._summary import Performance
from errbar_lab._truth import ExpectedRisk
from errbar_lab._verdict import LIBERAL, to_decide, to_hold
from errbar_lab.studies._cells import nominal, percent, roughly, stated
from errbar_lab.studies._population import OwnData

__all__ = ["Recommendation"]

_NOTICEABLE = 0.05
_COARSE = 0.1

ABOUT = ("ER(n1)", "ER(n)", "PQ", "R")
"""The truths that intervals may cover: the expected risk at the training size of the method, or at that of a data set; the mean
risk of just the models of the method's splits; and the risk of the model that is trained on the whole data set."""

OWN = {Estimand.EXPECTED_RISK: "ER(n1)", Estimand.PROXY: "PQ", Estimand.RISK: "R"}
"""What a method says that it estimates."""


@dataclass(frozen=True)
class Claim:
    """What a method says that it estimates, and from which splits.

    Attributes
    ----------
    about : str
        One of `ABOUT`, or empty where it is none of them.
    plan : str
        Its splits.
    """

    about: str = ""
    plan: str = ""


@dataclass(frozen=True)
class Recommendation:
    """The method to use for one estimand.

    Attributes
    ----------
    target : str or None
        A learner, or the difference of two; None for all of them together.
    estimand : str
        What the intervals should cover, such as ``"ER(90)"``, ``"R"`` or ``"PQ of KFold(folds=10, repeats=1)"``.
    method : str or None
        Name of the method; None where none was shown to hold what it promises.
    text : str
        The recommendation and its reason in a sentence.
    """

    target: str | None
    estimand: str
    method: str | None
    text: str


def estimand_of(one: Performance, claims: Mapping[str, Claim]) -> str:
    """Return what an interval should cover, so that only widths of intervals for the same are compared."""
    if one.about == "PQ":
        plan = claims.get(one.method, Claim()).plan
        return f"PQ of {plan}" if plan else "PQ"
    sizes = {"ER(n1)": one.n_train, "ER(n)": one.n}
    return f"ER({sizes[one.about]})" if one.about in sizes else one.about


def estimand_words(estimand: str) -> str:
    """Return an estimand in words."""
    kind, _, rest = estimand.partition(" of ")
    if kind == "PQ":
        return "the mean risk of just the models that were trained" + (
            f" by {rest}" if rest else ""
        )
    if kind.startswith("ER("):
        return f"the expected risk at training size {kind[3:-1]}"
    return "the risk of the model that is trained on the whole data set"


def narrowest(found: Iterable[Performance]) -> Performance | None:
    """Return the one with the narrowest intervals of those that were shown to hold; of equals the first."""
    return min((one for one in found if one.holds), key=lambda one: one.width, default=None)


def recommend(
    performances: Sequence[Performance], claims: Mapping[str, Claim] | None = None
) -> tuple[Recommendation, ...]:
    """Return the method to use for every estimand and target, and for all targets together.

    Of the methods whose coverage was shown to be at least the level less two points, since the whole of its Monte-Carlo
    interval is, it is the one with the narrowest intervals; a method of which nothing was shown is never taken. Methods
    are compared only where they were asked about the same quantity, at the same training size. For all targets together
    that must hold for each, and widths are compared by the geometric mean of their ratios to the narrowest.

    Parameters
    ----------
    performances : sequence of Performance
        Of all methods, targets and truths.
    claims : mapping of str to Claim, optional
        What the methods estimate. Of risks that depend on the splits of a method, the expected one at its training size and
        that of its models, only those are spoken of that a method claims to estimate.

    Returns
    -------
    tuple of Recommendation
        By estimand, in the order of the targets; where there are several, one more for all of them.
    """
    known, found = claims or {}, []
    for own in _by_estimand(performances, known):
        estimand, by_target = estimand_of(own[0], known), _grouped(own, "target")
        found += [_for_target(target, estimand, each) for target, each in by_target.items()]
        if len(by_target) > 1:
            found.append(_for_all(estimand, by_target))
    return tuple(found)


def _by_estimand(
    performances: Sequence[Performance], claims: Mapping[str, Claim]
) -> Iterator[list[Performance]]:
    """Yield the performances about each estimand that is spoken of."""
    for about in ABOUT:
        groups: dict[str, list[Performance]] = {}
        for one in performances:
            if one.about == about:
                groups.setdefault(estimand_of(one, claims), []).append(one)
        for own in groups.values():
            claimed = any(claims.get(one.method, Claim(about)).about == about for one in own)
            # What is trained on whole data sets, as by a bootstrap, is asked about ER(n) with all others.
            twice = about == "ER(n1)" and own[0].n_train == own[0].n
            if (claimed and not twice) or about in ("ER(n)", "R"):
                yield own


def _grouped(found: Iterable[Performance], name: str) -> dict[str, list[Performance]]:
    """Return the performances by one of their names, in the order in which the names come first."""
    groups: dict[str, list[Performance]] = {}
    for one in found:
        groups.setdefault(getattr(one, name), []).append(one)
    return groups


def _for_target(target: str, estimand: str, found: Sequence[Performance]) -> Recommendation:
    best, level = narrowest(found), found[0].level
    about = f"{target} and {estimand_words(estimand)}"
    if best is None:
        return Recommendation(target, estimand, None, f"About {about} {_none(found)}")
    text = (
        f"About {about} use {best.method}: its coverage was shown to be {nominal(level)} % to within two points. It is "
        f"{stated(best.coverage)}, and the intervals are {best.width:.3g} wide on average{_of(found)}."
    )
    return Recommendation(target, estimand, best.method, text)


def _of(found: Sequence[Performance]) -> str:
    """Return of how many methods that hold this is the narrowest."""
    holding = sum(one.holds for one in found)
    if len(found) == 1:
        return ", the only method that was asked"
    return (
        f", the narrowest of {holding} of which that was shown"
        if holding > 1
        else ", the only one of which that was shown"
    )


def _none(found: Sequence[Performance]) -> str:
    """Return why no method can be recommended, and how many data sets could change that."""
    level = found[0].level
    needed = {one.method: to_hold(one.coverage.value, level) for one in found}
    near = min(found, key=lambda one: (needed[one.method], -one.coverage.value))
    held = f"no method could be shown to have a coverage of {nominal(level)} % to within two points"
    if near.verdict == LIBERAL or math.isinf(needed[near.method]):
        return f"{held}: {near.method} comes nearest with a coverage of {stated(near.coverage)}."
    return (
        f"{held} with {near.coverage.total} data sets: it would take about {roughly(needed[near.method])} for {near.method}, if its "
        f"coverage stays at {percent(near.coverage.value)} %."
    )


def _for_all(estimand: str, by_target: Mapping[str, Sequence[Performance]]) -> Recommendation:
    smallest = {target: min(one.width for one in found) for target, found in by_target.items()}
    every = [one for found in by_target.values() for one in found]
    complete = {
        name: found
        for name, found in _grouped(every, "method").items()
        if len(found) == len(by_target)
    }
    sound = {name: found for name, found in complete.items() if all(one.holds for one in found)}
    level = every[0].level
    head = f"For all learners and differences together, about {estimand_words(estimand)},"
    if not sound:
        return Recommendation(
            None, estimand, None, f"{head} {_none_everywhere(complete.values(), level)}"
        )
    # By the geometric mean of the widths over the smallest ones; all have as many of them.
    best = min(
        sound,
        key=lambda name: sum(_log_ratio(one.width, smallest[one.target]) for one in sound[name]),
    )
    lowest = min(sound[best], key=lambda one: one.coverage.value)
    text = (
        f"{head} use {best}: its coverage was shown to be {nominal(level)} % to within two points everywhere{_of_all(len(sound), len(complete))}; "
        f"its lowest coverage is {stated(lowest.coverage)}, for {lowest.target}."
    )
    return Recommendation(None, estimand, best, text)


def _of_all(holding: int, asked: int) -> str:
    if asked == 1:
        return ""
    return (
        f", and is the narrowest of {holding} such methods"
        if holding > 1
        else ", as no other method was"
    )


def _none_everywhere(complete: Iterable[Sequence[Performance]], level: float) -> str:
    """Return that no method has its coverage for all targets, and how many data sets the nearest would need."""
    held = f"no method could be shown to have a coverage of {nominal(level)} % to within two points everywhere"
    worst = [max(found, key=lambda one: to_hold(one.coverage.value, level)) for found in complete]
    near = min(worst, key=lambda one: to_hold(one.coverage.value, level), default=None)
    if near is None:
        return f"{held}: none is for all of them."
    needed = to_hold(near.coverage.value, level)
    if math.isinf(needed):
        return f"{held}; the table says what was shown for each."
    return f"{held} with {near.coverage.total} data sets: it would take about {roughly(needed)} for {near.method}."


def _log_ratio(width: float, smallest: float) -> float:
    if width == smallest:
        return 0.0
    return math.log(width / smallest) if smallest > 0.0 else math.inf


def warnings(
    main: Sequence[Performance],
    truths: Mapping[int, ExpectedRisk],
    population: OwnData,
    left_out: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Return warnings about the methods, the data sets and the truth, in sentences.

    Parameters
    ----------
    main : sequence of Performance
        Of all methods and targets, about what each method estimates.
    truths : mapping of int to ExpectedRisk
        By training size.
    population : OwnData
        The data.
    left_out : mapping of str to str, optional
        Why methods were not tried, by name.
    """
    n, level = main[0].n, main[0].level
    always = (
        f"Sizes and coverages are those for data sets of {n} examples, not for all {population.size}, and the truth is that "
        "of these data taken as a population."
    )
    not_tried = [f"{name} was not tried: {reason}." for name, reason in (left_out or {}).items()]
    return (
        *_few(main),
        *_liberal(main),
        *_drawn(population, n, level),
        *_coarse(main, truths),
        *not_tried,
        always,
    )


def _few(main: Sequence[Performance]) -> Iterator[str]:
    """Yield that there are too few data sets, if they could not show that an exact method is one."""
    total, level = main[0].coverage.total, main[0].level
    least = to_decide(level, level)
    if total < least:
        yield (
            f"{total} data sets are too few: it takes {least:.0f} to show that a coverage of exactly {nominal(level)} % is within two "
            "points of the level. That no fault was found in a method tells little here."
        )


def _liberal(main: Sequence[Performance]) -> Iterator[str]:
    for method, own in _grouped(main, "method").items():
        bad = [one for one in own if one.verdict == LIBERAL]
        if bad:
            worst = min(bad, key=lambda one: one.coverage.value)
            yield (
                f"{method} is liberal for {len(bad)} of {len(own)} targets: its {nominal(worst.level)} % "
                f"intervals cover {worst.about} of {worst.target} in {stated(worst.coverage)} of the data sets."
            )


def _drawn(population: OwnData, n: int, level: float) -> Iterator[str]:
    """Yield what drawing from a finite population does to the results, if that is noticeable."""
    what, drawn = ("examples" if population.groups is None else "groups"), population.units_of(n)
    part = (drawn - 1) / (population.units - 1)
    copies = 1.0 - (1.0 - 1.0 / population.units) ** (drawn - 1)
    if population.replacement and copies > _NOTICEABLE:
        yield (
            f"Drawn with replacement, a test example of a data set is among its other {what} too with probability "
            f"{copies:.2f}: learners that memorize look better than they are."
        )
    if not population.replacement and part > _NOTICEABLE:
        yield (
            f"A data set is {percent(drawn / population.units)} % of the data and drawn without replacement, so that estimates vary "
            f"less than with independent {what}: an interval that is exact for those could cover the truth here in up to "
            f"{percent(_apparent(level, part))} % of the data sets. Methods look more conservative than they are; a smaller "
            "`n` or `replacement=True` avoids that."
        )


def _apparent(level: float, part: float) -> float:
    """Return the coverage of an exact normal interval where the variance is smaller by this part than it supposes."""
    from scipy.stats import norm

    if part >= 1.0:
        return 1.0
    return float(2.0 * norm.cdf(norm.isf((1.0 - level) / 2.0) / math.sqrt(1.0 - part)) - 1.0)


def _coarse(main: Sequence[Performance], truths: Mapping[int, ExpectedRisk]) -> Iterator[str]:
    """Yield a warning where the truth is not known well enough for the width of the intervals."""
    found = [(_coarseness(one, truths), one) for one in main if one.about.startswith("ER")]
    share, worst = max(found, key=lambda pair: pair[0], default=(0.0, main[0]))
    if share > _COARSE:
        yield (
            f"The truth about {worst.target} has a Monte-Carlo error of {percent(share, 0)} % of half the width of an "
            f"interval of {worst.method}, and that lowers the coverages: raise `truth_draws`."
        )


def _coarseness(one: Performance, truths: Mapping[int, ExpectedRisk]) -> float:
    """Return the Monte-Carlo error of the truth as a share of half the width of an interval."""
    truth = truths[one.n if one.about == "ER(n)" else one.n_train]
    error = truth.of(*named_targets(truth.learners)[one.target])[1]
    return error / (one.width / 2.0) if one.width > 0.0 else 0.0
