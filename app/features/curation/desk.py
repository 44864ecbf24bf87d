"""Lists, previews, adds, changes and removes entries on behalf of editors."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

import structlog

from app.errors import BroadCurationError, EmbedderUnavailableError, InputError, NotFoundError
from app.features.curation.content import Content, Entry, Kind, check
from app.features.curation.meaning import QuestionSpace
from app.features.curation.preview import PastQuestions, Preview, preview
from app.features.curation.store import LISTED, CurationStore, unknown
from app.pages.store import PageStore
from ingest.types import PageRef

EntryState = Literal["active", "paused", "expired", "page_missing"]
"""In effect; paused by editors; past its last day; or its page is deleted, hidden or not published."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedSite:
    """A site as the desk sees it. ``sources``: those that it searches; empty for all."""

    sources: frozenset[str]
    space: Callable[[], QuestionSpace | None]


@dataclass(kw_only=True, eq=False)
class CurationDesk:
    """Changes entries within the limits of an editor's rights.

    In every method ``sources`` are those of the editor (``None`` for all): sites that search any others do
    not exist for them. Every method raises ``PageStoreUnavailableError``, and ``NotFoundError`` for an
    unknown site.
    """

    store: CurationStore
    pages: PageStore
    questions: PastQuestions
    sites: Callable[[], Mapping[str, CuratedSite]]
    today: Callable[[], date] = date.today

    def entries(
        self,
        *,
        site: str | None = None,
        kind: Kind | None = None,
        below: int | None = None,
        limit: int = LISTED,
        sources: Collection[str] | None = None,
    ) -> list[tuple[Entry, EntryState]]:
        """Return at most ``limit`` entries with their states, newest first. ``below``: the number of the last
        entry on the previous page of the list."""
        if site is not None:
            self._site(site, sources)
        elif sources is None:
            found = self.store.entries(kind=kind, below=below, limit=limit)
            return self._with_states(found)
        sites = [site] if site is not None else list(self._visible(sources))
        return self._with_states(self.store.entries(sites=sites, kind=kind, below=below, limit=limit))

    def get(self, number: int, *, sources: Collection[str] | None = None) -> tuple[Entry, EntryState]:
        """Return one entry with its state. Raises ``NotFoundError``."""
        return self._with_states([self._entry(number, sources)])[0]

    def preview(
        self, site: str, kind: Kind, content: Content, *, sources: Collection[str] | None = None
    ) -> Preview:
        """Return the past questions that such an entry would catch.

        Raises ``InputError`` for content that cannot be saved.
        """
        known = self._site(site, sources)
        self._check(site, known, kind, content)
        return self._preview(site, known, kind, content)

    def add(
        self,
        site: str,
        kind: Kind,
        content: Content,
        actor: str,
        *,
        confirmed: bool = False,
        sources: Collection[str] | None = None,
    ) -> Entry:
        """Store a new entry, which takes effect at once.

        ``confirmed``: store it even if it catches a large share of questions. Raises ``InputError``, and
        ``BroadCurationError`` if it needs to be confirmed.
        """
        self._check_all(site, kind, content, confirmed=confirmed, sources=sources)
        return self.store.add(site, kind, content, actor)

    def update(
        self,
        number: int,
        version: int,
        content: Content,
        actor: str,
        *,
        confirmed: bool = False,
        sources: Collection[str] | None = None,
    ) -> Entry:
        """Change an entry that was read in this version.

        Raises the errors of :meth:`add`, ``NotFoundError``, and ``ConflictError`` that names whoever changed
        it in the meantime.
        """
        entry = self._entry(number, sources)
        self._check_all(entry.site, entry.kind, content, confirmed=confirmed, sources=sources)
        return self.store.update(number, version, content, actor)

    def remove(
        self, number: int, version: int, actor: str, *, sources: Collection[str] | None = None
    ) -> None:
        """Delete an entry that was read in this version. Raises ``NotFoundError`` and ``ConflictError``."""
        self._entry(number, sources)
        self.store.remove(number, version, actor)

    def _entry(self, number: int, sources: Collection[str] | None) -> Entry:
        entry = self.store.get(number)
        if sources is not None and entry.site not in self._visible(sources):
            raise unknown(number)
        return entry

    def _visible(self, sources: Collection[str] | None) -> dict[str, CuratedSite]:
        return {
            key: site
            for key, site in self.sites().items()
            if sources is None or (site.sources and site.sources <= set(sources))
        }

    def _site(self, key: str, sources: Collection[str] | None) -> CuratedSite:
        visible = self._visible(sources)
        if key not in visible:
            known = ", ".join(sorted(visible))
            remedy = f"use one of {known}" if known else "the settings name none"
            raise NotFoundError("unknown site {name!r}: {remedy}", name=key, remedy=remedy)
        return visible[key]

    def _check_all(
        self,
        key: str,
        kind: Kind,
        content: Content,
        *,
        confirmed: bool,
        sources: Collection[str] | None,
    ) -> None:
        site = self._site(key, sources)
        self._check(key, site, kind, content)
        _embed(content, site)
        if confirmed or content.paused:
            return
        found = self._preview(key, site, kind, content)
        if found.is_broad:
            raise BroadCurationError(
                "this would apply to {count} of the last {asked} questions ({share:.0%}): be more precise, "
                "or confirm it",
                count=found.count,
                asked=found.asked,
                share=found.share,
            )

    def _check(self, key: str, site: CuratedSite, kind: Kind, content: Content) -> None:
        check(kind, content, self.today())
        page = content.page
        if page is None:
            return
        is_own = not site.sources or page.source in site.sources
        refs = self.pages.with_ids([page.source], [page.id]) if is_own else []
        if not any(page.language in ("", ref.language) for ref in refs):
            raise InputError(
                "page: site {name!r} has no page {page!r} in source {source!r}",
                name=key,
                page=page.id,
                source=page.source,
            )

    def _preview(self, key: str, site: CuratedSite, kind: Kind, content: Content) -> Preview:
        if kind == "example":
            return Preview(caught=(), asked=0)
        questions = self.questions.of(key)
        entry = Entry(
            number=0,
            site=key,
            kind=kind,
            version=0,
            content=content,
            changed_by="",
            changed_at=datetime.now(UTC),
        )
        return preview(entry, questions, site.space())

    def _with_states(self, entries: list[Entry]) -> list[tuple[Entry, EntryState]]:
        names = [entry.content.page for entry in entries if entry.content.page]
        refs = self.pages.with_ids({name.source for name in names}, {name.id for name in names})
        shown = set(refs) - self.pages.hidden(refs, datetime.now(UTC))
        return [(entry, self._state(entry, shown)) for entry in entries]

    def _state(self, entry: Entry, shown: set[PageRef]) -> EntryState:
        if entry.is_past(self.today()):
            return "expired"
        if entry.content.paused:
            return "paused"
        page = entry.content.page
        is_there = page is None or any(
            (ref.source, ref.id) == (page.source, page.id) and page.language in ("", ref.language)
            for ref in shown
        )
        return "active" if is_there else "page_missing"


def _embed(content: Content, site: CuratedSite) -> None:
    """Put the vectors of phrasings into the cache, where every process finds them.

    Without an embedder they are embedded when questions are asked.
    """
    space = site.space() if content.phrasings else None
    if space is None:
        return
    try:
        space.embedded(content.phrasings)
    except EmbedderUnavailableError as error:
        log.warning("phrasings_not_embedded", message=str(error))
