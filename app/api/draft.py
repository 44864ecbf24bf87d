"""``POST /api/admin/draft``: which of visitors' questions a draft would answer."""

from typing import Annotated, Any, Final, Literal

from apiflask import APIBlueprint
from flask import request
from pydantic import BaseModel, ConfigDict, Field

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.openapi import FLAG, MOMENT, NUMBER, SHARE, TEXT, list_of, object_of, or_none
from app.api.problem import problem_responses
from app.api.responses import json_response
from app.api.schemas import Language, Text
from app.api.state import current_services
from app.chat.draft_document import draft_document
from app.chat.drafts import DAYS, QUESTIONS, Draft
from ingest.types import MAX_URL_CHARACTERS

BODY_BYTES: Final = 1_000_000
MOST_QUESTIONS: Final = 200

_SHARES: Final = {"type": "object", "additionalProperties": SHARE}
_FIGURES: Final = {"score": SHARE, "coverage": SHARE, "similarity": _SHARES}
_PAGE: Final = {
    "source": TEXT,
    "id": TEXT,
    "language": TEXT,
    "url": TEXT,
    "title": TEXT,
    "updated": or_none(MOMENT),
}
_ANSWERS: Final = list_of(
    object_of(
        {
            "question": TEXT,
            "asked_at": MOMENT,
            "outcome": TEXT,
            "answers": FLAG,
            "beats": FLAG,
            "certainty": TEXT,
            "passed": FLAG,
            "place": or_none(NUMBER),
            **_FIGURES,
            "words_missing": list_of(TEXT),
            "block": or_none(object_of({"headings": list_of(TEXT), "text": TEXT})),
            "winner": or_none(object_of({**_PAGE, **_FIGURES})),
        }
    )
)
DRAFT: Final = object_of(
    {
        "language": TEXT,
        "fields": {"type": "object", "additionalProperties": TEXT},
        "chunks": list_of(object_of({"field": TEXT, "start": NUMBER, "end": NUMBER})),
        "unanswered": _ANSWERS,
        "answered": _ANSWERS,
        "answers": NUMBER,
        "beats": NUMBER,
        "left": NUMBER,
    }
)

blueprint = APIBlueprint("draft", __name__, url_prefix="/api/admin", tag="Administration")


class DraftRequest(BaseModel):
    """The body of ``POST /api/admin/draft``: one of ``text``, ``html`` and ``url``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text = Field(min_length=1, description="the source that it would be a page of")
    site: Text = Field(default="", description="the site whose visitors' questions it is asked")
    title: Annotated[Text, Field(max_length=2_000)] = ""
    text: Text = Field(default="", description="Markdown or plain text")
    html: Text = ""
    url: Text = Field(default="", max_length=MAX_URL_CHARACTERS, description="a preview of the CMS")
    language: Language | Literal["und"] = "und"
    days: int = Field(default=DAYS, ge=1, le=365, description="questions of so many days")
    questions: int = Field(
        default=QUESTIONS, ge=1, le=MOST_QUESTIONS, description="different questions of each kind, at most"
    )


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, and other media types than JSON, which a form on another site can send."""
    request.max_content_length = BODY_BYTES
    require_user()
    require_object()


@blueprint.post("/draft")
@blueprint.input(DraftRequest, location="json")
@blueprint.doc(
    summary="Ask a draft visitors' questions",
    security="AdminToken",
    responses={
        200: json_response("What it would answer", DRAFT),
        **problem_responses(400, 401, 403, 404, 413, 415, 422, 503),
    },
)
def draft(json_data: DraftRequest) -> tuple[dict[str, Any], dict[str, str]]:
    """The questions of the last days: ``unanswered``, which no page answers, and ``answered``, which one
    does; each with what the draft would say, and with today's first page. Nothing of the draft is kept."""
    report = current_services().drafts.ask(Draft(**json_data.model_dump()), visible_sources())
    return draft_document(report), NO_STORE
