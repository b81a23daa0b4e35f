// The methods: what errbar answers for the same numbers, as errbar.Result.to_dict describes it.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});
  const { betaTails, betaQuantile, bisect, normalTail, quantileAbove, tTail } = calculator;

  // Scores that differ by less than this share of their size differ by rounding alone.
  const ROUNDING = 1e-12;
  const CONSERVATIVE = 0.7;

  // NumPy adds pairwise and in eights. In this order a mean has the same last digit, and rounds to the same text.
  function sum(values) {
    if (values.length > 128) {
      const half = Math.floor(values.length / 2);
      const first = half - (half % 8);
      return sum(values.slice(0, first)) + sum(values.slice(first));
    }
    const eights = values.length - (values.length % 8);
    const r = values.slice(0, eights ? 8 : 0);
    for (let i = 8; i < eights; i += 1) r[i % 8] += values[i];
    const start = eights ? r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7])) : 0;
    return values.slice(eights).reduce((total, value) => total + value, start);
  }

  const mean = (values) => sum(values) / values.length;

  function variance(values) {
    const low = Math.min(...values),
      high = Math.max(...values);
    if (high - low <= ROUNDING * Math.max(Math.abs(low), Math.abs(high))) return 0;
    const centre = mean(values);
    return values.reduce((total, value) => total + (value - centre) ** 2, 0) / (values.length - 1);
  }

  function difference(one, other) {
    return one.map((value, i) => {
      const gap = value - other[i];
      return Math.abs(gap) <= ROUNDING * Math.max(Math.abs(value), Math.abs(other[i])) ? 0 : gap;
    });
  }

  // (estimate - null) / se; with se = 0 it is 0, or infinite with the sign of the difference.
  function standardised(estimate, se, nullValue) {
    const gap = estimate - nullValue;
    if (se > 0) return gap / se;
    const negligible = Math.abs(gap) <= ROUNDING * Math.max(Math.abs(estimate), Math.abs(nullValue));
    return negligible ? 0 : Math.sign(gap) * Infinity;
  }

  function shown(value) {
    if (typeof value !== "number") return value;
    return Math.abs(value) >= 1000 && Math.abs(value) < 1e15 ? value.toFixed(0) : calculator.general(value, 4);
  }

  function note(code, numbers = {}) {
    const filled = (text, [name, value]) => text.replace(`{${name}}`, shown(value));
    return { code, numbers, text: Object.entries(numbers).reduce(filled, calculator.words.notes[code]) };
  }

  function result(method, found) {
    return {
      method,
      estimand: calculator.words.methods[method].estimand,
      n_train: null,
      df: null,
      alternative: "two-sided",
      n_splits: 1,
      notes: [],
      posterior: {},
      n_fits: null,
      directed: true,
      components: {},
      ...found,
    };
  }

  // What is said where splits are stratified: the scores do not tell how much the shares of the classes matter.
  function strataNotes({ stratified }) {
    return stratified ? [note("strata-not-known", {})] : [];
  }

  // Student's t with J - 1 degrees of freedom, where the variance of the mean is S^2 times a factor.
  function ofScores(method, scores, factor, asked, notes = []) {
    const estimate = mean(scores.value);
    const se = Math.sqrt(variance(scores.value) * factor);
    const df = scores.value.length - 1;
    const statistic = standardised(estimate, se, asked.null);
    const reach = se > 0 ? se * quantileAbove(1 - (0.5 + asked.level / 2), df) : 0;
    const degenerate = se > 0 ? [] : [note("no-variation")];
    return result(method, {
      n_train: scores.nTrain,
      estimate,
      se,
      level: asked.level,
      statistic,
      df,
      pvalue: Math.min(1, 2 * tTail(Math.abs(statistic), df)),
      null: asked.null,
      n_splits: scores.value.length,
      notes: [...notes, ...strataNotes(scores), ...degenerate],
      low: estimate - reach,
      high: estimate + reach,
    });
  }

  function correctedT(scores, asked) {
    const found = ofScores("corrected-t", scores, 1 / scores.value.length + scores.nTest / scores.nTrain, asked);
    if (scores.folds) found.notes.push(note("heuristic", { splits: "K-fold cross-validation" }));
    return found;
  }

  const resampledT = (scores, asked) =>
    ofScores("resampled-t", scores, 1 / scores.value.length, asked, [note("liberal", { assumed: "independent split scores" })]);

  function kfoldT(scores, rho, asked) {
    const notes = rho <= 0 ? [note("liberal", { assumed: "uncorrelated fold scores, rho = 0" })] : [];
    return ofScores("kfold-t", scores, 1 / (scores.value.length * (1 - rho)), asked, notes);
  }

  // The rho up to which the K-fold t rejects.
  function rhoThreshold(scores, asked) {
    const count = scores.value.length;
    const statistic = Math.abs(standardised(mean(scores.value), Math.sqrt(variance(scores.value) / count), asked.null));
    if (statistic === 0) return -Infinity;
    const ratio = quantileAbove(1 - (0.5 + asked.level / 2), count - 1) / statistic;
    return 1 - ratio * ratio;
  }

  // The rho of the correlation n2/(n1 + n2), with which the K-fold t is the corrected t; 1/K where sizes are unknown.
  function rhoOfCorrectedT({ value, nTrain, nTest }) {
    const count = value.length;
    const ratio = nTrain !== null && nTest !== null ? nTest / nTrain : 1 / (count - 1);
    const correlation = ratio / (1 + ratio);
    return (count * correlation) / (1 + (count - 1) * correlation);
  }

  // The K-fold t by the rho that it assumes, with the values of rho that have a name.
  function rhoSensitivity(scores, asked) {
    const threshold = rhoThreshold(scores, asked);
    const marks = { uncorrected: 0, "Nadeau-Bengio": rhoOfCorrectedT(scores), conservative: CONSERVATIVE };
    if (threshold >= 0 && threshold < 1) marks.threshold = threshold;
    const grid = Array.from({ length: 100 }, (_, i) => i / 100);
    const rho = [...new Set([...grid, ...Object.values(marks)])].sort((a, b) => a - b);
    const found = rho.map((one) => kfoldT(scores, one, asked));
    return {
      estimate: found[0].estimate,
      folds: scores.value.length,
      level: asked.level,
      null: asked.null,
      alternative: "two-sided",
      threshold: threshold === -Infinity ? "-inf" : threshold,
      rho,
      pvalue: found.map((one) => one.pvalue),
      low: found.map((one) => one.low),
      high: found.map((one) => one.high),
      marks,
    };
  }

  function twoModels({ b, c, n }) {
    return { estimate: (b - c) / n, se: Math.sqrt(Math.max(0, b + c - (b - c) ** 2 / n)) / n };
  }

  // P(X >= x) for X binomial with m trials and probability 1/2. Small numbers of ways are counted, without rounding:
  // 2/32 has to stay a tie, which rounds to an even digit.
  function atLeastOfHalf(x, m) {
    if (m > 50) return x > 0 ? betaTails(x, m - x + 1, 0.5, 0.5).lower : 1;
    let ways = 0;
    for (let k = m, chosen = 1; k >= x; k -= 1) {
      ways += chosen;
      chosen = (chosen * k) / (m - k + 1);
    }
    return ways / 2 ** m;
  }

  // Exact test, given the number m of examples on which just one of the two errs, and the interval of Clopper & Pearson.
  function mcnemar({ b, c, n }, asked) {
    const m = b + c;
    const tail = (1 - asked.level) / 2;
    // The share is less its complement, so that an end near 0 keeps its digits.
    const lower = (x) => {
      if (m === 0) return 0;
      const share = x > 0 ? betaQuantile(x, m - x + 1, tail) : { x: 0, y: 1 };
      return (m / n) * (share.x - share.y);
    };
    return result("mcnemar", {
      ...twoModels({ b, c, n }),
      level: asked.level,
      statistic: m ? (b - c) / Math.sqrt(m) : 0,
      pvalue: m ? Math.min(1, 2 * Math.min(atLeastOfHalf(b, m), atLeastOfHalf(c, m))) : 1,
      null: 0,
      notes: m ? [] : [note("no-variation")],
      low: lower(b),
      high: 0 - lower(c),
    });
  }

  // Tango's z at a null that is not negative, where the estimate of q loses no digits.
  function tangoScore(b, c, n, nullValue) {
    const linear = (2 * n - b + c) * nullValue - b - c;
    const constant = 2 * n * c * nullValue * (1 - nullValue);
    const root = Math.sqrt(linear * linear + 4 * constant);
    const q = linear <= 0 ? (root - linear) / (4 * n) : constant / n / (root + linear);
    return standardised(b - c - n * nullValue, Math.sqrt(n * (2 * q + nullValue * (1 - nullValue))), 0);
  }

  function pairedProportions({ b, c, n }, asked) {
    const z = (nullValue) => (nullValue < 0 ? -tangoScore(c, b, n, -nullValue) : tangoScore(b, c, n, nullValue));
    const reach = quantileAbove((1 - asked.level) / 2, null);
    const { estimate, se } = twoModels({ b, c, n });
    return result("paired-proportions", {
      estimate,
      se,
      level: asked.level,
      statistic: z(0),
      pvalue: Math.min(1, 2 * normalTail(Math.abs(z(0)))),
      null: 0,
      low: estimate === -1 ? -1 : bisect((one) => z(one) > reach, -1, estimate),
      high: estimate === 1 ? 1 : bisect((one) => z(one) > -reach, estimate, 1),
    });
  }

  // Error rate x/n with Wilson's interval, and the score test that it belongs to.
  function binomial({ x, n }, asked) {
    const rate = x / n;
    const nullValue = asked.null ?? 0.5;
    const z = quantileAbove((1 - asked.level) / 2, null);
    const statistic = standardised(rate, Math.sqrt((nullValue * (1 - nullValue)) / n), nullValue);
    const end = (side) => (x + (z * z) / 2 + side * z * Math.sqrt((x * (n - x)) / n + (z * z) / 4)) / (n + z * z);
    return result("binomial", {
      estimate: rate,
      se: Math.sqrt((rate * (1 - rate)) / n),
      level: asked.level,
      statistic,
      pvalue: Math.min(1, 2 * normalTail(Math.abs(statistic))),
      null: nullValue,
      low: Math.min(1, Math.max(0, end(-1))),
      high: Math.min(1, Math.max(0, end(1))),
    });
  }

  Object.assign(calculator, {
    difference,
    correctedT,
    resampledT,
    kfoldT,
    rhoSensitivity,
    mcnemar,
    pairedProportions,
    binomial,
  });
})();
