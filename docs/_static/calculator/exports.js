// The answer for other programs: rows of tables, JSON with all digits, and the call in Python that gives the same.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});
  const { general, measureOf, percent } = calculator;

  function cells(found, tested) {
    const named = [
      ["method", found.method],
      ["estimate", general(found.estimate, 4)],
      ["standard error", general(found.se, 4)],
      [`${percent(found.level)} interval`, `[${general(found.low, 4)}, ${general(found.high, 4)}]`],
    ];
    return tested ? [...named, ["p", general(found.pvalue, 4)]] : named;
  }

  // As errbar.Result.to_markdown writes it; without p where no test was asked for.
  function markdown(found, { tested }) {
    const shown = cells(found, tested);
    const rules = shown.map((_, i) => (i ? "---:" : "---"));
    const rows = [shown.map(([head]) => head), rules, shown.map(([, text]) => text)];
    return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  }

  function latex(found, { tested }) {
    const shown = cells(found, tested);
    const heads = shown
      .map(([head]) => head)
      .join(" & ")
      .replace("%", "\\%");
    const values = shown.map(([, text]) => text).join(" & ");
    const columns = `l${"r".repeat(shown.length - 1)}`;
    return [
      `\\begin{tabular}{${columns}}`,
      "\\toprule",
      `${heads} \\\\`,
      "\\midrule",
      `${values} \\\\`,
      "\\bottomrule",
      "\\end{tabular}",
    ].join("\n");
  }

  const infinite = (value) => (Number.isFinite(value) ? value : general(value, 6));
  const json = (found) => JSON.stringify({ ...found, statistic: infinite(found.statistic) }, null, 1);

  const text = JSON.stringify;
  const argumentsOf = (...given) => given.filter(Boolean).join(", ");
  const called = (...lines) => ["import errbar", "", ...lines, "print(result)"].join("\n");

  function ofSingle(found, { x, n }, asked) {
    return called(
      `losses = errbar.Losses([1] * ${x} + [0] * ${n - x})`,
      `result = errbar.methods.binomial(losses, ${asked})`,
    );
  }

  function ofPair(found, { b, c, n, both }, asked) {
    const name = found.method.replace("-", "_");
    return called(
      `counts = errbar.Discordance(${b}, ${c}, n=${n}, both=${both})`,
      `result = errbar.methods.${name}(counts, ${asked})`,
    );
  }

  function ofScores(found, input, asked) {
    const { columns, differences, pair, nTrain, nTest } = input;
    const names = differences ? [input.names.join(" minus ")] : input.names;
    const options = argumentsOf(
      nTrain !== null && `n_train=${nTrain}, n_test=${nTest}`,
      `kind="${input.folds ? "kfold" : "subsampling"}"`,
      `metric=${text(measureOf(input))}`,
      input.higher && "higher_is_better=True",
      input.stratified && "stratified=True",
    );
    const which = argumentsOf(
      text(found.method),
      text(names[0]),
      pair && `minus=${text(names[1])}`,
      asked,
      found.method === "kfold-t" && `rho=${input.rho}`,
    );
    const scores = columns.map((column, i) => `    ${text(names[i])}: [${column.join(", ")}],`);
    return called(
      "scores = {",
      ...scores,
      "}",
      `table = errbar.from_scores(scores, ${options})`,
      `result = errbar.infer(table, ${which})`,
    );
  }

  function python(found, input) {
    const asked = argumentsOf(`level=${found.level}`, input.oneModel && input.tested && `null=${found.null}`);
    return { scores: ofScores, pair: ofPair, single: ofSingle }[input.what](found, input, asked);
  }

  Object.assign(calculator, { markdown, latex, json, python });
})();
