// An answer as the chat knows it, live or stored: plain values, changed by pure functions.
//
// `status` is null while the answer is written, then the service's; "stopped" where the visitor stopped it,
// "broken" where the connection or the request failed. `problem` is the sentence that says so.

const NOTHING = {
  id: null,
  status: null,
  blocks: [],
  sources: [],
  degraded: [],
  time: null,
  model: null,
  citations: [],
  probable: [],
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
      return { ...answer, sources: data.sources, degraded: data.degraded, time: data.time ?? null };
    case "block":
      return { ...answer, blocks: [...answer.blocks, data.html] };
    case "done":
      return { ...answer, ...known(data), status: data.status };
    case "failed":
      return { ...answer, status: "failed" };
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

function known(data) {
  const names = Object.keys(NOTHING).filter((name) => data[name] !== undefined && data[name] !== null);
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}
