"""The options of errbar power."""

from errbar.cli.commands import NUMBERS, QUESTION, SPLITS, Options, argument, choice, flag, option
from errbar.cli.given_options import PANEL, GivenOptions
from errbar.cli.options import ALTERNATIVE, LEVEL, MOST, PlotOptions

DESIGNS = {
    "splits": ("deviation", "n_train", "n_test", "repeats"),
    "crossed": ("seeds", "examples", "cost_seed", "cost_example", "shared_seeds"),
    "clusters": ("clusters", "per_cluster", "cost_cluster", "cost_example"),
}
"""Designs, and the options of each; one belongs to two."""


class DesignOptions(Options, heading=SPLITS):
    """What is drawn at random in a study, how much of it there is to be, and what it costs."""

    design: str = choice(
        "DESIGN",
        "What the study draws at random: {}. With crossed several seeds judge the same examples; with clusters examples come in groups. A pilot tells numbers that are not given.",
        DESIGNS,
        default="splits",
    )
    repeats: int | None = option("J", "Number of splits, by default 15.", max=MOST)
    seeds: int | None = option("S", "With --design crossed: number of seeds.", max=MOST)
    examples: int | None = option("N", "With --design crossed: number of examples.")
    clusters: int | None = option("G", "With --design clusters: number of clusters.")
    per_cluster: int | None = option("M", "With --design clusters: examples per cluster.")
    shared_seeds: bool = flag(
        "With --design crossed: learners share their seeds.", "--shared-seeds"
    )
    cost_seed: float | None = option("COST", "Cost of one more seed.")
    cost_cluster: float | None = option("COST", "Cost of one more cluster.")
    cost_example: float | None = option("COST", "Cost of one more example.")


class Power(
    PlotOptions, DesignOptions, GivenOptions, does="powering", panel=PANEL, heading=QUESTION
):
    r"""Say what a study can find, and the splits, seeds, examples or clusters that a difference needs.

    By default a study with the corrected t: the spread of the split differences is assumed, or read from a pilot. With --design
    crossed several seeds judge the same examples, with --design clusters examples come in groups: then it says where
    the squared standard error comes from, how many more examples are worth one more seed or cluster
    and, with costs, what the cheapest study is.

    Examples
    --------
    # From an assumed spread of the split differences
    errbar power --deviation 0.02 --n-train 270 --n-test 30 \
        --difference 0.02

    # From a pilot, with a plot
    errbar power scores.csv --n-train 270 --n-test 30 --difference 0.02 \
        --out power.png

    # Several runs on the same questions: more runs, or more questions?
    errbar power repeated.csv --design crossed --example question \
        --seed sample --cost-seed 3 --cost-example 0.05 --difference 0.02

    # Answers drawn anew for each question: more of them, or more questions?
    errbar power repeated.csv --design clusters --groups question \
        --ignore sample --difference 0.02

    # The same of the answers of two language models, logged by lm_eval
    errbar power sampled/small sampled/large --metric acc \
        --design clusters --groups question
    """

    scores: list[str] | None = argument(
        "SCORES",
        "Pilot: a file (or logs) as for errbar test; one column holds differences.",
        default=None,
    )
    pair: str | None = option("A,B", "Columns to compare, of several.", panel=NUMBERS)
    deviation: float | None = option(
        "S",
        "Without a pilot: standard deviation of the split differences.",
        panel=NUMBERS,
    )
    level: float = LEVEL
    alternative: str = ALTERNATIVE
    difference: float | None = option(
        "DELTA",
        "True difference that the study should find.",
    )
    power: float = option("POWER", "Wanted probability of finding it.", default=0.8)
