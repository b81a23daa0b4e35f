"""Notes are data: a code with numbers, and one file with the sentences."""

import ast
import copy
import json
import pickle
import re
import string
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import errbar
from errbar import Note
from errbar.result import distinct
from tests import forms

SOURCE = Path(errbar.__file__).parent
ENTRIES = tomllib.loads((SOURCE / "notes.toml").read_text(encoding="utf-8"))
SENTENCES = {code: entry["text"] for code, entry in ENTRIES.items() if "text" in entry}
LISTS = {code: set(entry["kinds"]) for code, entry in ENTRIES.items() if "kinds" in entry}


def made():
    """Every call of `Note` in the package: where, code, and the names of its numbers; None for names that are computed."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Note"
            ):
                where = f"{path.relative_to(SOURCE)}:{node.lineno}"
                yield where, node.args, [one.arg for one in node.keywords]


MADE = [call for call in made() if not call[0].startswith("result.py")]


def fields(text):
    """The fields of a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


class TestFile:
    def test_every_code_of_the_package_is_in_it_and_back(self):
        assert all(len(args) == 1 and isinstance(args[0], ast.Constant) for _, args, _ in MADE)
        assert {args[0].value for _, args, _ in MADE} == set(ENTRIES)

    @pytest.mark.parametrize(("where", "args", "names"), MADE, ids=[where for where, *_ in MADE])
    def test_the_numbers_of_a_note_are_the_fields_of_its_sentence(self, where, args, names):
        code = args[0].value
        if code in LISTS:
            assert {name for name in names if name is not None} <= LISTS[code], where
        else:
            assert set(names) == fields(SENTENCES[code]), where

    @pytest.mark.parametrize("code", LISTS)
    def test_every_kind_of_list_is_made_somewhere(self, code):
        named = {
            name
            for _, args, names in MADE
            if args[0].value == code
            for name in names
            if name is not None
        }
        computed = (
            {"one_hot", "dates_as_days", "gaps_filled", "rows_without_target"}
            if code == "read"
            else set()
        )
        assert named | computed == LISTS[code]

    def test_codes_are_few_and_in_order(self):
        assert len(ENTRIES) <= 45
        assert list(ENTRIES) == sorted(ENTRIES)

    @pytest.mark.parametrize("code", ENTRIES)
    def test_an_entry_says_what_it_must(self, code):
        entry = ENTRIES[code]
        assert set(entry) <= {"severity", "text", "measured", "kinds"}
        assert ("text" in entry) != ("kinds" in entry)
        assert entry["severity"] in ("reading", "record")

    @pytest.mark.parametrize("code", SENTENCES)
    def test_a_sentence_is_short(self, code):
        assert len(SENTENCES[code].split()) <= 25
        assert not SENTENCES[code].endswith(".")

    @pytest.mark.parametrize("code", SENTENCES)
    def test_figures_are_measured_by_a_script(self, code):
        bare = re.sub(r"'[^']*'|`[^`]*`|\{[^}]*\}", "", SENTENCES[code])
        assert bool(re.search(r"\d", bare)) == ("measured" in ENTRIES[code])

    @pytest.mark.parametrize(
        "code", [code for code, entry in ENTRIES.items() if "measured" in entry]
    )
    def test_that_script_exists(self, code):
        assert (Path(__file__).parents[1] / ENTRIES[code]["measured"]).is_file()


class TestNote:
    def test_code_and_numbers_decide_whether_two_are_equal(self):
        one = Note("uneven-folds", ratio=3.1)
        assert one == Note("uneven-folds", ratio=3.1)
        assert hash(one) == hash(Note("uneven-folds", ratio=3.1))
        assert len({one, Note("uneven-folds", ratio=3.2), Note("bias", ratio=3.1)}) == 3
        assert one != "uneven-folds"
        assert hash(Note("few", count=3, what="halvings")) == hash(
            Note("few", what="halvings", count=3)
        )

    def test_numbers_are_plain(self):
        import numpy as np

        note = Note("few", count=np.int64(3), what=np.array(["a", "b"]).tolist())
        assert type(note.numbers["count"]) is int
        assert note.numbers == {"count": 3, "what": ("a", "b")}

    def test_it_cannot_be_changed(self):
        note = Note("uneven-folds", ratio=3.1)
        with pytest.raises(AttributeError):
            note.code = "bias"
        with pytest.raises(AttributeError):
            del note.code
        note.numbers["ratio"] = 2
        assert note.numbers == {"ratio": 3.1}

    @pytest.mark.parametrize(
        "note",
        [Note("no-variation"), Note("read", left_aside=["a", "b"]), Note("bias", bias=0.5)],
    )
    def test_copies_are_equal(self, note):
        for other in (
            pickle.loads(pickle.dumps(note)),
            copy.copy(note),
            copy.deepcopy(note),
        ):
            assert other == note
            assert other.numbers == note.numbers

    def test_its_sentence_has_the_numbers(self):
        note = Note("uneven-folds", ratio=3.14159)
        assert (
            note.text.split("3.142")[0] + "3.142"
            == SENTENCES["uneven-folds"].split("{ratio}")[0] + "3.142"
        )
        assert str(note) == f"uneven-folds: {note.text}"

    def test_long_lists_are_cut_in_the_sentence_only(self):
        names = [f"c{i}" for i in range(12)]
        note = Note("read", left_aside=names)
        assert note.numbers["left_aside"] == tuple(names)
        assert "c7" in note.text
        assert "c8" not in note.text

    def test_severity_is_that_of_the_file(self):
        assert {code: Note(code).severity for code in ENTRIES} == {
            code: entry["severity"] for code, entry in ENTRIES.items()
        }

    def test_a_code_of_somebody_else_lists_its_numbers(self):
        note = Note("own", size=3, where="here")
        assert note.text == "size: 3; where: here"
        assert note.severity == "reading"

    def test_the_file_is_read_when_a_sentence_is_asked_for(self):
        code = "import errbar, sys; errbar.Note('bias'); assert 'tomllib' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)


class TestLists:
    """Notes on how a file was read are one note together."""

    def test_they_are_merged_where_the_first_stood(self):
        few = Note("few", count=3, what="halvings")
        notes = [
            Note("read", left_aside=["a"]),
            few,
            Note("read", left_aside=["b", "a"], roles=["fold=k"]),
            few,
        ]
        assert distinct(notes) == (Note("read", left_aside=["a", "b"], roles=["fold=k"]), few)
        assert distinct(distinct(notes)) == distinct(notes)

    @pytest.mark.parametrize("code", ENTRIES)
    def test_codes_without_a_sentence_and_no_others_are_merged(self, code):
        assert len(distinct([Note(code, a=["x"]), Note(code, a=["y"])])) == (
            1 if code in LISTS else 2
        )

    def test_fits_and_files_are_apart(self):
        notes = (Note("read", left_aside=["a"]), Note("fits", damaged=[2]))
        assert distinct(notes) == notes

    def test_each_table_and_result_has_one(self):
        table = errbar.from_losses({"a": [0.1, 0.4, 0.2, 0.3], "b": [0.2, 0.3, 0.3, 0.5]})
        more = replace(
            table, notes=(Note("read", left_aside=["x"]), Note("read", left_aside=["y"]))
        )
        assert more.notes == (Note("read", left_aside=["x", "y"]),)
        result = errbar.infer(more, "holdout-t", "a", minus="b").with_notes(
            *more.notes, Note("read", roles=["fold=k"])
        )
        assert [note for note in result.notes if note.code == "read"] == [
            Note("read", left_aside=["x", "y"], roles=["fold=k"])
        ]


class TestJson:
    def test_a_result_goes_there_and_back(self):
        result = errbar.methods.halved_kfold_t(
            forms.halves(
                [0.2, 0.3, 0.3],
                [[[0.1, 0.3, 0.2], [0.4, 0.3, 0.4]], [[0.3, 0.1, 0.2], [0.3, 0.5, 0.4]]],
            )
        ).with_notes(Note("read", left_aside=["a"]))
        data = json.loads(json.dumps(result.to_dict()))
        assert [note["code"] for note in data["notes"]] == ["rho-estimated", "read"]
        assert data["notes"][1] == {
            "code": "read",
            "numbers": {"left_aside": ["a"]},
            "text": Note("read", left_aside=["a"]).text,
        }

    def test_a_comparison_has_code_numbers_and_sentence(self):
        table = errbar.from_losses({"a": [0.1, 0.4, 0.2, 0.3], "b": [0.2, 0.3, 0.3, 0.5]})
        found = errbar.compare_table(table).to_dict()["notes"]
        assert found
        assert all(set(note) == {"code", "numbers", "text"} for note in found)
