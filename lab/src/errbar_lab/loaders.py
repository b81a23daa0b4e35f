"""The two data sets of the literature on which the lab repeats published studies."""

import os
import string
import warnings
from collections.abc import Callable, Iterable
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errbar.errors import InvalidInputError, one_line
from errbar_lab.populations import FinitePopulation

__all__ = ["binary_covertype", "binary_letter", "load_covertype", "load_letter"]

FOLDER = "ERRBAR_DATA"

_LETTERS = string.ascii_uppercase
_SUFFIXES = ("", ".xz", ".gz", ".bz2")


class _Published(NamedTuple):
    """A data set as the UCI repository publishes it."""

    name: str
    file: str
    page: str
    examples: int
    columns: int
    target: int
    classes: Iterable[Any]


_LETTER = _Published(
    "Letter",
    "letter-recognition.data",
    "https://archive.ics.uci.edu/dataset/59",
    20_000,
    17,
    0,
    _LETTERS,
)
_COVERTYPE = _Published(
    "CoverType",
    "covtype.data",
    "https://archive.ics.uci.edu/dataset/31",
    581_012,
    55,
    54,
    range(1, 8),
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
    return _population(path, _LETTER, _fetch_letter)


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
    return _population(path, _COVERTYPE, _fetch_covertype)


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
    _require_classes(population, _LETTER)
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
    _require_classes(population, _COVERTYPE)
    return population.recoded(
        lambda cover: "2" if cover == 2 else "rest", name=f"{population.name} 2 v rest"
    )


def _require_classes(population: FinitePopulation, known: _Published) -> None:
    classes = [] if population.classes is None else population.classes.tolist()
    if not classes or not set(classes) <= set(known.classes):
        raise InvalidInputError(
            f"must be {known.name} as it was loaded, got {population.name!r}", argument="population"
        )


def _population(
    path: Any, known: _Published, fetch: Callable[[], tuple[Any, Any]]
) -> FinitePopulation:
    found = _located(path, known)
    X, y = _fetched(known, fetch) if found is None else _read(found, known)
    name = known.name
    if len(X) != known.examples:
        name = f"{name} ({len(X)} of {known.examples} examples)"
    return FinitePopulation(X, y, name=name)


def _located(path: Any, known: _Published) -> Path | None:
    """Return the file to read, or None if the data set is to be fetched."""
    folder = os.environ.get(FOLDER)
    if path is None and not folder:
        return None
    place = Path(path or str(folder))
    if place.is_file():
        return place
    places = (place / f"{known.file}{suffix}" for suffix in _SUFFIXES)
    found = next((place for place in places if place.is_file()), None)
    if found is None and path is not None:
        raise InvalidInputError(
            f"must be a file, or a folder that holds {known.file} of {known.page}, got {path}",
            argument="path",
        )
    return found


def _read(path: Path, known: _Published) -> tuple[Any, Any]:
    import pandas as pd

    try:
        frame = pd.read_csv(path, header=None, keep_default_na=False, compression="infer")
        y = frame.pop(known.target)  # type: ignore[arg-type] # columns have numbers
        right = frame.shape[1] == known.columns - 1 and set(y.unique()) <= set(known.classes)
        X = frame.to_numpy(dtype=np.int16 if right else object)
        if not right or (frame != X).to_numpy().any():
            raise ValueError("it holds other values")
    except Exception as error:  # noqa: BLE001 - decompressors raise errors of their own
        raise InvalidInputError(
            f"{path} is not {known.file} of {known.page}: {one_line(error)}"
        ) from None
    return X, y.to_numpy()


def _fetched(known: _Published, fetch: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
    try:
        with warnings.catch_warnings():
            # Repeated attempts are announced by warnings; if the last one fails too, the error below says so.
            warnings.simplefilter("ignore")
            return fetch()
    except (OSError, HTTPException, ValueError) as error:
        raise InvalidInputError(
            f"the data set {known.name} could not be fetched ({one_line(error)}); download "
            f"{known.file} from {known.page} and give its `path`, or name its folder in {FOLDER}"
        ) from None


def _fetch_letter() -> tuple[Any, Any]:
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
    return X, np.asarray(y, dtype=str)


def _fetch_covertype() -> tuple[Any, Any]:
    from sklearn.datasets import fetch_covtype

    X, y = fetch_covtype(return_X_y=True, n_retries=1, delay=0.5)
    return X, y
