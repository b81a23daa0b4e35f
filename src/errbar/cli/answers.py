"""What commands that answer a question share: what is asked of each method, and how answers are shown."""

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import errbar
from errbar.cli import checks, files, show
from errbar.cli.options import MethodOptions, PlotOptions, ReportOptions
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.methods import lookup

if TYPE_CHECKING:
    from errbar.gates import Gate, Threshold


def arguments(question: MethodOptions) -> list[dict[str, Any]]:
    """Return keyword arguments of `study.compare_table`, for each of the methods; each gets the options that it has."""
    options = dict(map(_option, question.options or ()))
    common = {name: getattr(question, name) for name in question.common}
    specs = [lookup(key) for key in question.methods if key is not None]
    if not specs:
        return [{"method": None, **common, **options}]
    for name in options:
        if not any(name in spec.options for spec in specs):
            specs[0].check_options({name: None})
    return [
        {"method": spec.key, **common}
        | {name: value for name, value in options.items() if name in spec.options}
        for spec in specs
    ]


def _option(text: str) -> tuple[str, Any]:
    """Return name and value from a string such as ``rho=0.7``."""
    name, equals, value = map(str.strip, text.partition("="))
    if not equals or not name:
        raise InvalidInputError(f"--option must look like rho=0.7, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except checks.NOT_LITERAL:
        return name, value


def check_report(output: ReportOptions) -> None:
    """Refuse a report that could not be written, before anything is computed."""
    if output.out is not None:
        errbar.report.check_path(output.out)
        files.refuse_read(output.out, output)


def answer(
    found: Sequence[Comparison],
    gates: "Sequence[Gate | Threshold]",
    output: ReportOptions,
    extra: Mapping[str, Any] | None = None,
) -> int:
    """Show comparisons and what became of the gates; return the exit status."""
    if not gates:
        show.comparisons(found, output, extra=extra)
        return 0
    from errbar.cli import gating  # which most calls do not need

    judged = [gating.judge(gate, found) for gate in gates]
    show.comparisons(found, output, extra={**gating.data(judged), **(extra or {})})
    return gating.report(judged, as_json=output.as_json)


def show_drawn(found: Any, draw: Callable[[Any], Any], output: PlotOptions) -> int:
    """Print an answer, and draw it where that is asked for; return the exit status."""
    if output.as_json:
        show.say(json.dumps(found.to_dict(), indent=2))
    else:
        show.say(str(found))
    if output.out is not None:
        files.write_plot(draw, found, output.out, quiet=output.as_json)
    return 0
