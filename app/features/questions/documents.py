"""Visitors' questions as JSON: what asks for them, and what is returned."""

from datetime import UTC, datetime, time
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import (
    DAY,
    DEGRADED,
    FLAG,
    MODE,
    MOMENT,
    NUMBER,
    SHARE,
    TEXT,
    Schema,
    list_of,
    object_of,
    or_none,
)
from app.api.schemas import Day, Language, PageName, Text, ref_of
from app.chat.events import Status
from app.chat.outcomes import OUTCOMES, Outcome
from app.features.questions.filter import QuestionFilter
from app.features.questions.store import MOST, PAGE

_QUESTION: Final = object_of(
    {
        "id": TEXT,
        "asked_at": MOMENT,
        "site": TEXT,
        "language": TEXT,
        "question": TEXT,
        "outcome": {"enum": list(OUTCOMES)},
        "status": {"enum": [*get_args(Status), "running"]},
        "answer": TEXT,
        "sources": list_of(TEXT),
        "degraded": DEGRADED,
        "rating": {"enum": ["up", "down", ""]},
        "comment": TEXT,
    }
)
QUESTIONS: Final = object_of({"questions": list_of(_QUESTION), "next": or_none(TEXT)})
_COUNTS: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}
QUESTION_COUNTS: Final = object_of(
    {"total": NUMBER, **dict.fromkeys(("sites", "outcomes", "languages", "ratings"), _COUNTS)}
)
QUESTION_GROUPS: Final = object_of(
    {
        "made_at": or_none(MOMENT),
        "requested": FLAG,
        "questions": NUMBER,
        "left": NUMBER,
        "groups": list_of(
            object_of(
                {
                    "number": NUMBER,
                    "site": TEXT,
                    "question": TEXT,
                    "count": NUMBER,
                    "unanswered": NUMBER,
                    "share_unanswered": SHARE,
                    "last_asked_at": MOMENT,
                }
            )
        ),
        "next": or_none(TEXT),
    }
)
_VERSION: Final = object_of({"sequence": NUMBER, "hash": TEXT})
_PAGE_NAMES: Final = dict.fromkeys(("source", "id", "language", "url", "title"), TEXT)
_VALUES: Final[Schema] = {"type": "object", "additionalProperties": SHARE}
_PROVENANCE: Final = object_of(
    {
        "preset": object_of({"name": TEXT, "hash": TEXT}),
        "prompts": TEXT,
        "prompt": TEXT,
        "model": or_none(TEXT),
        "generation": or_none(NUMBER),
        "embedder": or_none(TEXT),
        "thresholds": or_none(_VALUES),
        "asked": object_of({"sources": list_of(TEXT), "language": or_none(TEXT), "at": or_none(DAY)}),
        "searched": or_none(TEXT),
        "mode": MODE,
        "certainty": or_none(TEXT),
        "relevance": or_none(SHARE),
        "degraded": DEGRADED,
        "pages": list_of(
            object_of(
                {
                    **_PAGE_NAMES,
                    "number": or_none(NUMBER),
                    "rank": or_none(NUMBER),
                    "score": or_none(SHARE),
                    "coverage": or_none(SHARE),
                    "similarity": _VALUES,
                    "version": _VERSION,
                }
            )
        ),
    }
)
STORED_QUESTION: Final[Schema] = {
    **_QUESTION,
    "required": [*_QUESTION["required"], "listed", "provenance"],
    "properties": _QUESTION["properties"]
    | {"listed": list_of({"type": "object"}), "provenance": or_none(_PROVENANCE)},
}
REPLAY: Final = object_of(
    {
        "answer": {"type": "object"},
        "outcome": {"enum": list(OUTCOMES)},
        "provenance": _PROVENANCE,
        "differences": object_of(
            {
                **dict.fromkeys(("text", "status", "degraded", "order"), FLAG),
                "pages": list_of(
                    object_of(
                        {
                            "change": {"enum": ["changed", "new", "gone"]},
                            **_PAGE_NAMES,
                            "read": FLAG,
                            "before": or_none(_VERSION),
                            "now": or_none(_VERSION),
                        }
                    )
                ),
                "setup": {"type": "object", "additionalProperties": {"type": "array"}},
            }
        ),
    }
)
JOB_ANSWERS: Final = object_of(
    {
        "job": TEXT,
        "compared_at": or_none(MOMENT),
        "changes": list_of(object_of(dict.fromkeys(("id", "site", "question", "before", "after"), TEXT))),
    }
)


class QuestionFilterQuery(BaseModel):
    """Which questions: the query of ``GET /api/admin/questions/counts``."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")
    kind: Literal["all", "unanswered", "rated"] = Field(
        default="all", description="unanswered: with the outcome partly, none, refused or failed"
    )
    since: Day | None = Field(default=None, description="from the beginning of that day on, UTC")
    until: Day | None = Field(default=None, description="to the end of that day, UTC")
    outcome: Outcome | None = Field(default=None, description="what the visitor saw")
    language: Language | None = Field(default=None, description="of the answer, ISO 639-1")
    rating: Literal["up", "down", "any", "none"] | None = None
    text: Text = Field(default="", max_length=200, description="words that are all in the question")

    group: int | None = Field(default=None, ge=0, le=999_999_999, description="the group's number")
    cited: PageName | None = Field(
        default=None, description="a page that the answer cites, as `source/language/id`"
    )

    def chosen(self) -> QuestionFilter:
        """Return the filter."""
        return QuestionFilter(
            site=self.site,
            since=None if self.since is None else datetime.combine(self.since, time.min, UTC),
            until=None if self.until is None else datetime.combine(self.until, time.max, UTC),
            outcomes=None if self.outcome is None else (self.outcome,),
            language=self.language,
            rating=self.rating,
            text=self.text,
            group=self.group,
            cited=None if self.cited is None else ref_of(self.cited),
        ).of_kind(self.kind)


class QuestionsQuery(QuestionFilterQuery):
    """The query of ``GET /api/admin/questions``."""

    format: Literal["json", "csv", "jsonl"] = Field(
        default="json", description="csv and jsonl have all questions, json a page of the list"
    )
    after: Text | None = Field(default=None, max_length=64, description="`next` of the page before")
    limit: int = Field(default=PAGE, ge=1, le=MOST, description="questions in the page")


class QuestionSiteQuery(BaseModel):
    """The query of ``POST /api/admin/questions/groups``."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")


class QuestionGroupsQuery(QuestionSiteQuery):
    """The query of ``GET /api/admin/questions/groups``."""

    after: Text | None = Field(default=None, max_length=64, description="`next` of the page before")
    limit: int = Field(default=PAGE, ge=1, le=MOST, description="groups in the page")
