"""What all studies share: the form of a finished study, and its tables."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar._plain import plain
from errbar_lab._replicates import SimulationOptions
from errbar_lab._scenario import Procedure, Scenario
from errbar_lab._simulation import Simulation, rehearse, simulate
from errbar_lab._summary import Performance, judge
from errbar_lab._truth import ExpectedRisk, expected_risks_of
from errbar_lab.studies._cells import with_standard_error


@dataclass(frozen=True)
class StudyTable:
    """A table for people; all cells are text.

    Attributes
    ----------
    key : str
        Short name, for anchors.
    caption : str
        What it shows.
    headers : tuple of str
        Heads of the columns.
    rows : tuple of tuple of str
        As many cells each as there are heads; the first names the row.
    remark : str
        How to read it.
    optional : tuple of str
        Heads of the columns that may be left out for want of room.
    """

    key: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""
    optional: tuple[str, ...] = ()


Column = tuple[str, Callable[[Any], str]]


def tabulate(
    key: str,
    caption: str,
    columns: Sequence[Column],
    items: Iterable[Any],
    remark: str,
    optional: tuple[str, ...] = (),
) -> StudyTable:
    """Return a table with one row per item; a column is its head and the function that writes the cell of an item."""
    heads = tuple(head for head, _ in columns)
    rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
    return StudyTable(key, caption, heads, rows, remark, optional)


@dataclass(frozen=True, eq=False)
class SimulationStudy(ABC):
    """A finished study: tables for people, plain data for programs, flat rows for a file.

    Attributes
    ----------
    title : str
        What was studied.
    settings : mapping of str to str
        What was done, by name: data, replicates, root of the random streams and so on, in words.
    """

    key: ClassVar[str]
    """Name of the study in its JSON."""

    title: str
    settings: Mapping[str, str]

    @abstractmethod
    def tables(self) -> tuple[StudyTable, ...]:
        """Return the tables."""

    @abstractmethod
    def conclusion(self) -> tuple[str, ...]:
        """Return what follows, in sentences."""

    @abstractmethod
    def content(self) -> Mapping[str, Any]:
        """Return what the JSON of the study holds, in records, arrays and numbers."""

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the summary of the raw numbers, one flat row per line of a CSV file."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: rates as shares, not percentages, and None for what is not defined."""
        return plain({"study": self.key, **self.content()})


def judged(
    scenarios: Sequence[Scenario],
    procedures: Sequence[Procedure],
    about: Sequence[str],
    *,
    pairs: bool,
    draws: int,
    how: SimulationOptions,
    **asked: Any,
) -> tuple[Simulation, Mapping[str, Mapping[int, ExpectedRisk]], tuple[Performance, ...]]:
    """Apply methods to data sets of scenarios; return their results, the truths, and how they do about each truth.

    Parameters
    ----------
    scenarios, procedures : sequence
        Every method is applied in every scenario.
    about : sequence of str
        Truths, as for `errbar_lab.judge`.
    pairs : bool
        Whether differences of learners are judged too.
    draws : int
        Independent training sets behind each expected risk that is not known exactly.
    how : dict
        How the replicates are run.
    **asked
        Replicates, level and test examples, as for `errbar_lab.simulate`.
    """
    for scenario in scenarios:
        rehearse(scenario, procedures, pairs=pairs)
    found = simulate(scenarios, procedures, pairs=pairs, **asked, **how)
    truths = expected_risks_of(found, draws=draws, **how)
    by_truth = [judge(found, truths, truth) for truth in about]
    return found, truths, tuple(one for every in zip(*by_truth, strict=True) for one in every)


def coverage_columns(found: Iterable[Performance], about: Sequence[str], head: str) -> list[Column]:
    """Return the columns that tables of coverage begin with: method, training size, and coverage of each truth.

    Parameters
    ----------
    found : iterable of Performance
        Of all methods about one target and every truth; the items of the table are those about one of the truths.
    about : sequence of str
        Truths.
    head : str
        Head of a column of coverages, with braces in the place of the truth.
    """
    shares = {(one.method, one.about): one.coverage for one in found}

    def column(truth: str) -> Column:
        return head.format(truth), lambda one: with_standard_error(shares[one.method, truth])

    sizes = [("Method", lambda one: one.method), ("n1", lambda one: str(one.n_train))]
    return [*sizes, *(column(truth) for truth in about)]


def described(scenario: Scenario, replicates: int) -> dict[str, str]:
    """Return the settings that every study of given learners has."""
    return {
        "Population": scenario.population.name,
        "Data sets": f"{replicates} of {scenario.n} examples",
        **{f"Learner {name}": repr(learner) for name, learner in scenario.learners.items()},
    }
