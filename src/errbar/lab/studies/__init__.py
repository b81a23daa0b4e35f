"""Simulation studies of methods: each a page that states what is varied, what is recorded and how it is summarised."""

from errbar.lab.studies._advice import Recommendation
from errbar.lab.studies._calibrate import Calibration, calibrate
from errbar.lab.studies._coverage import Check, CoverageStudy, coverage, every_method
from errbar.lab.studies._figure1 import Curve, Figure1, figure1, statistics as figure1_statistics
from errbar.lab.studies._habitat import Habitat, habitat
from errbar.lab.studies._problems import PROBLEMS, Problem, problem
from errbar.lab.studies._study import SimulationStudy, StudyTable
from errbar.lab.studies._table1 import Table1, VarianceRatio, table1
from errbar.lab.studies._table2 import Row, Table2, table2

__all__ = [
    "PROBLEMS",
    "Calibration",
    "Check",
    "CoverageStudy",
    "Curve",
    "Figure1",
    "Habitat",
    "Problem",
    "Recommendation",
    "Row",
    "SimulationStudy",
    "StudyTable",
    "Table1",
    "Table2",
    "VarianceRatio",
    "calibrate",
    "coverage",
    "every_method",
    "figure1",
    "figure1_statistics",
    "habitat",
    "problem",
    "table1",
    "table2",
]
