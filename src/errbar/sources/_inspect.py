"""Tables from the logs of Inspect, the evaluation framework of the UK AI Security Institute."""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.result import Note
from errbar.sources._columns import annotated
from errbar.sources._logs import INSPECT, Log, LoggedAnswer, chosen, group_of, logs_of, tabled
from errbar.table import LossTable

_SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Numbers for words, as the metrics of Inspect take them; in small or large letters."""

_BETWEEN = "/"
"""Stands between a scorer and a key of its value, where this is a mapping."""

_LOCAL_HEADER, _ZSTANDARD = 30, 93
_CHECKED = 1000
"""So many characters of a question are compared; summaries hold 5120."""


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
    files = [_Evaluation.of(log) for log in logs_of(logs, INSPECT)]
    names = list(dict.fromkeys(name for file in files for name in file.scorers))
    if not names:
        raise InvalidInputError(f"'{files[0].log.path}' has no scores")
    key = chosen(scorer, names, "scorer", "the log" if len(files) == 1 else "one log or another")
    answers = [one for file in files for one in file.answers(key, groups)]
    options: dict[str, Any] = {"higher_is_better": higher_is_better, "missing": missing}
    return annotated(tabled(answers, groups=groups, averaged=tasks, metric=key, **options), _notes(files))


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """A log.

    Attributes
    ----------
    log : Log
        Where it is.
    learner, task, status : str
        Learner, task, and how the evaluation ended.
    invalidated : bool
        Whether somebody has declared samples invalid.
    samples : list of dict
        Samples, or summaries of them, by example and epoch.
    """

    log: Log
    learner: str
    task: str
    status: str
    invalidated: bool
    samples: list[dict[str, Any]]

    @classmethod
    def of(cls, log: Log) -> "_Evaluation":
        """Read a log."""
        try:
            header, samples = _of_archive(log.path) if is_zipfile(log.path) else _of_json(log.path)
            spec = header["eval"]
            learner, task, status = (
                log.learner or str(spec["model"]),
                str(spec["task"]),
                str(header.get("status", "started")),
            )
            # Where a sample was run again, the later entry counts.
            kept = {(str(one["id"]), int(one.get("epoch", 1))): one for one in samples}
        except (AttributeError, KeyError, TypeError, ValueError, BadZipFile, struct.error):
            raise InvalidInputError(
                f"'{log.path}' is not a log of Inspect: it must hold `eval`, with a model and a task, and samples with an id"
            ) from None
        if not kept:
            raise InvalidInputError(f"'{log.path}' has no samples (its status is {status!r})")
        invalidated = header.get("invalidated") is True
        return cls(log, learner, task, status, invalidated, [kept[place] for place in sorted(kept)])

    @property
    def scorers(self) -> tuple[str, ...]:
        """Return the names of the scores, also of the keys of those that are mappings."""
        found: dict[str, None] = {}
        for sample in self.samples:
            for name, score in _scores(sample).items():
                value = score.get("value")
                found |= dict.fromkeys(
                    [f"{name}{_BETWEEN}{key}" for key in value] if isinstance(value, dict) else [name]
                )
        return tuple(found)

    def answers(self, key: str, groups: str | None) -> list[LoggedAnswer]:
        """Return the number of each sample."""
        return [
            LoggedAnswer(
                self.log,
                self.learner,
                self.task,
                str(sample["id"]),
                self._number(sample, key),
                group_of(groups, self.task, str(sample["id"]), sample.get("metadata") or {}, "the metadata of samples"),
                _question(sample),
            )
            for sample in self.samples
        ]

    def _number(self, sample: Mapping[str, Any], key: str) -> float:
        """Return the number of a sample; NaN where it has none."""
        if sample.get("error") is not None:
            return math.nan
        scores = _scores(sample)
        name, _, part = (key, "", "") if key in scores else key.rpartition(_BETWEEN)
        value = scores.get(name, {}).get("value")
        value = value.get(part) if isinstance(value, dict) else value
        if value is None:
            return math.nan
        if isinstance(value, str):
            value = _SCORES.get(value, _WORDS.get(value.lower(), value))
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InvalidInputError(
                f"'{self.log.path}': the score {key!r} of sample {sample['id']!r} is {value!r}, which is not a number, and none of C, P, I and N"
            ) from None


def _scores(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    found = sample.get("scores")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _question(sample: Mapping[str, Any]) -> str:
    """Return the beginning of what was asked, which must be the same for all learners."""
    asked = sample.get("input", "")
    if isinstance(asked, list):
        asked = "\n".join(_text(message.get("content", "")) for message in asked if isinstance(message, dict))
    return str(asked)[:_CHECKED]


def _text(content: Any) -> str:
    """Return the text of a message; of pictures and sounds, as in summaries, what they are."""
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(part.get("text", "") or f"({str(part.get('type')).capitalize()})" for part in parts)


def _notes(files: Sequence[_Evaluation]) -> tuple[Note, ...]:
    """Say which logs did not end well, and how many samples ended in an error."""
    notes = []
    unfinished = [f"{file.learner} ({file.status})" for file in files if file.status != "success"]
    if unfinished:
        text = f"some evaluations have not ended with success, and may lack samples that nobody knows of: {', '.join(unfinished)}"
        notes.append(Note("unfinished", text))
    invalid = [file.learner for file in files if file.invalidated]
    if invalid:
        text = f"samples that were declared invalid are read like others, of {', '.join(invalid)}; run them again (inspect eval-retry)"
        notes.append(Note("invalidated", text))
    failed = {file: sum(one.get("error") is not None for one in file.samples) for file in files}
    if any(failed.values()):
        listed = ", ".join(
            f"{file.learner} ({count} of {len(file.samples)})" for file, count in failed.items() if count
        )
        notes.append(Note("errors", f"samples that ended in an error have no score: {listed}"))
    return tuple(notes)


def _of_json(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return found, found.get("samples") or []


def _of_archive(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return header and summaries of an archive; of one that is not finished, what its journal holds."""
    with ZipFile(path) as archive:
        members = {member.filename: member for member in archive.infolist()}

        def read(name: str) -> Any:
            return json.loads(_member(archive, path, members[name]))

        header = read("header.json" if "header.json" in members else "_journal/start.json")
        if "summaries.json" in members:
            return header, read("summaries.json")
        journal = [name for name in members if name.startswith("_journal/summaries/")]
        parts = sorted(journal, key=lambda name: int(Path(name).stem))
        return header, [one for name in parts for one in read(name)]


def _member(archive: ZipFile, path: Path, member: ZipInfo) -> bytes:
    """Return a file of an archive, also one compressed by zstandard, which Python reads from 3.14 on only."""
    try:
        return archive.read(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise InvalidInputError(
                f"'{path}' is compressed in a way that cannot be read ({member.compress_type})"
            ) from None
    arrow = _check.package("pyarrow", None)
    with path.open("rb") as opened:
        opened.seek(member.header_offset)
        name, extra = struct.unpack("<HH", opened.read(_LOCAL_HEADER)[26:])
        opened.seek(name + extra, 1)
        packed = opened.read(member.compress_size)
    found: bytes = arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd").read()
    return found
