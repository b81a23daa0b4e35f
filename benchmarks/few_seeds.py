"""How often crossed-t calls equal learners different at 5 %, with few seeds of each on the same 30 examples.

Losses are normal: a part of the example with variance 1, a part of the seed with the deviation of the cell, and a rest with variance 0.49. `few`
is the share of results with fewer degrees of freedom than seeds less one; `largest` is the width of the widest interval.

    python benchmarks/few_seeds.py
"""

import argparse

import numpy as np

from errbar.methods import crossed_t
from errbar.testing import forms

EXAMPLES, SEEDS, DEVIATIONS = 30, (2, 3, 5), (0.0, 0.1, 0.3, 1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2000)
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    print("seeds,count,deviation,size,few,median,largest")
    for kind in ("own", "shared"):
        for count in SEEDS:
            for deviation in DEVIATIONS:
                size, few, widths = 0, 0, []
                for _ in range(arguments.data_sets):
                    item = rng.standard_normal(EXAMPLES)
                    one, other = (
                        item
                        + deviation * rng.standard_normal((count, 1))
                        + 0.7 * rng.standard_normal((count, EXAMPLES))
                        for _ in "ab"
                    )
                    found = crossed_t(forms.crossed(one, other), seeds=kind)
                    size += found.pvalue <= 0.05
                    few += found.df < count - 1
                    widths.append(found.high - found.low)
                shares = (size / arguments.data_sets, few / arguments.data_sets)
                print(
                    f"{kind},{count},{deviation},{shares[0]:.4f},{shares[1]:.4f},{np.median(widths):.3g},{max(widths):.3g}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
