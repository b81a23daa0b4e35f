"""Pages that are written from the code at every build, so that they cannot go stale, and links to public names.

The pages land in ``docs/generated``: one page per method, what was measured of them, the laws, the losses, the references,
the commands and the report that the guide shows.
"""

import importlib
import inspect
import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import errbar
from errbar import methods, metrics
from errbar.cli.tables import as_data
from errbar.methods import Method
from errbar.methods._core.references import REFERENCES, Reference
from errbar.methods.evidence import Evidence
from errbar.plans import KINDS
from errbar.result import Estimand


def generate(app: Sphinx) -> None:
    """Write all generated pages."""
    folder = Path(app.srcdir) / "generated"
    pages = {
        "plans-table.inc": plans_table(),
        "coverage-table.inc": coverage_table(),
        "laws-table.inc": laws_table(),
        "notes-table.inc": notes_table(),
        "losses-table.inc": losses_table(),
        "metrics-table.inc": metrics_table(),
        "references.inc": references(),
        "commands.inc": commands(),
        "report.inc": report(folder / "differences.svg"),
    }
    pages |= {
        f"methods/{method.key}.rst": method_page(method) for method in methods.catalogue().values()
    }
    for name, text in pages.items():
        write(folder / name, text)


def write(path: Path, text: str) -> None:
    """Write a file, unless it holds the text already: an untouched file is not read again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def list_table(
    header: Iterable[str], rows: Iterable[Iterable[str]], widths: str = "auto", caption: str = ""
) -> str:
    """Return a table in reStructuredText; one with a caption is as wide as the page."""
    lines = [f".. list-table:: {caption}".rstrip(), "   :header-rows: 1", f"   :widths: {widths}"]
    lines += ["   :width: 100%", ""] if caption else [""]
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
    several = len(names) > 2 or reference.authors.endswith("et al.")
    who = f"{names[0]} et al." if several else " & ".join(names)
    return f"{who} ({reference.year})"


def quoted(words: Iterable[str]) -> str:
    """Return words in literal type, with commas."""
    return ", ".join(f"``{word}``" for word in words)


def link(key: str) -> str:
    """Return a link to the page of a method."""
    return f":doc:`{key} </generated/methods/{key}>`"


def in_order(found: Iterable[Method]) -> list[Method]:
    """Return methods by key; those for contrast only come last."""
    return sorted(found, key=lambda method: (method.naive, method.key))


def plan_words(method: Method) -> str:
    """Return the kinds of plan that a method judges, in words."""
    return ", ".join(KINDS[kind].words for kind in method.plans) + (
        ", a single repeat" if method.once else ""
    )


def plans_table() -> str:
    """Return for every kind of plan the methods that judge it."""
    every = methods.catalogue().values()
    rows = [
        (
            f"``{kind}``",
            words,
            ", ".join(link(method.key) for method in in_order(every) if kind in method.plans),
        )
        for kind, words in ((key, kind.words) for key, kind in KINDS.items())
    ]
    return list_table(("Kind", "Splits", "Methods"), (row for row in rows if row[2]), "16 24 60")


def method_page(method: Method) -> str:
    """Return the page of one method: an example, what the registry knows, what was measured, then its documentation."""
    functions = "".join(
        f".. autofunction:: {name}\n\n" for name in [method.function.__name__, *companions(method)]
    )
    classes = "".join(
        f".. autoclass:: {name}\n   :members:\n\n" for name in companions(method, inspect.isclass)
    )
    return "".join(
        [
            title(method.key),
            f"{method.claim}\n\n",
            f".. include:: ../worked/{method.key}.inc\n\n",
            ".. list-table::\n   :widths: 20 80\n   :stub-columns: 1\n\n",
            *(f"   * - {name}\n     - {value}\n" for name, value in facts(method) if value),
            f"\n.. include:: ../atlas-of/{method.key}.inc\n",
            "\n.. currentmodule:: errbar.methods\n\n",
            functions + classes,
        ]
    )


def facts(method: Method) -> list[tuple[str, str]]:
    """Return what the registry knows of a method; what is empty does not apply."""
    data = as_data(method)
    options = quoted(
        f"{name}={getattr(value, '__name__', value)!r}" for name, value in method.options.items()
    )
    return [
        ("It is about", data["speaks_of"]),
        ("Partner", partner_words(method)),
        ("Estimand", f"{method.estimand}, {method.estimand.words}: see :doc:`/guide/estimands`"),
        ("Formula", escaped(method.formula)),
        ("Assumptions", bullets(method.assumptions)),
        ("Splits", plan_words(method)),
        ("Default plan", default_plan(method)),
        ("Needs", data["needs"]),
        (
            "Needs of the :doc:`design </guide/designs>`",
            bullets(need.words for need in method.needs),
        ),
        ("Own options", options or "none"),
        ("Fits per learner", method.fits),
        (
            "Measured coverage",
            measured(method) or "not among the settings of :doc:`/guide/coverage` yet",
        ),
        (
            "Exempt from :ref:`laws <laws>`",
            bullets(f"``{law}``: {reason}" for law, reason in method.exempt.items()),
        ),
        ("References", ", ".join(cite(key) for key in method.references)),
    ]


def partner_words(method: Method) -> str:
    """Name the method for what this one does not take."""
    if not method.partners:
        return ""
    other = {"pair": "single learners", "learner": "pairs", "all": "pairs"}.get(
        method.subject, "the rest"
    )
    return " or ".join(map(link, method.partners)) + f", for {other}"


def default_plan(method: Method) -> str:
    """Return the plan that a method brings."""
    return (
        f"``{method.default_plan}``"
        if method.default_plan
        else "none: nothing is fitted, the numbers are given"
    )


def measured(method: Method) -> str:
    """Return the coverage of the intervals of a method for each target, an item per setting."""
    found = by_setting(methods.evidence.of(method.key))
    targets = (
        "R is the risk of the model fitted on all n examples; ER(n) and ER(n1) are the expected risks of training on n "
        "and n1.\n\n       "
    )
    return targets * bool(found) + bullets(
        f"n = {n}: "
        + ", ".join(f"{row.target} {percent(row)} %" for row in rows)
        + f"; mean width {rows[0].width:.3g} ({replicates} intervals at {100 * level:g} %, {problem})"
        for (problem, n, level, replicates), rows in found.items()
    )


def by_setting(found: Iterable[Evidence]) -> dict[tuple[str, int, float, int], list[Evidence]]:
    """Return findings that can be compared with each other, by what they have in common."""
    settings: dict[tuple[str, int, float, int], list[Evidence]] = {}
    for row in found:
        settings.setdefault((row.problem, row.n, row.level, row.replicates), []).append(row)
    return settings


def percent(row: Evidence) -> str:
    """Return a coverage in percent with its Monte-Carlo standard error, which is not 0 where all intervals cover."""
    count = row.replicates + 4
    share = (row.covered + 2) / count
    error = math.sqrt(share * (1.0 - share) / count)
    return f"{100 * row.coverage:.1f} ± {100 * error:.1f}"


def escaped(text: str) -> str:
    """Return text in which nothing is markup."""
    return re.sub(r"([*_`|\\])", r"\\\1", text)


def bullets(items: Iterable[str]) -> str:
    """Return the cell of a table with a list; a single item stands without a bullet."""
    found = list(items)
    return found[0] if len(found) == 1 else "\n       ".join(f"* {item}" for item in found)


def companions(method: Method, kind: Any = inspect.isfunction) -> list[str]:
    """Return the other public functions, or classes, of the method's file that stand on its page.

    That is the page of the first method whose docstring names them, or of the last one of the file.
    Public methods are wrapped, so they are compared with what the catalogue holds inside their wrapping.
    """
    registered = [other.function for other in methods.catalogue().values()]
    beside = [one for one in registered if one.__module__ == method.function.__module__]

    def plain(text: str | None) -> str:
        return (text or "").replace("_", "").lower()

    def home(name: str) -> Any:
        return next((one for one in beside if plain(name) in plain(one.__doc__)), beside[-1])

    public = [getattr(methods, name) for name in methods.__all__]
    return [
        found.__name__
        for found in public
        if kind(found)
        and found.__module__ == method.function.__module__
        and found not in registered
        and home(found.__name__) is method.function
    ]


def coverage_table() -> str:
    """Return what was measured: for each problem and size a row per method, and a column per target."""
    found = [row for key in methods.catalogue() for row in methods.evidence.of(key)]
    tables = [setting_table(*setting, rows) for setting, rows in by_setting(found).items()]
    return (
        "".join(tables)
        or "Nothing is there yet: the simulations have not been run for this version.\n"
    )


def setting_table(
    problem: str, n: int, level: float, replicates: int, found: list[Evidence]
) -> str:
    """Return the findings of one problem and size."""
    targets = list(dict.fromkeys(row.target for row in found))
    methods_there: dict[str, dict[str, Evidence]] = {}
    for row in found:
        methods_there.setdefault(row.method, {})[row.target] = row
    rows = [
        (
            link(key),
            *(covered(of.get(target)) for target in targets),
            f"{next(iter(of.values())).width:.3f}",
        )
        for key, of in methods_there.items()
    ]
    head = f"n = {n}: coverage of {100 * level:g} % intervals in percent, {replicates} data sets ({problem})"
    widths = " ".join(["24", *("18" for _ in targets), "22"])
    return list_table(("Method", *targets, "Mean width"), rows, widths, head)


def covered(row: Evidence | None) -> str:
    """Return a coverage; that of the method's own target in bold."""
    if row is None:
        return ""
    return (
        f"**{percent(row)}**"
        if row.target == own_target(methods.lookup(row.method))
        else percent(row)
    )


def own_target(method: Method) -> str:
    """Return what a method's interval is for, as the simulations name it."""
    return {Estimand.RISK: "R", Estimand.EXPECTED_RISK: "ER(n1)"}.get(method.estimand, "")


def laws_table() -> str:
    """Return the laws of `errbar.testing`, and which methods do not obey them."""
    from errbar.testing import LAWS

    rows = [
        (
            f"``{name}``",
            inspect.cleandoc(check.__doc__ or ""),
            ", ".join(
                link(method.key)
                for method in in_order(methods.catalogue().values())
                if name in method.exempt
            ),
        )
        for name, check in LAWS.items()
    ]
    return list_table(("Law", "What it says", "Exempt"), rows, "28 42 30")


def notes_table() -> str:
    """Return all notes with their sentences, and the scripts that their figures come from."""
    told = tomllib.loads(
        resources.files("errbar").joinpath("notes.toml").read_text(encoding="utf-8")
    )
    rows = []
    for code, entry in told.items():
        sentence = (
            f"``{entry['text']}``"
            if "text" in entry
            else f"lists of {', '.join(entry['kinds']).replace('_', ' ')}"
        )
        measured = f"``{entry['measured']}``" if "measured" in entry else ""
        rows.append((f"``{code}``", entry["severity"], sentence, measured))
    return list_table(("Note", "Severity", "Sentence", "Measured by"), rows, "18 10 48 24")


def losses_table() -> str:
    """Return the table of the losses that have a key of their own."""
    rows = (
        (f"``{loss.key}``", loss.task, " or ".join(loss.needs), loss.direction)
        for loss in metrics.LOSSES.values()
    )
    return list_table(("Key", "Task", "Prediction it uses", "Direction"), rows)


_AVERAGES = ("_macro", "_weighted", "_micro")


def metrics_table() -> str:
    """Return the table of the metrics with influence values; averages over classes stand with the metric of one class."""
    keys = metrics.METRICS.keys()
    rows = []
    for key, metric in metrics.METRICS.items():
        base = key.rpartition("_")[0]
        if metric.pointwise or (key.endswith(_AVERAGES) and base in keys):
            continue
        averages = ", ".join(f"``{ending}``" for ending in _AVERAGES if key + ending in keys)
        low, high = ("" if math.isinf(end) else f"{end:g}" for end in metric.range)
        rows.append(
            (
                f"``{key}``" + (f", also {averages}" if averages else ""),
                metric.words,
                " or ".join(metric.needs),
                {"positive": "a positive one", "two": "two", "all": "all"}[metric.about]
                if metric.task != "regression"
                else "",
                f"{low or '-∞'} to {high or '∞'}",
                "one by one" if metric.pool == "none" else "together",
            )
        )
    return list_table(("Key", "Metric", "Prediction it uses", "Classes", "Range", "Folds"), rows)


def references() -> str:
    """Return the literature, each entry with the methods that cite it."""
    text = ""
    for key, entry in sorted(REFERENCES.items(), key=lambda item: (item[1].authors, item[1].year)):
        users = [method.key for method in methods.catalogue().values() if key in method.references]
        links = ", ".join(link(user) for user in users)
        text += f".. _reference-{key}:\n\n**{short(entry)}**\n   {entry}"
        text += f" Used by {links}.\n\n" if links else "\n\n"
    return text


def commands() -> str:
    """Return the help of every command, from the program itself."""
    from errbar.cli import app

    return "".join(command_text(name, command) for name, command in walk(app, "errbar"))


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with its full name."""
    inner = getattr(command, "commands", None)
    if not inner:
        yield name, command
        return
    for word in inner:
        yield from walk(command.get_command(None, word), f"{name} {word}")


def command_text(name: str, command: Any) -> str:
    """Return one command: what it does, its arguments, its options."""
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    usage = " ".join(
        [name, "[OPTIONS]" if options else "", *(argument_name(argument) for argument in arguments)]
    )
    text = title(name, "~") + plain(inspect.cleandoc(command.help or "")) + "\n\n"
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


def public_name(text: str, module: str = "") -> str | None:
    """Return the full name of what stands in single back-ticks, or None for a parameter and the like.

    What a module on whose page the text stands has of that name comes first.
    """
    if text.startswith("errbar."):
        return text
    first = text.partition(".")[0]
    for home in dict.fromkeys((module, "errbar", "errbar.methods")):
        found = exported(home).get(first)
        if found is not None and (first != text or not inspect.ismodule(found)):
            return f"{home}.{text}"
    return None


def exported(home: str) -> dict[str, Any]:
    """Return the public names of a module of the package."""
    if not home.startswith("errbar"):
        return {}
    module = importlib.import_module(home)
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


def name_role(role: str, rawtext: str, text: str, lineno: int, inliner: Any, *rest: Any) -> Any:  # noqa: ARG001
    """Link public names, and set everything else in literal type: what single back-ticks do here."""
    environment = inliner.document.settings.env
    target = public_name(text, environment.ref_context.get("py:module") or "")
    if target is None:
        return [nodes.literal(rawtext, text)], []
    reference = environment.domains["py"].role("obj")
    return reference("py:obj", rawtext, f"{text} <{target}>", lineno, inliner)


def without_fields(*event: Any) -> None:
    """Leave out of the documentation of a method what the table of its page says."""
    lines = event[-1]
    fields = r"^:(Claim|Formula|Assumption): .+(?:\n +.+)*\n"
    lines[:] = re.sub(fields, "", "\n".join(lines), flags=re.MULTILINE).split("\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Hook into the build."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-docstring", without_fields, priority=100)  # before numpydoc
    app.add_role("name", name_role)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
