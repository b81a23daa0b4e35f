"""Populations: what is drawn, how it is drawn, and the risks that are known exactly."""

import pickle

import joblib
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, ndtri

import errbar_lab.populations as populations
from errbar_lab.populations import (
    FinitePopulation,
    Friedman1,
    GaussianClassification,
    GaussianRegression,
    Population,
)
from tests.bands import binomial_band
from tests.refusals import refused

ALARM = 1e-6
LAWS = [GaussianRegression(), GaussianClassification(), Friedman1()]
NAMES = [type(law).__name__ for law in LAWS]


def type_of(value):
    """Name a case by the class of its population, since not every population has a text of its own."""
    return type(value).__name__


def numbered(size, **options):
    """A population in which the only feature tells which example it is."""
    return FinitePopulation(np.arange(size).reshape(-1, 1), np.arange(size) % 3, **options)


def rows(sample):
    return sample.X[:, 0].astype(int)


def require_uniform(counts):
    """The chi-square statistic of equally likely cells lies below its quantile."""
    counts = np.asarray(counts).ravel()
    expected = counts.sum() / counts.size
    assert expected > 20
    assert ((counts - expected) ** 2).sum() / expected < stats.chi2.isf(ALARM, counts.size - 1)


def require_mean(values, expected):
    values = np.asarray(values)
    assert abs(values.mean() - expected) < 4.0 * values.std(ddof=1) / np.sqrt(values.size)


class TestContent:
    X = np.array([[0, 1], [2, -3], [4, 300], [6, 7]])
    y = np.array([1, 2, 2, 3])

    @pytest.mark.parametrize(
        "dtype", ["int16", "int64", ">i4", "float32", "float64", ">f8", "longdouble", object]
    )
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_the_type_of_storage_is_not_in_the_digest(self, dtype, order):
        population = FinitePopulation(self.X.astype(dtype, order=order), self.y)
        assert np.array_equal(population.X, self.X)
        assert population.digest == FinitePopulation(self.X.tolist(), self.y.tolist()).digest

    @pytest.mark.parametrize(
        "y", [[1, 2, 2, 3], np.array([1, 2, 2, 3], "uint8"), np.array([1, 2, 2, 3], object)]
    )
    def test_the_type_of_the_labels_is_not_in_the_digest(self, y):
        assert FinitePopulation(self.X, y).digest == FinitePopulation(self.X, self.y).digest

    def test_labels_of_text_and_of_numbers_are_different(self):
        assert (
            FinitePopulation(self.X, list("1223")).digest != FinitePopulation(self.X, self.y).digest
        )

    def test_the_digest_is_the_same_on_every_machine(self):
        assert FinitePopulation(self.X, self.y).digest == "1e0a82da948890f124a9f912293f3bcb"
        assert [law.digest for law in LAWS] == [
            "f87f620bda08b27aac2e905f149300fb",
            "3c5f4fbe57c574c2dd9e8119a413be17",
            "b7968fe34e44a74ccf356baf83da3dec",
        ]

    @pytest.mark.parametrize("place", [(0, 0), (3, 1), (1, 1)])
    def test_one_other_value_is_another_population(self, place):
        X = self.X.copy()
        X[place] += 1
        assert FinitePopulation(X, self.y).digest != FinitePopulation(self.X, self.y).digest

    def test_one_other_label_another_order_or_another_way_to_draw_is_another_population(self):
        here = FinitePopulation(self.X, self.y)
        digests = {
            here.digest,
            FinitePopulation(self.X, [1, 2, 3, 3]).digest,
            FinitePopulation(self.X, [1, 4, 4, 3]).digest,
            FinitePopulation(self.X[::-1], self.y[::-1]).digest,
            FinitePopulation(self.X.reshape(2, 4)[:, [0, 1, 2, 3]], [1, 2]).digest,
            FinitePopulation(self.X, self.y.astype(float)).digest,
            here.with_replacement().digest,
        }
        assert len(digests) == 7

    def test_the_name_is_not_in_the_digest_and_zero_has_no_sign(self):
        named = FinitePopulation(np.array([[-0.0], [0.5]]), [1, 2], name="other")
        assert named.digest == FinitePopulation([[0.0], [0.5]], [1, 2]).digest

    def test_a_regression_population_keeps_its_numbers(self):
        population = FinitePopulation([[0.5], [1.5]], [0.25, 1.0], name="numbers")
        assert (population.task, population.classes, population.y.tolist()) == (
            "regression",
            None,
            [0.25, 1.0],
        )
        assert population.task == "regression"
        assert population.sample(2, np.random.default_rng(0)).y.dtype == np.float64

    def test_frames_are_welcome(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.0, 1.5], "y": ["u", "v", "u"]})
        population = FinitePopulation(frame[["a", "b"]], frame["y"])
        assert population.classes.tolist() == ["u", "v"]
        assert (
            population.digest
            == FinitePopulation([[1, 0.5], [2, 1], [3, 1.5]], ["u", "v", "u"]).digest
        )

    @pytest.mark.parametrize(
        ("X", "y", "argument"),
        [
            ([[1.0], [np.nan]], [1, 2], "X"),
            ([[1.0, np.inf], [0, 0]], [1, 2], "X"),
            ([["a"], ["b"]], [1, 2], "X"),
            ([1, 2], [1, 2], "X"),
            (np.empty((2, 0)), [1, 2], "X"),
            ([[1], [2], [3]], [1, 2], "X"),
            ([[1], [2]], [1, 1], "y"),
            ([[1], [2]], ["a", None], "y"),
            ([[1], [2]], ["a", 1], "y"),
            ([[1], [2]], [0.5, np.nan], "y"),
            ([[1], [2]], np.array(["2020", "2021"], "M8[Y]"), "y"),
        ],
    )
    def test_what_cannot_be_used_is_refused_in_a_sentence(self, X, y, argument):
        with refused(argument):
            FinitePopulation(X, y)


@pytest.mark.long
class TestDrawing:
    trials = 20_000

    @pytest.mark.parametrize("replacement", [False, True])
    def test_every_example_is_as_likely_as_any_other_in_every_place(self, rng, replacement):
        population = numbered(12, replacement=replacement)
        drawn = np.array([rows(population.sample(3, rng)) for _ in range(self.trials)])
        for place in range(3):
            require_uniform(np.bincount(drawn[:, place], minlength=12))
        pairs = np.bincount(drawn[:, 0] * 12 + drawn[:, 2], minlength=144).reshape(12, 12)
        require_uniform(pairs if replacement else pairs[~np.eye(12, dtype=bool)])

    @pytest.mark.long
    def test_test_examples_are_uniform_over_what_is_left(self, rng):
        population = numbered(12)
        drawn = [population.sample_with_test(3, 2, rng) for _ in range(self.trials)]
        data = np.array([rows(sample) for sample, _ in drawn])
        test = np.array([rows(sample) for _, sample in drawn])
        for place in (0, 2):
            pairs = np.bincount(data[:, place] * 12 + test[:, 1], minlength=144).reshape(12, 12)
            assert not pairs.diagonal().any()
            require_uniform(pairs[~np.eye(12, dtype=bool)])
        both = np.bincount(test[:, 0] * 12 + test[:, 1], minlength=144).reshape(12, 12)
        require_uniform(both[~np.eye(12, dtype=bool)])

    def test_with_replacement_test_examples_are_independent_of_the_data_set(self, rng):
        population = numbered(12).with_replacement()
        drawn = [population.sample_with_test(3, 2, rng) for _ in range(self.trials)]
        require_uniform(
            np.bincount([rows(data)[0] * 12 + rows(test)[0] for data, test in drawn], minlength=144)
        )

    def test_examples_repeat_at_the_right_rate_with_replacement(self, rng):
        population = numbered(20).with_replacement()
        repeats = sum(
            np.unique(rows(population.sample(5, rng))).size < 5 for _ in range(self.trials)
        )
        low, high = binomial_band(self.trials, 1.0 - np.prod(1.0 - np.arange(5) / 20), ALARM)
        assert low <= repeats <= high

    @pytest.mark.parametrize(
        ("size", "n", "n_test"), [(50, 20, 30), (50, 1, 49), (30_000, 300, 500), (400, 300, 7)]
    )
    def test_no_example_repeats_without_replacement(self, rng, size, n, n_test):
        data, test = numbered(size).sample_with_test(n, n_test, rng)
        together = np.concatenate([rows(data), rows(test)])
        assert np.unique(together).size == n + n_test
        assert together.min() >= 0
        assert together.max() < size

    def test_the_whole_population_can_be_drawn(self, rng):
        assert sorted(rows(numbered(30).sample(30, rng))) == list(range(30))

    @pytest.mark.parametrize(
        "population", [numbered(500), numbered(500).with_replacement(), *LAWS], ids=type_of
    )
    def test_the_same_generator_gives_the_same_examples(self, population):
        data, test = population.sample_with_test(40, 60, np.random.default_rng(5))
        again, test_again = population.sample_with_test(40, 60, np.random.default_rng(5))
        assert (len(data.X), len(test.X), data.y.size, test.y.size) == (40, 60, 40, 60)
        alone = population.sample(40, np.random.default_rng(5))
        for one, other in [(data, again), (test, test_again), (data, alone)]:
            assert np.array_equal(one.X, other.X)
            assert np.array_equal(one.y, other.y)
        assert not np.array_equal(population.sample(40, np.random.default_rng(6)).X, alone.X)

    @pytest.mark.parametrize(
        "population",
        [numbered(500), FinitePopulation([[1], [2]], [0.5, 1.5], replacement=True), *LAWS],
        ids=type_of,
    )
    def test_samples_have_the_promised_form(self, population, rng):
        for X, y in (population.sample(7, rng), *population.sample_with_test(7, 7, rng)):
            assert X.dtype == np.float64
            assert X.flags.c_contiguous
            assert X.flags.writeable
            assert y.shape == (7,)
            assert len(X) == 7
            assert y.dtype == (np.int64 if population.task == "classification" else np.float64)

    def test_features_and_targets_stay_together(self, rng):
        data, test = numbered(1000).sample_with_test(300, 300, rng)
        for sample in (data, test):
            assert np.array_equal(rows(sample) % 3, sample.y)

    def test_too_many_examples_are_refused(self, rng):
        population = numbered(30, name="small")
        with refused("n"):
            population.sample(31, rng)
        with refused("n"):
            population.sample_with_test(20, 11, rng)
        assert rows(population.with_replacement().sample(31, rng)).size == 31

    @pytest.mark.parametrize("population", [numbered(30), *LAWS], ids=type_of)
    def test_sizes_are_whole_and_positive(self, population, rng):
        for n in (0, 2.5, -1, True):
            with refused("n"):
                population.sample(n, rng)
            with refused():
                population.sample_with_test(5, n, rng)


def mapped_from(population):
    """Whether the features of a population lie in a file, and what it draws."""
    return (
        isinstance(population.X, np.memmap),
        population.X.flags.writeable,
        population.sample(5, np.random.default_rng(0)),
    )


class TestTransport:
    @pytest.mark.parametrize(
        "population", [numbered(50), numbered(50).recoded(bool, name="two"), *LAWS], ids=type_of
    )
    def test_a_pickled_population_is_the_same(self, population):
        other = pickle.loads(pickle.dumps(population))
        assert (other.name, other.digest, other.task) == (
            population.name,
            population.digest,
            population.task,
        )
        assert np.array_equal(
            other.sample(9, np.random.default_rng(3)).X,
            population.sample(9, np.random.default_rng(3)).X,
        )

    @pytest.mark.parametrize("law", LAWS, ids=NAMES)
    def test_a_law_is_light(self, law):
        assert len(pickle.dumps(law)) < 200

    def test_a_dumped_population_is_mapped_and_draws_the_same(self, tmp_path):
        population = numbered(3000).recoded(bool, name="two")
        joblib.dump(population, tmp_path / "population")
        mapped = joblib.load(tmp_path / "population", mmap_mode="r")
        assert isinstance(mapped.X, np.memmap)
        assert mapped.digest == population.digest
        data, test = mapped.sample_with_test(100, 100, np.random.default_rng(2))
        same, same_test = population.sample_with_test(100, 100, np.random.default_rng(2))
        assert type(data.X) is np.ndarray
        assert np.array_equal(data.X, same.X)
        assert np.array_equal(test.y, same_test.y)
        assert np.shares_memory(mapped.with_replacement().X, mapped.X)

    @pytest.mark.long
    def test_workers_map_the_examples(self):
        population = numbered(3000)
        tasks = [joblib.delayed(mapped_from)(population)] * 2
        for mapped, writeable, sample in joblib.Parallel(n_jobs=2, max_nbytes=1000)(tasks):
            assert mapped
            assert not writeable
            assert np.array_equal(sample.X, population.sample(5, np.random.default_rng(0)).X)


class TestParameters:
    def test_all_are_populations(self):
        wanted = {name for name in dir(Population) if not name.startswith("_")}
        for population in (numbered(5), *LAWS):
            assert wanted <= set(dir(population))
            assert population.name

    def test_the_digest_is_made_of_the_parameters(self):
        laws = [
            *LAWS,
            GaussianRegression(features=100),
            GaussianRegression(noise=2),
            GaussianClassification(relevant=4),
        ]
        laws += [Friedman1(features=5), Friedman1(noise=0.5)]
        assert len({law.digest for law in laws}) == len({law.name for law in laws}) == len(laws)
        assert (
            GaussianRegression(np.int64(20), np.int32(5), np.float64(1)).digest
            == GaussianRegression(noise=1).digest
        )
        assert Friedman1(noise=1).digest == Friedman1().digest

    @pytest.mark.parametrize(
        ("kind", "options", "argument"),
        [
            ("GaussianRegression", {"features": 0}, "features"),
            (
                "GaussianRegression",
                {"features": 3, "relevant": 4},
                "relevant",
            ),
            ("GaussianRegression", {"noise": -1.0}, "noise"),
            ("GaussianClassification", {"relevant": -1}, "relevant"),
            ("GaussianClassification", {"features": 2}, "relevant"),
            ("Friedman1", {"features": 4}, "features"),
            ("Friedman1", {"noise": np.nan}, "noise"),
        ],
    )
    def test_parameters_are_checked(self, kind, options, argument):
        with refused(argument):
            getattr(populations, kind)(**options)

    def test_linear_models_are_checked(self):
        for risk in (
            GaussianRegression(2, 1).least_squares_risk,
            GaussianClassification(2, 1).zero_one_risk,
        ):
            with refused("coefficients"):
                risk([1, 2, 3])
            with refused("coefficients"):
                risk([1, np.nan])
            with refused("intercept"):
                risk([1, 2], np.inf)


class TestGaussianRegression:
    def test_the_law(self, rng):
        population = GaussianRegression(features=4, relevant=2, noise=0.5)
        X, y = population.sample(100_000, rng)
        assert population.coefficients.tolist() == [1, 1, 0, 0]
        rest = y - X[:, 0] - X[:, 1]
        for values in (*X.T, rest / 0.5):
            assert stats.kstest(values, "norm").pvalue > ALARM
        products = np.column_stack([X, rest]).T @ np.column_stack([X, rest]) / len(y)
        assert np.abs(products - np.diag([1, 1, 1, 1, 0.25])).max() < 5 / np.sqrt(len(y))

    def test_the_risk_of_a_model_against_simulation(self, rng):
        population = GaussianRegression(features=4, relevant=2, noise=0.5)
        b, b0 = np.array([0.5, 1.5, -0.25, 0.0]), 0.75
        assert population.least_squares_risk(b, b0) == 0.25 + 0.25 + 0.25 + 0.0625 + 0.5625
        assert (
            population.least_squares_risk(population.coefficients) == population.bayes_risk == 0.25
        )
        X, y = population.sample(100_000, rng)
        require_mean((y - b0 - X @ b) ** 2, population.least_squares_risk(b, b0))

    @pytest.mark.parametrize(
        ("n", "options", "expected"),
        [(100, {}, 1.2690), (500, {}, 1.0439), (100, {"noise": 2.0}, 4 * 1.26897)],
    )
    def test_the_expected_risk_that_is_published(self, n, options, expected):
        assert GaussianRegression(**options).least_squares_expected_risk(n) == pytest.approx(
            expected, abs=5e-5
        )

    @pytest.mark.parametrize(
        ("n", "features", "relevant", "noise", "repeats"),
        [(14, 3, 2, 1.5, 5000), (100, 20, 5, 1.0, 2000)],
    )
    def test_the_expected_risk_against_simulated_least_squares(
        self, rng, n, features, relevant, noise, repeats
    ):
        population = GaussianRegression(features, relevant, noise)
        risks = []
        for _ in range(repeats):
            X, y = population.sample(n, rng)
            fit = np.linalg.lstsq(np.column_stack([np.ones(n), X]), y, rcond=None)[0]
            risks.append(population.least_squares_risk(fit[1:], fit[0]))
        require_mean(risks, population.least_squares_expected_risk(n))

    def test_small_training_sets_have_no_expected_risk(self):
        population = GaussianRegression()
        assert population.least_squares_expected_risk(23) == pytest.approx(1 + 20 + 21 / 23)
        with refused("n"):
            population.least_squares_expected_risk(22)


def reference_error_rate(relevant, b, b0):
    """Error rate by conditioning the other way round: on the classifier's argument, with a Gauss-Hermite rule inside."""
    beta = np.repeat([1.0, 0.0], [relevant, len(b) - relevant])
    length, strength = np.linalg.norm(b), np.sqrt(relevant)
    r = b @ beta / (length * strength)
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)

    def chance_of_one(v):
        return weights @ expit(strength * (r * v + np.sqrt(1 - r * r) * nodes)) / np.sqrt(2 * np.pi)

    cut = -b0 / length
    ones, _ = integrate.quad(lambda v: chance_of_one(v) * stats.norm.pdf(v), -12, cut, limit=200)
    zeros, _ = integrate.quad(
        lambda v: (1 - chance_of_one(v)) * stats.norm.pdf(v), cut, 12, limit=200
    )
    return ones + zeros


class TestGaussianClassification:
    MODELS = (
        ([1.0, 1.0, 0.0], 0.0),
        ([1.0, 0.5, 0.25], 0.5),
        ([0.2, -0.1, 3.0], -1.0),
        ([-1.0, -0.5, 0.1], 2.0),
        ([1.0, 1.001, 0.0], -1.5),
        ([1.0, -1.0, 0.5], 0.3),
        ([100.0, 99.0, 1.0], 20.0),
    )

    def test_the_law(self, rng):
        population = GaussianClassification(features=3, relevant=2)
        X, y = population.sample(200_000, rng)
        for values in X.T:
            assert stats.kstest(values, "norm").pvalue > ALARM
        chance = expit(X[:, 0] + X[:, 1])
        for low, high in [(0, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 0.95), (0.95, 1)]:
            inside = (chance > low) & (chance <= high)
            require_mean((y - chance)[inside], 0.0)
        assert set(y.tolist()) == {0, 1}

    @pytest.mark.parametrize(("b", "b0"), MODELS)
    def test_the_error_rate_against_integration_in_the_other_order(self, b, b0):
        exact = GaussianClassification(features=3, relevant=2).zero_one_risk(b, b0)
        assert exact == pytest.approx(reference_error_rate(2, np.array(b), b0), abs=1e-8)

    @pytest.mark.parametrize(("b", "b0"), MODELS)
    def test_the_error_rate_against_simulation(self, rng, b, b0):
        population = GaussianClassification(features=3, relevant=2)
        X, y = population.sample(200_000, rng)
        require_mean((X @ b + b0 > 0) != y, population.zero_one_risk(b, b0))

    @pytest.mark.parametrize(("features", "relevant"), [(1, 1), (20, 5), (100, 100)])
    def test_the_smallest_error_rate(self, rng, features, relevant):
        population = GaussianClassification(features, relevant)
        z = np.sqrt(relevant) * ndtri((np.arange(100_000) + 0.5) / 100_000)
        assert population.bayes_risk == pytest.approx(expit(-np.abs(z)).mean(), abs=1e-6)
        X, y = population.sample(100_000, rng)
        require_mean((X[:, :relevant].sum(axis=1) > 0) != y, population.bayes_risk)

    def test_no_classifier_does_better_and_the_opposite_is_wrong_where_it_is_right(self, rng):
        population = GaussianClassification(features=6, relevant=3)
        for _ in range(20):
            b, b0 = rng.standard_normal(6), rng.standard_normal()
            risk = population.zero_one_risk(b, b0)
            assert population.bayes_risk < risk < 1 - population.bayes_risk
            assert population.zero_one_risk(-b, -b0) == pytest.approx(1 - risk, abs=1e-9)
            assert population.zero_one_risk(1e-9 * b, 1e-9 * b0) == pytest.approx(risk, abs=1e-9)
        assert population.zero_one_risk(-population.coefficients) == pytest.approx(
            1 - population.bayes_risk
        )

    def test_classifiers_in_line_with_the_truth_are_the_limit_of_others(self):
        population = GaussianClassification(features=2, relevant=1)
        for b0 in (0.0, 0.5, -3.0, 11.9, 40.0):
            limit = population.zero_one_risk([1.0, 0.0], b0)
            for tilt in (1e-3, 1e-6, 1e-9, 1e-13):
                assert population.zero_one_risk([1.0, tilt], b0) == pytest.approx(
                    limit, abs=2 * tilt + 1e-9
                )
            ahead = integrate.quad(
                lambda z, cut=-b0: expit(z) * stats.norm.pdf(z), -13, max(-b0, -13)
            )[0]
            behind = integrate.quad(
                lambda z, cut=-b0: expit(-z) * stats.norm.pdf(z), max(-b0, -13), 13
            )[0]
            assert limit == pytest.approx(ahead + behind, abs=1e-8)

    def test_a_steep_switch_is_not_missed_wherever_it_is(self, rng):
        population = GaussianClassification(features=24, relevant=23)
        b = population.coefficients
        aside = np.eye(24)[23]
        for b0 in 5.0 * rng.standard_normal(300):
            tilt = 10.0 ** rng.uniform(-6, -3)
            limit = population.zero_one_risk(b, b0)
            assert population.zero_one_risk(b + tilt * aside, b0) == pytest.approx(
                limit, abs=10 * tilt**2 + 1e-9
            )

    def test_a_constant_prediction_is_a_coin(self):
        population = GaussianClassification(features=3, relevant=2)
        assert population.zero_one_risk([0, 0, 0], 5.0) == 0.5
        assert population.zero_one_risk([0, 0, 1.0], 5.0) == pytest.approx(0.5)
        assert population.zero_one_risk([1e-3, 0, 0], 50.0) == pytest.approx(0.5)
        assert GaussianClassification(features=3, relevant=0).bayes_risk == 0.5


class TestFriedman1:
    def test_the_law(self, rng):
        population = Friedman1(features=7, noise=0.5)
        X, y = population.sample(50_000, rng)
        for values in X.T:
            assert stats.kstest(values, "uniform").pvalue > ALARM
        by_hand = [
            10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
            for a, b, c, d, e, _, _ in X.tolist()
        ]
        assert population.mean(X) == pytest.approx(by_hand)
        assert stats.kstest((y - by_hand) / 0.5, "norm").pvalue > ALARM
        require_mean((y - population.mean(X)) ** 2, population.bayes_risk)

    def test_the_mean_of_y(self, rng):
        wave, _ = integrate.dblquad(lambda a, b: 10 * np.sin(np.pi * a * b), 0, 1, 0, 1)
        require_mean(Friedman1().sample(50_000, rng).y, wave + 20 / 12 + 5 + 2.5)

    def test_it_agrees_with_scikit_learn(self, rng):
        datasets = pytest.importorskip("sklearn.datasets")
        X, y = datasets.make_friedman1(50, n_features=8, noise=0.0, random_state=0)
        assert Friedman1(features=8).mean(X) == pytest.approx(y)
