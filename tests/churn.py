"""Customers of whom few leave: classes and a feature in words, for metrics of uneven classes."""

import numpy as np
import pandas as pd


def write(path, examples=300):
    """Write the customers to a CSV file; a tree finds more of those who leave than a linear model."""
    rng = np.random.default_rng(0)
    calls, months = rng.poisson(2.0, examples), rng.integers(1, 25, examples) / 12.0
    contract = rng.choice(["monthly", "yearly"], examples)
    leaves = (calls >= 5) | ((contract == "monthly") & (months > 0.7) & (months < 1.1))
    leaves ^= rng.random(examples) < 0.01
    columns = {
        "calls": calls,
        "years": months.round(2),
        "contract": contract,
        "churn": np.where(leaves, "yes", "no"),
    }
    pd.DataFrame(columns).to_csv(path, index=False)
    return path
