"""What commands that answer a question share: what is asked of each method, and how answers are shown."""

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import errbar
from errbar.cli import checks, files, show
from errbar.cli.options import MethodOptions, PlotOptions, ReportOptions
from errbar.errors import InvalidInputError
from errbar.methods import lookup
from errbar.study import Comparison

if TYPE_CHECKING:
    from errbar.gates import Gate, Threshold


def arguments(question: MethodOptions) -> list[dict[str, Any]]:
    """Return keyword arguments of `study.compare_table`, for each of the methods; each gets the options that it has."""
    options = _options_of(question.options) if question.options else {}
    common = {name: getattr(question, name) for name in question.common}
    if question.methods == [None]:
        return [{"method": None, **common, **options}]
    specs = [lookup(key) for key in question.methods if key is not None]
    for name in options:
        if not any(name in spec.options for spec in specs):
            specs[0].check_options({name: None})
    return [
        {"method": spec.key, **common}
        | {name: value for name, value in options.items() if name in spec.options}
        for spec in specs
    ]


def _options_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return method options from strings such as ``rho=0.7``."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidInputError(f"--option must look like rho=0.7, got {text!r}")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except checks.NOT_LITERAL:
            options[name.strip()] = value.strip()
    return options


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
    from errbar.cli import gating

    judged = [gating.judge(gate, found) for gate in gates]
    show.comparisons(found, output, extra={**gating.data(judged), **(extra or {})})
    return gating.report(judged, as_json=output.as_json)


def show_drawn(
    found: Any, draw: Callable[[Any], Any], output: PlotOptions, subject: str | None = None
) -> int:
    """Print an answer, with what it is about, and draw it where that is asked for; return the exit status."""
    if output.as_json:
        about = {} if subject is None else {"of": subject}
        show.say(json.dumps(about | found.to_dict(), indent=2))
    else:
        show.say(show.lines(str(found) if subject is None else f"{subject}\n{found}"))
    if output.out is not None:
        files.write_plot(draw, found, output.out, quiet=output.as_json)
    return 0
