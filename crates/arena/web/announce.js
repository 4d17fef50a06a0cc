/* Announcements: live regions for screen readers, and toasts. */

import { h } from "./dom.js";

let last = "";

/** Announces a text to screen readers. */
export function say(text, kind = "polite") {
  if (!text) return;
  const region = document.querySelector(`[data-live="${kind}"]`);
  // A live region announces only changes; a no-break space makes a repeated text a change.
  region.textContent = text === last ? `${text}\u00a0` : text;
  last = region.textContent;
}

/** Shows a toast for some seconds and announces it. */
export function note(text, kind = "plain") {
  say(text, kind === "bad" ? "assertive" : "polite");
  const box = document.querySelector("[data-toasts]");
  const toast = h("p", { class: `toast ${kind}`, "aria-hidden": "true" }, text);
  while (box.childElementCount > 2) box.firstElementChild.remove();
  box.append(toast);
  setTimeout(() => toast.remove(), kind === "bad" ? 8000 : 4000);
}
