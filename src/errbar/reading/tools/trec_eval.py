"""What ``trec_eval -q`` prints of a run: a line for each measure and topic."""

import re
from collections.abc import Iterator
from pathlib import Path

from errbar.reading.sheet import Labels
from errbar.reading.tools import head

NAME = "trec_eval"
MAIN_FIRST = False

_LINE = re.compile(rb"[A-Za-z]\S* *\t\S+ *\t(-?\d[\d.eE+-]*)\s*(\n|\Z)|runid *\tall *\t")
_ALL = "all"


def higher_of(_: str) -> bool:
    """Say that higher is better: so are all measures of ranked documents."""
    return True


def is_log(place: Path) -> bool:
    """Tell by the first line whether a file has three columns, the last of them numbers, and no header."""
    return _LINE.match(head(place)) is not None


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the topics of a run, which is called like its file; their means are left out."""
    topics: dict[str, Labels] = {}
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        measure, topic, value = line.split()
        if topic != _ALL:
            topics.setdefault(topic, {})[measure] = value
    for topic, scores in topics.items():
        said = {"model": path.stem, "task": _ALL, "number": topic, "check": ""}
        yield said | {"scores": scores, "fields": None}
