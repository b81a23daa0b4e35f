"""Gates: a sentence such as ``new worse-than old by 0.01`` that a comparison passes or fails, or ``f1 below 0.7`` of one learner."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.losses import LOSSES, in_words, named
from errbar.margins import Equivalence, _Question, not_worse
from errbar.methods import infer, lookup
from errbar.methods._core.default import method_for
from errbar.result import Result
from errbar.table import LossTable

__all__ = ["CLAIMS", "SIDES", "Gate", "Threshold", "Verdict", "same_loss"]

CLAIMS = ("worse-than", "not-better-than")
SIDES = {"below": "above", "above": "below"}
"""What a threshold claims, and what has to be shown against it."""

_WORDS = re.compile(r'"([^"]*)"|\'([^\']*)\'|(\S+)')
_FORM = (
    "'NEW worse-than OLD by 0.01' or 'NEW not-better-than OLD by 0.01' (names with spaces in quotes), with 'on LOSS' at "
    "the end where there are several losses"
)
_THRESHOLD = "'LOSS below 0.7' or 'LOSS above 0.7'; of a single loss also 'below 0.7'"


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
    loss : str, optional
        Key of the loss that decides, where comparisons of several are judged.

    Raises
    ------
    InvalidInputError
        If both learners are the same, or an argument cannot be used.

    See Also
    --------
    Threshold : The same for a single learner.
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
    loss: str | None = None

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
            Such as ``new worse-than old``, ``new worse-than old by 0.01 on f1`` or ``"new net" not-better-than old by 0.02``;
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
        Gate(new='random forest', old='tree', claim='worse-than', margin=0.01, loss=None)
        """
        words = _words(text, _FORM)
        endings = words[3::2]
        if len(words) not in (3, 5, 7) or words[1] not in CLAIMS or endings not in ([], ["by"], ["on"], ["by", "on"]):
            raise InvalidInputError(f"a gate reads {_FORM}, got {text!r}")
        said = dict(zip(endings, words[4::2], strict=True))
        margin = _amount(said["by"], text) if "by" in said else 0.0
        return cls(words[0], words[2], words[1], margin, said.get("on"))

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        amount = f" by {self.margin:.15g}" if self.margin else ""
        where = "" if self.loss is None else f" on {_quoted(self.loss)}"
        return f"{_quoted(self.new)} {self.claim} {_quoted(self.old)}{amount}{where}"

    def test(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Equivalence:
        """Return the one-sided test that decides; of ``not-better-than`` the margin is negative.

        Parameters
        ----------
        numbers : Comparison, sequence of Comparison or LossTable
            What to judge; of several comparisons, the first that is of the loss.
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
        chosen = _of_loss(numbers, self.loss, str(self))
        table, key, wanted = _asked(chosen, method, options)
        level = _check.level(getattr(chosen, "level", 0.95) if level is None else level)
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
        chosen = _of_loss(numbers, self.loss, str(self))
        test = self.test(chosen, method=method, level=level, **options)
        table = chosen if isinstance(chosen, LossTable) else chosen.table
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
        words = _words(text, _THRESHOLD)
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
        return f"{'' if self.loss is None else f'{_quoted(self.loss)} '}{self.claim} {self.value:.15g}"

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
        known = LOSSES.get(loss) or named(loss)
        if known is not None and not known.range[0] <= self.value <= known.range[1]:
            low, high = known.range
            raise InvalidInputError(
                f"the gate {str(self)!r} needs a threshold between {low:g} and {high:g}, where {known.words} lies"
            )

    def test(self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any) -> Result:
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
        chosen = _of_loss(numbers, self.loss, str(self))
        table, key, wanted = _asked(chosen, method, options)
        if len(table.learners) != 1:
            raise InvalidInputError(
                f"the gate {str(self)!r} is about one learner, and there are {len(table.learners)}; give a table.subset"
            )
        self.require_possible(table.loss.key)
        spec = lookup(key)
        if not spec.sides or spec.subject not in ("either", "learner"):
            raise InvalidInputError(f"method {spec.key!r} has no one-sided test of a single learner; try 'corrected-t'")
        level = _check.level(getattr(chosen, "level", 0.95) if level is None else level)
        side = "greater" if self.claim == "below" else "less"
        return infer(table, key, table.learners[0], level=level, null=self.value, alternative=side, **wanted)

    def judge(self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any) -> Verdict:
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
        chosen = _of_loss(numbers, self.loss, str(self))
        test = self.test(chosen, method=method, level=level, **options)
        table = chosen if isinstance(chosen, LossTable) else chosen.table
        shown = test.pvalue < 1.0 - test.level
        bound = _bound(test, upper=self.claim == "above")
        return Verdict(
            shown,
            f"it is {'' if shown else 'not '}shown that {in_words(table.loss.key)} of {_quoted(table.learners[0])} is "
            f"{SIDES[self.claim]} {self.value:g}: it is {test.estimate:.4g}, {bound}, p = {test.pvalue:.4g} ({test.method})",
        )


def same_loss(wanted: str, key: str) -> bool:
    """Return whether a text means the loss of a key: it is the key, or another name of the same metric."""
    metric = named(wanted)
    return key in (wanted, None if metric is None else metric.key)


def _of_loss(numbers: Any, loss: str | None, gate: str) -> Any:
    """Return what is to be judged: of several comparisons the first that is of the loss."""
    several = list(numbers) if isinstance(numbers, Sequence) and not isinstance(numbers, str) else [numbers]
    tables = [one if isinstance(one, LossTable) else getattr(one, "table", None) for one in several]
    keys = [table.loss.key for table in tables if isinstance(table, LossTable)]
    if len(keys) < len(several) or not several:
        return numbers  # refused where it is asked
    if loss is None and len(set(keys)) > 1:
        raise InvalidInputError(f"the gate {gate!r} must name one of the losses {_listed(keys)}")
    found = [one for one, key in zip(several, keys, strict=True) if loss is None or same_loss(loss, key)]
    if not found:
        raise InvalidInputError(f"the gate {gate!r} is about the loss {loss!r}, and there is {_listed(keys)}")
    return found[0]


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(map(repr, dict.fromkeys(keys)))


def _asked(numbers: Any, method: str | None, options: dict[str, Any]) -> tuple[LossTable, str, dict[str, Any]]:
    """Return the table, the key of the method of pairs, and its options."""
    known: dict[str, Any] = {}
    if isinstance(numbers, LossTable):
        table, key = numbers, method or method_for(numbers).key
    elif isinstance(getattr(numbers, "table", None), LossTable):
        table = numbers.table
        asked = (numbers.pairs[0].result if numbers.pairs else next(iter(numbers.learners.values()))).method
        key = method or asked
        known = numbers.options if key == numbers.method else {}
    else:
        raise InvalidInputError(f"a gate judges a Comparison or a LossTable, got {type(numbers).__name__}")
    spec = lookup(key)
    root = table.provenance.get("random_state")
    drawn = {"random_state": int(root)} if root is not None and "random_state" in spec.options else {}
    return table, spec.key, {**drawn, **known, **options}


def _bound(test: Equivalence | Result, *, upper: bool) -> str:
    end = test.interval.high if upper else test.interval.low
    return f"{'upper' if upper else 'lower'} bound {end:.4g} at {100 * test.level:.6g} %"


def _words(text: Any, form: str) -> list[str]:
    if not isinstance(text, str):
        raise InvalidInputError(f"a gate reads {form}, got {text!r}")
    found = [next(part for part in match.groups() if part is not None) for match in _WORDS.finditer(text)]
    bare = [match.group(3) for match in _WORDS.finditer(text) if match.group(3) is not None]
    if any(mark in word for word in bare for mark in "\"'"):
        raise InvalidInputError(f"a quotation mark is not closed in the gate {text!r}; a gate reads {form}")
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
