"""What makes two learners the same: code wherever it stands, parameters, and versions of what is installed."""

import functools
import importlib
import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy import special
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from errbar.fits.learners import identify, versions

pytestmark = pytest.mark.long

_HELPER = """
import functools
import math

LEVELS = {"low": 1, "high": [2, 3]}
AHEAD = [0.5]
lock = __import__("threading").Lock()

def noisy(function):
    @functools.wraps(function)
    def called(*values, **named):
        with lock:
            return function(*values, **named)
    return called

class Base:
    unit = 1.0
    def extra(self):
        return 1

@noisy
def vote(x):
    return _deeper(x)

def _deeper(x, offset=2, *, sign=1):
    return sign * x + offset + LEVELS["low"]

def even(n):
    return True if n == 0 else odd(n - 1)

def odd(n):
    return False if n == 0 else even(n - 1)

def late(x):
    return math.floor(x)

def unused(x):
    return x
"""

_LEARNER = '''
import dataclasses
import enum
import functools

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

import errbar_helper as tools
from errbar_helper import Base, vote

RATE = 1
TABLE = np.array([1.0, 2.0])

class Mood(enum.Enum):
    GOOD = 1
    BAD = 2

@dataclasses.dataclass
class Setting:
    depth: int = 3
    names: list = dataclasses.field(default_factory=lambda: ["a"])

@functools.singledispatch
def shown(x):
    return 0

@shown.register
def _(x: int):
    return 1

def metric(a, b):
    return np.abs(a - b).sum()

def outer(factor):
    def inner(X):
        return X * factor
    return inner

scale = outer(2)
shifted = functools.partial(metric, b=3)

class Steps(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None, sample_weight=None):
        return self
    def transform(self, X):
        return X + 0

class Learner(Base, ClassifierMixin, BaseEstimator):
    shift = 1

    def __init__(self, a=1, mood=Mood.GOOD):
        self.a = a
        self.mood = mood

    @property
    def half(self):
        return self.a / 2

    @functools.cached_property
    def third(self):
        return self.a / 3

    @staticmethod
    def plain(x):
        return x + 1

    @classmethod
    def named(cls):
        return cls.shift + 1

    def fit(self, X, y, depth=3, *, width=4):
        from errbar_helper import late
        self.classes_ = np.unique(y)
        self.setting_ = Setting()
        late(RATE + TABLE[0])
        scale(X)
        shown(tools.even(4))
        shifted(np.zeros(2))
        [tools.AHEAD[0] for _ in range(3)]
        return super().fit(X, y) if hasattr(super(), "fit") else self

    def predict(self, X):
        """Say something."""
        if self.a in {1, 2, 3}:
            return np.full(len(X), self.classes_[vote(RATE + self.shift) % 2])
        raise NotImplementedError
'''

# What is edited, in which file, and what it is replaced by.
EDITS = {
    "method": ("learner", "len(X), self", "X.shape[0], self"),
    "base class": ("helper", "        return 1\n", "        return 2\n"),
    "attribute of a base class": ("helper", "unit = 1.0", "unit = 2.0"),
    "helper function, decorated": ("helper", "return _deeper(x)", "return _deeper(x) + 1"),
    "helper of a helper": ("helper", "sign * x + offset", "sign * x - offset"),
    "decorator": (
        "helper",
        "with lock:\n            return function",
        "with lock:\n            function(0)\n            return function",
    ),
    "default": ("learner", "depth=3, *", "depth=4, *"),
    "default that is named": ("learner", "width=4", "width=5"),
    "default of a helper": ("helper", "offset=2", "offset=3"),
    "named default of a helper": ("helper", "sign=1)", "sign=-1)"),
    "global": ("learner", "RATE = 1", "RATE = 2"),
    "array": ("learner", "2.0])", "3.0])"),
    "global of a helper": ("helper", '"low": 1', '"low": 2'),
    "global deep in a dict": ("helper", "[2, 3]", "[2, 4]"),
    "global of another module": ("helper", "AHEAD = [0.5]", "AHEAD = [0.6]"),
    "class attribute": ("learner", "shift = 1\n", "shift = 2\n"),
    "closure": ("learner", "outer(2)", "outer(3)"),
    "inner function": ("learner", "X * factor", "X + factor"),
    "partial": ("learner", "metric, b=3", "metric, b=4"),
    "function of a partial": ("learner", "abs(a - b).sum", "abs(a - b).max"),
    "property": ("learner", "self.a / 2", "self.a / 4"),
    "cached property": ("learner", "self.a / 3", "self.a / 5"),
    "static method": ("learner", "return x + 1", "return x + 2"),
    "class method": ("learner", "cls.shift + 1", "cls.shift + 2"),
    "enumeration": ("learner", "GOOD = 1", "GOOD = 3"),
    "data class": ("learner", "depth: int = 3", "depth: int = 4"),
    "factory of a data class": ("learner", '["a"]', '["b"]'),
    "single dispatch": ("learner", "    return 0\n", "    return 2\n"),
    "registered function": ("learner", "x: int):\n    return 1", "x: int):\n    return 2"),
    "functions that call each other": ("helper", "even(n - 1)", "even(n - 2)"),
    "import inside a function": ("helper", "math.floor", "math.ceil"),
    "constant in a set": ("learner", "{1, 2, 3}", "{1, 2, 4}"),
    "name of an installed function": ("learner", "np.unique(y)", "np.sort(y)"),
    "exception": ("learner", "raise NotImplementedError", "raise ValueError"),
}


@pytest.fixture
def learner_of(tmp_path, monkeypatch):
    """Return a function that writes the two modules, edited, and imports them anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def imported(edit: tuple[str, str, str] | None = None):
        texts = {"helper": _HELPER, "learner": _LEARNER}
        if edit is not None:
            file, old, new = edit
            assert texts[file].count(old) == 1, (
                f"{old!r} stands in {file} {texts[file].count(old)} times"
            )
            texts[file] = texts[file].replace(old, new)
        for name, text in texts.items():
            monkeypatch.delitem(sys.modules, f"errbar_{name}", raising=False)
            (tmp_path / f"errbar_{name}.py").write_text(text)
        importlib.invalidate_caches()
        return importlib.import_module("errbar_learner")

    return imported


def digest(module) -> str:
    found = identify(make_pipeline(module.Steps(), module.Learner()))
    assert not found.obstacle
    return found.digest


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_is_seen(learner_of, edit):
    assert digest(learner_of(edit)) != digest(learner_of())


# Ways to come to the helper by a name: what stands before the class, and what the learner does.
BY_NAME = {
    "attribute of a module": ("", "getattr(tools, 'v' + 'ote')(1)"),
    "dictionary of a module": ("", "vars(tools)['vote'](1)"),
    "import by name": ("import importlib", "importlib.import_module('errbar_helper').vote(1)"),
    "import of a function": (
        "from importlib import import_module as take",
        "take('errbar_helper').vote(1)",
    ),
    "built-in import": ("", "__import__('errbar_helper').vote(1)"),
    "loaded modules": ("", "sys.modules['errbar_helper'].vote(1)"),
    "loaded modules, asked": ("", "sys.modules.get('errbar_helper').vote(1)"),
    "own module": ("", "getattr(sys.modules[__name__], 'vo' + 'te')(1)"),
    "own names": ("", "globals()['vo' + 'te'](1)"),
    "expression": ("", "eval('vote(' + '1)')"),
    "statement": ("", "exec('from errbar_helper import vote; vote(1)')"),
    "weak reference": ("import weakref; weak = weakref.ref(vote)", "weak()(1)"),
    "registry": ("REGISTRY = {'a': vote}", "REGISTRY['a'](1)"),
    "vectorized": ("many = np.vectorize(vote)", "many([1])"),
    "method caller": ("import operator; call = operator.methodcaller('vote', 1)", "call(tools)"),
    "attribute hook": (
        "class Hook:\n    __getattr__ = lambda _, name: getattr(tools, name)",
        "Hook().vote(1)",
    ),
}

_SHORT = """
import sys
import numpy as np
from sklearn.base import BaseEstimator
import errbar_helper as tools
from errbar_helper import vote
{before}

class Learner(BaseEstimator):
    def fit(self, X, y):
        return {does}

    predict = fit
"""


@pytest.mark.parametrize(("before", "does"), BY_NAME.values(), ids=BY_NAME)
def test_code_that_is_found_by_name_is_seen(learner_of, monkeypatch, before, does):
    monkeypatch.setitem(globals(), "_LEARNER", _SHORT.format(before=before, does=does))

    def found(edit=None):
        identity = identify(learner_of(edit).Learner())
        assert not identity.obstacle
        return identity.digest

    first = found()
    assert found() == first
    assert found(EDITS["helper of a helper"]) != first


def test_functions_of_numpy_and_scipy_are_recognised():
    assert not identify(FunctionTransformer(np.log1p)).obstacle
    assert (
        identify(FunctionTransformer(special.expit)).digest
        != identify(FunctionTransformer(special.logit)).digest
    )


def test_a_transformer_a_metric_and_a_search_are_looked_into(learner_of):
    def digests(edit):
        return [identify(made(module)).digest for module in [learner_of(edit)] for made in ways]

    ways = (
        lambda module: make_pipeline(module.Steps(), SVC()),
        lambda module: KNeighborsClassifier(metric=module.metric),
        lambda module: FunctionTransformer(module.shifted),
        lambda module: GridSearchCV(KNeighborsClassifier(), {"metric": [module.metric]}),
        lambda module: FunctionTransformer(
            functools.partial(lambda metric, X: metric(X, 0), module.metric)
        ),
    )
    usual, again = digests(None), digests(None)
    steps, metric = digests(("learner", "X + 0", "X + 1")), digests(EDITS["function of a partial"])
    assert usual == again
    for edited in (steps, metric):
        assert not any(a == b for a, b in zip(usual, edited, strict=True))


def test_equal_learners_are_the_same_however_they_were_made():
    def made():
        return make_pipeline(StandardScaler(), SVC(C=float("1.5"), class_weight={1: 2.0, 0: 1.0}))

    assert identify(made()).digest == identify(made()).digest
    other = make_pipeline(StandardScaler(), SVC(C=1.5, class_weight={0: 1.0, 1: 2.0}))
    assert identify(other).digest == identify(made()).digest
    words = ("a", "b")
    shared, apart = [words, words], [("a", "b"), tuple("ab")]
    assert identify(shared).digest == identify(apart).digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SVC(C=1), SVC(C=1.0)),
        (SVC(C=0.0), SVC(C=-0.0)),
        (SVC(kernel="rbf"), SVC(kernel=b"rbf")),
        (SVC(class_weight={0: 1}), SVC(class_weight={0: True})),
        (SVC(class_weight={0: 1}), SVC(class_weight={"0": 1})),
        ([1, [2, 3]], [1, 2, [3]]),
        ([1, 2], (1, 2)),
        (np.zeros(2), np.zeros((1, 2))),
        (np.zeros(2, dtype="f4"), np.zeros(1, dtype="f8")),
        (np.array(["a"], dtype=object), np.array(["b"], dtype=object)),
        (np.random.RandomState(0), np.random.RandomState(1)),
        ({1, 2}, frozenset({1, 2})),
        ([10**5000], [10**5000 + 1]),
        (RandomForestClassifier(random_state=0), RandomForestClassifier(random_state=None)),
    ],
)
def test_parameters_that_differ_at_all_count(one, other):
    assert identify(one).digest != identify(other).digest


class TestWhatCannotBeWrittenDown:
    def test_is_named(self):
        endless = (number for number in itertools.count())

        def drawn(X):
            return X + next(endless)

        found = identify(FunctionTransformer(drawn))
        assert not found.digest
        assert "generator" in found.obstacle

    def test_locks_have_no_content(self):
        lock = threading.Lock()

        def careful(X):
            with lock:
                return X

        assert not identify(FunctionTransformer(careful)).obstacle


def test_what_is_installed_counts_by_its_version():
    found = identify(SVC()).versions
    assert set(found) == {"python", "errbar", "numpy", "scipy", "scikit-learn"}
    assert found == versions()


_RUN = """
import sys
import errbar, numpy as np, packaged
X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
table = errbar.run({"m": packaged.Model()}, X, y, plan=errbar.plans.KFold(5), random_state=0, store=sys.argv[1], **eval(sys.argv[2]))
print(table.counts.fits, table.counts.reused, [list(note.numbers.values()) for note in table.notes], table.provenance.get("packaged"))
"""


@pytest.fixture
def packaged(tmp_path):
    """Return a function that installs a package in some version and code, and runs a fit of it on one store."""
    site = tmp_path / "site-packages"
    (site / "packaged").mkdir(parents=True)

    def run(version: str, *, rate: int = 0, options: str = "{}") -> str:
        for old in site.glob("*.dist-info"):
            for file in old.iterdir():
                file.unlink()
            old.rmdir()
        info = site / f"packaged-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: packaged\nVersion: {version}\n"
        )
        (info / "RECORD").write_text("packaged/__init__.py,,\n")
        (site / "packaged" / "__init__.py").write_text(
            "import numpy as np\nfrom sklearn.base import BaseEstimator, ClassifierMixin\n"
            "class Model(ClassifierMixin, BaseEstimator):\n"
            "    def fit(self, X, y):\n        self.classes_ = np.unique(y)\n        return self\n"
            f"    def predict(self, X):\n        return np.full(len(X), self.classes_[{rate}])\n"
        )
        surroundings = os.environ | {
            "PYTHONPATH": os.pathsep.join(
                [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
            )
        }
        surroundings["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-c", _RUN, str(tmp_path / "runs.db"), options]
        ended = subprocess.run(
            command, env=surroundings, capture_output=True, text=True, check=False
        )
        return ended.stdout.strip() or ended.stderr.strip().splitlines()[-1]

    return run


def test_another_version_of_a_package_is_another_fit(packaged):
    assert packaged("1.0").startswith("5 0 []")
    assert packaged("1.0").startswith("0 5 []")
    assert packaged("2.0", rate=1).startswith("5 0 []")
    assert packaged("1.0").startswith("0 5 []")
