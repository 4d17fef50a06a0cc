/* Two plots over the steps of a match: a line chart of values and a stacked area chart of shares. */

import { h, s } from "./dom.js";
import { roleClass } from "./role-colours.js";

const SIZE = { width: 420, height: 190, left: 38, right: 10, top: 10, bottom: 24 };

function frame({ last, label, unit, cursor, onPick }) {
  const { width, height, left, right, top, bottom } = SIZE;
  const x = (step) => left + ((width - left - right) * step) / Math.max(1, last);
  const y = (value) => top + (height - top - bottom) * (1 - value / 100);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
  for (const value of [0, 50, 100]) {
    svg.append(s("line", { class: "chart-grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(s("text", { class: "chart-text", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, `${value}${unit}`));
  }
  const stride = Math.max(1, Math.ceil(last / 8));
  for (let step = 0; step <= last; step += stride) {
    svg.append(s("text", { class: "chart-text", x: x(step), y: height - 6, "text-anchor": "middle" }, step));
  }
  if (onPick) {
    svg.classList.add("pickable");
    svg.addEventListener("click", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const step = Math.round(((point.x - left) / (width - left - right)) * Math.max(1, last));
      onPick(Math.max(0, Math.min(last, step)));
    });
  }
  const mark = Number.isFinite(cursor) ? s("line", { class: "chart-cursor", x1: x(cursor), x2: x(cursor), y1: top, y2: height - bottom }) : null;
  return { svg, x, y, mark };
}

function legend(entries) {
  return h(
    "ul",
    { class: "legend" },
    entries.map(({ name, hue, words }) => h("li", { class: hue }, h("span", { class: "dot" }), name, words && h("span", { class: "soft number" }, words))),
  );
}

/** Values from 0 to 100 of each role: `points` are `{ step, values }` in order. */
export function lines({ roles, points, last, cursor, onPick }) {
  const now = points.at(-1)?.values ?? [];
  const label = `Expected points by step. Last: ${roles.map((role, index) => `${role} ${Math.round(now[index] ?? 0)}`).join(", ")}`;
  const { svg, x, y, mark } = frame({ last, label, unit: "", cursor, onPick });
  roles.forEach((role, index) => {
    const path = points.filter(({ values }) => Number.isFinite(values[index])).map(({ step, values }) => [x(step), y(values[index])]);
    svg.append(s("polyline", { class: `chart-line ${roleClass(role, index)}`, points: path.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" ") }));
    const end = path.at(-1);
    if (end) svg.append(s("circle", { class: `chart-end ${roleClass(role, index)}`, cx: end[0], cy: end[1], r: 3.5 }));
  });
  if (mark) svg.append(mark);
  return h("figure", { class: "plot" }, svg, legend(roles.map((name, index) => ({ name, hue: roleClass(name, index), words: Number.isFinite(now[index]) ? String(Math.round(now[index])) : "" }))));
}

/** How many colours there are for layers. */
const LAYERS = 8;
const layerClass = (index) => `s${index % LAYERS}`;

/** Shares that add up to one, in layers: `points` are `{ step, shares: Map(name, share) }` in order. */
export function layers({ names, points: known, who, last, cursor, onPick }) {
  const now = known.at(-1)?.shares ?? new Map();
  // The last shares hold until others are reported.
  const points = known.length > 0 && known.at(-1).step < last ? [...known, { step: last, shares: now }] : known;
  const percent = (name) => `${Math.round(100 * (now.get(name) ?? 0))} %`;
  const label = `Shares of the strategies of ${who} by step. Last: ${names.map((name) => `${name} ${percent(name)}`).join(", ")}`;
  const { svg, x, y, mark } = frame({ last, label, unit: "%", cursor, onPick });
  const floor = points.map(() => 0);
  names.forEach((name, index) => {
    const lower = points.map(({ step }, at) => `${x(step).toFixed(1)},${y(Math.min(100, floor[at])).toFixed(1)}`);
    points.forEach(({ shares }, at) => {
      floor[at] += 100 * (shares.get(name) ?? 0);
    });
    const upper = points.map(({ step }, at) => `${x(step).toFixed(1)},${y(Math.min(100, floor[at])).toFixed(1)}`);
    svg.append(s("polygon", { class: `chart-layer ${layerClass(index)}`, points: [...lower, ...upper.reverse()].join(" ") }));
  });
  if (mark) svg.append(mark);
  return h("figure", { class: "plot" }, svg, legend(names.map((name, index) => ({ name, hue: layerClass(index), words: percent(name) }))));
}
