"""Writes contexts of chunks: claims pages that lack some, asks the model, and has complete pages indexed
again.

Invariants:

* Each context is stored as soon as it is written. A worker that is interrupted or dies loses only those under
  way, and the next one requests only the rest.
* A page is claimed by one worker, so that no chunk is requested twice at the same time.
* Work ends soon after ``stop`` returns True: requests under way are cancelled after a short while.
* An outage of the model costs no page its tries. Unusable replies for a chunk do count.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import structlog

from app.chat.model.cancellation import Cancellation
from app.chat.model.tokens import Tokens
from app.errors import ModelError, PageError
from app.features.contexts.author import ContextAuthor, ContextReply
from app.features.contexts.chunks import ChunkContexts
from app.features.contexts.feature import CONTEXT_DAY, CONTEXT_TOKENS, CONTEXTS
from app.features.contexts.outage import OutageDetector, is_too_much
from app.features.contexts.reply import ReplyError
from app.features.contexts.schedule import ChunkWork, DocumentWork, Schedule, work_on
from app.features.contexts.store import MAX_TRIES, ContextStore
from app.indexing.stopping import HANDED_BACK, Stop, never
from app.pages import counters
from app.pages.counters import Counters
from app.pages.database import utc_now
from app.pages.store import PageStore
from app.pages.types import StoredVersion, Waiting
from app.pages.workers import WorkerRegistry
from ingest.page_guard import guarded
from ingest.pipeline import PreparedPage
from ingest.types import PageRef, RawPage

POLL_SECONDS: Final = 0.2
GRACE_SECONDS: Final = 1.0
"""Requests under way may take this long when work is to end."""

NO_USAGE: Final = Tokens()

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Requests:
    """The requests under way, which can be cancelled together."""

    _running: set[Cancellation] = field(default_factory=set)
    _is_cancelled: bool = False
    _lock: Lock = field(default_factory=Lock)

    def begin(self) -> Cancellation:
        cancellation = Cancellation()
        with self._lock:
            self._running.add(cancellation)
            if self._is_cancelled:
                cancellation.request()
        return cancellation

    def end(self, cancellation: Cancellation) -> None:
        with self._lock:
            self._running.discard(cancellation)

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            for cancellation in self._running:
                cancellation.request()


@dataclass(slots=True, kw_only=True)
class _Session:
    """The work on the pages of one claim. ``error``: why the model is away, if it is; ``delayed``: pages with
    a chunk that got no reply, and the reasons."""

    schedule: Schedule
    requests: _Requests = field(default_factory=_Requests)
    error: ModelError | None = None
    delayed: dict[PageRef, str] = field(default_factory=dict)


@dataclass(kw_only=True, eq=False)
class ContextWriter:
    """Writes the contexts that pages lack, with up to ``parallel`` requests at once.

    * ``prepare``: converts and chunks a page as indexing does
    * ``work_seconds``: after this time no more chunks of a claim are started
    * ``retry_seconds``: after this time a model that was away is asked again
    * ``daily_tokens``: the limit for one day in UTC; 0 for none
    * ``busy``: returns True while the model has something more urgent to do, so that no request is started
    """

    store: ContextStore
    pages: PageStore
    contexts: ChunkContexts
    author: ContextAuthor
    counters: Counters
    workers: WorkerRegistry
    prepare: Callable[[RawPage, int], PreparedPage]
    parallel: int
    work_seconds: float
    retry_seconds: float
    daily_tokens: int = 0
    busy: Callable[[], bool] = never
    _outages: OutageDetector = field(default_factory=OutageDetector, init=False)

    def is_limited(self) -> bool:
        """Return True if the tokens for today are used up."""
        if not self.daily_tokens:
            return False
        return self.counters.value((CONTEXT_DAY, "", _today())) >= self.daily_tokens

    def run_once(
        self, stop: Stop = never, written: Callable[[PageRef], object] = lambda _ref: None
    ) -> list[PageRef] | None:
        """Write contexts of some pages that lack them. Return those that are now complete and due in the page
        queue.

        ``None`` if there was nothing to do. ``written`` is called after each chunk that got a context. Raises
        ``ModelError`` while the model is away, ``PageStoreUnavailableError``, ``DataFolderError`` and
        ``PluginError``, after handing the pages back.
        """
        self.workers.release_dead(self.pages.release)
        if self.is_limited():
            return None
        claimed = self.store.claim(self.parallel, self.workers.id)
        if not claimed:
            return None
        complete: list[PageRef] = []
        session = _Session(schedule=Schedule([]))
        try:
            session.schedule.documents += self._open(claimed, complete)
            self._run(session, stop, written)
            for document in session.schedule.documents:
                if not document.missing:
                    self._complete(document.ref, complete)
        finally:
            self._hand_back([ref for ref in claimed if ref not in complete], session)
        if session.error is not None:
            self.store.note_outage(str(session.error))
            raise session.error
        return complete

    def _open(self, claimed: Sequence[PageRef], complete: list[PageRef]) -> list[DocumentWork]:
        """Chunk the pages. Complete those that lack nothing, and forget those that no longer exist."""
        works = []
        versions = {version.ref: version for version in self.pages.read(claimed)}
        for ref in claimed:
            version = versions.get(ref)
            if version is None or version.page is None or not self.contexts.wanted(ref.source):
                self.store.note([], [ref])
                continue
            work = self._document(version, version.page)
            if work is not None and not work.missing:
                self._complete(ref, complete)
            elif work is not None:
                works.append(work)
        return works

    def _document(self, version: StoredVersion, raw: RawPage) -> DocumentWork | None:
        """Return the work on a page, or ``None`` if it can no longer be chunked; indexing will report that
        too."""
        try:
            with guarded(version.ref.id):
                prepared = self.prepare(raw, version.sequence)
        except PageError as error:
            later = Waiting(reason=str(error), seconds=self.retry_seconds, counted=True)
            self.store.wait([version.ref], later, self.workers.id)
            return None
        [page] = self.contexts.put_in([prepared])
        return work_on(page, self.author.excerpts(prepared.page), page.missing)

    def _complete(self, ref: PageRef, complete: list[PageRef]) -> None:
        self.store.complete(ref, self.workers.id)
        complete.append(ref)

    def _hand_back(self, refs: Sequence[PageRef], session: _Session) -> None:
        """End the remaining claims; delay the pages if the model is away or gave no reply for a chunk."""
        for ref in refs:
            reason = session.delayed.get(ref, "") if session.error is None else str(session.error)
            later = Waiting(reason=reason, seconds=self.retry_seconds) if reason else HANDED_BACK
            self.store.wait([ref], later, self.workers.id)

    def _run(self, session: _Session, stop: Stop, written: Callable[[PageRef], object]) -> None:
        """Work with several threads until all is done, the time is up or ``stop`` returns True."""
        until = time.monotonic() + self.work_seconds
        with ThreadPoolExecutor(self.parallel, thread_name_prefix="contexts") as pool:
            try:
                threads = [pool.submit(self._work, session, written) for _ in range(self.parallel)]
                while _are_running(threads) and not stop():
                    if time.monotonic() > until:
                        session.schedule.close()
                session.schedule.close()
                wait(threads, GRACE_SECONDS)
            finally:
                session.schedule.close()
                session.requests.cancel()
        for thread in threads:
            thread.result()

    def _work(self, session: _Session, written: Callable[[PageRef], object]) -> None:
        """Write one chunk after another."""
        try:
            while work := session.schedule.next(self.busy):
                resolved = False
                try:
                    resolved = self._write(session, work, written)
                finally:
                    session.schedule.done(work, resolved=resolved)
        except BaseException:
            session.schedule.close()
            raise

    def _write(self, session: _Session, work: ChunkWork, written: Callable[[PageRef], object]) -> bool:
        """Ask until there is a context or the tries are used up. Return True if nothing is left to do for the
        chunk."""
        ref = work.document.ref
        while not session.schedule.is_closed:
            try:
                reply = self._ask(session, work)
            except ModelError as error:
                if not is_too_much(error):
                    self._note_failure(session, work, error)
                    return False
                if self._reject(ref, work.key, f"HTTP {error.http_status}", NO_USAGE):
                    return True
                continue
            self._outages.replied()
            try:
                text = self.author.check(reply, ref.language)
            except ReplyError as error:
                if self._reject(ref, work.key, error.reason, reply.usage):
                    return True
            else:
                self.store.write(ref, work.key, text, _amounts(ref, reply.usage, "written"))
                written(ref)
                return True
            finally:
                if self.is_limited():
                    session.schedule.close()
        return False

    def _ask(self, session: _Session, work: ChunkWork) -> ContextReply:
        cancellation = session.requests.begin()
        try:
            page = work.document.page.page.page
            return self.author.ask(page, work.document.excerpts, work.chunk, cancellation)
        finally:
            session.requests.end(cancellation)

    def _reject(self, ref: PageRef, key: str, reason: str, usage: Tokens) -> bool:
        """Count a failed try. Return True if it was the last."""
        tries = self.store.fail(ref, key, reason, _amounts(ref, usage, "failed"))
        log.info("context_rejected", source=ref.source, page=ref.id, reason=reason, tries=tries)
        return tries >= MAX_TRIES

    def _note_failure(self, session: _Session, work: ChunkWork, error: ModelError) -> None:
        if error.kind == "cancelled":
            return
        ref, key = work.document.ref, work.key
        amounts = {(CONTEXTS, ref.source, "failed"): 1.0}
        session.delayed[ref] = str(error)
        if self._outages.failed(error, lambda: self.store.fail(ref, key, error.kind, amounts)):
            session.error = error
            session.schedule.close()


def _are_running(threads: Sequence[Future[None]]) -> bool:
    """Wait a moment. Return True while any thread works and none has failed."""
    ended, running = wait(threads, POLL_SECONDS, return_when=FIRST_EXCEPTION)
    return bool(running) and not any(thread.exception() for thread in ended)


def _amounts(ref: PageRef, usage: Tokens, outcome: str) -> dict[counters.Key, float]:
    return {
        (CONTEXTS, ref.source, outcome): 1,
        (CONTEXT_TOKENS, ref.source, "prompt"): usage.prompt,
        (CONTEXT_TOKENS, ref.source, "cached"): usage.cached,
        (CONTEXT_TOKENS, ref.source, "output"): usage.output,
        (CONTEXT_DAY, "", _today()): usage.prompt + usage.output,
    }


def _today() -> str:
    return f"{utc_now():%Y-%m-%d}"
