
// A board: scores, ranks and ties of the tasks and models that are chosen, by the law of errbar.boards.
const SAME = 1e-12, EQUAL = 1e-9, AIR = 2;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Float64Array(await new Response(stream).arrayBuffer());
}

// Of each model what the law of the ranks takes, and numbers whose mean is the score and whose spread its standard
// error; `blocks` are first and past-last items of the tasks.
function unitsOf(rows, blocks, { mean, clusters }) {
  const sizes = blocks.map(([from, to]) => to - from), count = blocks.length;
  const total = sizes.reduce((a, b) => a + b), byTask = clusters === 'tasks', equal = mean === 'equal';
  const found = { weighted: [], units: [] };
  for (const row of rows) {
    const sums = blocks.map(([from, to]) => { let sum = 0; for (let i = from; i < to; i++) sum += row[i]; return sum; });
    const weighted = new Float64Array(byTask ? count : total), units = new Float64Array(weighted.length);
    const all = equal ? sums.reduce((sum, one, t) => sum + one / sizes[t], 0) / count : sums.reduce((a, b) => a + b) / total;
    let place = 0;
    blocks.forEach(([from, to], t) => {
      const n = sizes[t], middle = sums[t] / n;
      if (byTask) {
        weighted[t] = equal ? middle : sums[t] * count / total;
        units[t] = equal ? middle : all + count / total * (sums[t] - n * all);
        return;
      }
      const share = equal ? total / (count * n) : 1, weight = Math.sqrt(total * (total - 1) / (n * (n - 1))) / count;
      for (let i = from; i < to; i++, place++) {
        weighted[place] = row[i] * share;
        units[place] = equal ? all + weight * (row[i] - middle) : row[i];
      }
    });
    found.weighted.push(weighted);
    found.units.push(units);
  }
  return found;
}

// The bits of mixed counters are the signs of one unit in all draws.
function signs(out, seed, unit) {
  const each = out.length / 32;
  for (let word = 0; word < each; word++) {
    let x = (seed + unit * each + word) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    x ^= x >>> 15;
    for (let bit = 0; bit < 32; bit++) out[32 * word + bit] = (x >>> bit) & 1 ? 1 : -1;
  }
}

function rankIntervals(units, { level, draws, seed }) {
  const models = units.length, size = units[0].length;
  const centred = units.map(row => row.slice());
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (const row of centred) sum += row[i];
    for (const row of centred) row[i] -= sum / models;
  }
  const product = (a, b) => { let sum = 0; for (let i = 0; i < size; i++) sum += a[i] * b[i]; return sum; };
  const squares = centred.map(row => product(row, row));
  const sums = centred.map(row => row.reduce((a, b) => a + b, 0));
  const drawn = centred.map(() => new Float64Array(draws));
  const sign = new Float64Array(draws);
  for (let i = 0; i < size; i++) {
    signs(sign, seed, i);
    for (let j = 0; j < models; j++) {
      const value = centred[j][i], row = drawn[j];
      for (let b = 0; b < draws; b++) row[b] += value * sign[b];
    }
  }
  let pairs = [];
  for (let j = 0; j < models; j++) {
    for (let k = j + 1; k < models; k++) {
      const both = squares[j] + squares[k];
      const squared = both - 2 * product(centred[j], centred[k]);
      if (squared > SAME * both) pairs.push({ j, k, scale: 1 / Math.sqrt(squared), statistic: (sums[j] - sums[k]) / Math.sqrt(squared) });
    }
  }
  const better = centred.map(() => new Uint8Array(models));
  const largest = new Float64Array(draws);
  let critical;
  for (;;) {
    largest.fill(0);
    for (const { j, k, scale } of pairs) {
      const one = drawn[j], other = drawn[k];
      for (let b = 0; b < draws; b++) {
        const apart = Math.abs(one[b] - other[b]) * scale;
        if (apart > largest[b]) largest[b] = apart;
      }
    }
    const value = largest.slice().sort()[Math.min(Math.ceil(level * (draws + 1)), draws) - 1];
    critical ??= value;
    const left = [];
    for (const pair of pairs) {
      if (Math.abs(pair.statistic) > value * (1 + EQUAL)) {
        if (pair.statistic > 0) better[pair.j][pair.k] = 1; else better[pair.k][pair.j] = 1;
      } else left.push(pair);
    }
    if (left.length === pairs.length) return { better, critical };
    pairs = left;
  }
}

// Student's t: its distribution as a finite sum, and its quantile by halving.
function studentQuantile(p, df) {
  const below = t => {
    const angle = Math.atan(t / Math.sqrt(df)), square = Math.cos(angle) ** 2;
    let term = df % 2 ? Math.cos(angle) : 1, sum = df > 1 ? term : 0;
    for (let k = df % 2 ? 3 : 2; k <= df - 2; k += 2) { term *= square * (k - 1) / k; sum += term; }
    sum *= Math.sin(angle);
    return 0.5 + 0.5 * (df % 2 ? 2 / Math.PI * (angle + sum) : sum);
  };
  let low = 0, high = 1;
  while (below(high) < p && high < 1e12) high *= 2;
  for (let step = 0; step < 80; step++) { const middle = (low + high) / 2; if (below(middle) < p) low = middle; else high = middle; }
  return (low + high) / 2;
}

// Models, the best first, with scores, intervals and ranks, and groups of neighbours that do not differ significantly.
function boardOf(facts, names, rows, blocks) {
  const { weighted, units } = unitsOf(rows, blocks, facts), size = units[0].length, sign = facts.higher_is_better ? 1 : -1;
  const { better, critical } = rankIntervals(weighted.map(row => row.map(x => sign * x)), facts);
  const reach = studentQuantile((1 + facts.level) / 2, size - 1);
  const places = units.map((row, j) => {
    const score = row.reduce((a, b) => a + b) / size;
    const se = Math.sqrt(row.reduce((sum, x) => sum + (x - score) ** 2, 0) / (size - 1) / size);
    return { model: names[j], j, score, se, low: score - reach * se, high: score + reach * se };
  });
  const slack = EQUAL * Math.max(1e-300, ...places.map(one => Math.abs(one.score)));
  for (const one of places) {
    one.rank = 1 + places.filter(other => sign * (other.score - one.score) > slack).length;
    one.first = 1 + places.filter(other => better[other.j][one.j]).length;
    one.last = places.length - better[one.j].reduce((a, b) => a + b, 0);
  }
  places.sort((a, b) => a.rank - b.rank || (a.model < b.model ? -1 : 1));
  const differ = (a, b) => better[a.j][b.j] || better[b.j][a.j];
  const clash = (start, end) => places.slice(start, end).some(one => differ(one, places[end]));
  const groups = [];
  let start = 0, last = 0;
  for (let end = 1; end <= places.length; end++) {
    if (end < places.length && !clash(start, end)) continue;
    if (end - start > 1 && last < end) { groups.push([start, end]); last = end; }
    while (end < places.length && clash(start, end)) start += 1;
  }
  return { places, groups: groups.map(([from, to]) => places.slice(from, to).map(one => one.model)), critical };
}

for (const article of all('.comparison')) {
  const store = article.querySelector('script.board');
  if (!store) continue;
  const facts = JSON.parse(store.textContent);
  const { models } = facts.data, tasks = facts.tasks;
  const scores = await unpacked(facts.data.scores);
  const items = scores.length / models.length;
  const rows = models.map((_, j) => scores.subarray(j * items, (j + 1) * items));
  const ends = tasks.map(task => task.items);
  for (let t = 1; t < ends.length; t++) ends[t] += ends[t - 1];
  const blocks = tasks.map((task, t) => [ends[t] - task.items, ends[t]]);

  const table = article.querySelector('.forest'), body = table.tBodies[0];
  const shown = new Map(facts.models.map((one, k) => [one.model, { row: body.rows[k], name: facts.shown[k] }]));
  const number = x => facts.decimals === null ? x.toExponential(3) : x.toFixed(facts.decimals).replace(/^-(0(\.0*)?)$/, '$1');
  const spell = text => text.replace(/(^| )-/g, '$1\u2212');
  const element = (tag, props, ...inside) => { const made = Object.assign(document.createElement(tag), props); made.append(...inside); return made; };

  // What is chosen, with a box for each task and each model.
  const boxes = { tasks: [], models: [] };
  const choices = (kind, names) => {
    const gist = element('span', {});
    const set = yes => { for (const box of boxes[kind]) box.checked = yes; change(); };
    const list = element('div', { className: 'boxes' }, ...names.map((name, k) => {
      const box = element('input', { type: 'checkbox', checked: true, value: String(k), onchange: () => change() });
      boxes[kind].push(box);
      return element('label', {}, box, ` ${name}`);
    }));
    const button = (text, yes) => element('button', { type: 'button', className: 'plain', textContent: text, onclick: () => set(yes) });
    const title = kind === 'tasks' ? 'Tasks' : 'Models';
    return { gist, part: element('details', { className: `choose ${kind}` }, element('summary', {}, element('b', { textContent: title }), gist), element('div', { className: 'inside' }, button('All', true), ' ', button('None', false), list)) };
  };
  const parts = [];
  if (tasks.length > 1) parts.push(['tasks', choices('tasks', tasks.map(task => task.name))]);
  parts.push(['models', choices('models', models)]);
  const status = element('p', { className: 'key status' });
  status.setAttribute('role', 'status');
  article.querySelector('header').after(element('section', { className: 'folds filters' }, ...parts.map(([, one]) => one.part)), status);

  const show = ({ places, groups }) => {
    const span = places.length - 1 || 1;
    const at = rank => `${AIR + (100 - 2 * AIR) * (rank - 1) / span}%`;
    const step = [1, 2, 5, 10, 20, 50, 100].find(one => span / one <= 10) || 200;
    const ticks = [1];
    for (let tick = step; tick <= places.length; tick += step) if (tick > 1 + step / 2) ticks.push(tick);
    document.getElementById(`g-${table.id}`).innerHTML = ticks.map(t => `<line x1="${at(t)}" x2="${at(t)}" y1="-1" y2="100%" style="stroke:var(--grid)"/>`).join('');
    table.querySelector('.axis').innerHTML = ticks.map(t => `<text x="${at(t)}" y="11" text-anchor="middle">${t}</text><line x1="${at(t)}" x2="${at(t)}" y1="15" y2="20"/>`).join('');
    body.replaceChildren(...places.map(one => {
      const { row, name } = shown.get(one.model);
      const ranks = one.first < one.last ? `${one.first} to ${one.last}` : `${one.first}`;
      const cells = [number(one.score), one.se ? `${number(one.low)} to ${number(one.high)}` : 'none', ranks].map(spell);
      Object.assign(row.dataset, { est: one.rank, p: one.first, rank: one.rank, first: one.first, last: one.last });
      row.className = one.first === 1 ? 'in' : 'out';
      cells.forEach((text, k) => { row.cells[k + 1].textContent = text; });
      row.querySelector('.iv').setAttribute('aria-label', `${name}: ${cells[0]}\n${cells[1]}\nranks ${cells[2]}`);
      const bar = row.querySelector('.ci');
      bar.setAttribute('x1', at(one.first));
      bar.setAttribute('x2', at(one.last));
      row.querySelector('.dot').setAttribute('cx', at(one.rank));
      return row;
    }));
    const leaders = places.filter(one => one.first === 1), alpha = `${Number((100 * (1 - facts.level)).toPrecision(6))}\u00a0%`;
    const title = article.querySelector('h1');
    if (leaders.length === 1) title.textContent = `${shown.get(leaders[0].model).name} ranks first: all others are significantly worse at ${alpha}.`;
    else title.textContent = `${leaders.length === places.length ? 'All' : `${leaders.length} of`} ${places.length}\u00a0models may rank first: no model is significantly better than any of these at ${alpha}.`;
    const place = new Map(places.map((one, k) => [one.model, k + 1]));
    const ties = article.querySelector('.folds:not(.filters) details');
    ties.querySelector('summary span').textContent = `${groups.length} ${groups.length === 1 ? 'group' : 'groups'} of neighbours that do not differ significantly`;
    ties.querySelector('dl').replaceChildren(...groups.flatMap(group => [element('dt', { textContent: `${place.get(group[0])} to ${place.get(group.at(-1))}` }), element('dd', { textContent: group.map(name => shown.get(name).name).join(', ') })]));
    article.querySelector('.filter')?.dispatchEvent(new Event('input'));
  };

  // The counts of the heading, and of the sentence for a paper, are those of what is chosen.
  const told = [...article.querySelectorAll('.what, .folds:not(.filters) details:last-of-type dd, .folds:not(.filters) details:last-of-type p')].map(one => ({ one, text: one.innerHTML }));
  const counts = kept => [['item', items, kept.tasks.reduce((sum, t) => sum + tasks[t].items, 0)], ['task', tasks.length, kept.tasks.length], ['model', models.length, kept.models.length]];
  const count = kept => {
    for (const { one, text } of told)
      one.innerHTML = counts(kept).reduce((now, [noun, whole, left]) => now.replace(new RegExp(`\\b${whole}(\u00a0|&nbsp;| )${noun}s?\\b`), `${left}$1${noun}${left === 1 ? '' : 's'}`), text);
  };

  const change = () => {
    const chosen = kind => boxes[kind].length ? boxes[kind].flatMap((box, k) => box.checked ? [k] : []) : [0];
    const kept = { tasks: chosen('tasks'), models: chosen('models') };
    for (const [kind, { gist }] of parts) gist.textContent = kept[kind].length === boxes[kind].length ? `all ${boxes[kind].length}` : `${kept[kind].length} of ${boxes[kind].length}`;
    const fewest = facts.clusters === 'tasks' ? 5 : 1;
    const few = kept.models.length < 2 ? 'Choose two models or more.' : kept.tasks.length < fewest ? `Choose ${fewest === 1 ? 'a task' : `${fewest} tasks`} or more.` : '';
    status.textContent = few || 'Computing …';
    article.dataset.state = few ? 'few' : 'busy';
    if (few) return;
    setTimeout(() => {
      const found = boardOf(facts, kept.models.map(j => models[j]), kept.models.map(j => rows[j]), kept.tasks.map(t => blocks[t]));
      show(found);
      count(kept);
      const whole = parts.every(([kind]) => kept[kind].length === boxes[kind].length);
      status.textContent = whole ? '' : 'Scores, ranks and ties of what is chosen, computed again by the law of the whole board.';
      Object.assign(article.dataset, { state: 'done', critical: found.critical, groups: JSON.stringify(found.groups) });
    });
  };
  change();
}
