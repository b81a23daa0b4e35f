"""What the commands about stores do, once the command line is parsed."""

import csv
import gzip
import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, _rescue
from errbar._plain import defused
from errbar.cli import files, show
from errbar.cli.messages import print_error
from errbar.cli.store_app import Export, Info, Prune, Rescue, Verify
from errbar.engine.stores import DATA, FAILED, FIT, SQLiteStore
from errbar.engine.work import Block
from errbar.errors import InvalidInputError, StoreError
from errbar.metrics import DECISION, LABEL, PROBABILITY, Target
from errbar.report.words import counted

GROUP = 2**16
"""Rows of a Parquet file that are written at once."""

_TEXT = ("learner", "fit", "data", "split")
_ORDER = (*_TEXT, "seconds", "example", "truth", LABEL, PROBABILITY, DECISION)


def info(asked: Info) -> int:
    """Say what a store holds; return the exit status."""
    with _opened(asked.path) as store:
        found = store.info()
        failures = store.failures()
    if asked.as_json:
        listed = [
            {"learner": one.learner, "split": one.split, "message": one.error} for one in failures
        ]
        show.say(json.dumps(found | {"failures": listed}, indent=2))
        return 0
    show.say(
        f"{asked.path}: {found['bytes'] / 1e6:.1f} MB, {counted(found['fits'], 'fit')} of {counted(len(found['data']), 'data set')}"
    )
    for learner in found["learners"]:
        show.say(
            f"  {learner['name']}: {counted(learner['fits'], 'fit')}, {learner['seconds']:.1f} s"
        )
    if found["replicates"]:
        show.say(f"  {counted(found['replicates'], 'replicate')} of the laboratory")
    for digest in found["data"]:
        show.say(f"  data set {digest}")
    for versions in found["versions"]:
        show.say(
            "  made with " + ", ".join(f"{name} {number}" for name, number in versions.items())
        )
    for one in failures:
        show.say(f"  failed: {one.learner}, {one.split}: {one.error}")
    return 0


def verify(asked: Verify) -> int:
    """Check every record; return the exit status."""
    with _opened(asked.path) as store:
        damaged = store.verify()
        count = len(store)
    for name in damaged:
        print_error(
            f"record {name} is damaged; errbar store prune '{asked.path}' --damaged removes it, so that it is done again"
        )
    if not damaged:
        show.say(f"{asked.path}: {counted(count, 'fit')}, all sound")
    return 1 if damaged else 0


def prune(asked: Prune) -> int:
    """Remove records; return the exit status."""
    learners, data = asked.learner or (), asked.data or ()
    if not (asked.failed or asked.damaged or learners or data):
        raise InvalidInputError(
            "say what to remove: --failed, --damaged, --learner NAME or --data DIGEST"
        )
    with _opened(asked.path, write=True) as store:
        broken = store.verify(drop=True) if asked.damaged else []
        names: list[str] = []
        gone, left = set(data), set[str]()
        if asked.failed or learners or data:
            for name, facts in store.facts():
                if name.startswith((FIT, FAILED)):
                    failed = asked.failed and name.startswith(FAILED)
                    mine = failed or facts["learner"] in learners or facts["data"] in data
                    names += [name] if mine else []
                    if name.startswith(FIT):
                        (gone if mine else left).add(facts["data"])
            # The target of a data set goes with its last fit.
        store.prune([*names, *(f"{DATA}{digest}" for digest in gone - left)])
    show.say(f"{counted(len(broken) + len(names), 'record')} removed")
    return 0


def rescue(asked: Rescue) -> int:
    """Write what can still be read of a damaged store into a new one; return the exit status."""
    path = asked.path
    _require_file(path)
    with path.open("rb") as file:
        begin = file.read(16)
    # A file that never was a store is refused: its first bytes would be taken for sizes, and searched to their end.
    if begin != b"SQLite format 3\0" and not path.with_name(f"{path.name}-wal").is_file():
        raise StoreError(f"nothing in '{path}' can be read")
    show.say(
        f"{counted(_rescue.rescue(path, asked.new), 'record')} of '{path}' written to '{asked.new}'"
    )
    return 0


def export(asked: Export) -> int:
    """Write kept predictions into a table, fit by fit; return the exit status."""
    path, out = asked.path, asked.out
    kind = "".join(out.suffixes[-2:]) if out.suffix in (".gz", ".xz") else out.suffix
    if kind not in (".csv", ".csv.gz", ".csv.xz", ".parquet"):
        raise InvalidInputError(f"a table ends in .csv, .csv.gz, .csv.xz or .parquet, got '{out}'")
    files.check(out)
    with _opened(path) as store:
        keys = [
            name.removeprefix(FIT)
            for name, facts in store.facts()
            if name.startswith(FIT)
            and (not asked.learner or facts["learner"] in asked.learner)
            and (not asked.data or facts["data"] in asked.data)
        ]
        if not keys:
            raise InvalidInputError(
                f"'{path}' holds no fits"
                + " of what was asked for" * bool(asked.learner or asked.data)
            )
        targets: dict[str, Target] = {}
        header: dict[str, None] = {}
        for block in store.blocks(keys):
            if block.data not in targets:
                targets[block.data] = _target(store, block.data)
            header |= dict.fromkeys(_columns(block, targets))
        columns = sorted(header, key=lambda name: _ORDER.index(name.partition("_")[0]))
        fits = (_columns(block, targets) for block in store.blocks(keys))
        with files.writing(out):
            rows = (_write_parquet if kind == ".parquet" else _write_csv)(
                out, columns, fits, targets
            )
    show.say(f"{counted(rows, 'row')} of {counted(len(keys), 'fit')} written to {out}")
    return 0


def _target(store: SQLiteStore, digest: str) -> Target:
    found = store.target(digest)
    if found is None:
        raise InvalidInputError(
            f"'{store.path}' does not hold the target of data set {digest}, which could not be written; the command that "
            "made the fits adds it, when it is run again with this store"
        )
    return found


def _columns(block: Block, targets: Mapping[str, Target]) -> dict[str, Any]:
    """Return what a fit has predicted, and what is true: a column per kind of prediction, or per kind and class."""
    target = targets[block.data]
    found: dict[str, Any] = {
        name: getattr(block, name) for name in ("learner", "data", "split", "seconds")
    }
    found |= {
        "fit": block.key,
        "example": block.examples,
        "truth": target.original(target.values[block.examples]),
    }
    for kind, values in block.predictions.items():
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


def _opened(path: Path, *, write: bool = False) -> SQLiteStore:
    _require_file(path)
    # SQLite would take an empty file for a new database, and make a store of it.
    if not path.stat().st_size:
        raise InvalidInputError(f"'{path}' is empty, and no store")
    return SQLiteStore(path, write=write)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InvalidInputError(f"there is no store '{path}'")
