"""Methods: each a pure function of a view, to which the registry adds level, null and alternative.

One file for each kind of numbers: splits, folds, one test set, seeds, ...; the import below enters
them.
"""

from errbar.methods import evidence
from errbar.methods._core.answer import Answer
from errbar.methods._core.infer import infer, overall
from errbar.methods._core.looks import look_alpha
from errbar.methods._core.registry import GLOBAL_TESTS, METHODS, Method, catalogue, lookup, register
from errbar.methods._core.strata import between_strata
from errbar.methods._core.suitable import Suitability, suitable
from errbar.methods._data_sets import (
    bayes_sign,
    bayes_signed_rank,
    data_sets_t,
    friedman,
    sign_test,
    wilcoxon,
)
from errbar.methods._dependent import (
    cluster_t,
    crossed_or,
    crossed_t,
    diebold_mariano,
    obuchowski_rockette,
    two_way_t,
)
from errbar.methods._error_rates import (
    binomial,
    cochran_q,
    mcnemar,
    paired_proportions,
    two_proportion_z,
)
from errbar.methods._folds import (
    RhoSensitivity,
    correlation_from_rho,
    cv_t,
    cv_wald,
    kfold_t,
    kfold_theta,
    kfold_variance,
    nested_cv,
    part_jackknife,
    replace_one,
    rho_from_correlation,
    rho_sensitivity,
    rho_threshold,
)
from errbar.methods._jackknife import cv_jackknife
from errbar.methods._out_of_bag import bootstrap_632, bootstrap_632_plus, oob_bootstrap
from errbar.methods._splits import (
    bayes_correlated_t,
    bootstrap_benchmark,
    conservative_z,
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    halved_kfold_t,
    outperformance,
    resampled_t,
    welch_t,
)
from errbar.methods._test_set import (
    bootstrap,
    bootstrap_auc,
    delong,
    holdout_t,
    known,
    permutation,
    ppi,
)

__all__ = [
    "GLOBAL_TESTS",
    "METHODS",
    "Answer",
    "Method",
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
    "data_sets_t",
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
    "known",
    "look_alpha",
    "lookup",
    "mcnemar",
    "nested_cv",
    "obuchowski_rockette",
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
    "rho_sensitivity",
    "rho_threshold",
    "sign_test",
    "suitable",
    "two_proportion_z",
    "two_way_t",
    "welch_t",
    "wilcoxon",
]
