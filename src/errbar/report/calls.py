"""The call that makes a comparison again."""

import re
from dataclasses import replace

from errbar import plans
from errbar.comparison import DEFAULTS, ComparisonData
from errbar.losses import LOSSES, named
from errbar.report import words
from errbar.table import LossTable


def call_of(comparison: ComparisonData) -> str:
    """Return a call of Python that makes a comparison again, with what is not the default.

    Parameters
    ----------
    comparison : Comparison
        What was found. A run is repeated from learners and data, given numbers from their table.

    Returns
    -------
    str
        One line; ``learners``, ``X``, ``y`` and ``table`` stand for what was given.
    """
    table = comparison.table
    given = {name: getattr(comparison, name) for name in DEFAULTS}
    asked = {name: value for name, value in given.items() if name == "method" or value != DEFAULTS[name]}
    written = [f"{name}={value!r}" for name, value in (asked | comparison.options).items()]
    seed = table.provenance.get("random_state")
    if seed is None:
        return words.clean(f"errbar.compare_table({', '.join(['table', *written])})")
    known = table.loss.key in LOSSES or re.fullmatch("[a-z0-9_]+", table.loss.key)
    loss = repr(table.loss.key) if known else table.loss.key
    run = [f"loss={loss}", *_of_metric(table), f"plan={' + '.join(map(_plan, table.splits.descriptions))}"]
    return words.clean(f"errbar.compare({', '.join(['learners', 'X', 'y', *written, *run, f'random_state={seed}'])})")


def _of_metric(table: LossTable) -> list[str]:
    """Return the positive class and the pooling of a metric, where they are not those by custom."""
    target, metric = table.target, named(table.loss.key)
    if metric is None:
        return []
    found = []
    if target is not None and target.classes is not None and target.positive is not None:
        by_custom = replace(target, positive=None).naming(None)
        label = target.classes.tolist()[target.positive]
        found += [f"positive={label!r}"] if by_custom.positive != target.positive else []
    return found + ([f"pool={table.loss.pool!r}"] if table.loss.pool != metric.pool else [])


def _plan(description: str) -> str:
    """Return a plan as a call; what is no plan of this package stays as it describes itself."""
    name = description.partition("(")[0]
    return f"errbar.plans.{description}" if name in plans.__all__ else description
