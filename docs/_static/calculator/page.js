// The page: it reads the form at every change and shows the answers. Nothing leaves the browser.
"use strict";

(() => {
  const calculator = globalThis.errbarCalculator;
  const form = document.getElementById("calculator-form");
  calculator.words = JSON.parse(document.getElementById("calculator-words").textContent);

  const { general } = calculator;
  const byId = (name) => document.getElementById(`calculator-${name}`);
  const cards = new Map([...form.querySelectorAll("article")].map((card) => [card.dataset.method, card]));
  const made = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const typeset = (digits) => digits.replace(/-(?=[\d.]|inf)/g, "\u2212").replace("inf", "\u221e");

  const EXAMPLES = {
    folds: {
      what: "scores",
      splits: "folds",
      n_train: "270",
      n_test: "30",
      measure: "error",
      data:
        "tree   forest\n0.25   0.23\n0.22   0.21\n0.27   0.24" +
        "\n0.20   0.21\n0.26   0.24\n0.23   0.23\n0.29   0.25\n0.24   0.23\n0.25   0.23\n0.22   0.21",
    },
    splits: {
      what: "scores",
      n_train: "70",
      n_test: "30",
      measure: "accuracy",
      direction: "higher",
      data:
        "new;old\n0,83;0,81\n0,80;0,79\n0,85;0,82\n0,79;0,80\n0,84;0,82\n0,81;0,81\n0,87;0,83" +
        "\n0,82;0,81\n0,84;0,82\n0,80;0,79\n0,86;0,83\n0,78;0,80\n0,82;0,81\n0,83;0,81\n0,81;0,81",
    },
    counts: { what: "pair", both_right: "130", only_a: "15", only_b: "25", both_wrong: "30", a: "small", b: "large" },
  };

  const stateOf = () => Object.fromEntries(new FormData(form));
  const initial = stateOf();

  // The inputs that are not as they stand at first, as the fragment of an address.
  function fragmentOf(state) {
    const changed = Object.entries(state).filter(([name, value]) => name === "what" || value !== initial[name]);
    return `#${new URLSearchParams(changed)}`;
  }

  function restore(given) {
    form.reset();
    for (const [name, value] of Object.entries(given)) {
      const field = form.elements[name];
      if (field?.type === "checkbox") field.checked = value === field.value;
      else if (field && "value" in field) field.value = value;
    }
    show();
  }

  function restoreAddress() {
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    if (["scores", "pair", "single"].includes(given.what)) restore(given);
  }

  // Which fields that depend on the numbers are of use.
  function fieldsFor(state, input) {
    const scores = state.what === "scores";
    const oneModel = input?.oneModel ?? state.what === "single";
    const named = scores && Boolean(input?.named);
    return {
      "one-column": scores && input?.pair === false,
      null: oneModel,
      unnamed: !named,
      second: !oneModel && !named,
      tested: Boolean(input?.tested),
    };
  }

  // Hide the fields that what was given has no use for.
  function showFields(state, input) {
    const shown = fieldsFor(state, input);
    for (const part of form.querySelectorAll("[data-for], [data-if]")) {
      const fits = (part.dataset.for ?? state.what) === state.what;
      part.hidden = !fits || shown[part.dataset.if] === false;
    }
    for (const part of form.querySelectorAll("[data-name]")) {
      part.textContent = state[part.dataset.name].trim() || part.dataset.name.toUpperCase();
    }
  }

  function figures({ result, tested }) {
    const interval = `[${general(result.low, 6)}, ${general(result.high, 6)}]`;
    const law = result.df === null ? "z" : `t, ${result.df} df`;
    const found = [
      ["Estimate", general(result.estimate, 6)],
      ["Standard error", general(result.se, 4)],
      [`${general(100 * result.level, 6)} % interval`, interval],
    ];
    return tested
      ? [...found, [law, general(result.statistic, 6)], ["p, two-sided", general(result.pvalue, 4)]]
      : found;
  }

  const slotsOf = (card) =>
    Object.fromEntries([...card.querySelectorAll("[data-slot]")].map((slot) => [slot.dataset.slot, slot]));

  function fill(card, answer) {
    const slots = slotsOf(card);
    card.hidden = false;
    slots.refusal.textContent = answer.refusal ?? "";
    slots.refusal.hidden = answer.refusal === undefined;
    slots.found.hidden = !slots.refusal.hidden;
    if (slots.found.hidden) return;
    for (const name of ["sentence", "markdown", "latex", "python", "json"]) slots[name].textContent = answer[name];
    slots.figures.replaceChildren(
      ...figures(answer).map(([term, text]) => {
        const group = document.createElement("div");
        group.append(made("dt", term), made("dd", typeset(text)));
        return group;
      }),
    );
    slots.notes.replaceChildren(
      ...answer.result.notes.map((note) => made("li", `${note.text[0].toUpperCase()}${note.text.slice(1)}.`)),
    );
    slots.notes.hidden = answer.result.notes.length === 0;
  }

  let drawn = null;

  function showCurve(answer, input) {
    drawn = answer === undefined || answer.refusal ? null : { answer, input };
    if (drawn === null) return;
    const { sensitivity, rho, tested, verdict } = answer;
    byId("slider").value = Math.max(0, rho);
    const subject = input.pair || input.differences ? `${input.names[0]} \u2212 ${input.names[1]}` : input.names[0];
    const level = general(100 * sensitivity.level, 6);
    calculator.drawCurve(byId("curve"), { ...sensitivity, tested }, answer, `${level} % interval of ${subject}`);
    byId("verdict").textContent = tested
      ? `${verdict[0].toUpperCase()}${verdict.slice(1)}.`
      : "The interval grows with \u03c1.";
    const rows = Object.entries(sensitivity.marks).sort(([, one], [, other]) => one - other);
    byId("marks").replaceChildren(...rows.map(([name, value]) => markRow(name, value, sensitivity, tested)));
  }

  function markRow(name, rho, found, tested) {
    const place = found.rho.indexOf(rho);
    const end = (value) => typeset(general(Math.abs(value) <= 1e-12 * Math.abs(found.estimate) ? 0 : value, 4));
    const button = made("button", name.replace("-", "\u2013"));
    Object.assign(button, { type: "button", title: `take \u03c1 = ${calculator.fixed(rho, 3)}` });
    button.dataset.rho = rho;
    const head = document.createElement("th");
    head.scope = "row";
    head.append(button);
    const row = document.createElement("tr");
    const cells = [
      calculator.fixed(rho, 3),
      ...(tested ? [general(found.pvalue[place], 4)] : []),
      `[${end(found.low[place])}, ${end(found.high[place])}]`,
    ];
    row.append(head, ...cells.map((text) => made("td", text)));
    return row;
  }

  let heard = [];

  // A refusal or a remark is seen. Of answers, which are seen below, those that are new are heard from a screen reader.
  function tell({ answers, refusal, nothing, input }) {
    const sentences = answers.map((one) => one.refusal ?? one.sentence);
    const fresh = sentences.filter((one) => !heard.includes(one)).join(" ");
    heard = sentences;
    const remark = refusal ?? (input.labelled ? "The first column names or counts the rows and is left out." : "");
    const kind = refusal === undefined ? "remark" : nothing ? "hint" : "refusal";
    byId("status").className = `status ${remark ? kind : "heard"}`;
    if (remark || fresh) byId("status").textContent = remark || fresh;
  }

  function show() {
    const state = stateOf();
    const found = calculator.answer(state);
    showFields(state, found.input);
    for (const card of cards.values()) card.hidden = true;
    for (const answer of found.answers) fill(cards.get(answer.method), answer);
    showCurve(
      found.answers.find((answer) => answer.method === "kfold-t"),
      found.input,
    );
    tell(found);
    byId("link").hidden = found.answers.length === 0;
    byId("link").querySelector("a").href = fragmentOf(state);
  }

  // Take a named value of rho; its button is made anew, and keeps the focus.
  function take(rho) {
    form.elements.rho.value = rho;
    show();
    byId("marks").querySelector(`[data-rho="${rho}"]`).focus();
  }

  async function copy(button) {
    const kind = button.dataset.copy;
    const source = kind === "link" ? button.parentElement.querySelector("a") : slotsOf(button.closest("article"))[kind];
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(kind === "link" ? source.href : source.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => {
      button.textContent = words;
    }, 2000);
  }

  function build(card) {
    const { method } = card.dataset;
    const body = byId("answer").content.cloneNode(true);
    const about = calculator.words.methods[method];
    const slots = slotsOf(body);
    slots.claim.textContent = `It estimates: ${about.claim}`;
    slots.assumptions.append(...about.assumptions.map((text) => made("li", text)));
    slots.page.href = `generated/methods/${method}.html`;
    slots.figures.after(...card.querySelectorAll("[data-after]"));
    card.append(body);
  }

  for (const card of cards.values()) build(card);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("input", (event) => {
    if (event.target === byId("slider")) form.elements.rho.value = event.target.value;
    show();
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.example) restore(EXAMPLES[button.dataset.example]);
    if (button?.dataset.copy) copy(button);
    if (button?.dataset.rho) take(button.dataset.rho);
  });
  addEventListener("hashchange", restoreAddress);
  new ResizeObserver(() => {
    if (drawn) showCurve(drawn.answer, drawn.input);
  }).observe(byId("curve"));
  show();
  restoreAddress();
})();
