"""Pulls a source: fetches and accepts the pages that its listing shows as changed, deletes those it lacks.

A pull never empties a source. An incomplete listing is ignored. A page is deleted when two complete listings
in a row lack it; if too many are missing (:mod:`app.sources.deletion_guard`), nothing is done until a person
confirms it. The next pull completes an interrupted one, because only accepted pages are recorded as fetched.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from app.errors import AuskunftError, HaltedError
from app.pages.database import utc_now
from app.pages.pulls import BROKE, Pull, PullLog
from app.pages.store import PageStore
from app.settings.sources import SourceSettings
from app.sources.deletion_guard import DeletionGuard
from app.sources.factory import is_full_pull, next_pull
from app.sources.pull_documents import DocumentPull
from app.sources.pull_pages import PagePull
from app.sources.pull_result import PullResult
from app.sources.pull_website import WebsitePull
from app.sources.source_pull import Progress, PullContext
from ingest.page_guard import described
from ingest.protocols import DocumentSource, ListedSource, WebsiteSource

log = structlog.get_logger(__name__)

PulledSource = ListedSource | DocumentSource | WebsiteSource


@dataclass(kw_only=True, eq=False)
class Puller:
    """Pulls the sources of ``settings_by_source`` into one page store, one pull of a source at a time.

    ``wake`` is called with the number of pages that were just accepted.
    """

    store: PageStore
    pulls: PullLog
    worker: str
    settings_by_source: Mapping[str, SourceSettings]
    source_of: Callable[[str], PulledSource]
    wake: Callable[[int], None]
    clock: Callable[[], datetime] = utc_now

    def due(self) -> list[str]:
        """Return the sources whose scheduled pull is due."""
        now, pulls = self.clock(), self.pulls.by_source()
        return [
            name for name, table in self.settings_by_source.items() if _is_due(table, pulls.get(name), now)
        ]

    def pull_scheduled(self, name: str, stop: Callable[[], bool] = lambda: False) -> PullResult:
        """Pull a source that is due, in full or only updated pages. Raises as :meth:`pull` does."""
        full = is_full_pull(self.settings_by_source[name], self.pulls.by_source().get(name), self.clock())
        return self.pull(name, full=full, stop=stop)

    def pull(
        self,
        name: str,
        *,
        full: bool = True,
        confirm_deletions: bool = False,
        progress: Progress = lambda _done, _total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> PullResult:
        """Pull the source ``name``, in full or only pages updated since the last pull.

        If the state that halted a pull is to be taken over, the pull is always ``full``. ``stop`` is called
        before each page: if it returns True, the rest is left for the next pull, which is due at once if the
        source has a schedule.

        Raises ``SourceError`` and ``SourceUnavailableError`` (pages accepted before stay), ``ConflictError``
        while another pull is running, ``HaltedError``, and what making a source raises.
        """
        guard = DeletionGuard(command=f"auskunft pull {name}", confirmed=confirm_deletions)
        source, recipe = self.source_of(name), recipe_of(self.settings_by_source[name])
        return self.pull_source(source, recipe=recipe, guard=guard, full=full, progress=progress, stop=stop)

    def pull_source(
        self,
        source: PulledSource,
        *,
        recipe: str,
        guard: DeletionGuard,
        full: bool = True,
        progress: Progress = lambda _done, _total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> PullResult:
        """Pull ``source``, which need not be in the settings and has this ``recipe`` (:func:`recipe_of`).
        Raises as :meth:`pull` does."""
        name = source.name
        self.pulls.begin(name, self.worker, recipe=recipe)
        halt = self.pulls.by_source()[name].halt
        guard = replace(guard, takes_over=halt == "taken_over")
        full = full or guard.takes_over
        started = time.monotonic()
        try:
            pull = self._run(source, full=full, guard=guard, progress=progress, stop=stop)
        except HaltedError as error:
            self.pulls.finish(name, self.worker, outcome=error.code, halted_for=error.reasons)
            if self.pulls.by_source()[name].halt == "kept":
                return PullResult(warnings=[str(error)], seconds=time.monotonic() - started)
            raise
        except BaseException as error:
            problem, outcome = _ending(error)
            # Past its hard limit, Celery first ends a worker by SIGTERM, which raises ``SystemExit``.
            is_fatal = isinstance(error, MemoryError | SystemExit)
            left = None if is_fatal or not isinstance(error, Exception) else 0
            self.pulls.finish(
                name, self.worker, problem=problem, outcome=outcome, left=left, is_fatal=is_fatal
            )
            raise
        result = pull.result
        if halt and pull.is_full and not result.left:
            self.pulls.end_halt(name)
        result.seconds = time.monotonic() - started
        log.info(
            "source_pulled", source=name, listed=result.listed, changed=len(result.changed), left=result.left
        )
        return result

    def _run(
        self,
        source: PulledSource,
        *,
        full: bool,
        guard: DeletionGuard,
        progress: Progress,
        stop: Callable[[], bool],
    ) -> WebsitePull | DocumentPull | PagePull:
        context = PullContext(store=self.store, pulls=self.pulls, worker=self.worker, wake=self.wake)
        pull: WebsitePull | DocumentPull | PagePull
        if isinstance(source, WebsiteSource):
            pull = WebsitePull(context, source, guard)
        elif isinstance(source, DocumentSource):
            pull = DocumentPull(context, source, guard)
        else:
            pull = PagePull(context, source, guard, full=full, clock=self.clock)
        pull.run(progress=progress, stop=stop)
        return pull


def recipe_of(table: SourceSettings, **given: str | None) -> str:
    """Return a digest of everything that determines a source's pages: its table, and values ``given`` in
    place of its options. Notes made with another recipe are discarded."""
    options = table.options() | {name: value for name, value in given.items() if value}
    written = json.dumps([table.kind, options], sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()


def _ending(error: BaseException) -> tuple[str, str]:
    """Return the reason why a pull ended early, in one line and in a word."""
    if isinstance(error, AuskunftError):
        return str(error), error.code
    if isinstance(error, Exception):
        return f"{BROKE}: {described(error)}", BROKE
    return "interrupted", "interrupted"


def _is_due(table: SourceSettings, last: Pull | None, now: datetime) -> bool:
    moment = next_pull(table, last, now)
    return moment is not None and moment <= now
