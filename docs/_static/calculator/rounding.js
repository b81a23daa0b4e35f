// Numbers as errbar writes them: the format specifications of Python, and the decimals of its reports.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});

  // The first `count` digits of a string of digits, rounded half to even, as an integer.
  function rounded(digits, count) {
    const head = count > 0 ? digits.slice(0, count).padEnd(count, "0") : "0";
    const rest = count >= 0 ? digits.slice(count) : "0";
    const number = BigInt(head);
    const tie = /^50*$/.test(rest);
    return number + ((tie ? number % 2n === 1n : rest >= "5") ? 1n : 0n);
  }

  // All significant digits of a number, and its exponent. JavaScript's own rounding takes ties away from zero.
  function exact(x) {
    const [mantissa, exponent] = Math.abs(x).toExponential(100).split("e");
    return { digits: mantissa.replace(".", ""), exponent: Number(exponent) };
  }

  const sign = (x) => (x < 0 || Object.is(x, -0) ? "-" : "");

  // f"{x:.{decimals}f}"
  function fixed(x, decimals) {
    const { digits, exponent } = exact(x);
    const text = String(rounded(digits, exponent + 1 + decimals)).padStart(decimals + 1, "0");
    const point = text.length - decimals;
    return sign(x) + (decimals ? `${text.slice(0, point)}.${text.slice(point)}` : text);
  }

  // f"{x:.{decimals}e}"
  function scientific(x, decimals) {
    const found = exact(x);
    let digits = String(rounded(found.digits, decimals + 1)).padStart(decimals + 1, "0");
    let exponent = found.exponent;
    if (digits.length > decimals + 1) [digits, exponent] = [digits.slice(0, -1), exponent + 1];
    const power = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign(x)}${digits[0]}${decimals ? "." : ""}${digits.slice(1)}e${exponent < 0 ? "-" : "+"}${power}`;
  }

  // f"{x:.{precision}g}"
  function general(x, precision) {
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
    if (x === 0) return `${sign(x)}0`;
    const shown = scientific(x, precision - 1);
    const [mantissa, power] = shown.split("e");
    const exponent = Number(power);
    const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (exponent < -4 || exponent >= precision) return `${bare(mantissa)}e${power}`;
    return bare(fixed(x, precision - 1 - exponent));
  }

  const decimalsOf = (value, digits) => digits - 1 - Math.floor(Math.log10(value));

  // Decimals with which the standard error shows three digits, or the estimate four where there is none; null for
  // scientific notation.
  function decimalsFor({ estimate, se }) {
    const size = Math.abs(estimate);
    const decimals = se > 0 ? decimalsOf(se, 3) : decimalsOf(size || 1, 4);
    return decimals <= 8 && Math.max(size, se) < 1e9 ? Math.max(0, decimals) : null;
  }

  function scaled(x, decimals) {
    if (!Number.isFinite(x)) return general(x, 6);
    const text = decimals === null ? scientific(x, 3) : fixed(x, decimals);
    return Number(text) === 0 ? text.replace(/^-/, "") : text;
  }

  // The sign and three decimals, or as many as show on which side of alpha the p-value lies.
  function pvalue(p, alpha) {
    if (p < 0.001) return alpha >= 0.001 ? "p < 0.001" : `p = ${general(p, 2)}`;
    for (const decimals of [3, 4, 5, 6]) {
      const text = fixed(p, decimals);
      if (Number(text) <= alpha === p <= alpha) return `p = ${text}`;
    }
    return `p = ${general(p, 6)}`;
  }

  // "2." for 2.5 is 2, as Python rounds.
  const nearest = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

  Object.assign(calculator, { fixed, scientific, general, decimalsFor, scaled, pvalue, nearest });
})();
