"""What the columns of a table are: said by the user, or taken from the one table of names, `roles.toml`.

A sheet is a frame of which every column is known: it has a role, belongs to a learner, or is left aside.
"""

import codecs
import io
import json
import re
import shlex
import tomllib
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errbar import _check
from errbar._check import FloatArray
from errbar.errors import ErrbarError, InvalidInputError, PairingError, hint, one_line
from errbar.losses import SIZES
from errbar.plans._base import DATA_SETS, RUNS
from errbar.result import Note

_SEPARATORS = ",;\t|"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # characters that are in no text
_NOTHING = ["", "NA", "N/A", "NaN", "nan", "None", "null"]
"""Words beside numbers that stand for an empty cell; in text files pandas knows them."""
_PERCENT = r"\s*([-+]?\d*[.,]?\d+)\s*%\s*"


def frame_of(source: Any) -> Any:
    """Return any table as a pandas frame with columns of one name each; no column or row is dropped.

    Numbers with decimal commas are read where cells are not separated by commas, and columns in which
    every cell ends in a percent sign are percents. An index with a name, or of dates, is a column.
    """
    if isinstance(source, (str, Path)):
        where = str(source)
        frame = _of_file(existing(source))
    else:
        where = "the table"
        frame = _of_object(source)
    frame.columns = [str(name) for name in frame.columns]
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InvalidInputError(
            f"{where} has several columns {repeated[0]!r}; give each its own name"
        )
    if len(frame) == 0:
        raise InvalidInputError(f"{where} has a header and no rows")
    for name in [name for name in frame.columns if is_text(frame[name])]:
        cells = _filled(frame[name])
        percents = cells.astype(str).str.extract(f"^{_PERCENT}$")[0].str.replace(",", ".")
        numbers = percents
        if percents.isna().any() and not cells.map(lambda cell: isinstance(cell, str | bool)).any():
            numbers = _check.package("pandas", "app").to_numeric(cells, errors="coerce")  # decimals
        if cells.size and not numbers.isna().any():
            frame = frame.assign(**{name: numbers.astype(float)})  # rows without a cell stay empty
    return frame


def with_marks(frame: Any) -> Any:
    """Return a frame in which marks of right and wrong beside gaps are 1 and 0."""
    for name in [name for name in frame.columns if is_text(frame[name])]:
        cells = _filled(frame[name])
        if cells.size and cells.map(lambda cell: isinstance(cell, bool)).all():
            frame = frame.assign(**{name: cells.astype(float)})
    return frame


def _filled(column: Any) -> Any:
    return column[~column.isin(_NOTHING)].dropna()


def existing(path: str | Path) -> Path:
    """Return the path of a file that is there."""
    place = Path(path)
    if not place.is_file():
        there = "is a folder, a pipe or a device" if place.exists() else "is not there"
        raise InvalidInputError(f"a file of a table is needed, and {str(path)!r} {there}")
    return place


def is_text(column: Any) -> bool:
    """Tell whether a column holds neither numbers nor dates."""
    return column.dtype.kind not in "biufcmM"


def is_whole(column: Any) -> bool:
    """Tell whether a column holds whole numbers alone; empty cells do not count."""
    return column.dtype.kind in "biuf" and bool((column.dropna() % 1 == 0).all())


def _of_object(source: Any) -> Any:
    pandas = _check.package("pandas", "app")
    if isinstance(source, Mapping):
        try:
            # Rows stand side by side as they come, whatever index a column has.
            return pandas.DataFrame({str(name): list(column) for name, column in source.items()})
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"the columns make no table: {one_line(error)}") from None
    if not isinstance(source, pandas.DataFrame):
        narwhals = _check.package("narwhals", "app")
        try:
            table = narwhals.from_native(source, eager_only=True)
        except TypeError:
            raise InvalidInputError(
                f"give a file, a frame or a mapping of columns, got {type(source).__name__}"
            ) from None
        return pandas.DataFrame({name: table[name].to_numpy() for name in table.columns})
    if source.index.nlevels == 1 and source.index.name is None and source.index.dtype.kind == "M":
        source = source.rename_axis("date")
    levels = [name for name in source.index.names if name is not None]
    return source.reset_index(level=levels).reset_index(drop=True)


def _of_file(place: Path) -> Any:
    pandas = _check.package("pandas", "app")
    ending = place.suffix.lower()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Cells beyond the header would be dropped with a warning.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            if ending == ".parquet":
                _check.package("pyarrow", "app")
                return _of_object(pandas.read_parquet(place))
            if ending == ".xlsx":
                _check.package("openpyxl", "excel")
                return _of_sheets(pandas, place)
            if ending in (".json", ".jsonl", ".ndjson"):
                frame = _of_json(pandas, place, lines=ending != ".json")
                return frame.map(lambda cell: str(cell) if isinstance(cell, (list, dict)) else cell)
            return _of_text(pandas, place)
    except ErrbarError:
        raise
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise InvalidInputError(f"{place} cannot be read: {one_line(error)}") from None


def _of_json(pandas: Any, place: Path, *, lines: bool) -> Any:
    """Return rows of objects: of the longest list of objects in one, or one that has a value of its own; entries are columns."""
    given = None if lines else json.loads(place.read_text(encoding="utf-8-sig"))
    parts = given.values() if isinstance(given, dict) else ()
    lists = [own for own in parts if isinstance(own, list) and {*map(type, own)} == {dict}]
    if lists or {*map(type, parts)} - {list, dict}:
        return pandas.json_normalize(max(lists, key=len, default=given))
    frame = pandas.read_json(
        place, lines=lines, orient="records", convert_dates=False, precise_float=True
    )
    return pandas.json_normalize(frame.to_dict("records"))


def _of_sheets(pandas: Any, place: Path) -> Any:
    """Return the rows of all sheets, under the first row of each that fills more than its first cell."""
    sheets = {}
    for name, cells in pandas.read_excel(place, sheet_name=None, header=None).items():
        if len(cells):
            header = cells.drop(columns=0).any(axis=1).argmax()
            sheets[name] = pandas.read_excel(place, sheet_name=name, header=header)
    kinds = {*map(tuple, sheets.values())}
    _check.require(len(kinds) == 1, "must have the same columns", [*sheets], "sheets")
    table = pandas.concat(sheets, names=["sheet"])
    return table.reset_index(0, drop=len(sheets) == 1)


def _of_text(pandas: Any, place: Path) -> Any:
    with pandas.io.common.get_handle(place, "rb", compression="infer", is_text=False) as file:
        packed = file.handle.read()
    wide = packed.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if _CONTROL.search(packed) and not wide:
        raise InvalidInputError(f"{place} is no text, and no Parquet; spreadsheets write CSV UTF-8")
    try:
        text = packed.decode("utf-16" if wide else "utf-8-sig").lstrip("\r\n")
    except UnicodeDecodeError:
        text = packed.decode("cp1252")
    header = text.partition("\n")[0]
    bare = re.sub(r'"[^"]*"', "", header)
    separator = next((mark for mark in _SEPARATORS if mark in bare), ",")
    decimal = "," if separator != "," and re.search(r"\d,\d", text) else "."
    how: dict[str, Any] = {"sep": separator, "decimal": decimal, "skipinitialspace": True}
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        how["float_precision"] = "round_trip"  # else most numbers are read with other last digits
    if _OF_ORANGE.match(text):
        how["skiprows"] = [1, 2]
    # Without index_col=False, the first cell of longer rows would be an index, and all others shift.
    frame = pandas.read_csv(io.StringIO(text), index_col=False, low_memory=False, **how)
    # pandas gives the second of two equal names another one, and a column without any a number.
    names = pandas.read_csv(io.StringIO(text), header=None, nrows=1, dtype=str, **how).iloc[0]
    frame.columns = names.where(names.notna(), frame.columns)
    return frame


# What the columns of a table are: said by the user, or taken from the one table of names, `roles.toml`.

Labels = dict[str, Any]
"""Columns, values or names of columns, by role or learner."""

Names = Collection[str]

NONE = "none"
"""Said in place of a column: no column has this role."""

MIXED = "several measures"
"""What numbers of unlike measures are called, which have no mean."""

COLUMNS = "columns"
"""Said in place of a column: names of the columns of numbers are the labels of this role."""

PLACES = (
    "dataset",
    "repeat",
    "split",
    "fold",
    "inner",
    "halving",
    "half",
    "seed",
    "example",
    "answer",
)
"""Roles that tell the rows of a learner apart."""

BESIDE = ("groups", "time", "strata", "scale", "weight")
INDEX = (*PLACES, *BESIDE, *SIZES)
NUMBERS = ("value", "prediction")
OF_LONG = ("learner", *NUMBERS)
"""Roles of the columns of a long table that hold learners and their numbers."""
VALUES = (*OF_LONG, "truth", "metric")
ROLES = (*VALUES, *INDEX)

_OF_ORANGE = re.compile(r".*\n.*\n\t*((class|meta|ignore)[\t\r]*)+\n")
"""The second and third row of Orange's tables tell the type and the part of each column."""

_LABEL = re.compile(r"(?i)(?:(?P<fold>fold[ _-]?\d+)|(?P<repeat>rep(?:eat)?[ _-]?\d+)|[ ._-])+")


class UnsaidRoleError(InvalidInputError):
    """What a column is, or what a row is, changes the numbers, and nobody has said it.

    Parameters
    ----------
    why : str
        What stands in the table.
    *options : str
        What may be said, as on the command line; the first names the argument.
    """

    def __init__(self, why: str, *options: str) -> None:
        argument = options[0].split()[0].removeprefix("--").replace("-", "_")
        super().__init__(f": {why}; say {' or '.join(options)}", argument=argument)
        self.options = options

    def answered(self, columns: Names) -> Labels:
        """Return what would be said next: nothing more of a column, where that may be, else the first option that is whole.

        It is empty where all options leave a name open.
        """
        options, words = [*self.options], {NONE, *columns}
        if not options[0].startswith(("--learner", "--truth")):
            options.sort(key=lambda one: not one.startswith("--ignore"))
        for option in options:
            said = says(option)
            known = (
                role in ("kind", "metric", "missing") or {*value.split(",")} <= words
                for role, value in said.items()
            )
            if all(known):
                return said
        return {}


@cache
def _names() -> tuple[Labels, Labels, Labels, Labels]:
    """Return what a name says, what may be asked of it, parts of names by role, and roles that rows do not use."""
    text = resources.files("errbar.reading").joinpath("roles.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text)
    says = known["take"] | known["none"]
    return (
        {plain(name): role for role, own in says.items() for name in own},
        {plain(name): roles for name, roles in known["ask"].items()},
        known["parts"],
        known["unused"],
    )


def plain(name: str) -> str:
    """Return a name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def role_of(name: str) -> str | None:
    """Return the role that a name has; ``aside`` and ``measure`` are none."""
    return _names()[0].get(plain(name))


def asked(name: str) -> list[str]:
    """Return the roles that a name with several meanings may have."""
    return list(_names()[1].get(plain(name), ()))


def spoken_for(name: str) -> list[str]:
    """Return the roles that a name, or a part of it, speaks for."""
    parts = _names()[2].items()
    by_part = [role for role, own in parts if any(part in plain(name) for part in own)]
    return [role for role in dict.fromkeys([role_of(name), *by_part]) if role in ROLES]


def unused_by(rows: str) -> list[str]:
    """Return the roles and options that rows of a kind do not use."""
    return list(_names()[3][rows])


def option(role: str, *columns: str) -> str:
    """Return an option of the command line with names of columns, in quotes where a shell needs them."""
    shown = ",".join(map(shlex.quote, columns))
    role = "value" if role == "prediction" else role  # beside a truth, values are predictions
    return f"--{role.replace('_', '-')} {shown}".strip()


def says(option: str) -> dict[str, str]:
    """Return what an option of the command line says by role; an empty text where it leaves that open."""
    words = shlex.split(option)
    roles = [word.removeprefix("--").replace("-", "_") for word in words[::2]]
    return dict(zip_longest(roles, words[1::2], fillvalue=""))


def options_for(column: str, otherwise: Names = ("groups",)) -> list[str]:
    """Return what may be said of a column, by its name."""
    return [option(role, column) for role in asked(column) or otherwise]


def told(given: Labels, allowed: Names, columns: Names = ()) -> tuple[Labels, Labels]:
    """Return what is told of roles: columns by role, and values by role, None where nothing has it."""
    said: Labels = {}
    stated: Labels = {}
    for role, value in given.items():
        _check.choice(role, allowed, "role")
        if isinstance(value, str) and (value != NONE or NONE in columns):
            said[role] = value
        elif value is not None:
            stated[role] = None if isinstance(value, str) else value
    return said, stated


def with_joined(frame: Any, given: Labels) -> tuple[Any, Labels]:
    """Return a frame with a column for each role that names several, as ``topic,week``, and the roles.

    Columns that are joined have had their say, unless another role names them or their own name tells
    of dependence: visits of a patient are examples, and a patient is still a group.
    """
    said = dict(given)
    spent: list[str] = []
    for role, value in given.items():
        names = value.split(",") if isinstance(value, str) and value not in frame else value
        if not isinstance(names, (list, tuple)) or len(names) < 2:
            continue
        names = [name.strip() if isinstance(name, str) else None for name in names]
        if not {*names} <= {*frame}:
            continue
        texts = frame[names].astype(str)
        joined = texts[names[0]].str.cat(texts[names[1:]], sep="/")
        said[role] = ",".join(names)
        frame = frame.assign(**{said[role]: joined.where(frame[names].notna().all(axis=1))})
        spent += [name for name in names if role_of(name) not in (*BESIDE, "dataset")]
    kept = [one for one in said.values() if isinstance(one, str)]
    return frame.drop(columns=[name for name in spent if name not in kept]), said


def columns_named(given: Any, columns: Names, argument: str) -> list[str]:
    """Return names of columns that are there; one text may hold several with commas between them."""
    found: list[str] = []
    for text in [given] if isinstance(given, str) else given or ():
        found += [text] if text in columns else map(str.strip, text.split(","))
    for name in found:
        require_column(name, columns, argument)
    return found


def require_column(name: str, columns: Names, argument: str) -> None:
    """Raise unless there is such a column."""
    if name not in columns:
        listed = ", ".join(map(repr, list(columns)[:12]))
        raise InvalidInputError(
            f"is {name!r}, and the columns are {listed}{hint(name, columns)}", argument=argument
        )


def grid_of(columns: Names) -> dict[str, Labels]:
    """Return columns by measure and learner, where they are a grid such as ``rf~Accuracy``, ``gbm~Kappa``."""
    found: dict[str, Labels] = {}
    for name in columns:
        mark = "~" if "~" in name else r"[^A-Za-z0-9]+"
        learner, *measure = re.split(mark, name, maxsplit=1)
        for one in measure:
            found.setdefault(one, {})[learner] = name
    count = sum(map(len, found.values()))
    learners = {learner for own in found.values() for learner in own}
    several = min(len(found), len(learners)) > 1
    return found if several and max(len(found), len(learners)) < count else {}


def roles_of(
    columns: Any,
    said: Labels,
    wanted: Names = ROLES,
    learners: Names = (),
) -> Labels:
    """Return the column of each role: said, else by its name, and at last by what its labels speak."""
    of: Labels = {}  # role by column
    for role, column in said.items():
        require_column(column, columns, role)
        if column in of:
            raise InvalidInputError(f"is {column!r}, as `{of[column]}` is", argument=role)
        of[column] = role
    free = [name for name in columns if name not in of and name not in learners]
    for name in free:
        role = role_of(name) or ""
        if role not in wanted or role in said or not may_be(columns[name], role):
            continue
        for other in [one for one in of if of[one] == role]:
            both = columns[other], columns[name]
            groups = len({*zip(*both, strict=True)})
            alike = all(len({*one}) == groups for one in both)
            if not alike or role not in (*PLACES, "learner", "groups"):
                why = f"columns {other!r} and {name!r} have names of it"
                raise UnsaidRoleError(why, option(role, other), option(role, name))
            break
        else:
            of[name] = role
    # Labels speak: Fold03.Rep1 says fold and repeat, whatever its column is called.
    for name in columns:
        found = spoken(columns[name]) if of.get(name, "fold") in ("split", "fold", "repeat") else {}
        others = {role for one, role in of.items() if one != name}
        if found and name not in learners and not {*found} & others and {*found} <= {*wanted}:
            of[name] = "fold" if "fold" in found else "repeat"
    order = {role: name for name, role in of.items()}
    return {role: order[role] for role in (*said, *wanted, *order) if role in order}


def may_be(column: Any, role: str) -> bool:
    """Tell whether the cells of a column do not rule out a role that its name says."""
    if role in (*SIZES, *VALUES[1:]):
        return True
    cells = np.asarray(column)
    if cells.ndim != 1 or cells.size == 0 or (cells[:1] == cells).all():
        return False  # one value tells no rows apart
    if role == "learner":
        return cells.dtype.kind in "OUST"
    return cells.dtype.kind != "f" or not (cells[np.isfinite(cells)] % 1).any()


def spoken(labels: Any) -> Labels:
    """Return the folds and the repeats that labels say, such as ``Fold03.Rep1``; nothing of other labels."""
    first = next(iter(labels), None) if hasattr(labels, "__iter__") else None
    if not isinstance(first, str) or not _LABEL.fullmatch(first) or np.ndim(labels) != 1:
        return {}
    array = np.asarray(labels)
    texts, codes = np.unique(array.astype(str), return_inverse=True)
    found = [_LABEL.fullmatch(text) for text in texts]
    parts = {role: [one and one[role] for one in found] for role in ("fold", "repeat")}
    return {role: np.array(own)[codes] for role, own in parts.items() if all(own) and all(found)}


Notes = tuple[Note, ...]
EXAMPLES = "examples"
"""Said of the rows in place of a kind of splits: each is a test example."""

PREDICTIONS, SCORES = "predictions", "scores"
_SPLITS = {"fold", "split", "repeat", "halving", "half", "seed"}


class Columns(NamedTuple):
    """Values of learners, and what stands beside them.

    Attributes
    ----------
    learners : values by learner: numbers or predictions
    labels : what is known of the rows, by role
    notes : which roles were taken, and what was left out
    gaps : whether numbers of a learner may be missing
    """

    learners: Labels
    labels: Labels
    notes: Notes = ()
    gaps: bool = False

    def numbers(self) -> FloatArray:
        """Return the numbers of learners, a row each; NaN where one is missing."""
        columns = {}
        for name, values in self.learners.items():
            there = values[~np.isnan(values)] if self.gaps else values
            checked = _check.vector(there, name, "row")
            columns[name] = values if self.gaps else checked
        require_equal_lengths(columns)
        return np.stack([*columns.values()])


def numbered(columns: list[str]) -> list[str]:
    """Return what columns may be said to be that are called 0, 1, 2 and so on; nothing of others."""
    first, count = [*columns, ""][0], len(columns)
    in_order = first.isdecimal() and [*map(str, range(int(first), int(first) + count))]
    return [option(role, COLUMNS) for role in ("seed", "fold", "split") if in_order == columns]


def mean_of_rows(values: Any, by: Any) -> Any:
    """Return the mean over rows that are alike; NaN where one of them has no number."""
    alike = values.groupby(by, sort=False)
    return alike.mean().where(alike.count().eq(alike.size(), axis=0))


def require_equal_lengths(columns: Labels) -> None:
    """Raise unless all learners have as many rows."""
    if len({len(column) for column in columns.values()}) > 1:
        listed = ", ".join(f"{name}: {len(column)}" for name, column in columns.items())
        raise PairingError(f"learners have different numbers of rows ({listed})")


@dataclass(frozen=True)
class Sheet:
    """A frame, and what its columns are.

    Attributes
    ----------
    frame : the table, or a mapping of columns
    roles : columns by role, without the learners' numbers
    learners : columns with numbers or predictions: one for each learner, or the one of a long table
    left : columns that are neither
    said, stated : mapping
        Columns by role that the user has named, and values by role that stand beside the frame:
        None says that there is nothing of the role.
    named : whether the user has named the learners
    rows : what a row is: `EXAMPLES`, `PREDICTIONS`, `SCORES` or `DATA_SETS`
    kind : what the user says of the rows
    """

    frame: Any
    roles: Labels
    learners: list[str]
    left: list[str]
    said: Labels
    stated: Labels
    named: bool
    rows: str
    kind: str | None = None

    @property
    def long(self) -> bool:
        """Whether a row is of one learner."""
        return "learner" in self.roles

    @property
    def known(self) -> set[str]:
        """Roles of which something is known."""
        return {*self.roles, *(role for role, value in self.stated.items() if value is not None)}

    @property
    def of_tests(self) -> bool:
        """Whether a row is of one test example."""
        return self.rows in (EXAMPLES, PREDICTIONS)

    def labels(self) -> Labels:
        """Return the columns that have a role, as arrays."""
        return {role: np.asarray(self.frame[name]) for role, name in self.roles.items()}

    def notes(self) -> Notes:
        """Say which roles were taken from names, and which columns were left aside."""
        taken = [f"{role}={name}" for role, name in self.roles.items() if role not in self.said]
        notes = (Note("read", roles=taken),) if taken else ()
        return (*notes, Note("read", left_aside=self.left)) if self.left else notes


def sheet_of(
    frame: Any,
    said: Labels,
    stated: Labels,
    chosen: Names,
    *,
    rows: str,
    wanted: Names = INDEX,
    kind: str | None = None,
) -> Sheet:
    """Give each column its role, or leave it to a learner.

    `said` and `stated` are columns and values by role, `chosen` the learners' columns that the user
    names, `wanted` the roles that a column's name may give. Where no learner is chosen, each column
    without a role is one, unless it holds text or is a label with one value.
    """
    unsaid = [role for role in wanted if role not in stated and not (chosen and role in NUMBERS)]
    roles = roles_of(frame, said, unsaid, chosen)
    named = bool(chosen) or "learner" in said
    if "learner" in roles:
        own = frame[[*chosen, *roles.values()]] if chosen else frame
        chosen = [_value_column(own, roles, said, rows)]
    elif "value" in said and not chosen:
        chosen = [roles["value"]]
    roles = {role: name for role, name in roles.items() if role not in NUMBERS}
    free = [
        name
        for name in frame
        if name not in roles.values() and role_of(name) not in ("aside", *stated)
    ]
    if chosen:
        learners = [name for name in frame if name in chosen]
    elif rows == PREDICTIONS or not hasattr(frame, "columns"):
        learners = free  # a mapping holds learners only
    else:
        # A label with one value tells no rows apart, and is no learner either.
        labels = [name for name in free if role_of(name) in INDEX or asked(name)]
        none = [name for name in labels if frame[name].nunique() < 2]
        learners = [name for name in free if not (is_text(frame[name]) or name in none)]
    left = [name for name in free if name not in learners]
    return Sheet(frame, roles, learners, left, said, stated, named, rows, kind)


def with_rows(sheet: Sheet) -> Sheet:
    """Say what a row is: predictions or the loss of an example, the score of a split, or that on a data set."""
    roles, said, kind = sheet.roles, sheet.said, sheet.kind
    if {"dataset", "example"} <= {*roles} and "dataset" not in said and kind is None:
        why = f"the mean over all examples, or of the means of {roles['dataset']!r}"
        means = [option("tasks", which) for which in ("equal", "pooled")]
        raise UnsaidRoleError(why, *means, option("dataset", roles["dataset"]))
    if "groups" in roles and "example" not in roles and "groups" not in said:
        apart = [roles[role] for role in (*PLACES, "learner", "groups") if role in roles]
        if not sheet.frame.duplicated(apart).any():  # a group with one row is the example itself
            roles = {"example" if role == "groups" else role: roles[role] for role in roles}
    of_splits = _SPLITS & {*roles}
    grouped = "groups" in roles and not (sheet.long and of_splits)
    if "truth" in roles:
        rows = PREDICTIONS
    elif "dataset" in roles and kind != EXAMPLES:
        rows = DATA_SETS
    elif kind == EXAMPLES or (kind != DATA_SETS and (grouped or {"example", "answer"} & {*roles})):
        rows = EXAMPLES
    elif of_splits or kind or {*SIZES} & sheet.known:
        rows = SCORES
    elif "time" in roles:
        rows = EXAMPLES
        roles = roles | {"example": roles["time"]}
    else:
        options = [
            option("kind", kind) for kind in (EXAMPLES, "kfold", "subsampling", DATA_SETS, RUNS)
        ]
        frame, learner = sheet.frame, [roles["learner"]] if sheet.long else []
        used = (*roles.values(), *sheet.learners)
        other = [name for name in (frame if learner else sheet.left) if name not in used]
        for name in sorted(other, key=lambda name: not asked(name)):
            cells = frame[name]
            # A group of one row is an example.
            taken = (*roles, *["groups"] * cells.is_unique)
            # Learners share what tells their rows apart.
            shared = not (learner and cells.is_unique) and may_be(cells, "example")
            differ = shared and not frame.duplicated([*learner, name]).any()
            named = [role for role in spoken_for(name) if role in PLACES]
            likely = asked(name) or (named or ["example", "fold"][: 1 + sheet.long]) * differ
            likely = [role for role in likely if role not in taken]
            if likely:
                likely += ["dataset"] * is_text(cells)
                options = [option(role, name) for role in dict.fromkeys(likely)]
                options += [option("kind", str(RUNS) if "seed" in likely else "subsampling")]
                break
        raise UnsaidRoleError("nothing says what a row is", *options[:5])
    return replace(sheet, roles=roles, rows=rows)


def _value_column(frame: Any, roles: Labels, said: Labels, rows: str) -> str:
    """Return the column with the number, or prediction, of the learner of a row."""
    if frame[roles["learner"]].is_unique and not {*PLACES} & {*roles}:
        unit = option("dataset" if rows == SCORES else "example", COLUMNS)
        raise UnsaidRoleError(f"each of {roles['learner']!r} has one row", unit)
    predicted = "truth" in roles and "value" not in said
    role = "prediction" if predicted and "prediction" in roles else "value"
    if role in roles:
        return str(roles[role])
    used = {name for role, name in roles.items() if role != "prediction"}
    free = [
        name
        for name in frame
        if not (name in used or is_text(frame[name]) or asked(name) or role_of(name) == "aside")
    ]
    if len(free) != 1 or predicted:
        free.sort(key=lambda name: is_whole(frame[name]))
        listed = [option("value", name) for name in free[:4]] or ["--value"]
        listed = numbered(free) or listed
        why = f"several columns may hold the values of {roles['learner']!r}"
        raise UnsaidRoleError(why, *listed)
    return str(free[0])
