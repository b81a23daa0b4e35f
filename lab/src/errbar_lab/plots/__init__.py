"""Plots of the studies, each computed apart from the drawing."""

from errbar_lab.plots._atlas import atlas, atlas_of
from errbar_lab.plots._canvas import draw, svg
from errbar_lab.plots._coverage import calibration, calibration_of, coverage, coverage_of
from errbar_lab.plots._figure1 import figure1, figure1_of
from errbar_lab.plots._habitat import habitat, habitat_of
from errbar_lab.plots._panels import StudyChart
from errbar_lab.plots._study import study, study_of
from errbar_lab.plots._table1 import table1, table1_of
from errbar_lab.plots._table2 import table2, table2_of

__all__ = [
    "StudyChart",
    "atlas",
    "atlas_of",
    "calibration",
    "calibration_of",
    "coverage",
    "coverage_of",
    "draw",
    "figure1",
    "figure1_of",
    "habitat",
    "habitat_of",
    "study",
    "study_of",
    "svg",
    "table1",
    "table1_of",
    "table2",
    "table2_of",
]
