/* Watching a match live or afterwards: board, clocks, search reports, and a slider through its steps. */

import * as api from "./api.js";
import { h, icon, replace } from "./dom.js";
import { note, say } from "./announce.js";
import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { PlayerList } from "./player-list.js";
import { follow } from "./events.js";
import { History } from "./history.js";
import { Replay } from "./replay.js";
import { go, link } from "./router.js";
import { secretsOf } from "./role-secrets.js";
import { formatJointMove, roleIndex } from "./format.js";

export async function page({ main, params, signal, title }) {
  const [id] = params;
  const first = await api.snapshot(id, null, signal).catch((error) => {
    if (error.status !== 404) throw error;
    return null;
  });
  if (!first) {
    go(link("archive", id)); // finished matches are eventually found in the archive only
    return;
  }
  title(`Watch ${first.title}`);

  const board = new Board();
  const playerList = new PlayerList(signal);
  const status = h("p", { class: "status" });
  const connection = h("p", { class: "notice warn", hidden: true }, "The connection is interrupted; trying again …");
  const look = h("a", { class: "button quiet", href: link("game", first.game, "inside") }, icon("search"), "Look inside");
  const facts = h("ul", { class: "facts" });
  const analysis = new Analysis({ onPick: (step) => replay.go(step) });
  analysis.roles = first.roles;
  const history = new History({ roles: first.roles, onPick: (step) => replay.go(step) });
  const replay = new Replay({ signal, live: true, load: (step) => api.stepOf(id, step, null, signal), show });
  let over = first.finished;
  let drawing = false;
  let caughtUp = false;
  const newest = first.steps ?? first.step;

  function show(snapshot, step) {
    board.show(snapshot.board);
    const current = step === replay.last;
    playerList.show(current ? { ...snapshot, finished: over } : { ...snapshot, waiting_for: [], clocks: [], finished: false, terminal: false });
    status.textContent = snapshot.words || (snapshot.terminal ? "The game is over" : `Step ${step}`);
    replace(facts, snapshot.board.facts.map((fact) => h("li", null, fact)));
    history.mark(step);
    look.setAttribute("href", `${link("game", first.game, "inside")}?${new URLSearchParams({ tab: "network", match: id, step })}`);
    refresh();
  }

  /** Draws the panels at most once per frame, because reports arrive several times a second. */
  function refresh() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      if (!signal.aborted) analysis.draw({ at: replay.at, last: replay.last, live: !over });
    });
  }

  function onEvent(kind, data) {
    if (kind === "step") {
      history.cut(data.step);
      if (data.joint) history.add(data.step, data.joint);
      // The stream starts at the beginning of the match; events up to the loaded step are not new.
      caughtUp ||= data.step >= newest;
      if (!caughtUp) return;
      if (data.step < replay.last) analysis.cut(data.step);
      if (data.terminal) analysis.end(data.step, data.goals);
      // The cached snapshot may be from before the legal moves were known.
      replay.forget(data.step);
      replay.grow(data.step);
      if (replay.following && data.joint) say(formatJointMove(data.joint, first.roles));
    } else if (kind === "thinking") {
      analysis.addReport(data);
      refresh();
    } else if (kind === "clock") {
      if (replay.following && data.step === replay.last) playerList.set(data.role, data.remaining_ms);
    } else if (kind === "error") {
      const role = first.roles[roleIndex(first.roles, data.role)] ?? data.role;
      history.addError(data.step, `${role}: ${data.text || data.kind}`);
      if (data.step >= replay.last - 1 && !over) note(`${role}: ${data.text || data.kind}`, "bad");
    } else if (kind === "end") {
      over = true;
      analysis.end(replay.last, data.goals);
      say(`The match is over: ${first.roles.map((role, index) => `${role} ${data.goals?.[index] ?? "–"}`).join(", ")}`);
      replay.forget(replay.last);
      refresh();
    }
  }

  const seats = secretsOf(id);
  replace(
    main,
    h(
      "header",
      { class: "row spread" },
      h(
        "div",
        null,
        h("p", { class: "crumbs" }, h("a", { href: "#/matches" }, "Matches"), " / ", h("a", { href: link("game", first.game) }, first.title)),
        h("h1", { class: "smaller" }, first.title),
      ),
      h(
        "div",
        { class: "row" },
        seats.length > 0 && h("a", { class: "button", href: link("play", id) }, icon("back"), "Play your role"),
        look,
      ),
    ),
    connection,
    h(
      "div",
      { class: "match-layout watch" },
      h("section", { class: "match-board stack", "aria-label": "Board" }, board.element, replay.element),
      h(
        "div",
        { class: "match-side" },
        h("section", { class: "panel state", "aria-label": "State of the match" }, status, playerList.element),
        analysis.barsPanel,
        analysis.reportsPanel,
      ),
    ),
    h("div", { class: "watch-more" }, analysis.winPanel, analysis.sharesPanel, history.element, h("details", { class: "panel small" }, h("summary", null, "The position in words"), facts)),
  );

  replay.last = replay.at = newest;
  replay.kept.set(first.step, first);
  await replay.draw();
  api
    .evaluation(id, signal)
    .then(({ steps }) => {
      analysis.fill(steps);
      refresh();
    })
    .catch(() => {}); // the plots are filled by events
  follow(id, signal, onEvent, (state) => {
    connection.hidden = state === "open" || over;
  });
}
