"""What a board says: who may rank first, a row for each model with the interval of its rank, and groups of ties."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from errbar import _check
from errbar._plain import Data
from errbar._version import __version__
from errbar.boards import DRAWS, Board
from errbar.reading.tools.logs import EQUAL
from errbar.report.story import Row, Table, Told, top_of
from errbar.report.words import (
    WORDS,
    Digits,
    Fold,
    cited,
    clean,
    counted,
    heading,
    listed,
    measure,
    noted,
    percent,
    plain,
    repeated,
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
    pairs, remarks, differences = (), (), None  # ranks speak of all pairs

    def __init__(self, board: Board, command: str | None = None) -> None:
        """Say in words what the tables need."""
        self.board, self.command = board, command
        self.names, scores, errors, *_ = zip(*board.places, strict=True)
        self.digits = Digits.of_errors(errors, scores)
        self.measure = measure(board.measure)
        self.level, self.alpha = percent(board.level), 1.0 - board.level
        self.significant = f"significant at {percent(self.alpha)}"
        self.models = counted(len(self.names), "model")
        self.about = f"mean {self.measure}" if board.measure == "score" else self.measure
        tasks = ""
        if len(board.tasks) > 1:
            tasks = f"{counted(len(board.tasks), 'task')}, {board.mean}"
            self.about += " over tasks" if board.mean == EQUAL else " over all items"
        what = f"{self.measure}, {'higher' if board.higher_is_better else 'lower'} is better"
        parts = what, clean(board.name), counted(board.task.size, "item"), tasks, self.models
        self.subject = tuple(filter(None, parts))
        self.warnings = [sentence(one.text) for one in board.notes if one.severity == "reading"]
        self.records = len(board.notes) - len(self.warnings)

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
        rows = [
            Row(
                clean(one.model),
                float(one.rank),
                float(one.first),
                float(one.last),
                [
                    self.digits.number(one.score),
                    self.digits.span(one.low, one.high) if one.se else "none",
                    f"{one.first} to {one.last}" if one.last > one.first else f"{one.first}",
                ],
                strong=one.first == 1,
            )
            for one in self.board.places
        ]
        words, level = WORDS["board"], self.level
        return RankTable(
            "Ranking",
            f"by {self.about}, with {level} simultaneous intervals of all ranks",
            ["model", self.measure, f"{level} interval", "ranks"],
            rows,
            label=f"rank, with the {level} intervals of all ranks",
            mark=f"{level} interval of the rank",
            above=f"ranks 1 to {len(rows)}",
            foot=words["foot"].format(level, words[self.board.clusters]),
        )

    @property
    def picture(self) -> Table:
        """What is drawn: ranks alone, with their intervals."""
        rows = [
            replace(row, cells=[f"{row.estimate:g}", row.cells[2]]) for row in self.ranking.rows
        ]
        return replace(self.ranking, rows=rows, heads=["model", "rank", self.ranking.heads[2]])

    @property
    def tables(self) -> Any:
        """What the first screen shows: the models at the top."""
        return [top_of(self.ranking, self.top)]

    @cached_property
    def folds(self) -> list[Fold]:
        """What few readers need."""
        board, words = self.board, WORDS["board"]
        facts = {
            "units": counted(board.units.shape[1], board.clusters.removesuffix("s")),
            "critical": plain(round(board.critical, 4)),
            "draws": DRAWS,
            "models": heading(self.models),
            "about": self.about,
            "level": self.level,
            "version": __version__,
        }
        place = {name: f"{number}" for number, name in enumerate(self.names, 1)}
        groups = [
            (f"{place[group[0]]} to {place[group[-1]]}", listed(list(map(clean, group))))
            for group in board.groups
        ]
        what = f"{counted(len(groups), 'group')} of neighbours that do not differ significantly"
        method = [(name, text.format(**facts)) for name, text in words["method"].items()]
        made = {"Seed of the draws": board.seed, "errbar": __version__}
        return [
            Fold("Ties", what, groups),
            Fold("Method", "simultaneous rank intervals by max-t", method),
            *noted([(note.code, clean(note.text)) for note in board.notes]),
            *repeated(self.command, made, "seed and version"),
            cited(words["cite"].format(**facts), [], others=words["references"]),
        ]

    @cached_property
    def board_facts(self) -> Data:
        """What the script of a page computes with."""
        decimals = self.digits.decimals
        return self.board.to_dict() | {"decimals": decimals, "shown": list(map(clean, self.names))}

    def frame(self) -> Any:
        """Return a frame with a row for each model."""
        return _check.package("pandas", "app").DataFrame(self.board.places)
