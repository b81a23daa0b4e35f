"""What a family of shared fits is, and how its predictions are laid out."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import parallel_config
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from errbar.fits.predictions import form, predicted
from errbar.fits.shared import _guards
from errbar.fits.shared._guards import Rules
from errbar.metrics import DECISION, LABEL, PROBABILITY, RESPONSES, Target

Array = NDArray[Any]
Positions = Sequence[NDArray[Any]]

# To what shared and refitted predictions agree, relative to their size.
TOLERANCE = 1e-8
# Test examples of a split that is refitted as a check.
_MOST_CHECKED = 64
# A class whose score is so far behind has no probability that can be seen.
_FAR = 25.0


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """What is to be computed: predictions of some kinds by a learner, not fitted, from splits of some data."""

    estimator: Any
    X: Array
    target: Target
    kinds: tuple[str, ...]

    @cached_property
    def learner(self) -> Any:
        """The learner itself, without what stands before it."""
        return _guards.learner(self.estimator)

    @cached_property
    def table(self) -> Array:
        """The features as numbers in a layout of their own, whatever form they come in: sums hang on it."""
        return np.array(self.X, dtype=np.float64, order="C")

    @property
    def scaled(self) -> bool:
        """Whether features are standardized before the learner."""
        return self.learner is not self.estimator


class SharedPredictions(NamedTuple):
    """Predictions by kind, all splits one after another; the splits to be refitted; and whether a check failed."""

    values: dict[str, Array]
    undone: Collection[int]
    refused: bool = False


class LearnerFamily:
    """Learners whose fits on many training sets of one data set share most of their work.

    An object has done for one problem what all its splits have in common.

    Parameters
    ----------
    problem : LearningProblem
        One that the family supports.

    Attributes
    ----------
    name : str
        Name of the family.
    learners : mapping of str to mapping
        By the names of their classes of scikit-learn, rules for their parameters; each also after `StandardScaler`.
    version : int
        Raised whenever numbers of the family change: it is part of what names a fit that is kept.
    checked : bool
        Whether a few splits are refitted to see that predictions are the same.
    random : bool
        Whether learners may draw random numbers.
    labels_from_probabilities : bool
        Whether the label is by definition that of the largest probability.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    learners: ClassVar[Mapping[str, Rules]] = {}
    checked: ClassVar[bool] = True
    random: ClassVar[bool] = False
    labels_from_probabilities = False

    def __init__(self, problem: LearningProblem) -> None:
        self.problem, self.learner, self.target = problem, problem.learner, problem.target

    @classmethod
    def supports(cls, problem: LearningProblem) -> bool:
        """Tell whether the predictions would be those of refitting: exact class, parameters and data."""
        rules = cls.learners.get(_guards.kind_of(problem.learner))
        return (
            rules is not None
            and is_classifier(problem.learner) == (problem.target.classes is not None)
            and all(hasattr(problem.learner, RESPONSES[kind]) for kind in problem.kinds)
            and _guards.within(problem.learner, rules)
            and _guards.numeric(problem.X, problem.target)
            and cls.suits(problem)
        )

    @classmethod
    def suits(cls, problem: LearningProblem) -> bool:  # noqa: ARG003 - for those that ask for more
        """Tell whether parameters and data, each allowed by itself, also go together."""
        return True

    def answer(self, train: Array, test: Array) -> Mapping[str, Array] | None:
        """Return predictions by kind for one split, from positions of its examples; None where refitting is safer."""
        raise NotImplementedError

    def predict(self, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits; what stands in the places of undone splits means nothing.

        Those of a split hang on its training set alone, to the last bit.
        """
        kinds = self.problem.kinds
        values, undone, begin = self.empty(tests), [], 0
        for j, (train, test) in enumerate(zip(trains, tests, strict=True)):
            found, end = self._safe_answer(train, test), begin + len(test)
            if found is None or not all(np.isfinite(found[kind]).all() for kind in kinds):
                undone.append(j)
            else:
                for kind in kinds:
                    values[kind][begin:end] = found[kind]
            begin = end
        return SharedPredictions(values, undone)

    def _safe_answer(self, train: Array, test: Array) -> Mapping[str, Array] | None:
        try:
            return self.answer(train, test)
        except Exception:  # noqa: BLE001 - a split that cannot be done takes no other along
            return None

    def empty(self, tests: Positions) -> dict[str, Array]:
        """Return predictions of which nothing is filled in yet."""
        count = sum(len(test) for test in tests)
        return {kind: np.zeros(*form(kind, self.target, count)) for kind in self.problem.kinds}

    def refitted(self, train: Array, test: Array) -> dict[str, Array] | None:
        """Return what scikit-learn itself answers for one split, or None if it cannot."""
        problem, target = self.problem, self.target
        try:
            with warnings.catch_warnings(), parallel_config(backend="sequential"):
                warnings.simplefilter("ignore")
                fitted = clone(problem.estimator).fit(
                    problem.X[train], target.original(target.values[train])
                )
                one_for_both, kinds = self.labels_from_probabilities, problem.kinds
                return predicted(
                    fitted, problem.X[test], target, kinds, labels_from_probabilities=one_for_both
                )
        except Exception:  # noqa: BLE001 - whatever it says, it says again where the split is refitted
            return None

    def agrees(self, rng: Generator) -> bool:
        """Refit on three splits drawn at random, and tell whether the shared predictions are the same.

        Numbers must agree to 1e-8, and labels altogether. The splits are drawn for this: which ones a run asks for, or
        still asks for, changes nothing.

        Parameters
        ----------
        rng : numpy.random.Generator
            Draws training sets of nine tenths of the examples, of fewer, and of as many with replacement.

        Returns
        -------
        bool
            Whether everything agrees in those of the splits that are done.
        """
        n = self.problem.X.shape[0]
        orders: list[Array] = [rng.permutation(n) for _ in range(2)]
        sizes = [
            int(np.ceil(0.9 * n)),
            int(rng.integers(max(n // 10, 1), n - n // 10, endpoint=True)),
        ]
        trains: list[Array] = [order[:size] for order, size in zip(orders, sizes, strict=True)]
        trains.append(rng.integers(n, size=(n,)))
        tests = [
            order[-(min(n // 10, _MOST_CHECKED - 1) + 1) :]
            for order in [*orders, rng.permutation(n)]
        ]
        values, undone, _ = self.predict(trains, tests)
        ends = np.cumsum([len(test) for test in tests])
        return all(
            self._same(
                train, test, {kind: found[end - len(test) : end] for kind, found in values.items()}
            )
            for j, (train, test, end) in enumerate(zip(trains, tests, ends, strict=True))
            if j not in undone
        )

    def _same(self, train: Array, test: Array, own: Mapping[str, Array]) -> bool:
        target, answers = self.target, self.refitted(train, test)
        # Probabilities, and the scores of a classifier, are of order one.
        usual = (
            float(np.sqrt(np.mean(target.values[train] ** 2))) if target.classes is None else 1.0
        )
        return answers is not None and all(
            answers[kind].shape == found.shape
            and bool(
                (
                    answers[kind] == found
                    if found.dtype.kind == "u"
                    else _close(found, answers[kind], usual)
                ).all()
            )
            for kind, found in own.items()
        )


def _close(found: Array, answer: Array, usual: float) -> NDArray[np.bool_]:
    """Tell what agrees to `TOLERANCE`, relative to its own size or to the usual size of an answer."""
    same: NDArray[np.bool_] = np.abs(found - answer) <= TOLERANCE * np.maximum(
        np.abs(answer), usual
    )
    return same


def rowwise(points: Array, slopes: Array) -> Array:
    """Return the product of two matrices, row by row: one product would round a row as the number of rows has it."""
    found: Array = np.matmul(points[:, None, :], slopes)[:, 0]
    return found


def from_scores(scores: Array, kinds: tuple[str, ...]) -> dict[str, Array]:
    """Return the responses of a classifier that has a score for each class, a column each.

    Probabilities are proportional to the exponentials of scores. A class that the training set lacks has the score
    minus infinity.
    """
    found = {LABEL: scores.argmax(axis=1)}
    if PROBABILITY in kinds:
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        found[PROBABILITY] = raised / raised.sum(axis=1, keepdims=True)
    if DECISION in kinds:
        found[DECISION] = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
    return found


def ahead(scores: Array) -> Array:
    """Return how far the best class is ahead of the second."""
    best = scores if scores.shape[1] == 2 else np.partition(scores, -2, axis=1)[:, -2:]
    found: Array = np.abs(best[:, 1] - best[:, 0])
    return found


def uncertain(scores: Array, error: Array) -> bool:
    """Tell whether errors of such a size in the scores could be seen: in a score, in a probability or in the label."""
    leads = ahead(scores)
    largest = error.max(initial=0.0)
    if largest <= TOLERANCE:
        return bool((leads <= 2 * largest + TOLERANCE).any())
    known = np.isfinite(scores)
    error = np.where(known, error, 0.0)
    sizes = leads[:, None] if scores.shape[1] == 2 else np.where(known, np.abs(scores), 0.0)
    worst = error.max(axis=1)
    seen = (leads <= 2 * worst + TOLERANCE) | ((worst > TOLERANCE) & (leads < _FAR))
    return bool(seen.any() or (error > TOLERANCE * np.maximum(sizes, 1.0)).any())
