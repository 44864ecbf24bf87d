"""Traces all steps of a question, asked as visitors ask, for people who look after the chat."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from app.chat.conversations import Conversations
from app.chat.pipelines import RagPipelines
from app.chat.sites import DEFAULT_KEY, Sites, select_sources
from app.chat.types import Turn
from app.errors import NotFoundError
from app.features.explain.trace import QuestionTrace, trace_question
from app.features.explain.why_not import WhyNot, why_not
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.search.filters import Filters
from app.search.index import SearchIndex
from app.search.retrieval import ANY_TIME, TimeFilter
from app.settings.sites import SiteSettings
from ingest.types import PageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedQuestion:
    """A question to be asked. ``site``: its key; if empty, the main site, or else the installation's preset
    and all sources; ``preset``: in place of the site's; ``source``: the only one that is searched;
    ``conversation``: the one that the question continues."""

    question: str
    site: str = ""
    preset: str = ""
    source: str = ""
    conversation: str = ""
    language: str | None = None
    time: TimeFilter = ANY_TIME
    filters: Filters = ()


@dataclass(kw_only=True, eq=False)
class QuestionInspector:
    """Traces questions; stores and counts nothing. In every method, ``sources`` are those that the user may
    see, ``None`` for all. Thread-safe."""

    sites: Sites
    pipelines: RagPipelines
    conversations: Conversations
    store: PageStore
    pages: PageList
    index: Callable[[], SearchIndex]

    def site(self, key: str, preset: str = "") -> SiteSettings:
        """Return the site with this key, or if it is empty the main site or else the installation itself,
        with ``preset`` if given. Raises ``NotFoundError``."""
        main = self.sites.main or SiteSettings(key=DEFAULT_KEY)
        site = self.sites.find(key, None) if key else main
        return site.model_copy(update={"preset": preset}) if preset else site

    def site_of_source(self, source: str, key: str) -> SiteSettings:
        """Return the site with this key, or the only site if it is empty, among the sites that name the
        source in the settings or search no other. Its index is its first named index with the source.

        Raises ``NotFoundError``."""
        is_alone = set(self.store.sources()) <= {source}
        fitting = {
            variant.key: variant
            for site in reversed(self.sites.all())
            for variant in reversed(site.variants())
            if source in variant.sources or (is_alone and not variant.sources)
        }
        if not fitting:
            raise NotFoundError(
                "no site searches the source {name!r}: add it to a site's sources in auskunft.toml",
                name=source,
            )
        if key not in fitting and (key or len(fitting) > 1):
            raise NotFoundError("name the site by its key: {keys}", keys=", ".join(sorted(fitting)))
        return fitting.get(key) or next(iter(fitting.values()))

    def trace(self, asked: TracedQuestion, sources: Collection[str] | None = None) -> QuestionTrace:
        """Answer the question and return its trace.

        Raises ``QuestionError``, ``NotFoundError`` (no such site, or none of its sources may be seen),
        ``UnknownPresetError``, ``InputError`` (no such source), ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``.
        """
        site = self.site(asked.site, asked.preset)
        searched = self.searched(site, asked.source, sources)
        return trace_question(
            self.pipelines.of(site).answerer,
            asked.question,
            history=self._history(site, asked.conversation),
            language=asked.language,
            sources=searched,
            time=asked.time,
            filters=asked.filters,
        )

    def searched(self, site: SiteSettings, source: str, sources: Collection[str] | None) -> frozenset[str]:
        """Return the sources of the site that may be seen, or only ``source`` if given. Raises
        ``NotFoundError`` if none may be seen, and ``InputError`` for another ``source``."""
        within = site.sources or self.store.sources()
        seen = [name for name in within if sources is None or name in sources]
        if not seen and sources is not None:
            raise NotFoundError("there is no such site: none of its sources is yours")
        return select_sources(self.store, source or None, within=seen)

    def why_not(
        self, trace: QuestionTrace, page: str | PageRef, sources: Collection[str] | None = None
    ) -> WhyNot:
        """Say why the question is not answered from a page, given by its id, address or reference.

        Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        if isinstance(page, str):
            name, refs = page, self.pages.named(page, sources)
        else:
            name = f"{page.source}/{page.id}/{page.language}"
            is_seen = sources is None or page.source in sources
            known = self.pages.languages_of(page.source, page.id) if is_seen else []
            refs = [record.ref for record in known if record.ref == page]
        return why_not(trace, name, refs, self.pages, self.index())

    def _history(self, site: SiteSettings, conversation: str) -> tuple[Turn, ...]:
        """Return the turns of the conversation so far. Raises ``NotFoundError`` if it is of another site."""
        if not conversation:
            return ()
        history = self.conversations.begin_unstored(site.key, conversation).history
        if not history:
            raise NotFoundError("there is no such conversation on this site: ask without a conversation")
        return history
