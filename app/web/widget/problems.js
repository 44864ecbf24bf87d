// What to tell a visitor when something failed.

import { ApiError } from "./api.js";
import { fill, inSeconds } from "./texts.js";

/** The sentence for an error that a question ended with. */
export function problemOf(error, texts) {
  if (!(error instanceof ApiError)) return texts.error_offline;
  switch (error.status) {
    case 400:
    case 413:
    case 422:
      return texts.error_question;
    case 404:
      return texts.error_site;
    case 409:
      return texts.error_busy;
    case 429:
      if (!error.seconds) return texts.error_limit_later;
      return fill(texts.error_limit, { when: inSeconds(error.seconds, texts.language) });
    default:
      return texts.error_failed;
  }
}
