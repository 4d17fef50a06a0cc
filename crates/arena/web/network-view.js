/* The drawing of a propositional network: nodes by level, wires, cones of influence on a click, true nodes highlighted. */

import { h, icon, replace, s } from "./dom.js";
import { say } from "./announce.js";
import { place, reach } from "./network-layout.js";
import { Zoom } from "./zoom.js";
import { count } from "./format.js";

const SYMBOLS = { and: "∧", or: "∨", not: "¬" };
/** Scale below which labels are too small to read. */
const READABLE = 0.5;

export class NetworkView {
  constructor({ onCone }) {
    this.onCone = onCone;
    this.wires = s("g", { class: "wires" });
    this.nodes = s("g", { class: "nodes" });
    this.content = s("g", null, this.wires, this.nodes);
    this.svg = s("svg", { class: "network", tabindex: "0", role: "group", "aria-label": "Network. Arrows move it, plus and minus scale it.", "data-keys": "" }, this.content);
    this.zoom = new Zoom(this.svg, this.content, (scale) => this.svg.classList.toggle("far", scale < READABLE));
    this.detail = h("div", { class: "network-detail small", "aria-live": "polite" });
    this.svg.addEventListener("click", (event) => {
      if (this.zoom.moved || !this.data) return;
      const id = event.target.closest?.("[data-node]")?.dataset.node;
      this.choose(id === undefined ? null : this.byKey.get(id));
    });
    this.svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.data) this.choose(null);
    });
    const button = (name, words, act) => h("button", { type: "button", class: "button icon-only", "aria-label": words, title: words, on: { click: act } }, icon(name));
    this.tools = h(
      "div",
      { class: "row", role: "group", "aria-label": "Size of the drawing" },
      button("plus", "Larger", () => this.zoom.larger()),
      button("minus", "Smaller", () => this.zoom.smaller()),
      button("fit", "All of it", () => this.zoom.fit()),
    );
    this.element = h(
      "div",
      { class: "network-frame" },
      this.svg,
      this.detail,
    );
  }

  show({ nodes, edges, lit }) {
    this.data = { nodes, edges };
    this.byKey = new Map(nodes.map((node) => [String(node.id), node]));
    this.elements = new Map();
    this.lines = [];
    const size = place(nodes, edges);
    const byId = new Map(nodes.map((node) => [node.id, node]));
    replace(
      this.wires,
      edges.map(([from, to]) => {
        const [a, b] = [byId.get(from), byId.get(to)];
        if (!a || !b) return null;
        const back = b.x <= a.x;
        const path = s("path", { class: back ? "wire back" : "wire", d: wirePath(a, b, back) });
        this.lines.push({ from, to, path });
        return path;
      }),
    );
    replace(
      this.nodes,
      nodes.map((node) => {
        const element = shape(node);
        this.elements.set(node.id, element);
        return element;
      }),
    );
    this.light(lit ?? nodes.filter(({ on }) => on).map(({ id }) => id));
    this.choose(null);
    requestAnimationFrame(() => this.zoom.fit({ ...size, margin: 150 }));
  }

  light(ids) {
    const lit = new Set(ids);
    for (const [id, element] of this.elements) element.classList.toggle("lit", lit.has(id));
    for (const { from, path } of this.lines) path.classList.toggle("lit", lit.has(from));
    this.svg.classList.toggle("has-light", lit.size > 0);
  }

  /** Shows what a node depends on and what depends on it. */
  choose(node) {
    this.svg.classList.toggle("has-choice", Boolean(node));
    if (!node) {
      for (const element of this.elements.values()) element.classList.remove("below", "above", "chosen");
      for (const { path } of this.lines) path.classList.remove("below", "above");
      replace(this.detail, h("p", { class: "soft" }, `${count(this.data.nodes.length, "node")}, ${count(this.data.edges.length, "wire")}. Click a node for its cones.`));
      return;
    }
    const { edges } = this.data;
    // A wire that leads back in time (from the next state to the state) is no part of a cone.
    const forward = edges.filter(([from, to]) => (this.byKey.get(String(from))?.x ?? 0) < (this.byKey.get(String(to))?.x ?? 0));
    const below = reach(node.id, forward.map(([from, to]) => [to, from]));
    const above = reach(node.id, forward);
    for (const [id, element] of this.elements) {
      element.classList.toggle("below", below.has(id));
      element.classList.toggle("above", above.has(id));
      element.classList.toggle("chosen", id === node.id);
    }
    for (const { from, to, path } of this.lines) {
      path.classList.toggle("below", below.has(from) && below.has(to));
      path.classList.toggle("above", above.has(from) && above.has(to));
    }
    replace(
      this.detail,
      h("p", null, h("strong", { class: "mono" }, node.label || node.kind), ` · ${node.kind}`),
      h("p", { class: "soft" }, `depends on ${count(below.size - 1, "node")}; ${count(above.size - 1, "node")} depend${above.size === 2 ? "s" : ""} on it`),
      h("button", { type: "button", class: "button", on: { click: () => this.onCone(node) } }, "Draw only its cone"),
    );
    say(`${node.label || node.kind}: depends on ${below.size - 1} nodes.`);
  }
}

function wirePath(a, b, back) {
  const [from, to] = [a.x + 10, b.x - 10];
  if (back) return `M${a.x} ${a.y}C${a.x + 60} ${a.y + 60} ${b.x - 60} ${b.y + 60} ${b.x} ${b.y}`;
  const bend = (to - from) * 0.45;
  return `M${from} ${a.y.toFixed(1)}C${(from + bend).toFixed(1)} ${a.y.toFixed(1)} ${(to - bend).toFixed(1)} ${b.y.toFixed(1)} ${to} ${b.y.toFixed(1)}`;
}

function shape(node) {
  const kind = String(node.kind).toLowerCase();
  const symbol = SYMBOLS[kind];
  const label = node.label || kind;
  const group = s("g", { class: `node kind-${kind.replace(/[^a-z]/g, "")}`, transform: `translate(${node.x} ${node.y.toFixed(1)})`, "data-node": node.id }, s("title", null, `${label} (${node.kind})`));
  group.append(s("circle", { r: symbol ? 8 : 6.5 }));
  if (symbol) group.append(s("text", { class: "node-symbol", y: 4, "text-anchor": "middle" }, symbol));
  else group.append(s("text", { class: "node-label", x: node.first ? -10 : 10, y: 3.5, "text-anchor": node.first ? "end" : "start" }, label.length > 34 ? `${label.slice(0, 33)}…` : label));
  return group;
}
