"""The calculator: its form, its scripts, and the words of the library, put together at every build."""

import json
import tomllib
from importlib import resources
from pathlib import Path
from textwrap import indent
from typing import Any

from catalogue import write
from sphinx.application import Sphinx

import errbar
from errbar import methods

FORM = Path(__file__).with_name("calculator.html")
SCRIPTS = (
    "numerics",
    "rounding",
    "methods",
    "pasted",
    "reading",
    "sentences",
    "exports",
    "answers",
    "curve",
    "page",
)
METHODS = ("corrected-t", "kfold-t", "resampled-t", "mcnemar", "paired-proportions", "binomial")
NOTES = ("heuristic", "liberal", "no-variation", "strata-not-known")


def generate(app: Sphinx) -> None:
    """Write what the page includes."""
    write(
        Path(app.srcdir) / "generated" / "calculator.inc",
        ".. raw:: html\n\n" + indent(body("_static"), "   "),
    )


def body(static: str) -> str:
    """Return the form, the words and the scripts as HTML.

    Parameters
    ----------
    static : str
        Address of the folder of static files, as seen from the page.
    """
    folder = f"{static}/calculator"
    told = json.dumps(words()).replace("<", "\\u003c")
    lines = [
        f'<link rel="stylesheet" href="{folder}/calculator.css">',
        FORM.read_text(encoding="utf-8").strip(),
    ]
    lines += [f'<script type="application/json" id="calculator-words">{told}</script>']
    lines += [f'<script src="{folder}/{name}.js"></script>' for name in SCRIPTS]
    return "\n".join(lines) + "\n"


def words() -> dict[str, Any]:
    """Return what the library says of the methods, and its caveats by code."""
    return {
        "version": errbar.__version__,
        "methods": {
            key: {
                "estimand": str(one.estimand),
                "claim": one.claim,
                "assumptions": list(one.assumptions),
            }
            for key in METHODS
            for one in [methods.METHODS[key]]
        },
        "notes": _notes(),
    }


def _notes() -> dict[str, str]:
    """Return the sentences of the caveats by code, with names in braces for their numbers."""
    told = tomllib.loads(
        resources.files("errbar").joinpath("notes.toml").read_text(encoding="utf-8")
    )
    return {code: told[code]["text"] for code in NOTES}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
