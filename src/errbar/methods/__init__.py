"""Methods: each a pure function of a view, to which the registry adds level, null and alternative.

One file each, or for two that share a form of variance of their own; the import below enters them.
"""

from errbar.methods import evidence
from errbar.methods._auc import bootstrap_auc, delong
from errbar.methods._bayes_correlated_t import bayes_correlated_t
from errbar.methods._bootstrap import bootstrap
from errbar.methods._bootstrap_benchmark import bootstrap_benchmark
from errbar.methods._cluster_t import cluster_t
from errbar.methods._core.answer import Answer, GlobalAnswer
from errbar.methods._core.infer import infer, overall
from errbar.methods._core.looks import look_alpha
from errbar.methods._core.registry import GLOBAL_TESTS, METHODS, Method, catalogue, lookup, register
from errbar.methods._core.strata import between_strata
from errbar.methods._core.suitable import Suitability, suitable
from errbar.methods._corrected_t import corrected_t, resampled_t
from errbar.methods._crossed_or import ObuchowskiRockette, crossed_or
from errbar.methods._crossed_t import crossed_t
from errbar.methods._cv_t import cv_jackknife, cv_t
from errbar.methods._cv_wald import cv_wald
from errbar.methods._data_sets import (
    bayes_sign,
    bayes_signed_rank,
    friedman,
    sign_test,
    wilcoxon,
)
from errbar.methods._diebold_mariano import diebold_mariano
from errbar.methods._error_rates import (
    binomial,
    cochran_q,
    mcnemar,
    paired_proportions,
    two_proportion_z,
)
from errbar.methods._five_by_two import five_by_two_f, five_by_two_t
from errbar.methods._halves import conservative_z, halved_kfold_t, rho_from_halves
from errbar.methods._holdout_t import holdout_t
from errbar.methods._kfold_t import (
    RhoSensitivity,
    correlation_from_rho,
    kfold_t,
    rho_from_correlation,
    rho_sensitivity,
    rho_threshold,
)
from errbar.methods._kfold_theta import KFoldVariance, kfold_theta, kfold_variance
from errbar.methods._nested_cv import nested_cv
from errbar.methods._out_of_bag import bootstrap_632, bootstrap_632_plus, oob_bootstrap
from errbar.methods._outperformance import outperformance
from errbar.methods._part_jackknife import part_jackknife
from errbar.methods._permutation import permutation
from errbar.methods._ppi import ppi
from errbar.methods._replace_one import replace_one

__all__ = [
    "GLOBAL_TESTS",
    "METHODS",
    "Answer",
    "GlobalAnswer",
    "KFoldVariance",
    "Method",
    "ObuchowskiRockette",
    "RhoSensitivity",
    "Suitability",
    "bayes_correlated_t",
    "bayes_sign",
    "bayes_signed_rank",
    "between_strata",
    "binomial",
    "bootstrap",
    "bootstrap_632",
    "bootstrap_632_plus",
    "bootstrap_auc",
    "bootstrap_benchmark",
    "catalogue",
    "cluster_t",
    "cochran_q",
    "conservative_z",
    "corrected_t",
    "correlation_from_rho",
    "crossed_or",
    "crossed_t",
    "cv_jackknife",
    "cv_t",
    "cv_wald",
    "delong",
    "diebold_mariano",
    "evidence",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "halved_kfold_t",
    "holdout_t",
    "infer",
    "kfold_t",
    "kfold_theta",
    "kfold_variance",
    "look_alpha",
    "lookup",
    "mcnemar",
    "nested_cv",
    "oob_bootstrap",
    "outperformance",
    "overall",
    "paired_proportions",
    "part_jackknife",
    "permutation",
    "ppi",
    "register",
    "replace_one",
    "resampled_t",
    "rho_from_correlation",
    "rho_from_halves",
    "rho_sensitivity",
    "rho_threshold",
    "sign_test",
    "suitable",
    "two_proportion_z",
    "wilcoxon",
]
