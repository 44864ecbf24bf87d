// The chat: what happens when a visitor opens it, asks, stops, rates and deletes.

import { asked, ended, received, stored } from "./answers.js";
import { Api, ApiError } from "./api.js";
import { Exchange } from "./exchange.js";
import { Memory } from "./memory.js";
import { offersBelow } from "./offers.js";
import { Panel } from "./panel.js";
import { problemOf } from "./problems.js";
import { loadTexts } from "./texts.js";

/** A site that cannot be asked for its settings has none; the question will tell what is wrong. */
const UNKNOWN_SITE = {
  name: "",
  language: "",
  privacy_url: "",
  examples: [],
  indexes: [],
  question_characters: Infinity,
  listed_sources: "cited",
  law: false,
  ai: true,
  offers: [],
};

/** When to look whether an answer that lost its connection is there after all. */
const LOOKS_MS = [0, 1000, 3000, 6000];

/**
 * Build the chat in `region` and give what opens it.
 *
 * `host`: the element that events come from. `launcher`: the button that opens the chat, none where it is
 * part of the page. `label`: the heading of a part of the page, if it has one of its own. `base`: the service's
 * address. `memory`: under which key the conversation is remembered.
 * `pageLanguage`: that of the page if it is one of `languages`, else nothing. Rejects if it cannot be loaded.
 */
export async function mount({ host, region, launcher, label, base, site: key, memory, pageLanguage, languages }) {
  const api = new Api(base, key);
  const settings = async () => {
    const site = { ...UNKNOWN_SITE, ...(await api.site(pageLanguage).catch(() => null)) };
    const language = pageLanguage || (languages.includes(site.language) ? site.language : "en");
    return { site, texts: await loadTexts(new URL("texts/", import.meta.url), language) };
  };
  const [{ site, texts }] = await Promise.all([settings(), stylesheet(host.shadowRoot)]);
  const query = new URLSearchParams({ site: key, lang: texts.language });
  const about = new URL(`about?${query}`, base).href;
  const whole = (offer) => (offer.posted ? { ...offer, address: new URL(`${offer.address}?${query}`, base).href } : offer);
  site.offers = site.offers.map(whole);
  return new Chat({ host, region, launcher, label, about, api, site, texts, memory: new Memory(memory) });
}

/** The filters that the page fixes, as `filter-office="Standesamt"` or `filter-year-from="2024"`; null without. */
function filtersOf(host) {
  const filters = {};
  for (const { name, value } of host.attributes) {
    const [, field, end] = name.match(/^filter-([a-z][a-z0-9_]*)(?:-(from|to))?$/) ?? [];
    if (end) filters[field] = { ...filters[field], [end]: value };
    else if (field) filters[field] = value.split(";");
  }
  return Object.keys(filters).length ? filters : null;
}

function isNotFound(error) {
  return error instanceof ApiError && error.status === 404;
}

function stylesheet(root) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL("widget.css", import.meta.url);
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error("no style sheet"));
    });
    root.append(link);
  });
}

class Chat {
  #host;
  #launcher;
  #api;
  #texts;
  #site;
  #memory;
  #panel;
  #running = null;
  #restored = null;

  constructor({ host, region, launcher, label, about, api, site, texts, memory }) {
    this.#host = host;
    this.#launcher = launcher;
    this.#api = api;
    this.#texts = texts;
    this.#site = site;
    this.#memory = memory;
    this.#panel = new Panel({
      site,
      texts,
      title: (!launcher && label) || site.name || texts.title,
      floating: launcher !== null,
      about,
      handlers: {
        ask: (question) => this.#ask(question),
        stop: () => this.#stop(),
        close: () => this.#close(),
        begin: () => this.#anew(),
        forget: () => this.#forget(),
      },
    });
    region.lang = texts.language;
    region.dir = texts.direction;
    region.append(this.#panel.element);
  }

  /** Show the chat, with the conversation that the tab remembers. */
  open() {
    if (this.#launcher?.hidden) return;
    this.#host.shadowRoot.querySelector("slot")?.remove();
    this.#panel.element.hidden = false;
    if (this.#launcher) {
      this.#launcher.hidden = true;
      this.#launcher.setAttribute("aria-expanded", "true");
      this.#panel.focus();
    }
    this.#tell("open");
    this.#restored ??= this.#restore();
  }

  #close() {
    this.#panel.element.hidden = true;
    this.#launcher.hidden = false;
    this.#launcher.setAttribute("aria-expanded", "false");
    this.#launcher.focus();
    this.#tell("close");
  }

  async #restore() {
    if (this.#memory.id === null) return;
    this.#panel.deletable = true;
    try {
      const { answers } = await this.#api.conversation(this.#memory.id);
      for (const document of answers) {
        const answer = stored(document);
        const exchange = this.#show(answer);
        if (!answer.status) this.#settle(answer, exchange);
      }
    } catch (error) {
      if (isNotFound(error)) this.#begin();
      else this.#panel.warn(problemOf(error, this.#texts));
    }
  }

  async #ask(question) {
    const { index, day } = this.#panel;
    const running = { controller: new AbortController(), answer: asked(question), index, day };
    this.#running = running;
    this.#panel.working = true;
    this.#panel.say(this.#texts.searching);
    await this.#restored; // What was said before stands above.
    const exchange = this.#show(running.answer, running.index);
    running.end = this.#attempt(running, exchange);
    await running.end;
    this.#running = null;
    this.#panel.working = false;
    this.#finished(running.answer);
  }

  async #attempt(running, exchange) {
    try {
      await this.#stream(running, exchange);
    } catch (error) {
      if (isNotFound(error) && this.#memory.id !== null) {
        this.#memory.id = null; // Conversations are forgotten after a while.
        await this.#attempt(running, exchange);
      } else {
        await this.#broken(running, exchange, error);
      }
    }
  }

  async #stream(running, exchange) {
    const { signal } = running.controller;
    const { answer, index, day } = running;
    const filters = filtersOf(this.#host);
    const body = { question: answer.question, conversation: this.#memory.id, index, at: day, filters };
    for await (const event of this.#api.ask(body, signal)) {
      if (event.name === "started") {
        this.#memory.id = event.data.conversation ?? null;
        this.#panel.deletable = this.#memory.id !== null;
      }
      const { other_readings: readings } = event.data;
      if (event.name === "sources") this.#panel.say(readings?.length ? this.#texts.other_readings : this.#texts.answering);
      this.#update(running, exchange, received(running.answer, event));
    }
    if (!running.answer.status) throw new TypeError("the stream ended early");
  }

  #update(running, exchange, answer) {
    running.answer = answer;
    for (const node of exchange.update(answer)) this.#panel.say(node.textContent);
  }

  /** The stream ended with an error: stopped, refused, or lost on the way. */
  async #broken(running, exchange, error) {
    const { answer } = running;
    if (running.controller.signal.aborted) {
      this.#update(running, exchange, ended(answer, "stopped"));
    } else if (answer.id && !(error instanceof ApiError)) {
      running.answer = await this.#settle(answer, exchange);
    } else {
      this.#update(running, exchange, ended(answer, "broken", problemOf(error, this.#texts)));
    }
  }

  /** An answer without an end, as the service keeps it; or what came of it. */
  async #settle(answer, exchange) {
    let kept = answer;
    for (const wait of LOOKS_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      try {
        kept = stored(await this.#api.answer(answer.id));
      } catch (error) {
        if (error instanceof ApiError) break;
      }
      if (kept.status) break;
    }
    const whole = kept.status && kept.status !== "interrupted";
    const settled = whole ? kept : ended(kept, "broken", this.#texts.error_dropped);
    const heard = answer.blocks.length;
    for (const node of exchange.replace(settled).slice(heard)) this.#panel.say(node.textContent);
    return settled;
  }

  #finished({ id, status, problem, sources }) {
    this.#panel.say(problem || (status === "stopped" ? this.#texts.stopped : this.#texts.finished));
    this.#tell("answer", { answer: id, status, sources: sources.length });
  }

  async #stop() {
    const { controller, answer } = this.#running;
    controller.abort();
    if (answer.id) await this.#api.stop(answer.id).catch(() => {}); // It stops by itself, later.
  }

  /** Leave the conversation; it stays with the service for its time. */
  #anew() {
    if (this.#running) this.#stop();
    this.#begin();
    this.#panel.say(this.#texts.begun);
    this.#panel.focus();
  }

  async #forget() {
    this.#running?.controller.abort();
    try {
      await this.#api.forget(this.#memory.id);
    } catch (error) {
      if (!isNotFound(error)) {
        this.#panel.warn(this.#texts.error_action);
        return;
      }
    }
    this.#begin();
    this.#panel.say(this.#texts.deleted);
    this.#panel.focus();
  }

  #begin() {
    this.#memory.id = null;
    this.#panel.clear();
  }

  /** `index`: the name of the one that is searched, if one was chosen; each lists its sources in its way. */
  #show(answer, index) {
    const { listed_sources: listed } = this.#site.indexes.find(({ name }) => name === index) ?? this.#site;
    const exchange = new Exchange(answer, this.#texts, listed, {
      again: (broken) => {
        if (this.#running) return;
        if (!broken.id) exchange.element.remove();
        this.#panel.focus();
        this.#ask(broken.question);
      },
      ask: async (question) => {
        const { end } = this.#running ?? {};
        // The second click of two may come when the first one's answer is being written.
        if (end && exchange.element.matches(":last-of-type")) await Promise.all([this.#stop(), end]);
        if (this.#running || !exchange.element.isConnected) return;
        this.#panel.focus();
        this.#ask(question);
      },
      rate: (rated, rating, comment) => this.#api.rate(rated.id, rating, comment),
      offers: (answer) => offersBelow(this.#site.offers, { conversation: this.#memory.id, answer: answer.id }, this.#texts),
      say: (sentence) => this.#panel.say(sentence),
      followed: (anchor) => this.#followed(anchor),
      watch: (part, textsOf) => this.#panel.watch(part, textsOf),
    });
    this.#panel.append(exchange.element);
    return exchange;
  }

  /** Make room for the page where a link leads to another place of the same one. */
  #followed(anchor) {
    const here = location.href.split("#")[0];
    if (this.#launcher && anchor.href.split("#")[0] === here && this.#panel.covers) this.#close();
  }

  #tell(name, detail = null) {
    this.#host.dispatchEvent(new CustomEvent(`auskunft-${name}`, { bubbles: true, composed: true, detail }));
  }
}
