"""What a study of seeds and examples, or of clusters, can find, and what to buy next."""

import math
from dataclasses import dataclass, replace
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.planning._components import ClusterComponents, Components, CrossedComponents
from errbar.planning._design_study import DesignProspect, DesignStudy, Purchase
from errbar.planning._power import true_difference
from errbar.planning._search import MOST_INNER, MOST_OUTER, StudySearch
from errbar.planning._sentences import notes_of
from errbar.planning._setting import first
from errbar.planning._student import StudentTest, smallest_shift

_CHEAPEST, _DEAREST = 1e-12, 1e12
_NEAREST, _FARTHEST = 1e-60, 1e60


def plan_crossed(
    components: CrossedComponents,
    *,
    seeds: int | None = None,
    examples: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    cost_seed: float | None = None,
    cost_example: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> DesignStudy:
    r"""Say what several seeds on the same examples can find, and whether to buy seeds or examples.

    Parameters
    ----------
    components : CrossedComponents
        What the variance is made of; `crossed_components` reads it from a pilot.
    seeds, examples : int, optional
        Numbers of seeds S and of examples n of the study; by default those of the pilot. Each learner has so many seeds.
    difference : float, optional
        True difference that the study should find, in units of the loss: one that would matter, not the one that a pilot has shown.
    power : float, default 0.8
        Wanted probability of finding it.
    cost_seed, cost_example : float, optional
        What one more seed and one more example cost, in any unit; give both or neither. For a difference, a seed is one more fit of
        each learner.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    DesignStudy
        Standard errors, half-widths and detectable differences of some sizes, what to buy next, and what the difference needs.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, a size is missing, or one cost is given without the other.

    See Also
    --------
    crossed_components : Read the components from a pilot.
    errbar.methods.crossed_t : The method.

    Notes
    -----
    A mean over S seeds and n examples has the variance

    .. math:: V(S, n) = \frac{\sigma_s^2}{S} + \frac{\sigma_i^2}{n} + \frac{\sigma_e^2}{S n},

    and the degrees of freedom are Satterthwaite's for the mean squares that such a study expects:
    :math:`\sigma_e^2 + n \sigma_s^2` for seeds, :math:`\sigma_e^2 + S \sigma_i^2` for examples, :math:`\sigma_e^2` for the rest.
    The statistic at a true difference :math:`\delta` is taken to have the noncentral t distribution with shift :math:`\delta/\sqrt V`. The
    cheapest study is found by trying all numbers of seeds that could be cheaper than the best so far, each with the
    smallest number of examples that is enough. More examples of very few seeds may leave fewer degrees of freedom, and then
    power falls; examples are therefore tried one by one from the fewest on, and above 10 in steps of a tenth.

    Examples
    --------
    >>> from errbar.planning import CrossedComponents, plan_crossed
    >>> parts = CrossedComponents(seed=0.0004, example=0.2, error=0.05)
    >>> study = plan_crossed(parts, seeds=5, examples=200, difference=0.05, cost_seed=3, cost_example=0.05)
    >>> round(study.detectable, 3), study.purchase.worth, study.purchase.prefers_outer
    (0.095, 5, False)
    >>> study.cheapest.sizes
    (6, 854)
    """
    if not isinstance(components, CrossedComponents):
        raise InvalidInputError(
            f"must be CrossedComponents, as crossed_components makes them of a pilot, got {type(components).__name__}",
            argument="components",
        )
    given = _Given(
        components, ("seeds", "examples"), (seeds, examples), ("cost_seed", "cost_example")
    )
    return given.study(difference, power, (cost_seed, cost_example), level, alternative)


def plan_clusters(
    components: ClusterComponents,
    *,
    clusters: int | None = None,
    per_cluster: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    cost_cluster: float | None = None,
    cost_example: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> DesignStudy:
    r"""Say what examples that come in clusters can find, and whether to buy clusters or examples.

    Parameters
    ----------
    components : ClusterComponents
        What the variance is made of; `cluster_components` reads it from a pilot.
    clusters, per_cluster : int, optional
        Number of clusters G of the study, at least 5, and of examples m in each; by default those of the pilot, where their mean
        size is rounded.
    difference : float, optional
        True difference that the study should find, in units of the loss: one that would matter, not the one that a pilot has shown.
    power : float, default 0.8
        Wanted probability of finding it.
    cost_cluster, cost_example : float, optional
        What a cluster costs, without its examples, and what an example costs, in any unit; give both or neither.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    DesignStudy
        Standard errors, half-widths and detectable differences of some sizes, what to buy next, and what the difference needs.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, a size is missing, or one cost is given without the other.

    See Also
    --------
    cluster_components : Read the components from a pilot.
    errbar.methods.cluster_t : The method.

    Notes
    -----
    A mean over G clusters of m examples has the variance

    .. math:: V(G, m) = \frac{(1 + \mathrm{cv}^2)\, \sigma_c^2}{G} + \frac{\sigma_w^2}{G m},

    the variance of G m independent examples times the design effect :math:`1 + ((1 + \mathrm{cv}^2) m - 1) \mathrm{ICC}` with the
    intraclass correlation :math:`\mathrm{ICC} = \sigma_c^2/(\sigma_c^2 + \sigma_w^2)` ([1]_), where the sizes of clusters vary with
    coefficient cv. Clusters of equal size leave G - 1 degrees of freedom, others fewer, in the proportion of the pilot. The
    statistic at a true difference :math:`\delta` is taken to have the noncentral t distribution with shift :math:`\delta/\sqrt V`.

    References
    ----------
    .. [1] Kish (1965), Survey Sampling, sections 5.4 and 8.2.

    Examples
    --------
    >>> from errbar.planning import ClusterComponents, plan_clusters
    >>> parts = ClusterComponents(cluster=0.02, within=0.18)
    >>> study = plan_clusters(parts, clusters=40, per_cluster=5)
    >>> round(study.prospects[0].half_width, 4), study.purchase.worth
    (0.0757, 1)
    """
    if not isinstance(components, ClusterComponents):
        raise InvalidInputError(
            f"must be ClusterComponents, as cluster_components makes them of a pilot, got {type(components).__name__}",
            argument="components",
        )
    given = _Given(
        components,
        ("clusters", "per_cluster"),
        (clusters, per_cluster),
        ("cost_cluster", "cost_example"),
    )
    return given.study(difference, power, (cost_cluster, cost_example), level, alternative)


@dataclass(frozen=True)
class _Given:
    """Components with the sizes of a study, and what the arguments are called."""

    components: Components
    names: tuple[str, str]
    sizes: tuple[int | None, int | None]
    cost_names: tuple[str, str]

    def study(
        self,
        difference: float | None,
        power: float,
        costs: tuple[float | None, float | None],
        level: float,
        alternative: str,
    ) -> DesignStudy:
        """Check what was given, and answer."""
        components, sizes, prices = self.components, self._sizes(), self._costs(costs)
        test, wanted = (
            StudentTest(_check.level(level), _check.alternative(alternative)),
            _check.level(power, "power"),
        )
        gap = None if difference is None else _difference(difference, test)
        outer, inner = sizes
        rows = [sizes, (2 * outer, inner), (outer, 2 * inner), (2 * outer, 2 * inner)]
        found: dict[str, Any] = {}
        if gap is not None:
            search = StudySearch(components, test, test.towards(gap), wanted)
            found = {
                "smallest_outer": search.smallest_outer(inner),
                "smallest_inner": search.smallest_inner(outer),
            }
            best = None if prices is None else search.cheapest(prices)
            found["cheapest"] = best and _prospect(components, best, test, wanted, gap, prices)
        ends = (
            [components.with_outer(end) for end in components.outer_interval()]
            if components.pilot
            else []
        )
        if ends and all(end.variance(*sizes) > 0.0 for end in ends):
            low, high = (_prospect(end, sizes, test, wanted, None, None).detectable for end in ends)
            found["detectable_interval"] = low, high
            low_choice, high_choice = (
                _purchase(end, sizes, test, prices).prefers_outer for end in ends
            )
            found["preference_interval"] = low_choice, high_choice
        study = DesignStudy(
            method=components.method,
            components=components,
            difference=gap,
            wanted=wanted,
            level=test.level,
            alternative=test.alternative,
            costs=prices,
            prospects=tuple(_prospect(components, row, test, wanted, gap, prices) for row in rows),
            purchase=_purchase(components, sizes, test, prices),
            **found,
        )
        return replace(study, notes=notes_of(study))

    def _sizes(self) -> tuple[int, int]:
        pilot = self.components.pilot
        numbers = []
        for place, (name, size, least) in enumerate(
            zip(self.names, self.sizes, self.components.least, strict=True)
        ):
            if size is None and pilot is None:
                raise InvalidInputError(
                    "is needed, since there is no pilot to take it from", argument=name
                )
            # A mean size of clusters is a fraction; what is planned is whole.
            wanted = max(least, round(pilot[place])) if size is None and pilot is not None else size
            numbers.append(_check.count(wanted, name, least, MOST_INNER if place else MOST_OUTER))  # type: ignore[arg-type]
        return numbers[0], numbers[1]

    def _costs(self, costs: tuple[float | None, float | None]) -> tuple[float, float] | None:
        lacking = [name for name, cost in zip(self.cost_names, costs, strict=True) if cost is None]
        if len(lacking) == 1:
            raise InvalidInputError(
                "is needed too: what to buy depends on both costs", argument=lacking[0]
            )
        if lacking:
            return None
        for name, cost in zip(self.cost_names, costs, strict=True):
            if not _CHEAPEST <= _check.finite(cost, name) <= _DEAREST:  # type: ignore[arg-type] # none is lacking
                raise InvalidInputError(
                    f"must be a positive cost, from {_CHEAPEST:g} to {_DEAREST:g}, got {cost!r}",
                    argument=name,
                )
        return costs  # type: ignore[return-value]


def _difference(difference: float, test: StudentTest) -> float:
    """Return a difference that the test could find, and whose square is a number."""
    found = true_difference(difference, test)
    if not _NEAREST <= abs(found) <= _FARTHEST:
        raise InvalidInputError(
            f"must be from {_NEAREST:g} to {_FARTHEST:g} in size, got {difference!r}",
            argument="difference",
        )
    return found


def _prospect(
    components: Components,
    sizes: tuple[int, int],
    test: StudentTest,
    wanted: float,
    difference: float | None,
    costs: tuple[float, float] | None,
) -> DesignProspect:
    se, df = math.sqrt(components.variance(*sizes)), components.df(*sizes)
    return DesignProspect(
        sizes=sizes,
        se=se,
        df=df,
        half_width=test.critical(df) * se,
        detectable=smallest_shift(lambda shift: test.rejects(shift, df), wanted) * se,
        power=None if difference is None else test.rejects(test.towards(difference) / se, df),
        cost=None if costs is None else float(components.cost(*sizes, costs)),
    )


def _purchase(
    components: Components,
    sizes: tuple[int, int],
    test: StudentTest,
    costs: tuple[float, float] | None,
) -> Purchase:
    """Return what one more of each buys, from the half-widths themselves."""
    outer, inner = sizes

    def half_width(outer: int, inner: int) -> float:
        return test.critical(components.df(outer, inner)) * math.sqrt(
            components.variance(outer, inner)
        )

    here, goal = half_width(outer, inner), half_width(outer + 1, inner)
    previous, number = inner, inner + 1
    while number <= MOST_INNER and half_width(outer, number) > goal:
        previous, number = number, number + max(1, (number - inner) // 4)
    worth = None
    if number <= MOST_INNER:
        worth = first(previous, number, lambda n: half_width(outer, n) <= goal) - inner
    prices = None if costs is None else components.step_costs(sizes, costs)
    return Purchase(here - goal, here - half_width(outer, inner + 1), worth, prices)
