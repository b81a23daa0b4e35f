"""What a command shows and writes: text, JSON, reports and pictures, a progress bar, a line for each failure."""

import inspect
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import errbar
from errbar import _check
from errbar._plain import Data, Names
from errbar.cli.app import command, print_error, printable, unwritable
from errbar.errors import InvalidInputError

if TYPE_CHECKING:
    from errbar.fits import Progress

NARROWEST, WIDEST_PROSE = 40, 100
PLOTS = (".png", ".svg", ".pdf")
REPORTS = tuple(errbar.report.FORMS)

Asked = Data
"""Options of a command, by name."""


def taken(function: Callable[..., Any], asked: Asked) -> Asked:
    """Return the options that a function has a parameter for, and that were given or have a default."""
    own = inspect.signature(function).parameters.values()
    names = [one.name for one in own if one.kind is not one.VAR_KEYWORD]
    return {name: asked[name] for name in names if asked.get(name) is not None}


def say(text: str) -> None:
    """Write to standard output; a reader that has seen enough is no error."""
    try:
        print(text, flush=True)  # noqa: T201 - this is the command line
    except (OSError, ValueError) as error:
        if message := unwritable(error):
            raise InvalidInputError(message) from None


def say_json(data: Any) -> None:
    """Write plain data as JSON."""
    say(json.dumps(data, indent=2))


@contextmanager
def stdout_for_answers() -> Iterator[None]:
    """Let what others print go to standard error, from workers and compiled code too; they read nothing."""
    sys.stdout.flush()
    kept: dict[int, int] = {}
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        for stream, target in ((0, nothing.fileno()), (1, 2)):
            with suppress(OSError):  # a stream that is closed stays closed
                kept[stream] = os.dup(stream)
                os.dup2(target, stream)
        try:
            yield
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            for stream, copy in kept.items():
                os.dup2(copy, stream)
                os.close(copy)


def styled(*renderables: Any) -> str:
    """Return what rich makes of texts and tables; plain where standard output is no terminal or wants no colour."""
    from rich.console import Console

    columns = shutil.get_terminal_size((WIDEST_PROSE, 24)).columns
    console = Console(
        width=min(max(NARROWEST, columns), WIDEST_PROSE),
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as captured:
        for one in renderables:
            console.print(one)
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def check_file(path: str | None, asked: Asked, endings: Names = ("",)) -> None:
    """Refuse a file that could not be written, or that the command reads."""
    if path is None:
        return
    file = errbar.report.check_path(path, endings).resolve()
    for place in (*_sources(asked), asked.get("store"), asked.get("known")):
        if place is not None and Path(place).resolve() == file:
            raise InvalidInputError(f"'{path}' is read by this command; name another")


def _sources(asked: Asked) -> Names:
    """Return the places that a command reads its numbers from."""
    read = asked.get("data") or asked.get("scores") or ()
    return [read] if isinstance(read, str) else read


def show(found: Any, asked: Asked, *, each: Sequence[Asked] = (), **more: Any) -> None:
    """Show comparisons as text or as one JSON object, and write the report.

    The JSON object is that of the first with `more`, and of several also holds all of them under ``comparisons``, with what
    `each` adds.
    """
    name = asked["name"] or ", ".join(Path(place).name for place in _sources(asked))
    found, out = [one.named(name) for one in found], asked["out"]
    if asked["as_json"]:
        added = each or [{}] * len(found)
        data = [one.to_dict() | dict(own) for one, own in zip(found, added, strict=True)]
        several = {"comparisons": data} if len(data) > 1 else {}
        say_json(data[0] | several | more)
    else:
        say(errbar.report.text(found, more=f"--details · {where(out)}"))
        if asked["details"]:
            say("\n" + errbar.report.details(found, command=command()))
    _save(found, out)


def show_one(found: Any, asked: Asked, text: str = "", draw: Any = None) -> int:
    """Print an answer, and write its picture or page where that is asked for; return the exit status."""
    if asked["as_json"]:
        say_json(found.to_dict())
    else:
        say(text or str(found))
    _save(found, asked.get("out"), draw)
    return 0


def where(out: str | None) -> str:
    """Return where more is to be had."""
    if not out:
        return "--out report.html"
    return f"{'picture' if out.lower().endswith(PLOTS) else 'report'} in {out}"


def _save(found: Any, out: str | None, draw: Any = None) -> None:
    if out is None:
        return
    if out.lower().endswith(PLOTS):
        write_plot(draw, found, out)
    else:
        errbar.report.save(found, out, command=command())


def write_plot(draw: Any, found: Any, path: str) -> None:
    """Draw what was found, and write the figure."""
    _check.package("matplotlib", "app")
    from matplotlib import style

    with errbar.report.writing(path), style.context(errbar.plots.STYLE):
        draw(found).figure.savefig(path)


def failures(found: Any) -> Data:
    """Return failed fits, and learners that could not be made, as plain data, if there are any."""
    listed = [{"learner": f.learner, "split": f.split, "message": f.message} for f in found]
    return {"failures": listed} if listed else {}


def print_failures(found: Any) -> None:
    """Write one line per learner that failed; a failure that belongs to no split is one of the learner itself."""
    from errbar.report.words import counted

    count = Counter(failure.learner for failure in found)
    first = {failure.learner: failure for failure in reversed(found)}
    for learner, times in count.items():
        split = first[learner].split
        fits = f"{counted(times, 'fit')} of {learner} failed; first, {split}"
        print_error(f"{fits if split else f'learner {learner} failed'}: {first[learner].message}")


@contextmanager
def progress_bar(*, shown: bool, unit: str = "fits") -> Iterator[Any]:
    """Show what is done, what failed, time left and the current learner on standard error, if that is a terminal.

    Nothing of it is left at the end.
    """
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console
    from rich.markup import escape

    columns = (
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn(unit),
        progress.TimeRemainingColumn(compact=True),
        progress.TextColumn("left {task.description}"),
    )
    console = Console(stderr=True)
    dumb = console.is_dumb_terminal
    with progress.Progress(*columns, console=console, transient=True, disable=dumb) as bar:
        task = bar.add_task("", total=None)

        def update(state: "Progress") -> None:
            failed = f"[red]{state.failed} failed[/red]  " if state.failed else ""
            now = failed + escape(printable(state.learner))
            bar.update(task, completed=state.done, total=state.total, description=now)

        yield update
