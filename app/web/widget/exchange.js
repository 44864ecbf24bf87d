// One question with its answer, as the visitor sees it. Each part is drawn anew only when what it shows has
// changed, so that nobody loses the focus or an opened list while the answer goes on.

import { button, element, hiddenText, link } from "./dom.js";
import { tools } from "./feedback.js";
import { citedBy, rebuild } from "./markup.js";
import { sourceList, titleOf } from "./sources.js";
import { timeSentence } from "./texts.js";

const ORIGINS = ["answered", "partly", "unverified", "interrupted"];
const UNFINISHED = ["interrupted", "failed", "stopped", "broken"];
const UNANSWERED = ["no_answer", "out_of_scope"];
const MAIL = /^[^\s@:/]+@[^\s@]+$/;

export class Exchange {
  #answer;
  #blocks = element("div", { class: "blocks" });
  #below = element("div", { class: "below" });
  #drawnBlocks = 0;
  #drawn = new Map();
  #texts;
  #contactPoint;
  #actions;

  /**
   * `contact`: whom to ask where there is no answer.
   *
   * `actions`: `again(answer)` asks the question again, `rate(answer, rating, comment)` sends feedback,
   * `followed(anchor)` is told of followed links, `say(sentence)` announces.
   */
  constructor(answer, texts, contact, actions) {
    this.#texts = texts;
    this.#contactPoint = contact;
    this.#actions = actions;
    const bubble = element("span", { class: "bubble" }, answer.question);
    const question = element("h3", { class: "question", dir: "auto" }, hiddenText(`${texts.you_asked} `), bubble);
    this.element = element("article", { class: "exchange" }, question, this.#blocks, this.#below);
    this.element.addEventListener("click", (event) => this.#follow(event));
    this.update(answer);
  }

  /** Show the answer as it is now; the elements of the blocks that were added. */
  update(answer) {
    this.#answer = answer;
    const added = answer.blocks.slice(this.#drawnBlocks).map((html) => rebuild(html));
    added.forEach((block) => this.#label(block));
    const nodes = added.flatMap((block) => [...block.children]);
    this.#blocks.append(...added);
    this.#drawnBlocks = answer.blocks.length;
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
    const { status, model, degraded, time, sources, probable, problem, id } = answer;
    const begun = sources.length + answer.blocks.length > 0;
    this.#draw("progress", [status, begun], () => this.#progress(status, begun));
    this.#draw("problem", [status, problem, id], () => this.#problem(answer));
    this.#draw("notes", [status, model, degraded, time], () => this.#notes(answer));
    this.#draw("probable", [probable, sources], () => this.#probable(probable));
    this.#draw("contact", [status], () => this.#contact(answer));
    this.#draw("sources", [sources, status === "no_answer"], () => sourceList(answer, this.#texts));
    const finished = id && status && answer.blocks.length > 0;
    this.#draw("tools", [finished], () => (finished ? this.#tools() : null));
  }

  #draw(name, inputs, make) {
    const drawn = this.#drawn.get(name) ?? { slot: element("div", { class: name }), key: "" };
    const key = JSON.stringify(inputs);
    if (key === drawn.key) return;
    if (!this.#drawn.has(name)) this.#below.append(drawn.slot);
    drawn.slot.replaceChildren(...[make()].filter((part) => part));
    this.#drawn.set(name, { ...drawn, key });
  }

  #progress(status, begun) {
    return status ? null : element("p", {}, begun ? this.#texts.answering : this.#texts.searching);
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

  /** Who wrote the answer, and what was missing for it. */
  #notes({ status, model, degraded, time }) {
    const written = model && ORIGINS.includes(status);
    const labels = status ? degraded.map((label) => this.#texts.degraded[label]) : [];
    const notes = [written ? this.#texts[`origin_${status}`] : "", timeSentence(time, this.#texts), ...labels];
    const items = notes.filter((note) => note).map((note) => element("li", {}, note));
    return items.length ? element("ul", { role: "list" }, ...items) : null;
  }

  #probable(numbers) {
    const known = numbers.map((number) => this.#source(number)).filter((source) => source);
    if (!known.length) return null;
    const links = known.map((source) => element("a", { href: `#source-${source.number}` }, titleOf(source)));
    return element("p", {}, this.#texts.probable, ...links.flatMap((each) => [" ", each]));
  }

  #contact({ status, blocks }) {
    const contact = this.#contactPoint;
    if (!UNANSWERED.includes(status) || !contact || blocks.some((html) => html.includes(contact))) return null;
    const address = MAIL.test(contact) ? `mailto:${contact}` : contact;
    return element("p", {}, `${this.#texts.contact} `, link(address, {}, contact));
  }

  #tools() {
    const { say, rate } = this.#actions;
    return tools({
      texts: this.#texts,
      say,
      rate: (rating, comment) => rate(this.#answer, rating, comment),
      text: () => this.#plainText(),
    });
  }

  #plainText() {
    const read = this.#answer.sources.filter((source) => source.number !== null);
    const list = read.map((source) => `[${source.number}] ${titleOf(source)} – ${source.url}`);
    return [this.#blocks.innerText.trim(), list.join("\n")].filter((part) => part).join("\n\n");
  }

  #source(number) {
    return this.#answer.sources.find((source) => source.number === number);
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
