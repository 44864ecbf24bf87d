// The pages behind an answer, a line each: those that it cites, and out of the way those that were only found.

import { listedSources } from "./answers.js";
import { button, element, hiddenText, link } from "./dom.js";
import { fill } from "./texts.js";

/** The lists of an answer's sources; nothing where there are none. `listed`: which ones are shown. */
export function sourceLists(answer, texts, listed) {
  if (!answer.sources.length) return null;
  const { shown, others, guessed } = listedSources(answer, listed);
  const section = element("section");
  const items = (list) => list.map((source) => sourceItem(source, texts, listed === "used"));
  if (shown.length) {
    const heading = element("h4", {}, guessed ? texts.probable : texts.sources);
    section.append(heading, element("ol", { role: "list" }, ...items(shown)));
  }
  if (others.length) {
    const label = shown.length ? texts.found : texts.found_only;
    const summary = element("summary", {}, `${label} (${others.length})`);
    const list = element("ul", { role: "list" }, ...items(others.map((source) => ({ ...source, number: null }))));
    section.append(element("details", {}, summary, list));
  }
  return section;
}

/** What a source is called. */
export function titleOf(source) {
  return source.title || source.path || source.url;
}

/** Which sources are linked to one, such as "referred to by [1], [3]". `linked`: their numbers by kind of link. */
function linkFacts(linked, texts) {
  const named = [
    [texts.linked_reference, linked.reference],
    [texts.linked_definition, linked.definition],
    [texts.linked_recital, linked.recital],
  ].filter(([, numbers]) => numbers);
  return named.map(([text, numbers]) => fill(text, { numbers: numbers.map((number) => `[${number}]`).join(", ") }));
}

function sourceItem(source, texts, technical) {
  const { number, path, similarity, snippet, ended, used, version, linked_from: linked } = source;
  const title = titleOf(source);
  // In the same tab, as any link of the website: the chat goes along, since the tab remembers it.
  const page = link(source.href || source.url, { class: "page" });
  if (number !== null) {
    page.append(hiddenText(`${texts.source} `), element("span", { class: "number" }, `${number}`));
  }
  page.append(element("span", { class: "title", dir: "auto" }, title));
  const facts = [
    technical && similarity !== null ? fill(texts.cosine, { percent: Math.round(100 * similarity) }) : "",
    ...(technical && linked ? linkFacts(linked, texts) : []),
    technical && !used ? texts.unread : "",
    version ? link(source.url, {}, fill(texts.version, { day: version })) : "",
    ended ? fill(texts.ended, { day: ended }) : "",
  ].filter((fact) => fact);
  const line = element("div", { class: "line" }, page, path === title ? null : element("span", { class: "path", dir: "auto" }, path));
  const item = element("li", { "data-number": number, class: technical && !used ? "unread" : null }, line);
  const separated = facts.flatMap((fact, place) => (place ? [" · ", fact] : [fact]));
  if (facts.length) item.append(element("p", { class: "facts" }, ...separated));
  if (snippet) {
    const text = element("p", { class: "snippet", dir: "auto", hidden: true }, snippet);
    const more = button(`${texts.excerpt}: ${title}`, {
      icon: "more",
      text: false,
      class: "quiet",
      "aria-expanded": "false",
      click: () => {
        text.hidden = !text.hidden;
        more.setAttribute("aria-expanded", String(!text.hidden));
        item.classList.toggle("open", !text.hidden);
      },
    });
    line.append(more);
    item.append(text);
  }
  return item;
}
