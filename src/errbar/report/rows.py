"""All numbers of comparisons as one table, for files: a row per learner and one per pair."""

import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from errbar import _check
from errbar.comparison import Comparison
from errbar.report.several import names_of

_NUMBERS = ("estimate", "se", "low", "high", "statistic", "pvalue")
# What a spreadsheet takes for the begin of a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def csv(found: Sequence[Comparison]) -> str:
    """Return the rows as text; names that a spreadsheet would compute get an apostrophe before them."""
    frame = _frame(found)
    for column in ("comparison", "a", "b"):
        frame[column] = [
            f"'{text}" if str(text).startswith(_FORMULAS) else text for text in frame[column]
        ]
    return str(frame.to_csv(index=False, lineterminator="\n"))


def parquet(found: Sequence[Comparison]) -> bytes:
    """Return the rows as a Parquet file."""
    frame = _frame(found)
    _check.package("pyarrow", None)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _frame(found: Sequence[Comparison]) -> Any:
    pandas = _check.package("pandas", "app")
    names = names_of(found)
    rows = [
        {"comparison": name} | row
        for one, name in zip(found, names, strict=True)
        for row in _rows(one)
    ]
    return pandas.DataFrame(rows).replace([math.inf, -math.inf], math.nan)


def _rows(comparison: Comparison) -> Iterable[dict[str, Any]]:
    """Yield the estimates of learners, for which b is None, and then the differences a - b; what is unbounded is empty."""
    for name, result in comparison.learners.items():
        yield {"a": name, "b": None} | {key: getattr(result, key) for key in _NUMBERS[:4]}
    for decision in comparison.decisions:
        pair, result = decision.pair, decision.pair.result
        law = result.df if isinstance(result.df, tuple) else (result.df,)
        yield (
            {"a": pair.a, "b": pair.b}
            | {key: getattr(result, key) for key in _NUMBERS}
            | dict(zip(("df", "df2"), law, strict=False))
            | {"adjusted": pair.adjusted, "significant": decision.significant}
            | {f"posterior_{region}": share for region, share in result.posterior.items()}
            | ({"equivalence": pair.equivalence.adjusted} if pair.equivalence else {})
        )
