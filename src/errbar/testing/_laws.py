"""The laws, each a function of a method and a seed."""

import dataclasses
import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from errbar import _check
from errbar._references import REFERENCES
from errbar.errors import InvalidInputError
from errbar.methods import Method
from errbar.methods._core.registry import COMMON_OPTIONS
from errbar.result import Result
from errbar.testing._cases import Case, cases

Law = Callable[[Method, int], None]

CHECKS: dict[str, Law] = {}
"""The laws by name: each takes a `Method` and a seed and raises AssertionError where the method breaks it."""

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
_NOT_AN_OPTION = "no_such_option"


class _Broken(Exception):  # noqa: N818 - not an error of the caller's
    """What a law found, before it is known which law and method it was."""


def check_method(method: Method, seed: int = 0) -> None:
    """Try every law of `CHECKS` on a method.

    Parameters
    ----------
    method : Method
        Entry of the catalogue, such as ``errbar.methods.METHODS["corrected-t"]``.
    seed : int, default 0
        Another seed tries the laws on other numbers.

    Raises
    ------
    AssertionError
        If the method breaks a law; the message names law, method, numbers and input.

    Examples
    --------
    >>> from errbar.methods import METHODS
    >>> from errbar.testing import check_method
    >>> check_method(METHODS["corrected-t"])
    """
    for law in CHECKS.values():
        law(method, seed)


def _law(body: Callable[[Case, np.random.Generator], None]) -> Callable[[Case, np.random.Generator], None]:
    """Enter a law that is tried on every case of a method."""
    name = body.__name__.removeprefix("_").replace("_", "-")

    def check(method: Method, seed: int = 0) -> None:
        if name in method.exempt:
            return
        for case in cases(method, seed):
            rng = np.random.default_rng([seed, 1])
            try:
                with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
                    warnings.simplefilter("error")
                    body(case, rng)
            except _Broken as found:
                raise AssertionError(f"method {method.key!r} breaks the law {name!r}: {found}; on {case}") from None

    check.__doc__ = inspect.getdoc(body)
    check.__name__ = check.__qualname__ = body.__name__.removeprefix("_")
    CHECKS[name] = check
    return body


def _require(holds: Any, text: str) -> None:
    if not holds:
        raise _Broken(text)


def _same(got: float, wanted: float, what: str, *, rtol: float = 1e-8, scale: float = 0.0) -> None:
    """Compare up to rounding, relative to the number itself or to `scale`."""
    close = got == wanted or abs(got - wanted) <= rtol * max(abs(wanted), scale)
    _require(close, f"{what} is {got!r} and should be {wanted!r}")


def _spread(result: Result) -> float:
    return max(abs(result.estimate), result.se)


def _same_numbers(got: Result, wanted: Result, what: str) -> None:
    size = _spread(wanted)
    _same(got.estimate, wanted.estimate, f"estimate {what}", scale=size)
    _same(got.se, wanted.se, f"standard error {what}")
    _same(got.low, wanted.low, f"lower end {what}", scale=size)
    _same(got.high, wanted.high, f"upper end {what}", scale=size)
    _same_test(got, wanted, what)


def _same_test(got: Result, wanted: Result, what: str) -> None:
    _same(got.statistic, wanted.statistic, f"statistic {what}", scale=1.0)
    _same(got.pvalue, wanted.pvalue, f"p-value {what}", rtol=1e-6, scale=1e-12)


def _nulls(result: Result) -> list[float]:
    return [result.estimate + steps * result.se for steps in (-3.0, -1.2, -0.1, 0.4, 2.0)]


def _answered(case: Case, nulls: list[float], **request: Any) -> list[Result]:
    """Return the results at those nulls that are possible values of what is estimated."""
    results = []
    for null in nulls:
        try:
            results.append(case.run(null=null, **request))
        except InvalidInputError as error:
            _require("`null`" in str(error), f"null {null} is refused without naming it: {error}")
    return results


def _empty_interval(result: Result) -> bool:
    return any(note.code == "every-value-rejected" for note in result.notes)


@contextmanager
def _refused(name: str, given: Any) -> Iterator[None]:
    try:
        yield
    except InvalidInputError as error:
        _require(name in str(error), f"{name} = {given!r} is refused without naming it: {error}")
    except Exception as error:  # noqa: BLE001 - any other exception is what the law is about
        raise _Broken(f"{name} = {given!r} raises {error!r} instead of InvalidInputError") from None
    else:
        raise _Broken(f"{name} = {given!r} is not refused")


@_law
def _declares_itself(case: Case, rng: np.random.Generator) -> None:
    """The catalogue entry is complete, options are keywords, and results repeat what was asked."""
    method = case.method
    parameters = list(inspect.signature(method.function).parameters.values())
    by_name = all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters[1:])
    _require(by_name, "an option has no default or is not keyword-only")
    _require(set(COMMON_OPTIONS) <= {p.name for p in parameters}, f"options {COMMON_OPTIONS} are not all there")
    _require(method.summary, "there is no documentation")
    _require(
        all(text.strip() for text in (method.claim, method.formula, method.fits)), "claim, formula or fits is empty"
    )
    _require(method.plans and method.references, "no plan or no reference is named")
    unknown = set(method.references) - set(REFERENCES)
    _require(not unknown, f"references {unknown} are unknown")
    result = case.run(level=0.9, null=0.125)
    _require(result.method == method.key, f"results are signed {result.method!r}")
    _require(result.estimand == method.estimand, f"estimand is {result.estimand!r}, declared {method.estimand!r}")
    asked = (result.level, result.null, result.alternative)
    _require(asked == (0.9, 0.125, "two-sided"), f"level, null and alternative come back as {asked}")
    _require(result.n_splits >= 1 and 0.0 < result.se < math.inf, f"splits {result.n_splits}, se {result.se}")


@_law
def _json_round_trip(case: Case, rng: np.random.Generator) -> None:
    """A result survives a trip through JSON, also with unbounded ends and an infinite statistic."""
    tried = [case, case.constant(0.25)] if case.has_losses else [case]
    for alternative in case.alternatives:
        for result in [each.run(alternative=alternative) for each in tried]:
            text = json.dumps(result.to_dict(), allow_nan=False)
            back = Result.from_dict(json.loads(text))
            _require(json.dumps(back.to_dict()) == text, f"{text} comes back as {back.to_dict()}")
            _require(back.interval == result.interval, f"{result.interval} comes back as {back.interval}")
            _require(back.statistic == result.statistic, f"statistic comes back as {back.statistic}")


@_law
def _alternatives(case: Case, rng: np.random.Generator) -> None:
    """A method tests two-sided, and either both one-sided alternatives or none."""
    known = case.alternatives
    _require(known in (("two-sided",), _check.ALTERNATIVES), f"it tests {known} only")


@_law
def _estimate_inside(case: Case, rng: np.random.Generator) -> None:
    """The estimate lies inside the interval."""
    for alternative in case.alternatives:
        for level in LEVELS:
            result = case.run(level=level, alternative=alternative)
            inside = result.low <= result.estimate <= result.high
            _require(inside, f"estimate {result.estimate} is outside {result.interval} at level {level}")
            ends = (math.isfinite(result.low), math.isfinite(result.high))
            wanted = {"two-sided": (True, True), "less": (False, True), "greater": (True, False)}[alternative]
            _require(ends == wanted, f"the interval for {alternative!r} is {result.interval}")


@_law
def _nested_in_level(case: Case, rng: np.random.Generator) -> None:
    """A higher level gives an interval that holds the lower one, around the same estimate."""
    for alternative in case.alternatives:
        results = [case.run(level=level, alternative=alternative) for level in LEVELS]
        for narrow, wide in pairwise(results):
            _require(narrow.estimate == wide.estimate, "the estimate depends on the level")
            if _empty_interval(wide):
                continue
            holds = wide.low <= narrow.low and wide.high >= narrow.high
            _require(holds, f"{wide.interval} at {wide.level} does not hold {narrow.interval}")
        grown = results[-1].interval != results[0].interval
        _require(grown or _empty_interval(results[-1]), f"the interval is {results[0].interval} at every level")


@_law
def _pvalue_at_the_ends(case: Case, rng: np.random.Generator) -> None:
    """With an interval's own end as the null, the p-value is 1 - level."""
    for alternative in case.alternatives:
        for level in LEVELS:
            result = case.run(level=level, alternative=alternative)
            for end in result.interval:
                if math.isfinite(end) and not _empty_interval(result):
                    p = case.run(level=level, null=end, alternative=alternative).pvalue
                    _same(p, 1.0 - level, f"p-value at the end {end} for {alternative!r}", rtol=1e-7)


@_law
def _interval_and_test_agree(case: Case, rng: np.random.Generator) -> None:
    """The interval excludes the null exactly when p < 1 - level."""
    for alternative in case.alternatives:
        for level in LEVELS:
            result = case.run(level=level, alternative=alternative)
            near = [end + side * result.se for end in result.interval for side in (-1e-6, 1e-6)]
            anywhere = result.estimate + 3.0 * result.se * rng.standard_normal(5)
            nulls = [null for null in [*near, *anywhere.tolist()] if math.isfinite(null)]
            for tested in _answered(case, nulls, level=level, alternative=alternative):
                null = tested.null
                excluded = _empty_interval(tested) or not tested.low <= null <= tested.high
                agree = excluded == (tested.pvalue < 1.0 - level)
                _require(agree, f"p = {tested.pvalue} with null {null}, level {level}, interval {tested.interval}")


@_law
def _direction(case: Case, rng: np.random.Generator) -> None:
    """The statistic has the sign of estimate - null, and p-values move with the null as they should."""
    result = case.run()
    nulls = _nulls(result)
    for tested in _answered(case, nulls):
        if tested.directed:
            signs = (tested.statistic > 0) == (tested.estimate > tested.null)
            _require(signs, f"statistic {tested.statistic}, null {tested.null}")
    away = [result.estimate + steps * result.se for steps in (0.1, 0.5, 1.0, 2.0, 4.0)]
    far = [tested.pvalue for tested in _answered(case, away)]
    _require(
        far == sorted(far, reverse=True) and far[0] > far[-1], f"p-values do not fall away from the estimate: {far}"
    )
    if "less" not in case.alternatives:
        return
    less = [tested.pvalue for tested in _answered(case, nulls, alternative="less")]
    greater = [tested.pvalue for tested in _answered(case, nulls, alternative="greater")]
    _require(less == sorted(less, reverse=True), f"p-values of 'less' do not fall as the null grows: {less}")
    _require(greater == sorted(greater), f"p-values of 'greater' do not grow with the null: {greater}")


@_law
def _sides_add_up(case: Case, rng: np.random.Generator) -> None:
    """One-sided p-values add up to 1, and the two-sided one is twice the smaller."""
    if "less" not in case.alternatives:
        return
    sides = (_answered(case, _nulls(case.run()), alternative=a) for a in ("less", "greater", "two-sided"))
    for less, greater, two in zip(*([tested.pvalue for tested in side] for side in sides), strict=True):
        _same(less + greater, 1.0, "sum of both one-sided p-values")
        _same(two, 2.0 * min(less, greater), "two-sided p-value")


@_law
def _scale(case: Case, rng: np.random.Generator) -> None:
    """Losses times c give estimate, standard error and interval times c, and the same test."""
    if not case.has_losses:
        return
    for factor in (100.0, 0.01, 3.0):
        scaled = case.mapped(partial(np.multiply, factor))
        for alternative in case.alternatives:
            for null in _nulls(case.run()):
                before = case.run(null=null, alternative=alternative)
                after = scaled.run(null=factor * null, alternative=alternative)
                size = factor * _spread(before)
                _same(after.estimate, factor * before.estimate, f"estimate of losses times {factor}", scale=size)
                _same(after.se, factor * before.se, f"standard error of losses times {factor}")
                _same(after.low, factor * before.low, f"lower end of losses times {factor}", scale=size)
                _same(after.high, factor * before.high, f"upper end of losses times {factor}", scale=size)
                _same_test(after, before, f"of losses times {factor}")


@_law
def _shift(case: Case, rng: np.random.Generator) -> None:
    """Losses plus c with null plus c give estimate and interval plus c, and the same test."""
    if not case.has_losses:
        return
    for offset in (5.0, -0.3):
        moved = case.mapped(partial(np.add, offset))
        for alternative in case.alternatives:
            for null in _nulls(case.run()):
                before = case.run(null=null, alternative=alternative)
                after = moved.run(null=null + offset, alternative=alternative)
                size = _spread(before) + abs(offset)
                _same(after.estimate, before.estimate + offset, f"estimate of losses plus {offset}", scale=size)
                _same(after.se, before.se, f"standard error of losses plus {offset}")
                _same(after.low, before.low + offset, f"lower end of losses plus {offset}", scale=size)
                _same(after.high, before.high + offset, f"upper end of losses plus {offset}", scale=size)
                _same_test(after, before, f"of losses plus {offset}")


@_law
def _sign_flip(case: Case, rng: np.random.Generator) -> None:
    """Swapping the learners negates estimate, interval and statistic, and swaps less and greater."""
    turned = case.swapped()
    if turned is None:
        return
    opposite = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
    for alternative in case.alternatives:
        for null in _nulls(case.run()):
            before = case.run(null=null, alternative=alternative)
            after = turned.run(null=-null, alternative=opposite[alternative])
            if before.directed:
                _same_numbers(after.mirrored(), before, "of the swapped learners, negated")
            else:
                _same(after.pvalue, before.pvalue, "p-value of the swapped learners")


@_law
def _order(case: Case, rng: np.random.Generator) -> None:
    """The order of splits, or of examples and the numbers of folds, does not matter."""
    other = case.reordered(rng)
    if other is not None:
        null = case.run().estimate + case.run().se
        _same_numbers(other.run(null=null), case.run(null=null), "after a change of order")


@_law
def _repeatable(case: Case, rng: np.random.Generator) -> None:
    """The same input gives the same answer, bit for bit."""
    first, second = case.run(null=0.1), case.remade().run(null=0.1)
    _require(first.to_dict() == second.to_dict(), f"{first.to_dict()} and {second.to_dict()}")


@_law
def _input_unmodified(case: Case, rng: np.random.Generator) -> None:
    """Neither the method nor the view changes the arrays they are given."""
    columns = {f.name: getattr(case.view, f.name) for f in dataclasses.fields(case.view)}
    arrays = {name: column.copy() for name, column in columns.items() if isinstance(column, np.ndarray)}
    case.run()
    for name, before in arrays.items():
        _require(np.array_equal(columns[name], before), f"the array `{name}` was changed")
    if not case.has_losses or not hasattr(case.view, "value") or hasattr(case.view, "counts"):
        return
    given = np.array(case.view.value)
    view = case.changed(value=given).view
    kept = view.value.copy()
    given[...] = 0.0
    _require(np.array_equal(view.value, kept), "the view changes with the array it was made from")


@_law
def _degenerate(case: Case, rng: np.random.Generator) -> None:
    """Losses that are all equal give a clear answer and a note; no NaN, exception or warning."""
    if not case.has_losses:
        return
    usual = {note.code for note in case.run().notes}
    for constant in (0.0, 0.1, -1.0 / 3.0):
        still = case.constant(constant)
        for alternative in case.alternatives:
            for offset in (0.0, 0.5, -0.5):
                result = still.run(null=constant + offset, alternative=alternative)
                _require_degenerate(case, result, constant, offset)
                _require({note.code for note in result.notes} - usual, f"no note says that all losses are {constant}")


def _require_degenerate(case: Case, result: Result, constant: float, offset: float) -> None:
    """Compare with what is agreed for a standard error of 0 and the null `offset` above the losses."""
    where = f"of losses all {constant} with null {result.null} ({result.alternative})"
    wrong_side = {"less": offset < 0, "greater": offset > 0}.get(result.alternative, False)
    even = 1.0 if result.alternative == "two-sided" else 0.5
    statistic = 0.0 if offset == 0.0 else -math.copysign(math.inf, offset)
    got = result.statistic if result.directed else -math.copysign(result.statistic, offset)
    _require(got == statistic, f"statistic {where} is {result.statistic}")
    pvalue = even if offset == 0.0 else float(wrong_side)
    _require(result.pvalue == pvalue, f"p-value {where} is {result.pvalue}, not {pvalue}")
    _require(result.se == 0.0, f"standard error {where} is {result.se}")
    _same(result.estimate, constant, f"estimate {where}", rtol=1e-12)
    low = -math.inf if result.alternative == "less" else result.estimate
    high = math.inf if result.alternative == "greater" else result.estimate
    _require(result.interval == (low, high), f"interval {where} is {result.interval}")


@_law
def _refuses_what_is_not_finite(case: Case, rng: np.random.Generator) -> None:
    """NaN and inf among the losses are refused with a message that names the place."""
    if case.handling.spoiled is None:
        return
    for bad in (math.nan, math.inf, -math.inf, 1e300):
        place, make = case.handling.spoiled(case.view, rng, bad)
        with _refused(f" {place} ", bad):
            replace(case, view=make()).run()


@_law
def _refuses_bad_requests(case: Case, rng: np.random.Generator) -> None:
    """A level, null, alternative or option that cannot be used is refused with a message that names it."""
    bad = {
        "level": (0.0, 1.0, 95, -0.5, math.nan, "0.95", True, None),
        "null": (math.nan, math.inf, "0", None, 10**400),
        "alternative": ("both", "Less", "", None, 1),
    }
    for name, values in bad.items():
        for value in values:
            with _refused(f"`{name}`", value):
                case.run(**{name: value})
    for name, default in case.method.options.items():
        wrong: Any = "no such word" if isinstance(default, str) else math.nan
        with _refused(f"`{name}`", wrong):
            Case(case.method, case.view, {name: wrong}).run()
    with _refused(f"`{_NOT_AN_OPTION}`", 1):
        case.method.check_options({_NOT_AN_OPTION: 1})
