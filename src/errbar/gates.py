"""Gates: a sentence such as ``new worse-than old by 0.01`` that a comparison passes or fails, or ``f1 below 0.7`` of one learner."""

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from errbar import _check
from errbar.comparison import Comparison, Question
from errbar.errors import InvalidInputError
from errbar.margins import Equivalence, non_inferiority
from errbar.methods import Method, infer, lookup
from errbar.methods._core.fitting import method_for
from errbar.metrics import in_words, known, same
from errbar.result import Result
from errbar.table import LossTable

__all__ = ["Gate", "Threshold", "Verdict"]

CLAIMS = ("worse-than", "not-better-than")
SIDES = {"below": "above", "above": "below"}
"""What a threshold claims, and what has to be shown against it."""


class Verdict(NamedTuple):
    """Whether a gate was passed, and the reason in one sentence."""

    passed: bool
    sentence: str


class _Judge(ABC):
    """What gates of pairs and of single learners share."""

    loss: str | None
    reads: str
    """How the sentence of such a gate reads."""

    def test(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Any:
        """Return the one-sided test that decides; of ``not-better-than`` the margin is negative.

        Parameters
        ----------
        numbers : Comparison, sequence of Comparison or LossTable
            What to judge; of several comparisons, the first that is of the loss.
        method, level, **options
            As for `compare`; by default those of the comparison, or what the design calls for, and 0.95.

        Returns
        -------
        Equivalence or Result
            Of the difference, or of the single learner.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or the method has no such one-sided test.
        """
        table, usual, own = self._of_loss(numbers), 0.95, dict[str, Any]()
        if isinstance(table, Comparison):
            found = table
            results = [pair.result for pair in found.pairs] or list(found.learners.values())
            method, usual = method or results[0].method, found.level
            own = found.options if method == found.method else {}
            # Learners may have stopped at different looks; one that is unknown is refused where the table is asked.
            stopped = self._learners and set(self._learners) <= set(found.learners)
            table = found.table_of(*self._learners) if stopped else found.table
        spec = lookup(method) if method else method_for(table)
        asked = Question(spec.key, options={**own, **options}).options_for(spec, table)
        return self._test(table, spec, _check.level(usual if level is None else level), asked)

    @abstractmethod
    def _test(
        self, table: LossTable, spec: Method, level: float, options: dict[str, Any]
    ) -> Equivalence | Result: ...

    @abstractmethod
    def _shown(self, table: LossTable) -> tuple[str, str, str]:
        """Return what has to be shown, what its number is, and which bound of it counts."""

    def judge(self, numbers: Any, **asked: Any) -> Verdict:
        """Judge a comparison: whether the gate is passed, and a sentence with number, bound and p-value.

        Parameters
        ----------
        numbers, **asked
            As for `test`.

        Returns
        -------
        Verdict

        Raises
        ------
        InvalidInputError
            As for `test`.
        """
        chosen = self._of_loss(numbers)
        test = self.test(chosen, **asked)
        passed = test.pvalue < 1.0 - test.level
        claim, number, side = self._shown(getattr(chosen, "table", chosen))
        bound = test.interval.high if side == "upper" else test.interval.low
        return Verdict(
            passed,
            f"it is {'' if passed else 'not '}shown that {claim}: {number} is {test.estimate:.4g}, {side} bound {bound:.4g} at "
            f"{100 * test.level:.6g} %, p = {test.pvalue:.4g} ({test.method})",
        )

    @property
    def _learners(self) -> tuple[str, ...]:
        """The learners that the gate names."""
        return ()

    @classmethod
    def _refusal(cls, text: Any) -> InvalidInputError:
        return InvalidInputError(f"a gate reads {cls.reads}, got {text!r}")

    @classmethod
    def _words(cls, text: Any) -> list[str]:
        """Return the words of a gate, of which some may stand in quotation marks."""
        if not isinstance(text, str):
            raise cls._refusal(text)
        lexer = shlex.shlex(text, posix=True)
        lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
        try:
            return list(lexer)
        except ValueError:  # a quotation mark is not closed
            raise cls._refusal(text) from None

    @classmethod
    def _number(cls, word: str, text: str) -> float:
        try:
            return float(word)
        except ValueError:
            raise cls._refusal(text) from None

    def _of_loss(self, numbers: Any) -> Any:
        """Return what is to be judged: of several comparisons the first that is of the loss."""
        several = numbers if isinstance(numbers, Sequence) else [numbers]
        tables: list[Any] = [getattr(one, "table", one) for one in several]
        if not several or not all(isinstance(table, LossTable) for table in tables):
            raise InvalidInputError(
                f"must be a Comparison or a LossTable, got {_check.brief(numbers)}",
                argument="numbers",
            )
        keys = list(dict.fromkeys(table.loss.key for table in tables))
        asked = self.loss or (keys[0] if len(keys) == 1 else None)
        for one, table in zip(several, tables, strict=True):
            if asked is not None and (asked == table.loss.key or same(asked, table.loss.key)):
                return one
        listed = ", ".join(map(repr, keys))
        raise InvalidInputError(f"the gate {str(self)!r} must be about one of the losses {listed}")


def quoted(name: str) -> str:
    """Return a name as gates read it as one word."""
    if not re.search(r"[\s\"']", name):
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'


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
    margin : float, optional
        Margin in units of the loss or score, 0 or more; 0 by default of ``not-better-than``, and needed
        of ``worse-than``, since an equally good model would fail without it.
    loss : str, optional
        Key of the loss that decides, where comparisons of several are judged.

    Raises
    ------
    InvalidInputError
        If both learners are the same, an argument cannot be used, or ``worse-than`` has no margin.

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
    margin: float | None = None
    loss: str | None = None

    reads = "'NEW worse-than OLD by 0.01' or 'NEW not-better-than OLD by 0.01', with 'on LOSS' at the end where there are several losses"

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, CLAIMS, "claim")
        _check.names([self.new, self.old], "learner")
        margin = 0.0 if self.claim == "not-better-than" and self.margin is None else self.margin
        if margin is None:
            raise InvalidInputError(
                f"is needed by the gate {str(self)!r}: the least difference that matters, such as 0.01; with 0 an equally good model "
                "would fail",
                argument="margin",
            )
        if _check.finite(margin, "margin") < 0.0:
            raise InvalidInputError(f"must not be negative, got {margin!r}", argument="margin")
        object.__setattr__(self, "margin", margin)

    @classmethod
    def parse(cls, text: str) -> "Gate":
        """Read a gate from a sentence such as ``new worse-than old by 0.01 on f1``.

        Parameters
        ----------
        text : str
            The sentence; names with spaces stand in single or double quotes.

        Returns
        -------
        Gate

        Raises
        ------
        InvalidInputError
            If the text is anything else, or ``worse-than`` has no ``by``.

        Examples
        --------
        >>> from errbar.gates import Gate
        >>> Gate.parse("'random forest' worse-than tree by 0.01")
        Gate(new='random forest', old='tree', claim='worse-than', margin=0.01, loss=None)
        """
        words = cls._words(text)
        said = dict(zip(words[3::2], words[4::2], strict=False))
        ends = words[3::2] in ([], ["by"], ["on"], ["by", "on"])
        if len(words) not in (3, 5, 7) or words[1] not in CLAIMS or not ends:
            raise cls._refusal(text)
        margin = cls._number(said["by"], text) if "by" in said else None
        return cls(words[0], words[2], words[1], margin, said.get("on"))

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        said = self.margin is not None and (self.margin or self.claim == "worse-than")
        amount = f" by {self.margin:.15g}" if said else ""
        where = "" if self.loss is None else f" on {quoted(self.loss)}"
        return f"{quoted(self.new)} {self.claim} {quoted(self.old)}{amount}{where}"

    def _test(
        self, table: LossTable, spec: Method, level: float, options: dict[str, Any]
    ) -> Equivalence:
        margin = float(self.margin or 0.0)
        margin = margin if self.claim == "worse-than" else 0.0 - margin
        return non_inferiority(
            table, spec.key, *self._learners, margin=margin, level=level, **options
        )

    @property
    def _learners(self) -> tuple[str, ...]:
        return self.new, self.old

    def _shown(self, table: LossTable) -> tuple[str, str, str]:
        new, old = quoted(self.new), quoted(self.old)
        claim = f"{new} is better than {old}" + f" by more than {self.margin:g}" * bool(self.margin)
        if self.margin and self.claim == "worse-than":
            claim = f"{new} is not worse than {old} by {self.margin:g} or more"
        number = f"the difference in {in_words(table.loss.key)}"
        return claim, number, "lower" if table.loss.higher_is_better else "upper"


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
    def parse(cls, text: str) -> "Threshold":
        """Read a threshold from a sentence such as ``roc_auc below 0.7`` or ``below 0.7``.

        Parameters
        ----------
        text : str
            The sentence.

        Returns
        -------
        Threshold

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
        words = cls._words(text)
        if len(words) not in (2, 3) or words[-2] not in SIDES:
            raise cls._refusal(text)
        return cls(words[-2], cls._number(words[-1], text), words[0] if len(words) == 3 else None)

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        loss = "" if self.loss is None else f"{quoted(self.loss)} "
        return f"{loss}{self.claim} {self.value:.15g}"

    def require_possible(self, loss: str) -> None:
        """Raise if the loss cannot lie on both sides of the threshold, such as ``f1 above 70``."""
        found = known(loss)
        if found is not None and not found.range[0] <= self.value <= found.range[1]:
            low, high = found.range
            raise InvalidInputError(
                f"the gate {str(self)!r} needs a threshold between {low:g} and {high:g}, where {found.words} lies"
            )

    def _test(
        self, table: LossTable, spec: Method, level: float, options: dict[str, Any]
    ) -> Result:
        if len(table.learners) != 1:
            raise InvalidInputError(
                f"the gate {str(self)!r} is about one learner, and there are {len(table.learners)}; give a table.subset"
            )
        self.require_possible(table.loss.key)
        if not spec.sides or spec.subject not in ("either", "learner"):
            raise InvalidInputError(
                f"method {spec.key!r} has no one-sided test of a single learner; try 'corrected-t'"
            )
        side = "greater" if self.claim == "below" else "less"
        return infer(table, spec.key, level=level, null=self.value, alternative=side, **options)

    def _shown(self, table: LossTable) -> tuple[str, str, str]:
        of = f"{in_words(table.loss.key)} of {quoted(table.learners[0])}"
        side = "upper" if self.claim == "above" else "lower"
        return f"{of} is {SIDES[self.claim]} {self.value:g}", "it", side
