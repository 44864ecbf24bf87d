"""The services of facts."""

from datetime import UTC, datetime

from app.errors import NotFoundError
from app.features.facts.page_facts import PageFacts, page_facts
from app.features.facts.silent_pages import SilentPages
from app.indexing.page_desk import page_at
from app.lazy import lazy
from app.services.feature_services import FeatureServices
from ingest.types import PageRef


class FactServices(FeatureServices):
    """Reads the facts of pages, and remembers which pages show none."""

    @lazy
    def silent(self) -> SilentPages:
        """The pages whose facts editors have switched off."""
        return SilentPages(self._services.engine)

    def named(self, source: str, language: str, page_id: str) -> PageFacts:
        """Return the facts of the page with this name. Raises the errors of :meth:`of_page`."""
        return self.of_page(page_at(source, page_id, language))

    def of_page(self, ref: PageRef) -> PageFacts:
        """Return the facts of a page as it is in the index. Raises ``NotFoundError`` and
        ``IndexUnavailableError``."""
        found = self._services.indexing.index.pages([ref])
        if not found:
            raise NotFoundError("there is no page {page!r} in the index", page=ref.id)
        return page_facts(found[0], datetime.now(UTC).date(), is_silent=self.silent.has(ref))
