"""What the coverage of an interval says about its method."""

import math
from collections.abc import Iterable

from errbar.lab._summary import Performance, Proportion
from errbar.lab.studies._study import percent

LIBERAL, NOMINAL, CONSERVATIVE = "liberal", "nominal", "conservative"


def verdict(one: Performance) -> str:
    """Return whether intervals hold the truth significantly too seldom, about as often as they should, or more often."""
    if one.coverage.high < one.level:
        return LIBERAL
    return CONSERVATIVE if one.coverage.low > one.level else NOMINAL


def narrowest(found: Iterable[Performance]) -> Performance | None:
    """Return the narrowest of those that are not liberal; of equals the first."""
    return min((one for one in found if verdict(one) != LIBERAL), key=lambda one: one.width, default=None)


def in_percent(found: Proportion) -> str:
    """Return a share with its standard error."""
    error = math.sqrt(found.value * (1.0 - found.value) / found.total)
    return f"{percent(found.value)} ± {percent(error)}"


def stated(found: Proportion) -> str:
    """Return a share with its interval, for a sentence."""
    return f"{percent(found.value)} % [{percent(found.low)}, {percent(found.high)}]"


def nominal(level: float) -> str:
    """Return a level in percent, with all its digits and without the sign."""
    return f"{100.0 * level:g}"
