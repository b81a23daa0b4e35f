"""Ask the question of `errbar demo` in Python, and draw the picture of the README.

Usage: python examples/diabetes.py [PICTURE.png]
"""

import sys

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import errbar

X, y = load_diabetes(return_X_y=True)
learners = {
    "forest": RandomForestRegressor(),
    "svm": make_pipeline(StandardScaler(), SVR(C=20.0)),
    "linear": LinearRegression(),
}
comparison = errbar.compare(
    learners, X, y, loss="squared-error", method="corrected-t", random_state=0
)
print(comparison)
if len(sys.argv) > 1:
    figure = comparison.plot().figure
    figure.savefig(sys.argv[1], dpi=160, facecolor="white", bbox_inches="tight")
