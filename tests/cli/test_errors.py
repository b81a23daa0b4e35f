"""Bad input: status 2 and one line, never a traceback, and nothing in a model string is executed."""

from importlib.util import find_spec

import pytest

from tests.cli.conftest import NEIGHBOURS, TREE

FILES = {
    "missing.csv": "there is no file",
    "empty.csv": "is empty",
    "header.csv": "has a header and no rows",
    "one.csv": "at least 2 examples are needed",
    "noise.csv": "is not a text file",
    "noise.csv.xz": "cannot be read as xz",
    "noise.csv.gz": "cannot be read as gz",
    "noise.parquet": "cannot be read as parquet",
    ".": "is a folder",
}


def refused(outcome, message, status=2):
    assert outcome.status == status, outcome
    assert message in outcome.err
    assert outcome.err.startswith("errbar: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_used(errbar, folder, name):
    models = ("--model", TREE, "--model", NEIGHBOURS)
    refused(errbar("compare", folder / name, "--target", "species", *models), FILES[name])


ARGUMENTS = {
    "unknown column": (("--target", "speces"), "did you mean 'species'?"),
    "unknown method": (("--target", "species", "--method", "corected-t"), "did you mean 'corrected-t'?"),
    "unknown loss": (("--target", "species", "--loss", "zero-on"), "did you mean 'zero-one'?"),
    "loss of the other task": (
        ("--target", "species", "--loss", "r2"),
        "made for regression, but this is classification",
    ),
    "score without hope": (("--target", "species", "--loss", "roc_auc"), "is about two classes, and there are 3"),
    "an option of scikit-learn": (("--target", "species", "--cv", "5"), "No such option: --cv; errbar calls it --plan"),
    "an option that is none": (("--target", "species", "--colour", "5"), "No such option: --colour ("),
    "a plan in small letters": (
        ("--target", "species", "--plan", "kfold(fold=3)"),
        "--plan KFold has no parameter 'fold'",
    ),
    "level": (("--target", "species", "--level", "95"), "`level` must be a number between 0 and 1"),
    "level is text": (("--target", "species", "--level", "high"), "--level"),
    "alternative": (("--target", "species", "--alternative", "worse"), "`alternative` must be one of"),
    "adjust": (("--target", "species", "--adjust", "holmes"), "did you mean 'holm'?"),
    "baseline": (("--target", "species", "--baseline", "forest"), "`baseline` must be one of 'tree', 'nn'"),
    "option of another method": (("--target", "species", "--option", "rho=0.5"), "has no option `rho`"),
    "option without a value": (("--target", "species", "--option", "rho"), "--option must look like"),
    "option out of range": (
        ("--target", "species", "--method", "kfold-t", "--option", "rho=2"),
        "`rho` must lie between -1/(K - 1) = -0.1111 and 1",
    ),
    "plan option that does not apply": (
        ("--target", "species", "--method", "5x2cv-t", "--repeats", "3"),
        "--repeats does not apply",
    ),
    "plan that does not fit": (
        ("--target", "species", "--method", "cv-wald", "--repeats", "3"),
        "with a single repeat",
    ),
    "folds": (("--target", "species", "--folds", "1"), "`folds` must be a whole number of at least 2"),
    "more folds than examples": (("--target", "species", "--folds", "151"), "`folds` must be at most"),
    "test size": (("--target", "species", "--n-test", "many"), "--n-test must be a count"),
    "test size too large": (("--target", "species", "--n-test", "150"), "`n_test` must be"),
    "jobs": (("--target", "species", "--jobs", "0"), "`n_jobs` must be"),
    "report": (("--target", "species", "--out", "report.docx"), "report.docx"),
    "report folder": (("--target", "species", "--out", "no/such/report.html"), "no/such"),
    "unknown option": (("--target", "species", "--nonsense"), "--nonsense"),
    "no target": ((), "--target"),
    "drop": (("--target", "species", "--drop", "x"), "`drop` 'x' is not a column"),
    "groups": (("--target", "species", "--groups", "x"), "`groups` 'x' is not a column"),
    "rope": (("--target", "species", "--rope", "-1"), "`rope` must be positive"),
    "random state": (("--target", "species", "--random-state", "-1"), "`random_state` must not be negative"),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments_that_cannot_be_used(errbar, folder, case):
    arguments, message = ARGUMENTS[case]
    refused(errbar("compare", folder / "iris.csv", "--model", TREE, "--model", NEIGHBOURS, *arguments), message)


MODELS = {
    "sklearn.tree.DecisionTreeClassifer": "did you mean 'DecisionTreeClassifier'?",
    "sklearn.treee.DecisionTreeClassifier": "'sklearn.treee' cannot be imported: ModuleNotFoundError",
    "os.path.join": "is not a scikit-learn estimator class",
    "sklearn.tree.DecisionTreeClassifier(maxdepth=3)": "has no parameter 'maxdepth'; did you mean 'max_depth'?",
    "sklearn.tree.DecisionTreeClassifier(3)": "parameters need names",
    "make_pipeline()": "make_pipeline takes steps only",
    "make_pipeline(StandardScaler(), memory=None)": "make_pipeline takes steps only",
    "make_pipeline(StandardScaler(), SVC(3))": "parameters need names",
    "make_pipeline(SVC(), StandardScaler())": "SVC is no transformer",
    "make_pipeline(StandardScaler(), __import__('os').system('touch pwned'))": "parameters need names",
    "make_pipeline(StandardScaler(), SVD())": "scikit-learn has no class 'SVD'",
    "sklearn.tree.DecisionTreeClassifier(**{})": "parameters need names",
    "sklearn.tree.DecisionTreeClassifier(": "cannot be read",
    "sklearn.ensemble.VotingClassifier": "cannot be made: TypeError",
    "DecisionTreeClassifer": "scikit-learn has no class 'DecisionTreeClassifer'; did you mean 'DecisionTreeClassifier'?",
    "TabPFNNobody": "'tabpfn' cannot be imported: ModuleNotFoundError",
    "logistic": "did you mean 'LogisticRegression' or 'LogisticRegressionCV'?",
    "random_forest": "did you mean 'RandomForestRegressor' or 'RandomForestClassifier'?",
    "OneHotEncoder": "learner 'OneHotEncoder' must be a scikit-learn estimator with fit, predict and get_params",
    "Qwertz": "scikit-learn has no class 'Qwertz'; write others with their module",
    "": "cannot be read",
    "__import__('os').system('touch pwned')": "parameters need names",
    "a=__import__('os').system(command='touch pwned')": "cannot be read",
    "os.system('touch pwned')": "parameters need names",
    "subprocess.Popen(args=['touch', 'pwned'])": "is not a scikit-learn estimator class",
    "sklearn.tree.DecisionTreeClassifier(max_depth=open('pwned', 'w'))": "must be a plain value",
    "sklearn.tree.DecisionTreeClassifier(max_depth=[open('pwned', 'w') for _ in (1,)])": "must be a plain value",
    "(lambda: open('pwned', 'w'))()": "cannot be read",
    "nofile.py:model": "there is no file",
    "fine.py:nothing": "fine.py defines no 'nothing'",
    "fine.py:number": "is no scikit-learn estimator",
    "unittest.__main__.TestProgram": "'unittest.__main__' is a program",
    "idlelib.idle.Editor": "'idlelib.idle' has no 'Editor'",
    "this.Zen": "'this' has no 'Zen'",
    "antigravity.Flight": "'antigravity' has no 'Flight'",
    "test.regrtest.Regrtest": "'test.regrtest' has no 'Regrtest'",
}
FAILING = {
    "broken.py:model": "broken.py raised ZeroDivisionError: division by zero",
    "fine.py:fails": "calling it without arguments raised ValueError: no",
}


@pytest.mark.parametrize("text", MODELS)
def test_models_that_cannot_be_used(errbar, folder, tmp_path, text):
    package = text.partition(".")[0]
    if package in ("idlelib", "test") and find_spec(package) is None:
        pytest.skip(f"this Python comes without {package}")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "fine.py").write_text("number = 3\ndef fails():\n    raise ValueError('no')\n")
    refused(
        errbar("compare", folder / "iris.csv", "--target", "species", "--model", TREE, "--model", text), MODELS[text]
    )
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("text", FAILING)
def test_models_whose_own_code_fails(errbar, folder, tmp_path, text):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "fine.py").write_text("def fails():\n    raise ValueError('no')\n")
    data = ("compare", folder / "iris.csv", "--target", "species", "--repeats", 3, "--quiet")
    refused(errbar(*data, "--model", TREE, "--model", f"bad={text}"), f"learner bad failed: {FAILING[text]}", 3)
    others = errbar(*data, "--model", TREE, "--model", NEIGHBOURS, "--model", f"bad={text}", "--json")
    assert (others.status, others.err.count("\n")) == (3, 1)
    assert others.data["failures"] == [{"learner": "bad", "split": "", "message": FAILING[text]}]
    assert [one["name"] for one in others.data["learners"]] == ["tree", "nn"]


def test_numbers_of_models(errbar, folder):
    data = ("--target", "species", "--model", TREE)
    refused(errbar("compare", folder / "iris.csv", *data), "at least two --model, got 1")
    refused(errbar("compare", folder / "iris.csv", *data, "--model", TREE), "two models are called 'tree'")
    refused(errbar("evaluate", folder / "iris.csv", *data, "--model", NEIGHBOURS), "takes one --model, got 2")


def test_tasks_that_do_not_go_together(errbar, folder):
    regressor = ("--model", "r=sklearn.tree.DecisionTreeRegressor")
    refused(
        errbar("compare", folder / "iris.csv", "--target", "species", "--model", TREE, *regressor), "cannot be compared"
    )
    refused(errbar("evaluate", folder / "iris.csv", "--target", "species", *regressor), "holds text such as 'set'")
    refused(
        errbar("evaluate", folder / "iris.csv", "--target", "sl", "--model", TREE, "--drop", "species"), "fractional"
    )


def test_a_command_that_does_not_exist(errbar):
    refused(errbar("comprae"), "comprae")


def test_missing_values_in_the_target(errbar, tmp_path):
    (tmp_path / "gap.csv").write_text("x,y\n1,a\n2,\n3,b\n4,a\n")
    outcome = errbar("evaluate", "gap.csv", "--target", "y", "--model", TREE, "--json", "--quiet")
    assert outcome.status == 0, outcome.err
    assert [1] in [note["numbers"].get("rows_without_target") for note in outcome.data["notes"]]
    (tmp_path / "gaps.csv").write_text("x,y\n1,\n2,\n")
    refused(errbar("evaluate", "gaps.csv", "--target", "y", "--model", TREE), "no row with a value in the target 'y'")


def test_names_without_commas_between_them(errbar, tmp_path):
    (tmp_path / "data.csv").write_text("a,b,y\n1,2,3\n")
    outcome = errbar("evaluate", tmp_path / "data.csv", "--target", "y", "--model", "m=a.B", "--drop", "a", "b")
    assert outcome.status == 2
    assert "written with commas, as in --drop a,b" in outcome.err
