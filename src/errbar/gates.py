"""Gates: a sentence such as ``new worse-than old by 0.01`` that a comparison passes or fails, or ``f1 below 0.7`` of one learner."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from errbar import _check
from errbar.comparison import Comparison, Question
from errbar.errors import InvalidInputError
from errbar.margins import non_inferiority
from errbar.methods import infer, lookup
from errbar.methods._core.fitting import method_for
from errbar.methods._core.infer import require_table
from errbar.metrics import in_words, key_of, known
from errbar.table import LossTable

__all__ = ["Gate", "Threshold", "Verdict"]

CLAIMS = ("worse-than", "not-better-than")
SIDES = ("below", "above")


class Verdict(NamedTuple):
    """Whether a gate was passed, the reason in one sentence, and the one-sided test that decided."""

    passed: bool
    sentence: str
    test: Any


class _Judge:
    """What gates of pairs and of single learners share."""

    loss: str | None
    reads: ClassVar[str]
    """How the sentence of such a gate reads."""
    _said: ClassVar[Any]
    """Returns the arguments that words stand for; ValueError where they stand for none."""
    _test: ClassVar[Any]
    """Returns the one-sided test that decides."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a gate from its sentence; names with spaces stand in quotes.

        Parameters
        ----------
        text : str
            Such as ``new worse-than old by 0.01 on f1``, or ``roc_auc below 0.7`` of a single learner.

        Returns
        -------
        Gate or Threshold

        Raises
        ------
        InvalidInputError
            If the text is anything else, or an argument cannot be used.

        Examples
        --------
        >>> from errbar.gates import Gate, Threshold
        >>> Gate.parse("'random forest' worse-than tree by 0.01")
        Gate(new='random forest', old='tree', claim='worse-than', margin=0.01, loss=None)
        >>> Threshold.parse("log-loss above 0.5")
        Threshold(claim='above', value=0.5, loss='log-loss')
        """
        try:
            return cls(*cls._said(shlex.split(str(text))))
        except (ValueError, TypeError):
            raise InvalidInputError(f"a gate reads {cls.reads}, got {text!r}") from None

    def judge(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Verdict:
        """Judge a comparison: whether the gate is passed, and a sentence with number, bound and p-value.

        Parameters
        ----------
        numbers : Comparison or LossTable
            What to judge.
        method, level, **options
            As for `compare`; by default those of the comparison, or what the design calls for, and 0.95.

        Returns
        -------
        Verdict
            Its test is an `Equivalence`, of ``not-better-than`` with a negative margin, or a `Result`.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or the method has no such one-sided test.
        """
        own: Any = {}
        if isinstance(numbers, Comparison):
            results = [pair.result for pair in numbers.pairs] or list(numbers.learners.values())
            method = method or results[0].method
            level = numbers.level if level is None else level
            own = numbers.options if method == numbers.method else {}
            # Learners may have stopped at different looks.
            known = self.learners and {*self.learners} <= {*numbers.learners}
            numbers = numbers.table_of(*self.learners) if known else numbers.table
        table = require_table(numbers)
        self.require_loss([table.loss.key])
        spec = lookup(method) if method else method_for(table)
        spec.check_options(options)
        asked = Question(spec.key, options={**own, **options}).options_for(spec, table)
        level = _check.level(0.95 if level is None else level)
        test = self._test(table, spec.key, level=level, **asked)
        passed = test.pvalue < 1.0 - level
        low, high = test.interval
        side, bound = ("upper", high) if math.isinf(low) else ("lower", low)
        return Verdict(
            passed,
            f"{str(self)!r} is {'' if passed else 'not '}refuted: {'difference in ' * bool(self.learners)}"
            f"{in_words(table.loss.key)} {test.estimate:.4g}, {side} bound {bound:.4g} at {100 * level:.6g} %, "
            f"p = {test.pvalue:.4g} ({test.method})",
            test,
        )

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners that the gate names."""
        return ()

    def is_of(self, loss: str) -> bool:
        """Tell whether the gate is judged by this loss."""
        return self.loss is None or key_of(self.loss) == key_of(loss)

    def require_loss(self, losses: Sequence[str]) -> None:
        """Raise unless the gate is about one of the losses; where there are none yet, it names none."""
        if sum(map(self.is_of, losses)) != 1 and (losses or self.loss is not None):
            raise InvalidInputError(
                f"the gate {str(self)!r} must name one of the losses {', '.join(losses)}"
            )


@dataclass(frozen=True)
class Gate(_Judge):
    """What would make a comparison fail, such as that a new model is worse than the old one.

    The burden of proof is on the new model: a gate is passed only if the opposite of its claim is
    shown. ``new worse-than old by 0.01`` is passed if it is shown that `new` is not worse by 0.01 or
    more (non-inferiority), and ``new not-better-than old by 0.01`` if it is shown that `new` is better
    by more than 0.01 (superiority by a margin). Too few data therefore fail a gate.

    Parameters
    ----------
    new, old : str
    claim : {"worse-than", "not-better-than"}, default "worse-than"
        What must be refuted.
    margin : float, default 0
        Margin in units of the loss or score, 0 or more. With 0 an equally good model fails, so the
        sentence of ``worse-than`` must state it.
    loss : str, optional
        Key of the loss that decides, where comparisons of several are judged.

    Raises
    ------
    InvalidInputError
        If both learners are the same, or an argument cannot be used.

    Notes
    -----
    Every gate has a test of its own at the level asked for. If all of several gates must be passed, the
    probability that all are, although one of the claims is true, is at most 1 - level [1]_.

    References
    ----------
    .. [1] Berger (1982), Technometrics 24(4), 295-300.

    Examples
    --------
    >>> import errbar
    >>> from errbar.gates import Gate
    >>> errors = {"new": [0.10, 0.08, 0.11], "old": [0.10, 0.09, 0.11]}
    >>> table = errbar.from_scores(errors, n_train=900, n_test=100)
    >>> Gate.parse("new worse-than old by 0.02").judge(table).passed
    True
    """

    new: str
    old: str
    claim: str = "worse-than"
    margin: float = 0.0
    loss: str | None = None

    reads = "'NEW worse-than OLD by 0.01' or 'NEW not-better-than OLD by 0.01', with 'on LOSS' at the end where there are several losses"

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, CLAIMS, "claim")
        _check.names(self.learners, "learner")
        _check.between(self.margin, 0.0, math.inf, "margin", closed=False)

    @classmethod
    def _said(cls, words: Any) -> Any:
        loss = words.pop() if words[-2:-1] == ["on"] else None
        match words if loss is None else words[:-1]:
            case [new, ("worse-than" | "not-better-than") as claim, old, "by", margin]:
                return new, old, claim, float(margin), loss
            case [new, "not-better-than" as claim, old]:
                return new, old, claim, 0.0, loss
        raise ValueError

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        amount = f" by {self.margin:.15g}" if self.margin or self.claim == "worse-than" else ""
        where = "" if self.loss is None else f" on {shlex.quote(self.loss)}"
        return f"{shlex.quote(self.new)} {self.claim} {shlex.quote(self.old)}{amount}{where}"

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners that the gate names."""
        return self.new, self.old

    def _test(self, table: LossTable, method: str, **asked: Any) -> Any:
        margin = self.margin if self.claim == "worse-than" else 0.0 - self.margin
        return non_inferiority(table, method, *self.learners, margin=margin, **asked)


@dataclass(frozen=True)
class Threshold(_Judge):
    """What would make the evaluation of one learner fail, such as that its ROC AUC is below 0.7.

    The burden of proof is on the learner, as with `Gate`: ``roc_auc below 0.7`` is passed if the area
    is shown to be above 0.7 at the confidence level asked for.

    Parameters
    ----------
    claim : {"below", "above"}
        What must be refuted.
    value : float
        The threshold, in units of the loss or score.
    loss : str, optional
        Key of the loss or metric; may be left out where there is one only.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used.

    Examples
    --------
    >>> import errbar
    >>> from errbar.gates import Threshold
    >>> scores = {"tree": [0.81, 0.84, 0.79]}
    >>> table = errbar.from_scores(scores, n_train=900, n_test=100, metric="roc_auc")
    >>> Threshold.parse("roc_auc below 0.7").judge(table).passed
    True
    """

    claim: str
    value: float
    loss: str | None = None

    reads = "'LOSS below 0.7' or 'LOSS above 0.7' of a single learner; of a single loss also 'below 0.7'"

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, SIDES, "claim")
        _check.finite(self.value, "value")

    @classmethod
    def _said(cls, words: Any) -> Any:
        *loss, claim, value = words
        return claim, float(value), *loss

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        loss = "" if self.loss is None else f"{shlex.quote(self.loss)} "
        return f"{loss}{self.claim} {self.value:.15g}"

    def require_loss(self, losses: Sequence[str]) -> None:
        """Raise unless the gate is about one of the losses, which can lie on both sides of the threshold."""
        super().require_loss(losses)
        for loss in filter(None, map(known, filter(self.is_of, losses))):
            low, high = loss.range
            if not low <= self.value <= high:
                raise InvalidInputError(
                    f"the gate {str(self)!r} needs a threshold between {low:g} and {high:g}, where {loss.words} lies"
                )

    def _test(self, table: LossTable, method: str, **asked: Any) -> Any:
        side = "greater" if self.claim == "below" else "less"
        return infer(table, method, null=self.value, alternative=side, **asked)
