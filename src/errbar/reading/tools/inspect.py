"""Logs of Inspect, the evaluation framework of the UK AI Security Institute."""

import json
import re
import struct
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.reading.roles import Labels
from errbar.reading.tools._questions import Log, chosen, group_of, head, logs_of, table_of_answers
from errbar.result import Note
from errbar.table import LossTable

TOOL = "Inspect"

_CHECKED = 1000
"""So many characters of a question are compared; summaries hold 5120."""
_ZSTANDARD = 93


def read_inspect(
    logs: Any,
    *,
    scorer: str | None = None,
    groups: str | None = None,
    tasks: str | None = None,
    higher_is_better: bool = True,
    missing: str = "learners",
) -> LossTable:
    """Read logs of Inspect, in either of its formats, ``.eval`` and ``.json``; needs pandas.

    A learner is a model, an example a sample of the data set, and its number is a score: the mean over
    epochs. Scores C, P, I and N count 1, 0.5, 0 and 0, as in the metrics of Inspect; so do yes, no,
    true and false. A sample that ended in an error, or has no score, lacks its number.

    Parameters
    ----------
    logs : str, Path, sequence or mapping of str to these
        Files, or folders that hold files at any depth, one for each model and task. A mapping gives the learners other names than those of their models; several
        files of a task under one name are several runs, a seed each.
    scorer : str, optional
        Which of several scores; ``"grader/style"`` is the key ``style`` of a score that is a mapping.
    groups : str, optional
        What is alike within groups: ``"task"`` (default from five tasks on), ``"none"``, or a field of
        the ``metadata``; ``"question"`` where its answers are to be kept, as to plan with them.
    tasks : {"equal", "pooled"}, optional
        What is averaged over several tasks: the means of the tasks, or all samples. It must be said
        where the tasks differ in size.
    higher_is_better : bool, default True
    missing : {"learners", "examples"}, default "learners"
        What is left out where a learner lacks samples that others have; see `read_table`.

    Returns
    -------
    LossTable
        A number per learner and sample.

    Raises
    ------
    InvalidInputError, PairingError, MissingPackageError
        If a file is no such log, several scores are there and none is named, or one is no number; if
        samples differ between learners, or no two have all; if pyarrow is needed to unpack zstandard.

    References
    ----------
    UK AI Security Institute, `Inspect <https://inspect.aisi.org.uk/eval-logs.html>`_: the schema is
    that of ``EvalLog`` in ``inspect_ai/log/_log.py``.

    Examples
    --------
    >>> import json, errbar
    >>> from pathlib import Path
    >>> for model, letters in {"small": "CIIC", "large": "CCIC"}.items():
    ...     scores = [{"match": {"value": letter}} for letter in letters]
    ...     samples = [{"id": i, "epoch": 1, "input": "?", "scores": s} for i, s in enumerate(scores)]
    ...     log = {"eval": {"task": "arc", "model": model}, "status": "success", "samples": samples}
    ...     characters = Path(f"{model}.json").write_text(json.dumps(log))
    >>> table = errbar.read_inspect(["small.json", "large.json"])
    >>> errbar.infer(table, "holdout-t", "large", minus="small").estimate
    0.25
    """
    samples: list[Labels] = []
    doubts = []
    for log in logs_of(logs, is_log, TOOL):
        own, states = _samples(log)
        samples += own
        doubts += [f"{own[0]['model']} ({state})" for state in states]
    names = list(dict.fromkeys(name for one in samples for name in one["scores"]))
    key = chosen(scorer, names, "scorer", "the logs")
    for one in samples:
        one["score"] = None if one["error"] else one["scores"].get(key)
        one["group"] = group_of(groups, one["task"], one["number"], one["metadata"])
    notes: tuple[Note, ...] = ()
    if doubts:
        by = "a log that is finished, valid and without errors"
        notes = (Note("not-verified", what=doubts, by=by),)
    frame = _check.package("pandas", "app").DataFrame(samples)
    options = {"metric": key, "higher_is_better": higher_is_better, "missing": missing}
    return table_of_answers(frame, groups, tasks, notes, options)


def is_log(place: Path) -> bool:
    """Tell whether a file is an archive or a text of Inspect; the manifest of a folder, logs.json, is none."""
    if is_zipfile(place):
        with ZipFile(place) as archive:
            return "header.json" in archive.namelist()
    start = head(place)
    return re.match(rb'\{\s*"(version|status|eval)"\s*:', start) is not None and b'"eval"' in start


def _samples(log: Log) -> tuple[list[Labels], list[str]]:
    """Return what is read of each sample of a log, and in which ways it did not end well."""
    try:
        if is_zipfile(log.path):
            header, samples = _of_archive(log.path)
        else:
            header = json.loads(log.path.read_text(encoding="utf-8"))
            samples = header.get("samples") or []
        said = log.columns(str(header["eval"]["model"])) | {"task": str(header["eval"]["task"])}
        # Where a sample was run again, the later entry counts.
        kept = {(str(one["id"]), int(one.get("epoch", 1))): one for one in samples}
        found = [said | _of_sample(kept[place]) for place in sorted(kept)]
    except (AttributeError, KeyError, TypeError, ValueError, BadZipFile, struct.error):
        raise InvalidInputError(
            f"'{log.path}' is no log of {TOOL}, with `eval` and samples"
        ) from None
    status = str(header.get("status", "started"))
    if not found:
        raise InvalidInputError(f"'{log.path}' has no samples (its status is {status!r})")
    errors = sum(one["error"] for one in found)
    doubts = [status] if status != "success" else []
    doubts += ["invalidated"] if header.get("invalidated") is True else []
    doubts += [f"{errors} of {len(found)}"] if errors else []
    return found, doubts


def _of_sample(sample: Labels) -> Labels:
    scores: Labels = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        if isinstance(value, dict):
            scores |= {f"{name}/{part}": one for part, one in value.items()}
        else:
            scores[name] = value
    asked = sample.get("input", "")
    if isinstance(asked, list):
        asked = "\n".join(_text(message.get("content")) for message in asked)
    return {
        "number": str(sample["id"]),
        "scores": scores,
        "error": sample.get("error") is not None,
        "metadata": sample.get("metadata"),
        "check": str(asked)[:_CHECKED],
    }


def _text(content: Any) -> str:
    """Return the text of a message; of pictures and sounds, as in summaries, what they are."""
    if not isinstance(content, list):
        return str(content)
    return "\n".join(part.get("text") or f"({part['type'].capitalize()})" for part in content)


def _of_archive(path: Path) -> tuple[Labels, list[Labels]]:
    """Return header and summaries of an archive."""
    with ZipFile(path) as archive:
        header, samples = (
            json.loads(_member(archive, path, name)) for name in ("header.json", "summaries.json")
        )
    return header, samples


def _member(archive: ZipFile, path: Path, name: str) -> bytes:
    """Return a file of an archive, also one compressed by zstandard, which Python reads from 3.14 on only."""
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(name)
    arrow = _check.package("pyarrow", None)
    with path.open("rb") as file:
        file.seek(member.header_offset + 26)  # where the local header tells two lengths
        file.seek(sum(struct.unpack("<HH", file.read(4))), 1)
        packed = file.read(member.compress_size)
    found: bytes = arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd").read()
    return found
