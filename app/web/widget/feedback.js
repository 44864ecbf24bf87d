// Below an answer: copy it, say whether it helped, and why.

import { button, element, icon } from "./dom.js";

const COMMENT_CHARACTERS = 1000;

/**
 * The tools of one finished answer. `rate(rating, comment)` sends feedback and rejects if it cannot; `text()`
 * is what is copied; `say` tells the visitor how it went.
 */
export function tools({ texts, rate, text, say }) {
  const bar = element("div", { class: "bar" });
  if (navigator.clipboard) bar.append(copyButton(texts, text, say));
  const thanks = element("p", { class: "thanks" });
  const form = commentForm(texts, (comment) => send(form.rating, comment));
  const thumbs = ["up", "down"].map((rating) =>
    button(texts[rating], {
      icon: rating,
      text: false,
      class: "quiet",
      "aria-pressed": "false",
      click: () => send(rating, ""),
    }),
  );

  async function send(rating, comment) {
    try {
      await rate(rating, comment);
    } catch {
      show(texts.error_action);
      return;
    }
    form.rating = rating;
    ["up", "down"].forEach((each, i) => thumbs[i].setAttribute("aria-pressed", String(each === rating)));
    if (comment) thumbs[rating === "up" ? 0 : 1].focus();
    form.element.hidden = Boolean(comment);
    show(texts.thanks);
  }

  function show(sentence) {
    thanks.textContent = sentence;
    say(sentence);
  }

  const rating = element("div", { class: "rating", role: "group", "aria-label": texts.rate }, ...thumbs);
  bar.append(rating, thanks);
  return element("div", {}, bar, form.element);
}

function copyButton(texts, text, say) {
  const made = button(texts.copy, {
    icon: "copy",
    text: false,
    class: "quiet",
    click: async () => {
      try {
        await navigator.clipboard.writeText(text());
        say(texts.copied);
        made.replaceChildren(icon("check"));
      } catch {
        say(texts.error_action);
      }
    },
  });
  return made;
}

function commentForm(texts, send) {
  const field = element("textarea", { rows: "2", maxlength: COMMENT_CHARACTERS });
  const form = element(
    "form",
    {
      class: "comment",
      hidden: true,
      submit: (event) => {
        event.preventDefault();
        if (field.value.trim()) send(field.value.trim());
      },
    },
    element("label", {}, element("span", {}, texts.comment), field),
    button(texts.send_comment, { type: "submit", class: "plain" }),
  );
  return { element: form, rating: "up" };
}
