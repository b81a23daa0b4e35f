"""Pages as sessions: the code blocks of a page, in order, and how to run them."""

import doctest
import io
import re
import shlex
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

RUN = ("doctest", "python", "console", "yaml")
SHOWN = ("text", "toml", "none", "")


@dataclass(frozen=True)
class Block:
    """A block of code as it stands on a page.

    `language` is ``"doctest"`` for code with prompts, in or outside a code block. `needs` names the package of others
    without which the block is not run. What a block with a `name` prints may be shown elsewhere on the page, and one whose
    caption is a `file` is written to it before it is run.
    """

    line: int
    language: str
    text: str
    needs: str = ""
    name: str = ""
    file: str = ""


def blocks_of(path: Path) -> list[Block]:
    """Return the code blocks of a page in reStructuredText or Markdown."""
    text = path.read_text(encoding="utf-8")
    return fenced(text) if path.suffix == ".md" else directives(text) + bare_doctests(text)


def ordered(blocks: list[Block]) -> list[Block]:
    """Return blocks in the order in which they are read."""
    return sorted(blocks, key=lambda block: block.line)


def fenced(text: str) -> list[Block]:
    """Return the blocks between lines of three back-ticks."""
    return [
        Block(text.count("\n", 0, found.start()) + 2, found[1], found[2])
        for found in re.finditer(r"^```([\w-]*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


_DIRECTIVE = re.compile(
    r"^( *)\.\. (?:code-block|code|sourcecode)::[ ]*([\w-]*)[^\n]*\n((?:\1   :[^\n]*\n)*)((?:[ ]*\n|\1   [^\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)


def directives(text: str) -> list[Block]:
    """Return the blocks of ``code-block`` directives."""
    blocks = []
    for found in _DIRECTIVE.finditer(text):
        margin = len(found[1]) + 3
        body = (
            "".join(line[margin:] or "\n" for line in found[4].splitlines(keepends=True)).strip(
                "\n"
            )
            + "\n"
        )
        options = [
            re.search(rf":{key}(\S+)$", found[3], re.MULTILINE)
            for key in ("class: needs-", "name: ", "caption: ")
        ]
        needs, name, caption = (option[1] if option else "" for option in options)
        language = "doctest" if found[2] == "pycon" else found[2]
        line = text.count("\n", 0, found.start(4)) + 2
        blocks.append(Block(line, language, body, needs, name, caption if "." in caption else ""))
    return blocks


def bare_doctests(text: str) -> list[Block]:
    """Return the doctests that stand in no directive: each up to the next blank line."""
    hidden = _DIRECTIVE.sub(lambda found: re.sub(r"[^\n]", "", found[0]), text)
    return [
        Block(hidden.count("\n", 0, found.start()) + 1, "doctest", found[0] + "\n")
        for found in re.finditer(r"^ *>>> .*(?:\n *\S.*)*", hidden, re.MULTILINE)
    ]


def commands(text: str) -> list[str]:
    """Return the commands of a console block; those with a prompt only, where there are prompts."""
    joined = re.sub(r"[ ]*\\\n[ ]*(?:> )?", " ", text)
    lines = [line.strip() for line in joined.splitlines() if line.strip()]
    prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [line.partition("  #")[0].strip() for line in prompted or lines]


REPORT = "How to report it"
_NUMBER = r"(?<![\w.])[-\N{MINUS SIGN}]?\d+(?:\.\d+)?(?![\w.]*\w)"


def report_of(text: str) -> str:
    """Return what a page tells its readers to report: the section of that name, to its end."""
    return text.partition(f"\n{REPORT}\n{'-' * len(REPORT)}\n")[2]


def unsupported(report: str, printed: str) -> list[str]:
    """Return the numbers of a report that no printed number rounds to, as it is, in percent or with the other sign."""
    known = {
        abs(float(found.replace("\N{MINUS SIGN}", "-"))) for found in re.findall(_NUMBER, printed)
    }
    return [
        found
        for found in re.findall(_NUMBER, report)
        if not any(_rounds_to(one, found) for one in known)
    ]


def _rounds_to(known: float, shown: str) -> bool:
    """Whether a number is shown like that; the half of a unit in the last place may go either way."""
    unit = 10.0 ** -len(shown.partition(".")[2])
    return any(abs(scale * known - abs(float(shown))) <= 0.5001 * unit for scale in (1.0, 100.0))


def missing(block: Block) -> bool:
    """Whether the block needs a package that is not there."""
    return bool(block.needs) and find_spec(block.needs) is None


class Checker(doctest.OutputChecker):
    """Blank lines around output do not count: others print them to the screen with their progress."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether what was printed is what the page shows."""
        text = got.strip("\n ")
        end = (
            "\n" if text and want.endswith("\n") else ""
        )  # the bare name of an exception ends no line
        return super().check_output(want, text + end, optionflags)


class Session:
    """One page being worked through: names and files stay from block to block."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, block: Block) -> str:
        """Run a block and return what it prints; an AssertionError says what went wrong."""
        with warnings.catch_warnings():
            if block.needs:  # what other packages warn of is not ours to mend
                warnings.simplefilter("ignore")
            printed: str = getattr(self, f"_{block.language}")(block)
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")  # as a notebook does after every cell
        return printed

    def _doctest(self, block: Block) -> str:
        examples = doctest.DocTestParser().get_examples(block.text, self.page)
        assert examples, f"{self.page}:{block.line}: no example is found in {block.text!r}"
        test = doctest.DocTest(
            examples, self.names, self.page, self.page, block.line - 1, block.text
        )
        said = io.StringIO()
        flags = (
            doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
        )  # of a refusal the type counts, and not the words
        runner = doctest.DocTestRunner(Checker(), optionflags=flags)
        result = runner.run(test, out=said.write, clear_globs=False)
        self.names = test.globs
        assert not result.failed, said.getvalue()
        return "".join(example.want for example in examples)  # what was printed is what was wanted

    def _python(self, block: Block) -> str:
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        code = compile("\n" * (block.line - 1) + block.text, self.page, "exec")
        with redirect_stdout(io.StringIO()) as said:
            exec(code, self.names)
        return said.getvalue()

    def _console(self, block: Block) -> str:
        return "".join(
            run_command(command, f"{self.page}:{block.line}") for command in commands(block.text)
        )

    def _yaml(self, block: Block) -> str:
        """Run the steps of a workflow that call errbar."""
        import yaml

        steps = [
            step for job in yaml.safe_load(block.text)["jobs"].values() for step in job["steps"]
        ]
        called = [
            line
            for step in steps
            for line in commands(step.get("run", ""))
            if line.startswith("errbar ")
        ]
        assert called, f"{self.page}:{block.line}: no step calls errbar"
        return "".join(run_command(line, f"{self.page}:{block.line}") for line in called)


def run_command(command: str, where: str) -> str:
    """Run a command of errbar in this process and return what it prints; it must end well and say something."""
    from errbar.cli import main

    words = shlex.split(command.replace("--jobs 2", "--jobs 1"))
    assert words[0] == "errbar", f"{where}: only errbar is run here, and this is {command!r}"
    said, complained = io.StringIO(), io.StringIO()
    status = None
    with redirect_stdout(said), redirect_stderr(complained):
        try:
            main(words[1:])
        except SystemExit as stopped:
            status = stopped.code
    assert status == 0, f"{where}: {command!r} ended with {status}: {complained.getvalue()}"
    assert said.getvalue() or complained.getvalue(), f"{where}: {command!r} said nothing"
    return said.getvalue()
