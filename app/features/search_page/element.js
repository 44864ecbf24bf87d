// The search as an element of any page. What the page put into it, such as a form that needs no script, serves
// until the first results, or the empty field, take its place.
(() => {
  const TEXTS = __TEXTS__; // put in by the server: app/features/search_page/element.py
  const NAME = "auskunft-search";
  // Words are looked for while somebody types, meaning when they pause.
  const TYPING_MS = 120;
  const PAUSE_MS = 500;
  const LEAST = 2;
  const CHOICES = { source: "source", language: "written_in", kind: "kind" };
  const FILTER = "filter.";
  const FILTERED = /^filter\.[a-z][a-z0-9_]*(\.from|\.to)?$/;
  // Not `document.currentScript`: an element of that name, which visitors may have written, would come first.
  const script = Reflect.get(Document.prototype, "currentScript", document);
  const base = new URL(".", script.src).href;

  const STYLE = `
    :host {
      --accent: var(--auskunft-accent, light-dark(#0b5a6f, #7fd0e6));
      --on-accent: var(--auskunft-on-accent, light-dark(#fff, #06262f));
      --ground: var(--auskunft-background, light-dark(#fff, #14181c));
      --text: var(--auskunft-text, light-dark(#1a1f24, #e8ecef));
      --soft: color-mix(in srgb, var(--text) 74%, var(--ground));
      --edge: color-mix(in srgb, var(--text) 52%, var(--ground));
      --line: color-mix(in srgb, var(--text) 20%, var(--ground));
      --raised: color-mix(in srgb, var(--text) 6%, var(--ground));
      display: block;
      color-scheme: light dark;
    }
    :host([hidden]), [hidden] { display: none !important; }
    * { box-sizing: border-box; margin: 0; }
    .panel { color: var(--text); font: 1rem/1.55 var(--auskunft-font, system-ui, sans-serif); letter-spacing: normal; text-align: start; text-transform: none; overflow-wrap: anywhere; }
    .field { position: relative; display: flex; align-items: center; }
    .field > svg { position: absolute; inset-inline-start: 0.9em; }
    svg { inline-size: 1.2em; vertical-align: middle; fill: none; stroke: var(--soft); stroke-width: 2; stroke-linecap: round; pointer-events: none; }
    input { inline-size: 100%; min-block-size: 3em; padding: 0.6em 3em; border: 1px solid var(--edge); border-radius: var(--auskunft-radius, 10px); background: var(--ground); color: inherit; font: inherit; font-size: 1.0625em; appearance: none; }
    input::-webkit-search-cancel-button { display: none; }
    input::placeholder { color: var(--soft); opacity: 1; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    input:focus-visible { outline-offset: 0; border-radius: var(--auskunft-radius, 10px); }
    button { min-block-size: 2.75em; padding: 0.3em 1em; border: 1px solid var(--edge); border-radius: 8px; background: none; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
    button:hover { background: var(--raised); }
    .clear { position: absolute; inset-inline-end: 2px; inline-size: 2.75em; padding: 0; border: 0; color: var(--soft); font-size: 1em; }
    .status { margin-block: 0.9em 0.2em; font-weight: 600; }
    .status:empty { margin: 0; }
    .note { margin-block: 0.3em; color: var(--soft); font-size: 0.9375em; }
    .note button { min-block-size: 1.5em; padding: 0.1em 0.2em; border: 0; text-decoration: underline; text-underline-offset: 0.15em; }
    .filters { display: flex; flex-wrap: wrap; gap: 0.5em 1em; margin-block: 0.6em; }
    label { display: flex; align-items: center; gap: 0.5em; color: var(--soft); font-size: 0.9375em; }
    fieldset { display: flex; align-items: center; gap: 0.5em; border: 0; padding: 0; color: var(--soft); font-size: 0.9375em; }
    legend { float: inline-start; padding: 0; }
    .range button { min-block-size: 2.75em; }
    .bound { inline-size: 10em; min-block-size: 2.75em; padding: 0.2em 0.5em; border-radius: 8px; font-size: 1em; }
    select { max-inline-size: 14em; min-block-size: 2.75em; padding: 0.2em 0.5em; border: 1px solid var(--edge); border-radius: 8px; background: var(--ground); color: var(--text); font: inherit; }
    ol, ul { padding: 0; list-style: none; }
    .hits > li { padding-block: 0.9em; border-block-end: 1px solid var(--line); }
    h3 { font-size: 1.0625em; line-height: 1.35; }
    h4 { margin-block-start: 0.35em; font-size: 0.9375em; }
    a { color: var(--accent); text-underline-offset: 0.15em; }
    .place { color: var(--soft); font-size: 0.875em; }
    .ended { color: light-dark(#a3182a, #ff9aa6); font-size: 0.875em; }
    .hits ul { padding-inline-start: 1.2em; list-style: disc; }
    .text { font-size: 0.9375em; }
    mark { padding-inline: 0.1em; border-radius: 0.15em; background: light-dark(#ffe9a3, #5c4a10); color: inherit; }
    .parts { display: flex; align-items: center; justify-content: space-between; gap: 0.5em; margin-block-start: 1em; }
    .ask { margin-block-start: 1em; }
    .hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .waiting .hits { opacity: 0.6; }
    @media (prefers-reduced-motion: no-preference) { .hits { transition: opacity 0.15s; } }
    @media (forced-colors: active) { mark { background: Mark; color: MarkText; } }
  `;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);

  /** A new element. Attributes that are null or false are left out; functions listen to the event they name. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key, value);
      else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  /** A drawing of lines, which says nothing. */
  function drawing(lines) {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "0 0 24 24");
    picture.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", lines);
    picture.append(path);
    return picture;
  }

  /** A text whose every second piece is marked. */
  const pieces = (line) => line.map((text, number) => (number % 2 ? element("mark", {}, text) : text));
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

  /** Whether a parameter narrows the list. */
  const isChoice = (name) => FILTERED.test(name) || Object.values(CHOICES).includes(name);

  /** What a state has of filters, which a new question keeps; each may have several values. */
  const filtersOf = (state) => Object.fromEntries(Object.entries(state).filter(([name]) => FILTERED.test(name)));
  const valuesOf = (value) => [value ?? []].flat().filter(Boolean);

  class AuskunftSearch extends HTMLElement {
    #state = { q: "", page: 1 };
    #timers = [];
    #request = null;
    #parts = {};
    #panel = null;
    // Fields that earlier results had, for when a choice finds nothing.
    #facets = {};
    #onPop = () => this.#follow();

    connectedCallback() {
      if (this.hasAttribute("address")) addEventListener("popstate", this.#onPop);
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      this.#build(root);
      if (this.hasAttribute("address")) this.#state = this.#addressed();
      const typed = this.querySelector("input[name=q]");
      if (typed?.value && typed.value !== this.#state.q) this.#state = { ...filtersOf(this.#state), q: typed.value, page: 1 };
      this.#parts.input.value = this.#state.q;
      if (this.#state.q.trim()) this.#load({ kept: true });
      else this.#takeOver();
    }

    disconnectedCallback() {
      removeEventListener("popstate", this.#onPop);
      this.#cancel();
    }

    get #texts() {
      const language = (this.closest("[lang]")?.lang || "").slice(0, 2).toLowerCase();
      const code = language in TEXTS ? language : "en";
      return { ...TEXTS[code], code };
    }

    /** The filters that the page fixes, as `filter-office="Standesamt"` or `filter-year-from="2024"`. */
    get #fixed() {
      const given = [...this.attributes].filter(({ name }) => name.startsWith("filter-"));
      return given.flatMap(({ name, value }) => value.split(";").map((each) => [name.replaceAll("-", "."), each]));
    }

    /** Whether the page fixes a filter on the field, so that visitors cannot. */
    #isFixed(field) {
      return ["", "-from", "-to"].some((end) => this.hasAttribute(`filter-${field}${end}`));
    }

    #build(root) {
      const texts = this.#texts;
      const icon = drawing("M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5L20 20");
      const label = this.getAttribute("label") || texts.field;
      const input = element("input", {
        type: "search",
        name: "q",
        dir: "auto",
        autocomplete: "off",
        autocapitalize: "none",
        enterkeyhint: "search",
        maxlength: 2000,
        placeholder: texts.hint,
        "aria-label": label,
        "aria-describedby": "keys",
        input: () => this.#typed(),
      });
      const clear = element("button", { type: "button", class: "clear", "aria-label": texts.clear, hidden: true, click: () => this.#clear() }, drawing("M6 6l12 12M18 6L6 18"));
      const form = element("form", { role: "search", class: "field", submit: (event) => this.#submitted(event) }, icon, input, clear);
      this.#parts = {
        input,
        clear,
        status: element("p", { role: "status", class: "status" }),
        results: element("div", { class: "results" }),
      };
      const keys = element("span", { class: "hidden", id: "keys" }, texts.keys);
      this.#panel = element(
        "section",
        { class: "panel", lang: texts.code, "aria-label": label, hidden: true, keydown: (event) => this.#pressed(event) },
        element("h2", { class: "hidden" }, label),
        form,
        keys,
        this.#parts.status,
        this.#parts.results,
      );
      root.append(this.#panel, element("slot"));
    }

    /** Take the place of what the page put in, with what was typed there meanwhile, and the focus if that had it. */
    #takeOver() {
      const slot = this.shadowRoot.querySelector("slot");
      if (!slot) return;
      const typed = this.querySelector("input[name=q]");
      const used = this.contains(document.activeElement) ? document.activeElement.name : "";
      if (used === "q" && typed.value !== this.#state.q) {
        this.#parts.input.value = typed.value;
        this.#typed();
      }
      const own = (name) => (name ? this.#panel.querySelector(`[name="${name}"]`) : null);
      for (const { name, value, defaultValue } of this.querySelectorAll(".range input:not([type=hidden])"))
        if (value !== defaultValue && own(name)) own(name).value = value;
      this.#panel.hidden = false;
      slot.remove();
      own(used)?.focus();
    }

    #typed() {
      const q = this.#parts.input.value;
      this.#cancel();
      this.#parts.clear.hidden = !q;
      this.#state = { ...filtersOf(this.#state), q, page: 1 };
      if (q.trim().length < LEAST) {
        this.#empty();
        if (!q) this.#remember("replace");
        return;
      }
      this.#timers = [
        setTimeout(() => this.#load({ typing: true }), TYPING_MS),
        setTimeout(() => this.#load({ remember: "typed" }), PAUSE_MS),
      ];
    }

    #submitted(event) {
      event.preventDefault();
      this.#state = { ...this.#state, q: this.#parts.input.value };
      if (this.#state.q.trim()) this.#load({ remember: "typed" });
    }

    #clear() {
      this.#parts.input.value = "";
      this.#typed();
      this.#parts.input.focus();
    }

    #pressed(event) {
      if (event.key === "Escape" && this.#parts.input.value) {
        event.preventDefault();
        this.#clear();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const from = this.shadowRoot.activeElement;
      if (!step || event.altKey || event.ctrlKey || event.metaKey || from?.matches("select")) return;
      const stops = [this.#parts.input, ...this.#parts.results.querySelectorAll("h3 a")];
      const next = stops[stops.indexOf(from) + step];
      if (!stops.includes(from) || !next) return;
      event.preventDefault();
      next.focus();
    }

    #cancel() {
      this.#timers.forEach(clearTimeout);
      this.#timers = [];
      this.#request?.abort();
      this.#request = null;
    }

    /** Change what the list is narrowed to, or the part that is shown. */
    #go(change) {
      this.#state = { ...this.#state, page: 1, ...change };
      this.#parts.input.value = this.#state.q;
      this.#load({ remember: "push" });
      this.#parts.input.scrollIntoView({ block: "nearest" });
    }

    async #load({ typing = false, remember = "", kept = false }) {
      if (typing) this.#request?.abort();
      else this.#cancel();
      const request = (this.#request = new AbortController());
      const { q, ...chosen } = this.#state;
      const site = this.getAttribute("site");
      const query = new URLSearchParams({ ...(site && { site }), q: q.trim() });
      if (typing) query.set("typing", "true");
      for (const [name, value] of Object.entries(chosen)) for (const each of valuesOf(value)) if (each !== 1) query.append(name, each);
      for (const [name, value] of this.#fixed) query.append(name, value);
      if (!typing) this.#panel.classList.add("waiting");
      try {
        const response = await fetch(`${base}api/search/pages?${query}`, {
          credentials: "omit",
          referrerPolicy: "no-referrer",
          cache: "no-store",
          signal: request.signal,
        });
        if (!response.ok) throw response.status;
        const found = await response.json();
        // What is half typed finds nothing more often than what is meant.
        if (typing && !found.count) return;
        this.#show(found, typing);
        if (remember) this.#remember(remember);
        this.#takeOver();
      } catch (problem) {
        if (request.signal.aborted || typing || kept) return;
        this.#explain();
        this.#empty();
        this.#parts.status.textContent = problem === 429 ? this.#texts.often : this.#texts.failed;
      } finally {
        if (this.#request === request) this.#panel.classList.remove("waiting");
      }
    }

    /** Tell whoever embeds the search why the service refuses the page, if it does: a browser hides it. */
    async #explain() {
      const site = this.getAttribute("site");
      const response = await fetch(`${base}api/site?${new URLSearchParams({ ...(site && { site }) })}`, {
        credentials: "omit",
        referrerPolicy: "no-referrer",
      }).catch(() => null);
      if (response?.status === 404) console.error(`Auskunft: ${(await response.json()).detail}`);
    }

    #empty() {
      this.#panel.classList.remove("waiting");
      this.#parts.status.textContent = "";
      this.#parts.results.replaceChildren();
    }

    #show(found, typing) {
      const texts = this.#texts;
      this.#parts.clear.hidden = !this.#parts.input.value;
      const told = !found.count ? texts.none : found.count === 1 ? texts.one : found.more ? texts.more : texts.many;
      // Screen readers are told when somebody pauses, not at every key.
      this.#parts.status.setAttribute("aria-live", typing ? "off" : "polite");
      this.#parts.status.textContent = fill(told, { count: found.count, q: found.asked });
      this.#replace(
        ...[
          found.question !== found.asked && found.count
            ? element("p", { class: "note" }, `${texts.corrected} `, element("strong", {}, found.question), `. ${texts.instead}`)
            : null,
          found.suggestion
            ? element("p", { class: "note" }, `${texts.meant} `, element("button", { type: "button", click: () => this.#go({ q: found.suggestion }) }, found.suggestion), "?")
            : null,
          found.count ? null : element("p", { class: "note" }, texts.tips),
          typing ? null : this.#filters(found, texts),
          element("ol", { class: "hits" }, ...found.hits.map((hit) => this.#hit(hit, texts))),
          found.pages > 1 && !typing ? this.#leaf(found, texts) : null,
          this.#ask(texts),
        ].filter(Boolean),
      );
    }

    /** Put results in the place of earlier ones. The filter or result in use keeps the focus, a range what is typed but not applied. */
    #replace(...results) {
      const typed = [...this.#parts.results.querySelectorAll(".bound")].filter(({ value, defaultValue }) => value !== defaultValue);
      const used = this.#parts.results.contains(this.shadowRoot.activeElement) ? this.shadowRoot.activeElement : null;
      this.#parts.results.replaceChildren(...results);
      const named = (name) => this.#parts.results.querySelector(`[name="${name}"]`);
      for (const { name, value } of typed) if (named(name)) named(name).value = value;
      const again = used?.name ? named(used.name) : [...this.#parts.results.querySelectorAll("h3 a")].find(({ href }) => href === used?.href);
      again?.focus();
    }

    #filters(found, texts) {
      const selects = Object.entries(CHOICES).flatMap(([name, parameter]) => {
        const counts = Object.entries(found.filters[name]);
        const chosen = this.#state[parameter] || "";
        if (counts.length < 2 && !chosen) return [];
        const sum = counts.reduce((all, [, count]) => all + count, 0);
        const option = (value, text, count) => element("option", { value, selected: value === chosen }, `${text} (${count})`);
        const options = [option("", texts.all, sum), ...counts.map(([value, count]) => option(value, this.#called(name, value, texts), count))];
        const change = (event) => this.#go({ [parameter]: event.target.value });
        return [element("label", {}, texts[name], element("select", { name: parameter, change }, ...options))];
      });
      selects.push(...this.#facetsOf(found).flatMap((facet) => this.#facet(facet, texts)));
      return selects.length ? element("div", { class: "filters", role: "group", "aria-label": texts.filters }, ...selects) : null;
    }

    /** The fields to narrow the list by: those of the pages found, and those by which it is narrowed. */
    #facetsOf(found) {
      const facets = found.facets || [];
      for (const facet of facets) this.#facets[facet.field] = facet;
      const missing = Object.keys(filtersOf(this.#state))
        .map((name) => name.split(".")[1])
        .filter((field) => !facets.some((facet) => facet.field === field));
      const unknown = (field) => ({ field, type: "keyword", labels: {} });
      return [...facets, ...[...new Set(missing)].map((field) => ({ ...(this.#facets[field] || unknown(field)), values: [] }))];
    }

    /** What narrows the list by a declared field: a list of values, or the two ends of a range. */
    #facet({ field, type, labels, values = [], min, max }, texts) {
      if (this.#isFixed(field)) return [];
      const name = FILTER + field;
      const [from, to] = [`${name}.from`, `${name}.to`];
      const label = labels[texts.code] || labels.en || Object.values(labels)[0] || field;
      const given = [name, from, to].flatMap((key) => valuesOf(this.#state[key]));
      const without = { [name]: "", [from]: "", [to]: "" };
      if (type === "keyword") {
        if (values.length < 2 && !given.length) return [];
        const chosen = given.join("; ");
        const option = (value, text) => element("option", { value, selected: value === chosen }, text);
        // What is beside the chosen value is not counted: the count would be of pages that have both.
        const options = values.map(({ value, count }) => option(value, !chosen || value === chosen ? `${value} (${count})` : value));
        if (chosen && !values.some(({ value }) => value === chosen)) options.push(option(chosen, chosen));
        const change = (event) => this.#go({ ...without, [name]: event.target.value });
        return [element("label", {}, label, element("select", { name, change }, option("", texts.all), ...options))];
      }
      if (min === max && !given.length) return [];
      const input = (key, text, bound) => {
        const value = valuesOf(this.#state[key])[0] || valuesOf(this.#state[name])[0] || "";
        const limits = type === "number" ? { step: "any" } : { max: "9999-12-31" };
        return element("label", {}, text, element("input", { class: "bound", type, ...limits, name: key, value, placeholder: bound }));
      };
      // Applied by Enter or the button: half a year or a date finds nothing.
      const submit = (event) => {
        event.preventDefault();
        const typed = new FormData(event.target);
        for (const key of [from, to]) event.target.elements[key].defaultValue = typed.get(key);
        this.#go({ ...without, [from]: typed.get(from), [to]: typed.get(to) });
      };
      const inputs = [input(from, texts.from, min), input(to, texts.to, max), element("button", { name: `${name}.apply` }, texts.apply)];
      return [element("form", { class: "range", submit }, element("fieldset", {}, element("legend", {}, label), ...inputs))];
    }

    #called(name, value, texts) {
      if (name === "source") return value;
      return texts[`is_${value}`] || value;
    }

    #hit(hit, texts) {
      const title = pieces(hit.title);
      const open = /^https?:/i.test(hit.href) ? [element("a", { href: hit.href, rel: "noopener noreferrer" }, ...title)] : title;
      const day = hit.updated && new Date(`${hit.updated}T12:00:00Z`).toLocaleDateString(texts.code, { dateStyle: "long", timeZone: "UTC" });
      const place = [hit.path, day && `${texts.updated} ${day}`].filter(Boolean).join(" · ");
      const lang = /^[a-z]{2}$/.test(hit.language) && hit.language !== texts.code ? hit.language : null;
      const lines = [];
      for (const line of hit.lines) {
        if (!line.listed) lines.push(element("p", { class: "text" }, ...pieces(line.pieces)));
        else {
          if (lines.at(-1)?.localName !== "ul") lines.push(element("ul", { class: "text" }));
          lines.at(-1).append(element("li", {}, ...pieces(line.pieces)));
        }
      }
      return element(
        "li",
        { lang, dir: "auto" },
        element("h3", {}, ...open),
        place ? element("p", { class: "place", lang: lang && texts.code }, place) : null,
        hit.heading ? element("h4", {}, hit.heading) : null,
        ...lines,
      );
    }

    #leaf(found, texts) {
      const button = (text, page) =>
        element("span", {}, page >= 1 && page <= found.pages ? element("button", { type: "button", click: () => this.#go({ page }) }, text) : null);
      return element(
        "nav",
        { class: "parts", "aria-label": texts.parts },
        button(texts.before, found.page - 1),
        element("span", {}, fill(texts.part, found)),
        button(texts.after, found.page + 1),
      );
    }

    /** A button that asks the chat instead, where the page says where that is. */
    #ask(texts) {
      if (!this.hasAttribute("ask")) return null;
      const action = new URL(this.getAttribute("ask"), location.href);
      for (const name of [...action.searchParams.keys()]) if (FILTERED.test(name)) action.searchParams.delete(name);
      const chosen = Object.entries(filtersOf(this.#state)).flatMap(([name, value]) => valuesOf(value).map((each) => [name, each]));
      for (const [name, value] of [...chosen, ...this.#fixed]) action.searchParams.append(name, value);
      const question = element("input", { type: "hidden", name: "q", value: this.#state.q.trim() });
      return element("form", { class: "ask", method: "post", action }, question, element("button", {}, texts.ask));
    }

    #addressed() {
      const query = new URLSearchParams(location.search);
      const state = { q: query.get("q") || "", page: Number(query.get("page")) || 1 };
      for (const name of query.keys()) {
        if (!isChoice(name) || (FILTERED.test(name) && this.#isFixed(name.split(".")[1]))) continue;
        const values = query.getAll(name).filter(Boolean);
        if (values.length) state[name] = values.length > 1 && FILTERED.test(name) ? values : values.at(-1);
      }
      return state;
    }

    /** Write the state into the page's address: a query that is being typed is one step of the history. */
    #remember(how) {
      if (!this.hasAttribute("address")) return;
      const address = new URL(location.href);
      const given = [...address.searchParams.keys(), ...Object.keys(this.#state)].filter(isChoice);
      for (const name of new Set(["q", "page", ...given])) {
        address.searchParams.delete(name);
        for (const value of valuesOf(this.#state[name])) if (value !== 1) address.searchParams.append(name, value);
      }
      if (address.href === location.href) return;
      const typing = how === "replace" || (how === "typed" && history.state?.auskunft === "typed");
      history[typing ? "replaceState" : "pushState"]({ auskunft: how === "push" ? "chosen" : "typed" }, "", address);
    }

    #follow() {
      this.#cancel();
      this.#state = this.#addressed();
      this.#parts.input.value = this.#state.q;
      this.#parts.clear.hidden = !this.#state.q;
      if (this.#state.q.trim()) this.#load({});
      else this.#empty();
    }
  }

  if (!customElements.get(NAME)) customElements.define(NAME, AuskunftSearch);
})();
