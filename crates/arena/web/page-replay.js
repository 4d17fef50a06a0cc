/* Replaying an archived match. */

import * as api from "./api.js";
import { h, icon, replace } from "./dom.js";
import { Board } from "./board.js";
import { PlayerList } from "./player-list.js";
import { History } from "./history.js";
import { Replay } from "./replay.js";
import { link } from "./router.js";
import { ago } from "./format.js";

export async function page({ main, params, signal, title }) {
  const [id] = params;
  const match = await api.archived(id, signal);
  const first = await api.archivedStep(id, 0, signal);
  const name = match.title ?? first.title ?? match.game;
  title(`Replay ${name}`);
  const board = new Board();
  const playerList = new PlayerList(signal);
  const status = h("p", { class: "status" });
  const facts = h("ul", { class: "facts" });
  const history = new History({ roles: first.roles, onPick: (step) => replay.go(step) });
  const seats = (match.players ?? []).map((player) => (typeof player === "string" ? { name: player } : player));
  const errors = Array.isArray(match.errors) ? match.errors : [];

  const replay = new Replay({
    signal,
    load: (step) => api.archivedStep(id, step, signal),
    show: (snapshot, step) => {
      board.show(snapshot.board);
      playerList.show({ ...snapshot, waiting_for: snapshot.terminal ? [] : (snapshot.to_move ?? []), clocks: [], seats, you: null });
      status.textContent = snapshot.words || `Step ${step}`;
      replace(facts, snapshot.board.facts.map((fact) => h("li", null, fact)));
      if (snapshot.joint) history.add(step, snapshot.joint);
      history.mark(step);
    },
  });

  replace(
    main,
    h(
      "header",
      { class: "row spread" },
      h("div", null, h("p", { class: "crumbs" }, h("a", { href: "#/archive" }, "Archive"), " / ", ago(match.started)), h("h1", { class: "smaller" }, name)),
      h("a", { class: "button quiet", href: link("game", match.game) }, icon("again"), "Play this game"),
    ),
    h(
      "div",
      { class: "match-layout watch" },
      h("section", { class: "match-board stack", "aria-label": "Board" }, board.element, replay.element),
      h(
        "div",
        { class: "match-side" },
        h("section", { class: "panel state", "aria-label": "State of the match" }, status, playerList.element),
        history.element,
        errors.length > 0 &&
          h("section", { class: "panel small", "aria-labelledby": "errors-title" }, h("h2", { id: "errors-title" }, "Errors"), h("ul", { class: "plain-list" }, errors.map((error) => h("li", null, typeof error === "string" ? error : `step ${error.step}: ${error.role ?? ""} ${error.text ?? error.kind ?? ""}`)))),
        h("details", { class: "panel small" }, h("summary", null, "The position in words"), facts),
      ),
    ),
  );
  if (Array.isArray(match.moves)) match.moves.forEach((joint, index) => history.add(index + 1, joint));
  replay.kept.set(0, first);
  await replay.grow(match.steps ?? 0);
}
