/* The library: every built-in game with a picture of its initial state, with search and filters. */

import * as api from "./api.js";
import { h, icon, parseSvg, replace } from "./dom.js";
import { say } from "./announce.js";
import { link, remember } from "./router.js";
import { count, isPlayerCountTag, formatPlayerCount } from "./format.js";

const PLAYERS = [
  { key: "", words: "All", fits: () => true },
  { key: "1", words: "Puzzles", fits: (players) => players === 1 },
  { key: "2", words: "Two", fits: (players) => players === 2 },
  { key: "3", words: "Three or more", fits: (players) => players >= 3 },
];

export async function page({ main, query, signal, title }) {
  title("Library");
  const { games } = await api.games(signal);
  const choice = {
    text: query.get("q") ?? "",
    players: query.get("players") ?? "",
    tags: new Set((query.get("tags") ?? "").split(",").filter(Boolean)),
  };

  const pictures = pictureLoader(signal);
  const cards = games.map((game) => ({ game, element: card(game, pictures) }));
  const grid = h("ul", { class: "cards" }, ownCard(), cards.map(({ element }) => element));
  const found = h("p", { class: "soft small" });
  const nothing = h(
    "section",
    { class: "empty", hidden: true },
    h("h2", null, "No game fits"),
    h("p", null, "Take a tag away or search for less. A game that is not here can be written down under “Own rules”."),
    h("button", { type: "button", class: "button", on: { click: forget } }, "Show all games"),
  );

  const search = h("input", {
    type: "search",
    id: "search",
    placeholder: "Search by name or rule",
    value: choice.text,
    autocomplete: "off",
    on: {
      input: () => {
        choice.text = search.value;
        apply();
      },
    },
  });
  const players = PLAYERS.map(({ key, words }) =>
    h("button", { type: "button", data: { key }, on: { click: () => choose("players", key) } }, words),
  );
  const tags = commonTags(games).map((tag) =>
    h("button", { type: "button", class: "chip", data: { tag }, on: { click: () => toggle(tag) } }, tag),
  );

  function choose(field, value) {
    choice[field] = value;
    apply();
  }

  function toggle(tag) {
    if (!choice.tags.delete(tag)) choice.tags.add(tag);
    apply();
  }

  function forget() {
    choice.text = search.value = "";
    choice.players = "";
    choice.tags.clear();
    apply();
    search.focus();
  }

  function apply(quietly = false) {
    const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
    const { fits } = PLAYERS.find(({ key }) => key === choice.players) ?? PLAYERS[0];
    let shown = 0;
    for (const { game, element } of cards) {
      const text = `${game.title} ${game.name} ${game.summary} ${game.tags.join(" ")} ${game.roles.join(" ")}`.toLowerCase();
      const visible = fits(game.players) && words.every((word) => text.includes(word)) && [...choice.tags].every((tag) => game.tags.includes(tag));
      element.hidden = !visible;
      if (visible) shown += 1;
    }
    const all = shown === games.length;
    grid.firstElementChild.hidden = !all;
    found.textContent = all ? count(games.length, "game") : `${shown} of ${count(games.length, "game")}`;
    nothing.hidden = shown > 0;
    for (const button of players) button.setAttribute("aria-pressed", String(button.dataset.key === choice.players));
    for (const button of tags) button.setAttribute("aria-pressed", String(choice.tags.has(button.dataset.tag)));
    const address = new URLSearchParams();
    if (choice.text) address.set("q", choice.text);
    if (choice.players) address.set("players", choice.players);
    if (choice.tags.size > 0) address.set("tags", [...choice.tags].join(","));
    if (!quietly) {
      remember(address);
      say(found.textContent);
    }
  }

  replace(
    main,
    h(
      "header",
      { class: "head" },
      h("h1", null, "Any game, from its rules"),
      h("p", { class: "lead" }, "Pick a game and play it against the computer, watch two players think, or write down the rules of a game of your own."),
    ),
    h(
      "search",
      { class: "filters" },
      h("div", { class: "search-field" }, h("label", { for: "search", class: "visually-hidden" }, "Search the games"), icon("search"), search),
      h("div", { class: "segments", role: "group", "aria-label": "Number of players" }, players),
      h("div", { class: "chips", role: "group", "aria-label": "Tags" }, tags),
      found,
    ),
    games.length === 0 ? noGames() : grid,
    nothing,
  );
  apply(true);
}

function card(game, pictures) {
  const picture = h("div", { class: "card-picture", "aria-hidden": "true" });
  pictures(picture, game.name);
  return h(
    "li",
    { class: "card", data: { game: game.name } },
    picture,
    h(
      "div",
      { class: "card-words" },
      h("h2", null, h("a", { href: link("game", game.name), class: "card-link" }, game.title)),
      h("p", { class: "card-summary" }, game.summary),
      h(
        "p",
        { class: "card-tags" },
        h("span", { class: "tag" }, formatPlayerCount(game.players)),
        game.tags.filter((tag) => !isPlayerCountTag(tag) && tag !== "board").slice(0, 2).map((tag) => h("span", { class: "tag" }, tag)),
      ),
    ),
  );
}

function ownCard() {
  return h(
    "li",
    { class: "card own-card" },
    h("div", { class: "card-picture", "aria-hidden": "true" }, icon("edit")),
    h(
      "div",
      { class: "card-words" },
      h("h2", null, h("a", { href: "#/new", class: "card-link" }, "Your own game")),
      h("p", { class: "card-summary" }, "Write or drop a rule sheet. It is checked while you type and can be played at once."),
    ),
  );
}

function noGames() {
  return h("section", { class: "empty" }, h("h2", null, "The library is empty"), h("p", null, "This build ships no games. Your own rules can be played all the same."), h("a", { class: "button main", href: "#/new" }, "Write rules"));
}

/** Tags of more than one but not all games. */
function commonTags(games) {
  const uses = new Map();
  for (const tag of games.flatMap((game) => game.tags)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  return [...uses]
    .filter(([tag, uses]) => uses > 1 && uses < games.length && !isPlayerCountTag(tag))
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12)
    .map(([tag]) => tag);
}

/**
 * Loads a picture when its card comes near the window. Pictures are inlined and not put into `img`,
 * so that they follow the theme.
 */
function pictureLoader(signal) {
  const names = new WeakMap();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        load(target, names.get(target));
      }
    },
    { rootMargin: "200px" },
  );
  signal.addEventListener("abort", () => observer.disconnect());

  async function load(target, name) {
    try {
      const drawing = parseSvg(await api.picture(name, signal));
      if (drawing) replace(target, drawing);
    } catch (error) {
      if (error.name !== "AbortError") target.classList.add("no-picture");
    }
  }

  return (target, name) => {
    names.set(target, name);
    observer.observe(target);
  };
}
