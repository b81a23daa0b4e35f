"""What the laws of `errbar.testing` are tried on: tables and views of every kind, with every value of the options."""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from errbar import testing
from errbar._check import FloatArray
from errbar.losses import Losses, MetricValues
from errbar.methods import Method
from errbar.methods._core.inputs import Discordance, OutOfBag, RankScores, TwoSamples
from errbar.methods._jackknife import Shared
from errbar.plans import NestedKFold
from errbar.testing import check_law
from tests.forms import crossed, halves, judged, left_out, replaced, ten_scores

_UNEQUAL_FOLDS = (7, 4, 9, 5, 2)

Numbers = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Handling:
    """What a law needs to know of a type of view.

    Attributes
    ----------
    make : callable
        ``make(method, rng)`` yields views for a method.
    mapped : callable or None
        ``mapped(view, f)`` returns the view with every loss x replaced by f(x), for f that maps arrays to arrays; None
        where the view does not hold losses but counts or ranks.
    swapped : callable or None
        ``swapped(view)`` returns the view with both learners exchanged; by default losses are negated, where `mapped` is
        given.
    reordered : callable or None
        ``reordered(view, rng)`` returns the same numbers in another order; None where there is no order.
    """

    make: Callable[[Method, Generator], Iterator[Any]]
    mapped: Callable[[Any, Numbers], Any] | None = None
    swapped: Callable[[Any], Any] | None = None
    reordered: Callable[[Any, Generator], Any] | None = None


def remade(view: Any, **columns: Any) -> Any:
    """Return a view of the same type with other columns; the others are kept."""
    if isinstance(view, Losses):
        return testing.remade(view, **columns)
    return type(view)(**(columns_of(view) | columns))


def columns_of(view: Any) -> dict[str, Any]:
    """Return the arguments that make a view; of a difference, those of the first learner."""
    if isinstance(view, Losses):
        return testing.columns_of(view)
    return {name: getattr(view, name) for name in inspect.signature(type(view)).parameters}


def _shuffle_columns(view: Any, rng: Generator) -> Any:
    """Put the entries of every column in another order."""
    count = len(view.value)
    order = rng.permutation(count)
    columns = columns_of(view)
    moved = {
        name: column[order] for name, column in columns.items() if np.shape(column)[:1] == (count,)
    }
    return remade(view, **(columns | moved))


def _split_scores(method: Method, rng: Generator) -> Iterator[Losses]:
    if method.own_units or method.plans == ("data-sets",):
        yield from _signed_scores(rng)
        return
    yield Losses(0.2 + 0.05 * rng.standard_normal(10), n_train=90, n_test=10)
    count = int(rng.integers(2, 30))
    n_test = rng.integers(5, 20, count)
    yield Losses(rng.standard_normal(count) - 0.5, n_train=120 - n_test, n_test=n_test)
    yield Losses(rng.gamma(1.0, size=3), n_train=[60, 50, 70], n_test=[30, 40, 20])


def _signed_scores(rng: Generator) -> Iterator[Losses]:
    """Differences of both signs, enough of them for counts and ranks to say something."""
    for count, shift in ((12, 0.2), (15, -0.4), (25, 0.0)):
        scores = shift + rng.standard_normal(count)
        scores[:2] = np.abs(scores[0]), -np.abs(scores[1])
        yield Losses(scores, n_train=90, n_test=rng.integers(5, 20, count))


def _point_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    if method.plans[0] == NestedKFold.kind:
        yield from _nested_losses(rng)
    elif method.loss == "zero-one":
        yield Losses(rng.permutation(np.arange(23) % 3 == 0).astype(float), n_train=50.0)
        yield Losses(rng.permutation(np.arange(12) == 0).astype(float))
    else:
        yield from _fold_losses(method, rng)


def _fold_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    single = method.plans == ("holdout",)
    sizes = (10,) if single else (5, 5, 5, 5) if method.key == "kfold-theta" else _UNEQUAL_FOLDS
    n = sum(sizes)
    fold = np.repeat(np.arange(len(sizes)), sizes)
    example = rng.permutation(n)
    zero_one = rng.permutation(np.arange(n) % 3 == 0).astype(float)
    yield Losses(rng.gamma(1.0, size=n), fold=fold, example=example, n_train=80.0)
    yield Losses(zero_one - rng.permutation(zero_one[::-1]) + np.eye(n)[0], fold=fold)
    if not single:
        even = rng.permutation(np.arange(24) % 4)
        yield Losses(rng.standard_normal(24), fold=even, example=np.arange(24))


def _nested_losses(rng: Generator) -> Iterator[Losses]:
    for folds, n, repeats in ((3, 14, 1), (4, 20, 2)):
        cells: list[tuple[int, int, int, int]] = []
        for repeat in range(repeats):
            parts = np.array_split(rng.permutation(n), folds)
            cells += [(k, repeat, -1, i) for k in range(folds) for i in parts[k]]
            cells += [
                (k, repeat, j, i)
                for k in range(folds)
                for j in range(folds)
                if j != k
                for i in parts[j]
            ]
        roles = zip(("fold", "repeat", "inner", "example"), np.transpose(cells), strict=True)
        yield Losses(rng.gamma(1.0, size=len(cells)), n_train=0.8 * n, **dict(roles))


def _cluster_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    cluster = np.repeat(np.arange(7), (3, 6, 1, 4, 2, 9, 5))
    shared = rng.standard_normal(7)[cluster]
    yield Losses(shared + rng.gamma(1.0, size=30), group=cluster, n_train=80.0)
    yield Losses(rng.permutation(np.arange(24) % 3 == 0).astype(float), group=np.arange(24) % 6)
    by_fold = MetricValues(by_fold=True)
    yield Losses(
        shared + rng.standard_normal(30),
        group=cluster,
        fold=(cluster > 3).astype(int),
        metric=by_fold,
    )


def _crossed_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    def losses(seeds: int, n: int) -> FloatArray:
        made: FloatArray = (
            rng.standard_normal((seeds, 1))
            + rng.standard_normal((2, n))[0]
            + rng.gamma(1.0, size=(seeds, n))
        )
        return made

    yield crossed(losses(4, 25), losses(4, 25), n_train=80.0)
    yield crossed(losses(3, 20))
    yield crossed(losses(3, 24), losses(3, 24), group=np.arange(24) % 7)


def _series_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    yield Losses(rng.standard_normal(40), time=np.arange(40), n_train=60.0)
    yield Losses(np.convolve(rng.gamma(1.0, size=14), [1.0, 0.6], "valid"), time=np.arange(13))


def _panel_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    value = rng.gamma(1.0, size=(7, 9)) + rng.standard_normal(9) + rng.standard_normal((7, 1))
    yield Losses.of_grid(value, "group", "time", n_train=80.0)
    group, time = np.arange(48) % 8, np.sort(rng.integers(10, size=48))
    yield Losses(rng.permutation(np.arange(48) % 3 == 0).astype(float), group=group, time=time)
    by_fold = MetricValues(by_fold=True)
    losses = rng.standard_normal(48)
    yield Losses(losses, group=group, time=time, fold=(group > 3).astype(int), metric=by_fold)


def _judged_losses(method: Method, rng: Generator) -> Iterator[Losses]:
    people = rng.gamma(1.0, size=20)
    yield judged(people, people + rng.standard_normal(20), rng.gamma(1.5, size=50), n_train=60.0)
    zero_one = rng.permutation(np.arange(30) % 3 == 0).astype(float)
    yield judged(zero_one[:10], zero_one[5:15], zero_one)


def _runs(method: Method, rng: Generator) -> Iterator[Losses]:
    def runs(count: int) -> Losses:
        return Losses(rng.gamma(1.0, size=count), n_train=80.0, kind="runs")

    yield runs(10)
    yield runs(3)
    yield runs(6).minus(runs(6))


def _five_by_two(method: Method, rng: Generator) -> Iterator[Losses]:
    yield ten_scores(0.3 + 0.05 * rng.standard_normal((5, 2)), n_train=50.0)
    yield ten_scores(rng.standard_normal((5, 2)))


def _halves(method: Method, rng: Generator) -> Iterator[Losses]:
    yield halves(
        0.3 + 0.05 * rng.standard_normal(6), rng.gamma(1.0, size=(4, 2, 6)), 90, 10, half_train=40.0
    )
    yield halves(rng.standard_normal(5), 5.0 * rng.standard_normal((7, 2, 5)))
    if method.key == "conservative-z":
        yield halves(
            rng.standard_normal(3), rng.standard_normal((2, 2)), [50, 60, 50], [20, 10, 20]
        )


def _replaced(method: Method, rng: Generator) -> Iterator[Losses]:
    yield replaced(0.4, 0.33, 0.33 + 0.02 * rng.standard_normal(6), n=12, n_train=9.0)
    yield replaced(-1.0, 0.5, rng.standard_normal(5), n=40)


def _left_out(method: Method, rng: Generator) -> Iterator[Losses]:
    value, pair = rng.gamma(1.0, size=(2, 6, 4))
    yield left_out(0.3 + 0.05 * rng.standard_normal(4), value, pair, n_train=90.0)
    yield left_out(rng.standard_normal(2), *rng.standard_normal((2, 3, 2)))


def _seeded(method: Method, rng: Generator) -> Iterator[Losses]:
    for seeds in ([3] * 4, [2, 5, 3, 4, 2, 6, 3]):
        of_set = np.repeat(np.arange(len(seeds)), seeds)
        seed = np.concatenate([np.arange(count) for count in seeds])
        shared = rng.standard_normal(len(seeds))[of_set]
        yield Losses(shared + rng.gamma(1.0, size=seed.size), dataset=of_set, seed=seed)


_LAYOUTS = {
    "5x2": _five_by_two,
    "halves": _halves,
    "halved-kfold": _halves,
    "replace-one": _replaced,
    "part-jackknife": _left_out,
    "judged": _judged_losses,
    "known": _judged_losses,
    "runs": _runs,
}
_OF_METHODS = {
    "cluster-t": _cluster_losses,
    "crossed-t": _crossed_losses,
    "crossed-or": _crossed_losses,
    "data-sets-t": _seeded,
    "diebold-mariano": _series_losses,
    "two-way-t": _panel_losses,
}


def _losses(method: Method, rng: Generator) -> Iterator[Losses]:
    """Yield losses of the layout that a method, or its plan, asks for."""
    usual = _point_losses if method.pointwise else _split_scores
    make = _OF_METHODS.get(method.key) or _LAYOUTS.get(method.plans[0], usual)
    return make(method, rng)


def _out_of_bag(method: Method, rng: Generator) -> Iterator[OutOfBag]:
    for n, samples, paired in ((9, 6, False), (12, 25, True)):
        train = rng.integers(n, size=(samples, n))
        counts = np.stack([np.bincount(row, minlength=n) for row in train], axis=1)
        example, sample = np.nonzero(counts == 0)
        views = [
            OutOfBag(
                rng.gamma(1.0 + position, size=sample.size),
                sample,
                example,
                counts,
                training_error=0.2 + 0.3 * position,
                no_information=3.0 + position,
            )
            for position in range(1 + paired)
        ]
        yield remade(views[0], minus=views[1]) if paired else views[0]


def _map_out_of_bag(view: OutOfBag, change: Numbers) -> Any:
    """A constant that is added to a difference of losses is added to the losses of the first learner alone."""
    same_sign = float(change(np.ones(1))[0] - change(np.zeros(1))[0])
    ends = change(np.array([view.training_error, view.no_information])).tolist()
    minus = None if view.minus is None else _map_out_of_bag(view.minus, lambda x: same_sign * x)
    return remade(
        view, value=change(view.value), training_error=ends[0], no_information=ends[1], minus=minus
    )


def _reorder_out_of_bag(view: OutOfBag, rng: Generator) -> Any:
    order = rng.permutation(view.value.size)
    names = rng.permutation(view.n)

    def moved(view: OutOfBag) -> Any:
        return remade(
            view,
            value=view.value[order],
            sample=view.sample[order],
            example=names[view.example[order]],
            counts=view.counts[np.argsort(names)],
            minus=None if view.minus is None else moved(view.minus),
        )

    return moved(view)


def _swap_out_of_bag(view: OutOfBag) -> Any:
    return None if view.minus is None else remade(view.minus, minus=remade(view, minus=None))


def _rank_scores(method: Method, rng: Generator) -> Iterator[RankScores]:
    truth = rng.permutation(np.arange(30) % 3 == 0)
    signal = truth + rng.standard_normal(30)
    yield RankScores(truth, signal, truth + 2.0 * rng.standard_normal(30), n_train=60.0)
    yield RankScores(
        truth, signal + rng.standard_normal(30), np.round(truth + rng.standard_normal(30))
    )
    if method.subject != "pair":
        yield RankScores(truth, np.round(2.0 * signal))


def _swap_ranks(view: RankScores) -> Any:
    return None if view.minus is None else remade(view, value=view.minus, minus=view.value)


def _discordance(method: Method, rng: Generator) -> Iterator[Discordance]:
    yield Discordance(14, 9, 80, 6, n_train=90.0)
    yield Discordance(int(rng.integers(1, 9)), int(rng.integers(1, 9)), 40, 3)


def _two_samples(method: Method, rng: Generator) -> Iterator[TwoSamples]:
    yield TwoSamples(0.3, 100, 0.2, 100, n_train=90.0)
    yield TwoSamples(int(rng.integers(1, 9)) / 10, 10, int(rng.integers(1, 39)) / 40, 40)


VIEWS: dict[type[Any], Handling] = {
    Losses: Handling(_losses),
    OutOfBag: Handling(_out_of_bag, _map_out_of_bag, _swap_out_of_bag, _reorder_out_of_bag),
    RankScores: Handling(_rank_scores, None, _swap_ranks, _shuffle_columns),
    Discordance: Handling(_discordance, swapped=lambda view: replace(view, b=view.c, c=view.b)),
    TwoSamples: Handling(
        _two_samples,
        swapped=lambda view: replace(
            view,
            error_1=view.error_2,
            n_1=view.n_2,
            error_2=view.error_1,
            n_2=view.n_1,
            n_train=math.nan,
        ),
    ),
}


class ViewCase(testing.Case):
    """A case of counts, ranks or bootstrap samples, which are no table of losses."""

    @property
    def handling(self) -> Handling:
        return VIEWS[type(self.view)]

    @property
    def has_losses(self) -> bool:
        return self.handling.mapped is not None and super().has_losses

    def mapped(self, change: Numbers) -> "ViewCase":
        return replace(self, view=self.handling.mapped(self.view, change))

    def swapped(self) -> "ViewCase | None":
        if self.handling.mapped is not None and self.method.loss == "zero-one":
            return None
        found = self.handling.swapped(self.view)
        return None if found is None else replace(self, view=found)

    def reordered(self) -> "ViewCase | None":
        if self.handling.reordered is None:
            return None
        return replace(self, view=self.handling.reordered(self.view, self.rng))

    def remade(self) -> "ViewCase":
        return replace(self, view=remade(self.view))


OPTION_VALUES: dict[str, tuple[Any, ...]] = {
    "bias_corrected": (True,),
    "bias_exponent": (1.5,),
    "binomial.kind": ("normal", "clopper-pearson", "agresti-coull", "jeffreys"),
    "bootstrap-auc.kind": ("basic", "bca", "normal"),
    "bootstrap.kind": ("basic", "bca", "normal"),
    "correction": ("none",),
    "correlation": (0.0, 0.3),
    "data_sets": ("new", "fixed"),
    "estimator": ("theta4", "theta5"),
    "factor": (0.5,),
    "floors": (False,),
    "horizon": (2, 3),
    "looks": (),
    "mcnemar.kind": ("mid-p", "chi2", "chi2-corrected"),
    "paired-proportions.kind": ("newcombe",),
    "pooled": (),
    "prior": (2.0,),
    "random": ("seeds", "examples"),
    "random_state": (7,),
    "reference": ("t",),
    "remove_monte_carlo": (True,),
    "resamples": (),
    "rho": (0.2, 0.7),
    "statistic": (np.median,),
    "rope": (0.02,),
    "seeds": ("shared",),
    "samples": (),
    "threshold": (0.9,),
    "wilcoxon.zeros": ("pratt",),
    "sign-test.zeros": ("split",),
    "law": ("normal",),
    "variance": ("within-fold",),
    "cv-t.variance": ("examples",),
    "cv-jackknife.variance": ("upper", "lower"),
    "shared": (Shared(3.0, 2.0, 4),),
    "diebold-mariano.variance": ("autocovariances", "cosines"),
    "two-way-t.variance": ("autocovariances",),
    "two-way-t.horizon": (1, 3),
    "weight": (0.0, 1.0),
}
"""Values of methods' own options that are tried besides the default, by name or by ``method.name``; add your own."""


QUICK = {"resamples": 199, "samples": 200}
"""Numbers of random draws with which the laws are tried, where a method draws."""


def option_values(method: Method, name: str) -> tuple[Any, ...]:
    """Return the values of an option that are tried besides its default."""
    return OPTION_VALUES.get(f"{method.key}.{name}", OPTION_VALUES.get(name, ()))


def cases(method: Method, seed: int = 0) -> list[testing.Case]:
    """Return the cases of a method: views of its type, each with every known value of the method's options."""
    quick = {name: count for name, count in QUICK.items() if name in method.options}
    tried = [{name: value} for name in method.options for value in option_values(method, name)]
    views = list(VIEWS[method.view].make(method, np.random.default_rng([seed, len(method.key)])))
    of = testing.Case if method.view is Losses else ViewCase
    return [of(method, view, quick | options) for view in views for options in ({}, *tried)]


def check(law: str, method: Method, seed: int = 0) -> None:
    """Try one law on every case of a method."""
    for case in cases(method, seed):
        check_law(law, case, seed)
