"""The decision diagram: a few questions that lead from what somebody has to a method, drawn as SVG with links.

`LADDERS` holds the questions. The first one that is answered by yes decides; the last leaf is for those who answer no to all. Tests
follow the answers and see that errbar takes the same method where none is named.
"""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


@dataclass(frozen=True)
class Leaf:
    """A method, what to say or do for it, and the page that shows it at work."""

    method: str
    how: str
    page: str
    label: str


@dataclass(frozen=True)
class Question:
    """A question about the data; `fact` is what yes means."""

    fact: str
    text: str
    leaf: Leaf


@dataclass(frozen=True)
class Ladder:
    """Questions in the order in which they are asked, and the leaf for those who answer no to all."""

    start: str
    questions: tuple[Question, ...]
    otherwise: Leaf

    def follow(self, facts: Iterable[str]) -> Leaf:
        """Return the leaf to which the answers lead."""
        true = set(facts)
        return next(
            (question.leaf for question in self.questions if question.fact in true), self.otherwise
        )

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All leaves, from top to bottom."""
        return (*(question.leaf for question in self.questions), self.otherwise)


LADDERS = (
    Ladder(
        "I have learners and data",
        (
            Question(
                "seeds",
                "Should the error bar include the luck of the seed?",
                Leaf("crossed-t", "plan=Seeds(5, ...)", "guide/plans", "several seeds"),
            ),
            Question(
                "groups",
                "Do rows belong together, as visits of a patient?",
                Leaf("cv-jackknife", "groups=patient", "tutorials/patients", "tutorial"),
            ),
            Question(
                "time",
                "Do rows follow each other in time?",
                Leaf("diebold-mariano", "time=date", "tutorials/time", "tutorial"),
            ),
            Question(
                "one model",
                "Is it about the one model fitted on all data?",
                Leaf("nested-cv", 'method="nested-cv"', "guide/estimands", "which risk?"),
            ),
        ),
        Leaf("cv-jackknife", "7 folds, and pairs", "tutorials/two-models", "tutorial"),
    ),
    Ladder(
        "I have numbers already",
        (
            Question(
                "data sets",
                "Is there one score for each of several data sets?",
                Leaf(
                    "wilcoxon", 'kind="data-sets"', "guide/several-data-sets", "several data sets"
                ),
            ),
            Question(
                "runs",
                "Only one score for each independent run, or seed?",
                Leaf("welch-t", 'kind="runs"', "guide/designs", "independent runs"),
            ),
            Question(
                "seeds",
                "Several seeds or answers on the same examples?",
                Leaf("crossed-t", "seed=, example=", "tutorials/language-models", "tutorial"),
            ),
            Question(
                "time",
                "Do examples follow each other in time?",
                Leaf("diebold-mariano", "time=date", "tutorials/time", "tutorial"),
            ),
            Question(
                "scores",
                "Only one score for each split?",
                Leaf("corrected-t", "from_scores", "tutorials/your-scores", "tutorial"),
            ),
            Question(
                "folds",
                "Are the examples tested in folds?",
                Leaf("cv-t", "fold=fold", "tutorials/your-scores", "tutorial"),
            ),
            Question(
                "groups",
                "One test set: do its examples belong together?",
                Leaf("cluster-t", "groups=passage", "guide/designs", "clusters"),
            ),
            Question(
                "right or wrong",
                "One test set: is each answer right or wrong?",
                Leaf("paired-proportions", "from_losses", "tutorials/your-scores", "tutorial"),
            ),
        ),
        Leaf("holdout-t", "any other loss", "tutorials/your-scores", "tutorial"),
    ),
)

# Widths in pixels, which are those of the screen: the narrow drawing fits a telephone.
BOX, LEAF, GAP, BETWEEN = 166, 156, 34, 22
LADDER = BOX + GAP + LEAF
LINE, PADDING, DOWN, CHARACTER = 17, 9, 26, 7.3
LEAF_HEIGHT = 3 * LINE + 2 * PADDING


class Sheet:
    """Elements of a drawing, and how far it reaches."""

    def __init__(self, links: dict[str, str]) -> None:
        self.links = links
        self.elements: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a box."""
        corner = height / 2 if kind == "start" else 5
        self.elements.append(
            f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{corner}"/>'
        )

    def text(self, x: float, y: float, words: str, kind: str = "words") -> None:
        """Write a line."""
        self.elements.append(f'<text class="{kind}" x="{x}" y="{y}">{escape(words)}</text>')

    def down(self, x: float, y: float, label: str) -> None:
        """Draw an arrow from a box to the one below, and its label."""
        end = y + DOWN - 1
        self.elements.append(f'<path d="M{x},{y} V{end} m-4,-6 l4,6 l4,-6"/>')
        self.text(x + 7, y + 17, label, "answer")

    def right(self, x: float, y: float, label: str) -> None:
        """Draw an arrow from a question to its leaf, and its label."""
        end = x + GAP - 1
        self.elements.append(f'<path d="M{x},{y} H{end} m-6,-4 l6,4 l-6,4"/>')
        self.text(x + 5, y - 6, label, "answer")

    def link(self, target: str, words: str, x: float, y: float, kind: str) -> None:
        """Write a line that leads to a page."""
        self.elements.append(f'<a href="{escape(self.links[target])}">')
        self.text(x, y, words, kind)
        self.elements.append("</a>")

    def leaf(self, leaf: Leaf, x: float, y: float) -> None:
        """Draw a leaf."""
        self.box(x, y, LEAF, LEAF_HEIGHT, "leaf")
        first = y + PADDING + LINE - 4
        self.link(method_page(leaf.method), leaf.method, x + PADDING, first, "method")
        self.text(x + PADDING, first + LINE, leaf.how, "how")
        self.link(leaf.page, f"→ {leaf.label}", x + PADDING, first + 2 * LINE, "page")

    def ladder(self, ladder: Ladder, x: float, y: float) -> float:
        """Draw a ladder, and return where it ends."""
        self.box(x, y, LADDER, LINE + 2 * PADDING, "start")
        self.text(x + 16, y + PADDING + LINE - 4, ladder.start, "begin")
        y += LINE + 2 * PADDING
        middle = x + BOX / 2
        for position, question in enumerate(ladder.questions):
            self.down(middle, y, "no" if position else "")
            y += DOWN
            lines = textwrap.wrap(question.text, int((BOX - 2 * PADDING) / CHARACTER))
            height = max(len(lines), 3) * LINE + 2 * PADDING
            self.box(x, y, BOX, height, "question")
            for place, line in enumerate(lines):
                self.text(
                    x + PADDING, y + (height - len(lines) * LINE) / 2 + LINE * (place + 1) - 4, line
                )
            center = y + height / 2
            self.right(x + BOX, center, "yes")
            self.leaf(question.leaf, x + BOX + GAP, center - LEAF_HEIGHT / 2)
            y += height
        self.down(middle, y, "no")
        self.leaf(ladder.otherwise, x, y + DOWN)
        return y + DOWN + LEAF_HEIGHT


def drawing(links: dict[str, str], *, stacked: bool) -> str:
    """Return the ladders as SVG, one below the other or side by side."""
    sheet, x, y, bottom = Sheet(links), 1.0, 1.0, 0.0
    for ladder in LADDERS:
        bottom = max(bottom, sheet.ladder(ladder, x, y))
        x, y = (x, bottom + BETWEEN) if stacked else (x + LADDER + BETWEEN, y)
    width, height = (LADDER + 2 if stacked else x - BETWEEN + 1), bottom + 1
    return (
        f'<svg class="{"stacked" if stacked else "abreast"}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="group" aria-label="Which method? Questions that lead to a method">'
        f"{''.join(sheet.elements)}</svg>"
    )


def method_page(key: str) -> str:
    """Return the document of a method."""
    return f"generated/methods/{key}"


def targets() -> Iterator[str]:
    """Yield all documents to which the diagram leads."""
    for ladder in LADDERS:
        for leaf in ladder.leaves:
            yield method_page(leaf.method)
            yield leaf.page


class Diagram(SphinxDirective):
    """The diagram in both layouts; the style sheet shows the one that fits."""

    def run(self) -> list[nodes.Node]:
        """Return the drawings, with links from the page on which they stand."""
        here = self.env.docname
        self.env.note_dependency(__file__)
        links = {}
        for target in targets():
            if target not in self.env.found_docs:
                raise self.error(f"the diagram leads to {target!r}, which is no page")
            links[target] = self.env.app.builder.get_relative_uri(here, target)
        both = drawing(links, stacked=False) + drawing(links, stacked=True)
        return [nodes.raw("", f'<div class="decision">{both}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("decision-diagram", Diagram)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
