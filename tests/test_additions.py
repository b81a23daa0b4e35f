"""A metric, an adapter and a plan are added in a copy of the package, and the files that this touches are counted.

CONTRIBUTING.md shows the code. A method is added in tests/docs/test_extending.py.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import errbar

pytestmark = pytest.mark.long

SOURCE = Path(errbar.__file__).parent
ROOT = Path(__file__).parents[1]


@pytest.fixture
def package(tmp_path):
    place = tmp_path / "errbar"
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def edit(file, before, after):
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), encoding="utf-8")


def touched(package):
    every = [path.relative_to(package) for path in package.rglob("*.py")]
    there = {path for path in every if (SOURCE / path).exists()}
    changed = {
        path for path in there if (package / path).read_bytes() != (SOURCE / path).read_bytes()
    }
    return sorted(map(str, changed | (set(every) - there)))


def run(package, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=package.parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


DATA = """
import json, errbar, numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
X = np.random.default_rng(0).standard_normal((60, 2)); y = X[:, 0] ** 3
learners = {"mean": DummyRegressor(), "linear": LinearRegression()}
"""


CUBED = """\
def cubed_error(truth: Array, predicted: Array) -> Any:
    return np.abs(truth - predicted) ** 3
"""
ENTRY = """\
[losses.cubed-error]
words = "cubed error"
function = "cubed_error"
task = "regression"
"""


def test_a_loss_per_example_is_one_file(package):
    file = package / "metrics" / "_functions.py"
    edit(file, "def absolute_error(", f"{CUBED}\n\ndef absolute_error(")
    table = package / "metrics" / "metrics.toml"
    edit(table, "[losses.zero-one]", f"{ENTRY}\n[losses.zero-one]")
    assert touched(package) == ["metrics/_functions.py"]
    found = json.loads(
        run(
            package,
            "-c",
            DATA
            + """
found = errbar.compare(learners, X, y, loss="cubed-error", random_state=0)
print(json.dumps({"estimate": found.learners["mean"].estimate, "text": str(found)}))
""",
        )
    )
    assert found["estimate"] > 0
    assert "cubed error" in found["text"]
    assert "cubed-error" in run(package, "-m", "errbar.cli", "compare", "--help")


THREAT = """\
[metrics.threat]
words = "threat"
function = ["of_positive", "threat"]
trials = ["trials", "threat"]
task = "classification"
higher_is_better = true
range = [0.0, 1.0]
pool = "folds"
about = "positive"
lacks = ["lacking", "positives"]
pointwise = false
influence = true
"""


def test_a_metric_of_many_examples_is_one_file(package):
    file, table = (package / "metrics" / name for name in ("_functions.py", "metrics.toml"))
    edit(
        file,
        "def f_score(",
        "def threat(of):\n    return of.hit, (of.true + 2 * of.said - of.hit) / 2\n\n\ndef f_score(",
    )
    edit(table, "[metrics.balanced_accuracy]", f"{THREAT}\n[metrics.balanced_accuracy]")
    assert touched(package) == ["metrics/_functions.py"]
    printed = run(
        package,
        "-c",
        """
import json, errbar
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
X, y = load_breast_cancer(return_X_y=True)
found = errbar.evaluate(GaussianNB(), X, y, loss="threat", method="cv-wald", random_state=0)
print(json.dumps([found.estimate, found.se, found.low, found.high]))
""",
    )
    estimate, se, low, high = json.loads(printed)
    assert 0.0 < low < estimate < high < 1.0
    assert se > 0.0


TOY = """\
NAME, METRICS = "Toy", False


def is_log(path):
    return path.read_text().startswith("toy ")


def rows_of(path, metric):
    _, model, *scores = path.read_text().split()
    for number, score in enumerate(scores):
        yield {
            "model": model,
            "task": "toy",
            "number": str(number),
            "scores": {"solved": score},
            "fields": {},
            "check": "",
        }
"""


def test_logs_of_another_tool_are_one_file_and_one_entry(package, tmp_path):
    tools = package / "reading" / "tools"
    (tools / "toy.py").write_text(TOY, encoding="utf-8")
    edit(tools / "logs.py", "import inspect, lm_eval\n", "import inspect, lm_eval, toy\n")
    edit(tools / "logs.py", "TOOLS = (inspect, lm_eval)", "TOOLS = (inspect, lm_eval, toy)")
    assert touched(package) == ["reading/tools/logs.py", "reading/tools/toy.py"]
    for model, scores in {"small": "1 0 0 1 0 1", "large": "1 1 0 1 1 1"}.items():
        (tmp_path / f"{model}.txt").write_text(f"toy {model} {scores}", encoding="utf-8")
    files = [str(tmp_path / f"{model}.txt") for model in ("small", "large")]
    found = json.loads(run(package, "-m", "errbar", "test", *files, "--metric", "solved", "--json"))
    assert [pair["estimate"] for pair in found["pairs"]] == [pytest.approx(-1 / 3)]
    assert "solved" in json.dumps(found)
    named = json.loads(
        run(package, "-m", "errbar", "test", f"a={files[0]}", f"b={files[1]}", "--json")
    )
    assert {named["pairs"][0]["a"], named["pairs"][0]["b"]} == {"a", "b"}


def test_a_name_of_a_role_is_one_entry(package, tmp_path):
    edit(
        package / "reading" / "roles.toml",
        '"patient", "patient_id"',
        '"patient", "pig", "patient_id"',
    )
    assert touched(package) == []
    rows = [f"{(7 * row) % 11},{(5 * row) % 13},{row // 4}" for row in range(24)]
    sheet = tmp_path / "pigs.csv"
    sheet.write_text("\n".join(["a,b,pig", *rows]), encoding="utf-8")
    asked = ("-m", "errbar", "test", str(sheet), "--kind", "examples", "--json")
    unsaid, said = (json.loads(run(package, *asked, *more)) for more in ((), ("--groups", "pig")))
    assert unsaid["method"] == "cluster-t"
    assert unsaid["pairs"] == said["pairs"]


PLAN = '''"""Random splits of half the data."""

from collections.abc import Iterator

from errbar.plans._base import Plan, Split
from errbar.plans._base import KINDS
from errbar.plans._base import Rows


class HalfAndHalf(Plan):
    """Random splits of half the data."""

    repeats: int = 15
    kind = KINDS["half-and-half"]

    def drawn(self, rows: Rows) -> Iterator[Split]:
        """Yield the splits."""
        half = rows.n // 2
        for repeat in range(self.repeats):
            sets = rows.split(rows.stream("half and half", repeat), half, half)
            yield Split(*sets, {"repeat": repeat})
'''


def test_a_plan_is_one_file_its_kind_and_one_entry(package):
    (package / "plans" / "half_and_half.py").write_text(PLAN, encoding="utf-8")
    edit(
        package / "plans" / "__init__.py",
        "from errbar.plans._plans import (",
        "from errbar.plans.half_and_half import HalfAndHalf\nfrom errbar.plans._plans import (",
    )
    with (package / "plans" / "kinds.toml").open("a", encoding="utf-8") as kinds:
        kinds.write(
            '[half-and-half]\nwords = "random halves"\ntraining = "RANDOM"\ntesting = "OVERLAPPING"\nstated = true\n'
        )
    assert touched(package) == [
        "plans/__init__.py",
        "plans/half_and_half.py",
    ]
    found = json.loads(
        run(
            package,
            "-c",
            DATA
            + """
import errbar.methods
table = errbar.run(learners, X, y, plan=errbar.plans.HalfAndHalf(4), random_state=0)
stated = errbar.from_scores({"a": [0.1, 0.2]}, kind="half-and-half")
refused = [one.reason for one in errbar.methods.suitable(table) if one.key == "corrected-t"]
print(json.dumps({"kinds": table.splits.kinds, "stated": stated.splits.kinds, "refused": refused}))
""",
        )
    )
    assert found["kinds"] == found["stated"] == ["half-and-half"]
    assert "this is 'half-and-half'" in found["refused"][0]
    assert "half-and-half" in run(package, "-m", "errbar.cli", "test", "--help")


def test_the_page_for_contributors_shows_what_is_added_here():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    method = (ROOT / "docs" / "extending" / "median_t.py").read_text(encoding="utf-8")
    assert method[method.index("@register") :] in page
    shown = (CUBED, ENTRY.removesuffix(",\n"), TOY, "TOOLS = (inspect, lm_eval, toy)")
    assert [part for part in shown if part not in page] == []
