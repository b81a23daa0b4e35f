// Makes tables sortable, parts tabs, baselines a choice and the call easy to copy. Without it everything can be read.
const make = (tag, properties = {}, text = "") => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(text);
  return element;
};

// Tables ------------------------------------------------------------------------------------------------------------

const keyOf = (row, column) => {
  const cell = row.cells[column];
  if (column === 0) return cell.textContent;
  return cell.dataset.value === undefined ? null : Number(cell.dataset.value.replace("inf", "Infinity"));
};

const order = (a, b) =>
  typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a < b ? -1 : a > b ? 1 : 0;

const sort = (table, rows, column, direction) => {
  const keyed = rows.map((row) => ({ row, key: keyOf(row, column) }));
  // Rows without a number stay last, and equal ones in the order of the report.
  const known = keyed.filter(({ key }) => key !== null).sort((a, b) => direction * order(a.key, b.key));
  const unknown = keyed.filter(({ key }) => key === null);
  table.tBodies[0].append(...[...known, ...unknown].map(({ row }) => row));
};

const makeSortable = (table) => {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 2) return;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!rows.some((row) => keyOf(row, column) !== null)) return;
    const button = make("button", { type: "button", className: "sort", title: "Sort by this column" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const upwards = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      sort(table, rows, column, upwards ? 1 : -1);
    });
  });
};

// Baselines ---------------------------------------------------------------------------------------------------------

const makeSwitch = (box, number) => {
  const views = [...box.querySelectorAll(":scope > .view")];
  const choice = make("select", { id: `errbar-baseline-${number}` });
  views.forEach((view, position) => {
    if (position > 0) view.open = true;
    view.hidden = position > 0;
    choice.append(make("option", { value: String(position) }, position > 0 ? view.dataset.name : "none: all pairs"));
  });
  choice.addEventListener("change", () => {
    views.forEach((view, position) => { view.hidden = position !== Number(choice.value); });
  });
  const line = make("p", { className: "choice" });
  line.append(make("label", { htmlFor: choice.id }, "Baseline"), choice);
  box.prepend(line);
  box.classList.add("switched");
};

// Parts -------------------------------------------------------------------------------------------------------------

const makeTabs = (box) => {
  const parts = [...box.querySelectorAll(":scope > .part")];
  const list = make("div", { className: "tabs" });
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", box.querySelector(":scope > nav").getAttribute("aria-label"));
  const tabs = parts.map((part) => {
    const tab = make("button", { type: "button", id: `${part.id}-tab` }, part.dataset.name);
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", part.id);
    part.setAttribute("role", "tabpanel");
    part.setAttribute("aria-labelledby", tab.id);
    part.tabIndex = 0;
    list.append(tab);
    return tab;
  });
  const choose = (chosen) => tabs.forEach((tab, position) => {
    tab.setAttribute("aria-selected", String(position === chosen));
    tab.tabIndex = position === chosen ? 0 : -1;
    parts[position].hidden = position !== chosen;
  });
  const last = tabs.length - 1;
  const moves = {
    ArrowRight: (at) => (at === last ? 0 : at + 1),
    ArrowLeft: (at) => (at === 0 ? last : at - 1),
    Home: () => 0,
    End: () => last,
  };
  tabs.forEach((tab, position) => {
    tab.addEventListener("click", () => choose(position));
    tab.addEventListener("keydown", (event) => {
      if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const next = moves[event.key](position);
      choose(next);
      tabs[next].focus();
    });
  });
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    const wanted = parts.findIndex((part) => target !== null && part.contains(target));
    if (wanted < 0) return;
    choose(wanted);
    target.scrollIntoView();
  };
  box.querySelector(":scope > nav").replaceWith(list);
  box.classList.add("tabbed");
  choose(0);
  follow();
  addEventListener("hashchange", follow);
};

// The call ----------------------------------------------------------------------------------------------------------

const copy = async (code) => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    // The clipboard may be refused; then the text is selected, to be copied by hand.
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
};

const makeCopyable = (call) => {
  const line = make("p", { className: "copy" });
  const button = make("button", { type: "button" }, "Copy");
  const said = make("span", { className: "said" });
  said.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    said.textContent = (await copy(call.querySelector("code"))) ? "copied" : "selected; press the keys to copy";
  });
  line.append(button, said);
  call.after(line);
};

document.querySelectorAll("table").forEach(makeSortable);
document.querySelectorAll(".views").forEach(makeSwitch);
document.querySelectorAll(".parts").forEach(makeTabs);
document.querySelectorAll(".call").forEach(makeCopyable);
