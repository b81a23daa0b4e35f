"""What a comparison has found, as text, Markdown, LaTeX and HTML."""

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from errbar import _markup
from errbar.comparison import ComparisonData
from errbar.errors import InvalidInputError
from errbar.report import rows, several
from errbar.report.brief import brief
from errbar.report.conclusions import conclude
from errbar.report.document import Document, build
from errbar.report.several import Comparisons

__all__ = [
    "Document",
    "brief",
    "build",
    "check_path",
    "conclude",
    "fragment",
    "html",
    "latex",
    "markdown",
    "save",
    "text",
]


def text(comparison: Comparisons, *, width: int | None = None, color: bool | None = None) -> str:
    """Return the report for a terminal; no package is needed for it.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; several stand one below the other.
    width : int, optional
        Characters per line; by default those of the terminal.
    color : bool, optional
        Whether to use bold and colour; by default only on a terminal, and not where NO_COLOR is set.

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
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> print(errbar.report.text(errbar.compare_table(table)).splitlines()[0])
    Comparison of a and b
    """
    from errbar.report.renderers import text as renderer

    found = several.listed(comparison)
    parts = [renderer.render(Document(one), width=width, color=color) for one in found]
    if len(found) > 1:
        parts += [renderer.prose(remark, width=width) for remark in several.remarks_of(found)]
    return "\n\n".join(parts)


def markdown(comparison: Comparisons, *, command: str | None = None) -> str:
    """Return the report in Markdown.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; each of several has a heading with the name of its loss or method.
    command : str, optional
        The command that makes the numbers again; by default a call is shown.

    Returns
    -------
    str
        As GitHub, notebooks and pandoc read it.

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> print(errbar.report.markdown(errbar.compare_table(table)).splitlines()[0])
    # Comparison of a and b
    """
    from errbar.report.renderers import markdown as renderer

    found = several.listed(comparison)
    remarks = [f"{_markup.markdown(remark)}\n" for remark in several.remarks_of(found)]
    return "\n".join([*remarks, *map(renderer.render, _entitled(found, command))])


def latex(comparison: Comparisons, *, command: str | None = None) -> str:
    r"""Return the report in LaTeX, to be put into a paper.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; the labels of several are numbered.
    command : str, optional
        The command that makes the numbers again; by default a call is named.

    Returns
    -------
    str
        Sentences and tables without a preamble; the tables need ``\usepackage{booktabs}``.

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> errbar.report.latex(errbar.compare_table(table)).count("toprule")
    2
    """
    from errbar.report.renderers import latex as renderer

    found = several.listed(comparison)
    documents = _entitled(found, command)
    labels = [
        f"{position}-" if len(documents) > 1 else "" for position in range(1, len(documents) + 1)
    ]
    remarks = [f"{_markup.latex(remark)}\n" for remark in several.remarks_of(found)]
    return "\n".join([*map(renderer.render, documents, labels), *remarks])


def html(comparison: Comparisons, *, command: str | None = None) -> str:
    """Return the report as a web page of one file.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; several become tabs.
    command : str, optional
        The command that makes the numbers again; by default a call is shown.

    Returns
    -------
    str
        A page with style and a small script inside. It loads nothing. The script sorts tables, switches
        between losses, methods and baselines, and copies the call; all of the page can be read without it.

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.
    MissingPackageError
        If jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> both = [errbar.compare_table(table, method=method) for method in ("corrected-t", "resampled-t")]
    >>> page = errbar.report.html(both)
    >>> 'data-name="resampled-t"' in page
    True
    """
    from errbar.report import baselines
    from errbar.report.renderers import html as renderer

    found = several.listed(comparison)
    views = [baselines.views_of(one) for one in found]
    above = renderer.Above(
        several.kind_of(found), several.remarks_of(found), several.agreements_of(found)
    )
    return renderer.page(_documents(found, command), views, above)


def fragment(comparison: Comparisons) -> str:
    """Return the report as an element of a web page, as notebooks show it.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report; several stand one below the other.

    Returns
    -------
    str
        One ``style`` and one ``div`` element, without a script.

    Raises
    ------
    InvalidInputError
        If `comparison` is neither a comparison nor a sequence of them.
    MissingPackageError
        If jinja2 is not installed.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> errbar.report.fragment(errbar.compare_table(table)).startswith("<style>")
    True
    """
    from errbar.report.renderers import html as renderer

    found = several.listed(comparison)
    return renderer.fragment(_documents(found, None), several.remarks_of(found))


def save(comparison: Comparisons, path: str | Path, *, command: str | None = None) -> Path:
    """Write the report; the ending of the file chooses the form.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report. Several go into one file: in HTML they become tabs, in JSON the object of the first also holds
        all of them under ``comparisons``, and in the other forms they stand one below the other.
    path : str or Path
        File to write. Reports are .html, .md, .tex and .txt; all numbers are in .json, and as a table with a row per
        learner and per pair in .csv and .parquet. It appears whole or not at all.
    command : str, optional
        The command that makes the numbers again, for the forms that show it; by default a call is shown.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInputError
        If `comparison` is no comparison, the ending is another one, or the file cannot be written.
    MissingPackageError
        If a package for this form is not installed.

    Examples
    --------
    >>> import errbar, pathlib, tempfile
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}, n_train=90, n_test=10)
    >>> both = [errbar.compare_table(table, method=method) for method in ("corrected-t", "resampled-t")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     errbar.report.save(both, pathlib.Path(folder) / "report.md").name
    'report.md'
    """
    found = several.listed(comparison)
    file = check_path(path)
    content = _FORMS[file.suffix.lower()](found, command)
    try:
        _write(
            file,
            content if isinstance(content, bytes) else (content.removesuffix("\n") + "\n").encode(),
        )
    except OSError as error:
        raise InvalidInputError(
            f"the report cannot be written to '{file}': {error.strerror or error}"
        ) from None
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


def _documents(comparison: Comparisons, command: str | None) -> list[tuple[Document, str]]:
    """Return a document per comparison, each with a name of its own."""
    found = several.listed(comparison)
    return [
        (build(one, command=command), name)
        for one, name in zip(found, several.names_of(found), strict=True)
    ]


def _entitled(comparison: Comparisons, command: str | None) -> list[Document]:
    """Return documents, several of them with the name of their loss or method in the title."""
    found = _documents(comparison, command)
    for document, name in found:
        document.title += f": {name}" * (len(found) > 1)
    return [document for document, _ in found]


def _json(found: Sequence[ComparisonData]) -> str:
    """Return the plain data of the first comparison, with those of all where there are several."""
    data = [one.to_dict() for one in found]
    shown = data[0] | ({"comparisons": data} if len(data) > 1 else {})
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False)


_FORMS: dict[str, Callable[[Sequence[ComparisonData], str | None], str | bytes]] = {
    ".html": lambda found, command: html(found, command=command),
    ".md": lambda found, command: markdown(found, command=command),
    ".tex": lambda found, command: latex(found, command=command),
    ".txt": lambda found, _: text(found, width=100, color=False),
    ".json": lambda found, _: _json(found),
    ".csv": lambda found, _: rows.csv(found),
    ".parquet": lambda found, _: rows.parquet(found),
}
