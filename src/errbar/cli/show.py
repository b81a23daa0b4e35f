"""What a command shows: tables, JSON, files, a progress bar, one line for an error."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def comparison(found: Comparison, *, as_json: bool, out: Path | None, extra: dict[str, Any] | None = None) -> None:
    """Show a comparison as a table or as one JSON object, and write the report."""
    say(json.dumps(found.to_dict() | (extra or {}), indent=2) if as_json else report.text(found))
    if out is not None:
        written = report.save(found, out)
        if not as_json:
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
def progress_bar(*, shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show fits done, time left and the current learner on standard error, if that is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("fits"),
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
