"""What every study gives: tables for people, plain data for programs, rows for a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class StudyTable:
    """A table for people; all cells are text.

    Attributes
    ----------
    key : str
        Short name, for anchors.
    caption : str
        What it shows.
    headers : tuple of str
        Heads of the columns.
    rows : tuple of tuple of str
        As many cells each as there are heads; the first names the row.
    remark : str
        How to read it.
    optional : tuple of str
        Heads of the columns that may be left out for want of room.
    """

    key: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""
    optional: tuple[str, ...] = ()


class Study(Protocol):
    """A finished study."""

    @property
    def title(self) -> str:
        """What was studied."""

    @property
    def settings(self) -> Mapping[str, str]:
        """What was done, by name: data, replicates, seed and so on, in words."""

    def tables(self) -> tuple[StudyTable, ...]:
        """Return the tables."""

    def conclusion(self) -> tuple[str, ...]:
        """Return what follows, in sentences."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the raw summary, one flat row per line of a CSV file."""


def percent(value: float, digits: int = 1) -> str:
    """Return a share as a percentage, without the sign."""
    return f"{100.0 * value:.{digits}f}"


def share(value: float, low: float, high: float) -> str:
    """Return a share with its interval, in percent."""
    return f"{percent(value)} [{percent(low)}, {percent(high)}]"
