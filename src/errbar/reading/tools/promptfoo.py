"""Results of promptfoo, as ``promptfoo eval --output results.json`` writes them."""

from collections.abc import Iterator
from pathlib import Path

from errbar.reading.sheet import Labels
from errbar.reading.tools import begins, label_of, loaded

NAME = "promptfoo"
MAIN_FIRST = True

is_log = begins(rb'\{\s*("evalId"|"results"\s*:\s*\{\s*"version")')
_ERROR = 2
"""Why a result is no success: its provider gave no answer, which says nothing of the assertions."""


def rows_of(path: Path, _: str | None) -> Iterator[Labels]:
    """Yield the results: a learner is a provider, or one with a prompt; a question is a set of variables."""
    results = loaded(path)["results"]["results"]
    # `raw` holds the prompt with its variables filled in; `label` names the prompt.
    prompts = [*dict.fromkeys(one["prompt"]["label"] for one in results)]
    for one in results:
        provider = one["provider"]
        model = str(provider.get("label") or provider["id"])
        if len(prompts) > 1:
            model += f" prompt {prompts.index(one['prompt']['label']) + 1}"
        scores = {"success": one["success"], "score": one["score"], **(one["namedScores"] or {})}
        failed = one.get("failureReason") == _ERROR
        yield {
            "model": model,
            # A test that is repeated has another number, and the same variables.
            "number": label_of(one["vars"]),
            "scores": dict.fromkeys(scores) if failed else scores,
            "fields": one["vars"],
        }
