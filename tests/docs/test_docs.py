"""The documentation says what is true: its code runs, its tables match the code, nothing is left out."""

import importlib
import re
import runpy
from importlib.resources import files
from pathlib import Path

import pytest

import errbar
import errbar_lab
from errbar import methods
from errbar.methods import METHODS, evidence
from errbar.methods._core.references import REFERENCES
from tests.scripts import loaded

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    path for path in DOCS.rglob("*.rst") if not {"generated", "_build"} & set(path.parts)
)
EVERY_METHOD = methods.catalogue()


def page_name(path):
    return str(path.relative_to(DOCS))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_code_fits_into_the_width_of_a_page(page):
    lines = re.findall(
        r"^ *((?:>>> |\.\.\. |\$ ).*)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [line for line in lines if len(line) > 90] == []


@pytest.mark.long
@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name
)
def test_examples_run(script, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_the_choice_has_every_method_once_with_the_figures_of_the_atlas(atlas, catalogue):
    found = atlas.read_atlas(DOCS / atlas.ROWS)
    text = atlas.choices(found, atlas.of_default(DOCS))
    assert {key: text.count(catalogue.link(key)) for key in EVERY_METHOD} == dict.fromkeys(
        EVERY_METHOD, 1
    )
    table = found.outcomes
    by_errors = table[(table["loss"] == "zero-one") & (table["n"] > 0)]
    [record] = [one for one in atlas.by_method(by_errors, "pairs") if one["method"] == atlas.CHEAP]
    shown = re.search(rf"{re.escape(catalogue.link('cv-t'))}\n.*\n.*\n     - (\d+)", text)[1]
    assert shown == f"{100 * record['coverage']:.0f}"


@pytest.mark.parametrize("key", EVERY_METHOD)
def test_every_method_has_a_page_that_holds_its_facts(catalogue, key):
    method = EVERY_METHOD[key]
    page = catalogue.method_page(method)
    assert page.startswith(key)
    assert page.count(f".. autofunction:: {method.function.__name__}\n") == 1
    stated = [method.claim, *method.assumptions, *method.exempt.values(), method.fits]
    stated += [f"``{law}``" for law in method.exempt]
    stated += [f"({row.replicates} intervals at 95 %, {row.problem})" for row in evidence.of(key)]
    stated += [catalogue.link(partner) for partner in method.partners]
    assert [text for text in stated if text not in page] == []


@pytest.mark.long
@pytest.mark.parametrize("key", EVERY_METHOD)
def test_every_page_of_a_method_begins_with_an_example_and_its_result_in_words(worked, key):
    page = worked.page_part(EVERY_METHOD[key])
    code, _, rest = page.partition(".. code-block:: none")
    shown, _, words = rest.partition("In words,")
    assert f'method="{key}"' in code
    assert max(map(len, code.splitlines())) <= 3 + 88
    assert re.search(r"\d", shown)
    assert re.search(r"^   .*\d.*\.$", words, re.MULTILINE)


def test_every_method_states_what_it_assumes():
    assert [key for key, method in EVERY_METHOD.items() if not method.assumptions] == []


def test_pages_of_methods_hold_what_else_lives_in_their_files(catalogue):
    page = catalogue.method_page(METHODS["kfold-t"])
    assert ".. autofunction:: rho_threshold\n" in page
    assert ".. autoclass:: RhoSensitivity\n" in page


def test_table_of_plans_has_every_kind_with_its_methods(catalogue):
    rows = dict(re.findall(r"\* - ``([\w-]+)``\n     - .*\n     - (.*)", catalogue.plans_table()))
    kinds = {kind for method in EVERY_METHOD.values() for kind in method.plans}
    assert set(rows) == kinds
    for kind, text in rows.items():
        linked = {key for key in EVERY_METHOD if catalogue.link(key) in text}
        assert linked == {key for key, method in EVERY_METHOD.items() if kind in method.plans}


def test_table_of_coverage_shows_what_was_measured(catalogue, monkeypatch):
    def row(method, target, covered):
        return evidence.Evidence(method, "a problem", 100, target, 0.95, covered, 1000, 0.5)

    rows = [
        row("nested-cv", "R", 940),
        row("nested-cv", "ER(n)", 910),
        row("corrected-t", "ER(n)", 900),
    ]
    monkeypatch.setattr(evidence, "_read", lambda: tuple(rows))
    text = catalogue.coverage_table()
    assert "n = 100: coverage of 95 % intervals in percent, 1000 data sets (a problem)" in text
    assert "**94.0 ± 0.8**" in text  # what it is for, in bold
    assert "- 91.0 ± 0.9" in text
    shown = "n = 100: R 94.0 ± 0.8 %, ER(n) 91.0 ± 0.9 %; mean width 0.5 (1000 intervals at 95 %, a problem)"
    assert shown in catalogue.method_page(METHODS["nested-cv"])
    monkeypatch.setattr(evidence, "_read", tuple)
    assert "Nothing is there yet" in catalogue.coverage_table()
    assert "not among the settings of :doc:`/guide/coverage` yet" in catalogue.method_page(
        METHODS["nested-cv"]
    )


def test_table_of_laws_has_every_law_and_who_is_exempt(catalogue):
    from errbar.testing import LAWS

    text = catalogue.laws_table()
    assert [law for law in LAWS if f"``{law}``" not in text] == []
    named = {law for method in EVERY_METHOD.values() for law in method.exempt}
    assert named <= set(LAWS)
    [row] = re.findall(r"\* - ``shift``\n     - .*\n     - (.*)", text)
    assert {key for key in EVERY_METHOD if catalogue.link(key) in row} == {
        key for key, method in EVERY_METHOD.items() if "shift" in method.exempt
    }


def test_references_page_has_every_entry_and_each_is_cited(catalogue):
    text = catalogue.references()
    cited = {key for method in EVERY_METHOD.values() for key in method.references}
    assert cited == set(REFERENCES)
    for key, entry in REFERENCES.items():
        assert f".. _reference-{key}:" in text
        assert str(entry) in text


def test_short_citations(catalogue):
    short = {key: catalogue.short(entry) for key, entry in REFERENCES.items()}
    assert short["nadeau2003"] == "Nadeau & Bengio (2003)"
    assert short["bayle2020"] == "Bayle et al. (2020)"
    assert short["bouthillier2021"] == "Bouthillier et al. (2021)"
    assert short["mitchell1997"] == "Mitchell (1997)"


def test_every_command_and_option_is_documented(catalogue):
    from errbar.cli import app

    text = catalogue.commands()
    found = list(catalogue.walk(app, "errbar"))
    commands = ["demo", "compare", "evaluate", "test", "methods", "power", "ranks"]
    commands += [
        f"lab {name}"
        for name in ("figure1", "habitat", "table2", "moments", "coverage", "calibrate")
    ]
    commands += ["store info", "store prune", "export"]
    assert {f"errbar {command}" for command in commands} <= {name for name, _ in found}
    for name, command in found:
        assert f"\n{name}\n~~~~~" in f"\n{text}"
        for param in command.params:
            assert getattr(param, "help", "x"), f"{name}: {param.name} has no help"
            assert param.param_type_name == "argument" or param.opts[0] in text


def test_reference_has_every_public_name():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.rst"))
    missing = [
        name
        for name in errbar.__all__
        if name != "__version__" and not re.search(rf"(:: |errbar\.){name}\b", text, re.MULTILINE)
    ]
    assert missing == []
    text = (DOCS / "api" / "lab.rst").read_text(encoding="utf-8")
    pages = {"learners", "loaders", "plots", "populations", "studies"}
    assert [name for name in {*errbar_lab.__all__} - pages if f":: {name}\n" not in text] == []


@pytest.mark.parametrize(
    "home",
    [
        "datasets",
        "design",
        "metrics",
        "margins",
        "methods",
        "plans",
        "planning",
        "plots",
        "simultaneous",
    ],
)
def test_reference_has_every_public_name_of_the_modules(catalogue, home):
    """What a page of a module names with its members is documented by that; methods have pages of their own."""
    texts = [page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.rst")]
    texts += [catalogue.method_page(method) for method in EVERY_METHOD.values()]
    text = "\n".join(texts)
    whole = re.search(rf"automodule:: errbar\.{home}\n +:members:\n", text)
    module = importlib.import_module(f"errbar.{home}")
    missing = [
        name
        for name in module.__all__
        if not whole and not re.search(rf":: {name}\b|\.{home}\.{name}\b", text)
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("folder", "index"),
    [
        ("tutorials", "index"),
        ("guide", "index"),
        ("concepts", "index"),
        ("extending", "index"),
        ("studies", "index"),
        ("api", "api/index"),
        ("coming-from", "coming-from/index"),
    ],
)
def test_every_page_can_be_found(folder, index):
    """Pages that stand in no table of contents are not read; the build says so, too."""
    listed = (DOCS / f"{index}.rst").read_text(encoding="utf-8")
    names = {page.stem for page in (DOCS / folder).glob("*.rst")} - {"index"}
    assert [
        name
        for name in sorted(names)
        if not re.search(rf"^   (?:{folder}/)?{name}$", listed, re.MULTILINE)
    ] == []


def test_decisions_have_a_reason_and_a_price():
    text = (DOCS / "decisions.rst").read_text(encoding="utf-8")
    parts = re.split(r"^-{3,}$", text, flags=re.MULTILINE)[1:]
    assert parts
    assert all(part.count("**Why.**") == part.count("**Price.**") == 1 for part in parts)


def test_pages_get_what_the_theme_leaves_out():
    """Each text that is replaced stands in the theme, or in what Sphinx and docutils write, and is replaced once."""
    added = loaded("docs/_ext/accessible.py")
    for given, wanted in added.ADDED.items():
        once = added.accessible(f"<p>{given}</p>")
        assert once == f"<p>{wanted}</p>"
        assert added.accessible(once) == once
    theme = files("furo").joinpath("theme", "furo", "page.html").read_text(encoding="utf-8")
    assert '<aside class="sidebar-drawer">' in theme
