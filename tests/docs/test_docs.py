"""The documentation says what is true: its code runs, its tables match the code, nothing is left out."""

import doctest
import re
import runpy
import shlex
from pathlib import Path

import numpy as np
import pytest

import errbar
from errbar._references import REFERENCES
from errbar.methods import METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.rst") if not {"generated", "_build"} & set(path.parts))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def page_name(path):
    return str(path.relative_to(DOCS))


@pytest.mark.parametrize("page", [p for p in PAGES if ">>>" in p.read_text(encoding="utf-8")], ids=page_name)
def test_examples_of_the_pages_give_what_they_show(page):
    failed, attempted = doctest.testfile(
        str(page), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
    )
    assert attempted
    assert not failed


def test_python_in_the_readme_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "linear" in capsys.readouterr().out


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_method_table_of_the_readme_matches_the_catalogue():
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", README, re.MULTILINE)
    stated = {key: (estimand, plans.strip(), fits.strip()) for key, estimand, plans, fits, _ in rows}
    expected = {key: (str(m.estimand), ", ".join(m.plans), m.fits) for key, m in METHODS.items()}
    assert stated == expected


@pytest.mark.parametrize("key", METHODS)
def test_guide_speaks_of_every_method(key):
    text = (DOCS / "guide" / "which-method.rst").read_text(encoding="utf-8")
    assert f":doc:`{key} </generated/methods/{key}>`" in text


def test_every_method_has_a_page_that_holds_its_facts(catalogue):
    for key, method in METHODS.items():
        page = catalogue.method_page(method)
        assert page.startswith(key)
        assert method.claim in page
        assert f".. autofunction:: {method.function.__name__}\n" in page
    assert ".. autofunction:: rho_threshold\n" in catalogue.method_page(METHODS["kfold-t"])


def test_every_method_stands_in_both_tables(catalogue):
    for text in (catalogue.methods_table(), catalogue.choice_table()):
        assert [key for key in METHODS if f"`{key} <" not in text] == []


def test_references_page_has_every_entry_and_each_is_cited(catalogue):
    text = catalogue.references()
    cited = {key for method in METHODS.values() for key in method.references}
    assert cited == set(REFERENCES)
    for key, entry in REFERENCES.items():
        assert f".. _reference-{key}:" in text
        assert str(entry) in text


def test_short_citations(catalogue):
    short = {key: catalogue.short(entry) for key, entry in REFERENCES.items()}
    assert short["nadeau2003"] == "Nadeau & Bengio (2003)"
    assert short["bayle2020"] == "Bayle et al. (2020)"
    assert short["mitchell1997"] == "Mitchell (1997)"


def test_every_command_and_option_is_documented(catalogue):
    import typer

    from errbar.cli import app

    text = catalogue.commands()
    found = list(catalogue.walk(typer.main.get_command(app), "errbar"))
    assert {"errbar demo", "errbar compare", "errbar evaluate", "errbar test", "errbar methods"} <= {
        n for n, _ in found
    }
    for name, command in found:
        assert f"\n{name}\n-----" in f"\n{text}"
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


def commands_shown():
    texts = [README, *(page.read_text(encoding="utf-8") for page in PAGES)]
    shown = (
        re.findall(r"^(?: +\$ )?(errbar (?:compare|evaluate|test|methods|--version).*)$", t, re.MULTILINE)
        for t in texts
    )
    return sorted({command.partition("  #")[0].strip() for found in shown for command in found})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the commands in the documentation read."""
    from sklearn.datasets import load_diabetes

    place = tmp_path_factory.mktemp("commands")
    load_diabetes(as_frame=True).frame.to_csv(place / "diabetes.csv", index=False)
    scores = np.random.default_rng(0).normal([0.31, 0.27], 0.02, (15, 2))
    np.savetxt(place / "scores.csv", scores, delimiter=",", header="tree,1-NN", comments="")
    return place


@pytest.mark.parametrize("command", commands_shown())
def test_commands_that_are_shown_run(command, folder, monkeypatch, capsys):
    from errbar.cli import main

    monkeypatch.chdir(folder)
    arguments = shlex.split(command.replace("--jobs 2", "--jobs 1"))[1:]
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 0
    assert capsys.readouterr().out


def test_method_of_the_walk_through_works_and_obeys_the_laws():
    import errbar.testing

    before = dict(METHODS)
    try:
        runpy.run_path(str(DOCS / "extending" / "median_t.py"))
        table = errbar.from_scores({"a": [3.0, 1.0, 2.0, 5.0], "b": [1.0, 1.5, 1.0, 0.0]}, n_train=90, n_test=10)
        assert errbar.infer(table, "median-t", "a").estimate == 2.5
        errbar.testing.check_method(METHODS["median-t"])
    finally:
        METHODS.clear()
        METHODS.update(before)


def test_decisions_are_short_and_numbered():
    names = sorted(path.name for path in (DOCS / "decisions").glob("0*.rst"))
    assert [name[:3] for name in names] == [f"{i:03}" for i in range(1, len(names) + 1)]
    for name in names:
        text = (DOCS / "decisions" / name).read_text(encoding="utf-8")
        assert all(f"**{part}.**" in text for part in ("Decision", "Why", "Price"))
