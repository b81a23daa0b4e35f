"""The atlas: many methods on many real tables and simulated problems, with the truth known."""

from errbar_lab._atlas._problems import PROBLEMS, SIZES, Problem
from errbar_lab._atlas._study import Atlas, atlas

__all__ = ["PROBLEMS", "SIZES", "Atlas", "Problem", "atlas"]
