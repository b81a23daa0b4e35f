"""The recommendations and warnings of a calibration."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from errbar.lab._scenario import named_targets
from errbar.lab._summary import LIBERAL, Performance
from errbar.lab._truth import ExpectedRisk
from errbar.lab.populations import FinitePopulation
from errbar.lab.studies._cells import nominal, percent, stated

__all__ = ["Recommendation"]

_NOTICEABLE = 0.05
_COARSE = 0.1


@dataclass(frozen=True)
class Recommendation:
    """The method to use.

    Attributes
    ----------
    target : str or None
        A learner, or the difference of two; None for all of them together.
    method : str or None
        Name of the method; None where none holds what it promises.
    text : str
        The recommendation and its reason in a sentence.
    """

    target: str | None
    method: str | None
    text: str


def narrowest(found: Iterable[Performance]) -> Performance | None:
    """Return the one with the narrowest intervals of those that are not liberal; of equals the first."""
    return min((one for one in found if one.verdict != LIBERAL), key=lambda one: one.width, default=None)


def recommend(performances: Sequence[Performance]) -> tuple[Recommendation, ...]:
    """Return the method to use for every target, and for all together.

    Of the methods whose coverage is not significantly below the nominal level, so that its Monte-Carlo interval reaches
    the level, it is the one with the narrowest intervals. For all targets together that must hold for each, and widths
    are compared by the geometric mean of their ratios to the narrowest.

    Parameters
    ----------
    performances : sequence of Performance
        Of all methods and targets about one truth.

    Returns
    -------
    tuple of Recommendation
        In the order of the targets; where there are several, one more for all of them.
    """
    by_target = _grouped(performances, "target")
    single = tuple(_for_target(target, found) for target, found in by_target.items())
    return single if len(single) == 1 else (*single, _for_all(by_target))


def _grouped(found: Iterable[Performance], name: str) -> dict[str, list[Performance]]:
    """Return the performances by one of their names, in the order in which the names come first."""
    groups: dict[str, list[Performance]] = {}
    for one in found:
        groups.setdefault(getattr(one, name), []).append(one)
    return groups


def _for_target(target: str, found: Sequence[Performance]) -> Recommendation:
    best, about, level = narrowest(found), found[0].about, nominal(found[0].level)
    if best is None:
        near = max(found, key=lambda one: one.coverage.value)
        text = (
            f"For {target} no method can be recommended: the coverage of {about} is significantly below {level} % for "
            f"all, and {near.method} comes nearest with {stated(near.coverage)}."
        )
        return Recommendation(target, None, text)
    text = (
        f"For {target} use {best.method}: of the methods whose coverage of {about} is not significantly below {level} % "
        f"it has the narrowest intervals, {best.width:.3g} wide on average, with a coverage of {stated(best.coverage)}."
    )
    return Recommendation(target, best.method, text)


def _for_all(by_target: Mapping[str, Sequence[Performance]]) -> Recommendation:
    smallest = {target: min(one.width for one in found) for target, found in by_target.items()}
    every = [one for found in by_target.values() for one in found]
    sound = {
        name: found
        for name, found in _grouped(every, "method").items()
        if len(found) == len(by_target) and all(one.verdict != LIBERAL for one in found)
    }
    about, level = every[0].about, nominal(every[0].level)
    if not sound:
        text = (
            f"No method has a coverage of {about} that is not significantly below {level} % for every learner and every "
            "difference: choose for each as said below, or try a more conservative method."
        )
        return Recommendation(None, None, text)
    # By the geometric mean of the widths over the smallest ones; all have as many of them.
    best = min(sound, key=lambda name: sum(_log_ratio(one.width, smallest[one.target]) for one in sound[name]))
    lowest = min(sound[best], key=lambda one: one.coverage.value)
    text = (
        f"For all learners and differences together use {best}: of the methods whose coverage of {about} is nowhere "
        f"significantly below {level} % it has the narrowest intervals; its lowest coverage is "
        f"{stated(lowest.coverage)}, for {lowest.target}."
    )
    return Recommendation(None, best, text)


def _log_ratio(width: float, smallest: float) -> float:
    if width == smallest:
        return 0.0
    return math.log(width / smallest) if smallest > 0.0 else math.inf


def warnings(
    main: Sequence[Performance], truths: Mapping[int, ExpectedRisk], population: FinitePopulation
) -> tuple[str, ...]:
    """Return warnings about the methods, the data sets and the truth, in sentences.

    Parameters
    ----------
    main : sequence of Performance
        Of all methods and targets about the truth of the recommendations.
    truths : mapping of int to ExpectedRisk
        By training size.
    population : FinitePopulation
        The data.
    """
    n, level = main[0].n, main[0].level
    always = (
        f"Sizes and coverages are those for data sets of {n} examples, not for all {population.size}, and the truth is that "
        "of these data taken for a population."
    )
    return (*_liberal(main), *_drawn(population, n, level), *_coarse(main, truths), always)


def _liberal(main: Sequence[Performance]) -> Iterator[str]:
    for method, own in _grouped(main, "method").items():
        bad = [one for one in own if one.verdict == LIBERAL]
        if bad:
            worst = min(bad, key=lambda one: one.coverage.value)
            yield (
                f"{method} is significantly liberal for {len(bad)} of {len(own)} targets: its {nominal(worst.level)} % "
                f"intervals hold {worst.about} of {worst.target} in {stated(worst.coverage)} of the data sets."
            )


def _drawn(population: FinitePopulation, n: int, level: float) -> Iterator[str]:
    """Yield what drawing from a finite population does to the results, if that is noticeable."""
    part = (n - 1) / (population.size - 1)
    copies = 1.0 - (1.0 - 1.0 / population.size) ** (n - 1)
    if population.replacement and copies > _NOTICEABLE:
        yield (
            f"Drawn with replacement, a test example of a data set is among its other examples too with probability "
            f"{copies:.2f}: learners that memorize look better than they are."
        )
    if not population.replacement and part > _NOTICEABLE:
        yield (
            f"A data set is {percent(n / population.size)} % of the data and drawn without replacement, so that estimates vary "
            f"less than with independent examples: an interval that is exact for those could hold the truth here in up to "
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
    share, worst = max(((_coarseness(one, truths), one) for one in main), key=lambda pair: pair[0])
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
