"""Every system call by which the file of records is written fails once, at every point, as SQLite tests itself."""

import errno
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from errbar import StoreError
from errbar._records import Record, RecordFile
from tests.failing_calls import FailingCalls

pytestmark = pytest.mark.long

NAMES = [f"fit/{i}" for i in range(30)]
SIZES = (3, 40, 700)
"""Numbers in a record: rows that share a page, and one that needs several."""

KINDS = {
    "disk full": {"error": errno.ENOSPC},
    "input/output error": {"error": errno.EIO},
    "short write": {"error": errno.ENOSPC, "short": True},
    "disk stays full": {"error": errno.ENOSPC, "lasting": True},
}


def record(name, version):
    number = NAMES.index(name)
    return Record(
        {"x": np.full(SIZES[number % 3], 1000 * number + version)},
        {"name": name, "version": version},
    )


class Work:
    """Opens, claims, writes, replaces, removes, compacts, closes and opens again; knows what may be found."""

    def __init__(self, path):
        self.path, self.file = path, None
        self.may = {name: {None} for name in NAMES}
        self.errors = []

    def do(self):
        for version in (1, 2):
            for start in (0, 10, 20) if version == 1 else (5,):
                names = NAMES[start : start + 10]
                self.step(lambda file, names=names: file.claim([[name] for name in names]))
                self.put(names, version)
            self.step(RecordFile.release)
            self.put((), version, drop=NAMES[25:28])
            self.step(RecordFile.compact)
            self.put(NAMES[12:14], version + 2)
            self.close()

    def step(self, action):
        """Do something; what goes wrong is one clear sentence, and the next step is tried all the same."""
        try:
            if self.file is None:
                self.file = RecordFile(self.path)
            action(self.file)
        except StoreError as error:
            self.errors.append(str(error))
            return False
        return True

    def put(self, names, version, drop=()):
        after = dict.fromkeys(names, version) | dict.fromkeys(drop)
        for name, value in after.items():
            self.may[name].add(value)
        if self.step(
            lambda file: file.put([(name, record(name, version)) for name in names], drop)
        ):
            self.may |= {name: {value} for name, value in after.items()}

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None

    def check(self):
        """What was acknowledged is there, and nothing that is there is wrong."""
        self.close()
        with RecordFile(self.path) as file:
            assert file.damaged() == []
            found, damaged = file.found(NAMES)
            assert damaged == []
            for name in NAMES:
                version = found[name].facts["version"] if name in found else None
                assert version in self.may[name], (name, version, self.may[name])
                if version is not None:
                    np.testing.assert_array_equal(
                        found[name].arrays["x"], record(name, version).arrays["x"]
                    )
            assert file.claim([NAMES]) == [True]
            file.put([(NAMES[0], record(NAMES[0], 9))])
        assert [place.name for place in self.path.parent.iterdir() if "-run-" in place.name] == []


def sweep(kind, stride, offset):
    """Let each call fail, the first alone, then the second, until none is left; return what failed, and how often this was said."""
    failed, told = Counter(), 0
    with FailingCalls().installed() as calls:
        number = 1 + offset
        while True:
            with TemporaryDirectory() as folder:
                work = Work(Path(folder) / "runs.db")
                calls.fail(number, **KINDS[kind])
                work.do()
                done = not calls.failed
                if not done:
                    failed[calls.names[number - 1]] += 1
                    told += bool(work.errors)
                calls.stop()
                assert all("\n" not in text for text in work.errors)
                work.check()
            if done:
                return {"failed": failed, "told": told}
            number += stride


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.slow), 11])
def test_what_was_acknowledged_is_there_and_nothing_is_wrong(kind, stride, tell):
    """In a process of its own: the calls of this one stay as they are."""
    code = f"import json; from {__name__} import sweep; print(json.dumps(sweep({kind!r}, {stride}, {stride // 2})))"
    root = Path(__file__).parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = json.loads(ended.stdout)
    tell(failures=sum(told["failed"].values()))
    assert sum(told["failed"].values()) > 200 / stride
    assert {"open", "fsync"} <= set(told["failed"])
    assert any("write" in name for name in told["failed"])
    assert told["told"] > 0
