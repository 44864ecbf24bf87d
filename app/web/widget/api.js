// The service's API for one site. Sends no cookies and no address of the page that asks.

import { events } from "./sse.js";

/** The server pings every 3 seconds; after so long without a byte the connection is dead. */
const SILENCE_MS = 20_000;

/** The service refused: its HTTP status, and after how many seconds it may be asked again (if it says so). */
export class ApiError extends Error {
  constructor(status, seconds) {
    super(`HTTP ${status}`);
    this.status = status;
    this.seconds = seconds;
  }
}

export class Api {
  #base;
  #site;

  /** `base`: the address under which `api/` is found, ending in a slash. `site`: its key. */
  constructor(base, site) {
    this.#base = base;
    this.#site = site;
  }

  /** What the chat shows of its site: `{name, language, privacy_url, examples, …}`, examples in a language. */
  async site(language) {
    return (await this.#send("GET", "site", undefined, undefined, language ? { language } : {})).json();
  }

  async conversation(id) {
    return (await this.#send("GET", `conversations/${encodeURIComponent(id)}`)).json();
  }

  async answer(id) {
    return (await this.#send("GET", `answers/${encodeURIComponent(id)}`)).json();
  }

  async forget(conversation) {
    await this.#send("DELETE", `conversations/${encodeURIComponent(conversation)}`);
  }

  async stop(answer) {
    await this.#send("POST", `answers/${encodeURIComponent(answer)}/stop`, {});
  }

  async rate(answer, rating, comment) {
    await this.#send("POST", "feedback", comment ? { answer, rating, comment } : { answer, rating });
  }

  /**
   * The events of an answer; rejects when the connection is lost or silent, or `signal` aborts. `question`: with
   * `conversation`, `index`, `at` and `filters`, null where there is none.
   */
  async *ask(question, signal) {
    const silence = new AbortController();
    let timer = 0;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    const body = Object.fromEntries(Object.entries(question).filter(([, value]) => value));
    alive();
    try {
      const response = await this.#send("POST", "chat", body, AbortSignal.any([signal, silence.signal]));
      yield* events(response.body, alive);
    } finally {
      clearTimeout(timer);
    }
  }

  async #send(method, path, body, signal, query = {}) {
    const parameters = new URLSearchParams({ site: this.#site, ...query });
    const response = await fetch(`${this.#base}api/${path}?${parameters}`, {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal,
    });
    if (response.ok) return response;
    throw new ApiError(response.status, Number(response.headers.get("Retry-After")) || 0);
  }
}
