"""What a comparison has found, as text, Markdown, LaTeX, a web page, and as data."""

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.report import rows, screen
from errbar.report.several import Comparisons, listed, names_of, remarks_of
from errbar.report.story import Story

if TYPE_CHECKING:
    from errbar.datasets import Ranking

__all__ = ["conclude", "details", "fragment", "html", "latex", "markdown", "save", "text"]

_MORE = ".details() · .save('report.html')"


def text(
    comparison: "Comparisons | Ranking",
    *,
    more: str = _MORE,
    width: int | None = None,
    color: bool | None = None,
) -> str:
    """Return the first screen: the verdict, a line for each learner, and one for each difference.

    Parameters
    ----------
    comparison : Comparison, sequence of Comparison, or Ranking
        What to report; several stand one below the other.
    more : str, optional
        How to see the rest, for the last line.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether the verdict is bold; by default only on a terminal, and not where NO_COLOR is set.

    Returns
    -------
    str
        Several lines, without a line feed at the end.

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10)
    >>> print(errbar.report.text(errbar.compare_table(table)).splitlines()[0])
    score, lower is better · 3 random splits, 90 + 10 examples
    """
    if hasattr(comparison, "mean_ranks"):
        from errbar.report import ranking

        return ranking.text(cast("Ranking", comparison), width=width)
    found = listed(comparison)
    parts = [screen.render(Story(one), more, width=width, color=color) for one in found]
    return "\n\n".join([*parts, *remarks_of(found)])


def details(
    comparison: Comparisons, *, command: str | None = None, width: int | None = None
) -> str:
    """Return all that the first screen leaves out: what is estimated, method, splits, notes, and the call.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; several stand one below the other.
    command : str, optional
        The command that makes the numbers again; by default a call is shown.
    width : int, optional
        Characters per line; by default those of the terminal.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> print(errbar.report.details(errbar.compare_table(table)).splitlines()[0])
    What is estimated
    """
    found = listed(comparison)
    return "\n\n".join(screen.details(Story(one, command).folds, width=width) for one in found)


def conclude(comparison: Comparison) -> list[str]:
    """Return what a comparison has found, in sentences.

    Parameters
    ----------
    comparison : Comparison
        Estimates and differences.

    Returns
    -------
    list of str
        The verdict, what an uncorrected test would have said, and what such a study finds.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10, higher_is_better=False)
    >>> errbar.report.conclude(errbar.compare_table(table))[0]
    'No winner: b and a do not differ significantly at 5 %.'
    """
    return list(Story(comparison).sentences)


def markdown(comparison: Comparisons, *, command: str | None = None) -> str:
    """Return the report in Markdown, as GitHub, notebooks and pandoc read it.

    Parameters
    ----------
    comparison, command : optional
        As for `details`.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError, MissingPackageError
        As for `details`; if jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> errbar.report.markdown(errbar.compare_table(table)).count("| --- |")
    0
    """
    return _templated("report.md.jinja", comparison, command)


def latex(comparison: Comparisons, *, command: str | None = None) -> str:
    r"""Return the report in LaTeX, without a preamble; its tables need ``\usepackage{booktabs}``.

    Parameters
    ----------
    comparison, command : optional
        As for `details`.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError, MissingPackageError
        As for `details`; if jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10)
    >>> errbar.report.latex(errbar.compare_table(table)).count("toprule")
    2
    """
    return _templated("report.tex.jinja", comparison, command)


def html(comparison: Comparisons, *, command: str | None = None) -> str:
    """Return the report as a web page of one file, which loads nothing.

    A small script sorts, filters and changes the baseline; all can be read without it.

    Parameters
    ----------
    comparison, command : optional
        As for `details`.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError, MissingPackageError
        As for `details`; if jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> "<h1>" in errbar.report.html(errbar.compare_table(table))
    True
    """
    from errbar.report.page import page

    found = listed(comparison)
    return page([Story(one, command) for one in found], names_of(found), remarks_of(found))


def fragment(comparison: Comparisons) -> str:
    """Return the report as an element of a web page, as notebooks show it.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        As for `details`.

    Returns
    -------
    str
        One ``style`` and one ``div`` element, without a script.

    Raises
    ------
    InvalidInputError, MissingPackageError
        As for `details`; if jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> errbar.report.fragment(errbar.compare_table(table)).startswith("<style>")
    True
    """
    from errbar.report.page import part

    return part([Story(one) for one in listed(comparison)])


def save(comparison: Comparisons, path: str | Path, *, command: str | None = None) -> Path:
    """Write the report; the ending of the file chooses the form.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report. Of several, JSON holds all under ``comparisons`` in the object of the first.
    path : str or Path
        File to write. Reports are .html, .md, .tex and .txt; all numbers are in .json, and as a table
        with a row per learner and per pair in .csv and .parquet. It appears whole or not at all.
    command : str, optional
        As for `details`.

    Returns
    -------
    Path

    Raises
    ------
    InvalidInputError, MissingPackageError
        If `comparison` is no comparison, the ending is another one, or the file cannot be written;
        if a package for this form is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> errbar.report.save(errbar.compare_table(table), "report.txt").name
    'report.txt'
    """
    found = listed(comparison)
    file = check_path(path)
    content = _FORMS[file.suffix.lower()](found, command)
    if isinstance(content, str):
        content = (content.removesuffix("\n") + "\n").encode()
    try:
        _write(file, content)
    except OSError as error:
        raise InvalidInputError(
            f"the report cannot be written to '{file}': {error.strerror or error}"
        ) from None
    return file


def check_path(path: str | Path) -> Path:
    """Return the path if a report can be written there."""
    file = Path(path)
    if file.suffix.lower() not in _FORMS:
        raise InvalidInputError(f"a report ends in one of {', '.join(_FORMS)}, got '{file}'")
    if not file.parent.is_dir():
        raise InvalidInputError(f"there is no folder '{file.parent}' to write '{file.name}' to")
    if file.is_dir():
        raise InvalidInputError(f"'{file}' is a folder; a file is needed")
    return file


def _write(file: Path, content: bytes) -> None:
    """Write beside the file and then move into its place, so that nobody finds half a report."""
    target = file.resolve()
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as stream:
            stream.write(content)
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _templated(name: str, comparison: Comparisons, command: str | None) -> str:
    from errbar.report.page import filled

    found = listed(comparison)
    stories = [Story(one, command) for one in found]
    named = list(zip(names_of(found), stories, strict=True))
    return filled(name, stories=named, remarks=remarks_of(found))


def _json(found: Sequence[Comparison]) -> str:
    """Return the plain data of the first comparison, with those of all where there are several."""
    data = [one.to_dict() for one in found]
    shown = data[0] | ({"comparisons": data} if len(data) > 1 else {})
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False)


def _txt(found: Sequence[Comparison], command: str | None) -> str:
    shown = text(found, more="all of it stands below", width=100, color=False)
    return f"{shown}\n\n{details(found, command=command, width=100)}"


_FORMS: dict[str, Callable[[Sequence[Comparison], str | None], str | bytes]] = {
    ".html": lambda found, command: html(found, command=command),
    ".md": lambda found, command: markdown(found, command=command),
    ".tex": lambda found, command: latex(found, command=command),
    ".txt": _txt,
    ".json": lambda found, _: _json(found),
    ".csv": lambda found, _: rows.csv(found),
    ".parquet": lambda found, _: rows.parquet(found),
}
