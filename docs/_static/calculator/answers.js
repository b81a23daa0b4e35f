// From what stands in the form to the answers of all methods that apply, or why one does not.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});
  const { constant, general, sentence, verdict, Refusal } = calculator;

  function requireVariation(found, input) {
    if (found.notes.some((note) => note.code === "no-variation")) throw new Refusal(constant(input, found.estimate));
    return found;
  }

  function correctedT(input) {
    if (input.nTrain === null) {
      throw new Refusal(
        "The corrected resampled t needs the sizes of the splits: fill in training size and test size.",
      );
    }
    const result = requireVariation(calculator.correctedT(input, input.asked), input);
    return { result, sentence: sentence(result, input, calculator.resampledT(input, input.asked)) };
  }

  function requireOnePartition({ repeats, rho, value: { length: count } }) {
    if (repeats > 1) {
      throw new Refusal(
        `The K-fold t needs a single partition into folds, and ${count} scores with these sizes are ${repeats} of them.`,
      );
    }
    const least = -1 / (count - 1);
    if (rho > least && rho < 1) return;
    const given = Number.isNaN(rho) ? "what you wrote" : rho;
    throw new Refusal(
      `rho must lie between -1/(K - 1) = ${general(least, 4)} and 1 for K = ${count} folds, and ${given} does not.`,
    );
  }

  function kfoldT(input) {
    requireOnePartition(input);
    const result = requireVariation(calculator.kfoldT(input, input.rho, input.asked), input);
    const sensitivity = calculator.rhoSensitivity(input, input.asked);
    // The threshold says more than whether rho = 0, the naive test, would have been significant.
    const told = sentence(result, input);
    const words = input.tested ? `${told.slice(0, -1)}; ${verdict(sensitivity)}.` : told;
    return { result, sentence: words, sensitivity, verdict: verdict(sensitivity), rho: input.rho };
  }

  const ofCounts = (method) => (input) => {
    const result = requireVariation(method(input, input.asked), input);
    return { result, sentence: sentence(result, input) };
  };

  const METHODS = {
    "corrected-t": correctedT,
    "kfold-t": kfoldT,
    mcnemar: ofCounts(calculator.mcnemar),
    "paired-proportions": ofCounts(calculator.pairedProportions),
    binomial: ofCounts(calculator.binomial),
  };

  function methodsFor(input) {
    const ofScores = input.folds ? ["corrected-t", "kfold-t"] : ["corrected-t"];
    return { scores: ofScores, pair: ["mcnemar", "paired-proportions"], single: ["binomial"] }[input.what];
  }

  function orRefusal(found) {
    try {
      return found();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { refusal: error.message, nothing: error instanceof calculator.Nothing };
    }
  }

  function answerOf(method, input) {
    const found = orRefusal(() => METHODS[method](input));
    if (found.refusal) return { method, ...found };
    const exported = ["markdown", "latex", "python", "json"].map((form) => [
      form,
      calculator[form](found.result, input),
    ]);
    return { method, tested: input.tested, ...found, ...Object.fromEntries(exported) };
  }

  // The answers for what stands in the form; `refusal` says why there are none.
  function answer(state) {
    const input = orRefusal(() => calculator.read(state));
    if (input.refusal) return { answers: [], ...input };
    return { answers: methodsFor(input).map((method) => answerOf(method, input)), input };
  }

  calculator.answer = answer;
})();
