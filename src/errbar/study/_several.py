"""Comparisons that belong together: one for each loss, or for each question, of one run."""

from pathlib import Path
from typing import Any, SupportsIndex, overload

from errbar import _check, report
from errbar.errors import InvalidInputError
from errbar.metrics import same
from errbar.study._answers import Comparison

UNDEFINED = "an undefined metric"
"""Why a learner may be left out of one comparison of several."""


class Comparisons(tuple[Comparison, ...]):
    """Several comparisons of one run, such as one for each loss; they show themselves as one report.

    A comparison is found by its position, or by the key of its loss. P-values are adjusted for the pairs of a comparison,
    and not for several losses.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}
    >>> found = errbar.compare(learners, X, y, loss=["f1", "roc_auc"], random_state=0)
    >>> found.losses
    ('f1', 'roc_auc')
    >>> found["roc_auc"].pairs[0].result.estimate > 0.02
    True
    """

    __slots__ = ()

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Comparison: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Comparison, ...]: ...
    def __getitem__(self, which: Any) -> Any:
        """Return the comparison at a position, or the first of a loss."""
        if not isinstance(which, str):
            return super().__getitem__(which)
        for one in self:
            if same(which, one.table.loss.key):
                return one
        raise InvalidInputError(
            f"there is no comparison of the loss {which!r}; there are {', '.join(map(repr, self.losses))}"
        )

    @property
    def losses(self) -> tuple[str, ...]:
        """Keys of the losses, each once."""
        return tuple(dict.fromkeys(one.table.loss.key for one in self))

    def __repr__(self) -> str:
        """Return all comparisons on lines of their own."""
        return "\n".join(repr(one) for one in self)

    def __str__(self) -> str:
        """Return the reports, one below the other."""
        return report.text(self, color=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: those of each comparison under ``comparisons``."""
        return {"comparisons": [one.to_dict() for one in self]}

    def to_frame(self) -> Any:
        """Return a pandas frame of the pairs of all comparisons, with a column ``loss``."""
        pandas = _check.package("pandas", "app")
        return pandas.concat(
            [one.to_frame().assign(loss=one.table.loss.key, method=one.method) for one in self],
            ignore_index=True,
        )

    def save(self, path: str | Path) -> Path:
        """Write one report of all; see `Comparison.save`."""
        return report.save(self, path)

    def _repr_html_(self) -> str:
        """Return the reports for notebooks."""
        return report.fragment(self)
