"""Visitors' questions as JSON: queries, requests, and the documents returned."""

from datetime import UTC, datetime, time
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import Day, Language, PageName, Text, ref_of
from app.chat.documents import AnswerDocument, SourceDocument
from app.chat.outcomes import Outcome
from app.chat.provenance import ProvenanceDocument
from app.document import Document, Stored
from app.features.questions.differences import DifferencesDocument
from app.features.questions.filter import QuestionFilter
from app.features.questions.gap_notes import COMMENT_CHARACTERS
from app.features.questions.gaps import GapState
from app.features.questions.store import MOST, PAGE, QuestionDocument, StoredQuestion


class StoredQuestionDocument(QuestionDocument):
    """A question with all sources listed below its answer, and the answer's provenance."""

    listed: Stored[list[SourceDocument]]
    provenance: Stored[ProvenanceDocument | None]

    @classmethod
    def of(cls, stored: StoredQuestion) -> Self:
        """Describe a question with everything that is stored of its answer."""
        return cls.from_objects(stored.record, stored, listed=stored.document.get("sources", []))


class ReplayDocument(Document):
    """Today's answer to a stored question."""

    answer: Stored[AnswerDocument]
    outcome: Outcome
    provenance: Stored[ProvenanceDocument]
    differences: DifferencesDocument


class QuestionFilterQuery(BaseModel):
    """The query of ``GET /api/admin/questions/counts``: a choice of questions."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")
    kind: Literal["all", "unanswered", "rated"] = Field(
        default="all", description="unanswered: with the outcome doubtful or unanswered"
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

    state: GapState = Field(
        default="all",
        description="open: not answered well, and not ticked off since; mine: open and assigned to you; "
        "done: ticked off",
    )
    after: Text | None = Field(default=None, max_length=64, description="`next` of the page before")
    limit: int = Field(default=PAGE, ge=1, le=MOST, description="groups in the page")


class GapNoteRequest(BaseModel):
    """The body of ``PUT /api/admin/questions/groups/ANSWER/note``; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    done: bool | None = Field(default=None, description="true: ticked off; false: open again")
    assigned_to: Text | None = Field(default=None, max_length=64, description="a user; empty: nobody")
    comment: Text | None = Field(default=None, max_length=COMMENT_CHARACTERS)
