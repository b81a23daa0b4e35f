"""Plots: each computed apart from the drawing, from plain arrays as well as from results, on axes of your own."""

from errbar.plots._canvas import draw, svg
from errbar.plots._comparison import (
    Bar,
    Forest,
    Paths,
    differences,
    differences_of,
    estimates,
    estimates_of,
    paired_splits,
    paired_splits_of,
)
from errbar.plots._power import PowerLine, PowerLines, power, power_of
from errbar.plots._ranks import CriticalDifference, critical_difference, critical_difference_of
from errbar.plots._rho import RhoCurve, RhoMark, rho_sensitivity, rho_sensitivity_of

__all__ = [
    "Bar",
    "CriticalDifference",
    "Forest",
    "Paths",
    "PowerLine",
    "PowerLines",
    "RhoCurve",
    "RhoMark",
    "critical_difference",
    "critical_difference_of",
    "differences",
    "differences_of",
    "draw",
    "estimates",
    "estimates_of",
    "paired_splits",
    "paired_splits_of",
    "power",
    "power_of",
    "rho_sensitivity",
    "rho_sensitivity_of",
    "svg",
]
