"""The out-of-bag bootstrap, .632 and .632+: reference values, plain loops, limits, Monte-Carlo noise, refits by hand."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import errbar
from errbar import InvalidInputError, OutOfBag, _rng
from errbar.methods import (
    _out_of_bag as out_of_bag,
    bootstrap_632,
    bootstrap_632_plus,
    oob_bootstrap,
)
from errbar.metrics import LOSSES, Loss
from errbar.plans import Bootstrap
from tests.refusals import refused

METHODS = (oob_bootstrap, bootstrap_632, bootstrap_632_plus)
KEYS = ("oob-bootstrap", "632", "632-plus")

# inferGE's infer_oob, executed in R; rows are examples, columns samples.
COUNTS = [[2, 1, 0, 1], [0, 1, 2, 0], [1, 0, 2, 1], [2, 3, 0, 1], [0, 0, 1, 2]]
CELLS = [
    (0.989, 1, 0),
    (0.398, 4, 0),
    (0.116, 2, 1),
    (0.07, 4, 1),
    (0.244, 0, 2),
    (0.792, 3, 2),
    (0.34, 1, 3),
]


def small(**more):
    value, example, sample = zip(*CELLS, strict=True)
    return OutOfBag(value, sample, example, COUNTS, **more)


def drawn(rng, n=12, samples=20, level=1.0, **more):
    """Losses at random, with their tables as plain lists."""
    train = rng.integers(n, size=(samples, n))
    counts = np.stack([np.bincount(row, minlength=n) for row in train], axis=1)
    example, sample = np.nonzero(counts == 0)
    value = level * rng.gamma(1.0, size=sample.size)
    return OutOfBag(value, sample, example, counts, **more)


def pair(first, second):
    return OutOfBag(
        first.value,
        first.sample,
        first.example,
        first.counts,
        training_error=first.training_error,
        no_information=first.no_information,
        minus=second,
    )


def beside(view, value, **more):
    """Another learner on the same samples."""
    return OutOfBag(value, view.sample, view.example, view.counts, **more)


def table_of(view):
    """Loss of each example in each sample, None where the sample holds it."""
    table = [[None] * view.samples for _ in range(view.n)]
    for value, sample, example in zip(view.value, view.sample, view.example, strict=True):
        table[example][sample] = float(value)
    return table


def influences(counts, table):
    """E_i, their mean, and D_i by the formula, in plain loops; examples that are never out of bag are left out."""
    n, samples = len(counts), len(counts[0])
    q = [sum(table[i][b] for i in range(n) if counts[i][b] == 0) / n for b in range(samples)]
    own = {}
    for i in range(n):
        out = [table[i][b] for b in range(samples) if counts[i][b] == 0]
        if out:
            own[i] = sum(out) / len(out)
    centre = sum(own.values()) / len(own)
    d = []
    for i, mine in own.items():
        average = sum(counts[i]) / samples
        slope = sum((counts[i][b] - average) * q[b] for b in range(samples))
        d.append(
            (2 + 1 / (n - 1)) * (mine - centre) / n + slope / sum(count == 0 for count in counts[i])
        )
    return own, centre, d


def loop_se(counts, table):
    own, _, d = influences(counts, table)
    return math.sqrt(len(counts) / len(own) * sum(x * x for x in d))


def loop_632_plus(error, training, chance):
    capped = min(chance, error)
    rate = 0.0
    if error > training and chance > training:
        rate = (capped - training) / (chance - training)
    rate = max(0.0, min(1.0, rate))
    weight_part = 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    return 0.368 * training + 0.632 * error + (capped - training) * weight_part


class TestReference:
    def test_out_of_bag(self):
        result = oob_bootstrap(small())
        assert result.estimate == pytest.approx(0.4101, abs=1e-12)
        assert result.se == pytest.approx(0.180786524663759, abs=1e-12)
        assert (result.low, result.high) == pytest.approx(
            (0.05576492276887, 0.76443507723113), abs=1e-12
        )
        assert result.df is None

    def test_every_example_out_of_bag_has_its_loss_there(self):
        assert {(b, i) for _, i, b in CELLS} == {
            (b, i) for i, row in enumerate(COUNTS) for b in range(4) if not row[b]
        }

    def test_training_size_is_the_number_of_distinct_examples(self):
        assert oob_bootstrap(small()).n_train == pytest.approx(13 / 4)
        assert bootstrap_632(small(training_error=0.1)).n_train == 5

    def test_scaled_632(self):
        raw, result = oob_bootstrap(small()), bootstrap_632(small(training_error=0.1))
        assert result.estimate == pytest.approx(0.0368 + 0.632 * 0.4101, rel=1e-14)
        assert result.se == pytest.approx(0.180786524663759 * result.estimate / 0.4101, abs=1e-12)
        assert result.n_splits == raw.n_splits + 1 == 5

    @pytest.mark.parametrize("training", [0.0, 0.2, 0.41])
    @pytest.mark.parametrize("chance", [0.45, 0.8])
    def test_632_plus_is_a_weighted_mean(self, training, chance):
        """Efron & Tibshirani's other form, for errors between training error and no-information rate."""
        rate = (0.4101 - training) / (chance - training)
        weight = 0.632 / (1 - 0.368 * rate)
        result = bootstrap_632_plus(small(training_error=training, no_information=chance))
        assert result.estimate == pytest.approx(
            (1 - weight) * training + weight * 0.4101, rel=1e-12
        )
        assert result.se == pytest.approx(0.180786524663759 * result.estimate / 0.4101, abs=1e-12)


class TestPlainLoops:
    @pytest.mark.parametrize(("n", "samples"), [(12, 20), (7, 3), (25, 60)])
    def test_single(self, rng, n, samples):
        view = drawn(rng, n, samples)
        counts, table = view.counts.tolist(), table_of(view)
        own, centre, _ = influences(counts, table)
        result = oob_bootstrap(view)
        assert result.estimate == pytest.approx(centre, rel=1e-12)
        assert result.se == pytest.approx(loop_se(counts, table), rel=1e-11)
        missing = [note.numbers["what"] for note in result.notes if note.code == "left-out"]
        assert missing == [(f"{n - len(own)} of {n} examples",)] * (len(own) < n)

    def test_examples_never_out_of_bag(self):
        counts = [[1, 1, 2], [0, 1, 1], [1, 0, 0], [2, 2, 1]]
        view = OutOfBag([0.5, 0.9, 0.2], [0, 1, 2], [1, 2, 2], counts)
        result = oob_bootstrap(view)
        assert result.estimate == pytest.approx((0.5 + 0.55) / 2)
        assert result.se == pytest.approx(loop_se(counts, table_of(view)), rel=1e-12)
        assert [note.numbers["what"] for note in result.notes if note.code == "left-out"] == [
            ("2 of 4 examples",)
        ]

    def test_difference(self, rng):
        first = drawn(rng, training_error=0.3, no_information=1.7)
        second = beside(
            first,
            first.value + rng.normal(size=first.value.size),
            training_error=0.1,
            no_information=2.0,
        )
        counts = first.counts.tolist()
        one, other = table_of(first), table_of(second)
        gap = [
            [a and a - b for a, b in zip(*rows, strict=True)]
            for rows in zip(one, other, strict=True)
        ]
        result = oob_bootstrap(pair(first, second))
        assert result.estimate == pytest.approx(influences(counts, gap)[1], rel=1e-10)
        assert result.se == pytest.approx(loop_se(counts, gap), rel=1e-10)

    @pytest.mark.parametrize("chance", [(1.7, 2.0), (0.5, 0.05), (0.9, 40.0)])
    def test_difference_of_estimates(self, rng, chance):
        """Each learner first; the D_i of each times its own estimate over error, and then subtracted."""
        first = drawn(rng, 15, 30, training_error=0.3, no_information=chance[0])
        value = np.abs(first.value + 0.3 * rng.normal(size=first.value.size))
        second = beside(first, value, training_error=0.1, no_information=chance[1])
        counts = first.counts.tolist()
        rules = {
            bootstrap_632: lambda error, training, chance: 0.368 * training + 0.632 * error,
            bootstrap_632_plus: loop_632_plus,
        }
        for method, rule in rules.items():
            estimates, scaled, usable = [], [], 0
            for view in (first, second):
                own, centre, d = influences(counts, table_of(view))
                estimates.append(rule(centre, view.training_error, view.no_information))
                scaled.append([x * estimates[-1] / centre for x in d])
                usable = len(own)
            se = math.sqrt(15 / usable * sum((a - b) ** 2 for a, b in zip(*scaled, strict=True)))
            result = method(pair(first, second), remove_monte_carlo=False)
            assert result.estimate == pytest.approx(estimates[0] - estimates[1], rel=1e-10)
            assert result.se == pytest.approx(se, rel=1e-10)

    def test_blocks_of_examples_add_up(self, rng, monkeypatch):
        view = drawn(rng, 40, 30)
        whole = out_of_bag.spread(view.value, view)
        monkeypatch.setattr(out_of_bag, "_BLOCK", 7 * 30)
        assert out_of_bag.spread(view.value, view) == pytest.approx(whole, rel=1e-12)

    def test_a_large_data_set(self, rng):
        view = drawn(rng, 3000, 100)
        dense = np.zeros((3000, 100))
        dense[view.example, view.sample] = view.value
        times = (view.counts == 0).sum(axis=1)
        own = dense.sum(axis=1) / times
        q = dense.sum(axis=0) / 3000
        centred = view.counts - view.counts.mean(axis=1, keepdims=True)
        d = (2 + 1 / 2999) * (own - own.mean()) / 3000 + centred @ q / times
        result = oob_bootstrap(view, remove_monte_carlo=False)
        assert result.estimate == pytest.approx(own.mean(), rel=1e-12)
        assert result.se == pytest.approx(math.sqrt(np.square(d).sum()), rel=1e-10)


class TestLimits:
    def test_nearest_neighbour_on_noise(self, rng):
        """Training error 0 and no-information rate 1/2: overfitting is complete, and Err1 gets all the weight."""
        X, y = rng.normal(size=(80, 3)), rng.permutation(np.arange(80) % 2)
        learner = {"1-NN": KNeighborsClassifier(1)}
        plan = Bootstrap(repeats=60, training_error=True)
        table = errbar.run(learner, X, y, plan=plan, random_state=3)
        oob, plain, plus = (errbar.infer(table, key) for key in KEYS)
        assert abs(oob.estimate - 0.5) < 0.15
        assert plain.estimate == pytest.approx(0.632 * oob.estimate)
        rate = min(1.0, oob.estimate / 0.5)
        assert plus.estimate == pytest.approx(
            min(oob.estimate, 0.5) * 0.632 / (1 - 0.368 * rate)
            + max(0.0, oob.estimate - 0.5) * 0.632,
            rel=1e-12,
        )
        assert abs(plus.estimate - oob.estimate) < 0.15

    def test_complete_overfitting_gives_the_out_of_bag_error(self):
        result = bootstrap_632_plus(small(training_error=0.0, no_information=0.4101))
        assert result.estimate == pytest.approx(0.4101, rel=1e-12)

    @pytest.mark.parametrize("chance", [0.1, 0.2, -1.0])
    def test_no_information_rate_below_the_training_error(self, chance):
        assert bootstrap_632_plus(
            small(training_error=0.2, no_information=chance)
        ).estimate == pytest.approx(bootstrap_632(small(training_error=0.2)).estimate, rel=1e-14)

    def test_training_error_above_the_out_of_bag_error(self):
        assert bootstrap_632_plus(
            small(training_error=0.6, no_information=0.9)
        ).estimate == pytest.approx(bootstrap_632(small(training_error=0.6)).estimate, rel=1e-14)

    def test_worse_than_no_information(self):
        result = bootstrap_632_plus(small(training_error=0.1, no_information=0.3))
        weight_part = 0.368 * 0.632 / 0.632
        assert result.estimate == pytest.approx(
            0.0368 + 0.632 * 0.4101 + 0.2 * weight_part, rel=1e-12
        )
        assert "out-of-bounds" in {note.code for note in result.notes}

    def test_no_note_where_the_learner_has_learnt_something(self):
        result = bootstrap_632_plus(small(training_error=0.1, no_information=0.6))
        assert "out-of-bounds" not in {note.code for note in result.notes}

    def test_plain_632_says_what_it_is_bad_at(self):
        assert "optimistic" in {
            note.code for note in bootstrap_632(small(training_error=0.1)).notes
        }

    @pytest.mark.parametrize("method", METHODS)
    def test_a_learner_without_error(self, method):
        view = small()
        zero = beside(view, np.zeros(7), training_error=0.0, no_information=0.4)
        result = method(zero)
        assert (result.estimate, result.se, result.statistic, result.pvalue) == (0.0, 0.0, 0.0, 1.0)
        assert result.degenerate

    def test_a_flawless_learner_against_another(self):
        first = small(training_error=0.2, no_information=0.5)
        zero = beside(first, np.zeros(7), training_error=0.0, no_information=0.4)
        one, both = bootstrap_632_plus(first), bootstrap_632_plus(pair(first, zero))
        assert (both.estimate, both.se) == pytest.approx((one.estimate, one.se), rel=1e-14)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_learner_against_itself(self, method):
        view = small(training_error=0.2, no_information=0.5)
        result = method(pair(view, small(training_error=0.2, no_information=0.5)))
        assert (result.estimate, result.se, result.pvalue) == (0.0, 0.0, 1.0)
        assert result.degenerate

    @pytest.mark.parametrize("remove", [False, True])
    @pytest.mark.parametrize("method", METHODS)
    def test_equal_losses_have_no_standard_error(self, method, remove):
        view = beside(small(), np.full(7, 0.1), training_error=0.1, no_information=0.1)
        result = method(view, null=0.2, remove_monte_carlo=remove)
        assert result.estimate == pytest.approx(0.1)
        assert (result.se, result.statistic, result.pvalue) == (0.0, -math.inf, 0.0)
        assert result.degenerate


def loop_noise(counts, table):
    """Monte-Carlo part by what each sample contributes to each D_i."""
    n, samples = len(counts), len(counts[0])
    own = influences(counts, table)[0]
    q = [sum(table[i][b] for i in range(n) if counts[i][b] == 0) / n for b in range(samples)]
    middle = sum(q) / samples
    factor = (2 + 1 / (n - 1)) / n
    total = 0.0
    for b in range(samples):
        common = sum(
            (table[j][b] - own[j]) / counts[j].count(0) for j in own if counts[j][b] == 0
        ) / len(own)
        for i, mine in own.items():
            times = counts[i].count(0)
            average = sum(counts[i]) / samples
            slope = sum((counts[i][k] - average) * q[k] for k in range(samples)) / times
            part = (counts[i][b] - average) * (q[b] - middle) / times - factor * common
            if counts[i][b] == 0:
                part += factor * (table[i][b] - mine) / times - slope / times
            total += part * part
    return n / len(own) * samples / (samples - 1) * total


def jackknife_noise(counts, table):
    """The same by leaving out one sample after another."""
    samples = len(counts[0])
    found = []
    for b in range(samples):
        keep = [k for k in range(samples) if k != b]
        rest = [[row[k] for k in keep] for row in counts]
        found.append(influences(rest, [[row[k] for k in keep] for row in table])[2])
    d = np.array(found)
    return (samples - 1) / samples * np.square(d - d.mean(axis=0)).sum()


def mean_learner(y, samples, rng):
    """The mean of the sample predicts, with squared error: a learner whose every loss is known at once."""
    n = y.size
    counts = rng.multinomial(n, np.full(n, 1 / n), size=samples).T
    loss = np.square(y[:, np.newaxis] - (counts * y[:, np.newaxis]).sum(axis=0) / n)
    example, sample = np.nonzero(counts == 0)
    return OutOfBag(loss[example, sample], sample, example, counts)


class TestMonteCarloPart:
    @pytest.mark.parametrize(("n", "samples"), [(12, 20), (6, 4)])
    def test_plain_loops(self, rng, n, samples):
        view = drawn(rng, n, samples)
        found = out_of_bag.spread(view.value, view)
        assert found[1] == pytest.approx(
            loop_noise(view.counts.tolist(), table_of(view)), rel=1e-10
        )

    def test_agrees_with_the_jackknife_over_samples(self):
        view = drawn(np.random.default_rng(5), 10, 150)
        found = out_of_bag.spread(view.value, view)
        assert found[1] == pytest.approx(
            jackknife_noise(view.counts.tolist(), table_of(view)), rel=0.03
        )

    def test_it_is_what_few_samples_add(self):
        """Against the variance from 40000 samples: raw variances are far too large, and right without the noise."""
        rng = np.random.default_rng(11)
        y = rng.gamma(2.0, size=30)
        many = mean_learner(y, 40_000, rng)
        ideal = out_of_bag.spread(many.value, many)[0]
        few = [mean_learner(y, 60, rng) for _ in range(300)]
        found = np.array([out_of_bag.spread(view.value, view) for view in few])
        raw, left = found[:, 0], found[:, 0] - found[:, 1]
        assert raw.mean() > 1.5 * ideal
        # The standard error of the mean over the 300 is about 2 % of the ideal.
        assert left.mean() == pytest.approx(ideal, rel=0.1)

    def test_it_vanishes_with_many_samples(self):
        view = mean_learner(
            np.random.default_rng(0).gamma(2.0, size=20), 20_000, np.random.default_rng(1)
        )
        found = out_of_bag.spread(view.value, view)
        assert found[1] < 0.01 * found[0]

    def test_it_is_removed(self, rng):
        view = mean_learner(rng.gamma(2.0, size=20), 200, rng)
        found = out_of_bag.spread(view.value, view)
        plain, removed = oob_bootstrap(view, remove_monte_carlo=False), oob_bootstrap(view)
        assert removed.estimate == plain.estimate
        assert plain.se == pytest.approx(math.sqrt(found[0]), rel=1e-14)
        assert removed.se == pytest.approx(math.sqrt(found[0] - found[1]), rel=1e-14)

    def test_noise_of_the_weighted_losses_is_removed_from_632_plus(self, rng):
        view = mean_learner(rng.gamma(2.0, size=20), 200, rng)
        known = beside(view, view.value, training_error=1.0, no_information=5.0)
        error = oob_bootstrap(view, remove_monte_carlo=True)
        plus = bootstrap_632_plus(known, remove_monte_carlo=True)
        assert plus.se == pytest.approx(error.se * plus.estimate / error.estimate, rel=1e-10)

    def test_notes_say_how_noisy_it_is(self):
        rng = np.random.default_rng(2)
        noisy, calm = (
            mean_learner(rng.gamma(2.0, size=40), samples, rng) for samples in (25, 2000)
        )
        kept = {"remove_monte_carlo": False}
        assert (
            errbar.Note("few", count=25, what="bootstrap samples")
            in oob_bootstrap(noisy, **kept).notes
        )
        assert "few" not in [note.code for note in oob_bootstrap(calm, **kept).notes]
        assert oob_bootstrap(calm, remove_monte_carlo=True).notes == ()

    def test_it_stays_where_nothing_would_be_left(self):
        found = [drawn(np.random.default_rng(seed), 8, 3) for seed in range(20)]
        hopeless = [v for v in found if (s := out_of_bag.spread(v.value, v))[1] >= s[0] > 0]
        assert hopeless
        for view in hopeless:
            removed = oob_bootstrap(view)
            assert removed.se == oob_bootstrap(view, remove_monte_carlo=False).se
            assert "few" in {note.code for note in removed.notes}

    @pytest.mark.parametrize("bad", [None, 1, "yes", 0.5])
    def test_it_is_a_yes_or_no(self, bad):
        with refused("remove_monte_carlo"):
            oob_bootstrap(small(), remove_monte_carlo=bad)


class TestRefusals:
    @pytest.mark.parametrize("method", METHODS[1:])
    def test_training_error_is_needed(self, method):
        with refused("training_error"):
            method(small(no_information=0.5))

    def test_no_information_rate_is_needed(self):
        with refused("no_information"):
            bootstrap_632_plus(small(training_error=0.1))

    @pytest.mark.parametrize("method", METHODS[1:])
    def test_both_learners_need_them(self, method):
        whole = small(training_error=0.1, no_information=0.5)
        with refused("training_error"):
            method(pair(whole, small()))

    def test_a_missing_loss(self):
        value, example, sample = zip(*CELLS[:-1], strict=True)
        with pytest.raises(InvalidInputError):
            oob_bootstrap(OutOfBag(value, sample, example, COUNTS))

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_losses_that_are_not_finite(self, bad):
        value, example, sample = zip(*CELLS, strict=True)
        with pytest.raises(InvalidInputError):
            OutOfBag([*value[:2], bad, *value[3:]], sample, example, COUNTS)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("size", [1e-130, 1e130])
    def test_sizes_of_losses_do_not_matter(self, method, size):
        view = beside(
            small(), size * small().value, training_error=0.2 * size, no_information=0.5 * size
        )
        usual = method(small(training_error=0.2, no_information=0.5))
        result = method(view)
        assert result.estimate / size == pytest.approx(usual.estimate, rel=1e-12)
        assert result.statistic == pytest.approx(usual.statistic, rel=1e-10)

    @pytest.mark.parametrize("method", METHODS)
    def test_losses_too_large_or_too_small_are_refused(self, method):
        with pytest.raises(InvalidInputError):
            beside(small(), 1e300 * small().value)
        tiny = beside(small(), 1e-300 * small().value, training_error=0.0, no_information=0.0)
        with pytest.raises(InvalidInputError):
            method(tiny)

    @pytest.mark.parametrize("method", METHODS[1:])
    def test_a_training_error_of_another_size_is_refused(self, method):
        view = beside(small(), 1e-140 * small().value, training_error=1e160, no_information=1e161)
        with refused("training_error"):
            method(view)


def refit(learner, X, y, loss, plan, seed):
    """Losses out of bag, the training error and what the whole-data model predicts, by refits with scikit-learn."""
    n = len(y)
    splits = list(plan.splits(n, _rng.root(seed)))
    counts = [[0] * len(splits[:-1]) for _ in range(n)]
    table = [[None] * len(splits[:-1]) for _ in range(n)]
    for b, split in enumerate(splits[:-1]):
        model = clone(learner).fit(X[split.train], y[split.train])
        for i in split.train:
            counts[i][b] += 1
        for i, predicted in zip(split.test, model.predict(X[split.test]), strict=True):
            table[i][b] = float(loss(y[i], predicted))
    predicted = clone(learner).fit(X, y).predict(X)
    training = sum(loss(a, b) for a, b in zip(y, predicted, strict=True)) / n
    chance = sum(loss(a, b) for a in y for b in predicted) / (n * n)
    return counts, table, float(training), float(chance)


def zero_one(truth, predicted):
    return float(truth != predicted)


def squared(truth, predicted):
    return float((truth - predicted) ** 2)


X_CANCER, Y_CANCER = load_breast_cancer(return_X_y=True)
X_DIABETES, Y_DIABETES = load_diabetes(return_X_y=True)
STUDIES = {
    "breast_cancer": (
        {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)},
        scale(X_CANCER)[::4],
        Y_CANCER[::4],
        zero_one,
    ),
    "diabetes": (
        {"ridge": Ridge(0.1), "tree": DecisionTreeRegressor(max_depth=4, random_state=0)},
        X_DIABETES[::4],
        Y_DIABETES[::4],
        squared,
    ),
}


@pytest.mark.parametrize("name", STUDIES)
class TestRefitsByHand:
    PLAN = Bootstrap(repeats=25, training_error=True)

    def test_632_plus(self, name):
        learners, X, y, loss = STUDIES[name]
        comparison = errbar.compare(
            learners,
            X,
            y,
            method="632-plus",
            plan=self.PLAN,
            random_state=8,
            remove_monte_carlo=False,
        )
        found = {key: refit(learner, X, y, loss, self.PLAN, 8) for key, learner in learners.items()}
        estimates, scaled = {}, {}
        for key, (counts, table, training, chance) in found.items():
            own, centre, d = influences(counts, table)
            estimates[key] = loop_632_plus(centre, training, chance)
            scaled[key] = [x * estimates[key] / centre for x in d]
            result = comparison.learners[key]
            assert result.estimate == pytest.approx(estimates[key], rel=1e-10)
            spread = math.sqrt(len(y) / len(own) * sum(x * x for x in scaled[key]))
            assert result.se == pytest.approx(spread, rel=1e-9)
            assert result.n_train == len(y)
        a, b = learners
        result = comparison.pairs[0].result
        assert result.estimate == pytest.approx(estimates[a] - estimates[b], rel=1e-9)
        usable = len(scaled[a])
        se = math.sqrt(
            len(y) / usable * sum((p - q) ** 2 for p, q in zip(scaled[a], scaled[b], strict=True))
        )
        assert result.se == pytest.approx(se, rel=1e-9)

    @pytest.mark.parametrize("method", KEYS[:2])
    def test_the_others(self, name, method):
        learners, X, y, loss = STUDIES[name]
        learner = next(iter(learners.values()))
        result = errbar.evaluate(
            learner, X, y, method=method, plan=self.PLAN, random_state=8, remove_monte_carlo=False
        )
        counts, table, training, _ = refit(learner, X, y, loss, self.PLAN, 8)
        _, centre, _ = influences(counts, table)
        estimate = centre if method == "oob-bootstrap" else 0.368 * training + 0.632 * centre
        assert result.estimate == pytest.approx(estimate, rel=1e-10)
        assert result.se == pytest.approx(loop_se(counts, table) * estimate / centre, rel=1e-9)

    def test_a_plan_without_training_error_is_refused_before_any_fit(self, name):
        learners, X, y, _ = STUDIES[name]
        fits = []
        with pytest.raises(InvalidInputError):
            errbar.compare(
                learners,
                X,
                y,
                method="632-plus",
                plan=Bootstrap(repeats=5),
                random_state=0,
                progress=fits.append,
            )
        assert not fits


class TestNoInformation:
    """Against the double loop over all pairs of a target with a prediction."""

    @staticmethod
    def by_pairs(loss, truth, predicted):
        total = 0.0
        for t in truth:
            for p in predicted:
                total += float(loss.points(np.array([t]), {loss.needs[0]: np.array([p])})[0])
        return total / (len(truth) * len(predicted))

    @pytest.mark.parametrize("classes", [2, 3])
    def test_zero_one(self, rng, classes):
        truth, predicted = rng.integers(classes, size=(2, 23))
        loss = LOSSES["zero-one"]
        expected = self.by_pairs(loss, truth, predicted)
        assert loss.no_information(truth, {"label": predicted}) == pytest.approx(
            expected, rel=1e-12
        )
        shares = [(truth == k).mean() * (1 - (predicted == k).mean()) for k in range(classes)]
        assert expected == pytest.approx(sum(shares), rel=1e-12)

    @pytest.mark.parametrize("key", ["log-loss", "brier"])
    @pytest.mark.parametrize("classes", [2, 4])
    def test_probabilities(self, rng, key, classes):
        truth = rng.permutation(np.arange(21) % classes)
        predicted = rng.dirichlet(np.ones(classes), size=21)
        predicted[0] = np.eye(classes)[0]
        loss = LOSSES[key]
        expected = self.by_pairs(loss, truth, predicted)
        assert loss.no_information(truth, {"probability": predicted}) == pytest.approx(
            expected, rel=1e-12
        )

    @pytest.mark.parametrize("key", ["squared-error", "absolute-error"])
    def test_regression(self, rng, key):
        truth = rng.normal(3.0, 2.0, size=19)
        predicted = np.append(rng.normal(2.0, 1.0, size=16), truth[:3])
        loss = LOSSES[key]
        expected = self.by_pairs(loss, truth, predicted)
        assert loss.no_information(truth, {"label": predicted}) == pytest.approx(
            expected, rel=1e-12
        )

    @pytest.mark.parametrize("key", ["squared-error", "absolute-error"])
    def test_integer_targets(self, rng, key):
        truth, predicted = rng.integers(-5, 9, size=(2, 17))
        loss = LOSSES[key]
        expected = self.by_pairs(loss, truth, predicted)
        assert loss.no_information(truth, {"label": predicted}) == pytest.approx(
            expected, rel=1e-12
        )

    def test_a_loss_of_your_own(self, rng):
        costs = np.array([[0.0, 1.0], [5.0, 0.0]])
        mine = Loss("cost", lambda truth, predicted: costs[truth, predicted], task="classification")
        truth, predicted = rng.integers(2, size=(2, 15))
        assert mine.no_information(truth, {"label": predicted}) == pytest.approx(
            self.by_pairs(mine, truth, predicted)
        )

    def test_it_reaches_the_view(self):
        learners, X, y, loss = STUDIES["breast_cancer"]
        table = errbar.run(
            learners, X, y, plan=Bootstrap(repeats=3, training_error=True), random_state=1
        )
        view = OutOfBag.of(table.losses("bayes", "tree"))
        model = GaussianNB().fit(X, y)
        predicted = model.predict(X)
        assert view.training_error == pytest.approx((predicted != y).mean())
        assert view.no_information == pytest.approx(
            np.mean([[loss(a, b) for a in y] for b in predicted])
        )
        assert view.minus.training_error == 0.0

    def test_a_loss_of_your_own_has_a_rate(self):
        X, y = STUDIES["diabetes"][1:3]
        pinball = Loss(
            "pinball",
            lambda truth, predicted: np.maximum(truth - predicted, 0.0),
            task="regression",
        )
        plan = Bootstrap(repeats=3, training_error=True)
        how = {"loss": pinball, "plan": plan, "random_state": 0}
        for method in ("632", "632-plus"):
            assert errbar.evaluate(Ridge(), X, y, method=method, **how).se > 0


def test_log_loss_of_probabilities_through_the_whole_way():
    X, y = scale(X_CANCER)[::6], Y_CANCER[::6]
    plan = Bootstrap(repeats=10, training_error=True)
    result = errbar.evaluate(
        LogisticRegression(), X, y, loss="log-loss", method="632-plus", plan=plan, random_state=0
    )
    splits = list(plan.splits(len(y), 0))
    own = {}
    for split in splits[:-1]:
        model = LogisticRegression().fit(X[split.train], y[split.train])
        for i, p in zip(split.test, model.predict_proba(X[split.test]), strict=True):
            own.setdefault(i, []).append(-math.log(max(p[y[i]], np.finfo(float).eps)))
    error = np.mean([np.mean(losses) for losses in own.values()])
    p = LogisticRegression().fit(X, y).predict_proba(X)
    training = -np.log(p[np.arange(len(y)), y]).mean()
    chance = -np.mean(
        [[math.log(max(row[label], np.finfo(float).eps)) for row in p] for label in y]
    )
    assert result.estimate == pytest.approx(loop_632_plus(error, training, chance), rel=1e-9)
