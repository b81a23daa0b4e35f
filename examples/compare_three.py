"""Compare three classifiers with one baseline, by a score, on stratified folds.

Usage: python examples/compare_three.py
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errbar

X, y = load_breast_cancer(return_X_y=True)
learners = {
    "bayes": GaussianNB(),
    "5-NN": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
plan = errbar.plans.Predefined(RepeatedStratifiedKFold(n_splits=10, n_repeats=2))
comparison = errbar.compare(
    learners, X, y, loss="roc_auc", plan=plan, baseline="bayes", random_state=0
)
print(comparison)
