// An answer's HTML as elements: a second wall behind the service's own.
//
// The service writes a closed form of HTML (app/chat/text/render.py, serialised by nh3): tags and attributes in
// lower case, values in double quotes, five character references. Only that is read, and of it only what is
// listed here is made; everything else stays text. Tables get a frame that scrolls. No parser of the browser sees the answer, so that no
// policy on Trusted Types is needed and markup cannot change its meaning on the way.

import { element } from "./dom.js";

const TAGS = new Set(
  ("p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre hr a br code em mark s strong " +
    "table thead tbody tr th td").split(" "),
);
const EMPTY = new Set(["br", "hr"]);
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"]*")*)>|[^<]+|</g;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const REFERENCE = /&(amp|lt|gt|quot|nbsp);/g;
const CHARACTERS = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };
const CITATION = /^#source-(\d{1,2})$/;

/** Headings of an answer stand below its question's, whatever their level, so that none is skipped. */
const HEADING = "h4";

/** The HTML's elements, in a fragment. `table`: what a table is called. */
export function rebuild(html, table) {
  const fragment = document.createDocumentFragment();
  const open = [{ name: "", node: fragment }];
  for (const [token, end, name, attributes] of html.matchAll(TOKEN)) {
    if (!name) open.at(-1).node.append(decoded(token));
    else if (!TAGS.has(name)) continue;
    else if (end) close(open, name);
    else {
      const node = element(/^h\d$/.test(name) ? HEADING : name, allowed(name, attributes));
      open.at(-1).node.append(name === "table" ? framed(node, table) : node);
      if (!EMPTY.has(name)) open.push({ name, node });
    }
  }
  return fragment;
}

/** The number of the source that a link of an answer cites, 0 for other links. */
export function citedBy(anchor) {
  return Number(CITATION.exec(anchor.getAttribute("href") ?? "")?.[1] ?? 0);
}

function framed(table, label) {
  return element("div", { class: "table", role: "group", tabindex: "0", "aria-label": label }, table);
}

function close(open, name) {
  const last = open.findLastIndex((each) => each.name === name);
  if (last > 0) open.length = last;
}

function allowed(name, text) {
  const given = Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, key, value]) => [key, decoded(value)]));
  const key = { ol: "start", li: "value" }[name];
  if (/^\d{1,9}$/.test(given[key])) return { [key]: given[key] };
  if (name === "blockquote") return { dir: "auto" }; // The page's script may be another.
  if (name !== "a") return {};
  if (CITATION.test(given.href ?? "")) return { href: given.href, class: "citation" };
  return /^(https?|mailto|tel):/i.test(given.href ?? "") ? { href: given.href, rel: "noopener noreferrer" } : {};
}

function decoded(text) {
  return text.replace(REFERENCE, (_, name) => CHARACTERS[name]);
}
