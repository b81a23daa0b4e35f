"""The file of named records: what is put is there, whatever happens next."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from errbar import InvalidInputError, StoreError
from errbar._records import BATCH_RECORDS, Batch, Record, RecordFile
from tests.refusals import refused


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.db"


arrays = st.one_of(
    hnp.arrays(kind, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    for kind in (
        np.float64,
        np.float32,
        np.int64,
        np.uint8,
        np.bool_,
        np.complex128,
        np.dtype(">f8"),
    )
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=5), arrays, max_size=3))
def test_arrays_come_back_as_they_were(tmp_path_factory, given_arrays):
    with RecordFile(tmp_path_factory.mktemp("r") / "r.db") as file:
        file.put([("a", Record(given_arrays, {"fact": [1, None, "x"]}))])
        found = file.get("a")
    assert list(found.arrays) == list(given_arrays)
    for name, array in given_arrays.items():
        back = found.arrays[name]
        assert back.shape == array.shape
        assert back.dtype.kind == array.dtype.kind
        np.testing.assert_array_equal(back, array)
    assert found.facts == {"fact": [1, None, "x"]}


def test_records_survive_closing_and_replace_each_other(path):
    with RecordFile(path) as file:
        file.put((f"n{i}", Record({"x": np.array([i])})) for i in range(1200))
    with RecordFile(path) as file:
        assert len(file) == 1200
        assert file.done(f"n{i}" for i in range(5000)) == {f"n{i}" for i in range(1200)}
        file.put([("n3", Record({"x": np.array([-1])}))])
        assert file.get("n3").arrays["x"].tolist() == [-1]
        assert len(file) == 1200
        assert next(iter(file.names())) == "n0"
        with pytest.raises(KeyError):
            file.get("other")


def test_many_are_read_at_once_and_damaged_ones_named(path):
    """Absent ones are neither found nor damaged; what is put again is found again."""
    names = [f"n{i}" for i in range(3000)]
    with RecordFile(path) as file:
        file.put((name, Record({"x": np.array([i])}, {"i": i})) for i, name in enumerate(names))
        found, damaged = file.found([*names, "other"])
        assert list(found) == names
        assert damaged == []
        assert all(
            found[f"n{i}"].arrays["x"][0] == found[f"n{i}"].facts["i"] == i for i in range(3000)
        )
        database = sqlite3.connect(path)
        database.execute("UPDATE record SET facts = '{}' WHERE name = 'n3'")
        database.execute("UPDATE record SET name = 'n5' WHERE name = 'n4'")
        database.commit()
        database.close()
        found, damaged = file.found([*names, "other"])
        assert damaged == ["n3", "n4"]
        assert len(found) == 2998
        for name in damaged:
            with pytest.raises(StoreError):
                file.get(name)
        with pytest.raises(StoreError):
            list(file.facts())
        file.put([("n3", Record({"x": np.array([3])}))])
        assert file.damaged(drop=True) == ["n5"]
        assert file.found(names)[1] == file.damaged() == []
        assert len(file) == len(list(file.names())) == 2999


def test_no_index_stands_between_a_name_and_its_record(path):
    RecordFile(path).close()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT type FROM sqlite_master").fetchall() == [
            ("table",),
            ("table",),
        ]


def test_a_transaction_is_whole_or_not_at_all(path):
    with RecordFile(path) as file:
        with pytest.raises(TypeError):
            file.put(
                [("a", Record({"x": np.array([1])})), ("b", Record({"x": np.array(["text"])}))]
            )
        assert len(file) == 0


def test_batches_are_handed_over_when_full_and_at_the_end_even_after_an_error(path):
    with RecordFile(path) as file:
        with pytest.raises(RuntimeError), Batch(file) as batch:
            for i in range(BATCH_RECORDS + 3):
                batch.put((str(i), Record({"x": np.array(i)})))
            assert len(file) == BATCH_RECORDS
            raise RuntimeError
        assert len(file) == BATCH_RECORDS + 3


class TestWrongFiles:
    def test_folder(self, tmp_path):
        with pytest.raises(InvalidInputError):
            RecordFile(tmp_path)

    def test_missing_folder(self, tmp_path):
        with pytest.raises(InvalidInputError):
            RecordFile(tmp_path / "none" / "r.db")

    def test_text(self, path):
        path.write_text("n,score\n1,2\n" * 100)
        with pytest.raises(StoreError):
            RecordFile(path)

    def test_database_of_something_else(self, path):
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE t (x)")
        other.commit()
        other.close()
        with refused("store"):
            RecordFile(path)

    def test_newer_version(self, path):
        RecordFile(path).close()
        newer = sqlite3.connect(path)
        newer.execute("PRAGMA user_version = 99")
        newer.commit()
        newer.close()
        with pytest.raises(InvalidInputError):
            RecordFile(path)

    def test_the_first_version(self, path):
        older = sqlite3.connect(path)
        older.execute(
            "CREATE TABLE record (name TEXT PRIMARY KEY, facts TEXT, layout TEXT, body BLOB, digest BLOB)"
        )
        older.execute("PRAGMA application_id = 1701999202")
        older.execute("PRAGMA user_version = 1")
        older.commit()
        older.close()
        content = path.read_bytes()
        with refused("store"):
            RecordFile(path)
        assert path.read_bytes() == content

    def test_a_store_without_its_table(self, path):
        RecordFile(path).close()
        with sqlite3.connect(path) as database:
            database.execute("DROP TABLE record")
        with RecordFile(path) as file:
            for use in (
                lambda: file.get("a"),
                lambda: file.put([("a", Record())]),
                lambda: len(file),
                file.damaged,
            ):
                with pytest.raises(StoreError):
                    use()

    def test_a_changed_byte_is_noticed(self, path):
        marked = np.full(200, 0.123456789)
        with RecordFile(path) as file:
            file.put([("a", Record({"x": marked}))])
        # The write-ahead log is merged into the file when the last connection closes.
        content = bytearray(path.read_bytes())
        place = content.find(marked[:1].tobytes())
        content[place] ^= 0xFF
        path.write_bytes(content)
        with RecordFile(path) as file, pytest.raises(StoreError):
            file.get("a")


def _write(path, start):
    with RecordFile(path) as file, Batch(file) as batch:
        for i in range(start, start + 300):
            batch.put((f"n{i}", Record({"x": np.array([i])})))


def test_two_processes_write_at_the_same_time(path):
    RecordFile(path).close()
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, start)) for start in (0, 150)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    with RecordFile(path) as file:
        assert len(file) == 450
        assert all(file.get(f"n{i}").arrays["x"][0] == i for i in range(450))


_WRITER = """
import sys, numpy as np
from errbar._records import Record, RecordFile
with RecordFile(sys.argv[1]) as file:
    i = len(file)
    while True:
        file.put([(f"n{i}", Record({"x": np.full(1000, i)}))])
        print(i, flush=True)
        i += 1
"""


@pytest.mark.long
@pytest.mark.unix
def test_what_was_acknowledged_is_there_after_a_kill(path, rng):
    """A writer says a number after each record; killed at any moment, no number it has said may be missing."""
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        first = int(writer.stdout.readline())
        time.sleep(float(rng.uniform(0.0, 0.05)))
        os.kill(writer.pid, signal.SIGKILL)
        said = [first, *(int(line) for line in writer.stdout.read().split("\n") if line)]
        writer.wait()
        writer.stdout.close()
        with RecordFile(path) as file:
            assert file.done(f"n{i}" for i in said) == {f"n{i}" for i in said}
            assert all((file.get(name).arrays["x"] == int(name[1:])).all() for name in file.names())
