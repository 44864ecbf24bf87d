"""Entries of the curation as JSON: requests and responses."""

from datetime import date
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import Text
from app.chat.text.render import BlockRenderer
from app.document import Document, Moment, Rounded, Sometimes
from app.features.curation.content import Content, Entry, Kind
from app.features.curation.desk import EntryState
from app.features.curation.preview import Preview
from app.features.curation.store import LISTED

MOST_LISTED: Final = 500
"""Entries in one page of the list."""


class PinnedPageDocument(Document):
    """The page of a pin."""

    source: str
    id: str
    language: Sometimes[str] = None


class ContentDocument(Document):
    """The fields of an entry's content that are set."""

    phrasings: Sometimes[list[str]] = None
    page: Sometimes[PinnedPageDocument] = None
    text: Sometimes[str] = None
    words: Sometimes[list[str]] = None
    contact: Sometimes[str] = None
    replaces: Sometimes[bool] = None
    language: Sometimes[str] = None
    until: Sometimes[date] = None
    paused: Sometimes[bool] = None
    owner: Sometimes[str] = None


class CurationDocument(Document):
    """An entry of the curation. ``html``: the text shown to visitors, for kinds that have one."""

    number: int
    site: str
    kind: Kind
    version: int
    state: EntryState
    content: ContentDocument
    changed_by: str
    changed_at: Moment
    html: Sometimes[str] = None

    @classmethod
    def of(cls, entry: Entry, state: EntryState) -> Self:
        """Describe an entry."""
        content, html = entry.content.document(), _html(entry.kind, entry.content)
        return cls.from_objects(entry, state=state, content=content, html=html)


class CurationsDocument(Document):
    """One page of the list of entries."""

    entries: list[CurationDocument]


class CaughtQuestionDocument(Document):
    """A past question that an entry would catch."""

    question: str
    count: int
    last: Moment
    relevance: Rounded


class CurationPreviewDocument(Document):
    """The past questions that an entry would catch. ``html``: its text as shown to visitors."""

    asked: int
    count: int
    share: Rounded
    is_broad: bool
    questions: list[CaughtQuestionDocument]
    html: Sometimes[str] = None

    @classmethod
    def of(cls, kind: Kind, content: Content, found: Preview) -> Self:
        """Describe what an entry would catch."""
        caught = [CaughtQuestionDocument.from_objects(each, question=each.text) for each in found.caught]
        return cls.from_objects(found, questions=caught, html=_html(kind, content))


class CurationQuery(BaseModel):
    """The query of ``GET /api/admin/curation``."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")
    kind: Kind | None = None
    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=LISTED, ge=1, le=MOST_LISTED)


class CurationPreviewRequest(BaseModel):
    """The body of ``POST /api/admin/curation/preview``."""

    model_config = ConfigDict(extra="forbid")

    site: Text = Field(min_length=1, max_length=64)
    kind: Kind
    content: Content


class CurationRequest(CurationPreviewRequest):
    """The body of ``POST /api/admin/curation``."""

    confirm: bool = Field(default=False, description="also where it catches a large share of all questions")


class CurationChange(BaseModel):
    """The body of ``PUT /api/admin/curation/<number>``."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, description="the version that was read")
    content: Content
    confirm: bool = Field(default=False, description="also where it catches a large share of all questions")


def _html(kind: Kind, content: Content) -> str | None:
    if kind not in ("answer", "blocked"):
        return None
    return BlockRenderer(all_links=True).render(content.text)
