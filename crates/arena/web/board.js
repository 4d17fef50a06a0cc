/*
 * The board: an SVG of the server with clickable targets. For the keyboard it is one tab stop:
 * arrow keys move between targets, Enter selects one and Escape clears the selection.
 */

import { h, icon, parseSvg, replace, s } from "./dom.js";
import { Clicks } from "./clicks.js";
import { boxOf, centre, isArrow, nearest } from "./geometry.js";
import { say } from "./announce.js";

/** Largest scale of a drawing. */
const LARGEST = 3.5;

export class Board {
  /** `onMove(legal move)` when clicks make a move; `onSelect(targets, candidates)` when a part of one is clicked. */
  constructor({ onMove = () => {}, onSelect = () => {} } = {}) {
    this.onMove = onMove;
    this.onSelect = onSelect;
    this.clicks = new Clicks([]);
    this.drawing = null;
    this.overlay = null;
    this.boxes = new Map();
    this.focused = null; // the target that had the focus last, and where it was
    this.place = null;
    this.frame = h("div", { class: "board-frame", tabindex: "-1" });
    this.choice = h("div", { class: "board-choice", role: "group", "aria-label": "Which move do you mean?", hidden: true });
    this.element = h("div", { class: "board" }, this.frame, this.choice);
    this.frame.addEventListener("click", (event) => this.pressed(event));
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.frame.addEventListener("focusin", (event) => {
      const target = event.target.closest?.("[data-target]")?.dataset.target;
      if (target === undefined) return;
      this.focused = target;
      this.box(target);
      this.drawMarks();
    });
    this.frame.addEventListener("focusout", () => this.drawMarks());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clear();
    });
  }

  /** Shows a position; `legal` are the moves that may be made by clicking, none for a spectator. */
  show(board, legal = []) {
    const hadFocus = this.frame.contains(document.activeElement);
    const place = this.boxes.get(this.focused) ?? this.place;
    const drawing = parseSvg(board?.svg);
    this.clicks = new Clicks(legal);
    this.drawing = drawing;
    this.boxes.clear();
    if (!drawing) {
      replace(this.frame, h("p", { class: "soft" }, "This position has no drawing; its facts are listed below."));
    } else {
      drawing.setAttribute("aria-label", board.label ?? "The board");
      drawing.setAttribute("role", legal.some(({ clicks }) => clicks?.length > 0) ? "group" : "img");
      limitSize(drawing);
      this.overlay = s("g", { class: "board-marks", "aria-hidden": "true" });
      drawing.append(this.overlay);
      replace(this.frame, drawing);
    }
    this.mark();
    this.place = place;
    if (hadFocus) this.restoreFocus();
  }

  /** Restores the keyboard focus to the same target or the nearest one; without targets the board itself has it. */
  restoreFocus() {
    const live = [...this.frame.querySelectorAll(".live[tabindex]")];
    const same = live.find((element) => element.dataset.target === this.focused);
    const distance = (element) => {
      const [here, there] = [centre(this.box(element.dataset.target)), centre(this.place)];
      return Math.hypot(here.x - there.x, here.y - there.y);
    };
    const near = this.place ? live.sort((a, b) => distance(a) - distance(b))[0] : live[0];
    const element = same ?? near;
    if (!element) {
      this.frame.focus({ preventScroll: true });
      return;
    }
    for (const other of live) other.setAttribute("tabindex", other === element ? "0" : "-1");
    element.focus({ preventScroll: true });
  }

  /** The element of a target. */
  find(target, more = "") {
    return this.drawing?.querySelector(`[data-target="${CSS.escape(target)}"]${more}`) ?? null;
  }

  box(target) {
    if (!this.boxes.has(target)) {
      const element = this.find(target);
      this.boxes.set(target, element ? boxOf(this.drawing, element) : null);
    }
    return this.boxes.get(target);
  }

  /** Marks what can be clicked now, and what has been. */
  mark() {
    if (!this.drawing) return;
    const { chosen } = this.clicks;
    const live = new Set([...this.clicks.next(), ...this.clicks.first(), ...chosen]);
    const seen = new Set();
    const current = this.frame.querySelector('[tabindex="0"]')?.dataset.target;
    // Read first: an element that loses its `tabindex` loses the focus at once.
    const active = document.activeElement;
    let first = null;
    for (const element of this.drawing.querySelectorAll("[data-target]")) {
      const target = element.dataset.target;
      const operable = live.has(target) && !seen.has(target);
      element.classList.toggle("live", live.has(target));
      if (operable) {
        seen.add(target);
        first ??= element;
        element.setAttribute("role", "button");
        element.setAttribute("aria-label", this.nameOf(element));
        element.setAttribute("aria-pressed", String(chosen.includes(target)));
        element.setAttribute("tabindex", target === current ? "0" : "-1");
      } else {
        for (const name of ["role", "aria-label", "aria-pressed", "tabindex"]) element.removeAttribute(name);
      }
    }
    if (first && !this.frame.querySelector('[tabindex="0"]')) first.setAttribute("tabindex", "0");
    if (this.drawing.contains(active) && !active.hasAttribute("tabindex")) {
      this.place = this.box(active.dataset.target);
      this.restoreFocus();
    }
    this.drawMarks();
  }

  nameOf(element) {
    const title = element.querySelector("title")?.textContent;
    return title || element.dataset.target;
  }

  drawMarks() {
    if (!this.overlay) return;
    replace(this.overlay);
    // A CSS outline would be scaled with the drawing, so the focus is drawn like the other marks.
    const focus = this.frame.querySelector("[data-target]:focus-visible");
    if (focus) this.overlay.append(this.ring(focus.dataset.target, "mark-focus"));
    for (const target of this.clicks.chosen) {
      if (this.box(target)) this.overlay.append(this.ring(target, "mark-chosen"));
    }
    if (this.clicks.chosen.length === 0) return;
    for (const target of this.clicks.next()) {
      const box = this.box(target);
      if (box) this.overlay.append(spot(box));
    }
  }

  /** A line around a target: along its edge where it is a hexagon or a disc, else along its box. */
  ring(target, kind) {
    const shape = this.find(target).querySelector("rect, circle, ellipse, polygon, path");
    if (shape && shape.localName !== "rect" && shape.localName !== "path" && isWhole(boxOf(this.drawing, shape), this.box(target))) {
      const edge = shape.cloneNode(false);
      for (const { name } of [...edge.attributes]) if (/^(fill|stroke|opacity)/.test(name)) edge.removeAttribute(name);
      edge.setAttribute("class", kind);
      return edge;
    }
    return ring(this.box(target), kind);
  }

  /** Shows a move for a moment: as an arrow if it has two targets, as a ring if it has one. */
  point(clicks) {
    if (!this.drawing) return;
    this.drawMarks();
    const targets = (clicks ?? []).filter((target) => this.box(target));
    const boxes = targets.map((target) => this.box(target));
    for (const target of targets) this.overlay.append(this.ring(target, "mark-shown"));
    if (boxes.length > 1) this.overlay.append(arrow(centre(boxes[0]), centre(boxes[1]), boxes[0]));
  }

  pressed(event) {
    const element = event.target.closest?.("[data-target]");
    if (element && this.drawing?.contains(element)) this.take(element.dataset.target);
    else this.clear();
  }

  take(target) {
    const outcome = this.clicks.click(target);
    replace(this.choice).hidden = true;
    this.mark();
    if (outcome.kind === "move") {
      this.clicks.clear();
      this.onMove(outcome.move);
      return;
    }
    if (outcome.kind === "choose") this.choose(outcome.moves);
    if (outcome.kind === "selected") say(`${this.nameOf(this.find(target))} selected, ${this.clicks.next().size} ways to go on.`);
    if (outcome.kind === "cleared") say("Selection taken back.");
    if (outcome.kind !== "nothing") this.onSelect(this.clicks.chosen, this.clicks.candidates());
  }

  /** Several moves have the same clicks: a short list tells them apart. */
  choose(moves) {
    const buttons = moves.map((move) =>
      h("button", { type: "button", class: "button", on: { click: () => this.decide(move) } }, move.words),
    );
    const cancel = h("button", { type: "button", class: "button quiet", on: { click: () => this.clear(true) } }, "Cancel");
    replace(this.choice, h("span", { class: "label" }, icon("swap"), "Which move?"), buttons, cancel).hidden = false;
    buttons[0]?.focus();
  }

  decide(move) {
    this.clear();
    this.onMove(move);
  }

  clear(focus = false) {
    replace(this.choice).hidden = true;
    if (this.clicks.chosen.length === 0) return;
    this.clicks.clear();
    this.mark();
    this.onSelect([], this.clicks.candidates());
    if (focus) this.frame.querySelector('[tabindex="0"]')?.focus();
  }

  key(event) {
    const element = event.target.closest?.("[data-target]");
    if (!element) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.take(element.dataset.target);
    } else if (isArrow(event.key)) {
      event.preventDefault();
      const others = [...this.drawing.querySelectorAll(".live[tabindex]")].filter((other) => other !== element);
      const points = others.map((other) => ({ element: other, point: centre(this.box(other.dataset.target)) }));
      const next = nearest(event.key, centre(this.box(element.dataset.target)), points)?.element;
      if (!next) return;
      element.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }
  }
}

/** Limits the scale of tiny boards, whose cells would become very large. */
export function limitSize(drawing) {
  const { width } = drawing.viewBox.baseVal;
  if (width > 0) drawing.style.maxWidth = `${Math.round(width * LARGEST)}px`;
}

/** Whether a shape covers its whole target without a transformation. */
function isWhole(shape, target) {
  return ["x", "y", "width", "height"].every((side) => Math.abs(shape[side] - target[side]) < 0.1 * target.width);
}

function ring({ x, y, width, height }, kind) {
  const inset = Math.min(width, height) * 0.04;
  return s("rect", {
    class: kind,
    x: x + inset,
    y: y + inset,
    width: Math.max(0, width - 2 * inset),
    height: Math.max(0, height - 2 * inset),
    rx: Math.min(width, height) * 0.12,
  });
}

function spot(box) {
  const { x, y } = centre(box);
  return s("circle", { class: "mark-next", cx: x, cy: y, r: Math.min(box.width, box.height) * 0.16 });
}

function arrow(from, to, { width, height }) {
  const size = Math.min(width, height) * 0.22;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const neck = { x: to.x - ux * size * 1.4, y: to.y - uy * size * 1.4 };
  const head = [
    [to.x, to.y],
    [neck.x - uy * size * 0.8, neck.y + ux * size * 0.8],
    [neck.x + uy * size * 0.8, neck.y - ux * size * 0.8],
  ];
  return s(
    "g",
    { class: "mark-arrow" },
    s("line", { x1: from.x, y1: from.y, x2: neck.x, y2: neck.y, "stroke-width": size * 0.55 }),
    s("polygon", { points: head.map((point) => point.join(",")).join(" ") }),
  );
}
