"""Looks at random splits as they come: size, family-wise error, coverage, and fits to a decision against a fixed plan.

Data sets of 300 letters; trees of two kinds and nearest neighbours with two metrics; zero-one loss. The true differences at the
training size are known from other draws, and taken as the null: every rejection then is false, and a null at some distance from the
truth shows the power. All numbers are those of `errbar.methods.corrected_t` on the first 15, 30, ... of the splits of
`errbar.run`, computed for all data sets at once. What was drawn is kept in a file, and more data sets go on from there.

The last part calls `errbar.compare` with looks, and with a plan of as many splits as the last look, on the same data sets.

    python benchmarks/looks.py --data-sets 2000 --keep looks.npz
    python benchmarks/looks.py --part compare --data-sets 200
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import special

import errbar
import errbar_lab as lab
from errbar import simultaneous
from errbar.methods import corrected_t, look_alpha
from errbar.methods._core.looks import Boundary
from errbar.methods.variance import variance_of_shares
from errbar.plans import Subsampling

N, ALPHA, RATIO = 300, 0.05, 1 / 9
MOST = 100
PLANS = ((15, 30, 60, 100), tuple(range(10, 101, 10)), (10, 20, 40))
LEARNERS = {
    "tree": lab.SplusTree(),
    "1-NN": lab.DistortedNearestNeighbour(),
    "Gini tree": lab.GiniTree(),
    "plain 1-NN": lab.DistortedNearestNeighbour(weight=1.0),
}
PAIRS = simultaneous.pairs_of(tuple(LEARNERS))
EFFECTS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0)


def drawn(population, count, keep, *, stratify):
    """Return scores of all learners on all splits, one array (learners, splits) per data set, and B of each pair."""
    file = Path(f"{keep}-{'stratified' if stratify else 'plain'}.npz") if keep else None
    found = dict(np.load(file)) if file is not None and file.exists() else {}
    scores, between = list(found.get("scores", ())), list(found.get("between", ()))
    while len(scores) < count:
        number = len(scores)
        sample = population.sample(N, np.random.default_rng([7, number]))
        plan = Subsampling(repeats=MOST, stratify=stratify)
        table = errbar.run(
            LEARNERS, sample.X, sample.y, plan=plan, loss="zero-one", random_state=number
        )
        scores.append(table.scores)
        pairs = [table.losses(*pair) for pair in PAIRS]
        between.append([variance_of_shares(one) * one.n_train for one in pairs])
        if file is not None and (len(scores) % 200 == 0 or len(scores) == count):
            np.savez(file, scores=scores, between=between)
    return np.array(scores[:count]), np.array(between[:count])


def truths(population, keep):
    """Return the expected risks at the training size, with the standard error of the difference of the first two."""
    problem, size = lab.Problem(population, LEARNERS, "zero-one"), round(0.9 * N)
    store = None if keep is None else f"{keep}-truth.db"
    known = lab.expected_risks(problem, [size], draws=5000, random_state=0, store=store)[size]
    print(
        "expected risks:",
        ", ".join(
            f"{name} {value:.4f}" for name, value in zip(LEARNERS, known.values, strict=True)
        ),
    )
    print(f"standard error of tree - 1-NN: {known.of('tree', '1-NN')[1]:.5f}")
    return known


class Looked:
    """The corrected t of many data sets at several looks: arrays (data sets, looks), the same as `corrected_t` says one by one."""

    def __init__(self, differences, looks, between=0.0):
        self.looks, parts = looks, [differences[:, :count] for count in looks]
        self.estimate = np.stack([part.mean(axis=1) for part in parts], axis=1)
        self.spread = np.stack([part.std(axis=1, ddof=1) for part in parts], axis=1)
        known = np.reshape(between, (-1, 1)) / (0.9 * N)
        self.se = np.sqrt(self.spread**2 * (1.0 / np.array(looks) + RATIO) + known)
        self.between = np.broadcast_to(between, len(differences))
        self.differences = differences

    def rejects(self, null, level=None, alternative="two-sided", se=None):
        """Return whether each look rejects at the level of one look, by default that at which all together are at 5 %."""
        each = (
            look_alpha(self.looks, ratio=RATIO, alternative=alternative) if level is None else level
        )
        t = (self.estimate - null) / (self.se if se is None else se)
        sides = 1 if alternative != "two-sided" else 2
        return (np.abs(t) if sides == 2 else t) > -special.stdtrit(
            np.array(self.looks) - 1.0, each / sides
        )

    def naive(self, null):
        """Return whether the t that takes splits for independent rejects at 5 %, at each look."""
        return self.rejects(null, ALPHA, se=self.spread / np.sqrt(self.looks))

    def last(self, rejects):
        """Return the place of the look at which each data set stops: the first that rejects, or the last."""
        return np.where(rejects.any(axis=1), rejects.argmax(axis=1), len(self.looks) - 1)

    def check(self, null, rejects, count=25):
        """Raise unless `corrected_t` says the same of the first data sets."""
        for row, b, expected in zip(self.differences[:count], self.between, rejects, strict=False):
            views = (
                errbar.Losses(row[:j], n_train=0.9 * N, n_test=0.1 * N, between=b)
                for j in self.looks
            )
            said = [
                corrected_t(view, null=null, looks=self.looks).pvalue <= ALPHA for view in views
            ]
            if said != expected.tolist():
                raise AssertionError(said, expected)


def share(flags):
    """Return a share in percent with its standard error."""
    p = np.mean(flags)
    return f"{100 * p:.1f} ({100 * np.sqrt(p * (1 - p) / len(flags)):.1f})"


def size(scores, between, risks, title):
    """Print how often a true null is rejected, and how often the interval at the end holds the truth."""
    truth, differences = risks.of("tree", "1-NN")[0], scores[:, 0] - scores[:, 1]
    print(f"\n{title}: {len(scores)} data sets, true null rejected in % (standard error)")
    once = Looked(differences, (MOST,), between[:, 0])
    print(f"  one look at {MOST}: {share(once.rejects(truth, ALPHA))}")
    for looks in PLANS:
        looked = Looked(differences, looks, between[:, 0])
        rejects = looked.rejects(truth)
        looked.check(truth, rejects)
        listed = (
            ", ".join(map(str, looks))
            if len(looks) < 6
            else f"{looks[0]}, {looks[1]}, ..., {looks[-1]}"
        )
        print(
            f"  looks {listed} at {100 * look_alpha(looks, ratio=RATIO):.2f} % each: {share(rejects.any(axis=1))}; "
            f"each at 5 %: {share(looked.rejects(truth, ALPHA).any(axis=1))}; naive t: {share(looked.naive(truth).any(axis=1))}; "
            f"one-sided: {share(looked.rejects(truth, alternative='greater').any(axis=1))} and "
            f"{share(Looked(-differences, looks, between[:, 0]).rejects(-truth, alternative='greater').any(axis=1))}",
            flush=True,
        )


def family(scores, risks):
    """Print the size of each pair alone, and the family-wise error over all pairs, each of which stops when it is decided."""
    looks, names = PLANS[0], list(LEARNERS)
    boundary = Boundary(looks, RATIO)
    raw = np.empty((len(scores), len(PAIRS), len(looks)))
    for place, (a, b) in enumerate(PAIRS):
        looked = Looked(scores[:, names.index(a)] - scores[:, names.index(b)], looks)
        t = np.abs(looked.estimate - risks.of(a, b)[0]) / looked.se
        raw[:, place] = 2.0 * special.stdtr(np.array(looks) - 1.0, -t)
    print(
        "\neach pair alone, true null rejected in %: by looks at 15, 30, 60, 100 / by one look at 100"
    )
    for place, (a, b) in enumerate(PAIRS):
        any_of = (raw[:, place] <= boundary.each(ALPHA)).any(axis=1)
        print(f"  {a} - {b}: {share(any_of)} / {share(raw[:, place, -1] <= ALPHA)}")
    wrong = []
    for one in raw:
        now, undecided = np.ones(len(PAIRS)), np.ones(len(PAIRS), dtype=bool)
        for look in range(len(looks)):
            now[undecided] = [boundary.overall(p) for p in one[undecided, look]]
            undecided &= simultaneous.adjust(now, "holm") > ALPHA
        wrong.append(not undecided.all())
    print(
        f"family of {len(PAIRS)} pairs, all nulls true, Holm: some pair rejected in % {share(wrong)}"
    )


def power(scores, risks):
    """Print power and fits against a plan of all splits, for nulls at several distances from the truth."""
    looks, truth = PLANS[0], risks.of("tree", "1-NN")[0]
    differences = scores[:, 0] - scores[:, 1]
    unit = float(differences.mean(axis=1).std(ddof=1))
    looked, once = Looked(differences, looks), Looked(differences, (MOST,))
    held, rows = looked.rejects(truth), np.arange(len(scores))
    print(
        f"\npower in % (standard error) and fits of both learners; sd of the mean difference {unit:.4f}"
    )
    print(
        "  true difference: power and fits of the fixed plan; of looks; fits over fixed; bias at the end over sd; interval holds"
    )
    for effect in EFFECTS:
        null = truth - effect * unit
        rejects = looked.rejects(null)
        end = looked.last(rejects)
        splits = np.mean(np.array(looks)[end])
        print(
            f"  {effect * unit:.4f} ({effect:g} sd): {share(once.rejects(null, ALPHA))}, {2 * MOST}; {share(rejects.any(axis=1))}, "
            f"{2 * splits:.1f}; {splits / MOST:.2f}; {(looked.estimate[rows, end].mean() - truth) / unit:+.2f}; "
            f"{share(~held[rows, end])}"
        )


def compare(population, count):
    """Print fits, seconds and pairs found of `errbar.compare` with looks, and with as many splits as the last look."""
    looks = PLANS[0]
    for names in (("tree", "plain 1-NN"), tuple(LEARNERS)):
        learners = {name: LEARNERS[name] for name in names}
        fits, seconds, pairs = np.zeros(2), np.zeros(2), np.zeros(2)
        for number in range(count):
            sample = population.sample(N, np.random.default_rng([8, number]))
            asked = {"loss": "zero-one", "random_state": number, "method": "corrected-t"}
            for side, more in enumerate(
                ({"looks": looks}, {"plan": Subsampling(repeats=looks[-1])})
            ):
                begun = time.perf_counter()
                found = errbar.compare(learners, sample.X, sample.y, **asked, **more)
                seconds[side] += time.perf_counter() - begun
                fits[side] += found.counts.fits
                pairs[side] += sum(one.significant for one in found.pairs)
        mean = (fits / count, pairs / count)
        print(
            f"errbar.compare of {len(names)} learners, {count} data sets: with looks {mean[0][0]:.1f} fits and {mean[1][0]:.2f} pairs found; "
            f"{looks[-1]} splits: {mean[0][1]:.1f} fits and {mean[1][1]:.2f} pairs; fits {fits[0] / fits[1]:.2f}, "
            f"seconds {seconds[0] / seconds[1]:.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--keep", help="begin of the names of files that keep what was drawn")
    parser.add_argument("--part", choices=("all", "sizes", "compare"), default="all")
    asked = parser.parse_args()
    population = lab.load_letter()
    if asked.part != "compare":
        risks = truths(population, asked.keep)
        for stratify in (False, True):
            scores, between = drawn(population, asked.data_sets, asked.keep, stratify=stratify)
            size(scores, between, risks, "stratified splits" if stratify else "random splits")
            if not stratify:
                family(scores, risks)
                power(scores, risks)
    if asked.part != "sizes":
        compare(population, min(asked.data_sets, 200))


if __name__ == "__main__":
    main()
