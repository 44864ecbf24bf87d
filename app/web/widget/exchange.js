// One question with its answer, as the visitor sees it. Each part is drawn anew only when what it shows has
// changed, so that nobody loses the focus or an opened list. Nothing stands below the text while it is written,
// so that nothing moves.

import { listedSources } from "./answers.js";
import { button, element, hiddenText } from "./dom.js";
import { tools } from "./feedback.js";
import { citedBy, rebuild } from "./markup.js";
import { sourceLists, titleOf } from "./sources.js";
import { energyParts, energySentence, timeSentence } from "./texts.js";

const ORIGINS = ["answered", "partly", "unverified", "interrupted"];
const UNFINISHED = ["interrupted", "failed", "stopped", "broken"];

export class Exchange {
  #answer;
  #progress = element("div", { class: "progress" });
  #blocks = element("div", { class: "blocks", dir: "auto" });
  #preview = draft();
  #above = element("div", { class: "suggestions readings" });
  #below = element("div", { class: "below" });
  #drawnBlocks = 0;
  #drawn = new Map();
  #rating = "";
  #texts;
  #listed;
  #actions;

  /**
   * `listed`: which sources are shown below the answer.
   *
   * `actions`: `again(answer)` asks the question again, `ask(question)` another one, `rate(answer, rating,
   * comment)` sends feedback, `offers(answer)` makes what is offered where it does not help, `followed(anchor)` is told of followed links, `say(sentence)` announces,
   * `watch(part, textsOf)` shows what citations lead to.
   */
  constructor(answer, texts, listed, actions) {
    this.#texts = texts;
    this.#listed = listed;
    this.#actions = actions;
    const bubble = element("span", { class: "bubble", dir: "auto" }, answer.question);
    const question = element("h3", { class: "question" }, hiddenText(`${texts.you_asked} `), bubble);
    const parts = [question, this.#above, this.#progress, this.#blocks, this.#preview, this.#below];
    this.element = element("article", { class: "exchange" }, ...parts);
    this.element.addEventListener("click", (event) => this.#follow(event));
    actions.watch(this.#blocks, (anchor) => this.#previewOf(anchor));
    this.update(answer);
  }

  /** Show the answer as it is now; the elements of the blocks that were added. */
  update(answer) {
    this.#answer = answer;
    const added = answer.blocks.slice(this.#drawnBlocks).map((html) => rebuild(html, this.#texts.table));
    added.forEach((block) => this.#label(block));
    const nodes = added.flatMap((block) => [...block.children]);
    this.#blocks.append(...added);
    this.#drawnBlocks = answer.blocks.length;
    if (added.length) this.#renewPreview();
    this.#preview.textContent = answer.preview;
    this.#preview.hidden = !answer.preview;
    if (answer.status) this.#preview.removeAttribute("aria-hidden");
    this.#drawParts(answer);
    return nodes;
  }

  /** Show another answer to the question; the elements of its blocks. */
  replace(answer) {
    this.#blocks.replaceChildren();
    this.#drawnBlocks = 0;
    return this.update(answer);
  }

  #drawParts(answer) {
    const { status, blocks, preview, sources, problem, id } = answer;
    const written = blocks.length > 0 || preview !== "";
    const step = sources.length ? this.#texts.answering : this.#texts.searching;
    if (!this.#above.hasChildNodes()) this.#above.append(...this.#readings(answer));
    this.#progress.replaceChildren(...(status || written ? [] : [element("p", {}, step)]));
    if (!status) return;
    this.#draw("problem", [status, problem, id], () => this.#problem(answer));
    this.#draw("more", [answer.more_html], () => this.#more(answer));
    const rateable = id && blocks.length > 0;
    this.#draw("tools", [rateable], () => (rateable ? this.#tools() : null));
    const offered = answer.unhelped || this.#rating === "down";
    this.#draw("offers", [offered, id], () => (offered ? this.#actions.offers(answer) : null));
    this.#draw("notes", [answer], () => this.#notes(answer));
    this.#draw("sources", [answer], () => sourceLists(answer, this.#texts, this.#listed));
    this.#draw("suggestions", [answer.suggestions, answer.citations], () => this.#suggestions(answer));
  }

  /** The next block's text is a paragraph of its own: none moves. */
  #renewPreview() {
    const next = draft();
    this.#preview.replaceWith(next);
    this.#preview = next;
  }

  #draw(name, inputs, make) {
    const drawn = this.#drawn.get(name) ?? { slot: element("div", { class: name }), key: "" };
    const key = JSON.stringify(inputs);
    if (key === drawn.key) return;
    if (!this.#drawn.has(name)) this.#below.append(drawn.slot);
    drawn.slot.replaceChildren(...[make()].filter((part) => part));
    this.#drawn.set(name, { ...drawn, key });
  }

  /** What else the page has that is quoted, out of the way. */
  #more({ more_html: html }) {
    if (!html) return null;
    const quotes = element("div", { class: "blocks" }, rebuild(html, this.#texts.table));
    this.#label(quotes);
    return element("details", {}, element("summary", {}, this.#texts.more), quotes);
  }

  #problem(answer) {
    if (!UNFINISHED.includes(answer.status)) return null;
    const own = { failed: this.#texts.error_failed, stopped: this.#texts.stopped };
    const sentence = answer.problem || own[answer.status];
    const again = button(answer.id ? this.#texts.ask_again : this.#texts.retry, {
      icon: "again",
      class: "plain",
      click: () => this.#actions.again(answer),
    });
    const part = element("div", { class: answer.status });
    if (sentence) part.append(element("p", {}, sentence));
    part.append(again);
    return part;
  }

  /** Who wrote the answer, what was missing for it, and what it took: in parts on a click. */
  #notes({ status, model, degraded, time, as_of: day, energy, curated }) {
    const written = model && ORIGINS.includes(status);
    const labels = degraded.map((label) => this.#texts.degraded[label]);
    const byEditors = status && ["answer", "blocked"].includes(curated?.kind);
    const origin = byEditors ? this.#texts.origin_editors : written && this.#texts[`origin_${status}`];
    const notes = [origin, timeSentence(time, day, this.#texts), ...labels, energy && this.#energy(energy)];
    const items = notes.filter((note) => note).map((note) => element("li", {}, note));
    return items.length ? element("ul", { role: "list" }, ...items) : null;
  }

  #energy(energy) {
    const sentence = energySentence(energy, this.#texts);
    const parts = energyParts(energy, this.#texts).map((part) => element("li", {}, part));
    if (!parts.length) return sentence;
    const list = element("ul", { role: "list" }, ...parts);
    return element("details", {}, element("summary", {}, sentence), list);
  }

  #suggestions({ suggestions, citations, probable, sources }) {
    if (!suggestions.length) return null;
    const first = sources.find(({ number }) => number === [...citations, ...probable][0]);
    const label = (question) => (first ? withoutTitle(question, first.title) : question);
    return this.#questions(this.#texts.suggestions, suggestions, label);
  }

  /** The question as it may be meant instead, known before the text. */
  #readings({ other_readings: readings }) {
    const label = (question) => (readings.length > 1 ? question.replace(/^.*? – (.*?)\??$/s, "$1") : question);
    return readings.length ? [this.#questions(this.#texts.other_readings, readings, label)] : [];
  }

  /** Buttons that ask questions, under a heading. */
  #questions(title, questions, label) {
    const items = questions.map((question) =>
      element("li", {}, button(label(question), { class: "example", dir: "auto", click: () => this.#actions.ask(question) })),
    );
    return element("section", {}, element("h4", {}, title), element("ul", { role: "list" }, ...items));
  }

  #tools() {
    const { say, rate } = this.#actions;
    return tools({
      texts: this.#texts,
      say,
      rate: async (rating, comment) => {
        await rate(this.#answer, rating, comment);
        this.#rating = rating;
        this.#drawParts(this.#answer);
      },
      text: () => this.#plainText(),
    });
  }

  #plainText() {
    const shown = listedSources(this.#answer, "cited").shown;
    const list = shown.map((source) => `[${source.number}] ${titleOf(source)} – ${source.url}`);
    return [this.#blocks.innerText.trim(), list.join("\n")].filter((part) => part).join("\n\n");
  }

  #source(number) {
    return this.#answer.sources.find((source) => source.number === number);
  }

  #previewOf(anchor) {
    const source = this.#source(citedBy(anchor));
    return source && [titleOf(source), source.path, source.snippet];
  }

  /** Name the page behind each citation for those who hear them one by one. */
  #label(block) {
    for (const anchor of block.querySelectorAll("a.citation")) {
      const source = this.#source(citedBy(anchor));
      if (source) anchor.setAttribute("aria-label", `${anchor.textContent} ${titleOf(source)}`);
    }
  }

  /** From a citation to its source: a shadow root's elements are no targets of the page's addresses. */
  #follow(event) {
    const anchor = event.target.closest("a");
    if (!anchor) return;
    const number = citedBy(anchor);
    if (!number) {
      this.#actions.followed(anchor);
      return;
    }
    event.preventDefault();
    const item = this.#below.querySelector(`li[data-number="${number}"]`);
    if (!item) return;
    for (const each of this.#below.querySelectorAll("li.cited")) each.classList.remove("cited");
    item.classList.add("cited");
    item.scrollIntoView({ block: "center" });
    item.querySelector("a")?.focus({ preventScroll: true });
  }
}

/** Where the block that is being written is shown; those who listen hear it once it is whole. */
function draft() {
  return element("p", { class: "draft", dir: "auto", "aria-hidden": "true", hidden: true });
}

/** A suggestion, such as "Fees – Dog tax", without the title of the page that the answer is of. */
function withoutTitle(question, title) {
  const end = ` – ${title}`;
  return question.endsWith(end) ? question.slice(0, -end.length) : question;
}
