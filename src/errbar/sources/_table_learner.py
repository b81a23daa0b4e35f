"""A learner with what it needs in front of it, to take a table as people have it."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.utils.metaestimators import available_if

from errbar._check import FloatArray, listed
from errbar.errors import InvalidInputError
from errbar.sources._column_kinds import DATE, MOST_CATEGORIES, NAME, PROSE, SAID, TEXT, WORDY, of_kind


def _offers(method: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "fitted_", self.learner), method))


class TableLearner(BaseEstimator):  # type: ignore[misc] # scikit-learn is untyped
    """A learner that takes a data frame as it is, or else numbers made of it.

    Every fit tries, in this order: the learner by itself, with text and dates made into numbers, and with gaps filled, too. The
    first is taken that can be fitted and then predicts an example with a gap in every column of `gaps`. So the choice does not
    depend on which rows a training set happens to have. Many learners convert text such as ``1_0`` to numbers where they can: where
    some text can be converted, one that fails when it cannot is tried by itself last.

    Parameters
    ----------
    learner : estimator
        The learner.
    columns : dict of str to str
        How every column is read; see `LabelledExamples`.
    gaps : sequence of str
        Columns with gaps somewhere.
    convertible : bool
        Whether some text could be converted to a number.
    """

    def __init__(self, learner: Any, columns: Mapping[str, str], gaps: Sequence[str], *, convertible: bool) -> None:
        self.learner, self.columns, self.gaps, self.convertible = learner, columns, gaps, convertible

    def __sklearn_tags__(self) -> Any:
        """Return what the learner says of itself."""
        from sklearn.utils import get_tags

        return get_tags(self.learner)

    @property
    def _estimator_type(self) -> Any:
        return getattr(self.learner, "_estimator_type", None)

    @property
    def classes_(self) -> Any:
        """Classes of the fitted learner."""
        return self.fitted_.classes_

    def fit(self, X: Any, y: Any) -> "TableLearner":
        """Fit the learner with as little in front of it as it needs."""
        failed: Exception | None = None
        probe = X.iloc[:1].copy()
        for name in self.gaps:
            probe[name] = probe[name].where([False])
        for attempt in self._attempts(X, y):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    attempt.fit(X, y)
                    attempt.predict(probe)
                except Exception as error:  # noqa: BLE001 - learners refuse in many ways what they cannot take
                    # A learner alone that takes no text says less than with numbers in its place.
                    failed = error if failed is None or isinstance(attempt, Pipeline) else failed
                    continue
            for one in caught:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            self.fitted_ = attempt
            return self
        assert failed is not None
        if set(self.columns.values()) <= {PROSE, NAME}:
            why = (
                f"{listed(of_kind(self.columns, kind), 8)} ({SAID[kind]})"
                for kind in (PROSE, NAME)
                if of_kind(self.columns, kind)
            )
            raise InvalidInputError(
                f"no feature is left for a learner that takes no text: {'; '.join(why)}"
            ) from failed
        raise failed

    def _takes_text(self, X: Any, y: Any) -> bool:
        """Tell whether the learner by itself takes text that no conversion makes numbers of."""
        worded = [name for name in X if self.columns[name] in (TEXT, WORDY, PROSE)]
        if not self.convertible:
            return True
        marked = {name: X[name].map("text {}".format, na_action="ignore") for name in worded}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                clone(self.learner).fit(X.assign(**marked), y)
            except Exception:  # noqa: BLE001 - learners refuse in many ways what they cannot take
                return False
        return True

    def _attempts(self, X: Any, y: Any) -> Iterator[Any]:
        takes_text = self._takes_text(X, y)
        if takes_text:
            yield clone(self.learner)
        # The commonest values, and one for all others.
        commonest = OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES + 1, sparse_output=False
        )
        steps = {
            TEXT: OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            WORDY: commonest,
            DATE: FunctionTransformer(days),
            PROSE: "drop",
        }
        columns = ColumnTransformer(
            [(kind, step, of_kind(self.columns, kind)) for kind, step in steps.items()], remainder="passthrough"
        )
        yield make_pipeline(columns, clone(self.learner))
        yield make_pipeline(
            clone(columns), SimpleImputer(strategy="median", keep_empty_features=True), clone(self.learner)
        )
        if not takes_text:
            yield clone(self.learner)

    @_offers("predict")  # type: ignore[untyped-decorator] # scikit-learn is untyped
    def predict(self, X: Any) -> Any:
        """Predict labels or numbers."""
        return self.fitted_.predict(X)

    @_offers("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities."""
        return self.fitted_.predict_proba(X)

    @_offers("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return how far examples lie on a side of the boundary."""
        return self.fitted_.decision_function(X)


def days(frame: Any) -> FloatArray:
    """Return dates as days since 1970, NaN where there is none."""
    values = np.asarray(frame.to_numpy(dtype="datetime64[us]"))
    found = (values - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    return np.where(np.isnat(values), np.nan, found)
