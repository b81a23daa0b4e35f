// From pasted text to columns of numbers, or one sentence that says why not.
"use strict";

(() => {
  const calculator = (globalThis.errbarCalculator ??= {});

  const MOST_ROWS = 10000;
  const LARGEST = 1e150;
  const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

  const DECIMAL_COMMA = /^[-+]?\d*,\d+(e[-+]?\d+)?$/i;

  class Refusal extends Error {}

  const refuse = (text) => {
    throw new Refusal(text);
  };
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const clean = (name) => name.replace(/\s+/g, " ").trim();

  // Whether a lone comma between digits is a decimal one. "0,05" cannot be two columns, and "85,91" can.
  function decimalCommas(lines) {
    const [head, ...rest] = lines;
    if (!(rest.length ? rest : [head]).every((line) => DECIMAL_COMMA.test(line))) return false;
    if (!DECIMAL_COMMA.test(head)) return !head.includes(",");
    const clear = lines.some((line) => /^[-+]?,|,0\d|e/i.test(line));
    if (clear || (lines.every((line) => /^[-+]?0,/.test(line)) && lines.some((line) => /,\d\d/.test(line))))
      return true;
    const [, whole, part] = /^(.*),(.*)$/.exec(head);
    return refuse(
      `“${head}” may be one number or two columns, ${whole} and ${part}; write a decimal point, or put a ` +
        "space or semicolon between the columns.",
    );
  }

  // What stands between the cells of a row, and whether numbers have a decimal comma.
  function separated(lines) {
    const numeric = lines.filter((line) => /^[-+.,;\s\de]+$/i.test(line));
    const telling = numeric.length ? numeric : lines;
    const found = [/\s*\t\s*/, /\s*;\s*/, /,\s+/, /\s+/].find((mark) => telling.some((line) => mark.test(line)));
    if (found === undefined && !decimalCommas(lines)) return lines.map((line) => line.split(/,/));
    const rows = lines.map((line) => (found ? line.split(found) : [line]));
    const comma = rows.flat().find((cell) => DECIMAL_COMMA.test(cell));
    const point = rows.flat().find((cell) => NUMBER.test(cell) && cell.includes("."));
    if (comma !== undefined && point !== undefined) {
      refuse(`${point} has a decimal point and ${comma} a decimal comma; use one of the two.`);
    }
    return rows.map((row) => row.map((cell) => (DECIMAL_COMMA.test(cell) ? cell.replace(",", ".") : cell)));
  }

  const countsRows = (cells) =>
    [0, 1].some((first) => cells.every((cell, i) => cell !== "" && Number(cell) === first + i));

  // Names have letters. A missing number in the first row is no name, and must not hide the row.
  const isName = (cell) => cell === "" || (/\p{L}/u.test(cell) && !/^([-+]?inf\w*|nan|n\/?a|null|none)$/i.test(cell));

  // Leave out a first column that names or counts the rows.
  function withoutLabels(rows) {
    const first = rows.map((row) => row[0]);
    const labels =
      rows[0].length > 1 &&
      rows.length > 1 &&
      (first.every((cell) => cell !== "" && isName(cell) && !NUMBER.test(cell)) || countsRows(first));
    return labels ? rows.map((row) => row.slice(1)) : rows;
  }

  function numberOfCell(cell, row) {
    if (cell === "") refuse(`Row ${row} has an empty cell; every cell must be filled.`);
    if (!NUMBER.test(cell)) refuse(`“${cell}” in row ${row} is not a number.`);
    const value = Number(cell);
    if (Math.abs(value) > LARGEST) refuse(`${cell} in row ${row} is too large to be squared; scale the numbers down.`);
    return value;
  }

  const isHead = (row) => row.every((cell) => isName(cell) && !NUMBER.test(cell)) && row.some(Boolean);

  // Columns of numbers by name from pasted text; a first row of words names them.
  function columnsOf(text) {
    const lines = text
      .replaceAll("\u2212", "-")
      .split(/\r?\n/)
      .map((line) => line.trim().replace(/[,;]$/, ""))
      .filter(Boolean);
    if (lines.length > MOST_ROWS) refuse(`There are ${lines.length} rows; the calculator takes at most ${MOST_ROWS}.`);
    const rows = separated(lines).map((row) => row.map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
    const head = rows.length > 1 && isHead(rows[0]) ? rows[0] : [];
    const above = head.length ? 1 : 0;
    const body = rows.slice(above);
    const width = body[0].length;
    const odd = body.findIndex((row) => row.length !== width);
    if (odd > 0) {
      refuse(
        `Row ${odd + above + 1} has ${counted(body[odd].length, "cell")} and row ${above + 1} has ${width}; ` +
          "all rows need the same number.",
      );
    }
    const kept = withoutLabels(body);
    const columns = kept[0].map((_, place) => kept.map((row, i) => numberOfCell(row[place], i + above + 1)));
    return { columns, names: head.slice(-columns.length).map(clean), labelled: kept !== body };
  }

  Object.assign(calculator, { LARGEST, NUMBER, Refusal, refuse, clean, columnsOf });
})();
