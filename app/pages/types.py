"""The values that the page store's methods accept and return."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.document import Document, Moment
from ingest.types import PageRef, RawPage

PageState = Literal["pending", "waiting", "indexed", "failed", "deleted", "excluded"]
JobStatus = Literal["queued", "running", "waiting", "indexed", "unchanged", "superseded", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptResult:
    """The result of accepting one change. ``sequence`` is the page's current one, 0 if it is
    ``announced``."""

    ref: PageRef
    sequence: int
    status: Literal["accepted", "unchanged", "superseded", "announced"]
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """A page that was saved and has to be fetched. ``republish``: bring it back although it was deleted.
    ``record``: if only its file is to be fetched, the page's other values (:mod:`ingest.sources.records`) as
    JSON, with ``file_url``."""

    ref: PageRef
    revision: int | None = None
    republish: bool = False
    record: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementClaim(Announcement):
    """An announced page that this worker has to fetch. ``arrivals``: how often it has been announced;
    ``announced_at``: when it was last announced."""

    announced_at: datetime
    arrivals: int
    attempts: int
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The page can never be indexed as it is."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """A page's newest version. ``page`` is ``None`` if it must not be in the index, or if its stored data
    cannot be read; ``damage`` then says why."""

    ref: PageRef
    sequence: int
    page: RawPage | None
    damage: Failed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(StoredVersion):
    """A page that this worker has to write to the live generation and to ``target``, the one being built
    when the claim was made. ``priority``: the page's priority at that time. ``job``: the job of this version,
    if a message brought it."""

    attempts: int
    priority: int
    target: int | None
    job: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVersion:
    """The newest version of a page. ``served``: it is neither deleted nor excluded.

    ``poison``: every attempt to index this version killed its worker. ``at_rest``: the live generation has
    this version, and the page is not queued.
    """

    ref: PageRef
    sequence: int
    served: bool
    poison: bool = False
    at_rest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A generation being built or updated by ``worker``; ``generation`` is None until it is made."""

    worker: str
    since: datetime
    until: datetime
    generation: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """The index has the page at the claimed sequence (or a higher one). ``warning``: what a person should
    know about it, or empty."""

    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something that the page needs is not available; it is tried again after ``seconds``. ``counted``: True
    if the attempt counts, because the page itself may have broken the work."""

    reason: str
    seconds: float
    counted: bool = False


Outcome = Indexed | Failed | Waiting

Settlement = tuple[PageRef, int, Outcome]
"""A claimed page, the sequence it was claimed at, and the outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """One line of ``auskunft pages``. ``reason`` is ``code: message`` for failed and waiting pages,
    a warning for indexed ones."""

    ref: PageRef
    document: str
    url: str
    title: str
    state: PageState
    reason: str
    sequence: int
    indexed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDetails:
    """Everything that the page store knows about a page, except its text. ``indexed_sequence``: the version
    that the index has, 0 for none; ``record.sequence`` is the newest one."""

    record: PageRecord
    kind: str
    deleted: bool
    excluded: bool
    publish_from: datetime | None
    publish_until: datetime | None
    updated: datetime | None
    revision: int | None
    indexed_sequence: int
    accepted_at: datetime | None
    failed_at: datetime | None
    attempts: int

    @property
    def ref(self) -> PageRef:
        """The page."""
        return self.record.ref

    @property
    def is_older_version(self) -> bool:
        """True if the index has a version, but not the newest one."""
        return 0 < self.indexed_sequence < self.record.sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message from a CMS: the id that its sender gave it, and the SHA-256 (hex) of its content."""

    source: str
    id: str
    digest: str


class JobDocument(Document):
    """The status of one page in a message; ``language`` is None if the page is unknown.

    ``reason`` says why it waits or failed, or what its sender should know.
    """

    id: str
    source: str
    page: str
    language: str | None
    status: JobStatus
    reason: str
    accepted_at: Moment
    finished_at: Moment | None


class RejectionDocument(Document):
    """A document that could not be read, so that it has no page."""

    source: str
    document: str
    reason: str
    message: str
    at: Moment
