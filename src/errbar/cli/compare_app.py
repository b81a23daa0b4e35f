"""The commands that fit learners."""

from typer import Typer

from errbar.cli.commands import DONE, FITS, GATE, STOPPED, USAGE, command
from errbar.cli.options import (
    DemoOutput,
    FitOptions,
    GroupedDataOptions,
    MethodOptions,
    PairOptions,
    RunOutput,
    SplitOptions,
    WorkOptions,
)

PANEL = "Compare learners"

app = Typer()


@command(app, "actions", panel=PANEL, status=(DONE, USAGE, FITS))
def demo(work: WorkOptions, output: DemoOutput) -> None:
    """Compare a random forest, a support vector machine and a linear model on the bundled diabetes data.

    Squared error, 15 random splits, corrected t: a table, a conclusion and an HTML report.

    Examples
    --------
    # The table, the conclusion, and the report in errbar-demo.html
    errbar demo --jobs 2

    # The numbers for a program, the report elsewhere
    errbar demo --json --out demo.md
    """


@command(app, "actions", panel=PANEL, status=(DONE, GATE, USAGE, FITS, STOPPED))
def compare(
    data: GroupedDataOptions, question: PairOptions, splitting: SplitOptions, fitting: FitOptions, output: RunOutput
) -> None:
    r"""Fit several learners on the data of a file and say which of them differ.

    Columns that are text are one-hot encoded inside every training set; text with more than 100 different values,
    dates and times are refused. Missing values go to the learners as they are.

    Examples
    --------
    # Two learners, 15 random splits, corrected t; a report to send on
    errbar compare diabetes.csv --target target \
        --model linear=sklearn.linear_model.LinearRegression \
        --model 'nn=sklearn.neighbors.KNeighborsRegressor(n_neighbors=5)' \
        --jobs 2 --out report.html

    # Two methods of one run: what their splits share is fitted once
    errbar compare diabetes.csv --target target \
        --model linear=sklearn.linear_model.LinearRegression \
        --model ridge=sklearn.linear_model.Ridge --method kfold-t \
        --option rho=0.7 --method cv-wald

    # Fail unless the new model is shown not to be worse by 100 squared units
    errbar compare diabetes.csv --target target \
        --model old=sklearn.linear_model.LinearRegression \
        --model 'new=sklearn.linear_model.Ridge(alpha=0.1)' \
        --fail-if 'new worse-than old by 100'

    # A long run that can be stopped and goes on with the same command
    errbar compare diabetes.csv --target target \
        --model tree=sklearn.tree.DecisionTreeRegressor \
        --model linear=sklearn.linear_model.LinearRegression --store runs.db \
        --fit-timeout 60
    """


@command(app, "actions", panel=PANEL, status=(DONE, USAGE, FITS, STOPPED))
def evaluate(
    data: GroupedDataOptions, question: MethodOptions, splitting: SplitOptions, fitting: FitOptions, output: RunOutput
) -> None:
    r"""Fit one learner on the data of a file and estimate its generalization error, with an interval.

    Columns of the file are treated as by errbar compare.

    Examples
    --------
    # The expected error of a learner, with an interval
    errbar evaluate diabetes.csv --target target \
        --model sklearn.linear_model.LinearRegression

    # The risk of the model that is fitted on all the data
    errbar evaluate diabetes.csv --target target \
        --model sklearn.linear_model.LinearRegression --method nested-cv \
        --plan 'NestedKFold(folds=5, repeats=2)'

    # A pipeline from a Python file, by its mean absolute error
    errbar evaluate diabetes.csv --target target \
        --model mine=models.py:pipeline --loss absolute-error
    """
