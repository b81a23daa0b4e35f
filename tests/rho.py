"""What the calculator of the documentation says of the K-fold t at many correlations between blocks."""

import numpy as np


def verdict(found):
    """What the threshold of a sensitivity means, in words."""
    risk = f"{100 * (1.0 - found.level):.6g} %"
    if found.threshold >= 1.0:
        return f"significant at the {risk} level whatever rho is"
    if found.threshold <= 0.0:
        return f"not significant at the {risk} level whatever rho is"
    return f"significant at the {risk} level unless rho exceeds {found.threshold:.3f}"


def lines(found):
    """A line for each value of rho that has a name."""
    for name, rho in sorted(found.marks.items(), key=lambda mark: mark[1]):
        i = int(np.searchsorted(found.rho, rho))
        ends = np.array([found.low[i], found.high[i]])
        # An end that is 0 but for rounding, as at the threshold, is 0.
        low, high = np.where(np.abs(ends) <= 1e-12 * abs(found.estimate), 0.0, ends)
        yield f"{name:15}{rho:6.3f}{found.pvalue[i]:12.4g}   [{low:.4g}, {high:.4g}]"
