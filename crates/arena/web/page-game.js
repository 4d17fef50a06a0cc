/* The page of a game: picture, description, and the form that starts a match. */

import * as api from "./api.js";
import { h, icon, parseSvg, replace } from "./dom.js";
import { Board, limitSize } from "./board.js";
import { highlighted } from "./highlight.js";
import { link } from "./router.js";
import { setupForm } from "./setup.js";
import * as share from "./share.js";
import { count, isPlayerCountTag, formatJointMove, formatPlayerCount } from "./format.js";

const LONG_SHEET = 60_000;

export async function page({ main, params, query, signal, title }) {
  const [name] = params;
  const [game, { players, default: preferred }] = await Promise.all([api.game(name, signal), api.players(signal)]);
  game.name ??= name;
  title(game.title);
  const moves = share.read(query.get("moves"));
  const picture = h("div", { class: "game-picture" });

  replace(
    main,
    h(
      "header",
      { class: "head" },
      h("p", { class: "crumbs" }, h("a", { href: "#/" }, "Library"), " / ", game.title),
      h("h1", null, game.title),
      h("div", { class: "chips" }, h("span", { class: "chip" }, formatPlayerCount(game.roles.length)), (game.tags ?? []).filter((tag) => !isPlayerCountTag(tag)).map((tag) => h("a", { class: "chip", href: `#/?tags=${encodeURIComponent(tag)}` }, tag))),
    ),
    h(
      "div",
      { class: "game-layout" },
      picture,
      h(
        "div",
        { class: "stack game-words" },
        moves && h("p", { class: "notice" }, `A shared position, after ${count(moves.length, "step")}: ${lastMoves(moves, game.roles)}. `, h("a", { href: link("game", name) }, "Start from the beginning instead")),
        h("section", { class: "prose stack", "aria-labelledby": "how" }, h("h2", { id: "how" }, "How to play"), paragraphs(game)),
        h(
          "p",
          { class: "row" },
          h("a", { class: "button", href: link("game", name, "inside") }, icon("search"), "Look inside"),
          h("a", { class: "button", href: `#/new?from=${encodeURIComponent(name)}` }, icon("edit"), "Change the rules"),
        ),
        game.sheet && sheet(game.sheet),
      ),
      h("aside", { class: "game-side", "aria-label": "Match" }, setupForm({ game, players, preferred, moves })),
    ),
  );

  draw(picture, name, moves, signal);
}

function paragraphs(game) {
  const text = game.how_to_play || game.summary || "There is no description of this game; its rules are below.";
  return text.split(/\n\s*\n/).map((paragraph) => h("p", null, paragraph.trim()));
}

function lastMoves(moves, roles) {
  return moves
    .slice(-3)
    .map((joint) => formatJointMove(joint, roles))
    .join(", then ");
}

/** The first position, or the shared one where the server can show it. */
async function draw(place, name, moves, signal) {
  try {
    if (moves) {
      const board = new Board();
      const snapshot = await api.position(name, moves, signal);
      replace(place, board.element);
      board.show(snapshot.board);
      return;
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.status === 422) replace(place, h("p", { class: "notice bad" }, error.message));
    if (error.status === 422) return;
  }
  try {
    const drawing = parseSvg(await api.picture(name, signal));
    if (drawing) {
      limitSize(drawing);
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", "The first position");
      replace(place, h("div", { class: "board-frame" }, drawing));
    }
  } catch (error) {
    if (error.name !== "AbortError") replace(place, h("p", { class: "soft small" }, "There is no picture of this game."));
  }
}

/** The rule sheet, highlighted when it is opened, because a large one takes a while. */
function sheet(text) {
  const code = h("pre", { class: "sheet-text", tabindex: "0", "aria-label": "Rule sheet" });
  const box = h(
    "details",
    {
      on: {
        toggle: () => {
          if (!box.open || code.hasChildNodes()) return;
          code.append(text.length > LONG_SHEET ? text : highlighted(text));
        },
      },
    },
    h("summary", null, `The rule sheet, ${count(text.split("\n").length, "line")}`),
    code,
  );
  return box;
}
