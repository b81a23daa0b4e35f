"""Equations with a positive definite matrix, solved only where rounding cannot matter."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Array = NDArray[Any]

# The smallest reciprocal condition number, after scaling to a unit diagonal, that leaves eight digits.
LEAST_CONDITION = 1e-7
ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Factor:
    """Cholesky factor of a matrix that has been scaled to a unit diagonal.

    Attributes
    ----------
    lower, scale : ndarray
        The factor, and by what rows and columns of the matrix were multiplied.
    smallest : float
        Estimate of the smallest eigenvalue of the scaled matrix, rather below than above it.
    """

    lower: Array
    scale: Array
    smallest: float

    def solve(self, right: Array) -> Array:
        """Return the solution for each column of the right-hand side."""
        found, _ = lapack.dpotrs(self.lower, right * self.scale[:, None], lower=1)
        scaled: Array = found * self.scale[:, None]
        return scaled

    def whiten(self, rows: Array) -> Array:
        """Return rows of which the inner products are those with the inverse matrix between."""
        found, _ = lapack.dtrtrs(self.lower, (rows * self.scale).T, lower=1)
        white: Array = found.T
        return white

    def whitening(self) -> Array:
        """Return the matrix by which rows are multiplied to whiten them."""
        inverse, _ = lapack.dtrtri(self.lower, lower=1)
        found: Array = np.ascontiguousarray((inverse * self.scale).T)
        return found

    def error(self, points: Array, slopes: Array, shift: Array | float = 0.0) -> Array:
        """Estimate what rounding does to predictions from a solution, a column for each solution.

        A change of the matrix or of the right-hand side (`shift`, for each feature) changes a prediction by a product
        of two vectors, the point and the change, both divided by the triangular factor.
        """
        reach = np.sqrt(np.square(self.whiten(points)).sum(axis=1))
        error: Array = np.multiply.outer(reach, self._sizes(slopes, shift) / np.sqrt(self.smallest))
        return error

    def largest_error(self, points: Array, slopes: Array) -> Array:
        """Return what no error of any of the points exceeds, for each solution, without solving for each point."""
        reach = np.sqrt((np.square(points) @ np.square(self.scale)).max())
        # The smallest eigenvalue is estimated, and may be a few times smaller.
        largest: Array = self._sizes(slopes) * (4 * reach / self.smallest)
        return largest

    def _sizes(self, slopes: Array, shift: Array | float = 0.0) -> Array:
        sizes: Array = ROUNDING * np.sqrt(np.square(slopes / self.scale[:, None]).sum(axis=0))
        sizes += np.sqrt(np.square(shift * self.scale).sum())
        return sizes

    @property
    def log_determinant(self) -> float:
        """Logarithm of the determinant of the matrix."""
        return 2 * float(np.log(np.diag(self.lower)).sum() - np.log(self.scale).sum())

    def unscaled(self, matrix: Array) -> tuple[float, float]:
        """Return the reciprocal condition number and the smallest eigenvalue of the matrix itself, estimated."""
        norm = float(np.abs(matrix).sum(axis=0).max())
        condition, _ = lapack.dpocon(self.lower / self.scale[:, None], norm, uplo="L")
        return float(condition), float(condition) * norm


def factor(matrix: Array) -> Factor | None:
    """Return the factor of a symmetric matrix, or None if it is not safely positive definite."""
    diagonal = matrix.diagonal()
    if not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    scaled = matrix * scale * scale[:, None]
    norm = float(np.abs(scaled).sum(axis=0).max())
    lower, failed = lapack.dpotrf(scaled, lower=1, clean=1)
    if failed:
        return None
    condition, _ = lapack.dpocon(lower, norm, uplo="L")
    if not condition >= LEAST_CONDITION:
        return None
    return Factor(lower, scale, float(condition) * norm)
