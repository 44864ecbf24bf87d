"""Imports a whole source: every document into the page store, then every due page into the index.

Pruning tombstones the pages whose documents the source no longer lists, unless a document could not be read,
because that may have any page. If too many pages are missing (:mod:`app.sources.deletion_guard`), the import
stops before anything is accepted: pages accepted from a wrong folder would make the missing ones a small
share. If a document was unreadable at first and then could be read, it stops before anything is deleted.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from app.errors import NeedsAttentionError, PageError, SourceUnavailableError
from app.indexing.indexer import Indexer
from app.indexing.progress import Progress
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome
from app.sources.deletion_guard import DeletionGuard
from ingest.protocols import Source, WarningSource
from ingest.types import Delete, PageRef, RawPage

UNCONFIRMED: Final = DeletionGuard(command="auskunft index")
ACCEPT_PAGES = 50

ShowStage = Callable[[str, Progress], None]
"""Called with the name of the stage of work, and its progress."""


@dataclass(slots=True, kw_only=True)
class ImportResult:
    """The result of one import. ``failures``: by page id, or by document if it could not be read;
    ``waiting``: documents that could not be fetched now, with the reason."""

    indexed: int = 0
    unchanged: int = 0
    deleted: int = 0
    seconds: float = 0.0
    failures: dict[str, Failed] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Listing:
    """The result of reading a source. ``pages``: True for each page that was accepted, False if unchanged.
    ``replaced``: pages that its documents had before (now in another language). ``rejected``: documents that
    could not be read, or may not replace the pages that they had."""

    pages: dict[PageRef, bool] = field(default_factory=dict)
    replaced: list[PageRef] = field(default_factory=list)
    rejected: dict[str, PageError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PrunePlan:
    """The documents of a source, the pages missing from it, and why these may not be deleted (or empty)."""

    documents: Sequence[str]
    missing: Sequence[PageRef]
    refusal: str


class Importer:
    """Imports sources into one page store and index. ``guard`` limits deletions."""

    def __init__(
        self,
        *,
        store: PageStore,
        indexer: Indexer,
        show: ShowStage = lambda *_: None,
        guard: DeletionGuard = UNCONFIRMED,
    ) -> None:
        self._store = store
        self._indexer = indexer
        self._show = show
        self._guard = guard

    def run(self, source: Source, *, prune: bool = False) -> ImportResult:
        """Read and index a source, and wait for its pages that other processes have claimed.

        Raises ``SourceError`` if the source as a whole is unreadable, ``NeedsAttentionError`` if too many
        pages would be pruned, and ``IndexUnavailableError``.
        """
        started = time.monotonic()
        result = ImportResult()
        pruning = self._plan_pruning(source) if prune else None
        listing = self._read(source, pruning.documents if pruning else source.documents(), result)
        gone = self._prune(source.name, pruning, result) if pruning else []
        outcomes = self._index([*listing.pages, *listing.replaced, *gone])
        self._count(listing, outcomes, result)
        result.seconds = time.monotonic() - started
        return result

    def rewrite(self, refs: Sequence[PageRef]) -> ImportResult:
        """Index pages that were made due again. Raises ``IndexUnavailableError``."""
        started = time.monotonic()
        result = ImportResult()
        outcomes = self._index(refs)
        for ref in refs:
            self._count_page(ref, outcomes.get(ref), result)
        result.seconds = time.monotonic() - started
        return result

    def _plan_pruning(self, source: Source) -> _PrunePlan:
        """List the missing pages. Raises ``NeedsAttentionError`` if they are too many, unless a document
        cannot be read: then nothing is deleted anyway."""
        documents = list(source.documents())
        missing = self._store.missing(source.name, documents)
        known = len(self._store.refs(source.name))
        refusal = self._guard.refusal(len(missing), known, of=f"source {source.name!r}")
        if refusal and not any(_is_unread(source, document) for document in documents):
            raise NeedsAttentionError(refusal)
        return _PrunePlan(documents=documents, missing=missing, refusal=refusal)

    def _read(self, source: Source, documents: Iterable[str], result: ImportResult) -> _Listing:
        listing = _Listing()
        batch: list[RawPage] = []
        for done, document in enumerate(documents, start=1):
            try:
                batch += source.pages(document) or ()
            except PageError as error:
                listing.rejected[document] = error
            except SourceUnavailableError as error:
                result.waiting[document] = str(error)
            if len(batch) >= ACCEPT_PAGES:
                self._accept(source.name, batch, listing, result)
                batch = []
            self._show("reading", Progress(done=done, unit="documents"))
        self._accept(source.name, batch, listing, result)
        if isinstance(source, WarningSource):
            result.warnings += source.warnings()
        self._store.set_rejected(source.name, listing.rejected)
        for document, why in listing.rejected.items():
            result.failures[document] = Failed(reason=why.reason, message=str(why))
        return listing

    def _accept(self, source: str, batch: Sequence[RawPage], listing: _Listing, result: ImportResult) -> None:
        sent = {page.ref for page in batch}
        known = self._store.document_refs(source, {page.document for page in batch})
        refused = self._guard.refused_documents(known, sent)
        listing.rejected |= {document: PageError("invalid", why) for document, why in refused.items()}
        allowed = [page for page in batch if page.document not in refused]
        for item in self._store.accept_documents(source, allowed):
            if item.ref in sent:
                listing.pages[item.ref] = item.status == "accepted"
            else:
                listing.replaced.append(item.ref)
            older = "its revision is lower than the known one: the page was not changed"
            if warning := item.warning or (older if item.status == "superseded" else ""):
                result.warnings.append(f"{item.ref.id}: {warning}")

    def _prune(self, source: str, pruning: _PrunePlan, result: ImportResult) -> list[PageRef]:
        """Delete pages that were missing before the source was read and still are; return them.

        Another document may have brought a page back."""
        unread = [name for name, failure in result.failures.items() if failure.reason != "unsupported"]
        unread += result.waiting
        if unread:
            result.warnings.append(f"nothing pruned, because documents could not be read: {len(unread)}")
            return []
        if pruning.refusal:  # the document that was unreadable before can be read now
            raise NeedsAttentionError(pruning.refusal)
        still = set(self._store.missing(source, pruning.documents))
        missing = [ref for ref in pruning.missing if ref in still]
        deletes = [Delete(source=ref.source, id=ref.id, language=ref.language) for ref in missing]
        gone = [item.ref for item in self._store.accept(deletes) if item.status == "accepted"]
        result.deleted = len(gone)
        return gone

    def _index(self, refs: Sequence[PageRef]) -> dict[PageRef, Outcome]:
        """Index ``refs`` and wait for those that other workers have claimed. Return the outcomes of the pages
        indexed here."""
        return self._indexer.settle_pages(refs, partial(self._show, "indexing"))

    def _count(self, listing: _Listing, outcomes: Mapping[PageRef, Outcome], result: ImportResult) -> None:
        for ref, accepted in listing.pages.items():
            if not accepted and ref not in outcomes:
                result.unchanged += 1
            else:
                self._count_page(ref, outcomes.get(ref), result)

    def _count_page(self, ref: PageRef, outcome: Outcome | None, result: ImportResult) -> None:
        if failure := self._failure(ref, outcome):
            result.failures[ref.id] = failure
            return
        result.indexed += 1
        if isinstance(outcome, Indexed) and outcome.warning:
            result.warnings.append(f"{ref.id}: {outcome.warning}")

    def _failure(self, ref: PageRef, outcome: Outcome | None) -> Failed | None:
        if isinstance(outcome, Failed):
            return outcome
        if isinstance(outcome, Indexed):
            return None
        row = self._store.snapshot(ref)  # another process may have worked on it
        return (
            Failed(reason=row.reason.partition(":")[0], message=row.reason) if row.state == "failed" else None
        )


def _is_unread(source: Source, document: str) -> bool:
    try:
        source.pages(document)
    except PageError as error:
        return error.reason != "unsupported"
    except SourceUnavailableError:
        return True
    return False
