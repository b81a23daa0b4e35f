"""The catalogue of methods, as tables and as data."""

import re
import textwrap
from typing import Any

from errbar._references import REFERENCES
from errbar.cli.terminal import styled, width_of
from errbar.methods import Method, catalogue, evidence

WIDEST, NARROW = 100, 64
DEFAULT = "corrected-t"
OPENING = "Methods by what they speak of, with the fits per learner of their own plan. errbar methods KEY explains one."
QUESTIONS = {
    "ER": "How good is the learning algorithm?",
    "R": "How good is the model fitted on all my data?",
    "PQ": "How good are the models that were trained?",
    "PD": "How would it go on resamples of these data?",
    "DS": "How does it go over several data sets?",
}
LISTS = ("", "assumes", "measured", "reference")
REMARKS = {"pair": " (two learners)", "all": " (all learners at once)", "learner": " (one learner)"}

PLAN_WORDS = {
    "holdout": "one split",
    "subsampling": "random splits",
    "kfold": "K-fold",
    "5x2": "5 x 2-fold",
    "nested-kfold": "nested K-fold",
    "halves": "random splits, also of halves",
    "halved-kfold": "K-fold, also of halves",
    "bootstrap": "bootstrap samples",
    "replace-one": "K-fold with replaced examples",
    "data-sets": "several data sets",
    "other": "other splits",
}
SUBJECTS = {
    "either": "a learner, or the difference of two",
    "learner": "a learner",
    "pair": "a pair of learners",
    "all": "all learners at once",
}


def as_data(method: Method) -> dict[str, Any]:
    """Return one entry as plain data."""
    return {
        "key": method.key,
        "summary": method.summary,
        "claim": method.claim,
        "formula": method.formula,
        "estimand": str(method.estimand),
        "estimand_words": method.estimand.words,
        "speaks_of": SUBJECTS[method.subject],
        "partner": method.partner,
        "plans": list(method.plans),
        "default_plan": None if method.default_plan is None else str(method.default_plan),
        "needs": _needs(method),
        "fits": method.fits,
        "options": {name: _shown(value) for name, value in method.options.items()},
        "assumptions": list(method.assumptions),
        "evidence": [str(row) for row in evidence.of(method.key)],
        "references": [str(REFERENCES[key]) for key in method.references],
    }


def _needs(method: Method) -> str:
    if method.loss == "roc_auc":
        return "scores that rank the test examples"
    if method.loss == "zero-one":
        return "one loss per example, 0 or 1"
    return "one loss per example" if method.pointwise else "one score per split"


def _shown(value: Any) -> Any:
    return getattr(value, "__name__", value)


def overview() -> str:
    """Return every method on a line, under the question that it answers, with its cost in fits."""
    width = min(width_of(fallback=WIDEST), WIDEST)
    every = list(catalogue().values())
    longest = max(len(method.key) for method in every)
    parts = [textwrap.fill(OPENING, width)]
    for estimand in dict.fromkeys((*QUESTIONS, *(str(method.estimand) for method in every))):
        mine = sorted(
            (m for m in every if str(m.estimand) == estimand), key=lambda m: (m.naive, m.key != DEFAULT, m.key)
        )
        if mine:
            parts.append("\n".join([_question(estimand, mine[0], width), *(_line(m, longest, width) for m in mine)]))
    return "\n\n".join(parts)


def _question(estimand: str, method: Method, width: int) -> str:
    words = f"{estimand}: {method.estimand.words}"
    lines = textwrap.wrap(words, width, initial_indent="  ", subsequent_indent="      ")
    titles = textwrap.wrap(QUESTIONS.get(estimand, words), width, subsequent_indent="  ")
    return "\n".join([*(styled(title, bold=True) for title in titles), *(styled(line, dim=True) for line in lines)])


def _line(method: Method, longest: int, width: int) -> str:
    fits = _fits(method)
    text = method.summary + REMARKS.get(method.subject, "")
    text += " (the default)" if method.key == DEFAULT else " (for contrast only)" if method.naive else ""
    shown = styled(method.key, fg="cyan")
    if width < NARROW:
        indent = " " * 6
        return f"  {shown}  {styled(fits, dim=True)}\n" + textwrap.fill(
            text, width, initial_indent=indent, subsequent_indent=indent
        )
    indent = " " * (longest + 15)
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    head = f"  {shown}{' ' * (longest - len(method.key))}  {styled(f'{fits:>9}', dim=True)}"
    return "\n".join([f"{head}  {lines[0].strip()}", *lines[1:]])


def _fits(method: Method) -> str:
    """Return the fits per learner that the default plan costs."""
    if method.default_plan is None:
        return "no fits"
    found = re.search(r"\((\d+) by default\)", method.fits)
    number = found.group(1) if found else method.fits
    return f"{number} fit{'s' * (number != '1')}"


def explain(method: Method) -> str:
    """Return one method explained."""
    width = min(width_of(fallback=WIDEST), WIDEST)
    first, *rest = textwrap.wrap(f"{method.key}: {method.summary}", width, break_on_hyphens=False)
    lines = [*(styled(line, bold=True) for line in (first, *rest)), ""]
    for label, text in _rows(method):
        deeper = " " * (14 if label in LISTS else 12)
        shown = textwrap.wrap(text, width, initial_indent=" " * 12, subsequent_indent=deeper, break_on_hyphens=False)
        lines += [styled(f"{label:<12}", fg="cyan") + shown[0].strip(), *shown[1:]]
    return "\n".join(lines)


def _rows(method: Method) -> list[tuple[str, str]]:
    data = as_data(method)
    options = ", ".join(f"{name}={_shown(value)!r}" for name, value in method.options.items()) or "none of its own"
    plans = ", ".join(PLAN_WORDS.get(kind, kind) for kind in method.plans) + (", a single repeat" * method.once)
    others = f"; of the rest speaks {' or '.join(method.partners)}" if method.partners else ""
    rows = [
        ("claim", method.claim),
        ("speaks of", data["speaks_of"] + others),
        ("estimates", f"{data['estimand']}: {data['estimand_words']}"),
        ("formula", method.formula),
        ("needs", data["needs"]),
        ("plans", plans),
        ("by default", data["default_plan"] or "no fits: the numbers are given"),
        ("cost", _cost(method)),
        ("options", options),
    ]
    measured = _measured(method) or ["nothing yet by the project's own simulations"]
    for label, texts in (
        ("assumes", data["assumptions"]),
        ("measured", measured),
        ("reference", data["references"]),
    ):
        rows += [(label if i == 0 else "", text) for i, text in enumerate(texts)]
    return rows


def _measured(method: Method) -> list[str]:
    """Return what was measured, a line per setting; the targets of the same intervals go together."""
    settings: dict[tuple[Any, ...], list[evidence.Evidence]] = {}
    for row in evidence.of(method.key):
        settings.setdefault((row.problem, row.n, row.level, row.replicates, row.width), []).append(row)
    return [
        f"{problem}, n = {n}: {100 * level:g} % intervals held "
        + ", ".join(f"{row.target} in {100 * row.coverage:.1f} %" for row in rows)
        + f" of {replicates} data sets; mean width {width:.3g}"
        for (problem, n, level, replicates, width), rows in settings.items()
    ]


def _cost(method: Method) -> str:
    if method.default_plan is None:
        return "none"
    return "1 fit per learner" if method.fits == "1" else f"{method.fits} fits per learner"
