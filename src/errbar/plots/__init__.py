"""Four pictures: intervals, curves, ranks and pairs, drawn with matplotlib on axes of your own or on new ones."""

from errbar.plots._axes import STYLE
from errbar.plots._curves import curves
from errbar.plots._intervals import intervals
from errbar.plots._lab import study, study_of
from errbar.plots._lab_atlas import atlas, atlas_of
from errbar.plots._lab_coverage import calibration, calibration_of, coverage, coverage_of
from errbar.plots._lab_figure1 import figure1, figure1_of
from errbar.plots._lab_habitat import habitat, habitat_of
from errbar.plots._lab_panels import StudyChart
from errbar.plots._lab_table1 import table1, table1_of
from errbar.plots._lab_table2 import table2, table2_of
from errbar.plots._pairs import matrix, ranks

__all__ = [
    "STYLE",
    "StudyChart",
    "atlas",
    "atlas_of",
    "calibration",
    "calibration_of",
    "coverage",
    "coverage_of",
    "curves",
    "figure1",
    "figure1_of",
    "habitat",
    "habitat_of",
    "intervals",
    "matrix",
    "ranks",
    "study",
    "study_of",
    "table1",
    "table1_of",
    "table2",
    "table2_of",
]
