/* The players of a match: names, clocks that run between two events of the server, and marks for those to move. */

import { h, replace } from "./dom.js";
import { roleClass } from "./role-colours.js";
import { clock, roleIndex } from "./format.js";

export class PlayerList {
  constructor(signal) {
    this.rows = [];
    this.roles = [];
    this.ends = [];
    this.element = h("ul", { class: "player-list", "aria-label": "Players" });
    const timer = setInterval(() => this.tick(), 100);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  show({ roles, players, seats = players, waiting_for: waiting = [], clocks = [], goals, you, finished, terminal }) {
    const over = finished || terminal;
    this.roles = roles;
    this.over = over;
    this.ends = roles.map((_, role) => (!over && waiting.includes(role) && Number.isFinite(clocks[role]) ? performance.now() + clocks[role] : null));
    this.rows = roles.map((role, index) => {
      const time = h("span", { class: "player-clock number" });
      const awaited = !over && waiting.includes(index);
      const best = over && goals && goals[index] === Math.max(...goals) && new Set(goals).size > 1;
      const row = h(
        "li",
        { class: `player-row ${roleClass(role, index)}${awaited ? " awaited" : ""}${best ? " best" : ""}` },
        h("span", { class: "dot" }),
        h("span", { class: "player-name" }, h("strong", null, role), h("span", { class: "soft small" }, describe(seats?.[index], index === you))),
        over && goals ? h("span", { class: "player-goal number" }, goals[index] ?? "–") : time,
      );
      if (awaited) row.setAttribute("aria-current", "true");
      return { row, time };
    });
    replace(this.element, this.rows.map(({ row }) => row));
    this.tick();
  }

  /** Sets a clock to the remaining time in an event. */
  set(role, remaining) {
    const index = roleIndex(this.roles, role);
    if (index < 0 || this.over) return;
    this.ends[index] = Number.isFinite(remaining) ? performance.now() + remaining : null;
    this.tick();
  }

  tick() {
    this.rows.forEach(({ time }, role) => {
      const end = this.ends[role];
      const left = end === null || end === undefined ? null : end - performance.now();
      const text = left === null ? "" : clock(left);
      if (time.textContent !== text) time.textContent = text;
      time.classList.toggle("urgent", left !== null && left < 5000);
    });
  }
}

function describe(seat, you) {
  if (you) return "you";
  if (!seat) return "";
  if (typeof seat === "string") return seat;
  return seat.name ?? seat.title ?? seat.spec ?? seat.url ?? (seat.kind === "person" ? "person" : (seat.kind ?? ""));
}
