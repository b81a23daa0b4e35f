"""Write the table of floors in CONTRIBUTING.md from the import contract in pyproject.toml and the first lines of the modules.

python tools/floors.py            write the table
python tools/floors.py --check    fail if the table is out of step
"""

import ast
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
    """Return the first line of the docstring of a module of errbar."""
    place = ROOT / "src" / "errbar" / name
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").partition("\n")[
        0
    ]


def table() -> str:
    """Return the table in Markdown; a floor has one row for each of its modules, and its number in the first."""
    floors = layers((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = ["| Floor | Module | What it holds |", "|---:|---|---|"]
    for number, names in zip(range(len(floors), 0, -1), floors, strict=True):
        for name in names:
            shown = number if name == names[0] else ""
            rows.append(f"| {shown} | `{name}` | {first_line(name).replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def written(page: str) -> str:
    """Return the page with the table as it should be."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{PAGE.name} needs the lines {BEGIN.strip()!r} and {END.strip()!r}")
    return f"{before}{begin}\n{table()}\n{end}{after}"


def main() -> None:
    """Write the table, or check it."""
    page = PAGE.read_text(encoding="utf-8")
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(written(page), encoding="utf-8", newline="\n")
    elif page != written(page):
        sys.exit(f"the table of floors in {PAGE.name} is out of step; `make floors` writes it")


if __name__ == "__main__":
    main()
