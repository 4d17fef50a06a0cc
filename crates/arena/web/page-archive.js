/* The archive: finished matches, newest first, loaded in pages. */

import * as api from "./api.js";
import { h, replace } from "./dom.js";
import { roleClass } from "./role-colours.js";
import { say } from "./announce.js";
import { link } from "./router.js";
import { ago, count } from "./format.js";

const AT_ONCE = 50;

export async function page({ main, signal, title }) {
  title("Archive");
  const body = h("tbody");
  const more = h("button", { type: "button", class: "button", hidden: true, on: { click: () => load() } }, "Show older matches");
  const head = h("header", { class: "head" }, h("h1", null, "Archive"), h("p", { class: "lead" }, "Every finished match is kept and can be replayed."));
  let after = null;
  const { games } = await api.games(signal);
  const titles = new Map(games.map(({ name, title }) => [name, title]));

  async function load() {
    const { matches, more: isMore } = await api.archive(AT_ONCE, after, signal);
    after = matches.at(-1)?.id ?? after;
    body.append(...matches.map((match) => row(match, titles)));
    more.hidden = !(isMore ?? matches.length === AT_ONCE);
    if (body.childElementCount > matches.length) say(`${count(matches.length, "more match", "more matches")}.`);
  }

  await load();
  if (!body.hasChildNodes()) {
    replace(main, head, empty());
    return;
  }
  replace(
    main,
    head,
    h(
      "div",
      { class: "table-frame" },
      h(
        "table",
        { class: "cards-when-small" },
        h("thead", null, h("tr", null, ["Game", "Players and points", "Moves", "Errors", "Played"].map((name) => h("th", { scope: "col" }, name)))),
        body,
      ),
    ),
    h("p", { class: "row" }, more),
  );
}

function row(match, titles) {
  const errors = Array.isArray(match.errors) ? match.errors.length : (match.errors ?? 0);
  const moves = Array.isArray(match.moves) ? match.moves.length : match.moves;
  return h(
    "tr",
    null,
    h("td", null, h("a", { href: link("archive", match.id) }, match.title ?? titles.get(match.game) ?? match.game)),
    h("td", null, h("span", { class: "versus" }, (match.players ?? []).map((player, index) => h("span", { class: roleClass(match.roles?.[index], index) }, h("span", { class: "dot" }), ` ${nameOf(player)} `, h("strong", { class: "number" }, match.goals?.[index] ?? "–"))))),
    h("td", { data: { label: "Moves" } }, moves ?? "–"),
    h("td", { class: errors > 0 ? "bad" : "soft", data: { label: "Errors" } }, errors > 0 ? errors : "none"),
    h("td", { class: "soft" }, ago(match.started)),
  );
}

function nameOf(player) {
  return typeof player === "string" ? player : (player?.name ?? player?.role ?? "unnamed");
}

function empty() {
  return h(
    "section",
    { class: "empty" },
    h("h2", null, "The archive is empty"),
    h("p", null, "A match gets here when it is over. Play one, or let two computers play while you watch."),
    h("a", { class: "button main", href: "#/" }, "To the library"),
  );
}
