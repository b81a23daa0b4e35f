"""Components of variance from a pilot."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.index import SIZES
from errbar.losses import Losses, difference
from errbar.methods import lookup
from errbar.methods._core.crossed import crossed, tables_of
from errbar.methods._core.infer import settle
from errbar.methods._dependent import clustered, units_of
from errbar.methods.distributions import variance
from errbar.planning._components import (
    ClusterComponents,
    Components,
    CrossedComponents,
    SplitComponents,
)
from errbar.table import LossTable


def pilot(
    source: LossTable | Losses,
    a: str | None = None,
    b: str | None = None,
    *,
    design: str = "splits",
    seeds: str = "own",
) -> Components:
    r"""Read from a pilot study what the variance of a mean is made of.

    Parameters
    ----------
    source : LossTable or Losses
        Random splits with their sizes, several seeds on the same examples, or examples in clusters.
    a, b : str, optional
        Learners whose difference a minus b is planned for, where a table has more than two.
    design : {"splits", "crossed", "clusters"}, default "splits"
        What the study draws at random: splits, seeds and examples, or clusters.
    seeds : {"own", "shared"}, default "own"
        With ``crossed``: whether two learners have seeds of their own.

    Returns
    -------
    SplitComponents, CrossedComponents or ClusterComponents
        None is negative. With the sizes of the pilot, `variance` is the squared error of
        `errbar.methods.corrected_t`, `errbar.methods.crossed_t` or, for clusters of equal size,
        `errbar.methods.cluster_t`.

    Raises
    ------
    InvalidInputError, UnsuitablePlanError
        If learners or sizes are unknown, no cluster has two examples, or numbers do not vary; if
        the numbers are not of the design.

    Notes
    -----
    **Seeds.** With the mean squares of `errbar.methods.crossed_t`, for a learner or for shared
    seeds, :math:`\sigma_s^2 = \max(MS_s - MS_e, 0)/n`, :math:`\sigma_i^2 = \max(MS_i - MS_e, 0)/S`
    and :math:`\sigma_e^2 = MS_e`. Where learners l have seeds of their own, :math:`\sigma_s^2 =
    \max(\sum_l (MS_{s,l} - MS_{e,l}), 0)/n` and :math:`\sigma_e^2 = \sum_l MS_{e,l}`. With the
    variance :math:`s_d^2` of the differences of the means over seeds, :math:`\sigma_i^2 =
    \max(s_d^2 - \sigma_e^2/S, 0)`; where that is 0, :math:`\sigma_e^2 = S s_d^2`.

    **Clusters.** With n examples in G clusters of sizes :math:`n_g`, :math:`\sigma_w^2 = MS_w` and
    :math:`\sigma_c^2 = \max(MS_b - MS_w, 0)/n_0`, where :math:`n_0 = (n - \sum n_g^2/n)/(G - 1)`
    ([1]_). With a metric that is averaged over folds, values are compared with the mean of their
    fold.

    References
    ----------
    .. [1] Donner (1986), International Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> import errbar
    >>> from errbar.planning import pilot
    >>> losses = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> found = pilot(errbar.Losses.of_grid(losses, "seed", "example"), design="crossed")
    >>> round(found.seed, 4), round(found.example, 4), round(found.error, 4)
    (0.01, 0.099, 0.012)
    """
    method, made = _DESIGNS[_check.choice(design, _DESIGNS, "design")]
    _check.choice(seeds, ("own", "shared") if design == "crossed" else ("own",), "seeds")
    if not isinstance(source, LossTable):
        must = "must be a table, of which `a` and `b` name learners, or Losses alone"
        alone = isinstance(source, Losses) and a is None and b is None
        _check.require(alone, must, source, "source")
        return made(source, seeds)
    names: Any = source.learners if a is None and b is None else (a, b)
    must = f"and `b` must name two of the learners {', '.join(map(repr, source.learners))}"
    _check.require(None not in names and len(names) <= 2, must, a, "a")
    losses = settle(lookup(method), source).table.losses(*names)
    return replace(made(losses, seeds), name=" - ".join(names), metric=source.loss.key)


def _of_splits(losses: Losses, _: str) -> SplitComponents:
    splits = losses.splits
    must = "is needed, as is `n_test`: the sizes of splits"
    _check.require(set(SIZES) <= set(splits.index), must, None, "n_train")
    _refuse_constant(splits.value)
    train, test = splits.n_train, splits.size("n_test")
    made = splits.value.size, train + test
    return SplitComponents(math.sqrt(variance(splits.value)), train, test, pilot=made)


def _of_seeds(losses: Losses, seeds: str) -> CrossedComponents:
    view = tables_of(losses)
    units, n = view.units, view.value.shape[1]
    tables = [view.value] if view.minus is None else [view.value, view.minus]
    if seeds == "shared" and len(tables) == 2:
        must = "'shared' needs as many seeds of both learners; try 'own'"
        _check.require(len(tables[0]) == len(tables[1]), must, seeds, "seeds")
        tables = [difference(*tables)]
    squares = [(len(table), crossed(table, units)) for table in tables]
    own = [count * (found.seed.size - found.both.size) for count, found in squares]
    errors = [count * n * found.both.size for count, found in squares]
    rest = sum(n * found.both.size for _, found in squares)
    means = [table.mean(axis=0) for table in tables]
    of_examples = means[0] if len(means) == 1 else difference(*means)
    item, total = n * units.squared_error(of_examples), max(sum(own), 0.0)
    learners: tuple[tuple[float, float], ...] = ()
    if len(tables) == 1:
        _refuse_constant(tables[0])
    else:
        if item + total == 0.0:
            _refuse_constant(of_examples)
        # The floor of the method: what is known of the means over seeds is the whole of their variance.
        errors = [error if rest <= item else error * item / rest for error in errors]
        if min(own) < 0.0:  # a part that would be negative leaves the total to the other
            own = [total if part == max(own) else 0.0 for part in own]
        learners = tuple(zip(own, errors, strict=True))
    alone = units.count == n and units.block is None
    return CrossedComponents(
        total,
        max(item - rest, 0.0),
        sum(errors),
        learners,
        units=1.0 if alone else (units.df + 1.0) / n,
        pilot=view.value.shape,
    )


def _of_clusters(losses: Losses, _: str) -> ClusterComponents:
    losses = clustered(losses)
    units, values = units_of(losses), losses.value
    sizes = np.bincount(units.code)
    # One cluster has no degrees of freedom, and is refused here.
    n, count, worth = values.size, sizes.size, units.df + 1.0
    if n == count:
        raise InvalidInputError(
            "no cluster of the pilot has two examples, so it cannot tell clusters from examples; they are independent then"
        )
    if units.block is not None:
        values = values - (np.bincount(units.block, values) / np.bincount(units.block))[units.block]
    _refuse_constant(values)
    means = np.bincount(units.code, values) / sizes
    within = float(np.square(values - means[units.code]).sum()) / (n - count)
    between = float(sizes @ np.square(means - values.mean())) / (count - 1)
    usual = (n - float(np.square(sizes).sum()) / n) / (count - 1)
    return ClusterComponents(
        max(between - within, 0.0) / usual,
        within,
        variation=float(sizes.std() / sizes.mean()),
        units=worth / count,
        pilot=(count, n / count),
    )


def _refuse_constant(values: FloatArray) -> None:
    varies = float(np.ptp(values)) > 1e-12 * float(np.abs(values).max())
    _check.require(varies, "must hold losses that vary", values, "source")


_DESIGNS: dict[str, tuple[str, Callable[..., Components]]] = {
    "splits": ("corrected-t", _of_splits),
    "crossed": ("crossed-t", _of_seeds),
    "clusters": ("cluster-t", _of_clusters),
}
