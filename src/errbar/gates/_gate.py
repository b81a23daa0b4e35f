"""Gates on a pair of learners."""

from dataclasses import dataclass, replace
from typing import Any

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.gates._asked import Verdict, asked_of, bound_of, of_loss, quoted, words_of
from errbar.margins import Equivalence, _Question, not_worse
from errbar.metrics import in_words
from errbar.table import LossTable

CLAIMS = ("worse-than", "not-better-than")

_FORM = (
    "'NEW worse-than OLD by 0.01' or 'NEW not-better-than OLD by 0.01' (names with spaces in quotes), with 'on LOSS' at "
    "the end where there are several losses"
)


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
    margin : float, optional
        Margin in units of the loss or score, 0 or more. ``worse-than`` needs one: without it `new` would have to be shown to be
        better, and an equally good model would fail. Of ``not-better-than`` it is 0 by default.
    loss : str, optional
        Key of the loss that decides, where comparisons of several are judged.

    Raises
    ------
    InvalidInputError
        If both learners are the same, an argument cannot be used, or ``worse-than`` has no margin.

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
    margin: float | None = None
    loss: str | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check.choice(self.claim, CLAIMS, "claim")
        _check.names([self.new], "learner")
        _check.names([self.old], "learner")
        if self.new == self.old:
            raise InvalidInputError(f"a gate needs two learners, got {self.new!r} twice")
        if self.margin is None:
            if self.claim == "worse-than":
                raise InvalidInputError(
                    f"the gate {str(self)!r} needs a margin, the least difference that matters, such as "
                    f"{str(replace(self, margin=0.01))!r}; with 'by 0' it would have to be shown that {self.new!r} is better, and an "
                    "equally good model would fail"
                )
            object.__setattr__(self, "margin", 0.0)
        elif _check.finite(self.margin, "margin") < 0.0:
            raise InvalidInputError(f"must not be negative, got {self.margin!r}", argument="margin")

    @classmethod
    def parse(cls, text: str) -> "Gate":
        """Read a gate from its sentence.

        Parameters
        ----------
        text : str
            Such as ``new worse-than old by 0.01``, ``new worse-than old by 0.01 on f1`` or ``"new net" not-better-than old``; names
            with spaces stand in single or double quotes.

        Returns
        -------
        Gate
            What the sentence says.

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
        words = words_of(text, _FORM)
        endings = words[3::2]
        if (
            len(words) not in (3, 5, 7)
            or words[1] not in CLAIMS
            or endings not in ([], ["by"], ["on"], ["by", "on"])
        ):
            raise InvalidInputError(f"a gate reads {_FORM}, got {text!r}")
        said = dict(zip(endings, words[4::2], strict=True))
        margin = _amount(said["by"], text) if "by" in said else None
        return cls(words[0], words[2], words[1], margin, said.get("on"))

    def __str__(self) -> str:
        """Return the sentence, which `parse` reads."""
        said = self.margin is not None and (self.margin or self.claim == "worse-than")
        amount = f" by {self.margin:.15g}" if said else ""
        where = "" if self.loss is None else f" on {quoted(self.loss)}"
        return f"{quoted(self.new)} {self.claim} {quoted(self.old)}{amount}{where}"

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
        chosen = of_loss(numbers, self.loss, str(self))
        table, key, wanted = asked_of(chosen, method, options, self.new, self.old)
        level = _check.level(getattr(chosen, "level", 0.95) if level is None else level)
        margin = float(self.margin or 0.0)
        margin = margin if self.claim == "worse-than" else 0.0 - margin
        return not_worse(_Question(table, key, self.new, self.old, wanted), margin, level)

    def judge(
        self, numbers: Any, *, method: str | None = None, level: float | None = None, **options: Any
    ) -> Verdict:
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
        >>> print(Gate.parse("new not-better-than old").judge(table).sentence)
        it is not shown that new is better than old: the difference in zero-one loss is 0.02333, upper bound 0.05307 at 95 %, p = 0.9255 (corrected-t)
        """
        chosen = of_loss(numbers, self.loss, str(self))
        test = self.test(chosen, method=method, level=level, **options)
        table = chosen if isinstance(chosen, LossTable) else chosen.table
        begin = "it is shown that" if test.shown else "it is not shown that"
        bound = bound_of(test, upper=not table.loss.higher_is_better)
        return Verdict(
            test.shown,
            f"{begin} {self._shown_claim()}: the difference in {in_words(table.loss.key)} is {test.estimate:.4g}, "
            f"{bound}, p = {test.pvalue:.4g} ({test.method})",
        )

    def _shown_claim(self) -> str:
        """Return what has to be shown, in words."""
        new, old = quoted(self.new), quoted(self.old)
        if not self.margin:
            return f"{new} is better than {old}"
        if self.claim == "worse-than":
            return f"{new} is not worse than {old} by {self.margin:g} or more"
        return f"{new} is better than {old} by more than {self.margin:g}"


def _amount(word: str, text: str) -> float:
    if word.endswith("%"):
        raise InvalidInputError(
            f"the margin of a gate is in units of the loss, got {word!r} in {text!r}; two percentage points of a rate are 0.02"
        )
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
