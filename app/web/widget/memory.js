// Which conversation this tab is in: the only thing that the chat stores, gone when the tab is closed.

export class Memory {
  #key;
  #id = null;

  constructor(key) {
    this.#key = key;
    try {
      this.#id = sessionStorage.getItem(key);
    } catch {
      // Where the page may not store anything, the conversation lasts as long as the page.
    }
  }

  /** The conversation's id, `null` before the first question. */
  get id() {
    return this.#id;
  }

  set id(id) {
    this.#id = id;
    try {
      if (id === null) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, id);
    } catch {
      // As above.
    }
  }
}
