"""Covariances of losses within and between random splits, measured over independent data sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from errbar import _check
from errbar._check import FloatArray
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.losses import Losses
from errbar.plans import Subsampling
from errbar.table import LossTable
from errbar_lab._replicates import SimulationOptions, replicates as run_replicates
from errbar_lab._scenario import Analysis, Procedure, Scenario, Simulated, Target, target_name
from errbar_lab._summary import jackknife_error

__all__ = ["MomentValues", "Moments", "moments"]

# Moments have no use for intervals, but every result has one.
_LEVEL = 0.95


class MomentValues(NamedTuple):
    """One number, or one array of numbers, per moment.

    Attributes
    ----------
    mu : float or ndarray
        Mean.
    sigma0, sigma1, sigma2, sigma3 : float or ndarray
        Covariances.
    rho : float or ndarray
        Correlation sigma2/sigma1 of the scores of two splits.
    """

    mu: Any
    sigma0: Any
    sigma1: Any
    sigma2: Any
    sigma3: Any
    rho: Any


@dataclass(frozen=True, eq=False)
class Moments:
    """Covariances of the losses of one learner, or of the differences of two, in random splits.

    With L(j, i) the loss on test example i of split j, and mu_j the mean over the test examples of split j:

    Attributes
    ----------
    learner, minus : str
        The target; `minus` is None for a single learner.
    n, n_train, n_test, repeats : int
        Examples in a data set, training and test size n1 and n2 of a split, and splits J of each data set.
    replicates : int
        Independent data sets.
    mu : float
        Mean loss: an estimate of the expected risk at training size n1.
    sigma0 : float
        Var L(j, i).
    sigma1 : float
        Var mu_j: the covariance of two losses in one split, test examples drawn with replacement.
    sigma2 : float
        Cov(mu_j, mu_j') of two splits.
    sigma3 : float
        Cov(L(j, i), L(j, i')) of two different test examples of one split.
    rho : float
        Correlation sigma2/sigma1 of the scores of two splits; NaN where scores do not vary.
    errors : MomentValues
        Jackknife standard errors over data sets.
    without : MomentValues
        All moments without one data set after another, in arrays.
    """

    learner: str
    minus: str | None
    n: int
    n_train: int
    n_test: int
    repeats: int
    replicates: int
    mu: float
    sigma0: float
    sigma1: float
    sigma2: float
    sigma3: float
    rho: float
    errors: MomentValues
    without: MomentValues = field(repr=False)

    @property
    def target(self) -> str:
        """The target in words."""
        return target_name(self.learner, self.minus)

    @property
    def values(self) -> MomentValues:
        """All moments together."""
        return MomentValues(self.mu, self.sigma0, self.sigma1, self.sigma2, self.sigma3, self.rho)

    def mirrored(self) -> "Moments":
        """Return the moments of the difference the other way round."""
        without = self.without._replace(mu=-self.without.mu)
        return replace(
            self, learner=str(self.minus), minus=self.learner, mu=-self.mu, without=without
        )

    @property
    def naive_correlation(self) -> float:
        """The correlation n2/(n1 + n2) that the corrected resampled t takes rho to be."""
        return self.n_test / (self.n_train + self.n_test)

    def variance(self, repeats: float | None = None, draws: float = math.inf) -> float:
        r"""Return the variance of the mean of J splits.

        Parameters
        ----------
        repeats : float, optional
            Number of splits J, infinity for the limit; by default that of the splits measured.
        draws : float, default infinity
            Number K of test examples that are drawn with replacement in each split; infinity stands for the plain
            mean of all test examples.

        Returns
        -------
        float
            :math:`\sigma_2 + (\sigma_1 + (\sigma_0 - \sigma_1)/K - \sigma_2)/J` ([1]_, section 2).

        References
        ----------
        .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
        """
        count = self.repeats if repeats is None else _at_least_one(repeats, "repeats")
        drawn = _at_least_one(draws, "draws")
        single = self.sigma1 + (self.sigma0 - self.sigma1) / drawn
        return self.sigma2 + (single - self.sigma2) / count

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is not defined is None."""
        own = ("learner", "minus", "n", "n_train", "n_test", "repeats", "replicates")
        errors = {f"{name}_error": value for name, value in self.errors._asdict().items()}
        numbers = self.values._asdict() | errors | {"naive_correlation": self.naive_correlation}
        return {name: getattr(self, name) for name in own} | plain(numbers)


@dataclass(frozen=True)
class _Summed(Simulated):
    """A simulation that also keeps sums over the splits of its first method, which are random."""

    def extra(
        self, table: LossTable, positions: Sequence[Sequence[int]]
    ) -> dict[str, NDArray[Any]]:
        """Return the sums of every target."""
        rows = [table.losses(learner, minus, positions[0][0]) for learner, minus in self.targets]
        return {"sums": np.array([sums(own) for own in rows]) * [table.loss.sign, 1.0, 1.0, 1.0]}


def moments(
    scenario: Scenario,
    learner: str | None = None,
    minus: str | None = None,
    *,
    n_train: float | None = None,
    n_test: float = 0.1,
    repeats: int = 15,
    replicates: int = 500,
    **how: Unpack[SimulationOptions],
) -> Moments:
    r"""Measure how the losses of random splits vary together, over independent data sets.

    Nadeau & Bengio ([1]_, section 2) describe the mean of J random splits by four covariances; every test for random
    splits rests on an assumption about them, above all that the scores of two splits have the correlation
    n2/(n1 + n2). Here they are measured.

    Parameters
    ----------
    scenario : Scenario
        Population, size of data sets and learners. All learners are fitted, so that with a `store` the moments of the
        others, and of differences, cost nothing afterwards.
    learner : str, optional
        Name of the learner; may be left out where there is only one.
    minus : str, optional
        Name of the learner whose losses are subtracted.
    n_train, n_test : int or float, optional
        Training and test size of a split, as for `errbar.plans.Subsampling`: a tenth of the examples is tested on,
        and all others are trained on, by default. At least two test examples.
    repeats : int, default 15
        Splits J of each data set; at least 2.
    replicates : int, default 500
        Independent data sets; at least 3.
    **how
        `random_state`, `n_jobs`, `store`, `executor` and `progress`, as for `errbar_lab.simulate`.

    Returns
    -------
    Moments
        Covariances with jackknife standard errors.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used, or the loss is a metric, one number of many examples.
    FitFailedError
        If replicates failed; all others were finished, and kept, first.

    See Also
    --------
    errbar_lab.table1 : The same for all learners, and what follows for the tests.

    Notes
    -----
    With V the sample variance of the mean :math:`\hat\mu` over data sets, and averages over data sets of the mean
    products of deviations from the data set's own mean,

    .. math:: \hat\sigma_0 &= V + \overline{(L(j,i) - \hat\mu)^2}, &
              \hat\sigma_1 &= V + \overline{(\mu_j - \hat\mu)^2}, \\
              \hat\sigma_2 &= V + \overline{(\mu_j - \hat\mu)(\mu_{j'} - \hat\mu)}, &
              \hat\sigma_3 &= V + \overline{(L(j,i) - \hat\mu)(L(j,i') - \hat\mu)}

    with different splits in the third and different examples in the fourth. All four are unbiased. They satisfy
    :math:`\sigma_1 = \sigma_3 + (\sigma_0 - \sigma_3)/n_2` and :math:`V = \sigma_2 + (\sigma_1 - \sigma_2)/J` exactly.

    References
    ----------
    .. [1] Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> import errbar_lab as lab
    >>> from errbar_lab._moments import moments
    >>> zero = {"zero": DummyRegressor(strategy="constant", constant=0.0)}
    >>> scenario = lab.Scenario(lab.GaussianRegression(features=1, relevant=0), 20, zero)
    >>> found = moments(scenario, n_test=10, repeats=5, replicates=100)
    >>> round(found.rho, 2), round(found.errors.rho, 2), found.naive_correlation
    (0.5, 0.07, 0.5)
    """
    target = _target(scenario, learner, minus)
    plan = Subsampling(n_train, n_test, repeats)
    found, _ = measure(scenario, plan, [], replicates=replicates, how=how)
    targets = scenario.targets()
    if target in targets:
        return found[targets.index(target)]
    return found[targets.index((str(minus), learner))].mirrored()


def measure(
    scenario: Scenario,
    plan: Subsampling,
    procedures: Sequence[Procedure],
    *,
    replicates: int,
    how: SimulationOptions,
) -> tuple[tuple[Moments, ...], FloatArray]:
    """Return the moments of all targets, and what some methods make of the same data sets.

    The results have the shape (replicates, methods, targets, columns).
    """
    sizes = _sizes(scenario, plan)
    every = [Analysis("resampled-t", plan), *procedures]
    count = _check.count(replicates, "replicates", 3)
    targets = scenario.targets()
    own = {"procedures": tuple(every), "targets": targets, "level": _LEVEL, "test_examples": 0}
    digest = scenario.digest("moments", *every, targets)
    experiment = _Summed.of(scenario, digest, name=f"moments of {scenario.name}", **own)
    [arrays] = run_replicates([experiment], count, **how)
    found = tuple(
        estimated(arrays["sums"][:, position], target, scenario.n, sizes, plan.repeats)
        for position, target in enumerate(targets)
    )
    return found, arrays["results"][:, 1:]


def sums(losses: Losses) -> FloatArray:
    """Return mean, mean square of the losses, of products within splits, and mean square of the splits, less the mean.

    Everything but the mean is taken of deviations from it, which keeps the digits of losses far from zero. The
    products of different examples of a split follow from sums of squares, without going through the pairs.
    """
    values = losses.value.reshape(losses.n_splits, -1)
    mean = float(values.mean())
    gaps = values - mean
    examples = gaps.shape[1]
    square = float(np.square(gaps).mean())
    splits = float(np.square(gaps.mean(axis=1)).mean())
    return np.array([mean, square, (examples * splits - square) / (examples - 1), splits])


def estimated(
    values: FloatArray, target: Target, n: int, sizes: tuple[int, int], repeats: int
) -> Moments:
    """Return the moments of one target from its sums in every data set."""
    count = values.shape[0]
    means = values.mean(axis=0)
    gaps = np.square(values[:, 0] - means[0])
    total = float(gaps.sum())
    whole = _combined(np.array(total / (count - 1)), means, repeats)
    spread = (total - gaps * count / (count - 1)) / (count - 2)
    without = _combined(spread, ((count * means - values) / (count - 1)).T, repeats)
    errors = MomentValues(*(jackknife_error(each) for each in without))
    numbers = MomentValues(*(float(value) for value in whole))
    return Moments(*target, n, *sizes, repeats, count, *numbers, errors, without)


def _combined(spread: FloatArray, means: FloatArray, repeats: int) -> MomentValues:
    """Return the moments from the variance of the mean over data sets and the means of the sums."""
    mean, square, products, splits = means
    sigma1, sigma2 = spread + splits, spread - splits / (repeats - 1)
    rho = np.divide(sigma2, sigma1, out=np.full_like(sigma1, np.nan), where=sigma1 > 0.0)
    return MomentValues(mean, spread + square, sigma1, sigma2, spread + products, rho)


def _target(scenario: Scenario, learner: str | None, minus: str | None) -> Target:
    names = tuple(scenario.learners)
    if learner is None and len(names) > 1:
        raise InvalidInputError(
            f"must name one of {', '.join(map(repr, names))}", argument="learner"
        )
    chosen = names[0] if learner is None else _check.choice(learner, names, "learner")
    other = None if minus is None else _check.choice(minus, names, "minus")
    if chosen == other:
        raise InvalidInputError(f"a learner cannot be compared with itself: {chosen!r}")
    return chosen, other


def _sizes(scenario: Scenario, plan: Subsampling) -> tuple[int, int]:
    """Return training and test size; raise if moments cannot be computed for the loss or the plan."""
    if not scenario.resolved_loss.pointwise:
        raise InvalidInputError(
            f"moments need one loss per example, and {scenario.resolved_loss.key!r} is a metric of all of them together; "
            "try a loss such as 'zero-one' or 'squared-error'"
        )
    _check.count(plan.repeats, "repeats", 2)
    first = next(plan.splits(scenario.n, 0))
    if first.test.size < 2:
        raise InvalidInputError(
            f"must leave at least 2 test examples in a split, got {first.test.size}",
            argument="n_test",
        )
    return first.train.size, first.test.size


def _at_least_one(value: float, name: str) -> float:
    if not value >= 1.0:
        raise InvalidInputError(f"must be at least 1, got {value!r}", argument=name)
    return float(value)
