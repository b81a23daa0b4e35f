"""The catalogue: what each method declares about itself. Everything else is derived from it."""

import inspect
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, Literal

from errbar import _check, design, plans
from errbar._check import Facts
from errbar.design import Design, Need, judge
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.losses import Losses
from errbar.methods._core.inputs import Discordance, OutOfBag, TwoSamples
from errbar.methods._core.references import REFERENCES
from errbar.methods.distributions import Asked
from errbar.methods.variance import require_single
from errbar.plans import KINDS, Kind, Plan
from errbar.result import Estimand, GlobalResult, Notes

COMMON_OPTIONS = ("level", "null", "alternative")


@dataclass(frozen=True)
class Method:
    """One entry of the catalogue.

    Attributes
    ----------
    key : Name on the command line and in ``method=``.
    function : The method itself.
    view : What it sees of a table: the annotation of its first parameter.
    plans : Kinds of plan it is made for, the natural one first.
    default_plan : Plan used when none is given; None where no resampling makes the numbers.
    estimand : What it estimates.
    references : Keys of the literature.
    once : Whether it takes a single partition only.
    single : Whether its losses must come from one ``"split"``, or from one ``"partition"``.
    naive : Whether it ignores the correlation between splits and serves for contrast only.
    subject : What it takes: ``"either"``, ``"learner"``, ``"pair"`` or ``"all"``.
    partners : Keys of the methods for what this one does not take, the first choice first.
    own_units : Whether its estimate is not in units of the loss, so that it has no direction.
    pointwise : Whether it needs one loss per example.
    loss : Key of the only loss it is made for.
    metrics : Whether a number per example may be a metric plus an influence value.
    scaled : Whether the interval of a mean of bounded losses comes from a scale without limits.
    needs : What it needs of the design of its numbers.
    exempt : Laws of `errbar.testing` that it cannot obey, each with the reason.
    allowance : Whether its degrees of freedom allow for a standard error that may be too small.
    learning : Whether its standard error includes the variance from training sets, from fits.
    sides : Whether it can be one-sided.
    null : Value under the null hypothesis, unless another is given.
    null_range : Least and largest value that can be a null; any by default.
    checks : Of an option, the check that it must pass, with its arguments.
    quantity : What it estimates, in words, if neither a loss nor a difference of losses.
    summary, claim, formula, fits, assumptions : What its documentation says, such as under ``:Claim:``.
    """

    key: str
    function: Callable[..., Any]
    view: type[Any]
    plans: tuple[str, ...]
    default_plan: Plan | None
    estimand: Estimand
    references: tuple[str, ...] = ()
    once: bool = False
    single: str | None = None
    naive: bool = False
    subject: Literal["either", "learner", "pair", "all"] = "either"
    partners: tuple[str, ...] = ()
    own_units: bool = False
    pointwise: bool = False
    loss: str | None = None
    metrics: bool = False
    scaled: bool = False
    needs: tuple[Need, ...] = ()
    exempt: Mapping[str, str] = field(default_factory=dict)
    allowance: bool = False
    learning: bool = False
    sides: bool = True
    null: float = 0.0
    null_range: tuple[float, float] | None = None
    checks: Mapping[str, Mapping[str, Facts]] = field(default_factory=dict)
    quantity: str | None = None
    summary: str = ""
    claim: str = ""
    formula: str = ""
    fits: str = ""
    assumptions: tuple[str, ...] = ()

    @property
    def options(self) -> Facts:
        """Options of its own, with their defaults."""
        _, *own = inspect.signature(self.function).parameters.values()
        return {one.name: one.default for one in own if one.name not in COMMON_OPTIONS}

    def about(self, subject: str, kinds: Sequence[str] = ()) -> "Method | None":
        """Return the method for single learners or for pairs: this one, or the partner that fits the kinds of plan."""
        if self.subject in ("either", subject):
            return self
        partners = [lookup(key) for key in self.partners]
        partners.sort(key=lambda method: not set(kinds) & set(method.plans))
        return partners[0].about(subject, kinds) if partners else None

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise if an option is not one of the method's own."""
        own = self.options
        for name in set(options).difference(own):
            allowed = ", ".join(f"`{known}`" for known in own) or "none"
            here = f"; errbar calls it {_CALLED_HERE[name]}" if name in _CALLED_HERE else ""
            raise InvalidInputError(
                f"is no option of method {self.key!r}, which has: {allowed}{here}", argument=name
            )


_CALLED_HERE = {
    "cv": "`plan`",
    "scoring": "`loss`",
    "metric": "`loss`",
    "seed": "`random_state`",
    "alpha": "`level`, which is 1 - alpha",
    "pos_label": "`positive`",
}
"""What options of scikit-learn and others are called here."""


METHODS: dict[str, Method] = {}
"""Methods for one learner or for the difference of two, by key."""

GLOBAL_TESTS: dict[str, Method] = {}
"""Methods for all learners at once, by key."""


def register(key: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function from a view to an `Answer` into the catalogue.

    It is returned with the options `level`, `null` and `alternative` (of all learners at once,
    `level` alone), and then returns a result. A caller inside gives the range of the estimate as
    ``limits``. A function whose formula depends on such an option names it and is given its value.

    Parameters
    ----------
    key : str
        Name on the command line and in ``method=``.
    **facts
        The attributes of `Method`. All up to ``estimand`` are needed, but for what the function
        itself and its documentation tell, and ``plans`` where the kind of the default plan is the
        only one.
    """

    def enter(answer: Callable[..., Any]) -> Callable[..., Any]:
        if key in METHODS | GLOBAL_TESTS:
            raise InvalidInputError(f"method {key!r} is registered twice")
        view = next(iter(inspect.signature(answer).parameters.values())).annotation
        plan = facts["default_plan"]
        pointwise = facts.setdefault("pointwise", view in (OutOfBag, Discordance, TwoSamples))
        facts.setdefault("plans", () if plan is None else (plan.kind,))
        facts.setdefault("metrics", pointwise and view is Losses and "loss" not in facts)
        bare = Method(key, answer, view, **facts, **_said(inspect.getdoc(answer) or ""))
        method = replace(bare, function=with_common_options(bare))
        (GLOBAL_TESTS if method.subject == "all" else METHODS)[key] = method
        return method.function

    return enter


def _said(documentation: str) -> Facts:
    """Return what a method's documentation says in its first line and under words such as ``:Claim:``."""
    words: dict[str, list[str]] = defaultdict(list)
    for name, text in re.findall(r"^:(\w+): (.+(?:\n +.+)*)", documentation, re.MULTILINE):
        words[name].append(" ".join(text.split()).strip("`"))
    return {
        "summary": documentation.partition("\n")[0].rstrip("."),
        **{name.lower(): "".join(words[name]) for name in ("Claim", "Formula")},
        "assumptions": tuple(words["Assumption"]),
    }


_COMMON = {
    "level": """float, default 0.95
    Confidence level of the interval; a test is at 1 - level.""",
    "null": """float, default {null}
    Value of what is estimated under the null hypothesis.""",
    "alternative": """{{"two-sided", "less", "greater"}}, default "two-sided"
    Alternative hypothesis; a one-sided one gives a one-sided interval.""",
}

_RETURNS = """

Returns
-------
Result
    Estimate, standard error, interval and test."""


def _documentation(method: Method, common: Iterable[str]) -> str:
    """Return the documentation of a method with its common options, what it returns, and its references."""
    text = inspect.getdoc(method.function) or ""
    before, section, after = text.partition("Parameters\n----------\n")
    listed, _, after = after.partition("\n\n")
    first, *own = re.split(r"\n(?=\S)", listed)
    entries = {name: f"{name} : {_COMMON[name].format(null=method.null)}" for name in common}
    # A method's own words take the place of the common ones.
    entries |= {entry.split()[0]: entry for entry in own}
    told = "\n".join([first, *entries.values()]) + _RETURNS * ("Returns\n---" not in after)
    cited = enumerate(method.references, start=1)
    references = "\n".join(f".. [{number}] {REFERENCES[key]}" for number, key in cited)
    after = after.replace("Examples\n---", f"References\n----------\n{references}\n\nExamples\n---")
    return f"{before}{section}{told}\n\n{after}\n" if section else text


def with_common_options(bare: Method) -> Callable[..., Any]:
    """Return a method's function as people call it: it takes plain numbers, too, and adds the caveats of a view's kind."""
    defaults = Asked(null=bare.null)
    common = COMMON_OPTIONS[:1] if bare.subject == "all" else COMMON_OPTIONS
    view, *own = inspect.signature(bare.function).parameters.values()
    parameters = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=type(default)
        )
        for name, default in zip(common, defaults, strict=False)
    }
    # Common options that a method's own formula uses, such as a null under which a variance is taken.
    in_formula = [one.name for one in own if one.name in parameters]
    parameters |= {one.name: one for one in own if one.name not in common}

    @wraps(bare.function)
    def call(numbers: Any, **options: Any) -> Any:
        numbers = _view_of(bare, numbers)
        given = {name: options.pop(name) for name in (*common, "limits") if name in options}
        asked = defaults._replace(**given).checked(bare.null_range)
        kind = KINDS.get(getattr(numbers, "kind", None) or "")
        if kind is not None and kind not in bare.plans:
            raise UnsuitablePlanError(
                f"method {bare.key!r} is made for {', '.join(map(repr, bare.plans))}, and `kind` of these numbers is {kind!r}"
            )
        for name, checks in bare.checks.items():
            if name in options and options[name] is not bare.options[name]:
                [(check, limits)] = checks.items()
                options[name] = getattr(_check, check)(options[name], name=name, **limits)
        answer = bare.function(
            numbers, **options, **{name: getattr(asked, name) for name in in_formula}
        )
        if isinstance(answer, GlobalResult):
            return replace(answer, method=bare.key, level=asked.level)
        if answer.n_train is None:
            answer.n_train = numbers.n_train
        if answer.n_splits is None and bare.view is Losses:
            of_examples = bare.pointwise or bare.metrics
            answer.n_splits = numbers.n_splits if of_examples else numbers.splits.index.rows
        result = answer.result(bare.key, bare.estimand, asked)
        return result if kind is None else result.with_notes(*_caveats(bare.needs, kind))

    vars(call)["__signature__"] = inspect.Signature([view, *parameters.values()])
    call.__doc__ = _documentation(bare, common)
    return call


def _view_of(method: Method, numbers: Any) -> Any:
    """Return the view that a method takes, also of plain numbers; where it takes rows, there must be two of its kind."""
    if not isinstance(numbers, method.view):
        try:
            numbers = method.view(numbers)
        except TypeError:
            raise InvalidInputError(
                f"method {method.key!r} takes a view, errbar.{method.view.__name__}(...), got {type(numbers).__name__}"
            ) from None
    if method.view is not Losses:
        return numbers
    unit = "example" if method.pointwise or method.metrics else "split"
    rows = (numbers if unit == "example" else numbers.splits).index.rows
    must = f"must hold at least 2 values, one per {unit}"
    _check.require(rows > 1, must, rows, "value")
    if method.pointwise and not numbers.index.of_examples:
        raise InvalidInputError(
            f"says that rows are whole splits, and method {method.key!r} needs one loss per example; name the `example`",
            argument="n_test",
        )
    if method.single is not None:
        require_single(numbers, method.key, method.single)
    return numbers


@cache
def _caveats(needs: tuple[Need, ...], kind: Kind) -> Notes:
    return judge(needs, Design.stated(kind))[0]


def catalogue() -> dict[str, Method]:
    """Return all methods by key, in the order of names: of learners and differences first, then of all learners at once."""
    every = (METHODS | GLOBAL_TESTS).items()
    return dict(sorted(every, key=lambda one: (one[1].subject == "all", one[1].function.__name__)))


def lookup(key: str) -> Method:
    """Return the method of a key; underscores will do for hyphens.

    Parameters
    ----------
    key : str

    Returns
    -------
    Method

    Raises
    ------
    InvalidInputError
        If there is none; the message lists all and the nearest.
    """
    known = METHODS | GLOBAL_TESTS
    return known[_check.choice(str(key).replace("_", "-"), known, "method")]


_DECLARED = tomllib.loads(Path(__file__).parents[1].joinpath("methods.toml").read_text("utf-8"))

IN_TURN: list[str] = _DECLARED["in-turn"]
"""Methods that are tried where none is named, in this order."""


def method(key: str) -> Callable[..., Callable[..., Any]]:
    """Enter a function as the method of a key."""
    facts: Facts = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in _DECLARED[key].items()
    }
    plan = None
    for name, options in facts.pop("plan", {}).items():
        plan = getattr(plans, name)(**options)
    facts["needs"] = tuple(getattr(design, name) for name in facts.get("needs", ()))
    facts["estimand"] = Estimand[facts["estimand"]]
    return register(key, default_plan=plan, **facts)
