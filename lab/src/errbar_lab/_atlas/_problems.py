"""The problems of the atlas: real tables, and simulated ones whose risks are known."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from errbar import _rng
from errbar._check import FloatArray
from errbar.metrics import CLASSIFICATION
from errbar_lab._atlas._tables import MOST_ROWS, RealTable, cut_down, standardised, table_of
from errbar_lab.loaders import binary_covertype, binary_letter, load_covertype, load_letter
from errbar_lab.populations import Friedman1, GaussianClassification, GaussianRegression

SIZES = (60, 120, 300, 1000, 3000)
"""Examples in a data set."""

GROUPED_SIZES: tuple[int, ...] = (300, 750)
"""Examples in a data set of whole groups: with 25 a group, 12 and 30 groups."""

_SHARE = 10.0  # a data set has at most the rows of a table over this, so that most are left for the others
_SHARE_OF_GROUPS = 5.0
_LEAST_GROUPS = 12
_LEAST_OF_A_CLASS = 15  # expected; with fewer, training sets of one class come up


@dataclass(frozen=True)
class Problem:
    """A population of the atlas.

    Attributes
    ----------
    key : str
        Name.
    words : str
        What is predicted.
    load : callable
        Returns the population.
    real : bool
        Whether it is a real table.
    grouped : bool
        Whether whole groups are drawn.
    """

    key: str
    words: str
    load: Callable[[], Any]
    real: bool = True
    grouped: bool = False

    @property
    def population(self) -> Any:
        """The population, loaded once."""
        return _loaded(self.key)

    def for_a_feature(self, n: int) -> float:
        """Return the examples of a data set, of the rarest class, for each feature."""
        X, y = self.population.sample(1000, _rng.stream(0, "features"))
        share = 1.0
        if self.population.task == CLASSIFICATION:
            share = float(np.unique(y, return_counts=True)[1].min()) / y.size
        return n * share / X.shape[1]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of data sets that it is large enough for."""
        population = self.population
        if not isinstance(population, RealTable):
            return SIZES
        least, share = 0.0, _SHARE
        sizes: tuple[int, ...] = SIZES
        if population.groups is not None:
            least = _LEAST_GROUPS * population.size / (int(population.groups.max()) + 1)
            sizes, share = GROUPED_SIZES, _SHARE_OF_GROUPS
        if population.task == CLASSIFICATION:
            least = max(
                least, _LEAST_OF_A_CLASS * population.size / np.bincount(population.y).min()
            )
        return tuple(n for n in sizes if least <= n <= population.size / share)


@cache
def _loaded(key: str) -> Any:
    return PROBLEMS[key].load()


def _letters() -> RealTable:
    population = binary_letter(load_letter())
    return cut_down("letters", standardised(population.X.astype(float)), population.y.astype(int))


def _leaves() -> RealTable:
    """Return 32 species of leaves in two groups, as the letters are grouped."""
    species = table_of("leaves", "modeldata", "leaf_id_flavia", "species")
    return RealTable(species.name, species.X, (species.y >= 16).astype(int))


def _covertype() -> RealTable:
    population = binary_covertype(load_covertype())
    return cut_down("covertype", population.X.astype(float), population.y.astype(int))


def _features(name: str) -> tuple[FloatArray, FloatArray, np.random.Generator]:
    """Return ten independent features, the sum of five of them, and the stream for the rest of a problem."""
    rng = _rng.stream(0, "atlas", name)
    X = rng.standard_normal((MOST_ROWS, 10))
    return X, X[:, :5].sum(axis=1), rng


def _rare(name: str, share: float) -> RealTable:
    X, score, rng = _features(name)
    score = score + rng.logistic(size=score.size)
    return RealTable(name, X, (score > np.quantile(score, 1.0 - share)).astype(int))


def _grouped(name: str, *, regression: bool) -> RealTable:
    """Return groups of 25 that differ in their features and in their targets."""
    X, _, rng = _features(name)
    groups = np.repeat(np.arange(MOST_ROWS // 25), 25)
    X = 0.7 * X + 0.7 * rng.standard_normal((MOST_ROWS // 25, 10))[groups]
    score = X[:, :5].sum(axis=1) + rng.standard_normal(MOST_ROWS // 25)[groups]
    if regression:
        return RealTable(name, X, score + rng.standard_normal(score.size), groups)
    score = score + rng.logistic(size=score.size)
    return RealTable(name, X, (score > np.quantile(score, 0.8)).astype(int), groups)


def _heavy_tail() -> RealTable:
    X, score, rng = _features("heavy-tail")
    return RealTable("heavy-tail", X, score + rng.standard_t(3, size=score.size))


def _no_signal() -> RealTable:
    X, score, rng = _features("no-signal")
    return RealTable("no-signal", X, rng.integers(2, size=score.size))


_MADE: dict[str, Callable[[], Any]] = {
    "leaves": _leaves,
    "letters": _letters,
    "covertype": _covertype,
    "linear": partial(GaussianRegression, 20, 5),
    "linear-50": partial(GaussianRegression, 50, 5),
    "friedman": Friedman1,
    "logistic": partial(GaussianClassification, 20, 5),
    "rare": partial(_rare, "rare", 0.06),
    "rarer": partial(_rare, "rarer", 0.03),
    "groups": partial(_grouped, "groups", regression=False),
    "groups-linear": partial(_grouped, "groups-linear", regression=True),
    "heavy-tail": _heavy_tail,
    "no-signal": _no_signal,
}


def _problem(
    key: str, words: str, *, real: bool = True, grouped: bool = False, **table: Any
) -> Problem:
    load = partial(table_of, key, **table) if table else _MADE[key]
    return Problem(key, words, load, real, grouped or "groups" in table)


_TABLE = tomllib.loads((Path(__file__).parent / "problems.toml").read_text("utf-8"))

PROBLEMS = {key: _problem(key, **fields) for key, fields in _TABLE.items()}
"""All problems, by key."""
