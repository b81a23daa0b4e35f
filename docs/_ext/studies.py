"""Tables of the studies, written from their raw numbers at every build.

The numbers stand in ``docs/studies/numbers``, one CSV file per run, with the command that made it on the first line.
"""

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from catalogue import list_table, write
from sphinx.application import Sphinx

from errbar.metrics import in_words

Row = Mapping[str, str]

EXPECTED = {
    "t": "14 to 24",
    "resampled-t n2=n/2": "above 30",
    "resampled-t n2=n/10": "above 30",
    "corrected-t n2=n/2": "below 4",
    "corrected-t n2=n/10": "6 to 14",
    "5x2cv-t": "9 to 18",
    "conservative-z n2=n/2": "below 5",
    "conservative-z n2=n/10": "9 to 18",
}


def generate(app: Sphinx) -> None:
    """Write all tables."""
    numbers = Path(app.srcdir) / "studies" / "numbers"
    tables = {
        "figure1-sizes.inc": sizes_table(
            read(numbers / "figure1-500.csv"), read(numbers / "figure1-10000.csv")
        ),
        "table2.inc": "".join(
            table2(dataset, read(numbers / f"table2-{dataset}.csv"))
            for dataset in ("letter", "forest")
        ),
        "habitat.inc": habitat_tables(read(numbers / "habitat.csv")),
        "near-equal.inc": near_equal_tables(read(numbers / "near-equal.csv")),
        "bootstrap-cv.inc": bootstrap_table(read(numbers / "bootstrap-cv.csv")),
        "uneven-folds.inc": uneven_table(read(numbers / "uneven-folds.csv")),
        "moments.inc": moments_table(read(numbers / "moments.csv")),
        "metric-coverage.inc": metric_coverage(read(numbers / "metric-coverage.csv")),
        "statistics.inc": statistics_table(read(numbers / "statistics.csv")),
        "dependent-coverage.inc": dependent_coverage(read(numbers / "dependent-coverage.csv")),
        "known.inc": known_boards(read(numbers / "known.csv")),
        "board.inc": board_table(read(numbers / "board.csv")),
        "attacks.inc": attacks(read(numbers / "attacks.csv")),
        "study-commands.inc": commands(numbers),
    }
    for name, text in tables.items():
        write(Path(app.srcdir) / "generated" / name, text)


def read(path: Path) -> list[Row]:
    """Return the rows of a file of raw numbers."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def sizes_table(few: Iterable[Row], many: Iterable[Row]) -> str:
    """Return the sizes of figure 1 from two runs, a table per target."""
    runs = [
        {(row["target"], row["statistic"]): row for row in run if row["kind"] == "size"}
        for run in (few, many)
    ]
    tables = []
    for target in ("A", "A-B", "B"):
        rows = [
            (
                f"``{statistic}``",
                expected if target == "A" else "",
                *(share(run[target, statistic], "size") for run in runs),
                f"{float(runs[1][target, statistic]['ratio']):.2f}",
            )
            for statistic, expected in EXPECTED.items()
        ]
        truth = round(float(runs[1][target, "t"]["mu0"]), 4) + 0.0
        head = (
            "Statistic",
            "Expected, %",
            "Size, %, 500 data sets",
            "Size, %, 10 000 data sets",
            "Var/E[se²]",
        )
        if target != "A":
            head, rows = (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows]
        tables.append(
            list_table(head, rows, caption=f"About {target}, whose expected risk is {truth:.4f}")
        )
    return "".join(tables)


def table2(dataset: str, rows: Iterable[Row]) -> str:
    """Return table 2 of one data set: measured and printed."""
    head = (
        "n",
        "rho, %",
        "printed",
        "Type I, rho = 0, %",
        "printed",
        "Type I, rho = 0.7, %",
        "printed",
        "CV error, %",
    )
    cells = [
        (
            row["n"],
            *(
                cell
                for key in ("rho", "type_1_rho_0", "type_1_rho_0.7")
                for cell in (share(row, key), printed(row, key))
            ),
            f"{100 * float(row['mean']):.1f}",
        )
        for row in rows
    ]
    words = {
        "letter": "Letter Recognition, A-M against N-Z",
        "forest": "Forest CoverType, class 2 against the rest",
    }
    return list_table(head, cells, caption=words[dataset])


def habitat_tables(rows: Iterable[Row]) -> str:
    """Return size and power of the methods in their natural habitat, a table per target."""
    by_target: dict[str, list[Row]] = {}
    for row in rows:
        by_target.setdefault(row["target"], []).append(row)
    head = ("Method", "Size, %", "Var/E[se²]", "Power at 1, 2, 3 standard deviations, %")
    tables = []
    for target, found in by_target.items():
        cells = [
            (
                row["method"],
                share(row, "size"),
                f"{float(row['ratio']):.2f}",
                ", ".join(f"{100 * float(row[f'power_{d}']):.0f}" for d in (1, 2, 3)),
            )
            for row in found
        ]
        tables.append(
            list_table(
                head,
                cells,
                caption=f"About {target}, whose truth is {float(found[0]['truth']):.4f}",
            )
        )
    return "".join(tables)


def near_equal_tables(rows: Iterable[Row]) -> str:
    """Return coverage, width and power for learners that nearly agree, a table per pair."""
    by_pair: dict[str, list[Row]] = {}
    for row in rows:
        by_pair.setdefault(row["pair"], []).append(row)
    head = (
        "Method",
        "Standard deviation",
        "Printed",
        "Coverage, %",
        "Width over the oracle's",
        "Power, %",
    )
    return "".join(
        list_table(
            head,
            [
                (
                    row["method"],
                    f"{float(row['sd']):.2g}",
                    f"{float(row['se']):.2g}",
                    share(row, "coverage"),
                    f"{float(row['over_oracle']):.2f}",
                    f"{100 * float(row['power']):.0f}",
                )
                for row in found
            ],
            widths="34 14 10 22 12 8",
            caption=f"{pair[:1].upper()}{pair[1:]}; {found[0]['data_sets']} data sets",
        )
        for pair, found in by_pair.items()
    )


def attacks(rows: Iterable[Row]) -> str:
    """Return every figure of an attack as a substitution, such as ``|kills kills|``, and which attacks were short."""
    rows = list(rows)
    short = ", ".join(row["attack"] for row in rows if row["figure"] == "short") or "none"
    figures = [
        f".. |{row['attack']} {row['figure']}| replace:: {int(row['number']):,}\n" for row in rows
    ]
    return "".join([*figures, f".. |short| replace:: {short}\n"])


def bootstrap_table(rows: Iterable[Row]) -> str:
    """Return coverage and width of the fast bootstrap and its rivals, a row per case."""
    by_case: dict[str, list[Row]] = {}
    for row in rows:
        by_case.setdefault(row["case"], []).append(row)
    fits = {row["method"]: row["fits"] for row in next(iter(by_case.values()))}
    return list_table(
        ("Learner", *(f"{method}, {count} fits" for method, count in fits.items())),
        [
            (
                case,
                *(
                    f"{100 * float(row['coverage']):.0f} %, {_figures(float(row['over_oracle']))}"
                    for row in found
                ),
            )
            for case, found in by_case.items()
        ],
        widths="40 20 20 20",
    )


def _figures(ratio: float) -> str:
    """Return a ratio with two decimals, large ones with none."""
    return f"{ratio:.0f}" if ratio >= 100.0 else f"{ratio:.2f}"


def uneven_table(rows: Iterable[Row]) -> str:
    """Return coverage by how much more the means of folds vary than losses tell."""
    head = (
        "Intervals of",
        "Folds vary",
        "Intervals",
        "``cv-t`` covered, %",
    )
    return list_table(
        head,
        [
            (
                row["of"],
                _between(float(row["above"]), float(row["up_to"])),
                row["intervals"],
                f"{100 * float(row['cv-t']):.1f}",
            )
            for row in rows
        ],
        widths="18 32 20 30",
    )


def _between(above: float, up_to: float) -> str:
    """Return a range of ratios in words."""
    if above == 0.0:
        return "no more"
    return (
        f"{above:.3g} to {up_to:.3g} times"
        if math.isfinite(up_to)
        else f"more than {above:.3g} times"
    )


def dependent_coverage(rows: Iterable[Row]) -> str:
    """Return the coverage of intervals where examples are not independent, a table per design."""
    by_design: dict[str, list[Row]] = {}
    for row in rows:
        by_design.setdefault(row["design"], []).append(row)
    head = ("Cell", "Method", "Single, %", "Difference, %", "Without the design, %")
    return "".join(
        list_table(
            head,
            [
                (row["cell"], f"``{row['method']}``", row["single"], row["pair"], row["ignoring"])
                for row in found
            ],
            caption=design[:1].upper() + design[1:],
        )
        for design, found in by_design.items()
    )


def metric_coverage(rows: Iterable[Row]) -> str:
    """Return how often intervals of metrics cover the truth, a table for one test set and one for folds."""
    found = list(rows)
    sizes = sorted({int(row["n"]) for row in found})
    text = ""
    for plan in dict.fromkeys(row["plan"] for row in found):
        cells = []
        for share, metric in dict.fromkeys(
            (row["rarer"], row["metric"]) for row in found if row["plan"] == plan
        ):
            own = {
                int(row["n"]): row
                for row in found
                if (row["plan"], row["rarer"], row["metric"]) == (plan, share, metric)
            }
            classes = f"{100 - 100 * float(share):g}:{100 * float(share):g}" if share else ""
            cells.append(
                (
                    classes,
                    in_words(metric),
                    *(percentage(own[n], "single") for n in sizes),
                    *(percentage(own[n], "difference") for n in sizes),
                    "\N{NO-BREAK SPACE}".join(f"{100 * float(own[n]['said']):.0f}" for n in sizes),
                )
            )
        header = (
            "Classes",
            "Metric",
            *(f"n = {n}" if k == 0 else str(n) for k, n in enumerate(sizes)),
            *(f"Difference, n = {n}" if k == 0 else str(n) for k, n in enumerate(sizes)),
            "Warned, %",
        )
        text += list_table(header, cells, caption=f"Coverage of 95 % intervals in percent, {plan}")
    return text


def statistics_table(rows: Iterable[Row]) -> str:
    """Return standard errors over those of the bootstrap, and coverage, a row for each statistic and design."""
    found = list(rows)
    ratios = {row["statistic"]: row for row in found if row["design"] == "bootstrap"}
    cells = []
    for row in found:
        if row["design"] == "bootstrap":
            continue
        of_bootstrap = (
            "" if row["design"] != "one test set" else _over_bootstrap(ratios[row["statistic"]])
        )
        cells.append(
            (
                row["statistic"],
                row["n"],
                row["design"],
                row["data_sets"],
                of_bootstrap,
                *(f"{100 * float(row[column]):.1f}" for column in ("single", "difference")),
            )
        )
    head = (
        "Statistic",
        "n",
        "Design",
        "Data sets",
        "Over the bootstrap",
        "Single",
        "Difference",
    )
    return list_table(head, cells, widths="28 7 18 12 17 8 10")


def _over_bootstrap(row: Row) -> str:
    """Return standard errors of a learner and of a difference over those of the bootstrap."""
    return ", ".join(f"{float(row[column]):.2f}" for column in ("se_single", "se_difference"))


def percentage(row: Row, column: str) -> str:
    """Return a share in per cent; nothing where the metric was undefined in most data sets."""
    return "" if float(row["undefined"]) > 0.5 else f"{100 * float(row[column]):.1f}"


def moments_table(rows: Iterable[Row]) -> str:
    """Return moments and ratios, a row per quantity and a column per target."""
    values: dict[str, dict[str, str]] = {}
    for row in rows:
        values.setdefault(row["quantity"], {})[row["target"]] = with_error(row)
    targets = list(dict.fromkeys(target for found in values.values() for target in found))
    cells = [
        (quantity, *(found.get(target, "") for target in targets))
        for quantity, found in values.items()
    ]
    return list_table(
        ("Quantity", *targets),
        cells,
        caption="Moments of the losses, and what follows for the tests",
    )


def with_error(row: Row) -> str:
    """Return a value with its interval or its standard error, as far as there is one."""
    value = float(row["value"])
    if row.get("low"):
        return f"{value:.3g} [{float(row['low']):.3g}, {float(row['high']):.3g}]"
    return f"{value:.4g} ± {float(row['error']):.2g}" if row.get("error") else f"{value:.4g}"


def share(row: Row, key: str) -> str:
    """Return a share with its interval, in percent."""
    names = (
        (key, "low", "high") if key in ("size", "coverage") else (key, f"{key}_low", f"{key}_high")
    )
    value, low, high = (100 * float(row[name]) for name in names)
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def printed(row: Row, key: str) -> str:
    """Return the printed value, in percent."""
    return f"{100 * float(row[f'printed_{key}']):.4g}"


def known_boards(rows: Iterable[Row]) -> str:
    """Return coverage and width of a new model's intervals on part of a board, a table per board."""
    by_board: dict[str, list[Row]] = {}
    for row in rows:
        by_board.setdefault(row["board"], []).append(row)
    words = {"none": "new", "known": "new - known", "new": "new - new"}
    head = ("Estimated", "m", "Covered, %", "Plain, %", "Width over plain")
    return "".join(
        list_table(
            head,
            [
                (
                    words[row["against"]],
                    row["asked"],
                    f"{100 * float(row['coverage']):.1f}",
                    f"{100 * float(row['plain_coverage']):.1f}",
                    f"{float(row['width']):.2f}",
                )
                for row in sorted(found, key=lambda row: [*words].index(row["against"]))
            ],
            caption=f"Board: {board}",
        )
        for board, found in by_board.items()
    )


def board_table(rows: Iterable[Row]) -> str:
    """Return how often the intervals of all ranks of simulated boards covered, and their width."""
    head = ("Boards", "Scores", "True means", "Simulated", "All ranks covered, %", "Width")
    cells = [
        (
            row["shape"],
            row["scores"],
            row["truth"],
            row["boards"],
            f"{100 * float(row['covered']):.1f}",
            row["width"],
        )
        for row in rows
    ]
    return list_table(head, cells, widths="32 16 14 12 16 10")


def commands(numbers: Path) -> str:
    """Return the command behind each file of raw numbers."""
    rows = []
    for path in sorted(numbers.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            command = file.readline().strip("# \n")
        rows.append((f"``{path.name}``", f"``{command}``"))
    return list_table(("File", "Made by"), rows)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the tables before anything is read."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
