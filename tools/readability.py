"""Measure how readable the documentation is: length of sentences and share of the passive voice.

    python tools/readability.py                  the working tree, a row per page and totals
    python tools/readability.py --git REV        the same of any revision, read with `git show`
    python tools/readability.py --totals         totals only
    python tools/readability.py --long 10 PATH   the ten longest sentences of the pages whose path contains PATH

Measured are README.md, the pages in docs, and the docstrings and messages of src/errbar. Code, directives without prose,
tables, mathematics, titles and references are left out; a literal, a formula or a number counts as one word.

A sentence is passive if a form of "be" is followed, after at most two adverbs, by a past participle: a word in -ed, or one
of the irregular participles below. This is a heuristic. It counts "is interested" and misses a verb far behind its "is".
"""

import argparse
import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
LONG = 30

BE = "is are was were be been being am isn't aren't wasn't weren't".split()
ADVERBS = set(
    "not never also only always often already still then thus now both all again even just yet".split()
)
IRREGULAR = set(
    "been begun bent bound bought brought broken built cast caught chosen cut dealt done drawn driven eaten fallen fed felt "
    "fought found forgotten frozen given gone grown heard held hidden hit hurt kept known laid led left lent let lost made "
    "meant met mistaken overridden paid proven put quit read rewritten run said seen sent set shown shut sold spent split "
    "spoken spread stolen struck sworn taken taught thought thrown told torn understood undone upset won worn woven written "
    "born borne become bidden bitten blown forbidden forgiven foreseen hung outdone overcome redone redrawn rebuilt refound "
    "shaken shorn sought slain sunk swept swollen swung withdrawn withheld wound wrung".split()
)
NOT_PARTICIPLES = set(
    "need indeed speed seed feed exceed proceed succeed hundred red bed embed naked sacred".split()
)
ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "et al.",
    "cf.",
    "vs.",
    "etc.",
    "Fig.",
    "No.",
    "vol.",
    "pp.",
    "ch.",
    "approx.",
    "resp.",
)
PROSE = (
    "note",
    "warning",
    "tip",
    "important",
    "caution",
    "admonition",
    "versionadded",
    "deprecated",
    "seealso",
)
"""Directives whose content is prose; that of all others is left out."""


@dataclass(frozen=True)
class Measures:
    """What is measured of some sentences."""

    sentences: int
    mean: float
    p90: int
    long: float
    passive: float

    @classmethod
    def of(cls, sentences: Iterable[str]) -> "Measures":
        """Measure sentences; of none, everything is 0."""
        found = list(sentences)
        if not found:
            return cls(0, 0.0, 0, 0.0, 0.0)
        lengths = sorted(len(words(sentence)) for sentence in found)
        count = len(found)
        return cls(
            sentences=count,
            mean=sum(lengths) / count,
            p90=lengths[min(count - 1, int(0.9 * count))],
            long=sum(length > LONG for length in lengths) / count,
            passive=sum(map(is_passive, found)) / count,
        )


def words(sentence: str) -> list[str]:
    """Return the words of a sentence; numbers and formulas are words."""
    return re.findall(r"[^\W_](?:[\w'’./%-]*\w)?", sentence)


def is_passive(sentence: str) -> bool:
    """Whether a form of "be" is followed by a past participle, after at most two adverbs."""
    found = [word.lower() for word in words(sentence)]
    for i, word in enumerate(found):
        if word in BE:
            rest = found[i + 1 : i + 4]
            while len(rest) > 1 and is_adverb(rest[0]):
                rest = rest[1:]
            if rest and is_participle(rest[0]):
                return True
    return False


def is_adverb(word: str) -> bool:
    """Whether a word may stand between "is" and its participle."""
    return word in ADVERBS or word.endswith("ly")


def is_participle(word: str) -> bool:
    """Whether a word looks like a past participle."""
    return word in IRREGULAR or (word.endswith("ed") and word not in NOT_PARTICIPLES)


def sentences_of(text: str) -> list[str]:
    """Split plain paragraphs, separated by blank lines, into sentences of at least three words."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        for abbreviation in ABBREVIATIONS:
            line = re.sub(
                rf"(?<!\w){re.escape(abbreviation)}", abbreviation.replace(".", "\0"), line
            )
        parts = re.split(r"(?<=[.?!])[\"”)*]*\s+(?=[\"“(*]*\w)", line)
        found += [part.replace("\0", ".") for part in parts]
    return [sentence for sentence in found if len(words(sentence)) > 2]


def blocks(text: str) -> Iterator[list[str]]:
    """Yield the blocks of lines between blank lines."""
    for block in re.split(r"\n\s*\n", text):
        if block.strip():
            yield block.strip("\n").splitlines()


def indent(line: str) -> int:
    """Return the number of blanks a line begins with."""
    return len(line) - len(line.lstrip())


def prose_of_rst(text: str) -> str:
    """Return the paragraphs of a page in reStructuredText, list items apart, without markup."""
    kept: list[str] = []
    hidden = -1  # what is indented deeper than this belongs to something left out
    for block in blocks(text):
        lines, depth = block, indent(block[0])
        if hidden >= 0 and depth > hidden:
            continue
        hidden = -1
        first = lines[0].strip()
        directive = re.match(r"\.\. (?:([\w-]+)::)?", first)
        if directive:
            if directive[1] not in PROSE:
                hidden = depth
                continue
            inside = dedent(
                "\n".join([re.sub(r"^\.\. [\w-]+:: ?", "   ", lines[0].strip()), *lines[1:]])
            )
            lines = [line for line in inside.splitlines() if not re.match(r"\s*:\w+:", line)] or [
                ""
            ]
        if re.match(r">>> |\+[-=+]+\+|=+(?: +=+)+$|:\w[\w-]*:", first):
            continue
        lines = without_title(lines)
        if lines and lines[-1].rstrip().endswith("::"):
            hidden = depth
        kept.append("\n\n".join(items(lines)))
    return without_markup("\n\n".join(kept))


def without_title(lines: list[str]) -> list[str]:
    """Return the lines of a block after a title and its underline."""
    return (
        []
        if len(lines) == 2 and re.fullmatch(r"([=\-~^\"'#*+])\1{2,}", lines[1].strip())
        else lines
    )


def items(lines: list[str]) -> list[str]:
    """Return a block with every item of a list as a paragraph of its own."""
    found: list[str] = []
    for line in lines:
        start = re.match(r"\s*(?:[*+-]|\d+[.)]|#\.)\s+(.*)", line)
        if start or not found:
            found.append(start[1] if start else line.strip())
        else:
            found[-1] += " " + line.strip()
    return found


def without_markup(text: str) -> str:
    """Return text with markup removed: links keep their words, literals and formulas become one word."""
    text = re.sub(r":math:`[^`]*`|\$[^$\n]+\$", "X", text)
    text = re.sub(r"``[^`]+``", "X", text)
    text = re.sub(
        r"(?::[\w:-]+:)?`([^`<]+?)\s*<[^`>]*>`_{0,2}", r"\1", text
    )  # links with words of their own
    text = re.sub(r":[\w:-]+:`([^`]*)`|`([^`]*)`_{0,2}", "X", text)
    text = re.sub(r"\[\d+\]_?", "", text)
    return re.sub(r"\*{1,2}([^*\n]+(?:\n[^*\n]+)?)\*{1,2}", r"\1", text)


def prose_of_markdown(text: str) -> str:
    """Return the paragraphs of a page in Markdown without code, tables, titles and pictures."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(?:#+ .*|\s*\|.*|<.*>)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]+`", "X", text)
    return without_markup("\n\n".join("\n\n".join(items(lines)) for lines in blocks(text)))


SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)


def prose_of_docstring(text: str) -> str:
    """Return the prose of a docstring: no examples, references or See Also, no lines with names and types."""
    parts = SECTION.split(text)
    kept = [parts[0]]
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in ("Examples", "References", "See Also"):
            continue
        kept.append(body if name == "Notes" else descriptions(body))
    return prose_of_rst("\n\n".join(kept))


def descriptions(body: str) -> str:
    """Return what the entries of a section say, each a paragraph, without their names."""
    lines = [
        "" if line and not line.startswith(" ") else line.strip() for line in body.splitlines()
    ]
    return "\n".join(lines)


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the docstrings of a file, with the constant that holds each."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, holders) and (text := ast.get_docstring(node)) is not None:
            yield node.body[0].value, text  # type: ignore[attr-defined]


def prose_of_docstrings(source: str) -> str:
    """Return the prose of all docstrings of a file."""
    return "\n\n".join(prose_of_docstring(text) for _, text in docstrings(ast.parse(source)))


def prose_of_messages(source: str) -> str:
    """Return the sentences among the strings of a file: five words and more, mostly of letters, no docstrings."""
    tree = ast.parse(source)
    known = {id(node) for node, _ in docstrings(tree)}
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    } - {id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
    found = [string_of(node) for node in ast.walk(tree) if id(node) not in known | inside]
    return "\n\n".join(without_markup(text) for text in found if is_sentence(text))


def string_of(node: ast.AST) -> str:
    """Return a string, with "X" in the place of what an f-string fills in; of other nodes, nothing."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_sentence(text: str) -> bool:
    """Whether a string is written for people."""
    letters = sum(letter.isalpha() or letter == " " for letter in text)
    return len(re.findall(r"\b[a-z]+\b", text)) >= 5 and letters > 0.8 * len(text)


@dataclass(frozen=True)
class Part:
    """A kind of text: where it is, and how prose is taken from it."""

    name: str
    path: str
    prose: Callable[[str], str]


PARTS = (
    Part("README", r"README\.md", prose_of_markdown),
    Part("docs", r"docs/(?!generated/|_build/).*\.rst", prose_of_rst),
    Part("docstrings", r"src/errbar/.*\.py", prose_of_docstrings),
    Part("messages", r"src/errbar/.*\.py", prose_of_messages),
)


def files_of(revision: str | None) -> dict[str, Callable[[], str]]:
    """Return how to read each file of a revision, or of the working tree."""
    if revision is None:
        found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.rst"), *(ROOT / "src").rglob("*.py")]
        return {
            path.relative_to(ROOT).as_posix(): lambda path=path: path.read_text("utf-8")
            for path in sorted(found)
        }
    names = git("ls-tree", "-r", "--name-only", revision).splitlines()
    return {name: cache(lambda name=name: git("show", f"{revision}:{name}")) for name in names}


def git(*words: str) -> str:
    """Return what git says."""
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, check=True, encoding="utf-8"
    ).stdout


def measured(revision: str | None) -> dict[str, dict[str, list[str]]]:
    """Return the sentences of every file, by kind of text."""
    files = files_of(revision)
    return {
        part.name: {
            name: sentences_of(part.prose(read()))
            for name, read in files.items()
            if re.fullmatch(part.path, name)
        }
        for part in PARTS
    }


def row(name: str, found: Measures) -> str:
    """Return a row of the table."""
    share = f"{100 * found.long:7.1f}{100 * found.passive:9.1f}"
    return f"{name:<50}{found.sentences:>10}{found.mean:>7.1f}{found.p90:>6}{share}"


def table(found: dict[str, dict[str, list[str]]], *, pages: bool) -> Iterator[str]:
    """Yield the rows: each page, each kind of text, and all together."""
    yield f"{'':<50}{'sentences':>10}{'words':>7}{'p90':>6}{'>30 %':>7}{'passive %':>9}"
    everything: list[str] = []
    for part, files in found.items():
        if pages:
            yield from (
                row(name, Measures.of(sentences)) for name, sentences in files.items() if sentences
            )
        together = [sentence for sentences in files.values() for sentence in sentences]
        everything += together
        yield row(f"all of {part}", Measures.of(together))
    yield row("everything", Measures.of(everything))


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print a table or the longest sentences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", default="", help="only files whose path contains this")
    parser.add_argument(
        "--git", metavar="REV", help="measure this revision and not the working tree"
    )
    parser.add_argument("--totals", action="store_true", help="no row per page")
    parser.add_argument("--long", type=int, metavar="N", help="print the N longest sentences")
    chosen = parser.parse_args(arguments)
    found = measured(chosen.git)
    found = {
        part: {n: s for n, s in files.items() if chosen.path in n} for part, files in found.items()
    }
    if chosen.long:
        every = [
            (len(words(s)), name, s)
            for files in found.values()
            for name, some in files.items()
            for s in some
        ]
        for length, name, sentence in sorted(every, reverse=True)[: chosen.long]:
            print(f"{length} {name}: {sentence}")
        return
    for line in table(found, pages=not chosen.totals):
        print(line)


if __name__ == "__main__":
    main()
