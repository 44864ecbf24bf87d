// Puts the chat on a page: its button, or its place within the page. The chat itself is loaded when it is
// opened or comes into view, so that a page whose visitors ask nothing pays for this file alone.
(() => {
  const { version, labels } = __SERVED__; // put in by the server: app/web/widget.py
  const NAME = "auskunft-chat";
  const CHECK_MS = 3000;
  // Not `document.currentScript`: an element of that name, which visitors may have written, would come first.
  const script = Reflect.get(Document.prototype, "currentScript", document);
  const base = new URL(".", script.src).href;
  const ICON = "M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H10l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z";

  const STYLE = `
    :host { display: block; color-scheme: light dark; }
    :host([hidden]) { display: none; }
    :host([variant="floating"]) { display: contents; }
    .launcher, .unavailable {
      position: fixed;
      z-index: var(--auskunft-z-index, 9000);
      inset-block-end: var(--auskunft-offset, 16px);
      inset-inline-end: var(--auskunft-offset, 16px);
      box-sizing: border-box;
      max-inline-size: calc(100vw - 2 * var(--auskunft-offset, 16px));
      font: 600 medium/1.4 var(--auskunft-font, system-ui, sans-serif);
      letter-spacing: normal;
      text-transform: none;
    }
    .launcher {
      display: flex;
      align-items: center;
      gap: 0.6em;
      padding: 0.75em 1.25em;
      min-block-size: 48px;
      border: 1px solid transparent;
      border-radius: 2em;
      background: var(--auskunft-accent, light-dark(#0b5a6f, #7fd0e6));
      color: var(--auskunft-on-accent, light-dark(#fff, #06262f));
      box-shadow: 0 1px 2px rgb(0 0 0 / 0.2), 0 4px 14px rgb(0 0 0 / 0.18);
      cursor: pointer;
    }
    .launcher:hover { filter: brightness(1.1); }
    .launcher:focus-visible {
      outline: 3px solid var(--auskunft-accent, light-dark(#0b5a6f, #7fd0e6));
      outline-offset: 3px;
    }
    .launcher[aria-busy="true"] { cursor: progress; opacity: 0.85; }
    .launcher[hidden], .unavailable:empty { display: none; }
    .launcher svg { flex: none; inline-size: 1.35em; block-size: 1.35em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
    .unavailable {
      margin: 0 0 4.5em;
      padding: 0.75em 1em;
      inline-size: 22em;
      border: 1px solid;
      border-radius: 0.5em;
      background: var(--auskunft-background, light-dark(#fff, #171b1f));
      color: var(--auskunft-text, light-dark(#1a1f24, #e8ecef));
      font-weight: 400;
    }
    :host(:not([variant="floating"])) .unavailable { position: static; margin: 0; inline-size: auto; }
  `;

  class AuskunftChat extends HTMLElement {
    #chat = null;
    #loading = null;
    #attempts = 0;
    #launcher = null;
    #unavailable = null;

    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: "open" });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
      root.adoptedStyleSheets = [sheet];
      const region = document.createElement("section");
      region.lang = this.#language;
      region.dir = this.#labels.direction;
      region.setAttribute("aria-label", this.#labels.chat);
      this.#unavailable = document.createElement("p");
      this.#unavailable.className = "unavailable";
      this.#unavailable.setAttribute("role", "alert");
      region.append(this.#unavailable);
      root.append(region);
      // What the page put in the element serves until the chat is there, and for good where it never comes.
      if (!this.#isFloating) region.append(document.createElement("slot"));
      this.#offer(region);
    }

    get #isFloating() {
      return this.getAttribute("variant") === "floating";
    }

    /** Offer the chat, but on a page that it refuses: there whoever embeds it is told why, and visitors nothing. */
    async #offer(region) {
      const refusal = await this.#refusal();
      if (refusal) console.error(`Auskunft: ${refusal}`);
      else if (this.#isFloating) this.#addLauncher(region);
      else this.#openInView();
    }

    /** Why the service refuses this page; empty where it does not, or cannot be asked now. */
    async #refusal() {
      try {
        const response = await fetch(`${base}api/site?${new URLSearchParams({ site: this.#site })}`, {
          credentials: "omit",
          referrerPolicy: "no-referrer",
          signal: AbortSignal.timeout(CHECK_MS),
        });
        return response.status === 404 ? (await response.json()).detail : "";
      } catch {
        return "";
      }
    }

    get #site() {
      return this.getAttribute("site") || "default";
    }

    get #memory() {
      return `auskunft:${this.#site}`;
    }

    /** The page's language, if there are texts in it. */
    get #pageLanguage() {
      const language = (this.closest("[lang]")?.lang || "").slice(0, 2).toLowerCase();
      return language in labels ? language : "";
    }

    get #language() {
      return this.#pageLanguage || "en";
    }

    get #labels() {
      return labels[this.#language];
    }

    get #label() {
      if (this.hasAttribute("label")) return this.getAttribute("label");
      try {
        return sessionStorage.getItem(this.#memory) ? this.#labels.continue : this.#labels.open;
      } catch {
        return this.#labels.open; // The page may not store anything.
      }
    }

    #addLauncher(region) {
      this.#launcher = document.createElement("button");
      this.#launcher.type = "button";
      this.#launcher.className = "launcher";
      this.#launcher.setAttribute("part", "launcher");
      this.#launcher.setAttribute("aria-haspopup", "dialog");
      this.#launcher.setAttribute("aria-expanded", "false");
      const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      icon.setAttribute("viewBox", "0 0 24 24");
      icon.setAttribute("aria-hidden", "true");
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", ICON);
      icon.append(path);
      const label = document.createElement("span");
      label.textContent = this.#label;
      this.addEventListener("auskunft-close", () => (label.textContent = this.#label));
      this.#launcher.append(icon, label);
      this.#launcher.addEventListener("click", () => this.#open());
      region.append(this.#launcher);
    }

    #openInView() {
      const observer = new IntersectionObserver(
        (entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          observer.disconnect();
          this.#open();
        },
        { rootMargin: "200px" },
      );
      observer.observe(this);
    }

    async #open() {
      this.#unavailable.textContent = "";
      this.#launcher?.setAttribute("aria-busy", "true");
      try {
        this.#loading ??= this.#load();
        this.#chat = await this.#loading;
        // Nobody loses the form that they are just filling in.
        if (!this.querySelector(":focus")) this.#chat.open();
      } catch {
        this.#loading = null;
        if (!this.childElementCount) this.#unavailable.textContent = this.#labels.unavailable;
      } finally {
        this.#launcher?.removeAttribute("aria-busy");
      }
    }

    async #load() {
      // Browsers may keep the failure of a module: a further attempt needs addresses of its own for all of them.
      const attempt = this.#attempts++ ? `-${this.#attempts}` : "";
      const { mount } = await import(`${base}widget/${version}${attempt}/chat.js`);
      return mount({
        host: this,
        region: this.shadowRoot.firstElementChild,
        launcher: this.#launcher,
        label: this.getAttribute("label"),
        base,
        site: this.#site,
        memory: this.#memory,
        pageLanguage: this.#pageLanguage,
        languages: Object.keys(labels),
      });
    }
  }

  function place({ site, variant, target, label, lang }) {
    const chat = document.createElement(NAME);
    chat.setAttribute("site", site);
    chat.setAttribute("variant", variant === "inline" ? "inline" : "floating");
    if (label) chat.setAttribute("label", label);
    if (lang) chat.lang = lang;
    for (const { name, value } of script.attributes) {
      if (name.startsWith("data-filter-")) chat.setAttribute(name.slice(5), value);
    }
    (document.querySelector(target || "body") || document.body).append(chat);
  }

  if (!customElements.get(NAME)) customElements.define(NAME, AuskunftChat);
  const settings = { ...script.dataset };
  if (!settings.site) return;
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => place(settings));
  else place(settings);
})();
