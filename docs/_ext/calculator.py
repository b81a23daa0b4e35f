"""The calculator: its form, its scripts, and the words of the library, put together at every build."""

import json
import math
from pathlib import Path
from textwrap import indent
from typing import Any

from catalogue import write
from sphinx.application import Sphinx

import errbar
from errbar import SplitScores, methods, needs
from errbar.methods._core.blocks import strata_notes
from errbar.methods._core.pivot import DEGENERATE

FORM = Path(__file__).with_name("calculator.html")
SCRIPTS = ("numerics", "rounding", "methods", "pasted", "reading", "sentences", "exports", "answers", "curve", "page")
METHODS = ("corrected-t", "kfold-t", "resampled-t", "mcnemar", "paired-proportions", "binomial")


def generate(app: Sphinx) -> None:
    """Write what the page includes."""
    write(Path(app.srcdir) / "generated" / "calculator.inc", ".. raw:: html\n\n" + indent(body("_static"), "   "))


def body(static: str) -> str:
    """Return the form, the words and the scripts as HTML.

    Parameters
    ----------
    static : str
        Address of the folder of static files, as seen from the page.
    """
    folder = f"{static}/calculator"
    told = json.dumps(words()).replace("<", "\\u003c")
    lines = [f'<link rel="stylesheet" href="{folder}/calculator.css">', FORM.read_text(encoding="utf-8").strip()]
    lines += [f'<script type="application/json" id="calculator-words">{told}</script>']
    lines += [f'<script src="{folder}/{name}.js"></script>' for name in SCRIPTS]
    return "\n".join(lines) + "\n"


def words() -> dict[str, Any]:
    """Return what the library says of the methods, and its caveats by code."""
    return {
        "version": errbar.__version__,
        "methods": {
            key: {"estimand": str(one.estimand), "claim": one.claim, "assumptions": list(one.assumptions)}
            for key in METHODS
            for one in [methods.METHODS[key]]
        },
        "notes": _notes(),
    }


def _notes() -> dict[str, str]:
    """Return caveats by code, as the methods give them; those with numbers have names in braces for them."""
    scores = SplitScores([0.1, 0.2, 0.4], n_train=90, n_test=10)
    liberal, rho_zero = methods.resampled_t(scores).notes[0], methods.kfold_t(scores).notes[0]
    unknown = SplitScores([0.1, 0.2, 0.4], n_train=90, n_test=10, between=math.nan)
    bounded = SplitScores([0.1, 0.2, 0.4], n_train=4, n_test=1, between=math.nan, between_limit=0.25)
    [unbounded], [limited] = strata_notes(unknown, 0.125), strata_notes(bounded, 0.125)
    told = {note.code: note.text for note in (DEGENERATE, needs.HEURISTIC_FOR_FOLDS, liberal, rho_zero, unbounded)}
    # sqrt(0.125 ** 2 + 0.25 / 4) = 0.2795
    pattern = limited.text.replace("0.28", "{least}").replace("0.125", "{se}")
    return told | {"strata-bounded": pattern}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
