"""How often tests over several data sets reject a true null hypothesis at 5 %.

Skillings & Mack: normal scores of k equal learners on N data sets, of which a fifth is missing at random. `data-sets-t`: normal seeds with deviations that
are the same on all data sets, or from 0.5 to 2, or 0.3 to 3; the difference varies over data sets with deviation 0 or 1. Besides 3 or 5 seeds of each there
are 2 to 8, most of them where they vary most (`many`) or least (`few`). Its simulations are done at once, and the first is compared with the method.

    python benchmarks/ranks.py
"""

import argparse
import math

import numpy as np
from scipy import special

from errbar import Losses
from errbar.methods import data_sets_t
from errbar.methods._data_sets import midranks, skillings_mack_of

TABLES = ((3, 10), (3, 20), (3, 40), (5, 10), (5, 20), (5, 40), (10, 10), (10, 20))


def skillings_mack(trials):
    rng = np.random.default_rng(1)
    print("k,data sets,size")
    for k, n in TABLES:
        count = 0
        for _ in range(trials):
            scores = rng.standard_normal((n, k))
            scores[rng.random((n, k)) < 0.2] = np.nan
            count += skillings_mack_of(midranks(scores)).chi2_pvalue <= 0.05
        print(f"{k},{n},{count / trials:.4f}", flush=True)


def pvalues(values, of_set, about):
    """Return the p-value of each row of values by `data-sets-t`, and check the first."""
    sizes = np.bincount(of_set)
    member = np.equal.outer(np.arange(sizes.size), of_set).astype(float)  # (N, rows)
    means = values @ member.T / sizes
    if about == "new":
        squared = means.var(axis=1, ddof=1) / sizes.size
        df = sizes.size - 1.0
    else:
        left = values - means[:, of_set]
        parts = np.square(left) @ member.T / (sizes - 1) / sizes
        squared = parts.sum(axis=1) / sizes.size**2
        df = parts.sum(axis=1) ** 2 / (parts**2 / (sizes - 1)).sum(axis=1)
    found = 2.0 * special.stdtr(df, -np.abs(means.mean(axis=1)) / np.sqrt(squared))
    first = Losses(values[0], dataset=of_set, seed=np.arange(of_set.size))
    assert math.isclose(found[0], data_sets_t(first, data_sets=about).pvalue, rel_tol=1e-9)
    return found


def seeds_within(trials):
    rng = np.random.default_rng(1)
    print("about,data sets,seeds,deviations,effect,size")
    for count in (3, 6, 12):
        spreads = {
            "equal": np.ones(count),
            "0.5 to 2": np.geomspace(0.5, 2.0, count),
            "0.3 to 3": np.geomspace(0.3, 3.0, count),
        }
        uneven = np.linspace(2, 8, count).astype(int)
        designs = [
            (str(seeds), np.full(count, seeds), name) for seeds in (3, 5) for name in spreads
        ]
        designs += [("many", uneven, "0.5 to 2"), ("few", uneven[::-1], "0.5 to 2")]
        for seeds, sizes, name in designs:
            of_set = np.repeat(np.arange(count), sizes)
            for about, effect in (("fixed", 0.0), ("new", 0.0), ("new", 1.0)):
                shared = effect * rng.standard_normal((trials, count))[:, of_set]
                values = shared + spreads[name][of_set] * rng.standard_normal((trials, of_set.size))
                size = (pvalues(values, of_set, about) <= 0.05).mean()
                print(f"{about},{count},{seeds},{name},{effect:g},{size:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=20_000)
    arguments = parser.parse_args()
    skillings_mack(arguments.ranks)
    seeds_within(arguments.seeds)


if __name__ == "__main__":
    main()
