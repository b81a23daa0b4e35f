"""What the columns of a table may be and why, and the command that reads it: proposals, which never decide what is read."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from errbar.errors import ErrbarError
from errbar.read.frame import frame_of, is_text, is_whole
from errbar.read.roles import UnsaidRoleError, names, option, plain
from errbar.read.table import read_table
from errbar.table import LossTable

_MOST_STEPS = 12


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    name, cells : str
        Its name, and what its cells are, in words.
    may_be : tuple of str
        Roles that its name speaks for.
    """

    name: str
    cells: str
    may_be: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """What a table may be.

    Attributes
    ----------
    columns : tuple of ColumnFacts
        What is known of each column.
    command : str or None
        The command that reads it, where names support every step; N stands for a size that only the user knows.
    said : dict of str to str
        The same as keyword arguments of `errbar.read_table`.
    question : str or None
        What only the user knows, where that is open.
    options : tuple of str
        What may be answered.
    """

    columns: tuple[ColumnFacts, ...]
    command: str | None
    said: dict[str, str]
    question: str | None
    options: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
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
    columns = tuple(ColumnFacts(name, _cells(frame[name]), _may_be(name)) for name in frame.columns)
    said: dict[str, Any] = {}
    for _ in range(_MOST_STEPS):
        try:
            table = read_table(frame, **said)
        except UnsaidRoleError as error:
            step = _supported(error, frame, said)
            if step is None:
                return Description(columns, None, said, str(error), error.options)
            said |= step
        except ErrbarError as error:
            return Description(columns, None, said, str(error), ())
        else:
            odd = [name for name in table.learners if {*_may_be(name)} - {"learner", "value"}]
            if odd and len(table.learners) > 1 and not {"learner", "columns"} & {*said}:
                question = f"`columns`: the name of {odd[0]!r} is not that of a learner"
                return Description(columns, None, said, question, ("--columns A,B",))
            return Description(columns, _command(source, said, table), said, None, ())
    return Description(columns, None, said, "no command was found in a few steps", ())


def _command(source: Any, said: Mapping[str, str], table: LossTable) -> str:
    """Return the command that reads a table; N stands for a size that only the user knows."""
    place = source if isinstance(source, str) else getattr(source, "name", None)
    words = ["errbar", "test", place if isinstance(place, str) else "FILE"]
    for role, column in said.items():
        words += [option(role), column]
    of_splits = table.points is None and "data-sets" not in table.splits.kinds
    unsized = of_splits and bool(np.isnan(table.splits.n_train).any())
    return shlex.join(words) + " --n-train N --n-test N" * unsized


def _cells(column: Any) -> str:
    """Return what the cells of a column are, in words."""
    kind = "text" if is_text(column) else "whole numbers" if is_whole(column) else "numbers"
    counts = column.value_counts()
    parts = [kind, f"{len(counts)} different"]
    if len(counts) and counts.max() > 1:
        low, high = counts.min(), counts.max()
        parts.append(f"{high} times each" if low == high else f"{low} to {high} times")
    gaps = int(column.isna().sum())
    if gaps:
        parts.append(f"{gaps} empty")
    return ", ".join(parts)


def _may_be(name: str) -> tuple[str, ...]:
    """Return the roles that a name speaks for."""
    known, bare = names(), plain(name)
    exact = [known.take[bare]] if bare in known.take else []
    by_part = [role for role in known.parts if speaks_for(name, role)]
    return tuple(dict.fromkeys([*exact, *known.ask.get(bare, ()), *by_part]))


def speaks_for(name: str, role: str) -> bool:
    """Tell whether a name is one of a role, or has a part that speaks for it."""
    known, bare = names(), plain(name)
    parts = known.parts.get(role, ())
    return known.take.get(bare) == role or any(part in bare for part in parts)


def _supported(
    error: UnsaidRoleError, frame: Any, said: Mapping[str, str]
) -> dict[str, str] | None:
    """Return the one answer that a name supports; None where none or several do, or where names do not decide."""
    found = []
    for text in error.options:
        words = shlex.split(text)
        role = words[0].removeprefix("--").replace("-", "_")
        if role in ("missing", "metric"):
            return None
        if role in ("columns", "ignore", "kind"):
            continue
        if len(words) > 1:
            possible = words[1:]
        else:
            free = [name for name in frame.columns if name not in said.values()]
            possible = [name for name in free if role != "learner" or is_text(frame[name])]
        found += [
            (role, name) for name in possible if name in frame.columns and speaks_for(name, role)
        ]
    if len(found) != 1:
        return None
    [(role, name)] = found
    # Whether rows of a group depend on each other is no matter of names; and where a name of the table is asked about, it was not enough.
    if role in said or role == "groups" or names().take.get(plain(name)) == role:
        return None
    return {role: name}
