"""The two data sets: whole from the files of the UCI repository, in excerpts, and what is said when that fails."""

import bz2
import gzip
import hashlib
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest

from errbar.errors import InvalidInputError
from errbar_lab.loaders import binary_covertype, binary_letter, load_covertype, load_letter
from errbar_lab.populations import FinitePopulation
from tests.refusals import refused

pytestmark = pytest.mark.long

DATA = os.environ.get("ERRBAR_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="ERRBAR_DATA does not name a folder with the files of the UCI repository"
)

# The documentation of the data sets gives these numbers.
COUNTS = (
    "A 789, B 766, C 736, D 805, E 768, F 775, G 773, H 734, I 755, J 747, K 739, L 761, M 792, "
    "N 783, O 753, P 803, Q 783, R 758, S 748, T 796, U 813, V 764, W 752, X 787, Y 786, Z 734"
)
LETTER_COUNTS = {pair[0]: int(pair[2:]) for pair in COUNTS.split(", ")}
COVERTYPE_COUNTS = {1: 211_840, 2: 283_301, 3: 35_754, 4: 2_747, 5: 9_493, 6: 17_367, 7: 20_510}


def letters(rows=50):
    """Lines of made-up letters."""
    rng = np.random.default_rng(1)
    lines = rng.integers(0, 16, (rows, 16)).tolist()
    return [",".join(["AMNZT"[i % 5], *map(str, line)]) for i, line in enumerate(lines)]


def forests(rows=50):
    """Lines of made-up patches of forest."""
    rng = np.random.default_rng(2)
    measured, marks = rng.integers(-170, 7200, (rows, 10)), rng.integers(0, 2, (rows, 44))
    return [",".join(map(str, [*measured[i], *marks[i], i % 7 + 1])) for i in range(rows)]


SETS = {
    "letter": (load_letter, letters, "letter-recognition.data"),
    "covertype": (load_covertype, forests, "covtype.data"),
}
each_set = pytest.mark.parametrize(("load", "lines", "file"), SETS.values(), ids=SETS)


def text(lines):
    return "".join(f"{line}\n" for line in lines)


def counts(population):
    return dict(zip(population.classes.tolist(), np.bincount(population.y).tolist(), strict=True))


@pytest.fixture(scope="module", name="letter")
def whole_letter():
    return load_letter()


@needs_data
class TestLetter:
    def test_size_and_classes_are_the_published_ones(self, letter):
        assert (letter.name, letter.X.shape) == ("Letter", (20_000, 16))
        assert counts(letter) == LETTER_COUNTS
        assert letter.task == "classification"

    def test_every_value_is_that_of_the_file(self, letter):
        with lzma.open(Path(DATA) / "letter-recognition.data.xz", "rt") as file:
            rows = [line.strip().split(",") for line in file]
        assert [row[0] for row in rows] == letter.classes[letter.y].tolist()
        assert np.array_equal(np.array([row[1:] for row in rows], dtype=int), letter.X)
        again = FinitePopulation(
            [[float(value) for value in row[1:]] for row in rows], [row[0] for row in rows]
        )
        assert again.digest == letter.digest

    def test_two_groups_of_letters(self, letter):
        binary = binary_letter(letter)
        assert binary.name == "Letter A-M v N-Z"
        assert counts(binary) == {"A-M": 9940, "N-Z": 10_060}
        assert binary.X is letter.X


@pytest.fixture(scope="module", name="covertype")
def whole_covertype():
    return load_covertype(DATA)


@needs_data
class TestCoverType:
    def test_size_and_classes_are_the_published_ones(self, covertype):
        assert (covertype.name, covertype.X.shape, covertype.X.dtype) == (
            "CoverType",
            (581_012, 54),
            np.int16,
        )
        assert counts(covertype) == COVERTYPE_COUNTS

    def test_the_features_are_the_published_ones(self, covertype):
        # Elevation and distances in metres; one area of wilderness and one soil per patch.
        assert (covertype.X[:, 0].min(), covertype.X[:, 0].max()) == (1859, 3858)
        assert (covertype.X[:, 4].min(), covertype.X[:, 4].max()) == (-173, 601)
        assert (covertype.X[:, 10:14].sum(axis=1) == 1).all()
        assert (covertype.X[:, 14:].sum(axis=1) == 1).all()

    def test_one_class_against_the_others(self, covertype):
        binary = binary_covertype(covertype)
        assert binary.name == "CoverType 2 v rest"
        assert counts(binary) == {"2": 283_301, "rest": 297_711}
        assert np.shares_memory(binary.X, covertype.X)


@each_set
class TestExcerpts:
    @pytest.mark.parametrize(
        ("suffix", "opener"),
        [("", open), (".xz", lzma.open), (".gz", gzip.open), (".bz2", bz2.open), (".csv", open)],
    )
    def test_every_way_to_store_a_file_gives_the_same(
        self, load, lines, file, suffix, opener, tmp_path
    ):
        with opener(tmp_path / f"{file}{suffix}", "wt") as target:
            target.write(text(lines()))
        (tmp_path / "plain").write_text(text(lines()))
        population = load(tmp_path / f"{file}{suffix}")
        assert population.digest == load(str(tmp_path / "plain")).digest
        assert population.size == 50
        if suffix != ".csv":
            assert population.digest == load(tmp_path).digest

    def test_a_file_with_fewer_examples_says_so(self, load, lines, file, tmp_path):
        (tmp_path / file).write_text(text(lines()))
        whole = {
            "letter-recognition.data": "Letter (50 of 20000",
            "covtype.data": "CoverType (50 of 581012",
        }[file]
        assert load(tmp_path).name == f"{whole} examples)"

    def test_empty_lines_and_other_ends_of_lines_are_harmless(self, load, lines, file, tmp_path):
        (tmp_path / file).write_text(text(lines()))
        (tmp_path / "other").write_bytes("\r\n".join([*lines(), "", ""]).encode())
        assert load(tmp_path / file).digest == load(tmp_path / "other").digest

    def test_the_environment_names_a_folder(self, load, lines, file, tmp_path, monkeypatch):
        (tmp_path / file).write_text(text(lines()))
        monkeypatch.setenv("ERRBAR_DATA", str(tmp_path))
        assert load().digest == load(tmp_path / file).digest


class TestWrongFiles:
    @pytest.fixture
    def refused(self, tmp_path):
        def refused(load, content, name="wrong.data"):
            path = tmp_path / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            with pytest.raises(InvalidInputError):
                load(path)

        return refused

    @each_set
    def test_the_other_file(self, refused, load, lines, file):
        refused(load, text(forests() if lines is letters else letters()))

    @each_set
    def test_a_line_that_is_too_short_or_too_long(self, refused, load, lines, file):
        rows = lines()
        refused(load, text([*rows[:4], rows[4].rpartition(",")[0]]))
        refused(load, text([*rows[:2], rows[2] + ",1"]))
        refused(load, text(["x", *rows]))

    @each_set
    @pytest.mark.parametrize(
        "value", ["x", "", "1.5", "nan", "40000", "99999999999999999999", "1 2"]
    )
    def test_a_value_that_is_no_whole_number(self, refused, load, lines, file, value):
        rows = lines()
        values = rows[3].split(",")
        values[5] = value
        refused(load, text([*rows[:3], ",".join(values)]))

    @pytest.mark.parametrize(
        ("column", "value"),
        [(0, "a"), (0, "1"), (0, "AB"), (0, ""), (0, " ")],
    )
    def test_a_letter_that_cannot_be(self, refused, column, value):
        rows = [line.split(",") for line in letters()]
        rows[6][column] = value
        refused(load_letter, text(",".join(row) for row in rows))

    @pytest.mark.parametrize(("column", "value"), [(54, "0"), (54, "8")])
    def test_a_forest_that_cannot_be(self, refused, column, value):
        rows = [line.split(",") for line in forests()]
        rows[6][column] = value
        refused(load_covertype, text(",".join(row) for row in rows))

    @each_set
    def test_what_is_no_file_of_text(self, refused, load, lines, file):
        refused(load, "")
        refused(load, "\n\n")
        refused(load, b"\xff\xfe\x00\x01")
        refused(load, b"PK\x03\x04\x14\x00\x8b\xff", "wrong.zip")

    @each_set
    @pytest.mark.parametrize(("suffix", "module"), [(".xz", lzma), (".gz", gzip), (".bz2", bz2)])
    def test_a_compressed_file_that_is_damaged(self, refused, load, lines, file, suffix, module):
        whole = module.compress(text(lines()).encode())
        refused(load, whole[: len(whole) // 2], f"half{suffix}")
        refused(load, text(lines()), f"plain{suffix}")

    def test_places_without_the_file(self, tmp_path):
        with refused("path"):
            load_letter(tmp_path / "nowhere")
        with pytest.raises(InvalidInputError):
            load_covertype(tmp_path)

    def test_other_populations_are_not_made_binary(self):
        numbers = FinitePopulation([[1], [2]], [1, 8], name="numbers")
        with refused("population"):
            binary_letter(numbers)
        with refused("population"):
            binary_covertype(numbers)
        with pytest.raises(InvalidInputError):
            binary_letter(FinitePopulation([[1], [2]], [0.5, 1.5]))


def in_another_process(code, home):
    """Run code where the network refuses every connection and scikit-learn keeps its data in `home`."""
    # A proxy that nobody listens to; a process of its own, since urllib reads the settings only once.
    nobody = "http://127.0.0.1:9"
    settings = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nobody)
    settings |= {"SCIKIT_LEARN_DATA": str(home), "no_proxy": "", "NO_PROXY": ""}
    kept = {key: value for key, value in os.environ.items() if key != "ERRBAR_DATA"}
    call = [
        sys.executable,
        "-W",
        "error",
        "-c",
        f"from errbar_lab.loaders import load_letter, load_covertype\n{code}",
    ]
    done = subprocess.run(
        call, env=kept | settings, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class TestNetwork:
    def test_without_network_it_is_refused_on_one_line(self, tmp_path):
        code = (
            "from errbar import InvalidInputError\n"
            "for load in (load_letter, load_covertype):\n"
            "    try:\n"
            "        load()\n"
            "    except InvalidInputError as error:\n"
            "        print(error)\n"
        )
        assert len(in_another_process(code, tmp_path / "empty")) == 2

    def test_a_folder_without_the_file_does_not_keep_from_fetching(self, tmp_path):
        (tmp_path / "data").mkdir()
        code = (
            "import os\n"
            f"os.environ['ERRBAR_DATA'] = {str(tmp_path / 'data')!r}\n"
            "try:\n    load_letter()\nexcept ValueError as error:\n    print(isinstance(error.__context__, OSError))\n"
        )
        assert in_another_process(code, tmp_path / "empty") == ["True"]

    def test_what_scikit_learn_has_fetched_before_is_what_the_file_holds(self, tmp_path):
        (tmp_path / "letter-recognition.data").write_text(text(letters()))
        (tmp_path / "covtype.data").write_text(text(forests()))
        keep_letters(tmp_path / "home", letters())
        keep_forests(tmp_path / "home", forests())
        code = "for load in (load_letter, load_covertype):\n    print(load().digest, load().name)\n"
        assert in_another_process(code, tmp_path / "home") == [
            f"{load(tmp_path).digest} {load(tmp_path).name}"
            for load in (load_letter, load_covertype)
        ]


def keep_forests(home, lines):
    """Store CoverType where scikit-learn looks for what it has fetched."""
    values = np.array([line.split(",") for line in lines], dtype=float)
    (home / "covertype").mkdir(parents=True)
    joblib.dump(values[:, :-1], home / "covertype" / "samples_py3", compress=9)
    joblib.dump(values[:, -1].astype(np.int32), home / "covertype" / "targets_py3", compress=9)


def keep_letters(home, lines):
    """Store Letter, as OpenML describes it, where scikit-learn looks for what it has fetched."""
    names = [f"x{i}" for i in range(16)]
    header = ["@relation letter", *(f"@attribute {name} integer" for name in names)]
    header += [f"@attribute class {{{','.join(LETTER_COUNTS)}}}", "@data"]
    arff = text([*header, *(line[2:] + "," + line[0] for line in lines)]).encode()
    features = [
        {"index": str(i), "name": name, "data_type": "numeric", "is_target": "false"}
        for i, name in enumerate(names)
    ]
    features += [
        {
            "index": "16",
            "name": "class",
            "data_type": "nominal",
            "nominal_value": list(LETTER_COUNTS),
            "is_target": "true",
        }
    ]
    features = [
        feature
        | {"is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0"}
        for feature in features
    ]
    description = {
        "id": "6",
        "name": "letter",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "file_id": "6",
    }
    description |= {
        "md5_checksum": hashlib.md5(arff).hexdigest(),
        "description": "",
        "default_target_attribute": "class",
    }
    description |= {"url": "https://api.openml.org/data/v1/download/6/letter.arff"}
    quality = [{"name": "NumberOfInstances", "value": str(len(lines))}]
    answers = {
        "data/list/data_name/letter/limit/2/data_version/1": {
            "data": {"dataset": [{"did": 6, "status": "active"}]}
        },
        "data/6": {"data_set_description": description},
        "data/features/6": {"data_features": {"feature": features}},
        "data/qualities/6": {"data_qualities": {"quality": quality}},
    }
    places = {
        f"api/v1/json/{place}": json.dumps(answer).encode() for place, answer in answers.items()
    }
    # Versions of scikit-learn differ in which of the two they ask for.
    places |= dict.fromkeys(("data/v1/download/6/letter.arff", "data/v1/download/6"), arff)
    for place, content in places.items():
        path = home / "openml" / "openml.org" / f"{place}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content))
