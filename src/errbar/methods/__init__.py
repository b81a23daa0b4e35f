"""Methods: each a pure function of a view that returns a `Result`. One file each; the import below enters it."""

from errbar.methods._core.infer import infer, overall
from errbar.methods._core.registry import GLOBAL_TESTS, METHODS, Method, catalogue, lookup, register
from errbar.methods._corrected_t import corrected_t
from errbar.methods._cv_wald import cv_wald
from errbar.methods._five_by_two_f import five_by_two_f
from errbar.methods._five_by_two_t import five_by_two_t
from errbar.methods._holdout_t import holdout_t
from errbar.methods._kfold_t import kfold_t, rho_threshold
from errbar.methods._resampled_t import resampled_t

__all__ = [
    "GLOBAL_TESTS",
    "METHODS",
    "Method",
    "catalogue",
    "corrected_t",
    "cv_wald",
    "five_by_two_f",
    "five_by_two_t",
    "holdout_t",
    "infer",
    "kfold_t",
    "lookup",
    "overall",
    "register",
    "resampled_t",
    "rho_threshold",
]
