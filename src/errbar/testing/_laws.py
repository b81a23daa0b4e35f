"""The laws, each a function of a method and a seed."""

import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from errbar import _check
from errbar._references import REFERENCES
from errbar.methods import Method
from errbar.methods._core.registry import COMMON_OPTIONS
from errbar.result import OPPOSITE, Result
from errbar.testing._cases import Case, cases
from errbar.testing._checking import (
    LawBrokenError,
    answered,
    empty_interval,
    nulls_to_try,
    refused,
    require,
    same,
    same_numbers,
)
from errbar.testing._views import columns_of

Law = Callable[[Method, int], None]

CHECKS: dict[str, Law] = {}
"""The laws by name: each takes a `Method` and a seed and raises AssertionError where the method breaks it."""

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
_NOT_AN_OPTION = "no_such_option"


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


def _law(
    body: Callable[[Case, np.random.Generator], None],
) -> Callable[[Case, np.random.Generator], None]:
    """Enter a law that is tried on every case of a method."""
    name = body.__name__.removeprefix("_").replace("_", "-")

    def check(method: Method, seed: int = 0) -> None:
        if name in method.exempt:
            return
        for case in cases(method, seed):
            rng = np.random.default_rng([seed, 1])
            try:
                with (
                    warnings.catch_warnings(),
                    np.errstate(divide="raise", invalid="raise", over="raise"),
                ):
                    warnings.simplefilter("error")
                    body(case, rng)
            except LawBrokenError as found:
                raise AssertionError(
                    f"method {method.key!r} breaks the law {name!r}: {found}; on {case}"
                ) from None

    check.__doc__ = inspect.getdoc(body)
    check.__name__ = check.__qualname__ = body.__name__.removeprefix("_")
    CHECKS[name] = check
    return body


def _at_every_level(case: Case) -> Iterator[Result]:
    for alternative, level in product(case.alternatives, LEVELS):
        yield case.run(level=level, alternative=alternative)


@_law
def _declares_itself(case: Case, rng: np.random.Generator) -> None:
    """The catalogue entry is complete, options are keywords, and results repeat what was asked."""
    method = case.method
    parameters = list(inspect.signature(method.function).parameters.values())
    by_name = all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters[1:])
    require(by_name, "an option has no default or is not keyword-only")
    require(
        set(COMMON_OPTIONS) <= {p.name for p in parameters},
        f"options {COMMON_OPTIONS} are not all there",
    )
    require(method.summary, "there is no documentation")
    require(
        all(text.strip() for text in (method.claim, method.formula, method.fits)),
        "claim, formula or fits is empty",
    )
    require(method.plans and method.references, "no plan or no reference is named")
    unknown = set(method.references) - set(REFERENCES)
    require(not unknown, f"references {unknown} are unknown")
    result = case.run(level=0.9, null=0.125)
    require(result.method == method.key, f"results are signed {result.method!r}")
    require(
        result.estimand == method.estimand,
        f"estimand is {result.estimand!r}, declared {method.estimand!r}",
    )
    asked = (result.level, result.null, result.alternative)
    require(asked == (0.9, 0.125, "two-sided"), f"level, null and alternative come back as {asked}")
    require(
        result.n_splits >= 1 and 0.0 < result.se < math.inf,
        f"splits {result.n_splits}, se {result.se}",
    )


@_law
def _json_round_trip(case: Case, rng: np.random.Generator) -> None:
    """A result survives a trip through JSON, also with unbounded ends and an infinite statistic."""
    tried = [case, case.constant(0.25)] if case.has_losses else [case]
    for alternative in case.alternatives:
        for result in [each.run(alternative=alternative) for each in tried]:
            text = json.dumps(result.to_dict(), allow_nan=False)
            back = Result.from_dict(json.loads(text))
            require(json.dumps(back.to_dict()) == text, f"{text} comes back as {back.to_dict()}")
            require(
                back.interval == result.interval, f"{result.interval} comes back as {back.interval}"
            )
            require(back.statistic == result.statistic, f"statistic comes back as {back.statistic}")


@_law
def _alternatives(case: Case, rng: np.random.Generator) -> None:
    """A method tests two-sided, and either both one-sided alternatives or none."""
    known = case.alternatives
    require(known in (("two-sided",), _check.ALTERNATIVES), f"it tests {known} only")


@_law
def _estimate_inside(case: Case, rng: np.random.Generator) -> None:
    """The estimate lies inside the interval."""
    for result in _at_every_level(case):
        inside = result.low <= result.estimate <= result.high
        require(
            inside,
            f"estimate {result.estimate} is outside {result.interval} at level {result.level}",
        )
        ends = (math.isfinite(result.low), math.isfinite(result.high))
        wanted = {"two-sided": (True, True), "less": (False, True), "greater": (True, False)}[
            result.alternative
        ]
        require(ends == wanted, f"the interval for {result.alternative!r} is {result.interval}")


@_law
def _nested_in_level(case: Case, rng: np.random.Generator) -> None:
    """An interval at a higher level contains the one at a lower level, around the same estimate."""
    for alternative in case.alternatives:
        results = [case.run(level=level, alternative=alternative) for level in LEVELS]
        for narrow, wide in pairwise(results):
            require(narrow.estimate == wide.estimate, "the estimate depends on the level")
            if empty_interval(wide):
                continue
            holds = wide.low <= narrow.low and wide.high >= narrow.high
            require(holds, f"{wide.interval} at {wide.level} does not hold {narrow.interval}")
        grown = results[-1].interval != results[0].interval
        require(
            grown or empty_interval(results[-1]),
            f"the interval is {results[0].interval} at every level",
        )


@_law
def _pvalue_at_the_ends(case: Case, rng: np.random.Generator) -> None:
    """With an interval's own end as the null, the p-value is 1 - level; at an end that is cut it is no smaller."""
    edges = (case.method.null_range or ()) if case.method.own_units else ()
    for result in _at_every_level(case):
        level, alternative = result.level, result.alternative
        for end in result.interval:
            if math.isfinite(end) and not empty_interval(result):
                p = case.run(level=level, null=end, alternative=alternative).pvalue
                if end in edges and p > 1.0 - level:
                    continue
                same(p, 1.0 - level, f"p-value at the end {end} for {alternative!r}", rtol=1e-7)


@_law
def _interval_and_test_agree(case: Case, rng: np.random.Generator) -> None:
    """The interval excludes the null exactly when p < 1 - level."""
    for result in _at_every_level(case):
        level = result.level
        near = [end + side * result.se for end in result.interval for side in (-1e-6, 1e-6)]
        anywhere = result.estimate + 3.0 * result.se * rng.standard_normal(5)
        nulls = [null for null in [*near, *anywhere.tolist()] if math.isfinite(null)]
        for tested in answered(case, nulls, level=level, alternative=result.alternative):
            null = tested.null
            excluded = empty_interval(tested) or not tested.low <= null <= tested.high
            agree = excluded == (tested.pvalue < 1.0 - level)
            require(
                agree,
                f"p = {tested.pvalue} with null {null}, level {level}, interval {tested.interval}",
            )


@_law
def _direction(case: Case, rng: np.random.Generator) -> None:
    """The statistic has the sign of estimate - null, and p-values move with the null as they should."""
    result = case.run()
    nulls = nulls_to_try(result)
    for tested in answered(case, nulls):
        if tested.directed:
            signs = (tested.statistic > 0) == (tested.estimate > tested.null)
            require(signs, f"statistic {tested.statistic}, null {tested.null}")
    away = [result.estimate + steps * result.se for steps in (0.1, 0.5, 1.0, 2.0, 4.0)]
    far = [tested.pvalue for tested in answered(case, away)]
    require(
        far == sorted(far, reverse=True) and far[0] > far[-1],
        f"p-values do not fall away from the estimate: {far}",
    )
    if "less" not in case.alternatives:
        return
    less = [tested.pvalue for tested in answered(case, nulls, alternative="less")]
    greater = [tested.pvalue for tested in answered(case, nulls, alternative="greater")]
    require(
        less == sorted(less, reverse=True),
        f"p-values of 'less' do not fall as the null grows: {less}",
    )
    require(
        greater == sorted(greater), f"p-values of 'greater' do not grow with the null: {greater}"
    )


@_law
def _sides_add_up(case: Case, rng: np.random.Generator) -> None:
    """One-sided p-values add up to 1, and the two-sided one is twice the smaller."""
    if "less" not in case.alternatives:
        return
    sides = (
        answered(case, nulls_to_try(case.run()), alternative=a)
        for a in ("less", "greater", "two-sided")
    )
    for less, greater, two in zip(
        *([tested.pvalue for tested in side] for side in sides), strict=True
    ):
        same(less + greater, 1.0, "sum of both one-sided p-values")
        same(two, 2.0 * min(less, greater), "two-sided p-value")


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
        for null in nulls_to_try(case.run()):
            before = case.run(null=null, alternative=alternative)
            after = changed.run(null=factor * null + offset, alternative=alternative)
            same_numbers(after, before, what, factor=factor, offset=offset)


@_law
def _sign_flip(case: Case, rng: np.random.Generator) -> None:
    """Swapping the learners negates estimate, interval and statistic, and swaps less and greater."""
    turned = case.swapped()
    if turned is None:
        return
    for alternative in case.alternatives:
        for null in nulls_to_try(case.run()):
            before = case.run(null=null, alternative=alternative)
            after = turned.run(null=-null, alternative=OPPOSITE[alternative])
            if before.directed:
                same_numbers(after.mirrored(), before, "of the swapped learners, negated")
            else:
                same(after.pvalue, before.pvalue, "p-value of the swapped learners")


@_law
def _order(case: Case, rng: np.random.Generator) -> None:
    """The order of splits, or of examples and the numbers of folds, does not matter."""
    other = case.reordered(rng)
    if other is not None:
        null = case.run().estimate + case.run().se
        same_numbers(other.run(null=null), case.run(null=null), "after a change of order")


@_law
def _repeatable(case: Case, rng: np.random.Generator) -> None:
    """The same input gives the same answer, bit for bit."""
    first, second = case.run(null=0.1), case.remade().run(null=0.1)
    require(first.to_dict() == second.to_dict(), f"{first.to_dict()} and {second.to_dict()}")


@_law
def _input_unmodified(case: Case, rng: np.random.Generator) -> None:
    """Neither the method nor the view changes the arrays they are given."""
    columns = columns_of(case.view)
    arrays = {
        name: column.copy() for name, column in columns.items() if isinstance(column, np.ndarray)
    }
    case.run()
    for name, before in arrays.items():
        require(np.array_equal(columns[name], before), f"the array `{name}` was changed")
    if not case.has_losses or not hasattr(case.view, "value") or hasattr(case.view, "counts"):
        return
    given = np.array(case.view.value)
    view = case.changed(value=given).view
    kept = view.value.copy()
    given[...] = 0.0
    require(np.array_equal(view.value, kept), "the view changes with the array it was made from")


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
                require(
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
    require(got == statistic, f"statistic {where} is {result.statistic}")
    pvalue = even if offset == 0.0 else float(wrong_side)
    require(result.pvalue == pvalue, f"p-value {where} is {result.pvalue}, not {pvalue}")
    require(result.se == 0.0, f"standard error {where} is {result.se}")
    same(result.estimate, constant, f"estimate {where}", rtol=1e-12)
    low = -math.inf if result.alternative == "less" else result.estimate
    high = math.inf if result.alternative == "greater" else result.estimate
    require(result.interval == (low, high), f"interval {where} is {result.interval}")


@_law
def _refuses_what_is_not_finite(case: Case, rng: np.random.Generator) -> None:
    """NaN and inf among the losses are refused."""
    if case.handling.spoiled is None:
        return
    for bad in (math.nan, math.inf, -math.inf, 1e300):
        make = case.handling.spoiled(case.view, rng, bad)
        with refused(None, bad):
            replace(case, view=make()).run()


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
            with refused(name, value):
                case.run(**{name: value})
    for name, default in case.method.options.items():
        wrong: Any = "no such word" if isinstance(default, str) else math.nan
        with refused(name, wrong):
            Case(case.method, case.view, {name: wrong}).run()
    with refused(_NOT_AN_OPTION, 1):
        case.method.check_options({_NOT_AN_OPTION: 1})
