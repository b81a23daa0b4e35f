"""Faults in functions that methods share, and in what stands around the methods: the wrong function for the right one."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from errbar._check import FloatArray
from tests.faults.fault import Fault, laws, of_function

_HOME = "tests/methods/test_"
_PIVOT = (laws("corrected-t"), f"{_HOME}reference.py", f"{_HOME}properties.py")
_BLOCKS = (f"{_HOME}kfold_theta.py", f"{_HOME}rho.py", f"{_HOME}conservative_z.py")
_RHO = (f"{_HOME}rho.py", f"{_HOME}bayes_correlated_t.py")
_RESAMPLE = (f"{_HOME}resample.py", f"{_HOME}bootstrap.py", f"{_HOME}permutation.py")
_AREAS = (f"{_HOME}ranking.py", f"{_HOME}delong.py")
_RANKS = (f"{_HOME}bootstrap_benchmark.py -k TestFriedman", "tests/test_datasets.py")
_BAGS = (f"{_HOME}out_of_bag.py",)
_FIXED = (f"{_HOME}fixed_hypotheses.py",)
_DATA_SETS = ("tests/test_datasets.py",)
_PLANNING = ("tests/test_planning.py",)
_PLANS = ("tests/test_plans_of_the_catalogue.py", "tests/test_plans.py")


def _times(factor: float) -> Any:
    return lambda right, *given, **options: factor * right(*given, **options)


def _negative(right: Any, *given: Any, **options: Any) -> Any:
    return -right(*given, **options)


def _squared(right: Any, *given: Any, **options: Any) -> Any:
    return right(*given, **options) ** 2


def _other_order(right: Any, *given: Any, **options: Any) -> Any:
    return (
        type(found)(found[::-1])
        if isinstance(found := right(*given, **options), (list, tuple))
        else found[::-1]
    )


def _swapped(right: Any, first: Any, second: Any, *rest: Any, **options: Any) -> Any:
    return right(second, first, *rest, **options)


def _opposite(right: Any, law: Any, asked: float, alternative: str) -> Any:
    return right(law, asked, {"less": "greater", "greater": "less"}.get(alternative, alternative))


def _as_one_sided(right: Any, law: Any, level: float, alternative: str) -> Any:
    return right(
        law, max(0.01, 2.0 * level - 1.0) if alternative == "two-sided" else level, alternative
    )


def _as_two_sided(right: Any, law: Any, level: float, alternative: str) -> Any:
    return right(law, level if alternative == "two-sided" else 0.5 + level / 2, alternative)


def _half(right: Any, law: Any, null: float, alternative: str) -> float:
    return right(law, null, alternative) / (2.0 if alternative == "two-sided" else 1.0)


def _uncentred(right: Any, values: FloatArray, divisor: int | None = None) -> float:
    return float(values @ values) / (divisor or values.size - 1)


def _same_repeat(right: Any, rows: Any, folds: int, repeat: int) -> Any:
    return right(rows, folds, 0)


def _as_first(right: Any, *args: Any, period: int | None) -> Any:
    """Return halves of which only the first is right, in each halving or in the first."""
    found = list(right(*args))
    halves = [examples for _, examples in found]
    for k, (labels, _) in enumerate(found):
        yield labels, halves[k % 2 if period is None else k - k % period]


def _shifted(law: Any, by: int) -> Any:
    return type(law)(law.ordered, law.always + by, law.centre, law.acceleration)


SHARED: tuple[Fault, ...] = tuple(
    fault
    for path, tests, mistakes in (
        (
            "methods.distributions.variance",
            _PIVOT,
            {
                "divisor n by default": lambda right, x, divisor=None: right(x, divisor or x.size),
                "not centred": _uncentred,
                "of rounding": lambda right, x, divisor=None: (
                    float(np.var(x)) * x.size / (divisor or x.size - 1)
                ),
            },
        ),
        (
            "methods.distributions.quantile",
            _PIVOT,
            {"normal for t": lambda _, p, df: float(special.ndtri(p)), "other tail": _negative},
        ),
        (
            "methods.distributions.lower_tail",
            _PIVOT,
            {
                "normal for t": lambda _, t, df: float(special.ndtr(t)),
                "upper tail": lambda right, t, df: right(-t, df),
            },
        ),
        (
            "methods.distributions.standardised",
            _PIVOT,
            {
                "wrong sign": _negative,
                "null left out": lambda right, estimate, se, _: right(estimate, se, 0.0),
            },
        ),
        (
            "methods.distributions:Law.interval",
            _PIVOT,
            {
                "one-sided for two": _as_one_sided,
                "two-sided for one": _as_two_sided,
                "ends swapped": _opposite,
            },
        ),
        (
            "methods.distributions:Law.pvalue",
            _PIVOT,
            {"tails swapped": _opposite, "one tail for two": _half},
        ),
        (
            "methods.variance.odds_of_correlation",
            _RHO,
            {"r for its odds": lambda right, s, r: right(s, r) if r is None else r},
        ),
        (
            "methods._folds.rho_from_correlation",
            _RHO,
            {
                "K for K - 1": lambda _, r, k: k * r / (1 + k * r),
                "K left out": lambda right, r, k: right(r, k) / k,
            },
        ),
        (
            "methods._folds.correlation_from_rho",
            _RHO,
            {"wrong sign": lambda _, r, k: r / (k + (k - 1) * r)},
        ),
        (
            "methods.variance.variances_within",
            _BLOCKS,
            {"within mixed with total": lambda right, x, group, count: right(x, 0 * group, count)},
        ),
        (
            "methods._splits.error_of_halves",
            _BLOCKS,
            {"factor 2 left out": _times(math.sqrt(2.0)), "no root": _squared},
        ),
        (
            "methods._folds.rho_threshold",
            (f"{_HOME}rho.py",),
            {
                "wrong sign": _negative,
                "ratio not squared": lambda right, s, **o: (
                    1.0 - math.sqrt(max(0.0, 1.0 - right(s, **o)))
                ),
            },
        ),
        (
            "methods._splits.rho_of_halves",
            (f"{_HOME}rho.py",),
            {"ratio not squared": _squared},
        ),
        ("methods.distributions:Bootstrapped.se", _RESAMPLE, {"no root": _squared}),
        ("methods.distributions:Bootstrapped.bias", _RESAMPLE, {"wrong sign": _negative}),
        (
            "methods.distributions:ConfidenceDistribution.tails",
            _RESAMPLE,
            {"one more beyond": lambda right, law, null: right(_shifted(law, 1), null)},
        ),
        (
            "methods.distributions.bca",
            _RESAMPLE,
            {
                "acceleration left out": lambda right, sample, _: right(sample, 0.0),
                "acceleration turned round": lambda right, sample, a: right(sample, -a),
            },
        ),
        (
            "methods.distributions.basic",
            _RESAMPLE,
            {"not reflected": lambda right, s: type(right(s))(np.sort(s.distribution))},
        ),
        (
            "methods.distributions.least_resamples",
            _RESAMPLE,
            {"one too few": lambda right, *a: right(*a) - 1},
        ),
        (
            "methods._core.resample.bootstrap_means",
            _RESAMPLE,
            {
                "sums for means": lambda right, x, *a: x.size * right(x, *a),
                "drawn without one": lambda right, x, *a: right(np.sort(x)[:-1], *a),
            },
        ),
        (
            "methods._core.resample.acceleration",
            _RESAMPLE,
            {"wrong sign": _negative, "factor 6 left out": _times(6.0)},
        ),
        (
            "methods._core.resample.flip_means",
            _RESAMPLE,
            {
                "one too many beyond": lambda right, *a: _shifted(right(*a), 1),
                "one too few": lambda right, *a: _shifted(right(*a), -1),
            },
        ),
        ("methods._test_set.placements", _AREAS, {"classes swapped": _other_order}),
        (
            "methods._test_set.resampled_areas",
            _AREAS,
            {"wrong sign": lambda right, *a: -right(*a)},
        ),
        (
            "methods._data_sets.midranks",
            _RANKS,
            {"best last": lambda right, x: right(-x), "over blocks": lambda right, x: right(x.T).T},
        ),
        (
            "methods._data_sets.friedman_of",
            _RANKS,
            {
                "k for k - 1": lambda right, r: right(r)._replace(
                    chi2=right(r).chi2 * r.shape[1] / (r.shape[1] - 1)
                )
            },
        ),
        (
            "methods._out_of_bag.error",
            _BAGS,
            {"mean over losses": lambda _, x, losses: float(x.mean())},
        ),
        (
            "methods._out_of_bag.spread",
            _BAGS,
            {
                "no noise": lambda right, *a: (right(*a)[0], 0.0),
                "divisor B of the noise": lambda right, x, b: (
                    right(x, b)[0],
                    right(x, b)[1] * (1 - 1 / b.samples),
                ),
            },
        ),
        (
            "methods.distributions.wilson_end",
            _FIXED,
            {"without its centre": lambda right, x, n, z: 2 * x / n - right(x, n, -z)},
        ),
        (
            "methods.distributions.at_most",
            _FIXED,
            {"below": lambda right, x, n, p: right(x - 1, n, p)},
        ),
        (
            "methods.distributions.at_least",
            _FIXED,
            {"above": lambda right, x, n, p: right(x + 1, n, p)},
        ),
        (
            "methods._data_sets._cut_by_law",
            _DATA_SETS,
            {"one too many": lambda right, law: lambda error: right(law)(error) + 1},
        ),
        (
            "datasets.critical_difference",
            _DATA_SETS,
            {
                "without root of 2": _times(math.sqrt(2.0)),
                "at 95 %": lambda right, k, n, level=0.95: right(k, n),
            },
        ),
        ("datasets._rank_error", _DATA_SETS, {"k and N swapped": _swapped}),
        (
            "simultaneous._holm",
            ("tests/test_adjust.py",),
            {"bonferroni": lambda _, p: np.minimum(1.0, p.size * p)},
        ),
        (
            "simultaneous._hommel",
            ("tests/test_adjust.py",),
            {"bonferroni": lambda _, p: np.minimum(1.0, p.size * p)},
        ),
        (
            "simultaneous.pairs_of",
            ("tests/test_adjust.py",),
            {"other way round": lambda right, *a: [pair[::-1] for pair in right(*a)]},
        ),
        (
            "margins.within",
            ("tests/test_margins.py",),
            {
                "twice as wide": lambda right, ask, key, margin, level: right(
                    ask, key, 2 * margin, level
                )
            },
        ),
        (
            "planning.upper_tail",
            _PLANNING,
            {"wrong sign of the shift": lambda right, t, df, shift: right(t, df, -shift)},
        ),
        (
            "planning:SplitComponents.sources",
            _PLANNING,
            {"overlap left out": lambda right, *a: right(*a) | {"example": 0.0}},
        ),
        (
            "planning:StudentTest.critical",
            _PLANNING,
            {"one degree of freedom too many": lambda right, test, df: right(test, df + 1)},
        ),
        ("planning:StudentTest.towards", _PLANNING, {"wrong sign": _negative}),
        (
            "planning:Components.outer_interval",
            _PLANNING,
            {"ends swapped": _other_order},
        ),
        ("plans._base:Rows.partition", _PLANS, {"same folds in all repeats": _same_repeat}),
        (
            "plans._plans._halves",
            _PLANS,
            {
                "same half twice": lambda right, *a: _as_first(right, *a, period=2),
                "same in all halvings": lambda right, *a: _as_first(right, *a, period=None),
            },
        ),
        (
            "plans._plans:Bootstrap.drawn",
            ("tests/test_bootstrap_plan.py",),
            {
                "tested on the training set": lambda right, *a: (
                    replace(split, test=np.unique(split.train)) for split in right(*a)
                )
            },
        ),
        (
            "plans._base:LeftOut.train",
            _PLANS,
            {
                "outer fold left in": lambda right, split: np.setdiff1d(
                    np.arange(split.n), split.test
                )
            },
        ),
        (
            "methods.variance.ratio_of_sizes",
            (f"{_HOME}reference.py",),
            {"n1 and n2 swapped": lambda right, view: 1.0 / right(view)},
        ),
        (
            "methods._splits.five_by_two",
            (f"{_HOME}reference.py",),
            {"without their half": lambda right, view: (right(view)[0], 2.0 * right(view)[1])},
        ),
        ("methods._core.inputs:Discordance.difference", _FIXED, {"wrong sign": _negative}),
    )
    for fault in of_function(path, tests, mistakes)
)
