"""Compare two language models on a benchmark: several answers to each question, and questions in clusters.

Usage: python examples/model_answers.py
"""

import numpy as np

import errbar

QUESTIONS, ANSWERS, PER_PASSAGE = 200, 5, 5

# How hard a passage is, and by how much the large model is better there, is common to its questions.
rng = np.random.default_rng(0)
passages = QUESTIONS // PER_PASSAGE
hard = np.repeat(rng.beta(3.0, 3.0, passages), PER_PASSAGE)
better = np.repeat(rng.normal(0.06, 0.15, passages), PER_PASSAGE)
rates = {"small": hard, "large": np.clip(hard - better, 0.0, 1.0)}
wrong = {
    name: rng.binomial(1, rate, (ANSWERS, QUESTIONS)).T.ravel() for name, rate in rates.items()
}

# A row per answer, with the truth about it.
question, answer = np.repeat(np.arange(QUESTIONS), ANSWERS), np.tile(np.arange(ANSWERS), QUESTIONS)
facts = {"example": question, "seed": answer, "metric": "error"}

# What are the questions a sample of? Of all questions about these passages, or about any passages.
for what, groups in (("new questions", None), ("new passages", question // PER_PASSAGE)):
    table = errbar.from_losses(wrong, groups=groups, **facts)
    difference = errbar.compare_table(table).pairs[0].result
    print(
        f"{what} ({difference.method}) {difference.estimate:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
    )

# Answers taken for questions: an interval that is too narrow, and no word about it.
naive = errbar.infer(errbar.from_losses(wrong, metric="error"), "holdout-t", "small", minus="large")
print(
    f"1000 answers as rows ({naive.method}) {naive.estimate:+.3f} [{naive.low:+.3f}, {naive.high:+.3f}]"
)
