// Tells those who listen what happens: sentence by sentence, each once, without moving the focus.

import { element } from "./dom.js";

const KEPT = 30;
const CITATION = /\s*\[\d{1,2}\]/g;

export class Announcer {
  #sentences;

  constructor(language) {
    this.#sentences = new Intl.Segmenter(language, { granularity: "sentence" });
    this.element = element("div", { class: "hidden", role: "status", "aria-live": "polite", "aria-atomic": "false" });
  }

  /** Say a text; citations in it are for the eye. */
  say(text) {
    for (const { segment } of this.#sentences.segment(text.replace(CITATION, ""))) {
      if (segment.trim()) this.element.append(element("p", {}, segment.trim()));
    }
    while (this.element.childElementCount > KEPT) this.element.firstElementChild.remove();
  }
}
