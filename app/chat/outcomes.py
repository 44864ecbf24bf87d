"""The outcome of a question, for editors: if the pages answered it, as far as we know.

It follows from the answer's own certainty and from the visitor's reaction. Pure functions.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

Outcome = Literal["answered", "doubtful", "unanswered", "other", "unfinished"]
"""The outcome of a question.

* ``doubtful``: the answer is partial, not supported by its sources or made of passages that only come near,
  or the visitor was not content with a good one
* ``unanswered``: no page answers, or the service had an error
* ``other``: the question asks nothing of the pages (a greeting, a wish for a person, a poem, a subject that
  editors decline), or the answer asks what the visitor means
* ``unfinished``: the answer is being written, or the visitor left
"""

Reaction = Literal["", "asked_again", "handed_over"]
"""The visitor's reaction to the answer: they asked the same in other words, or turned to a person."""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
GAPS: Final[tuple[Outcome, ...]] = ("doubtful", "unanswered")
JUDGED: Final[tuple[Outcome, ...]] = ("answered", *GAPS)
"""The outcomes that count when shares are computed."""

_WORSE: Final[Mapping[Outcome, Outcome]] = {"answered": "doubtful", "doubtful": "unanswered"}


def outcome_of(
    document: Mapping[str, Any], rating: Literal["up", "down", ""] = "", reaction: Reaction = ""
) -> Outcome:
    """Return the outcome of a question by its answer's document, the visitor's rating and reaction.

    A visitor who is not content makes it one step worse; a rating of ``up`` makes a doubtful answer good.
    """
    found = _of_answer(document)
    if rating == "up" and found == "doubtful":
        return "answered"
    if rating == "down" and found == "other":
        return "doubtful"
    return _WORSE.get(found, found) if rating != "up" and (rating or reaction) else found


def _of_answer(document: Mapping[str, Any]) -> Outcome:
    match document["status"]:
        case "interrupted" if "model_unavailable" not in document.get("degraded", ()):
            return "unfinished"
        case "greeting":
            return "other"
        case "out_of_scope" if document.get("mode") is None:  # declined without a search
            return "other"
        case "answered" | "extractive" if not _is_doubtful(document):
            return "other" if document.get("asks_back") else "answered"
        case "answered" | "extractive" | "partly" | "unverified" | "interrupted":
            return "doubtful"
        case _:
            return "unanswered"


def _is_doubtful(document: Mapping[str, Any]) -> bool:
    return document.get("certainty", "sure") != "sure" or bool(document.get("absent_words"))
