"""Judge the scores of a cross-validation that was done with scikit-learn; errbar fits nothing.

Usage: python examples/own_scores.py
"""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.neighbors import KNeighborsRegressor

import errbar

X, y = load_diabetes(return_X_y=True)
folds = KFold(10, shuffle=True, random_state=0)
found = {
    name: cross_validate(learner, X, y, cv=folds, scoring="r2", return_indices=True)
    for name, learner in {"linear": LinearRegression(), "5-NN": KNeighborsRegressor(5)}.items()
}
table = errbar.from_cross_validate(found, metric="score")

print(errbar.infer(table, "corrected-t", "linear", minus="5-NN"))

threshold = errbar.methods.rho_threshold(table.losses("linear", "5-NN"))
print(f"significant at 5 % unless the between-block correlation exceeds {threshold:.2f}")
