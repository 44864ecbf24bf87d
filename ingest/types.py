"""Data that flows through ingest: references, raw pages, Markdown pages, chunks, embedded pages, changes.

Frozen, slotted, keyword-only and validated at construction: a value that exists is valid.
Text offsets are byte offsets in the UTF-8 of a field's Markdown; vectors are ``float32`` of shape
``(n, dims)``, L2-normalised.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

FieldName = Literal["name", "title", "description", "keywords", "content"]
FIELDS: Final[tuple[FieldName, ...]] = get_args(FieldName)

MediaType = Literal[
    "text/html",
    "text/x-web-page",
    "application/xhtml+xml",
    "text/markdown",
    "text/plain",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text",
    "text/x-paged-markdown",
]
MEDIA_TYPES: Final[tuple[MediaType, ...]] = get_args(MediaType)

PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT: Final = "application/vnd.oasis.opendocument.text"
"""Media types of files; their text is base64."""

PAGED_MARKDOWN: Final = "text/x-paged-markdown"
"""Markdown of a document, with form feeds between its pages."""

WEB_PAGE: Final = "text/x-web-page"
"""HTML as a website serves it: menus, notices and footers surround the content."""

HTML_TYPES: Final = frozenset({"text/html", WEB_PAGE, "application/xhtml+xml"})

PUBLISHED: Final = "published"
"""The metadata key of the day a page was published, as ``2026-01-31``."""

JSON_LD: Final = "json_ld"
"""The metadata key of the schema.org data in a page's HTML (:mod:`ingest.html.linked_data`)."""

Vectors = npt.NDArray[np.float32]

UNDETERMINED: Final = "und"
MAX_ID_CHARACTERS: Final = 512
MAX_URL_CHARACTERS: Final = 4_096

_SOURCE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
_LANGUAGE = re.compile(r"(?:[a-z]{2}|und)\Z")
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PageRef:
    """Names one page in one language: ``language`` is ISO 639-1 or ``und``."""

    source: str
    id: str
    language: str

    def __post_init__(self) -> None:
        if not _SOURCE.match(self.source):
            raise ValueError(f"source {self.source!r}: use 1 to 64 of a-z, 0-9, '-' and '_'")
        if not _LANGUAGE.match(self.language):
            raise ValueError(f"language {self.language!r}: use an ISO 639-1 code such as 'de', or 'und'")
        if not self.id or len(self.id) > MAX_ID_CHARACTERS or _UNFIT.search(self.id):
            allowed = f"1 to {MAX_ID_CHARACTERS} characters, no control characters or lone surrogates"
            raise ValueError(f"id {self.id[:40]!r}: use {allowed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawField:
    """One field as the source delivered it."""

    text: str
    media_type: MediaType

    def __post_init__(self) -> None:
        if self.media_type not in MEDIA_TYPES:
            raise ValueError(f"media type {self.media_type!r}: use one of {', '.join(MEDIA_TYPES)}")

    @property
    def is_html(self) -> bool:
        """True for HTML of any kind."""
        return self.media_type in HTML_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """A page as delivered. ``document`` names what the source delivers at once (often the page itself);
    ``revision`` is the sender's number, higher is newer; times are timezone-aware."""

    ref: PageRef
    document: str
    url: str
    fields: Mapping[FieldName, RawField]
    revision: int | None = None
    updated: datetime | None = None
    publish_from: datetime | None = None
    publish_until: datetime | None = None
    kind: str = "page"
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = set(self.fields) - set(FIELDS)
        if unknown:
            raise ValueError(f"unknown fields {sorted(unknown)}: use {', '.join(FIELDS)}")
        for name in ("updated", "publish_from", "publish_until"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                raise ValueError(f"{name} {moment.isoformat()}: add a time zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingItem:
    """A page in a source's listing, with the values that show whether it changed since the last fetch."""

    ref: PageRef
    revision: int | None = None
    updated: datetime | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in Markdown. ``fields`` has no empty ones; ``sequence`` is the page store's version number."""

    ref: PageRef
    document: str
    sequence: int
    url: str
    fields: Mapping[FieldName, str]
    updated: datetime | None = None
    kind: str = "page"
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One chunk of a field. ``start``/``end`` are the byte offsets of its core; ``text`` is core and overlap.

    ``context`` is embedded before the text (may be empty): title and headings, and on a second line what a
    model wrote about the chunk. ``ranked``: its words are also indexed separately from the page's, so that
    chunks can be ranked by words."""

    field: FieldName
    position: int
    start: int
    end: int
    context: str
    text: str
    ranked: bool = False

    @property
    def embedded_text(self) -> str:
        """The text that is embedded: context, newline, text; only the text if there is no context."""
        return f"{self.context}\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedPage:
    """A page with its chunks and their vectors: row ``i`` of ``vectors`` belongs to ``chunks[i]``."""

    page: Page
    chunks: tuple[Chunk, ...]
    vectors: Vectors

    def __post_init__(self) -> None:
        if self.vectors.dtype != np.float32 or self.vectors.ndim != 2:
            found = f"{self.vectors.dtype} of shape {self.vectors.shape}"
            raise ValueError(f"vectors are {found}: expected float32 (n, dims)")
        if len(self.chunks) != len(self.vectors):
            raise ValueError(f"{len(self.chunks)} chunks but {len(self.vectors)} vectors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """A page was saved. ``republish`` lets a deleted page return even if its revision is not higher."""

    page: RawPage
    republish: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """A page was deleted, in one language or (``language=None``) in all."""

    source: str
    id: str
    language: str | None = None
    revision: int | None = None


Change = Save | Delete
