"""Writing reports to files."""

import json
from pathlib import Path

import pytest

from errbar import report
from errbar.errors import InvalidInputError, MissingPackageError
from tests.refusals import refused
from tests.report.comparisons import many

STARTS = {
    ".html": "<!doctype html>",
    ".md": "# No winner",
    ".tex": "%",
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
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(
        json.dumps(comparison.to_dict())
    )


def test_strings_and_capitals_are_fine(everything, tmp_path):
    assert report.save(everything["two"], str(tmp_path / "R.MD")) == tmp_path / "R.MD"


@pytest.mark.parametrize("name", ["report.pdf", "report", ".html"])
def test_other_endings_are_refused(everything, tmp_path, name):
    with pytest.raises(InvalidInputError):
        report.save(everything["two"], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_missing_folder_is_named(everything, tmp_path):
    with pytest.raises(InvalidInputError):
        report.save(everything["two"], tmp_path / "nowhere" / "r.md")


def test_folder_is_no_file(everything, tmp_path):
    (tmp_path / "r.md").mkdir()
    with pytest.raises(InvalidInputError):
        report.check_path(tmp_path / "r.md")


def test_failure_while_writing_leaves_the_old_file(everything, tmp_path, monkeypatch):
    path = tmp_path / "r.md"
    path.write_text("old")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidInputError):
        report.save(everything["two"], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_existing_file_is_replaced(everything, tmp_path):
    path = tmp_path / "r.md"
    path.write_text("old")
    report.save(everything["two"], path)
    assert path.read_text(encoding="utf-8").startswith(STARTS[".md"])


def test_missing_package_is_named(everything, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackageError):
        report.save(everything["two"], tmp_path / "r.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("suffix", STARTS)
def test_several_go_into_one_file(tmp_path, suffix):
    found = [many(3), many(3, method="resampled-t")]
    content = report.save(found, tmp_path / f"r{suffix}", command="errbar demo --seed 3").read_text(
        encoding="utf-8"
    )
    assert "corrected-t" in content
    assert "resampled-t" in content
    assert ("errbar demo --seed 3" in content) == (suffix in (".html", ".md"))


def test_several_in_json_are_those_of_the_command_line(tmp_path):
    found = [many(3), many(3, method="resampled-t")]
    data = json.loads(report.save(found, tmp_path / "r.json").read_text(encoding="utf-8"))
    plain = [json.loads(json.dumps(one.to_dict())) for one in found]
    assert data == plain[0] | {"comparisons": plain}


def test_a_sequence_of_one_is_like_the_one(everything, tmp_path):
    for suffix in STARTS:
        alone = report.save(everything["two"], tmp_path / f"alone{suffix}").read_bytes()
        assert report.save([everything["two"]], tmp_path / f"listed{suffix}").read_bytes() == alone


@pytest.mark.parametrize("wrong", [[], "report", 3, None, [3]])
def test_only_comparisons_can_be_reported(wrong):
    for form in (report.text, report.markdown, report.latex, report.html, report.fragment):
        with refused("comparison"):
            form(wrong)
