// Sentences to report, as errbar's reports have them, and why there is none.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});
  const { general, scaled, decimalsFor, pvalue } = calculator;

  const percent = (share) => `${general(100 * share, 6)} %`;
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  function planWords(input) {
    if (input.what !== "scores") return `one holdout of ${counted(input.n, "test example")}`;
    const { value, repeats, folds, nTest } = input;
    if (!folds) return `${value.length} random splits`;
    if (repeats === 1 && nTest === 1) return `leave-one-out cross-validation of ${value.length} examples`;
    return `${repeats > 1 ? `${repeats} x ` : ""}${value.length / repeats}-fold cross-validation`;
  }

  function methodWords(found, input) {
    return {
      "corrected-t": () =>
        `the corrected resampled t (${general(input.nTrain, 6)} training and ${general(input.nTest, 6)} test examples)`,
      "kfold-t": () => `the K-fold t with rho = ${general(input.rho, 6)}`,
      mcnemar: () => "the exact McNemar test",
      "paired-proportions": () => "Tango's score interval",
      binomial: () => "Wilson's score interval",
    }[found.method]();
  }

  const measureOf = (input) => input.measure ?? "error rate";

  // The model that looks better first, by how much, and the interval of that gain.
  function sides(found, { names: [a, b], higher }) {
    const { estimate, low, high } = found;
    const [gain, least, most] = higher ? [estimate, low, high] : [0 - estimate, 0 - high, 0 - low];
    return gain < 0
      ? { better: b, worse: a, gain: 0 - gain, low: 0 - most, high: 0 - least }
      : { better: a, worse: b, gain, low: least, high: most };
  }

  function naiveRemark(naive, found, alpha) {
    if (naive === null || naive.pvalue <= alpha === found.pvalue <= alpha) return "";
    return `; the naive t-test would have ${naive.pvalue <= alpha ? "called it significant" : "missed it"}`;
  }

  function ofPair(found, input, start, naive) {
    const alpha = 1 - found.level;
    const text = (value) => scaled(value, decimalsFor(found));
    const measure = measureOf(input);
    const [up, down] = input.higher ? ["higher", "lower"] : ["lower", "higher"];
    const { better, worse, gain, low, high } = sides(found, input);
    const end = `, ${pvalue(found.pvalue, alpha)}${naiveRemark(naive, found, alpha)}.`;
    const interval = `[${text(low)}, ${text(high)}]`;
    if (found.pvalue <= alpha) {
      const level = `at the ${percent(alpha)} level`;
      return `${start}, ${better} has ${up} ${measure} than ${worse} ${level}, by ${text(gain)} ${interval}${end}`;
    }
    const looks =
      gain === 0 ? `their estimates of ${measure} are equal` : `${better} has ${up} ${measure} by ${text(gain)}`;
    const may = gain === 0 ? `${better} may have` : "may have";
    const range =
      low >= 0 ? ` ${interval}` : `, but ${may} anything from ${text(high)} ${up} to ${text(0 - low)} ${down}`;
    return `${start}, ${better} and ${worse} are not told apart: ${looks}${range}${end}`;
  }

  function ofOne(found, input, start, naive) {
    const text = (value) => scaled(value, decimalsFor(found));
    const interval = ({ low, high }) => `[${text(low)}, ${text(high)}]`;
    const size = found.n_train === null ? "" : ` trained on ${trainingSize(found.n_train)} examples`;
    const test = input.tested
      ? `, ${pvalue(found.pvalue, 1 - found.level)} for the null ${general(found.null, 6)}`
      : "";
    const contrast = naive === null ? "" : `; the naive interval would have been ${interval(naive)}`;
    return (
      `${start}, the ${measureOf(input)} of ${input.names[0]}${size} is ${text(found.estimate)}, ` +
      `${percent(found.level)} interval ${interval(found)}${test}${contrast}.`
    );
  }

  const trainingSize = (n) => (Number.isInteger(n) ? `${n}` : `about ${calculator.fixed(n, 0)}`);

  // The sentence of errbar's report, with the name of the method beside that of the plan.
  function sentence(found, input, naive = null) {
    const start = `With ${planWords(input)} and ${methodWords(found, input)}`;
    return (input.oneModel ? ofOne : ofPair)(found, input, start, naive);
  }

  // Why scores that do not vary are refused.
  function constant(input, estimate) {
    const [a, b] = input.names,
      measure = measureOf(input);
    if (input.oneModel) {
      return `All scores are ${general(estimate, 6)}: they do not vary, so there is neither an interval nor a test.`;
    }
    if (estimate === 0)
      return `${a} and ${b} have exactly the same ${measure} throughout, so there is no difference to test.`;
    const { better, worse, gain } = sides({ estimate, low: estimate, high: estimate }, input);
    return (
      `${better} has ${input.higher ? "higher" : "lower"} ${measure} than ${worse} by ${general(gain, 6)} throughout: ` +
      "the difference does not vary, so no test can say how sure it is."
    );
  }

  // What the threshold of rho means, in words.
  function verdict({ threshold, level }) {
    const risk = percent(1 - level);
    if (threshold >= 1) return `significant at the ${risk} level whatever rho is`;
    if (threshold === "-inf" || threshold <= 0) return `not significant at the ${risk} level whatever rho is`;
    return `significant at the ${risk} level unless rho exceeds ${calculator.fixed(threshold, 3)}`;
  }

  Object.assign(calculator, { percent, measureOf, sentence, constant, verdict });
})();
