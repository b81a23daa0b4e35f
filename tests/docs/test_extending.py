"""The walk-through on adding a method does what it says: one file and one import line, in a copy of the package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import errbar
from tests.docs.pages import blocks_of

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extending" / "method.rst"
IMPORT_LINE, LAWS = (block.text for block in blocks_of(PAGE) if block.language == "python")


def run(package, *arguments):
    """Run Python on the copy of the package that lies in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    options = {"env": environment, "cwd": package, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *arguments], check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def add_method(package):
    """Do what the page says, and nothing else."""
    folder = package / "errbar" / "methods"
    shutil.copy(PAGE.with_name("median_t.py"), folder / "_median_t.py")
    with (folder / "__init__.pyi").open("a", encoding="utf-8") as stub:
        stub.write(IMPORT_LINE)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    place = tmp_path_factory.mktemp("copy")
    source = Path(errbar.__file__).parent
    shutil.copytree(source, place / "errbar", ignore=shutil.ignore_patterns("__pycache__"))
    add_method(place)
    (place / "scores.csv").write_text(
        "tree,1-NN\n" + "0.31,0.25\n0.28,0.27\n0.35,0.26\n0.30,0.24\n", encoding="utf-8"
    )
    return place


def test_the_page_names_the_file_and_the_place_of_the_import_line():
    text = PAGE.read_text(encoding="utf-8")
    assert "``src/errbar/methods/_median_t.py``" in text
    assert "``src/errbar/methods/__init__.pyi``" in text
    assert IMPORT_LINE == "from errbar.methods._median_t import median_t as median_t\n"


def test_one_new_file_and_one_changed_one_are_all_it_takes(package):
    """What the other tests of this page find, laws, documentation and command line, comes from these two files."""

    def files(folder):
        found = (
            path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
        )
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}

    before, after = files(Path(errbar.__file__).parent), files(package / "errbar")
    assert set(after) - set(before) == {"methods/_median_t.py"}
    assert {name for name in before if before[name] != after[name]} == {"methods/__init__.pyi"}
    old, new = (found["methods/__init__.pyi"].decode().splitlines() for found in (before, after))
    assert sorted(set(new) - set(old)) == [IMPORT_LINE.strip()]


def test_evidence_can_be_asked_for(package):
    """There is none before a simulation is entered."""
    code = "from errbar.methods import evidence\nprint(evidence.of('median-t'))"
    assert run(package, "-c", code).strip() in ("()", "[]")


def test_the_catalogue_of_the_command_line_shows_the_method(package):
    listed = json.loads(run(package, "-m", "errbar.cli", "methods", "--json"))
    assert "median-t" in json.dumps(listed)
    explained = " ".join(run(package, "-m", "errbar.cli", "methods", "median-t").split())
    assert "The median over splits" in explained
    assert "A toy" in explained


def test_the_command_line_applies_the_method(package):
    options = ["--method", "median-t", "--n-train", "270", "--n-test", "30", "--json"]
    told = json.loads(run(package, "-m", "errbar.cli", "test", "scores.csv", *options))
    assert told["method"] == "median-t"
    assert told["pairs"][0]["estimate"] == pytest.approx(
        0.06, abs=1e-12
    )  # the median of 0.06, 0.01, 0.09 and 0.06


def test_the_method_obeys_the_laws(package):
    assert run(package, "-c", LAWS) == ""


def test_the_laws_would_notice_a_mistake(package):
    """The conformance suite is worth something only if a broken method does not pass it."""
    broken = "import errbar.methods._median_t as home\nreal = home.Answer\n"
    broken += "home.Answer = lambda **k: real(**{**k, 'se': 1.0})\n"
    with pytest.raises(AssertionError, match="AssertionError"):
        run(package, "-c", broken + LAWS)


def test_the_documentation_gets_a_page_and_rows(package):
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        "import catalogue\nfrom errbar.methods import METHODS\n"
        "print(catalogue.method_page(METHODS['median-t']))\nprint(catalogue.plans_table())"
    )
    text = run(package, "-c", code)
    assert text.startswith("median-t\n========\n")
    assert ".. autofunction:: median_t\n" in text
    assert text.count(":doc:`median-t </generated/methods/median-t>`") == 1


def test_comparisons_fit_with_the_plan_of_the_method(package):
    code = (
        "import errbar\nfrom sklearn.datasets import load_iris\nfrom sklearn.naive_bayes import GaussianNB\n"
        "X, y = load_iris(return_X_y=True)\n"
        "result = errbar.evaluate(GaussianNB(), X, y, method='median-t', random_state=0)\nprint(result.n_splits)"
    )
    assert run(package, "-c", code) == "15\n"
