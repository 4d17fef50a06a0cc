/* A bar from 0 to 100, drawn as SVG because `meter` cannot be styled uniformly across browsers. */

import { s } from "./dom.js";

export function gauge(value, label) {
  const bar = s("rect", { class: "gauge-bar", x: 0, y: 0, height: "100%" });
  const element = s("svg", { class: "gauge", role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, bar);
  setGauge(element, value);
  return element;
}

export function setGauge(element, value) {
  const shown = Math.max(0, Math.min(100, Number.isFinite(value) ? value : 0));
  element.setAttribute("aria-valuenow", String(Math.round(shown)));
  element.firstElementChild.setAttribute("width", `${shown.toFixed(1)}%`);
}
