"""Answers drawn anew for each question: their mean is the value of the question, whatever the door."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import errbar
from tests.eval_logs import sample, write_samples
from tests.forms import from_long

N, A = 60, 3
QUESTION, ANSWER = np.repeat(np.arange(N), A), np.tile(np.arange(A), N)


@pytest.fixture
def wrong(rng):
    hard = np.repeat(rng.beta(1.0, 1.0, N), A)
    return {name: (rng.random(N * A) < hard).astype(float) for name in ("old", "new")}


def by_hand(wrong):
    gap = (wrong["old"] - wrong["new"]).reshape(N, A).mean(axis=1)
    return gap.mean(), stats.sem(gap)


def gap_of(table):
    found = errbar.compare_table(table)
    pair = found.pairs[0].result
    assert (found.method, pair.df) == ("holdout-t", N - 1)
    return pytest.approx((pair.estimate, pair.se))


def test_losses_in_any_order(wrong, rng):
    order = rng.permutation(N * A)
    rows = {name: values[order] for name, values in wrong.items()}
    table = errbar.from_losses(
        rows, example=QUESTION[order], answer=ANSWER[order], metric="zero-one"
    )
    assert by_hand(wrong) == gap_of(table)


def test_predictions_are_refused(wrong):
    truth = np.repeat(np.arange(N) % 2, A)
    said = {name: np.where(values == 1.0, 1 - truth, truth) for name, values in wrong.items()}
    with pytest.raises(errbar.InvalidInputError):
        errbar.from_predictions(said, truth, fold="none", example=QUESTION, answer=ANSWER)


class TestLongTables:
    @pytest.fixture
    def long(self, wrong):
        frame = pd.DataFrame({"question": QUESTION, "sample": ANSWER, **wrong})
        return frame.melt(["question", "sample"], var_name="model", value_name="wrong")

    def test_numbers(self, wrong, long):
        table = from_long(long, "model", "wrong", example="question", answer="sample")
        assert by_hand(wrong) == gap_of(table)

    def test_learners_may_have_other_numbers_of_answers(self, wrong, long):
        fewer = long[(long["model"] == "old") | (long["sample"] > 0)]
        table = from_long(fewer, "model", "wrong", example="question", answer="sample")
        gap = wrong["old"].reshape(N, A).mean(axis=1) - wrong["new"].reshape(N, A)[:, 1:].mean(
            axis=1
        )
        assert (gap.mean(), stats.sem(gap)) == gap_of(table)

    def test_a_question_with_a_missing_answer_has_no_value(self, long):
        long.loc[0, "wrong"] = np.nan
        table = from_long(
            long, "model", "wrong", example="question", answer="sample", missing="examples"
        )
        assert table.points.shape == (2, N - 1)

    def test_unsaid(self, long):
        with pytest.raises(errbar.InvalidInputError):
            from_long(long, "model", "wrong", example="question")


@pytest.mark.parametrize(
    "roles",
    [
        {"answer": ANSWER},
        {"answer": ANSWER % 2, "example": QUESTION},
        {"answer": ANSWER, "example": QUESTION, "groups": ANSWER},
    ],
)
def test_refused(wrong, roles):
    with pytest.raises(errbar.InvalidInputError):
        errbar.from_losses(wrong, **roles)


def test_a_run_with_answers_has_a_seed_and_their_mean(rng):
    losses = {"a": rng.random(2 * N * A), "b": rng.random(2 * N * A)}
    rows = {
        "example": np.tile(QUESTION, 2),
        "answer": np.tile(ANSWER, 2),
        "seed": np.repeat([0, 1], N * A),
    }
    found = errbar.from_losses(losses, **rows)
    means = {name: values.reshape(2 * N, A).mean(axis=1) for name, values in losses.items()}
    by_seed = errbar.from_losses(means, example=np.tile(np.arange(N), 2), seed=np.repeat([0, 1], N))
    assert np.allclose(found.points, by_seed.points)
    assert found.splits.designs[0].seeds == 2


def test_answers_called_seeds_get_too_wide_an_interval():
    """400 questions with 3 answers each; 60 simulated data sets: .073 for .104 (nominal 95 %: 95.0 to 98.3)."""
    rng = np.random.default_rng(11)
    n, widths, covered = 400, [], []
    question, answer = np.repeat(np.arange(n), A), np.tile(np.arange(A), n)
    for _ in range(60):
        right = 1.0 / (1.0 + np.exp(-rng.normal(size=n)))
        losses = {
            name: (rng.random((n, A)) > right[:, None]).astype(float).ravel() for name in "ab"
        }
        by_answer = errbar.infer(
            errbar.from_losses(losses, example=question, answer=answer), "holdout-t", "a", "b"
        )
        by_seed = errbar.infer(
            errbar.from_losses(losses, example=question, seed=answer), "crossed-t", "a", "b"
        )
        widths.append((by_answer.high - by_answer.low, by_seed.high - by_seed.low))
        covered.append(by_answer.low <= 0.0 <= by_answer.high)
    nested, crossed = np.mean(widths, axis=0)
    assert nested == pytest.approx(0.073, abs=0.002)
    assert crossed / nested > 1.25
    assert 52 <= sum(covered) <= 60


class TestTasks:
    """A board has the mean of the means of tasks: its squared error is the sum of var_t/n_t over T^2."""

    SIZES = (60, 250, 400)

    @pytest.fixture
    def logs(self, rng, tmp_path):
        right = {}
        for model, ease in (("base", 0.0), ("tuned", 0.05)):
            right[model] = [
                (rng.random(n) < level + ease).astype(float)
                for n, level in zip(self.SIZES, (0.3, 0.5, 0.8), strict=True)
            ]
            for task, own in enumerate(right[model]):
                write_samples(
                    tmp_path,
                    model,
                    f"task{task}",
                    [sample(i, {"acc": one}) for i, one in enumerate(own)],
                )
        return tmp_path, right

    def test_it_has_to_be_said(self, logs):
        with pytest.raises(errbar.InvalidInputError):
            errbar.read_logs(logs[0])

    @pytest.mark.parametrize("groups", [None, "none"])
    def test_equal(self, logs, groups):
        place, right = logs
        found = errbar.compare_table(errbar.read_logs(place, tasks="equal", groups=groups))
        gaps = [a - b for a, b in zip(right["base"], right["tuned"], strict=True)]
        pair = found.pairs[0].result
        assert pair.estimate == pytest.approx(np.mean([one.mean() for one in gaps]))
        assert pair.se == pytest.approx(
            np.sqrt(sum(one.var(ddof=1) / one.size for one in gaps)) / 3.0
        )
        for name, own in right.items():
            assert found.learners[name].estimate == pytest.approx(
                np.mean([one.mean() for one in own])
            )
        assert 40 < pair.df < 250  # the small task has most of the variance
        assert "tasks (tasks='equal')" in [note.numbers.get("what") for note in found.notes]

    def test_pooled(self, logs):
        place, right = logs
        found = errbar.compare_table(errbar.read_logs(place, tasks="pooled"))
        assert found.learners["base"].estimate == pytest.approx(
            np.concatenate(right["base"]).mean()
        )

    def test_tasks_as_a_sample_are_examples(self, rng, tmp_path):
        right = {
            model: [(rng.random(n) < 0.5).astype(float) for n in (5, 9, 20, 7, 30, 11)]
            for model in "ab"
        }
        for model, tasks in right.items():
            for task, own in enumerate(tasks):
                write_samples(
                    tmp_path,
                    model,
                    f"task{task}",
                    [sample(i, {"acc": one}) for i, one in enumerate(own)],
                )
        pair = errbar.compare_table(errbar.read_logs(tmp_path, tasks="equal")).pairs[0].result
        means = np.array([a.mean() - b.mean() for a, b in zip(right["a"], right["b"], strict=True)])
        assert (pair.estimate, pair.se, pair.df) == pytest.approx(
            (means.mean(), stats.sem(means), 5)
        )

    def test_refused(self, logs):
        for asked in (
            {"tasks": "mean"},
            {"tasks": "equal", "groups": "task"},
            {"tasks": "equal", "groups": "question"},
        ):
            with pytest.raises(errbar.InvalidInputError):
                errbar.read_logs(logs[0], **asked)
