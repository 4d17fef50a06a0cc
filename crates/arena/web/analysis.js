/* What the players think: a bar for each role, the line they expect, how fast they search, and the plots over the match. */

import { h, replace } from "./dom.js";
import { gauge, setGauge } from "./gauge.js";
import { layers, lines } from "./chart.js";
import { jointWords, roleIndex, short, whole } from "./words.js";

export class Analysis {
  /** `onPick(step)` when a plot is clicked. */
  constructor({ onPick }) {
    this.onPick = onPick;
    this.roles = [];
    this.steps = new Map(); // step -> { values, strategies }
    this.thoughts = new Map(); // role -> the last that was heard from it
    this.bars = h("div", { class: "bars" });
    this.minds = h("div", { class: "minds" });
    this.win = h("div");
    this.shares = h("div");
    this.sharesPanel = h("section", { class: "panel", "aria-labelledby": "shares-title", hidden: true }, h("h2", { id: "shares-title" }, "Strategies"), this.shares);
    this.barsPanel = h("section", { class: "panel", "aria-labelledby": "bars-title" }, h("h2", { id: "bars-title" }, "Expected points"), this.bars);
    this.mindsPanel = h("section", { class: "panel", "aria-labelledby": "minds-title", hidden: true }, h("h2", { id: "minds-title" }, "Thinking"), this.minds);
    this.winPanel = h("section", { class: "panel", "aria-labelledby": "win-title" }, h("h2", { id: "win-title" }, "Course of the match"), this.win);
  }

  /** What is known of earlier steps. */
  fill(steps) {
    for (const { step, values, strategies } of steps) this.keep(step, values, strategies);
  }

  keep(step, values, strategies) {
    const known = this.steps.get(step) ?? { values: null, strategies: null };
    this.steps.set(step, { values: values ?? known.values, strategies: strategies ?? known.strategies });
  }

  /** An event `thinking`. */
  hear(thought) {
    const role = roleIndex(this.roles, thought.role);
    this.keep(thought.step, thought.values, thought.strategies);
    this.thoughts.set(role, thought);
  }

  /** Moves were taken back: nothing is known beyond a step. */
  cut(step) {
    for (const known of [...this.steps.keys()]) if (known > step) this.steps.delete(known);
  }

  end(step, goals) {
    if (goals) this.keep(step, goals, null);
  }

  draw({ at, last, live }) {
    this.drawBars(at);
    this.drawMinds(live);
    this.drawPlots(at, last);
  }

  /** The newest values up to a step. */
  valuesAt(step) {
    for (let known = step; known >= 0; known -= 1) {
      const values = this.steps.get(known)?.values;
      if (values) return values;
    }
    return null;
  }

  drawBars(at) {
    const values = this.valuesAt(at);
    if (!values) {
      replace(this.bars, h("p", { class: "soft small" }, "Nobody has said what they expect. Our players do while they think; people and remote players do not."));
      return;
    }
    const rows = this.bars.querySelectorAll(".gauge");
    if (rows.length === this.roles.length) {
      rows.forEach((bar, role) => {
        setGauge(bar, values[role]);
        bar.nextSibling.textContent = Math.round(values[role] ?? 0);
      });
      return;
    }
    replace(
      this.bars,
      this.roles.map((role, index) =>
        h(
          "div",
          { class: `bar r${index % 6}` },
          h("span", { class: "bar-name" }, role),
          gauge(values[index], `Expected points of ${role}`),
          h("span", { class: "number" }, Math.round(values[index] ?? 0)),
        ),
      ),
    );
  }

  drawMinds(live) {
    const entries = [...this.thoughts].sort(([a], [b]) => a - b);
    this.mindsPanel.hidden = entries.length === 0;
    replace(
      this.minds,
      entries.map(([role, thought]) =>
        h(
          "article",
          { class: `mind r${role % 6}` },
          h("h3", null, h("span", { class: "dot" }), this.roles[role] ?? "player", !live && h("span", { class: "soft small" }, ` at step ${thought.step}`)),
          h(
            "dl",
            { class: "figures" },
            figure("/ s", short(thought.per_second), "simulations a second"),
            figure("simulations", short(thought.simulations), whole(thought.simulations)),
            figure("deep", thought.depth ?? "–", "steps of the tree"),
          ),
          thought.line?.length > 0 && h("p", { class: "line small" }, h("span", { class: "soft" }, "expects "), h("span", { class: "mono" }, lineWords(thought.line, this.roles))),
        ),
      ),
    );
  }

  drawPlots(at, last) {
    const known = [...this.steps].sort(([a], [b]) => a - b);
    const values = known.filter(([, { values }]) => values).map(([step, { values }]) => ({ step, values }));
    const shape = { last, cursor: at, onPick: this.onPick };
    replace(this.win, values.length > 0 ? lines({ roles: this.roles, points: values, ...shape }) : h("p", { class: "soft small" }, "The plot grows with the match."));
    const shares = known
      .filter(([, { strategies }]) => strategies?.length > 0)
      .map(([step, { strategies }]) => ({ step, shares: new Map(strategies.map(({ name, share }) => [name, share])) }));
    this.sharesPanel.hidden = shares.length === 0;
    if (shares.length === 0) return;
    const names = [...new Set(shares.flatMap(({ shares }) => [...shares.keys()]))];
    replace(this.shares, layers({ names, points: shares, ...shape }));
  }
}

function figure(words, value, explained) {
  return h("div", { title: explained }, h("dd", { class: "number" }, value), h("dt", null, words));
}

function lineWords(line, roles) {
  return line
    .slice(0, 6)
    .map((joint) => (Array.isArray(joint) ? jointWords(joint, roles) : String(joint)))
    .join(" · ");
}
