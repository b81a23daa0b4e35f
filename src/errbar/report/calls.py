"""The call that makes a comparison again."""

import re

from errbar import metrics, plans
from errbar.comparison import DEFAULTS, Comparison
from errbar.report.words import clean

# What stands within Predefined is of somebody else.
_PLAN = re.compile(rf"(?<!Predefined\()\b({'|'.join(plans.__all__)})\(")


def call_of(comparison: Comparison) -> str:
    """Return a call of Python with what is not the default; data, and what cannot be written down, have their names."""
    table, design = comparison.table, comparison.table.splits.designs[0]
    usual = DEFAULTS | {"adjust": "holm" if comparison.joint is None else "max-t"}
    asked = {name: getattr(comparison, name) for name in DEFAULTS} | comparison.options
    asked = {name: value for name, value in asked.items() if value != usual.get(name)}
    looks = asked.pop("looks", None)
    words = [f"{name}={value!r}" for name, value in asked.items()]
    seed = table.provenance.get("random_state")
    if seed is None:
        return clean(f"errbar.compare_table({', '.join(['table', *words])})")
    loss, known = table.loss, metrics.known(table.loss.key)
    words.append("loss=loss" if known is None else f"loss={loss.key!r}")
    positive, target = loss.positive, table.target
    if (
        positive is None
        and target is not None
        and target.positive is not None
        and loss.about != "all"
    ):
        positive = target.classes.tolist()[target.positive]
    words += [] if positive is None else [f"positive={positive!r}"]
    words += [f"pool={loss.pool!r}"] if known is not None and known.pool != loss.pool else []
    plan = _PLAN.sub(r"errbar.plans.\1(", " + ".join(table.splits.descriptions))
    words.append(f"plan={plan}")
    words += ["groups=groups"] * (design.clusters is not None)
    words += ["time=time"] * (design.time is not None)
    words += [] if looks is None else [f"looks={looks}"]
    return clean(
        f"errbar.compare({', '.join(['learners', 'X', 'y', *words])}, random_state={seed})"
    )
