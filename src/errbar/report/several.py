"""One or several comparisons in one report, and what each is called."""

from collections import Counter
from collections.abc import Iterable, Sequence

from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.report.story import Story
from errbar.report.words import clean, heading

Comparisons = Comparison | Sequence[Comparison]


def listed(found: Comparisons) -> tuple[Comparison, ...]:
    """Return one or several comparisons as a tuple."""
    if isinstance(found, Comparison):
        return (found,)
    several = tuple(found) if isinstance(found, Iterable) else ()
    if not several or not all(isinstance(one, Comparison) for one in several):
        raise InvalidInputError(
            f"must be a Comparison, such as errbar.compare returns, or a sequence of them, got {found!r}",
            argument="comparison",
        )
    return several


def names_of(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Return a name for each comparison: its loss or its method, whichever differs; alike ones are numbered."""
    losses = {one.table.loss.key for one in comparisons}
    methods = {one.method for one in comparisons}
    names = []
    for one in comparisons:
        parts = [heading(Story(one).measure)] if len(losses) > 1 or len(methods) == 1 else []
        parts += [one.method] if len(methods) > 1 else []
        names.append(clean(", ".join(parts)))
    twice = {name for name, times in Counter(names).items() if times > 1}
    return tuple(
        f"{name} ({place})" if name in twice else name for place, name in enumerate(names, 1)
    )


def remarks_of(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Return what must be said of several losses: that their tests are not adjusted for there being several."""
    count = len({one.table.loss.key for one in comparisons})
    if count == 1 or not any(one.pairs for one in comparisons):
        return ()
    return (f"p-values are not adjusted for there being {count} losses.",)
