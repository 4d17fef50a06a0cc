/* The form that starts a match: players of the roles and clocks. */

import * as api from "./api.js";
import { h, icon, replace } from "./dom.js";
import { roleClass } from "./role-colours.js";
import { keepSecrets } from "./role-secrets.js";
import { go, link } from "./router.js";

const KINDS = [
  { kind: "me", words: "You, at this screen" },
  { kind: "player", words: "Computer" },
  { kind: "guest", words: "Another person, by a link" },
  { kind: "remote", words: "Remote player, by address" },
];

const PACES = [
  { seconds: 1, words: "1 second a move" },
  { seconds: 3, words: "3 seconds a move" },
  { seconds: 5, words: "5 seconds a move" },
  { seconds: 10, words: "10 seconds a move" },
  { seconds: 30, words: "30 seconds a move" },
  { seconds: 60, words: "1 minute a move" },
];

const KEY = "ludorum.setup";

/** The settings of the last match. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

function remember(choice) {
  try {
    localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // Without storage the form starts with its defaults.
  }
}

/** The form for a game; `moves` are the joint moves of a shared position to start from. */
export function setupForm({ game, players, preferred, moves }) {
  const usual = { pace: 3, spec: preferred, ...remembered() };
  if (!players.some(({ spec }) => spec === usual.spec)) usual.spec = preferred;
  const seats = game.roles.map((role, index) => seatRow({ role, index, players, preferred: usual.spec }));
  const pace = h("select", { id: "pace" }, PACES.map(({ seconds, words }) => h("option", { value: String(seconds), selected: seconds === usual.pace }, words)));
  const paceField = h("div", { class: "field" }, h("label", { for: "pace" }, "Time to think"), pace);
  const start = h("input", { type: "number", id: "start-clock", min: "0", max: "600", step: "1", value: "2" });
  const strict = h("input", { type: "checkbox", id: "strict" });
  const seed = h("input", { type: "number", id: "seed", min: "0", step: "1", placeholder: "by chance" });
  const problem = h("p", { class: "notice bad", role: "alert", hidden: true });
  const submit = h("button", { type: "submit", class: "button main large" }, icon("play"), h("span", null, "Start the match"));

  function refresh() {
    paceField.hidden = !strict.checked && seats.every((seat) => seat.kind() === "me" || seat.kind() === "guest");
    const mine = seats.some((seat) => seat.kind() === "me");
    submit.lastChild.textContent = mine ? "Play" : seats.some((seat) => seat.kind() === "guest") ? "Start the match" : "Start and watch";
  }

  async function begin(event) {
    event.preventDefault();
    problem.hidden = true;
    submit.disabled = true;
    const setup = {
      game: game.name,
      seats: seats.map((seat) => seat.read()),
      start_clock: Number(start.value) || 0,
      play_clock: Number(pace.value),
      clock_for_people: strict.checked,
    };
    if (seed.value !== "") setup.seed = Number(seed.value);
    if (moves) setup.moves = moves;
    remember({ pace: setup.play_clock, spec: setup.seats.find(({ spec }) => spec)?.spec ?? usual.spec });
    try {
      const answer = await api.startMatch(setup);
      const own = [];
      const guests = [];
      for (const { role, seat } of answer.seats ?? []) {
        const row = seats.find((row) => row.role === role);
        if (!seat || !row) continue;
        if (row.kind() === "me") own.push({ role, seat });
        if (row.kind() === "guest") guests.push({ role, seat });
      }
      if (own.length > 0) keepSecrets(answer.match, own);
      if (guests.length > 0) invite(answer.match, own, guests);
      else go(link(own.length > 0 ? "play" : "watch", answer.match));
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      submit.disabled = false;
    }
  }

  /** Shows the links for people in other browsers; each contains the secret of a role. */
  function invite(match, own, guests) {
    const address = (seat) => `${location.origin}${location.pathname}${link("play", match)}?seat=${encodeURIComponent(seat)}`;
    replace(
      form,
      h("h2", null, "Send the links"),
      h("p", { class: "soft" }, "Each link belongs to one role. The person who opens it plays that role."),
      guests.map(({ role, seat }) =>
        h(
          "div",
          { class: "field" },
          h("label", { for: `guest-${role}` }, role),
          h("input", { type: "text", id: `guest-${role}`, readonly: true, value: address(seat), on: { focus: (event) => event.target.select() } }),
        ),
      ),
      h("a", { class: "button main large", href: link(own.length > 0 ? "play" : "watch", match) }, own.length > 0 ? "Play your role" : "Watch the match"),
    );
    form.querySelector("input")?.focus();
  }

  const form = h(
    "form",
    { class: "panel setup", "aria-labelledby": "setup-title", on: { submit: begin, change: refresh } },
    h("h2", { id: "setup-title" }, "Start a match"),
    seats.map(({ element }) => element),
    paceField,
    h(
      "details",
      { class: "small" },
      h("summary", null, "More settings"),
      h(
        "div",
        { class: "pair" },
        h("div", { class: "field" }, h("label", { for: "start-clock" }, "Seconds before the first move"), start),
        h("div", { class: "field" }, h("label", { for: "seed" }, "Seed"), seed),
      ),
      h("label", { class: "check" }, strict, "The clock applies to people too; a late move is replaced by a random one"),
    ),
    problem,
    submit,
  );
  refresh();
  return form;
}

function seatRow({ role, index, players, preferred }) {
  const id = `seat-${index}`;
  const kind = h(
    "select",
    { id, on: { change: () => show() } },
    KINDS.map((entry) => h("option", { value: entry.kind, selected: entry.kind === (index === 0 ? "me" : "player") }, entry.words)),
  );
  const player = h(
    "select",
    { id: `${id}-player`, on: { change: () => show() } },
    players.map(({ spec, title }) => h("option", { value: spec, selected: spec === preferred }, title)),
    h("option", { value: "" }, "Another, by its description"),
  );
  const spec = h("input", { type: "text", id: `${id}-spec`, placeholder: "mcts:c=0.5,threads=2", autocomplete: "off", spellcheck: "false" });
  const url = h("input", { type: "url", id: `${id}-url`, placeholder: "http://localhost:9147", autocomplete: "off" });
  const help = h("p", { class: "help" });
  const parts = {
    player: h("div", { class: "field" }, h("label", { for: `${id}-player`, class: "visually-hidden" }, `Strength of ${role}`), player, help),
    spec: h("div", { class: "field" }, h("label", { for: `${id}-spec` }, "Description of the player"), spec),
    remote: h("div", { class: "field" }, h("label", { for: `${id}-url` }, "Address of the player"), url, h("p", { class: "help" }, "A program that speaks the GGP protocol.")),
  };

  function show() {
    parts.player.hidden = kind.value !== "player";
    parts.spec.hidden = kind.value !== "player" || player.value !== "";
    parts.remote.hidden = kind.value !== "remote";
    url.required = kind.value === "remote";
    spec.required = !parts.spec.hidden;
    help.textContent = players.find((entry) => entry.spec === player.value)?.help ?? "";
  }

  show();
  return {
    role,
    kind: () => kind.value,
    read: () => {
      if (kind.value === "player") return { role, kind: "player", spec: player.value || spec.value.trim() };
      if (kind.value === "remote") return { role, kind: "remote", url: url.value.trim() };
      return { role, kind: "person" };
    },
    element: h(
      "fieldset",
      { class: `seat ${roleClass(role, index)}` },
      h("legend", { class: "seat-role" }, h("span", { class: "dot" }), role),
      h("div", { class: "field" }, h("label", { for: id, class: "visually-hidden" }, `Who plays ${role}?`), kind),
      parts.player,
      parts.spec,
      parts.remote,
    ),
  };
}
