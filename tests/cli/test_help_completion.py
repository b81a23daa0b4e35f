"""What the Tab key offers, asked as the shells ask."""

import os
import subprocess
import sys

import pytest

from errbar.cli.commands import TABLES

pytestmark = pytest.mark.long

MAIN = "from errbar.cli import main; main()"


def ask(environment, cwd):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COMP_", "_TYPER"))
    }
    done = subprocess.run(
        [sys.executable, "-c", MAIN],
        env=kept | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def bash(tmp_path):
    """Ask as bash does: it takes an equals sign for a word of its own."""

    def offers(*words):
        line = {
            "_ERRBAR_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        return ask(line, tmp_path).split()

    return offers


def test_commands_and_options(bash):
    assert bash("errbar", "comp") == ["compare"]
    assert bash("errbar", "compare", "--fail") == ["--fail-if"]
    assert bash("errbar", "store", "") == ["info", "prune"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("compare", "--method", "corr"), ["corrected-t"]),
        (("methods", "nested"), ["nested-cv"]),
        (("compare", "--loss", "squ"), ["squared-error"]),
        (("compare", "--adjust", "hom"), ["hommel"]),
        (("compare", "--alternative", ""), ["two-sided", "less", "greater"]),
        (("test", "s.csv", "--kind", "halv"), ["halved-kfold"]),
        (("lab", "coverage", "--problem", "fr"), ["friedman-1"]),
    ],
)
def test_values(bash, words, expected):
    found = bash("errbar", *words)
    assert set(expected) <= set(found)
    assert all(name.startswith(words[-1]) for name in found)


def test_zsh_and_fish(tmp_path):
    zsh = {
        "_ERRBAR_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": "errbar compare --method cv-t",
    }
    assert '"cv-t"' in ask(zsh, tmp_path)
    fish = {"_ERRBAR_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "cochran-q" in ask(fish | {"_TYPER_COMPLETE_ARGS": "errbar methods cochr"}, tmp_path)


def test_files_are_left_to_the_shell(bash):
    assert bash("errbar", "export", "") == []
    assert bash("errbar", "compare", "--out", "") == []


def test_names_are_those_of_the_library():
    import errbar_lab as lab
    from errbar import _check, datasets, metrics, report, simultaneous
    from errbar.cli import commands
    from errbar.cli.output import REPORTS
    from errbar.plans import KINDS
    from errbar.reading.table import MISSING
    from errbar_lab import commands as of_lab
    from errbar_lab._experiment import ABOUT

    def choices(group, option, tables=TABLES["options"]):
        return tuple(tables[group][option]["choices"])

    assert set(choices("pairs", "adjust")) == {*simultaneous.ADJUSTMENTS, *simultaneous.JOINT}
    assert choices("ranks", "adjust") == simultaneous.ADJUSTMENTS
    assert choices("alternative", "alternative") == _check.ALTERNATIVES
    assert commands.rows() == ["examples", *(key for key, kind in KINDS.items() if kind.stated)]
    assert set(choices("coverage", "problems", of_lab._OWN["options"])) == set(lab.PROBLEMS)
    assert choices("risks", "about", of_lab._OWN["options"]) == ABOUT
    assert choices("ranks", "post_hoc") == datasets.POST_HOC
    assert set(commands.losses()) == set(metrics.LOSSES)
    assert tuple(TABLES["options"]["table"]["missing"]["complete"]) == MISSING
    assert choices("losses", "pool") == choices("given", "pool") == metrics.POOLS
    assert tuple(report.FORMS) == REPORTS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(tmp_path, shell):
    script = ask({"_ERRBAR_COMPLETE": f"source_{shell}"}, tmp_path)
    assert f"_ERRBAR_COMPLETE=complete_{shell}" in script
