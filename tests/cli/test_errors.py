"""Bad input: status 2 and one line, never a traceback, and nothing in a model string is executed."""

from importlib.util import find_spec

import pytest

from tests.cli.conftest import NEIGHBOURS, TREE

FILES = [
    "missing.csv",
    "empty.csv",
    "header.csv",
    "one.csv",
    "noise.csv",
    "noise.csv.xz",
    "noise.csv.gz",
    "noise.parquet",
    ".",
]


def refused(outcome, argument=None, status=2):
    """Expect one line, no answer and no fault of errbar itself; where an argument is given, it is the one refused."""
    assert outcome.status == status, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("errbar: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "internal error" not in outcome.err
    assert argument is None or outcome.refusal.argument == argument


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_used(errbar, folder, name):
    models = ("--model", TREE, "--model", NEIGHBOURS)
    refused(errbar("compare", folder / name, "--target", "species", *models))


ARGUMENTS = {
    "unknown column": (("--target", "speces"), "target"),
    "unknown method": (("--target", "species", "--method", "corected-t"), "method"),
    "unknown loss": (("--target", "species", "--loss", "zero-on"), "loss"),
    "loss of the other task": (
        ("--target", "species", "--loss", "r2"),
        "loss",
    ),
    "score without hope": (("--target", "species", "--loss", "roc_auc"), None),
    "an option of scikit-learn": (("--target", "species", "--cv", "5"), None),
    "an option that is none": (("--target", "species", "--colour", "5"), None),
    "a plan in small letters": (
        ("--target", "species", "--plan", "kfold(fold=3)"),
        None,
    ),
    "level": (("--target", "species", "--level", "95"), "level"),
    "level is text": (("--target", "species", "--level", "high"), None),
    "alternative": (("--target", "species", "--alternative", "worse"), "alternative"),
    "adjust": (("--target", "species", "--adjust", "holmes"), "adjust"),
    "baseline": (("--target", "species", "--baseline", "forest"), "baseline"),
    "option of another method": (("--target", "species", "--option", "rho=0.5"), None),
    "option without a value": (("--target", "species", "--option", "rho"), None),
    "option out of range": (
        ("--target", "species", "--method", "kfold-t", "--option", "rho=2"),
        "rho",
    ),
    "plan that does not fit": (
        ("--target", "species", "--method", "cv-wald", "--plan", "KFold(repeats=3)"),
        None,
    ),
    "folds": (("--target", "species", "--plan", "1"), "folds"),
    "more folds than examples": (("--target", "species", "--plan", "151"), "folds"),
    "test size": (("--target", "species", "--plan", "Holdout(n_test='many')"), "n_test"),
    "test size too large": (("--target", "species", "--plan", "Subsampling(n_test=150)"), "n_test"),
    "jobs": (("--target", "species", "--jobs", "0"), "n_jobs"),
    "report": (("--target", "species", "--out", "report.docx"), None),
    "report folder": (("--target", "species", "--out", "no/such/report.html"), None),
    "unknown option": (("--target", "species", "--nonsense"), None),
    "no target": ((), None),
    "drop": (("--target", "species", "--drop", "x"), "drop"),
    "groups": (("--target", "species", "--groups", "x"), "groups"),
    "rope": (("--target", "species", "--rope", "-1"), "rope"),
    "random state": (("--target", "species", "--random-state", "-1"), "random_state"),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments_that_cannot_be_used(errbar, folder, case):
    arguments, argument = ARGUMENTS[case]
    refused(
        errbar("compare", folder / "iris.csv", "--model", TREE, "--model", NEIGHBOURS, *arguments),
        argument,
    )


MODELS = [
    "sklearn.tree.DecisionTreeClassifer",
    "sklearn.treee.DecisionTreeClassifier",
    "os.path.join",
    "sklearn.tree.DecisionTreeClassifier(maxdepth=3)",
    "sklearn.tree.DecisionTreeClassifier(3)",
    "make_pipeline()",
    "make_pipeline(StandardScaler(), memory=None)",
    "make_pipeline(StandardScaler(), SVC(3))",
    "make_pipeline(SVC(), StandardScaler())",
    "make_pipeline(StandardScaler(), __import__('os').system('touch pwned'))",
    "make_pipeline(StandardScaler(), SVD())",
    "sklearn.tree.DecisionTreeClassifier(**{})",
    "sklearn.tree.DecisionTreeClassifier(",
    "sklearn.ensemble.VotingClassifier",
    "DecisionTreeClassifer",
    "TabPFNNobody",
    "logistic",
    "random_forest",
    "OneHotEncoder",
    "Qwertz",
    "",
    "__import__('os').system('touch pwned')",
    "a=__import__('os').system(command='touch pwned')",
    "os.system('touch pwned')",
    "subprocess.Popen(args=['touch', 'pwned'])",
    "sklearn.tree.DecisionTreeClassifier(max_depth=open('pwned', 'w'))",
    "sklearn.tree.DecisionTreeClassifier(max_depth=[open('pwned', 'w') for _ in (1,)])",
    "(lambda: open('pwned', 'w'))()",
    "nofile.py:model",
    "fine.py:nothing",
    "fine.py:number",
    "unittest.__main__.TestProgram",
    "antigravity.Flight",
    "test.regrtest.Regrtest",
]
FAILING = ["broken.py:model", "fine.py:fails"]


@pytest.mark.parametrize("text", MODELS)
def test_models_that_cannot_be_used(errbar, folder, tmp_path, text):
    package = text.partition(".")[0]
    if package in ("idlelib", "test") and find_spec(package) is None:
        pytest.skip(f"this Python comes without {package}")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "fine.py").write_text("number = 3\ndef fails():\n    raise ValueError('no')\n")
    refused(
        errbar(
            "compare", folder / "iris.csv", "--target", "species", "--model", TREE, "--model", text
        )
    )
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("text", FAILING)
def test_models_whose_own_code_fails(errbar, folder, tmp_path, text):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "fine.py").write_text("def fails():\n    raise ValueError('no')\n")
    data = (
        "compare",
        folder / "iris.csv",
        "--target",
        "species",
        "--plan",
        "Subsampling(repeats=3)",
        "--quiet",
    )
    assert errbar(*data, "--model", TREE, "--model", f"bad={text}").status == 3
    others = errbar(
        *data, "--model", TREE, "--model", NEIGHBOURS, "--model", f"bad={text}", "--json"
    )
    assert (others.status, others.err.count("\n")) == (3, 1)
    [failure] = others.data["failures"]
    assert (failure["learner"], failure["split"]) == ("bad", "")
    assert [one["name"] for one in others.data["learners"]] == ["tree", "nn"]


def test_numbers_of_models(errbar, folder):
    data = ("--target", "species", "--model", TREE)
    refused(errbar("compare", folder / "iris.csv", *data))
    refused(errbar("compare", folder / "iris.csv", *data, "--model", TREE))
    refused(errbar("evaluate", folder / "iris.csv", *data, "--model", NEIGHBOURS))


def test_tasks_that_do_not_go_together(errbar, folder):
    regressor = ("--model", "r=sklearn.tree.DecisionTreeRegressor")
    refused(
        errbar("compare", folder / "iris.csv", "--target", "species", "--model", TREE, *regressor)
    )
    refused(errbar("evaluate", folder / "iris.csv", "--target", "species", *regressor))
    refused(
        errbar(
            "evaluate", folder / "iris.csv", "--target", "sl", "--model", TREE, "--drop", "species"
        )
    )


def test_a_command_that_does_not_exist(errbar):
    refused(errbar("comprae"))


def test_missing_values_in_the_target(errbar, tmp_path):
    (tmp_path / "gap.csv").write_text("x,y\n1,a\n2,\n3,b\n4,a\n")
    outcome = errbar("evaluate", "gap.csv", "--target", "y", "--model", TREE, "--json", "--quiet")
    assert outcome.status == 0, outcome.err
    assert [1] in [note["numbers"].get("rows_without_target") for note in outcome.data["notes"]]
    (tmp_path / "gaps.csv").write_text("x,y\n1,\n2,\n")
    refused(errbar("evaluate", "gaps.csv", "--target", "y", "--model", TREE))


def test_names_without_commas_between_them(errbar, tmp_path):
    (tmp_path / "data.csv").write_text("a,b,y\n1,2,3\n")
    refused(
        errbar(
            "evaluate",
            tmp_path / "data.csv",
            "--target",
            "y",
            "--model",
            "m=a.B",
            "--drop",
            "a",
            "b",
        )
    )
