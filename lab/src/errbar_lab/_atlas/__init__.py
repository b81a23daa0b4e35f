"""The atlas: many methods on many real tables and simulated problems, with the truth known."""

from errbar_lab._atlas._problems import PROBLEMS, SIZES, Problem
from errbar_lab._atlas._study import atlas, read_atlas
from errbar_lab._atlas._summary import SUBJECTS, about, by_level, by_method, cells, own_truth

__all__ = [
    "PROBLEMS",
    "SIZES",
    "SUBJECTS",
    "Problem",
    "about",
    "atlas",
    "by_level",
    "by_method",
    "cells",
    "own_truth",
    "read_atlas",
]
