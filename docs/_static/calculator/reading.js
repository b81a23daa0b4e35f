// From the fields of the form to the input of the methods, or one sentence that says why not.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});

  const { LARGEST, NUMBER, Refusal, refuse, clean, columnsOf } = calculator;

  const LARGEST_COUNT = 1e9;
  const DEFAULT_RHO = "0.7";

  // Something is not filled in yet.
  class Nothing extends Refusal {}

  const filled = (state, field) => (state[field] ?? "").trim();

  // The number that stands in a field, with a point or a decimal comma; NaN where it is none.
  function parsed(text) {
    const plain = text.replaceAll("\u2212", "-").replace(/^([-+]?\d*),(\d+)$/, "$1.$2");
    return NUMBER.test(plain) ? Number(plain) : NaN;
  }

  function numberOf(state, field, label, { positive = false } = {}) {
    const text = filled(state, field);
    if (text === "") return null;
    const value = parsed(text);
    if (Number.isNaN(value)) refuse(`${label} must be a number, and “${text}” is none.`);
    if (positive && !(value > 0)) refuse(`${label} must be positive, and ${text} is not.`);
    if (Math.abs(value) > LARGEST) refuse(`${label} is too large: ${text}.`);
    return value;
  }

  function countOf(state, field, label) {
    const text = filled(state, field).replace(/(\d)[\s\u202f'](?=\d{3}\b)/g, "$1");
    if (text === "") throw new Nothing(`Fill in ${label}; where there are none, write 0.`);
    if (!/^\d+$/.test(text))
      refuse(`The count of ${label} must be a whole number of at least 0, and “${text}” is none.`);
    if (Number(text) > LARGEST_COUNT)
      refuse(`The count of ${label} must be at most ${LARGEST_COUNT}, and ${text} is more.`);
    return Number(text);
  }

  function levelOf(state) {
    const percent = numberOf(state, "level", "The confidence level");
    if (percent === null || percent < 50 || percent > 99.99) {
      refuse(`The confidence level must lie between 50 and 99.99 %, and “${filled(state, "level")}” does not.`);
    }
    return Number(`${percent}e-2`);
  }

  function namesOf(state, alone = false) {
    const names = [clean(state.a ?? "") || "A", clean(state.b ?? "") || "B"];
    if (alone) return names.slice(0, 1);
    if (names[0] === names[1]) refuse(`Both models are called ${names[0]}; give them different names.`);
    return names;
  }

  // How many partitions folds come from: n2 examples of n1 + n2 are one fold of K.
  function repeatsOf(count, nTrain, nTest) {
    const folds = nTrain === null ? count : calculator.nearest((nTrain + nTest) / nTest);
    return folds > 1 && folds <= count && count % folds === 0 ? count / folds : 1;
  }

  function givenColumns(state) {
    if (filled(state, "data") === "") throw new Nothing("Paste your scores, or load an example.");
    const found = columnsOf(state.data);
    if (found.columns.length > 2) {
      refuse(
        `There are ${found.columns.length} columns of numbers, and the calculator takes one or two; errbar itself ` +
          "compares any number. Where commas are decimal commas, put spaces, tabs or semicolons between the columns.",
      );
    }
    if (found.columns[0].length < 2) {
      refuse("One split says nothing about the variation between splits; give at least two rows.");
    }
    return found;
  }

  // Training and test size; neither where one is not known.
  function sizesOf(state) {
    const nTrain = numberOf(state, "n_train", "The training size", { positive: true });
    const nTest = numberOf(state, "n_test", "The test size", { positive: true });
    return nTrain === null || nTest === null ? { nTrain: null, nTest: null } : { nTrain, nTest };
  }

  // Whose scores these are: of two models, of their differences, or of one model, which is tested if a null is given.
  function subjectOf(state, { columns, names }) {
    const pair = columns.length === 2;
    const differences = !pair && state.column === "differences";
    const oneModel = !pair && !differences;
    const named = !differences && names.length === columns.length && names.every(Boolean);
    const nullValue = oneModel ? numberOf(state, "null", "The null") : 0;
    return {
      pair,
      differences,
      oneModel,
      named,
      names: namesOf(named ? { a: names[0], b: names[1] } : state, oneModel),
      asked: { level: levelOf(state), null: nullValue ?? 0 },
      tested: nullValue !== null,
    };
  }

  function readScores(state) {
    const { columns, names, labelled } = givenColumns(state);
    const subject = subjectOf(state, { columns, names });
    const { nTrain, nTest } = sizesOf(state);
    const folds = state.splits === "folds";
    return {
      what: "scores",
      ...subject,
      columns,
      labelled,
      value: subject.pair ? calculator.difference(...columns) : columns[0],
      nTrain,
      nTest,
      folds,
      repeats: folds ? repeatsOf(columns[0].length, nTrain, nTest) : 1,
      stratified: Boolean(state.stratified),
      measure: clean(state.measure ?? "") || "score",
      higher: state.direction === "higher",
      // Only the K-fold t asks for it, and refuses what is none.
      rho: parsed(filled(state, "rho") || DEFAULT_RHO),
    };
  }

  function readPair(state) {
    const names = namesOf(state);
    const [right, onlyA, onlyB, wrong] = [
      ["both_right", "examples that both get right"],
      ["only_a", `examples that only ${names[0]} gets right`],
      ["only_b", `examples that only ${names[1]} gets right`],
      ["both_wrong", "examples that both get wrong"],
    ].map(([field, label]) => countOf(state, field, label));
    const n = right + onlyA + onlyB + wrong;
    if (n === 0) refuse("All four counts are 0; there must be at least one test example.");
    return {
      what: "pair",
      oneModel: false,
      names,
      b: onlyB,
      c: onlyA,
      n,
      both: wrong,
      asked: { level: levelOf(state), null: 0 },
      tested: true,
    };
  }

  function readSingle(state) {
    const x = countOf(state, "errors", "wrong answers");
    const n = countOf(state, "n", "test examples");
    if (n < 2) refuse(`There must be at least two test examples, and there ${n ? "is one" : "are none"}.`);
    if (x > n) refuse(`There cannot be more wrong answers, ${x}, than test examples, ${n}.`);
    const nullValue = numberOf(state, "null", "The null");
    if (nullValue !== null && !(nullValue >= 0 && nullValue <= 1)) {
      refuse(`The null must be an error rate between 0 and 1, and ${nullValue} is not.`);
    }
    return {
      what: "single",
      oneModel: true,
      names: namesOf(state, true),
      x,
      n,
      asked: { level: levelOf(state), null: nullValue },
      tested: nullValue !== null,
    };
  }

  const read = (state) => ({ scores: readScores, pair: readPair, single: readSingle })[state.what](state);

  Object.assign(calculator, { Nothing, read });
})();
