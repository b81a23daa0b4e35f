"""How often each method was right where the truth is known: figures of the project's own simulations."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_type_hints


class Evidence(NamedTuple):
    """Coverage of one method in one simulated setting.

    Attributes
    ----------
    method : Key of the method.
    problem : What was simulated, in words.
    n : Examples per data set.
    target : What should be covered: ``"R"``, ``"ER(n)"``, or ``"ER(n1)"`` at training size n1.
    level : Nominal coverage.
    covered, replicates : Intervals that covered the target, of how many.
    width : Mean width of the intervals.
    """

    method: str
    problem: str
    n: int
    target: str
    level: float
    covered: int
    replicates: int
    width: float

    @property
    def coverage(self) -> float:
        """Share of intervals that covered the target."""
        return self.covered / self.replicates

    def __str__(self) -> str:
        return (
            f"{100 * self.level:g} % intervals covered {self.target} in {100 * self.coverage:.1f} % of {self.replicates} "
            f"data sets of {self.n} ({self.problem}), mean width {self.width:.3g}"
        )


def of(method: str) -> tuple[Evidence, ...]:
    """Return what was measured of a method; nothing where nothing was measured yet.

    Parameters
    ----------
    method : str

    Returns
    -------
    tuple of Evidence

    Examples
    --------
    >>> from errbar.methods import evidence
    >>> all(row.method == "corrected-t" for row in evidence.of("corrected-t"))
    True
    """
    return tuple(row for row in _read() if row.method == method)


@cache
def _read() -> tuple[Evidence, ...]:
    text = Path(__file__).with_name("evidence.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    kinds = get_type_hints(Evidence)
    return tuple(Evidence(**{name: kinds[name](row[name]) for name in kinds}) for row in rows)
