/*
 * Creating DOM elements. Texts always become text nodes, so texts of rule sheets and players never
 * become markup. The only parser of markup is `parseSvg`, which removes scripts, styles, links and
 * event handlers.
 */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "data") {
      for (const [key, entry] of Object.entries(value)) element.dataset[key] = entry;
    } else if (name === "class") {
      element.setAttribute("class", value);
    } else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An HTML element: `h("a", { href: "#/", class: "x", on: { click } }, "text", other)`. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** A sentence with `code` in it as nodes. */
export function withCode(text) {
  return String(text ?? "")
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? h("code", null, part) : part));
}

/** Replaces the children of an element. */
export function replace(element, ...children) {
  element.textContent = "";
  append(element, children);
  return element;
}

const FORBIDDEN = "script, style, foreignObject, iframe, image, a, animate, set, animateTransform, animateMotion";

/** Attributes that are reserved for the page: ids, style classes and roles of controls. */
const PAGE_ATTRIBUTES = new Set(["id", "class", "tabindex", "role"]);

/**
 * An SVG of the server as an element of this page, or null. The content security policy blocks
 * scripts and inline styles in any case; active content is removed all the same.
 */
export function parseSvg(text) {
  // Styles of standalone pictures: the page has its own, and parsing them would log a policy
  // violation.
  const bare = String(text ?? "").replace(/<style\b[^>]*>[^<]*<\/style>/g, "");
  const root = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg") return null;
  for (const element of root.querySelectorAll(FORBIDDEN)) element.remove();
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) {
      const acts = name.startsWith("on") || name === "style" || (name.endsWith("href") && !value.startsWith("#"));
      if (acts || PAGE_ATTRIBUTES.has(name)) element.removeAttribute(name);
    }
    if (element.hasAttribute("data-target")) element.setAttribute("class", "target");
  }
  return document.importNode(root, true);
}

const ICONS = {
  first: "M18 5 9 12l9 7zM6 5v14",
  back: "M16 5 7 12l9 7z",
  play: "M8 5l10 7-10 7z",
  pause: "M8 5v14M16 5v14",
  next: "M8 5l9 7-9 7z",
  last: "M6 5l9 7-9 7zM18 5v14",
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6 4.6 4.6M19.4 19.4 18 18M6 18l-1.4 1.4M19.4 4.6 18 6M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  half: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z",
  undo: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10h-2",
  flag: "M6 21V4M6 4h11l-2 4 2 4H6",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  chart: "M4 20V4M4 20h16M8 15l4-5 3 3 5-7",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  again: "M20 11a8 8 0 1 0-2.3 6.7M20 5v6h-6",
  swap: "M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7",
};

const SOLID = new Set(["first", "back", "play", "next", "last"]);

/** A decorative icon; the button around it has the accessible name. */
export function icon(name) {
  return s(
    "svg",
    { viewBox: "0 0 24 24", class: SOLID.has(name) ? "icon solid" : "icon", "aria-hidden": "true", focusable: "false" },
    s("path", { d: ICONS[name] ?? "" }),
  );
}
