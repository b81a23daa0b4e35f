"""The report in LaTeX: tables with booktabs rules, to be put into a paper."""

from collections.abc import Iterable

from errbar._markup import latex as escape
from errbar.report.cells import Cell, Style
from errbar.report.document import Document
from errbar.report.parts import Fact, ReportColumn, Table


def render(document: Document, label: str = "") -> str:
    """Return the report in LaTeX, without a preamble.

    Parameters
    ----------
    document : Document
        What to say.
    label : str, default ""
        What the labels of its tables begin with, so that several reports fit into one paper.

    Returns
    -------
    str
        Sentences, tables, and the rest as comments.
    """
    return "\n\n".join(_blocks(document, label)) + "\n"


def _blocks(document: Document, label: str) -> Iterable[str]:
    yield "% Needs \\usepackage{booktabs}; with pdfLaTeX also \\usepackage[T1]{fontenc}."
    remarks = [remark for section in document.sections for remark in section.remarks]
    yield f"\\paragraph{{{escape(document.title)}}}\n" + "\n".join(
        sentence.written(STYLE) for sentence in (document.headline, *document.details, *remarks)
    )
    for section in document.sections:
        for table in section.tables:
            # A matrix is wider than a page; errbar.plots.matrix draws one.
            if not table.marks:
                yield _table(table, label)
    assumed = [Fact("Assumes", text) for text in document.assumptions]
    facts = (*document.computed, *assumed, Fact("Made by", document.call), *document.reproduction)
    yield "\n".join(f"% {fact.term}: {fact.text}" for fact in facts)
    notes = tuple(document.notes)
    if notes:
        yield "\n".join(f"% Note {note.term}: {note.text}" for note in notes)
    yield "\n".join(f"% {reference}" for reference in document.references)


def _table(table: Table, label: str) -> str:
    remark = f" {escape(table.remark)}" if table.remark else ""
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        r"\small",
        f"\\caption{{{escape(table.caption)}.{remark}}}",
        f"\\label{{tab:errbar-{label}{table.key}}}",
        f"\\begin{{tabular}}{{{''.join(column.align[0] for column in table.columns)}}}",
        r"\toprule",
        *_head(table.columns),
        r"\midrule",
        *(f"{' & '.join(_cell(cell) for cell in row)} \\\\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _head(columns: tuple[ReportColumn, ...]) -> Iterable[str]:
    """Yield the head, long ones on two lines."""
    pairs = [_halves(str(column.header)) for column in columns]
    for line in (0, 1):
        yield f"{' & '.join(escape(pair[line]) for pair in pairs)} \\\\"


def _halves(header: str) -> tuple[str, str]:
    words = header.split()
    if len(header) < 10 or len(words) < 2:
        return "", header
    return " ".join(words[:-1]), words[-1]


def _cell(cell: Cell) -> str:
    text = cell.written(STYLE)
    return f"\\textbf{{{text}}}" if cell.strong else text


def _number(digits: str) -> str:
    """Set digits in mathematics, so that minus signs are minus signs."""
    mantissa, _, exponent = digits.replace("inf", r"\infty").partition("e")
    return f"${mantissa} \\times 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"


STYLE = Style(words=escape, digits=_number, minus="$-$")
