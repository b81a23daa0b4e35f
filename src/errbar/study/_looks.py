"""Fits in chunks, with a look after each: it stops when every pair is decided, and learners whose pairs are go no further."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errbar import _check, families
from errbar._looks import Looks
from errbar.errors import InvalidInputError, UnsuitablePlanError
from errbar.fits import Progress, RunOptions, Setup, Store
from errbar.fits.run_options import RAISE
from errbar.methods import lookup
from errbar.methods._core.looks import planned_looks
from errbar.methods.variance import odds_of_correlation
from errbar.metrics import Loss
from errbar.plans import Subsampling, draw, plan_of
from errbar.split_columns import SplitColumns
from errbar.study._answers import Comparison, answer
from errbar.study._question import Question
from errbar.study._tables import executed, judged, kept
from errbar.table import Counts, LossTable

METHOD = "corrected-t"
"""The only method of which it is known what several looks do to it."""

ADJUSTMENTS = ("holm", "bonferroni", "hommel", "none")
"""Adjustments that never reject fewer pairs when a p-value gets smaller, and that keep their level for any part of the rejections."""


def planned(
    looks: Any, asked: Sequence[Mapping[str, Any]], plan: Any, *, stratify: bool, time: Any
) -> tuple[list[dict[str, Any]], Subsampling]:
    """Return questions with the looks that are planned, and the plan of the last look.

    The plan that is given says how splits are made, and the looks how many of them.
    """
    counts = planned_looks(looks)
    questions = [_question(one) | {"looks": counts} for one in asked]
    if time is not None:
        raise UnsuitablePlanError(
            "need independent random splits, and data with `time` are to be tested in the order of time; leave `looks` out",
            argument="looks",
        )
    wanted = plan_of(
        Subsampling() if plan is None else plan, stratify=_check.flag(stratify, "stratify")
    )
    if not isinstance(wanted, Subsampling):
        raise UnsuitablePlanError(
            f"need independent random splits, and the plan is {wanted}; try plan=errbar.plans.Subsampling(), or leave "
            "`looks` out",
            argument="looks",
        )
    return questions, replace(wanted, repeats=counts[-1])


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question, as keyword arguments of `errbar.compare_table`, if it goes with looks."""
    method, adjust = question.get("method") or METHOD, question.get("adjust") or "holm"
    if lookup(method).key != METHOD:
        raise InvalidInputError(
            f"are for method {METHOD!r}: what several looks do to {lookup(method).key!r} is not known; leave `looks` or "
            "`method` out",
            argument="looks",
        )
    if adjust not in ADJUSTMENTS:
        raise InvalidInputError(
            f"must be one of {', '.join(map(repr, ADJUSTMENTS))} where there are looks, got {adjust!r}: it would not hold "
            "for pairs that stop at different looks",
            argument="adjust",
        )
    return {**question, "method": METHOD}


def raced(
    setup: Setup,
    plan: Subsampling,
    settled: Sequence[Sequence[Question]],
    how: RunOptions,
    draws: int | None = None,
) -> list[Comparison]:
    """Fit up to each look, as long as it is needed, and return an answer for each loss and question.

    Parameters
    ----------
    setup : Setup
        The checked run of the last look.
    plan : Subsampling
        Its plan.
    settled : sequence of sequence of Question
        The questions about each loss.
    how : RunOptions
        How fits are done.
    draws : int, optional
        As for `errbar.compare_all`.
    """
    names = [prototype.name for prototype in setup.prototypes]
    if len(names) < 2:
        raise InvalidInputError(
            "stop when pairs are decided, and there is one learner only; leave `looks` out",
            argument="looks",
        )
    races = [
        _Race(loss, question, names)
        for loss, questions in zip(setup.losses, settled, strict=True)
        for question in questions
    ]
    # What was fitted up to a look is found at the next; where the user keeps no fits, memory does until the end.
    how = replace(how, store=Store() if how.store is None else how.store)
    cost, done = Counts(), 0  # in all, and the training sets of the look before
    for count in races[0].planned:
        part = _up_to(setup, plan, count, names)
        table = executed(part, _counting_on(how, cost.fits + cost.failed))
        both = cost + replace(table.counts, reused=max(0, table.counts.reused - done * len(names)))
        cost = replace(both, shared=tuple(dict.fromkeys(both.shared)))
        with kept(table):
            for race in races:
                own = judged(table, race.loss, keep=how.on_error != RAISE)
                race.look(own if draws is None else own.with_draws(draws, setup.base))
        names = [name for name in table.learners if any(name in race.open for race in races)]
        done = len(set(part.draw.fits))
        if not names:
            break
    return [race.answered(cost) for race in races]


def _up_to(setup: Setup, plan: Subsampling, count: int, names: Sequence[str]) -> Setup:
    """Return the run up to a look, of the learners that are in the race; its splits are the first ones of the whole."""
    whole = setup.draw
    first = draw(
        replace(plan, repeats=count), whole.n, setup.base, setup.data.y, whole.groups, whole.time
    )
    drawn = replace(first, descriptions=whole.descriptions)
    return replace(
        setup,
        prototypes=tuple(one for one in setup.prototypes if one.name in names),
        draw=drawn,
        splits=SplitColumns.of(drawn, setup.data.target.codes),
        part=True,
    )


def _counting_on(how: RunOptions, before: int) -> RunOptions:
    """Let progress tell of all fits so far, and not only of those since the last look."""
    tell = how.progress
    if tell is None:
        return how

    def on(state: Progress) -> None:
        tell(replace(state, done=state.done + before, total=state.total + before))

    return replace(how, progress=on)


class _Race:
    """The looks at one loss, for one question."""

    def __init__(self, loss: Loss, question: Question, learners: Sequence[str]) -> None:
        self.loss, self.question = loss, question.about(learners)
        self.planned: tuple[int, ...] = question.options["looks"]
        self.learners = list(learners)
        self.open = set(learners)
        """Learners that are still in the race: a pair of theirs is not decided."""
        self.undecided = {
            frozenset(pair) for pair in families.pairs_of(tuple(learners), self.question.baseline)
        }
        self.tables: list[LossTable] = []
        self.last: dict[frozenset[str], int] = {}

    def look(self, table: LossTable) -> None:
        """Judge the pairs that are not decided by all splits up to now."""
        if not self.undecided:
            return
        lost = self.open - set(table.learners)
        self.learners = [name for name in self.learners if name not in lost]
        self.undecided = {pair for pair in self.undecided if not pair & lost}
        own = table.subset([name for name in table.learners if name in self.open])
        self.tables.append(own)
        self.last = {pair: count for pair, count in self.last.items() if not pair & lost}
        self.last |= {pair: int(own.scores.shape[1]) for pair in self.undecided}
        decided = {
            frozenset((found.pair.a, found.pair.b))
            for found in self.answered().decisions
            if found.significant or found.equivalent
        }
        self.undecided -= decided
        self.open = {name for pair in self.undecided for name in pair}

    def answered(self, cost: Counts | None = None) -> Comparison:
        """Return what the looks have found so far."""
        latest = self.tables[-1]
        options = self.question.options
        looks = Looks(
            planned=self.planned,
            made=tuple(table.scores.shape[1] for table in self.tables),
            tables=tuple(self.tables),
            last=self.last,
            ratio=odds_of_correlation(
                latest.losses(latest.learners[0]), options.get("correlation")
            ),
            level=self.question.level,
            alternative=self.question.alternative,
        )
        # The splits that all learners have, so that their numbers stand in one table.
        common = [table for table in self.tables if set(self.learners) <= set(table.learners)][
            -1
        ].subset(self.learners)
        notes = tuple(note for table in self.tables for note in table.notes)
        failures = tuple(dict.fromkeys(one for table in self.tables for one in table.failures))
        common = replace(common, notes=notes, failures=failures, counts=cost or latest.counts)
        return answer(common, self.question.about(self.learners), looks)
