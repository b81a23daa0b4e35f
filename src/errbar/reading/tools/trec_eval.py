"""What ``trec_eval -q`` prints of a run: a line for each measure and topic."""

from collections.abc import Iterator
from pathlib import Path

from errbar.reading.sheet import Labels
from errbar.reading.tools import begins

NAME = "trec_eval"

# Three columns, the last of them numbers, and no header.
is_log = begins(rb"[A-Za-z]\S* *\t\S+ *\t(-?\d[\d.eE+-]*)\s*(\n|\Z)|runid *\tall *\t")
_ALL = "all"


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the topics of a run, which is called like its file; their means are left out."""
    topics: dict[str, Labels] = {}
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        measure, topic, value = line.split()
        if topic != _ALL:
            topics.setdefault(topic, {})[measure] = value
    for topic, scores in topics.items():
        yield {"number": topic, "scores": scores}
