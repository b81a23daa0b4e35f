"""The commands that fit learners: their options and their help."""

from pathlib import Path

from errbar.cli.commands import (
    DONE,
    FITS,
    GATE,
    OUTPUT,
    QUESTION,
    SPLITS,
    STOPPED,
    USAGE,
    option,
)
from errbar.cli.fit_options import FitOptions, GroupedDataOptions, WorkOptions
from errbar.cli.options import PairOptions, ReportOptions

PANEL = "Compare learners"


class Demo(
    ReportOptions,
    WorkOptions,
    does="actions",
    panel=PANEL,
    heading=OUTPUT,
    status=(DONE, USAGE, FITS),
):
    """Compare a random forest, a support vector machine and a linear model on the bundled diabetes data.

    Squared error, two times ten folds: a table, a conclusion and an HTML report.

    Examples
    --------
    # The table, the conclusion, and the report in errbar-demo.html
    errbar demo --jobs 2

    # The numbers for a program, the report elsewhere
    errbar demo --json --out demo.md
    """

    out: Path | None = option(
        "FILE",
        "Report: .html, .md, .tex; numbers: .json, .csv.",
        default=Path("errbar-demo.html"),
    )


class Compare(
    FitOptions,
    PairOptions,
    GroupedDataOptions,
    does="actions",
    panel=PANEL,
    status=(DONE, GATE, USAGE, FITS, STOPPED),
):
    r"""Fit several learners on the data of a file and say which of them differ.

    All columns without a role are features: text is one-hot encoded, dates are days, and gaps are filled where a learner takes
    none. Say with --groups or --time that examples belong together, and with --drop which columns are no features.

    Examples
    --------
    # Two learners, two times ten folds; a report to send on
    errbar compare diabetes.csv --target target \
        --model linear=LinearRegression \
        --model 'nn=KNeighborsRegressor(n_neighbors=5)' \
        --jobs 2 --out report.html

    # Two methods of one run: what their splits share is fitted once
    errbar compare diabetes.csv --target target \
        --model linear=LinearRegression \
        --model ridge=Ridge --method kfold-t \
        --option rho=0.7 --method cv-wald

    # Fail unless the new model is shown not to be worse by 100 squared units
    errbar compare diabetes.csv --target target \
        --model old=LinearRegression \
        --model 'new=Ridge(alpha=0.1)' \
        --fail-if 'new worse-than old by 100'

    # Patients with several rows each: folds of whole patients
    errbar compare patients.csv --target sbp --groups patient \
        --model ridge=Ridge \
        --model forest=RandomForestRegressor

    # Sales by day: train on 200 days, test on the next 20, and so on
    errbar compare sales.csv --target sales --time date \
        --model ridge=Ridge \
        --model forest=RandomForestRegressor \
        --plan 'RollingOrigin(n_train=200, n_test=20)'

    # Three metrics of the same fits, one report; the gate names its metric
    errbar compare churn.csv --target churn --positive yes \
        --loss f1 --loss roc_auc --loss log-loss \
        --model old=LogisticRegression \
        --model new=RandomForestClassifier \
        --fail-if 'new worse-than old by 0.01 on f1'

    # A long run that can be stopped and goes on with the same command
    errbar compare diabetes.csv --target target \
        --model tree=DecisionTreeRegressor \
        --model linear=LinearRegression --store runs.db \
        --fit-timeout 60

    # Stop when it is decided: look after 15, 30, 60 and 100 random splits
    errbar compare diabetes.csv --target target \
        --model linear=LinearRegression \
        --model 'nn=KNeighborsRegressor(n_neighbors=5)' \
        --looks 15,30,60,100
    """

    looks: str | None = option(
        "COUNTS",
        "Stop when it is decided: numbers of random splits, such as 15,30,60,100, at which to look whether every pair is significant or, with --rope, equivalent. All looks together keep the level.",
        panel=SPLITS,
    )


class Evaluate(
    FitOptions,
    GroupedDataOptions,
    does="actions",
    panel=PANEL,
    status=(DONE, GATE, USAGE, FITS, STOPPED),
):
    r"""Fit one learner on the data of a file and estimate its generalization error, with an interval.

    Columns of the file are treated as by errbar compare.

    Examples
    --------
    # The expected error of a learner, with an interval
    errbar evaluate diabetes.csv --target target \
        --model LinearRegression

    # The risk of the model that is fitted on all the data
    errbar evaluate diabetes.csv --target target \
        --model LinearRegression --method nested-cv \
        --plan 'NestedKFold(folds=5, repeats=2)'

    # A pipeline from a Python file, by its mean absolute error
    errbar evaluate diabetes.csv --target target \
        --model mine=models.py:pipeline --loss absolute-error

    # Fail unless the area under the ROC curve is shown to be above 0.7
    errbar evaluate churn.csv --target churn --positive yes --loss roc_auc \
        --model RandomForestClassifier \
        --fail-if 'roc_auc below 0.7'
    """

    fail_if: list[str] | None = option(
        "GATE",
        "Exit with status 1 unless the opposite is shown at the level: 'roc_auc below 0.7' demands that the area is above 0.7. With one loss its name may be left out.",
        panel=QUESTION,
    )
