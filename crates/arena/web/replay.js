/* Stepping through a match with a slider, buttons and arrow keys; at the last step of a live match it follows. */

import { h, icon, replace } from "./dom.js";
import { newest } from "./events.js";

const PACE = 900;

export class Replay {
  /** `load(step)` gives the snapshot of a step; `show(snapshot, step)` draws it. */
  constructor({ signal, load, show, live = false }) {
    Object.assign(this, { signal, load, show, live });
    this.last = 0;
    this.at = 0;
    this.following = live;
    this.kept = new Map();
    this.forgotten = 0; // counter; responses requested before a change are not cached
    this.timer = 0;
    this.slider = h("input", { type: "range", id: "replay", min: "0", max: "0", value: "0", "aria-label": "Step of the match", on: { input: () => this.go(Number(this.slider.value)) } });
    this.label = h("output", { for: "replay", class: "replay-label number" });
    this.playing = this.button("play", "Play the steps", () => this.toggle());
    this.liveButton = live && h("button", { type: "button", class: "button live-button", on: { click: () => this.go(this.last) } }, h("span", { class: "dot" }), "Live");
    this.element = h(
      "div",
      { class: "replay", role: "group", "aria-label": "Steps of the match" },
      this.button("first", "First step", () => this.go(0)),
      this.button("back", "One step back", () => this.go(this.at - 1)),
      this.playing,
      this.button("next", "One step on", () => this.go(this.at + 1)),
      this.button("last", "Last step", () => this.go(this.last)),
      this.slider,
      this.label,
      this.liveButton,
    );
    this.draw = newest(() => this.drawNow());
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    signal.addEventListener("abort", () => clearInterval(this.timer));
  }

  button(name, words, act) {
    return h("button", { type: "button", class: "button icon-only quiet", "aria-label": words, title: words, on: { click: act } }, icon(name));
  }

  /** The match has reached a step; cached later steps are dropped (moves were taken back). */
  grow(step) {
    if (step < this.last) for (const known of [...this.kept.keys()]) if (known >= step) this.kept.delete(known);
    this.last = step;
    if (this.following || this.at > step) this.at = step;
    return this.draw();
  }

  go(step) {
    this.at = Math.max(0, Math.min(this.last, step));
    this.following = this.live && this.at === this.last;
    if (this.at === this.last) this.stop();
    return this.draw();
  }

  /** Drops a cached step, because it has changed. */
  forget(step) {
    this.forgotten += 1;
    this.kept.delete(step);
    if (step === this.at) this.draw();
  }

  async drawNow() {
    const step = this.at;
    this.controls();
    let snapshot = this.kept.get(step);
    if (!snapshot) {
      const { forgotten } = this;
      snapshot = await this.load(step);
      if (this.signal.aborted) return;
      if (forgotten === this.forgotten) this.kept.set(step, snapshot);
    }
    if (step === this.at) this.show(snapshot, step);
    this.ahead(step + 1);
  }

  /** Prefetches the next step. */
  async ahead(step) {
    if (step > this.last || this.kept.has(step)) return;
    try {
      const { forgotten } = this;
      const snapshot = await this.load(step);
      if (forgotten === this.forgotten && step <= this.last && !this.kept.has(step)) this.kept.set(step, snapshot);
    } catch {
      // It is requested again when it is shown.
    }
  }

  controls() {
    this.slider.max = String(this.last);
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `Step ${this.at} of ${this.last}`);
    this.label.textContent = `${this.at} / ${this.last}`;
    if (this.liveButton) this.liveButton.setAttribute("aria-pressed", String(this.following));
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.at >= this.last) this.at = -1;
    this.go(this.at + 1);
    this.timer = setInterval(() => this.go(this.at + 1), PACE);
    replace(this.playing, icon("pause")).setAttribute("aria-label", "Stop");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    replace(this.playing, icon("play")).setAttribute("aria-label", "Play the steps");
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, [role=button], [data-keys]")) return;
    const act = { ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1), Home: () => this.go(0), End: () => this.go(this.last) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
