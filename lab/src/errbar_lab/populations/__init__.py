"""Populations: what data sets are drawn from, so that the truth about a learner can be known."""

from errbar_lab.populations._base import Population, Sample
from errbar_lab.populations._finite import FinitePopulation
from errbar_lab.populations._laws import Friedman1, GaussianClassification, GaussianRegression

__all__ = [
    "FinitePopulation",
    "Friedman1",
    "GaussianClassification",
    "GaussianRegression",
    "Population",
    "Sample",
]
