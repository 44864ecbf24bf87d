// The frame of the chat: heading, conversation and the form to ask. Knows no service.

import { Announcer } from "./announcer.js";
import { button, element, link } from "./dom.js";
import { Preview } from "./preview.js";
import { fill } from "./texts.js";

/** Where a keyboard would cover half of the chat, it comes only when the field is touched. */
const TOUCH = "(pointer: coarse)";

export class Panel {
  #texts;
  #handlers;
  #announcer;
  #preview;
  #intro;
  #field;
  #choice;
  #day;
  #form;
  #send;
  #stop;
  #heading;
  #begin;
  #delete;
  #confirm;

  /**
   * `floating`: a dialog that can be closed, else a part of the page. `title`: its heading. `about`: the address
   * of the page about the service. `handlers`: `ask(question)`, `stop()`, `close()`, `begin()`, `forget()`.
   */
  constructor({ site, texts, title, floating, about, handlers }) {
    this.#texts = texts;
    this.#handlers = handlers;
    this.#announcer = new Announcer(texts.language);
    this.#field = this.#makeField(site.question_characters);
    this.#choice = this.#makeChoice(site.indexes);
    this.#day = this.#makeDay(site.law);
    this.#form = this.#makeForm();
    this.#confirm = this.#makeConfirm();
    this.#intro = this.#makeIntro(site);
    this.log = element("div", { class: "log", role: "log", "aria-live": "off", tabindex: "0" }, this.#intro);
    this.log.setAttribute("aria-label", texts.conversation);
    this.element = element(
      "div",
      { class: "panel", lang: texts.language, dir: texts.direction, part: "panel", hidden: true },
      this.#makeHeader(title, floating),
      this.#confirm,
      this.log,
      element("div", { class: "foot" }, this.#choice, this.#day, this.#form, this.#makeSmallPrint(site, about)),
      this.#announcer.element,
    );
    this.#preview = new Preview(this.element, this.log);
    if (!floating) return;
    this.element.setAttribute("role", "dialog");
    this.element.setAttribute("aria-labelledby", "title");
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      handlers.close();
    });
  }

  /** Add an element to the conversation and bring its beginning into view. */
  append(part) {
    this.log.append(part);
    // In a low window all of the panel scrolls, else the conversation alone.
    const scroller = getComputedStyle(this.log).overflowY === "visible" ? this.element : this.log;
    scroller.scrollTop += part.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  }

  /** Begin anew. */
  clear() {
    this.log.replaceChildren(this.#intro);
    this.deletable = false;
  }

  /** Show what the citations in a part of the conversation lead to, as :class:`Preview`. */
  watch(part, textsOf) {
    this.#preview.watch(part, textsOf);
  }

  say(sentence) {
    this.#announcer.say(sentence);
  }

  /** Tell of something that went wrong, not with one answer alone. */
  warn(sentence) {
    this.append(element("p", { class: "warning" }, sentence));
    this.say(sentence);
  }

  /** There is a conversation, which can be deleted or left for a new one. */
  set deletable(is) {
    this.#begin.hidden = !is;
    this.#delete.hidden = !is;
  }

  /** An answer is being written: it can be stopped, and nothing can be asked. */
  set working(is) {
    const stopHadFocus = this.#stop.matches(":focus");
    this.#send.hidden = is;
    this.#stop.hidden = !is;
    if (stopHadFocus && !is) this.#field.focus();
  }

  /** Move the focus to where a question is typed. */
  focus() {
    if (matchMedia(TOUCH).matches) this.#heading.focus();
    else this.#field.focus();
  }

  /** The name of the index that is to be searched, null where there is none to choose. */
  get index() {
    return this.#choice && this.#choice.querySelector("select").value;
  }

  /** The day whose law is asked for, null where it is today or there is none to choose. */
  get day() {
    return this.#day?.querySelector("input").value || null;
  }

  /** Whether the panel fills the window. */
  get covers() {
    return this.element.getBoundingClientRect().width >= innerWidth;
  }

  #makeHeader(title, floating) {
    this.#heading = element("h2", { id: "title", tabindex: "-1" }, title);
    this.#begin = button(this.#texts.new, {
      icon: "plus",
      text: false,
      class: "quiet",
      hidden: true,
      click: () => this.#handlers.begin(),
    });
    this.#delete = button(this.#texts.delete, {
      icon: "remove",
      text: false,
      class: "quiet",
      hidden: true,
      click: () => this.#askDeletion(true),
    });
    const close = button(this.#texts.close, {
      icon: "close",
      text: false,
      class: "quiet",
      click: () => this.#handlers.close(),
    });
    const controls = [this.#begin, this.#delete, floating ? close : null];
    return element("div", { class: "head" }, this.#heading, ...controls);
  }

  #makeConfirm() {
    const keep = button(this.#texts.delete_no, { class: "plain", click: () => this.#askDeletion(false) });
    const remove = button(this.#texts.delete_yes, {
      class: "plain",
      click: () => {
        this.#confirm.hidden = true;
        this.#handlers.forget();
      },
    });
    const question = element("p", { id: "confirm" }, this.#texts.delete_confirm);
    return element(
      "div",
      { class: "confirm", role: "group", "aria-labelledby": "confirm", hidden: true },
      question,
      keep,
      remove,
    );
  }

  #askDeletion(is) {
    this.#confirm.hidden = !is;
    (is ? this.#confirm.querySelector("button") : this.#delete).focus();
  }

  #makeIntro(site) {
    const intro = element("div", { class: "intro" }, element("p", {}, this.#texts.intro));
    if (!site.examples.length) return intro;
    const examples = site.examples.map((example) =>
      element("li", {}, button(example, { class: "example", dir: "auto", click: () => this.#submit(example) })),
    );
    intro.append(element("h3", {}, this.#texts.examples), element("ul", { role: "list" }, ...examples));
    return intro;
  }

  #makeField(limit) {
    const field = element("textarea", {
      rows: "1",
      "aria-label": this.#texts.question,
      "aria-describedby": "hint",
      placeholder: this.#texts.placeholder,
      enterkeyhint: "send",
      autocomplete: "off",
      dir: "auto",
    });
    field.addEventListener("input", () => {
      const count = [...field.value.trim()].length;
      field.setCustomValidity(count > limit ? fill(this.#texts.too_long, { limit, count }) : "");
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#form.requestSubmit();
    });
    return field;
  }

  /** What to search in, where there is more than one index. */
  #makeChoice(indexes) {
    if (indexes.length < 2) return null;
    const options = indexes.map(({ name, label }) => element("option", { value: name }, label));
    return element("label", { class: "choice" }, this.#texts.search_in, element("select", {}, ...options));
  }

  /** As of which day law is asked for, where there is law. */
  #makeDay(law) {
    if (!law) return null;
    return element("label", { class: "choice day" }, this.#texts.law_day, element("input", { type: "date" }));
  }

  #makeForm() {
    const hint = element("span", { id: "hint", class: "hidden" }, this.#texts.hint);
    this.#send = button(this.#texts.ask, { icon: "send", text: false, type: "submit", class: "send" });
    this.#stop = button(this.#texts.stop, {
      icon: "stop",
      text: false,
      class: "send stop",
      hidden: true,
      click: () => this.#handlers.stop(),
    });
    const submit = (event) => {
      event.preventDefault();
      this.#submit(this.#field.value);
    };
    return element("form", { class: "ask", submit }, this.#field, hint, this.#send, this.#stop);
  }

  /** Ask a question as if it had been typed, unless an answer is being written. */
  #submit(question) {
    if (this.#send.hidden || !question.trim()) return;
    this.#field.value = "";
    this.#field.focus();
    this.#handlers.ask(question.trim());
  }

  #makeSmallPrint(site, about) {
    const print = element("p", { class: "print" });
    if (site.ai) print.append(`${this.#texts.ai_notice} `);
    print.append(`${this.#texts.privacy_notice} `);
    if (site.privacy_url) print.append(link(site.privacy_url, {}, this.#texts.privacy_link), " · ");
    print.append(link(about, {}, this.#texts.about));
    return print;
  }
}
