# The public names, for type checkers, and at run time for `errbar_lab.__getattr__`.

from errbar_lab import plots as plots
from errbar_lab._atlas import (
    atlas as atlas,
    read_atlas as read_atlas,
)
from errbar_lab._experiment import (
    Analysis as Analysis,
    ExpectedRisk as ExpectedRisk,
    Experiment as Experiment,
    Problem as Problem,
    expected_risks as expected_risks,
)
from errbar_lab._study import (
    Study as Study,
)
from errbar_lab._summary import (
    Interval as Interval,
    Performance as Performance,
    Proportion as Proportion,
    summary as summary,
)
from errbar_lab.learners import (
    DistortedNearestNeighbour as DistortedNearestNeighbour,
    GiniTree as GiniTree,
    LeastSquares as LeastSquares,
    SplusTree as SplusTree,
)
from errbar_lab.loaders import (
    binary_covertype as binary_covertype,
    binary_letter as binary_letter,
    load_covertype as load_covertype,
    load_letter as load_letter,
)
from errbar_lab.populations import (
    FinitePopulation as FinitePopulation,
    Friedman1 as Friedman1,
    GaussianClassification as GaussianClassification,
    GaussianRegression as GaussianRegression,
    Population as Population,
    Sample as Sample,
)
from errbar_lab.studies.coverage import (
    calibrate as calibrate,
    coverage as coverage,
)
from errbar_lab.studies.figure1 import (
    figure1 as figure1,
)
from errbar_lab.studies.habitat import (
    habitat as habitat,
)
from errbar_lab.studies.problems import (
    PROBLEMS as PROBLEMS,
    problem as problem,
)
from errbar_lab.studies.table1 import (
    table1 as table1,
)
from errbar_lab.studies.table2 import (
    table2 as table2,
)
