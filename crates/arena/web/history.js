/* The moves of a match as a list; a click shows the position. */

import { h, replace } from "./dom.js";
import { formatJointMove } from "./format.js";

export class History {
  constructor({ roles, onPick }) {
    this.roles = roles;
    this.onPick = onPick;
    this.joints = new Map();
    this.errors = new Map();
    this.at = 0;
    this.list = h("ol", { class: "history pick" });
    this.element = h("section", { class: "panel", "aria-labelledby": "history-title" }, h("h2", { id: "history-title" }, "Moves"), this.list);
    this.draw();
  }

  add(step, joint) {
    this.joints.set(step, joint);
    this.later();
  }

  addError(step, text) {
    this.errors.set(step, text);
    this.later();
  }

  cut(step) {
    for (const known of [...this.joints.keys()]) if (known > step) this.joints.delete(known);
    this.later();
  }

  mark(step) {
    this.at = step;
    this.later();
  }

  /** Draws the list once per frame: a resumed stream delivers many steps at once. */
  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const steps = [...this.joints.keys()].sort((a, b) => a - b);
    replace(
      this.list,
      steps.map((step) =>
        h(
          "li",
          { value: String(step) },
          h(
            "button",
            { type: "button", class: "move", "aria-current": step === this.at ? "step" : null, on: { click: () => this.onPick(step) } },
            formatJointMove(this.joints.get(step), this.roles),
          ),
          this.errors.has(step - 1) && h("span", { class: "trouble small" }, this.errors.get(step - 1)),
        ),
      ),
      steps.length === 0 && h("li", { class: "soft none" }, "Nothing has been played."),
    );
    const current = this.list.querySelector("[aria-current]");
    if (current) this.list.scrollTop = current.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }
}
