"""Options of errbar power for studies that are no random splits."""

from errbar.cli.commands import NUMBERS, QUESTION, SPLITS, choice, option, options
from errbar.cli.options import MOST

DESIGNS = ("splits", "crossed", "clusters")


@options(SPLITS)
class DesignOptions:
    """What is drawn at random in a study, how much of it there is to be, and what it costs."""

    design: str = choice(
        "DESIGN",
        "What the study draws at random: {}. With crossed several seeds (or answers) judge the same examples; with clusters "
        "examples come in groups.",
        DESIGNS,
        default="splits",
    )
    seeds: int | None = option(
        "S", "With --design crossed: number of seeds; by default that of the pilot.", max=MOST
    )
    examples: int | None = option(
        "N", "With --design crossed: number of examples; by default that of the pilot."
    )
    clusters: int | None = option(
        "G", "With --design clusters: number of clusters; by default that of the pilot."
    )
    per_cluster: int | None = option(
        "M",
        "With --design clusters: examples per cluster; by default their mean number in the pilot.",
    )
    shared_seeds: bool = option(
        None,
        "With --design crossed: a seed means the same to both learners.",
        "--shared-seeds",
        default=False,
    )
    cost_seed: float | None = option(
        "COST", "Cost of one more seed, of each learner; with --cost-example.", panel=QUESTION
    )
    cost_cluster: float | None = option(
        "COST",
        "Cost of one more cluster, without its examples; with --cost-example.",
        panel=QUESTION,
    )
    cost_example: float | None = option(
        "COST", "Cost of one more example, in the same unit.", panel=QUESTION
    )


@options(NUMBERS)
class ComponentOptions:
    """Without a pilot: how much losses (or their differences) vary, and from what."""

    seed_sd: float | None = option(
        "SD", "Without a pilot: standard deviation between seeds, in units of the loss."
    )
    example_sd: float | None = option("SD", "The same between examples.")
    error_sd: float | None = option("SD", "The same of what seeds and examples add together.")
    cluster_sd: float | None = option("SD", "The same between clusters.")
    within_sd: float | None = option("SD", "The same within clusters.")
