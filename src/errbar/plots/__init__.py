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

__all__ = [
    "Bar",
    "Forest",
    "Paths",
    "differences",
    "differences_of",
    "draw",
    "estimates",
    "estimates_of",
    "paired_splits",
    "paired_splits_of",
    "svg",
]
