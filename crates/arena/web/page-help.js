/* Help and keyboard shortcuts. */

import { h, replace } from "./dom.js";

const KEYS = [
  ["Board", [["Tab", "to the board and away from it"], ["← ↑ ↓ →", "from target to target"], ["Enter", "take the piece or square"], ["Esc", "let go of what is selected"]]],
  ["Moves", [["Tab", "to the list"], ["letters", "in the filter narrow it down"], ["Enter", "in the filter plays the only move left"]]],
  ["Watching and replay", [["← →", "one step back or on"], ["Home  End", "first or last step"], ["Space", "on the play button starts and stops"]]],
  ["Network", [["← ↑ ↓ →", "move the drawing"], ["+  −", "larger and smaller"], ["0", "all of it"], ["Esc", "forget the chosen node"]]],
];

export function page({ main, title }) {
  title("Help");
  replace(
    main,
    h("header", { class: "head" }, h("h1", null, "Help and keys"), h("p", { class: "lead" }, "Ludorum plays games that it has never seen: it reads their rules in the Game Description Language (GDL) and finds out by itself how to play well.")),
    h(
      "div",
      { class: "help-layout" },
      h(
        "div",
        { class: "prose stack" },
        section("Play", "Choose a game in the library, say who plays which role, and press Play. Click a piece and then where it goes; where one click is enough, it is the move. Every move is also in the list beside the board. A hint lets the computer think for a second on your behalf; taking back works as long as no other person plays."),
        section("Play together", "Give a role to “another person” and send the link that appears; it lets them play that role. With two roles in this browser, the board shows the one that has to move."),
        section("Games in which all choose at once", "Your choice is hidden until all have chosen, and so are the choices of the others. Then all moves happen together."),
        section("Watch", "Every match can be watched. The bars show how many points each role can expect, from 0 to 100, as the built-in players estimate it; the plots show how that changed. The slider goes back to any step while the match goes on; “Live” returns to it."),
        section("Own rules", "The editor checks a sheet while you write it: the line is marked, the message stands at its end, and the list beside it says what would be right. A sheet without errors can be played at once."),
        section("Look inside", "Each game shows its rules sorted by strata (which relations depend on which), the network of gates that the fast engine runs on, and the engine's figures. Click a node to see what it depends on and what depends on it."),
        section("Remote players", "A program that speaks the GGP protocol can play a role: give its address, such as http://localhost:9147."),
      ),
      h("aside", { class: "stack", "aria-label": "Keys" }, KEYS.map(([name, keys]) => h("section", { class: "panel" }, h("h2", null, name), h("dl", { class: "keys" }, keys.map(([key, words]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, words))))))),
    ),
  );
}

function section(name, text) {
  return h("section", { class: "stack" }, h("h2", null, name), h("p", null, text));
}
