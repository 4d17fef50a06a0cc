/* The legal moves as a list of buttons with a filter; it works for every game. */

import { h, replace } from "./dom.js";
import { count } from "./format.js";

/** Limit on moves drawn at once; the filter finds the others. */
const SHOWN = 200;

export class MoveList {
  constructor({ onMove, onPoint = () => {} }) {
    this.onMove = onMove;
    this.onPoint = onPoint;
    this.legal = [];
    this.kept = null;
    this.enabled = true;
    this.filter = h("input", { type: "search", id: "move-filter", placeholder: "Filter moves", autocomplete: "off", on: { input: () => this.draw(), keydown: (event) => this.enter(event) } });
    this.list = h("ul", { class: "moves" });
    this.summary = h("span", { class: "soft small" });
    this.element = h(
      "section",
      { class: "panel move-panel", "aria-labelledby": "moves-title" },
      h("div", { class: "row spread" }, h("h2", { id: "moves-title" }, "Your moves"), this.summary),
      h("label", { for: "move-filter", class: "visually-hidden" }, "Filter the moves"),
      this.filter,
      this.list,
    );
  }

  show(legal, enabled = true) {
    this.legal = legal;
    this.enabled = enabled;
    this.kept = null;
    this.filter.value = "";
    this.draw();
  }

  /** Keeps to the moves that go with the clicks so far; null shows all. */
  keep(moves) {
    this.kept = moves;
    this.draw();
  }

  visible() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    return (this.kept ?? this.legal).filter((move) => words.every((word) => `${move.words} ${move.move}`.toLowerCase().includes(word)));
  }

  draw() {
    const moves = this.visible();
    const hadFocus = this.list.contains(document.activeElement);
    this.filter.hidden = this.legal.length < 9;
    this.summary.textContent =
      moves.length === this.legal.length ? count(moves.length, "move") : `${moves.length} of ${count(this.legal.length, "move")}`;
    const rest = moves.length - SHOWN;
    replace(
      this.list,
      moves.slice(0, SHOWN).map((move) =>
        h(
          "li",
          null,
          h(
            "button",
            {
              type: "button",
              class: "move",
              disabled: !this.enabled,
              title: move.move,
              on: {
                click: () => this.onMove(move),
                mouseenter: () => this.onPoint(move.clicks),
                mouseleave: () => this.onPoint(null),
                focus: () => this.onPoint(move.clicks),
                blur: () => this.onPoint(null),
              },
            },
            move.words,
          ),
        ),
      ),
      rest > 0 && h("li", { class: "soft small" }, `and ${rest} more; the filter finds them`),
      moves.length === 0 && h("li", { class: "soft small" }, this.legal.length === 0 ? "Nothing to choose at the moment." : "No move fits the filter."),
    );
    if (hadFocus) this.list.querySelector("button")?.focus();
  }

  /** Enter in the filter plays the move when only one is left. */
  enter(event) {
    if (event.key !== "Enter") return;
    const moves = this.visible();
    if (moves.length === 1 && this.enabled) this.onMove(moves[0]);
  }
}
