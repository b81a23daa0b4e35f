"""The laws, each a function of a case: one method on one table of losses."""

import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.methods import Method
from errbar.methods._core.registry import COMMON_OPTIONS
from errbar.result import OPPOSITE, Result
from errbar.testing._case import Case

Law = Callable[[Case, np.random.Generator], None]

LAWS: dict[str, Law] = {}
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


class LawBrokenError(Exception):
    """What a law found, before it is known which law and method it was."""


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
        If the method breaks a law; the message names law, method and input.

    Examples
    --------
    >>> from errbar.methods import METHODS
    >>> from errbar.testing import check_method
    >>> check_method(METHODS["corrected-t"], options=[{"correlation": 0.3}])
    """
    tables = list(losses) or _usual_losses(method, np.random.default_rng(seed))
    chosen: list[Mapping[str, Any]] = [{}, *options]
    for name, (view, values) in product(LAWS, product(tables, chosen)):
        check_law(name, Case(method, view, dict(values)), seed)


def check_law(name: str, case: Case, seed: int = 0) -> None:
    """Raise AssertionError if a method breaks one law, unless it says why it cannot obey it."""
    if name in case.method.exempt:
        return
    try:
        with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
            warnings.simplefilter("error")
            LAWS[name](case, np.random.default_rng([seed, 1]))
    except LawBrokenError as found:
        raise AssertionError(
            f"method {case.method.key!r} breaks the law {name!r}: {found}; on {case}"
        ) from None


def _usual_losses(method: Method, rng: np.random.Generator) -> list[Losses]:
    if method.pointwise:
        fold = np.repeat(np.arange(5), (7, 4, 9, 5, 2))
        example = rng.permutation(fold.size)
        positive = rng.gamma(1.0, size=fold.size)
        return [
            Losses(positive, fold=fold, example=example, n_train=80.0),
            Losses(rng.standard_normal(24), fold=np.arange(24) % 4, example=np.arange(24)),
        ]
    n_test = rng.integers(5, 20, 12)
    return [
        Losses(0.2 + 0.05 * rng.standard_normal(10), n_train=90, n_test=10),
        Losses(rng.standard_normal(12) - 0.5, n_train=120 - n_test, n_test=n_test),
    ]


def _law(body: Law) -> Law:
    """Enter a law."""
    LAWS[body.__name__.removeprefix("_").replace("_", "-")] = body
    return body


def _require(holds: Any, text: str) -> None:
    if not holds:
        raise LawBrokenError(text)


def _same(got: float, wanted: float, what: str, *, rtol: float = 1e-8, scale: float = 0.0) -> None:
    """Compare up to rounding, relative to the number itself or to `scale`."""
    close = got == wanted or abs(got - wanted) <= rtol * max(abs(wanted), scale)
    _require(close, f"{what} is {got!r} and should be {wanted!r}")


def _same_numbers(
    got: Result, wanted: Result, what: str, *, factor: float = 1.0, offset: float = 0.0
) -> None:
    """Compare with a result whose estimate and ends are wanted `factor` times, plus `offset`."""
    size = factor * max(abs(wanted.estimate), wanted.se) + abs(offset)
    _same(got.estimate, factor * wanted.estimate + offset, f"estimate {what}", scale=size)
    _same(got.se, factor * wanted.se, f"standard error {what}")
    _same(got.low, factor * wanted.low + offset, f"lower end {what}", scale=size)
    _same(got.high, factor * wanted.high + offset, f"upper end {what}", scale=size)
    _same(got.statistic, wanted.statistic, f"statistic {what}", scale=1.0)
    _same(got.pvalue, wanted.pvalue, f"p-value {what}", rtol=1e-6, scale=1e-12)


def _nulls_to_try(result: Result) -> list[float]:
    return [result.estimate + steps * result.se for steps in (-3.0, -1.2, -0.1, 0.4, 2.0)]


def _answered(case: Case, nulls: list[float], **request: Any) -> list[Result]:
    """Return the results at those nulls that are possible values of what is estimated."""
    results = []
    for null in nulls:
        try:
            results.append(case.run(null=null, **request))
        except InvalidInputError as error:
            _require(error.argument == "null", f"null {null} is refused without naming it: {error}")
    return results


def _empty_interval(result: Result) -> bool:
    return any(
        note.code == "as-defined" and note.numbers["quantity"] == "interval"
        for note in result.notes
    )


@contextmanager
def _refused(name: str | None, given: Any) -> Iterator[None]:
    try:
        yield
    except InvalidInputError as error:
        _require(
            name in (None, error.argument),
            f"{name} = {given!r} is refused without naming it: {error}",
        )
    except Exception as error:  # noqa: BLE001 - any other exception is what the law is about
        raise LawBrokenError(
            f"{name} = {given!r} raises {error!r} instead of InvalidInputError"
        ) from None
    else:
        raise LawBrokenError(f"{name} = {given!r} is not refused")


def _at_every_level(case: Case) -> Iterator[Result]:
    for alternative, level in product(case.alternatives, LEVELS):
        yield case.run(level=level, alternative=alternative)


@_law
def _declares_itself(case: Case, rng: np.random.Generator) -> None:
    """Options are keywords with defaults, and results repeat what was asked."""
    method = case.method
    parameters = list(inspect.signature(method.function).parameters.values())[1:]
    by_name = all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters)
    _require(by_name, "an option has no default or is not keyword-only")
    missing = set(COMMON_OPTIONS) - {p.name for p in parameters}
    _require(not missing, f"it lacks the options {sorted(missing)}")
    result = case.run(level=0.9, null=0.125)
    got = (result.method, result.estimand, result.level, result.null, result.alternative)
    wanted = (method.key, method.estimand, 0.9, 0.125, "two-sided")
    _require(got == wanted, f"results say {got}, not {wanted}")
    sized = result.n_splits >= 1 and 0.0 < result.se < math.inf
    _require(sized, f"splits {result.n_splits}, se {result.se}")


@_law
def _json_round_trip(case: Case, rng: np.random.Generator) -> None:
    """A result survives a trip through JSON, also with unbounded ends and an infinite statistic."""
    tried = [case, case.constant(0.25)] if case.has_losses else [case]
    for alternative, each in product(case.alternatives, tried):
        result = each.run(alternative=alternative)
        text = json.dumps(result.to_dict(), allow_nan=False)
        back = json.loads(text)
        ends = [math.inf if back[name] is None else abs(back[name]) for name in ("low", "high")]
        got, wanted = (
            (*ends, float(back["statistic"])),
            (*map(abs, result.interval), result.statistic),
        )
        _require(got == wanted, f"{wanted} comes back as {got}")


@_law
def _alternatives(case: Case, rng: np.random.Generator) -> None:
    """A method tests two-sided, and either both one-sided alternatives or none."""
    known = case.alternatives
    _require(known in (("two-sided",), _check.ALTERNATIVES), f"it tests {known} only")


@_law
def _estimate_inside(case: Case, rng: np.random.Generator) -> None:
    """The estimate lies inside the interval."""
    for result in _at_every_level(case):
        inside = result.low <= result.estimate <= result.high
        _require(
            inside,
            f"estimate {result.estimate} is outside {result.interval} at level {result.level}",
        )
        ends = (math.isfinite(result.low), math.isfinite(result.high))
        wanted = {"two-sided": (True, True), "less": (False, True), "greater": (True, False)}[
            result.alternative
        ]
        _require(ends == wanted, f"the interval for {result.alternative!r} is {result.interval}")


@_law
def _nested_in_level(case: Case, rng: np.random.Generator) -> None:
    """An interval at a higher level contains the one at a lower level, around the same estimate."""
    for alternative in case.alternatives:
        results = [case.run(level=level, alternative=alternative) for level in LEVELS]
        for narrow, wide in pairwise(results):
            _require(narrow.estimate == wide.estimate, "the estimate depends on the level")
            if _empty_interval(wide):
                continue
            holds = wide.low <= narrow.low and wide.high >= narrow.high
            _require(holds, f"{wide.interval} at {wide.level} does not hold {narrow.interval}")
        grown = results[-1].interval != results[0].interval
        _require(
            grown or _empty_interval(results[-1]),
            f"the interval is {results[0].interval} at every level",
        )


@_law
def _pvalue_at_the_ends(case: Case, rng: np.random.Generator) -> None:
    """With an interval's own end as the null, the p-value is 1 - level; at an end that is cut it is no smaller."""
    edges = (case.method.null_range or ()) if case.method.own_units else ()
    for result in _at_every_level(case):
        level, alternative = result.level, result.alternative
        for end in result.interval:
            if math.isfinite(end) and not _empty_interval(result):
                p = case.run(level=level, null=end, alternative=alternative).pvalue
                if end in edges and p > 1.0 - level:
                    continue
                _same(p, 1.0 - level, f"p-value at the end {end} for {alternative!r}", rtol=1e-7)


@_law
def _interval_and_test_agree(case: Case, rng: np.random.Generator) -> None:
    """The interval excludes the null exactly when p < 1 - level."""
    for result in _at_every_level(case):
        level = result.level
        near = [end + side * result.se for end in result.interval for side in (-1e-6, 1e-6)]
        anywhere = result.estimate + 3.0 * result.se * rng.standard_normal(5)
        nulls = [null for null in [*near, *anywhere.tolist()] if math.isfinite(null)]
        for tested in _answered(case, nulls, level=level, alternative=result.alternative):
            null = tested.null
            excluded = _empty_interval(tested) or not tested.low <= null <= tested.high
            agree = excluded == (tested.pvalue < 1.0 - level)
            _require(
                agree,
                f"p = {tested.pvalue} with null {null}, level {level}, interval {tested.interval}",
            )


@_law
def _direction(case: Case, rng: np.random.Generator) -> None:
    """The statistic has the sign of estimate - null, and p-values move with the null as they should."""
    result = case.run()
    nulls = _nulls_to_try(result)
    for tested in _answered(case, nulls):
        if tested.directed:
            signs = (tested.statistic > 0) == (tested.estimate > tested.null)
            _require(signs, f"statistic {tested.statistic}, null {tested.null}")
    away = [result.estimate + steps * result.se for steps in (0.1, 0.5, 1.0, 2.0, 4.0)]
    far = [tested.pvalue for tested in _answered(case, away)]
    _require(
        far == sorted(far, reverse=True) and far[0] > far[-1],
        f"p-values do not fall away from the estimate: {far}",
    )
    if "less" not in case.alternatives:
        return
    less = [tested.pvalue for tested in _answered(case, nulls, alternative="less")]
    greater = [tested.pvalue for tested in _answered(case, nulls, alternative="greater")]
    _require(
        less == sorted(less, reverse=True),
        f"p-values of 'less' do not fall as the null grows: {less}",
    )
    _require(
        greater == sorted(greater), f"p-values of 'greater' do not grow with the null: {greater}"
    )


@_law
def _sides_add_up(case: Case, rng: np.random.Generator) -> None:
    """One-sided p-values add up to 1, and the two-sided one is twice the smaller."""
    if "less" not in case.alternatives:
        return
    sides = (
        _answered(case, _nulls_to_try(case.run()), alternative=a)
        for a in ("less", "greater", "two-sided")
    )
    for less, greater, two in zip(
        *([tested.pvalue for tested in side] for side in sides), strict=True
    ):
        _same(less + greater, 1.0, "sum of both one-sided p-values")
        _same(two, 2.0 * min(less, greater), "two-sided p-value")


@_law
def _scale(case: Case, rng: np.random.Generator) -> None:
    """Losses times c give estimate, standard error and interval times c, and the same test."""
    if not case.has_losses:
        return
    for factor in (100.0, 0.01, 3.0):
        scaled = case.mapped(partial(np.multiply, factor))
        _same_up_to(case, scaled, f"of losses times {factor}", factor=factor)


@_law
def _shift(case: Case, rng: np.random.Generator) -> None:
    """Losses plus c with null plus c give estimate and interval plus c, and the same test."""
    if not case.has_losses:
        return
    for offset in (5.0, -0.3):
        moved = case.mapped(partial(np.add, offset))
        _same_up_to(case, moved, f"of losses plus {offset}", offset=offset)


def _same_up_to(
    case: Case, changed: Case, what: str, *, factor: float = 1.0, offset: float = 0.0
) -> None:
    """Compare a case with the one whose losses are `factor` times its own plus `offset`."""
    for alternative in case.alternatives:
        for null in _nulls_to_try(case.run()):
            before = case.run(null=null, alternative=alternative)
            after = changed.run(null=factor * null + offset, alternative=alternative)
            _same_numbers(after, before, what, factor=factor, offset=offset)


@_law
def _sign_flip(case: Case, rng: np.random.Generator) -> None:
    """Swapping the learners negates estimate, interval and statistic, and swaps less and greater."""
    turned = case.swapped()
    if turned is None:
        return
    for alternative in case.alternatives:
        for null in _nulls_to_try(case.run()):
            before = case.run(null=null, alternative=alternative)
            after = turned.run(null=-null, alternative=OPPOSITE[alternative])
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
    """The method does not change the arrays it is given."""
    columns = case.columns
    arrays = {
        name: column.copy() for name, column in columns.items() if isinstance(column, np.ndarray)
    }
    case.run()
    for name, before in arrays.items():
        _require(np.array_equal(columns[name], before), f"the array `{name}` was changed")


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
                _require(
                    {note.code for note in result.notes} - usual,
                    f"no note says that all losses are {constant}",
                )


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
    """NaN and inf among the losses are refused."""
    for bad in (math.nan, math.inf, -math.inf, 1e300):
        with _refused(None, bad):
            case.spoiled(rng, bad).run()


@_law
def _refuses_bad_requests(case: Case, rng: np.random.Generator) -> None:
    """A level, null, alternative or option that cannot be used is refused by an error that names it."""
    bad = {
        "level": (0.0, 1.0, 95, -0.5, math.nan, "0.95", True, None),
        "null": (math.nan, math.inf, "0", None, 10**400),
        "alternative": ("both", "Less", "", None, 1),
    }
    for name, values in bad.items():
        for value in values:
            with _refused(name, value):
                case.run(**{name: value})
    for name, default in case.method.options.items():
        wrong: Any = "no such word" if isinstance(default, str) else math.nan
        with _refused(name, wrong):
            Case(case.method, case.view, {name: wrong}).run()
    with _refused("no_such_option", 1):
        case.method.check_options({"no_such_option": 1})
