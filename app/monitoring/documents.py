"""The JSON documents of an installation at a glance."""

from datetime import datetime
from typing import Annotated

from pydantic import PlainSerializer

from app.document import Document, Share
from app.pages.types import PageState

_ExactMoment = Annotated[datetime, PlainSerializer(datetime.isoformat)]


class CheckDocument(Document):
    """A check."""

    name: str
    ok: bool
    detail: str
    required: bool


class QuestionCountsDocument(Document):
    """How many questions were asked."""

    asked: int
    unanswered: int
    share_unanswered: Share


class SourceDocument(Document):
    """A source with its pages by state; its moments with fractions of seconds."""

    name: str
    kind: str
    pages: dict[PageState, int]
    last_event: _ExactMoment | None
    last_pull: _ExactMoment | None
    next_pull: _ExactMoment | None
    problem: str


class FirstStepsDocument(Document):
    """What a new installation has done."""

    indexed: bool
    asked: bool
    embedded: bool


class OverviewDocument(Document):
    """The first page of the console."""

    checks: list[CheckDocument]
    backlog: int
    failed: int
    seconds_left: int | None
    questions: QuestionCountsDocument
    sources: list[SourceDocument]
    first_steps: FirstStepsDocument
    disk_free_bytes: int | None
