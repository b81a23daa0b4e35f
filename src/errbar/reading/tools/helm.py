"""Runs of HELM, Stanford's Holistic Evaluation of Language Models: a folder for each model and scenario."""

import re
from collections.abc import Iterator
from pathlib import Path

from errbar.metrics._loss import score_words
from errbar.reading.sheet import Labels
from errbar.reading.tools import begins, loaded

NAME = "HELM"

higher_of = score_words

# Of the files of a run, per_instance_stats.json alone begins so.
is_log = begins(rb'(?s)\[\s*\{\s*"instance_id".*?"stats"\s*:\s*\[')
_MODEL = re.compile(r"(?<=[:,])model=([^,]+),?")


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the instances; the name of the folder tells model and task.

    Each metric of a run has entries of its own for an instance. Perturbed copies are left out, trials
    with other examples in the prompt are several answers, and splits are told apart as filters are.
    """
    run = path.parent.name
    model = _MODEL.search(run)
    found: dict[tuple[str, int, str], Labels] = {}
    for entry in loaded(path):
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
            "filter": split,
        }
