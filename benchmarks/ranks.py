"""How often tests over several data sets reject a true null hypothesis at 5 %.

Skillings & Mack: normal scores of k equal learners on N data sets, of which a fifth is missing at random. `data-sets-t`: normal seeds with deviations that
are the same on all data sets, or from 0.5 to 2, or 0.3 to 3; the difference varies over data sets with deviation 0 or 1. `uneven` are 2 to 8 seeds, most of
them where they vary most (`many`) or least (`few`).

    python benchmarks/ranks.py
"""

import argparse

import numpy as np

from errbar import Losses
from errbar.methods import data_sets_t
from errbar.methods._data_sets import midranks, skillings_mack_of


def skillings_mack(rng, trials):
    print("k,data sets,size")
    for k in (3, 5, 10):
        for n in (10, 20, 40):
            count = 0
            for _ in range(trials):
                scores = rng.standard_normal((n, k))
                scores[rng.random((n, k)) < 0.2] = np.nan
                count += skillings_mack_of(midranks(scores)).chi2_pvalue <= 0.05
            print(f"{k},{n},{count / trials:.4f}", flush=True)


def seeds_within(rng, trials):
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
            deviation = spreads[name][of_set]
            for about, effect in (("fixed", 0.0), ("new", 0.0), ("new", 1.0)):
                rejected = 0
                for _ in range(trials):
                    shared = effect * rng.standard_normal(count)[of_set]
                    value = shared + deviation * rng.standard_normal(of_set.size)
                    losses = Losses(value, dataset=of_set, seed=np.arange(of_set.size))
                    rejected += data_sets_t(losses, data_sets=about).pvalue <= 0.05
                print(
                    f"{about},{count},{seeds},{name},{effect:g},{rejected / trials:.4f}", flush=True
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=4000)
    trials = parser.parse_args().trials
    rng = np.random.default_rng(1)
    skillings_mack(rng, trials)
    seeds_within(rng, trials)


if __name__ == "__main__":
    main()
