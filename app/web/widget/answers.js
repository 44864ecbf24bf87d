// An answer as the chat knows it, live or stored: plain values, changed by pure functions.
//
// `status` is null while the answer is written, then the service's; "stopped" where the visitor stopped it,
// "broken" where the connection or the request failed. `problem` is the sentence that says so.

/** How an answer ends that answers nothing. */
const UNANSWERED = ["no_answer", "out_of_scope", "interrupted", "failed", "stopped", "broken"];
const CITATION = / href="#source-(\d{1,2})"/g;

const NOTHING = {
  id: null,
  status: null,
  blocks: [],
  preview: "",
  sources: [],
  degraded: [],
  time: null,
  as_of: null,
  model: null,
  energy: null,
  curated: null,
  citations: [],
  probable: [],
  suggestions: [],
  other_readings: [],
  unhelped: false,
  more_html: "",
  problem: "",
};

/** The answer to a question that was just asked. */
export function asked(question) {
  return { ...NOTHING, question };
}

/** The answer after an event of its stream. */
export function received(answer, { name, data }) {
  switch (name) {
    case "started":
      return { ...answer, id: data.answer };
    case "sources":
      return { ...answer, ...known(data) };
    case "preview":
      return { ...answer, preview: [...answer.preview].slice(0, data.keep).join("") + data.text };
    case "block":
      return { ...answer, blocks: [...answer.blocks, data.html], preview: "" };
    case "done":
      return { ...answer, ...known(data), status: data.status };
    case "failed":
      return { ...answer, status: "failed", unhelped: true };
    default:
      return answer; // A newer service may tell more.
  }
}

/** An answer as the service keeps it. */
export function stored(document) {
  const blocks = document.html ? [document.html] : [];
  const status = document.status === "running" ? null : document.status;
  return { ...NOTHING, question: document.question, ...known(document), id: document.id, status, blocks };
}

/** The answer that ended without the service having said so. */
export function ended(answer, status, problem = "") {
  return { ...answer, status, problem };
}

/**
 * The sources below an answer, the other pages that were found, and whether it cites none so that the first are
 * a guess. `listed`: "cited", or "used" for all unless there is no answer (docs/chat.md).
 */
export function listedSources({ blocks, citations, probable, sources, status }, listed) {
  if (listed === "used" && !UNANSWERED.includes(status)) return { shown: sources, others: [], guessed: false };
  const linked = [...blocks.join("").matchAll(CITATION)].map(([, number]) => Number(number));
  const cited = citations.length ? citations : linked;
  const numbers = cited.length ? cited : probable;
  const isShown = ({ number }) => numbers.includes(number);
  return {
    shown: sources.filter(isShown),
    others: sources.filter((source) => !isShown(source)),
    guessed: !cited.length,
  };
}

function known(data) {
  const names = Object.keys(NOTHING).filter((name) => data[name] !== undefined && data[name] !== null);
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}
