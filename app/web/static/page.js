// Streams the answer into the page. Without this script the form does the same with a page load.

const byId = (id) => document.getElementById(id);
const texts = JSON.parse(byId("main").dataset.texts);
const form = byId("form");
let running = null;
let limits = [];

form.addEventListener("submit", (event) => {
  if (event.submitter?.value === "search") return;
  event.preventDefault();
  const question = byId("question").value.trim();
  if (question) ask(question);
});

async function ask(question) {
  running?.abort();
  const mine = (running = new AbortController());
  start(question);
  try {
    await answer(question, mine.signal);
  } catch (error) {
    if (mine.signal.aborted) return;
    fail(error.detail);
  }
  byId("blocks").setAttribute("aria-busy", "false");
}

async function answer(question, signal) {
  const response = await fetch("/api/chat", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question }),
    signal,
  });
  if (!response.ok) throw await response.json();
  let finished = false;
  for await (const { name, data } of events(response.body)) {
    show[name]?.(data);
    finished ||= name === "done" || name === "failed";
  }
  if (!finished) fail();
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (buffer + value).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) {
      const match = /^event: (.*)\ndata: (.*)$/.exec(frame);
      if (match) yield { name: match[1], data: JSON.parse(match[2]) };
    }
  }
}

const show = {
  sources({ sources, degraded, time }) {
    limits = time ? [timeSentence(time)] : [];
    list("used", "sources", sources.filter((source) => source.number !== null));
    list("unused", "others", sources.filter((source) => source.number === null));
    notes(degraded);
    byId("answer").hidden = false;
    say(texts.answering);
  },
  block({ html }) {
    // Sanitised by the server; the page's policy allows no inline script either.
    byId("blocks").insertAdjacentHTML("beforeend", html);
  },
  done({ status, degraded }) {
    byId("origin").textContent = texts[`origin_${status}`];
    notes(degraded);
    say(texts.done);
  },
  failed() {
    fail();
  },
};

function start(question) {
  const address = new URLSearchParams({ q: question, lang: document.documentElement.lang, mode: "ask" });
  history.replaceState(null, "", `?${address}`);
  document.title = `${question} – ${texts.title}`;
  byId("hits")?.remove();
  byId("answer").hidden = true;
  byId("error").textContent = "";
  byId("origin").textContent = "";
  byId("blocks").replaceChildren();
  byId("blocks").setAttribute("aria-busy", "true");
  say(texts.searching);
}

function fail(message) {
  say("");
  byId("error").textContent = message || texts.failed;
}

function say(sentence) {
  byId("status").textContent = sentence;
}

function notes(labels) {
  const sentences = [...limits, ...labels.map((label) => texts.labels[label])];
  byId("notes").replaceChildren(...sentences.map((sentence) => element("li", sentence)));
}

function timeSentence({ in_force_on: at, published_from: start, published_before: end }) {
  const published = start && end ? "between" : start ? "from" : end ? "before" : null;
  return [at ? "at" : null, published]
    .filter((name) => name)
    .map((name) => texts.times[name].replace("{at}", at).replace("{start}", start).replace("{end}", end))
    .join(" ");
}

function list(section, id, sources) {
  byId(section).hidden = sources.length === 0;
  byId(id).replaceChildren(...sources.map(sourceItem));
}

function sourceItem({ number, title, url, similarity, ended }) {
  const item = element("li");
  if (number !== null) {
    item.id = `source-${number}`;
    item.append(`[${number}] `);
  }
  item.append(pageLink(title, url));
  if (ended) {
    const since = element("span", texts.ended.replace("{day}", ended));
    since.className = "ended";
    item.append(" ", since);
  }
  if (similarity !== null) {
    const percent = element("span", `${texts.similarity} ${Math.round(100 * similarity)} %`);
    percent.className = "similarity";
    item.append(" ", percent);
  }
  return item;
}

function pageLink(title, url) {
  if (!/^https?:/i.test(url)) return element("span", title);
  const link = element("a", title);
  link.href = url;
  link.rel = "noopener noreferrer";
  return link;
}

function element(name, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
