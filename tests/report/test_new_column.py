"""A column is added in one file, and every form of the report shows it."""

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
COLUMN = """    yield ReportColumn(sentence("Statistic"), [number(found.statistic, Scale(2)) for found in results], spare=1)
"""
BEFORE = "    if not wording.bayesian:\n        yield from _test_columns(wording)\n"
SHOW = """
import json, errbar
table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
found = errbar.compare_table(table)
forms = {name: getattr(errbar.report, name)(found) for name in ("text", "markdown", "latex", "html")}
print(json.dumps({"source": errbar.__file__, "statistic": found.pairs[0].result.statistic, **forms}))
"""


def shown_by(package):
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=package.parent,
    )
    found = json.loads(done.stdout)
    assert Path(found["source"]).parent == package
    return found


def test_a_column_is_added_in_one_file(tmp_path):
    pytest.importorskip("jinja2")
    package = tmp_path / "errbar"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = shown_by(package)
    file = package / "report" / "tables.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    file.write_text(text.replace(BEFORE, COLUMN + BEFORE), encoding="utf-8")
    touched = [
        path.relative_to(package)
        for path in package.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and path.read_bytes() != (SOURCE / path.relative_to(package)).read_bytes()
    ]
    assert touched == [Path("report/tables.py")]
    after = shown_by(package)
    for form in ("text", "markdown", "latex", "html"):
        digits = f"{after['statistic']:.2f}"
        assert "Statistic" not in before[form]
        assert "Statistic" in after[form]
        assert after[form].count(digits) == before[form].count(digits) + 1
