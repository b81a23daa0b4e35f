"""The worked example at the head of each method's page: a call, what it prints, and what that says in words.

Methods that bring a plan are shown on the same two learners and data, so that their answers can be compared. The others get
numbers of their own. Everything is run at every build, and the sentences are those of `errbar.report.conclude`.
"""

import io
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from catalogue import escaped, write
from sphinx.application import Sphinx

import errbar
from errbar.methods import Method, catalogue

WIDTH = 80  # characters that fit beside the tables of contents

_REGRESSION = """
import errbar
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

X, y = load_diabetes(return_X_y=True)  # 442 patients
learners = {"linear": LinearRegression(), "10-NN": KNeighborsRegressor(10)}
"""
_CLASSIFICATION = """
import errbar
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

X, y = load_breast_cancer(return_X_y=True)  # 569 tumours
learners = {"LDA": LinearDiscriminantAnalysis(), "5-NN": KNeighborsClassifier(5)}
"""
_SEEDS = """
import errbar
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

X, y = load_diabetes(return_X_y=True)  # 442 patients
learners = {"forest": RandomForestRegressor(20), "extra trees": ExtraTreesRegressor(20)}
"""
_DATA_SETS = """
import errbar

# Error rates of two learners on twelve data sets.
tree = [0.28, 0.06, 0.33, 0.25, 0.11, 0.19, 0.30, 0.08, 0.22, 0.17, 0.36, 0.14]
bayes = [0.26, 0.05, 0.38, 0.31, 0.15, 0.17, 0.35, 0.12, 0.24, 0.23, 0.34, 0.19]
rates = {"tree": tree, "bayes": bayes}
table = errbar.from_scores(rates, kind="data-sets", metric="error rate")
"""
_SEEDS_OF_DATA_SETS = """
import errbar

# Error rates of two learners with three seeds on each of four data sets.
data = ["wine"] * 3 + ["iris"] * 3 + ["sonar"] * 3 + ["vowel"] * 3
tree = [0.11, 0.09, 0.12, 0.06, 0.05, 0.07, 0.28, 0.31, 0.29, 0.22, 0.20, 0.23]
forest = [0.05, 0.04, 0.06, 0.04, 0.05, 0.05, 0.21, 0.20, 0.24, 0.13, 0.15, 0.14]
rates = {"tree": tree, "forest": forest}
table = errbar.from_scores(rates, dataset=data, seed=[0, 1, 2] * 4, metric="error rate")
"""
_RUNS = """
import errbar

# Mean returns of two agents that were trained anew six and four times.
returns = {
    "qmix": [14.8, 14.2, 13.2, 16.1, 12.7, 15.3],
    "mappo": [15.6, 15.7, 17.3, 16.4],
}
table = errbar.from_scores(returns, kind="runs", metric="return", higher_is_better=True)
"""
_PATIENTS = """
import errbar

# Losses on 16 visits of six patients.
patient = [1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6]
linear = [14, 9, 11, 30, 26, 5, 8, 4, 6, 17, 12, 9, 7, 10, 3, 6]
forest = [19, 15, 15, 29, 24, 9, 11, 9, 9, 16, 13, 14, 11, 13, 4, 7]
table = errbar.from_losses({"linear": linear, "forest": forest}, groups=patient)
"""
_MONTHS = """
import errbar
import numpy as np

# Airline passengers of 1949 to 1952, in thousands, by month (Box & Jenkins).
passengers = np.array([
    112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118,
    115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140,
    145, 150, 178, 163, 172, 178, 199, 199, 184, 162, 146, 166,
    171, 180, 193, 181, 183, 218, 230, 242, 209, 191, 172, 194,
])
later = passengers[12:]
forecasts = {"last month": passengers[11:-1], "last year": passengers[:-12]}
table = errbar.from_predictions(
    forecasts, later, loss="absolute-error", time=np.arange(later.size)
)
"""
_SERIES = """
import errbar
import numpy as np

# Absolute errors of two forecasts of the sales of 6 shops (rows) in 8 weeks;
# in week 5, snow fell.
naive = np.array([
    [12, 9, 14, 11, 30, 10, 13, 8], [7, 5, 9, 6, 21, 8, 6, 7],
    [15, 11, 12, 16, 35, 14, 10, 13], [4, 6, 5, 3, 15, 6, 4, 5],
    [9, 8, 11, 10, 27, 9, 12, 8], [11, 13, 10, 12, 29, 12, 9, 14],
])
model = np.array([
    [9, 8, 10, 9, 29, 8, 10, 7], [6, 5, 6, 5, 22, 6, 5, 6],
    [11, 10, 9, 12, 33, 12, 8, 10], [5, 5, 4, 4, 17, 5, 4, 4],
    [8, 7, 9, 7, 26, 8, 9, 7], [9, 10, 9, 9, 31, 10, 8, 11],
])
shop, week = np.indices(naive.shape)
losses = {"naive": naive.ravel(), "model": model.ravel()}
table = errbar.from_losses(losses, groups=shop.ravel(), time=week.ravel())
"""
_JUDGED = """
import errbar

# A language model judged 20 answers of two models, people the first 8: 1 is an error.
unknown = [None] * 12
people = {
    "large": [0, 0, 1, 0, 0, 0, 1, 0, *unknown],
    "small": [0, 1, 1, 0, 1, 0, 1, 0, *unknown],
}
judge = {
    "large": [0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    "small": [0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1],
}
table = errbar.from_judged(people, judge)
"""
_KNOWN = """
import errbar

# Four models have answered 16 questions of a board, a new one 8 of them: 1 is right.
known = {
    "a": [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1],
    "b": [1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1],
    "c": [1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0],
    "d": [1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1],
}
unknown = None
new = {
    "new": [1, unknown, 1, 0, 0, unknown, 1, unknown]
    + [unknown, 1, unknown, 1, unknown, 0, unknown, unknown]
}
table = errbar.from_known(new, known, baseline="a", higher_is_better=True)
"""
_TABLES = {
    "cluster-t": _PATIENTS,
    "data-sets-t": _SEEDS_OF_DATA_SETS,
    "diebold-mariano": _MONTHS,
    "two-way-t": _SERIES,
    "welch-t": _RUNS,
    "ppi": _JUDGED,
    "known": _KNOWN,
    **dict.fromkeys(("bayes-sign", "bayes-signed-rank", "sign-test", "wilcoxon"), _DATA_SETS),
    "friedman": _DATA_SETS.replace("two learners", "three learners").replace(
        'rates = {"tree": tree, "bayes": bayes}',
        "forest = [0.21, 0.04, 0.25, 0.24, 0.08, 0.14, 0.26, 0.05, 0.21, 0.13, 0.29, 0.10]\n"
        'rates = {"tree": tree, "bayes": bayes, "forest": forest}',
    ),
}
_MORE = {
    "bayes-sign": "rope=0.01",
    "bayes-signed-rank": "rope=0.01",
    "bayes-correlated-t": "rope=100",
}


def example(method: Method) -> str:
    """Return the code of a method's example; nothing for one of another package that brings no plan."""
    more = "".join(f", {option}" for option in [_MORE.get(method.key, "")] if option)
    if method.key in _TABLES:
        call = f'found = errbar.compare_table(table, method="{method.key}"{more})'
        return f"{_TABLES[method.key]}\n{call}\n{shown(method)}".lstrip()
    if method.default_plan is None:
        return ""
    setting = setting_of(method)
    loss = f', loss="{method.loss}"' if method.loss == "roc_auc" else ""
    asked = f'learners, X, y, method="{method.key}"{loss}{more}, random_state=0'
    call = f"found = errbar.compare({asked})"
    if len(call) > WIDTH:
        call = f"found = errbar.compare(\n    {asked}\n)"
    return f"{setting}\n{call}\n{shown(method)}".lstrip()


def setting_of(method: Method) -> str:
    """Return the data and learners that a method with a plan is shown on."""
    if method.key.startswith("crossed-"):
        return _SEEDS
    if method.key == "outperformance":  # where one learner always wins, there is nothing to see
        return _REGRESSION.replace(
            "from sklearn.linear_model import LinearRegression\n", ""
        ).replace('"linear": LinearRegression()', '"7-NN": KNeighborsRegressor(7)')
    if method.subject == "all":
        three = _CLASSIFICATION.replace(
            "\n\nX,", "\nfrom sklearn.tree import DecisionTreeClassifier\n\nX,"
        )
        return three + 'learners["tree"] = DecisionTreeClassifier()\n'
    if method.subject == "learner":
        return _CLASSIFICATION.replace(', "5-NN": KNeighborsClassifier(5)', "").replace(
            "from sklearn.neighbors import KNeighborsClassifier\n", ""
        )
    return _CLASSIFICATION if method.loss else _REGRESSION


def shown(method: Method) -> str:
    """Return the line that prints what the method says."""
    if method.subject == "all":
        return "print(found.overall)\n"
    return (
        'print(found.learners["LDA"])\n'
        if method.subject == "learner"
        else "print(found.pairs[0].result)\n"
    )


def ran(code: str) -> tuple[str, Any]:
    """Run an example and return what it prints, and the comparison that it made."""
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("ignore")
        exec(code, names)
    return printed.getvalue(), names["found"]


def page_part(method: Method) -> str:
    """Return the head of a method's page: code, what it prints, and how to read it."""
    code = example(method)
    if not code:
        return ""
    printed, found = ran(code)
    return "".join(
        [
            block(".. code-block:: python", code),
            block(".. code-block:: none\n   :class: wrapped", printed),
            "In words, from ``errbar.report.conclude(found)``:\n\n",
            *(f"   {escaped(sentence)}\n\n" for sentence in errbar.report.conclude(found)),
        ]
    )


def block(directive: str, text: str) -> str:
    """Return a directive that holds text."""
    lines = "\n".join(f"   {line}".rstrip() for line in text.strip("\n").splitlines())
    return f"{directive}\n\n{lines}\n\n"


def generate(app: Sphinx) -> None:
    """Write the examples of all methods."""
    folder = Path(app.srcdir) / "generated" / "worked"
    for method in catalogue().values():
        write(folder / f"{method.key}.inc", page_part(method))


def setup(app: Sphinx) -> dict[str, bool]:
    """Run the examples before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
