// What a citation leads to, beside it, for those who point at it or reach it by keyboard.

import { element } from "./dom.js";

/** How long the pointer may be on its way from the citation to the preview, which may be read and copied. */
const GRACE_MS = 200;
const GAP = 6;

export class Preview {
  #anchor = null;
  #panel;
  #log;
  #timer = 0;

  /** `panel`: what the preview stays within; `log`: the part of it that it should not leave. */
  constructor(panel, log) {
    this.#panel = panel;
    this.#log = log;
    this.element = element("div", { class: "preview", id: "preview", role: "tooltip", hidden: true });
    this.element.addEventListener("pointerenter", () => clearTimeout(this.#timer));
    this.element.addEventListener("pointerleave", () => this.#leave());
    panel.append(this.element);
    panel.addEventListener("scroll", () => this.hide(), true);
  }

  /** Show what the citations in `part` lead to. `textsOf(anchor)`: title, path and snippet; nothing for other links. */
  watch(part, textsOf) {
    const show = (event) => {
      const anchor = event.target.closest("a");
      const texts = anchor && textsOf(anchor);
      if (texts) this.#show(anchor, texts);
    };
    part.addEventListener("pointerover", (event) => event.pointerType !== "touch" && show(event));
    part.addEventListener("pointerout", () => this.#leave());
    part.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && show(event));
    part.addEventListener("focusout", () => this.hide());
  }

  hide() {
    clearTimeout(this.#timer);
    document.removeEventListener("keydown", this.#dismiss, true);
    this.#anchor?.removeAttribute("aria-describedby");
    this.#anchor = null;
    this.element.hidden = true;
  }

  /** Escape closes the preview alone, not the chat, wherever the focus is. */
  #dismiss = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.hide();
  };

  #leave() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#anchor?.matches(":focus-visible") || this.hide(), GRACE_MS);
  }

  #show(anchor, [title, path, snippet]) {
    clearTimeout(this.#timer);
    if (anchor === this.#anchor) return;
    this.hide();
    this.#anchor = anchor;
    this.element.replaceChildren(
      element("p", { class: "title" }, title),
      element("p", { class: "facts" }, path),
      element("p", { class: "snippet" }, snippet),
    );
    this.element.hidden = false;
    document.addEventListener("keydown", this.#dismiss, true);
    anchor.setAttribute("aria-describedby", "preview");
    this.#place(anchor.getBoundingClientRect(), this.#panel.getBoundingClientRect());
  }

  /** Above the citation where there is room, else below it. */
  #place(anchor, panel) {
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const left = Math.min(anchor.left - panel.left, panel.width - width - GAP);
    const above = anchor.top - height - GAP;
    const top = above > this.#log.getBoundingClientRect().top ? above : anchor.bottom + GAP;
    style.left = `${Math.max(left, GAP)}px`;
    style.top = `${top - panel.top + this.#panel.scrollTop}px`;
  }
}
