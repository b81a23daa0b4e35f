"""The plot that belongs to a study of the laboratory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from errbar.errors import InvalidInputError
from errbar_lab.plots._atlas import atlas_of
from errbar_lab.plots._canvas import plot
from errbar_lab.plots._coverage import calibration_of, coverage_of
from errbar_lab.plots._figure1 import figure1_of
from errbar_lab.plots._habitat import habitat_of
from errbar_lab.plots._panels import StudyChart
from errbar_lab.plots._table1 import table1_of
from errbar_lab.plots._table2 import table2_of

if TYPE_CHECKING:
    from errbar_lab.studies._study import SimulationStudy

# By name, so that plots of anything else do not import the laboratory.
_CHARTS: dict[str, Callable[[Any], StudyChart]] = {
    "Atlas": atlas_of,
    "Calibration": calibration_of,
    "CoverageStudy": coverage_of,
    "Figure1": figure1_of,
    "Habitat": habitat_of,
    "Table1": table1_of,
    "Table2": table2_of,
}


@plot
def study(found: "SimulationStudy") -> StudyChart:
    """Draw a study of the laboratory.

    Parameters
    ----------
    found : Atlas, Figure1, Table1, Table2, Habitat, CoverageStudy or Calibration
        What a study of ``errbar_lab`` returned.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With the plot that is named after the study, or with its panels in their place.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    InvalidInputError
        If there is no plot for it.

    See Also
    --------
    atlas, figure1, table1, table2, habitat, coverage, calibration : The plots one by one.

    Examples
    --------
    >>> import errbar_lab as lab
    >>> from errbar_lab import plots
    >>> found = lab.coverage(["gaussian-regression-20"], ["holdout-t", "cv-wald"], n=60, replicates=5)
    >>> ax = plots.study(found)
    >>> ax.figure.axes[1].get_title(loc="left").strip()
    'least squares, 20 Gaussian features, n = 60'
    """
    import errbar_lab as lab

    for name, chart in _CHARTS.items():
        if isinstance(found, getattr(lab, name)):
            return chart(found)
    raise InvalidInputError(
        f"must be a study of the laboratory, one of {', '.join(_CHARTS)}, got {type(found).__name__}",
        argument="found",
    )


study_of = study.chart
