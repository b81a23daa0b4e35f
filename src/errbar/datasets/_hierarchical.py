"""The hierarchical model of Corani et al., sampled by the program that the package baycomp brings."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from errbar import _check, _rng
from errbar._check import FloatArray
from errbar.errors import InvalidInputError
from errbar.methods._data_sets import Posterior, posterior_of, rope_and_samples

_CHAINS = 4
# Bounds of the prior of the degrees of freedom, and of standard deviations in multiples of the observed ones.
_PRIOR = {"lowerAlpha": 1.0, "upperAlpha": 2.0, "lowerBeta": 0.01, "upperBeta": 0.1}
_LARGEST_DEVIATION = 1000.0


def bayesian_hierarchical(
    differences: ArrayLike,
    *,
    correlation: float,
    rope: float = 0.0,
    samples: int = 4000,
    random_state: Any = 0,
) -> Posterior:
    r"""Return how probable it is that one of two learners is better on a new data set, from scores of all splits.

    The only function here that uses more than one number per data set. It needs the packages pystan and baycomp and a
    C++ compiler; the first call compiles the model, which takes minutes.

    Parameters
    ----------
    differences : array-like, shape (N, J)
        Difference of the two learners on each of J splits of each of N data sets.
    correlation : float
        Correlation of two splits of the same data set, in [0, 1): n2/(n1 + n2), so 0.1 for ten folds.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the differences.
    samples : int, default 4000
        Number of draws from the posterior, a multiple of the four chains.
    random_state : int or NumPy generator, default 0
        Root of the random numbers.

    Returns
    -------
    Posterior
        Probability that the difference on a new data set lies most probably left of the region, in it, and right of
        it.

    Raises
    ------
    MissingPackageError
        If pystan or baycomp is not installed.
    InvalidInputError
        If there are fewer than two data sets or splits, a number is not finite, or an option cannot be used.

    See Also
    --------
    bayesian_signed_rank : From one number per data set, in a fraction of a second.

    Notes
    -----
    The scores of the splits of data set i are normal with mean :math:`\delta_i`, standard deviation :math:`\sigma_i`
    and the given correlation; the :math:`\delta_i` follow a Student t distribution with location :math:`\delta_0`, scale
    :math:`\sigma_0` and :math:`\nu` degrees of freedom ([1]_). Each draw of these three gives the probabilities of
    the three regions for a new data set. The model, its priors and the scaling of the data are those of baycomp,
    except that splits which do not vary within a data set are spread evenly over one `rope` on either side of their
    mean, and that the same seed gives the same draws.

    References
    ----------
    .. [1] Corani, Benavoli, Demsar, Mangili & Zaffalon (2017), Machine Learning 106(11), 1817-1837.

    Examples
    --------
    >>> from errbar.datasets import bayesian_hierarchical
    >>> bayesian_hierarchical([[0.02, 0.03], [0.01, 0.02]], correlation=0.5, samples=10)
    Traceback (most recent call last):
    ...
    errbar.errors.InvalidInputError: `samples` must be a multiple of 4, the number of chains, got 10
    """
    table = _check.numbers(differences, "differences", "data set and split")
    if table.ndim != 2 or min(table.shape) < 2:
        raise InvalidInputError(
            f"must have one row per data set and one column per split, at least two of each, got shape {table.shape}",
            argument="differences",
        )
    width, draws = rope_and_samples(rope, samples)
    r = _check.between(correlation, 0.0, 1.0, "correlation", closed=False)
    if draws % _CHAINS:
        raise InvalidInputError(
            f"must be a multiple of {_CHAINS}, the number of chains, got {samples!r}",
            argument="samples",
        )
    spread = _spread(table, width)
    unit = float(spread.std(axis=1).mean())
    seed = _rng.seed(_rng.root(random_state), "bayesian-hierarchical")
    location, scale, df = _draws(_model_data(spread / unit, r), seed, draws)
    left = special.stdtr(df, (-width / unit - location) / scale)
    right = special.stdtr(df, (location - width / unit) / scale)
    shares = np.stack([left, np.maximum(0.0, 1.0 - left - right), right], axis=1)
    return posterior_of(shares, width, len(table))


def _spread(table: FloatArray, rope: float) -> FloatArray:
    """Return the table with rows that do not vary spread out, since their likelihood has no bound."""
    still = np.ptp(table, axis=1) <= 1e-12 * np.abs(table).max(axis=1)
    if still.any() and rope == 0.0:
        raise InvalidInputError(
            f"of data set {int(np.argmax(still))} (counted from 0) do not vary; that needs a `rope` above 0",
            argument="differences",
        )
    return np.where(
        still[:, np.newaxis], table + rope * np.linspace(-1.0, 1.0, table.shape[1]), table
    )


def _model_data(table: FloatArray, correlation: float) -> dict[str, Any]:
    """Return the data of the model under the names that the program gives them."""
    largest = float(np.abs(table).max())
    return _PRIOR | {
        "x": table,
        "q": table.shape[0],
        "Nsamples": table.shape[1],
        "rho": correlation,
        "deltaLow": -largest,
        "deltaHi": largest,
        "stdLow": 0.0,
        "stdHi": _LARGEST_DEVIATION * float(table.std(axis=1).mean()),
        "std0Low": 0.0,
        "std0Hi": _LARGEST_DEVIATION * float(table.mean(axis=1).std()),
    }


def _draws(
    data: dict[str, Any], seed: int, draws: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return draws of location, scale and degrees of freedom of the law over data sets."""
    stan = _check.package("stan", "bayes")
    home = _check.package("baycomp", "bayes").__file__
    program = Path(str(home)).with_name("hierarchical-t-test.stan").read_text(encoding="utf-8")
    model = stan.build(program, data=data, random_seed=seed)
    fit = model.sample(num_chains=_CHAINS, num_samples=math.ceil(draws / _CHAINS))
    location, scale, df = (
        np.asarray(fit[name][0], dtype=np.float64) for name in ("delta0", "std0", "nu")
    )
    return location, scale, df
