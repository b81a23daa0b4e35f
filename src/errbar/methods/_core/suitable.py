"""Which methods fit a table, and why the others do not."""

from dataclasses import dataclass
from typing import Any

from errbar.errors import InvalidInputError
from errbar.methods._core.infer import settle
from errbar.methods._core.registry import Method, catalogue
from errbar.table import LossTable

_FEW = 50


@dataclass(frozen=True)
class Suitability:
    """Whether one method fits a table.

    Attributes
    ----------
    key : str
        Key of the method.
    suitable : bool
        Whether it can be applied.
    reason : str
        What it estimates, or why it cannot be applied.
    naive : bool
        Whether it ignores the correlation between splits and serves for contrast only.
    """

    key: str
    suitable: bool
    reason: str
    naive: bool = False

    def __str__(self) -> str:
        """Return key and reason on one line."""
        return f"{self.key}: {'yes' if self.suitable else 'no'}, {self.reason}"


def suitable(table: LossTable) -> tuple[Suitability, ...]:
    """Say of every method of the catalogue whether it fits a table, and why the others do not.

    Every method is really asked, on the first learner or the first two, so what is said here is what happens.

    Parameters
    ----------
    table : LossTable
        From `errbar.run`, or from your own numbers.

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
    found = [_judged(spec, table) for spec in catalogue().values()]
    return tuple(sorted(found, key=lambda one: (not one.suitable, one.naive, one.key)))


def _judged(spec: Method, table: LossTable) -> Suitability:
    try:
        _ask(spec, table)
    except InvalidInputError as error:
        return Suitability(spec.key, suitable=False, reason=str(error), naive=spec.naive)
    return Suitability(spec.key, suitable=True, reason=spec.claim, naive=spec.naive)


def _ask(spec: Method, table: LossTable) -> Any:
    names = table.learners
    if spec.subject in ("pair", "all") and len(names) < 2:
        raise InvalidInputError(f"method {spec.key!r} compares learners, and there is one only")
    settled = settle(spec, table)
    few: dict[str, Any] = {name: _FEW for name in ("resamples",) if name in spec.options}
    if spec.subject == "all":
        return settled.of_all()
    return settled.result(names[0], names[1] if spec.subject == "pair" else None, **few)
