"""The problems of the atlas: real tables, and simulated ones whose risks are known."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
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

_SHARE = 2.0  # a data set has at most the rows of a table over this
_LEAST_GROUPS = 20
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

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of data sets that it is large enough for."""
        population = self.population
        if not isinstance(population, RealTable):
            return SIZES
        least = 0.0
        if population.groups is not None:
            least = _LEAST_GROUPS * population.size / (int(population.groups.max()) + 1)
        if population.task == CLASSIFICATION:
            least = max(
                least, _LEAST_OF_A_CLASS * population.size / np.bincount(population.y).min()
            )
        return tuple(n for n in SIZES if least <= n <= population.size / _SHARE)


@cache
def _loaded(key: str) -> Any:
    return PROBLEMS[key].load()


def _real(
    key: str, words: str, package: str, item: str, target: str, *drop: str, **more: Any
) -> Problem:
    load = partial(table_of, key, package, item, target, drop, **more)
    return Problem(key, words, load, grouped="groups" in more)


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


def _rare() -> RealTable:
    X, score, rng = _features("rare")
    score = score + rng.logistic(size=score.size)
    return RealTable("rare", X, (score > np.quantile(score, 0.94)).astype(int))


def _heavy_tail() -> RealTable:
    X, score, rng = _features("heavy-tail")
    return RealTable("heavy-tail", X, score + rng.standard_t(3, size=score.size))


def _no_signal() -> RealTable:
    X, score, rng = _features("no-signal")
    return RealTable("no-signal", X, rng.integers(2, size=score.size))


_ALL = (
    _real("attrition", "who leaves a firm", "modeldata", "attrition", "Attrition"),
    _real("cells", "badly segmented cells", "modeldata", "cells", "class", "case"),
    _real("credit", "bad credits", "modeldata", "credit_data", "Status"),
    _real("mlc-churn", "customers that leave (14 %)", "modeldata", "mlc_churn", "churn", "state"),
    _real("wa-churn", "customers that leave (27 %)", "modeldata", "wa_churn", "churn"),
    _real("lending-club", "bad loans (5 %)", "modeldata", "lending_club", "Class", "addr_state"),
    _real("hpc", "run time of jobs, 4 classes", "modeldata", "hpc_data", "class"),
    Problem("leaves", "species of leaves, in two halves of the alphabet", _leaves),
    _real("taxi", "whether a tip is given", "modeldata", "taxi", "tip"),
    _real("caravan", "who buys a policy (6 %)", "ISLR", "Caravan", "Purchase"),
    _real("default", "who defaults (3 %)", "ISLR", "Default", "default"),
    _real("orange-juice", "which juice is bought", "ISLR", "OJ", "Purchase"),
    Problem("letters", "letters A-M against N-Z", _letters),
    Problem("covertype", "forest cover, class 2 against the rest", _covertype),
    _real("ames", "log price of houses", "modeldata", "ames", "Sale_Price", log=True),
    _real("concrete", "strength of concrete", "modeldata", "concrete", "compressive_strength"),
    _real("deliveries", "time of a delivery", "modeldata", "deliveries", "time_to_delivery"),
    _real("chicago", "riders of a station", "modeldata", "Chicago", "ridership", "date"),
    _real(
        "hotel-rates",
        "price of a room",
        "modeldata",
        "hotel_rates",
        "avg_price_per_room",
        "arrival_date",
    ),
    _real("wage", "log wage", "ISLR", "Wage", "logwage", "wage", "region"),
    _real("diamonds", "price of diamonds", "ggplot2", "diamonds", "price"),
    _real(
        "math",
        "school mathematics, grouped by school",
        "nlme",
        "MathAchieve",
        "MathAch",
        groups="School",
    ),
    _real(
        "lectures",
        "ratings of lectures, grouped by student",
        "lme4",
        "InstEval",
        "y",
        "d",
        groups="s",
    ),
    _real(
        "aggression",
        "verbal aggression, grouped by person",
        "lme4",
        "VerbAgg",
        "r2",
        "resp",
        groups="id",
    ),
    Problem(
        "linear", "linear function of 20 features", lambda: GaussianRegression(20, 5), real=False
    ),
    Problem(
        "linear-50", "linear function of 50 features", lambda: GaussianRegression(50, 5), real=False
    ),
    Problem("friedman", "Friedman's first function", Friedman1, real=False),
    Problem(
        "logistic",
        "logistic function of 20 features",
        lambda: GaussianClassification(20, 5),
        real=False,
    ),
    Problem("rare", "logistic function, 6 % positive", _rare, real=False),
    Problem(
        "heavy-tail", "linear function, noise t with 3 degrees of freedom", _heavy_tail, real=False
    ),
    Problem("no-signal", "classes that nothing tells", _no_signal, real=False),
)

PROBLEMS = {problem.key: problem for problem in _ALL}
"""All problems by key."""
