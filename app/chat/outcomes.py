"""Names what visitors saw of an answer in one of six words for editors."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from app.search.types import Certainty

Outcome = Literal["answered", "partly", "none", "refused", "failed", "unfinished"]
"""``partly``: an answer to a part of the question, one that its sources do not support, or passages that only
come near; ``none``: no page answers it; ``refused``: it is no question for this website; ``failed``: the
service or its model had an error; ``unfinished``: it is being written, or the visitor left."""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
UNANSWERED: Final[tuple[Outcome, ...]] = ("partly", "none", "refused", "failed")

_BY_STATUS: Final[Mapping[str, Outcome]] = {
    "answered": "answered",
    "greeting": "answered",
    "partly": "partly",
    "unverified": "partly",
    "no_answer": "none",
    "out_of_scope": "refused",
    "failed": "failed",
}


def outcome_of(document: Mapping[str, Any], certainty: Certainty = "answered") -> Outcome:
    """Return what visitors saw of an answer's document. ``certainty``: of the pages found, by which passages
    are shown as an answer or as what comes nearest."""
    match document["status"]:
        case "extractive":
            return "partly" if certainty == "near" else "answered"
        case "interrupted":
            return "failed" if "model_unavailable" in document.get("degraded", ()) else "unfinished"
        case status:
            return _BY_STATUS.get(status, "failed")
