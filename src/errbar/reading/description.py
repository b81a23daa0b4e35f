"""What the columns of a table may be and why, and the command that reads it: proposals, which never decide what is read."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from errbar.errors import ErrbarError
from errbar.plans import Training
from errbar.reading.frame import frame_of, is_text, is_whole
from errbar.reading.roles import Labels, asked, option, role_of, spoken_for
from errbar.reading.table import read_table
from errbar.table import LossTable

_MOST_STEPS = 12


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    name, cells : its name, and what its cells are, in words
    may_be : roles that its name speaks for
    """

    name: str
    cells: str
    may_be: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """What a table may be.

    Attributes
    ----------
    columns : what is known of each column
    command : str or None
        The command that reads it, where names support every step; N stands for a size that only
        the user knows.
    said : the same as keyword arguments of `errbar.read_table`
    question : what only the user knows, where that is open
    options : what may be answered
    """

    columns: tuple[ColumnFacts, ...]
    command: str | None
    said: Labels
    question: str | None
    options: tuple[str, ...]

    def to_dict(self) -> Labels:
        """Return the description as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        """Return a line for each column, and the command or the question."""
        width = max(len(one.name) for one in self.columns)
        lines = []
        for one in self.columns:
            roles = f"; {' or '.join(one.may_be)}" if one.may_be else ""
            lines.append(f"{one.name:{width}}  {one.cells}{roles}")
        if self.command is not None:
            return "\n".join([*lines, "", self.command])
        return "\n".join([*lines, "", str(self.question), *(f"  {one}" for one in self.options)])


def describe(source: Any) -> Description:
    r"""Say what each column of a table may be and why, and how to read it.

    A command is proposed only where a name supports every step. Where contents alone speak, the question and its options are returned.

    Parameters
    ----------
    source : str, Path, data frame or mapping
        As for `errbar.read_table`.

    Returns
    -------
    Description
        Columns, and the command or the question; it prints as text.

    Raises
    ------
    InvalidInputError
        If it is no table that can be read.

    Examples
    --------
    >>> import errbar
    >>> found = errbar.describe({"iteration": [1, 2, 3], "tree": [0.3, 0.2, 0.4], "forest": [0.2, 0.3, 0.1]})
    >>> found.command
    'errbar test FILE --fold iteration --n-train N --n-test N'
    """
    frame = frame_of(source)
    columns = tuple(ColumnFacts(name, _cells(frame[name]), _may_be(name)) for name in frame)
    said: Labels = {}
    question = "no command was found in a few steps"
    options: tuple[str, ...] = ()
    for _ in range(_MOST_STEPS):
        try:
            table = read_table(frame, **said)
        except ErrbarError as error:
            question, options = str(error), getattr(error, "options", ())
            step = _supported(options, frame, said)
            if step is None:
                break
            said |= step
            continue
        odd = [name for name in table.learners if {*_may_be(name)} - {"learner", "value"}]
        if not odd or len(table.learners) == 1 or {"learner", "columns"} & {*said}:
            return Description(columns, _command(source, said, table), said, None, ())
        question = f"`columns`: the name of {odd[0]!r} is not that of a learner"
        options = ("--columns A,B",)
        break
    return Description(columns, None, said, question, options)


def _command(source: Any, said: Labels, table: LossTable) -> str:
    """Return the command that reads a table; N stands for a size that only the user knows."""
    place = source if isinstance(source, str) else getattr(source, "name", None)
    words = ["errbar", "test", place if isinstance(place, str) else "FILE"]
    for role, column in said.items():
        words += [option(role), column]
    several = any(design.training is not Training.ONE for design in table.splits.designs)
    of_splits = table.points is None and "data-sets" not in table.splits.kinds
    if several and of_splits and np.isnan(table.splits.n_train).any():
        words += ["--n-train", "N", "--n-test", "N"]
    return shlex.join(words)


def _cells(column: Any) -> str:
    """Return what the cells of a column are, in words."""
    kind = "text" if is_text(column) else "whole numbers" if is_whole(column) else "numbers"
    counts = column.value_counts()
    parts = [kind, f"{len(counts)} different"]
    if len(counts) and counts.max() > 1:
        parts.append(f"{counts.min()} to {counts.max()} times")
    if column.hasnans:
        parts.append(f"{column.isna().sum()} empty")
    return ", ".join(parts)


def _may_be(name: str) -> tuple[str, ...]:
    """Return the roles that a name speaks for."""
    return tuple(dict.fromkeys([*spoken_for(name), *asked(name)]))


def _supported(options: Sequence[str], frame: Any, said: Labels) -> Labels | None:
    """Return the one answer that a name supports; None where none or several do, or where names do not decide."""
    found = []
    for text in options:
        flag, *names = shlex.split(text)
        role = flag.removeprefix("--").replace("-", "_")
        free = [name for name in frame if name not in said.values()]
        if role == "learner":
            free = [name for name in free if is_text(frame[name])]
        found += [(role, name) for name in names or free if name in frame]
    supported = [(role, name) for role, name in found if role in spoken_for(name)]
    if len(supported) != 1:
        return None
    [(role, name)] = supported
    # Whether rows of a group depend on each other is no matter of names; and where a name of the table is asked about, it was not enough.
    decided = role not in said and role != "groups" and role_of(name) != role
    return {role: name} if decided else None
