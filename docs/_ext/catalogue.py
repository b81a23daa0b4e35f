"""Pages that are written from the code at every build, so that they cannot go stale, and links to public names.

The pages land in ``docs/generated``: the table of methods, one page per method, the losses, the references, the commands
and the report that the guide shows.
"""

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import errbar
from errbar import losses, methods
from errbar._references import REFERENCES, Reference
from errbar.methods import METHODS, Method


def generate(app: Sphinx) -> None:
    """Write all generated pages."""
    folder = Path(app.srcdir) / "generated"
    pages = {
        "methods-table.inc": methods_table(),
        "choice-table.inc": choice_table(),
        "losses-table.inc": losses_table(),
        "references.inc": references(),
        "commands.inc": commands(),
        "report.inc": report(folder / "differences.svg"),
    }
    pages |= {f"methods/{method.key}.rst": method_page(method) for method in METHODS.values()}
    for name, text in pages.items():
        write(folder / name, text)


def write(path: Path, text: str) -> None:
    """Write a file, unless it holds the text already: an untouched file is not read again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def list_table(header: Iterable[str], rows: Iterable[Iterable[str]], widths: str = "auto") -> str:
    """Return a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [header, *rows]:
        for i, cell in enumerate(row):
            lines.append(f"   {'* -' if i == 0 else '  -'} {cell}".rstrip())
    return "\n".join(lines) + "\n\n"


def title(text: str, mark: str = "=") -> str:
    """Return a heading."""
    return f"{text}\n{mark * len(text)}\n\n"


def cite(key: str) -> str:
    """Return a link to an entry of the references, such as "Nadeau & Bengio (2003)"."""
    return f":ref:`{short(REFERENCES[key])} <reference-{key}>`"


def short(reference: Reference) -> str:
    """Return family names and year."""
    names = re.findall(r"([^,&]+?), (?:[A-Z]\. ?)+", reference.authors)
    names = [name.strip() for name in names]
    who = " & ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{who} ({reference.year})"


def quoted(words: Iterable[str]) -> str:
    """Return words in literal type, with commas."""
    return ", ".join(f"``{word}``" for word in words)


def methods_table() -> str:
    """Return the table of all methods."""
    header = ("Method", "What it speaks of", "Estimand", "Plans", "Fits per learner", "Reference")
    rows = (
        (
            f":doc:`{method.key} </generated/methods/{method.key}>`",
            method.claim,
            str(method.estimand),
            quoted(method.plans),
            method.fits,
            ", ".join(cite(key) for key in method.references),
        )
        for method in METHODS.values()
    )
    return list_table(header, rows, "12 32 8 16 10 22")


def choice_table() -> str:
    """Return which method judges which plan, and from what."""
    kinds = dict.fromkeys(kind for method in METHODS.values() for kind in method.plans)
    header = ("Method", *(f"``{kind}``" for kind in kinds), "Needs")
    rows = (
        (
            f":doc:`{method.key} </generated/methods/{method.key}>`",
            *(("once" if method.once else "yes") if kind in method.plans else "" for kind in kinds),
            "one loss per example" if method.pointwise else "one score per split",
        )
        for method in METHODS.values()
    )
    return list_table(header, rows)


def method_page(method: Method) -> str:
    """Return the page of one method: what the registry knows, then its documentation."""
    rows = [
        ("It speaks of", method.claim),
        ("Estimand", f"{method.estimand}: {method.estimand.words}"),
        ("Formula", method.formula),
        ("Plans", quoted(method.plans) + (" (a single partition)" if method.once else "")),
        ("Default plan", f"``{method.default_plan}``"),
        ("Needs", "one loss per example" if method.pointwise else "one score per split"),
        ("Own options", quoted(f"{name}={value!r}" for name, value in method.options.items()) or "none"),
        ("Fits per learner", method.fits),
        ("References", ", ".join(cite(key) for key in method.references)),
    ]
    table = "".join(f"   * - {name}\n     - {value}\n" for name, value in rows)
    functions = [method.function.__name__, *companions(method)]
    return "".join(
        [
            title(method.key),
            ".. list-table::\n   :widths: 20 80\n   :stub-columns: 1\n\n",
            table,
            "\n.. currentmodule:: errbar.methods\n\n",
            *(f".. autofunction:: {name}\n\n" for name in functions),
        ]
    )


def companions(method: Method) -> list[str]:
    """Return the other public functions that live in the method's file."""
    registered = {other.function for other in METHODS.values()}
    public = [getattr(methods, name) for name in methods.__all__]
    return [
        found.__name__
        for found in public
        if inspect.isfunction(found) and found.__module__ == method.function.__module__ and found not in registered
    ]


def losses_table() -> str:
    """Return the table of the losses that have a key of their own."""
    rows = ((f"``{loss.key}``", loss.task, " or ".join(loss.needs), loss.direction) for loss in losses.LOSSES.values())
    return list_table(("Key", "Task", "Prediction it uses", "Direction"), rows)


def references() -> str:
    """Return the literature, each entry with the methods that cite it."""
    text = ""
    for key, entry in sorted(REFERENCES.items(), key=lambda item: (item[1].authors, item[1].year)):
        users = [method.key for method in METHODS.values() if key in method.references]
        links = ", ".join(f":doc:`{user} </generated/methods/{user}>`" for user in users)
        text += f".. _reference-{key}:\n\n**{short(entry)}**\n   {entry}"
        text += f" Used by {links}.\n\n" if links else "\n\n"
    return text


def commands() -> str:
    """Return the help of every command, from the program itself."""
    import typer

    from errbar.cli import app

    return "".join(command_text(name, command) for name, command in walk(typer.main.get_command(app), "errbar"))


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with its full name."""
    inner = getattr(command, "commands", None)
    if not inner:
        yield name, command
        return
    for word, found in inner.items():
        if not found.hidden:
            yield from walk(found, f"{name} {word}")


def command_text(name: str, command: Any) -> str:
    """Return one command: what it does, its arguments, its options."""
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    usage = " ".join([name, "[OPTIONS]" if options else "", *(argument_name(argument) for argument in arguments)])
    text = title(name, "-") + plain(inspect.cleandoc(command.help or "")) + "\n\n"
    text += f".. code-block:: text\n\n   {usage}\n\n"
    rows = [(f"``{argument_name(a)}``", one_line(getattr(a, "help", ""))) for a in arguments]
    rows += [(f"``{option_name(option)}``", option_help(option)) for option in options]
    return text + (list_table(("Argument or option", "Meaning"), rows, "34 66") if rows else "")


def argument_name(argument: Any) -> str:
    """Return an argument as the usage line shows it."""
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def option_name(option: Any) -> str:
    """Return an option with the value it takes."""
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join([*option.opts, *option.secondary_opts]) + value


def option_help(option: Any) -> str:
    """Return the help of an option with its default."""
    text = one_line(option.help)
    default = option.default
    if option.required:
        return f"{text} Required."
    shown = isinstance(default, (int, float, str, Path)) and not isinstance(default, bool)
    return f"{text} Default: ``{default}``." if shown else text


def one_line(text: str | None) -> str:
    """Return text on one line, with a full stop."""
    joined = plain(" ".join((text or "").split()))
    return joined if not joined or joined.endswith((".", "?")) else f"{joined}."


def plain(text: str) -> str:
    """Turn what a terminal shows in colour, and Markdown's back-ticks, into reStructuredText."""
    text = re.sub(r"\[/?(?:bold|dim|italic|green|cyan|red|yellow)\]", "", text)
    text = re.sub(r"(?<!`)`([^`\n]+)`(?!`)", r"``\1``", text)
    return text.replace("*", r"\*").replace("\f", "").replace("\b", "")


def report(picture: Path) -> str:
    """Run the comparison that the guide talks about, draw it, and return its report."""
    import matplotlib as mpl
    from sklearn.datasets import load_diabetes
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor

    X, y = load_diabetes(return_X_y=True)
    learners = {"ridge": Ridge(0.1), "5-NN": KNeighborsRegressor(5), "mean": DummyRegressor()}
    comparison = errbar.compare(learners, X, y, loss="absolute-error", random_state=0)
    picture.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "errbar"}):
        comparison.plot().figure.savefig(picture, metadata={"Date": None})
    text = errbar.report.text(comparison, width=88, color=False)
    lines = "\n".join(f"   {line}".rstrip() for line in text.splitlines())
    drawn = f".. image:: /generated/{picture.name}\n   :alt: Differences of the three learners, with intervals\n"
    return f".. code-block:: text\n\n{lines}\n\n{drawn}"


def public_name(text: str) -> str | None:
    """Return the full name of what single back-ticks speak of, or None for a parameter and the like."""
    if text.startswith("errbar."):
        return text
    first = text.partition(".")[0]
    if first in errbar.__all__ and (first != text or not inspect.ismodule(getattr(errbar, first))):
        return f"errbar.{text}"
    return f"errbar.methods.{text}" if first in methods.__all__ else None


def name_role(role: str, rawtext: str, text: str, lineno: int, inliner: Any, *rest: Any) -> Any:  # noqa: ARG001
    """Link public names, and set everything else in literal type: what single back-ticks do here."""
    target = public_name(text)
    if target is None:
        return [nodes.literal(rawtext, text)], []
    reference = inliner.document.settings.env.domains["py"].role("obj")
    return reference("py:obj", rawtext, f"{text} <{target}>", lineno, inliner)


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into the build."""
    app.connect("builder-inited", generate)
    app.add_role("name", name_role)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
