/* Own rules: an editor that checks the text while typing, and a button that adds it as a game. */

import * as api from "./api.js";
import { h, icon, replace, withCode } from "./dom.js";
import { note, say } from "./announce.js";
import { ask } from "./dialog.js";
import { Editor } from "./editor.js";
import { go, link } from "./router.js";
import { count } from "./format.js";

const KEY = "ludorum.draft";
const PAUSE = 350;
const LARGEST = 4_000_000;

const EXAMPLE = `; Nim with one heap of seven: take one or two, who takes the last wins.

(role first)
(role second)

(init (heap 7))
(init (control first))

(<= (legal ?role (take ?count))
  (true (control ?role))
  (true (heap ?heap))
  (left ?heap ?count ?rest))
(<= (legal ?role noop)
  (role ?role)
  (not (true (control ?role))))

(<= (next (heap ?rest))
  (does ?role (take ?count))
  (true (heap ?heap))
  (left ?heap ?count ?rest))
(<= (next (control ?other))
  (true (control ?role))
  (role ?other)
  (distinct ?role ?other))

(<= terminal
  (true (heap 0)))

; Whoever is to move with an empty heap did not take the last.
(<= (goal ?role 0)
  (true (control ?role)))
(<= (goal ?role 100)
  (role ?role)
  (not (true (control ?role))))

; left: from a heap, take a count, and so much stays.
(left 7 1 6) (left 6 1 5) (left 5 1 4) (left 4 1 3) (left 3 1 2) (left 2 1 1) (left 1 1 0)
(left 7 2 5) (left 6 2 4) (left 5 2 3) (left 4 2 2) (left 3 2 1) (left 2 2 0)
`;

export async function page({ main, query, signal, title }) {
  title("Own rules");
  const name = h("input", { type: "text", id: "sheet-title", maxlength: "80", autocomplete: "off", placeholder: "Your game" });
  const verdict = h("p", { class: "verdict", id: "verdict" });
  const messages = h("ol", { class: "messages", id: "sheet-messages" });
  const play = h("button", { type: "button", class: "button main", disabled: true, on: { click: makeGame } }, icon("play"), "Play this game");
  const editor = new Editor({ id: "sheet", label: "Rule sheet", onChange: changed });
  const file = h("input", { type: "file", id: "sheet-file", hidden: true, "aria-label": "A file with rules", accept: ".kif,.gdl,.txt,text/plain", on: { change: () => take(file.files[0]) } });

  let timer = 0;
  let asking = null;

  function changed(text) {
    keep(text);
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  }

  async function check() {
    clearTimeout(timer);
    asking?.abort();
    asking = new AbortController();
    const text = editor.value;
    if (text.trim() === "") {
      editor.mark([]);
      show("plain", "Nothing is written yet.", []);
      return;
    }
    try {
      const { ok, diagnostics } = await api.check(text, asking.signal);
      if (signal.aborted || text !== editor.value) return;
      editor.mark(diagnostics);
      const errors = diagnostics.filter(({ severity }) => severity === "error").length;
      const warnings = diagnostics.length - errors;
      if (!ok) show("bad", `${count(errors, "error")} to mend${warnings ? `, and ${count(warnings, "warning")}` : ""}.`, diagnostics);
      else if (warnings) show("warn", `Playable, with ${count(warnings, "warning")}.`, diagnostics);
      else show("good", "The rules are fine.", diagnostics);
    } catch (error) {
      if (error.name === "AbortError") return;
      show("bad", error.message, error.diagnostics ?? []);
    }
  }

  function show(kind, words, diagnostics) {
    verdict.className = `verdict ${kind}`;
    if (verdict.textContent !== words) say(words);
    verdict.textContent = words;
    play.disabled = kind === "bad" || kind === "plain";
    replace(messages, diagnostics.slice(0, 100).map((diagnostic) => message(diagnostic, editor)));
    if (diagnostics.length > 100) messages.append(h("li", { class: "soft" }, `and ${diagnostics.length - 100} more`));
  }

  async function makeGame() {
    play.disabled = true;
    try {
      const { game } = await api.addSheet(editor.value, name.value.trim());
      go(link("game", game));
    } catch (error) {
      if (error.diagnostics) editor.mark(error.diagnostics);
      show("bad", error.message, error.diagnostics ?? []);
    }
  }

  async function take(given) {
    if (!given) return;
    if (given.size > LARGEST) {
      note("That file is too large for a rule sheet.", "bad");
      return;
    }
    editor.value = await given.text();
    if (!name.value) name.value = given.name.replace(/\.[^.]*$/, "");
    keep(editor.value);
    note(`${given.name} is in the editor.`);
    check();
  }

  const frame = h(
    "div",
    {
      class: "drop",
      on: {
        dragover: (event) => {
          event.preventDefault();
          frame.classList.add("over");
        },
        dragleave: () => frame.classList.remove("over"),
        drop: (event) => {
          event.preventDefault();
          frame.classList.remove("over");
          take(event.dataTransfer.files[0]);
        },
      },
    },
    editor.element,
  );

  async function start(text, words) {
    const isOwn = editor.value.trim() !== "" && editor.value !== text && editor.value !== EXAMPLE;
    if (isOwn && !(await ask("Replace your text?", "What is in the editor now will be gone.", "Replace"))) return;
    editor.value = text;
    keep(text);
    check();
    say(words);
  }

  replace(
    main,
    h(
      "header",
      { class: "head" },
      h("h1", null, "Your own game"),
      h("p", { class: "lead" }, "Write the rules in the Game Description Language, or drop a file. They are checked while you type."),
    ),
    h(
      "div",
      { class: "sheet-layout" },
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "row" },
          h("button", { type: "button", class: "button", on: { click: () => file.click() } }, "Open a file"),
          file,
          h("button", { type: "button", class: "button", on: { click: () => start(EXAMPLE, "The example is in the editor.") } }, "Start from an example"),
          h("button", { type: "button", class: "button quiet", on: { click: () => start("", "The editor is empty.") } }, "Clear"),
        ),
        frame,
      ),
      h(
        "aside",
        { class: "stack", "aria-label": "Result of the check" },
        h(
          "section",
          { class: "panel" },
          h("div", { class: "field" }, h("label", { for: "sheet-title" }, "Title"), name),
          verdict,
          play,
        ),
        messages,
        h(
          "details",
          { class: "panel small" },
          h("summary", null, "The language in a minute"),
          h("ul", { class: "plain-list" }, LANGUAGE.map(([code, words]) => h("li", null, h("code", null, code), " ", words))),
        ),
      ),
    ),
  );

  const from = query.get("from");
  if (from) {
    const game = await api.game(from, signal);
    editor.value = game.sheet ?? "";
    name.value = `${game.title}, changed`.slice(0, 80);
  } else {
    editor.value = draft() ?? EXAMPLE;
  }
  await check();
}

const LANGUAGE = [
  ["(role white)", "names a player."],
  ["(init (cell 1 1 b))", "holds at the start."],
  ["(<= head condition …)", "head holds if all conditions do; ?x is a variable."],
  ["(legal ?r ?move)", "what a role may do; each must always have a move."],
  ["(next …)", "what holds after the moves; (does ?r ?move) and (true …) are asked for."],
  ["terminal", "when the game is over."],
  ["(goal ?r 100)", "what a role gets, from 0 to 100."],
];

function message({ severity, code, message, help, labels }, editor) {
  const place = labels[0];
  return h(
    "li",
    { class: `message ${severity}` },
    h(
      "p",
      { class: "message-head" },
      h("span", { class: "message-kind" }, severity),
      place && h("button", { type: "button", class: "place", on: { click: () => editor.goTo(place.line, place.column) } }, `line ${place.line}`),
      h("span", { class: "soft small" }, code),
    ),
    h("p", null, withCode(message)),
    labels.filter(({ text }) => text).map((label) => h("p", { class: "small soft" }, `line ${label.line}: `, withCode(label.text))),
    help && h("p", { class: "small" }, h("strong", null, "Help: "), withCode(help)),
  );
}

function draft() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(text) {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // Too long, or storage is not allowed: a reload loses the draft.
  }
}
