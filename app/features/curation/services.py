"""The services of the curation."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import structlog

from app.errors import PageStoreUnavailableError
from app.features.curation.desk import CuratedSite, CurationDesk
from app.features.curation.meaning import QuestionSpace, QuestionSpaces
from app.features.curation.preview import PastQuestions
from app.features.curation.site import NO_ENTRIES, Curations, SiteCuration, examples_of
from app.features.curation.store import CurationStore
from app.lazy import lazy
from app.pages.audit import AuditLog
from app.presets import Preset
from app.search.site_retriever import SiteRetriever
from app.services.feature_services import FeatureServices
from app.settings.sites import SiteSettings

if TYPE_CHECKING:
    from app.services import Services

log = structlog.get_logger(__name__)


def decisions(services: Services) -> CurationServices:
    """Return the editors' decisions about the answers of all sites."""
    return services.feature(CurationServices)


class CurationServices(FeatureServices):
    """Builds the curation of sites, and the desk that editors change it with."""

    @lazy
    def audit(self) -> AuditLog:
        """The log of changes."""
        return AuditLog(self._services.engine)

    @lazy
    def store(self) -> CurationStore:
        """The stored entries."""
        return CurationStore(self._services.engine)

    @lazy
    def current(self) -> Curations:
        """The entries as of now."""
        return Curations(self.store)

    @lazy
    def spaces(self) -> QuestionSpaces:
        """Makes the spaces in which questions are compared."""
        indexing, store = self._services.indexing, self._services.store
        return QuestionSpaces(
            index=lambda: indexing.index,
            embedder_of=indexing.embedders.for_questions,
            cache=indexing.vector_cache,
            owner=lambda: store.id,
        )

    def site_search(self, site: str, preset: Preset, retriever: SiteRetriever) -> SiteCuration:
        """Return the search of a site with a preset, as curated by its editors."""
        indexing = self._services.indexing
        return SiteCuration(
            site,
            entries=partial(self.current.of, site),
            spaces=self.spaces,
            retriever=retriever,
            index=lambda: indexing.index,
            preset=preset,
        )

    @lazy
    def desk(self) -> CurationDesk:
        """The desk that editors change the curation with."""
        return CurationDesk(
            store=self.store,
            pages=self._services.store,
            questions=PastQuestions(self._services.engine),
            sites=self._sites,
        )

    def examples(self, site: SiteSettings) -> list[tuple[str, str]]:
        """Return the example questions of a site's chat with their languages (empty if not given).

        If the page store is unavailable, only those in the settings are returned, because the chat starts
        with them.
        """
        try:
            entries = self.current.of(site.key)
        except PageStoreUnavailableError as error:
            log.warning("curated_examples_missing", message=str(error))
            entries = NO_ENTRIES
        return examples_of(entries, site.examples, date.today())

    def _sites(self) -> dict[str, CuratedSite]:
        return {site.key: self._curated(site) for site in self._services.chat.sites.all()}

    def _curated(self, site: SiteSettings) -> CuratedSite:
        sources = [frozenset(variant.sources) for variant in site.variants()]
        every = frozenset[str]() if not all(sources) else frozenset[str]().union(*sources)
        return CuratedSite(sources=every, space=partial(self._space, site))

    def _space(self, site: SiteSettings) -> QuestionSpace | None:
        return self.spaces.of(self._services.chat.pipelines.preset_of(site))
