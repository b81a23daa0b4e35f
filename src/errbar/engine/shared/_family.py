"""What a family of shared fits is, and how its predictions are laid out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.engine.predictions import form
from errbar.engine.shared import _guards
from errbar.engine.shared._guards import Rules
from errbar.losses import DECISION, LABEL, PROBABILITY, Target

Array = NDArray[Any]
Positions = Sequence[NDArray[Any]]
Answer = Callable[[Array, Array], Mapping[str, Array] | None]
"""From the positions of training and test examples to predictions by kind; None where refitting is safer."""

# To what shared and refitted predictions agree, relative to their size.
TOLERANCE = 1e-8
# A class whose score is so far behind has no probability that can be seen.
_FAR = 25.0


@dataclass(frozen=True, eq=False)
class Case:
    """What is to be computed: predictions of some kinds by a learner, not fitted, from splits of some data."""

    estimator: Any
    X: Array
    target: Target
    kinds: tuple[str, ...]

    @cached_property
    def _parts(self) -> tuple[Any, bool]:
        return _guards.learner(self.estimator)

    @property
    def learner(self) -> Any:
        """The learner itself, without what stands before it."""
        return self._parts[0]

    @property
    def scaled(self) -> bool:
        """Whether features are standardized before the learner."""
        return self._parts[1]


class SharedPredictions(NamedTuple):
    """Predictions by kind, all splits one after another; the splits to be refitted; and whether a check failed."""

    values: dict[str, Array]
    undone: Collection[int]
    refused: bool = False


class Supported(NamedTuple):
    """A class of scikit-learn that a family reproduces: rules for its parameters, and what it predicts."""

    rules: Rules
    kinds: frozenset[str]
    classifier: bool = True


class Family:
    """Learners whose fits on many training sets of one data set share most of their work.

    Attributes
    ----------
    name : str
        Name of the family.
    learners : mapping of str to Supported
        By the names of their classes; each also after `StandardScaler`.
    checked : bool
        Whether a few splits are refitted to see that predictions are the same.
    """

    name: ClassVar[str]
    learners: ClassVar[Mapping[str, Supported]] = {}
    checked: ClassVar[bool] = True

    def supports(self, case: Case) -> bool:
        """Tell whether the predictions would be those of refitting: exact class, parameters and data."""
        known = self.learners.get(_guards.kind_of(case.learner))
        return (
            known is not None
            and known.classifier == (case.target.classes is not None)
            and known.kinds.issuperset(case.kinds)
            and _guards.within(case.learner, known.rules)
            and _guards.numeric(case.X, case.target)
            and self.suits(case)
        )

    def suits(self, case: Case) -> bool:  # noqa: ARG002 - for those that ask for more
        """Tell whether parameters and data, each allowed by itself, also go together."""
        return True

    def prepared(self, case: Case) -> Answer:
        """Do once what all splits have in common; return the function that answers for one split."""
        raise NotImplementedError

    def predict(self, case: Case, trains: Positions, tests: Positions) -> SharedPredictions:
        """Return the predictions of all splits; what stands in the places of undone splits means nothing."""
        answer = self.prepared(case)
        values, undone, begin = empty(case, tests), [], 0
        for j, (train, test) in enumerate(zip(trains, tests, strict=True)):
            found, end = answer(train, test), begin + len(test)
            if found is None or not all(np.isfinite(found[kind]).all() for kind in case.kinds):
                undone.append(j)
            else:
                for kind in case.kinds:
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


def empty(case: Case, tests: Positions) -> dict[str, Array]:
    """Return predictions of which nothing is filled in yet."""
    count = sum(len(test) for test in tests)
    return {kind: np.zeros(*form(kind, case.target, count)) for kind in case.kinds}


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
