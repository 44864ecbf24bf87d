"""Visitors' questions as JSON: what asks for them, and what is returned."""

from datetime import UTC, datetime, time
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import Day, Language, PageName, Text, ref_of
from app.chat.documents import AnswerDocument, SourceDocument
from app.chat.events import Status
from app.chat.outcomes import Outcome
from app.chat.provenance import ProvenanceDocument, VersionDocument
from app.document import Document, Moment, Share, Stored
from app.features.questions.filter import QuestionFilter
from app.features.questions.store import MOST, PAGE, StoredQuestion
from app.search.types import Degradation


class QuestionDocument(Document):
    """A question with its answer."""

    id: str
    asked_at: Moment
    site: str
    language: str
    question: str
    outcome: Outcome
    status: Stored[Literal[Status, "running"]]
    answer: str
    sources: list[str]
    degraded: Stored[list[Degradation]]
    rating: Literal["up", "down", ""]
    comment: str


COLUMNS: Final = tuple(QuestionDocument.model_fields)
"""Of the CSV: the properties of a question, in order."""


class QuestionsDocument(Document):
    """A part of the list. ``next``: the cursor of the next one."""

    questions: list[QuestionDocument]
    next: str | None


class StoredQuestionDocument(QuestionDocument):
    """A question with all sources that were listed below its answer, and what that was made of."""

    listed: Stored[list[SourceDocument]]
    provenance: Stored[ProvenanceDocument | None]

    @classmethod
    def of(cls, stored: StoredQuestion) -> Self:
        """Describe a question with all that is stored of its answer."""
        return cls.from_objects(stored.record, stored, listed=stored.document.get("sources", []))


class QuestionCountsDocument(Document):
    """Counts of the questions that each choice would find."""

    total: int
    sites: dict[str, int]
    outcomes: dict[str, int]
    languages: dict[str, int]
    ratings: dict[str, int]


class QuestionGroupDocument(Document):
    """Questions that mean the same."""

    number: int
    site: str
    question: str
    count: int
    unanswered: int
    last_asked_at: Moment
    share_unanswered: Share


class QuestionGroupsDocument(Document):
    """A part of the list of groups. ``next``: the cursor of the next one."""

    made_at: Moment | None
    requested: bool
    questions: int
    left: int
    groups: list[QuestionGroupDocument]
    next: str | None


class ChangedPageDocument(Document):
    """A page that is not what it was when the question was answered."""

    change: Literal["changed", "new", "gone"]
    source: str
    id: str
    language: str
    url: str
    title: str
    read: bool
    before: Stored[VersionDocument | None]
    now: Stored[VersionDocument | None]


class DifferencesDocument(Document):
    """The differences from the stored answer; true: not as it was."""

    text: bool
    status: bool
    degraded: bool
    order: bool
    pages: list[ChangedPageDocument]
    setup: dict[str, list[Any]]


class ReplayDocument(Document):
    """Today's answer to a stored question."""

    answer: Stored[AnswerDocument]
    outcome: Outcome
    provenance: Stored[ProvenanceDocument]
    differences: DifferencesDocument


class AnswerChangeDocument(Document):
    """A question whose answer changed."""

    id: str
    site: str
    question: str
    before: str
    after: str


class JobAnswersDocument(Document):
    """The answers that a job changed. ``compared_at``: ``None`` until that is known."""

    job: str
    compared_at: Moment | None
    changes: list[AnswerChangeDocument]


class QuestionFilterQuery(BaseModel):
    """The query of ``GET /api/admin/questions/counts``: a choice of questions."""

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
