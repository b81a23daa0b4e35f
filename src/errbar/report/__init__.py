"""What a comparison has found, as text, Markdown, LaTeX and HTML."""

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from errbar import plots, study
from errbar.errors import InvalidInputError, MissingPackageError
from errbar.report.document import Document, build
from errbar.report.words import conclude
from errbar.study import Comparison

__all__ = ["Document", "build", "check_path", "conclude", "fragment", "html", "latex", "markdown", "save", "text"]


def text(comparison: Comparison, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the report for a terminal, or in Markdown where rich is not installed.

    Parameters
    ----------
    comparison : Comparison
        What to report.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether to use bold and colour; by default only on a terminal, and not where NO_COLOR is set.

    Returns
    -------
    str
        Several lines, without a line feed at the end.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> print(errbar.report.text(errbar.compare_table(table)).splitlines()[0])
    Comparison of a and b
    """
    from errbar.report.renderers import text as renderer

    try:
        return renderer.render(build(comparison), width=width, color=color)
    except MissingPackageError:
        return markdown(comparison).rstrip("\n")


def markdown(comparison: Comparison) -> str:
    """Return the report in Markdown.

    Parameters
    ----------
    comparison : Comparison
        What to report.

    Returns
    -------
    str
        As GitHub, notebooks and pandoc read it.
    """
    from errbar.report.renderers import markdown as renderer

    return renderer.render(build(comparison))


def latex(comparison: Comparison) -> str:
    r"""Return the report in LaTeX, to be put into a paper.

    Parameters
    ----------
    comparison : Comparison
        What to report.

    Returns
    -------
    str
        Sentences and tables without a preamble; the tables need ``\usepackage{booktabs}``.
    """
    from errbar.report.renderers import latex as renderer

    return renderer.render(build(comparison))


def html(comparison: Comparison) -> str:
    """Return the report as a web page of one file.

    Parameters
    ----------
    comparison : Comparison
        What to report.

    Returns
    -------
    str
        A page with style and figures inside; it loads nothing and runs no script.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    from errbar.report.renderers import html as renderer

    return renderer.page(build(comparison))


def fragment(comparison: Comparison) -> str:
    """Return the report as an element of a web page, as notebooks show it.

    Parameters
    ----------
    comparison : Comparison
        What to report.

    Returns
    -------
    str
        One ``style`` and one ``div`` element.

    Raises
    ------
    MissingPackageError
        If jinja2 or matplotlib is not installed.
    """
    from errbar.report.renderers import html as renderer

    return renderer.fragment(build(comparison))


def save(comparison: Comparison, path: str | Path) -> Path:
    """Write the report; the ending of the file chooses the form.

    Parameters
    ----------
    comparison : Comparison
        What to report.
    path : str or Path
        File to write: .html, .md, .tex, .txt or .json. It appears whole or not at all.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInputError
        If the ending is another one, or the file cannot be written.
    MissingPackageError
        If a package for this form is not installed.
    """
    file = check_path(path)
    content = _FORMS[file.suffix.lower()](comparison)
    try:
        _write(file, content if content.endswith("\n") else content + "\n")
    except OSError as error:
        raise InvalidInputError(f"the report cannot be written to '{file}': {error.strerror or error}") from None
    return file


def check_path(path: str | Path) -> Path:
    """Return the path if a report can be written there.

    Parameters
    ----------
    path : str or Path
        File to write.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    InvalidInputError
        If the ending is unknown, the folder is missing or the path is a folder.
    """
    file = Path(path)
    if file.suffix.lower() not in _FORMS:
        raise InvalidInputError(f"a report ends in one of {', '.join(_FORMS)}, got '{file}'")
    if not file.parent.is_dir():
        raise InvalidInputError(f"there is no folder '{file.parent}' to write '{file.name}' to")
    if file.is_dir():
        raise InvalidInputError(f"'{file}' is a folder; a file is needed")
    return file


def _write(file: Path, content: str) -> None:
    """Write beside the file and then move into its place, so that nobody finds half a report."""
    target = file.resolve()
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _plain(comparison: Comparison) -> str:
    return text(comparison, width=100, color=False)


def _json(comparison: Comparison) -> str:
    return json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


_FORMS: dict[str, Callable[[Comparison], str]] = {
    ".html": html,
    ".md": markdown,
    ".tex": latex,
    ".txt": _plain,
    ".json": _json,
}


class _Report:
    """How comparisons show themselves."""

    def text(self, comparison: Comparison) -> str:
        """Return the report without colour: the text may go anywhere."""
        return text(comparison, color=False)

    def html(self, comparison: Comparison) -> str:
        """Return the report for notebooks."""
        return fragment(comparison)

    def markdown(self, comparison: Comparison) -> str:
        """Return the report as Markdown."""
        return markdown(comparison)

    def latex(self, comparison: Comparison) -> str:
        """Return the report as LaTeX."""
        return latex(comparison)

    def plot(self, comparison: Comparison, ax: Any) -> Any:
        """Draw the differences, or the estimate of a single learner."""
        return plots.differences(comparison, ax) if comparison.pairs else plots.estimates(comparison, ax)

    def save(self, comparison: Comparison, path: Path) -> Path:
        """Write the report to a file."""
        return save(comparison, path)


study.present_with(_Report())
