"""What the few methods take that take no losses: counts, ranks, bootstrap samples, and all learners at once."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from errbar import _check
from errbar._check import MOST_EXAMPLES, Facts, FloatArray
from errbar._plain import record
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.plans._base import NO_LABEL

if TYPE_CHECKING:
    from errbar.table import LossTable


@dataclass(frozen=True)
class Discordance:
    """On how many examples just one of two models errs.

    Parameters
    ----------
    b, c, both : int
        Examples on which only the first model is wrong, only the second, and (optional) both.
    n : int, optional
        Number of test examples. Without it, differences are shares of the b + c discordant ones.
    n_train : float, optional

    Examples
    --------
    >>> import errbar
    >>> errbar.Discordance(25, 15, n=10000).difference
    0.001
    """

    b: int
    c: int
    n: int | None = None
    both: int | None = None
    n_train: float = math.nan

    def __post_init__(self) -> None:
        for name in ("b", "c", "both", "n"):
            if getattr(self, name) is not None:
                _check.count(getattr(self, name), name, 0, MOST_EXAMPLES)
        least = max(1, self.b + self.c + (self.both or 0))
        enough = self.n is None or self.n >= least
        _check.require(enough, f"must be at least b + c + both, {least}", self.n, "n")

    @property
    def size(self) -> int:
        """Number of examples that differences are shares of: n, or b + c where n is unknown; at least 1."""
        return self.n or max(1, self.b + self.c)

    @property
    def difference(self) -> float:
        """Error rate of the first minus that of the second, (b - c)/n."""
        return (self.b - self.c) / self.size

    @property
    def se(self) -> float:
        """Standard error of the difference."""
        squares = self.b + self.c - (self.b - self.c) ** 2 / self.size
        return math.sqrt(max(0.0, squares)) / self.size

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Count the errors of two learners."""
        first, second = _errors(losses)
        counts = np.bincount(2 * first + second, minlength=4).tolist()
        return cls(counts[2], counts[1], first.size, counts[3], losses.n_train)


@dataclass(frozen=True)
class TwoSamples:
    """Error rates of two models on different test examples.

    Parameters
    ----------
    error_1, n_1, error_2, n_2 : float, int, float, int
        Error rates, in [0, 1], and numbers of test examples.
    n_train : float, optional
    same_examples : bool, default False
        Whether the examples are the same in truth, so that the test neglects what they have in
        common.

    Examples
    --------
    >>> import errbar
    >>> errbar.TwoSamples(0.3, 100, 0.2, 100).n_1
    100
    """

    error_1: float
    n_1: int
    error_2: float
    n_2: int
    n_train: float = math.nan
    same_examples: bool = False

    def __post_init__(self) -> None:
        for place in ("1", "2"):
            error, n = f"error_{place}", f"n_{place}"
            _check.between(getattr(self, error), 0.0, 1.0, error)
            _check.count(getattr(self, n), n, 1, MOST_EXAMPLES)

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Count the errors of two learners."""
        first, second = _errors(losses)
        n = first.size
        return cls(first.mean(), n, second.mean(), n, losses.n_train, same_examples=True)


def _errors(losses: Losses) -> tuple[Any, Any]:
    """Return on which examples each of two learners errs."""
    if losses.pair is None or "example" not in losses.index:
        raise InvalidInputError(
            "one loss per example of each of two learners is needed, to see on which examples just one of them errs"
        )
    # 1 for each right answer is kept as -1, so that larger is worse, and an error is then 0.
    scores = losses.table is not None and losses.table.loss.higher_is_better
    points = np.array([one.value + scores for one in losses.pair])
    require_zero_one(points)
    first, second = points == 1.0
    return first, second


def require_zero_one(value: FloatArray) -> None:
    """Raise unless all losses are 0 or 1."""
    odd = value[(value != 0.0) & (value != 1.0)]
    must = "must hold losses that are 0 or 1, as those of loss='zero-one'"
    _check.require(not odd.size, must, odd[:1].tolist(), "value")


@record
class RankScores:
    """Scores of one model, or of two, on test examples of two classes.

    Parameters
    ----------
    truth : array-like, shape (n,)
        Whether each example is of the positive class: True and False, or 1 and 0. Both must occur.
    value : array-like, shape (n,)
        Scores of the model: the larger, the more it takes the example for positive.
    minus : array-like, shape (n,), optional
        Scores of the model that is subtracted.
    n_train : float, optional

    Examples
    --------
    >>> import errbar
    >>> errbar.RankScores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.4, 0.7]).truth.tolist()
    [False, True, False, True]
    """

    truth: Any  # array-like as given, then bool of shape (n,)
    value: Any  # shape (n,)
    minus: Any = None  # shape (n,)
    _: KW_ONLY
    n_train: float = math.nan

    def __post_init__(self) -> None:
        truth = _check.vector(self.truth, "truth", "example", 2)
        both = set(truth.tolist()) == {0.0, 1.0}
        _check.require(both, "must hold 0 and 1 (or False and True), both", self.truth, "truth")
        vars(self)["truth"] = truth == 1.0
        for name in ["value"] if self.minus is None else ["value", "minus"]:
            scores = _check.vector(getattr(self, name), name, "example")
            must = f"must hold one score per example, {truth.size}"
            _check.require(scores.size == truth.size, must, scores, name)
            vars(self)[name] = scores

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Take the scores from the predictions of the table that losses come from."""
        if losses.is_blank:
            return cls([0, 1, 0, 1], *[np.arange(4.0) for _ in losses.each])
        table: Any = losses.table
        if table is None or table.loss.key != "roc_auc" or not table.predictions:
            raise InvalidInputError(
                "the scores of a run are needed, for the area under the ROC curve; use loss='roc_auc'"
            )
        truth = table.target.values[table.cells.example]
        samples = [
            table.loss.sample(table.target, truth, table.predictions[table.position(name)])
            for name in losses.learners
        ]
        scores = [sample.score for sample in samples]
        return cls(samples[0].is_positive, *scores, n_train=losses.n_train)


@record
class OutOfBag:
    """Losses of models trained on bootstrap samples, on the examples that each sample lacks.

    Parameters
    ----------
    value : array-like, shape (C,)
    sample, example : array-like of int, shape (C,)
        Bootstrap sample, 0 to B - 1, and example, 0 to n - 1, that each loss belongs to.
    counts : array-like of int, shape (n, B)
        How often each sample holds each example.
    training_error, no_information : float, optional
        Mean loss of the model fitted on all examples, on these and over all pairs of a prediction
        with a target.
    minus : OutOfBag, optional
        The learner that is subtracted, on the same samples.

    Examples
    --------
    >>> import errbar
    >>> losses = errbar.OutOfBag([0.4, 0.1, 0.3], [0, 1, 1], [2, 0, 1], [[2, 0], [1, 0], [0, 3]])
    >>> losses.n, losses.samples
    (3, 2)
    """

    value: Any  # array-like as given, then of shape (C,)
    sample: Any  # shape (C,)
    example: Any  # shape (C,)
    counts: Any  # shape (n, B)
    training_error: float | None = None
    no_information: float | None = None
    minus: "OutOfBag | None" = None

    def __post_init__(self) -> None:
        value = _check.vector(self.value, "value", "loss", 2)
        sample, example = (
            _check.labels(getattr(self, name), value.size, name) for name in ("sample", "example")
        )
        counts = np.asarray(self.counts)
        whole = counts.ndim == 2 and min(counts.shape) >= 2 and counts.dtype.kind in "iub"
        must = "must hold whole numbers, a row per example (at least 2) and a column per bootstrap sample (at least 2)"
        _check.require(whole and counts.min() >= 0, must, self.counts, "counts")
        lacking = np.argwhere(counts == 0)  # (C, 2), by example and sample
        given = np.column_stack([example, sample])[np.lexsort((sample, example))]
        must = f"must hold one loss for every example that a bootstrap sample lacks, {len(lacking)} in all"
        _check.require(np.array_equal(given, lacking), must, self.value, "value")
        if self.minus is not None:
            theirs = self.minus.example, self.minus.sample
            must = "must hold losses on the same samples and examples"
            _check.require(np.array_equal(theirs, (example, sample)), must, self.minus, "minus")
        for name in ("training_error", "no_information"):
            if getattr(self, name) is not None:
                _check.finite(getattr(self, name), name)
        counts = counts.astype(np.min_scalar_type(int(counts.max())))
        vars(self).update(value=value, sample=sample, example=example, counts=counts)

    @property
    def n(self) -> int:
        """Number of examples."""
        return int(self.counts.shape[0])

    @property
    def samples(self) -> int:
        """Number of bootstrap samples B."""
        return int(self.counts.shape[1])

    @classmethod
    def of(cls, losses: Losses) -> Self:
        """Take the losses of a run with plan Bootstrap."""
        table: Any = losses.table
        if table is None or table.splits.drawn is None:
            raise InvalidInputError(
                "it must be known which examples each bootstrap sample holds: use a table made by a run with plan Bootstrap()"
            )
        whole = table.splits.labels["resubstitution"] != NO_LABEL
        bags, fitted = table.select(~whole), table.select(whole) if whole.any() else None
        drawn = [np.bincount(split.train, minlength=table.splits.n) for split in bags.splits.drawn]
        cells, counts = bags.cells, np.stack(drawn, axis=1)
        found: Any = None
        for name in reversed(losses.learners):
            told: Facts = {}
            if fitted is not None:
                position = table.position(name)
                told["training_error"] = float(fitted.scores[position][0])
                if fitted.blank:
                    told["no_information"] = 0.0
                elif fitted.predictions is not None:
                    truth, predicted = (
                        fitted.target.values[fitted.cells.example],
                        fitted.predictions,
                    )
                    told["no_information"] = table.loss.no_information(truth, predicted[position])
            value = bags.losses(name).value
            found = cls(value, cells.split, cells.example, counts, minus=found, **told)
        return found


@record
class Blocks:
    """One number per block and learner, where a block is an example, a split or a data set.

    Parameters
    ----------
    value : array-like, shape (blocks, learners)
        Losses: larger is worse.
    n_train : float, optional
    kind : str, optional
        Kind of plan that the blocks come from, such as ``"bootstrap"``, where it is known.

    Examples
    --------
    >>> import errbar
    >>> errbar.Blocks([[0, 1, 0], [1, 1, 0]]).value.shape
    (2, 3)
    """

    value: Any  # array-like as given, then of shape (blocks, learners)
    n_train: float = math.nan
    kind: str | None = None

    def __post_init__(self) -> None:
        value = _check.numbers(self.value, "value", "block and learner")
        must = "must have at least 2 rows, one per block, and 2 columns, one per learner"
        _check.require(value.ndim == 2 and min(value.shape) >= 2, must, value, "value")
        vars(self)["value"] = value

    @classmethod
    def of(cls, table: "LossTable", *, pointwise: bool = False) -> "Blocks":
        """Make the view from the table of one plan: a block is a split, or where `pointwise`, a test example."""
        table.require_matched("a test of all learners at once")
        own = table.select(table.splits.labels["resubstitution"] == NO_LABEL)
        value = own.points if pointwise else own.scores
        if value is None:
            raise InvalidInputError(
                "one loss per example is needed, and the table has one score per split only"
            )
        return cls(value.T, float(own.splits.n_train.mean()), own.splits.kinds[0])
