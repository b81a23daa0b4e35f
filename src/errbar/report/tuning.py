"""What is said after a search: the selected candidate, what tuning bought, and the candidates that may be the best."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from errbar._plain import Names
from errbar._version import __version__
from errbar.methods import lookup
from errbar.report.story import Table, Told, row_of, top_of
from errbar.report.words import (
    WORDS,
    Digits,
    Fold,
    at_size,
    cited,
    clean,
    counted,
    heading,
    measured,
    named,
    noted,
    percent,
    plan_words,
    pvalue,
    repeated,
    sentence,
)
from errbar.tuning._tuned import SAMPLES, Tuned

_ON_SCREEN = 8
"""So many candidates at most stand on the first screen."""

_MOST_VALUES = 30
"""A parameter with more values has no curve on a page."""


class TunedStory(Told):
    """What is said of a search."""

    more = ".details() · .save('report.html')"
    evidence, noun = False, "candidate"

    def __init__(self, tuned: Tuned, command: str | None = None) -> None:
        """Say in words what the tables need."""
        table, loss = tuned.table, tuned.table.loss
        self.tuned, self.command = tuned, command
        self.candidates = tuned.candidates
        self.names, self.frame = list(self.candidates), tuned.to_frame
        self.pairs: list[Any] = []
        self.measure = measured(loss)
        self.name = f"{heading(self.measure)}, tuned"
        self.level, self.alpha = percent(tuned.level), 1.0 - tuned.level
        self.significant = f"significant at {percent(self.alpha)}"
        self.splits = plan_words(
            table.splits.kinds[0], table.splits.n_test, table.splits.repeats(0)
        )
        self.tried = counted(len(self.names), "candidate")
        self.subject = tuple(
            filter(
                None,
                (
                    f"{self.measure}, {loss.direction}",
                    clean(table.name),
                    f"{table.splits.n} examples" if table.splits.n else "",
                    self.splits,
                    self.tried,
                ),
            )
        )
        self.about = WORDS["about"]["ER"].format(self.measure) + at_size(tuned.result.n_train)
        self.digits = Digits.of([tuned.result, *self.candidates.values()])
        notes = tuned.notes
        self.warnings = [sentence(note.text) for note in notes if note.severity == "reading"]
        self.power, self.curves = self._possible(), self._curves()
        self.records = sum(note.severity != "reading" for note in notes)

    @property
    def verdict(self) -> str:
        """The selected candidate on new data."""
        tuned, result = self.tuned, self.tuned.result
        number, interval = self.digits.number(result.estimate), self.digits.span(*result.interval)
        ends = f"{self.level} confidence interval {interval}"
        return f"{clean(tuned.winner)} has {self.measure} {number} on new data, {ends}."

    @property
    def remarks(self) -> list[str]:
        """What the search reports, and what tuning bought."""
        tuned, sign = self.tuned, self.tuned.table.loss.sign
        found = []
        if len(self.names) > 1 and sign * tuned.reported < sign * tuned.result.estimate:
            shown = self.digits.number(tuned.reported)
            found.append(
                f"The search reports {shown}, which is too good: it is the best of {self.tried}."
            )
        return [*found, *self._bought()]

    def _bought(self) -> Iterable[str]:
        tuned, gain = self.tuned, self.tuned.gain
        if gain is None:
            return
        than = f"the {tuned.baseline}" if tuned.extra_fits else clean(str(tuned.baseline))
        if tuned.baseline == tuned.winner:
            yield f"Tuning has bought nothing: {than} was selected."
            return
        digits = Digits.of([gain])
        number, ends = digits.number(abs(gain.estimate)), digits.span(*gain.interval)
        interval = f"{self.level} interval {ends}"
        did = "raised" if tuned.table.loss.higher_is_better else "lowered"
        if gain.low > 0.0:
            yield f"Tuning has {did} it by {number} against {than}, {interval}."
        elif gain.high < 0.0:
            yield f"Tuning has done harm: {than} is better by {number}, {interval}."
        else:
            yield f"Tuning has not significantly {did} it against {than}: {digits.number(gain.estimate)}, {interval}."

    def _possible(self) -> str:
        """Say how many candidates may be the best."""
        possible, all_of = len(self.tuned.possible_best), len(self.names)
        if all_of == 1:
            return ""
        if possible == all_of:
            return f"Each of the {self.tried} may be the best."
        return f"{possible} of {self.tried} may be the best; the others are ruled out at {percent(self.alpha)}."

    @cached_property
    def ranking(self) -> Table:
        """All candidates, the best first."""
        tuned, possible = self.tuned, {*self.tuned.possible_best}
        rows = [
            row_of(
                name,
                result,
                self.digits,
                strong=name in possible,
                wide=tuned.interval if name == tuned.winner else None,
            )
            for name, result in self.candidates.items()
        ]
        return Table(
            "Candidates",
            f"{self.about}, each as if it had been the only one",
            self._heads("candidate"),
            rows,
            label=self.subject[0],
            mark=f"{self.level} interval",
            above="as selected best",
        )

    def _heads(self, first: str, second: str = "") -> Names:
        return [first, second or self.measure, f"{self.level} interval", "standard error"]

    @property
    def differences(self) -> Table | None:
        """What tuning bought."""
        tuned, gain = self.tuned, self.tuned.gain
        if gain is None or tuned.baseline == tuned.winner:
            return None
        digits = Digits.of([gain])
        better = "higher" if tuned.table.loss.higher_is_better else "lower"
        strong = gain.low > 0.0 or gain.high < 0.0
        name, p = f"{tuned.winner} over {tuned.baseline}", pvalue(gain.pvalue, self.alpha)
        row = row_of(name, gain, digits, [p], strong=strong)
        return Table(
            "What tuning bought",
            f"by how much {self.measure} is {better}, selection accounted for",
            [*self._heads("selected", "gain"), "p"],
            [row],
            tested=True,
            sides=("worse", "better"),
            label=f"gain in {self.measure}",
            mark=self.significant,
            foot="" if strong else f"○ not {self.significant}.",
        )

    @property
    def tables(self) -> Any:
        """What the first screen shows: the best candidates."""
        return [top_of(self.ranking, _ON_SCREEN)]

    def _curves(self) -> list[Table]:
        """Return for each parameter the best candidate at each of its values."""
        found = []
        for parameter, values in self.tuned.curves().items():
            if len(values) > _MOST_VALUES:
                continue
            rows = [
                row_of(
                    value,
                    self.candidates[name],
                    self.digits,
                    strong=name in self.tuned.possible_best,
                )
                for value, name in values.items()
            ]
            title = parameter.rpartition("__")[2]
            aside = f"{self.measure} of the best candidate at each value"
            heads = self._heads(title)
            found.append(Table(title, aside, heads, rows, mark=f"{self.level} interval"))
        return found

    @cached_property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        tuned, spec = self.tuned, lookup(self.tuned.plain.method)
        counts = tuned.table.counts
        estimated = [
            ("Estimated", f"the {self.about}, of the candidate that was selected"),
            (
                "Not estimated",
                "the mean over other searches, and the model that was fitted again on all examples",
            ),
            *(("Assumed", text) for text in spec.assumptions),
        ]
        method = [
            ("Each candidate", f"{spec.key}. {spec.summary}"),
            ("Formula", spec.formula),
            ("Selection", f"{SAMPLES} bootstrap samples select, and the examples left out assess"),
            ("Possible best", "each candidate's largest studentized difference from all others"),
        ]
        if tuned.gain is not None:
            method.append(("Gain", named(pvalue(tuned.gain.pvalue, self.alpha))))
        fits = f"{counts.fits - tuned.extra_fits} by the search in {counts.seconds:.3g} s"
        if tuned.extra_fits:
            fits += f", {tuned.extra_fits} of the {tuned.baseline}"
        cite = (
            f"{heading(self.measure)} of the selected of {self.tried} was estimated on {self.splits} with {spec.key}; the "
            f"selection was accounted for by a bootstrap of out-of-fold losses, {self.level} intervals (errbar {__version__})."
        )
        return [
            Fold("What is estimated", self.about, estimated),
            Fold("Method", f"{spec.key}, bootstrap of the selection", method),
            Fold("Data and splits", self.splits, [("Splits", self.splits), ("Fits", fits)]),
            *noted([(note.code, clean(note.text)) for note in tuned.notes]),
            *repeated(self.command, tuned.table.provenance),
            cited(cite, [spec], others=WORDS["tuned"]["references"]),
        ]
