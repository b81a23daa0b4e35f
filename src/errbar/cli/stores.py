"""What the commands about stores do, once the command line is parsed."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check, _rescue
from errbar.cli import files, show
from errbar.cli.messages import print_error
from errbar.cli.store_app import Export, Info, Prune, Rescue, Verify
from errbar.engine.stores import FAILED, FIT, SQLiteStore
from errbar.engine.work import Block
from errbar.errors import InvalidInputError, StoreError
from errbar.report.words import counted


def info(asked: Info) -> int:
    """Say what a store holds; return the exit status."""
    with _opened(asked.path) as store:
        found = store.info()
        failures = store.failures()
    if asked.as_json:
        listed = [{"learner": one.learner, "split": one.split, "message": one.error} for one in failures]
        show.say(json.dumps(found | {"failures": listed}, indent=2))
        return 0
    show.say(
        f"{asked.path}: {found['bytes'] / 1e6:.1f} MB, {counted(found['fits'], 'fit')} of {counted(len(found['data']), 'data set')}"
    )
    for learner in found["learners"]:
        show.say(f"  {learner['name']}: {counted(learner['fits'], 'fit')}, {learner['seconds']:.1f} s")
    if found["replicates"]:
        show.say(f"  {counted(found['replicates'], 'replicate')} of the laboratory")
    for digest in found["data"]:
        show.say(f"  data set {digest}")
    for versions in found["versions"]:
        show.say("  made with " + ", ".join(f"{name} {number}" for name, number in versions.items()))
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
        raise InvalidInputError("say what to remove: --failed, --damaged, --learner NAME or --data DIGEST")
    with _opened(asked.path, write=True) as store:
        broken = store.verify() if asked.damaged else []
        store.prune(broken)
        names = []
        if asked.failed or learners or data:
            for name, facts in store.facts():
                wrong = asked.failed and name.startswith(FAILED)
                mine = name.startswith((FIT, FAILED)) and (facts["learner"] in learners or facts["data"] in data)
                if wrong or mine:
                    names.append(name)
            store.prune(names)
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
    show.say(f"{counted(_rescue.rescue(path, asked.new), 'record')} of '{path}' written to '{asked.new}'")
    return 0


def export(asked: Export) -> int:
    """Write every kept prediction into a table; return the exit status."""
    path, out = asked.path, asked.out
    pandas = _check.package("pandas", "app")
    kind = "".join(out.suffixes[-2:]) if out.suffix in (".gz", ".xz") else out.suffix
    if kind not in (".csv", ".csv.gz", ".csv.xz", ".parquet"):
        raise InvalidInputError(f"a table ends in .csv, .csv.gz, .csv.xz or .parquet, got '{out}'")
    files.check(out)
    with _opened(path) as store:
        frames = [pandas.DataFrame(_columns(block)) for block in store.blocks()]
    if not frames:
        raise InvalidInputError(f"'{path}' holds no fits")
    table = pandas.concat(frames, ignore_index=True)
    try:
        with files.writing(out):
            table.to_parquet(out, index=False) if kind == ".parquet" else table.to_csv(out, index=False)
    except ImportError:
        raise InvalidInputError("Parquet needs the package pyarrow; install it, or write a .csv file") from None
    show.say(f"{counted(len(table), 'row')} of {counted(len(frames), 'fit')} written to {out}")
    return 0


def _columns(block: Block) -> dict[str, Any]:
    """Return what a fit has predicted: a column per kind of prediction, or per kind and class."""
    found: dict[str, Any] = {
        "learner": block.learner,
        "fit": block.key,
        "data": block.data,
        "split": block.split,
        "seconds": block.seconds,
        "example": block.examples,
    }
    for kind, values in block.predictions.items():
        if values.ndim == 1:
            found[kind] = values
        else:
            found |= {f"{kind}_{k}": np.ascontiguousarray(values[:, k]) for k in range(values.shape[1])}
    return found


def _opened(path: Path, *, write: bool = False) -> SQLiteStore:
    _require_file(path)
    return SQLiteStore(path, write=write)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InvalidInputError(f"there is no store '{path}'")
