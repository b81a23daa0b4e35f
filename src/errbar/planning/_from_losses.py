"""Components of variance from a pilot."""

from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.losses import Losses, difference
from errbar.methods import lookup
from errbar.methods._cluster_t import clustered, units_of
from errbar.methods._core.crossed import Tables, crossed, tables_of
from errbar.methods._core.infer import settle
from errbar.planning._components import ClusterComponents, CrossedComponents
from errbar.planning._pilot import pair_of
from errbar.table import LossTable


def crossed_components(
    source: LossTable | Losses, a: str | None = None, b: str | None = None, *, seeds: str = "own"
) -> CrossedComponents:
    r"""Read from a pilot what seeds and examples add to the variance.

    Parameters
    ----------
    source : LossTable or Losses
        Losses of several seeds, or answers, on the same examples.
    a, b : str, optional
        Learners of a table whose difference a minus b is planned for. Both may be left out where it has two learners, or a
        single column.
    seeds : {"own", "shared"}, default "own"
        Whether two learners have seeds of their own, as for `errbar.methods.crossed_t`.

    Returns
    -------
    CrossedComponents
        Components of which none is negative. With the sizes of the pilot, `variance` is the squared error of `crossed_t`.

    Raises
    ------
    InvalidInputError
        If learners are not named where there are several, or the losses do not vary.
    UnsuitablePlanError
        If the table has no seeds.

    See Also
    --------
    plan_crossed : What follows from them.

    Notes
    -----
    With the mean squares of `errbar.methods.crossed_t`, for a learner or for shared seeds,
    :math:`\sigma_s^2 = \max(MS_s - MS_e, 0)/n`, :math:`\sigma_i^2 = \max(MS_i - MS_e, 0)/S` and :math:`\sigma_e^2 = MS_e`. Where
    learners l have seeds of their own, :math:`\sigma_s^2 = \max(\sum_l (MS_{s,l} - MS_{e,l}), 0)/n` and
    :math:`\sigma_e^2 = \sum_l MS_{e,l}`. Then the variance :math:`s_d^2` of the differences of the means over seeds is that of the
    examples and :math:`\sigma_e^2/S`, so :math:`\sigma_i^2 = \max(s_d^2 - \sigma_e^2/S, 0)`; where that is 0,
    :math:`\sigma_e^2 = S s_d^2`.

    Examples
    --------
    >>> import errbar
    >>> from errbar.planning import crossed_components
    >>> losses = [[0.1, 0.5, 0.2, 0.9, 0.4], [0.3, 0.6, 0.5, 1.0, 0.4], [0.2, 0.8, 0.3, 1.2, 0.7]]
    >>> found = crossed_components(errbar.Losses.of_grid(losses, "seed", "example"))
    >>> round(found.seed, 4), round(found.example, 4), round(found.error, 4)
    (0.01, 0.099, 0.012)
    """
    share = _check.choice(seeds, ("own", "shared"), "seeds")
    losses, named = _losses_of(source, "crossed-t", a, b)
    view = tables_of(losses)
    count, n = view.value.shape
    units = 1.0 if view.units.count == n and view.units.block is None else (view.units.df + 1.0) / n
    about = {"units": units, "pilot": (count, n), **named}
    if view.minus is not None and share == "own":
        return _of_own_seeds(view, view.minus, about)
    if view.minus is not None and view.minus.shape != view.value.shape:
        raise InvalidInputError(
            "'shared' needs as many seeds of both learners; try 'own'", argument="seeds"
        )
    values = view.value if view.minus is None else difference(view.value, view.minus)
    _refuse_constant(values, named)
    found = crossed(values, view.units)
    both = found.both.size
    seed, example = (max(part.size - both, 0.0) for part in (found.seed, found.example))
    return CrossedComponents(count * seed, n * example, count * n * both, **about)


def _of_own_seeds(view: Tables, minus: FloatArray, about: dict[str, Any]) -> CrossedComponents:
    means = difference(view.value.mean(axis=0), minus.mean(axis=0))
    seeds, errors, rest, n = [], [], 0.0, means.size
    for table in (view.value, minus):
        found, own = crossed(table, view.units), table.shape[0]
        seeds.append(own * (found.seed.size - found.both.size))
        errors.append(own * n * found.both.size)
        rest += n * found.both.size
    item = n * view.units.squared_error(means)
    if item + max(sum(seeds), 0.0) == 0.0:
        _refuse_constant(means, about)
    # The floor of the method: what is known of the means over seeds is the whole of their variance.
    errors = [error if rest <= item else error * item / rest for error in errors]
    own_seeds = _without_negative(seeds)
    learners = tuple(zip(own_seeds, errors, strict=True))
    return CrossedComponents(sum(own_seeds), max(item - rest, 0.0), sum(errors), learners, **about)


def cluster_components(
    source: LossTable | Losses, a: str | None = None, b: str | None = None
) -> ClusterComponents:
    r"""Read from a pilot how much losses vary between clusters and within them.

    Parameters
    ----------
    source : LossTable or Losses
        Losses of examples that come in clusters.
    a, b : str, optional
        Learners of a table whose difference a minus b is planned for. Both may be left out where it has two learners, or a
        single column.

    Returns
    -------
    ClusterComponents
        With the intraclass correlation and, from the pilot too, how much the sizes of clusters vary.

    Raises
    ------
    InvalidInputError
        If learners are not named where there are several, no cluster has two examples, or the losses do not vary.
    UnsuitablePlanError
        If the table has no clusters, or fewer than 5.

    See Also
    --------
    plan_clusters : What follows from them.

    Notes
    -----
    The usual estimates of an unbalanced one-way analysis of variance: with n examples in G clusters of sizes :math:`n_g`,
    :math:`\sigma_w^2 = MS_w` and :math:`\sigma_c^2 = \max(MS_b - MS_w, 0)/n_0`, where
    :math:`n_0 = (n - \sum n_g^2/n)/(G - 1)` ([1]_). In cross-validation with a metric that is averaged over folds, values are
    compared with the mean of their fold.

    References
    ----------
    .. [1] Donner (1986), International Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> import errbar
    >>> from errbar.planning import cluster_components
    >>> losses = errbar.Losses([1, 2, 4, 5, 7, 9], group=["a", "a", "b", "b", "c", "c"])
    >>> found = cluster_components(losses)
    >>> round(found.cluster, 3), found.within, round(found.intraclass, 3)
    (10.083, 1.0, 0.91)
    """
    losses, named = _losses_of(source, "cluster-t", a, b)
    losses = clustered(losses)
    units, values = units_of(losses), losses.value
    sizes = np.bincount(units.code)
    n, count, worth = values.size, sizes.size, units.df + 1.0
    if n == count:
        raise InvalidInputError(
            "no cluster of the pilot has two examples, so it cannot tell clusters from examples; they are independent then"
        )
    if units.block is not None:
        values = values - (np.bincount(units.block, values) / np.bincount(units.block))[units.block]
    _refuse_constant(values, named)
    means = np.bincount(units.code, values) / sizes
    within = float(np.square(values - means[units.code]).sum()) / (n - count)
    between = float(sizes @ np.square(means - values.mean())) / (count - 1)
    usual = (n - float(np.square(sizes).sum()) / n) / (count - 1)
    return ClusterComponents(
        max(between - within, 0.0) / usual,
        within,
        float(sizes.std() / sizes.mean()),
        worth / count,
        pilot=(count, n / count),
        **named,
    )


def _without_negative(parts: list[float]) -> list[float]:
    """Return parts of a total of which none is negative; one that would be leaves the total to the others."""
    total = sum(parts)
    if total <= 0.0:
        return [0.0] * len(parts)
    return parts if min(parts) >= 0.0 else [total if part == max(parts) else 0.0 for part in parts]


def _losses_of(
    source: Any, method: str, a: str | None, b: str | None
) -> tuple[Losses, dict[str, Any]]:
    """Return the losses that a method takes, and what the numbers are called."""
    if isinstance(source, LossTable):
        first, second = pair_of(source.learners, a, b)
        losses = settle(lookup(method), source, first, second).table.losses(first, second)
        return losses, {
            "name": first if second is None else f"{first} - {second}",
            "metric": source.loss.key,
        }
    if not isinstance(source, Losses):
        raise InvalidInputError(
            f"must be a table or Losses, got {type(source).__name__}", argument="source"
        )
    if a is not None or b is not None:
        raise InvalidInputError(
            "and `b` name learners of a table, and what was given holds one difference",
            argument="a",
        )
    return source, {}


def _refuse_constant(values: FloatArray, about: dict[str, Any]) -> None:
    if float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
        of = f" ({about['name']})" if "name" in about else ""
        raise InvalidInputError(
            f"the losses of the pilot{of} do not vary, so nothing can be planned with them"
        )
