"""What the Tab key offers, asked as the shells ask."""

import os
import subprocess
import sys

import pytest

from errbar.cli import completion, words
from errbar.methods import catalogue

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
    assert bash("errbar", "store", "") == ["info", "verify", "prune"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("compare", "--method", "corr"), ["corrected-t"]),
        (("compare", "--method", "=", "corr"), ["corrected-t"]),
        (("methods", "nested"), ["nested-cv"]),
        (("compare", "--loss", "squ"), ["squared-error"]),
        (("compare", "--plan", "K"), ["KFold"]),
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


def test_classes_of_models(bash):
    assert bash("errbar", "compare", "--model", "tree", "=", "sklearn.tree.Dec") == [
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.tree.DecisionTreeRegressor",
    ]
    assert "sklearn.svm.SVC" in bash("errbar", "compare", "--model", "sklearn.svm.")
    assert "sklearn.neighbors.KNeighborsRegressor" in bash(
        "errbar", "compare", "--model", "sklearn.neigh"
    )
    assert bash("errbar", "compare", "--model", "m", "=", "no.such.package.X") == []
    assert bash("errbar", "compare", "--model", "GaussianN") == ["GaussianNB"]
    assert bash("errbar", "compare", "--model", "lr", "=", "LinearR") == ["LinearRegression"]


def test_columns_and_learners(bash, tmp_path):
    (tmp_path / "d.csv").write_text("sepal,petal,species\n1,2,a\n")
    assert bash("errbar", "compare", "d.csv", "--target", "s") == ["sepal", "species"]
    assert bash("errbar", "test", "d.csv", "--baseline", "p") == ["petal"]
    models = ("--model", "old", "=", "a.B", "--model", "new", "=", "a.C")
    assert bash("errbar", "compare", "d.csv", *models, "--baseline", "n") == ["new"]
    bare = ("--model", "Ridge(alpha=1)", "--model", "Lasso", "--model", "Lasso(")
    assert bash("errbar", "compare", "d.csv", *bare, "--baseline", "R") == ["Ridge"]
    assert bash("errbar", "compare", "d.csv", *bare, "--baseline", "L") == ["Lasso"]


def test_zsh_and_fish(tmp_path):
    zsh = {
        "_ERRBAR_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": "errbar compare --model t=sklearn.svm.SV",
    }
    assert '"t=sklearn.svm.SVC"' in ask(zsh, tmp_path)
    fish = {"_ERRBAR_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert ask(fish | {"_TYPER_COMPLETE_ARGS": "errbar methods cochr"}, tmp_path).startswith(
        "cochran-q\t"
    )


def test_files_are_left_to_the_shell(bash):
    assert bash("errbar", "export", "") == []
    assert bash("errbar", "compare", "--out", "") == []


def test_nothing_heavy_is_loaded(tmp_path):
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('LOADED', [m for m in ('numpy', 'scipy', 'sklearn', 'rich') if m in sys.modules]))\n"
    )
    line = {
        "_ERRBAR_COMPLETE": "complete_bash",
        "COMP_WORDS": "errbar compare --method c",
        "COMP_CWORD": "3",
    }
    done = subprocess.run(
        [sys.executable, "-c", code + MAIN],
        env=os.environ | line,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_names_are_those_of_the_library():
    import errbar_lab as lab
    from errbar import families, metrics
    from errbar.datasets import _ranking
    from errbar.plans import KINDS
    from errbar_lab import commands
    from errbar_lab._experiment import ABOUT

    assert completion.method_keys() == {
        key: method.summary for key, method in sorted(catalogue().items())
    }
    assert words.ADJUSTMENTS == families.ADJUSTMENTS
    assert {key: kind.words for key, kind in KINDS.items() if kind.stated} == words.KINDS
    assert set(commands.PROBLEMS) == set(lab.PROBLEMS)
    assert commands.RISKS == ABOUT
    assert words.POST_HOC == _ranking.POST_HOC
    assert set(words.LOSSES) == set(metrics.LOSSES)
    assert {"f1", "roc_auc", "r2"} < set(words.METRICS) <= set(metrics.METRICS)
    assert words.POOLS == metrics.POOLS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(tmp_path, shell):
    script = ask({"_ERRBAR_COMPLETE": f"source_{shell}"}, tmp_path)
    assert f"_ERRBAR_COMPLETE=complete_{shell}" in script
