"""Commands about stores: info, prune and export."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import defused
from errbar.cli.messages import print_error
from errbar.cli.output import check_file, say, say_json, writing
from errbar.errors import InvalidInputError
from errbar.fits import Record, Store
from errbar.metrics import LABEL, Target
from errbar.report.words import counted

DATA = "data "
TABLES = (".csv", ".csv.gz", ".csv.xz", ".parquet")


def _opened(path: str) -> Store:
    # SQLite would make a store of a file that is empty, or not there.
    if not Path(path).is_file() or not Path(path).stat().st_size:
        raise InvalidInputError(f"there is no store '{path}'")
    return Store(path)


def info(path: str, *, as_json: bool) -> int:
    """Say what a store holds, and which records are damaged; return the exit status."""
    with _opened(path) as store:
        facts = [record.facts for key, record in store.each() if not key.startswith(DATA)]
        size, damaged = Path(path).stat().st_size, sorted(store.damaged)
    found = _contents(facts)
    if as_json:
        say_json({"path": path, "bytes": size, **found, "damaged": damaged})
    else:
        held = f"{counted(found['fits'], 'fit')} of {counted(len(found['data']), 'data set')}"
        kept = [
            f"{one['name']}: {counted(one['fits'], 'fit')}, {one['seconds']:.1f} s"
            for one in found["learners"]
        ]
        failed = [
            f"failed: {one['learner']}, {one['split']}: {one['message']}"
            for one in found["failures"]
        ]
        others = found["replicates"]
        studied = [f"{counted(others, 'replicate')} of the laboratory"] * bool(others)
        say("\n  ".join([f"{path}: {size / 1e6:.1f} MB, {held}", *kept, *studied, *failed]))
    for key in damaged:
        print_error(f"record {key} is damaged; the next run does it again")
    return 1 if damaged else 0


def _contents(facts: list[Any]) -> dict[str, Any]:
    failed = [one for one in facts if "error" in one]
    fits = [one for one in facts if "learner" in one and "error" not in one]
    seconds, made = Counter[str](), Counter[str]()
    for one in fits:
        seconds[one["learner"]] += one["seconds"]
        made[one["learner"]] += len(one["splits"])
    versions = {json.dumps(one["versions"], sort_keys=True) for one in fits}
    return {
        "fits": made.total(),
        "failed": len(failed),
        "replicates": len(facts) - len(fits) - len(failed),
        "learners": [
            {"name": name, "fits": count, "seconds": round(seconds[name], 3)}
            for name, count in sorted(made.items())
        ],
        "data": sorted({one["data"] for one in fits}),
        "versions": [json.loads(text) for text in sorted(versions)],
        "failures": [
            {"learner": one["learner"], "split": one["splits"][0], "message": one["error"]}
            for one in failed
        ],
    }


def prune(path: str, learner: list[str]) -> int:
    """Remove the fits of learners; return the exit status."""
    with _opened(path) as store:
        gone = [key for key, record in store.each() if record.facts.get("learner") in learner]
        store.drop(gone)
    say(f"{counted(len(gone), 'record')} removed")
    return 0


def export(path: str, out: str, learner: list[str] | None) -> int:
    """Write kept predictions into a table, fit by fit; return the exit status."""
    pandas = _check.package("pandas", "app")
    check_file(out, {"data": path}, TABLES)
    with _opened(path) as store:
        frames = [pandas.DataFrame(one) for one in _fits(store, learner)]
        damaged = len(store.damaged)
    if damaged:  # a table that lacks some of them would look like all there is
        raise InvalidInputError(
            f"{counted(damaged, 'record')} of '{path}' cannot be read; run its command again"
        )
    if not frames:
        raise InvalidInputError(f"'{path}' holds no fits that were asked for")
    table = pandas.concat(frames, ignore_index=True)
    with writing(out):
        if out.endswith(".parquet"):
            _write_parquet(table, out)
        else:
            # This line end has the csv module quote cells with either of its parts.
            table.map(defused).rename(columns=defused).to_csv(
                out, index=False, errors="backslashreplace", lineterminator="\r\n"
            )
    count = table.groupby("fit")["split"].nunique().sum()
    say(f"{counted(len(table), 'row')} of {counted(count, 'fit')} written to {out}")
    return 0


def _write_parquet(table: Any, out: str) -> None:
    _check.package("pyarrow", None)
    try:
        table.to_parquet(out, index=False)
    except (TypeError, ValueError):  # of pyarrow, which has a class of its own for each
        raise InvalidInputError(
            f"'{out}' cannot hold labels of several types; write .csv"
        ) from None


def _fits(store: Store, learners: list[str] | None) -> Iterator[dict[str, Any]]:
    """Yield what each fit has predicted, beside what is true, by column."""
    targets: dict[str, Target] = {}
    for key, record in store.each():
        facts = record.facts
        if "learner" not in facts or "error" in facts:
            continue
        if learners and facts["learner"] not in learners:
            continue
        if facts["data"] not in targets:
            targets[facts["data"]] = _target(store, facts["data"])
        yield _columns(key, record, targets[facts["data"]])


def _target(store: Store, digest: str) -> Target:
    found = store.find([f"{DATA}{digest}"])
    if not found:
        raise InvalidInputError(
            f"'{store.path}' lacks the target of its fits; run their command again"
        )
    [record] = found.values()
    classes = record.facts["classes"]
    return Target(record.arrays["values"], None if classes is None else np.array(classes))


def _columns(key: str, record: Record, target: Target) -> dict[str, Any]:
    facts, arrays = record.facts, dict(record.arrays)
    examples = arrays.pop("examples")
    found = {
        "learner": facts["learner"],
        "fit": key,
        "data": facts["data"],
        "split": np.repeat(facts["splits"], facts["sizes"]),
        "seconds": facts["seconds"],
        "example": examples,
        "truth": target.original(target.values[examples]).astype(object),
    }
    for kind, values in arrays.items():
        if kind == LABEL:  # as objects whole numbers stay whole where other fits have no labels
            found[kind] = target.original(values).astype(object)
        elif values.ndim == 2 and target.classes is not None:
            found |= {f"{kind}_{one}": values[:, k] for k, one in enumerate(target.classes)}
        else:
            found[kind] = values
    return found
