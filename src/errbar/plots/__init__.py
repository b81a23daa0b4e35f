"""Four pictures: intervals, curves, ranks and pairs, drawn with matplotlib on axes of your own or on new ones."""

from errbar.plots._axes import STYLE
from errbar.plots._curves import curves
from errbar.plots._intervals import intervals
from errbar.plots._pairs import matrix, ranks

__all__ = [
    "STYLE",
    "curves",
    "intervals",
    "matrix",
    "ranks",
]
