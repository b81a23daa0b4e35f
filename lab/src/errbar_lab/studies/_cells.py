"""How numbers are written in the tables, sentences and files of studies."""

import math

from errbar_lab._summary import MeanInterval, Performance, Proportion, Ratio
from errbar_lab._verdict import UNDECIDED

Interval = Proportion | Ratio | MeanInterval


def spread_out(name: str, found: Interval) -> dict[str, float]:
    """Return a number and the ends of its interval as columns of a flat row."""
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def percent(value: float, digits: int = 1) -> str:
    """Return a share as a percentage, without the sign."""
    return f"{100.0 * value:.{digits}f}"


def share(found: Interval) -> str:
    """Return a share with its interval, in percent."""
    return f"{percent(found.value)} [{percent(found.low)}, {percent(found.high)}]"


def stated(found: Proportion) -> str:
    """Return a share with its interval, for a sentence."""
    return f"{percent(found.value)} % [{percent(found.low)}, {percent(found.high)}]"


def with_standard_error(found: Proportion) -> str:
    """Return a share with its standard error, in percent."""
    return f"{percent(found.value)} ± {percent(math.sqrt(found.value * (1.0 - found.value) / found.total))}"


def ratio(found: Ratio) -> str:
    """Return a ratio with its interval."""
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def nominal(level: float) -> str:
    """Return a level in percent, with all its digits and without the sign."""
    return f"{100.0 * level:g}"


def roughly(count: float) -> str:
    """Return a number with two digits that count, rounded up."""
    unit = 10.0 ** max(0, math.floor(math.log10(count)) - 1)
    return f"{math.ceil(count / unit) * unit:.0f}"


def verdict_in_words(one: Performance) -> str:
    """Return a verdict; of one that is undecided, about how many more data sets would tell, if any number would."""
    if one.verdict != UNDECIDED or math.isinf(one.more):
        return one.verdict
    return f"{one.verdict}: {roughly(one.more)} more"
