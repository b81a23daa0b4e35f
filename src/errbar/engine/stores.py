"""Where finished fits are kept."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from errbar._records import Batch, Record, RecordFile
from errbar.engine.data import Data
from errbar.engine.work import Block
from errbar.errors import InvalidInputError, StoreError
from errbar.metrics import Target

FIT, FAILED, DATA = "fit/", "failed/", "data/"
RETRY_SECONDS = 30.0

_FACTS = ("learner", "split", "data", "seconds", "warnings", "versions", "time")
_FACTS_OF_FAILURES = ("error", "traceback")


class Store(Protocol):
    """Keeps blocks by key.

    A store that lasts beyond this process may also have `found`, which reads many keys at once and names those that are
    damaged, `claim` and `release`, with which several processes share the work, and `alike`, which finds the same fits
    under other versions of what is installed; see `errbar.SQLiteStore`.
    """

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are kept."""

    def get(self, key: str) -> Block:
        """Return the block of a key."""

    def put(self, blocks: Iterable[Block]) -> None:
        """Keep blocks; one with a known key replaces it."""


class MemoryStore:
    """Keeps finished fits in memory, so that later runs in the same process reuse them.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> store = errbar.MemoryStore()
    >>> plan = errbar.plans.KFold(folds=5)
    >>> tree = {"tree": DecisionTreeClassifier()}
    >>> errbar.run(tree, X, y, plan=plan, random_state=0, store=store).counts.fits
    5
    >>> errbar.run(tree, X, y, plan=plan, random_state=0, store=store).counts.reused
    5
    """

    def __init__(self) -> None:
        self._blocks: dict[str, Block] = {}

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are kept."""
        return {key for key in keys if key in self._blocks}

    def get(self, key: str) -> Block:
        """Return the block of a key."""
        return self._blocks[key]

    def put(self, blocks: Iterable[Block]) -> None:
        """Keep blocks; one with a known key replaces it. Failed fits are not kept."""
        for block in blocks:
            if not block.error:
                self._blocks[block.key] = block

    def __len__(self) -> int:
        """Return the number of kept fits."""
        return len(self._blocks)


class SQLiteStore(AbstractContextManager["SQLiteStore"]):
    """Keeps finished fits in one file, so that a run that was stopped goes on where it was, also on another day.

    Predictions are kept as plain bytes with type and shape, with the seconds, the warnings, and the versions of the
    libraries; of fits that failed the error. Several processes can use one file at the same time. What was committed
    survives a killed process.

    Parameters
    ----------
    path : str or Path
        The file; made where there is none.
    write : bool, default True
        Whether fits may be put into it. One that cannot be written gives those that it has.

    Raises
    ------
    InvalidInputError
        If the file is of something else, or of a newer errbar, or there is no folder for it.
    StoreError
        If it cannot be read or written.

    Examples
    --------
    >>> import errbar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> plan = errbar.plans.KFold(folds=5)
    >>> with errbar.SQLiteStore("runs.db") as store:  # doctest: +SKIP
    ...     errbar.run({"tree": DecisionTreeClassifier()}, X, y, plan=plan, random_state=0, store=store)
    """

    lasting = True

    def __init__(self, path: str | Path, *, write: bool = True) -> None:
        self._file = RecordFile(path)
        self.writable = write and self._file.writable

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are kept."""
        return {name.removeprefix(FIT) for name in self._file.done(FIT + key for key in keys)}

    def get(self, key: str) -> Block:
        """Return the block of a key."""
        return _block(key, self._file.get(FIT + key))

    def found(self, keys: Iterable[str]) -> tuple[dict[str, Block], list[str]]:
        """Return the blocks of those of the keys that are kept, and the keys whose record is not what was written."""
        records, damaged = self._file.found([FIT + key for key in keys])
        found = {name.removeprefix(FIT): record for name, record in records.items()}
        return {key: _block(key, record) for key, record in found.items()}, [
            n.removeprefix(FIT) for n in damaged
        ]

    def alike(self, keys: Iterable[str]) -> dict[str, str]:
        """Return for each key the last one that differs in the versions of what is installed only, if there is any."""
        wanted = {key.partition(".")[0]: key for key in keys}
        times: dict[str, tuple[str, str]] = {}
        for name, facts in self._file.facts():
            kept = name.removeprefix(FIT)
            key = wanted.get(kept.partition(".")[0]) if name.startswith(FIT) else None
            if key is not None:
                times[key] = max(times.get(key, ("", "")), (facts["time"], kept))
        return {key: kept for key, (_, kept) in times.items()}

    def claim(self, groups: Sequence[Sequence[str]]) -> list[bool]:
        """Tell of each group of keys whether it is this store's to do: no other that is alive has claimed any of it.

        Who claims looks afterwards whether the fits are kept by now. A claim ends when the fit is kept, by `release`,
        and with its process.
        """
        return self._file.claim([[FIT + key for key in keys] for keys in groups])

    def release(self) -> None:
        """Give up all claims."""
        self._file.release()

    def put(self, blocks: Iterable[Block]) -> None:
        """Keep blocks; one with a known key replaces it. Of failed fits the error is kept, and they are not done."""
        given = list(blocks)
        failed = [FIT + block.key for block in given if block.error]
        succeeded = [FAILED + block.key for block in given if not block.error]
        records = [
            (f"{FAILED if block.error else FIT}{block.key}", _record(block)) for block in given
        ]
        self._file.put(records, self._file.done(succeeded))
        if failed:
            self._file.release(failed)  # another process may try its luck

    def keep_target(self, digest: str, target: Target) -> None:
        """Keep the target of a data set, once, so that what was predicted can be read beside what is true."""
        name = f"{DATA}{digest}"
        if not self._file.done([name]):
            classes = (
                None if target.classes is None else [_plain(one) for one in target.classes.tolist()]
            )
            facts = {"data": digest, "classes": classes}
            self._file.put([(name, Record({"values": target.values}, facts))])

    def target(self, digest: str) -> Target | None:
        """Return the target of a data set, or None if it is not kept."""
        try:
            record = self._file.get(f"{DATA}{digest}")
        except KeyError:
            return None
        classes = record.facts["classes"]
        return Target(record.arrays["values"], None if classes is None else np.array(classes))

    def failures(self) -> list[Block]:
        """Return the fits that failed, and have not been done since, also not by another process."""
        keys = [name.removeprefix(FAILED) for name in self._names(FAILED)]
        done, found = self.done(keys), []
        for key in keys:
            with suppress(KeyError):  # another process has done it since
                found += [] if key in done else [_block(key, self._file.get(FAILED + key))]
        return found

    def blocks(self, keys: Iterable[str] | None = None) -> Iterator[Block]:
        """Yield every kept fit, or those of some keys."""
        for key in [name.removeprefix(FIT) for name in self._names(FIT)] if keys is None else keys:
            try:
                block = self.get(key)
            except KeyError:
                raise StoreError(
                    f"fit {key} of the store '{self.path}' cannot be found any more: another process has removed it, or "
                    f"the file is damaged, which errbar store verify '{self.path}' tells"
                ) from None
            yield block

    def facts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name of every record with its facts."""
        for name, facts in self._file.facts():
            # They are read without the arrays, so that no digest can tell whether they are what was written.
            if name.startswith((FIT, FAILED)) and not facts.keys() >= {*_FACTS, "versions"}:
                raise self._file._damaged_record(name)
            yield name, facts

    def verify(self, *, drop: bool = False) -> list[str]:
        """Return the names of the records that are not what was written, and drop them if asked to; none if all are sound."""
        return self._file.damaged(drop=drop)

    def prune(self, names: Sequence[str]) -> None:
        """Remove records by name and give the room back."""
        self._file.drop(names)
        self._file.compact()

    def info(self) -> dict[str, Any]:
        """Return what the file holds: fits by learner, failures, data sets, versions, seconds, and bytes."""
        learners: Counter[str] = Counter()
        seconds: Counter[str] = Counter()
        data, versions = set(), set()
        others = 0
        for name, facts in self.facts():
            if not name.startswith((FIT, FAILED, DATA)):
                others += 1
            elif name.startswith(FIT):
                learners[facts["learner"]] += 1
                seconds[facts["learner"]] += facts["seconds"]
                data.add(facts["data"])
                versions.add(json.dumps(facts["versions"], sort_keys=True))
        return {
            "path": str(self.path),
            "bytes": self._file.size(),
            "fits": sum(learners.values()),
            "failed": len(self.failures()),
            "replicates": others,
            "learners": [
                {"name": n, "fits": c, "seconds": round(seconds[n], 3)}
                for n, c in sorted(learners.items())
            ],
            "data": sorted(data),
            "versions": [json.loads(text) for text in sorted(versions)],
        }

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __len__(self) -> int:
        """Return the number of kept fits."""
        return len(self._names(FIT))

    def __exit__(self, *error: object) -> None:
        """Let go of the file."""
        self.close()

    def _names(self, prefix: str) -> list[str]:
        return [name for name in self._file.names() if name.startswith(prefix)]


class Writer(Batch):
    """The one who writes finished fits: in batches, and what is left at the end, whatever happens.

    Where the store cannot be written any more, a full disk for instance, the run goes on without it; what was not
    written is tried again now and then and at the end, and `problem` says what was wrong.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.problem: StoreError | None = None

    @property
    def lost(self) -> int:
        """Number of fits that could not be written."""
        return len(self._waiting) if self.problem else 0

    def _due(self) -> bool:
        hopeful = self.problem is None or time.monotonic() - self._since >= RETRY_SECONDS
        return not is_lasting(self._place) or (hopeful and super()._due())

    def flush(self) -> None:
        """Write what has been taken."""
        waiting = self._waiting
        try:
            super().flush()
        except StoreError as error:
            self._waiting, self.problem = waiting, error
        else:
            self.problem = None


def is_lasting(store: Any) -> bool:
    """Tell whether a store keeps fits for later processes, and may be used by several at the same time."""
    return bool(getattr(store, "lasting", False))


def opened(store: Any) -> AbstractContextManager[Store]:
    """Return a context with a usable store; one that is opened here is closed at the end."""
    if store is None:
        return nullcontext(MemoryStore())
    if isinstance(store, (str, PathLike)):
        return SQLiteStore(Path(store))
    if not all(hasattr(store, name) for name in ("done", "get", "put")):
        raise InvalidInputError(
            f"must be the name of a file, or a store such as errbar.MemoryStore(), got {store!r}",
            argument="store",
        )
    return nullcontext(store)


def found(store: Any, keys: Iterable[str]) -> tuple[dict[str, Block], list[str]]:
    """Return the blocks that a store has of some keys, and the keys of those that are damaged."""
    if hasattr(store, "found"):
        known: tuple[dict[str, Block], list[str]] = store.found(keys)
        return known
    return {key: store.get(key) for key in store.done(keys)}, []


def keep_target(store: Any, data: Data) -> None:
    """Let a store that can keep the target of a data set do so; fits are kept, or not, all the same."""
    if hasattr(store, "keep_target") and getattr(store, "writable", True):
        with suppress(StoreError):
            store.keep_target(data.digest, data.target)


def _plain(label: Any) -> Any:
    """Return a label as JSON and text files can hold it."""
    text = label if isinstance(label, str) else None
    text = label.decode(errors="backslashreplace") if isinstance(label, bytes) else text
    return label if text is None else text.encode(errors="backslashreplace").decode()


def _record(block: Block) -> Record:
    names = (*_FACTS, *_FACTS_OF_FAILURES) if block.error else _FACTS
    facts = {name: getattr(block, name) for name in names}
    arrays = {
        "examples": block.examples,
        **{f"p/{kind}": values for kind, values in block.predictions.items()},
    }
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Record(
        {} if block.error else arrays, facts | {"seconds": round(block.seconds, 6), "time": now}
    )


def _block(key: str, record: Record) -> Block:
    facts, arrays = record.facts, dict(record.arrays)
    examples = arrays.pop("examples", np.empty(0, dtype=np.int32))
    predictions = {name.removeprefix("p/"): values for name, values in arrays.items()}
    told = {name: facts[name] for name in (*_FACTS, *_FACTS_OF_FAILURES) if name in facts}
    told["warnings"] = tuple(told["warnings"])
    return Block(key=key, examples=examples, predictions=predictions, **told)
