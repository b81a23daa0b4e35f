"""From a table and a question to a comparison: every answer is computed here, once."""

import copy
import warnings
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import errbar
from errbar import families
from errbar._pairs import Pair, adjusted
from errbar.comparison import DEFAULTS, ComparisonData
from errbar.errors import InvalidInputError
from errbar.methods import GLOBAL_TESTS, METHODS, lookup
from errbar.methods._core.given import require_table
from errbar.methods._core.infer import Settled, settle
from errbar.needs import judge
from errbar.result import Result
from errbar.study._keywords import refuse_other_numbers, refuse_unknown
from errbar.study._question import Question
from errbar.table import LossTable

if TYPE_CHECKING:
    from errbar._looks import Looks
    from errbar.margins import Equivalence

NAIVE = "resampled-t"


class Comparison(ComparisonData):
    """Estimates of all learners and adjusted differences of pairs, which show themselves.

    Losses are shown as they are; scores such as accuracy in their own direction, higher is better.

    Attributes
    ----------
    table : LossTable
        The numbers.
    method : str
        Key of the method.
    options : dict
        Options of the method that were set.
    learners : dict of str to Result
        Estimate of each learner.
    naive : dict of str to Result
        The same by the naive t, where it applies.
    pairs : tuple of Pair
        Differences.
    baseline : str or None
        Learner that all others are compared with.
    adjust : str
        Adjustment of the p-values.
    rope : float or None
        Half-width of the region of practical equivalence.
    level : float
        Confidence level.
    alternative : str
        Alternative hypothesis of the differences.
    plan : int
        Position of the plan, among those of the table, that the method has used.
    overall : GlobalResult or None
        The test of all learners at once that goes with the method, where there are more than two.
    widening : Across or None
        How many times as large as those of independent examples standard errors are: median, low and high over the pairs. None
        where the method does not tell.
    looks : Looks or None
        What was looked at, and when, where `compare` was given looks. Each pair is then judged by the splits up to the look that
        decided it, each learner by all of its own; `table` holds the splits that all learners have, `table_of` those behind one or two.
    detectable : Across or None
        Smallest true difference that four of five such studies find, each pair tested alone, if the standard errors are right. None
        for methods that are not about a test set.
    """

    def again(self, **changes: Any) -> "Comparison":
        """Ask the same question of the same table, with some changes.

        Parameters
        ----------
        **changes
            Keyword arguments of `compare_table` that differ. Options of the method that are set stay, if another one has them too.

        Returns
        -------
        Comparison
            The other answer; caveats that have been told already are not told again.
        """
        refuse_other_numbers(changes)
        refuse_unknown(compare_table, changes)
        method = changes.get("method", self.method)
        own = {
            name: value
            for name, value in self.options.items()
            if method and name in lookup(method).options
        }
        asked = {name: getattr(self, name) for name in DEFAULTS} | copy.deepcopy(own) | changes
        if "method" in changes and "adjust" not in changes and self.adjust in families.JOINT:
            asked["adjust"] = None
        question = Question.of(asked).checked(self.table.learners)
        looks = self.looks and replace(
            self.looks, level=question.level, alternative=question.alternative
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return answer(self.table, question.settled(self.table), looks)

    def __repr__(self) -> str:
        """Return what fits on a screen: the bottom line and the best learners."""
        return errbar.report.text(self, color=False)

    def __str__(self) -> str:
        """Return the report as text, without colour since it may go anywhere."""
        return errbar.report.text(self, color=False)

    def details(self) -> str:
        """Return what the first screen leaves out: what is estimated, method, splits, notes, and how to do it again."""
        return errbar.report.details(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences (or the estimate of a single learner) as `errbar.plots.intervals` does.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib axes
            The axes drawn on.
        """
        return errbar.plots.intervals(self, of="differences" if self.pairs else "estimates", ax=ax)

    def save(self, path: str | Path) -> Path:
        """Write the report or all numbers; the ending chooses the form.

        Parameters
        ----------
        path : str or Path
            File to write: a report in .html, .md, .tex or .txt, the data in .json, or in .csv or .parquet as a table with
            a row per learner and per pair.

        Returns
        -------
        Path
            The file.
        """
        return errbar.report.save(self, path)

    def to_markdown(self) -> str:
        """Return the report as Markdown, such as for a page or a pull request."""
        return errbar.report.markdown(self)

    def to_latex(self) -> str:
        """Return the report as LaTeX, with the tables ready for a paper."""
        return errbar.report.latex(self)

    def _repr_html_(self) -> str:
        """Return the report for notebooks."""
        return errbar.report.fragment(self)


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
        Estimates and adjusted differences.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or the method does not fit the table.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> errbar.compare_table(table).pairs[0].a
    'a'
    """
    table = require_table(table)
    if options:
        refuse_unknown(compare_table, options)
    question = Question(method, baseline, adjust, rope, level, alternative, options)
    return answer(table, question.checked(table.learners).settled(table))


def answer(table: LossTable, question: Question, looks: "Looks | None" = None) -> Comparison:
    """Answer a question whose method is settled; with looks, each learner and pair by the numbers behind it."""
    known = {id(table): _Answers.of(table, question)}

    def behind(*names: str) -> _Answers:
        own = table if looks is None else looks.table_of(*names)
        if id(own) not in known:
            known[id(own)] = _Answers.of(own, question)
        return known[id(own)]

    spec, answers = question.spec, known[id(table)]
    learners = {name: behind(name).of_learner(name) for name in table.learners}
    couples = families.pairs_of(table.learners, question.baseline)
    if looks is not None:  # where the baseline was lost between looks, there are none
        couples = [pair for pair in couples if frozenset(pair) in looks.last]
    pairs = [behind(a, b).pair(a, b) for a, b in couples]
    joint = None
    if len(pairs) > 1 and looks is None and "looks" not in question.options:
        from errbar.study._joint import joint_of

        joint = joint_of(answers, couples)
    if joint is None and len(pairs) > 1 and question.adjust in families.JOINT:
        raise InvalidInputError(
            f"{question.adjust!r} needs several splits or examples, to estimate correlations from; try 'holm'",
            argument="adjust",
        )
    adjust = question.adjust or ("holm" if joint is None else "max-t")
    overall = None
    if answers.whole is not None:
        own = question.options_for(answers.whole.method, table)
        overall = answers.whole.of_all(level=question.level, **own)
    return Comparison(
        table=table,
        method=spec.key,
        learners=learners,
        naive={
            name: found for name in learners if (found := behind(name).naive_of(name)) is not None
        },
        pairs=adjusted(pairs, adjust, joint) if pairs else (),
        baseline=question.baseline,
        adjust=adjust,
        rope=question.rope,
        level=question.level,
        alternative=question.alternative,
        options=dict(question.options),
        plan=answers.plan,
        overall=overall,
        looks=looks,
        joint=joint,
    )


@dataclass(frozen=True, eq=False)
class _Answers:
    """The methods behind a question, each with the plan that it works on.

    Attributes
    ----------
    table, question
        What is asked of what.
    single, pairwise : Settled
        The methods of learners and of pairs; one method may be both.
    whole : Settled or None
        The test of all learners at once: the one asked for, or the one whose pairs these are.
    naive : Settled or None
        The t-test that ignores correlation, where the plan has several splits and it is not the method itself.
    plan : int
        Position of the plan that the method asked for works on.
    """

    table: LossTable
    question: Question
    single: Settled
    pairwise: Settled
    whole: Settled | None
    naive: Settled | None
    plan: int

    @classmethod
    def of(cls, table: LossTable, question: Question) -> "_Answers":
        """Settle every method on its plan."""
        spec, kinds = question.spec, table.splits.kinds
        of_pairs = spec.for_pairs(kinds) or spec
        # A single column may hold ready-made differences, which a method of pairs can judge.
        of_learners = spec if len(table.learners) == 1 else spec.for_learners(kinds) or spec
        pairwise = settle(of_pairs, table)
        single = pairwise if of_learners is of_pairs else settle(of_learners, table)
        asked = spec if spec.subject == "all" else None
        follows = next(
            (test for test in GLOBAL_TESTS.values() if of_pairs.key in test.partners), None
        )
        test = asked or (follows if len(table.learners) > 2 else None)
        whole = None if test is None or len(table.learners) < 2 else settle(test, table)
        own = whole if asked and whole else single if spec is of_learners else pairwise
        naive = METHODS[NAIVE]
        contrast = None
        [design] = own.table.splits.designs
        if (
            not of_pairs.naive
            and design.kind in naive.plans
            and judge(naive.needs, design)[1] is None
        ):
            contrast = settle(naive, own.table)
        return cls(table, question, single, pairwise, whole, contrast, own.plan)

    def of_learner(self, name: str) -> Result:
        """Return the estimate of a learner."""
        return self.single.result(name, level=self.question.level, **self._options(self.single))

    def pair(self, a: str, b: str) -> Pair:
        """Return the difference of a pair, with p-values that are not adjusted yet."""
        request: dict[str, Any] = {
            "level": self.question.level,
            "alternative": self.question.alternative,
        }
        view = self.pairwise.view(a, b)
        result = self.pairwise.result(a, b, view=view, **request, **self._options(self.pairwise))
        naive = self.naive_of(a, b, self.question.alternative, view)
        margin = None if self.question.rope is None else self.margin(a, b, view)
        return Pair(a, b, result, result.pvalue, naive, margin)

    def ask(self, learner: str, minus: str | None, *, level: float, alternative: str) -> Result:
        """Return what the method says of a learner, or of a difference, at another level."""
        settled = self.single if minus is None else self.pairwise
        return settled.result(
            learner, minus, level=level, alternative=alternative, **self._options(settled)
        )

    def naive_of(
        self, name: str, minus: str | None = None, alternative: str = "two-sided", view: Any = None
    ) -> Result | None:
        """Return what the naive t says of the same numbers, which another method may have seen as it does.

        None where it is no t: an estimate at an edge of its range has one interval by every method.
        """
        if self.naive is None:
            return None
        seen = (
            view
            if type(view) is self.naive.method.view and self.naive.table is self.pairwise.table
            else None
        )
        found = self.naive.result(
            name, minus, view=seen, level=self.question.level, alternative=alternative
        )
        return None if found.se == 0.0 and not found.degenerate else found

    def margin(self, a: str, b: str, view: Any) -> "Equivalence | None":
        """Return the two one-sided tests of a pair about the region of equivalence, where the method has sides."""
        from errbar.margins import within

        method, question = self.pairwise.method, self.question
        if question.rope is None or method.own_units or not method.sides:
            return None
        ask = partial(self.pairwise.result, a, b, view=view, **self._options(self.pairwise))
        return within(ask, method.key, float(question.rope), question.level)

    def _options(self, settled: Settled) -> dict[str, Any]:
        return self.question.options_for(settled.method, self.table)
