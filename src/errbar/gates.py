"""Gates: a sentence such as ``new worse-than old by 0.01`` that a comparison passes or fails."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.losses import in_words
from errbar.margins import Equivalence, _Question, not_worse
from errbar.methods import lookup
from errbar.methods._core.default import method_for
from errbar.table import LossTable

__all__ = ["CLAIMS", "Gate", "Verdict"]

CLAIMS = ("worse-than", "not-better-than")

_WORDS = re.compile(r'"([^"]*)"|\'([^\']*)\'|(\S+)')
_FORM = "'NEW worse-than OLD by 0.01' or 'NEW not-better-than OLD by 0.01' (names with spaces in quotes)"


class Verdict(NamedTuple):
    """Whether a gate was passed, and the reason in one sentence."""

    passed: bool
    sentence: str


@dataclass(frozen=True)
class Gate:
    """What would make a comparison fail, such as that a new model is worse than the old one.

    The burden of proof is on the new model: a gate is passed only if the opposite of its claim is shown at the
    confidence level asked for. ``new worse-than old by 0.01`` is passed if it is shown that `new` is not worse by 0.01
    or more (non-inferiority), and ``new not-better-than old by 0.01`` if it is shown that `new` is better by more
    than 0.01 (superiority by a margin). Too few data therefore fail a gate.

    Parameters
    ----------
    new, old : str
        Names of the learners.
    claim : {"worse-than", "not-better-than"}, default "worse-than"
        What must be refuted.
    margin : float, default 0.0
        Margin in units of the loss or score, 0 or more.

    Raises
    ------
    InvalidInputError
        If both learners are the same, or an argument cannot be used.

    See Also
    --------
    errbar.non_inferiority : The test behind it.
    errbar.testing.assert_not_worse : The same as an assertion.

    Notes
    -----
    Every gate has a test of its own at the level asked for. If all of several gates must be passed, then the
    probability that all are, although one of the claims is true, is at most 1 - level without any adjustment ([1]_).

    References
    ----------
    .. [1] Berger (1982), Technometrics 24(4), 295-300.

    Examples
    --------
    >>> import errbar
    >>> from errbar.gates import Gate
    >>> table = errbar.from_scores(
    ...     {"new": [0.90, 0.92, 0.89], "old": [0.90, 0.91, 0.89]}, n_train=900, n_test=100, higher_is_better=True
    ... )
    >>> gate = Gate.parse("new worse-than old by 0.02")
    >>> passed, sentence = gate.judge(errbar.compare_table(table))
    >>> passed
    True
    """

    new: str
    old: str
    claim: str = "worse-than"
    margin: float = 0.0

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, CLAIMS, "claim")
        _check.names([self.new], "learner")
        _check.names([self.old], "learner")
        if self.new == self.old:
            raise InvalidInputError(f"a gate needs two learners, got {self.new!r} twice")
        if _check.finite(self.margin, "margin") < 0.0:
            raise InvalidInputError(f"`margin` must not be negative, got {self.margin!r}")

    @classmethod
    def parse(cls, text: str) -> "Gate":
        """Read a gate from its sentence.

        Parameters
        ----------
        text : str
            Such as ``new worse-than old``, ``new worse-than old by 0.01`` or ``"new net" not-better-than old by 0.02``;
            names with spaces stand in single or double quotes.

        Returns
        -------
        Gate
            What the sentence says; without ``by`` the margin is 0.

        Raises
        ------
        InvalidInputError
            If the text is anything else.

        Examples
        --------
        >>> from errbar.gates import Gate
        >>> Gate.parse("'random forest' worse-than tree by 0.01")
        Gate(new='random forest', old='tree', claim='worse-than', margin=0.01)
        """
        words = _words(text)
        if len(words) not in (3, 5) or words[1] not in CLAIMS or (len(words) == 5 and words[3] != "by"):
            raise InvalidInputError(f"a gate reads {_FORM}, got {text!r}")
        return cls(words[0], words[2], words[1], _amount(words[4], text) if len(words) == 5 else 0.0)

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        amount = f" by {self.margin:.15g}" if self.margin else ""
        return f"{_quoted(self.new)} {self.claim} {_quoted(self.old)}{amount}"

    def test(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Equivalence:
        """Return the one-sided test that decides; of ``not-better-than`` the margin is negative.

        Parameters
        ----------
        numbers : Comparison or LossTable
            What to judge.
        method : str, optional
            Key of a method with one-sided tests; by default that of the comparison, or the one that the design of a table calls for.
        level : float, optional
            Confidence level; by default that of the comparison, or 0.95.
        **options
            Options of the method's own; by default those of the comparison.

        Returns
        -------
        Equivalence
            Estimate, one-sided interval and p-value.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or the method has no one-sided test of a difference.
        """
        table, key, wanted = _asked(numbers, method, options)
        level = _check.level(getattr(numbers, "level", 0.95) if level is None else level)
        margin = float(self.margin) if self.claim == "worse-than" else 0.0 - float(self.margin)
        return not_worse(_Question(table, key, self.new, self.old, wanted), margin, level)

    def judge(self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any) -> Verdict:
        """Judge a comparison.

        Parameters
        ----------
        numbers, method, level, **options
            As for `test`.

        Returns
        -------
        Verdict
            Whether the gate is passed, and one sentence with the difference, its bound and the p-value.

        Raises
        ------
        InvalidInputError
            If a learner is unknown, or the method has no one-sided test of a difference.

        Examples
        --------
        >>> import errbar
        >>> from errbar.gates import Gate
        >>> errors = {"new": [0.14, 0.12, 0.11], "old": [0.10, 0.11, 0.09]}
        >>> table = errbar.from_scores(errors, n_train=900, n_test=100, metric="zero-one")
        >>> print(Gate.parse("new worse-than old").judge(table).sentence)
        it is not shown that new is better than old: the difference in zero-one loss is 0.02333, upper bound 0.05307 at 95 %, p = 0.9255 (corrected-t)
        """
        test = self.test(numbers, method=method, level=level, **options)
        table = numbers if isinstance(numbers, LossTable) else numbers.table
        begin = "it is shown that" if test.shown else "it is not shown that"
        bound = _bound(test, upper=not table.loss.higher_is_better)
        return Verdict(
            test.shown,
            f"{begin} {self._shown_claim()}: the difference in {in_words(table.loss.key)} is {test.estimate:.4g}, "
            f"{bound}, p = {test.pvalue:.4g} ({test.method})",
        )

    def _shown_claim(self) -> str:
        """Return what has to be shown, in words."""
        new, old = _quoted(self.new), _quoted(self.old)
        if not self.margin:
            return f"{new} is better than {old}"
        if self.claim == "worse-than":
            return f"{new} is not worse than {old} by {self.margin:g} or more"
        return f"{new} is better than {old} by more than {self.margin:g}"


def _asked(numbers: Any, method: str | None, options: dict[str, Any]) -> tuple[LossTable, str, dict[str, Any]]:
    """Return the table, the key of the method of pairs, and its options."""
    known: dict[str, Any] = {}
    if isinstance(numbers, LossTable):
        table, key = numbers, method or method_for(numbers).key
    elif isinstance(getattr(numbers, "table", None), LossTable):
        table = numbers.table
        asked = numbers.pairs[0].result.method if numbers.pairs else numbers.method
        key = method or asked
        known = numbers.options if key == numbers.method else {}
    else:
        raise InvalidInputError(f"a gate judges a Comparison or a LossTable, got {type(numbers).__name__}")
    spec = lookup(key)
    root = table.provenance.get("random_state")
    drawn = {"random_state": int(root)} if root is not None and "random_state" in spec.options else {}
    return table, spec.key, {**drawn, **known, **options}


def _bound(test: Equivalence, *, upper: bool) -> str:
    end = test.interval.high if upper else test.interval.low
    return f"{'upper' if upper else 'lower'} bound {end:.4g} at {100 * test.level:.6g} %"


def _words(text: Any) -> list[str]:
    if not isinstance(text, str):
        raise InvalidInputError(f"a gate reads {_FORM}, got {text!r}")
    found = [next(part for part in match.groups() if part is not None) for match in _WORDS.finditer(text)]
    bare = [match.group(3) for match in _WORDS.finditer(text) if match.group(3) is not None]
    if any(mark in word for word in bare for mark in "\"'"):
        raise InvalidInputError(f"a quotation mark is not closed in the gate {text!r}; a gate reads {_FORM}")
    return found


def _amount(word: str, text: str) -> float:
    try:
        amount = float(word)
    except ValueError:
        amount = -1.0
    if not 0.0 <= amount < float("inf"):
        raise InvalidInputError(
            f"the margin of a gate must be a number of at least 0 in units of the loss, such as 0.01, "
            f"got {word!r} in {text!r}"
        )
    return amount


def _quoted(name: str) -> str:
    if not re.search(r"[\s\"']", name):
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'
