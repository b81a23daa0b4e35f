# The public names of `errbar.methods`, for type checkers, and at run time for its `__getattr__`.
from errbar.methods import evidence as evidence
from errbar.methods._core.infer import (
    Suitability as Suitability,
    infer as infer,
    overall as overall,
    suitable as suitable,
)
from errbar.methods._core.looks import look_alpha as look_alpha
from errbar.methods._core.registry import (
    GLOBAL_TESTS as GLOBAL_TESTS,
    METHODS as METHODS,
    Method as Method,
    catalogue as catalogue,
    lookup as lookup,
    register as register,
)
from errbar.methods._data_sets import (
    bayes_sign as bayes_sign,
    bayes_signed_rank as bayes_signed_rank,
    data_sets_t as data_sets_t,
    friedman as friedman,
    sign_test as sign_test,
    wilcoxon as wilcoxon,
)
from errbar.methods._dependent import (
    cluster_t as cluster_t,
    crossed_or as crossed_or,
    crossed_t as crossed_t,
    diebold_mariano as diebold_mariano,
    obuchowski_rockette as obuchowski_rockette,
    two_way_t as two_way_t,
)
from errbar.methods._error_rates import (
    binomial as binomial,
    cochran_q as cochran_q,
    mcnemar as mcnemar,
    paired_proportions as paired_proportions,
    two_proportion_z as two_proportion_z,
)
from errbar.methods._folds import (
    RhoSensitivity as RhoSensitivity,
    correlation_from_rho as correlation_from_rho,
    cv_t as cv_t,
    cv_wald as cv_wald,
    kfold_t as kfold_t,
    kfold_theta as kfold_theta,
    kfold_variance as kfold_variance,
    nested_cv as nested_cv,
    part_jackknife as part_jackknife,
    replace_one as replace_one,
    rho_from_correlation as rho_from_correlation,
    rho_sensitivity as rho_sensitivity,
    rho_threshold as rho_threshold,
)
from errbar.methods._jackknife import cv_jackknife as cv_jackknife
from errbar.methods._out_of_bag import (
    bootstrap_632 as bootstrap_632,
    bootstrap_632_plus as bootstrap_632_plus,
    oob_bootstrap as oob_bootstrap,
)
from errbar.methods._splits import (
    bayes_correlated_t as bayes_correlated_t,
    bootstrap_benchmark as bootstrap_benchmark,
    conservative_z as conservative_z,
    corrected_t as corrected_t,
    five_by_two_f as five_by_two_f,
    five_by_two_t as five_by_two_t,
    halved_kfold_t as halved_kfold_t,
    outperformance as outperformance,
    resampled_t as resampled_t,
    welch_t as welch_t,
)
from errbar.methods._test_set import (
    bootstrap as bootstrap,
    bootstrap_auc as bootstrap_auc,
    delong as delong,
    holdout_t as holdout_t,
    known as known,
    permutation as permutation,
    ppi as ppi,
)
from errbar.methods.distributions import Answer as Answer
from errbar.methods.variance import between_strata as between_strata
