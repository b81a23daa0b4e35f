"""Populations: what data sets are drawn from, so that the truth about a learner can be known."""

from errbar_lab.populations._base import Drawn, Population, Sample
from errbar_lab.populations._finite import FinitePopulation
from errbar_lab.populations._laws import Friedman1, GaussianClassification, GaussianRegression
from errbar_lab.populations._own import OwnData

__all__ = [
    "Drawn",
    "FinitePopulation",
    "Friedman1",
    "GaussianClassification",
    "GaussianRegression",
    "OwnData",
    "Population",
    "Sample",
]
