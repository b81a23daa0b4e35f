"""What the Tab key offers as the value of an option; typer completes the options themselves."""

from collections.abc import Callable, Iterable


def among(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a completer that offers some names."""
    offers = list(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in offers if name.startswith(incomplete)]

    return complete


def methods(incomplete: str) -> list[str]:
    """Offer the keys of the methods."""
    from errbar.methods import catalogue

    return among(catalogue())(incomplete)


def losses(incomplete: str) -> list[str]:
    """Offer the keys of the losses and metrics."""
    from errbar.metrics import LOSSES, METRICS

    return among((*LOSSES, *METRICS))(incomplete)
