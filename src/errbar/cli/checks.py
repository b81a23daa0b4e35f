"""Words on the command line that can be judged by themselves."""

from errbar import _check
from errbar.cli.words import KINDS
from errbar.errors import InvalidInputError


def scores_options(kind: str | None, metric: str | None = None) -> None:
    """Refuse a kind of splits that there is not, and a name that cannot be shown."""
    if kind is not None:
        _check.choice(kind, KINDS, "kind")
    if metric is not None:
        name(metric, "--metric")


def name(text: str, option: str) -> str:
    """Return a name, if it can be shown on a line."""
    if not text.strip() or not text.isprintable():
        raise InvalidInputError(f"{option} must be a name on one line, got {text!r}")
    return text
