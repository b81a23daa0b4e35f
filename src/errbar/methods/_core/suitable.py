"""Which methods fit a table, and why the others do not."""

from typing import NamedTuple

from errbar._check import Facts
from errbar.errors import InvalidInputError
from errbar.methods._core.infer import settle
from errbar.methods._core.registry import catalogue
from errbar.table import LossTable

_FEW: Facts = {"resamples": 50}


class Suitability(NamedTuple):
    """Whether one method fits a table.

    Attributes
    ----------
    key : Key of the method.
    suitable : Whether it can be applied.
    reason : What it estimates, or why it cannot be applied.
    naive : Whether it ignores the correlation between splits and serves for contrast only.
    """

    key: str
    suitable: bool
    reason: str
    naive: bool


def suitable(table: LossTable) -> tuple[Suitability, ...]:
    """Say of every method of the catalogue whether it fits a table, and why the others do not.

    Every method is really asked, on the first learner or the first two.

    Parameters
    ----------
    table : LossTable

    Returns
    -------
    tuple of Suitability
        One entry per method, those that fit first.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"tree": [0.31, 0.28, 0.35], "1-NN": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> [found.key for found in errbar.methods.suitable(table) if found.suitable and not found.naive]
    ['bayes-correlated-t', 'corrected-t']
    """
    found = []
    for method in catalogue().values():
        reason = None
        try:
            if method.subject in ("pair", "all") and len(table.learners) < 2:
                raise InvalidInputError(f"method {method.key!r} compares learners, and here is one")
            if method.subject == "all":
                settle(method, table).of_all()
            else:
                names = table.learners[: 1 + (method.subject == "pair")]
                settled = settle(method, table.common(*names))
                settled.result(*names, **(_FEW if "resamples" in method.options else {}))
        except InvalidInputError as error:
            reason = str(error)
        fits = reason is None
        found.append(Suitability(method.key, fits, reason or method.claim, method.naive))
    return tuple(sorted(found, key=lambda one: (not one.suitable, one.naive, one.key)))
