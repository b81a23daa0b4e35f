"""Runs of HELM, Stanford's Holistic Evaluation of Language Models: a folder for each model and scenario."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from errbar.metrics._loss import score_words
from errbar.reading.sheet import Labels
from errbar.reading.tools import head

NAME = "HELM"
MAIN_FIRST = False

higher_of = score_words

# Of the files of a run, per_instance_stats.json alone begins so.
_BEGINNING = re.compile(rb'(?s)\[\s*\{\s*"instance_id".*?"stats"\s*:\s*\[')
_MODEL = re.compile(r"(?<=[:,])model=([^,]+),?")


def is_log(place: Path) -> bool:
    """Tell by its first bytes whether a file holds the statistics of instances."""
    return _BEGINNING.match(head(place)) is not None


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the instances; the name of the folder tells model and task.

    Each metric of a run has entries of its own for an instance. Perturbed copies are left out, trials
    with other examples in the prompt are several answers, and splits are told apart as filters are.
    """
    run = path.parent.name
    model = _MODEL.search(run)
    found: dict[tuple[str, int, str], Labels] = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        for stat in entry["stats"]:
            name = stat["name"]
            if "perturbation" not in (*entry, *name):
                place = (
                    entry["instance_id"],
                    entry["train_trial_index"],
                    name.get("split", "none"),
                )
                found.setdefault(place, {})[name["name"]] = stat.get("mean")
    for (number, _trial, split), scores in found.items():
        yield {
            "model": model[1] if model else run,
            "task": _MODEL.sub("", run).strip(":,"),
            "number": number,
            "scores": scores,
            "fields": None,
            "filter": split,
            "check": "",
        }
