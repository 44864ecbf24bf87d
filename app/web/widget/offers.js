// What is offered where an answer does not help: a page of the service in another tab, which gets the ids of
// the conversation and the answer in a form, never in its address; or a link to a page elsewhere.

import { button, element, hiddenText, link } from "./dom.js";

/** The offers below an answer. `ids`: of the `conversation` and the `answer`. */
export function offersBelow(offers, ids, texts) {
  return element("div", { class: "offered" }, ...offers.map((offer) => (offer.posted ? form(offer, ids, texts) : anchor(offer))));
}

function form({ address, label }, ids, texts) {
  const open = button(label, { icon: "out", type: "submit", class: "plain" });
  open.append(hiddenText(` (${texts.new_tab})`));
  const fields = Object.entries(ids).map(([name, value]) => element("input", { type: "hidden", name, value }));
  return element("form", { method: "post", action: address, target: "_blank", rel: "noopener" }, ...fields, open);
}

function anchor({ address, label }) {
  return link(address, {}, label);
}
