"""What a family of shared fits is, and how its predictions are laid out."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from errbar.engine.predictions import form, predicted
from errbar.engine.shared import _guards
from errbar.engine.shared._guards import Rules
from errbar.losses import DECISION, LABEL, PROBABILITY, RESPONSES, Target

Array = NDArray[Any]
Positions = Sequence[NDArray[Any]]

# To what shared and refitted predictions agree, relative to their size.
TOLERANCE = 1e-8
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

    @property
    def scaled(self) -> bool:
        """Whether features are standardized before the learner."""
        return self.learner is not self.estimator


class SharedPredictions(NamedTuple):
    """Predictions by kind, all splits one after another; the splits to be refitted; and whether a check failed."""

    values: dict[str, Array]
    undone: Collection[int]
    refused: bool = False


class Family:
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
    checked : bool
        Whether a few splits are refitted to see that predictions are the same.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    learners: ClassVar[Mapping[str, Rules]] = {}
    checked: ClassVar[bool] = True

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
        """Return the predictions of all splits; what stands in the places of undone splits means nothing."""
        kinds = self.problem.kinds
        values, undone, begin = self.empty(tests), [], 0
        for j, (train, test) in enumerate(zip(trains, tests, strict=True)):
            found, end = self.answer(train, test), begin + len(test)
            if found is None or not all(np.isfinite(found[kind]).all() for kind in kinds):
                undone.append(j)
            else:
                for kind in kinds:
                    values[kind][begin:end] = found[kind]
            begin = end
        return SharedPredictions(values, undone)

    def clear(self, fitted: Any, examples: Array) -> NDArray[np.bool_]:
        """Tell for which examples a fitted learner's answer hangs on no tie that rounding may decide."""
        decide = getattr(fitted, "decision_function", None) or getattr(fitted, "predict_proba", None)
        scores = np.zeros((len(examples), 1)) if decide is None else np.asarray(decide(examples), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores / 2, scores / 2])
        if scores.shape[1] == 1:
            return np.ones(scores.shape[0], dtype=bool)
        best = np.partition(scores, -2, axis=1)[:, -2:]
        ahead: NDArray[np.bool_] = best[:, 1] - best[:, 0] > 1e-7 * (1 + np.abs(best).max(axis=1))
        return ahead

    def empty(self, tests: Positions) -> dict[str, Array]:
        """Return predictions of which nothing is filled in yet."""
        count = sum(len(test) for test in tests)
        return {kind: np.zeros(*form(kind, self.target, count)) for kind in self.problem.kinds}

    def agrees(
        self, trains: Positions, tests: Positions, found: SharedPredictions, rng: Generator, *, splits: int = 3
    ) -> bool:
        """Refit on a few splits drawn at random, and tell whether the shared predictions are the same.

        Numbers must agree to 1e-8, and labels wherever they do not hang on a tie.

        Parameters
        ----------
        trains, tests : sequence of ndarray of int
            Positions of the training and of the test examples, an array of each per split.
        found : SharedPredictions
            Shared predictions.
        rng : numpy.random.Generator
            Draws the splits among those that were done.
        splits : int, default 3
            How many splits to refit.

        Returns
        -------
        bool
            Whether everything agrees.
        """
        done = [j for j in range(len(tests)) if j not in found.undone and len(tests[j])]
        ends = np.cumsum([len(test) for test in tests])
        for j in rng.permutation(len(done))[:splits].tolist():
            split = done[j]
            part = slice(ends[split] - len(tests[split]), ends[split])
            own = {kind: found.values[kind][part] for kind in self.problem.kinds}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if not self._split_agrees(trains[split], tests[split], own):
                        return False
            except Exception:  # noqa: BLE001 - a learner that refuses what was shared does not agree
                return False
        return True

    def _split_agrees(self, train: Array, test: Array, own: Mapping[str, Array]) -> bool:
        problem, target, examples = self.problem, self.target, self.problem.X[test]
        fitted = clone(problem.estimator).fit(problem.X[train], target.original(target.values[train]))
        answers = predicted(fitted, examples, target, problem.kinds)
        # Probabilities, and the scores of a classifier, are of order one.
        usual = float(np.sqrt(np.mean(target.values[train] ** 2))) if target.classes is None else 1.0
        for kind, found in own.items():
            answer = answers[kind]
            if answer.shape != found.shape:
                return False
            labels = kind == LABEL and target.classes is not None
            same = answer == found if labels else _close(found, answer, usual)
            if not same.all() and not (same | ~self.clear(fitted, examples)).all():
                return False
        return True


def _close(found: Array, answer: Array, usual: float) -> NDArray[np.bool_]:
    """Tell which rows agree to `TOLERANCE`, relative to their own size or to the usual size of an answer."""
    apart = np.abs(found - answer) > TOLERANCE * np.maximum(np.abs(answer), usual)
    same: NDArray[np.bool_] = ~apart.reshape(len(apart), -1).any(axis=1)
    return same


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


def uncertain(scores: Array, error: Array) -> bool:
    """Tell whether errors of such a size in the scores could be seen: in a score, or in a probability."""
    error = np.where(np.isfinite(scores), error, 0.0)
    sizes = np.abs(scores[:, 1:] - scores[:, :1]) if scores.shape[1] == 2 else np.abs(scores)
    if (error > TOLERANCE * np.maximum(sizes, 1.0)).any():
        return True
    if (error <= TOLERANCE).all():
        return False
    columns = np.argpartition(scores, -2, axis=1)[:, -2:]
    best, errors = (np.take_along_axis(part, columns, axis=1) for part in (scores, error))
    return bool(((errors.max(axis=1) > TOLERANCE) & (best[:, 1] - best[:, 0] < _FAR)).any())
