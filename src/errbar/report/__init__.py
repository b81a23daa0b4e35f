"""What a comparison has found, as text, Markdown, LaTeX, a web page, and as data."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from errbar import _check
from errbar._plain import Names, defused
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.report import page
from errbar.report.story import BoardStory, RankStory, Story, TunedStory
from errbar.report.words import folds_of, templates

if TYPE_CHECKING:
    from errbar.boards import Board
    from errbar.datasets import Ranking
    from errbar.tuning import Tuned

__all__ = ["conclude", "details", "fragment", "html", "latex", "markdown", "save", "text"]

Reported = Union[Comparison, "Board", "Ranking", "Tuned", Sequence[Comparison]]
"""A comparison, several, a board, ranks over data sets, or what is known after a search."""


def text(
    comparison: Reported,
    *,
    more: str | None = None,
    width: int | None = None,
    color: bool | None = None,
    top: int | None = None,
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
    top : int, optional
        Of a board, how many models are shown, by default 10.

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
    stories = _stories(comparison)
    for one in stories:
        one.top = one.top if top is None else _check.count(top, "top")
    parts = [
        page.render(one, one.more if more is None else more, width=width, color=color)
        for one in stories
    ]
    return "\n\n".join([*parts, *_remarks(stories)])


def details(comparison: Reported, *, command: str | None = None, width: int | None = None) -> str:
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
    stories = _stories(comparison, command)
    return "\n\n".join(page.details(folds_of(one), width=width) for one in stories)


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
    story = Story(comparison)
    return [text for text in (story.verdict, *story.remarks, story.power) if text]


def markdown(comparison: Reported, *, command: str | None = None) -> str:
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
    InvalidInputError
        As for `details`.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> errbar.report.markdown(errbar.compare_table(table)).count("| --- |")
    0
    """
    return _templated("report.md.jinja", comparison, command)


def latex(comparison: Reported, *, command: str | None = None) -> str:
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
    InvalidInputError
        As for `details`.

    Examples
    --------
    >>> import errbar
    >>> scores = {"a": [0.31, 0.28, 0.35], "b": [0.25, 0.27, 0.26]}
    >>> table = errbar.from_scores(scores, n_train=90, n_test=10)
    >>> errbar.report.latex(errbar.compare_table(table)).count("toprule")
    2
    """
    return _templated("report.tex.jinja", comparison, command)


def html(comparison: Reported, *, command: str | None = None) -> str:
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
    InvalidInputError
        As for `details`.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> "<h1>" in errbar.report.html(errbar.compare_table(table))
    True
    """
    return _templated("page.html.jinja", comparison, command)


def fragment(comparison: Reported) -> str:
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
    InvalidInputError
        As for `details`.

    Examples
    --------
    >>> import errbar
    >>> table = errbar.from_scores({"a": [0.31, 0.28, 0.35]}, n_train=90, n_test=10)
    >>> errbar.report.fragment(errbar.compare_table(table)).startswith("<style>")
    True
    """
    return _templated("fragment.html.jinja", comparison)


def save(comparison: Reported, path: str | Path, *, command: str | None = None) -> Path:
    """Write the report; the ending of the file chooses the form.

    Parameters
    ----------
    comparison : Comparison or sequence of Comparison
        What to report. Of several, JSON holds all under ``comparisons`` in the object of the first.
    path : str or Path
        File to write. Reports are .html, .md and .tex; all numbers are in .json, and as a table
        with a row per learner and per pair in .csv. It appears whole or not at all.
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
    >>> errbar.report.save(errbar.compare_table(table), "report.md").name
    'report.md'
    """
    file = check_path(path)
    content = FORMS[file.suffix.lower()](comparison, command=command)
    # Written beside the file and then moved into its place, so that nobody finds half a report.
    part = file.resolve().with_name(f".{file.name}.part")
    with writing(file):
        try:
            part.write_bytes(f"{content.rstrip()}\n".encode())
            part.replace(file.resolve())
        finally:
            part.unlink(missing_ok=True)
    return file


def check_path(path: str | Path, endings: Names = ()) -> Path:
    """Return the path if a report, or a file with other endings, can be written there."""
    file, known = Path(path), tuple(endings or FORMS)
    if not file.name[1:].lower().endswith(known):
        raise InvalidInputError(f"'{file}' must end in one of {', '.join(known)}; name another")
    if file.is_dir() or not file.parent.is_dir():
        raise InvalidInputError(f"'{file}' cannot be written: no such folder; name another")
    return file


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Say in one line why the system refuses a file."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"'{path}' cannot be written: {error.strerror or error}") from None


def _listed(found: Reported) -> Any:
    """Return one or several answers as a list."""
    several = list(found) if isinstance(found, Iterable) else [found]
    if not several or not {type(one).__name__ for one in several} <= {*STORIES}:
        raise InvalidInputError(
            "must be a Comparison, such as errbar.compare returns, or a sequence of them, "
            f"got {_check.brief(found)}",
            argument="comparison",
        )
    return several


STORIES: dict[str, Any] = {
    "Board": BoardStory,
    "Comparison": Story,
    "Ranking": RankStory,
    "Tuned": TunedStory,
}
"""What tells of each kind of answer."""


def story_of(found: Any, command: str | None = None) -> Any:
    """Return what a report tells of an answer."""
    return STORIES[type(found).__name__](found, command)


def _stories(found: Reported, command: str | None = None) -> list[Any]:
    return [story_of(one, command) for one in _listed(found)]


def _remarks(stories: Any) -> Names:
    """Return what must be said of several losses: that their tests are not adjusted for there being several."""
    count = len({one.measure for one in stories})
    if count == 1 or not any(one.differences for one in stories):
        return []
    return [f"p-values are not adjusted for there being {count} losses."]


def _templated(name: str, found: Reported, command: str | None = None) -> str:
    stories = _stories(found, command)
    facts = {"stories": stories, "remarks": _remarks(stories), "view_of": page.view_of}
    return str(templates().get_template(name).render(facts)).strip()


def _json(found: Reported, **_: Any) -> str:
    """Return the plain data of the first, with those of all where there are several."""
    data = [one.to_dict() for one in _listed(found)]
    shown = data[0] | ({"comparisons": data} if len(data) > 1 else {})
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False)


def _csv(found: Reported, **_: Any) -> str:
    """Return the rows of all comparisons, with the name of each."""
    pandas = _check.package("pandas", "app")
    frames = [one.frame().assign(comparison=one.name) for one in _stories(found)]
    return str(pandas.concat(frames).map(defused).to_csv(index=False, lineterminator="\n"))


FORMS: dict[str, Callable[..., str]] = {
    ".html": html,
    ".md": markdown,
    ".tex": latex,
    ".json": _json,
    ".csv": _csv,
}
