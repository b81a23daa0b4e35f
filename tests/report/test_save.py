"""Writing reports to files."""

import json
from pathlib import Path

import pytest

from errbar import report
from errbar.errors import InvalidInputError, MissingPackageError

STARTS = {
    ".html": "<!DOCTYPE html>",
    ".md": "# Comparison",
    ".tex": "% Needs",
    ".txt": "Comparison",
    ".json": "{",
}


@pytest.mark.parametrize("suffix", STARTS)
def test_ending_chooses_the_form(everything, tmp_path, suffix):
    path = everything["two"].save(tmp_path / f"report{suffix}")
    content = path.read_text(encoding="utf-8")
    assert content.startswith(STARTS[suffix])
    assert content.endswith("\n")
    assert not content.endswith("\n\n")
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_the_plain_data(comparison, tmp_path):
    path = report.save(comparison, tmp_path / "report.json")
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(comparison.to_dict()))


def test_text_files_have_no_colour_codes(everything, tmp_path):
    assert "\x1b" not in report.save(everything["two"], tmp_path / "r.txt").read_text(encoding="utf-8")


def test_strings_and_capitals_are_fine(everything, tmp_path):
    assert report.save(everything["two"], str(tmp_path / "R.MD")) == tmp_path / "R.MD"


@pytest.mark.parametrize("name", ["report.pdf", "report", ".html"])
def test_other_endings_are_refused(everything, tmp_path, name):
    with pytest.raises(InvalidInputError, match=r"\.html, \.md, \.tex, \.txt, \.json"):
        report.save(everything["two"], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_missing_folder_is_named(everything, tmp_path):
    with pytest.raises(InvalidInputError, match=r"there is no folder '.*nowhere'"):
        report.save(everything["two"], tmp_path / "nowhere" / "r.md")


def test_folder_is_no_file(everything, tmp_path):
    (tmp_path / "r.md").mkdir()
    with pytest.raises(InvalidInputError, match="is a folder"):
        report.check_path(tmp_path / "r.md")


def test_failure_while_writing_leaves_the_old_file(everything, tmp_path, monkeypatch):
    path = tmp_path / "r.md"
    path.write_text("old")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidInputError, match=r"cannot be written to '.*r\.md': No space left on device"):
        report.save(everything["two"], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_existing_file_is_replaced(everything, tmp_path):
    path = tmp_path / "r.md"
    path.write_text("old")
    report.save(everything["two"], path)
    assert path.read_text(encoding="utf-8").startswith("# Comparison")


def test_missing_package_is_named(everything, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingPackageError, match="jinja2"):
        report.save(everything["two"], tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
