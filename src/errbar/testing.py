"""Laws that every method must obey, for methods from elsewhere too, and an assertion for tests of models.

The laws see structure and never constants: a standard error that is wrong by a factor obeys them all. A method therefore also
needs a value from an independent source, and a simulation in which its size is known.
"""

import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from itertools import pairwise, product
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from errbar._check import ALTERNATIVES, Facts, FloatArray
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.gates import Gate
from errbar.losses import Losses
from errbar.margins import Equivalence
from errbar.methods import Method
from errbar.result import OPPOSITE, Result

__all__ = ["assert_not_worse", "check_method"]


Numbers = Callable[[FloatArray], FloatArray]


@record
class Case:
    """One method, one table of losses, one choice of the method's own options."""

    method: Method
    view: Any
    options: Facts = field(default_factory=dict)
    rng: Generator = field(default_factory=np.random.default_rng)

    def run(self, **request: Any) -> Result:
        """Call the method with these `level`, `null` and `alternative`."""
        result: Result = self.method.function(self.view, **self.options, **request)
        return result

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Alternatives that the method can test."""
        return ALTERNATIVES if self.method.sides else ALTERNATIVES[:1]

    @property
    def has_losses(self) -> bool:
        """Whether losses can be scaled and shifted: not so counts, ranks and errors 0 or 1."""
        return self.method.loss != "zero-one" and not self.method.own_units

    def mapped(self, change: Numbers) -> Self:
        """Return the case with every loss changed by a function of arrays."""
        # A constant that is added to a difference is added to the losses of the first learner alone.
        sign = float(change(np.ones(1))[0] - change(np.zeros(1))[0])
        changes: list[Numbers] = [change, partial(np.multiply, sign)]
        sides = zip(self.view.each, changes, strict=False)
        return self._with([remade(one, value=own(np.array(one.value))) for one, own in sides])

    def reordered(self) -> Self | None:
        """Return the case with rows in another order."""
        order = self.rng.permutation(self.view.index.rows)
        return self._with([one.only(order) for one in self.view.each])

    def _with(self, sides: list[Losses]) -> Self:
        one, *other = sides
        return replace(self, view=one.minus(*other) if other else one)

    def swapped(self) -> Self | None:
        """Return the case with both learners exchanged; of a single column, with losses negated."""
        if self.method.loss == "zero-one":
            return None
        if self.view.pair is None:
            return self.mapped(np.negative)
        return self._with(self.view.pair[::-1])

    def remade(self) -> Self:
        """Return the case with a view made again from the same numbers."""
        return self.mapped(np.copy)


def columns_of(losses: Losses) -> Facts:
    """Return the arguments that make the losses of one learner."""
    names = ("value", "kind", "metric", "between")
    return {name: getattr(losses, name) for name in names} | dict(losses.index)


def remade(losses: Losses, **columns: Any) -> Losses:
    """Return the losses of one learner with other columns."""
    return Losses(**(columns_of(losses) | columns))


Law = Callable[[Case], None]

LAWS: dict[str, Law] = {}
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


def check_method(
    method: Method,
    losses: Iterable[Losses] = (),
    options: Iterable[Mapping[str, Any]] = (),
    seed: int = 0,
) -> None:
    """Try every law on a method.

    Parameters
    ----------
    method : Method
        Entry of the catalogue, such as ``errbar.methods.METHODS["corrected-t"]``.
    losses : iterable of Losses, optional
        Tables to try it on; by default folds of examples for a method of examples, and scores of splits
        for the others.
    options : iterable of mapping, optional
        Values of the method's own options to try, such as ``[{"rho": 0.2}, {"rho": 0.7}]``.
    seed : int, default 0
        Another seed tries the laws on other numbers.

    Raises
    ------
    AssertionError
        If the method breaks a law; the message names law, method and options.

    Examples
    --------
    >>> from errbar.methods import METHODS
    >>> from errbar.testing import check_method
    >>> check_method(METHODS["corrected-t"], options=[{"correlation": 0.3}])
    """
    tables = list(losses) or [_usual_losses(method, np.random.default_rng(seed))]
    for name, view, values in product(LAWS, tables, [{}, *options]):
        check_law(name, Case(method, view, dict(values)), seed)


def check_law(name: str, case: Case, seed: int = 0) -> None:
    """Raise AssertionError if a method breaks one law, unless it says why it cannot obey it."""
    if name in case.method.exempt:
        return
    case = replace(case, rng=np.random.default_rng([seed, 1]))
    try:
        with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
            warnings.simplefilter("error")
            LAWS[name](case)
    except (AssertionError, InvalidInputError) as found:
        raise AssertionError(
            f"method {case.method.key!r} breaks the law {name!r} with options {case.options}: {found}"
        ) from None


def _usual_losses(method: Method, rng: Generator) -> Losses:
    count = 24
    value, n_test = rng.gamma(1.0, size=count), rng.integers(5, 20, count)
    if method.pointwise:
        return Losses(value, fold=np.arange(count) % 5, example=np.arange(count), n_train=80.0)
    return Losses(value, n_train=120 - n_test, n_test=n_test)


def _law(body: Law) -> Law:
    """Enter a law."""
    LAWS[body.__name__.removeprefix("_").replace("_", "-")] = body
    return body


def _require(holds: Any, text: str) -> None:
    if not holds:
        raise AssertionError(text)


def _same(got: float, wanted: float, what: str, *, rtol: float = 1e-8, scale: float = 0.0) -> None:
    """Compare up to rounding, relative to the number itself or to `scale`."""
    close = math.isclose(got, wanted, rel_tol=rtol, abs_tol=rtol * scale)
    _require(close, f"{what} is {got!r} and should be {wanted!r}")


def _same_numbers(
    got: Result, wanted: Result, what: str, *, factor: float = 1.0, offset: float = 0.0
) -> None:
    """Compare with a result whose estimate and ends are wanted `factor` times, plus `offset`."""
    size = factor * max(abs(wanted.estimate), wanted.se) + abs(offset)
    for name in ("estimate", "low", "high"):
        moved = factor * getattr(wanted, name) + offset
        _same(getattr(got, name), moved, f"{name} {what}", scale=size)
    _same(got.se, factor * wanted.se, f"standard error {what}")
    _same(got.statistic, wanted.statistic, f"statistic {what}", scale=1.0)
    _same(got.pvalue, wanted.pvalue, f"p-value {what}", rtol=1e-6, scale=1e-12)


def _nulls_to_try(result: Result) -> list[float]:
    return [result.estimate + steps * result.se for steps in (-3.0, -1.2, -0.1, 0.4, 2.0)]


def _answered(case: Case, nulls: Iterable[float], **request: Any) -> list[Result]:
    """Return the results at those nulls that are possible values of what is estimated."""
    results = []
    for null in nulls:
        try:
            results.append(case.run(null=null, **request))
        except InvalidInputError as error:
            _require(error.argument == "null", f"null {null} is refused without naming it: {error}")
    return results


def _require_refusal(name: str, given: Any, ask: Callable[[], Any]) -> None:
    fault: Any = None
    try:
        ask()
    except Exception as error:  # noqa: BLE001 - any other exception is what the law is about
        fault = error
    named = getattr(fault, "argument", None) == name
    _require(named, f"{name} = {given!r} is not refused by its name: {fault!r}")


def _at_every_level(case: Case) -> Iterator[Result]:
    for alternative, level in product(case.alternatives, LEVELS):
        yield case.run(level=level, alternative=alternative)


@_law
def _declares_itself(case: Case) -> None:
    """Options are keywords with defaults, and results repeat what was asked."""
    method = case.method
    parameters = list(inspect.signature(method.function).parameters.values())[1:]
    by_name = all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters)
    _require(by_name, "an option has no default or is not keyword-only")
    result = case.run(level=0.9, null=0.125)
    got = (result.method, result.level, result.null)
    _require(got == (method.key, 0.9, 0.125), f"results say {got}")


@_law
def _json_round_trip(case: Case) -> None:
    """A result survives a trip through JSON, also with unbounded ends."""
    for alternative in case.alternatives:
        data = case.run(alternative=alternative).to_dict()
        back = json.loads(json.dumps(data, allow_nan=False))
        _require(back == data, f"{data} comes back as {back}")


@_law
def _estimate_inside(case: Case) -> None:
    """The estimate lies inside the interval, which is open on the side of its alternative."""
    for result in _at_every_level(case):
        where = f"{result.interval} for {result.alternative!r} at level {result.level}"
        inside = result.low <= result.estimate <= result.high
        _require(inside, f"estimate {result.estimate} is outside {where}")
        ends = (math.isfinite(result.low), math.isfinite(result.high))
        wanted = (result.alternative != "less", result.alternative != "greater")
        _require(ends == wanted, f"the wrong ends are finite, {where}")


@_law
def _nested_in_level(case: Case) -> None:
    """An interval at a higher level contains the one at a lower level, around the same estimate."""
    for alternative in case.alternatives:
        results = [case.run(level=level, alternative=alternative) for level in LEVELS]
        for narrow, wide in pairwise(results):
            _require(narrow.estimate == wide.estimate, "the estimate depends on the level")
            holds = wide.low <= narrow.low and wide.high >= narrow.high
            what = f"{wide.interval} at {wide.level} does not hold {narrow.interval}"
            _require(holds or wide.low == wide.high, what)
        grown = results[-1].interval != results[0].interval
        point = wide.low == wide.high
        _require(grown or point, "the interval is the same at every level")


@_law
def _pvalue_at_the_ends(case: Case) -> None:
    """With an interval's own end as the null, the p-value is 1 - level; at an end that is cut it is no smaller."""
    edges = (case.method.null_range or ()) if case.method.own_units else ()
    for result in _at_every_level(case):
        for end in filter(math.isfinite, result.interval if result.low < result.high else ()):
            p = case.run(level=result.level, null=end, alternative=result.alternative).pvalue
            if end not in edges or p < 1.0 - result.level:
                what = f"p-value at the end {end} for {result.alternative!r}"
                _same(p, 1.0 - result.level, what, rtol=1e-7)


@_law
def _interval_and_test_agree(case: Case) -> None:
    """The interval excludes the null exactly when p < 1 - level, also next to its ends."""
    for result in _at_every_level(case):
        near = [end + side * result.se for end in result.interval for side in (-1e-6, 1e-6)]
        anywhere = result.estimate + 3.0 * result.se * case.rng.standard_normal(2)
        nulls = filter(math.isfinite, [*near, *anywhere.tolist()])
        for tested in _answered(case, nulls, level=result.level, alternative=result.alternative):
            inside = tested.low <= tested.null <= tested.high and tested.low < tested.high
            _require(
                inside == (tested.pvalue >= 1.0 - tested.level),
                f"p = {tested.pvalue} with null {tested.null}, level {tested.level}, interval {tested.interval}",
            )


@_law
def _direction(case: Case) -> None:
    """The statistic has the sign of estimate - null, and p falls as the null moves away from the estimate."""
    result = case.run()
    for tested in _answered(case, _nulls_to_try(result)):
        signs = (tested.statistic > 0) == (tested.estimate > tested.null)
        _require(signs or not tested.directed, f"statistic {tested.statistic}, null {tested.null}")
    away = [result.estimate + steps * result.se for steps in (0.1, 0.5, 1.0, 2.0, 4.0)]
    far = [tested.pvalue for tested in _answered(case, away)]
    falls = far == sorted(far, reverse=True) and far[0] > far[-1]
    _require(falls, f"p-values do not fall away from the estimate: {far}")


@_law
def _sides_add_up(case: Case) -> None:
    """One-sided p-values add up to 1, and the two-sided one is twice the smaller."""
    if "less" not in case.alternatives:
        return
    nulls = _nulls_to_try(case.run())
    sides = (_answered(case, nulls, alternative=side) for side in ("less", "greater", "two-sided"))
    for less, greater, two in zip(*sides, strict=True):
        _same(less.pvalue + greater.pvalue, 1.0, "sum of both one-sided p-values")
        _same(two.pvalue, 2.0 * min(less.pvalue, greater.pvalue), "two-sided p-value")


@_law
def _scale(case: Case) -> None:
    """Losses times c give estimate, standard error and interval times c, and the same test."""
    for factor in (100.0, 0.01, 3.0):
        if case.has_losses:
            changed = case.mapped(partial(np.multiply, factor))
            _same_up_to(case, changed, f"of losses times {factor}", factor)


@_law
def _shift(case: Case) -> None:
    """Losses plus c with null plus c give estimate and interval plus c, and the same test."""
    for offset in (5.0, -0.3):
        if case.has_losses:
            changed = case.mapped(partial(np.add, offset))
            _same_up_to(case, changed, f"of losses plus {offset}", offset=offset)


@_law
def _sign_flip(case: Case) -> None:
    """Swapping the learners negates estimate, interval and statistic, and swaps less and greater."""
    turned = case.swapped()
    if turned is not None:
        _same_up_to(case, turned, "of the swapped learners", -1.0)


def _same_up_to(
    case: Case, changed: Case, what: str, factor: float = 1.0, offset: float = 0.0
) -> None:
    """Compare a case with one whose losses are `factor` times its own plus `offset`."""
    for side, null in product(case.alternatives, _nulls_to_try(case.run())):
        before = case.run(null=null, alternative=side)
        other_side = side if factor > 0.0 else OPPOSITE[side]
        after = changed.run(null=factor * null + offset, alternative=other_side)
        if factor < 0.0 and not before.directed:
            _same(after.pvalue, before.pvalue, f"p-value {what}")
            continue
        if factor < 0.0:
            after = after.mirrored()
        _same_numbers(after, before, what, factor=abs(factor), offset=offset)


@_law
def _order(case: Case) -> None:
    """The order of splits, or of examples and the numbers of folds, does not matter."""
    other = case.reordered()
    if other is not None:
        null = case.run().estimate + case.run().se
        _same_numbers(other.run(null=null), case.run(null=null), "after a change of order")


@_law
def _repeatable(case: Case) -> None:
    """The same input gives the same answer, bit for bit, also once the method has seen it."""
    first, second = (one.run(null=0.1).to_dict() for one in (case, case.remade()))
    _require(first == second == case.run(null=0.1).to_dict(), f"{first} and {second}")


@_law
def _degenerate(case: Case) -> None:
    """Losses that are all equal give a clear answer and a note; no NaN, exception or warning."""
    if not case.has_losses:
        return
    usual = {note.code for note in case.run().notes}
    tried = product((0.0, 0.1, -1.0 / 3.0), (0.0, 0.5, -0.5), case.alternatives)
    for constant, offset, side in tried:
        result = case.mapped(partial(np.full_like, fill_value=constant)).run(
            null=constant + offset, alternative=side
        )
        what = f"losses all {constant} with null {result.null} ({side})"
        ends = {*filter(math.isfinite, result.interval)}
        got = (result.se, abs(result.statistic), result.pvalue, ends)
        even = 1.0 if side == "two-sided" else 0.5
        beyond = {"less": offset < 0.0, "greater": offset > 0.0}.get(side, False)
        wanted = (math.inf, float(beyond)) if offset else (0.0, even)
        _require(got == (0.0, *wanted, {result.estimate}), f"{what} give {got}")
        _same(result.estimate, constant, f"estimate of {what}", rtol=1e-12)
        _require({note.code for note in result.notes} - usual, f"no note tells of {what}")


@_law
def _refuses_bad_requests(case: Case) -> None:
    """A level, null, alternative or option that cannot be used is refused by an error that names it."""
    bad = {
        "level": (0.0, 1.0, 95, math.nan, "0.95", None),
        "null": (math.nan, math.inf, "0", None),
        "alternative": ("both", None),
    }
    for name, values in bad.items():
        for value in values:
            _require_refusal(name, value, partial(case.run, **{name: value}))
    for name, default in case.method.options.items():
        wrong: Any = "no such word" if isinstance(default, str) else math.nan
        _require_refusal(name, wrong, replace(case, options={name: wrong}).run)


def assert_not_worse(
    numbers: Any,
    new: str,
    old: str,
    *,
    by: float = 0.01,
    level: float = 0.95,
    method: str | None = None,
    **options: Any,
) -> Equivalence:
    """Assert that one learner is shown not to be worse than another by a margin.

    The burden of proof is on the new learner: with too few data the assertion fails.

    Parameters
    ----------
    numbers : Comparison or LossTable
        From `errbar.compare`, or numbers of your own, such as `errbar.from_scores`.
    new, old : str
        Names of the learners.
    by : float, default 0.01
        Margin, 0 or more, in units of the loss: what `new` may be worse by and still pass. With 0 it
        must be shown that `new` is better.
    level : float, default 0.95
        Confidence level of the one-sided test.
    method : str, optional
        Key of a method with one-sided tests; by default that of the comparison, or what the design of
        a table calls for.
    **options
        Options of the method's own; by default those of the comparison.

    Returns
    -------
    Equivalence
        The test that was passed.

    Raises
    ------
    AssertionError, InvalidInputError
        If it is not shown; the message holds the difference, its bound and the p-value; if a learner
        is unknown, or an argument cannot be used.

    Examples
    --------
    >>> import errbar
    >>> from errbar.testing import assert_not_worse
    >>> errors = {"new": [0.10, 0.08, 0.11], "old": [0.10, 0.09, 0.11]}
    >>> table = errbar.from_scores(errors, n_train=900, n_test=100)
    >>> assert_not_worse(table, "new", "old", by=0.02).shown
    True
    """
    __tracebackhide__ = True
    verdict = Gate(new, old, "worse-than", by).judge(numbers, method=method, level=level, **options)
    if not verdict.passed:
        raise AssertionError(verdict.sentence)
    found: Equivalence = verdict.test
    return found
