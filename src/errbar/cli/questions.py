"""Commands that ask a question of given numbers: errbar ranks, errbar sensitivity, errbar methods --for."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from errbar import plots
from errbar.cli import checks, pictures, show
from errbar.cli.pairs import names_of
from errbar.datasets import DataSets, ranks as rank
from errbar.errors import InvalidInputError
from errbar.methods import rho_sensitivity, suitable as judged
from errbar.sources import read_scores
from errbar.table import LossTable
from errbar.views import SplitScores


def ranks(
    path: str,
    *,
    post_hoc: str,
    baseline: str | None,
    adjust: str,
    level: float,
    higher_is_better: bool,
    out: Path | None,
    as_json: bool,
) -> int:
    """Rank learners over the data sets of a file; return the exit status."""
    pictures.check(out)
    table = read_scores(path, kind="data-sets")
    if len(table.learners) < 2:
        raise InvalidInputError(f"{path}: a column for each of at least two learners is needed, and there is one only")
    data = DataSets(table.scores.T, table.learners, higher_is_better=higher_is_better)
    found = rank(data, level=level, post_hoc=post_hoc, baseline=baseline, adjust=adjust)
    show.say(json.dumps(found.to_dict(), indent=2) if as_json else show.lines(str(found)))
    if out is not None:
        pictures.write(plots.critical_difference(found), out, quiet=as_json)
    return 0


def sensitivity(
    path: str,
    *,
    pair: str | None,
    n_train: float | None,
    n_test: float | None,
    null: float,
    level: float,
    alternative: str,
    out: Path | None,
    as_json: bool,
) -> int:
    """Say how the K-fold t depends on the between-block correlation; return the exit status."""
    pictures.check(out)
    table = read_scores(path, n_train=n_train, n_test=n_test, kind="kfold")
    names = _pair(table, pair)
    view = SplitScores.of(table.rows(*names))
    found = rho_sensitivity(view, level=level, null=null, alternative=alternative)
    subject = f"{names[0]} minus {names[1]}" if len(names) == 2 else names[0]
    show.say(json.dumps({"of": subject} | found.to_dict(), indent=2) if as_json else show.lines(f"{subject}\n{found}"))
    if out is not None:
        pictures.write(plots.rho_sensitivity(found), out, quiet=as_json)
    return 0


def suitable(path: str, *, n_train: float | None, n_test: float | None, kind: str | None, as_json: bool) -> int:
    """Say which methods fit the numbers of a file; return the exit status."""
    checks.scores_options(kind)
    found = judged(read_scores(path, n_train=n_train, n_test=n_test, kind=kind))
    if as_json:
        rows = [{"key": one.key, "suitable": one.suitable, "reason": one.reason} for one in found]
        show.say(json.dumps(rows, indent=2))
        return 0
    for fits, title in ((True, "These methods fit"), (False, "\nThese do not")):
        show.say(title)
        for one in found:
            if one.suitable == fits:
                contrast = " (for contrast only)" if one.naive else ""
                show.say(show.hanging(f"{one.key}{contrast}", one.reason))
    return 0


def _pair(table: LossTable, pair: str | None) -> Sequence[Any]:
    if pair is not None:
        return names_of(pair, table.learners)
    if len(table.learners) > 2:
        listed = ", ".join(table.learners)
        raise InvalidInputError(f"name two of the columns with --pair, such as --pair a,b; there are {listed}")
    return table.learners
