"""Fit once, then ask several methods and several losses of the same fits.

Usage: python examples/one_run_many_questions.py
"""

from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import errbar

X, y = load_iris(return_X_y=True)
learners = {"bayes": GaussianNB(), "5-NN": KNeighborsClassifier(5)}
plan = errbar.plans.Subsampling() + errbar.plans.FiveByTwo() + errbar.plans.KFold(folds=10)
table = errbar.run(learners, X, y, plan=plan, random_state=0)
print(f"{table.counts.fits} fits\n")

for loss in ("zero-one", "brier"):
    scored = table.with_loss(loss)
    for method in ("corrected-t", "kfold-t", "cv-wald", "5x2cv-f"):
        options = {"rho": 0.7} if method == "kfold-t" else {}
        result = errbar.infer(scored, method, "bayes", minus="5-NN", **options)
        interval = f"[{result.low:+.4f}, {result.high:+.4f}]"
        print(
            f"{loss:9} {method:12} {result.estimate:+.4f} {interval} about {result.estimand}({result.n_train:.0f})"
        )
