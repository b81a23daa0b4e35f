"""Bayesian tests over several data sets: how probable it is that one learner is better, or that both are as good."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.methods._core import orders

# So many weights are held in memory at a time.
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior probabilities of three regions: below, inside and above a region of practical equivalence.

    Attributes
    ----------
    left, rope, right : float
        Probability that the difference lies most often below -half-width, within the region, or above half-width.
    samples : ndarray, shape (samples, 3)
        Drawn shares of the three regions; each row adds up to 1.
    half_width : float
        Half-width of the region of practical equivalence.
    n_data_sets : int
        Number of data sets.
    """

    left: float
    rope: float
    right: float
    samples: FloatArray
    half_width: float
    n_data_sets: int

    @property
    def probabilities(self) -> dict[str, float]:
        """The three probabilities by region."""
        return {"left": self.left, "rope": self.rope, "right": self.right}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the samples are left out."""
        return {
            **self.probabilities,
            "half_width": self.half_width,
            "n_data_sets": self.n_data_sets,
            "samples": len(self.samples),
        }

    def __repr__(self) -> str:
        """Return the three probabilities."""
        return f"Posterior(left={self.left:.4g}, rope={self.rope:.4g}, right={self.right:.4g})"


def bayesian_sign(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    samples: int = 50_000,
    prior: float = 1.0,
    random_state: Any = 0,
) -> Posterior:
    r"""Return how probable it is that one of two learners is mostly better, from counts of wins and losses.

    Parameters
    ----------
    differences : array-like, shape (N,)
        Difference of the two learners on each data set.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the differences; its ends belong to it.
    samples : int, default 50000
        Number of draws from the posterior.
    prior : float, default 1.0
        Weight of the prior, in data sets; it lies in the region of practical equivalence.
    random_state : int or NumPy generator, default 0
        Root of the random numbers.

    Returns
    -------
    Posterior
        Probability that most data sets lie left of the region, in it, and right of it.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, one is not finite, or an option cannot be used.

    See Also
    --------
    bayesian_signed_rank : Takes account of how large the differences are.
    sign_test : A p-value and an interval.

    Notes
    -----
    With counts n_l, n_e, n_r of the differences below, in and above the region and prior weight s, the shares of the
    three regions among all data sets have the posterior law

    .. math:: (\theta_l, \theta_e, \theta_r) \sim \mathrm{Dirichlet}(n_l,\; n_e + s,\; n_r)

    ([1]_). A draw counts for the region with the largest share.

    References
    ----------
    .. [1] Benavoli, Corani, Demsar & Zaffalon (2017), Journal of Machine Learning Research 18(77), 1-36.

    Examples
    --------
    >>> from errbar.datasets import bayesian_sign
    >>> found = bayesian_sign([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002], rope=0.005)
    >>> found.left > 0.8
    True
    """
    values = orders.checked(differences)
    width, draws = rope_and_samples(rope, samples)
    weight = _not_negative(prior, "prior")
    below, above = int(np.count_nonzero(values < -width)), int(np.count_nonzero(values > width))
    rng = _rng.stream(_rng.root(random_state), "bayesian-sign")
    counts = np.array([below, values.size - below - above + weight, above])
    gammas = rng.standard_gamma(counts, (draws, 3))
    return posterior_of(gammas / gammas.sum(axis=1, keepdims=True), width, values.size)


def bayesian_signed_rank(
    differences: ArrayLike,
    *,
    rope: float = 0.0,
    samples: int = 50_000,
    prior: float = 0.5,
    random_state: Any = 0,
) -> Posterior:
    r"""Return how probable it is that one of two learners is mostly better, from means of pairs of differences.

    Parameters
    ----------
    differences : array-like, shape (N,)
        Difference of the two learners on each data set.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the differences; its ends belong to it.
    samples : int, default 50000
        Number of draws from the posterior.
    prior : float, default 0.5
        Weight of the prior, in data sets; it is one difference of 0.
    random_state : int or NumPy generator, default 0
        Root of the random numbers.

    Returns
    -------
    Posterior
        Probability that the mean of two differences lies mostly left of the region, in it, and right of it.

    Raises
    ------
    InvalidInputError
        If there are fewer than two differences, one is not finite, or an option cannot be used.

    See Also
    --------
    bayesian_sign : From counts of wins and losses alone.
    wilcoxon : A p-value and an interval.

    Notes
    -----
    The law of the differences has a Dirichlet process as prior, with weight s at z_0 = 0. Its posterior puts weights
    :math:`(w_0, \dots, w_N) \sim \mathrm{Dirichlet}(s, 1, \dots, 1)` on z_0 and the N differences, and

    .. math:: \theta_l = \sum_{ij} w_i w_j [z_i + z_j < -2r], \quad \theta_r = \sum_{ij} w_i w_j [z_i + z_j > 2r],
              \quad \theta_e = 1 - \theta_l - \theta_r

    with r the half-width of the region ([1]_, [2]_). A draw counts for the region with the largest share.
    With ``rope=0`` the package baycomp has no middle region; here it is what exact ties and the prior contribute.

    References
    ----------
    .. [1] Benavoli, Corani, Demsar & Zaffalon (2017), Journal of Machine Learning Research 18(77), 1-36.
    .. [2] Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), Proceedings of Machine Learning Research 32(2),
       1026-1034.

    Examples
    --------
    >>> from errbar.datasets import bayesian_signed_rank
    >>> found = bayesian_signed_rank([-0.031, -0.012, 0.004, -0.022, -0.017, -0.009, -0.025, 0.002], rope=0.005)
    >>> found.left > 0.9
    True
    """
    values = orders.checked(differences)
    width, draws = rope_and_samples(rope, samples)
    weight = _not_negative(prior, "prior")
    # By size, so that neither the order of the data sets nor their signs change which weight a difference gets.
    points = np.concatenate([[0.0], values[np.lexsort((values, np.abs(values)))]])
    halves = 0.5 * points
    means = halves[:, np.newaxis] + halves
    left, right = (means < -width).astype(np.float64), (means > width).astype(np.float64)
    shares = np.empty((draws, 3))
    start = 0
    for weights in _weights(_rng.root(random_state), weight, values.size, draws):
        block = shares[start : start + len(weights)]
        block[:, 0] = np.einsum("si,si->s", weights @ left, weights)
        block[:, 2] = np.einsum("si,si->s", weights @ right, weights)
        start += len(weights)
    shares[:, 1] = np.maximum(0.0, 1.0 - shares[:, 0] - shares[:, 2])
    return posterior_of(shares, width, values.size)


def rope_and_samples(rope: float, samples: int) -> tuple[float, int]:
    """Return the half-width of the region of practical equivalence and the number of draws."""
    return _not_negative(rope, "rope"), _check.count(samples, "samples")


def posterior_of(shares: FloatArray, width: float, count: int) -> Posterior:
    """Return how often each of the three regions has the largest share, with the shares."""
    shares.setflags(write=False)
    largest = np.bincount(np.argmax(shares, axis=1), minlength=3) / len(shares)
    left, rope, right = largest.tolist()
    return Posterior(left, rope, right, shares, width, count)


def _not_negative(value: float, name: str) -> float:
    return _check.between(_check.finite(value, name), 0.0, math.inf, name)


def _weights(root: int, prior: float, count: int, draws: int) -> Iterator[FloatArray]:
    """Yield blocks of draws from Dirichlet(prior, 1, ..., 1), the same whatever the size of the blocks."""
    own: Generator = _rng.stream(root, "bayesian-signed-rank", "data sets")
    base: Generator = _rng.stream(root, "bayesian-signed-rank", "prior")
    size = max(1, _BLOCK // (count + 1))
    for start in range(0, draws, size):
        block = np.empty((min(size, draws - start), count + 1))
        block[:, 0] = base.standard_gamma(prior, len(block))
        block[:, 1:] = own.standard_exponential((len(block), count))
        yield block / block.sum(axis=1, keepdims=True)
