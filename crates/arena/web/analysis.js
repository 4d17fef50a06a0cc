/* Search reports of the players: expected points, principal variation, search speed, and plots over the match. */

import { h, replace } from "./dom.js";
import { gauge, setGauge } from "./gauge.js";
import { layers, lines } from "./chart.js";
import { roleClass } from "./role-colours.js";
import { formatJointMove, roleIndex, short, whole } from "./format.js";

export class Analysis {
  /** `onPick(step)` when a plot is clicked. */
  constructor({ onPick }) {
    this.onPick = onPick;
    this.roles = [];
    this.steps = new Map(); // step -> { values, strategies }
    this.reports = new Map(); // role -> its latest report
    this.bars = h("div", { class: "bars" });
    this.reportList = h("div", { class: "search-reports" });
    this.win = h("div");
    this.shares = h("div");
    this.sharesPanel = h("section", { class: "panel", "aria-labelledby": "shares-title", hidden: true }, h("h2", { id: "shares-title" }, "Strategies"), this.shares);
    this.barsPanel = h("section", { class: "panel", "aria-labelledby": "bars-title" }, h("h2", { id: "bars-title" }, "Expected points"), this.bars);
    this.reportsPanel = h("section", { class: "panel", "aria-labelledby": "reports-title", hidden: true }, h("h2", { id: "reports-title" }, "Thinking"), this.reportList);
    this.winPanel = h("section", { class: "panel", "aria-labelledby": "win-title" }, h("h2", { id: "win-title" }, "Course of the match"), this.win);
  }

  /** Adds the evaluations of earlier steps. */
  fill(steps) {
    for (const { step, values, strategies } of steps) this.keep(step, values, strategies);
  }

  keep(step, values, strategies) {
    const known = this.steps.get(step) ?? { values: null, strategies: [] };
    // Several players may search in a step; each reports its own strategies.
    const others = known.strategies.filter(({ role }) => !strategies?.some((own) => own.role === role));
    this.steps.set(step, { values: values ?? known.values, strategies: [...(strategies ?? []), ...others] });
  }

  /** An event `thinking`. */
  addReport(report) {
    const role = roleIndex(this.roles, report.role);
    this.keep(report.step, report.values, report.strategies);
    this.reports.set(role, report);
  }

  /** Drops everything after a step: moves were taken back. */
  cut(step) {
    for (const known of [...this.steps.keys()]) if (known > step) this.steps.delete(known);
  }

  end(step, goals) {
    if (goals) this.keep(step, goals, null);
  }

  draw({ at, last, live }) {
    this.drawBars(at);
    this.drawReports(live);
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
      replace(this.bars, h("p", { class: "soft small" }, "No evaluations yet. Built-in players report them while they search; people and remote players do not."));
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
          { class: `bar ${roleClass(role, index)}` },
          h("span", { class: "bar-name" }, role),
          gauge(values[index], `Expected points of ${role}`),
          h("span", { class: "number" }, Math.round(values[index] ?? 0)),
        ),
      ),
    );
  }

  drawReports(live) {
    const entries = [...this.reports].sort(([a], [b]) => a - b);
    this.reportsPanel.hidden = entries.length === 0;
    replace(
      this.reportList,
      entries.map(([role, report]) =>
        h(
          "article",
          { class: `search-report ${roleClass(this.roles[role], role)}` },
          h("h3", null, h("span", { class: "dot" }), this.roles[role] ?? "player", !live && h("span", { class: "soft small" }, ` at step ${report.step}`)),
          h(
            "dl",
            { class: "figures" },
            figure("/ s", short(report.per_second), "simulations a second"),
            figure("simulations", short(report.simulations), whole(report.simulations)),
            figure("deep", report.depth ?? "–", "steps of the tree"),
          ),
          report.line?.length > 0 && h("p", { class: "line small" }, h("span", { class: "soft" }, "expects "), h("span", { class: "mono" }, lineWords(report.line, this.roles))),
        ),
      ),
    );
  }

  drawPlots(at, last) {
    const known = [...this.steps].sort(([a], [b]) => a - b);
    const values = known.filter(([, { values }]) => values).map(([step, { values }]) => ({ step, values }));
    const shape = { last, cursor: at, onPick: this.onPick };
    replace(this.win, values.length > 0 ? lines({ roles: this.roles, points: values, ...shape }) : h("p", { class: "soft small" }, "The plot grows with the match."));
    const reported = known.flatMap(([step, { strategies }]) => strategies.map((strategy) => ({ step, ...strategy })));
    this.sharesPanel.hidden = reported.length === 0;
    // A strategy has the same colour for all who follow it.
    const names = [...new Set(reported.map(({ name }) => name))];
    const players = this.roles.map((name, role) => ({ name, role, points: sharesOf(reported, role) })).filter(({ points }) => points.length > 0);
    replace(
      this.shares,
      players.map(({ name, role, points }) => [
        h("h3", { class: `shares-of ${roleClass(name, role)}` }, h("span", { class: "dot" }), name),
        layers({ names, points, who: name, ...shape }),
      ]),
    );
  }
}

/** The shares of a role's strategies at each step at which it report. */
function sharesOf(reported, role) {
  const points = new Map();
  for (const { step, name, share } of reported.filter((entry) => entry.role === role)) {
    if (!points.has(step)) points.set(step, new Map());
    points.get(step).set(name, share);
  }
  return [...points].map(([step, shares]) => ({ step, shares }));
}

function figure(words, value, explained) {
  return h("div", { title: explained }, h("dd", { class: "number" }, value), h("dt", null, words));
}

function lineWords(line, roles) {
  return line
    .slice(0, 6)
    .map((joint) => (Array.isArray(joint) ? formatJointMove(joint, roles) : String(joint)))
    .join(" · ");
}
