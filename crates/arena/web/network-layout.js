/*
 * Layered layout of a network: a column for each level, and within a column an order with few wire
 * crossings by sweeps of the barycentre heuristic (Sugiyama, Tagawa and Toda 1981). It works on
 * numbers only, without the DOM.
 */

const ROW = 24;
const SWEEPS = 6;

/** Column width that gives the drawing about the aspect ratio of a window, within limits. */
const columnWidth = (columns, height) => Math.max(150, Math.min(330, (1.7 * height) / Math.max(1, columns - 1)));

/** Adds `x` and `y` to every node and gives the size of it all. */
export function place(nodes, edges) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const columns = new Map();
  for (const node of nodes) {
    const level = Number.isFinite(node.level) ? node.level : 0;
    if (!columns.has(level)) columns.set(level, []);
    columns.get(level).push(node);
  }
  const levels = [...columns.keys()].sort((a, b) => a - b);
  const inputs = neighbours(edges.map(([from, to]) => [to, from]), byId);
  const outputs = neighbours(edges, byId);
  for (const level of levels) number(columns.get(level));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    for (const level of forward ? levels : [...levels].reverse()) {
      const column = columns.get(level);
      for (const node of column) node.weight = mean((forward ? inputs : outputs).get(node.id), node.order);
      column.sort((a, b) => a.weight - b.weight);
      number(column);
    }
  }
  const tallest = Math.max(1, ...levels.map((level) => columns.get(level).length));
  const wide = columnWidth(levels.length, tallest * ROW);
  levels.forEach((level, index) => {
    const column = columns.get(level);
    const stretch = Math.min(3, tallest / column.length);
    const top = ((tallest - column.length * stretch) * ROW) / 2;
    column.forEach((node, row) => {
      node.x = index * wide;
      node.first = index === 0;
      node.y = top + (row + 0.5) * ROW * stretch;
    });
  });
  return { width: Math.max(0, levels.length - 1) * wide, height: tallest * ROW };
}

/** Relative places, so that columns of different lengths can be compared. */
function number(column) {
  column.forEach((node, index) => {
    node.order = (index + 0.5) / column.length;
  });
}

function neighbours(edges, byId) {
  const lists = new Map();
  for (const [from, to] of edges) {
    const other = byId.get(to);
    if (!other || !byId.has(from)) continue;
    if (!lists.has(from)) lists.set(from, []);
    lists.get(from).push(other);
  }
  return lists;
}

function mean(nodes, otherwise) {
  if (!nodes || nodes.length === 0) return otherwise;
  return nodes.reduce((sum, node) => sum + node.order, 0) / nodes.length;
}

/** Everything that can be reached from a node along `edges`, itself included. */
export function reach(start, edges) {
  const next = new Map();
  for (const [from, to] of edges) {
    if (!next.has(from)) next.set(from, []);
    next.get(from).push(to);
  }
  const seen = new Set([start]);
  const open = [start];
  while (open.length > 0) {
    for (const to of next.get(open.pop()) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}
