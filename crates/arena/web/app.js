/* Entry point: the theme switch and the router. */

import { icon, replace } from "./dom.js";
import { say } from "./announce.js";
import { start } from "./router.js";

const THEMES = [
  { choice: null, icon: "half", words: "as the system" },
  { choice: "light", icon: "sun", words: "light" },
  { choice: "dark", icon: "moon", words: "dark" },
];

function themeSwitch(button) {
  const show = () => {
    const now = THEMES.find(({ choice }) => choice === window.ludorumTheme.choice()) ?? THEMES[0];
    replace(button, icon(now.icon));
    button.setAttribute("aria-label", `Colours: ${now.words}. Change`);
    button.title = `Colours: ${now.words}`;
    return now;
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(show()) + 1) % THEMES.length];
    window.ludorumTheme.choose(next.choice);
    say(`Colours: ${show().words}`);
  });
  show();
}

themeSwitch(document.querySelector("[data-theme-switch]"));
start();
