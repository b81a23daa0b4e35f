"""What a study can find, and what a difference needs."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.needs import SEEDS_OF_ONE_TRAINING_SET
from errbar.planning._components import LEAST, MOST, Components, CrossedComponents, Sizes
from errbar.planning._student import KNOWN, StudentTest, smallest
from errbar.result import Note

_POINTS = 201
# Curves end where power is close to 1.
_TOP = 0.99
_CHEAPEST, _DEAREST = 1e-12, 1e12
_MOST_MORE = 1_000_000_000
_FOUND = (
    *("prospects", "power", "detectable", "detectable_interval", "power_interval"),
    *("worth", "smallest", "cheapest"),
)


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
    sizes : Numbers of splits, seeds or clusters, and of examples (per cluster).
    difference, wanted : True difference that the study should find, and wanted power.
    level, alternative : Of the test.
    costs : Cost of a seed (or cluster) and of an example.
    """

    components: Components
    sizes: Sizes
    difference: float | None
    wanted: float
    level: float
    alternative: str
    costs: tuple[float, float] | None = None

    @property
    def _test(self) -> StudentTest:
        return StudentTest(self.level, self.alternative)

    def _half_width(self, outer: int, inner: int) -> float:
        parts = self.components
        se = math.sqrt(parts.variance(outer, inner))
        return self._test.critical(parts.df(outer, inner)) * se

    def _power(self, outer: int, inner: int) -> float:
        parts, test = self.components, self._test
        shift = test.towards(self.difference or 0.0) / math.sqrt(parts.variance(outer, inner))
        return test.rejects(shift, parts.df(outer, inner))

    def _enough(self, outer: int, inner: int) -> bool:
        return self._power(outer, inner) >= self.wanted

    def prospect(self, outer: int, inner: int) -> Prospect:
        """Return what a study of another size promises."""
        parts = self.components
        se, df = math.sqrt(parts.variance(outer, inner)), parts.df(outer, inner)
        return Prospect(
            sizes=(outer, inner),
            se=se,
            df=df,
            half_width=self._half_width(outer, inner),
            detectable=self._test.shift(df, self.wanted) * se,
            power=None if self.difference is None else self._power(outer, inner),
            cost=self.costs and float(parts.cost(outer, inner, self.costs)),
        )

    @cached_property
    def prospects(self) -> tuple[Prospect, ...]:
        """What the study promises, and larger ones."""
        return tuple(self.prospect(*sizes) for sizes in self.components.rows(*self.sizes))

    @property
    def power(self) -> float | None:
        """Power at the difference."""
        return self.prospects[0].power

    @property
    def detectable(self) -> float:
        """Size of the smallest difference with the wanted power."""
        return self.prospects[0].detectable

    @cached_property
    def _ends(self) -> list["Study"]:
        """The study at the ends of the first component's interval from the pilot."""
        parts = self.components
        ends = () if parts.pilot is None else parts.outer_interval()
        return [replace(self, components=parts.with_outer(end)) for end in ends]

    @property
    def detectable_interval(self) -> tuple[float, ...] | None:
        """Detectable difference at these ends."""
        return tuple(end.detectable for end in self._ends) or None

    @property
    def power_interval(self) -> tuple[float | None, ...] | None:
        """Power at the same ends."""
        ends = self._ends if self.difference is not None else []
        return tuple(end.power for end in reversed(ends)) or None

    @cached_property
    def worth(self) -> int | None:
        """How many more examples narrow the interval as much as one more split, seed or cluster."""
        outer, inner = self.sizes
        goal = self._half_width(outer + 1, inner)
        return smallest(lambda more: self._half_width(outer, inner + more) <= goal, 1, _MOST_MORE)

    @cached_property
    def smallest(self) -> tuple[int | None, int | None]:
        """Smallest numbers with the wanted power at the difference, the other one as it is."""
        if self.difference is None:
            return None, None
        (outer, inner), least, most = self.sizes, self.components.least, self.components.most
        return (
            smallest(lambda number: self._enough(number, inner), least[0], most[0]),
            smallest(partial(self._enough, outer), least[1], most[1]),
        )

    @cached_property
    def cheapest(self) -> Prospect | None:
        """The cheapest study with that power, where costs are known; of several the one with the smallest variance."""
        if self.difference is None or self.costs is None:
            return None
        parts, (most, most_inner) = self.components, self.components.most
        # The variance is fixed + falling / inner, and must not be above that of a test with known variance.
        shift = self._test.shift(KNOWN, self.wanted) or LEAST
        bound = (1.0 + 1e-6) * (self._test.towards(self.difference) / shift) ** 2
        outer = np.arange(parts.least[0], most + 1.0)
        fixed = parts.variance(outer, math.inf)
        falling, room = parts.variance(outer, 1.0) - fixed, bound - fixed
        possible = falling < most_inner * room
        outer = outer[possible]
        need = np.maximum(parts.least[1], np.ceil(falling[possible] / room[possible]))
        lower = parts.cost(outer, need, self.costs)
        best: Any = (math.inf,)
        for at in np.argsort(lower, kind="stable").tolist():
            if lower[at] > best[0]:
                break
            number = int(outer[at])
            inner = smallest(partial(self._enough, number), int(need[at]), most_inner)
            if inner is not None:
                variance = parts.variance(number, inner)
                best = min(best, (parts.cost(number, inner, self.costs), variance, number, inner))
        return self.prospect(*best[2:]) if best[2:] else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Caveats that belong to the numbers."""
        parts, found = self.components, []
        if parts.pilot is not None and self.detectable_interval is not None:
            low, high = self.detectable_interval
            what, units, count = "detectable difference", parts.sizes[0], int(parts.pilot[0])
            found.append(
                Note("uncertain-pilot", what=what, count=count, units=units, low=low, high=high)
            )
        if isinstance(parts, CrossedComponents):
            found.append(SEEDS_OF_ONE_TRAINING_SET)
        if getattr(parts, "variation", 0.0):
            kind, say = "varying as in the pilot", ["variation"]
            found.append(Note("taken-as", what="sizes of clusters", kind=kind, say=say))
        return tuple(found)

    def curves(self) -> dict[str, FloatArray]:
        """Return difference and power, shape (201, 2), for each size in `prospects`."""
        test, row = self._test, self.prospects[0]
        end = test.shift(row.df, max(_TOP, self.wanted)) * row.se
        below = (self.difference or 0.0) < 0.0 or self.alternative == "less"
        differences = np.linspace(0.0, -end if below else end, _POINTS)
        shifts = [test.towards(one) for one in differences.tolist()]
        return {
            self._in_words(row.sizes): np.column_stack(
                [differences, [test.rejects(shift / row.se, row.df) for shift in shifts]]
            )
            for row in self.prospects
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        parts = self.components
        found = {name: getattr(self, name) for name in (*_FOUND, "notes")}
        more = {"method": parts.method, "sources": parts.sources(*self.sizes)}
        return plain(self) | plain(found | more)

    def __str__(self) -> str:
        parts, total = self.components, self.prospects[0].se ** 2
        variances, sources = parts.variances.items(), parts.sources(*self.sizes).items()
        spreads = [f"{what} {_number(math.sqrt(part))}" for what, part in variances]
        shares = [f"{what} {100.0 * part / total:.2g} %" for what, part in sources]
        outer, inner = parts.sizes
        table: list[Any] = [(outer, inner, "error", "half-width", "power", "detectable", "cost")]
        table += [
            (*row.sizes, row.se, row.half_width, row.power, row.detectable, row.cost)
            for row in self.prospects
        ]
        lines = [
            f"{parts.method}: {self._in_words(self.sizes)}, level {self.level:.6g}, {self.alternative}",
            f"standard deviations of {parts.name or parts.metric}: {', '.join(spreads)}",
            f"squared standard error by source: {', '.join(shares)}",
            "",
            f"detectable: with power {self.wanted:g}; power: at {self.difference}",
            *("".join(f"{_number(cell):>12}" for cell in row) for row in table),
            "",
            f"{inner} that are worth one more of {outer}: {_number(self.worth)}",
        ]
        if self.difference is not None:
            needed = zip(parts.sizes, self.smallest, strict=True)
            lines += [f"{name} needed: {count or 'no number is enough'}" for name, count in needed]
        if self.cheapest is not None:
            size, cost = self._in_words(self.cheapest.sizes), _number(self.cheapest.cost)
            lines.append(f"cheapest: {size}, cost {cost}")
        return "\n".join([*lines, *(f"note {note}" for note in self.notes)])

    def _in_words(self, sizes: Sizes) -> str:
        outer, inner = self.components.sizes
        return f"{sizes[0]} {outer}, {sizes[1]} {inner}"


def plan_study(
    components: Components,
    difference: float | None = None,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    **sizes_and_costs: Any,
) -> Study:
    r"""Say what a study can find, and the splits, seeds, examples or clusters that a difference needs.

    Parameters
    ----------
    components : SplitComponents, CrossedComponents or ClusterComponents
        What the variance is made of; `pilot` reads it from a small study.
    difference, power : float, optional, default 0.8
        True difference that the study should find, in units of the loss: one that would matter, not
        the one that a pilot has shown; and the wanted probability of finding it.
    level : float, default 0.95
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
    **sizes_and_costs : int or float
        ``repeats``, ``seeds`` (of each learner) or ``clusters``, by default that of the pilot, or 15
        splits; ``examples``, or ``per_cluster``, by default that of the pilot, or all that splits train
        and test on; ``cost_seed`` or ``cost_cluster`` (without its examples), and ``cost_example``.

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
    >>> round(study.detectable, 3), study.worth, study.cheapest.sizes
    (0.095, 5, (6, 854))
    """
    must = "must be components of variance, as errbar.planning.pilot makes them"
    _check.require(isinstance(components, Components), must, components, "components")
    level, alternative = _check.level(level), _check.alternative(alternative)
    if difference is not None:
        difference = _check.finite(difference, "difference")
        towards = StudentTest(level, alternative).towards(difference)
        must = f"must be on the side of the alternative {alternative!r}, from {LEAST:g} to {MOST:g} in size"
        _check.require(LEAST <= towards <= MOST, must, difference, "difference")
    given: Any = {name: value for name, value in sizes_and_costs.items() if value is not None}
    own = *components.sizes, *components.costs
    for name, value in given.items():
        must = f"does not go with {type(components).__name__}, which takes {', '.join(own)}"
        _check.require(name in own, must, value, name)
    sizes = []
    for place, name in enumerate(components.sizes):
        size, least = given.get(name), components.least[place]
        if size is None and components.usual is not None:
            # A mean size of clusters is a fraction; what is planned is whole.
            size = max(least, round(components.usual[place]))
        sizes.append(_check.count(size, name, least, components.most[place]))
    costs: Any = None
    if given.keys() & set(components.costs):
        costs = tuple(
            _check.between(given.get(name), _CHEAPEST, _DEAREST, name) for name in components.costs
        )
    outer, inner = sizes
    wanted = _check.level(power, "power")
    return Study(components, (outer, inner), difference, wanted, level, alternative, costs)


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    return f"{value:.0f}" if 1e4 <= value < 1e9 else f"{value:.4g}"
