"""How often methods call equal learners different at 5 %, of series by dates that share shocks.

A difference of losses is normal with variance 1, plus a part of its series with the deviation 0.3, plus a shock of its date with 0.5,
as far as the cell has them. Shocks that last are a first-order autoregression with coefficient 0.5; forecasts three dates ahead have
moving sums of three, of shocks and of all else. `horizon` is two-way-t that is told the horizon, 1 or 3.

    python benchmarks/two_way.py
"""

import argparse
import math
from typing import NamedTuple

import numpy as np

from errbar import Losses
from errbar.methods import cluster_t, diebold_mariano, two_way_t

SIZES = ((30, 24), (10, 12), (100, 12))
SERIES, SHOCK, LASTING = 0.3, 0.5, 0.5
SHARED = ("nothing", "series", "dates", "both", "dates, lasting", "both, lasting")
METHODS = ("two-way-t", "horizon", "diebold-mariano", "cluster-t")


class Cell(NamedTuple):
    """Series, dates, what differences share, and the horizon of the forecasts."""

    series: int
    dates: int
    shared: str
    horizon: int

    @property
    def name(self):
        return f"{self.series} x {self.dates}, {self.shared}, horizon {self.horizon}"

    def draw(self, rng):
        """Return differences of losses, shape (series, dates), whose mean is 0."""
        values = _moving(
            rng.standard_normal((self.series, self.dates + self.horizon - 1)), self.horizon
        )
        if self.shared.startswith(("series", "both")):
            values += SERIES * rng.standard_normal((self.series, 1))
        if self.shared.startswith(("dates", "both")):
            shocks = rng.standard_normal(self.dates + self.horizon - 1)
            if self.shared.endswith("lasting"):
                for date in range(1, shocks.size):
                    new = math.sqrt(1.0 - LASTING**2) * shocks[date]
                    shocks[date] = LASTING * shocks[date - 1] + new
            values += SHOCK * _moving(shocks, self.horizon)
        return values

    def pvalues(self, rng):
        """Return the p-value of each method for one table."""
        values = self.draw(rng)
        losses = Losses.of_grid(values, "group", "time")
        # Without groups, and with the number of the horizon, as people would ask.
        dates = Losses(values.mean(axis=0))
        found = (
            two_way_t(losses),
            two_way_t(losses, horizon=self.horizon),
            diebold_mariano(dates, horizon=self.horizon),
            cluster_t(losses),
        )
        return [result.pvalue for result in found]


def _moving(values, horizon):
    """Return moving sums over the last axis, of as large a variance."""
    windows = np.lib.stride_tricks.sliding_window_view(values, horizon, axis=-1)
    return windows.sum(axis=-1) / math.sqrt(horizon)


def cells():
    """Return all cells."""
    near = [Cell(*size, shared, 1) for size in SIZES for shared in SHARED]
    return near + [
        Cell(*size, shared, 3) for size in SIZES for shared in ("nothing", "dates", "both")
    ]


def rejected(cell, entropy, data_sets, level=0.05):
    """Return how many of some tables each method calls different."""
    rng = np.random.default_rng(entropy)
    return sum(np.array(cell.pvalues(rng)) <= level for _ in range(data_sets))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-sets", type=int, default=2000)
    asked = parser.parse_args()
    print("series,dates,shared,horizon", *METHODS, sep=",")
    for number, cell in enumerate(cells()):
        shares = 100.0 * rejected(cell, [1, number], asked.data_sets) / asked.data_sets
        shown = (f"{share:.1f}" for share in shares)
        print(
            cell.series, cell.dates, f'"{cell.shared}"', cell.horizon, *shown, sep=",", flush=True
        )


if __name__ == "__main__":
    main()
