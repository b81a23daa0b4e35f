// The map of the atlas: problems by methods, for the learner (or pair) and the size that are chosen.
"use strict";

(() => {
  const atlas = window.ATLAS;
  const target = document.getElementById("atlas-target");
  const size = document.getElementById("atlas-size");
  const table = document.getElementById("atlas-map");
  if (!atlas || !table) return;

  const NOMINAL = 95;

  // Which targets an entry of the first list stands for.
  const choices = Object.entries(atlas.subjects).map(([subject, words]) => [
    `all ${words}`, atlas.target.flatMap(([, own], place) => (own.includes(subject) ? [place] : [])),
  ]);
  atlas.target.forEach(([name], place) => choices.push([name, [place]]));

  const option = (list, words, value) => list.append(new Option(words, value));
  choices.forEach(([words], place) => option(target, words, place));
  option(size, "all sizes", -1);
  atlas.n.forEach((n, place) => option(size, String(n), place));

  // Data sets of one size are independent of those of another; what targets share of a data set is counted once.
  function sums() {
    const wanted = new Set(choices[Number(target.value)][1]);
    const n = Number(size.value);
    const found = new Map();
    for (const [problem, own, method, place, sets, answers, held, width] of atlas.cells) {
      if (!wanted.has(place) || (n >= 0 && own !== n)) continue;
      const key = `${problem},${method}`;
      const sum = found.get(key) ?? { answers: 0, held: 0, sets: new Map(), width: 0, widths: 0 };
      sum.answers += answers;
      sum.held += held;
      sum.sets.set(own, Math.max(sets, sum.sets.get(own) ?? 0));
      if (width >= 0) { sum.width += width; sum.widths += 1; }
      found.set(key, sum);
    }
    return found;
  }

  function cell(sum) {
    const td = document.createElement("td");
    if (!sum) return td;
    const share = sum.held / sum.answers;
    const sets = [...sum.sets.values()].reduce((all, own) => all + own, 0);
    // Wilson's interval of so many independent data sets.
    const z = 1.96, centre = (share + z * z / (2 * sets)) / (1 + z * z / sets);
    const half = z / (1 + z * z / sets) * Math.sqrt(share * (1 - share) / sets + z * z / (4 * sets * sets));
    const low = 100 * (centre - half), high = 100 * (centre + half);
    td.textContent = Math.round(100 * share);
    td.title = `${(100 * share).toFixed(1)} % [${low.toFixed(1)}, ${high.toFixed(1)}] of ${sets} data sets`
      + (sum.widths ? `, width ${(sum.width / sum.widths / 100).toFixed(2)}` : "");
    const off = high < NOMINAL ? "below" : low > NOMINAL ? "above" : "within";
    td.className = off;
    td.style.setProperty("--far", `${Math.min(100, Math.round(8 * Math.abs(100 * share - NOMINAL)))}%`);
    return td;
  }

  function draw() {
    const found = sums();
    const shown = (place) => atlas.problem.some((_, problem) => found.has(`${problem},${place}`));
    const methods = atlas.method.map((_, place) => place).filter(shown);
    const head = document.createElement("tr");
    const corner = document.createElement("th");
    corner.textContent = "Problem";
    head.append(corner);
    for (const place of methods) {
      const th = document.createElement("th");
      const span = document.createElement("span");
      span.textContent = atlas.method[place];
      th.title = `about ${atlas.about[atlas.method[place]]}`;
      th.append(span);
      head.append(th);
    }
    table.replaceChildren(head);
    atlas.problem.forEach((key, problem) => {
      if (!methods.some((place) => found.has(`${problem},${place}`))) return;
      const row = document.createElement("tr");
      const th = document.createElement("th");
      th.textContent = key;
      th.title = atlas.words[key];
      row.append(th, ...methods.map((place) => cell(found.get(`${problem},${place}`))));
      table.append(row);
    });
  }

  document.getElementById("atlas-legend").textContent =
    "Each number is the share of 95 % intervals, in percent, that hold what the method is about. Orange: significantly fewer than 95 %; "
    + "blue: more; no colour: the band of the share holds 95 %. Point at a number for its band and the width of the intervals.";
  target.addEventListener("change", draw);
  size.addEventListener("change", draw);
  draw();
})();
