"""Power over a range of differences, and the options of a planned study."""

from dataclasses import dataclass, replace
from typing import Any

from errbar import _check
from errbar._plain import plain
from errbar.errors import InvalidInputError
from errbar.planning._curve import PowerCurve, curve_of, range_of
from errbar.planning._pilot import Pilot
from errbar.planning._power import enough_examples, true_difference
from errbar.planning._setting import MOST_REPEATS, Setting, number_of_splits, setting_of
from errbar.result import Note


@dataclass(frozen=True)
class Prospect:
    """What one number of splits promises.

    Attributes
    ----------
    repeats : int or None
        Number of splits; None for the limit that more and more splits approach.
    power : float or None
        Power at the difference of the study, where it has one.
    detectable : float
        Size of the smallest difference with the wanted power.
    """

    repeats: int | None
    power: float | None
    detectable: float

    @property
    def name(self) -> str:
        """Number of splits in words."""
        return "unlimited" if self.repeats is None else str(self.repeats)


@dataclass(frozen=True)
class Study:
    """What a study with the corrected resampled t can find, and what it would need.

    Attributes
    ----------
    difference : float or None
        True difference that the study should find.
    wanted : float
        Wanted power.
    deviation : float
        Expected sample standard deviation of the split differences.
    correlation : float
        True correlation of two split differences.
    n_train, n_test : float
        Sizes of the splits.
    repeats : int
        Number of splits.
    level, alternative : float, str
        Of the test.
    prospects : tuple of Prospect
        For this number of splits, twice and four times as many, and without limit.
    smallest_repeats : int or None
        Smallest number of splits with the wanted power at the difference; None where there is none, or no difference.
    smallest_examples : int or None
        Roughly the smallest number of examples with it, for this number of splits; None also where a correlation was
        given, since it is then unknown for other sizes.
    power_interval : tuple of float or None
        Power at the difference if the deviation is at the ends of its interval from the pilot.
    detectable_interval : tuple of float or None
        The same of the smallest difference with the wanted power.
    pilot : Pilot or None
        Where the deviation comes from.
    metric : str
        Name of the loss or score.
    notes : tuple of Note
        Caveats that belong to the numbers.
    """

    difference: float | None
    wanted: float
    deviation: float
    correlation: float
    n_train: float
    n_test: float
    repeats: int
    level: float
    alternative: str
    prospects: tuple[Prospect, ...]
    smallest_repeats: int | None = None
    smallest_examples: int | None = None
    power_interval: tuple[float, float] | None = None
    detectable_interval: tuple[float, float] | None = None
    pilot: Pilot | None = None
    metric: str = "loss"
    notes: tuple[Note, ...] = ()

    @property
    def power(self) -> float | None:
        """Power at the difference for this number of splits."""
        return self.prospects[0].power

    @property
    def detectable(self) -> float:
        """Size of the smallest difference with the wanted power for this number of splits."""
        return self.prospects[0].detectable

    def curves(self) -> tuple[PowerCurve, ...]:
        """Return power over a common range of differences, for every number of splits in `prospects`."""
        setting = setting_of(
            self.deviation,
            None,
            self.correlation,
            self.n_train,
            self.n_test,
            self.level,
            self.alternative,
        )
        differences = range_of(setting, self.repeats, self.wanted, self.difference or 0.0)
        rows = [row.repeats for row in self.prospects]
        return tuple(
            curve_of(setting, repeats, self.wanted, differences, self.metric) for repeats in rows
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the limit that more splits approach has None for their number."""
        own = {
            "power": self.power,
            "detectable": self.detectable,
            "pilot": self.pilot and self.pilot.to_dict(),
        }
        return plain(self) | plain(own)

    def __str__(self) -> str:
        """Return the answer on some lines."""
        head = (
            f"corrected-t: {self.repeats} splits into {self.n_train:.6g} training and {self.n_test:.6g} test examples, "
            f"level {self.level:.6g}, {self.alternative}"
        )
        lines = [head, _deviation_line(self), "", *_table(self), "", *_answers(self)]
        return "\n".join(lines + [f"note {note}" for note in self.notes])


def plan_study(
    difference: float | None = None,
    power: float = 0.8,
    *,
    pilot: Pilot | None = None,
    deviation: float | None = None,
    variance: float | None = None,
    correlation: float | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    repeats: int = 15,
    level: float = 0.95,
    alternative: str = "two-sided",
    metric: str = "loss",
) -> Study:
    """Say what a study with the corrected resampled t can find, and what it would need to find a difference.

    Parameters
    ----------
    difference : float, optional
        True difference that the study should find, in units of the loss: one that would matter, not the one that a
        pilot has shown.
    power : float, default 0.8
        Wanted probability of finding it.
    pilot : Pilot, optional
        A pilot, which brings deviation, sizes and the name of the loss; else give those.
    deviation : float, optional
        Expected sample standard deviation of the split differences, in units of the loss. Give this or `variance`.
    variance : float, optional
        Variance of one split difference over data sets and splits, in squared units of the loss.
    correlation : float, optional
        True correlation of two split differences, in [0, 1); by default n2/(n1 + n2).
    n_train, n_test : float, optional
        Training and test size n1 and n2 of the splits.
    repeats : int, default 15
        Number of splits J.
    level : float, default 0.95
        Confidence level; the test rejects at 1 - level.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        Alternative hypothesis.
    metric : str, default "loss"
        Name of the loss or score.

    Returns
    -------
    Study
        Power, detectable differences, and the numbers of splits and of examples that are needed.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or is given beside a pilot that brings it.

    See Also
    --------
    power : The model and its formula.
    pilot : Read a pilot from a table.

    Examples
    --------
    >>> from errbar.planning import plan_study
    >>> study = plan_study(0.02, deviation=0.02, n_train=270, n_test=30)
    >>> round(study.power, 3), round(study.detectable, 4), study.smallest_repeats, study.smallest_examples
    (0.598, 0.0254, 77, 487)
    """
    if pilot is not None:
        if not isinstance(pilot, Pilot):
            raise InvalidInputError(
                f"must be what errbar.planning.pilot makes of a table, got {type(pilot).__name__}",
                argument="pilot",
            )
        beside = {
            "deviation": deviation,
            "variance": variance,
            "n_train": n_train,
            "n_test": n_test,
        }
        for name in [name for name, value in beside.items() if value is not None]:
            raise InvalidInputError(
                "was given beside a `pilot`, which brings it; leave one of them out", argument=name
            )
        deviation, n_train, n_test, metric = (
            pilot.deviation,
            pilot.n_train,
            pilot.n_test,
            pilot.metric,
        )
    if n_train is None or n_test is None:
        raise InvalidInputError(
            "the sizes of the splits are needed: give `n_train` and `n_test`, or a `pilot`"
        )
    setting = setting_of(deviation, variance, correlation, n_train, n_test, level, alternative)
    wanted, splits = _check.level(power, "power"), number_of_splits(repeats)
    gap, need_splits, need_examples = None, None, None
    if difference is not None:
        gap = true_difference(difference, setting)
        need_splits = setting.enough_repeats(gap, wanted)
        if setting.matched:  # else the correlation is unknown for other sizes
            share = setting.n_test / (setting.n_train + setting.n_test)
            need_examples = enough_examples(setting, gap, wanted, splits, share)
    power_interval, detectable_interval = _intervals(setting, pilot, gap, wanted, splits)
    return Study(
        difference=gap,
        wanted=wanted,
        deviation=setting.deviation,
        correlation=setting.correlation,
        n_train=setting.n_train,
        n_test=setting.n_test,
        repeats=splits,
        level=setting.level,
        alternative=setting.alternative,
        prospects=_prospects(setting, gap, wanted, splits),
        smallest_repeats=need_splits,
        smallest_examples=need_examples,
        power_interval=power_interval,
        detectable_interval=detectable_interval,
        pilot=pilot,
        metric=metric,
        notes=_notes(setting, pilot, splits),
    )


def _prospects(
    setting: Setting, difference: float | None, wanted: float, repeats: int
) -> tuple[Prospect, ...]:
    return tuple(
        Prospect(
            number,
            None if difference is None else setting.power(difference, number or MOST_REPEATS),
            setting.detectable(wanted, number or MOST_REPEATS),
        )
        for number in [*(n for n in (repeats, 2 * repeats, 4 * repeats) if n < MOST_REPEATS), None]
    )


def _intervals(
    setting: Setting, pilot: Pilot | None, difference: float | None, wanted: float, repeats: int
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return power and detectable difference at the ends of the interval of the pilot's deviation."""
    if pilot is None:
        return None, None
    ends = [replace(setting, deviation=spread) for spread in pilot.deviation_interval()]
    low, high = (end.detectable(wanted, repeats) for end in ends)
    if difference is None:
        return None, (low, high)
    most, least = (end.power(difference, repeats) for end in ends)
    return (least, most), (low, high)


def _notes(setting: Setting, pilot: Pilot | None, repeats: int) -> tuple[Note, ...]:
    notes = []
    if pilot is not None:
        low, high = pilot.deviation_interval()
        notes.append(
            Note(
                "uncertain-pilot",
                what="deviation",
                count=pilot.repeats,
                units="splits",
                low=low,
                high=high,
            )
        )
    if not setting.matched:
        size = setting.rejects(0.0, repeats)
        nominal = 1.0 - setting.level
        notes.append(
            Note("other-correlation", correlation=setting.correlation, size=size, nominal=nominal)
        )
    return tuple(notes)


def _deviation_line(study: Study) -> str:
    if study.pilot is None:
        return f"expected deviation of the split differences {four_digits(study.deviation)} (correlation {study.correlation:.3g})"
    low, high = study.pilot.deviation_interval()
    return (
        f"deviation of the split differences {study.pilot.name} in the pilot {four_digits(study.deviation)}, "
        f"from {study.pilot.repeats} splits (95 % interval {four_digits(low)} to {four_digits(high)})"
    )


def _table(study: Study) -> list[str]:
    """Return the table of prospects, with a heading."""
    columns = [["splits", *(row.name for row in study.prospects)]]
    if study.difference is not None:
        columns.append(
            [f"power at {study.difference:g}", *(f"{row.power:.3f}" for row in study.prospects)]
        )
    found = (four_digits(row.detectable) for row in study.prospects)
    columns.append([f"detectable with power {study.wanted:g}", *found])
    return in_columns(columns)


def in_columns(columns: list[list[str]]) -> list[str]:
    """Return the lines of a table."""
    widths = [max(map(len, column)) for column in columns]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in zip(*columns, strict=True)]


def _answers(study: Study) -> list[str]:
    """Return sentences on what the study can find and what it would need."""
    lines = []
    if study.detectable_interval is not None:
        low, high = study.detectable_interval
        lines.append(
            f"with {study.repeats} splits the detectable difference is {four_digits(study.detectable)}, "
            f"or {four_digits(low)} to {four_digits(high)} over the interval of the deviation"
        )
    if study.difference is None:
        return lines or ["give a difference that would matter, to see what it needs"]
    if study.power_interval is not None:
        low, high = study.power_interval
        lines.append(
            f"power at {study.difference:g} is {study.power:.3f}, or {low:.3f} to {high:.3f} over that interval"
        )
    goal = f"for power {study.wanted:g} at {study.difference:g}"
    if study.smallest_repeats is None:
        lines.append(
            f"no number of splits is enough {goal}: more splits of the same data are not more data"
        )
    else:
        lines.append(f"{study.smallest_repeats} splits are enough {goal}")
    if study.smallest_examples is not None:
        share = study.n_test / (study.n_train + study.n_test)
        lines.append(
            f"about {study.smallest_examples} examples are enough {goal} with {study.repeats} splits "
            f"({100 * share:.3g} % for testing), if the deviation falls like 1/sqrt(n2)"
        )
    return lines


def four_digits(value: float) -> str:
    """Return a number with four digits, and no exponent where it can be read without."""
    return f"{value:.0f}" if 1e4 <= value < 1e9 else f"{value:.4g}"
