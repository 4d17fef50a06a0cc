/*
 * The editor of rule sheets: a transparent textarea above a layer that shows the same text with
 * syntax colours, line numbers and the diagnostics at the end of their lines.
 */

import { h, replace } from "./dom.js";
import { tokens, span } from "./highlight.js";

/** Number of lines that are drawn above and below the visible part. */
const MARGIN = 10;

export class Editor {
  constructor({ id, label, onChange }) {
    this.onChange = onChange;
    this.diagnostics = [];
    this.top = 0; // where the drawn lines begin
    this.waiting = false;
    this.text = h("textarea", {
      id,
      class: "editor-text",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      "aria-label": label,
      "aria-describedby": `${id}-messages`,
      on: {
        input: () => {
          this.draw();
          this.onChange(this.text.value);
        },
        scroll: () => this.follow(),
        keydown: (event) => this.key(event),
      },
    });
    this.colours = h("pre", { class: "editor-colours", "aria-hidden": "true" });
    this.numbers = h("pre", { class: "editor-numbers", "aria-hidden": "true" });
    this.element = h("div", { class: "editor" }, h("div", { class: "editor-gutter" }, this.numbers), h("div", { class: "editor-body" }, this.colours, this.text));
    new ResizeObserver(() => this.paint()).observe(this.text);
    this.draw();
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.diagnostics = [];
    this.text.scrollTop = 0;
    this.text.scrollLeft = 0;
    this.draw();
  }

  /** Shows diagnostics. */
  mark(diagnostics) {
    this.diagnostics = diagnostics;
    this.draw();
  }

  /** Scrolling moves the layer at once and draws other lines with the next frame. */
  follow() {
    this.move();
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  draw() {
    this.lines = this.text.value.split("\n");
    this.messages = messagesByLine(this.diagnostics);
    this.marks = marksByLine(this.diagnostics, this.lines);
    this.paint();
  }

  /** Draws the visible lines only, because a sheet may have thousands. */
  paint() {
    const height = this.lineHeight();
    const first = Math.max(0, Math.floor(this.text.scrollTop / height) - MARGIN);
    const last = Math.min(this.lines.length, Math.ceil((this.text.scrollTop + this.text.clientHeight) / height) + MARGIN);
    const nodes = [];
    const numbers = [];
    for (let index = first; index < last; index += 1) {
      const message = this.messages.get(index + 1);
      nodes.push(...markedLine(this.lines[index], this.marks.get(index + 1) ?? []));
      if (message) nodes.push(h("span", { class: `line-message ${message.severity}` }, message.text));
      nodes.push("\n");
      numbers.push(h("span", message && { class: `line-${message.severity}` }, `${index + 1}\n`));
    }
    replace(this.colours, nodes);
    replace(this.numbers, numbers);
    this.numbers.dataset.digits = String(Math.max(3, String(this.lines.length).length));
    this.top = first * height;
    this.move();
  }

  move() {
    const down = this.top - this.text.scrollTop;
    this.colours.style.transform = `translate(${-this.text.scrollLeft}px, ${down}px)`;
    this.numbers.style.transform = `translateY(${down}px)`;
  }

  lineHeight() {
    return parseFloat(getComputedStyle(this.text).lineHeight) || 21;
  }

  /** Puts the cursor at a place (counted from 1) and brings it into view. */
  goTo(line, column) {
    const lines = this.text.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const offset = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.text.focus();
    this.text.setSelectionRange(offset, offset);
    this.text.scrollTop = Math.max(0, (line - 4) * this.lineHeight());
    this.follow();
  }

  /** Indents a new line within a clause. Tab keeps its meaning: it leaves the editor. */
  key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { selectionStart, selectionEnd, value } = this.text;
    if (selectionStart !== selectionEnd) return;
    const start = value.lastIndexOf("\n(", selectionStart - 1) + 1;
    let depth = 0;
    for (const { kind, text } of tokens(value.slice(start, selectionStart))) {
      if (kind === "parenthesis") depth += text === "(" ? 1 : -1;
    }
    if (depth <= 0) return;
    event.preventDefault();
    this.text.setRangeText(`\n${"  ".repeat(Math.min(depth, 8))}`, selectionStart, selectionEnd, "end");
    this.text.dispatchEvent(new Event("input"));
  }
}

/** The first message of each line and the worst severity there; a message stands at its first label. */
function messagesByLine(diagnostics) {
  const lines = new Map();
  for (const { severity, message, labels } of diagnostics) {
    const line = labels[0]?.line ?? 1;
    const known = lines.get(line);
    if (!known) lines.set(line, { severity, text: message });
    else if (known.severity !== "error" && severity === "error") lines.set(line, { severity, text: message });
  }
  return lines;
}

/** The parts of lines that labels point at; columns count characters from 1. */
function marksByLine(diagnostics, lines) {
  const marks = new Map();
  for (const { severity, labels } of diagnostics) {
    labels.forEach((label, number) => {
      const kind = number === 0 ? severity : "also"; // the first place is the one that is meant
      for (let line = label.line; line <= Math.min(label.end_line, label.line + 20, lines.length); line += 1) {
        const from = line === label.line ? label.column - 1 : 0;
        const to = line === label.end_line ? label.end_column - 1 : Infinity;
        if (!marks.has(line)) marks.set(line, []);
        marks.get(line).push({ from, to: Math.max(to, from + 1), kind });
      }
    });
  }
  return marks;
}

function markedLine(line, marks) {
  if (marks.length === 0) return tokens(line).map(({ text, kind }) => span(text, kind));
  const nodes = [];
  let at = 0;
  for (const { text, kind } of tokens(line)) {
    let run = "";
    let runMark = null;
    const flush = () => {
      if (!run) return;
      const node = span(run, kind);
      nodes.push(runMark ? h("mark", { class: `mark-${runMark}` }, node) : node);
      run = "";
    };
    for (const character of text) {
      const here = marks.filter(({ from, to }) => at >= from && at < to);
      const mark = ["error", "warning", "also"].find((kind) => here.some((mark) => mark.kind === kind)) ?? null;
      if (mark !== runMark) flush();
      runMark = mark;
      run += character;
      at += 1;
    }
    flush();
  }
  return nodes;
}
