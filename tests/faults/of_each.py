"""Faults in the formula of each method: the wrong formula, or the right one of the wrong numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errbar.methods import _out_of_bag as out_of_bag, crossed_or, kfold_variance
from errbar.methods._dependent import clustered, tables_of, units_of
from errbar.methods._folds import (
    moments,
    results_without_parts,
)
from errbar.methods._jackknife import training_part
from errbar.methods._splits import five_by_two, halves_of
from errbar.methods.variance import fold_variances, nested_cells
from tests.laws import remade

Wrong = Callable[..., Any]


def answer(**changes: Callable[[Any, Any, Any], Any]) -> Wrong:
    """Return a fault that replaces fields of the answer, each by a function of view, answer and options."""

    def wrong(right: Any, view: Any, options: Any) -> Any:
        said = right(view, **options)
        return replace(
            said, **{name: change(view, said, options) for name, change in changes.items()}
        )

    return wrong


def error(change: Callable[[Any, Any, Any], float]) -> Wrong:
    """Return a fault in the standard error; 0 stays 0."""
    return answer(se=lambda v, a, o: change(v, a, o) if a.se else 0.0)


def given(change: Callable[[Any], dict[str, Any]]) -> Wrong:
    """Return the fault of the right formula on a view with other columns."""
    return lambda right, view, options: right(remade(view, **change(view)), **options)


def named(**changes: Callable[[Any], Any]) -> Wrong:
    """Return the same for views that are plain dataclasses."""
    return lambda right, view, options: right(
        replace(view, **{name: change(view) for name, change in changes.items()}), **options
    )


def _of_the_examples(view: Any) -> float:
    """Return b, and leave out x."""
    folds = fold_variances(view)
    return folds.of_examples * folds.K / (folds.K - 1)


def _steady(view: Any, weight: float) -> float:
    """Return x, not below 0, without so much of the noise of single models."""
    cell, sizes = nested_cells(view)
    means = np.bincount(cell, view.value).reshape(sizes.shape) / sizes
    of_training, noise = np.mean([training_part(table) for table in means], axis=0)
    return max(0.0, fold_variances(view).of_examples + of_training - weight * noise)


@dataclass(frozen=True)
class BentLaw:
    """A law whose p-values or intervals are changed."""

    right: Any
    p: Callable[..., float] = lambda law, null, alternative: law.pvalue(null, alternative)
    ends: Callable[..., Any] = lambda law, level, alternative: law.interval(level, alternative)

    def pvalue(self, null: float, alternative: str) -> float:
        return self.p(self.right, null, alternative)

    def interval(self, level: float, alternative: str) -> Any:
        return self.ends(self.right, level, alternative)


def law(**changes: Any) -> Wrong:
    """Return a fault in the law of an answer that has one of its own."""
    return answer(law=lambda _, a, __: a.law and BentLaw(a.law, **changes))


def _size(view: Any) -> int:
    return view.value.size


def _deviation(view: Any) -> float:
    return float(np.std(view.value, ddof=1))


def _negated(view: Any) -> dict[str, Any]:
    return {"value": -view.value}


def _doubled(law: Any, null: float, alternative: str) -> float:
    return min(1.0, 2.0 * law.pvalue(null, alternative))


def _complement(law: Any, null: float, alternative: str) -> float:
    return 1.0 - law.pvalue(null, alternative)


def _tails_swapped(law: Any, null: float, alternative: str) -> float:
    return law.pvalue(null, {"less": "greater", "greater": "less"}.get(alternative, alternative))


def _one_sided_quantile(law: Any, level: float, alternative: str) -> Any:
    return law.interval(
        2.0 * level - 1.0 if alternative == "two-sided" and level > 0.5 else level, alternative
    )


def _spread_of_seeds(view: Any) -> float:
    return crossed_or(view, random="seeds").se


def _by_people(view: Any) -> float:
    return float(view.value[view.index["judge"] == 0].mean())


def _asked(view: Any) -> int:
    return int((view.index["judge"] == 0).sum())


def _of_partitions(view: Any) -> float:
    whole = results_without_parts(view)[0]
    return whole.var(ddof=1) / whole.size


def _of_half(view: Any) -> float:
    index = view.splits.index
    return float(view.splits.value[(index["half"] == 0) & (index["replaced"] < 0)].mean())


def _short(view: Any, horizon: int) -> float:
    n = view.value.size
    return math.sqrt((n - horizon) * (n - horizon + 1.0)) / n


NO_ROOT = error(lambda v, a, o: a.se**2)
BIASED = error(lambda v, a, o: a.se * math.sqrt((_size(v) - 1) / _size(v)))
NOT_OF_THE_MEAN = error(lambda v, a, o: a.se * math.sqrt(_size(v)))
OF_A_MEAN = {
    "missing square root": NO_ROOT,
    "divisor n for n - 1": BIASED,
    "spread for its error": NOT_OF_THE_MEAN,
}
BY_TAILS = {
    "tails swapped": law(p=_tails_swapped),
    "one-sided quantile for two-sided": law(ends=_one_sided_quantile),
}
POSTERIOR = {
    "sides swapped": answer(
        posterior=lambda v, a, o: dict(zip(a.posterior, [*a.posterior.values()][::-1], strict=True))
    ),
    "weight of the left side doubled": answer(
        posterior=lambda v, a, o: {**a.posterior, "left": min(1.0, 2.0 * a.posterior["left"])}
    ),
    "differences the other way round": given(_negated),
}


def _mixed(view: Any, said: Any, first: float, second: float) -> float:
    """Return a mix of training error and out-of-bag error, for a single learner."""
    if view.minus is not None:
        return said.estimate
    return first * view.training_error + second * out_of_bag.error(view.value, view)


def _nested(change: Callable[[Any, Any], float]) -> Callable[[Any, Any, Any], float]:
    return lambda v, a, o: change(moments(v), a)


WRONG: dict[str, dict[str, Wrong]] = {
    "corrected-t": {
        "missing square root": NO_ROOT,
        "divisor J for J - 1": BIASED,
        "overlap left out": error(lambda v, a, o: _deviation(v) / math.sqrt(_size(v))),
        "1/J left out": error(
            lambda v, a, o: math.sqrt(max(0.0, a.se**2 - _deviation(v) ** 2 / _size(v)))
        ),
    },
    "resampled-t": OF_A_MEAN,
    "kfold-t": {
        "missing square root": NO_ROOT,
        "divisor K for K - 1": BIASED,
        "factor for divisor": error(lambda v, a, o: a.se * (1.0 - o.get("rho", 0.0))),
        "wrong sign of rho": error(
            lambda v, a, o: a.se * math.sqrt((1.0 - o.get("rho", 0.0)) / (1.0 + o.get("rho", 0.0)))
        ),
    },
    "5x2cv-t": {
        "mean of all for the first score": answer(estimate=lambda v, a, o: float(v.value.mean())),
        "second fold for the first": answer(
            estimate=lambda v, a, o: float(five_by_two(v)[0][0, 1])
        ),
        "ten scores for five variances": error(lambda v, a, o: a.se / math.sqrt(2.0)),
        "nine degrees of freedom": answer(df=lambda v, a, o: 9),
    },
    "5x2cv-f": {
        "lower tail for upper": law(p=_complement),
        "quantile of half the error": law(
            ends=lambda law, level, _: law.interval(0.5 + level / 2, "two-sided")
        ),
        "ten scores for five variances": error(lambda v, a, o: a.se / math.sqrt(2.0)),
        "factor 2 left out": answer(statistic=lambda v, a, o: lambda null: 2.0 * a.statistic(null)),
        "degrees of freedom swapped": answer(df=lambda v, a, o: a.df[::-1]),
    },
    "bayes-correlated-t": {
        **POSTERIOR,
        "divisor J for J - 1": BIASED,
        "overlap left out": error(lambda v, a, o: _deviation(v) / math.sqrt(_size(v))),
    },
    "bootstrap-benchmark": OF_A_MEAN,
    "welch-t": {
        "missing square root": NO_ROOT,
        "pooled degrees of freedom": answer(df=lambda v, a, o: a.n_splits - len(v.each)),
        "runs taken for pairs": error(
            lambda v, a, o: math.sqrt(min(one.value.var(ddof=1) / one.value.size for one in v.each))
        ),
    },
    "holdout-t": OF_A_MEAN,
    "cv-wald": {
        "missing square root": NO_ROOT,
        "number of folds for number of examples": error(
            lambda v, a, o: a.se * math.sqrt(_size(v) / v.folds)
        ),
        "divisor n - 1 for all pairs": error(
            lambda v, a, o: a.se * math.sqrt(_size(v) / (_size(v) - 1))
        ),
    },
    "cluster-t": {
        "examples taken for independent": error(
            lambda v, a, o: math.sqrt(
                units_of(clustered(v)).squared_error_alone(clustered(v).value)
            )
        ),
        "shares of clusters left out": error(
            lambda v, a, o: math.sqrt(
                np.square(units_of(clustered(v)).sums(clustered(v).value)).sum()
            )
        ),
        "one degree of freedom less than clusters": answer(
            df=lambda v, a, o: units_of(clustered(v)).count - 1.0
        ),
    },
    "crossed-t": {
        "missing square root": NO_ROOT,
        "seeds left out": error(
            lambda v, a, o: math.sqrt(max(a.se**2 - a.components["seed"], 0.0))
        ),
        "degrees of freedom of the examples": answer(df=lambda v, a, o: tables_of(v).units.df),
    },
    "crossed-or": {
        "missing square root": NO_ROOT,
        "covariances left out": error(lambda v, a, o: _spread_of_seeds(v)),
        "degrees of freedom of the seeds": answer(df=lambda v, a, o: v.count("seed") - 1.0),
    },
    "diebold-mariano": {
        "missing square root": NO_ROOT,
        "correction for short series left out": error(
            lambda v, a, o: a.se * _short(v, o.get("horizon", 1))
        ),
        "n degrees of freedom": answer(df=lambda v, a, o: a.df + 1),
    },
    "two-way-t": {
        "missing square root": NO_ROOT,
        "clusters alone": error(
            lambda v, a, o: math.sqrt(a.components["cluster"] + a.components["example"])
        ),
        "what both share not subtracted": error(
            lambda v, a, o: math.sqrt(a.se**2 + a.components["example"])
        ),
        "least of both degrees of freedom": answer(
            df=lambda v, a, o: min(units_of(v).count, v.count("time")) - 1.0
        ),
    },
    "ppi": {
        "missing square root": NO_ROOT,
        "people alone": answer(estimate=lambda v, a, o: _by_people(v)),
        "sign of the judge": answer(estimate=lambda v, a, o: 2.0 * _by_people(v) - a.estimate),
    },
    "known": {
        "missing square root": NO_ROOT,
        "answers alone": answer(estimate=lambda v, a, o: _by_people(v)),
        "no finite board": error(
            lambda v, a, o: a.se / math.sqrt(1.0 - _asked(v) / v.count("example"))
        ),
        "m degrees of freedom": answer(df=lambda v, a, o: a.df + 1),
    },
    "kfold-theta": {
        "missing square root": NO_ROOT,
        "theta4 for theta3": error(lambda v, a, o: math.sqrt(kfold_variance(v)["theta4"])),
        "theta3 for all": error(lambda v, a, o: math.sqrt(kfold_variance(v)["theta3"])),
    },
    "cv-t": {
        "missing square root": NO_ROOT,
        "data set for training set": error(
            lambda v, a, o: a.se / math.sqrt(fold_variances(v).n / v.n_train)
        ),
        "smaller for larger": error(
            lambda v, a, o: math.sqrt(
                min(fold_variances(v).of_examples, fold_variances(v).of_folds)
                * (fold_variances(v).n / v.n_train)
            )
        ),
        "K for K - 1": answer(df=lambda v, a, o: a.df + 1),
    },
    "cv-jackknife": {
        "missing square root": NO_ROOT,
        "lower bound forgotten": error(lambda v, a, o: math.sqrt(_steady(v, 0.5))),
        "training sets left out": error(lambda v, a, o: math.sqrt(_of_the_examples(v))),
        "all noise taken out": error(
            lambda v, a, o: math.sqrt(max(_steady(v, 1.0), _of_the_examples(v)))
        ),
        "K for K - 1": answer(df=lambda v, a, o: a.df + 1),
    },
    "part-jackknife": {
        "missing square root": NO_ROOT,
        "noise of the estimate left out": error(
            lambda v, a, o: math.sqrt(a.se**2 - _of_partitions(v))
        ),
        "second order not taken off": error(
            lambda v, a, o: math.sqrt(2.0 * a.se**2 - _of_partitions(v))
        ),
        "parts for the whole": answer(
            estimate=lambda v, a, o: float(results_without_parts(v)[1].mean())
        ),
        "G for G - 1": answer(df=lambda v, a, o: a.df + 1),
    },
    "nested-cv": {
        "bias left out": answer(estimate=_nested(lambda m, a: m.inner)),
        "wrong sign of the bias": answer(estimate=_nested(lambda m, a: 2.0 * m.inner - a.estimate)),
        "outer losses for inner": answer(
            estimate=_nested(lambda m, a: a.estimate - m.inner + m.outer)
        ),
        "lower bound forgotten": error(
            _nested(lambda m, a: min(math.sqrt(max(m.mse, 1e-30)), math.sqrt(m.folds) * m.se_low))
        ),
        "upper bound forgotten": error(
            _nested(lambda m, a: max(m.se_low, math.sqrt(max(m.mse, 0.0))))
        ),
    },
    "conservative-z": {
        "missing square root": NO_ROOT,
        "factor 2 of the halves left out": error(lambda v, a, o: a.se * math.sqrt(2.0)),
        "estimate from the halves": answer(estimate=lambda v, a, o: float(halves_of(v)[2].mean())),
    },
    "halved-kfold-t": {
        "missing square root": NO_ROOT,
        "rho left out": error(lambda v, a, o: a.se * math.sqrt(1.0 - a.notes[0].numbers["rho"])),
        "estimate from the halves": answer(estimate=lambda v, a, o: float(halves_of(v)[2].mean())),
    },
    "replace-one": {
        "missing square root": NO_ROOT,
        "mean on the half for mean on all data": answer(estimate=lambda v, a, o: _of_half(v)),
        "share replaced left out": error(
            lambda v, a, o: a.se * math.sqrt((v.count("replaced") - 1) / (v.examples // 2))
        ),
        "n for n/2": error(lambda v, a, o: a.se * math.sqrt(2.0)),
    },
    "oob-bootstrap": {
        "missing square root": NO_ROOT,
        "mean over losses for mean over examples": answer(
            estimate=lambda v, a, o: float(v.value.mean())
        ),
        "training on all examples": answer(n_train=lambda v, a, o: float(v.n)),
    },
    "632": {
        "weights swapped": answer(estimate=lambda v, a, o: _mixed(v, a, 0.632, 0.368)),
        "training error left out": answer(estimate=lambda v, a, o: _mixed(v, a, 0.0, 0.632)),
        "training error for all": answer(estimate=lambda v, a, o: _mixed(v, a, 1.0, 0.0)),
    },
    "632-plus": {
        "632 for 632-plus": answer(estimate=lambda v, a, o: _mixed(v, a, 0.368, 0.632)),
        "training error left out": answer(estimate=lambda v, a, o: _mixed(v, a, 0.0, 1.0)),
        "training error for all": answer(estimate=lambda v, a, o: _mixed(v, a, 1.0, 0.0)),
    },
    "binomial": {
        **BY_TAILS,
        "share of n + 2": answer(
            estimate=lambda v, a, o: (a.estimate * _size(v) + 1.0) / (_size(v) + 2.0)
        ),
        "divisor n - 1 for n": error(lambda v, a, o: a.se * math.sqrt(_size(v) / (_size(v) - 1))),
        "hits for errors": given(lambda v: {"value": 1.0 - v.value}),
    },
    "two-proportion-z": {
        "missing square root": NO_ROOT,
        "n1 and n2 swapped": named(n_1=lambda v: v.n_2, n_2=lambda v: v.n_1),
        "rates swapped": named(error_1=lambda v: v.error_2, error_2=lambda v: v.error_1),
        "note on the same examples turned round": named(
            same_examples=lambda v: not v.same_examples
        ),
    },
    "mcnemar": {
        **BY_TAILS,
        "b and c swapped": named(b=lambda v: v.c, c=lambda v: v.b),
        "share of the discordant examples": named(n=lambda v: v.n if v.both else v.b + v.c or v.n),
        "root of the statistic": answer(
            statistic=lambda v, a, o: lambda null: math.sqrt(abs(a.statistic(null)))
        ),
    },
    "paired-proportions": {
        **BY_TAILS,
        "b and c swapped": named(b=lambda v: v.c, c=lambda v: v.b),
        "no example that both err on": named(both=lambda v: None if v.both is None else 0),
        "square of the difference left out": error(lambda v, a, o: math.sqrt(v.b + v.c) / v.size),
    },
    "cochran-q": {
        "one degree of freedom too many": answer(df=lambda v, a, o: a.df + 1),
        "blocks and learners mixed": given(lambda v: {"value": v.value.T}),
        "lower tail for upper": answer(pvalue=lambda v, a, o: 1.0 - a.pvalue),
    },
    "friedman": {
        "best learner last": given(_negated),
        "blocks and learners mixed": given(lambda v: {"value": v.value.T}),
        "lower tail for upper": answer(pvalue=lambda v, a, o: 1.0 - a.pvalue),
    },
    "delong": {
        "missing square root": NO_ROOT,
        "second model forgotten": given(lambda v: {"minus": None}),
        "scores turned round": given(_negated),
        "classes swapped": given(lambda v: {"truth": ~np.asarray(v.truth, dtype=bool)}),
    },
    "bootstrap-auc": {
        "second model forgotten": given(lambda v: {"minus": None}),
        "scores turned round": given(_negated),
        "one-sided quantile for two-sided": law(ends=_one_sided_quantile),
        "tails swapped": law(p=_tails_swapped),
    },
    "bootstrap": {
        "one-sided quantile for two-sided": law(ends=_one_sided_quantile),
        "tails swapped": law(p=_tails_swapped),
        "spread for its error": NOT_OF_THE_MEAN,
        "median for mean": answer(estimate=lambda v, a, o: float(np.median(v.value))),
    },
    "permutation": {**BY_TAILS, **OF_A_MEAN},
    "outperformance": {
        "losses counted as wins": given(_negated),
        "ties counted as wins": given(lambda v: {"value": np.where(v.value == 0.0, -1.0, v.value)}),
        "ties counted as losses": given(
            lambda v: {"value": np.where(v.value == 0.0, 1.0, v.value)}
        ),
        "one-sided quantile for two-sided": law(ends=_one_sided_quantile),
    },
    "sign-test": {
        **BY_TAILS,
        "mean for median": answer(estimate=lambda v, a, o: float(v.value.mean())),
        "root left out of the statistic": answer(
            statistic=lambda v, a, o: lambda null: a.statistic(null) ** 2
        ),
    },
    "wilcoxon": {
        **BY_TAILS,
        "median for pseudo-median": answer(estimate=lambda v, a, o: float(np.median(v.value))),
        "signs for ranks": given(lambda v: {"value": np.sign(v.value)}),
    },
    "data-sets-t": {
        "seeds counted as data sets": given(
            lambda v: {"dataset": np.arange(v.value.size), "seed": np.zeros(v.value.size, int)}
        ),
        "mean over all rows": answer(estimate=lambda v, a, o: float(v.value.mean())),
        "one degree of freedom too many": answer(df=lambda v, a, o: a.df + 1),
        "deviation for standard error": error(lambda v, a, o: a.se * math.sqrt(a.n_splits)),
    },
    "bayes-sign": POSTERIOR,
    "bayes-signed-rank": POSTERIOR,
}
