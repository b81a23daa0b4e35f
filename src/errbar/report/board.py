"""What a board says: who may rank first, a row for each model with the interval of its rank, and groups of ties."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from errbar import _check
from errbar._plain import Data
from errbar._version import __version__
from errbar.boards import DRAWS, EQUAL, TASKS, Board
from errbar.report.story import Row, Table, Told, first_out
from errbar.report.words import (
    WORDS,
    Digits,
    Fold,
    clean,
    counted,
    heading,
    listed,
    measure,
    percent,
    plain,
    sentence,
)


@dataclass(frozen=True)
class RankTable(Table):
    """Rows whose pictures are intervals of ranks."""

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The first rank, and the last one that a row may have."""
        return 1.0, max(row.high for row in self.rows)


class BoardStory(Told):
    """What is said of a board."""

    name, noun, evidence = "Board", "model", False
    more = ".save('report.html')"

    def __init__(self, board: Board, command: str | None = None) -> None:
        """Say in words what the tables need."""
        self.board, self.command = board, command
        self.names = [one.model for one in board.places]
        self.pairs: list[Any] = []
        self.measure = measure(board.measure)
        self.level, self.alpha = percent(board.level), 1.0 - board.level
        self.significant = f"significant at {percent(self.alpha)}"
        self.models = counted(len(self.names), "model")
        self.about = f"mean {self.measure}" if board.measure == "score" else self.measure
        tasks = len(board.tasks)
        if tasks > 1:
            self.about += " over tasks" if board.mean == EQUAL else " over all items"
        better = "higher" if board.higher_is_better else "lower"
        of_tasks = [f"{counted(tasks, 'task')}, {board.mean}"] if tasks > 1 else []
        self.subject = tuple(
            filter(
                None,
                (
                    f"{self.measure}, {better} is better",
                    clean(board.name),
                    counted(board.task.size, "item"),
                    *of_tasks,
                    self.models,
                ),
            )
        )
        self.digits = Digits.of_errors(
            [one.se for one in board.places], [one.score for one in board.places]
        )
        self.warnings = [sentence(one.text) for one in board.notes if one.severity == "reading"]
        self.records = sum(one.severity != "reading" for one in board.notes)
        self.remarks: list[str] = []

    @property
    def verdict(self) -> str:
        """Who may rank first."""
        leaders = self.board.leaders
        if len(leaders) == 1:
            return f"{clean(leaders[0])} ranks first: all others are significantly worse at {percent(self.alpha)}."
        count = "All" if len(leaders) == len(self.names) else f"{len(leaders)} of"
        return f"{count} {self.models} may rank first: none is significantly worse than another model at {percent(self.alpha)}."

    @cached_property
    def ranking(self) -> Table:
        """All models, the best first."""
        rows = []
        for one in self.board.places:
            ends = self.digits.span(one.low, one.high) if one.se else "none"
            ranks = f"{one.first} to {one.last}" if one.last > one.first else f"{one.first}"
            cells = [self.digits.number(one.score), ends, ranks]
            strong = one.first == 1
            span = float(one.rank), float(one.first), float(one.last)
            rows.append(Row(clean(one.model), *span, cells, strong=strong))
        return RankTable(
            "Ranking",
            f"by {self.about}, with {self.level} simultaneous intervals of all ranks",
            ["model", self.measure, f"{self.level} interval", "ranks"],
            rows,
            label=f"rank, with the {self.level} intervals of all ranks",
            mark=f"{self.level} interval of the rank",
            above=f"ranks 1 to {len(rows)}",
            foot=self._foot(),
        )

    @property
    def picture(self) -> Table:
        """What is drawn: ranks alone, with their intervals."""
        rows = [
            replace(row, cells=[f"{row.estimate:g}", row.cells[2]]) for row in self.ranking.rows
        ]
        return replace(self.ranking, rows=rows, heads=["model", "rank", self.ranking.heads[2]])

    def _foot(self) -> str:
        """Say what the intervals mean."""
        sure = f"With {self.level} confidence all ranks lie within their intervals at once."
        what = "other tasks like these" if self.board.clusters == TASKS else "other such items"
        return f"{sure} They speak of {what}."

    @property
    def differences(self) -> Table | None:
        """None: ranks speak of all pairs."""
        return None

    @property
    def tables(self) -> Any:
        """What the first screen shows: the models at the top."""
        ranking = self.ranking
        shown = ranking.rows[: self.top]
        left = len(ranking.rows) - len(shown)
        foot = f"and {counted(left, 'other')}\n{ranking.foot}" if left else ranking.foot
        return [replace(ranking, rows=shown, foot=foot, cut=first_out(shown))]

    @property
    def groups(self) -> list[tuple[str, str]]:
        """Groups of neighbours that do not differ significantly, with the places that they take."""
        place = {name: number for number, name in enumerate(self.names, 1)}
        return [
            (f"{place[group[0]]} to {place[group[-1]]}", listed(list(map(clean, group))))
            for group in self.board.groups
        ]

    @cached_property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        board, groups = self.board, self.groups
        what = f"{counted(len(groups), 'group')} of neighbours that do not differ significantly"
        units = counted(board.units.shape[1], "task" if board.clusters == TASKS else "item")
        method = [
            ("Ranks", "A rank lies between 1 plus the number of significantly better models, and the number of models less those significantly worse."),
            ("Tests", f"Largest studentised difference of all pairs, step-down, with random signs of {units}"),
            ("Critical value", f"{plain(round(board.critical, 4))}, {DRAWS} draws"),
            ("Filters", "Scores, ranks and groups are computed again by the same law, of the items and models that are left."),
        ]  # fmt: skip
        folds = [
            Fold("Ties", what, groups),
            Fold("Method", "simultaneous rank intervals by max-t", method),
        ]
        notes = [(note.code, clean(note.text)) for note in board.notes]
        if notes:
            folds.append(Fold("Notes", counted(len(notes), "note"), notes))
        again = [("Command", clean(self.command))] if self.command else []
        again += [("Seed of the draws", str(board.seed)), ("errbar", __version__)]
        folds.append(Fold("Reproduce", self.command or "seed and version", again))
        cite = (
            f"{heading(self.models)} were ranked by {self.about}; {self.level} rank intervals are simultaneous over all "
            f"pairs (step-down max-t with random signs of {units}; errbar {__version__})."
        )
        known = [("Reference", text) for text in WORDS["board"]["references"]]
        return [
            *folds,
            Fold("Cite", "a sentence for the paper", [("Sentence", cite), *known]),
        ]

    @cached_property
    def board_facts(self) -> Data:  # type: ignore[override] # it is computed where a page is written
        """What the script of a page computes with."""
        decimals = self.digits.decimals
        return self.board.to_dict() | {"decimals": decimals, "shown": list(map(clean, self.names))}

    def frame(self) -> Any:
        """Return a frame with a row for each model."""
        return _check.package("pandas", "app").DataFrame(self.board.places)
