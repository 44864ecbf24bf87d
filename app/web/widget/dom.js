// Elements without markup: nothing here parses HTML, so that no page's policy on it is in the way.

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  close: "M6 6l12 12M18 6L6 18",
  send: "M5 12h14M13 6l6 6-6 6",
  stop: "M7 7h10v10H7z",
  remove: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10.5 11v5M13.5 11v5",
  copy: "M9 9h10v11H9zM5 15V4h10v1.5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  up: "M7 11v9H4v-9zM7 11l4-7c1.5 0 2.5 1 2 3l-.6 3H19a1.5 1.5 0 0 1 1.5 1.9l-1.6 6.6a2 2 0 0 1-1.9 1.5H7",
  down: "M17 13V4h3v9zM17 13l-4 7c-1.5 0-2.5-1-2-3l.6-3H5a1.5 1.5 0 0 1-1.5-1.9l1.6-6.6A2 2 0 0 1 7 4h10",
  more: "M6 9.5l6 6 6-6",
  out: "M8 16L16 8M9.5 8H16v6.5",
  plus: "M12 5v14M5 12h14",
  again: "M19 12a7 7 0 1 1-2-4.9M19 4v4h-4",
};

/** A new element. Attributes that are null or false are left out; functions listen to the event they name. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button. `label` is what it is called; it is shown unless there is only an icon. */
export function button(label, { icon: shape, text = true, ...attributes }) {
  const made = element("button", {
    type: "button",
    "aria-label": text ? null : label,
    title: text ? null : label,
    ...attributes,
  });
  if (shape) made.append(icon(shape));
  if (text) made.append(label);
  return made;
}

/** A picture that says nothing by itself. */
export function icon(shape) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[shape]);
  svg.append(path);
  return svg;
}

/** A link to a page, in the same tab, which tells the page nothing; its text alone where nobody can follow it. */
export function link(address, attributes, ...children) {
  if (!/^(https?|mailto|tel):/i.test(address)) return element("span", attributes, ...children);
  return element("a", { href: address, rel: "noopener noreferrer", ...attributes }, ...children);
}

/** The elements' texts, one after the other, for those who only hear them. */
export function hiddenText(text) {
  return element("span", { class: "hidden" }, text);
}
