"""The house itself: what is where, what imports what, what has a name."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import errbar
import errbar_lab
from errbar import methods
from errbar.methods import METHODS, catalogue
from errbar.methods._core.references import REFERENCES

SOURCE = Path(errbar.__file__).parent
METHOD_FILES = sorted(
    path.stem for path in (SOURCE / "methods").glob("_*.py") if path.stem != "__init__"
)
MODULES = sorted(
    module.name
    for package in (errbar, errbar_lab)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not any(part.startswith("_") for part in module.name.split("."))
)


def imported_by(path):
    """Modules that a file names in its import statements."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def modules_after(statement):
    """Modules that a fresh interpreter has loaded after one statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("stem", METHOD_FILES)
def test_every_method_file_is_imported_and_registers(stem):
    homes = {method.function.__module__ for method in catalogue().values()}
    assert f"errbar.methods.{stem}" in homes


@pytest.mark.parametrize("stem", METHOD_FILES)
def test_method_files_know_nothing_of_each_other(stem):
    others = {f"errbar.methods.{other}" for other in METHOD_FILES if other != stem}
    assert not others & set(imported_by(SOURCE / "methods" / f"{stem}.py"))


@pytest.mark.parametrize("method", catalogue().values(), ids=catalogue())
class TestMethods:
    def test_it_is_public_under_its_own_name(self, method):
        name = method.function.__name__
        assert name in methods.__all__
        assert getattr(methods, name) is method.function

    def test_its_results_are_signed_with_its_key(self, method):
        assert catalogue()[method.key] is method
        assert f'@method("{method.key}")' in inspect.getsource(
            sys.modules[method.function.__module__]
        )

    def test_it_makes_its_own_default_plan_suitable(self, method):
        assert method.default_plan is None or method.default_plan.kind in method.plans

    @pytest.mark.parametrize(
        "section", ["Parameters", "Returns", "See Also", "References", "Examples"]
    )
    def test_its_documentation_is_complete(self, method, section):
        assert f"{section}\n{'-' * len(section)}" in inspect.getdoc(method.function)

    def test_its_references_are_in_its_documentation(self, method):
        text = inspect.getdoc(method.function)
        for key in method.references:
            reference = REFERENCES[key]
            assert str(reference.year) in text
            assert reference.authors.split(",")[0] in text

    def test_every_option_is_documented(self, method):
        common = ("level",) if method.subject == "all" else ("level", "null", "alternative")
        for name in (*common, *method.options):
            assert f"\n{name} : " in inspect.getdoc(method.function)


def test_every_reference_is_cited():
    assert {key for method in catalogue().values() for key in method.references} == set(REFERENCES)


@pytest.mark.parametrize("key", REFERENCES)
def test_references_are_keyed_by_author_and_year(key):
    reference = REFERENCES[key]
    assert key == f"{reference.authors.split(',')[0].lower()}{reference.year}"
    assert str(reference).endswith(".")


def test_a_key_is_registered_once():
    with pytest.raises(errbar.InvalidInputError):
        methods.register(
            "corrected-t",
            plans=("kfold",),
            default_plan=METHODS["kfold-t"].default_plan,
            estimand=errbar.Estimand.RISK,
            references=(),
        )(METHODS["corrected-t"].function)


@pytest.mark.long
@pytest.mark.parametrize(
    "statement",
    [
        "import errbar",
        "import errbar.methods",
        "import errbar.simultaneous",
        "import errbar.datasets",
        "import errbar.planning",
        "import errbar; errbar.compare_table",
    ],
)
def test_the_statistical_core_is_light(statement):
    loaded = modules_after(statement)
    slow = {
        "sklearn",
        "scipy.stats",
        "scipy.optimize",
        "scipy.interpolate",
        "pandas",
        "joblib",
        "matplotlib",
    }
    assert not loaded & (slow | {"typer", "rich", "polars"})


def test_importing_errbar_loads_no_numpy():
    assert "numpy" not in modules_after("import errbar")


@pytest.mark.parametrize("name", errbar.__all__)
def test_every_public_name_resolves(name):
    assert getattr(errbar, name) is not None


def test_public_names_are_sorted_and_unique():
    assert list(errbar.__all__) == sorted(set(errbar.__all__))
    assert dir(errbar) == errbar.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError):
        errbar.nothing  # noqa: B018


@pytest.mark.parametrize("name", MODULES)
def test_every_public_module_says_what_it_is(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert module.__doc__.strip()


@pytest.mark.parametrize("name", MODULES)
def test_names_that_a_module_offers_exist(name):
    module = importlib.import_module(name)
    for offered in getattr(module, "__all__", []):
        found = getattr(module, offered)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert inspect.getdoc(found), f"{name}.{offered} has no documentation"


@pytest.mark.parametrize("path", [SOURCE / "testing.py"], ids=lambda path: path.stem)
def test_the_laws_use_no_assert_statements(path):
    """They vanish under python -O, and pytest does not explain them outside of tests."""
    assert not [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert)
    ]


@pytest.mark.long
def test_testing_works_without_assert_statements_too():
    code = "from errbar.methods import METHODS; from errbar.testing import check_method; check_method(METHODS['corrected-t'])"
    subprocess.run([sys.executable, "-O", "-c", code], check=True)
