"""The first of Friedman's regression problems."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from errbar import _check
from errbar._check import FloatArray
from errbar.lab.populations._base import Law, Sample
from errbar.lab.populations._gaussian import noise_level, remember
from errbar.losses import REGRESSION

_RELEVANT = 5


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
    >>> from errbar.lab.populations import Friedman1
    >>> population = Friedman1()
    >>> X, y = population.sample(100, np.random.default_rng(0))
    >>> X.shape, y.dtype.name, population.bayes_risk
    ((100, 10), 'float64', 1.0)
    """

    features: int = 10
    noise: float = 1.0
    task: ClassVar[str] = REGRESSION

    def __post_init__(self) -> None:
        """Check the parameters."""
        remember(self, "features", _check.count(self.features, "features", _RELEVANT))
        remember(self, "noise", noise_level(self.noise))

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
