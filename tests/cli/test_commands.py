"""The commands as a user runs them: real processes, help, the catalogue, the demo."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from errbar.cli import app
from errbar.methods import METHODS, catalogue
from tests.cli.test_errors import refused

README = Path(__file__).parents[2] / "README.md"


def run(*arguments, cwd, **more):
    command = [sys.executable, "-m", "errbar", *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False, **more
    )


@pytest.mark.long
def test_the_demo_prints_a_table_and_writes_a_report(tmp_path):
    done = run("demo", "--quiet", cwd=tmp_path, env={**os.environ, "COLUMNS": "100"})
    assert done.returncode == 0, done.stderr
    assert "forest - svm" in done.stdout
    assert (tmp_path / "errbar-demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert done.stderr == ""
    # The README shows it; digits may be others with other versions of scikit-learn.
    shown = re.search(r"```text\n(.*?)\n```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    printed = {_without_digits(paragraph) for paragraph in done.stdout.split("\n\n")}
    assert {_without_digits(paragraph) for paragraph in shown.split("\n\n")} <= printed


def _without_digits(text):
    return re.sub(r"\W+", " ", re.sub(r"\d+", "0", text)).strip()


@pytest.mark.long
def test_output_to_a_pipe_is_plain(tmp_path):
    shown = run("methods", cwd=tmp_path).stdout
    assert "\x1b" not in shown
    assert all(key in shown for key in METHODS)


@pytest.mark.long
def test_a_closed_pipe_is_no_error(tmp_path):
    done = subprocess.run(
        f"{sys.executable} -m errbar.cli methods --json | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def commands():
    return {name: app.get_command(None, name) for name in app.commands}


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_has_help_with_an_example(errbar, name):
    outcome = errbar(name, "--help")
    assert outcome.status == 0
    assert "Example" in outcome.out
    assert commands()[name].help
    for parameter in commands()[name].params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{name} {parameter.name} has no help"


def test_the_version(errbar):
    assert errbar("--version").out.startswith("errbar 0.")


@pytest.mark.long
@pytest.mark.parametrize("key", sorted(METHODS))
def test_every_method_is_explained(errbar, key):
    text = errbar("methods", key).out
    assert METHODS[key].formula.split(",")[0] in " ".join(text.split())
    data = errbar("methods", key, "--json").data
    assert data["key"] == key
    assert data["references"]


def test_the_catalogue_as_json(errbar):
    assert [row["key"] for row in errbar("methods", "--json").data] == list(catalogue())


def test_an_unknown_method_is_refused(errbar):
    refused(errbar("methods", "corected-t"))


@pytest.mark.thorough
@pytest.mark.unix
def test_an_interrupt_ends_with_130_and_one_line(tmp_path, folder):
    (tmp_path / "slow.py").write_text(
        "import time\nfrom sklearn.dummy import DummyClassifier\n"
        "class Slow(DummyClassifier):\n    def fit(self, X, y):\n        open('started', 'w').close(); time.sleep(30)\n"
    )
    command = [
        sys.executable,
        "-m",
        "errbar.cli",
        "evaluate",
        str(folder / "iris.csv"),
        "--target",
        "species",
        "--model",
        "slow.py:Slow",
    ]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in range(300):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.startswith("errbar: ")
    assert err.count("\n") == 1


@pytest.mark.long
def test_json_goes_to_standard_output_alone(tmp_path, folder):
    done = run(
        "evaluate",
        str(folder / "iris.csv"),
        "--target",
        "species",
        "--model",
        "sklearn.tree.DecisionTreeClassifier",
        "--json",
        cwd=tmp_path,
    )
    assert json.loads(done.stdout)["learners"][0]["name"] == "DecisionTreeClassifier"
    assert done.stderr == ""


@pytest.mark.parametrize("suffix", [".html", ".md"])
def test_a_report_holds_the_command_without_what_changes_no_number(
    errbar, folder, tmp_path, suffix
):
    out = tmp_path / f"report{suffix}"
    models = (
        "--model",
        "tree=sklearn.tree.DecisionTreeClassifier",
        "--model",
        "nb=sklearn.naive_bayes.GaussianNB",
    )
    done = errbar(
        "compare",
        folder / "iris.csv",
        "--target",
        "species",
        *models,
        "--jobs",
        1,
        "--quiet",
        "--out",
        out,
    )
    assert done.status == 0, done.err
    shown = f"errbar compare {folder / 'iris.csv'} --target species {' '.join(models)}"
    assert shown in out.read_text()
    assert "--jobs" not in out.read_text()
