"""The literature that methods cite, by key."""

from pathlib import Path
from typing import NamedTuple

_BIBLIOGRAPHY = Path(__file__).with_name("references.txt").read_text("utf-8")


class Reference(NamedTuple):
    """One publication; `work` is its title and where it appeared."""

    authors: str
    year: int
    work: str

    def __str__(self) -> str:
        """Return the citation on one line."""
        return f"{self.authors} ({self.year}). {self.work}"


def _read(entry: str) -> tuple[str, Reference]:
    """Return a citation with its key: the family name of the first author, and the year."""
    authors, _, rest = " ".join(entry.split()).partition(" (")
    year, _, work = rest.partition("). ")
    return authors.partition(",")[0].lower() + year, Reference(authors, int(year), work)


# An entry goes on where a line is indented.
REFERENCES = dict(_read(entry) for entry in _BIBLIOGRAPHY.strip().replace("\n ", " ").split("\n"))
