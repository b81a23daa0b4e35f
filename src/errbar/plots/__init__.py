"""Plots: each computed apart from the drawing, from plain arrays as well as from results, on axes of your own."""

from errbar.plots._canvas import draw, svg
from errbar.plots._clusters import ClusterMeans, clusters, clusters_of
from errbar.plots._components import ErrorParts, ErrorSources, components, components_of
from errbar.plots._forest import Bar, Forest, differences, differences_of, estimates, estimates_of
from errbar.plots._matrix import comparison_matrix, comparison_matrix_of
from errbar.plots._matrix_chart import ComparisonMatrix
from errbar.plots._paths import Paths, paired_splits, paired_splits_of
from errbar.plots._posterior import PosteriorDensity, posterior, posterior_of
from errbar.plots._power import PowerLine, PowerLines, power, power_of
from errbar.plots._ranks import CriticalDifference, critical_difference, critical_difference_of
from errbar.plots._rho import RhoCurve, RhoMark, rho_sensitivity, rho_sensitivity_of
from errbar.plots._ternary import Ternary, ternary, ternary_of

__all__ = [
    "Bar",
    "ClusterMeans",
    "ComparisonMatrix",
    "CriticalDifference",
    "ErrorParts",
    "ErrorSources",
    "Forest",
    "Paths",
    "PosteriorDensity",
    "PowerLine",
    "PowerLines",
    "RhoCurve",
    "RhoMark",
    "Ternary",
    "clusters",
    "clusters_of",
    "comparison_matrix",
    "comparison_matrix_of",
    "components",
    "components_of",
    "critical_difference",
    "critical_difference_of",
    "differences",
    "differences_of",
    "draw",
    "estimates",
    "estimates_of",
    "paired_splits",
    "paired_splits_of",
    "posterior",
    "posterior_of",
    "power",
    "power_of",
    "rho_sensitivity",
    "rho_sensitivity_of",
    "svg",
    "ternary",
    "ternary_of",
]
