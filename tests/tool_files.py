"""Small files of results, with the structure that their tools give them."""

import json

import pandas as pd


def trec_eval(path, scores):
    """What ``trec_eval -q`` prints: scores by measure and topic, and the means at the end."""
    topics = [*next(iter(scores.values()))]
    line = "{:<22}\t{}\t{:6.4f}\n".format
    lines = [line(measure, topic, scores[measure][topic]) for topic in topics for measure in scores]
    lines += [f"{'runid':<22}\tall\tBM25\n", f"{'num_q':<22}\tall\t{len(topics)}\n"]
    lines += [line(measure, "all", sum(own.values()) / len(own)) for measure, own in scores.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def promptfoo(path, results, prompts=("Answer {{question}}",)):
    """Results by provider: a success for each question, or None where the provider gave no answer.

    With several prompts a question has a success for each; a question that occurs twice is repeated.
    """
    rows = []
    for provider, own in results.items():
        for index, (question, successes) in enumerate(own):
            for place, prompt in enumerate(prompts):
                success = successes[place] if len(prompts) > 1 else successes
                rows.append(
                    {
                        "promptIdx": place,
                        "testIdx": index,
                        "testCase": {"vars": {"question": question}, "assert": []},
                        "promptId": f"p{place}",
                        "provider": {"id": f"openai:{provider}", "label": provider},
                        "prompt": {"raw": f"{prompt} {question}", "label": prompt},
                        "vars": {"question": question},
                        "success": bool(success),
                        "score": float(success or 0),
                        "latencyMs": 12,
                        "failureReason": 2 if success is None else int(not success),
                        "namedScores": {"style": 0.5},
                        "cost": 0.001,
                    }
                )
    held = {"version": 3, "timestamp": "2026-05-05T10:00:00.000Z", "prompts": [], "results": rows}
    content = {"evalId": "eval-abc", "results": held | {"stats": {}}, "config": {}}
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return path


def deepeval(path, scores, wrapped=False):
    """A test run: scores by metric, one for each case; None where the metric ended in an error."""
    cases = []
    for index, values in enumerate(zip(*scores.values(), strict=True)):
        metrics = [
            {
                "name": name,
                "threshold": 0.5,
                "success": value is not None and value >= 0.5,
                **({"error": "timeout"} if value is None else {"score": value}),
                "strictMode": False,
                "evaluationModel": "judge",
            }
            for name, value in zip(scores, values, strict=True)
        ]
        cases.append(
            {
                "name": f"test_case_{index}",
                "input": f"question {index}? " + "It is a long one. " * 5,
                "actualOutput": "42",
                "success": all(one["success"] for one in metrics),
                "metricsData": metrics,
                "runDuration": 0.1,
                "order": index,
            }
        )
    run = {"testCases": cases, "conversationalTestCases": [], "metricsScores": []}
    run |= {"testPassed": 1, "testFailed": 1}
    content = {"testRunData": run, "testRunLink": ""} if wrapped else run
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def helm(folder, model, scenario, values, split="test", trials=1):
    """A run: the statistics of instances, in entries of their own for each metric, with perturbed copies."""
    place = folder / f"{scenario},model={model}"
    place.mkdir(parents=True)
    entries = []
    for name in ("exact_match", "num_output_tokens"):
        for trial in range(trials):
            for index, value in enumerate(values):
                mean = value if name == "exact_match" else 17
                stat = {"count": 1, "sum": mean, "mean": mean, "stddev": 0.0}
                entry = {"instance_id": f"id{index}", "train_trial_index": trial}
                entries.append(entry | {"stats": [{"name": {"name": name, "split": split}} | stat]})
                dialect = {"name": "dialect", "robustness": False}
                named = {"name": name, "split": split, "perturbation": dialect}
                copy = entry | {
                    "perturbation": dialect,
                    "stats": [{"name": named} | stat | {"mean": 0}],
                }
                entries.append(copy)
    dumped = json.dumps(entries, indent=2)
    (place / "per_instance_stats.json").write_text(dumped, encoding="utf-8")
    (place / "run_spec.json").write_text(json.dumps({"name": place.name}), encoding="utf-8")
    predictions = [{"instance_id": "id0", "train_trial_index": 0, "stats": {"exact_match": 1.0}}]
    (place / "display_predictions.json").write_text(json.dumps(predictions), encoding="utf-8")
    return place


def trainer(path, evaluations):
    """The state of Hugging Face's Trainer: losses in training, and evaluations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    history = []
    for index, scores in enumerate(evaluations):
        history.append({"epoch": index + 1.0, "loss": 0.5, "learning_rate": 1e-5, "step": 100})
        speed = {"eval_runtime": 3.1, "eval_samples_per_second": 80.2, "eval_steps_per_second": 5.0}
        history.append({"epoch": index + 1.0} | scores | speed | {"step": 100 * (index + 1)})
    history.append({"epoch": 3.0, "train_loss": 0.4, "train_runtime": 60.0, "step": 300})
    state = {"best_metric": 0.9, "best_model_checkpoint": None, "epoch": 3.0, "global_step": 300}
    path.write_text(json.dumps(state | {"log_history": history}, indent=2), encoding="utf-8")
    return path


def tidymodels(scores, **more):
    """What ``collect_metrics(summarize = FALSE)`` returns of a workflow set: repeated folds, two metrics."""
    rows = []
    for workflow, values in scores.items():
        for index, value in enumerate(values):
            place = {"id": f"Repeat{index // 5 + 1}", "id2": f"Fold{index % 5 + 1}"}
            for metric, own in (("accuracy", value), ("roc_auc", value / 2)):
                rows.append(
                    {"wflow_id": workflow, ".config": "Preprocessor1_Model1", "preproc": "recipe"}
                    | {"model": "rand_forest"}
                    | place
                    | {".metric": metric, ".estimator": "binary", ".estimate": own}
                )
    return pd.DataFrame(rows)


def mlr3(scores, tasks=("sonar",)):
    """The columns of ``bmr$score()`` that are no lists."""
    rows = [
        {
            "nr": 1 + place,
            "task_id": task,
            "learner_id": learner,
            "resampling_id": "cv",
            "iteration": index + 1,
            "classif.ce": value + t / 100,
        }
        for t, task in enumerate(tasks)
        for place, (learner, values) in enumerate(scores.items())
        for index, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def amlb(scores, metrics):
    """The results of the AutoML benchmark: by framework and task a result for each fold, None where it failed."""
    rows = [
        {
            "id": f"openml.org/t/{59 + t}",
            "task": task,
            "framework": framework,
            "constraint": "1h8c_gp3",
            "fold": fold,
            "type": "binary",
            "result": result,
            "metric": metrics[task],
            "mode": "aws",
            "version": "1.0",
            "params": "",
            "app_version": "dev [master, a1b2c3]",
            "utc": "2026-07-01T10:00:00",
            "duration": 60.0 + fold,
            "training_duration": 50.0 + fold,
            "predict_duration": 1.0,
            "models_count": 3 + fold % 2,
            "seed": 1000 * t + fold,
            "info": "" if result is not None else "TimeoutError: Interrupting thread",
            "acc": result,
        }
        for framework, own in scores.items()
        for t, (task, results) in enumerate(own.items())
        for fold, result in enumerate(results)
    ]
    return pd.DataFrame(rows)
