"""What a command shows: tables, JSON, files, a progress bar, one line for an error."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from errbar import report
from errbar.cli.complain import complain
from errbar.engine import Progress
from errbar.errors import FitFailedError
from errbar.study import Comparison


def say(text: str) -> None:
    """Write to standard output."""
    print(text)  # noqa: T201 - this is the command line


def hanging(head: str, text: str) -> str:
    """Return a head and, indented below it, text that fits a terminal."""
    import textwrap

    return f"  {head}\n" + textwrap.fill(text, 96, initial_indent="      ", subsequent_indent="      ")


def comparisons(
    found: Sequence[Comparison],
    *,
    as_json: bool,
    out: Path | None,
    extra: Mapping[str, Any] | None = None,
    each: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Show comparisons as tables or as one JSON object, and write the reports.

    With several, the JSON object of the first also holds all of them under ``comparisons``.
    """
    if as_json:
        additions = each or [{}] * len(found)
        data = [one.to_dict() | dict(more) for one, more in zip(found, additions, strict=True)]
        several = {"comparisons": data} if len(data) > 1 else {}
        say(json.dumps(data[0] | several | dict(extra or {}), indent=2))
    else:
        say("\n\n".join(report.text(one) for one in found))
    write(found, out, quiet=as_json)


def write(found: Sequence[Comparison], out: Path | None, *, quiet: bool = False) -> None:
    """Write one report per comparison; with several the name of the method goes before the ending."""
    if out is None:
        return
    for one in found:
        path = out if len(found) == 1 else out.with_name(f"{out.stem}-{one.method}{out.suffix}")
        written = report.save(one, path)
        if not quiet:
            say(f"\nreport written to {written}")


def failures(error: FitFailedError) -> dict[str, Any]:
    """Return failed fits as plain data."""
    return {"failures": [{"learner": f.learner, "split": f.split, "message": f.message} for f in error.failures]}


def complain_of(error: FitFailedError) -> None:
    """Write one line per learner with failed fits."""
    by_learner: dict[str, list[str]] = {}
    for failure in error.failures:
        by_learner.setdefault(failure.learner, []).append(f"{failure.split}: {failure.message}")
    for learner, messages in by_learner.items():
        count = len(messages)
        complain(f"{count} fit{'s' * (count != 1)} of {learner} failed; first, {messages[0]}")


@contextmanager
def learners_aside() -> Iterator[None]:
    """Let what learners print go to standard error, from workers and compiled code too: the answer stays readable."""
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # a stream is closed
        yield
        return
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def progress_bar(*, shown: bool, unit: str = "fits") -> Iterator[Callable[[Progress], None] | None]:
    """Show what is done, time left and the current learner on standard error, if that is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn(unit),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def update(state: Progress) -> None:
            failed = f" ({state.failed} failed)" if state.failed else ""
            bar.update(task, completed=state.done, total=state.total, description=escape(state.learner) + failed)

        yield update
