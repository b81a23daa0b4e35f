"""Small logs of language-model evaluations, written as their tools document them."""

import hashlib
import json
import struct
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pyarrow as pa

TIME = "2026-03-05T10-11-12.345678"
WHEN = "2026-03-05T10:11:12+00:00"


def sample(doc_id, values, *, name="none", doc=None):
    """A line of samples_<task>_<time>.jsonl of lm-evaluation-harness: SampleResult of its result_schema.py."""
    doc = {"question": f"question {doc_id}?"} if doc is None else doc
    digest = hashlib.sha256(json.dumps(doc, indent=2, ensure_ascii=False).encode()).hexdigest()
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": "42",
        "arguments": {
            "gen_args_0": {"arg_0": f"{doc}", "arg_1": {"until": ["\n"], "do_sample": False}}
        },
        "resps": [["the answer is 42"]],
        "filtered_resps": ["42"],
        "filter": name,
        "metrics": list(values),
        "doc_hash": digest,
        "prompt_hash": digest[::-1],
        "target_hash": digest,
        **values,
    }


def write_samples(folder, model, task, lines, *, time=TIME, results=None):
    """A file as the evaluation tracker writes it, in the folder of a model, and the results beside it."""
    place = folder / model
    place.mkdir(parents=True, exist_ok=True)
    log = place / f"samples_{task}_{time}.jsonl"
    log.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    if results is not None:
        (place / f"results_{time}.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    return log


def inspect_sample(
    number, value, *, epoch=1, scorer="match", error=None, metadata=None, question=None
):
    """A sample of a log of Inspect: EvalSample of its log/_log.py; without a score where it has failed."""
    made = {
        "id": number,
        "epoch": epoch,
        "input": f"question {number}?" if question is None else question,
        "target": "42",
        "messages": [{"role": "user", "content": f"question {number}?", "source": "input"}],
        "output": {"model": "m", "choices": [], "completion": "42"},
        "metadata": metadata or {},
        "model_usage": {},
        "events": [],
    }
    if value is not None:
        values = value if isinstance(value, dict) and scorer is None else {scorer: value}
        made["scores"] = {
            name: {"value": one, "answer": "42", "history": []} for name, one in values.items()
        }
    if error is not None:
        made["error"] = {"message": error, "traceback": error, "traceback_ansi": error}
    return made


def inspect_log(model, samples, *, task="arc", status="success"):
    """A log of Inspect: EvalLog of its log/_log.py."""
    spec = {
        "eval_id": "e",
        "run_id": "r",
        "created": WHEN,
        "task": task,
        "task_id": "t",
        "dataset": {"samples": 4},
    }
    return {
        "version": 2,
        "status": status,
        "eval": spec
        | {"model": model, "config": {"epochs": 1}, "packages": {"inspect_ai": "0.3.200"}},
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": []},
        "stats": {"started_at": WHEN, "completed_at": WHEN, "model_usage": {}},
        "samples": samples,
    }


def write_json(place, log):
    place.write_text(json.dumps(log, indent=2), encoding="utf-8")
    return place


def summary(sample):
    """EvalSampleSummary: what is small of a sample, and the message of its error alone."""
    kept = {
        name: sample[name]
        for name in ("id", "epoch", "input", "target", "metadata", "scores")
        if name in sample
    }
    error = {"error": sample["error"]["message"]} if "error" in sample else {}
    return kept | error | {"completed": True}


def write_eval(place, log, *, zstandard=False, finished=True):
    """The same in an archive: the header, a file per sample, and summaries; in a journal as long as it is not finished."""
    header = {name: part for name, part in log.items() if name != "samples"}
    members = {"_journal/start.json": {name: header[name] for name in ("version", "eval", "plan")}}
    for i, one in enumerate(log["samples"], 1):
        members[f"_journal/summaries/{i}.json"] = [summary(one)]
        members[f"samples/{one['id']}_epoch_{one['epoch']}.json"] = one
    if finished:
        members |= {
            "summaries.json": [summary(one) for one in log["samples"]],
            "header.json": header,
        }
    texts = {name: json.dumps(part).encode() for name, part in members.items()}
    if zstandard:
        place.write_bytes(archive(texts))
        return place
    with ZipFile(place, "w", ZIP_DEFLATED if finished else ZIP_STORED) as opened:
        for name, text in texts.items():
            opened.writestr(name, text)
    return place


def archive(texts):
    """An archive whose members are compressed by zstandard in two frames, method 93 of the ZIP specification."""
    body, directory = b"", b""
    for name, text in texts.items():
        half = len(text) // 2
        packed = b"".join(
            pa.compress(part, codec="zstd", asbytes=True) for part in (text[:half], text[half:])
        )
        facts = struct.pack(
            "<HHHHHLLLHH", 63, 0, 93, 0, 33, zlib.crc32(text), len(packed), len(text), len(name), 0
        )
        directory += (
            b"PK\1\2"
            + struct.pack("<H", 63)
            + facts
            + struct.pack("<HHHLL", 0, 0, 0, 0, len(body))
            + name.encode()
        )
        body += b"PK\3\4" + facts + name.encode() + packed
    count = len(texts)
    return (
        body
        + directory
        + b"PK\5\6"
        + struct.pack("<HHHHLLH", 0, 0, count, count, len(directory), len(body), 0)
    )
