// Without this script the page is complete: it only sorts, filters, changes the reference and moves the focus.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

for (const article of all('.comparison')) {
  const one = selector => article.querySelector(selector);
  const forests = all('.forest', article);
  const filter = one('.filter');
  const more = one('.all');
  let full = !more;

  // Only the rows that fit the filter, and the first ones where there are many.
  const limit = () => {
    const word = filter ? filter.value.trim().toLowerCase() : '';
    for (const table of forests) {
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const fits = row.dataset.name.toLowerCase().includes(word);
        row.hidden = !fits || (!full && !word && shown >= Number(more.dataset.first));
        if (!row.hidden) shown += 1;
      }
      rove(table);
    }
  };

  // One stop of the Tab key a table, arrows within it.
  const rove = (table, to = table.querySelector('tbody tr:not([hidden]) .iv')) => {
    for (const button of all('.iv', table)) button.tabIndex = -1;
    if (to) to.tabIndex = 0;
  };

  for (const table of forests) {
    table.addEventListener('keydown', event => {
      const buttons = all('tbody tr:not([hidden]) .iv', table);
      const at = buttons.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1, Home: -at, End: buttons.length - 1 - at }[event.key];
      if (at < 0 || step === undefined) return;
      const to = buttons[Math.max(0, Math.min(buttons.length - 1, at + step))];
      rove(table, to);
      to.focus();
      event.preventDefault();
    });
    table.addEventListener('click', event => {
      const button = event.target.closest('.iv');
      if (!button) return;
      for (const other of all('.iv.pinned')) if (other !== button) other.classList.remove('pinned');
      button.classList.toggle('pinned');
    });
    for (const button of all('th button', table)) {
      button.onclick = () => {
        const head = button.closest('th');
        const down = head.getAttribute('aria-sort') === 'ascending';
        for (const other of all('[aria-sort]', table)) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const key = { 0: 'name', 1: 'est', 3: 'p' }[button.dataset.key];
        const value = row => key === 'name' ? row.dataset.name : Number(row.dataset[key].replace('<', '')) || 0;
        const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1);
        table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
        limit();
      };
    }
  }

  if (filter) filter.oninput = limit;
  if (more) {
    more.hidden = false;
    more.onclick = () => {
      full = !full;
      more.textContent = full ? more.dataset.less : more.dataset.more;
      more.setAttribute('aria-expanded', String(full));
      limit();
    };
  }

  // The same differences, seen from another learner.
  const facts = one('.facts');
  const reference = one('.reference');
  if (facts && reference) {
    const views = JSON.parse(facts.textContent);
    const table = forests[1];
    const show = (element, yes) => yes ? element.removeAttribute('display') : element.setAttribute('display', 'none');
    reference.onchange = () => {
      const { ticks, rows, sides } = views[reference.value];
      const line = tick => `<line x1="${tick.x}%" x2="${tick.x}%" y1="-1" y2="100%" style="stroke:var(--${tick.text === '0' ? 'ink' : 'grid'})"/>`;
      const mark = tick => `<text x="${tick.x}%" y="11" text-anchor="middle">${tick.text}</text><line x1="${tick.x}%" x2="${tick.x}%" y1="15" y2="20"/>`;
      document.getElementById(`g-${table.id}`).innerHTML = ticks.map(line).join('');
      table.querySelector('.axis').innerHTML = ticks.map(mark).join('');
      table.querySelector('.sides span').textContent = `← ${sides[0]}`;
      const lines = [...table.tBodies[0].rows];
      rows.forEach((row, place) => {
        const line = lines[place];
        Object.assign(line.dataset, { name: row.name, est: row.estimate, p: row.p });
        [row.name, ...row.cells].forEach((text, k) => { line.cells[k].textContent = text; });
        line.cells[3].className = `last ${row.strong ? 'yes' : 'no'}`;
        line.querySelector('.iv').setAttribute('aria-label', row.aloud);
        line.querySelector('.bar').classList.toggle('open', !row.strong);
        const bar = line.querySelector('.ci');
        bar.setAttribute('x1', `${row.x[0]}%`);
        bar.setAttribute('x2', `${row.x[2]}%`);
        line.querySelector('.dot').setAttribute('cx', `${row.x[1]}%`);
        show(line.querySelector('.dot'), row.dot);
        show(line.querySelector('.l'), row.left);
        show(line.querySelector('.r'), row.right);
      });
      limit();
    };
  }
  limit();
}

document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  for (const button of all('.iv.pinned')) button.classList.remove('pinned');
  document.body.classList.add('no-tips');
});
for (const type of ['pointermove', 'focusin']) document.addEventListener(type, () => document.body.classList.remove('no-tips'));
addEventListener('beforeprint', () => all('details:not([open])').forEach(one => { one.open = true; one.dataset.opened = ''; }));
addEventListener('afterprint', () => all('[data-opened]').forEach(one => { one.open = false; delete one.dataset.opened; }));
