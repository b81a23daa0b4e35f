"""What a study can find, and what a difference needs."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.needs import SEEDS_OF_ONE_TRAINING_SET
from errbar.planning._components import (
    LEAST,
    MOST,
    ClusterComponents,
    Components,
    CrossedComponents,
    Sizes,
    SplitComponents,
)
from errbar.planning._student import KNOWN, StudentTest, smallest
from errbar.result import Note

_POINTS = 201
# Curves end where power is close to 1.
_TOP = 0.99
_CHEAPEST, _DEAREST = 1e-12, 1e12
_USUAL_SPLITS = 15
_MOST_MORE = 1_000_000_000


@dataclass(frozen=True)
class Prospect:
    """What a study of one size promises.

    Attributes
    ----------
    sizes : Numbers of splits, seeds or clusters, and of examples (per cluster).
    se, df : Standard error that is to be expected, and its degrees of freedom.
    half_width : Half the width of the interval, or for a one-sided one the distance of its end.
    detectable : Size of the smallest difference with the wanted power.
    power, cost : Power at the difference of the study, and cost, where these are known.
    """

    sizes: Sizes
    se: float
    df: float
    half_width: float
    detectable: float
    power: float | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Study:
    """What a study can find, and what it would need.

    Of pairs, the first is about splits, seeds or clusters, and the second about examples.

    Attributes
    ----------
    components : What the variance is made of.
    difference, wanted : True difference that the study should find, and wanted power.
    level, alternative : Of the test.
    costs : Cost of a seed (or cluster) and of an example.
    prospects : For these sizes and larger ones.
    gains : By how much one more of either makes the half-width smaller.
    worth : How many more examples do as much as one more split, seed or cluster.
    smallest : Smallest numbers with the wanted power at the difference, the other one as it is.
    cheapest : The cheapest study with that power, where costs are known.
    detectable_interval, power_interval : At the ends of the first component's interval from the pilot.
    notes : Caveats that belong to the numbers.
    """

    components: Components
    difference: float | None
    wanted: float
    level: float
    alternative: str
    costs: tuple[float, float] | None
    prospects: tuple[Prospect, ...]
    gains: tuple[float, float]
    worth: int | None
    smallest: tuple[int | None, int | None] = (None, None)
    cheapest: Prospect | None = None
    detectable_interval: tuple[float, float] | None = None
    power_interval: tuple[float, float] | None = None
    notes: tuple[Note, ...] = ()

    @property
    def power(self) -> float | None:
        """Power at the difference."""
        return self.prospects[0].power

    @property
    def detectable(self) -> float:
        """Size of the smallest difference with the wanted power."""
        return self.prospects[0].detectable

    @property
    def buy(self) -> str | None:
        """What buys more per cost, such as ``"seed"`` or ``"example"``; None without costs, unless one alone helps."""
        (outer, inner), words = self.prospects[0].sizes, self.components.words
        if self.worth is None or self.gains[1] <= 0.0:
            return words[0]
        if self.costs is None:
            return None
        cost, here = self.components.cost, self.components.cost(outer, inner, self.costs)
        dearer = (
            cost(outer + 1, inner, self.costs) - here,
            cost(outer, inner + 1, self.costs) - here,
        )
        return words[0] if self.gains[0] * dearer[1] > self.gains[1] * dearer[0] else words[1]

    def curves(self) -> dict[str, FloatArray]:
        """Return difference and power, shape (201, 2), for each size in `prospects`."""
        test, row = StudentTest(self.level, self.alternative), self.prospects[0]
        end, goal = test.shift(row.df, max(_TOP, self.wanted)) * row.se, self.difference or 0.0
        if end < abs(goal) <= 1.25 * end:
            end = abs(goal)
        below = goal < 0.0 or self.alternative == "less"
        differences = np.linspace(0.0, -end if below else end, _POINTS)
        return {
            self._in_words(row.sizes): np.array(
                [
                    (one, test.rejects(test.towards(one) / row.se, row.df))
                    for one in differences.tolist()
                ]
            )
            for row in self.prospects
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        own = {
            "method": self.components.method,
            "sizes": self.prospects[0].sizes,
            "power": self.power,
            "detectable": self.detectable,
            "buy": self.buy,
            "sources": self.components.sources(*self.prospects[0].sizes),
        }
        return plain(self) | plain(own)

    def __str__(self) -> str:
        components, row = self.components, self.prospects[0]
        of = f" of {components.name}" if components.name else ""
        spreads = [
            f"{what} {_number(math.sqrt(part))}" for what, part in components.variances.items()
        ]
        if components.pilot is not None:
            low, high = (_number(math.sqrt(end)) for end in components.outer_interval())
            spreads[0] += f" (95 % interval {low} to {high})"
        total = row.se**2
        shares = [
            f"{what} {100.0 * part / total:.2g} %"
            for what, part in components.sources(*row.sizes).items()
        ]
        lines = [
            f"{components.method}: {self._in_words(row.sizes)}, level {self.level:.6g}, {self.alternative}",
            f"standard deviations{of}: {', '.join(spreads)}",
            f"squared standard error by source: {', '.join(shares)}",
            "",
            *self._table(),
            "",
            *self._answers(),
            *(f"note {note}" for note in self.notes),
        ]
        return "\n".join(lines)

    def _in_words(self, sizes: Sizes) -> str:
        return ", ".join(map(_counted, sizes, self.components.words))

    def _table(self) -> Iterator[str]:
        shown = {
            "standard error": "se",
            "half-width": "half_width",
            "cost": "cost",
            f"power at {self.difference}": "power",
            f"detectable with power {self.wanted:g}": "detectable",
        }
        columns = [
            [_plural(word), *(str(row.sizes[place]) for row in self.prospects)]
            for place, word in enumerate(self.components.words)
        ]
        for head, name in shown.items():
            values = [getattr(row, name) for row in self.prospects]
            if None not in values:
                columns.append([head, *map(_number, values)])
        widths = [max(map(len, column)) for column in columns]
        for line in zip(*columns, strict=True):
            yield "  ".join(map(str.ljust, line, widths)).rstrip()

    def _answers(self) -> Iterator[str]:
        outer, inner = self.components.words
        as_much = "more than any number of" if self.worth is None else f"as much as {self.worth}"
        yield f"one more {outer} narrows the interval {as_much} more {_plural(inner)}"
        if self.buy is not None:
            yield f"buy {_plural(self.buy)}"
        if self.difference is None:
            yield "give a difference that would matter, to see what it needs"
            return
        goal = f"for power {self.wanted:g} at {self.difference:g}"
        for found, word in zip(self.smallest, self.components.words, strict=True):
            if found is None:
                yield f"no number of {_plural(word)} is enough {goal}"
            else:
                yield f"enough {goal}: {_counted(found, word)}"
        if self.cheapest is not None:
            size, cost = self._in_words(self.cheapest.sizes), _number(self.cheapest.cost or 0.0)
            yield f"the cheapest {goal}: {size}, cost {cost}"


def plan_study(
    components: Components,
    difference: float | None = None,
    power: float = 0.8,
    *,
    repeats: int | None = None,
    seeds: int | None = None,
    clusters: int | None = None,
    examples: int | None = None,
    per_cluster: int | None = None,
    cost_seed: float | None = None,
    cost_cluster: float | None = None,
    cost_example: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Study:
    r"""Say what a study can find, and the splits, seeds, examples or clusters that a difference needs.

    Parameters
    ----------
    components : SplitComponents, CrossedComponents or ClusterComponents
        What the variance is made of; `pilot` reads it from a small study.
    difference, power : float, optional, default 0.8
        True difference that the study should find, in units of the loss: one that would matter, not
        the one that a pilot has shown; and the wanted probability of finding it.
    repeats, seeds, clusters : int, optional
        Number of splits, seeds (of each learner) or clusters; by default that of the pilot, or 15
        splits.
    examples, per_cluster : int, optional
        Number of examples, in each cluster with clusters; by default that of the pilot, or all that
        splits train and test on.
    cost_seed, cost_cluster, cost_example : float, optional
        Cost of one more seed, cluster (without its examples), and example.
    level : float, default 0.95
    alternative : {"two-sided", "less", "greater"}, default "two-sided"

    Returns
    -------
    Study

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or a size is missing.

    Notes
    -----
    The variance V of the mean follows from the components. Its degrees of freedom are J - 1 for
    splits; G - 1 for clusters of equal size, for others fewer in the proportion of the pilot; and
    for seeds Satterthwaite's, for the mean squares :math:`\sigma_e^2 + n \sigma_s^2` for seeds,
    :math:`\sigma_e^2 + S \sigma_i^2` for examples and :math:`\sigma_e^2` for the rest. The
    statistic at a true difference :math:`\delta` is taken to have the noncentral t distribution
    with shift :math:`\delta/\sqrt V`. That is exact for splits under the assumptions of the
    corrected t ([1]_, section 2). As J grows, V goes to :math:`S^2 n_2/n_1` and not to 0: more
    splits of the same data cannot give any power that is wanted. For clusters V is that of as many
    independent examples times the design effect ([2]_). Numbers are tried one by one up to 10, and
    from there in steps of a tenth.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.
    .. [2] Kish (1965), Survey Sampling, sections 5.4 and 8.2.

    Examples
    --------
    >>> from errbar.planning import CrossedComponents, plan_study
    >>> parts = CrossedComponents(seed=0.0004, example=0.2, error=0.05)
    >>> study = plan_study(parts, 0.05, seeds=5, examples=200, cost_seed=3, cost_example=0.05)
    >>> round(study.detectable, 3), study.worth, study.buy, study.cheapest.sizes
    (0.095, 5, 'example', (6, 854))
    """
    if not isinstance(components, Components):
        raise InvalidInputError(
            f"must be components of variance, as errbar.planning.pilot makes them, got {type(components).__name__}",
            argument="components",
        )
    test = StudentTest(_check.level(level), _check.alternative(alternative))
    wanted = _check.level(power, "power")
    gap = None if difference is None else _true_difference(difference, test)
    given = {
        "repeats": repeats,
        "seeds": seeds,
        "clusters": clusters,
        "examples": examples,
        "per_cluster": per_cluster,
        "cost_seed": cost_seed,
        "cost_cluster": cost_cluster,
        "cost_example": cost_example,
    }
    own = *components.sizes, *components.costs
    for name, value in given.items():
        if value is not None and name not in own:
            raise InvalidInputError(
                f"does not go with {type(components).__name__}, which takes {', '.join(own)}",
                argument=name,
            )
    outer, inner = _sizes(components, given)
    costs: Any = None
    if any(given[name] is not None for name in components.costs):
        costs = tuple(
            _check.between(given[name], _CHEAPEST, _DEAREST, name)  # type: ignore[arg-type] # None is refused
            for name in components.costs
        )

    def prospect(sizes: Sizes, components: Components = components) -> Prospect:
        se, df = math.sqrt(components.variance(*sizes)), components.df(*sizes)
        return Prospect(
            sizes=sizes,
            se=se,
            df=df,
            half_width=test.critical(df) * se,
            detectable=test.shift(df, wanted) * se,
            power=None if gap is None else test.rejects(test.towards(gap) / se, df),
            cost=None if costs is None else float(components.cost(*sizes, costs)),
        )

    def half_width(outer: int, inner: int) -> float:
        se = math.sqrt(components.variance(outer, inner))
        return test.critical(components.df(outer, inner)) * se

    def enough(outer: int, inner: int) -> bool:
        variance = components.variance(outer, inner)
        if variance == 0.0 or gap is None:
            return True
        shift = test.towards(gap) / math.sqrt(variance)
        return test.rejects(shift, components.df(outer, inner)) >= wanted

    here, goal = half_width(outer, inner), half_width(outer + 1, inner)
    found: dict[str, Any] = {}
    if gap is not None:
        least, most = components.least, components.most
        found["smallest"] = (
            smallest(lambda number: enough(number, inner), least[0], most[0]),
            smallest(lambda number: enough(outer, number), least[1], most[1]),
        )
    if gap is not None and costs is not None:
        known = test.towards(gap) / (test.shift(KNOWN, wanted) or math.inf)
        best = _cheapest(components, costs, known**2, enough)
        found["cheapest"] = best and prospect(best)
    if components.pilot is not None:
        ends = [components.with_outer(end) for end in components.outer_interval()]
        if all(end.variance(outer, inner) > 0.0 for end in ends):
            low, high = (prospect((outer, inner), end) for end in ends)
            found["detectable_interval"] = low.detectable, high.detectable
            found["power_interval"] = None if gap is None else (high.power, low.power)
    study = Study(
        components=components,
        difference=gap,
        wanted=wanted,
        level=test.level,
        alternative=test.alternative,
        costs=costs,
        prospects=tuple(map(prospect, components.rows(outer, inner))),
        gains=(here - goal, here - half_width(outer, inner + 1)),
        worth=smallest(lambda more: half_width(outer, inner + more) <= goal, 1, _MOST_MORE),
        **found,
    )
    return replace(study, notes=tuple(_notes(study)))


def _true_difference(difference: float, test: StudentTest) -> float:
    towards = test.towards(_check.finite(difference, "difference"))
    if not LEAST <= towards <= MOST:
        sides = {"two-sided": "other than 0", "greater": "positive", "less": "negative"}
        raise InvalidInputError(
            f"must be {sides[test.alternative]} for the alternative {test.alternative!r}, and from {LEAST:g} "
            f"to {MOST:g} in size, got {difference!r}",
            argument="difference",
        )
    return float(difference)


def _sizes(components: Components, given: dict[str, Any]) -> Sizes:
    usual = components.pilot
    if isinstance(components, SplitComponents):
        usual = _USUAL_SPLITS, components.n_train + components.n_test
    found = []
    for place, name in enumerate(components.sizes):
        size, least = given[name], components.least[place]
        if size is None and usual is not None:
            # A mean size of clusters is a fraction; what is planned is whole.
            size = max(least, round(usual[place]))
        found.append(_check.count(size, name, least, components.most[place]))
    outer, inner = found
    return outer, inner


def _cheapest(
    components: Any,
    costs: tuple[float, float],
    known: float,
    enough: Callable[[int, int], bool],
) -> Sizes | None:
    """Return the cheapest sizes that are enough; of those that cost the same, the ones with the smallest variance."""
    bound = (1.0 + 1e-6) * known
    outer = np.arange(components.least[0], components.most[0] + 1, dtype=np.float64)
    fixed, falling = components.parts(outer)
    with np.errstate(divide="ignore", invalid="ignore"):
        need = np.maximum(components.least[1], np.ceil(falling / (bound - fixed)))
    need = np.where((fixed < bound) & (need <= components.most[1]), need, np.inf)
    lower = components.cost(outer, need, costs)
    best, rank = None, (math.inf, math.inf)
    for at in np.argsort(lower, kind="stable").tolist():
        if math.isinf(lower[at]) or lower[at] > rank[0]:
            break
        number, most = int(outer[at]), components.most[1]
        base, price = components.cost(number, 0, costs), components.cost(number, 1, costs)
        if math.isfinite(rank[0]):
            most = min(most, math.floor((1.0 + 1e-12) * (rank[0] - base) / (price - base)))
        inner = smallest(lambda n, number=number: enough(number, n), int(need[at]), most)  # type: ignore[misc]
        if inner is not None:
            found = components.cost(number, inner, costs), components.variance(number, inner)
            if found < rank:
                best, rank = (number, inner), found
    return best


def _notes(study: Study) -> Iterator[Note]:
    components = study.components
    if study.detectable_interval is not None and components.pilot is not None:
        low, high = study.detectable_interval
        count, units = int(components.pilot[0]), _plural(components.words[0])
        what = "detectable difference"
        yield Note("uncertain-pilot", what=what, count=count, units=units, low=low, high=high)
    if isinstance(components, CrossedComponents):
        yield SEEDS_OF_ONE_TRAINING_SET
    if isinstance(components, ClusterComponents) and components.variation > 0.0:
        kind, say = "varying as in the pilot", ["variation"]
        yield Note("taken-as", what="sizes of clusters", kind=kind, say=say)


def _plural(word: str) -> str:
    noun, _, rest = word.partition(" ")
    return f"{noun}s {rest}".rstrip()


def _counted(count: int, word: str) -> str:
    return f"{count} {word if count == 1 else _plural(word)}"


def _number(value: float) -> str:
    return f"{value:.0f}" if 1e4 <= value < 1e9 else f"{value:.4g}"
