"""Drafts as JSON: the request model, and the schema of what is returned."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import FLAG, MOMENT, NUMBER, SHARE, TEXT, list_of, object_of, or_none
from app.api.schemas import Language, Text
from app.features.explain.drafts import DAYS, QUESTIONS
from ingest.types import MAX_URL_CHARACTERS

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
