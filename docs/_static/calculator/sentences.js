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

  // What is claimed: in favour of the model that looks better.
  function claim(found, { names: [a, b], higher, ...input }) {
    if (found.estimate === 0) return `${a} and ${b} differ in ${measureOf(input)}`;
    const [better, worse] = found.estimate > 0 === Boolean(higher) ? [a, b] : [b, a];
    return `${better} has ${higher ? "higher" : "lower"} ${measureOf(input)} than ${worse}`;
  }

  function naiveRemark(naive, found, alpha) {
    if (naive === null || naive.pvalue <= alpha === found.pvalue <= alpha) return "";
    return `; the naive t-test would have ${naive.pvalue <= alpha ? "called it significant" : "missed it"}`;
  }

  function ofPair(found, input, start, naive) {
    const alpha = 1 - found.level;
    const text = (value) => scaled(value, decimalsFor(found));
    const level = `at the ${percent(alpha)} level`;
    const opening = found.pvalue <= alpha ? `${start}, ${level}, ` : `${start} there is no evidence ${level} that `;
    return (
      `${opening}${claim(found, input)}: ${input.names[0]} minus ${input.names[1]} is ${text(found.estimate)} ` +
      `[${text(found.low)}, ${text(found.high)}], ${pvalue(found.pvalue, alpha)}${naiveRemark(naive, found, alpha)}.`
    );
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
      `${start}, the ${measureOf(input)} of ${input.names[0]}${size} is estimated at ${text(found.estimate)}, ` +
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
    return (
      `${a} minus ${b} is ${general(estimate, 6)} in ${measure} throughout: the difference does not vary, ` +
      "so no test can say how sure it is."
    );
  }

  // What the threshold of rho means, as errbar.methods.RhoSensitivity.verdict says it.
  function verdict({ threshold, level }) {
    const risk = percent(1 - level);
    if (threshold >= 1) return `significant at the ${risk} level whatever rho is`;
    if (threshold === "-inf" || threshold <= 0) return `not significant at the ${risk} level whatever rho is`;
    return `significant at the ${risk} level unless rho exceeds ${calculator.fixed(threshold, 3)}`;
  }

  Object.assign(calculator, { percent, measureOf, sentence, constant, verdict });
})();
