"""Logs of Inspect, the evaluation framework of the UK AI Security Institute."""

import json
import math
import re
import struct
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.read.tools._questions import (
    Answer,
    Log,
    chosen,
    group_of,
    head,
    logs_of,
    table_of_answers,
)
from errbar.result import Note
from errbar.table import LossTable

TOOL = "Inspect"

# As the metrics of Inspect take them; words in small or large letters.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

_CHECKED = 1000
"""So many characters of a question are compared; summaries hold 5120."""
_ZSTANDARD = 93


class _Evaluation(NamedTuple):
    """A log: its file, what its header says, and samples or summaries of them, with scores by name."""

    log: Log
    model: str
    task: str
    status: str
    invalidated: bool
    samples: list[dict[str, Any]]


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

    A learner is a model, an example a sample of the data set, and its number is a score. Several epochs are several answers to
    each question, and their mean is its value. Scores C, P, I and N count 1, 0.5, 0 and 0, as in the metrics of Inspect; so do yes, no, true and
    false. A sample that ended in an error, or has no score, is a number that its learner lacks.

    Parameters
    ----------
    logs : str, Path, sequence or mapping of str to these
        Files, patterns such as ``"logs/*.eval"``, or folders that hold such files at any depth, one for each model and task. The name
        of a learner is that of its model, unless a mapping gives it another. Several files of a task under one name of a mapping
        are several runs, a seed each.
    scorer : str, optional
        Which score, where there are several; ``"grader/style"`` is the key ``style`` of a score that is a mapping.
    groups : str, optional
        What is alike within groups: ``"task"`` (default from five tasks on), ``"none"``, or a field of the samples'
        ``metadata``; ``"question"`` where its answers are to be kept, as to plan with them.
    tasks : {"equal", "pooled"}, optional
        What is averaged over several tasks: the means of the tasks, or all samples. It must be said where the tasks differ in size.
    higher_is_better : bool, default True
        Direction of the score.
    missing : {"learners", "examples"}, default "learners"
        What is left out where a learner lacks samples that others have; see `from_long`.

    Returns
    -------
    LossTable
        A number per learner and sample.

    Raises
    ------
    InvalidInputError
        If a file is not such a log, there are several scores and none is named, or a score is not a number.
    PairingError
        If samples differ between learners, or no two learners have all.
    MissingPackageError
        If the file is compressed by zstandard, which Inspect does by default since 2026, and there is no pyarrow to read it.

    See Also
    --------
    read_lm_eval : Logs of the lm-evaluation-harness.
    from_long : Any other table with a row per learner and example.

    References
    ----------
    UK AI Security Institute, `Inspect <https://inspect.aisi.org.uk/eval-logs.html>`_: the schema is that of ``EvalLog`` in
    ``inspect_ai/log/_log.py``.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import errbar
    >>> for model, letters in {"small": "CIIC", "large": "CCIC"}.items():
    ...     samples = [
    ...         {"id": i, "epoch": 1, "input": f"{i}?", "scores": {"match": {"value": letter}}}
    ...         for i, letter in enumerate(letters)
    ...     ]
    ...     log = {"eval": {"task": "arc", "model": model}, "status": "success", "samples": samples}
    ...     characters = Path(f"{model}.json").write_text(json.dumps(log))
    >>> table = errbar.read_inspect(["small.json", "large.json"])
    >>> table
    LossTable(2 learners, 1 splits, loss 'match', plans ['holdout'])
    >>> errbar.infer(table, "holdout-t", "large", minus="small").estimate
    0.25
    """
    files = [_read(log) for log in logs_of(logs, is_log, TOOL)]
    names = list(
        dict.fromkeys(name for file in files for one in file.samples for name in one["scores"])
    )
    if not names:
        raise InvalidInputError(f"'{files[0].log.path}' has no scores")
    key = chosen(scorer, names, "scorer", "the logs")
    answers = [
        Answer(
            log=str(file.log.path),
            named=file.log.learner is not None,
            model=file.model,
            task=file.task,
            number=str(sample["id"]),
            score=_number(sample, key, file.log.path),
            group=group_of(groups, file.task, str(sample["id"]), sample.get("metadata")),
            check=_question(sample.get("input", "")),
        )
        for file in files
        for sample in file.samples
    ]
    return table_of_answers(
        answers,
        groups,
        tasks,
        _notes(files),
        metric=key,
        higher_is_better=higher_is_better,
        missing=missing,
    )


def is_log(place: Path) -> bool:
    """Tell whether a file is an archive or a text of Inspect; the manifest of a folder, logs.json, is none."""
    if is_zipfile(place):
        with ZipFile(place) as archive:
            return not {"header.json", "_journal/start.json"}.isdisjoint(archive.namelist())
    start = head(place)
    return re.match(rb'\{\s*"(version|status|eval)"\s*:', start) is not None and b'"eval"' in start


def _read(log: Log) -> _Evaluation:
    """Read a log."""
    try:
        header, samples = _of_archive(log.path) if is_zipfile(log.path) else _of_json(log.path)
        # Where a sample was run again, the later entry counts.
        kept = {(str(one["id"]), int(one.get("epoch", 1))): one for one in samples}
        file = _Evaluation(
            log,
            log.learner or str(header["eval"]["model"]),
            str(header["eval"]["task"]),
            str(header.get("status", "started")),
            header.get("invalidated") is True,
            [kept[place] | {"scores": _scores(kept[place])} for place in sorted(kept)],
        )
    except (AttributeError, KeyError, TypeError, ValueError, BadZipFile, struct.error):
        raise InvalidInputError(
            f"'{log.path}' is not a log of Inspect: it must hold `eval`, with a model and a task, and samples with an id"
        ) from None
    if not file.samples:
        raise InvalidInputError(f"'{log.path}' has no samples (its status is {file.status!r})")
    return file


def _of_json(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return found, found.get("samples") or []


def _of_archive(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return header and summaries of an archive; of one that is not finished, what its journal holds."""
    with ZipFile(path) as archive:
        names = archive.namelist()

        def read(name: str) -> Any:
            return json.loads(_member(archive, path, archive.getinfo(name)))

        header = read("header.json" if "header.json" in names else "_journal/start.json")
        if "summaries.json" in names:
            return header, read("summaries.json")
        journal = [name for name in names if name.startswith("_journal/summaries/")]
        journal.sort(key=lambda name: int(Path(name).stem))
        return header, [one for name in journal for one in read(name)]


def _member(archive: ZipFile, path: Path, member: ZipInfo) -> bytes:
    """Return a file of an archive, also one compressed by zstandard, which Python reads from 3.14 on only."""
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    arrow = _check.package("pyarrow", None)
    with path.open("rb") as opened:
        opened.seek(member.header_offset + 26)  # where the local header tells two lengths
        name, extra = struct.unpack("<HH", opened.read(4))
        opened.seek(name + extra, 1)
        packed = opened.read(member.compress_size)
    found: bytes = arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd").read()
    return found


def _scores(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample by name; those of a mapping as scorer/key."""
    found: dict[str, Any] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        if isinstance(value, dict):
            found |= {f"{name}/{key}": part for key, part in value.items()}
        else:
            found[name] = value
    return found


def _number(sample: dict[str, Any], key: str, path: Path) -> float:
    """Return the number of a sample; NaN where it has none."""
    value = sample["scores"].get(key)
    if value is None or sample.get("error") is not None:
        return math.nan
    if isinstance(value, str):
        value = _LETTERS.get(value, _WORDS.get(value.lower(), value))
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"'{path}': the score {key!r} of sample {sample['id']!r} is {value!r}, which is no number, and none of C, P, I and N"
        ) from None


def _question(asked: Any) -> str:
    """Return the beginning of what was asked, which must be the same for all learners."""
    if isinstance(asked, list):
        asked = "\n".join(_text(message.get("content")) for message in asked)
    return str(asked)[:_CHECKED]


def _text(content: Any) -> str:
    """Return the text of a message; of pictures and sounds, as in summaries, what they are."""
    if not isinstance(content, list):
        return str(content)
    return "\n".join(part.get("text") or f"({part['type'].capitalize()})" for part in content)


def _notes(files: list[_Evaluation]) -> tuple[Note, ...]:
    """Say which logs did not end well, and how many samples ended in an error."""
    unfinished = [f"{file.model} ({file.status})" for file in files if file.status != "success"]
    invalid = [file.model for file in files if file.invalidated]
    failed = [(file, sum(one.get("error") is not None for one in file.samples)) for file in files]
    errors = [f"{file.model} ({count} of {len(file.samples)})" for file, count in failed if count]
    found = {
        "a log that is finished": unfinished,
        "a log that is not declared invalid": invalid,
        "a log without errors": errors,
    }
    return tuple(Note("not-verified", what=what, by=by) for by, what in found.items() if what)
