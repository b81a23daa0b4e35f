"""Text as Markdown and LaTeX show it: as it stands."""

import re

MINUS, INFINITY = "\N{MINUS SIGN}", "\N{INFINITY}"

_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = re.compile(r"([\\`*_#|~$^\[])")

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    # After the end of a row brackets and stars would be read as its arguments.
    | {character: f"{{{character}}}" for character in "[]*`'"}
    | {
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        MINUS: "$-$",
        INFINITY: r"$\infty$",
        "±": r"$\pm$",
        "…": r"\ldots{}",
    }
)


def markdown(text: str) -> str:
    """Return text that Markdown shows as it stands."""
    shown = _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", shown)


def latex(text: str) -> str:
    """Return text that LaTeX sets as it stands."""
    # Without a group between them, two hyphens would become a dash.
    return re.sub(r"-(?=-)", "-{}", text.translate(_LATEX))
