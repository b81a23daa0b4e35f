"""The command that searches over parameters of a learner."""

import ast
from typing import Any

from errbar import metrics, plans, tuning
from errbar._plain import Data
from errbar.cli import output
from errbar.cli.app import print_error
from errbar.cli.gating import NOT_LITERAL
from errbar.cli.output import REPORTS, check_file, stdout_for_answers
from errbar.cli.runs import examples, parse_models, plan_of
from errbar.errors import FitFailedError, InvalidInputError, hint
from errbar.metrics import CLASSIFICATION, REGRESSION


def tune(**asked: Any) -> int:
    """Search over the parameters of a learner on the data of a file; return the exit status."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    check_file(asked["out"], asked, REPORTS)
    learners, failed = parse_models(asked["model"])
    if failed:
        output.print_failures(failed)
        return 3
    if len(learners) > 1:
        raise InvalidInputError("errbar tune takes one --model; errbar compare takes several")
    losses = asked["loss"] or []
    if len(losses) > 1:
        raise InvalidInputError("must be one: a search selects by it", argument="loss")
    data = examples(asked)
    [model] = data.prepared(learners).values()
    task = CLASSIFICATION if is_classifier(model) else REGRESSION
    loss = metrics.default(task).key if not losses else losses[0]
    grid = _values(asked["grid"], model, "grid")
    jobs, count = asked["jobs"], asked["candidates"]
    search = GridSearchCV(model, grid, n_jobs=jobs)
    if count is not None:
        search = RandomizedSearchCV(model, grid, n_iter=count, n_jobs=jobs)
    baseline = asked["baseline"] or "default"
    if "=" in baseline:
        chosen = _values(baseline, model, "baseline")
        several = [name for name, values in chosen.items() if len(values) > 1]
        if several:
            raise InvalidInputError(f"has several values of {several[0]!r}", argument="baseline")
        baseline = {name: value for name, [value] in chosen.items()}
    how: Data = {
        "loss": loss,
        "plan": plan_of(asked["plan"]) or plans.KFold(folds=10, stratify=task == CLASSIFICATION),
        "groups": data.groups,
        "baseline": None if baseline == "none" else baseline,
    }
    try:
        with stdout_for_answers():
            found = tuning.tune(
                search,
                data.X,
                data.y,
                **output.taken(tuning.tune, asked) | how,
            )
    except FitFailedError as error:
        print_error(str(error))
        return 3
    output.show([found], asked)
    return 0


def _values(text: str, model: Any, argument: str) -> dict[str, list[Any]]:
    """Return values by parameter from a text such as ``C=0.1,1,10; kernel=rbf,linear``."""
    known, found = model.get_params(), {}
    for part in filter(str.strip, text.split(";")):
        name, equals, values = part.partition("=")
        if not equals or not values.strip():
            raise InvalidInputError(
                f"must be written like 'C=0.1,1,10; gamma=0.01,0.1', got {part.strip()!r}",
                argument=argument,
            )
        found[_parameter(name.strip(), known, argument)] = _literals(values)
    return found


def _literals(text: str) -> list[Any]:
    """Return plain values; what is none is text."""
    try:
        value = ast.literal_eval(f"[{text}]")
    except NOT_LITERAL:
        value = [_literal(one.strip()) for one in text.split(",")]
    return list(value)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except NOT_LITERAL:
        return text


def _parameter(name: str, known: Any, argument: str) -> str:
    """Return the full name of a parameter; the name of a step in front can be left out where one step has it."""
    if name in known:
        return name
    ends = [one for one in known if one.endswith(f"__{name}")]
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise InvalidInputError(
            f"has {name!r}, which may be {' or '.join(ends)}", argument=argument
        )
    raise InvalidInputError(
        f"has {name!r}, which is no parameter of the model{hint(name, list(known))}",
        argument=argument,
    )
