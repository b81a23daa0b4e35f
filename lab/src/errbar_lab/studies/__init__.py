"""Simulation studies of methods: each a page that states what is varied, what is recorded and how it is summarised."""
# ruff: noqa: F403 - each module says itself which of its names are public

from errbar_lab.studies import (
    _advice,
    _calibrate,
    _calibration,
    _coverage,
    _figure1,
    _habitat,
    _problems,
    _table1,
    _table2,
)
from errbar_lab.studies._advice import *
from errbar_lab.studies._calibrate import *
from errbar_lab.studies._calibration import *
from errbar_lab.studies._coverage import *
from errbar_lab.studies._figure1 import *
from errbar_lab.studies._habitat import *
from errbar_lab.studies._problems import *
from errbar_lab.studies._table1 import *
from errbar_lab.studies._table2 import *

__all__: list[str] = []
__all__ += _advice.__all__
__all__ += _calibrate.__all__
__all__ += _calibration.__all__
__all__ += _coverage.__all__
__all__ += _figure1.__all__
__all__ += _habitat.__all__
__all__ += _problems.__all__
__all__ += _table1.__all__
__all__ += _table2.__all__
