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
    study = planning.plan_study(planning.SplitComponents(0.02, 270, 30), 0.022)
    assert outcome.out == f"{study}\n"
    for row in study.prospects:
        assert f"{row.se:.4g}" in outcome.out


def test_json_is_one_object_with_the_library_s_numbers(errbar):
    more = (
        "--difference",
        "-0.02",
        "--power",
        "0.9",
        "--repeats",
        "20",
        "--level",
        "0.9",
        "--alternative",
        "less",
    )
    outcome = errbar("power", *ASSUMED, *more, "--metric", "zero-one", "--json")
    study = planning.plan_study(
        planning.SplitComponents(0.02, 270, 30, metric="zero-one"),
        -0.02,
        0.9,
        repeats=20,
        level=0.9,
        alternative="less",
    )
    assert outcome.data == study.to_dict()


def test_a_pilot(errbar, folder):
    table = library.read_table(folder / "scores.csv", n_train=270, n_test=30)
    study = planning.plan_study(planning.pilot(table, "a", "b"), 0.05)
    outcome = errbar("power", folder / "scores.csv", *SIZES, "--difference", "0.05", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.data == study.to_dict()
    shown = errbar("power", folder / "scores.csv", *SIZES, "--difference", "0.05").out
    assert shown == f"{study}\n"
    assert "uncertain-pilot" in [note.code for note in study.notes]
    reached = errbar("power", folder / "sized.csv", "--pair", "b,a", "--json").data
    assert reached["detectable"] == study.detectable
    assert (reached["components"]["name"], reached["power"]) == ("b - a", None)


def test_a_column_of_differences(errbar, folder):
    single = errbar("power", folder / "single.csv", *SIZES, "--json").data
    both = errbar("power", folder / "scores.csv", *SIZES, "--json").data
    assert single["detectable"] == pytest.approx(both["detectable"])
    assert " - " not in single["components"]["name"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_plot_is_written(errbar, tmp_path, suffix, start):
    outcome = errbar("power", *ASSUMED, "--difference", "0.02", "--out", f"power.{suffix}")
    assert outcome.status == 0, outcome.err
    assert (tmp_path / f"power.{suffix}").read_bytes().startswith(start)
    quiet = errbar("power", *ASSUMED, "--json", "--out", f"other.{suffix}")
    assert quiet.data["difference"] is None
    assert (tmp_path / f"other.{suffix}").is_file()


@pytest.mark.filterwarnings("default")
def test_a_metric_in_any_script(errbar):
    """Where no installed font has the character, lines say so."""
    outcome = errbar("power", *ASSUMED, "--metric", "木 $x", "--out", "p.png")
    assert outcome.status == 0
    assert outcome.err.count("Glyph 26408") == outcome.err.count("\n")


@pytest.mark.long
def test_a_real_process(tmp_path):
    command = [sys.executable, "-m", "errbar.cli", "power", *ASSUMED, "--difference", "0.02"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, check=True, timeout=60
    )
    assert "77" in done.stdout
    assert done.stderr == ""


BAD = {
    "nothing": ((), None),
    "no sizes": (("--deviation", "0.02"), None),
    "half of the sizes": (("--deviation", "0.02", "--n-train", "9"), None),
    "pair without a file": (
        (*ASSUMED, "--pair", "a,b"),
        None,
    ),
    "deviation": (("--deviation", "-1", *SIZES), "deviation"),
    "deviation is not a number": (("--deviation", "nan", *SIZES), "deviation"),
    "deviation is text": (("--deviation", "x", *SIZES), None),
    "test size": (("--deviation", "1", "--n-train", "9", "--n-test", "0.1"), "n_test"),
    "repeats": ((*ASSUMED, "--repeats", "1"), "repeats"),
    "difference": ((*ASSUMED, "--difference", "0"), "difference"),
    "difference on the other side": (
        (*ASSUMED, "--difference", "1", "--alternative", "less"),
        "difference",
    ),
    "power": ((*ASSUMED, "--power", "80"), "power"),
    "level": ((*ASSUMED, "--level", "95"), "level"),
    "alternative": ((*ASSUMED, "--alternative", "lesser"), "alternative"),
    "plot": ((*ASSUMED, "--out", "power.html"), None),
    "folder of the plot": ((*ASSUMED, "--out", "no/power.png"), None),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used(errbar, case):
    arguments, argument = BAD[case]
    refused(errbar("power", *arguments), argument)


FILES = {
    "missing file": ("missing.csv", SIZES),
    "no sizes": ("scores.csv", ()),
    "deviation too": ("scores.csv", ASSUMED),
    "holes": ("holes.csv", SIZES),
    "unknown learner": ("scores.csv", (*SIZES, "--pair", "a,c")),
    "the same learner": ("scores.csv", (*SIZES, "--pair", "a,a")),
    "one name": ("scores.csv", (*SIZES, "--pair", "a")),
}


@pytest.mark.parametrize("case", FILES)
def test_pilots_that_cannot_be_used(errbar, folder, case):
    name, arguments = FILES[case]
    refused(errbar("power", folder / name, *arguments))


def test_pilots_of_several_learners_and_without_variation(errbar, tmp_path):
    (tmp_path / "three.csv").write_text("a,b,c\n0.1,0.2,0.3\n0.2,0.3,0.3\n0.3,0.4,0.3\n")
    refused(errbar("power", "three.csv", *SIZES))
    refused(errbar("power", "three.csv", *SIZES, "--pair", "a,b"))
    assert errbar("power", "three.csv", *SIZES, "--pair", "a,c").status == 0


def test_a_plot_that_is_a_folder_or_cannot_be_written(errbar, tmp_path):
    (tmp_path / "there.png").mkdir()
    refused(errbar("power", *ASSUMED, "--out", "there.png"))
