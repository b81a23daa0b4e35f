// The interval and the p-value of the K-fold t against rho, drawn as SVG.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});

  const LEFT = 56,
    RIGHT = 10,
    TOP = 30,
    PANEL = 128,
    GAP = 34,
    BOTTOM = 44;
  // P-values below this are drawn at the edge; a longer axis would press the rest together.
  const FLOOR = 1e-6;
  // Beyond this rho the interval would press the rest of its panel together.
  const SHOWN = 0.9;

  function adder(svg) {
    return (name, attributes, text = "", parent = svg) => {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = text;
      parent.append(made);
      return made;
    };
  }

  // About four round numbers between low and high.
  function ticks(low, high) {
    const raw = (high - low) / 4;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high; i += 1)
      found.push({ value: i * step, text: calculator.scaled(i * step, Math.min(decimals, 8)) });
    return found;
  }

  function powers(floor) {
    const found = [0, -1, -2, -3, -4, -5, -6].map((power) => Number(`1e${power}`));
    return found.filter((value) => value >= floor).map((value) => ({ value, text: String(value) }));
  }

  // One panel: its place, the scale of its heights, and its horizontal lines.
  function panel(add, { top, low, high, logarithmic, marks, title, x }) {
    const scale = logarithmic ? Math.log : (value) => value;
    const y = (value) => top + (PANEL * (scale(high) - scale(value))) / (scale(high) - scale(low));
    add("text", { x: LEFT, y: top - 9, class: "title" }, title);
    for (const { value, text } of marks) {
      add("line", { x1: LEFT, x2: x(1), y1: y(value), y2: y(value), class: "grid" });
      add("text", { x: LEFT - 7, y: y(value) + 4, "text-anchor": "end" }, text.replace("-", "\u2212"));
    }
    return y;
  }

  const path = (rho, heights, x, y) =>
    rho.map((one, i) => `${i ? "L" : "M"}${x(one).toFixed(1)},${y(heights[i]).toFixed(1)}`).join("");

  function drawInterval(add, found, x, top, title) {
    const last = found.rho.findIndex((one) => one >= SHOWN);
    const anchor = found.tested ? found.null : found.estimate;
    const low = Math.min(found.low[last], anchor),
      high = Math.max(found.high[last], anchor);
    const y = panel(add, { top, low, high, marks: ticks(low, high), title, x });
    const upper = path(found.rho, found.high, x, y);
    const lower = path([...found.rho].reverse(), [...found.low].reverse(), x, y).replace("M", "L");
    const frame = {
      x: LEFT,
      y: top,
      width: x(1) - LEFT,
      height: PANEL,
      viewBox: `${LEFT} ${top} ${x(1) - LEFT} ${PANEL}`,
    };
    add("path", { d: `${upper}${lower}Z`, class: "band" }, "", add("svg", frame));
    if (found.tested) add("line", { x1: LEFT, x2: x(1), y1: y(found.null), y2: y(found.null), class: "null" });
    add("line", { x1: LEFT, x2: x(0.99), y1: y(found.estimate), y2: y(found.estimate), class: "estimate" });
    return y;
  }

  function drawPvalue(add, found, x, top) {
    const alpha = 1 - found.level;
    const floor = Math.max(FLOOR, 0.4 * Math.min(alpha, ...found.pvalue));
    const above = panel(add, {
      top,
      low: floor,
      high: 1,
      logarithmic: true,
      marks: powers(floor),
      title: "p-value",
      x,
    });
    const y = (value) => above(Math.max(floor, value));
    add("rect", { x: LEFT, width: x(1) - LEFT, y: y(alpha), height: top + PANEL - y(alpha), class: "rejected" });
    add("line", { x1: LEFT, x2: x(1), y1: y(alpha), y2: y(alpha), class: "alpha" });
    add(
      "text",
      { x: x(1) - 6, y: y(alpha) + 15, "text-anchor": "end" },
      `${calculator.general(100 * alpha, 6)} % level`,
    );
    add("path", { d: path(found.rho, found.pvalue, x, y), class: "curve" });
    for (const [name, rho] of Object.entries(found.marks)) {
      add("circle", {
        cx: x(rho),
        cy: y(found.pvalue[found.rho.indexOf(rho)]),
        r: 4,
        class: name === "threshold" ? "mark threshold" : "mark",
      });
    }
    return y;
  }

  // Draw the p-values by rho, and where the answer for one rho lies.
  function drawCurve(svg, found, answer, title) {
    const width = Math.max(260, svg.clientWidth);
    const panels = found.tested ? 2 : 1;
    const height = TOP + panels * PANEL + (panels - 1) * GAP + BOTTOM;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const add = adder(svg);
    const x = (rho) => LEFT + (width - LEFT - RIGHT) * rho;
    const base = height - BOTTOM;
    const interval = drawInterval(add, found, x, TOP, title);
    const p = found.tested ? drawPvalue(add, found, x, TOP + PANEL + GAP) : null;
    for (const rho of [0, 0.2, 0.4, 0.6, 0.8, 1])
      add("text", { x: x(rho), y: base + 17, "text-anchor": "middle" }, String(rho));
    add("text", { x: x(0.5), y: base + 37, "text-anchor": "middle" }, "assumed between-block correlation \u03c1");
    const rho = Math.max(0, Math.min(0.99, answer.rho));
    add("line", { x1: x(rho), x2: x(rho), y1: TOP, y2: base, class: "chosen" });
    for (const end of [answer.result.low, answer.result.high]) {
      const cy = interval(end);
      if (cy >= TOP && cy <= TOP + PANEL) add("circle", { cx: x(rho), cy, r: 4.5, class: "point" });
    }
    if (p) add("circle", { cx: x(rho), cy: p(answer.result.pvalue), r: 5.5, class: "point" });
  }

  calculator.drawCurve = drawCurve;
})();
