"""Commands about stores: info, prune and export."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _check
from errbar._plain import Data, Names, defused
from errbar.cli.messages import print_error
from errbar.cli.output import check_file, say, say_json
from errbar.errors import InvalidInputError
from errbar.fits import Store
from errbar.metrics import LABEL, Target
from errbar.report import writing
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
    fits = [one for one in facts if "learner" in one and "error" not in one]
    seconds, made = Counter[str](), Counter[str]()
    for one in fits:
        seconds[one["learner"]] += one["seconds"]
        made[one["learner"]] += len(one["splits"])
    failed = [
        {"learner": one["learner"], "split": one["splits"][0], "message": one["error"]}
        for one in facts
        if "error" in one
    ]
    versions = {json.dumps(one["versions"], sort_keys=True) for one in fits}
    data, others = sorted({one["data"] for one in fits}), len(facts) - len(fits) - len(failed)
    if as_json:
        say_json(
            {
                "path": path,
                "bytes": size,
                "fits": made.total(),
                "failed": len(failed),
                "replicates": others,
                "learners": [
                    {"name": name, "fits": made[name], "seconds": round(seconds[name], 3)}
                    for name in sorted(made)
                ],
                "data": data,
                "versions": list(map(json.loads, sorted(versions))),
                "failures": failed,
                "damaged": damaged,
            }
        )
    else:
        held = f"{counted(made.total(), 'fit')} of {counted(len(data), 'data set')}"
        lines = [f"{path}: {size / 1e6:.1f} MB, {held}"]
        lines += [
            f"{name}: {counted(made[name], 'fit')}, {seconds[name]:.1f} s" for name in sorted(made)
        ]
        lines += [f"{counted(others, 'replicate')} of the laboratory"] * bool(others)
        lines += ["failed: {learner}, {split}: {message}".format(**one) for one in failed]
        say("\n  ".join(lines))
    for key in damaged:
        print_error(f"record {key} is damaged; the next run does it again")
    return int(bool(damaged))


def prune(path: str, learner: Names) -> int:
    """Remove the fits of learners; return the exit status."""
    with _opened(path) as store:
        gone = [key for key, record in store.each() if record.facts.get("learner") in learner]
        store.drop(gone)
    say(f"{counted(len(gone), 'record')} removed")
    return 0


def export(path: str, out: str, learner: Names | None) -> int:
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
            _check.package("pyarrow", None)
            try:
                table.to_parquet(out, index=False)
            except (TypeError, ValueError):  # of pyarrow, which has a class of its own for each
                raise InvalidInputError(
                    f"'{out}' cannot hold labels of several types; write .csv"
                ) from None
        else:
            # This line end has the csv module quote cells with either of its parts.
            table.map(defused).rename(columns=defused).to_csv(
                out, index=False, errors="backslashreplace", lineterminator="\r\n"
            )
    count = table.groupby("fit")["split"].nunique().sum()
    say(f"{counted(len(table), 'row')} of {counted(count, 'fit')} written to {out}")
    return 0


def _fits(store: Store, learners: Names | None) -> Iterator[Data]:
    """Yield what each fit has predicted, beside what is true, by column."""
    targets: Any = {}
    for key, record in store.each():
        facts, arrays = record.facts, dict(record.arrays)
        if "learner" not in facts or "error" in facts:
            continue
        if learners and facts["learner"] not in learners:
            continue
        digest = facts["data"]
        if digest not in targets:
            targets[digest] = _target(store, digest)
        target, examples = targets[digest], arrays.pop("examples")
        found = {
            "learner": facts["learner"],
            "fit": key,
            "data": digest,
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
        yield found


def _target(store: Store, digest: str) -> Target:
    for record in store.find([f"{DATA}{digest}"]).values():
        classes = record.facts["classes"]
        return Target(record.arrays["values"], None if classes is None else np.array(classes))
    raise InvalidInputError(f"'{store.path}' lacks the target of its fits; run their command again")
