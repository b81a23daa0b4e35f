// Tails and quantiles of the normal, t and beta laws, with at least ten correct digits also far out in the tails.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});

  const EPSILON = 2.3e-16;
  const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

  // ln Γ(z + 1) less Stirling's formula. Differences of ln Γ itself lose digits where z is large.
  function stirlingError(z) {
    let sum = 0;
    for (; z < 16; z += 1) sum += (z + 0.5) * Math.log1p(1 / z) - 1;
    const w = 1 / (z * z);
    return sum + (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - (w * 691) / 360360))))) / z;
  }

  // x ln(x / m) + m - x, by a series where x is near m and the terms cancel.
  function deviance(x, m) {
    const d = (m - x) / x;
    if (Math.abs(d) >= 0.5) return x * Math.log(x / m) + m - x;
    const v = d / (2 + d);
    let sum = v / (1 - v);
    for (let k = 3, power = v * v; Math.abs(power) > EPSILON * Math.abs(sum); k += 2, power *= v * v) sum -= power / k;
    return 2 * x * v * sum;
  }

  // x^a y^b / B(a, b), for x + y = 1.
  function betaFactor(a, b, x, y) {
    const n = a + b;
    const errors = stirlingError(n) - stirlingError(a) - stirlingError(b);
    return (Math.sqrt((a / n) * b) / ROOT_TWO_PI) * Math.exp(errors - deviance(a, n * x) - deviance(b, n * y));
  }

  // Continued fraction of the incomplete beta function, by Lentz's algorithm. It converges fast left of the mean.
  function betaFraction(a, b, x) {
    let c = 1;
    let d = 1 / (1 - ((a + b) * x) / (a + 1));
    let value = d;
    for (let m = 1, change = 0; Math.abs(change - 1) > EPSILON && m < 1e7; m += 1) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / (1 + even * d);
      c = 1 + even / c;
      value *= d * c;
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / (1 + odd * d);
      c = 1 + odd / c;
      change = d * c;
      value *= change;
    }
    return value;
  }

  // Probabilities below and above x under the beta law, for x + y = 1; the smaller one has all its digits.
  function betaTails(a, b, x, y) {
    if (x <= 0) return { lower: 0, upper: 1 };
    if (y <= 0) return { lower: 1, upper: 0 };
    if (x * (a + b + 2) < a + 1) {
      const lower = Math.min(1, (betaFactor(a, b, x, y) * betaFraction(a, b, x)) / a);
      return { lower, upper: 1 - lower };
    }
    const upper = Math.min(1, (betaFactor(a, b, x, y) * betaFraction(b, a, y)) / b);
    return { lower: 1 - upper, upper };
  }

  // P(T > t) for t >= 0.
  function tTail(t, df) {
    if (t === Infinity) return 0;
    const odds = (t * t) / df;
    return betaTails(df / 2, 0.5, 1 / (1 + odds), odds / (1 + odds)).lower / 2;
  }

  // P(Z > z) for z >= 0: the series of the integral, and farther out the continued fraction of Mills' ratio.
  function normalTail(z) {
    const density = Math.exp((-z * z) / 2) / ROOT_TWO_PI;
    if (z < 2.5) {
      let sum = 0;
      for (let k = 1, term = z; term > EPSILON * sum; k += 2, term *= (z * z) / k) sum += term;
      return 0.5 - density * sum;
    }
    // Farther out the density is below the normal range of floats, and loses its digits.
    if (z > 37.5) return 0;
    let fraction = z;
    for (let k = 200; k >= 1; k -= 1) fraction = z + k / fraction;
    return density / fraction;
  }

  // The place between low and high where a condition that holds on the left stops to hold, to the last digit.
  function bisect(holds, low, high) {
    for (;;) {
      const middle = low + (high - low) / 2;
      if (middle === low || middle === high) return middle;
      if (holds(middle)) low = middle;
      else high = middle;
    }
  }

  // The t (or for df null the normal) quantile above which a probability below one half lies.
  function quantileAbove(tail, df) {
    const above = (t) => (df === null ? normalTail(t) : tTail(t, df)) > tail;
    let high = 1;
    while (above(high)) high *= 2;
    return bisect(above, high === 1 ? 0 : high / 2, high);
  }

  // The x, with y = 1 - x, below which the beta law has a probability below one half; both have all their digits.
  function betaQuantile(a, b, tail) {
    if (betaTails(a, b, 0.5, 0.5).lower >= tail) {
      const x = bisect((one) => betaTails(a, b, one, 1 - one).lower < tail, 0, 0.5);
      return { x, y: 1 - x };
    }
    const y = bisect((one) => betaTails(a, b, 1 - one, one).lower > tail, 0, 0.5);
    return { x: 1 - y, y };
  }

  Object.assign(calculator, { betaTails, tTail, normalTail, bisect, quantileAbove, betaQuantile });
})();
