"""What a command shows: tables, JSON, files, a progress bar, one line for an error."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import errbar
from errbar.cli.invocation import command
from errbar.cli.messages import print_error, printable, unwritable
from errbar.cli.options import ReportOptions
from errbar.comparison import Comparison
from errbar.errors import Failure, InvalidInputError

if TYPE_CHECKING:
    from errbar.fits import Progress

NARROWEST, WIDEST_PROSE = 40, 100


def say(text: str) -> None:
    """Write to standard output; a reader that has seen enough is no error."""
    try:
        print(text, flush=True)  # noqa: T201 - this is the command line
    except (OSError, ValueError) as error:
        if message := unwritable(error):
            raise InvalidInputError(message) from None


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


def prose_width() -> int:
    """Return the characters of a line of running text."""
    columns = shutil.get_terminal_size((WIDEST_PROSE, 24)).columns
    return min(max(NARROWEST, columns), WIDEST_PROSE)


def styled(renderable: Any) -> str:
    """Return what rich makes of a text or table; plain where standard output is no terminal or wants no colour."""
    from rich.console import Console

    console = Console(
        width=prose_width(),
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def comparisons(
    found: Sequence[Comparison],
    output: ReportOptions,
    *,
    extra: Mapping[str, Any] | None = None,
    each: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Show comparisons as tables or as one JSON object, and write the reports.

    With several, the JSON object of the first also holds all of them under ``comparisons``.
    """
    read = getattr(output, "data", None) or getattr(output, "scores", None) or ()
    places = [read] if isinstance(read, str) else read
    name = output.name or ", ".join(Path(place).name for place in places)
    found = [one.named(name) for one in found]
    if output.as_json:
        additions = each or [{}] * len(found)
        data = [one.to_dict() | dict(more) for one, more in zip(found, additions, strict=True)]
        several = {"comparisons": data} if len(data) > 1 else {}
        say(json.dumps(data[0] | several | dict(extra or {}), indent=2))
    else:
        report = f"report in {output.out}" if output.out else "--out report.html"
        answer = errbar.report.text(found, more=f"--details · {report}")
        if output.details:
            answer += f"\n\n{errbar.report.details(found, command=command())}"
        say(answer)
    if output.out is not None:
        errbar.report.save(found, output.out, command=command())


def failures(found: Sequence[Failure]) -> dict[str, Any]:
    """Return failed fits, and learners that could not be made, as plain data, if there are any."""
    listed = [{"learner": f.learner, "split": f.split, "message": f.message} for f in found]
    return {"failures": listed} if listed else {}


def print_failures(found: Sequence[Failure]) -> None:
    """Write one line per learner that failed; a failure that belongs to no split is one of the learner itself."""
    from errbar.report.words import counted

    by_learner: dict[str, list[Failure]] = {}
    for failure in found:
        by_learner.setdefault(failure.learner, []).append(failure)
    for learner, (first, *more) in by_learner.items():
        fits = f"{counted(1 + len(more), 'fit')} of {learner} failed; first, {first.split}"
        print_error(f"{fits if first.split else f'learner {learner} failed'}: {first.message}")


@contextmanager
def progress_bar(
    *, shown: bool, unit: str = "fits"
) -> Iterator[Callable[["Progress"], None] | None]:
    """Show what is done, what failed, time left and the current learner on standard error, if that is a terminal.

    Nothing of it is left at the end.
    """
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress as Bar,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(compact=True),
        TextColumn("left {task.description}"),
    )
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=console.is_dumb_terminal) as bar:
        task = bar.add_task("", total=None)

        def update(state: "Progress") -> None:
            failed = f"[red]{state.failed} failed[/red]  " if state.failed else ""
            now = failed + escape(printable(state.learner))
            bar.update(task, completed=state.done, total=state.total, description=now)

        yield update
