"""Claims: processes on one file do no work twice, and what a dead one had begun is free at once."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from errbar import StoreError
from errbar._records import Record, RecordFile


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a [1]?.db"


def put(file, *names):
    file.put([(name, Record({"x": np.arange(3)})) for name in names])


def beside(path):
    return [place for place in path.parent.iterdir() if place.name.startswith(f"{path.name}-run-")]


def claimed(path):
    with sqlite3.connect(path) as database:
        return database.execute("SELECT count(*) FROM claim").fetchone()[0]


class TestTwoInOneProcess:
    def test_a_group_is_granted_whole_or_not_at_all(self, path):
        with RecordFile(path) as one, RecordFile(path) as other:
            assert one.claim([["a", "b"], ["c"]]) == [True, True]
            assert other.claim([["b", "d"], ["e"], ["c"], []]) == [False, True, False, True]
            assert one.claim([["d"], ["e"], ["a", "b", "c"]]) == [True, False, True]

    def test_what_is_put_or_dropped_is_claimed_no_longer(self, path):
        with RecordFile(path) as one, RecordFile(path) as other:
            one.claim([["a"], ["b"], ["c"]])
            put(one, "a")
            one.put([], drop=["b"])
            assert other.claim([["a"], ["b"], ["c"]]) == [True, True, False]
            assert other.done(["a", "b", "c"]) == {"a"}

    def test_release(self, path):
        with RecordFile(path) as one, RecordFile(path) as other:
            one.release()
            one.claim([["a"], ["b"], ["c"]])
            other.claim([["d"]])
            other.release(["a"])
            assert other.claim([["a"]]) == [False]
            one.release(["a", "d"])
            assert other.claim([["a"], ["b"]]) == [True, False]
            assert one.claim([["d"]]) == [False]
            one.release()
            assert other.claim([["b"], ["c"]]) == [True, True]

    def test_closing_leaves_nothing(self, path):
        with RecordFile(path) as one, RecordFile(path) as other:
            one.claim([["a"]])
            other.claim([["b"]])
            assert len(beside(path)) == 2
            one.close()
            one.close()
            assert len(beside(path)) == 1
            assert other.claim([["a"]]) == [True]
        assert beside(path) == []
        assert claimed(path) == 0

    def test_looking_makes_no_file(self, path):
        with RecordFile(path) as file:
            put(file, "a")
            file.release()
            assert beside(path) == []

    def test_damaged_owners_are_dead_and_nothing_else_is_touched(self, path, tmp_path):
        (tmp_path / "mine").mkdir()
        other = tmp_path / "mine" / "file"
        other.write_text("mine")
        owners = [
            f"/../../{tmp_path.name}/mine/file",
            "../mine/file",
            b"\xff",
            7,
            "",
            "\0",
            "deadbeef",
        ]
        with RecordFile(path) as file:
            put(file, "a")
            file.claim([["a"]])
            for owner in owners:
                with sqlite3.connect(path) as database:
                    database.execute("UPDATE claim SET owner = ?", [owner])
                assert file.claim([["a"]]) == [True]
        assert other.read_text() == "mine"

    def test_the_current_folder_may_change(self, path, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with RecordFile(path.name) as one, RecordFile(path) as other:
            monkeypatch.chdir("/")
            assert one.claim([["a"]]) == [True]
            assert other.claim([["a"]]) == [False]
        assert beside(path) == []


_WORKER = """
import sys
import numpy as np
from errbar._records import Record, RecordFile
names = [f"n{i}" for i in range(int(sys.argv[2]))]
print("up", flush=True)
sys.stdin.readline()
with RecordFile(sys.argv[1]) as file:
    left = names
    while left:
        refused = []
        for start in range(0, len(left), 3):
            group = left[start : start + 3]
            if file.claim([group])[0]:
                found, damaged = file.found(group)
                assert not damaged
                mine = [name for name in group if name not in found]
                for name in mine:
                    print(name, flush=True)
                file.put((name, Record({"x": np.full(20, int(name[1:]))})) for name in mine)
                file.release(group)
            else:
                refused += group
        left = refused
"""

_HOLDER = """
import sys
from errbar._records import RecordFile
file = RecordFile(sys.argv[1])
print(file.claim([["a"], ["b", "c"]]), flush=True)
sys.stdin.readline()
"""


def start(code, *words):
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class TestProcesses:
    @pytest.mark.parametrize("count", [2, 4])
    def test_share_all_names_and_do_none_twice(self, path, count):
        RecordFile(path).close()
        workers = [start(_WORKER, path, 400) for _ in range(count)]
        assert {worker.stdout.readline() for worker in workers} == {"up\n"}
        for worker in workers:
            worker.stdin.write("go\n")
            worker.stdin.flush()
        done = [worker.communicate()[0].split() for worker in workers]
        assert [worker.returncode for worker in workers] == [0] * count
        assert Counter(name for own in done for name in own) == Counter(f"n{i}" for i in range(400))
        with RecordFile(path) as file:
            assert len(file) == 400
        assert beside(path) == []
        assert claimed(path) == 0

    @pytest.mark.unix
    def test_a_killed_one_hands_its_claims_over_at_once(self, path):
        with RecordFile(path) as file:
            file.claim([["mine"]])
            for _ in range(5):
                holder = start(_HOLDER, path)
                assert holder.stdout.readline() == "[True, True]\n"
                assert file.claim([["a"], ["c"], ["d"]]) == [False, False, True]
                holder.send_signal(signal.SIGKILL)
                holder.wait()
                assert len(beside(path)) == 2
                assert file.claim([["a"], ["b", "c"]]) == [True, True]
                assert len(beside(path)) == 1
                file.release()
                holder.communicate()

    def test_what_a_killed_one_leaves_is_removed_by_the_next(self, path):
        holder = start(_HOLDER, path)
        holder.stdout.readline()
        holder.kill()
        holder.communicate()
        assert len(beside(path)) == 1
        with RecordFile(path) as file:
            file.claim([["other"]])
            assert len(beside(path)) == 1
        assert beside(path) == []

    @pytest.mark.unix
    def test_a_forked_child_neither_holds_nor_releases(self, path):
        """It may close everything, or outlive its parent."""
        with RecordFile(path) as file:
            file.claim([["mine"]])
            child = multiprocessing.get_context("fork").Process(target=_close, args=(file,))
            child.start()
            child.join()
            assert child.exitcode == 0
            holder = start(_HOLDER.replace('["a"]', '["mine"]'), path)
            assert holder.stdout.readline() == "[False, True]\n"
            holder.communicate("\n")
            assert file.claim([["b"]]) == [True]
            assert len(beside(path)) == 1
            put(file, "mine")
            assert file.done(["mine"]) == {"mine"}

    @pytest.mark.unix
    def test_a_child_that_outlives_a_killed_parent_holds_nothing(self, path):
        parent = start(_PARENT, path)
        child = int(parent.stdout.readline())
        try:
            os.kill(parent.pid, signal.SIGKILL)
            parent.wait()
            os.kill(child, 0)
            with RecordFile(path) as file:
                assert file.claim([["a"]]) == [True]
        finally:
            os.kill(child, signal.SIGKILL)
            parent.communicate()


def _close(file):
    """What a child does with what it has inherited; it ends with status 0 if every use is refused."""
    for use in (
        lambda: file.claim([["b"]]),
        lambda: put(file, "b"),
        lambda: file.done(["b"]),
        file.release,
    ):
        with pytest.raises(StoreError):
            use()
    file.close()
    del file._owner._lock, file._database


_PARENT = """
import os, sys, time
from errbar._records import RecordFile
file = RecordFile(sys.argv[1])
file.claim([["a"]])
child = os.fork()
if child == 0:
    time.sleep(600)
print(child, flush=True)
sys.stdin.readline()
"""


class TestReadOnly:
    @pytest.fixture
    def place(self, tmp_path):
        """A small disk in memory, and a way to make it read-only."""
        folder = tmp_path / "disk"
        folder.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, text=True, check=False
        )
        if mounted.returncode:
            pytest.skip(f"this user cannot mount a disk: {mounted.stderr.strip()}")
        yield folder
        subprocess.run(["umount", folder], check=True)

    @staticmethod
    def freeze(place):
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)

    def test_what_is_there_is_read_and_everything_granted(self, place):
        with RecordFile(place / "r.db") as file:
            assert file.writable
            put(file, "a", "b")
        self.freeze(place)
        with RecordFile(place / "r.db") as one, RecordFile(place / "r.db") as other:
            assert not one.writable
            assert set(one.found(["a", "b", "c"])[0]) == {"a", "b"}
            assert one.damaged() == []
            for file in (one, other):
                assert file.claim([["a"], ["b", "c"]]) == [True, True]
                file.release()
            with pytest.raises(StoreError):
                put(one, "c")
        with pytest.raises(StoreError):
            RecordFile(place / "new.db")

    @pytest.mark.parametrize("index", [True, False])
    def test_a_log_that_is_not_merged_is_read_or_said(self, place, index):
        """A killed process leaves its log, and an index of it; without the index it cannot be read where it is."""
        holder = start(_HOLDER, place / "r.db")
        holder.stdout.readline()
        with RecordFile(place / "r.db") as file:
            put(file, "a")
        holder.kill()
        holder.communicate()
        assert (place / "r.db-wal").stat().st_size > 0
        if not index:
            (place / "r.db-shm").unlink()
        self.freeze(place)
        if index:
            with RecordFile(place / "r.db") as file:
                assert set(file.found(["a"])[0]) == {"a"}
                assert file.claim([["a"]]) == [True]
        else:
            with pytest.raises(StoreError):
                RecordFile(place / "r.db")
