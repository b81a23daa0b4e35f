"""Any statistic of rows: values of the libraries of each field, laws of influence values, and all designs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import errbar
from errbar import statistics
from errbar.errors import InvalidInputError, PairingError, UndefinedMetricError
from errbar.statistics import (
    average_precision,
    bleu,
    by_image,
    chrf,
    concordance,
    crps,
    iqm,
    mean_of_groups,
    multilabel,
    pinball,
    ranking,
    ratio,
    sensitivity_at_specificity,
    weighted_interval_score,
)
from tests import statistic_rows as rows

LEVELS = dict(zip((0.05, 0.25, 0.5, 0.75, 0.95), rows.QUANTILES, strict=True))


def counts_of_bleu():
    names = ["sys_len", "ref_len"]
    names += [f"{word}_{k}" for word in ("correct", "total") for k in range(1, 5)]
    # sacrebleu 2.6.0, BLEU()._extract_corpus_statistics of the sentences in `statistic_rows`
    counts = [
        [7, 7, 6, 4, 2, 1, 7, 6, 5, 4],
        [7, 7, 6, 4, 3, 2, 7, 6, 5, 4],
        [7, 8, 6, 4, 2, 1, 7, 6, 5, 4],
        [7, 9, 7, 5, 3, 1, 7, 6, 5, 4],
        [2, 4, 1, 0, 0, 0, 2, 1, 0, 0],
    ]
    return pd.DataFrame(counts, columns=names)


def counts_of_chrf():
    names = [f"{word}_{k}" for k in range(1, 7) for word in ("hyp", "ref", "match")]
    # sacrebleu 2.6.0, CHRF()._extract_corpus_statistics of the same
    counts = [
        [22, 20, 19, 21, 19, 17, 20, 18, 15, 19, 17, 13, 18, 16, 11, 17, 15, 9],
        [22, 23, 21, 21, 22, 19, 20, 21, 17, 19, 20, 15, 18, 19, 13, 17, 18, 11],
        [26, 26, 25, 25, 25, 22, 24, 24, 19, 23, 23, 16, 22, 22, 13, 21, 21, 11],
        [25, 35, 25, 24, 34, 23, 23, 33, 21, 22, 32, 19, 21, 31, 17, 20, 30, 15],
        [7, 18, 7, 6, 17, 4, 5, 16, 2, 4, 15, 1, 3, 14, 0, 2, 13, 0],
    ]
    return pd.DataFrame(counts, columns=names)


def images():
    found, truths = rows.detections()
    return by_image(found, truths, category="category", images=range(20))


def labels(kind, average):
    return multilabel(rows.TRUE, rows.SAID, kind=kind, average=average)


def of_scores(kind):
    return multilabel(rows.TRUE, rows.SAID, kind=kind)


SURVIVAL = ("time", "event", "score")
SCREENED = ("ill", "score")

# What the library of the field says of the same rows.
REFERENCES = [
    # lifelines 0.30.3, concordance_index
    (concordance(*SURVIVAL), rows.survival, 0.6821776155717761),
    (concordance(*SURVIVAL, risk=False), rows.survival, 0.31782238442822386),
    # scikit-survival 0.28.0, concordance_index_ipcw(y, y, score, tau=20)
    (concordance(*SURVIVAL, kind="uno", tau=20.0), rows.survival, 0.6916933583050056),
    # scikit-learn 1.9.1, f1_score and so on of matrices of labels
    (labels("f1", "macro"), rows.several_labels, 0.7814102564102565),
    (labels("f1", "micro"), rows.several_labels, 0.8103448275862069),
    (labels("f1", "samples"), rows.several_labels, 0.6557936507936507),
    (labels("jaccard", "macro"), rows.several_labels, 0.6525350538508433),
    (labels("jaccard", "micro"), rows.several_labels, 0.6811594202898551),
    (labels("jaccard", "samples"), rows.several_labels, 0.5916666666666666),
    (labels("precision", "macro"), rows.several_labels, 0.7753314393939394),
    (labels("recall", "samples"), rows.several_labels, 0.6722222222222223),
    # scikit-learn 1.9.1, roc_auc_score and average_precision_score of matrices of labels and scores
    (of_scores("roc_auc"), rows.scores_of_labels, 0.6780932464526215),
    (of_scores("average_precision"), rows.scores_of_labels, 0.6614867862537488),
    # rliable 1.2.0, aggregate_iqm
    (iqm("score", "task"), rows.runs, 0.5594736842105263),
    # scikit-learn 1.9.1, the best of roc_curve at this false positive rate
    (sensitivity_at_specificity(*SCREENED, specificity=0.8), rows.screening, 0.5),
    (sensitivity_at_specificity(*SCREENED, specificity=0.95), rows.screening, 0.32608695652173914),
    # scikit-learn 1.9.1, mean_pinball_loss; properscoring 0.1, crps_ensemble
    (pinball("y", {0.75: "q3"}), rows.forecasts, 1.2271428571428573),
    (crps("y", rows.QUANTILES), rows.forecasts, 1.9131428571428573),
    # scoringrules 0.10.0, weighted_interval_score
    (weighted_interval_score("y", LEVELS), rows.forecasts, 1.7378285714285715),
    # sacrebleu 2.6.0, corpus_score
    (bleu(), counts_of_bleu, 46.629723941733765),
    (chrf(), counts_of_chrf, 65.44333435447174),
    # ir_measures 0.4.3
    (ranking("grades", "judged"), rows.queries, 0.3125701276530358),
    (ranking("grades", "judged", at=5), rows.queries, 0.22215778378117026),
    (ranking("grades", "judged", kind="ap"), rows.queries, 0.2795616024187452),
    (ranking("grades", "judged", kind="ap", at=5), rows.queries, 0.19353835978835976),
    (ranking("grades", "judged", kind="rr"), rows.queries, 0.43551587301587297),
    (ranking("grades", "judged", kind="rr", at=3), rows.queries, 0.40277777777777773),
    # pycocotools 2.0.11, AP at IoU .5 of boxes that are hit or missed as in these rows
    (average_precision(), images, 0.5548251648375727),
]

# Smooth in the weights of rows, so that influence values are derivatives.
SMOOTH = [
    (ratio("time", "event"), rows.survival),
    (concordance(*SURVIVAL), rows.survival),
    (concordance(*SURVIVAL, tau=15.0), rows.survival),
    (concordance(*SURVIVAL, kind="uno", tau=20.0), rows.survival),
    (labels("f1", "macro"), rows.several_labels),
    (labels("jaccard", "micro"), rows.several_labels),
    (labels("f1", "samples"), rows.several_labels),
    (of_scores("roc_auc"), rows.scores_of_labels),
    (of_scores("average_precision"), rows.scores_of_labels),
    (bleu(), counts_of_bleu),
    (chrf(), counts_of_chrf),
    (pinball("y", {0.75: "q3"}), rows.forecasts),
]


def named(pairs):
    return [pytest.param(*one, id=f"{one[0].key} {place}") for place, one in enumerate(pairs)]


def many(frame, times):
    return pd.concat([frame] * times, ignore_index=True)


class TestShipped:
    @pytest.mark.parametrize(("statistic", "make", "value"), named(REFERENCES))
    def test_the_value_is_that_of_the_library_of_the_field(self, statistic, make, value):
        assert statistic(make()) == pytest.approx(value, abs=1e-10)

    @pytest.mark.parametrize(("statistic", "make"), named([one[:2] for one in REFERENCES]))
    def test_influence_values_have_mean_0_and_no_order(self, statistic, make):
        frame = make()
        value, influence = statistic.function(frame)
        order = np.random.default_rng(0).permutation(len(frame))
        again, moved = statistic.function(frame.iloc[order])
        scale = np.abs(influence).max()
        assert influence.sum() == pytest.approx(0.0, abs=1e-10 * scale * len(frame))
        assert again == pytest.approx(value, rel=1e-12)
        assert moved == pytest.approx(influence[order], abs=1e-10 * scale)

    @pytest.mark.parametrize(("statistic", "make"), named(SMOOTH))
    def test_rows_that_all_stand_there_twice_change_nothing(self, statistic, make):
        frame = make()
        value, influence = statistic.function(frame)
        twice, both = statistic.function(many(frame, 2))
        assert twice == pytest.approx(value, rel=1e-12)
        assert both[: len(frame)] == pytest.approx(influence, abs=1e-9 * np.abs(influence).max())

    @pytest.mark.parametrize(("statistic", "make"), named(SMOOTH))
    def test_influence_values_are_derivatives(self, statistic, make):
        frame, times = make(), 20
        _, influence = statistic.function(frame)
        base = many(frame, times)
        value, size = statistic(base), len(base)
        for row in range(0, len(frame), max(1, len(frame) // 7)):
            more = statistic(pd.concat([base, frame.iloc[[row]]], ignore_index=True)) - value
            # What is left is of order 1/n.
            allowed = 5.0 * np.abs(influence).max() / times
            assert (size + 1) * more == pytest.approx(influence[row], abs=allowed)

    @given(st.integers(0, 2**31 - 1), st.integers(30, 60))
    def test_closed_forms_agree_with_leaving_out_any_rows(self, seed, size):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "time": rng.integers(1, 20, size),
                "event": rng.random(size) < 0.7,
                "score": rng.normal(size=size).round(1),
                "errors": rng.poisson(3.0, size),
                "words": rng.integers(5, 20, size),
            }
        )
        frame.loc[:1, "event"] = True
        for own in (ratio("errors", "words"), concordance(*SURVIVAL)):
            exact = errbar.from_rows({"a": frame}, own, higher_is_better=False)
            plain = errbar.from_rows(
                {"a": frame}, lambda rows, own=own: own(rows), higher_is_better=False, pool="none"
            )
            assert plain.scores == pytest.approx(exact.scores, rel=1e-12)
            spread = exact.points.std()
            assert plain.points.std() == pytest.approx(spread, rel=0.1, abs=1e-12)

    def test_groups_that_are_fixed_have_the_variance_within_them(self):
        frame = rows.runs(4, 6)
        table = errbar.from_rows({"a": frame}, mean_of_groups("score", "task"))
        found = errbar.infer(table, "holdout-t", "a")
        within = frame.groupby("task").score.var() / 6
        # n/(n - 1) is left of the variance of a mean
        assert found.estimate == pytest.approx(frame.groupby("task").score.mean().mean())
        assert found.se**2 == pytest.approx(within.sum() / 16 * 24 / 23)
        assert [note.code for note in table.notes if note.code == "fixed"]

    def test_groups_that_are_new_have_the_variance_between_them(self):
        frame = rows.runs(8, 3)
        table = errbar.from_rows({"a": frame}, mean_of_groups("score", "task", new=True))
        means = frame.groupby("task").score.mean()
        found = errbar.infer(table, "cluster-t", "a")
        assert found.estimate == pytest.approx(means.mean())
        assert found.se == pytest.approx(means.std() / np.sqrt(8))

    def test_iqm_within_tasks_is_narrower_where_tasks_differ(self):
        frame = rows.runs()
        frame["score"] = frame.score / 10 + frame.task
        found = [
            errbar.infer(errbar.from_rows({"a": frame}, own, dataset="none"), "holdout-t", "a").se
            for own in (iqm("score"), iqm("score", "task"))
        ]
        assert found[1] < found[0] / 5

    @pytest.mark.parametrize(
        ("statistic", "frame", "error"),
        [
            (ratio("a", "b"), {"a": [1, -1], "b": [2, 3]}, InvalidInputError),
            (ratio("a", "b"), {"a": [1, np.nan], "b": [2, 3]}, InvalidInputError),
            (ratio("a", "b"), {"a": [1, 1]}, InvalidInputError),
            (ratio("a", "b"), {"a": [1, 1], "b": [0, 0]}, UndefinedMetricError),
            (mean_of_groups("a", "g"), {"a": [1, 2, 3], "g": [1, 1, 2]}, InvalidInputError),
            (concordance("t", "e", "s"), {"t": [1, 2], "e": [0, 0], "s": [1, 2]}, None),
            (concordance("t", "e", "s"), {"t": [1, 2], "e": [1, 2], "s": [1, 2]}, None),
            (
                concordance("t", "e", "s", kind="uno"),
                {"t": [1, 2, 2], "e": [1, 1, 0], "s": [1, 2, 2]},
                UndefinedMetricError,
            ),
            (multilabel(["t"], ["p"]), {"t": [0, 0], "p": [0, 0]}, UndefinedMetricError),
            (multilabel(["t"], ["p"]), {"t": [0, 2], "p": [0, 1]}, InvalidInputError),
            (
                sensitivity_at_specificity("t", "s"),
                {"t": [1, 1], "s": [0.1, 0.2]},
                UndefinedMetricError,
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, statistic, frame, error):
        with pytest.raises(error or InvalidInputError):
            errbar.from_rows({"a": frame}, statistic)

    @pytest.mark.parametrize(
        ("make", "argument"),
        [
            (lambda: multilabel(["a"], []), "predicted"),
            (lambda: multilabel(["a"], ["b"], average="weighted"), "average"),
            (lambda: concordance("a", "b", "c", kind="gonen"), "kind"),
            (lambda: ranking("a", kind="err"), "kind"),
            (lambda: weighted_interval_score("y", {0.1: "a", 0.5: "b"}), "quantiles"),
            (lambda: pinball("y", {1.0: "q"}), "quantiles"),
            (
                lambda: by_image({"image_id": [3], "score": [1], "hit": [1]}, {"image_id": [1]}),
                "images",
            ),
        ],
    )
    def test_what_is_no_statistic_is_refused_at_once(self, make, argument):
        with pytest.raises(InvalidInputError) as found:
            make()
        assert found.value.argument == argument

    def test_every_public_name_is_documented(self):
        page = (Path(__file__).parents[1] / "docs" / "api" / "statistics.rst").read_text("utf-8")
        assert all(name in page for name in statistics.__all__)


def corpus(rows_=200, seed=1):
    """Word errors of two systems, several utterances of a speaker, in five folds of whole speakers."""
    rng = np.random.default_rng(seed)
    speaker = np.arange(rows_) // 4
    words = rng.integers(3, 40, rows_)
    hard = rng.gamma(4.0, 0.25, speaker[-1] + 1)[speaker]
    facts = {"speaker": speaker, "cv": speaker % 5, "utterance": np.arange(rows_), "words": words}
    return {
        name: pd.DataFrame(facts | {"errors": rng.binomial(words, np.minimum(0.9, rate * hard))})
        for name, rate in (("base", 0.12), ("new", 0.1))
    }


def wer(frame):
    return frame["errors"].sum() / frame["words"].sum()


WER = ratio("errors", "words")
PLAIN = {"groups": "none", "fold": "none"}
DESIGNS = [
    (PLAIN, "holdout-t"),
    ({"groups": "speaker", "fold": "none"}, "cluster-t"),
    ({"groups": "none", "fold": "cv"}, "cv-t"),
    ({"groups": "none", "fold": "cv"}, "cv-wald"),
    ({"groups": "speaker", "fold": "cv"}, "cv-t"),
    (PLAIN | {"time": "utterance"}, "diebold-mariano"),
]


class TestDesigns:
    @pytest.mark.parametrize(("said", "method"), DESIGNS)
    def test_any_function_goes_through_every_design(self, said, method):
        frames = corpus()
        exact = errbar.from_rows(frames, WER, **said)
        plain = errbar.from_rows(frames, wer, higher_is_better=False, **said)
        one, other = (errbar.infer(own, method, "base", minus="new") for own in (exact, plain))
        assert other.estimate == pytest.approx(one.estimate, abs=2e-4)
        assert other.se == pytest.approx(one.se, rel=0.03)
        difference = wer(frames["base"]) - wer(frames["new"])
        assert one.estimate == pytest.approx(difference, abs=1e-12)

    def test_clusters_give_the_delta_method_of_sums_by_cluster(self):
        frames = corpus()
        table = errbar.from_rows(frames, WER, groups="speaker", fold="none")
        own = frames["base"].groupby("speaker")[["errors", "words"]].sum()
        value = own.errors.sum() / own.words.sum()
        of_sums = np.square(own.errors - value * own.words).sum() / own.words.sum() ** 2
        # Equal clusters: G/(G - 1) is left.
        found = errbar.infer(table, "cluster-t", "base")
        assert found.se**2 == pytest.approx(of_sums * 50 / 49)

    def test_seeds_of_training_cross_examples(self):
        frames = {
            name: many(own, 3).assign(seed=np.repeat([0, 1, 2], len(own)))
            for name, own in corpus(80).items()
        }
        rng = np.random.default_rng(0)
        for own in frames.values():
            own["errors"] = np.minimum(own.words, own.errors + rng.poisson(1.0, len(own)))
        table = errbar.from_rows(frames, WER, seed="seed", example="utterance", **PLAIN)
        found = errbar.infer(table, "crossed-t", "base", minus="new")
        means = [wer(own) for _, own in frames["base"].groupby("seed")]
        others = [wer(own) for _, own in frames["new"].groupby("seed")]
        assert found.estimate == pytest.approx(np.mean(means) - np.mean(others))
        alone = errbar.from_rows(corpus(80), WER, **PLAIN)
        # Examples are the same for every seed, so most of their error is left.
        assert found.se > 0.5 * errbar.infer(alone, "holdout-t", "base", minus="new").se

    def test_repeats_of_cross_validation_are_no_further_examples(self):
        frames = corpus()
        several = {
            name: many(own, 3).assign(
                repeat=np.repeat([0, 1, 2], len(own)),
                fold=np.concatenate([(np.arange(len(own)) + k) * (k + 1) % 5 for k in range(3)]),
            )
            for name, own in frames.items()
        }
        said = {"repeat": "repeat", "fold": "fold", "example": "utterance", "groups": "none"}
        table = errbar.from_rows(several, WER, **said)
        once = errbar.from_rows(frames, WER, groups="none", fold="cv")
        found, single = (errbar.infer(one, "cv-t", "base", minus="new") for one in (table, once))
        assert found.estimate == pytest.approx(single.estimate)
        assert found.se == pytest.approx(single.se)

    @pytest.mark.parametrize("said", [PLAIN, {"groups": "none", "fold": "cv"}])
    def test_many_rows_are_left_out_in_blocks(self, said):
        frames = corpus(4000)
        table = errbar.from_rows(frames, wer, higher_is_better=False, **said)
        method = "cluster-t" if said is PLAIN else "cv-t"
        found = errbar.infer(table, method, "base", minus="new")
        exact = errbar.from_rows(frames, WER, **said)
        method = "holdout-t" if said is PLAIN else "cv-t"
        one = errbar.infer(exact, method, "base", minus="new")
        assert found.estimate == pytest.approx(one.estimate, abs=1e-6)
        # A variance from 1000 blocks has a standard error of some 4 or 5 %.
        assert found.se == pytest.approx(one.se, rel=0.08)
        [note] = [note for note in table.notes if note.code == "means"]
        assert note.numbers["count"] == 4

    def test_blocks_hold_whole_groups(self):
        frames = corpus(4000)
        said = {"groups": "speaker", "fold": "cv"}
        table = errbar.from_rows(frames, wer, higher_is_better=False, **said)
        exact = errbar.from_rows(frames, WER, **said)
        one, other = (errbar.infer(own, "cv-t", "base", minus="new") for own in (exact, table))
        assert other.se == pytest.approx(one.se, rel=0.01)  # 1000 speakers, each a block

    def test_numbers_stay_within_the_range_of_the_statistic(self):
        frame = {"errors": [0] * 30 + [1], "words": [10] * 31}
        table = errbar.from_rows({"a": frame, "b": frame}, WER)
        for level in (0.5, 0.95, 0.999):
            found = errbar.infer(table, "holdout-t", "a", level=level)
            assert 0.0 <= found.low <= found.estimate <= found.high
        sure = {"time": np.arange(40), "event": [1] * 40, "score": -np.arange(40)}
        table = errbar.from_rows({"a": sure}, concordance(*SURVIVAL))
        found = errbar.infer(table, "holdout-t", "a")
        assert 0.0 <= found.low <= found.high <= 1.0

    def test_a_mean_of_rows_is_a_loss_of_rows(self):
        frame = rows.forecasts()
        own = pinball("y", {0.75: "q3"})
        table = errbar.from_rows({"a": frame}, own)
        y, q = frame.y, frame.q3
        losses = np.maximum(0.75 * (y - q), -0.25 * (y - q))
        given = errbar.from_losses({"a": losses})
        assert table.points == pytest.approx(given.points, abs=1e-12)
        found, other = (errbar.infer(one, "holdout-t", "a") for one in (table, given))
        assert (found.estimate, found.se) == pytest.approx((other.estimate, other.se))


class TestDoor:
    def test_frames_of_any_kind_and_one_long_frame_are_the_same(self):
        import polars as pl

        frames = corpus(60)
        expected = errbar.from_rows(frames, WER, **PLAIN).points
        long = pd.concat([own.assign(system=name) for name, own in frames.items()])
        given = [
            ({name: pl.from_pandas(own) for name, own in frames.items()}, {}),
            ({name: own.to_dict("list") for name, own in frames.items()}, {}),
            ({name: own.set_index("utterance") for name, own in frames.items()}, {}),
            (long, {"learner": "system"}),
        ]
        for one, said in given:
            table = errbar.from_rows(one, WER, **PLAIN, **said)
            assert table.points == pytest.approx(expected)
            assert table.learners == ("base", "new")

    def test_roles_are_said_or_taken_from_the_table_of_names(self):
        frames = corpus(60)
        taken = errbar.from_rows(frames, WER)
        assert taken.splits.designs[0].n_clusters == 15
        assert taken.notes[0].code == "read"
        beside = errbar.from_rows(frames, WER, groups=frames["base"].speaker)
        assert beside.points == pytest.approx(taken.points)
        # A column that the statistic uses has no role unless it is said.
        survival = rows.survival().rename(columns={"score": "fold"})
        table = errbar.from_rows({"a": survival}, concordance("time", "event", "fold"))
        assert table.splits.kinds == ("holdout",)

    @pytest.mark.parametrize(
        ("change", "error"),
        [
            (lambda own: own.iloc[::-1], PairingError),
            (lambda own: own.iloc[1:], PairingError),
            (lambda own: own.drop(columns="speaker"), PairingError),
            (lambda own: own.drop(columns="words"), InvalidInputError),
        ],
    )
    def test_learners_have_the_same_rows(self, change, error):
        frames = corpus(60)
        frames["new"] = change(frames["new"])
        with pytest.raises(error):
            errbar.from_rows(frames, WER)

    @pytest.mark.parametrize(
        ("frames", "statistic", "said", "argument"),
        [
            (corpus(40)["base"], WER, {}, "frames"),
            (corpus(40), "wer", {}, "statistic"),
            (corpus(40), ratio("errors", "letters"), {}, "statistic"),
            (corpus(40), WER, {"groups": "reader"}, "groups"),
            (corpus(40), WER, {"group": "speaker"}, "role"),
            (corpus(40), WER, {"pool": "fold"}, "pool"),
            (corpus(40), WER, {"answer": "utterance"}, "answer"),
            (corpus(40), WER, {"n_test": 40}, "n_test"),
            (corpus(40), mean_of_groups("errors", "cv", new=True), {"groups": "speaker"}, "groups"),
        ],
    )
    def test_what_cannot_be_used_is_named(self, frames, statistic, said, argument):
        with pytest.raises(InvalidInputError) as found:
            errbar.from_rows(frames, statistic, **said)
        assert found.value.argument == argument

    @pytest.mark.parametrize(
        "function",
        [
            lambda frame: frame["errors"].max(),
            lambda frame: np.nan,
            lambda frame: frame["letters"].sum(),
            lambda frame: frame,
        ],
    )
    def test_functions_without_influence_values_are_refused(self, function):
        with pytest.raises(InvalidInputError):
            errbar.from_rows(corpus(60), function, **PLAIN)

    def test_rows_are_not_kept(self):
        table = errbar.from_rows(corpus(60), WER, **PLAIN)
        with pytest.raises(InvalidInputError):
            table.with_loss("zero-one")

    def test_the_direction_is_said_or_that_of_the_name(self):
        frames = corpus(60)
        assert not errbar.from_rows(frames, WER, **PLAIN).loss.higher_is_better
        said = errbar.from_rows(frames, WER, higher_is_better=True, **PLAIN)
        assert errbar.infer(said, "holdout-t", "base").estimate == pytest.approx(
            wer(frames["base"])
        )
        assert said.loss.higher_is_better
        named = errbar.from_rows(frames, wer, name="accuracy", **PLAIN)
        assert named.loss.higher_is_better
        unnamed = errbar.from_rows(frames, lambda rows: 2.0 * wer(rows), **PLAIN)
        assert "direction" in [note.code for note in unnamed.notes]


class TestCases:
    """Tables of public threads, rebuilt: what numpy's bootstrap says of them."""

    def test_word_error_rate_of_a_corpus(self):
        frames = corpus(400, seed=3)
        rng = np.random.default_rng(0)
        base, new = (own[["errors", "words"]].to_numpy() for own in frames.values())
        drawn = rng.integers(0, 400, (2000, 400))
        sums = [own[drawn].sum(axis=1) for own in (base, new)]
        differences = np.subtract(*[own[:, 0] / own[:, 1] for own in sums])
        table = errbar.from_rows(frames, wer, higher_is_better=False, **PLAIN)
        found = errbar.infer(table, "holdout-t", "base", minus="new")
        assert found.se == pytest.approx(differences.std(), rel=0.06)

    def test_macro_f1_of_several_labels(self):
        frame = rows.several_labels(400)
        true, said = frame[rows.TRUE].to_numpy(), frame[rows.SAID].to_numpy()
        rng = np.random.default_rng(0)
        found = []
        for _ in range(2000):
            drawn = rng.integers(0, 400, 400)
            hits = (true[drawn] * said[drawn]).sum(axis=0)
            found.append((2 * hits / (true[drawn] + said[drawn]).sum(axis=0)).mean())
        table = errbar.from_rows({"a": frame}, labels("f1", "macro"))
        assert errbar.infer(table, "holdout-t", "a").se == pytest.approx(np.std(found), rel=0.06)

    def test_average_precision_over_images(self):
        found, truths = rows.detections(60)
        frame = by_image(found, truths, category="category", images=range(60))
        own = average_precision()
        rng = np.random.default_rng(0)
        drawn = [own(frame.iloc[rng.integers(0, 60, 60)]) for _ in range(200)]
        table = errbar.from_rows({"a": frame}, own)
        assert errbar.infer(table, "holdout-t", "a").se == pytest.approx(np.std(drawn), rel=0.25)
