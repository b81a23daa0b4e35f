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
wrong = {name: rng.binomial(1, rate, (ANSWERS, QUESTIONS)).T for name, rate in rates.items()}

# All answers as rows, with the truth about them: refused, and the message says what to do.
rows = {name: answers.ravel() for name, answers in wrong.items()}
question, answer = np.repeat(np.arange(QUESTIONS), ANSWERS), np.tile(np.arange(ANSWERS), QUESTIONS)
try:
    errbar.compare_table(errbar.from_losses(rows, example=question, seed=answer, metric="error"))
except errbar.UnsuitablePlanError as refusal:
    print(f"Refused: {refusal}\n")

# One row per question is about new questions like these; one row per passage is about new passages.
by_question = {name: answers.mean(axis=1) for name, answers in wrong.items()}
by_passage = {name: means.reshape(-1, PER_PASSAGE).mean(axis=1) for name, means in by_question.items()}
for what, losses in (("questions", by_question), ("passages", by_passage)):
    table = errbar.from_losses(losses, metric="error")
    difference = errbar.infer(table, "holdout-t", "large", minus="small")
    print(f"new {what:9} {difference.estimate:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]")
