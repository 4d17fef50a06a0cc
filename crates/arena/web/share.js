/* Links to positions: the joint moves that lead there. `;` begins a comment in rule sheets, so no move contains it. */

import { link } from "./router.js";

export function written(joints) {
  return joints.map((joint) => joint.join(";")).join(";;");
}

/** The joint moves of a link, or null where the text is none. */
export function read(text) {
  if (!text) return null;
  const joints = text.split(";;").map((joint) => joint.split(";").map((move) => move.trim()));
  return joints.every((joint) => joint.every((move) => move !== "")) ? joints : null;
}

/** The whole address of a position of a game. */
export function positionLink(game, joints) {
  const query = joints.length > 0 ? `?${new URLSearchParams({ moves: written(joints) })}` : "";
  return `${location.origin}${location.pathname}${link("game", game)}${query}`;
}

/** Puts a text on the clipboard; false where the browser does not allow it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
