"""Logs of lm-evaluation-harness and of Inspect."""

import numpy as np
import pytest

import errbar
from errbar import InvalidInputError, PairingError
from tests.eval_logs import (
    inspect_log,
    inspect_sample,
    sample,
    write_eval,
    write_json,
    write_samples,
)
from tests.refusals import refused

LETTERS = {"openai/small": "CIIPNC", "openai/large": "CCICCC"}
RIGHT = {"org__small": [1, 0, 0, 1, 0, 1], "org__large": [1, 1, 0, 1, 1, 1]}


def notes(table):
    return {note.code: note.numbers for note in table.notes}


def means(table):
    return dict(
        zip(table.learners, (table.loss.sign * table.scores).mean(axis=1).tolist(), strict=True)
    )


def points(table, learner):
    return (table.loss.sign * table.points[table.position(learner)]).tolist()


class TestLmEval:
    @pytest.fixture
    def folder(self, tmp_path):
        for model, right in RIGHT.items():
            lines = [sample(i, {"acc": float(r), "acc_norm": 1.0 - r}) for i, r in enumerate(right)]
            write_samples(tmp_path, model, "arc_easy", lines)
        return tmp_path

    def test_a_folder(self, folder):
        table = errbar.read_logs(folder)
        assert (table.loss.key, table.loss.higher_is_better, table.splits.kinds) == (
            "acc",
            True,
            ("holdout",),
        )
        assert {name: points(table, name) for name in table.learners} == RIGHT
        assert table.notes == ()
        assert table.splits.designs[0].clusters is None

    def test_files_and_names(self, folder, monkeypatch):
        expected = means(errbar.read_logs(folder))
        files = sorted(folder.rglob("*.jsonl"))
        assert means(errbar.read_logs(files)) == expected
        named = errbar.read_logs({"a": folder / "org__small", "b": [folder / "org__large"]})
        assert means(named) == {"a": expected["org__small"], "b": expected["org__large"]}
        monkeypatch.chdir(folder / "org__small")
        [file] = folder.glob("org__small/*")
        assert errbar.read_logs(file.name).learners == ("org__small",)

    def test_another_metric(self, folder):
        assert means(errbar.read_logs(folder, metric="acc_norm"))["org__small"] == pytest.approx(
            0.5
        )
        with pytest.raises(InvalidInputError):
            errbar.read_logs(folder, metric="f1")

    def test_tasks_are_groups(self, folder):
        for model, right in RIGHT.items():
            lines = [
                sample(i, {"acc": float(1 - r)}, doc={"q": i, "page": i // 2})
                for i, r in enumerate(right)
            ]
            write_samples(folder, model, "my_task_2", lines)
        table = errbar.read_logs(folder, groups="task")
        assert np.bincount(table.splits.designs[0].clusters).tolist() == [6, 6]
        few = errbar.read_logs(folder)
        assert few.splits.designs[0].clusters is None
        assert few.notes[0] == errbar.Note("fixed", what="tasks (tasks='pooled')")
        assert means(table) == {"org__large": 0.5, "org__small": 0.5}
        assert errbar.read_logs(folder, groups="none").splits.designs[0].clusters is None
        only = errbar.read_logs(sorted(folder.rglob("*my_task_2*")), groups="page")
        assert np.bincount(only.splits.designs[0].clusters).tolist() == [2, 2, 2]
        with refused("groups"):
            errbar.read_logs(folder, groups="page")

    def test_tasks_with_different_metrics(self, folder):
        for model in RIGHT:
            write_samples(folder, model, "gsm8k", [sample(0, {"exact_match": 1.0})])
        with pytest.raises(InvalidInputError):
            errbar.read_logs(folder)

    def test_filters(self, tmp_path):
        for model, right in RIGHT.items():
            strict = [
                sample(i, {"exact_match": float(r)}, name="strict-match")
                for i, r in enumerate(right)
            ]
            loose = [
                sample(i, {"exact_match": 1.0}, name="flexible-extract")
                for i, _ in enumerate(right)
            ]
            write_samples(tmp_path, model, "gsm8k", strict + loose)
        table = errbar.read_logs(tmp_path, filter="strict-match")
        assert points(table, "org__small") == RIGHT["org__small"]
        with pytest.raises(InvalidInputError):
            errbar.read_logs(tmp_path)
        with pytest.raises(InvalidInputError):
            errbar.read_logs(tmp_path, filter="none")
        for model in RIGHT:  # a task with one filter takes that
            write_samples(
                tmp_path,
                model,
                "triviaqa",
                [sample(0, {"exact_match": 0.0}, name="remove_whitespace")],
            )
        assert errbar.read_logs(tmp_path, filter="strict-match", tasks="pooled").points.shape == (
            2,
            7,
        )

    def test_several_answers_are_averaged(self, tmp_path):
        answers = {model: [[r, 1, 0] for r in right] for model, right in RIGHT.items()}
        for model, rows in answers.items():
            lines = [
                sample(i, {"exact_match": float(r)}) for i, row in enumerate(rows) for r in row
            ]
            write_samples(tmp_path, model, "aime", lines)
        table = errbar.read_logs(tmp_path)
        assert (table.splits.designs[0].seeds, table.points.shape) == (1, (2, 6))
        assert means(table) == pytest.approx(
            {model: np.mean(rows) for model, rows in answers.items()}
        )
        kept = errbar.read_logs(
            tmp_path, groups="question"
        )  # the documents have a field of that name
        assert (kept.points.shape, kept.splits.designs[0].n_clusters) == ((2, 18), 6)

    def test_several_runs_have_to_be_meant(self, folder):
        again = [sample(i, {"acc": 1.0, "acc_norm": 0.0}) for i in range(6)]
        write_samples(folder, "org__small", "arc_easy", again, time="2026-04-01T00-00-00.000001")
        with pytest.raises(InvalidInputError):
            errbar.read_logs(folder)
        table = errbar.read_logs({"small": folder / "org__small"})
        assert table.splits.designs[0].seeds == 2
        assert means(table)["small"] == pytest.approx(0.75)

    def test_other_documents_are_refused(self, folder):
        lines = [sample(i, {"acc": 1.0}, doc={"question": f"another {i}"}) for i in range(6)]
        write_samples(folder, "third", "arc_easy", lines)
        with pytest.raises(PairingError):
            errbar.read_logs(folder)

    def test_who_lacks_documents_is_left_out_by_name(self, folder):
        write_samples(
            folder,
            "third",
            "arc_easy",
            [sample(i, {"acc": 1.0, "acc_norm": 1.0}) for i in range(4)],
        )
        table = errbar.read_logs(folder)
        assert set(table.learners) == set(RIGHT)
        assert notes(table)["left-out"]["what"] == ("third (2)",)
        fewer = errbar.read_logs(folder, missing="examples")
        assert fewer.points.shape == (3, 4)

    @pytest.mark.parametrize(("metric", "sign"), [("edits", 1), ("perplexity", -1)])
    def test_a_direction_that_no_name_says(self, tmp_path, metric, sign):
        """For perplexity the harness logs log-likelihoods, of which higher are better."""
        write_samples(tmp_path, "m", "t", [sample(i, {metric: sign * i / 4}) for i in range(4)])
        with refused("higher_is_better"):
            errbar.read_logs(tmp_path)
        assert errbar.read_logs(tmp_path, higher_is_better=False).loss.sign == 1

    @pytest.mark.parametrize("metric", ["wer", "brier_score", "word_perplexity"])
    def test_direction_is_known_without_results(self, tmp_path, metric):
        write_samples(tmp_path, "m", "t", [sample(i, {metric: i / 4}) for i in range(4)])
        table = errbar.read_logs(tmp_path)
        assert (table.loss.sign, table.notes) == (1, ())

    def test_names_without_a_time(self, folder):
        """``arc_easy`` must not be read as the task ``arc`` at the time ``easy``."""
        for log in sorted(folder.rglob("*.jsonl")):
            for task in ("arc_easy", "arc_challenge"):
                lines = (
                    log.read_text()
                    .replace("question", f"{task} question")
                    .replace('_hash": "', f'_hash": "{task}')
                )
                log.with_name(f"samples_{task}.jsonl").write_text(lines)
            log.unlink()
        table = errbar.read_logs(folder)
        assert table.points.shape == (2, 12)
        assert notes(table)["fixed"]["what"] == "tasks (tasks='pooled')"

    def test_files_of_other_names_are_of_one_learner_each(self, folder):
        for log in sorted(folder.rglob("*.jsonl")):
            log.rename(folder / f"{log.parent.name}.jsonl")
        table = errbar.read_logs(folder)
        assert {name: points(table, name) for name in table.learners} == RIGHT
        named = errbar.read_logs(
            {"a": folder / "org__small.jsonl", "b": folder / "org__large.jsonl"}
        )
        assert points(named, "b") == RIGHT["org__large"]

    def test_a_byte_order_mark(self, folder):
        expected = means(errbar.read_logs(folder))
        for log in folder.rglob("*.jsonl"):
            log.write_bytes(b"\xef\xbb\xbf" + log.read_bytes())
        assert means(errbar.read_logs(folder)) == expected

    def test_groups_of_the_same_name_in_two_tasks_are_said(self, folder):
        for model, right in RIGHT.items():
            for task in ("one", "two"):
                lines = [
                    sample(i, {"acc": float(r)}, doc={"q": i, "page": i // 2})
                    for i, r in enumerate(right)
                ]
                write_samples(folder / "pages", model, task, lines)
        table = errbar.read_logs(folder / "pages", groups="page")
        assert table.splits.designs[0].n_clusters == 3
        assert notes(table)["taken-as"]["what"] == ("group 0", "group 1", "group 2")

    def test_metrics_of_all_documents_are_refused(self, tmp_path):
        write_samples(
            tmp_path, "m", "cb", [sample(i, {"f1": [0, i % 2], "acc": 1.0}) for i in range(4)]
        )
        with pytest.raises(InvalidInputError):
            errbar.read_logs(tmp_path)

    @pytest.mark.parametrize("text", ["", "[]\n", '{"id": 1}\n', '{"doc_id": 1\n', "doc_id\n1\n"])
    def test_files_that_are_no_logs(self, tmp_path, text):
        (tmp_path / "samples_a_b.jsonl").write_text(text)
        with pytest.raises(InvalidInputError):
            errbar.read_logs(tmp_path / "samples_a_b.jsonl")

    def test_files_that_are_not_there(self, tmp_path):
        for what in (tmp_path / "x.jsonl", tmp_path):
            with pytest.raises(InvalidInputError):
                errbar.read_logs(what)
        with pytest.raises(InvalidInputError):
            errbar.read_logs([])


class TestInspect:
    def write(self, folder, write=write_eval, **options):
        ending = "json" if write is write_json else "eval"
        return [
            write(
                folder / f"{model.replace('/', '-')}.{ending}",
                inspect_log(
                    model, [inspect_sample(i, letter) for i, letter in enumerate(letters, 1)]
                ),
                **options,
            )
            for model, letters in LETTERS.items()
        ]

    @pytest.mark.parametrize(
        "options",
        [{"write": write_json}, {}, {"zstandard": True}],
        ids=["json", "eval", "eval-zstandard"],
    )
    def test_both_formats(self, tmp_path, options):
        table = errbar.read_logs(self.write(tmp_path, **options))
        assert (table.loss.key, table.loss.higher_is_better, table.splits.kinds) == (
            "match",
            True,
            ("holdout",),
        )
        assert points(table, "openai/small") == [1, 0, 0, 0.5, 0, 1]
        assert means(table)["openai/large"] == pytest.approx(5 / 6)
        assert table.notes == ()

    def test_formats_may_be_mixed_in_a_folder(self, tmp_path):
        self.write(tmp_path)
        write_json(
            tmp_path / "third.json",
            inspect_log("third", [inspect_sample(i, 0.25) for i in range(1, 7)]),
        )
        write_json(tmp_path / "logs.json", {"listing": []})
        table = errbar.read_logs(tmp_path)
        assert means(table)["third"] == 0.25
        assert len(table.learners) == 3

    @pytest.mark.parametrize(
        ("value", "number"),
        [
            ("C", 1),
            ("N", 0),
            (True, 1),
            (0.3, 0.3),
            ("yes", 1),
            ("False", 0),
            ("0.75", 0.75),
            (7, 7),
        ],
    )
    def test_numbers_of_scores(self, tmp_path, value, number):
        place = write_json(
            tmp_path / "l.json", inspect_log("m", [inspect_sample(i, value) for i in range(3)])
        )
        assert means(errbar.read_logs(place)) == {"m": number}

    def test_scores_that_are_no_numbers(self, tmp_path):
        place = write_json(tmp_path / "l.json", inspect_log("m", [inspect_sample(1, "good")]))
        with pytest.raises(InvalidInputError):
            errbar.read_logs(place)

    def test_the_manifest_of_a_folder_is_no_log(self, tmp_path):
        """An evaluation set writes logs.json, with the headers of all logs by file."""
        expected = means(errbar.read_logs(self.write(tmp_path)))
        header = {name: part for name, part in inspect_log("m", []).items() if name != "samples"}
        write_json(tmp_path / "logs.json", {"small.eval": header, "large.eval": header})
        write_json(tmp_path / "eval-set.json", {"eval_set_id": "x", "tasks": []})
        assert means(errbar.read_logs(tmp_path)) == expected

    def test_several_scorers(self, tmp_path):
        samples = [
            inspect_sample(i, {"match": "C", "grader": {"style": i, "facts": 2}}, scorer=None)
            for i in range(3)
        ]
        place = write_eval(tmp_path / "l.eval", inspect_log("m", samples))
        with pytest.raises(InvalidInputError):
            errbar.read_logs(place)
        assert means(errbar.read_logs(place, metric="match")) == {"m": 1.0}
        assert points(errbar.read_logs(place, metric="grader/style"), "m") == [0, 1, 2]

    def test_epochs_are_answers(self, tmp_path):
        for model in "ab":
            samples = [
                inspect_sample(i, "CI"[(i + e + (model == "b")) % 2], epoch=e)
                for e in (2, 1, 3)
                for i in range(8)
            ]
            write_eval(tmp_path / f"{model}.eval", inspect_log(model, samples))
        table = errbar.read_logs(tmp_path)
        assert (table.splits.designs[0].seeds, table.points.shape) == (1, (2, 8))
        assert sorted(set(points(table, "a"))) == pytest.approx([1 / 3, 2 / 3])
        kept = errbar.read_logs(tmp_path, groups="question")
        assert (kept.points.shape, kept.splits.designs[0].n_clusters) == ((2, 24), 8)

    def test_tasks_and_fields_are_groups(self, tmp_path):
        for task in ("arc", "gsm"):
            samples = [inspect_sample(i, "C", metadata={"topic": f"t{i % 3}"}) for i in range(6)]
            write_eval(tmp_path / f"{task}.eval", inspect_log("m", samples, task=task))
        table = errbar.read_logs(tmp_path)
        assert table.splits.designs[0].clusters is None
        assert notes(table)["fixed"]["what"] == "tasks (tasks='pooled')"
        by_task = errbar.read_logs(tmp_path, groups="task")
        assert np.bincount(by_task.splits.designs[0].clusters).tolist() == [6, 6]
        by_topic = errbar.read_logs(tmp_path, groups="topic")
        assert np.bincount(by_topic.splits.designs[0].clusters).tolist() == [4, 4, 4]
        with refused("groups"):
            errbar.read_logs(tmp_path, groups="page")

    def test_samples_with_errors_are_named(self, tmp_path):
        self.write(tmp_path)
        samples = [inspect_sample(i, "C") for i in range(1, 6)] + [
            inspect_sample(6, None, error="RateLimitError")
        ]
        write_eval(tmp_path / "third.eval", inspect_log("third", samples))
        table = errbar.read_logs(tmp_path)
        assert set(table.learners) == set(LETTERS)
        assert notes(table)["not-verified"]["what"] == ("third (1 of 6)",)
        assert "third (1)" in notes(table)["left-out"]["what"]
        assert errbar.read_logs(tmp_path, missing="examples").points.shape == (3, 5)

    def test_samples_that_were_declared_invalid_are_named(self, tmp_path):
        log = inspect_log("m", [inspect_sample(i, "C") for i in range(3)]) | {"invalidated": True}
        assert notes(errbar.read_logs(write_eval(tmp_path / "m.eval", log)))["not-verified"][
            "what"
        ] == ("m (invalidated)",)

    @pytest.mark.parametrize("value", [None, float("nan")])
    def test_scores_that_are_missing_are_not_zero(self, tmp_path, value):
        self.write(tmp_path)
        samples = [inspect_sample(i, "C" if i < 6 else value) for i in range(1, 7)]
        write_json(tmp_path / "third.json", inspect_log("third", samples))
        assert "third (1)" in notes(errbar.read_logs(tmp_path))["left-out"]["what"]

    def test_other_questions_are_refused(self, tmp_path):
        self.write(tmp_path)
        samples = [inspect_sample(i, "C", question=f"other {i}") for i in range(1, 7)]
        write_eval(tmp_path / "z.eval", inspect_log("third", samples))
        with pytest.raises(PairingError):
            errbar.read_logs(tmp_path)

    def test_one_log_per_model_and_task(self, tmp_path):
        paths = [
            write_eval(
                tmp_path / f"{i}.eval",
                inspect_log("m", [inspect_sample(j, "CI"[i]) for j in range(4)]),
            )
            for i in range(2)
        ]
        with pytest.raises(InvalidInputError):
            errbar.read_logs(paths)
        assert errbar.read_logs({"plain": paths[0], "thinking": paths[1]}).learners == (
            "plain",
            "thinking",
        )
        assert errbar.read_logs({"m": paths}).splits.designs[0].seeds == 2

    def test_chat_messages_are_compared_by_their_text(self, tmp_path):
        whole = [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "see"},
                    {"type": "image", "image": "data:..."},
                ],
            }
        ]
        short = [
            {
                "role": "user",
                "content": [{"type": "text", "text": "see"}, {"type": "text", "text": "(Image)"}],
            }
        ]
        for model, asked in {"a": whole, "b": short}.items():
            samples = [inspect_sample(i, "C", question=asked) for i in range(3)]
            write_json(tmp_path / f"{model}.json", inspect_log(model, samples))
        assert errbar.read_logs(tmp_path).learners == ("a", "b")

    def test_files_that_are_no_logs(self, tmp_path):
        for text in (
            "{}",
            "[]",
            "no",
            '{"eval": {"task": "t"}, "samples": []}',
            '{"eval": [], "samples": [{}]}',
        ):
            (tmp_path / "l.json").write_text(text)
            with pytest.raises(InvalidInputError):
                errbar.read_logs(tmp_path / "l.json")
        empty = write_json(tmp_path / "e.json", inspect_log("m", [], status="error"))
        with pytest.raises(InvalidInputError):
            errbar.read_logs(empty)
        unscored = write_json(tmp_path / "u.json", inspect_log("m", [inspect_sample(1, None)]))
        with pytest.raises(InvalidInputError):
            errbar.read_logs(unscored)


@pytest.mark.parametrize(
    "given",
    [
        [],
        {},
        3,
        [None],
        {"a": 3},
    ],
)
def test_what_is_no_place(given):
    with pytest.raises(InvalidInputError):
        errbar.read_logs(given)
