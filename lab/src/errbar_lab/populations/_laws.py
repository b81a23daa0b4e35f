"""Populations by a law: Gaussian features with a linear one, where every linear model's risk is known, and Friedman's."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import expit, ndtr

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.metrics import CLASSIFICATION, REGRESSION
from errbar_lab.populations._base import Law, Sample

# Beyond twelve standard deviations a normal variable is found with probability below 1e-32.
_END = 12.0
# A linear model whose coefficients are in line with the truth switches its prediction within this width.
_SHARPEST = 1e-12


@dataclass(frozen=True)
class _Linear(Law):
    """Independent Gaussian features that act on y by their sum weighted with the coefficients."""

    features: int = 20
    relevant: int = 5

    def __post_init__(self) -> None:
        _remember(self, "features", _check.count(self.features, "features"))
        _remember(self, "relevant", _check.count(self.relevant, "relevant", 0))
        if self.relevant > self.features:
            raise InvalidInputError(
                f"must be at most {self.features}, the number of features, got {self.relevant}",
                argument="relevant",
            )

    @property
    def coefficients(self) -> FloatArray:
        """The true coefficients beta."""
        return np.repeat([1.0, 0.0], [self.relevant, self.features - self.relevant])


@dataclass(frozen=True)
class GaussianRegression(_Linear):
    """Regression with a linear law: x ~ N(0, I), y = x beta + noise.

    The first `relevant` entries of beta are 1, the others 0; there is no intercept. One of the processes on which
    intervals for the generalization error were compared in [1]_.

    Parameters
    ----------
    features : int, default 20
        Number of features p.
    relevant : int, default 5
        Number of features that matter.
    noise : float, default 1.0
        Standard deviation of the normal noise.

    References
    ----------
    .. [1] Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. & Bischl, B. (2024). Constructing
           confidence intervals for 'the' generalization error: a comprehensive benchmark study. arXiv:2409.18836.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar_lab.populations import GaussianRegression
    >>> population = GaussianRegression()
    >>> X, y = population.sample(100, np.random.default_rng(0))
    >>> X.shape, y.dtype.name
    ((100, 20), 'float64')
    >>> round(population.least_squares_expected_risk(100), 4), population.bayes_risk
    (1.269, 1.0)
    """

    noise: float = 1.0
    task: ClassVar[str] = REGRESSION  # type: ignore[misc] # a constant of the class

    def __post_init__(self) -> None:
        super().__post_init__()
        _remember(self, "noise", _noise_level(self.noise))

    @property
    def name(self) -> str:
        """What the population is called in tables."""
        return f"Gaussian regression, {self.features} features, {self.relevant} relevant, noise {self.noise:g}"

    @property
    def bayes_risk(self) -> float:
        """Smallest expected squared loss of any prediction: the variance of the noise."""
        return self.noise**2

    def least_squares_risk(self, coefficients: ArrayLike, intercept: float = 0.0) -> float:
        r"""Return the exact risk of a linear model under squared loss.

        Parameters
        ----------
        coefficients : array-like, shape (features,)
            Coefficients b of the model.
        intercept : float, default 0.0
            Its intercept b0.

        Returns
        -------
        float
            :math:`\sigma^2 + |b - \beta|^2 + b_0^2`, the expected squared error for a new example.

        Examples
        --------
        >>> from errbar_lab.populations import GaussianRegression
        >>> GaussianRegression(features=3, relevant=1).least_squares_risk([0.5, 0.0, 0.0], 1.0)
        2.25
        """
        wrong = _model(coefficients, self.features) - self.coefficients
        offset = _check.finite(intercept, "intercept")
        return self.bayes_risk + float(wrong @ wrong) + offset * offset

    def least_squares_expected_risk(self, n: int) -> float:
        r"""Return the exact expected risk ER(n) of ordinary least squares with intercept under squared loss.

        Parameters
        ----------
        n : int
            Size of the training set, at least p + 3; below that the expectation is infinite.

        Returns
        -------
        float
            Mean of the risk over training sets of `n` examples.

        Notes
        -----
        With S the centred matrix of sums of squares and products of the features, the estimated coefficients are
        normal around beta with covariance :math:`\sigma^2 S^{-1}`, and S has a Wishart distribution with n - 1
        degrees of freedom, so that the trace of :math:`S^{-1}` has mean p/(n - p - 2). The intercept
        :math:`\bar\varepsilon - \bar x(b - \beta)` adds the mean square :math:`\sigma^2 (1 + p/(n-p-2))/n`:

        .. math:: ER(n) = \sigma^2 \left(1 + \frac{p}{n-p-2} + \frac{n-2}{n(n-p-2)}\right).

        Examples
        --------
        >>> from errbar_lab.populations import GaussianRegression
        >>> round(GaussianRegression().least_squares_expected_risk(500), 4)
        1.0439
        """
        p = self.features
        n = _check.count(n, "n")
        if n < p + 3:
            raise InvalidInputError(
                f"must be at least {p + 3} with {p} features, got {n}: "
                "the expected risk of least squares is infinite for smaller training sets",
                argument="n",
            )
        spare = n - p - 2
        return self.bayes_risk * (1.0 + p / spare + (n - 2) / (n * spare))

    def _draw(self, n: int, rng: Generator) -> Sample:
        X = rng.standard_normal((n, self.features))
        return Sample(X, X[:, : self.relevant].sum(axis=1) + self.noise * rng.standard_normal(n))


@dataclass(frozen=True)
class GaussianClassification(_Linear):
    """Two classes with a logistic law: x ~ N(0, I), P(y = 1) = 1/(1 + exp(-x beta)).

    The first `relevant` entries of beta are 1, the others 0; there is no intercept. One of the processes on which
    intervals for the generalization error were compared in [1]_.

    Parameters
    ----------
    features : int, default 20
        Number of features.
    relevant : int, default 5
        Number of features that matter.

    References
    ----------
    .. [1] Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. & Bischl, B. (2024). Constructing
           confidence intervals for 'the' generalization error: a comprehensive benchmark study. arXiv:2409.18836.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar_lab.populations import GaussianClassification
    >>> population = GaussianClassification()
    >>> X, y = population.sample(100, np.random.default_rng(0))
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 20), [0, 1])
    >>> round(population.bayes_risk, 4)
    0.2054
    """

    task: ClassVar[str] = CLASSIFICATION  # type: ignore[misc] # a constant of the class

    @property
    def name(self) -> str:
        """What the population is called in tables."""
        return f"Gaussian classification, {self.features} features, {self.relevant} relevant"

    @property
    def bayes_risk(self) -> float:
        """Smallest error rate of any classifier; the sign of x beta attains it."""
        return self.zero_one_risk(self.coefficients)

    def zero_one_risk(self, coefficients: ArrayLike, intercept: float = 0.0) -> float:
        r"""Return the exact error rate of the linear classifier that predicts 1 where b0 + x b > 0.

        Parameters
        ----------
        coefficients : array-like, shape (features,)
            Coefficients b of the classifier.
        intercept : float, default 0.0
            Its intercept b0.

        Returns
        -------
        float
            Probability of a wrong prediction for a new example.

        Notes
        -----
        With :math:`z = x\beta/|\beta|`, :math:`r = b^\top\beta/(|b||\beta|)` and :math:`c = b_0/|b|`, the classifier's
        argument divided by :math:`|b|` is normal given z, with mean c + r z and variance :math:`1 - r^2`. Since
        P(y = 1) is 1/2 plus half of tanh(x beta / 2), an odd function, the error rate is

        .. math:: \frac12 - \int_0^\infty \tanh\frac{|\beta| z}{2} \left[
                  \Phi\!\left(\frac{c + rz}{\sqrt{1-r^2}}\right) - \Phi\!\left(\frac{c - rz}{\sqrt{1-r^2}}\right)
                  \right] \varphi(z)\,dz,

        found by adaptive quadrature to about ten digits.

        Examples
        --------
        >>> from errbar_lab.populations import GaussianClassification
        >>> population = GaussianClassification(features=2, relevant=1)
        >>> [round(population.zero_one_risk(b), 4) for b in ([1.0, 0.0], [1.0, 1.0], [0.0, 1.0])]
        [0.3251, 0.3802, 0.5]
        """
        model = _model(coefficients, self.features)
        offset = _check.finite(intercept, "intercept")
        length = float(np.linalg.norm(model))
        if length == 0.0 or self.relevant == 0:
            return 0.5
        strength = math.sqrt(self.relevant)
        truth = self.coefficients / strength
        r = float(model @ truth) / length
        # The norm of what is left keeps the digits that 1 - r**2 loses.
        spread = max(float(np.linalg.norm(model / length - r * truth)), _SHARPEST)
        return 0.5 - _advantage(strength, r, spread, offset / length)

    def _draw(self, n: int, rng: Generator) -> Sample:
        X = rng.standard_normal((n, self.features))
        chance = expit(X[:, : self.relevant].sum(axis=1))
        return Sample(X, (rng.random(n) < chance).astype(np.int64))


@dataclass(frozen=True)
class Friedman1(Law):
    r"""Regression with an interaction, a square and two linear terms ([1]_).

    Features are independent and uniform on [0, 1]; of these, five matter:

    .. math:: y = 10 \sin(\pi x_1 x_2) + 20 (x_3 - \tfrac12)^2 + 10 x_4 + 5 x_5 + \varepsilon,
              \qquad \varepsilon \sim N(0, \sigma^2).

    Parameters
    ----------
    features : int, default 10
        Number of features, at least 5.
    noise : float, default 1.0
        Standard deviation of the noise.

    References
    ----------
    .. [1] Friedman, J. H. (1991). Multivariate adaptive regression splines. The Annals of Statistics 19(1), 1-67.

    Examples
    --------
    >>> import numpy as np
    >>> from errbar_lab.populations import Friedman1
    >>> population = Friedman1()
    >>> X, y = population.sample(100, np.random.default_rng(0))
    >>> X.shape, y.dtype.name, population.bayes_risk
    ((100, 10), 'float64', 1.0)
    """

    features: int = 10
    noise: float = 1.0
    task: ClassVar[str] = REGRESSION  # type: ignore[misc] # a constant of the class

    def __post_init__(self) -> None:
        _remember(self, "features", _check.count(self.features, "features", 5))
        _remember(self, "noise", _noise_level(self.noise))

    @property
    def name(self) -> str:
        """What the population is called in tables."""
        return f"Friedman 1, {self.features} features, noise {self.noise:g}"

    @property
    def bayes_risk(self) -> float:
        """Smallest expected squared loss of any prediction: the variance of the noise."""
        return self.noise**2

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean of y given the features, the best prediction under squared loss.

        Parameters
        ----------
        X : ndarray, shape (n, features)
            Features.

        Returns
        -------
        ndarray, shape (n,)
            One mean per row.
        """
        waves = 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1])
        means: FloatArray = waves + 20.0 * (X[:, 2] - 0.5) ** 2 + 10.0 * X[:, 3] + 5.0 * X[:, 4]
        return means

    def _draw(self, n: int, rng: Generator) -> Sample:
        X = rng.random((n, self.features))
        return Sample(X, self.mean(X) + self.noise * rng.standard_normal(n))


def _noise_level(value: float) -> float:
    """Return a standard deviation, which may be 0."""
    return _check.between(value, 0.0, 1e100, "noise")


def _remember(population: Law, field: str, value: Any) -> None:
    """Set a field of a frozen population to its checked value, so that 1 and 1.0 give the same digest."""
    object.__setattr__(population, field, value)


def _model(coefficients: ArrayLike, features: int) -> FloatArray:
    model = _check.vector(coefficients, "coefficients", "feature")
    if model.size != features:
        raise InvalidInputError(
            f"must hold {features} numbers, one per feature, got {model.size}",
            argument="coefficients",
        )
    return model


def _advantage(strength: float, r: float, spread: float, offset: float) -> float:
    """Return how far the error rate lies below one half."""

    def integrand(z: float) -> float:
        switch = ndtr((offset + r * z) / spread) - ndtr((offset - r * z) / spread)
        return math.tanh(strength * z / 2.0) * float(switch) * math.exp(-z * z / 2.0)

    # The integrand may change steeply where the classifier is undecided.
    places = [0.0]
    if abs(r) >= spread / _END:
        centre, reach = abs(offset / r), 10.0 * spread / abs(r)
        places = [centre - reach, centre, centre + reach]
    inner = sorted({place for place in places if 0.0 < place < _END})
    found = quad(integrand, 0.0, _END, epsabs=1e-12, epsrel=1e-10, limit=200, points=inner or None)
    return float(found[0]) / math.sqrt(2.0 * math.pi)
