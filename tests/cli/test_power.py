"""errbar power, from assumed numbers and from a pilot."""

import subprocess
import sys

import pytest

import errbar as library
from errbar import planning
from tests.cli.test_errors import refused

ASSUMED = ("--deviation", "0.02", "--n-train", "270", "--n-test", "30")
SIZES = ("--n-train", "270", "--n-test", "30")


def test_assumed_numbers(errbar):
    outcome = errbar("power", *ASSUMED, "--difference", "0.022")
    assert outcome.status == 0, outcome.err
    study = planning.plan_study(0.022, deviation=0.02, n_train=270, n_test=30)
    assert outcome.out == f"{study}\n"
    for row in study.prospects:
        assert f"{row.name:<9}  {row.power:.3f}" in outcome.out
    assert f"{study.smallest_repeats} splits are enough for power 0.8 at 0.022" in outcome.out
    assert f"about {study.smallest_examples} examples" in outcome.out


def test_json_is_one_object_with_the_library_s_numbers(errbar):
    more = ("--difference", "-0.02", "--power", "0.9", "--repeats", "20", "--level", "0.9", "--alternative", "less")
    outcome = errbar("power", *ASSUMED, *more, "--correlation", "0.2", "--metric", "zero-one", "--json")
    study = planning.plan_study(
        -0.02,
        0.9,
        deviation=0.02,
        correlation=0.2,
        n_train=270,
        n_test=30,
        repeats=20,
        level=0.9,
        alternative="less",
        metric="zero-one",
    )
    assert outcome.data == study.to_dict()


def test_the_variance_instead(errbar):
    how = ("--variance", "0.0004", "--correlation", "0.3", *SIZES, "--json")
    expected = planning.detectable_difference(variance=0.0004, correlation=0.3, n_train=270, n_test=30)
    assert errbar("power", *how).data["detectable"] == expected


def test_a_pilot(errbar, folder):
    table = library.read_scores(folder / "scores.csv", n_train=270, n_test=30)
    study = planning.plan_study(0.05, pilot=planning.pilot(table, "a", "b"))
    outcome = errbar("power", folder / "scores.csv", *SIZES, "--difference", "0.05", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.data == study.to_dict()
    shown = errbar("power", folder / "scores.csv", *SIZES, "--difference", "0.05").out
    assert shown == f"{study}\n"
    assert "uncertain-pilot" in shown
    reached = errbar("power", folder / "sized.csv", "--pair", "b,a", "--json").data
    assert reached["detectable"] == study.detectable
    assert (reached["pilot"]["a"], reached["power"]) == ("b", None)


def test_a_column_of_differences_and_names_with_commas(errbar, folder, tmp_path):
    single = errbar("power", folder / "single.csv", *SIZES, "--json").data
    both = errbar("power", folder / "scores.csv", *SIZES, "--json").data
    assert single["detectable"] == pytest.approx(both["detectable"])
    assert single["pilot"]["b"] is None
    (tmp_path / "odd.csv").write_text('"a,1","b,2",c\n0.1,0.2,0.3\n0.3,0.2,0.2\n0.2,0.4,0.4\n')
    found = errbar("power", "odd.csv", *SIZES, "--pair", "a,1,b,2", "--json").data["pilot"]
    assert (found["a"], found["b"]) == ("a,1", "b,2")


@pytest.mark.long
@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_plot_is_written(errbar, tmp_path, suffix, start):
    outcome = errbar("power", *ASSUMED, "--difference", "0.02", "--out", f"power.{suffix}")
    assert outcome.status == 0, outcome.err
    assert outcome.out.endswith(f"\nplot written to power.{suffix}\n")
    assert (tmp_path / f"power.{suffix}").read_bytes().startswith(start)
    quiet = errbar("power", *ASSUMED, "--json", "--out", f"other.{suffix}")
    assert quiet.data["difference"] is None
    assert (tmp_path / f"other.{suffix}").is_file()


def test_a_metric_in_any_script(errbar):
    """Where no installed font has the character, one line says so."""
    said = errbar("power", *ASSUMED, "--metric", "木 $x", "--out", "p.png").err.splitlines()
    assert len(said) <= 1
    assert all(line.startswith("errbar: no installed font has '木'") for line in said)


@pytest.mark.long
def test_a_real_process(tmp_path):
    command = [sys.executable, "-m", "errbar.cli", "power", *ASSUMED, "--difference", "0.02"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True, timeout=60)
    assert "77 splits are enough for power 0.8 at 0.02" in done.stdout
    assert done.stderr == ""


BAD = {
    "nothing": ((), "give a file with the scores of a pilot, or one of --deviation and --variance"),
    "both": ((*ASSUMED, "--variance", "1"), "one of --deviation and --variance"),
    "no sizes": (("--deviation", "0.02"), "give --n-train and --n-test"),
    "half of the sizes": (("--deviation", "0.02", "--n-train", "9"), "give --n-train and --n-test"),
    "pair without a file": (
        (*ASSUMED, "--pair", "a,b"),
        "--pair says how a file with a pilot is read, and no file was given",
    ),
    "deviation": (("--deviation", "-1", *SIZES), "`deviation` must be a positive number"),
    "deviation is not a number": (("--deviation", "nan", *SIZES), "`deviation` must be a finite number"),
    "deviation is text": (("--deviation", "x", *SIZES), "--deviation"),
    "variance": (("--variance", "0", *SIZES), "`variance` must be a positive number"),
    "correlation": ((*ASSUMED, "--correlation", "1"), "`correlation` must lie in [0, 1)"),
    "test size": (("--deviation", "1", "--n-train", "9", "--n-test", "0.1"), "`n_test` must be a number of examples"),
    "repeats": ((*ASSUMED, "--repeats", "1"), "`repeats` must be a whole number of at least 2"),
    "difference": ((*ASSUMED, "--difference", "0"), "`difference` must be other than 0"),
    "difference on the other side": (
        (*ASSUMED, "--difference", "1", "--alternative", "less"),
        "`difference` must be negative for the alternative 'less'",
    ),
    "power": ((*ASSUMED, "--power", "80"), "`power` must be a number between 0 and 1"),
    "level": ((*ASSUMED, "--level", "95"), "`level` must be a number between 0 and 1"),
    "alternative": ((*ASSUMED, "--alternative", "lesser"), "did you mean 'less'?"),
    "plot": ((*ASSUMED, "--out", "power.html"), "a plot ends in one of .png, .svg, .pdf"),
    "folder of the plot": ((*ASSUMED, "--out", "no/power.png"), "there is no folder 'no'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used(errbar, case):
    arguments, message = BAD[case]
    refused(errbar("power", *arguments), message)


FILES = {
    "missing file": ("missing.csv", SIZES, "there is no file"),
    "no sizes": ("scores.csv", (), "--n-train and --n-test"),
    "deviation too": ("scores.csv", ASSUMED, "--deviation is read from the pilot"),
    "variance too": ("scores.csv", (*SIZES, "--variance", "1"), "--variance is read from the pilot"),
    "holes": ("holes.csv", SIZES, "has no value in row"),
    "words": ("words.csv", SIZES, "column 'b' holds 'x' in row 2 of the file"),
    "unknown learner": ("scores.csv", (*SIZES, "--pair", "a,c"), "there is no learner 'c'"),
    "the same learner": ("scores.csv", (*SIZES, "--pair", "a,a"), "cannot be compared with itself"),
    "one name": ("scores.csv", (*SIZES, "--pair", "a"), "--pair must be two names with a comma"),
}


@pytest.mark.parametrize("case", FILES)
def test_pilots_that_cannot_be_used(errbar, folder, case):
    name, arguments, message = FILES[case]
    refused(errbar("power", folder / name, *arguments), message)


def test_pilots_of_several_learners_and_without_variation(errbar, tmp_path):
    (tmp_path / "three.csv").write_text("a,b,c\n0.1,0.2,0.3\n0.2,0.3,0.3\n0.3,0.4,0.3\n")
    refused(errbar("power", "three.csv", *SIZES), "name two of the learners 'a', 'b', 'c'")
    refused(errbar("power", "three.csv", *SIZES, "--pair", "a,b"), "(a - b) do not vary")
    assert errbar("power", "three.csv", *SIZES, "--pair", "a,c").status == 0


def test_a_plot_that_is_a_folder_or_cannot_be_written(errbar, tmp_path):
    (tmp_path / "there.png").mkdir()
    refused(errbar("power", *ASSUMED, "--out", "there.png"), "'there.png' is a folder")
