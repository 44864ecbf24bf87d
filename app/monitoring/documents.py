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


class QuestionSumsDocument(Document):
    """The number of questions, and of those that were not answered."""

    asked: int
    unanswered: int
    share_unanswered: Share


class SourceStateDocument(Document):
    """A source with its pages by state; its moments with fractions of seconds."""

    name: str
    kind: str
    pages: dict[PageState, int]
    last_event: _ExactMoment | None
    last_pull: _ExactMoment | None
    next_pull: _ExactMoment | None
    problem: str


class FirstStepsDocument(Document):
    """The first steps of a new installation; true: done."""

    indexed: bool
    asked: bool
    embedded: bool


class OverviewDocument(Document):
    """The first page of the console."""

    checks: list[CheckDocument]
    backlog: int
    failed: int
    seconds_left: int | None
    questions: QuestionSumsDocument
    sources: list[SourceStateDocument]
    first_steps: FirstStepsDocument
    disk_free_bytes: int | None
