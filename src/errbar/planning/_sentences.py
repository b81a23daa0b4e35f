"""The answer about a study of seeds and examples, or of clusters, in words."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from errbar.needs import SEEDS_OF_ONE_TRAINING_SET
from errbar.planning._components import ClusterComponents, Components, CrossedComponents
from errbar.planning._search import MOST_INNER, MOST_OUTER
from errbar.planning._study import four_digits, in_columns
from errbar.result import Note

if TYPE_CHECKING:
    from errbar.planning._design_study import DesignStudy


def lines_of(study: "DesignStudy") -> Iterator[str]:
    """Yield the lines of the answer."""
    yield f"{study.method}: {sizes_in_words(study.components, study.sizes)}, level {study.level:.6g}, {study.alternative}"
    yield _deviations(study)
    yield _shares(study)
    yield ""
    yield from _table(study)
    yield ""
    yield from _advice(study)
    yield from _needs(study)
    yield from (f"note {note}" for note in study.notes)


def sizes_in_words(components: Components, sizes: tuple[int, int]) -> str:
    """Return the size of a study in words."""
    outer, inner = sizes
    if isinstance(components, ClusterComponents):
        return f"{_counted(outer, 'cluster')} of {_counted(inner, 'example')}"
    return f"{_counted(outer, 'seed')}{' of each learner' if components.learners else ''} on {_counted(inner, 'example')}"


def notes_of(study: "DesignStudy") -> tuple[Note, ...]:
    """Return the caveats of the answer."""
    notes = []
    if study.detectable_interval is not None and study.components.pilot is not None:
        unit, (low, high) = study.components.words[0], study.detectable_interval
        count, units = study.components.pilot[0], f"{unit}s"
        notes.append(
            Note(
                "uncertain-pilot",
                what="detectable difference",
                count=count,
                units=units,
                low=low,
                high=high,
            )
        )
    if isinstance(study.components, CrossedComponents):
        notes.append(SEEDS_OF_ONE_TRAINING_SET)
    elif study.components.variation > 0.0:
        notes.append(
            Note(
                "taken-as",
                what="sizes of clusters",
                kind="varying as in the pilot",
                say=["variation"],
            )
        )
    return tuple(notes)


def _deviations(study: "DesignStudy") -> str:
    """Say what the components are, as standard deviations."""
    components = study.components
    of = f" of {components.name}" if components.name else ""
    outer = four_digits(math.sqrt(components.outer_variance))
    if components.pilot is not None:
        low, high = (four_digits(math.sqrt(end)) for end in components.outer_interval())
        outer += f" (95 % interval {low} to {high})"
    if isinstance(components, ClusterComponents):
        effect = components.design_effect(study.sizes[1])
        return (
            f"standard deviations{of}: between clusters {outer}, within {four_digits(math.sqrt(components.within))}; "
            f"intraclass correlation {components.intraclass:.3g}, design effect {effect:.3g}"
        )
    example, error = (
        four_digits(math.sqrt(part)) for part in (components.example, components.error)
    )
    return f"standard deviations{of}: seeds {outer}, examples {example}, seed x example {error}"


def _shares(study: "DesignStudy") -> str:
    """Say where the squared standard error comes from."""
    components, total = study.components, study.components.variance(*study.sizes)
    if isinstance(components, ClusterComponents):
        share = float(components.parts(study.sizes[0])[0]) / total
        return f"of the squared standard error {_percent(share)} are from clusters, {_percent(1.0 - share)} from examples within them"
    seed, example, both = (part / total for part in components.sources(*study.sizes).values())
    return (
        f"of the squared standard error {_percent(seed)} are from seeds, {_percent(example)} from examples, {_percent(both)} from both "
        "together"
    )


def _table(study: "DesignStudy") -> list[str]:
    rows, (outer, inner) = study.prospects, study.components.words
    columns = [[f"{outer}s", *(str(row.sizes[0]) for row in rows)]]
    columns.append([_plural(inner), *(str(row.sizes[1]) for row in rows)])
    if study.costs is not None:
        columns.append(["cost", *(four_digits(row.cost or 0.0) for row in rows)])
    columns.append(["standard error", *(four_digits(row.se) for row in rows)])
    columns.append(["half-width", *(four_digits(row.half_width) for row in rows)])
    if study.difference is not None:
        columns.append([f"power at {study.difference:g}", *(f"{row.power:.3f}" for row in rows)])
    columns.append(
        [f"detectable with power {study.wanted:g}", *(four_digits(row.detectable) for row in rows)]
    )
    return in_columns(columns)


def _advice(study: "DesignStudy") -> Iterator[str]:
    """Say what to buy next, with the numbers behind it."""
    bought, (outer, _), (count, size) = study.purchase, study.components.words, study.sizes
    of_clusters = isinstance(study.components, ClusterComponents)
    each, times, one = (
        (" in every cluster", count, f"one with its {_counted(size, 'example')}")
        if of_clusters
        else ("", 1, "one")
    )
    if bought.worth is None or bought.inner <= 0.0:
        much = (
            f"any number of examples{each}" if bought.worth is None else f"one more example{each}"
        )
        yield f"buy {outer}s, not examples: one more {outer} narrows the interval more than {much} would"
        return
    if bought.worth == 1:
        yield f"one more example{each} narrows the interval as much as one more {outer}, or more"
    else:
        yield f"one more {outer} narrows the interval as much as {bought.worth} more examples{each}"
    if bought.costs is None:
        ratio = times * bought.outer / bought.inner
        yield f"buy {outer}s where {one} costs less than {ratio:.3g} more examples, and else examples"
        return
    per_cost = (bought.outer / bought.costs[0], bought.inner / bought.costs[1])
    better, worse = (f"{outer}s", "examples") if bought.prefers_outer else ("examples", f"{outer}s")
    most, least = (four_digits(gain) for gain in (max(per_cost), min(per_cost)))
    yield (
        f"buy {better}, not {worse}: per unit of cost {better} make the half-width smaller by {most}, {worse} by {least}"
    )


def _needs(study: "DesignStudy") -> Iterator[str]:
    """Say what the difference needs."""
    if study.difference is None:
        yield "give a difference that would matter, to see what it needs"
        return
    goal, (outer, inner) = (
        f"for power {study.wanted:g} at {study.difference:g}",
        study.components.words,
    )
    beside = (
        f"with {_counted(study.sizes[1], inner, _plural(inner))}",
        f"with {_counted(study.sizes[0], outer)}",
    )
    found_of, most_of = (study.smallest_outer, study.smallest_inner), (MOST_OUTER, MOST_INNER)
    for found, most, word, other in zip(found_of, most_of, (outer, inner), beside, strict=True):
        if found is None:
            yield f"not even {most:,} {_plural(word)} are enough {goal} {other}"
        else:
            yield f"{_counted(found, word, _plural(word))} {'is' if found == 1 else 'are'} enough {goal} {other}"
    if study.cheapest is not None and study.cheapest.cost is not None:
        size = sizes_in_words(study.components, study.cheapest.sizes)
        yield f"the cheapest study {goal} has {size}, at a cost of {four_digits(study.cheapest.cost)}"
    elif study.costs is not None:
        yield f"no study of a size that could be had is enough {goal}"


def _plural(word: str) -> str:
    """Return the plural of ``example per cluster`` and the like."""
    first, _, rest = word.partition(" ")
    return f"{first}s {rest}".rstrip()


def _counted(count: int, word: str, several: str | None = None) -> str:
    return f"{count} {word if count == 1 else several or f'{word}s'}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %" if share >= 0.095 or share == 0.0 else f"{100.0 * share:.2g} %"
