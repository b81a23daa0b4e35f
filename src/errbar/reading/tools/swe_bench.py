"""Lists of the instances that a model resolved, as the harness and the experiments of SWE-bench write them."""

import re
from collections.abc import Iterator
from pathlib import Path

from errbar.reading.sheet import Labels
from errbar.reading.tools import loaded

NAME = "SWE-bench"

_LIST = re.compile(rb'"resolved(_ids)?"\s*:\s*\[')
_FILES = ("results", "report", "resolved", "evaluation")
"""Names of files that name no model; its folder does."""


def is_log(place: Path) -> bool:
    """Tell whether a file lists resolved instances."""
    return place.suffix == ".json" and _LIST.search(place.read_bytes()) is not None


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the instances of all lists of a model, and how many there are, where the lists say it."""
    said = loaded(path)
    ids = {key: {*map(str, own)} for key, own in said.items() if isinstance(own, list)}
    solved = ids["resolved_ids" if "resolved_ids" in ids else "resolved"]
    known = solved.union(*ids.values())
    complete = "submitted_ids" in ids or "unresolved_ids" in ids
    names = [said.get("model_name_or_path"), said.get("model"), path.stem]
    names += [folder.name for folder in path.resolve().parents]
    model = next(one for one in names if isinstance(one, str) and one.lower() not in _FILES)
    for number in sorted(known):
        yield {
            "model": model,
            "task": "all items",
            "number": number,
            "scores": {"resolved": number in solved},
            "instances": said.get("total_instances", 0 if complete else None),
        }
