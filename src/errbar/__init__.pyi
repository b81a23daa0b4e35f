# The public names, for type checkers, and at run time for `errbar.__getattr__`.

from errbar import (
    boards as boards,
    datasets as datasets,
    errors as errors,
    fits as fits,
    gates as gates,
    margins as margins,
    methods as methods,
    metrics as metrics,
    planning as planning,
    plans as plans,
    plots as plots,
    reading as reading,
    report as report,
    simultaneous as simultaneous,
    statistics as statistics,
    study as study,
    testing as testing,
    tuning as tuning,
)
from errbar._version import __version__ as __version__
from errbar.boards import Board as Board, board as board
from errbar.comparison import (
    Comparison as Comparison,
    Pair as Pair,
    compare_table as compare_table,
)
from errbar.errors import (
    ErrbarError as ErrbarError,
    FitFailedError as FitFailedError,
    InvalidInputError as InvalidInputError,
    MissingPackageError as MissingPackageError,
    PairingError as PairingError,
    StoreError as StoreError,
    UnsuitablePlanError as UnsuitablePlanError,
)
from errbar.fits import (
    Progress as Progress,
    Store as Store,
    run as run,
)
from errbar.fits.learners import function as function
from errbar.gates import Gate as Gate, Threshold as Threshold, Verdict as Verdict
from errbar.losses import Losses as Losses
from errbar.margins import (
    Equivalence as Equivalence,
    equivalence as equivalence,
    non_inferiority as non_inferiority,
)
from errbar.methods import infer as infer, overall as overall
from errbar.methods._core.inputs import (
    Blocks as Blocks,
    Discordance as Discordance,
    OutOfBag as OutOfBag,
    RankScores as RankScores,
    TwoSamples as TwoSamples,
)
from errbar.reading.examples import read_examples as read_examples
from errbar.reading.known import from_known as from_known
from errbar.reading.rows import from_rows as from_rows
from errbar.reading.scores import from_judged as from_judged
from errbar.reading.sheet import UnsaidRoleError as UnsaidRoleError
from errbar.reading.table import (
    describe as describe,
    from_losses as from_losses,
    from_predictions as from_predictions,
    from_scores as from_scores,
    read_table as read_table,
)
from errbar.reading.tools.anything import read as read
from errbar.reading.tools.logs import read_logs as read_logs
from errbar.reading.tools.sklearn import from_cross_validate as from_cross_validate
from errbar.reading.tools.skore import from_skore as from_skore
from errbar.reading.tools.weka import weka_tables as weka_tables
from errbar.result import (
    Estimand as Estimand,
    GlobalResult as GlobalResult,
    Interval as Interval,
    Note as Note,
    Result as Result,
)
from errbar.study import compare as compare, evaluate as evaluate
from errbar.table import LossTable as LossTable
from errbar.tuning import Kept as Kept, Tuned as Tuned, keep as keep, tune as tune, tuned as tuned
