/* The running matches, polled while the page is open. */

import * as api from "./api.js";
import { h, icon, replace } from "./dom.js";
import { roleClass } from "./role-colours.js";
import { link } from "./router.js";
import { secretsOf } from "./role-secrets.js";
import { ago, count } from "./format.js";

const EVERY = 3000;

export async function page({ main, signal, title }) {
  title("Matches");
  const place = h("div");
  replace(
    main,
    h("header", { class: "head" }, h("h1", null, "Matches"), h("p", { class: "lead" }, "What is being played on this arena. Finished matches move to the archive.")),
    place,
  );
  let shown = "";
  async function load() {
    const { matches } = await api.matches(signal);
    const text = JSON.stringify(matches);
    if (text === shown) return;
    shown = text;
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    replace(place, matches.length > 0 ? table(matches) : empty());
    if (focused) place.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  await load();
  const timer = setInterval(() => {
    if (!document.hidden) load().catch(() => {}); // the next time may work
  }, EVERY);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function table(matches) {
  return h(
    "div",
    { class: "table-frame" },
    h(
      "table",
      { class: "cards-when-small" },
      h("thead", null, h("tr", null, ["Game", "Players", "Step", "Started", ""].map((name) => h("th", { scope: "col" }, name || h("span", { class: "visually-hidden" }, "Actions"))))),
      h("tbody", null, matches.map(row)),
    ),
  );
}

function row(match) {
  const mine = secretsOf(match.match).length > 0 && !match.finished;
  return h(
    "tr",
    null,
    h("td", null, h("a", { href: link("watch", match.match) }, match.title || match.game)),
    h("td", null, h("span", { class: "versus" }, match.roles.map((role, index) => h("span", { class: roleClass(role, index) }, h("span", { class: "dot" }), ` ${seatWords(match.seats?.[index]) || role}`)))),
    h("td", null, match.finished ? "over" : count(match.step, "step")),
    h("td", { class: "soft" }, ago(match.started)),
    h(
      "td",
      { class: "actions" },
      mine && h("a", { class: "button main", href: link("play", match.match) }, icon("play"), "Go on"),
      h("a", { class: "button", href: link("watch", match.match) }, match.finished ? "Replay" : "Watch"),
    ),
  );
}

function seatWords(seat) {
  if (!seat) return "";
  if (typeof seat === "string") return seat;
  return seat.name ?? seat.title ?? seat.spec ?? seat.url ?? (seat.kind === "person" ? "person" : "");
}

function empty() {
  return h(
    "section",
    { class: "empty" },
    h("h2", null, "No match is running"),
    h("p", null, "Start a match from the library: against the computer, or between two computers to watch them think."),
    h("a", { class: "button main", href: "#/" }, "To the library"),
  );
}
