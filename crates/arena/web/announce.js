/* What happened, for ears (live regions) and, where asked, for eyes as well (a short note at the edge). */

import { h } from "./dom.js";

let last = "";

/** Says it to a screen reader. */
export function say(text, kind = "polite") {
  if (!text) return;
  const region = document.querySelector(`[data-live="${kind}"]`);
  // The same words twice are no change to a live region; an invisible one makes it so.
  region.textContent = text === last ? `${text}\u00a0` : text;
  last = region.textContent;
}

/** Shows a note for some seconds and says it. */
export function note(text, kind = "plain") {
  say(text, kind === "bad" ? "assertive" : "polite");
  const box = document.querySelector("[data-toasts]");
  const toast = h("p", { class: `toast ${kind}`, "aria-hidden": "true" }, text);
  while (box.childElementCount > 2) box.firstElementChild.remove();
  box.append(toast);
  setTimeout(() => toast.remove(), kind === "bad" ? 8000 : 4000);
}
