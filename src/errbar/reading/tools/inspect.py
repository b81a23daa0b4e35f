"""Logs of Inspect, the evaluation framework of the UK AI Security Institute."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

from errbar import _check
from errbar.reading.sheet import Labels
from errbar.reading.tools import begins, loaded

NAME = "Inspect"

_CHECKED = 1000
"""So many characters of a question are compared; summaries hold 5120."""
_ZSTANDARD = 93
# The manifest of a folder, logs.json, is no log.
_is_text = begins(rb'(?s)(?=\{\s*"(version|status|eval)"\s*:).*"eval"')


def is_log(place: Path) -> bool:
    """Tell whether a file is an archive or a text of Inspect."""
    if is_zipfile(place):
        with ZipFile(place) as archive:
            return "header.json" in archive.namelist()
    return _is_text(place)


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the samples of a log."""
    if is_zipfile(path):
        with ZipFile(path) as archive:
            header, samples = (
                json.loads(_member(archive, path, name))
                for name in ("header.json", "summaries.json")
            )
    else:
        header = loaded(path)
        samples = header.get("samples") or []
    # Where a sample was run again, the later entry counts.
    kept = {(str(one["id"]), int(one.get("epoch", 1))): one for one in samples}
    errors = sum(one.get("error") is not None for one in kept.values())
    status = str(header.get("status", "started"))
    doubts = [status] if status != "success" else []
    doubts += ["invalidated"] if header.get("invalidated") is True else []
    doubts += [f"{errors} of {len(kept)}"] if errors else []
    said = {name: str(header["eval"][name]) for name in ("model", "task")} | {"doubts": doubts}
    for place in sorted(kept):
        yield said | _of_sample(kept[place])


def _of_sample(sample: Labels) -> Labels:
    scores: Labels = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        parts = value.items() if isinstance(value, dict) else ()
        scores |= {f"{name}/{part}": one for part, one in parts} or {name: value}
    asked = sample.get("input", "")
    if isinstance(asked, list):
        asked = "\n".join(_text(message.get("content")) for message in asked)
    failed = sample.get("error") is not None
    return {
        "number": str(sample["id"]),
        "scores": dict.fromkeys(scores) if failed else scores,
        "fields": sample.get("metadata"),
        "check": str(asked)[:_CHECKED],
    }


def _text(content: Any) -> str:
    """Return the text of a message; of pictures and sounds, as in summaries, what they are."""
    if not isinstance(content, list):
        return str(content)
    return "\n".join(part.get("text") or f"({part['type'].capitalize()})" for part in content)


def _member(archive: ZipFile, path: Path, name: str) -> bytes:
    """Return a file of an archive, also one compressed by zstandard, which Python reads from 3.14 on only."""
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(name)
    arrow = _check.package("pyarrow", "app")
    with path.open("rb") as file:
        file.seek(member.header_offset + 26)  # where the local header tells two lengths
        file.seek(sum(struct.unpack("<HH", file.read(4))), 1)
        packed = file.read(member.compress_size)
    found: bytes = arrow.CompressedInputStream(arrow.BufferReader(packed), "zstd").read()
    return found
