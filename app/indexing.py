"""The only write path into the search index: page store -> pipeline -> index.

Invariants:

* What is written is always the claimed version; ``finish`` marks a page indexed only if that is still its
  newest one, otherwise it stays due. So any number of workers, in any order, end at the store's state.
* A worker may die at any point: the claim runs out (or is released when its lock is found free), the index
  accepts the same sequence again, the vector cache keeps what was embedded.
* One page's error never stops another page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from app.errors import EmbedderUnavailableError, IndexUnavailableError, PageError
from app.pages.store import PageStore
from app.pages.types import Claim, Failed, Indexed, Outcome, Waiting
from app.pages.workers import WorkerRegistry
from app.search.index import SearchIndex
from app.search.types import Remove, Update, WriteResult
from ingest.pipeline import Pipeline, PreparedPage
from ingest.types import PageRef

log = structlog.get_logger(__name__)

BATCH_PAGES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What became of one claimed page."""

    ref: PageRef
    outcome: Outcome


class Indexer:
    """Brings claimed pages to the live generation."""

    def __init__(
        self,
        *,
        store: PageStore,
        index: SearchIndex,
        pipeline: Pipeline,
        workers: WorkerRegistry,
        retry_seconds: float,
    ) -> None:
        self._store = store
        self._index = index
        self._pipeline = pipeline
        self._workers = workers
        self._retry_seconds = retry_seconds

    def sync_pages(
        self,
        *,
        refs: Sequence[PageRef] | None = None,
        limit: int = BATCH_PAGES,
        progress: Callable[[int], None] = lambda _windows: None,
    ) -> list[Synced]:
        """Claim up to ``limit`` due pages (among ``refs``), write them, settle them.

        Returns one entry per claimed page; an empty list means that nothing was due. ``progress`` hears of
        embedded windows. Raises ``IndexUnavailableError`` after handing the claims back as waiting.
        """
        claims = self._store.claim(limit, self._workers.id, refs)
        if not claims:
            return []
        try:
            outcomes = self._write(claims, progress)
        except (IndexUnavailableError, EmbedderUnavailableError) as error:
            self._settle(claims, [Waiting(reason=error.code, seconds=self._retry_seconds)] * len(claims))
            raise
        except KeyboardInterrupt:
            self._settle(claims, [Waiting(reason="interrupted", seconds=0)] * len(claims))
            raise
        return self._settle(claims, outcomes)

    def release_dead(self) -> bool:
        """Take back what workers of this machine held when they died; whether there were any."""
        dead = self._workers.dead()
        for worker in dead:
            self._store.release(worker)
        return bool(dead)

    def _write(self, claims: Sequence[Claim], progress: Callable[[int], None]) -> list[Outcome]:
        generation = self._index.live()
        if generation is None:
            raise IndexUnavailableError("no index generation is live: start auskunft once to create it")
        prepared = [self._prepare(claim) for claim in claims]
        embedded = iter(self._pipeline.embed([p for p in prepared if isinstance(p, PreparedPage)], progress))
        planned: list[Update | Failed] = [
            next(embedded) if isinstance(item, PreparedPage) else item for item in prepared
        ]
        updates = [item for item in planned if not isinstance(item, Failed)]
        results = iter(self._index.write(generation.number, updates))
        return [item if isinstance(item, Failed) else _outcome(next(results)) for item in planned]

    def _prepare(self, claim: Claim) -> PreparedPage | Remove | Failed:
        if claim.page is None:
            return Remove(ref=claim.ref, sequence=claim.sequence)
        try:
            return self._pipeline.prepare(claim.page, claim.sequence)
        except PageError as error:
            return Failed(reason=error.reason, message=str(error))

    def _settle(self, claims: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[Synced]:
        settled = []
        for claim, outcome in zip(claims, outcomes, strict=True):
            self._store.finish(claim.ref, claim.sequence, outcome, self._workers.id)
            settled.append(Synced(ref=claim.ref, outcome=outcome))
            if isinstance(outcome, Failed):
                log.warning(
                    "page_failed", page=str(claim.ref), reason=outcome.reason, message=outcome.message
                )
        return settled


def _outcome(result: WriteResult) -> Outcome:
    if result.status == "failed":
        return Failed(reason="invalid", message=result.reason)
    return Indexed()
