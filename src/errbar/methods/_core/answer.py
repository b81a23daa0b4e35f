"""What a method answers: an estimate with its law, from which the registry makes a result for any level and null."""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from errbar import _check
from errbar.methods.distributions import UNLIMITED, Law, Limits, Pivot
from errbar.result import Estimand, Interval, Note, Notes, Result


class Asked(NamedTuple):
    """The question to an answer: the level of its interval, the hypotheses of its test, and the range of its estimate."""

    level: float = 0.95
    null: float = 0.0
    alternative: str = "two-sided"
    limits: Limits = UNLIMITED

    def checked(self, null_range: tuple[float, float] | None = None) -> "Asked":
        null = _check.finite(self.null, "null")
        _check.between(null, *(null_range or (null, null)), "null")
        alternative = _check.alternative(self.alternative)
        return Asked(_check.level(self.level), null, alternative, self.limits)

    def if_unbounded(
        self, interval: Interval, count: int, what: str, needed: int | str = "more"
    ) -> Notes:
        """Return a note that there are too few of something, where an end of the interval is infinite that should not be."""
        if sum(map(math.isinf, interval)) <= (self.alternative != "two-sided"):
            return ()
        return (Note("unbounded", count=count, what=what, level=self.level, needed=needed),)


# Not frozen: that would take as long again as the whole call of a simple method, and nobody keeps one.
@dataclass(slots=True)
class Answer:
    """What a method says of one learner or of a difference, before it is known what is asked.

    Without a law of its own, (estimate - null)/se is referred to t with `df` degrees of freedom, or
    to the normal distribution.

    Attributes
    ----------
    estimate, se : Point estimate and standard error.
    df : Degrees of freedom; None for the normal distribution.
    n_train : Training size that the estimand is about; NaN where unknown.
    n_splits : Number of splits used.
    notes : Caveats of the method.
    posterior : Posterior probabilities, for Bayesian methods.
    law : Where intervals and p-values come from, if not from the pivot.
    statistic : ``statistic(null)``, if that is not (estimate - null)/se.
    remarks : ``remarks(asked, interval)`` returns the caveats that depend on what is asked.
    directed : Whether the statistic has the sign of the difference.
    limits : Range of the estimate, where it is not in units of the loss.
    near : So many standard errors from an edge of the range at least, the law is the plain one.
    over : ``over(law)`` returns the law that holds over several looks at numbers as they come.
    components : Parts of the squared standard error by what they come from.
    estimand : What is estimated, if options change what the method says of itself.
    """

    estimate: float
    se: float
    df: float | tuple[float, float] | None = None
    _: KW_ONLY
    n_train: float | None = None
    n_splits: int = 1
    notes: Notes = ()
    posterior: Mapping[str, float] = field(default_factory=dict)
    law: Law | None = None
    statistic: Callable[[float], float] | None = None
    remarks: Callable[[Asked, Interval], Notes] = lambda _asked, _interval: ()
    directed: bool = True
    limits: Limits = UNLIMITED
    near: float = math.inf
    over: Callable[[Law], Law] | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    estimand: Estimand | None = None

    def result(self, method: str, estimand: Estimand, asked: Asked) -> Result:
        """Return the result of a method for one level, null and alternative."""
        pivot = Pivot(self.estimate, self.se, None if isinstance(self.df, tuple) else self.df)
        limits = asked.limits if self.limits is UNLIMITED else self.limits
        law, extreme = limits.law(pivot, self.near) if self.law is None else (self.law, ())
        told = law if self.over is None else self.over(law)
        interval = limits.cut(told.interval(asked.level, asked.alternative))
        statistic = self.statistic or (law if isinstance(law, Pivot) else pivot).statistic
        return Result(
            method=method,
            estimand=self.estimand or estimand,
            n_train=math.nan if self.n_train is None or math.isnan(self.n_train) else self.n_train,
            estimate=self.estimate,
            se=self.se,
            interval=interval,
            level=asked.level,
            statistic=statistic(asked.null),
            df=self.df,
            pvalue=told.pvalue(asked.null, asked.alternative),
            null=asked.null,
            alternative=asked.alternative,
            n_splits=self.n_splits,
            notes=(*self.notes, *extreme, *self.remarks(asked, interval)),
            posterior=self.posterior,
            directed=self.directed,
            components=self.components,
        )
