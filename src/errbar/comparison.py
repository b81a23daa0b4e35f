"""A comparison of learners: the question to a table, the answers, and what follows from them."""

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np

import errbar
from errbar import _check, simultaneous
from errbar._check import Facts, FloatArray
from errbar._plain import Shown, plain, record
from errbar.design import SEVERAL_LEARNERS, WINNER
from errbar.errors import InvalidInputError
from errbar.margins import Equivalence, within
from errbar.methods import GLOBAL_TESTS, METHODS, Method, lookup
from errbar.methods._core.fitting import method_for
from errbar.methods._core.infer import require_subject, require_table, settle
from errbar.methods._core.looks import Looks
from errbar.methods._jackknife import shared_by
from errbar.result import GlobalResult, Notes, Result, distinct
from errbar.simultaneous import JOINT, Joint, PossibleBest, Simultaneous
from errbar.table import LossTable

__all__ = ["Comparison", "Pair", "compare_table"]

NAIVE = "resampled-t"

FOUND = 0.8
"""Power at which a difference counts as one that a study finds."""

# Labels of splits that are not those of the estimate itself.
_APART = ("resubstitution", "halving", "half", "replaced", "inner", "judge")

# Regions of a posterior in which a difference is found.
_SIDES = {"two-sided": ("left", "right"), "less": ("left",), "greater": ("right",)}


@dataclass(frozen=True)
class Pair:
    """The difference of two learners, a minus b, and what the tests say about it.

    Attributes
    ----------
    a, b : names
    result : estimate, interval and test of the difference
    adjusted : p-value adjusted over all pairs of the comparison
    significant : bool
        Whether the adjusted p-value is at most 1 - level or, by a Bayesian method, the
        posterior probability that one learner is better (by more than the region of practical
        equivalence) is at least the level. Never where the numbers do not vary.
    equivalence : Equivalence or None
        The two one-sided tests, where a region of practical equivalence was given and the
        method has sides.
    equivalent : bool
        Whether these tests show that the difference lies in the region or, by a Bayesian method,
        the posterior probability that it does is at least the level.
    naive : Result or None
        What the t-test that ignores correlation says of the same numbers; None where it does
        not apply.
    naive_adjusted : float or None
        Its p-value, adjusted over all pairs by p-values alone.
    """

    a: str
    b: str
    result: Result
    adjusted: float
    significant: bool = False
    equivalence: Equivalence | None = None
    equivalent: bool = False
    naive: Result | None = None
    naive_adjusted: float | None = None

    def mirrored(self) -> "Pair":
        """Return b minus a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            result=self.result.mirrored(),
            equivalence=self.equivalence and self.equivalence.mirrored(),
            naive=self.naive and self.naive.mirrored(),
        )


class Across(NamedTuple):
    """Median, smallest and largest of a number over the pairs, or over the learners where there are no pairs."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Any) -> Self:
        """Return them of some numbers."""
        return cls(float(np.median(values)), float(min(values)), float(max(values)))


@record
class Question:
    """A method, and what it is asked; the fields are keyword arguments of `compare_table`."""

    method: str | None = None
    baseline: str | None = None
    adjust: str | None = None
    rope: float | None = None
    level: float = 0.95
    alternative: str = "two-sided"
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> "Question":
        """Return the question that keyword arguments of `compare_table` ask."""
        options = dict(arguments)
        common = {name: options.pop(name) for name in _COMMON & options.keys()}
        return cls(**common, options=options)

    def checked(self, learners: tuple[str, ...]) -> "Question":
        """Return the question with full names, or raise if it cannot be asked of these learners."""
        _check.level(self.level)
        _check.alternative(self.alternative)
        simultaneous.pairs_of(learners, self.baseline)
        if self.rope is not None:
            _check.positive(self.rope, "rope")
        if self.adjust is not None:
            simultaneous.check_adjustment(self.adjust)
        return self if self.method is None else self._by(lookup(self.method))

    def _by(self, spec: Method) -> "Question":
        spec.check_options(dict(self.options))
        return replace(self, method=spec.key)

    def about(self, learners: Collection[str]) -> "Question":
        """Return the question about the learners that are left; without its baseline it is about all pairs."""
        return self if self.baseline in learners else replace(self, baseline=None)

    def settled(self, table: LossTable) -> "Question":
        """Return the question with the method that the design of the table calls for, if none is named."""
        if self.method is None:
            settled = self._by(method_for(table))
        else:
            settled = self
            if len(table.learners) == 1:
                # A single column of given numbers may hold ready-made differences.
                given = not (table.provenance or table.blank)
                require_subject(self.spec, pair=self.spec.subject == "pair" and given)
        pairwise = settled.spec.about("pair", table.splits.kinds)
        joined = pairwise is not None and joins(pairwise) and "looks" not in self.options
        if self.adjust in JOINT and not joined:
            raise InvalidInputError(
                f"{self.adjust!r} goes with methods that have intervals on both sides, and without `looks`; try 'holm'",
                argument="adjust",
            )
        return settled

    def options_for(self, method: Method, table: LossTable) -> Facts:
        """Return the options of a method behind the question: the user's for the one asked for, and what belongs to the run.

        Methods that draw random numbers get the run's own root, and Bayesian ones the region of equivalence.
        """
        root = table.provenance.get("random_state")
        known = {"random_state": root and int(root), "rope": self.rope}
        found = {
            name: value
            for name, value in known.items()
            if value is not None and name in method.options
        }
        return found | (dict(self.options) if method is self.spec else {})

    @property
    def spec(self) -> Method:
        """The method that is asked."""
        return lookup(str(self.method))


_COMMON = {one.name for one in fields(Question)} - {"options"}


def joins(method: Method) -> bool:
    """Return whether differences by a method can have simultaneous intervals: it has sides, and is in units of the loss."""
    return method.sides and not method.own_units


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Shown, Question):
    """Estimates of all learners and adjusted differences of pairs, which show themselves.

    Losses are shown as they are; scores such as accuracy in their own direction, higher is better.

    Attributes
    ----------
    table : the numbers
    method : key of the method
    learners : estimate of each learner
    pairs : differences
    baseline : learner that all others are compared with
    adjust : adjustment of the p-values
    rope : half-width of the region of practical equivalence
    level : confidence level
    alternative : alternative hypothesis of the differences
    options : options of the method that were set
    plan : position of the plan, among those of the table, that the method has used
    overall : GlobalResult or None
        The test of all learners at once that goes with the method, where there are more than
        two.
    looks : Looks or None
        What was looked at, and when, where `compare` was given looks. Each pair is then judged
        by the splits up to the look that decided it, each learner by all of its own; `table`
        holds the splits that all learners have, `table_of` those behind one or two.
    joint : Joint or None
        What the differences do together: None for fewer than three learners, with looks, and
        for methods whose estimates are not in units of the loss or that have no sides.
    """

    table: LossTable
    learners: dict[str, Result]
    pairs: tuple[Pair, ...]
    plan: int
    overall: GlobalResult | None
    looks: Looks | None = None
    joint: Joint | None = None

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences, or a single learner's estimate, as `errbar.plots.intervals` does."""
        return errbar.plots.intervals(self, of="differences" if self.pairs else "estimates", ax=ax)

    def to_dict(self) -> Facts:
        """Return plain data for JSON; unbounded ends are None."""
        common, counts, loss = self.reference, self.table.counts, self.table.loss
        asked = ("level", "alternative", "adjust", "baseline", "rope")
        learners = [{"name": name} | _numbers(one) for name, one in self.learners.items()]
        pairs = []
        for pair in self.pairs:
            row = {"a": pair.a, "b": pair.b, **_numbers(pair.result, "statistic", "df", "pvalue")}
            row["adjusted"] = pair.adjusted
            if self.looks:
                row["n_splits"] = pair.result.n_splits
            if pair.result.posterior:
                row["posterior"] = pair.result.posterior
            if pair.equivalence:
                row["equivalence"] = pair.equivalence
            pairs.append(row)
        found = {
            "method": self.method,
            "options": self.options,
            "loss": loss.key,
            "direction": loss.direction,
            "estimand": str(common.estimand),
            "n_train": common.n_train,
            "n_splits": common.n_splits,
            **{name: getattr(self, name) for name in asked},
            "learners": learners,
            "pairs": pairs,
            **{name: getattr(self, name) for name in _PARTS},
            "counts": replace(counts, seconds=round(counts.seconds, 3)),
            "notes": self.notes,
            "provenance": self.table.provenance,
        }
        return plain(found)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per learner, for which b is missing, and one per pair; unbounded ends are NaN."""
        pandas, data = _check.package("pandas", "app"), self.to_dict()
        learners = [{"a": one.pop("name"), "b": None, **one} for one in data["learners"]]
        for row, pair in zip(data["pairs"], self.pairs, strict=True):
            row["significant"] = pair.significant
        found = pandas.json_normalize([*learners, *data["pairs"]], sep="_")
        return found.replace(["inf", "-inf"], math.nan)

    def named(self, name: str) -> Self:
        """Return the same comparison with a name of its data, which reports show."""
        return replace(self, table=replace(self.table, name=name))

    @cached_property
    def used(self) -> LossTable:
        """The numbers of the one plan that the method has worked on."""
        return self.table.of_plan(self.plan)

    def table_of(self, *names: str) -> LossTable:
        """Return the table behind a learner, or a pair: what both have, with looks at the last look at which they were in the race."""
        table = self.table if self.looks is None else self.looks.table_of(*names)
        return table.common(*names)

    @property
    def notes(self) -> Notes:
        """All caveats, each once: of the numbers, the learners and the pairs."""
        results = [*self.learners.values(), *(pair.result for pair in self.pairs), self.overall]
        found = [*self.table.notes, *(note for one in results if one for note in one.notes)]
        several = len(self.learners) > 2 and bool(self.pairs) and not self.bayesian
        if several and self.pairs[0].result.method == "corrected-t":
            found.append(SEVERAL_LEARNERS)
        if self.joint is not None:
            found.append(WINNER)
        return distinct(found)

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods behind the numbers, each once: of differences, of learners and of all learners at once."""
        results: list[Any] = [pair.result for pair in self.pairs[:1]]
        results += [*list(self.learners.values())[:1], self.overall]
        return tuple(lookup(key) for key in dict.fromkeys(one.method for one in results if one))

    @property
    def reference(self) -> Result:
        """Any of the method's results, for what they have in common: estimand, training size, number of splits."""
        of_pairs = self.pairs and self.spec.subject != "learner"
        return self.pairs[0].result if of_pairs else next(iter(self.learners.values()))

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1.0 - self.level

    @property
    def higher_is_better(self) -> bool:
        """Whether larger numbers are better."""
        return self.table.loss.higher_is_better

    @property
    def adjusts(self) -> bool:
        """Whether p-values are really adjusted: there are several, and an adjustment was asked for."""
        return len(self.pairs) > 1 and self.adjust != "none"

    @property
    def quantity(self) -> str | None:
        """What the numbers of pairs are, where they are no differences of losses."""
        return self.pairs[0].result.quantity if self.pairs else None

    @property
    def bayesian(self) -> bool:
        """Whether pairs are judged by posterior probabilities, and not by p-values."""
        return any(pair.result.posterior for pair in self.pairs)

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names of the learners, the best first: by their estimates, or by differences where numbers are missing."""
        means = {name: result.estimate for name, result in self.learners.items()}
        if not self.table.matched and self.pairs and not self.quantity:
            # Each mean is over numbers of its learner's own; those that a pair has in common compare it.
            means = self._mean_differences()
        return tuple(sorted(means, key=means.__getitem__, reverse=self.higher_is_better))

    def _mean_differences(self) -> dict[str, float]:
        """Return for each learner the mean of its differences from others, or that from the baseline."""
        gaps: dict[str, list[float]] = {name: [] for name in self.learners}
        for pair in self.pairs:
            gaps[pair.a].append(pair.result.estimate)
            gaps[pair.b].append(0.0 if self.baseline else -pair.result.estimate)
        return {name: math.fsum(own) / len(own) for name, own in gaps.items()}

    def ordered(self, pair: Pair) -> tuple[str, str]:
        """Return the names of a pair, first the learner that looks better."""
        gap = pair.result.estimate - pair.result.null
        upwards = self.higher_is_better or bool(self.quantity)
        return (pair.a, pair.b) if gap == 0.0 or (gap > 0.0) == upwards else (pair.b, pair.a)

    @cached_property
    def simultaneous(self) -> Simultaneous | None:
        """Simultaneous intervals of all differences, and of all learners; None as for `joint`."""
        if self.joint is None:
            return None
        pairs = {(pair.a, pair.b): self.joint.interval(pair.result) for pair in self.pairs}
        risks = {name: self.joint.interval(result) for name, result in self.learners.items()}
        return Simultaneous(pairs, risks, self.level, self.joint.of, self.joint.shrinkage)

    @cached_property
    def best(self) -> PossibleBest | None:
        """Learners that are not ruled out as best, why each other one is, and the winner's risk; None as for `joint`."""
        if self.joint is None:
            return None
        known = {(pair.a, pair.b): pair.result for pair in self.pairs}
        return self.joint.best(
            self.learners, known, self.ranking, higher_is_better=self.higher_is_better
        )

    @property
    def possible_best(self) -> tuple[str, ...]:
        """Learners that are not ruled out as best; with looks, posteriors, or no simultaneous intervals, those that no decided pair rules out."""
        if self.best is not None and not self.bayesian:
            return self.best.learners
        all_pairs = self.baseline is None and self.alternative == "two-sided"
        if len(self.learners) < 3 or not self.pairs or not all_pairs:
            return ()
        beaten = {self.ordered(pair)[1] for pair in self.pairs if pair.significant}
        return tuple(name for name in self.ranking if name not in beaten)

    @cached_property
    def components(self) -> list[Any]:
        """Parts of the squared standard errors of the pairs, or of the learners where there are none, that vary."""
        results = [pair.result for pair in self.pairs] or list(self.learners.values())
        return [dict(one.components) for one in results if sum(one.components.values()) > 0.0]

    @cached_property
    def widening(self) -> Across | None:
        """How many times as large as those of independent examples standard errors are; None without a method that tells."""
        parts = [one for one in self.components if "cluster" in one and one["example"] > 0.0]
        if not parts:
            return None
        return Across.of([math.sqrt(sum(one.values()) / one["example"]) for one in parts])

    @cached_property
    def detectable(self) -> Across | None:
        """Smallest true difference that such a study finds with a power of 80 %, by its standard errors.

        Each pair is tested at the level that all pairs together leave it. None where the statistic does
        not follow the t or the normal distribution.
        """
        from errbar.planning import detectable

        if self.quantity or self.bayesian:
            return None
        varying = []
        for result in (pair.result for pair in self.pairs):
            if result.degenerate or not result.se > 0.0:
                continue
            alpha, test = self.alpha, result
            if self.adjusts:
                alpha /= len(self.pairs)
                if self.joint is not None:
                    test = self.joint.test(result)
                    if self.adjust in JOINT:
                        alpha = self.joint.law(test.df).each(self.alpha)
            varying.append(replace(test, level=1.0 - alpha))
        found = detectable(varying, FOUND) if varying else None
        return None if found is None else Across.of(found)


_PARTS = ("overall", "widening", "detectable", "simultaneous", "best", "looks")


def _numbers(result: Result, *more: str) -> Facts:
    names = ("estimate", "se", "low", "high", *more)
    infinite = tuple(name for name in more if name == "statistic")
    return plain({name: getattr(result, name) for name in names}, infinite=infinite)


def _decided(pairs: Sequence[Pair], asked: Question, joint: Joint | None) -> tuple[Pair, ...]:
    """Return pairs with what the tests say of them, by p-values that are adjusted over their family."""
    # Tests with other statistics than the differences take the sharpest adjustment that needs p-values alone.
    alone = "holm" if asked.adjust in JOINT else str(asked.adjust)

    def adjusted(tests: list[Any]) -> list[Any]:
        values = iter(simultaneous.adjust([one.pvalue for one in tests if one], alone).tolist())
        return [next(values) if one else None for one in tests]

    results = [pair.result for pair in pairs]
    if joint is None or asked.adjust == "none":
        own = adjusted(results)
    else:
        own = joint.adjusted(results, None if asked.adjust in JOINT else adjusted)
    naive = adjusted([pair.naive for pair in pairs])
    inside = adjusted([pair.equivalence for pair in pairs])
    found = []
    for pair, p, naive_p, inside_p in zip(pairs, own, naive, inside, strict=True):
        result = pair.result
        equivalence = pair.equivalence and replace(pair.equivalence, adjusted=inside_p)
        significant = p <= 1.0 - asked.level
        equivalent = bool(equivalence and equivalence.shown)
        if result.posterior:
            likely = max(result.posterior.get(side, 0.0) for side in _SIDES[asked.alternative])
            significant = likely >= asked.level
            equivalent = result.posterior.get("rope", 0.0) >= asked.level
        decided = replace(
            pair,
            adjusted=p,
            significant=significant and not result.degenerate,
            equivalence=equivalence,
            equivalent=equivalent and not result.degenerate,
            naive_adjusted=naive_p if pair.naive and not pair.naive.degenerate else None,
        )
        found.append(decided)
    return tuple(found)


def compare_table(
    table: LossTable,
    *,
    method: str | None = None,
    baseline: str | None = None,
    adjust: str | None = None,
    rope: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    **options: Any,
) -> Comparison:
    """Compare the learners of a table; nothing is fitted.

    Parameters
    ----------
    table : LossTable
        From `errbar.run`, or from your own numbers, such as `errbar.from_scores`.
    method, baseline, adjust, rope, level, alternative, **options
        As for `compare`.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or the method does not fit the table.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10)
    >>> round(errbar.compare_table(table).pairs[0].result.estimate, 4)
    0.0533
    """
    table = require_table(table)
    question = Question(method, baseline, adjust, rope, level, alternative, options)
    return answer(table, question.checked(table.learners).settled(table))


def answer(table: LossTable, question: Question, looks: Looks | None = None) -> Comparison:
    """Answer a question whose method is settled; with looks, each learner and pair by the numbers behind it."""
    of_table = cache(partial(_Answers, question=question))
    answers: _Answers = of_table(table)

    def behind(*names: str) -> _Answers:
        own = table if looks is None else looks.table_of(*names)
        return of_table(own.common(*names))

    def ask(learner: str, minus: str | None = None, **request: Any) -> Result:
        names = [learner] if minus is None else [learner, minus]
        return behind(*names).ask(*names, **request)

    couples = simultaneous.pairs_of(table.learners, question.baseline)
    if looks is not None:  # where the baseline was lost between looks, there are none
        couples = [pair for pair in couples if frozenset(pair) in looks.last]
    pairs = [behind(a, b).pair(a, b) for a, b in couples]
    joint = None if "looks" in question.options else answers.joint(couples, ask)
    correlated = joint is not None and joint.values is not None
    if not correlated and len(pairs) > 1 and question.adjust in JOINT:
        raise InvalidInputError(
            f"{question.adjust!r} needs several splits or examples that all learners share, to estimate correlations from; try 'holm'",
            argument="adjust",
        )
    question = replace(question, adjust=question.adjust or ("max-t" if correlated else "holm"))
    overall = None
    if answers.whole is not None:
        own = question.options_for(answers.whole.method, table)
        overall = answers.whole.of_all(level=question.level, **own)
    return Comparison(
        **vars(question),
        table=table,
        learners={name: ask(name, level=question.level) for name in table.learners},
        pairs=_decided(pairs, question, joint),
        plan=answers.plan,
        overall=overall,
        looks=looks,
        joint=joint,
    )


class _Answers:
    """The methods behind a question, each with the plan that it works on.

    Attributes
    ----------
    single, pairwise : the methods of learners and of pairs; one method may be both
    whole : the test of all learners at once: the one asked for, or the one whose pairs these are
    naive : Settled or None
        The t-test that ignores correlation, where the plan has several splits and it is not the
        method itself.
    plan : position of the plan that the method asked for works on
    """

    def __init__(self, table: LossTable, question: Question) -> None:
        self.table, self.question = table, question
        spec, kinds, count = question.spec, table.splits.kinds, len(table.learners)
        of_pairs = spec.about("pair", kinds) or spec
        # A single column may hold ready-made differences, which a method of pairs can judge.
        of_learners = spec if count == 1 else spec.about("learner", kinds) or spec
        self.pairwise = settle(of_pairs, table)
        self.single = self.pairwise if of_learners is of_pairs else settle(of_learners, table)
        own = self.single if spec is of_learners else self.pairwise
        self.whole = self.naive = None
        if spec.subject == "all" and count > 1:
            own = self.whole = settle(spec, table)
        elif count > 2 and table.matched:
            tests = [test for test in GLOBAL_TESTS.values() if of_pairs.key in test.partners]
            self.whole = settle(tests[0], table) if tests else None
        self.plan = own.plan
        if not of_pairs.naive:
            with suppress(InvalidInputError):
                self.naive = settle(METHODS[NAIVE], own.table)

    def ask(self, learner: str, minus: str | None = None, **request: Any) -> Result:
        """Return what the method says of a learner, or of a difference."""
        settled = self.single if minus is None else self.pairwise
        own = self.question.options_for(settled.method, self.table)
        return settled.result(learner, minus, **request, **own)

    def pair(self, a: str, b: str) -> Pair:
        """Return the difference of a pair, with p-values that are not adjusted yet."""
        asked, method = self.question, self.pairwise.method
        how: Facts = {"level": asked.level, "alternative": asked.alternative}
        ask = partial(self.ask, a, b)
        result, test, naive = ask(**how), None, None
        if asked.rope is not None and joins(method):
            test = within(ask, method.key, float(asked.rope), asked.level)
        if self.naive is not None:
            naive = self.naive.result(a, b, **how)
            # At an edge of its range a difference has one interval by every method, which is no t.
            if naive.se == 0.0 and not naive.degenerate:
                naive = None
        return Pair(a, b, result, result.pvalue, equivalence=test, naive=naive)

    def joint(self, couples: Any, ask: Any) -> Joint | None:
        """Return what the differences do together; None where there are not several, or the method gives them no intervals."""
        method, learners = self.pairwise.method, self.table.learners
        if len(learners) < 3 or len(couples) < 2 or not joins(method) or self.table.blank:
            return None
        level, alternative = self.question.level, self.question.alternative
        made: Any = partial(Joint, learners, couples, level=level, alternative=alternative)
        if not self.table.matched:
            return made(None, "nothing", allowance=False, ask=ask)
        of, values = _independent(self.pairwise.table, pointwise=method.pointwise)
        if values.shape[1] < 2:
            return None
        table, losses = self.single.table, None
        if table.splits.designs[0].time is None and table.loss.pointwise:
            unit, numbers = _independent(table, pointwise=True)
            if unit == "examples":
                losses = dict(zip(learners, numbers, strict=True))
        moderated = "shared" in method.options
        if moderated:
            options = method.options | self.question.options_for(method, self.table)
            of_pairs, of_risks = (
                shared_by(
                    [self.pairwise.view(*names) for names in several],
                    len(learners),
                    options["variance"],
                )
                for several in (couples, [(name,) for name in learners])
            )

            def ask(learner: str, minus: str | None = None, **request: Any) -> Result:
                return self.ask(learner, minus, shared=of_pairs if minus else of_risks, **request)

        # What is shared is wrong for all differences by one factor.
        allowance = method.allowance or moderated
        return made(values, of, allowance=allowance, ask=ask, losses=losses, moderated=moderated)


def _independent(table: LossTable, *, pointwise: bool) -> tuple[str, FloatArray]:
    """Return a row per learner: scores of splits, or means of the losses (or influence values) of each example or group."""
    labels = table.splits.labels
    apart = np.any([labels[name] >= 0 for name in _APART if name in labels], axis=0)
    own = table if apart.all() else table.select(~apart)
    # One test set has examples only.
    if own.points is None or own.cells is None or not (pointwise or own.scores.shape[1] < 2):
        return "splits", own.scores
    means = np.array([own.losses(name).means("example") for name in own.learners])
    clusters = own.splits.designs[0].clusters
    if clusters is None:
        return "examples", means
    group = _check.compact(clusters[np.unique(own.cells.example)])
    left = means - means.mean(axis=1, keepdims=True)
    return "groups", np.array([np.bincount(group, row) for row in left])
