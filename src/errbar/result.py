"""The one answer type: estimate, interval, test, and the caveats that belong to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import errbar
from errbar import _check
from errbar._check import Facts
from errbar._plain import plain


class Estimand(StrEnum):
    """What a method estimates.

    ``R`` is the risk of the model fitted on all examples at hand, ``ER`` the expected risk of the learning algorithm over training
    sets, ``PQ`` the mean risk of just the models that the splits have trained, ``RS`` the mean risk over seeds, ``PD`` the distribution of
    performance over bootstrap samples of the data, and ``DS`` is about a population of data sets.
    """

    RISK = "R"
    EXPECTED_RISK = "ER"
    PROXY = "PQ"
    OVER_SEEDS = "RS"
    PERFORMANCE = "PD"
    DATA_SETS = "DS"

    @property
    def words(self) -> str:
        """The estimand in words; a training size may follow."""
        return _ESTIMAND_WORDS[self]


_ESTIMAND_WORDS = {
    Estimand.RISK: "the risk of the model fitted on all examples at hand",
    Estimand.EXPECTED_RISK: "the expected risk of the learning algorithm over training sets",
    Estimand.PROXY: "the mean risk of just those models that the splits have trained",
    Estimand.OVER_SEEDS: "the mean risk over seeds or repeated answers on these very data",
    Estimand.PERFORMANCE: "the distribution of performance over bootstrap samples of these very data",
    Estimand.DATA_SETS: "the population of data sets that these were drawn from",
}


class Interval(NamedTuple):
    """A confidence (or credible) interval; an end may be infinite where the alternative is one-sided."""

    low: float
    high: float

    def mirrored(self) -> "Interval":
        """Return the interval of the negated quantity; 0 minus 0 is 0, where minus 0 would be -0."""
        return Interval(0.0 - self.high, 0.0 - self.low)


@dataclass(frozen=True, init=False)
class Note:
    """A caveat: a stable code, and the numbers and names that go with it; the two make it equal.

    Parameters
    ----------
    code : str
        What is said; ``errbar/notes.toml`` holds a sentence for each code.
    **numbers : int, float, str or sequence of these
        What the sentence is filled with.

    Examples
    --------
    >>> import errbar
    >>> note = errbar.Note("uneven-folds", ratio=3.1)
    >>> note.code, note.numbers, note.severity
    ('uneven-folds', {'ratio': 3.1}, 'reading')
    """

    code: str
    items: tuple[tuple[str, Any], ...]

    def __init__(self, code: str, /, **numbers: Any) -> None:
        """Keep code and numbers."""
        items = tuple((name, _kept(numbers[name])) for name in sorted(numbers))
        vars(self).update(code=code, items=items)

    @property
    def numbers(self) -> Facts:
        """The numbers and names that the sentence is filled with."""
        return dict(self.items)

    @property
    def severity(self) -> str:
        """``"reading"`` if the note changes how a number is to be read, ``"record"`` if it tells how a file was read or fits were made."""
        return _sentences().get(self.code, {}).get("severity", "reading")

    @property
    def text(self) -> str:
        """The note as a sentence."""
        shown = {name: _shown(value) for name, value in self.items}
        lists = "; ".join(f"{name.replace('_', ' ')}: {{{name}}}" for name in shown)
        return _sentences().get(self.code, {}).get("text", lists).format_map(shown)

    def __str__(self) -> str:
        """Return code and text."""
        return f"{self.code}: {self.text}"

    def _asdict(self) -> Facts:
        return {"code": self.code, "numbers": self.numbers, "text": self.text}


Notes = tuple[Note, ...]


def distinct(notes: Iterable[Note]) -> Notes:
    """Return each note once; the lists of those that hold nothing but lists, such as ``read``, become one note."""
    found: dict[str | Note, Note] = {}
    for note in notes:
        if note.code not in _LISTS:
            found[note] = note
            continue
        lists = found.get(note.code, Note(note.code)).numbers
        for kind, names in note.numbers.items():
            lists[kind] = dict.fromkeys((*lists.get(kind, ()), *names))
        found[note.code] = Note(note.code, **lists)
    return tuple(found.values())


_LISTS = frozenset({"fits", "read"})
"""Codes of notes that are lists of names, and of which an answer has one at the most."""

_MOST_SHOWN = 8
"""So many names of a list are shown in a sentence; all are in the numbers."""

_LARGE, _HUGE = 1e3, 1e15
"""Numbers between these are shown as whole ones."""


@cache
def _sentences() -> dict[str, dict[str, str]]:
    """Return what the notes say, read when it is first asked for."""
    import tomllib

    with Path(__file__).with_name("notes.toml").open("rb") as file:
        return tomllib.load(file)


def _kept(value: Any) -> Any:
    """Return a number or a name as plain Python has it, and several as a tuple."""
    if isinstance(value, (list, tuple, dict)):
        return tuple(map(_kept, value))
    return value.item() if hasattr(value, "item") else value


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return _check.listed([_shown(one) for one in value], _MOST_SHOWN)
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if _LARGE <= abs(value) < _HUGE else f"{value:.4g}"


OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
_OTHER_SIDE = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """What a method finds about one learner, or about the difference of two.

    Attributes
    ----------
    method : key of the method
    estimand : what is estimated
    n_train : float
        Training size that the estimand refers to; the mean if sizes differ, NaN if it is
        unknown.
    estimate, se : point estimate and its standard error
    interval : ends of the interval
    level : confidence level of the interval
    statistic : test statistic
    df : degrees of freedom of the reference distribution; None for the normal one
    pvalue : p-value of the null hypothesis
    null : value under the null hypothesis
    alternative : alternative hypothesis
    n_splits : number of splits used
    notes : caveats that belong to the numbers
    posterior : posterior probabilities, for Bayesian methods
    n_fits : number of fits behind the numbers, if it is known
    directed : whether the statistic has the sign of the difference. An F or a chi-square does not.
    components : mapping of str to float
        Parts of the squared standard error by their source, such as ``"seed"`` and
        ``"example"``, for methods that know them.
    learner, minus : str or None
        The learner that the numbers are about, and the one that is subtracted. None if a method
        was called with plain numbers.
    loss : key of the loss or metric, where it is known
    tested : bool
        Whether the test was asked for. For a single learner that is so if `null` or
        `alternative` was given, since every risk is above 0.
    quantity : the estimate in words, if it is neither a loss nor a difference of losses
    """

    method: str
    estimand: Estimand
    n_train: float
    estimate: float
    se: float
    interval: Interval
    level: float
    statistic: float
    df: float | tuple[float, float] | None
    pvalue: float
    null: float
    alternative: str
    n_splits: int
    notes: Notes = ()
    posterior: Mapping[str, float] = field(default_factory=dict)
    n_fits: int | None = None
    directed: bool = True
    components: Mapping[str, float] = field(default_factory=dict)
    learner: str | None = None
    minus: str | None = None
    loss: str | None = None
    tested: bool = True
    quantity: str | None = None

    @property
    def degenerate(self) -> bool:
        """Whether the numbers do not vary, so no interval or test can tell how precise the estimate is."""
        return any(note.code == "no-variation" for note in self.notes)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.interval.high

    def mirrored(self) -> "Result":
        """Return the same statement about the negated quantity."""
        return replace(
            self,
            estimate=0.0 - self.estimate,
            interval=self.interval.mirrored(),
            statistic=0.0 - self.statistic if self.directed else self.statistic,
            null=0.0 - self.null,
            alternative=OPPOSITE[self.alternative],
            posterior={
                name: self.posterior[_OTHER_SIDE.get(name, name)] for name in self.posterior
            },
            learner=self.minus or self.learner,
            minus=self.minus and self.learner,
        )

    def with_notes(self, *notes: Note) -> "Result":
        """Return the result with more notes; one that is there already is kept once."""
        return replace(self, notes=distinct((*self.notes, *notes))) if notes else self

    def to_dict(self) -> Facts:
        """Return plain data for JSON: an unbounded end is None, an infinite statistic ``"inf"`` or ``"-inf"``."""
        found = plain(self, infinite=("statistic",))
        found |= found.pop("interval")
        return found

    def __str__(self) -> str:
        """Return the result as the first screen of a report shows it."""
        return errbar.report.verdict.result_text(self)

    __repr__ = __str__


@dataclass(frozen=True)
class GlobalResult:
    """What a method says about all learners at once: whether any of them differ.

    Attributes
    ----------
    method : key of the method
    estimand : what the learners are compared in
    n_train : training size of the models, NaN where unknown
    statistic : test statistic
    df : degrees of freedom: one number of a chi-square, two of an F
    pvalue : p-value of the hypothesis that no learner differs from another
    level : the test is at 1 - level
    means : what is compared, one number per learner: mean losses or mean ranks
    n_blocks : number of examples, splits or data sets
    learners : names, where they are known
    notes : caveats
    """

    estimand: Estimand
    n_train: float
    statistic: float
    df: float | tuple[float, float]
    pvalue: float
    means: tuple[float, ...]
    n_blocks: int
    method: str = ""
    level: float = 0.95
    learners: tuple[str, ...] = ()
    notes: Notes = ()

    def to_dict(self) -> Facts:
        """Return plain data for JSON; an infinite statistic is ``"inf"``."""
        return plain(self, infinite=("statistic",))

    def __str__(self) -> str:
        """Return statistic, degrees of freedom and p-value on a line."""
        return f"{self.method}: statistic {self.statistic:.6g}, df {self.df}, p = {self.pvalue:.4g}"
