"""Bits of the file, or of its log, that are not what was written: never another number, never a raw exception."""

import sqlite3
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from errbar import InvalidInputError, StoreError
from errbar._packing import place_of
from errbar._records import PAGE, Record, RecordFile
from errbar._rescue import rescue

pytestmark = pytest.mark.long

COUNT = 300
NAMES = [f"fit/{i:03}" for i in range(COUNT)]
INTERIOR, LEAF = 5, 13


def record(i):
    """A row that shares a page with others, or one that needs pages of its own; every one is different."""
    size = 1500 if i % 20 == 0 else 20 + i % 50
    return Record(
        {"x": np.arange(size) * 1000 + i, "y": np.full(3, i / 7)}, {"i": i, "warnings": []}
    )


def plain(one):
    return {name: array.tobytes() for name, array in one.arrays.items()}, one.facts


WRITTEN = {name: plain(record(i)) for i, name in enumerate(NAMES)}


def is_written(name, found):
    return plain(found) == WRITTEN[name]


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The bytes of a file, and those of one whose records stand in the log, with the log."""
    place = tmp_path_factory.mktemp("sound")
    with RecordFile(place / "merged.db") as file:
        file.put((name, record(i)) for i, name in enumerate(NAMES))
        file.claim([["one"], ["other"]])
        file.put([])
        open_file = RecordFile(place / "open.db")
        open_file.put((name, record(i)) for i, name in enumerate(NAMES))
        log = (place / "open.db-wal").read_bytes()
        short = (place / "open.db").read_bytes()
        open_file.close()
    return (place / "merged.db").read_bytes(), short, log


def assert_clear(error, path):
    text = str(error)
    assert "\n" not in text


def assert_only_explained(path, action):
    try:
        action()
    except StoreError as error:
        assert_clear(error, path)


def ask(path):
    """Do everything that a run does; return what became of it. What is found is what was written."""
    try:
        with RecordFile(path) as file:
            found, damaged = file.found(NAMES)
            assert all(is_written(name, one) for name, one in found.items())
            assert not found.keys() & set(damaged)
            missing = [name for name in NAMES if name not in found]
            for name in missing[:3]:
                with pytest.raises((StoreError, KeyError)):
                    file.get(name)
            said = "sound" if not missing else "damaged"
            # The others are done again, and put where the damaged ones are.
            file.claim([[name] for name in missing])
            file.put((name, record(NAMES.index(name))) for name in missing)
            again, _ = file.found(NAMES)
            assert all(is_written(name, one) for name, one in again.items())
            if len(again) < COUNT:
                said = "put in vain"
            assert_only_explained(path, lambda: list(file.facts()))
            assert_only_explained(path, lambda: file.damaged(drop=True))
    except (StoreError, InvalidInputError) as error:
        assert_clear(error, path)
        return "refused"
    return said


def flipped(content, bits):
    changed = bytearray(content)
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def pages(content, kind):
    """Return where pages of a kind start, but the first."""
    return [start for start in range(PAGE, len(content), PAGE) if content[start] == kind]


def cells(content, start):
    """Return where the cells of a page of a table are, as SQLite's format of files says."""
    head = 12 if content[start] == INTERIOR else 8
    count = int.from_bytes(content[start + 3 : start + 5])
    at = range(start + head, start + head + 2 * count, 2)
    return [start + int.from_bytes(content[i : i + 2]) for i in at]


def varint(content, start):
    """Return the number of bytes of a number."""
    length = 1
    while length < 9 and content[start + length - 1] & 0x80:
        length += 1
    return length


def bits_of_places(content):
    """Return the bits of the numbers by which rows are found: in the pages that lead to others, and in the rows."""
    bits = []
    for kind in (INTERIOR, LEAF):
        for start in pages(content, kind):
            for cell in cells(content, start):
                first = cell + (4 if kind == INTERIOR else varint(content, cell))
                bits += range(8 * first, 8 * (first + varint(content, first)))
    return bits


def check_flips(path, content, log, choices, rng):
    """Flip bits one at a time; none gives another record."""
    said = Counter(dict.fromkeys(("sound", "damaged", "refused", "put in vain"), 0))
    for number in choices:
        path.write_bytes(content)
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        if log is None:
            path.write_bytes(flipped(content, [int(number)]))
        else:
            path.with_name(f"{path.name}-wal").write_bytes(flipped(log, [int(number)]))
        said[ask(path)] += 1
    return said


COUNTS = [pytest.param(1, marks=pytest.mark.slow), 40]
"""How many times fewer than in the long run."""


@pytest.mark.parametrize("fewer", COUNTS)
class TestOneBit:
    def test_of_the_numbers_by_which_rows_are_found(self, contents, tmp_path, rng, fewer, tell):
        content = contents[0]
        bits = bits_of_places(content)
        assert len(bits) > 60 * COUNT
        said = check_flips(tmp_path / "a.db", content, None, rng.choice(bits, 1500 // fewer), rng)
        tell(flips=said.total(), **said)
        assert said["refused"] + said["damaged"] > 0
        assert said["damaged"] > 600 / fewer

    def test_of_pages_that_lead_to_others(self, contents, tmp_path, rng, fewer, tell):
        content = contents[0]
        used = [
            bit
            for start in pages(content, INTERIOR)
            for cell in cells(content, start)
            for bit in [*range(8 * start, 8 * start + 8 * 40), *range(8 * cell, 8 * cell + 104)]
        ]
        said = check_flips(tmp_path / "a.db", content, None, rng.choice(used, 1500 // fewer), rng)
        tell(flips=said.total(), **said)
        assert said["refused"] + said["damaged"] > 500 / fewer

    def test_anywhere(self, contents, tmp_path, rng, fewer, tell):
        content = contents[0]
        said = check_flips(
            tmp_path / "a.db", content, None, rng.integers(0, 8 * len(content), 1000 // fewer), rng
        )
        tell(flips=said.total(), **said)
        assert said["damaged"] > 300 / fewer

    def test_of_the_first_page(self, contents, tmp_path, rng, fewer, tell):
        said = check_flips(
            tmp_path / "a.db", contents[0], None, rng.integers(0, 8 * 100, 400 // fewer), rng
        )
        tell(flips=said.total(), **said)
        assert said["refused"] > 10 / fewer

    def test_of_the_log(self, contents, tmp_path, rng, fewer, tell):
        """What follows a damaged part of the log is not used."""
        _, short, log = contents
        assert len(log) > 300_000
        said = check_flips(
            tmp_path / "a.db", short, log, rng.integers(0, 8 * len(log), 300 // fewer), rng
        )
        tell(flips=said.total(), **said)
        assert said["damaged"] > 100 / fewer


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_many_bits(contents, tmp_path_factory, data):
    """Whatever else can be read stays, in the file and in what is rescued from it."""
    content = contents[0]
    bits = data.draw(st.lists(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=60))
    path = tmp_path_factory.mktemp("many") / "a.db"
    path.write_bytes(flipped(content, bits))
    try:
        rescue(path, path.with_name("new.db"))
    except StoreError:
        pass
    else:
        with RecordFile(path.with_name("new.db")) as file:
            found, damaged = file.found(NAMES)
            assert damaged == []
            assert len(found) == len(file) >= COUNT - 4 * len(bits)
            assert all(is_written(name, one) for name, one in found.items())
    ask(path)


@settings(max_examples=40, deadline=None)
@given(
    pair=st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)).filter(
        lambda pair: pair[0] != pair[1]
    ),
    columns=st.sets(
        st.sampled_from(["id", "name", "facts", "layout", "digest", "body"]), min_size=1, max_size=5
    ),
)
def test_swapped_columns_of_two_rows_are_noticed(contents, tmp_path_factory, pair, columns):
    """Whatever is swapped, short of the whole row, is no longer what was written under either name."""
    path = tmp_path_factory.mktemp("swapped") / "a.db"
    path.write_bytes(contents[0])
    names = [NAMES[i] for i in pair]
    database = sqlite3.connect(path)
    keys = ("id", "name", "facts", "layout", "digest", "body")
    rows = [
        dict(
            zip(
                keys,
                database.execute("SELECT * FROM record WHERE id = ?", [place_of(name)]).fetchone(),
                strict=True,
            )
        )
        for name in names
    ]
    swapped = [
        one | {key: other[key] for key in columns}
        for one, other in zip(rows, reversed(rows), strict=True)
    ]
    changed = [new for new, old in zip(swapped, rows, strict=True) if new != old]
    database.executemany("DELETE FROM record WHERE id = ?", [(row["id"],) for row in rows])
    database.executemany(f"INSERT INTO record VALUES (:{', :'.join(keys)})", swapped)
    database.commit()
    database.close()
    with RecordFile(path) as file:
        found, damaged = file.found(NAMES)
        assert len(changed) == 2
        same = columns == {"layout"} and rows[0]["layout"] == rows[1]["layout"]
        assert same or sorted(damaged) == sorted(names)
        assert set(found) == set(NAMES) - set(damaged)
        assert len(file.damaged(drop=True)) == len(damaged)
        assert file.damaged() == []
        file.put((name, record(NAMES.index(name))) for name in damaged)
        assert len(file.found(NAMES)[0]) == len(file) == COUNT
