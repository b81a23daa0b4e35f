"""Methods: each a pure function of a view, to which the registry adds level, null and alternative.

One file for each kind of numbers: splits, folds, one test set, seeds, ...; the import below enters
them. Names stand in the stub.
"""

from errbar._lazy import names_in_stub
from errbar.methods import (  # noqa: F401 - each enters its methods
    _data_sets,
    _dependent,
    _error_rates,
    _folds,
    _jackknife,
    _out_of_bag,
    _splits,
    _test_set,
)

__all__, __getattr__ = names_in_stub(__name__, __file__)
