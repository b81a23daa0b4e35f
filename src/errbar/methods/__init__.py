"""Methods: each a pure function of a view, to which the registry adds level, null and alternative.

One file for each kind of numbers: splits, folds, one test set, seeds, ... Public names stand in the
stub.
"""

from errbar._lazy import names_in_stub

__all__, __getattr__ = names_in_stub(__name__, __file__)

# To look up a method's name imports its file, which enters it into the catalogue.
list(map(__getattr__, __all__))
