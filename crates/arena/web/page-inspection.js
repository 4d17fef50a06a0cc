/* Inspecting a game: its rules by strata, its network, and figures of the engine. */

import * as api from "./api.js";
import { h, replace } from "./dom.js";
import { highlighted } from "./highlight.js";
import { NetworkView } from "./network-view.js";
import { link, remember } from "./router.js";
import { count, whole } from "./format.js";

const TABS = [
  { key: "rules", words: "Rules" },
  { key: "network", words: "Network" },
  { key: "engine", words: "Engine" },
];

const CLASSES = {
  rigid: "the same in every state",
  state: "changes with the state",
  action: "changes with the moves",
  unused: "not used by any rule",
};

export async function page({ main, params, query, signal, title }) {
  const [name] = params;
  const game = await api.game(name, signal);
  title(`Inside ${game.title}`);
  const panels = {
    rules: h("div", { id: "panel-rules", role: "tabpanel", "aria-labelledby": "tab-rules", tabindex: "0" }),
    network: h("div", { id: "panel-network", role: "tabpanel", "aria-labelledby": "tab-network" }),
    engine: h("div", { id: "panel-engine", role: "tabpanel", "aria-labelledby": "tab-engine", tabindex: "0" }),
  };
  const fillers = { rules: fillRules, network: fillNetwork, engine: fillEngine };
  const filled = new Set();
  const buttons = TABS.map(({ key, words }) =>
    h("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}`, on: { click: () => open(key), keydown: arrows } }, words),
  );

  function arrows(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.indexOf(event.currentTarget) + step + TABS.length) % TABS.length;
    buttons[next].focus();
    open(TABS[next].key);
  }

  async function open(key) {
    TABS.forEach((tab, index) => {
      const chosen = tab.key === key;
      buttons[index].setAttribute("aria-selected", String(chosen));
      buttons[index].tabIndex = chosen ? 0 : -1;
      panels[tab.key].hidden = !chosen;
    });
    const address = new URLSearchParams(query);
    address.set("tab", key);
    remember(address);
    if (filled.has(key)) return;
    filled.add(key);
    replace(panels[key], h("p", { class: "waiting" }, "Looking inside …"));
    try {
      await fillers[key](panels[key], name, signal, query);
    } catch (error) {
      if (error.name === "AbortError") return;
      filled.delete(key);
      replace(panels[key], h("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  replace(
    main,
    h(
      "header",
      { class: "head" },
      h("p", { class: "crumbs" }, h("a", { href: "#/" }, "Library"), " / ", h("a", { href: link("game", name) }, game.title), " / inside"),
      h("h1", null, `Inside ${game.title}`),
    ),
    h("div", { class: "segments tabs", role: "tablist", "aria-label": "Parts" }, buttons),
    Object.values(panels),
  );
  await open(TABS.some(({ key }) => key === query.get("tab")) ? query.get("tab") : "rules");
}

async function fillRules(place, name, signal) {
  const { clauses: all, truncated } = await api.rules(name, signal);
  // Relations that normalisation removed have no stratum.
  const clauses = all.map((clause) => ({ ...clause, class: clause.class ?? "unused", stratum: clause.stratum ?? Infinity }));
  const filter = h("input", { type: "search", id: "rule-filter", placeholder: "Filter by relation or word", autocomplete: "off", on: { input: () => draw() } });
  const classes = [...new Set(clauses.map((clause) => clause.class))];
  let only = null;
  const chips = classes.map((kind) =>
    h(
      "button",
      {
        type: "button",
        class: `chip class-${kind}`,
        title: CLASSES[kind] ?? kind,
        "aria-pressed": "false",
        on: {
          click: () => {
            only = only === kind ? null : kind;
            for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.textContent === only));
            draw();
          },
        },
      },
      kind,
    ),
  );
  const list = h("div", { class: "strata" });

  function draw() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = clauses.filter((clause) => (!only || clause.class === only) && words.every((word) => `${clause.relation} ${clause.text}`.toLowerCase().includes(word)));
    const strata = new Map();
    for (const clause of shown) {
      if (!strata.has(clause.stratum)) strata.set(clause.stratum, []);
      strata.get(clause.stratum).push(clause);
    }
    replace(
      list,
      [...strata].sort(([a], [b]) => (a === b ? 0 : a - b)).map(([stratum, members]) => stratumSection(stratum, members)),
      shown.length === 0 && h("p", { class: "soft" }, "No rule fits."),
    );
  }

  replace(
    place,
    h(
      "div",
      { class: "stack" },
      h("p", { class: "soft" }, "The relations of a stratum depend only on those of earlier strata and on each other. ", Object.entries(CLASSES).map(([kind, words]) => h("span", null, h("strong", null, kind), `: ${words}. `))),
      h("div", { class: "row" }, h("div", { class: "grow" }, h("label", { for: "rule-filter", class: "visually-hidden" }, "Filter the rules"), filter), chips),
      list,
      truncated && h("p", { class: "soft" }, "The sheet is longer than what is shown here."),
    ),
  );
  draw();
}

function stratumSection(stratum, clauses) {
  const relations = new Map();
  for (const clause of clauses) {
    if (!relations.has(clause.relation)) relations.set(clause.relation, []);
    relations.get(clause.relation).push(clause);
  }
  return h(
    "section",
    { class: "stratum" },
    h("h2", null, Number.isFinite(stratum) ? `Stratum ${stratum}` : "Not used", h("span", { class: "soft small" }, ` ${count(relations.size, "relation")}, ${count(clauses.length, "clause")}`)),
    [...relations].map(([relation, members]) =>
      h(
        "details",
        { class: `relation class-${members[0].class}`, open: members.length <= 12 },
        h("summary", null, h("span", { class: "mono" }, relation), h("span", { class: "class-name" }, members[0].class), h("span", { class: "soft small" }, count(members.length, "clause"))),
        h("ol", { class: "clauses" }, members.map(({ text, line }) => h("li", null, h("span", { class: "clause-line soft small" }, line ?? ""), h("pre", null, highlighted(text))))),
      ),
    ),
  );
}

async function fillNetwork(place, name, signal, query) {
  const note = h("p", { class: "soft small" });
  const cone = h("input", { type: "text", id: "cone", list: "cone-labels", placeholder: "all of the network", autocomplete: "off", spellcheck: "false" });
  const labels = h("datalist", { id: "cone-labels" });
  const light = h("select", { id: "light", on: { change: () => load() } }, h("option", { value: "" }, "nothing"), h("option", { value: "init" }, "the first position"), query.get("match") && h("option", { value: "match", selected: true }, `step ${query.get("step") ?? 0} of your match`), h("option", { value: "facts" }, "facts that I write"));
  const facts = h("input", { type: "text", id: "light-facts", placeholder: "(cell 1 1 x) (control oplayer)", autocomplete: "off", spellcheck: "false" });
  const factsField = h("div", { class: "field grow", hidden: true }, h("label", { for: "light-facts" }, "Facts"), facts);
  const view = new NetworkView({ onCone: (node) => load(node) });

  async function load(node) {
    factsField.hidden = light.value !== "facts";
    const options = { cone: node ? node.label || String(node.id) : cone.value.trim() };
    if (node) cone.value = options.cone;
    if (light.value === "init") options.facts = "init";
    if (light.value === "facts") options.facts = facts.value.trim();
    if (light.value === "match") Object.assign(options, { match: query.get("match"), step: query.get("step") ?? "0" });
    try {
      const data = await api.network(name, options, signal);
      if (data.nodes.length === 0) {
        note.textContent = "There is no network for this game within the limits; the engine works from the rules themselves.";
        view.element.hidden = true;
        return;
      }
      view.element.hidden = false;
      note.textContent = data.truncated ? "The network is larger than what can be drawn; this is a part of it. Name a node to see its cone." : "";
      replace(labels, data.nodes.filter(({ label }) => label).slice(0, 500).map(({ label }) => h("option", { value: label })));
      view.show(data);
    } catch (error) {
      if (error.name === "AbortError") return;
      note.textContent = error.message;
      if (!view.data) view.element.hidden = true;
    }
  }

  replace(
    place,
    h(
      "div",
      { class: "stack" },
      h("p", { class: "soft" }, "The ground rules as gates: what holds now and the moves on the left, what follows from them to the right. Ctrl and wheel, or two fingers, scale it."),
      h(
        "form",
        {
          class: "row end",
          on: {
            submit: (event) => {
              event.preventDefault();
              load();
            },
          },
        },
        h("div", { class: "field grow" }, h("label", { for: "cone" }, "Cone of"), cone, labels),
        h("div", { class: "field" }, h("label", { for: "light" }, "Light up"), light),
        factsField,
        h("button", { type: "submit", class: "button" }, "Draw"),
        view.tools,
      ),
      note,
      view.element,
      h("ul", { class: "legend kinds" }, ["base", "input", "and", "or", "not", "legal", "goal", "terminal", "transition"].map((kind) => h("li", { class: `kind-${kind}` }, h("span", { class: "dot" }), kind))),
    ),
  );
  await load();
}

async function fillEngine(place, name, signal) {
  const figures = await api.engine(name, signal);
  const { engine, reason, game: _, ...rest } = figures;
  replace(
    place,
    h(
      "div",
      { class: "stack" },
      h("p", { class: "notice" }, h("strong", null, engine ?? "unknown"), reason ? ` – ${reason}` : ""),
      h("div", { class: "figure-groups" }, groups(rest).map(([title, entries]) => h("section", { class: "panel" }, h("h2", null, title), h("dl", { class: "key-values" }, entries.map(([key, value]) => h("div", null, h("dt", null, words(key)), h("dd", { class: "number" }, printed(key, value)))))))),
    ),
  );
}

/** Single figures first, then each object of figures under its name. */
function groups(figures) {
  const known = Object.entries(figures).filter(([, value]) => value !== null && value !== false);
  const single = known.filter(([, value]) => typeof value !== "object");
  const nested = known.filter(([, value]) => typeof value === "object");
  const flat = nested.map(([key, value]) => [words(key), Object.entries(value).map(([name, entry]) => (Array.isArray(value) && entry && typeof entry === "object" ? [entry.name ?? name, entry.value ?? JSON.stringify(entry)] : [name, entry]))]);
  return [...(single.length > 0 ? [["Figures", single]] : []), ...flat];
}

function words(key) {
  const text = String(key).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function printed(key, value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return typeof value === "object" ? Object.entries(value).map(([name, entry]) => `${name} ${entry}`).join(", ") : String(value);
  if (/_ms$/.test(key)) return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  if (/seconds$/.test(key)) return value < 1 ? `${(value * 1000).toFixed(2)} ms` : `${value.toFixed(2)} s`;
  return Number.isInteger(value) ? whole(value) : value.toPrecision(4);
}
