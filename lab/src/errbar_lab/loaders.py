"""The two data sets of the literature on which the lab repeats published studies."""

import lzma
import os
import string
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.errors import InvalidInputError
from errbar_lab.populations import FinitePopulation

__all__ = ["binary_covertype", "binary_letter", "load_covertype", "load_letter"]

FOLDER = "ERRBAR_DATA"

_LETTERS = string.ascii_uppercase
Array = NDArray[Any]

_SUFFIXES = ("", ".xz", ".gz", ".bz2")  # NumPy opens files by them
_BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error)


@dataclass(frozen=True)
class _Format:
    """A data set as the UCI repository publishes it. A converter makes a whole number of the text in its column."""

    name: str
    file: str
    page: str
    examples: int
    columns: int
    target: int
    line: str
    converters: Mapping[int | str, Callable[[str], int]]
    wrong: Callable[[Array, Array], Array]


def _wrong_letters(X: Array, y: Array) -> Array:
    return ((X < 0) | (X > 15)).any(axis=1) | (y < ord("A")) | (y > ord("Z"))


def _wrong_forests(X: Array, y: Array) -> Array:
    marks = X[:, 10:]  # the features before are measurements
    return ((marks < 0) | (marks > 1)).any(axis=1) | (y < 1) | (y > 7)


_LETTER = _Format(
    name="Letter",
    file="letter-recognition.data",
    page="https://archive.ics.uci.edu/dataset/59",
    examples=20_000,
    columns=17,
    target=0,
    line="a capital letter, then 16 whole numbers from 0 to 15",
    converters={0: ord},
    wrong=_wrong_letters,
)
_COVERTYPE = _Format(
    name="CoverType",
    file="covtype.data",
    page="https://archive.ics.uci.edu/dataset/31",
    examples=581_012,
    columns=55,
    target=54,
    line="10 whole numbers, 44 that are 0 or 1, then the class from 1 to 7",
    converters={},
    wrong=_wrong_forests,
)


def load_letter(path: str | os.PathLike[str] | None = None) -> FinitePopulation:
    """Return Letter Recognition as a population: 20 000 letters, 16 features, 26 classes.

    Parameters
    ----------
    path : path, optional
        The file ``letter-recognition.data`` of the UCI repository, plain or compressed (.xz, .gz, .bz2), or the
        folder that holds it. By default the folder that the environment variable ERRBAR_DATA names, if it holds
        the file; otherwise scikit-learn fetches the data set from OpenML, once.

    Returns
    -------
    FinitePopulation
        Named "Letter", with the letters as classes; a file with fewer examples says so in the name.

    Raises
    ------
    InvalidInputError
        If there is no such file, it holds something else, or the data set cannot be fetched.

    See Also
    --------
    binary_letter : The letters in two groups.

    Notes
    -----
    OpenML lists the same examples in another order, so that a seed draws other data sets than from the file, and the
    digest is another one. Every distribution is the same.

    References
    ----------
    .. [1] Frey, P. W. & Slate, D. J. (1991). Letter recognition using Holland-style adaptive classifiers. Machine
           Learning 6(2), 161-182.

    Examples
    --------
    >>> import os
    >>> from errbar_lab.loaders import load_letter
    >>> if "ERRBAR_DATA" in os.environ:
    ...     assert load_letter().size == 20_000
    """
    X, y = _obtain(path, _LETTER, _fetch_letter)
    return FinitePopulation(X, np.array(list(_LETTERS))[y - ord("A")], name=_name(X, _LETTER))


def load_covertype(path: str | os.PathLike[str] | None = None) -> FinitePopulation:
    """Return Forest CoverType as a population: 581 012 patches of forest, 54 features, 7 classes.

    Parameters
    ----------
    path : path, optional
        The file ``covtype.data`` of the UCI repository, plain or compressed (.xz, .gz, .bz2), or the folder that
        holds it. By default the folder that the environment variable ERRBAR_DATA names, if it holds the file;
        otherwise scikit-learn fetches the data set, once.

    Returns
    -------
    FinitePopulation
        Named "CoverType", with classes 1 to 7; a file with fewer examples says so in the name.

    Raises
    ------
    InvalidInputError
        If there is no such file, it holds something else, or the data set cannot be fetched.

    See Also
    --------
    binary_covertype : One class against the others.

    References
    ----------
    .. [1] Blackard, J. A. & Dean, D. J. (1999). Comparative accuracies of artificial neural networks and discriminant
           analysis in predicting forest cover types from cartographic variables. Computers and Electronics in
           Agriculture 24(3), 131-151.

    Examples
    --------
    >>> import os
    >>> from errbar_lab.loaders import load_covertype
    >>> if "ERRBAR_DATA" in os.environ:
    ...     assert load_covertype().size == 581_012
    """
    X, y = _obtain(path, _COVERTYPE, _fetch_covertype)
    return FinitePopulation(X, y, name=_name(X, _COVERTYPE))


def binary_letter(population: FinitePopulation) -> FinitePopulation:
    """Return Letter Recognition with two classes, the letters A to M and N to Z.

    Parameters
    ----------
    population : FinitePopulation
        What `load_letter` returns.

    Returns
    -------
    FinitePopulation
        Named "Letter A-M v N-Z"; it shares the features with `population`.

    Raises
    ------
    InvalidInputError
        If the classes are not capital letters.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
           Universite de Montreal, table 2.

    Examples
    --------
    >>> from errbar_lab.loaders import binary_letter
    >>> from errbar_lab.populations import FinitePopulation
    >>> letters = FinitePopulation([[0], [1], [2]], ["A", "M", "N"], name="Letter")
    >>> binary = binary_letter(letters)
    >>> binary.name, binary.classes.tolist(), binary.y.tolist()
    ('Letter A-M v N-Z', ['A-M', 'N-Z'], [0, 0, 1])
    """
    _require_classes(population, _LETTERS, "Letter Recognition with classes A to Z")
    return population.recoded(
        lambda letter: "A-M" if letter <= "M" else "N-Z", name=f"{population.name} A-M v N-Z"
    )


def binary_covertype(population: FinitePopulation) -> FinitePopulation:
    """Return Forest CoverType with two classes, class 2 (lodgepole pine) and the others.

    Parameters
    ----------
    population : FinitePopulation
        What `load_covertype` returns.

    Returns
    -------
    FinitePopulation
        Named "CoverType 2 v rest"; it shares the features with `population`.

    Raises
    ------
    InvalidInputError
        If the classes are not numbers from 1 to 7.

    References
    ----------
    .. [1] Grandvalet, Y. & Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical report 1285,
           Universite de Montreal, table 2.

    Examples
    --------
    >>> from errbar_lab.loaders import binary_covertype
    >>> from errbar_lab.populations import FinitePopulation
    >>> forests = FinitePopulation([[0], [1], [2]], [1, 2, 7], name="CoverType")
    >>> binary = binary_covertype(forests)
    >>> binary.name, binary.classes.tolist(), binary.y.tolist()
    ('CoverType 2 v rest', ['2', 'rest'], [1, 0, 1])
    """
    _require_classes(population, range(1, 8), "Forest CoverType with classes 1 to 7")
    return population.recoded(
        lambda cover: "2" if cover == 2 else "rest", name=f"{population.name} 2 v rest"
    )


def _require_classes(population: FinitePopulation, allowed: Iterable[Any], wanted: str) -> None:
    classes = [] if population.classes is None else population.classes.tolist()
    if not classes or not set(classes) <= set(allowed):
        raise InvalidInputError(f"must be {wanted}, got {population!r}", argument="population")


def _name(X: Array, layout: _Format) -> str:
    return (
        layout.name
        if len(X) == layout.examples
        else f"{layout.name} ({len(X)} of {layout.examples} examples)"
    )


def _obtain(
    path: Any, layout: _Format, fetch: Callable[[], tuple[Array, Array]]
) -> tuple[Array, Array]:
    """Return features and target, letters as code points; all values are those that belong there."""
    found = _locate(path, layout)
    if found is None:
        X, y = _fetched(layout, fetch)
    else:
        values = _read(found, layout)
        features = slice(1, None) if layout.target == 0 else slice(None, layout.target)
        X, y = values[:, features], values[:, layout.target]
    wrong = np.flatnonzero(layout.wrong(X, y))
    if wrong.size:
        raise InvalidInputError(
            f"{found or 'the data set from the network'} has a value in example {wrong[0] + 1} that does not belong "
            f"there; {_expected(layout)}"
        )
    return X, y


def _locate(path: Any, layout: _Format) -> Path | None:
    """Return the file to read, or None if the data set is to be fetched."""
    if path is None:
        folder = os.environ.get(FOLDER)
        return _within(Path(folder), layout) if folder else None
    place = Path(path)
    if place.is_file():
        return place
    if not place.is_dir():
        raise InvalidInputError(
            f"must be a file or a folder that exists, got {str(place)!r}", argument="path"
        )
    found = _within(place, layout)
    if found is None:
        raise InvalidInputError(
            f"must be a file, or a folder that holds {layout.file} (plain, .xz, .gz or .bz2), got "
            f"{str(place)!r}; the file is offered at {layout.page}",
            argument="path",
        )
    return found


def _within(folder: Path, layout: _Format) -> Path | None:
    places = (folder / f"{layout.file}{suffix}" for suffix in _SUFFIXES)
    return next((place for place in places if place.is_file()), None)


def _rows(source: Path | list[str], layout: _Format) -> Array:
    """Return one row of whole numbers per line of a file, or of a list."""
    how: dict[str, Any] = {
        "dtype": np.int16,
        "delimiter": ",",
        "comments": None,
        "ndmin": 2,
        "encoding": "utf-8",
    }
    return np.loadtxt(source, converters=layout.converters, **how)


def _read(path: Path, layout: _Format) -> Array:
    """Return the rows of a file that has all columns, or say what is wrong with it."""
    try:
        with warnings.catch_warnings():
            # An empty file is refused below, in words that name it.
            warnings.filterwarnings("ignore", "loadtxt: input contained no data")
            values = _rows(path, layout)
        fault = "" if values.shape[1] == layout.columns and values.size else _fault(path, layout)
    except ValueError:
        fault = _fault(path, layout)
    except _BROKEN as error:
        fault = f"cannot be read ({error})"
    if fault:
        raise InvalidInputError(f"{path} {fault}; {_expected(layout)}")
    return values


def _fault(path: Path, layout: _Format) -> str:
    """Say what is wrong with the first line that cannot be used."""
    number = 0
    try:
        with np.lib.npyio.DataSource().open(str(path), encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                count = line.count(",") + 1
                if line.strip() and count != layout.columns:
                    return f"has {count} value{'s' * (count > 1)} in line {number}"
                if line.strip():
                    _rows([line], layout)
    except UnicodeDecodeError:
        return "is not a text file"
    except ValueError:
        return f"has a value in line {number} that does not belong there"
    return "holds no line that can be used" if number else "is empty"


def _expected(layout: _Format) -> str:
    return f"expected was {layout.file} of the UCI repository, {layout.columns} values per line: {layout.line}"


def _fetched(layout: _Format, fetch: Callable[[], tuple[Array, Array]]) -> tuple[Array, Array]:
    try:
        with warnings.catch_warnings():
            # Repeated attempts are announced by warnings; if the last one fails too, the error below says so.
            warnings.simplefilter("ignore")
            return fetch()
    except (OSError, HTTPException, ValueError) as error:
        raise InvalidInputError(
            f"the data set {layout.name} could not be fetched from the network ({error}); download {layout.file} from "
            f"{layout.page} and give its `path`, or name its folder in the environment variable {FOLDER}"
        ) from None


def _fetch_letter() -> tuple[Array, Array]:
    from sklearn.datasets import fetch_openml

    X, y = fetch_openml(
        "letter",
        version=1,
        as_frame=False,
        parser="liac-arff",
        return_X_y=True,
        n_retries=1,
        delay=0.5,
    )
    return X, np.array([ord(letter) for letter in y], dtype=np.int16)


def _fetch_covertype() -> tuple[Array, Array]:
    from sklearn.datasets import fetch_covtype

    X, y = fetch_covtype(return_X_y=True, n_retries=1, delay=0.5)
    return X, y
