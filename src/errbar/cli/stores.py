"""What the commands about stores do, once the command line is parsed."""

import csv
import gzip
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import defused
from errbar.cli import files, show
from errbar.cli.messages import print_error
from errbar.cli.store_app import Export, Info, Prune, Verify
from errbar.errors import InvalidInputError, StoreError
from errbar.fits import Record, Store
from errbar.metrics import DECISION, LABEL, PROBABILITY, Target
from errbar.report.words import counted

GROUP = 2**16
"""Rows of a Parquet file that are written at once."""

_TEXT = ("learner", "fit", "data", "split")
DATA = "data "
_ORDER = (*_TEXT, "seconds", "example", "truth", LABEL, PROBABILITY, DECISION)


def info(asked: Info) -> int:
    """Say what a store holds; return the exit status."""
    learners: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    data: set[str] = set()
    versions: dict[str, Mapping[str, str]] = {}
    failures = []
    replicates = 0
    with _opened(asked.path) as store:
        for key, record in store.each():
            facts = record.facts
            if "error" in facts:
                failures.append(facts)
            elif "learner" in facts:
                learners[facts["learner"]] += len(facts["splits"])
                seconds[facts["learner"]] += facts["seconds"]
                data.add(facts["data"])
                versions[json.dumps(facts["versions"], sort_keys=True)] = facts["versions"]
            else:
                replicates += not key.startswith(DATA)
        size = store.bytes()
    failed = [
        {"learner": one["learner"], "split": one["splits"][0], "message": one["error"]}
        for one in failures
    ]
    if asked.as_json:
        found = {
            "path": str(asked.path),
            "bytes": size,
            "fits": learners.total(),
            "failed": len(failed),
            "replicates": replicates,
            "learners": [
                {"name": name, "fits": count, "seconds": round(seconds[name], 3)}
                for name, count in sorted(learners.items())
            ],
            "data": sorted(data),
            "versions": [versions[text] for text in sorted(versions)],
            "failures": failed,
        }
        show.say(json.dumps(found, indent=2))
        return 0
    held = f"{counted(learners.total(), 'fit')} of {counted(len(data), 'data set')}"
    show.say(f"{asked.path}: {size / 1e6:.1f} MB, {held}")
    for name, count in sorted(learners.items()):
        show.say(f"  {name}: {counted(count, 'fit')}, {seconds[name]:.1f} s")
    if replicates:
        show.say(f"  {counted(replicates, 'replicate')} of the laboratory")
    for digest in sorted(data):
        show.say(f"  data set {digest}")
    for text in sorted(versions):
        numbers = ", ".join(f"{name} {number}" for name, number in versions[text].items())
        show.say(f"  made with {numbers}")
    for one in failed:
        show.say(f"  failed: {one['learner']}, {one['split']}: {one['message']}")
    return 0


def verify(asked: Verify) -> int:
    """Check every record; return the exit status."""
    with _opened(asked.path) as store:
        fits = sum(len(record.facts.get("splits", ())) for _, record in store.each())
        damaged = sorted(store.damaged)
    for name in damaged:
        print_error(
            f"record {name} is damaged; errbar store prune '{asked.path}' --damaged removes it, so that it is done again"
        )
    if not damaged:
        show.say(f"{asked.path}: {counted(fits, 'fit')}, all sound")
    return 1 if damaged else 0


def prune(asked: Prune) -> int:
    """Remove records; return the exit status."""
    learners, data = asked.learner or (), asked.data or ()
    if not (asked.failed or asked.damaged or learners or data):
        raise InvalidInputError(
            "say what to remove: --failed, --damaged, --learner NAME or --data DIGEST"
        )
    with _opened(asked.path, write=True) as store:
        names: list[str] = []
        gone, left = set(data), set[str]()
        for key, record in store.each():
            facts = record.facts
            if "learner" not in facts:
                continue
            failed = "error" in facts
            chosen = facts["learner"] in learners or facts["data"] in data
            if chosen or (asked.failed and failed):
                names.append(key)
                gone.add(facts["data"])
            elif not failed:
                left.add(facts["data"])
        names += sorted(store.damaged) if asked.damaged else []
        # The target of a data set goes with its last fit.
        store.drop([*names, *(f"{DATA}{digest}" for digest in gone - left)])
    show.say(f"{counted(len(names), 'record')} removed")
    return 0


def export(asked: Export) -> int:
    """Write kept predictions into a table, fit by fit; return the exit status."""
    path, out = asked.path, asked.out
    kind = "".join(out.suffixes[-2:]) if out.suffix in (".gz", ".xz") else out.suffix
    if kind not in (".csv", ".csv.gz", ".csv.xz", ".parquet"):
        raise InvalidInputError(f"a table ends in .csv, .csv.gz, .csv.xz or .parquet, got '{out}'")
    files.check(out)
    with _opened(path) as store:
        keys = []
        targets: dict[str, Target] = {}
        header: dict[str, None] = {}
        for key, record in store.each():
            facts = record.facts
            if (
                "learner" not in facts
                or "error" in facts
                or (asked.learner and facts["learner"] not in asked.learner)
                or (asked.data and facts["data"] not in asked.data)
            ):
                continue
            keys.append(key)
            if facts["data"] not in targets:
                targets[facts["data"]] = _target(store, facts["data"])
            header |= dict.fromkeys(_columns(key, record, targets))
        if not keys:
            raise InvalidInputError(
                f"'{path}' holds no fits"
                + " of what was asked for" * bool(asked.learner or asked.data)
            )
        columns = sorted(header, key=lambda name: _ORDER.index(name.partition("_")[0]))
        each = _fits_of(store, keys, targets)
        with files.writing(out):
            rows = (_write_parquet if kind == ".parquet" else _write_csv)(
                out, columns, each, targets
            )
    show.say(f"{counted(rows, 'row')} of {counted(len(keys), 'fit')} written to {out}")
    return 0


def _fits_of(
    store: Store, keys: Sequence[str], targets: Mapping[str, Target]
) -> Iterator[dict[str, Any]]:
    """Yield the fits of records; a table that lacks some of them would look like all there is."""
    missing = {*keys}
    for key, record in store.each(keys):
        missing.discard(key)
        yield _columns(key, record, targets)
    if missing or store.damaged:
        raise StoreError(
            f"{counted(len(missing | store.damaged), 'record')} of '{store.path}' cannot be read, or another process has "
            f"removed them; errbar store verify '{store.path}' tells which are damaged"
        )


def _target(store: Store, digest: str) -> Target:
    found = store.find([f"{DATA}{digest}"])
    if not found:
        raise InvalidInputError(
            f"'{store.path}' does not hold the target of data set {digest}, which could not be written; the command that "
            "made the fits adds it, when it is run again with this store"
        )
    [record] = found.values()
    classes = record.facts["classes"]
    return Target(record.arrays["values"], None if classes is None else np.array(classes))


def _columns(key: str, record: Record, targets: Mapping[str, Target]) -> dict[str, Any]:
    """Return what a fit has predicted, and what is true: a column per kind, or per kind and class."""
    facts, target = record.facts, targets[record.facts["data"]]
    examples = record.arrays["examples"]
    found: dict[str, Any] = {name: facts[name] for name in ("learner", "data", "seconds")}
    found |= {
        "fit": key,
        "split": np.repeat(facts["splits"], facts["sizes"]),
        "example": examples,
        "truth": target.original(target.values[examples]),
    }
    for name, values in record.arrays.items():
        kind = name.removeprefix("p/")
        if kind == "examples":
            continue
        if values.ndim == 1:
            found[kind] = target.original(values) if kind == LABEL else values
        else:
            names = () if target.classes is None else target.classes.tolist()
            found |= {f"{kind}_{name}": values[:, k] for k, name in enumerate(names)}
    return found


def _write_csv(out: Path, columns: Sequence[str], fits: Iterable[dict[str, Any]], _: Any) -> int:
    """Write rows, and return their number; text that a spreadsheet would run is made text again."""
    rows = 0
    opened: Any = {".gz": gzip.open, ".xz": lzma.open}.get(out.suffix, open)
    with opened(out, "wt", newline="", encoding="utf-8", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerow(map(defused, columns))
        for fit in fits:
            count = fit["example"].size
            lines = zip(*(_cells(fit.get(name, ""), count) for name in columns), strict=True)
            writer.writerows(map(defused, line) for line in lines)
            rows += count
    return rows


def _write_parquet(
    out: Path, columns: Sequence[str], fits: Iterable[dict[str, Any]], targets: Mapping[str, Target]
) -> int:
    """Write rows in groups of many fits, and return their number."""
    pa, parquet = _check.package("pyarrow", None), _check.package("pyarrow.parquet", None)
    labels = [
        one
        for own in targets.values()
        for one in (own.values[:1] if own.classes is None else own.classes).tolist()
    ]
    try:
        label = pa.array(labels).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise InvalidInputError(
            "the data sets of this store have labels of different types, which no column of a Parquet file holds; choose "
            "one with --data DIGEST, or write a .csv file"
        ) from None
    types = dict.fromkeys(_TEXT, pa.string()) | {
        "example": pa.int64(),
        "truth": label,
        LABEL: label,
    }
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in columns])
    rows, waiting = 0, []
    with parquet.ParquetWriter(out, schema) as writer:
        for fit in fits:
            count = fit["example"].size
            cells = [pa.array(_cells(fit.get(one.name), count), one.type) for one in schema]
            waiting.append(pa.table(cells, schema=schema))
            rows += count
            if sum(map(len, waiting)) >= GROUP:
                writer.write_table(pa.concat_tables(waiting))
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
    return rows


def _cells(values: Any, count: int) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else [values] * count


def _opened(path: Path, *, write: bool = False) -> Store:
    _require_file(path)
    # SQLite would take an empty file for a new database, and make a store of it.
    if not path.stat().st_size:
        raise InvalidInputError(f"'{path}' is empty, and no store")
    return Store(path, write=write)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InvalidInputError(f"there is no store '{path}'")
