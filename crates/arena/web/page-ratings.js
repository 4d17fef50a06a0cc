/* Ratings of players with 95 % intervals. */

import * as api from "./api.js";
import { h, replace, s } from "./dom.js";
import { whole } from "./format.js";

export async function page({ main, signal, title }) {
  title("Ratings");
  const { players } = await api.ratings(signal);
  const head = h(
    "header",
    { class: "head" },
    h("h1", null, "Ratings"),
    h("p", { class: "lead" }, "Estimated from all matches of the archive. The bar shows the 95 % interval: where two overlap, more matches are needed to tell who is better."),
  );
  if (players.length === 0) {
    replace(main, head, empty());
    return;
  }
  const sorted = [...players].sort((a, b) => b.rating - a.rating);
  // Intervals may be missing.
  const ends = sorted.flatMap(({ rating, low, high }) => [rating, low, high]).filter(Number.isFinite);
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  replace(
    main,
    head,
    h(
      "div",
      { class: "table-frame" },
      h(
        "table",
        { class: "ratings" },
        h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "#"), h("th", { scope: "col" }, "Player"), h("th", { scope: "col", class: "number" }, "Rating"), h("th", { scope: "col" }, "Interval"), h("th", { scope: "col", class: "number" }, "Matches"))),
        h("tbody", null, sorted.map((player, index) => row(player, index, low, high))),
      ),
    ),
  );
}

function row({ name, rating, low, high, matches }, index, from, to) {
  const x = (value) => `${(3 + (94 * (value - from)) / Math.max(1, to - from)).toFixed(1)}%`;
  return h(
    "tr",
    null,
    h("td", { class: "number soft" }, index + 1),
    h("td", { class: "mono" }, name),
    h("td", { class: "number" }, h("strong", null, whole(rating))),
    h(
      "td",
      { class: "interval" },
      s(
        "svg",
        { role: "img", "aria-label": `from ${whole(low)} to ${whole(high)}` },
        s("line", { class: "interval-track", x1: "0", x2: "100%", y1: 9, y2: 9 }),
        s("line", { class: "interval-bar", x1: x(low ?? from), x2: x(high ?? to), y1: 9, y2: 9 }),
        s("circle", { class: "interval-point", cx: x(rating), cy: 9, r: 4 }),
      ),
      h("span", { class: "small soft number" }, `${whole(low)} – ${whole(high)}`),
    ),
    h("td", { class: "number" }, whole(matches)),
  );
}

function empty() {
  return h(
    "section",
    { class: "empty" },
    h("h2", null, "No ratings yet"),
    h("p", null, "Ratings come from finished matches between players. Let some play against each other, and come back."),
    h("a", { class: "button main", href: "#/" }, "To the library"),
  );
}
