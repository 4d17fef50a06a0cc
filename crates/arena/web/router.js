/*
 * The router: maps the hash of the address to a page. A page is a module that exports
 * `page(context)`. The context has the element to fill and an abort signal that fires when the page
 * is left. Page modules are loaded on demand.
 */

import { h, replace } from "./dom.js";

const ROUTES = [
  { pattern: /^\/?$/, nav: "library", load: () => import("./page-library.js") },
  { pattern: /^\/new$/, nav: "new", load: () => import("./page-sheet.js") },
  { pattern: /^\/game\/([^/]+)$/, nav: "library", load: () => import("./page-game.js") },
  { pattern: /^\/game\/([^/]+)\/inside$/, nav: "library", load: () => import("./page-inspection.js") },
  { pattern: /^\/play\/([^/]+)$/, nav: "matches", load: () => import("./page-play.js") },
  { pattern: /^\/watch\/([^/]+)$/, nav: "matches", load: () => import("./page-watch.js") },
  { pattern: /^\/matches$/, nav: "matches", load: () => import("./page-matches.js") },
  { pattern: /^\/archive$/, nav: "archive", load: () => import("./page-archive.js") },
  { pattern: /^\/archive\/([^/]+)$/, nav: "archive", load: () => import("./page-replay.js") },
  { pattern: /^\/ratings$/, nav: "ratings", load: () => import("./page-ratings.js") },
  { pattern: /^\/help$/, nav: "help", load: () => import("./page-help.js") },
];

let leaving = new AbortController();
let first = true;

/** The parts of `#/path?query`. */
export function address() {
  const [path, search = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { path, query: new URLSearchParams(search) };
}

/** A link to a page: `link("game", "sheet:1", "inside")`. */
export function link(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Goes to another page. */
export function go(hash) {
  if (location.hash === hash) show();
  else location.hash = hash;
}

/** Replaces the query of the address without loading a page, so that reloads and copied links keep it. */
export function remember(query) {
  const text = query.toString();
  history.replaceState(null, "", `#${address().path || "/"}${text ? `?${text}` : ""}`);
}

export function start() {
  addEventListener("hashchange", show);
  document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault(); // the hash is used by the router, so this cannot be a plain link
    document.getElementById("main").focus();
  });
  show();
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const { path, query } = address();
  const main = document.getElementById("main");
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  for (const entry of document.querySelectorAll("[data-nav]")) {
    if (entry.dataset.nav === route?.nav) {
      entry.setAttribute("aria-current", "page");
      entry.parentElement.scrollLeft = entry.offsetLeft - entry.parentElement.offsetLeft - 40; // the menu is wider than a phone
    } else entry.removeAttribute("aria-current");
  }
  const container = h("div", { class: "page" });
  const waiting = setTimeout(() => {
    if (!signal.aborted && !container.hasChildNodes()) replace(container, h("p", { class: "waiting" }, "Loading …"));
  }, 200);
  replace(main, container);
  if (!first) scrollTo(0, 0);
  try {
    if (!route) throw new Error("There is no such page. The menu above leads to all of them.");
    const params = route.pattern.exec(path).slice(1).map(decode);
    const module = await route.load();
    if (signal.aborted) return;
    const title = (text) => {
      document.title = text ? `${text} · Ludorum` : "Ludorum";
    };
    title("");
    await module.page({ main: container, params, query, signal, title });
  } catch (error) {
    if (signal.aborted || error.name === "AbortError") return;
    replace(container, errorPage(error));
  } finally {
    clearTimeout(waiting);
  }
  if (signal.aborted) return;
  if (!first) focusHeading(container);
  first = false;
}

/** Moves the focus to the heading, so that screen readers announce the new page. */
function focusHeading(container) {
  if (container.contains(document.activeElement)) return;
  const heading = container.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function errorPage(error) {
  return h(
    "section",
    { class: "empty", role: "alert" },
    h("h1", null, "That did not work"),
    h("p", null, error.message),
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", class: "button", on: { click: show } }, "Try again"),
      h("a", { class: "button quiet", href: "#/" }, "To the library"),
    ),
  );
}
