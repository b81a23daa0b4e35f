"""Gates on a single learner."""

from dataclasses import dataclass
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.gates._asked import Verdict, asked_of, bound_of, of_loss, quoted, words_of
from errbar.methods import infer, lookup
from errbar.metrics import in_words, known
from errbar.result import Result
from errbar.table import LossTable

SIDES = {"below": "above", "above": "below"}
"""What a threshold claims, and what has to be shown against it."""

_THRESHOLD = "'LOSS below 0.7' or 'LOSS above 0.7'; of a single loss also 'below 0.7'"


@dataclass(frozen=True)
class Threshold:
    """What would make the evaluation of one learner fail, such as that its ROC AUC is below 0.7.

    The burden of proof is on the learner, as with `Gate`: a threshold is passed only if the opposite of its claim is shown
    at the confidence level asked for. ``roc_auc below 0.7`` is passed if the area is shown to be above 0.7.

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

    See Also
    --------
    Gate : The same for two learners.

    Examples
    --------
    >>> import errbar
    >>> from errbar.gates import Threshold
    >>> table = errbar.from_scores(
    ...     {"tree": [0.81, 0.84, 0.79]}, n_train=900, n_test=100, metric="roc_auc", higher_is_better=True
    ... )
    >>> print(Threshold.parse("roc_auc below 0.7").judge(errbar.compare_table(table)).sentence)
    it is shown that ROC AUC of tree is above 0.7: it is 0.8133, lower bound 0.7643 at 95 %, p = 0.01061 (corrected-t)
    """

    claim: str
    value: float
    loss: str | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, tuple(SIDES), "claim")
        _check.finite(self.value, "value")

    @classmethod
    def parse(cls, text: str) -> "Threshold":
        """Read a threshold from its sentence.

        Parameters
        ----------
        text : str
            Such as ``roc_auc below 0.7``, ``log-loss above 0.5`` or ``below 0.7``.

        Returns
        -------
        Threshold
            What the sentence says.

        Raises
        ------
        InvalidInputError
            If the text is anything else.

        Examples
        --------
        >>> from errbar.gates import Threshold
        >>> Threshold.parse("log-loss above 0.5")
        Threshold(claim='above', value=0.5, loss='log-loss')
        """
        words = words_of(text, _THRESHOLD)
        if len(words) not in (2, 3) or words[-2] not in SIDES:
            raise InvalidInputError(f"a gate of a single learner reads {_THRESHOLD}, got {text!r}")
        try:
            value = _check.finite(float(words[-1]), "value")
        except ValueError:
            raise InvalidInputError(
                f"a threshold must be a number such as 0.7, got {words[-1]!r} in {text!r}"
            ) from None
        return cls(words[-2], value, words[0] if len(words) == 3 else None)

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        return (
            f"{'' if self.loss is None else f'{quoted(self.loss)} '}{self.claim} {self.value:.15g}"
        )

    def require_possible(self, loss: str) -> None:
        """Raise if the loss has no values on both sides of the threshold, so that nothing would have to be shown.

        Parameters
        ----------
        loss : str
            Key of the loss.

        Raises
        ------
        InvalidInputError
            Such as for ``f1 above 70``.
        """
        found = known(loss)
        if found is not None and not found.range[0] <= self.value <= found.range[1]:
            low, high = found.range
            raise InvalidInputError(
                f"the gate {str(self)!r} needs a threshold between {low:g} and {high:g}, where {found.words} lies"
            )

    def test(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Result:
        """Return the one-sided test that decides.

        Parameters
        ----------
        numbers : Comparison, sequence of Comparison or LossTable
            What to judge, of one learner; of several comparisons, the first that is of the loss.
        method : str, optional
            Key of a method with one-sided tests; by default that of the comparison, or the one that the design of a table calls for.
        level : float, optional
            Confidence level; by default that of the comparison, or 0.95.
        **options
            Options of the method's own; by default those of the comparison.

        Returns
        -------
        Result
            Estimate, one-sided interval and p-value.

        Raises
        ------
        InvalidInputError
            If there are several learners, or the method has no one-sided test of a single one.
        """
        chosen = of_loss(numbers, self.loss, str(self))
        table, key, wanted = asked_of(chosen, method, options)
        if len(table.learners) != 1:
            raise InvalidInputError(
                f"the gate {str(self)!r} is about one learner, and there are {len(table.learners)}; give a table.subset"
            )
        self.require_possible(table.loss.key)
        spec = lookup(key)
        if not spec.sides or spec.subject not in ("either", "learner"):
            raise InvalidInputError(
                f"method {spec.key!r} has no one-sided test of a single learner; try 'corrected-t'"
            )
        level = _check.level(getattr(chosen, "level", 0.95) if level is None else level)
        side = "greater" if self.claim == "below" else "less"
        return infer(
            table, key, table.learners[0], level=level, null=self.value, alternative=side, **wanted
        )

    def judge(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Verdict:
        """Judge an evaluation.

        Parameters
        ----------
        numbers, method, level, **options
            As for `test`.

        Returns
        -------
        Verdict
            Whether the threshold is passed, and one sentence with the estimate, its bound and the p-value.

        Raises
        ------
        InvalidInputError
            If there are several learners, or the method has no one-sided test of a single one.
        """
        chosen = of_loss(numbers, self.loss, str(self))
        test = self.test(chosen, method=method, level=level, **options)
        table = chosen if isinstance(chosen, LossTable) else chosen.table
        shown = test.pvalue < 1.0 - test.level
        bound = bound_of(test, upper=self.claim == "above")
        return Verdict(
            shown,
            f"it is {'' if shown else 'not '}shown that {in_words(table.loss.key)} of {quoted(table.learners[0])} is "
            f"{SIDES[self.claim]} {self.value:g}: it is {test.estimate:.4g}, {bound}, p = {test.pvalue:.4g} ({test.method})",
        )
