// The pages behind an answer: numbered those it was written from, grey those that were only found.

import { element, hiddenText, link } from "./dom.js";
import { fill } from "./texts.js";

/** The list of an answer's sources; nothing where there are none. */
export function sourceList({ sources, status }, texts) {
  const read = sources.filter((source) => source.number !== null);
  const found = sources.filter((source) => source.number === null);
  if (!sources.length) return null;
  const section = element("section");
  const items = (list) => list.map((source) => sourceItem(source, texts));
  if (read.length) {
    section.append(element("h4", {}, texts.sources), element("ol", { role: "list" }, ...items(read)));
  }
  if (found.length && status === "no_answer") {
    section.append(element("h4", {}, texts.helpful_pages), element("ul", { role: "list" }, ...items(found)));
  } else if (found.length) {
    const summary = element("summary", {}, `${texts.found} (${found.length})`);
    const others = element("ul", { role: "list", class: "unused" }, ...items(found));
    section.append(element("details", {}, summary, others));
  }
  return section;
}

/** What a source is called. */
export function titleOf(source) {
  return source.title || source.path || source.url;
}

function sourceItem(source, texts) {
  const { number, path, similarity, snippet, ended } = source;
  const title = element("span", { class: "title" }, titleOf(source));
  // In the same tab, as any link of the website: the chat goes along, since the tab remembers it.
  const heading = link(source.href || source.url, { class: "page" });
  if (number !== null) {
    heading.append(hiddenText(`${texts.source} `), element("span", { class: "number" }, `${number}`));
  }
  heading.append(title);
  const facts = [
    path,
    similarity === null ? "" : fill(texts.similarity, { percent: Math.round(100 * similarity) }),
    ended ? fill(texts.ended, { day: ended }) : "",
  ].filter((fact) => fact);
  const item = element("li", { "data-number": number }, heading);
  if (facts.length) item.append(element("p", { class: "facts" }, facts.join(" · ")));
  if (snippet) item.append(element("p", { class: "snippet" }, snippet));
  return item;
}
