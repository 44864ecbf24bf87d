// Server-sent events (WHATWG HTML, "Server-sent events"), read from a fetched body: EventSource cannot POST.

const LINE_END = /\r\n|\n|\r(?!$)/; // A carriage return at the end may be half of a line end.

/**
 * The events of a stream of bytes, as they are complete: `{name, data}`, data parsed as JSON.
 *
 * `onBytes` is called whenever something arrived, comments included. Rejects with what reading rejects with.
 */
export async function* events(body, onBytes = () => {}) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let name = "";
  let data = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const lines = (rest + value).split(LINE_END);
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (data.length) yield { name: name || "message", data: JSON.parse(data.join("\n")) };
          name = "";
          data = [];
        } else if (line.startsWith("event:")) {
          name = valueOf(line);
        } else if (line.startsWith("data:")) {
          data.push(valueOf(line));
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // What broke the stream was thrown already.
  }
}

function valueOf(line) {
  return line.slice(line.indexOf(":") + 1).replace(/^ /, "");
}
