/* Modal dialogs. The `dialog` element traps the focus and closes on Escape. */

import { h } from "./dom.js";
import { copy } from "./share.js";
import { note } from "./announce.js";

let count = 0;

function open(title, ...content) {
  count += 1;
  const id = `dialog-${count}`;
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id }, h("h2", { id }, title), content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  // Leaving the page closes its dialog.
  addEventListener("hashchange", () => dialog.close(), { once: true });
  return dialog;
}

/** Asks; true if the answer is `yes`. */
export function ask(question, text, yes) {
  return new Promise((resolve) => {
    let answer = false;
    const dialog = open(
      question,
      h("p", { class: "soft" }, text),
      h(
        "div",
        { class: "row dialog-row" },
        h("button", { type: "button", class: "button", autofocus: true, on: { click: () => dialog.close() } }, "No"),
        h(
          "button",
          {
            type: "button",
            class: "button main",
            on: {
              click: () => {
                answer = true;
                dialog.close();
              },
            },
          },
          yes,
        ),
      ),
    );
    dialog.addEventListener("close", () => resolve(answer));
  });
}

/** Shows an address to be copied. */
export function offerLink(title, text, address) {
  const field = h("input", { type: "text", readonly: true, value: address, "aria-label": "Address", on: { focus: () => field.select() } });
  const dialog = open(
    title,
    h("p", { class: "soft" }, text),
    field,
    h(
      "div",
      { class: "row dialog-row" },
      h("button", { type: "button", class: "button", on: { click: () => dialog.close() } }, "Close"),
      h(
        "button",
        {
          type: "button",
          class: "button main",
          on: {
            click: async () => {
              if (await copy(address)) {
                note("The link is on the clipboard.");
                dialog.close();
              } else {
                field.focus(); // selected, so that the keys for copying work
                note("This browser does not let the page copy; press Ctrl+C.");
              }
            },
          },
        },
        "Copy the link",
      ),
    ),
  );
  field.focus();
}
