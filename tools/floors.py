"""Write the list of packages in CONTRIBUTING.md from the import contract in pyproject.toml and the first lines of the packages.

python tools/floors.py            write the list
python tools/floors.py --check    fail if the list is out of step
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- floors: written by make floors -->\n", "<!-- end of floors -->\n"


def layers(pyproject: str) -> list[list[str]]:
    """Return the modules of each floor, the top floor first."""
    contracts = tomllib.loads(pyproject)["tool"]["importlinter"]["contracts"]
    [floors] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return [[name.strip() for name in floor.split("|")] for floor in floors]


def first_line(name: str) -> str:
    """Return the first line of the docstring of a package in errbar; nothing where it is a module."""
    source = ROOT / "src" / "errbar" / name / "__init__.py"
    if not source.exists():
        return ""
    return (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").partition("\n")[
        0
    ]


def table() -> str:
    """Return a list in Markdown of the packages, the highest first, each with its first sentence."""
    floors = layers((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = {name: first_line(name) for floor in floors for name in floor}
    return "".join(
        f"- `{name}`: {re.split('[.;] ', line)[0].rstrip('.')}.\n"
        for name, line in lines.items()
        if line
    )


def written(page: str) -> str:
    """Return the page with the list as it should be."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{PAGE.name} needs the lines {BEGIN.strip()!r} and {END.strip()!r}")
    return f"{before}{begin}\n{table()}\n{end}{after}"


def main() -> None:
    """Write the list, or check it."""
    page = PAGE.read_text(encoding="utf-8")
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(written(page), encoding="utf-8", newline="\n")
    elif page != written(page):
        sys.exit(f"the list of packages in {PAGE.name} is out of step; `make floors` writes it")


if __name__ == "__main__":
    main()
