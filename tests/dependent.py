"""Data that are not independent: patients with several rows, and sales by day."""

import numpy as np
import pandas as pd


def write(place):
    """Write ``patients.csv`` and ``sales.csv`` into a folder."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(30), rng.integers(3, 9, 30))
    age = rng.integers(20, 80, patient.size)
    pressure = 120 + 0.3 * age + 8 * rng.normal(size=30)[patient] + rng.normal(size=patient.size)
    named = [f"p{one:02d}" for one in patient]
    pd.DataFrame({"patient": named, "age": age, "sbp": pressure.round(1)}).to_csv(
        place / "patients.csv", index=False
    )
    days = pd.date_range("2025-06-01", periods=300).strftime("%Y-%m-%d")
    price, noise = rng.normal(size=300).round(2), rng.normal(size=300)
    sales = pd.DataFrame({"date": days, "price": price, "sales": (50 - 5 * price + noise).round(2)})
    # The order of the rows is not that of time.
    sales.sample(frac=1.0, random_state=0).to_csv(place / "sales.csv", index=False)
