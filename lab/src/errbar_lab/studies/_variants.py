"""Methods that differ in their numbers of splits and halvings, and what larger numbers bring in the same data sets."""

from collections.abc import Sequence
from dataclasses import dataclass

from errbar._check import FloatArray
from errbar.plans import PairedHalves, Subsampling
from errbar_lab._scenario import Analysis
from errbar_lab._summary import MeanInterval, Performance, mean_interval

WORDS = {
    ("corrected-t", "t"): "corrected t",
    ("conservative-z", "normal"): "conservative Z with the normal distribution",
    ("conservative-z", "t"): "conservative Z with the t distribution",
}


@dataclass(frozen=True)
class Variant:
    """A method with its numbers of splits and halvings.

    Attributes
    ----------
    name : str
        Name, for tables.
    key : str
        Key in the catalogue: ``"corrected-t"`` or ``"conservative-z"``.
    repeats : int
        Splits J.
    halvings : int
        Halvings M; 0 for the corrected t.
    reference : str
        Reference law, ``"normal"`` or ``"t"``.
    """

    name: str
    key: str
    repeats: int
    halvings: int
    reference: str

    @property
    def kind(self) -> tuple[str, str]:
        """Variants of one kind differ in the numbers of splits and halvings only."""
        return self.key, self.reference

    def analysis(self, n_train: int, n_test: int) -> Analysis:
        """Return the method with its plan for splits of these sizes."""
        if self.key == "corrected-t":
            return Analysis(self.key, Subsampling(n_train, n_test, self.repeats), name=self.name)
        plan = PairedHalves(n_train, n_test, self.repeats, self.halvings)
        return Analysis(self.key, plan, {"reference": self.reference}, name=self.name)


@dataclass(frozen=True)
class VariantResult:
    """Size and power of one variant about one target.

    Attributes
    ----------
    method : Variant
        Of the methods compared.
    performance : Performance
        Size, width and bias.
    power : tuple of MeanInterval
        Share of data sets in which a wrong value is rejected, mean over both sides, by its distance from the truth.
    """

    method: Variant
    performance: Performance
    power: tuple[MeanInterval, ...]


@dataclass(frozen=True)
class Gain:
    """What a variant has over another of its kind, in the same data sets.

    Attributes
    ----------
    target, method, baseline : str
        Names.
    size : MeanInterval
        Size of the method less that of the baseline.
    power : tuple of MeanInterval
        The same of the power, by distance.
    """

    target: str
    method: str
    baseline: str
    size: MeanInterval
    power: tuple[MeanInterval, ...]


def made(
    repeats: Sequence[int], halvings: Sequence[int], half_repeats: Sequence[int]
) -> list[Variant]:
    """Return the corrected t by number of splits, then the conservative Z with both laws by number of halvings."""
    found = [Variant(f"corrected t, J = {j}", "corrected-t", j, 0, "t") for j in repeats]
    for law, word in (("normal", "conservative Z"), ("t", "conservative Z (t)")):
        found += [
            Variant(f"{word}, J = {j}, M = {m}", "conservative-z", j, m, law)
            for j in half_repeats
            for m in halvings
        ]
    return found


def baseline_of(variant: Variant, variants: Sequence[Variant]) -> Variant:
    """Return the variant of the same kind whose numbers are nearest to 15 splits and 10 halvings."""
    kin = [one for one in variants if one.kind == variant.kind]
    return min(kin, key=lambda one: (abs(one.repeats - 15), abs(one.halvings - 10)))


def gains_of(target: str, variants: Sequence[Variant], shares: Sequence[FloatArray]) -> list[Gain]:
    """Return the gains about one target from the rejections of each variant, by data set."""
    found = []
    for variant, own in zip(variants, shares, strict=True):
        baseline = baseline_of(variant, variants)
        if baseline != variant:
            size, *power = (mean_interval(each) for each in own - shares[variants.index(baseline)])
            found.append(Gain(target, variant.name, baseline.name, size, tuple(power)))
    return found


def sentences(
    kind: tuple[str, str], variants: Sequence[Variant], gains: Sequence[Gain]
) -> list[str]:
    """Return, for the largest number of splits and of halvings of a kind, its largest changes of size and power."""
    own = {variant.name: variant for variant in variants if variant.kind == kind}
    found = []
    for field, word in (("repeats", "splits"), ("halvings", "halvings")):
        most = max(getattr(variant, field) for variant in own.values())
        chosen = [
            one
            for one in gains
            if one.method in own and _grown(own[one.method], own[one.baseline], field, most)
        ]
        if chosen:
            few = getattr(own[chosen[0].baseline], field)
            found.append(
                f"The {WORDS[kind]} with {most} {word} instead of {few}: {_changes(chosen)}."
            )
    return found


def _grown(variant: Variant, baseline: Variant, field: str, most: int) -> bool:
    """Tell whether a variant has the most of one number, more than its baseline, and as much of the other."""
    other = "halvings" if field == "repeats" else "repeats"
    more: bool = getattr(variant, field) == most > getattr(baseline, field)
    return more and getattr(variant, other) == getattr(baseline, other)


def _changes(gains: Sequence[Gain]) -> str:
    powers = [each for one in gains for each in one.power]
    size, power = (
        max(found, key=lambda mean: abs(mean.value))
        for found in ([one.size for one in gains], powers)
    )
    return (
        f"the largest of {len(gains)} changes of size is {points(size)} points, of {len(powers)} changes of power "
        f"{points(power)} points, intervals not adjusted for the choice"
    )


def points(mean: MeanInterval) -> str:
    """Return a difference of shares with its interval, in percentage points."""
    return f"{100.0 * mean.value:+.1f} [{100.0 * mean.low:+.1f}, {100.0 * mean.high:+.1f}]"
